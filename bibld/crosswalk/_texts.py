"""Texts as records write them: the punctuation of ISBD, addresses, dates."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Sequence

from bibld.model.marc import DataField


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
        is_within = is_open and _closes(texts[position + 1 :])
        balanced.append(f"{opened}{_CLOSING_SUPPLIED}" if is_within else opened)
    return balanced


def _closes(texts: Sequence[str]) -> bool:
    """Return whether the first bracket in these texts is a closing one."""
    bracket = next((char for text in texts for char in text if char in (_OPENING_SUPPLIED, _CLOSING_SUPPLIED)), "")
    return bracket == _CLOSING_SUPPLIED


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
