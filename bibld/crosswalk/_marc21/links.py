"""Series, works and linking entries: 440, 490, 510, 534, 700-740, 758, 76X-78X, 800-830, 856 → relatedItem.

Of 700-740 those with a title, of 856 those with second indicator 2 (MODS guidelines, relatedItem).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import RELATION_OF_PHRASE
from bibld.crosswalk._marc21.conventions import Marc21View, is_component, leader_code
from bibld.crosswalk._marc21.form import numbers_in_host, pages_in_host
from bibld.crosswalk._marc21.holdings import link_urls
from bibld.crosswalk._marc21.identification import isbn_identifier, issn_identifier, system_identifier
from bibld.crosswalk._marc21.names import NO_LINKS, heading_links, heading_name, name_of_text, work_of_heading
from bibld.crosswalk._marc21.titles import (
    fold_title,
    is_volume,
    previous_entry,
    stated_title,
    title_before_parts,
    title_info,
    title_parts,
)
from bibld.crosswalk._parts import has_content, is_generic_title, parse_part
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values, first_address, join, without_brackets
from bibld.model import mods
from bibld.model.marc import DataField, Subfield

RELATED = RuleBook()

_IMPRINT = re.compile(r"(?P<place>[^:]+?) ?: ?(?P<publisher>.+?)(?:, ?(?P<date>[^,]*\d{2}[^,]*))?")

_YEAR = re.compile(r"\d{4}")


LINK_FIELDS: dict[str, str | None] = {
    "760": "series", "762": "series", "765": "otherVersion", "767": "otherVersion", "770": "constituent",
    "772": "host", "773": "host", "774": "constituent", "775": "otherVersion", "776": "otherFormat", "777": None,
    "780": "preceding", "785": "succeeding", "786": "original", "787": None,
}  # fmt: skip
"""Linking entry fields, and the relation that each states."""


_LINK_CODES = "abcdefghijmnopqstuwxyz3"


def relation_attributes(kind: str | None, field: DataField) -> dict[str, str | None]:
    """Return the attributes of a relation: its type where it is known, the phrase of ``$i`` as label."""
    phrase = chop(field.first("i") or "") or None
    label = phrase or chop(field.first("3") or "") or None
    if kind is None and phrase is not None:
        kind = RELATION_OF_PHRASE.get(phrase.casefold().partition("(")[0].strip())
    return {"type": kind, "other_type": phrase if kind is None else None, "display_label": label}


# --- series and works


@RELATED.field("490", "avx", "relatedItem[series] for each $a (not where 8XX traces it); note")
def series_statement(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem | mods.Note]:
    """Series statement; a traced one yields to its heading in 8XX.

    RISM states which series of its catalogue describes the print (``A/I``), which is a note.
    """
    if leader_code(view, 6) in _NOTATED_MUSIC and _SERIES_OF_RISM.fullmatch(field.first("a") or ""):
        yield mods.Note(value=f"RISM series {field.first('a')}")
    elif not (_is_traced(field, view) if field.indicator1 != "1" else view.has(*_SERIES_HEADINGS)):
        yield from _stated_series(field)


def _is_traced(field: DataField, view: Marc21View) -> bool:
    """Whether a heading has the title of a series statement, or its number, if that belongs to one series only."""
    number, title = (fold_title(field.first(code) or "") for code in "va")
    is_of_one = len(number) >= _MIN_LETTERS_OF_REPORT_NUMBER and not number.isdecimal()
    stated = ({code: fold_title(one.first(code) or "") for code in "atv"} for one in view.fields(*_SERIES_HEADINGS))
    return any(title in (one["t"], one["a"]) or (is_of_one and number == one["v"]) for one in stated)


_SERIES_HEADINGS = ("800", "810", "811", "830")
_MIN_LETTERS_OF_REPORT_NUMBER = 8
_NOTATED_MUSIC = ("c", "d")
_SERIES_OF_RISM = re.compile(r"[A-C]/[IVX]+(?:[,/]\d+)?")


@RELATED.field("440", "anpvx", "relatedItem[series]")
def series_title(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Series statement and heading in one (until 2008)."""
    yield from _stated_series(field)


