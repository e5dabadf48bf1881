"""Linking entries: 510, 534, 76X-78X, 856 with second indicator 2 → relatedItem.

A field and its counterparts in other scripts give one item; each child is marked for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bibld.crosswalk._marc21.related import (
    LINK_FIELDS,
    enumeration,
    enumeration_as_it_stands,
    imprint,
    relation,
)
from bibld.crosswalk._marc21_loc.fields import (
    StylesheetView,
    chop,
    each,
    has,
    joined,
    marked,
    normalized,
    shown,
)
from bibld.crosswalk._marc21_loc.names import name_part
from bibld.crosswalk._rules import RuleBook
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


def unindicated(field: DataField) -> bool:
    """First indicator 0 or blank."""
    return field.indicator1 in ("0", " ")


def together(
    field: DataField,
    view: StylesheetView,
    accepts: Accepts = lambda field: True,
    takes: Accepts | None = None,
) -> list[DataField]:
    """The fields that become one related item with this one, in the order of the record.

    A regular field that ``takes`` (default: ``accepts``) is satisfied with takes the 880 of its group with it: nothing
    for such an 880.
    """
    group = normalized(field.first("6") or "")[4:6]
    if view.is_alternate(field) and _is_taken(group, view.regular(field.tag), takes or accepts):
        return []
    return [
        other
        for other in view.tagged(field.tag)
        if other is field or (view.is_alternate(other) and accepts(other) and _group(other) == group)
    ]


def _is_taken(group: str, regular: list[DataField], takes: Accepts) -> bool:
    return any(_group(other) == group for other in regular if takes(other))


def _group(field: DataField) -> str:
    return (field.first("6") or "")[4:6]


def built(fields: list[DataField], view: StylesheetView, build: Build) -> list[Element]:
    """The children that each field contributes."""
    return [element for field in fields for element in build(field, view)]


def forms(field: DataField, view: StylesheetView) -> Iterator[PhysicalDescription]:
    """``$h`` of a related item."""
    for text, linkage in each(field, "h", view):
        yield marked(PhysicalDescription(form=(Form(value=text),)), linkage)


def identifiers(field: DataField, view: StylesheetView, kinds: dict[str, str | None]) -> Iterator[Identifier]:
    """The numbers of a related item."""
    for code, kind in kinds.items():
        for text, linkage in each(field, code, view):
            yield marked(Identifier(value=text, type=kind), linkage)


def _titles(field: DataField, view: StylesheetView, code: str, kind: str | None = None) -> Iterator[TitleInfo]:
    is_host = field.tag == "773" and not view.is_alternate(field)
    numbers = () if is_host or field.tag == "534" else tuple(shown(chop(text)) for text in field.values("g"))
    for text, linkage in each(field, code, view):
        yield marked(TitleInfo(title=shown(chop(text)), part_number=numbers, type=kind), linkage)


def _names(field: DataField, view: StylesheetView) -> Iterator[Name]:
    for text, linkage in each(field, "a", view):
        yield marked(Name(name_part=(name_part(text, view),)), linkage)


# --- 510 and 534


@RELATED.field("510", "abc", "relatedItem[isReferencedBy]: titleInfo, originInfo/dateOther, part")
def cited_in(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Where the resource is cited or indexed."""
    fields = together(field, view, unindicated) if unindicated(field) else []
    if fields:
        yield RelatedItem(mods=collected(built(fields, view, _citation)), type="isReferencedBy")


def _citation(field: DataField, view: StylesheetView) -> Iterator[Element]:
    for text, linkage in each(field, "a", view):
        yield marked(TitleInfo(title=shown(text)), linkage)
    for text, linkage in each(field, "b", view):
        yield marked(OriginInfo(date_other=(Date(value=text, type="coverage"),)), linkage)
    number = Detail(number=(shown(chop(joined(field, "c"))),), type="part")
    yield view.mark(Part(detail=(number,)), field)


@RELATED.field("534", "abcntxz", "relatedItem[original]")
def original_version(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """The original of a reproduction."""
    fields = together(field, view, unindicated) if unindicated(field) else []
    if fields:
        yield RelatedItem(mods=collected(built(fields, view, _original)), type="original")


def _original(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield from _titles(field, view, "t")
    yield from _names(field, view)
    if has(field, "bc"):
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
        fields = [field] if is_alternate else together(field, view)
        group = normalized(field.first("6") or "")[4:6]
        if is_alternate and _is_taken(group, view.regular(*LINK_TAGS), lambda other: True):
            return
        is_typed = not is_alternate and (tag != "775" or field.indicator2 == " ")
        attributes = relation(kind if is_typed else None, field, view)
        yield RelatedItem(mods=collected(built(fields, view, _linked)), **attributes)


for _tag in LINK_TAGS:
    _register(_tag)


def _linked(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield from _titles(field, view, "t")
    yield from _titles(field, view, "p", "abbreviated")
    yield from _titles(field, view, "s", "uniform")
    is_edition = field.tag == "775" and not view.is_alternate(field)
    if has(field, "bdf"):
        yield view.mark(_imprint(field, view, is_edition), field)
    language = field.first("e")
    if is_edition and language is not None:
        term = LanguageTerm(value=language, type="code", authority="iso639-2b")
        yield view.mark(Language(language_term=(term,)), field)
    yield from forms(field, view)
    for text, linkage in each(field, "n", view):
        yield marked(Note(value=text), linkage)
    for text, linkage in each(field, "j", view):
        yield marked(Subject(parts=(Temporal(value=chop(text), encoding="iso8601"),)), linkage)
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
            imprint(text, places, publishers, dates)
        else:
            publishers.append(Publisher(value=chop(text)))
    editions = tuple(Edition(value=text) for text in field.values("b"))
    return OriginInfo(place=tuple(places), publisher=tuple(publishers), date_issued=tuple(dates), edition=editions)


def _parts(field: DataField, view: StylesheetView) -> Iterator[Part]:
    for text, linkage in each(field, "g", view):
        yield marked(Part(text=(PartText(value=text),)), linkage)
    for text, linkage in each(field, "q", view):
        part = enumeration(text) if view.settings.empty_details_dropped else enumeration_as_it_stands(text)
        if part is not None:
            yield marked(part, linkage)


# --- 856


@RELATED.field("856", "qu3yz", "relatedItem with location/url (second indicator 2)")
def related_address(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """The address of a related resource; one in another script is read where no regular one has its number."""
    if not _is_related(field):
        return
    if view.is_alternate(field) and has(field, "q"):
        fields = together(field, view, _is_related, lambda other: _is_related(other) and has(other, "q"))
        if fields:
            yield RelatedItem(mods=collected(built(fields, view, _typed_address)))
    if has(field, "u") and together(field, view, _is_related, lambda other: _is_related(other) and has(other, "u")):
        yield RelatedItem(mods=collected((Location(url=(_url(field),)),)))


def _is_related(field: DataField) -> bool:
    return field.indicator2 == "2"


def _typed_address(field: DataField, view: StylesheetView) -> Iterator[Element]:
    media_type = field.first("q")
    if media_type is not None:
        yield view.mark(PhysicalDescription(internet_media_type=(shown(media_type),)), field)
    if has(field, "u"):
        yield view.mark(Location(url=(_url(field),)), field)


def _url(field: DataField) -> Url:
    return Url(
        value=field.first("u") or "",
        display_label=joined(field, "y3") if has(field, "y3") else None,
        note=joined(field, "z") if has(field, "z") else None,
    )
