"""Linking entries: 510, 534, 76X-78X, 856 with second indicator 2 → relatedItem.

A field and its counterparts in other scripts give one item; each child is mark for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    mark,
    normalize_space,
    subfields_with_linkage,
    text_or_blank,
)
from bibld.crosswalk._marc21_loc.names import name_part
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

LINK_TAGS = tuple(link.tag for link in LINK_FIELDS)
_TYPES = {link.tag: link.type for link in LINK_FIELDS}

Build = Callable[[DataField, StylesheetView], Iterator[Element]]
Accepts = Callable[[DataField], bool]


def has_no_indicator(field: DataField) -> bool:
    """First indicator 0 or blank."""
    return field.indicator1 in ("0", " ")


def fields_of_item(
    field: DataField,
    view: StylesheetView,
    accepts: Accepts = lambda field: True,
    takes: Accepts | None = None,
) -> list[DataField]:
    """The fields that become one related item with this one, in the order of the record.

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


def build_children(fields: list[DataField], view: StylesheetView, build: Build) -> list[Element]:
    """The children that each field contributes."""
    return [element for field in fields for element in build(field, view)]


def forms(field: DataField, view: StylesheetView) -> Iterator[PhysicalDescription]:
    """``$h`` of a related item."""
    for text, linkage in subfields_with_linkage(field, "h", view):
        yield mark(PhysicalDescription(form=(Form(value=text),)), linkage)


def identifiers(field: DataField, view: StylesheetView, kinds: dict[str, str | None]) -> Iterator[Identifier]:
    """The numbers of a related item."""
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


# --- 510 and 534


@RELATED.field("510", "abc", "relatedItem[isReferencedBy]: titleInfo, originInfo/dateOther, part")
def cited_in(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Where the resource is cited or indexed."""
    fields = fields_of_item(field, view, has_no_indicator) if has_no_indicator(field) else []
    if fields:
        yield RelatedItem(mods=collected(build_children(fields, view, _citation)), type="isReferencedBy")


def _citation(field: DataField, view: StylesheetView) -> Iterator[Element]:
    for text, linkage in subfields_with_linkage(field, "a", view):
        yield mark(TitleInfo(title=text_or_blank(text)), linkage)
    for text, linkage in subfields_with_linkage(field, "b", view):
        yield mark(OriginInfo(date_other=(Date(value=text, type="coverage"),)), linkage)
    number = Detail(number=(text_or_blank(chop(join(field, "c"))),), type="part")
    yield view.mark(Part(detail=(number,)), field)


@RELATED.field("534", "abcntxz", "relatedItem[original]")
def original_version(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """The original of a reproduction."""
    fields = fields_of_item(field, view, has_no_indicator) if has_no_indicator(field) else []
    if fields:
        yield RelatedItem(mods=collected(build_children(fields, view, _original)), type="original")


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


def _register(tag: str) -> None:
    kind = _TYPES[tag]

    @RELATED.field(
        tag, "abdghijnopstwxz3" + ("ef" if tag == "775" else "q" if tag == "773" else ""),
        f"relatedItem[{kind}]" if kind else "relatedItem",
    )  # fmt: skip
    def build(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
        """The related resource, as far as the linking entry describes it; an 880 alone has no type."""
        is_alternate = view.is_alternate(field)
        fields = [field] if is_alternate else fields_of_item(field, view)
        group = normalize_space(field.first("6") or "")[4:6]
        if is_alternate and _has_group(group, view.regular(*LINK_TAGS), lambda other: True):
            return
        is_typed = not is_alternate and (tag != "775" or field.indicator2 == " ")
        attributes = relation_attributes(kind if is_typed else None, field, view)
        yield RelatedItem(mods=collected(build_children(fields, view, _linked)), **attributes)


for _tag in LINK_TAGS:
    _register(_tag)


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
    """The address of a related resource; one in another script is read where no regular one has its number."""
    if not _is_related(field):
        return
    if view.is_alternate(field) and has_any(field, "q"):
        fields = fields_of_item(field, view, _is_related, lambda other: _is_related(other) and has_any(other, "q"))
        if fields:
            yield RelatedItem(mods=collected(build_children(fields, view, _typed_address)))
    if has_any(field, "u") and fields_of_item(
        field, view, _is_related, lambda other: _is_related(other) and has_any(other, "u")
    ):
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
