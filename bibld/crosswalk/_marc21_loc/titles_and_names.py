"""Titles and names: 245, 210, 246, 240, 740, 130, 730, 242 → titleInfo; 100, 110, 111, 700, 710, 711, 720 → name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21.corrections import NO_TEXT
from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, FAMILY, PERSONAL, heading_links
from bibld.crosswalk._marc21.names import roles as paired_roles
from bibld.crosswalk._marc21.titles import parallel_titles
from bibld.crosswalk._marc21_loc.fields import (
    StylesheetView,
    chop,
    has_any,
    join_around,
    text_or_blank,
    title_parts,
)
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop_name, join
from bibld.model.marc import DataField
from bibld.model.mods import Name, NameIdentifier, NamePart, Role, RoleTerm, TitleInfo

TITLES_AND_NAMES = RuleBook()

_COUNTS = frozenset("123456789")
_PERSONAL_OR_FAMILY = {"0": PERSONAL, "1": PERSONAL, "3": FAMILY}


# --- titles


@TITLES_AND_NAMES.field("245", "abfgknps", "titleInfo: title, nonSort, subTitle, partNumber, partName")
def title_proper(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Title statement. The second indicator counts characters of the chopped title, whatever they are."""
    has_rest = has_any(field, "b")
    title = join_around(field, "b", before="afgks") if has_rest else join(field, "abfgks")
    rest = join_around(field, "b", "b", after="afgks") if has_rest else ""
    title = chop(title)
    if view.settings.parallel_titles_split and title.endswith("="):
        title = chop(title.rstrip("= "))
        rest, *parallel = ["", *rest.split(" = ")]
        yield from parallel_titles(parallel, view)
        has_rest = False
    yield _title(title, field, view, (text_or_blank(chop(rest)),) if has_rest else ())


@TITLES_AND_NAMES.field("210", "ab", "titleInfo[abbreviated]")
def abbreviated_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Abbreviated title."""
    title = text_or_blank(chop(join(field, "a")))
    yield TitleInfo(title=title, sub_title=_sub_title(field), type="abbreviated")


@TITLES_AND_NAMES.field(
    "246", "abfinp", "titleInfo[alternative] (second indicator 1: translated), displayLabel from $i"
)
def varying_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Varying form of title."""
    number, name = title_parts(field, view)
    labels = field.values("i")
    yield TitleInfo(
        title=text_or_blank(chop(join(field, "af"))),
        sub_title=_sub_title(field),
        part_number=number,
        part_name=name,
        type="translated" if field.indicator2 == "1" else "alternative",
        display_label=labels[-1] if labels else None,
    )


@TITLES_AND_NAMES.field("240", "adfklmnoprs0", "titleInfo[uniform], nameTitleGroup with 100/110/111")
def uniform_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uniform title under a name."""
    yield _uniform(field, view, "", name_title_group=name_title_group(field, view))


def name_title_group(field: DataField, view: StylesheetView) -> str | None:
    """Return group 1 for a main entry and its 240; their counterparts in another script are counted from 2."""
    others = ("100", "110", "111") if field.tag == "240" else ("240",)
    is_alternate = view.is_alternate(field)
    if not any(view.is_alternate(other) == is_alternate for other in view.fields(*others)):
        return None
    return str(view.count_before(field, "700", "710", "711", "880") + 2) if is_alternate else "1"


@TITLES_AND_NAMES.field("740", "ahnp", "titleInfo[alternative]")
def uncontrolled_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uncontrolled related or analytical title."""
    if field.indicator2 == "2" and view.settings.contained_titles_once:
        return
    number, name = title_parts(field, view)
    title = text_or_blank(chop(join(field, "ah")))
    yield TitleInfo(title=title, part_number=number, part_name=name, type="alternative")