def _stated_series(field: DataField) -> Iterator[mods.RelatedItem]:
    """Yield one series for each ``$a``, with the subfields that follow it."""
    pending: list[Subfield] = []
    for subfield in (*field.subfields, Subfield("a", "")):
        if subfield.code == "a" and any(earlier.code == "a" for earlier in pending):
            statement = replace(field, subfields=tuple(pending))
            pending = []
            stated = stated_title(join(statement, "a"))
            if stated.title:
                numbers, names = _parts_of_series(statement)
                skipped = field.indicator2 if field.tag == "440" else " "
                sub_title = (stated.sub_title,) if stated.sub_title else ()
                info = title_info(stated.title, skipped, sub_title=sub_title, part_number=numbers, part_name=names)
                element: list[mods.Element] = [info]
                if stated.responsibility:
                    element.append(mods.Note(value=stated.responsibility, type="statement of responsibility"))
                yield mods.RelatedItem(mods=mods.collected((*element, *_issns(statement))), type="series")
        pending.append(subfield)


def _parts_of_series(field: DataField) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numbers of a volume in a series, and the name of the section of the series that it belongs to.

    ``$n`` is the number of the volume only where nothing else can be: it is a designation of volumes and there is
    neither ``$p`` nor ``$v``. Otherwise it counts sections: ``Acta. Series D, Medica ; 174``.
    """
    numbers, names = title_parts(field)
    volumes = tuple(chopped_values(field, "v"))
    if not volumes and not names and all(map(is_generic_title, numbers)):
        return numbers, ()
    parts = (text.partition(" / ")[0] for text in field.values("n", "p"))
    section = ", ".join(chop(text) for text in parts if any(map(str.isalnum, text)))
    return volumes, (section,) if section else ()


def _parts_of_work(field: DataField) -> tuple[tuple[str, ...], tuple[str, ...]]:
    numbers, names = title_parts(field)
    return (*numbers, *chopped_values(field, "v")), names


def _issns(field: DataField) -> list[mods.Identifier]:
    return [found for found in map(issn_identifier, field.values("x")) if found is not None]


_NAME_AND_TITLE = {"00": "abcdeq4", "10": "abcde4", "11": "acdejq4"}
_TITLE_CODES = "fghiklmnoprstvx01"


@RELATED.fields(
    "relatedItem with titleInfo and name (with $t)",
    t700=_NAME_AND_TITLE["00"] + _TITLE_CODES,
    t710=_NAME_AND_TITLE["10"] + _TITLE_CODES,
    t711=_NAME_AND_TITLE["11"] + _TITLE_CODES,
)
def work_under_name(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Work under a name: contained (second indicator 2), or related as ``$i`` states."""
    if field.first("t") is None or (field.indicator2 != "2" and _traces_series(field, view)):
        return
    element = _name_and_title(field, view)
    if element:
        kind = "constituent" if field.indicator2 == "2" else None
        yield mods.RelatedItem(
            mods=mods.collected(element), xlink_href=heading_links(field).value_uri, **relation_attributes(kind, field)
        )


