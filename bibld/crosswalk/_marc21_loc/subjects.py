"""Subjects: 034, 043, 045, 255, 600-662, 752 → subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import SUBJECT_AUTHORITY
from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, PERSONAL, heading_links
from bibld.crosswalk._marc21.subjects import (
    PLACE_LEVELS,
    SUBDIVISIONS,
    coded_mathematical_data,
    covered_period,
    uncontrolled_term,
)
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, has_any, text_or_blank, title_parts
from bibld.crosswalk._marc21_loc.titles_and_names import coded_roles, name_part, roles, terms_and_dates, units
from bibld.crosswalk._rules import EVERY, RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import (
    Cartographics,
    Geographic,
    GeographicCode,
    HierarchicalGeographic,
    Name,
    Occupation,
    Subject,
    SubjectPart,
    Temporal,
    TitleInfo,
    Topic,
)

SUBJECTS = RuleBook()

SUBJECTS.record("subject: cartographics (unless corrected: nothing)", t034="defg")(coded_mathematical_data)


@SUBJECTS.field("043", "abc2", "subject: geographicCode")
def area_codes(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Codes of geographic areas."""
    found: list[SubjectPart] = []
    for place, subfield in enumerate(field.subfields):
        if subfield.code == "b":
            sources = [other.value for other in field.subfields[place:] if other.code == "2"]
            found.append(GeographicCode(value=subfield.value, authority=sources[0] if sources else ""))
        elif subfield.code in ("a", "c"):
            authority = "marcgac" if subfield.code == "a" else "iso3166"
            found.append(GeographicCode(value=subfield.value, authority=authority))
    yield Subject(parts=tuple(found))


SUBJECTS.field("045", "bc", "subject: temporal[iso8601, start and end]")(covered_period)


@SUBJECTS.field("255", "abc", "subject: cartographics (scale, projection, coordinates)")
def mathematical_data(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Mathematical data, as stated."""
    scale, projection, coordinates = (tuple(map(text_or_blank, field.values(code))) for code in "abc")
    made = Cartographics(scale=scale, projection=projection, coordinates=coordinates)
    yield Subject(parts=(made,))


@SUBJECTS.field("600", "abcdeqtunpfgklmor4vxyz02", "subject: name[personal], titleInfo, subdivisions")
def person(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Person, or work under a name."""
    name = Name(
        name_part=(name_part(join(field, "aq"), view), *terms_and_dates(field, view)),
        affiliation=tuple(map(text_or_blank, field.values("u"))),
        role=roles(field, view),
        type=PERSONAL,
    )
    yield _subject((name, *_title(field, view, "t"), *_subdivisions(field)), field, view)


@SUBJECTS.field("610", "abcdentpfgklmor4vxyz02", "subject: name[corporate], titleInfo, subdivisions")
def body(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Body, or work under its name."""
    name_parts = units(field, view)
    if has_any(field, "cdnp"):
        name_parts.append(name_part(join(field, "cdnp"), view))
    name = Name(name_part=tuple(name_parts), role=roles(field, view), type=CORPORATE)
    yield _subject((name, *_title(field, view, "t"), *_subdivisions(field)), field, view)


@SUBJECTS.field("611", "abcdeqnptfgklmor4vxyz02", "subject: name[conference], titleInfo, subdivisions")
def conference(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Conference, or work under its name."""
    of_name = roles(field, view, "j") if view.settings.conference_roles_read else tuple(coded_roles(field))
    name = Name(name_part=(name_part(join(field, "abcdeqnp"), view),), role=of_name, type=CONFERENCE)
    yield _subject((name, *_title(field, view, "tpn"), *_subdivisions(field)), field, view)


def _title(field: DataField, view: StylesheetView, codes: str) -> Iterator[TitleInfo]:
    if has_any(field, "t"):
        number, name = title_parts(field, view)
        yield TitleInfo(title=text_or_blank(chop(join(field, codes))), part_number=number, part_name=name)


@SUBJECTS.field("630", "adfghklmnoprvxyz02", "subject: titleInfo, subdivisions")
def title(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Uniform title."""
    number, name = title_parts(field, view)
    lead = TitleInfo(title=text_or_blank(chop(join(field, "adfhklor"))), part_number=number, part_name=name)
    yield _subject((lead, *_subdivisions(field)), field, view)


@SUBJECTS.field("648", "abcdvxyz02u", "subject: temporal, subdivisions")
def period(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Period; its second indicator wins over ``$2``, which wins over none."""
    lead = Temporal(value=chop(join(field, "abcd")))
    made = _subject((lead, *_subdivisions(field)), field, view)
    links = field.values("u", "0")
    if links and not view.settings.authority_links_resolved:
        made = replace(made, xlink_href=links[-1])
    yield replace(made, authority=field.first("2")) if made.authority is None else made


@SUBJECTS.field("650", "abcdvxyz02", "subject: topic, subdivisions")
def topic(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Topical term."""
    yield _subject((Topic(value=chop(join(field, "abcd"))), *_subdivisions(field)), field, view)


@SUBJECTS.field("651", "avxyz02", "subject: geographic, subdivisions")
def place(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Geographic name."""
    lead = [Geographic(value=chop(text)) for text in field.values("a")]
    yield _subject((*lead, *_subdivisions(field)), field, view)


SUBJECTS.field("653", EVERY, "subject, what it is by the indicators")(uncontrolled_term)


@SUBJECTS.field("656", "a02", "subject: occupation")
def occupation(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Occupation."""
    made = _subject((Occupation(value=chop(field.first("a") or "")),), field, view)
    yield replace(made, authority=field.first("2"))


@SUBJECTS.field("662 752", "abcdegh0", "subject: hierarchicalGeographic")
def hierarchical_place(field: DataField, view: StylesheetView) -> Iterator[Subject]:
    """Place from the country down."""
    links = field.values("0")
    first, last = (links[0], links[-1]) if links else (None, None)
    if links and view.settings.authority_links_resolved:
        first = last = heading_links(field).value_uri

    levels = PLACE_LEVELS | {"city_section": "e"}
    texts = {name: tuple(text_or_blank(chop(text)) for text in field.values(code)) for name, code in levels.items()}
    made = replace(HierarchicalGeographic(value_uri=first), **texts)
    yield Subject(parts=(made,), value_uri=last)


# --- common to all


def _subdivisions(field: DataField) -> Iterator[SubjectPart]:
    for subfield in field.subfields:
        kind = SUBDIVISIONS.get(subfield.code)
        if kind is not None:
            yield kind(value=chop(subfield.value))


def _subject(found: Sequence[SubjectPart], field: DataField, view: StylesheetView) -> Subject:
    links = field.values("0")
    authority = None
    if field.indicator2 not in (" ", "4", "8", "9"):
        source = field.first("2") or ""
        authority = source if field.indicator2 == "7" else SUBJECT_AUTHORITY.get(field.indicator2, "")
    if links and view.settings.authority_links_resolved:
        resolved = heading_links(field)
        uris = {"authority_uri": resolved.authority_uri, "value_uri": resolved.value_uri}
        return Subject(parts=tuple(found), authority=authority, **uris)
    return Subject(parts=tuple(found), authority=authority, xlink_href=links[-1] if links else None)
