"""Designations of volumes and issues, pages and days: the place of a record in another resource as texts state it.

Texts such as ``№ 7``, ``Т. 2`` or ``С. 76-132`` become a MODS ``part``.
"""

from __future__ import annotations

import re

from bibld.crosswalk._texts import chop, without_brackets
from bibld.model.mods import Date, Detail, Part, PartExtent, PartText

_DIGITS = r"\d+[\w.]*(?:\s*[-–—/,]\s*\d+\w*)*(?:\s*\(\d+(?:[-–/]\d+)?\))?"
_ROMAN = r"[IVXLC]+(?:\s*[-–]\s*[IVXLC]+)?"
_LETTERS = rf"(?-i:{_ROMAN}|[А-ЯA-Z](?:\s*[-–]\s*[А-ЯA-Z])?)"
_ORDINAL = r"(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят)[а-я]+"
_VOLUME_WORDS = "том|т|volume|vol|v|tome|tom|tomo|t|band|bd"
_PART_WORDS = "часть|ч|книга|кн|part|pt|pars|teil|livre|partie|полутом|п/т|отдел|раздел"
_ISSUE_WORDS = "№|no|nr|n|n°|номер|выпуск|вып|issue|fasc|heft|сборник|сб|серия|сер"
_DESIGNATION = re.compile(
    rf"(?P<word>(?P<volume>{_VOLUME_WORDS})|(?P<part>{_PART_WORDS})|(?P<issue>{_ISSUE_WORDS}))"
    rf"(?P<number>(?:\.?\s*{_DIGITS})|(?:[.\s]\s*(?:{_LETTERS}|{_ORDINAL}))|(?<=\w\w\w)(?-i:{_ROMAN}))\.?",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"\[?(?:\d{1,3}(?:[-–/]\d{1,3})?|[IVXLC]+)\]?\.?")
_YEAR = re.compile(r"\[?(1[5-9]\d\d|20\d\d)\]?(?:\s*г(?:од)?\b)?\.?")
_DAY = re.compile(
    r"\d{1,2}(?:\s*[-–/]\s*\d{1,2})?\s+(?:янв|февр?|март?|апр|ма[йя]|июн|июл|авг|сент?|окт|нояб?|дек)[а-я]*\.?"
    r"(?:\s*[-–/]\s*(?:\d{1,2}\s+)?[а-я]{3,}\.?)?",
    re.IGNORECASE,
)
_PAGES = re.compile(
    r"(?:с|c|р|p|s|pp|стр|стб|стлб|col|page|pages|seite)\b\.?\s*"
    r"\[?(?P<start>[\dIVXLC]+\w?)\]?(?:\s*[-–—]\s*\[?(?P<end>[\dIVXLC]+\w?)\]?)?\.?",
    re.IGNORECASE,
)
_MANY_PAGES = re.compile(r"(?:с|c|р|p|s|pp|стр|стб|стлб|col)\b\.?\s*\[?\d.*", re.IGNORECASE)
_SEPARATOR = re.compile(r"\.\s*[-–—]\s+|[,;:]\s+")
_DESIGNATION_BREAK = re.compile(r"[,;:]\s*|\s+(?=[а-яa-z№]+[. ]*\d)|(?<=\d)\.\s+|(?<=\d)\.(?=[а-яa-z])", re.IGNORECASE)
_BEGIN_OF_DESIGNATION = re.compile(r"(?:^|(?<=[.:;,])\s*)(?=\w|№)")
_NUMERAL = re.compile(rf"\d|\b{_ROMAN}\b|(?i:\b{_ORDINAL})")
_COUNT_OF_PARTS = re.compile(r"\b[ву]\s+(?:\d+|дву|трех|четырех)[-\s]*(?:х|и)?\s*(?:т|ч|кн|вып)\w*\W*$", re.IGNORECASE)


def is_generic_title(title: str) -> bool:
    """Return whether a title is only the designation of a volume: ``Т. 1``, ``Ч. 2, кн. 1``, ``[Вып.] 3``."""
    text = title.strip(" []").replace("]", "")
    if not text or _BARE_NUMBER.fullmatch(text):
        return bool(text)
    pieces = [piece.strip() for piece in _DESIGNATION_BREAK.split(text) if piece.strip()]
    return all(map(_DESIGNATION.fullmatch, pieces)) or _DESIGNATION.fullmatch(text) is not None


