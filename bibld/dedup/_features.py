"""Features of records: what blockers and scorers compare, normalised, out of the MODS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bibld.model.features import BETWEEN, Features
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.literals import folded, pages, part_number, person_key, romanised, without_brackets, years
from bibld.model.mods import Extent, Mods, Name, OriginInfo, RelatedItem, TitleInfo

_COMPARED_IDENTIFIERS = frozenset({"issn", "ismn", "isrc", "isrn", "lccn", "nbn", "doi", "oclc", "ean", "upc"})
_SET = re.compile(r"\b(?:set|общ|комплект|компл|vol set|all)\b", re.IGNORECASE)
_EDITION_WORDS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "первое": 1, "второе": 2, "третье": 3, "четвертое": 4, "пятое": 5, "шестое": 6, "седьмое": 7,
}  # fmt: skip
_NUMBER = re.compile(r"\d{1,3}")
_CARRIERS = (
    ("microform", re.compile(r"micro(?:form|film|fiche|opaque)|микро", re.IGNORECASE)),
    ("electronic", re.compile(r"electronic|computer|online|электрон|\bremote\b", re.IGNORECASE)),
    ("braille", re.compile(r"braille|брайл|tactile", re.IGNORECASE)),
    ("audio", re.compile(r"sound|audio|звукозап|аудио", re.IGNORECASE)),
    ("video", re.compile(r"video|motion picture|видео", re.IGNORECASE)),
)
_KINDS = {
    "cartographic": "map",
    "notated music": "score",
    "sound recording": "audio",
    "sound recording-musical": "audio",
    "sound recording-nonmusical": "audio",
    "moving image": "video",
    "software, multimedia": "electronic",
    "text": "print",
}


def features_of(mods: Mods) -> Features:
    """Take the features out of a description."""
    proper = _proper_title(mods)
    host = _host(mods)
    years_found = sorted(_years(mods.origin_info))
    edition_text = folded(" ".join(edition.value for info in mods.origin_info for edition in info.edition))
    series = [item for item in mods.related_item if item.type == "series"]
    return Features(
        title=folded(" ".join((proper.title, *proper.sub_title))),
        author=_author(mods),
        part=_part(mods, host),
        main_title=romanised(without_brackets(proper.title)),
        remainder=romanised(without_brackets(" ".join(proper.sub_title))),
        part_name=romanised(" ".join(proper.part_name)),
        set_title=romanised(_title_of(host)),
        names=BETWEEN.join(dict.fromkeys(_names(mods.name))),
        publisher=BETWEEN.join(dict.fromkeys(_publishers(mods.origin_info))),
        place=BETWEEN.join(dict.fromkeys(_places(mods.origin_info))),
        edition_text=edition_text,
        series=BETWEEN.join(dict.fromkeys(romanised(_title_of(item)) for item in series)),
        series_number=BETWEEN.join(dict.fromkeys(number for item in series for number in _numbers(item))),
        language=BETWEEN.join(_languages(mods)),
        carrier=_carrier(mods),
        level=_level(mods, host),
        identifiers=BETWEEN.join(dict.fromkeys(_identifiers(mods))),
        year=years_found[0] if years_found else 0,
        last_year=years_found[-1] if years_found else 0,
        edition=_edition_number(edition_text),
        pages=max((pages(extent.value) or 0 for extent in _extents(mods)), default=0),
    )


def _proper_title(mods: Mods) -> TitleInfo:
    """The first title without a type, else the first title."""
    return next((info for info in mods.title_info if info.type is None), next(iter(mods.title_info), TitleInfo()))


def _host(mods: Mods) -> RelatedItem | None:
    return next((item for item in mods.related_item if item.type == "host"), None)


def _title_of(item: RelatedItem | None) -> str:
    return next((without_brackets(info.title) for info in item.mods.title_info), "") if item else ""


def _author(mods: Mods) -> str:
    for name in mods.name:
        if name.type == "personal":
            return folded(_heading(name))
    return ""


def _heading(name: Name) -> str:
    return " ".join(part.value for part in name.name_part if part.type in (None, "family", "given"))


def _names(names: Iterable[Name]) -> Iterator[str]:
    for name in names:
        heading = _heading(name)
        key = romanised(person_key(heading) if name.type == "personal" else heading)
        if key:
            yield key


def _part(mods: Mods, host: RelatedItem | None) -> str:
    """The part numbers of the proper titles, and of the host where the record is a volume of a set."""
    numbers = [number for info in mods.title_info if info.type is None for number in info.part_number]
    if not numbers and host is not None:
        numbers = [
            number
            for part in host.mods.part
            for detail in part.detail
            if detail.type == "volume"
            for number in detail.number
        ]
    return " ".join(part_number(number) for number in dict.fromkeys(numbers))


def _years(origins: Iterable[OriginInfo]) -> Iterator[int]:
    for info in origins:
        for date in (*info.date_issued, *info.copyright_date, *info.date_created):
            yield from years(date.value)


def _publishers(origins: Iterable[OriginInfo]) -> Iterator[str]:
    for info in origins:
        for publisher in info.publisher:
            if key := romanised(without_brackets(publisher.value)):
                yield key


def _places(origins: Iterable[OriginInfo]) -> Iterator[str]:
    for info in origins:
        for place in info.place:
            for term in place.place_term:
                if term.type != "code" and (key := romanised(without_brackets(term.value))):
                    yield key


def _edition_number(text: str) -> int:
    """The number of an edition statement, 1 for one that is stated without a number, 0 for none."""
    if not text:
        return 0
    for word in text.split():
        if word in _EDITION_WORDS:
            return _EDITION_WORDS[word]
    found = _NUMBER.search(text)
    return int(found[0]) if found else 1


def _numbers(item: RelatedItem) -> Iterator[str]:
    for info in item.mods.title_info:
        yield from (part_number(number) for number in info.part_number)
    for part in item.mods.part:
        yield from (part_number(number) for detail in part.detail for number in detail.number)


def _languages(mods: Mods) -> list[str]:
    codes = {
        term.value
        for language in mods.language
        if language.object_part is None
        for term in language.language_term
        if term.type == "code"
    }
    return sorted(codes)


def _carrier(mods: Mods) -> str:
    forms = " ".join(form.value for description in mods.physical_description for form in description.form)
    for carrier, pattern in _CARRIERS:
        if pattern.search(forms):
            return carrier
    return next((_KINDS[kind.value] for kind in mods.type_of_resource if kind.value in _KINDS), "")


def _level(mods: Mods, host: RelatedItem | None) -> str:
    issuance = {value for info in mods.origin_info for value in info.issuance}
    if any(genre.value == "article" for genre in mods.genre):
        return "a"
    if issuance & {"serial", "continuing", "integrating resource"}:
        return "i" if host is not None and host.other_type != "set" else "s"
    if "multipart monograph" in issuance:
        return "c"
    if host is None:
        return "m"
    if any(part.extent or part.text for part in host.mods.part) and host.other_type != "set":
        return "a"
    return "v"


def _identifiers(mods: Mods) -> Iterator[str]:
    for identifier in mods.identifier:
        if identifier.invalid == "yes":
            continue
        value = re.sub(r"[\s-]", "", identifier.value)
        if identifier.type == "isbn" and has_isbn_check_digit(value):
            kind = "setisbn" if _SET.search(identifier.display_label or "") else "isbn"
            yield f"{kind}:{isbn13(value)}"
        elif identifier.type in _COMPARED_IDENTIFIERS and value:
            yield f"{identifier.type}:{value.casefold()}"


def _extents(mods: Mods) -> Iterator[Extent]:
    for description in mods.physical_description:
        yield from description.extent
