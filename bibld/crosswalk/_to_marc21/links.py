"""relatedItem, part → 490, 510, 534, 700-730, 740, 758, 76X-78X, 800-830, 856 _2."""

from __future__ import annotations

import re

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import RELATION_OF_PHRASE
from bibld.crosswalk._marc21.identification import RECORD_ORIGIN
from bibld.crosswalk._marc21.links import LINK_FIELDS
from bibld.crosswalk._marc21.titles import PREVIOUS_ENTRY
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import RESPONSIBILITY, bracketed, full_title, parts_of_title
from bibld.crosswalk._to_marc21.holdings import address_subfields
from bibld.crosswalk._to_marc21.identification import spaced_lccn
from bibld.crosswalk._to_marc21.names import entry_indicator, heading_subfields, link_subfields, tail_of_kind
from bibld.crosswalk._to_marc21.rism import is_of_rism, places_in_print
from bibld.crosswalk._to_marc21.uniform_titles import uniform_title_subfields
from bibld.model.mods import Detail, Identifier, Mods, Name, OriginInfo, Part, PartExtent, RelatedItem, TitleInfo

BOOK = WriterBook()

_SERIES, _HOST, _CONSTITUENT, _ORIGINAL, _REFERENCE = "series", "host", "constituent", "original", "isReferencedBy"
_TAG_OF_RELATION = {
    **{relation: tag for tag, relation in reversed(LINK_FIELDS.items()) if relation is not None},
    _HOST: "773", _CONSTITUENT: "774", "otherVersion": "775", "otherFormat": "776", "preceding": "780",
    "succeeding": "785", _ORIGINAL: "786", _SERIES: "760",
}  # fmt: skip
_OTHER_RELATION = "787"
_SETS = ("set", "subset")
_SECOND_INDICATOR = {"780": "0", "785": "0"}
_ENTRY_OF_RELATION: dict[str, tuple[str, str, str | None]] = {
    **{kind: ("780", str(number), None) for number, kind in enumerate(
        ("continues", "continuesInPart", "supersedes", "supersedesInPart", "mergerOf", "absorbs", "absorbsInPart",
         "separatedFrom"))},
    **{kind: ("785", str(number), None) for number, kind in enumerate(
        ("continuedBy", "continuedInPartBy", "supersededBy", "supersededInPartBy", "absorbedBy", "absorbedInPartBy",
         "splitInto", "mergedWith", "changedBackTo"))},
    "supplement": ("770", " ", None), "supplementTo": ("772", " ", None), "issuedWith": ("777", " ", None),
    "translationOf": ("765", " ", None), "translatedAs": ("767", " ", None),
    "excerptFrom": ("773", "8", "Excerpt from:"),
    "excerpt": ("774", "8", "Excerpt:"), "reproductionOf": ("775", "8", "Reproduction of:"),
    "reproducedAs": ("775", "8", "Reproduced as:"), "updates": ("780", "0", "Updates:"),
    "updatedBy": ("785", "0", "Updated by:"), "work": ("787", "8", "Work:"), "expression": ("787", "8", "Expression:"),
}  # fmt: skip
"""Relations that UNIMARC names (``otherType``) → linking entry, its second indicator, and the label where it has none.
"""
_NO_LABEL = frozenset(("set", "boundWith", "subset", "volume", "otherEdition", *_ENTRY_OF_RELATION))
"""Relations that are no words for a display."""
_LINKED_TITLE = {None: "t", "uniform": "s", "abbreviated": "p", "alternative": "t", "translated": "t"}
_NUMBERED_SECTION = re.compile(
    r"(?P<number>\d+|[A-Z]|(?:Ser(?:ies?|ija|\.)|Reihe|Série|Сер(?:ия|\.)|Part|Section|Abt(?:eilung|\.)) [^\s,]+), "
    r"(?P<name>.+)"
)


