"""Series, works and linking entries: 440, 490, 510, 534, 700-740 with a title, 76X-78X, 800-830, 856 → relatedItem.

A field and its counterparts in other scripts give one item; each child is mark for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, PERSONAL, heading_links
from bibld.crosswalk._marc21.related import (
    LINK_FIELDS,
    enumeration,
    parse_imprint,
    raw_enumeration,
    relation_attributes,
)
from bibld.crosswalk._marc21_loc.fields import (
    StylesheetView,
    chop,
    has_any,
    join_around,
    mark,
    normalize_space,
    subfields_with_linkage,
    text_or_blank,
    title_parts,
)
from bibld.crosswalk._marc21_loc.titles_and_names import name_part, roles, terms_and_dates, units
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import (
    Date,
    Detail,
    Edition,
    Element,
    Form,
    Identifier,
    Language,
    LanguageTerm,
    Location,
    Name,
    NamePart,
    Note,
    OriginInfo,
    Part,
    PartText,
    PhysicalDescription,
    Place,
    PlaceTerm,
    Publisher,
    RelatedItem,
    Subject,
    Temporal,
    TitleInfo,
    Url,
    collected,
)

RELATED = RuleBook()

_SERIES_HEADINGS = ("800", "810", "811", "830")

Build = Callable[[DataField, StylesheetView], Iterator[Element]]
Accepts = Callable[[DataField], bool]


def has_no_indicator(field: DataField) -> bool:
    """Whether the first indicator is 0 or blank."""
    return field.indicator1 in ("0", " ")


def fields_of_item(
    field: DataField,
    view: StylesheetView,
    accepts: Accepts = lambda field: True,
    takes: Accepts | None = None,
) -> list[DataField]:
    """Return the fields that become one related item with this one, in the order of the record.

    A regular field that ``takes`` (default: ``accepts``) is satisfied with takes the 880 of its group with it: nothing
    for such an 880.
    """
    group = normalize_space(field.first("6") or "")[4:6]
    if view.is_alternate(field) and _has_group(group, view.regular(field.tag), takes or accepts):
        return []
    return [
        other
        for other in view.tagged(field.tag)
        if other is field or (view.is_alternate(other) and accepts(other) and _group(other) == group)
    ]


def _has_group(group: str, regular: list[DataField], takes: Accepts) -> bool:
    return any(_group(other) == group for other in regular if takes(other))


def _group(field: DataField) -> str:
    return (field.first("6") or "")[4:6]


def _items(
    fields: list[DataField],
    view: StylesheetView,
    build: Build,
    **attributes: Any,  # noqa: ANN401
) -> Iterator[RelatedItem]:
    """Yield one related item of the children that ``build`` makes of each field; nothing without fields."""
    if fields:
        children = [element for field in fields for element in build(field, view)]
        yield RelatedItem(mods=collected(children), **attributes)


def forms(field: DataField, view: StylesheetView) -> Iterator[PhysicalDescription]:
    """Yield ``$h`` of a related item."""
    for text, linkage in subfields_with_linkage(field, "h", view):
        yield mark(PhysicalDescription(form=(Form(value=text),)), linkage)


def identifiers(field: DataField, view: StylesheetView, kinds: dict[str, str | None]) -> Iterator[Identifier]:
    """Yield the numbers of a related item."""
    for code, kind in kinds.items():
        for text, linkage in subfields_with_linkage(field, code, view):
            yield mark(Identifier(value=text, type=kind), linkage)


def _titles(field: DataField, view: StylesheetView, code: str, kind: str | None = None) -> Iterator[TitleInfo]:
    is_host = field.tag == "773" and not view.is_alternate(field)
    numbers = () if is_host or field.tag == "534" else tuple(text_or_blank(chop(text)) for text in field.values("g"))
    for text, linkage in subfields_with_linkage(field, code, view):
        yield mark(TitleInfo(title=text_or_blank(chop(text)), part_number=numbers, type=kind), linkage)


def _names(field: DataField, view: StylesheetView) -> Iterator[Name]:
    for text, linkage in subfields_with_linkage(field, "a", view):
        yield mark(Name(name_part=(name_part(text, view),)), linkage)


# --- stated series


@RELATED.field("490", "av", "relatedItem[series] (first indicator 1: nothing)")
def series_statement(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Series statement that is not traced."""
    is_untraced = view.settings.traced_series_kept and not view.has(*_SERIES_HEADINGS)
    if has_no_indicator(field) or (field.indicator1 == "1" and is_untraced):
        yield from _items(fields_of_item(field, view, takes=has_no_indicator), view, _statement, type="series")


