"""Texts as records write them: the punctuation of ISBD, addresses, dates, designations of volumes, issues and pages."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Sequence

from bibld.model.marc import DataField
from bibld.model.mods import Date, Detail, Part, PartExtent, PartText


def join(field: DataField, codes: str, between: str = " ") -> str:
    """Join the texts of the subfields with these codes, in record order."""
    return between.join([subfield.value for subfield in field.subfields if subfield.code in codes])


def chopped_values(field: DataField, *codes: str) -> list[str]:
    """Return the chopped texts of the subfields with one of these codes, without empty ones."""
    return [text for text in map(chop, field.values(*codes)) if text]


# --- ISBD: the punctuation between the parts of a description

_MARKS = " .:,;/،؛"
_CLOSING = _MARKS + "="

_ABBREVIATIONS = (
    "al approx assoc aufl ave bd bldg bros ca cie co col comp corp cz dept dr ed eds etc fl gen ges gmbh gov govt hrsg "
    "ill inc jr llc ltd mfg min mr mrs ms mt no nos nr op prof proj pt pub rev ser sr st t univ verl vol vols "
    "авт акад в вв вып г гг д др ед изд им ин испр кн лит мин н обл общ п пер перераб проф публ ред рис сб сер соч "
    "сост св см ст тип т тт ун ч экз"
)
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())

_OPENING_SUPPLIED = "["
_CLOSING_SUPPLIED = "]"


def chop(text: str) -> str:
    """Remove the marks that lead to the next part from the end: ``. : , ; /`` and `` =`` (also their Arabic forms).

    An ellipsis stays, and so does the full stop of an abbreviation (``etc.``, ``U.S.``).
    """
    if not text or text[-1] not in _CLOSING:
        return text
    return _chopped(text, _is_abbreviated)


def chop_name(text: str) -> str:
    """Remove marks as :func:`chop` does; the full stop of a final initial stays (``Kemble, E. W.``)."""
    if not text or text[-1] not in _CLOSING:
        return text
    return _chopped(text, _ends_in_initial)


def without_brackets(text: str) -> tuple[str, bool]:
    """Remove square brackets around a text, or without partner; return the text and whether there were any.

    ISBD puts brackets around what the cataloguer supplied.
    """
    opens, closes = text.startswith(_OPENING_SUPPLIED), text.endswith(_CLOSING_SUPPLIED)
    if opens and closes and text.find(_CLOSING_SUPPLIED) == len(text) - 1:
        return text[1:-1].strip(), True
    if opens and _CLOSING_SUPPLIED not in text:
        return text[1:].strip(), True
    if closes and _OPENING_SUPPLIED not in text:
        return text[:-1].strip(), True
    return text, False


def with_balanced_brackets(texts: Sequence[str]) -> list[str]:
    """Close a square bracket in the text that opens it and open it in each text up to the one that closes it.

    >>> with_balanced_brackets(["[В Санктпетербурге", "Тип. Академии наук", "1771]"])
    ['[В Санктпетербурге]', '[Тип. Академии наук]', '[1771]']

    A bracket that no later text closes stays as it is.
    """
    if not any(_OPENING_SUPPLIED in text for text in texts):
        return list(texts)
    balanced: list[str] = []
    is_within = False
    for position, text in enumerate(texts):
        opened = f"{_OPENING_SUPPLIED}{text}" if is_within else text
        is_open = opened.rfind(_OPENING_SUPPLIED) > opened.rfind(_CLOSING_SUPPLIED)
        following = "".join(texts[position + 1 :])
        closing, opening = following.find(_CLOSING_SUPPLIED), following.find(_OPENING_SUPPLIED)
        is_within = is_open and closing >= 0 and (opening < 0 or closing < opening)
        balanced.append(f"{opened}{_CLOSING_SUPPLIED}" if is_within else opened)
    return balanced


def _chopped(text: str, keeps_full_stop: Callable[[str], bool]) -> str:
    kept = text.rstrip(_MARKS)
    while kept.endswith(" =") or kept == "=":
        kept = kept[:-1].rstrip(_MARKS)
    cut = text[len(kept) :]
    ellipsis = cut.find("...")
    if ellipsis >= 0:
        return kept + cut[: ellipsis + 3]
    if cut.startswith(".") and keeps_full_stop(kept):
        return kept + "."
    return kept


def _is_abbreviated(text: str) -> bool:
    word = text.replace("-", " ").rpartition(" ")[2].lstrip("([").casefold()
    if "." in word:
        return len(word.rpartition(".")[2]) == 1
    return word in _ABBREVIATED


def _ends_in_initial(text: str) -> bool:
    word = text.rpartition(" ")[2]
    return (len(word) == 1 and word.isalpha()) or _is_abbreviated(text)


# --- addresses

_ADDRESS = re.compile(r"(https?|ftp)://[^\s/?#@]\S*", re.IGNORECASE)
_ILLEGAL = re.compile(r'[\x00-\x20\x7f<>"{}|\\^`\[\]]|%(?![0-9A-Fa-f]{2})|#(?=.*#)')


def address(text: str) -> str | None:
    """Return an address of http, https or ftp as a legal IRI (RFC 3987); None for any other text.

    Characters that no IRI may contain are percent-encoded; a text with blanks is not an address.
    """
    if not _ADDRESS.fullmatch(text):
        return None
    return _ILLEGAL.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def first_address(texts: Iterable[str]) -> str | None:
    """Return the first text that is an address."""
    return next((link for link in map(address, texts) if link is not None), None)


# --- dates, in the forms of W3CDTF (https://www.w3.org/TR/NOTE-datetime)

FIRST_YEAR_OF_MARC = 66
"""The two-digit years of 008/00-05 begin with the first MARC records, of 1966."""


def entry_date(text: str) -> str | None:
    """Return ``yymmdd`` as ``YYYY-MM-DD``, None for other texts. Years from 66 are of the 20th century."""
    if len(text) < 6 or not text[:6].isdecimal() or not text.isascii():
        return None
    century = "19" if int(text[:2]) >= FIRST_YEAR_OF_MARC else "20"
    return iso_day(century + text[:6])


def iso_day(text: str) -> str | None:
    """Return ``YYYYMMDD`` as ``YYYY-MM-DD``, None for a text that is not a day of the calendar."""
    if len(text) < 8 or not text[:8].isdecimal() or not text[:8].isascii():
        return None
    year, month, number = int(text[:4]), int(text[4:6]), int(text[6:8])
    if year == 0 or not 1 <= month <= 12 or not 1 <= number <= calendar.monthrange(year, month)[1]:
        return None
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}"


def iso_time(text: str) -> str | None:
    """Return field 005, ``YYYYMMDDHHMMSS.F``, as ``YYYY-MM-DDTHH:MM:SS`` (ISO 8601; a date where no time is stated)."""
    text = text.strip()
    date = iso_day(text)
    if date is None:
        return None
    time = text[8:14]
    if len(time) == 6 and time.isdecimal() and time.isascii():
        hours, minutes, seconds = int(time[:2]), int(time[2:4]), int(time[4:])
        if hours < 24 and minutes < 60 and seconds < 60:
            return f"{date}T{time[:2]}:{time[2:4]}:{time[4:]}"
    return date


APPROXIMATE = "approximate"
"""The MODS qualifier of a date that is only near the stated year."""

_ABOUT = re.compile(
    r"\b(?:ок\.|около|ca\b|circa|vers\b|между|between|не (?:ранее|позднее|позже|раньше))", re.IGNORECASE
)
_FOUR_DIGITS = re.compile(r"\d{4}|\d\d\[?\d\d?")
_MARKS_OF_DATES = str.maketrans("", "", "[]<>. ")
_RANGE = re.compile(r"(\d{4})[-–—](\d{4}|\d\d)?")


def year_range(text: str) -> tuple[str, str] | None:
    """Return the first and the last year of a range that is a complete statement, the last empty for an open one.

    >>> year_range("[1990]-95."), year_range("<1972->"), year_range("1990")
    (('1990', '1995'), ('1972', ''), None)
    """
    found = _RANGE.fullmatch(text.translate(_MARKS_OF_DATES))
    if found is None:
        return None
    first, last = found[1], found[2] or ""
    last = first[:2] + last if len(last) == 2 else last
    return (first, last) if not last or first < last else None


def date_qualifier(texts: Iterable[str]) -> str | None:
    """Return how sure a stated year is: questionable with ``?``, approximate with ``ca.``, inferred in brackets.

    >>> date_qualifier(["[1978?]"]), date_qualifier(["ок. 1850"]), date_qualifier(["1556]"]), date_qualifier(["1990"])
    ('questionable', 'approximate', 'inferred', None)
    """
    dated = [text for text in texts if _FOUR_DIGITS.search(text)]
    if any("?" in text for text in dated):
        return "questionable"
    if any(map(_ABOUT.search, dated)):
        return APPROXIMATE
    return "inferred" if dated and all(without_brackets(chop(text))[1] for text in dated) else None


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
    for piece in pieces:
        if not (_extent(piece) or _detail(piece) or _YEAR.fullmatch(piece) or _DAY.fullmatch(piece)):
            return [text]
    return pieces or [text]


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