@BOOK.writes(
    "relatedItem",
    {
        "relatedItem[@type=series]": "490 $a $v $x as printed; with a heading 830 $a $p $v $x $w, with a name 800-811",
        "relatedItem with name and titleInfo, nothing else": "700, 710, 711 $t; [@type=constituent] second indicator 2",
        "relatedItem/titleInfo[@type=uniform]": "730",
        "relatedItem[@type=host]": "773",
        "relatedItem[@type=constituent]": "774",
        "relatedItem[@type=otherVersion]": "775",
        "relatedItem[@type=otherFormat]": "776",
        "relatedItem[@type=preceding]": "780",
        "relatedItem[@type=succeeding]": "785",
        "relatedItem[@type=original]": "534 without a title; 786",
        "relatedItem[@type=isReferencedBy]": "510",
        "relatedItem[@otherTypeURI]": "758",
        "relatedItem/location/url alone": "856 42",
        "relatedItem": "787",
        "relatedItem/identifier": "$x issn, $z isbn, $w with the code of the system, $u strn, $y coden, $o others",
        "relatedItem/originInfo": "$b edition, $d place, publisher and date",
        "relatedItem/recordInfo/recordIdentifier": "$w",
        "relatedItem/part": "773 $g",
        "relatedItem/@displayLabel": "$i",
        "relatedItem/@otherType of UNIMARC": "765-787 with the second indicator or $i of the relation",
        "part": "773 $g",
    },
)
def related(mods: Mods, draft: MarcDraft) -> None:
    """Related resources."""
    for item in mods.related_item:
        for one in _scripts_of(item):
            _related(one, mods, draft)
    for part in mods.part:
        if not any(item.type == _HOST for item in mods.related_item):
            draft.add("773", "0 ", [("g", text) for text in place_in_host(part)])


def _scripts_of(item: RelatedItem) -> list[RelatedItem]:
    """Divide an item with titles and names in two scripts into one item for each script."""
    groups = [title.alt_rep_group for title in item.mods.title_info if title.alt_rep_group]
    groups += [name.alt_rep_group for name in item.mods.name if name.alt_rep_group]
    if len(groups) < 2:
        return [item]
    scripts = list(
        dict.fromkeys(one.script for one in (*item.mods.title_info, *item.mods.name) if one.alt_rep_group is not None)
    )
    regular, *others = scripts
    items = []
    for script in (regular, *others):
        changes = {
            kind: tuple(
                one
                for one in getattr(item.mods, kind)
                if one.script == script or (one.alt_rep_group is None and script == regular)
            )
            for kind in ("title_info", "name", "origin_info", "physical_description", "note")
        }
        items.append(replace(item, mods=replace(item.mods, **changes)))
    return items


def _related(item: RelatedItem, mods: Mods, draft: MarcDraft) -> None:
    content, label = item.mods, _label(item)
    has_only = {kind for kind in Mods.elements if getattr(content, kind)}
    name = next((name for name in content.name if tail_of_kind(name)), None)
    title = content.title_info[0] if content.title_info else None
    is_heading = title is not None and has_only <= {"title_info", "name", "physical_description", "identifier"}
    if item.type == _SERIES:
        _series(item, mods, draft)
    elif has_only == {"location"}:
        for location in content.location:
            for url in location.url:
                draft.add("856", "42", address_subfields(url), location)
    elif item.type == _REFERENCE:
        _reference(item, draft)
    elif item.other_type_uri is not None or (not has_only and item.xlink_href):
        titles = [("a", one.title) for one in content.title_info]
        draft.add("758", "  ", (("4", item.other_type_uri), ("i", label), *titles, ("1", item.xlink_href)), item)
    elif item.type == _ORIGINAL and not content.title_info and not content.identifier:
        _original(item, draft)
    elif is_heading and name is not None and title is not None and _is_name_title(item, name):
        _name_title(item, name, title, draft)
    elif is_heading and title is not None and title.type == "uniform" and not content.name:
        text, skipped = full_title(title)
        second = "2" if item.type == _CONSTITUENT else " "
        subfields = [
            ("i", label),
            *uniform_title_subfields(text),
            *parts_of_title(title, "n", "p"),
            *_rest_of_heading(item, title),
        ]
        draft.add("730", f"{skipped}{second}", subfields, title)
    elif (
        title is not None
        and not title.sub_title
        and item.type == _CONSTITUENT
        and label is None
        and (has_only == {"title_info"})
    ):
        text, skipped = full_title(title)
        draft.add("740", f"{skipped}2", (("a", text), *parts_of_title(title, "n", "p")), title)
    elif item.type in (_HOST, "otherVersion") and is_of_rism(mods):
        _linking_entry(_of_rism(item, draft), label, draft)
    else:
        _statement_of_set(item, draft)
        _linking_entry(item, label, draft)