@TITLES_AND_NAMES.field("130 730", "adfklmnoprs0", "titleInfo[uniform] (730 with second indicator 2: a related item)")
def uniform_title_heading(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uniform title as main or added entry."""
    if field.tag == "130" or field.indicator2 != "2":
        yield _uniform(field, view, "" if view.settings.version_written_once else "s")


def _uniform(field: DataField, view: StylesheetView, twice: str, **attributes: Any) -> TitleInfo:  # noqa: ANN401
    subfields = field.subfields
    last = max(
        (place for place, subfield in enumerate(subfields) if subfield.code in ("n", "p")), default=len(subfields)
    )
    texts = []
    for place, subfield in enumerate(subfields):
        if subfield.code in twice:
            texts.append(subfield.value)
        if subfield.code in "adfklmors" and place < last:
            texts.append(subfield.value)
    number, name = title_parts(field, view)
    title = text_or_blank(chop(" ".join(texts)))
    info = TitleInfo(title=title, part_number=number, part_name=name, type="uniform", **attributes)
    links = [text for text in field.values("0") if text]
    if not links:
        return info
    if view.settings.authority_links_resolved:
        return replace(info, value_uri=heading_links(field).value_uri)
    return replace(info, xlink_href=links[-1])


@TITLES_AND_NAMES.field("242", "abnpy", "titleInfo[translated], lang from $y")
def translated_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Title translated by the cataloguing agency; not read in other scripts."""
    if not view.is_alternate(field):
        languages = field.values("y")
        info = _title(chop(join(field, "a")), field, view, _sub_title(field))
        yield replace(info, type="translated", lang=languages[-1] if languages else None)


def _sub_title(field: DataField) -> tuple[str, ...]:
    text = field.first("b")
    return () if text is None else (text_or_blank(chop(text)),)


def _title(title: str, field: DataField, view: StylesheetView, sub_title: tuple[str, ...]) -> TitleInfo:
    number, name = title_parts(field, view)
    non_sort = None
    if field.indicator2 in _COUNTS:
        count = int(field.indicator2)
        non_sort, title = title[:count] + NO_TEXT, title[count:]
    title = text_or_blank(title)
    return TitleInfo(title=title, non_sort=non_sort, sub_title=sub_title, part_number=number, part_name=name)


# --- names


def name_part(text: str, view: StylesheetView, kind: str | None = None) -> NamePart:
    """Return a part of a name, unchanged or chopped."""
    return NamePart(value=chop_name(text) if view.settings.names_tidied else text, type=kind)


def terms_and_dates(field: DataField, view: StylesheetView) -> tuple[NamePart, ...]:
    """Return the further parts of a person's name: terms of address, dates."""
    terms = (name_part(join(field, "bc"), view, "termsOfAddress"),) if has_any(field, "bc") else ()
    return (*terms, *(NamePart(value=chop(text), type="date") for text in field.values("d")))


def units(field: DataField, view: StylesheetView) -> list[NamePart]:
    """Return a corporate body and its units."""
    return [name_part(text, view) for text in (*field.values("a"), *field.values("b"))]


def roles(field: DataField, view: StylesheetView, text_code: str = "e") -> tuple[Role, ...]:
    """Return one role for each term, one for each code."""
    if view.settings.roles_paired:
        return paired_roles(field, text_code)
    terms = [Role((RoleTerm(value=chop(text), type="text"),)) for text in field.values(text_code)]
    return (*terms, *coded_roles(field))


def coded_roles(field: DataField) -> Iterator[Role]:
    """Yield the codes of ``$4``, unchanged."""
    for code in field.values("4"):
        yield Role((RoleTerm(value=code, type="code", authority="marcrelator"),))


def conference_roles(field: DataField, view: StylesheetView) -> tuple[Role, ...]:
    """Return the roles of a conference."""
    return roles(field, view, "j" if view.settings.conference_roles_read else "e")


@TITLES_AND_NAMES.fields(
    "name[personal, family, corporate, conference]", t100="abcdequ04", t110="abcden04", t111="acdenq04"
)
def main_entry(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """Name under which the work is entered; a person is lost where the first indicator is another."""
    if field.first("t") is None:
        usage = "primary" if field.tag == "100" else None
        yield from _heading(field, view, usage=usage, name_title_group=name_title_group(field, view))


@TITLES_AND_NAMES.fields("name (with $t: a related item)", t700="abcdequ04", t710="abcden04", t711="acdenq04")
def added_entry(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """Further name."""
    if field.first("t") is None:
        yield from _heading(field, view)


def _heading(field: DataField, view: StylesheetView, **attributes: Any) -> Iterator[Name]:  # noqa: ANN401
    if field.tag[1:] == "00":
        kind = _PERSONAL_OR_FAMILY.get(field.indicator1) or (PERSONAL if view.settings.every_name_kept else None)
        parts = (name_part(join(field, "aq"), view), *terms_and_dates(field, view))
        attributes["affiliation"] = tuple(map(text_or_blank, field.values("u")))
        attributes["role"] = roles(field, view)
    elif field.tag[1:] == "10":
        kind = CORPORATE
        meeting = (name_part(join(field, "cdn"), view),) if has_any(field, "cdn") else ()
        parts = (*units(field, view), *meeting)
        attributes["role"] = roles(field, view)
    else:
        kind = CONFERENCE
        parts = (name_part(join(field, "acdenq"), view),)
        attributes["role"] = conference_roles(field, view)
    if kind is None:
        return
    name = Name(name_part=parts, type=kind, **attributes)
    if has_any(field, "0") and view.settings.authority_links_resolved:
        links = heading_links(field)
        yield replace(
            name, name_identifier=links.identifiers, authority_uri=links.authority_uri, value_uri=links.value_uri
        )
    elif has_any(field, "0"):
        texts = [text for text in field.values("0") if text]
        identifier = NameIdentifier(value=join(field, "0"))
        yield replace(name, name_identifier=(identifier,), xlink_href=texts[-1] if texts and kind != FAMILY else None)
    else:
        yield name


@TITLES_AND_NAMES.field("720", "ae4", "name, personal where the first indicator is 1")
def uncontrolled_name(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """Name that is not under authority control."""
    if field.first("t") is None:
        kind = PERSONAL if field.indicator1 == "1" else None
        yield Name(name_part=(name_part(field.first("a") or "", view),), role=roles(field, view), type=kind)
