"""relatedItem, part → 225, 410-488 by the embedded technique, 321, 856."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields
from bibld.crosswalk._to_marc.texts import RESPONSIBILITY, parts_of_title
from bibld.crosswalk._to_unimarc.coded import level_of
from bibld.crosswalk._to_unimarc.titles import marked_title
from bibld.crosswalk._unimarc.codes import LINKS
from bibld.model.marc import DataField
from bibld.model.mods import Detail, Mods, Part, PartExtent, RelatedItem, TitleInfo

_TAG_OF_RELATION = {relation: tag for tag, relation in reversed(LINKS.items())}
_TAG_OF_TYPE = {
    "preceding": "430", "succeeding": "440", "otherVersion": "451", "otherFormat": "452", "original": "455",
    "constituent": "464", "host": "461", "reviewOf": "470", "isReferencedBy": "488",
}  # fmt: skip
_OTHER_RELATION = "488"
_OF_COPY = ("481", "482")
"""Links of one copy, whose library is in ``$5``."""
_SERIES, _HOST, _CONSTITUENT, _SET = "series", "host", "constituent", ("set", "subset")
_IN_LINK = frozenset(
    ("010", "011", "035", "101", "200", "205", "210", "215", "225", "500", "300", "856", "013", "040", "020")
)
"""Fields that a link contains of the description of the other resource, beside names and subjects."""

RELATED_FIELDS = {
    "relatedItem[@type=series]": "225 $a $e $f $h $i $v $x; with a number or a name also 410, in RUSMARC 461",
    "relatedItem[@type=host]": "461 with the title, 463 with issue and pages of an article; sets 461 $v, subsets 462",
    "relatedItem[@type=constituent]": "464, volumes 463, works issued with it 423",
    "relatedItem with @type and @otherType": "412-488 by both",
    "relatedItem": "430, 440, 451, 452, 455, 470, 488 by @type",
    "relatedItem/titleInfo, name, originInfo …": "the embedded fields 200, 700, 210 …",
    "relatedItem/recordInfo/recordIdentifier": "the embedded field 001",
    "relatedItem/part": "200 $v of the link",
    "relatedItem/@displayLabel": "the embedded field 300; of 481, 482 $5",
    "relatedItem/@xlink:href": "the embedded field 035",
    "relatedItem/location/url": "856 42",
    "part": "215 $a of an article",
}
"""What :func:`write_related` reads, and the fields that it writes."""

Describe = Callable[[Mods], list[DataField]]
"""Returns the fields of the description of another resource."""


def write_related(mods: Mods, draft: MarcDraft, describe: Describe) -> None:
    """Add the links of a record; ``describe`` makes the fields that a link embeds."""
    level = level_of(mods)
    for item in mods.related_item:
        _related(item, level, draft, describe)
    if not any(item.type == _HOST for item in mods.related_item):
        for part in mods.part:
            for extent in part.extent:
                draft.add("215", "  ", (("a", pages(extent)),))


def _related(item: RelatedItem, level: str, draft: MarcDraft, describe: Describe) -> None:
    content = item.mods
    kinds = {kind for kind in Mods.elements if getattr(content, kind)}
    for outer in content.related_item:
        tag = _tag(outer)
        _link("461" if tag == "410" else tag, outer, place_in_host(outer.mods.part), draft, describe)
    if kinds == {"location"}:
        for location in content.location:
            for url in location.url:
                draft.add("856", "42", (("u", url.value), ("2", url.display_label), ("z", url.note)))
    elif item.type == _SERIES and content.title_info:
        _series(item, level, draft, describe)
    elif item.type == _HOST and item.other_type is None and level == "a":
        _host_of_article(item, draft, describe)
    else:
        tag = _tag(item)
        _link(tag, item, place_in_host(content.part), draft, describe)


def _tag(item: RelatedItem) -> str:
    if item.type == _HOST and item.other_type in _SET:
        return "462" if item.other_type == "subset" else "461"
    if item.type == _CONSTITUENT and item.other_type == "volume":
        return "463"
    is_stated = item.type is not None or item.other_type is not None
    found = _TAG_OF_RELATION.get((item.type, item.other_type)) if is_stated else None
    return found or _TAG_OF_TYPE.get(item.type or "", _OTHER_RELATION)


def _link(tag: str, item: RelatedItem, volumes: list[str], draft: MarcDraft, describe: Describe) -> None:
    """Add a link; the place in the other resource is ``$v`` of its title."""
    fields = describe(item.mods)
    subfields: list[tuple[str, str | None]] = []
    for one in item.mods.record_info:
        subfields += [("1", f"001{number.value}") for number in one.record_identifier if number.source != "uri"][:1]
    if volumes and all(field.tag != "200" for field in fields):
        fields.insert(0, DataField("200", "1", " "))
    for field in fields:
        if field.tag not in _IN_LINK and field.tag[0] not in "67":
            continue
        subfields.append(("1", f"{field.tag}{field.indicator1}{field.indicator2}"))
        subfields += [(one.code, one.value) for one in field.subfields if one.code != "1"]
        if field.tag == "200":
            subfields.append(("v", ", ".join(volumes)))
    if item.xlink_href and item.xlink_href not in {text for _, text in subfields}:
        subfields += [("1", "035  "), ("a", item.xlink_href)]
    if item.display_label and subfields and tag in _OF_COPY:
        subfields.insert(0, ("5", item.display_label))
    elif item.display_label and subfields:
        subfields += [("1", "300  "), ("a", item.display_label)]
    if any(code not in ("1", "5") or (text or "").startswith("001") for code, text in subfields):
        draft.add(tag, f" {'0' if draft.flavour == RUSMARC else '1'}", subfields)


def _series(item: RelatedItem, level: str, draft: MarcDraft, describe: Describe) -> None:
    content = item.mods
    title = content.title_info[0]
    stated = next((one for one in content.title_info[1:] if one.type == "alternative"), title)
    volumes = place_in_host(content.part)
    subfields = [
        ("a", marked_title(stated)),
        *(("e", text) for text in stated.sub_title),
        *_numbers_of_series(stated, has_volumes=bool(volumes)),
        *(("f", note.value) for note in content.note if note.type == RESPONSIBILITY),
        *(("d", marked_title(one)) for one in content.title_info if one.type == "translated"),
        *(("v", text) for text in volumes),
        *(("x", one.value) for one in content.identifier if one.type == "issn"),
        *(("z", one.lang) for one in content.title_info if one.type == "translated"),
    ]
    draft.add("225", "1 ", subfields, stated)
    has_number = any(one.type != "issn" for one in content.identifier) or item.xlink_href is not None
    if content.record_info or content.name or has_number or stated is not title:
        titles = tuple(one for one in content.title_info if one is not stated or one is title)
        established = replace(content, title_info=titles, note=())
        if draft.flavour != RUSMARC:
            _link("410", replace(item, mods=established), volumes, draft, describe)
        elif level not in ("a", "s"):
            _link("461", replace(item, mods=replace(established, record_info=())), [], draft, describe)


def _numbers_of_series(title: TitleInfo, *, has_volumes: bool) -> Subfields:
    """Yield the numbers of a series: of sections, or without another statement of the volume, that of the volume."""
    yield from parts_of_title(title, "h" if has_volumes else "v", "i")


def _host_of_article(item: RelatedItem, draft: MarcDraft, describe: Describe) -> None:
    """Add a journal (461) and its issue (463), or a book (463), with the pages of the article."""
    parts = item.mods.part
    details = [detail for part in parts for detail in part.detail]
    dates = list(dict.fromkeys(date.value for part in parts for date in part.date))
    texts = [text.value for part in parts for text in part.text]
    stated_pages = [text for part in parts for extent in part.extent if (text := pages(extent))]
    if not (details or dates):
        _link("463" if stated_pages else "461", item, [*texts, *stated_pages], draft, describe)
        return
    without_place = replace(item, mods=replace(item.mods, part=()))
    _link("461", without_place, [], draft, describe)
    designation = ", ".join(_detail(detail) for detail in details)
    subfields = [("1", "2001 "), ("a", designation), *(("v", text) for text in (*texts, *stated_pages))]
    if not designation:
        subfields = [("1", "2001 "), ("a", ", ".join(dates)), *(("v", text) for text in (*texts, *stated_pages))]
    elif dates:
        subfields += [("1", "210  "), ("d", ", ".join(dates))]
    draft.add("463", " 0", subfields)


def place_in_host(parts: tuple[Part, ...]) -> list[str]:
    """Return the place of a part in words, one text for each statement."""
    found: list[str] = []
    for part in parts:
        found += [_detail(detail) for detail in part.detail]
        found += [date.value for date in part.date]
        found += [text.value for text in part.text]
        found += [pages(extent) for extent in part.extent]
    return [text for text in found if text]


def _detail(detail: Detail) -> str:
    number, caption = ", ".join(detail.number), detail.caption[0] if detail.caption else ""
    if caption and caption[-1:].isalpha():
        caption = f"{caption}."
    text = f"{caption} {number}" if caption and number else caption or number
    return " : ".join([*([text] if text else []), *detail.title])


def pages(extent: PartExtent) -> str:
    """Return pages or leaves as a record in Russian or another language has them: ``С. 12-18``."""
    if extent.list:
        return extent.list
    text = f"{extent.start}-{extent.end}" if extent.start and extent.end else extent.start or ""
    return f"{'Л' if extent.unit == 'leaf' else 'С'}. {text}" if text else ""