def _statement_of_set(item: RelatedItem, draft: MarcDraft) -> None:
    """Add the series statement of a volume, which is the other title of its set."""
    for printed in item.mods.title_info[1:] if item.type == _HOST and item.other_type in _SETS else ():
        if printed.type == "alternative":
            places = [("v", text) for part in item.mods.part for text in place_in_host(part)]
            draft.add("490", "0 ", (("a", full_title(printed)[0]), *places), printed)


def _label(item: RelatedItem) -> str | None:
    """Return the words for the display of a relation; names of relations are none."""
    return item.display_label or (None if item.other_type in _NO_LABEL else item.other_type)


def _is_name_title(item: RelatedItem, name: Name) -> bool:
    """Whether a name and a title are one heading rather than the description in a linking entry."""
    if any(one.type not in ("issn",) for one in item.mods.identifier):
        return False
    is_detailed = len(name.name_part) > 1 or name.role or name.type != "personal"
    phrase = (item.display_label or item.other_type or "").casefold().partition("(")[0].strip()
    return item.type in (None, _CONSTITUENT) or bool(is_detailed and phrase in RELATION_OF_PHRASE)


def _name_title(item: RelatedItem, name: Name, title: TitleInfo, draft: MarcDraft) -> None:
    subfields = [
        ("i", _label(item)),
        *heading_subfields(name, has_links=False),
        *uniform_title_subfields(full_title(title)[0], "t"),
        *parts_of_title(title, "n", "p"),
        *_rest_of_heading(item, title),
    ]
    second = "2" if item.type == _CONSTITUENT else " "
    draft.add(f"7{tail_of_kind(name)}", entry_indicator(name) + second, subfields, name)


def _rest_of_heading(item: RelatedItem, title: TitleInfo) -> Subfields:
    """Yield form, ISSN, and the links of the work: that of the item, then the further one of the title."""
    for description in item.mods.physical_description:
        yield from (("h", form.value) for form in description.form)
    yield from (("x", one.value) for one in item.mods.identifier if one.type == "issn")
    for link in (item.xlink_href, title.value_uri):
        if link is not None:
            yield from link_subfields(replace(title, value_uri=link, authority_uri=None))


# --- series


def _series(item: RelatedItem, mods: Mods, draft: MarcDraft) -> None:
    """Add the printed statement, and the heading of a series that has one.

    A description from MARC 21 does not state which of its series have a heading: all are written with one.
    """
    content = item.mods
    name = next((name for name in content.name if tail_of_kind(name)), None)
    numbers = [("w", _control_number(one)) for one in content.identifier if one.type != "issn"]
    numbers += _record_numbers(content)
    issns = [("x", one.value) for one in content.identifier if one.type == "issn" and one.invalid is None]
    if not content.title_info:
        return
    title = content.title_info[0]
    text, skipped = full_title(title)
    printed = next((one for one in content.title_info[1:] if one.type == "alternative"), title)
    has_heading = bool(numbers or item.xlink_href or printed is not title) or any(
        RECORD_ORIGIN in info.record_origin for info in mods.record_info
    )
    volumes = [*title.part_number, *(text for part in content.part for text in place_in_host(part))]
    sections = [piece for text in title.part_name for piece in _section(text)]
    placed = [("v", text) for text in volumes]
    link = [*link_subfields(replace(title, value_uri=item.xlink_href, authority_uri=None))] if item.xlink_href else []
    responsibility = "".join(f" / {note.value}" for note in content.note if note.type == RESPONSIBILITY)
    section = "".join(f". {one}" for one in printed.part_name) if name is None else ""
    subtitles = "".join(f" : {one}" for one in printed.sub_title)
    stated = f"{full_title(printed)[0]}{subtitles}{responsibility}{section}"
    if name is not None:
        draft.add("490", "1 ", (("a", stated), *issns, *placed), printed)
        subfields = [
            *heading_subfields(name, has_links=False),
            ("t", text),
            *sections,
            *issns,
            *placed,
            *numbers,
            *link,
        ]
        draft.add(f"8{tail_of_kind(name)}", f"{entry_indicator(name)} ", subfields, name)
        return
    draft.add("490", f"{int(has_heading)} ", (("a", stated), *issns, *placed), printed)
    if has_heading:
        draft.add("830", f" {skipped}", (("a", text), *sections, *issns, *placed, *numbers, *link), title)