@RELATED.field("440", "av", "relatedItem[series]")
def series_title(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Series statement and heading in one (until 2008)."""
    if has_no_indicator(field):
        yield from _items(fields_of_item(field, view, has_no_indicator), view, _statement, type="series")


def _statement(field: DataField, view: StylesheetView) -> Iterator[Element]:
    numbers = (text_or_blank(chop(join(field, "v"))),) if has_any(field, "v") else ()
    yield view.mark(TitleInfo(title=text_or_blank(chop(join(field, "a"))), part_number=numbers), field)


# --- works and series with a heading


@RELATED.fields(
    "relatedItem with titleInfo and name (with $t)",
    t700="abcdefgiklmnopqrstvxh4", t710="abcdefgiklmnoprstxh4", t711="acdefgiklnpqstxh4",
)  # fmt: skip
def work_under_name(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Work under a name: contained (second indicator 2), or related in a way that is not stated."""
    if field.first("t") is not None:
        yield from _work(field, view, lambda other: other.first("t") is not None)


@RELATED.fields("relatedItem[constituent] (second indicator 2)", t730="adfghiklmnoprsx", t740="ahinp")
def contained_work(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Work that the resource contains, under its uniform or its own title."""
    if field.indicator2 == "2":
        yield from _work(field, view, lambda other: other.indicator2 == "2")


def _work(field: DataField, view: StylesheetView, accepts: Accepts) -> Iterator[RelatedItem]:
    kind = "constituent" if field.indicator2 == "2" else None
    attributes: dict[str, str | None] = {"type": kind, "other_type": field.first("i")}
    if view.settings.relations_named:
        attributes = relation_attributes(kind, field, view)
    href = heading_links(field).value_uri if view.settings.authority_links_resolved and field.tag != "740" else None
    yield from _items(fields_of_item(field, view, accepts), view, _heading, xlink_href=href, **attributes)


@RELATED.fields(
    "relatedItem[series] with titleInfo and name",
    t800="abcdefgklmnopqrstvh04", t810="abcdefgklmnoprstvh04", t811="acdefgklnpqstvh04", t830="adfgklmorsvh0",
)  # fmt: skip
def series_heading(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Series under a name or under its title; the parts of a title are lost."""
    links = [text for text in field.values("0") if text]
    href = links[-1] if links else None
    if view.settings.authority_links_resolved:
        href = heading_links(field).value_uri
    yield from _items(fields_of_item(field, view), view, _heading, type="series", xlink_href=href)


def _heading(field: DataField, view: StylesheetView) -> Iterator[Element]:
    """Yield what a heading of a work (7XX) or series (8XX) describes."""
    is_series, kind = field.tag[0] == "8", field.tag[1:]
    yield view.mark(_title_of_heading(field, view), field)
    if kind == "00":
        heading = name_part(join_around(field, "t", "aq", before="g"), view)
        yield _name(field, view, (heading, *terms_and_dates(field, view)), PERSONAL)
    elif kind == "10":
        meeting = join_around(field, "t", "c", before="dgn")
        parts = (name_part(meeting, view),) if is_series or meeting.strip() else ()
        yield _name(field, view, (*units(field, view), *parts), CORPORATE)
    elif kind == "11":
        heading = name_part(join_around(field, "t", "aqdc", before="gn"), view)
        yield _name(field, view, (heading,), CONFERENCE)
    yield from forms(field, view)
    if not is_series and kind != "40":
        yield from identifiers(field, view, {"x": "issn"})


def _title_of_heading(field: DataField, view: StylesheetView) -> TitleInfo:
    is_series, kind = field.tag[0] == "8", field.tag[1:]
    number, name = title_parts(field, view)
    if kind == "00":
        title = join_around(field, "t", "tfklmors" if is_series else "tfklmorsv", after="g")
        if is_series:
            number, name = _chopped(field, "n") + _chopped(field, "v"), _chopped(field, "p")
    elif kind in ("10", "11"):
        codes, after = ("tfklmors", "dg") if kind == "10" else ("tfkls", "g")
        title = join_around(field, "t", codes, after=after)
        work_number = chop(join_around(field, "t", "n", after="n"))
        number = ((work_number,) if work_number else ()) + (_chopped(field, "v") if is_series else ())
        name = _chopped(field, "p")
    else:
        title = (field.first("a") or "") if kind == "40" else join(field, "adfgklmors")
        if is_series:
            number, name = (text_or_blank(chop(join(field, "v"))),) if has_any(field, "v") else (), ()
    return TitleInfo(title=text_or_blank(chop(title)), part_number=number, part_name=name)


def _chopped(field: DataField, code: str) -> tuple[str, ...]:
    return tuple(text_or_blank(chop(text)) for text in field.values(code))


def _name(field: DataField, view: StylesheetView, parts: tuple[NamePart, ...], kind: str) -> Name:
    text_code = "j" if kind == CONFERENCE and view.settings.conference_roles_read else "e"
    return view.mark(Name(name_part=parts, role=roles(field, view, text_code), type=kind), field)


# --- 510 and 534


@RELATED.field("510", "abc", "relatedItem[isReferencedBy]: titleInfo, originInfo/dateOther, part")
def cited_in(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Where the resource is cited or indexed."""
    if has_no_indicator(field):
        yield from _items(fields_of_item(field, view, has_no_indicator), view, _citation, type="isReferencedBy")


def _citation(field: DataField, view: StylesheetView) -> Iterator[Element]:
    for text, linkage in subfields_with_linkage(field, "a", view):
        yield mark(TitleInfo(title=text_or_blank(text)), linkage)
    for text, linkage in subfields_with_linkage(field, "b", view):
        yield mark(OriginInfo(date_other=(Date(value=text, type="coverage"),)), linkage)
    number = Detail(number=(text_or_blank(chop(join(field, "c"))),), type="part")
    yield view.mark(Part(detail=(number,)), field)


@RELATED.field("534", "abcntxz", "relatedItem[original]")
def original_version(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Original of a reproduction."""
    if has_no_indicator(field):
        yield from _items(fields_of_item(field, view, has_no_indicator), view, _original, type="original")


def _original(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield from _titles(field, view, "t")
    yield from _names(field, view)
    if has_any(field, "bc"):
        made = OriginInfo(
            publisher=tuple(Publisher(value=text) for text in field.values("c")),
            edition=tuple(Edition(value=text) for text in field.values("b")),
        )
        yield view.mark(made, field)
    yield from identifiers(field, view, {"x": "issn", "z": "isbn"})
    for text in field.values("n"):
        yield Note(value=text)


# --- 76X-78X


def _register(tag: str, kind: str | None) -> None:
    @RELATED.field(
        tag, "abdghijnopstwxz3" + ("ef" if tag == "775" else "q" if tag == "773" else ""),
        f"relatedItem[{kind}]" if kind else "relatedItem",
    )  # fmt: skip
    def build(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
        """Related resource, as far as the linking entry describes it; an 880 alone has no type."""
        is_alternate = view.is_alternate(field)
        fields = [field] if is_alternate else fields_of_item(field, view)
        group = normalize_space(field.first("6") or "")[4:6]
        if is_alternate and _has_group(group, view.regular(*LINK_FIELDS), lambda other: True):
            return
        is_typed = not is_alternate and (tag != "775" or field.indicator2 == " ")
        attributes = relation_attributes(kind if is_typed else None, field, view)
        yield from _items(fields, view, _linked, **attributes)


for _tag, _relation in LINK_FIELDS.items():
    _register(_tag, _relation)


def _linked(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield from _titles(field, view, "t")
    yield from _titles(field, view, "p", "abbreviated")
    yield from _titles(field, view, "s", "uniform")
    is_edition = field.tag == "775" and not view.is_alternate(field)
    if has_any(field, "bdf"):
        yield view.mark(_imprint(field, view, is_edition), field)
    language = field.first("e")
    if is_edition and language is not None:
        term = LanguageTerm(value=language, type="code", authority="iso639-2b")
        yield view.mark(Language(language_term=(term,)), field)
    yield from forms(field, view)
    for text, linkage in subfields_with_linkage(field, "n", view):
        yield mark(Note(value=text), linkage)
    for text, linkage in subfields_with_linkage(field, "j", view):
        yield mark(Subject(parts=(Temporal(value=chop(text), encoding="iso8601"),)), linkage)
    yield from identifiers(field, view, {"o": None, "x": "issn", "z": "isbn", "w": "local"})
    if field.tag == "773" and not view.is_alternate(field):
        yield from _parts(field, view)
    yield from _names(field, view)


def _imprint(field: DataField, view: StylesheetView, is_edition: bool) -> OriginInfo:
    places: list[Place] = []
    publishers: list[Publisher] = []
    dates: list[Date] = []
    for text in field.values("f") if is_edition else ():
        places.append(Place(place_term=(PlaceTerm(value=chop(text), type="code", authority="marcgac"),)))
    for text in field.values("d"):
        if view.settings.imprints_parsed:
            parse_imprint(text, places, publishers, dates)
        else:
            publishers.append(Publisher(value=chop(text)))
    editions = tuple(Edition(value=text) for text in field.values("b"))
    return OriginInfo(place=tuple(places), publisher=tuple(publishers), date_issued=tuple(dates), edition=editions)


def _parts(field: DataField, view: StylesheetView) -> Iterator[Part]:
    for text, linkage in subfields_with_linkage(field, "g", view):
        yield mark(Part(text=(PartText(value=text),)), linkage)
    for text, linkage in subfields_with_linkage(field, "q", view):
        part = enumeration(text) if view.settings.empty_details_dropped else raw_enumeration(text)
        if part is not None:
            yield mark(part, linkage)


# --- 856


@RELATED.field("856", "qu3yz", "relatedItem with location/url (second indicator 2)")
def related_address(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Address of a related resource; one in another script is read where no regular one has its number."""
    if not _is_related(field):
        return
    if view.is_alternate(field) and has_any(field, "q"):
        fields = fields_of_item(field, view, _is_related, lambda other: _is_related(other) and has_any(other, "q"))
        yield from _items(fields, view, _typed_address)
    if has_any(field, "u"):
        fields = fields_of_item(field, view, _is_related, lambda other: _is_related(other) and has_any(other, "u"))
        if fields:
            yield RelatedItem(mods=collected((Location(url=(_url(field),)),)))


def _is_related(field: DataField) -> bool:
    return field.indicator2 == "2"


def _typed_address(field: DataField, view: StylesheetView) -> Iterator[Element]:
    media_type = field.first("q")
    if media_type is not None:
        yield view.mark(PhysicalDescription(internet_media_type=(text_or_blank(media_type),)), field)
    if has_any(field, "u"):
        yield view.mark(Location(url=(_url(field),)), field)


def _url(field: DataField) -> Url:
    return Url(
        value=field.first("u") or "",
        display_label=join(field, "y3") if has_any(field, "y3") else None,
        note=join(field, "z") if has_any(field, "z") else None,
    )