@RELATED.fields(
    "relatedItem[series] with titleInfo and name",
    t800=_NAME_AND_TITLE["00"] + _TITLE_CODES + "w",
    t810=_NAME_AND_TITLE["10"] + _TITLE_CODES + "w",
    t811=_NAME_AND_TITLE["11"] + _TITLE_CODES + "w",
)
def series_under_name(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Series entered under a name."""
    element = _name_and_title(field, view)
    if element:
        element.extend(system_identifier(text) for text in field.values("w"))
        yield mods.RelatedItem(mods=mods.collected(element), type="series", xlink_href=heading_links(field).value_uri)


def _traces_series(field: DataField, view: Marc21View) -> bool:
    """Whether an added entry under a name is that of a series that 440 or 8XX has."""
    title = fold_title(title_before_parts(work_of_heading(field), "t"))
    series = (
        title_before_parts(work_of_heading(other) if other.tag in ("800", "810", "811") else other, "at")
        for other in view.fields("440", "800", "810", "811", "830")
    )
    return any(title == fold_title(text) for text in series)


_LANGUAGE_IN_GERMAN = re.compile(
    r"(?:dt|engl|franz|ital|span|russ|lat|griech|poln|tschech|niederl|dän|schwed|norweg|ungar|portug|türk|hebr|arab)\.",
    re.IGNORECASE,
)


def _without_language(work: DataField) -> DataField:
    """Return a heading without the language of the version in ``$g``, as German libraries have it (``$gdt.``)."""
    subfields = tuple(
        item for item in work.subfields if item.code != "g" or not _LANGUAGE_IN_GERMAN.fullmatch(item.value)
    )
    return replace(work, subfields=subfields)


def _name_and_title(field: DataField, view: Marc21View) -> list[mods.Element]:
    # The links in $0 and $1 are the work's, not the name's.
    name = heading_name(field, before_title=True, links=NO_LINKS)
    work = work_of_heading(field)
    title = title_before_parts(_without_language(work), "tfgklmors")
    if not title and name is None:
        view.warn(f"{field.tag} contains neither name nor title; left out")
        return []
    element: list[mods.Element] = []
    if title:
        numbers, names = _parts_of_series(work) if field.tag[0] == "8" else _parts_of_work(work)
        element.append(_with_further_link(title_info(title, part_number=numbers, part_name=names), field))
    if name is not None:
        element.append(name)
    return [*element, *_forms(field), *_issns(field)]


def _with_further_link(title: mods.TitleInfo, field: DataField) -> mods.TitleInfo:
    """Add the second link of a heading to its title; the first is that of the related item."""
    further = next((one.value for one in heading_links(field).identifiers if one.type == "uri"), None)
    return title if further is None else replace(title, value_uri=further)


@RELATED.fields(
    "relatedItem, with second indicator 2 [constituent]; 740 only with it", t730="adfghiklmnoprsx01", t740="ahnp"
)
def related_title(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Work that the resource contains or that is related to it, under its uniform or its own title."""
    if field.tag == "730" or field.indicator2 == "2":
        yield from _under_title(field, "constituent" if field.indicator2 == "2" else None, field.indicator1)


@RELATED.field("830", "adfghklmnoprstvwx01", "relatedItem[series]")
def series_under_title(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Series under its title."""
    yield from _under_title(field, "series", field.indicator2)


def _under_title(field: DataField, kind: str | None, skipped: str) -> Iterator[mods.RelatedItem]:
    title = title_before_parts(field, "adfgklmorst")
    if field.tag == "830" and field.first("p") and field.first("t"):
        # Germany: $t is the title of the series that the section in $p belongs to, $a both.
        title = chop(join(field, "t"))
    if not title:
        return
    numbers, names = _parts_of_series(field) if field.tag == "830" else _parts_of_work(field)
    type_ = "uniform" if field.tag == "730" else None
    info = title_info(title, skipped, part_number=numbers, part_name=names, type=type_)
    element: list[mods.Element] = [_with_further_link(info, field)]
    element += [*_forms(field), *_issns(field), *map(system_identifier, field.values("w"))]
    href = heading_links(field).value_uri
    attributes = relation_attributes(kind, field) if field.tag == "730" else {"type": kind}
    yield mods.RelatedItem(mods=mods.collected(element), xlink_href=href, **attributes)


def _forms(field: DataField) -> Iterator[mods.PhysicalDescription]:
    forms = tuple(map(mods.Form, chopped_values(field, "h")))
    if forms:
        yield mods.PhysicalDescription(form=forms)


# --- linking entries


for _tag, _relation in LINK_FIELDS.items():

    @RELATED.field(
        _tag,
        _LINK_CODES,
        f"relatedItem{f'[{_relation}]' if _relation else ''}: titleInfo, name, originInfo, identifier, part",
    )
    def linking_entry(
        field: DataField, view: Marc21View, tag: str = _tag, relation: str | None = _relation
    ) -> Iterator[mods.RelatedItem]:
        """Related resource, as far as the linking entry describes it."""
        kind = None if tag == "775" and field.indicator2 not in " #8" else relation
        described = mods.collected((*_linked(field, view), *_parts(field, view)))
        if described == _NOTHING:
            return
        attributes = relation_attributes(kind, field)
        if tag == "773" and _is_bound_with(field):
            attributes |= {"type": None, "other_type": "boundWith"}
        elif tag == "773" and field.first("t") and is_volume(view):
            attributes |= {"other_type": "set"}
        yield mods.RelatedItem(mods=described, **attributes)


_NOTHING = mods.collected(())

_TITLE_KINDS = (("t", None), ("s", "uniform"), ("p", "abbreviated"))
_TAGS_OF_PREVIOUS_ENTRY = ("773", "775")
_COMPOSITE_VOLUME = ("конволют", "аллигат")
_KIND_OF_NAME = {"p": "personal", "c": "corporate", "m": "conference"}


def _linked(field: DataField, view: Marc21View) -> Iterator[mods.Element]:
    if field.tag in _TAGS_OF_PREVIOUS_ENTRY and not field.first("t"):
        yield from map(title_info, filter(None, map(previous_entry, view.fields("246"))))
    numbers = tuple(chopped_values(field, "g")) if field.tag != "773" else ()
    for code, kind in _TITLE_KINDS:
        for text in chopped_values(field, code):
            stated = stated_title(text)
            sub_title = (stated.sub_title,) if stated.sub_title else ()
            yield title_info(stated.title, type=kind, sub_title=sub_title, part_number=numbers)
            if stated.responsibility:
                yield mods.Note(value=stated.responsibility, type="statement of responsibility")
    kind_of_name = _KIND_OF_NAME.get((field.first("7") or "")[:1])
    for text in () if _is_bound_with(field) else field.values("a"):
        name = name_of_text(text, kind_of_name)
        if name is not None:
            yield name
    yield from _imprints(field)
    if field.tag == "775":
        for text in field.values("e"):
            yield mods.Language(language_term=(mods.LanguageTerm(value=text, type="code", authority="iso639-2b"),))
    extents = tuple(map(mods.Extent, chopped_values(field, "h")))
    if extents:
        yield mods.PhysicalDescription(extent=extents)
    for text in field.values("n"):
        yield mods.Note(value=text)
    for text in field.values("j"):
        yield mods.Subject(parts=(mods.Temporal(value=text, encoding="iso8601"),))
    yield from _identifiers(field)


def _is_bound_with(field: DataField) -> bool:
    """Whether a host is only called a composite volume (Russia), in place of a heading."""
    return (field.first("a") or "").strip(" .").casefold() in _COMPOSITE_VOLUME and field.first("t") is None


def _imprints(field: DataField) -> Iterator[mods.OriginInfo]:
    places: list[mods.Place] = []
    publishers: list[mods.Publisher] = []
    dates: list[mods.Date] = []
    for text in field.values("d"):
        _parse_imprint(text, places, publishers, dates)
    editions = tuple(map(mods.Edition, chopped_values(field, "b")))
    if field.tag == "775":
        for text in field.values("f"):
            places.append(mods.Place(place_term=(mods.PlaceTerm(value=text, type="code", authority="marcgac"),)))
    if places or publishers or dates or editions:
        yield mods.OriginInfo(
            place=tuple(places), publisher=tuple(publishers), date_issued=tuple(dates), edition=editions
        )


def _parse_imprint(
    text: str, places: list[mods.Place], publishers: list[mods.Publisher], dates: list[mods.Date]
) -> None:
    """Read "Place : Publisher, date" into these lists; a text of another form is a publisher, or a year."""
    found = _IMPRINT.fullmatch(chop(text))
    if found is None:
        bare = chop(text)
        if _YEAR.fullmatch(bare):
            dates.append(mods.Date(value=bare, encoding="w3cdtf"))
        elif bare:
            publishers.append(mods.Publisher(value=bare))
        return
    place, supplied = without_brackets(chop(found["place"]))
    if place:
        term = mods.PlaceTerm(value=place, type="text")
        places.append(mods.Place(place_term=(term,), supplied="yes" if supplied else None))
    publisher = chop(found["publisher"])
    if publisher:
        publishers.append(mods.Publisher(value=publisher))
    date = chop(found["date"] or "")
    if date:
        dates.append(mods.Date(value=date, encoding="w3cdtf" if _YEAR.fullmatch(date) else None))


def _identifiers(field: DataField) -> Iterator[mods.Identifier]:
    for subfield in field.subfields:
        element = None
        if subfield.code == "x":
            element = issn_identifier(subfield.value)
        elif subfield.code == "z":
            element = isbn_identifier(subfield.value)
        elif subfield.code == "w" and subfield.value.startswith("(DLC)") and len(subfield.value) > 5:
            element = mods.Identifier(value=subfield.value[5:].strip(), type="lccn")
        elif subfield.code == "w":
            element = system_identifier(subfield.value)
        elif subfield.code in "ouy":
            element = mods.Identifier(value=subfield.value, type={"u": "strn", "y": "coden"}.get(subfield.code))
        if element is not None:
            yield element


def _parts(field: DataField, view: Marc21View) -> Iterator[mods.Part]:
    """Yield the place in a host: of an article what is stated of volume, issue, date and pages, else the text.

    ``$q`` repeats as codes what ``$g`` states in words. The pages in 300 are those in the first host.
    """
    if field.tag != "773":
        return
    texts = field.values("g")
    part = parse_part(texts)
    if not part.extent and next(view.fields("773")) is field:
        part = replace(part, extent=pages_in_host(view), text=(*part.text, *map(mods.PartText, numbers_in_host(view))))
    if is_component(view) or part.extent or any(detail.type == "issue" for detail in part.detail):
        if has_content(part):
            yield part
    else:
        yield from (mods.Part(text=(mods.PartText(value=text),)) for text in texts)
    if not (part.detail and part.extent):
        yield from (stated for stated in map(_enumeration, field.values("q")) if stated is not None)


@RELATED.record("part/extent (pages of a part in a host that no 773 names)", t300="a", t773="")
def pages_of_part(view: Marc21View) -> Iterator[mods.Part]:
    """Pages of an article, which are not its extent."""
    extent = () if view.has("773") else pages_in_host(view)
    if extent:
        yield mods.Part(extent=extent)


def _enumeration(text: str) -> mods.Part | None:
    """Read the levels and pages of 773$q, ``volume:issue:part<first page-last page``."""
    levels, _, page = text.partition("<")
    details = tuple(
        mods.Detail(number=(number.strip(),), level=str(level))
        for level, number in enumerate(levels.split(":", 2), start=1)
        if number.strip()
    )
    start, _, end = page.strip().partition("-")
    extent = (mods.PartExtent(start=start.strip(), end=end.strip() or None, unit="page"),) if start.strip() else ()
    return mods.Part(detail=details, extent=extent) if details or extent else None


@RELATED.field("510", "abcux3", "relatedItem[isReferencedBy]: titleInfo, originInfo/dateOther, part, issn")
def cited_in(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Where the resource is cited or indexed."""
    element: list[mods.Element] = [title_info(text) for text in chopped_values(field, "a")]
    dates = tuple(mods.Date(value=text, type="coverage") for text in chopped_values(field, "b"))
    if dates:
        element.append(mods.OriginInfo(date_other=dates))
    element.extend(found for found in map(issn_identifier, field.values("x")) if found is not None)
    place_in_source = chop(join(field, "c"))
    if place_in_source:
        element.append(mods.Part(detail=(mods.Detail(number=(place_in_source,), type="part"),)))
    if element:
        href = first_address(field.values("u"))
        yield mods.RelatedItem(mods=mods.collected(element), type="isReferencedBy", xlink_href=href)


@RELATED.field("534", "abceklmnptxz3", "relatedItem[original]")
def original_version(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Original of a reproduction."""
    element: list[mods.Element] = [title_info(text) for text in chopped_values(field, "t", "k")]
    element.extend(name for text in field.values("a") if (name := name_of_text(text, None)) is not None)
    publishers = tuple(map(mods.Publisher, chopped_values(field, "c")))
    editions = tuple(map(mods.Edition, chopped_values(field, "b")))
    if publishers or editions:
        element.append(mods.OriginInfo(publisher=publishers, edition=editions))
    element.extend(mods.Note(value=text) for text in field.values("p", "n", "m", "l"))
    element.extend(found for found in map(issn_identifier, field.values("x")) if found is not None)
    element.extend(found for found in map(isbn_identifier, field.values("z")) if found is not None)
    if element:
        yield mods.RelatedItem(mods=mods.collected(element), type="original")


@RELATED.field("856", "u3yz", "relatedItem with location/url (second indicator 2)")
def related_address(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Address of a related resource."""
    if field.indicator2 == "2":
        urls = tuple(link_urls(field, view))
        if urls:
            yield mods.RelatedItem(mods=mods.collected((mods.Location(url=urls),)))


@RELATED.field("758", "ai014", "relatedItem with xlink:href, otherTypeURI from $4")
def identified_resource(field: DataField, view: Marc21View) -> Iterator[mods.RelatedItem]:
    """Resource that an IRI identifies; ``$4`` or ``$i`` states the relation, mostly that it is the work manifested."""
    href = first_address(field.values("1", "0"))
    titles = [title_info(text) for text in chopped_values(field, "a")]
    if href or titles:
        attributes = relation_attributes(None, field)
        relation = first_address(field.values("4")) if attributes["type"] is None else None
        yield mods.RelatedItem(mods=mods.collected(titles), xlink_href=href, other_type_uri=relation, **attributes)