def _section(text: str) -> Subfields:
    """Divide the number and the name of a section of a series: ``Series D, Medica``."""
    found = _NUMBERED_SECTION.fullmatch(text)
    if found is None:
        return (("p", text),)
    return (("n", f"{found['number']},"), ("p", found["name"]))


# --- linking entries


def _linking_entry(item: RelatedItem, label: str | None, draft: MarcDraft) -> None:
    content = item.mods
    tag = _TAG_OF_RELATION.get(item.type or "", _OTHER_RELATION)
    tag, second, phrase = _ENTRY_OF_RELATION.get(
        item.other_type or "", (tag, _SECOND_INDICATOR.get(tag) or ("8" if label is not None else " "), None)
    )
    subfields: list[tuple[str, str | None]] = [("i", label or phrase)]
    subfields += [("a", _as_text(name)) for name in content.name[:1]]
    responsibility = next((note.value for note in content.note if note.type == RESPONSIBILITY), None)
    stated: set[str] = set()
    for title in content.title_info:
        code = _LINKED_TITLE.get(title.type, "t")
        if code not in stated:
            stated.add(code)
            subfields.append((code, _stated_title(title, responsibility if code == "t" else None)))
            if tag != "773":
                subfields += [("g", number) for number in title.part_number]
    subfields += _imprint(content.origin_info)
    subfields += [("h", extent.value) for one in content.physical_description for extent in one.extent]
    subfields += [("n", note.value) for note in content.note if note.type != RESPONSIBILITY]
    if tag == "775":
        subfields += [("e", term.value) for language in content.language for term in language.language_term]
    subfields += [_linked_identifier(one) for one in content.identifier]
    subfields += _record_numbers(content)
    subfields += [("g", text) for part in content.part for text in place_in_host(part)]
    draft.add(tag, f"0{second}", subfields, content.title_info[0] if content.title_info else None)


def _of_rism(item: RelatedItem, draft: MarcDraft) -> RelatedItem:
    """Add the title of a print and the place of a piece in it as RISM writes them (246, 300); return what is left."""
    content = item.mods
    for title in content.title_info[:1]:
        draft.add("246", "1 ", (("a", f"{PREVIOUS_ENTRY} {full_title(title)[0]}"),))
    for part in content.part:
        for text in places_in_print(part):
            draft.add("300", "  ", (("a", text),))
    return replace(item, mods=replace(content, title_info=content.title_info[1:], part=()))


def _stated_title(title: TitleInfo, responsibility: str | None) -> str:
    text = full_title(title)[0] + "".join(f" : {one}" for one in title.sub_title)
    text += "".join(f". {one}" for one in title.part_name)
    return f"{text} / {responsibility}" if responsibility else text


def _as_text(name: Name) -> str:
    parts = [part.value for part in name.name_part if part.type != "date"]
    dates = [part.value for part in name.name_part if part.type == "date"]
    heading = ", ".join(parts) if name.type in ("personal", "family") else ". ".join(parts)
    return ", ".join([heading, *dates])