def split_designation(text: str) -> tuple[str, str]:
    """Divide other title information at the designation of a part at its end, which is empty where there is none.

    A letter designates a part only after the number of parts (``в 2 ч. Ч. А``): it may also be an initial.

    >>> split_designation("роман в 4 т. Т. 1-2"), split_designation("Ч. 2"), split_designation("пер. Т. В")
    (('роман в 4 т.', 'Т. 1-2'), ('', 'Ч. 2'), ('пер. Т. В', ''))
    """
    for found in _BEGIN_OF_DESIGNATION.finditer(text):
        before, designation = text[: found.start()], text[found.end() :]
        if _BARE_NUMBER.fullmatch(designation) or not is_generic_title(designation):
            continue
        follows_count = _COUNT_OF_PARTS.search(before) is not None
        if follows_count or (_NUMERAL.search(designation) and not before.endswith(",")):
            return chop(before), designation
    return text, ""


def split_issue_designation(title: str) -> tuple[str, str]:
    """Divide the title of an issue into its designation and its name; the designation is empty if there is none.

    >>> split_issue_designation("Т. 320, № 1 : Науки о Земле"), split_issue_designation("2005, № 2")
    (('Т. 320, № 1', 'Науки о Земле'), ('2005, № 2', ''))
    """
    if title and is_issue_designation(title):
        return title, ""
    designation, colon, name = title.partition(":")
    is_divided = bool(colon and designation.strip() and name.strip())
    return (designation.strip(), name.strip()) if is_divided and is_issue_designation(designation.strip()) else ("", "")


def is_issue_designation(title: str) -> bool:
    """Return whether a title is only the designation of an issue: ``N 3.``, ``2005, № 2``; also for an empty title."""
    if not title:
        return True
    pieces = [piece.strip() for piece in _SEPARATOR.split(title) if piece.strip()]
    return all(is_generic_title(piece) or _YEAR.fullmatch(piece) or _DAY.fullmatch(piece) for piece in pieces)


def parse_part(texts: list[str], volume_type: str | None = None) -> Part:
    """Parse designations and page ranges as a place in another resource.

    With ``volume_type`` each text that is not a page range is one detail of this type, and is not divided.
    """
    details: list[Detail] = []
    extents: list[PartExtent] = []
    others: list[PartText] = []
    dates: list[Date] = []
    for text in texts:
        if volume_type is not None and not is_pages(text):
            details.append(Detail(number=(text,), type=volume_type))
            continue
        for piece in _pieces(text):
            year = _YEAR.fullmatch(piece)
            if year is not None or _DAY.fullmatch(piece):
                dates.append(Date(value=year[1] if year is not None else piece))
                continue
            extent = _extent(piece)
            if extent is not None:
                extents.append(extent)
                continue
            detail = _detail(piece)
            if detail is not None:
                details.append(detail)
            else:
                others.append(PartText(value=piece))
    return Part(detail=tuple(details), extent=tuple(extents), text=tuple(others), date=tuple(dates))


def has_content(part: Part) -> bool:
    """Return whether a part has any content."""
    return bool(part.detail or part.extent or part.text or part.date)


def is_pages(text: str) -> bool:
    """Return whether a text states pages: ``С. 4``, ``P. 387-396``, ``[С. 121-130]``."""
    return _extent(text) is not None


def _pieces(text: str) -> list[str]:
    """Split a text at its punctuation if every piece can be parsed; else return it undivided."""
    if _extent(text) is not None or _detail(text) is not None:
        return [text]
    pieces = [piece.strip() for piece in _SEPARATOR.split(text) if piece.strip()]
    if pieces and all(map(_is_understood, pieces)):
        return pieces
    return [text]


def _is_understood(piece: str) -> bool:
    return bool(_extent(piece) or _detail(piece) or _YEAR.fullmatch(piece) or _DAY.fullmatch(piece))


def _extent(text: str) -> PartExtent | None:
    stated, _ = without_brackets(text.strip())
    pages = _PAGES.fullmatch(stated)
    if pages is not None:
        return PartExtent(unit="page", start=pages["start"], end=pages["end"])
    return PartExtent(unit="page", list=stated) if _MANY_PAGES.fullmatch(stated) else None


def _detail(text: str) -> Detail | None:
    found = _DESIGNATION.fullmatch(text.strip(" []"))
    if found is None:
        return None
    kind = next(name for name in ("volume", "part", "issue") if found[name])
    return Detail(type=kind, number=(found["number"].strip(". "),), caption=(found["word"],))