def _imprint(infos: tuple[OriginInfo, ...]) -> Subfields:
    for info in infos[:1]:
        yield from (("b", edition.value) for edition in info.edition)
        places = [
            bracketed(term.value, place.supplied)
            for place in info.place
            for term in place.place_term
            if term.type != "code"
        ]
        text = " ; ".join(places)
        publishers = " : ".join(one.value for one in info.publisher)
        text = f"{text} : {publishers}" if text and publishers else text or publishers
        dates = "-".join(dict.fromkeys(date.value for date in (*info.date_issued, *info.date_created)))
        yield "d", f"{text}, {dates}" if text and dates else text or dates


def _control_number(one: Identifier) -> str:
    if one.type == "lccn":
        return f"(DLC){spaced_lccn(one.value)}"
    return f"(OCoLC){one.value}" if one.type == "oclc" else one.value


def _record_numbers(content: Mods) -> list[tuple[str, str]]:
    """Return the numbers of the records of a related resource, with the organisation that gave them if it is known."""
    return [
        ("w", f"({one.source}){one.value}" if one.source not in (None, "uri") else one.value)
        for info in content.record_info
        for one in info.record_identifier
    ]


def _linked_identifier(one: Identifier) -> tuple[str, str]:
    codes = {"issn": "x", "isbn": "z", "strn": "u", "coden": "y", "oclc": "w", "lccn": "w", "local": "w"}
    return codes.get(one.type or "", "o"), _control_number(one)


# --- the place of a part


def place_in_host(part: Part) -> list[str]:
    """Return the place of a part in words: ``Vol. 24, no. 9 (1993), p. 235-248``; texts as they are."""
    stated = [_detail(detail) for detail in part.detail if detail.number or detail.title]
    text = ", ".join(stated)
    dates = ", ".join(date.value for date in part.date)
    if dates:
        text = f"{text} ({dates})" if text else dates
    pages = [one for one in map(_pages, part.extent) if one]
    text = ", ".join([*([text] if text else []), *pages])
    return [one for one in (text, *(one.value for one in part.text)) if one]


def _detail(detail: Detail) -> str:
    number = ", ".join(detail.number)
    caption = detail.caption[0] if detail.caption else ""
    if caption and caption[-1:].isalpha() and caption.islower() | caption.istitle() and len(caption) <= 5:
        caption = f"{caption}."
    titles = ". ".join(detail.title)
    text = f"{caption} {number}" if caption and number else caption or number
    return f"{text}. {titles}" if text and titles else text or titles


def _pages(extent: PartExtent) -> str:
    if extent.list:
        return extent.list
    text = f"{extent.start}-{extent.end}" if extent.start and extent.end else extent.start or ""
    prefix = "f." if extent.unit == "leaf" else "p."
    return f"{prefix} {text}" if text else ""


# --- citations and originals


def _reference(item: RelatedItem, draft: MarcDraft) -> None:
    content = item.mods
    coverage = [date.value for info in content.origin_info for date in info.date_other]
    places = [number for part in content.part for detail in part.detail for number in detail.number]
    subfields = [
        *(("a", full_title(title)[0]) for title in content.title_info[:1]),
        *(("b", text) for text in coverage),
        *(("c", text) for text in places),
        *(("x", one.value) for one in content.identifier if one.type == "issn"),
        ("u", item.xlink_href),
    ]
    draft.add("510", f"{'4' if places else '3'} ", subfields, item)


def _original(item: RelatedItem, draft: MarcDraft) -> None:
    content = item.mods
    publishers = [one.value for info in content.origin_info for one in info.publisher]
    editions = [one.value for info in content.origin_info for one in info.edition]
    notes = [note.value for note in content.note]
    subfields = [
        *(("p", text) for text in notes[:1]),
        *(("a", _as_text(name)) for name in content.name[:1]),
        *(("b", text) for text in editions),
        *(("c", text) for text in publishers),
        *(("n", text) for text in notes[1:]),
    ]
    draft.add("534", "  ", subfields, item)
