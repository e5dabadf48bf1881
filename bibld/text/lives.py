"""Dates of persons and bodies: of birth, death and activity, as headings and authority records state them, in EDTF.

EDTF (ISO 8601-2) has four digits for a year, ``X`` for unknown ones, ``-0043`` for 44 B.C., and a mark for a doubt.
"""

from __future__ import annotations

import calendar
import re
from functools import lru_cache

import msgspec

from bibld.text.dates import parse_date
from bibld.text.numerals import roman_number

_TEXTS_REMEMBERED = 4096

_ACTIVE = re.compile(
    r"\b(?:active|fl|flourished|floruit|акт|активн\w*|работал\w*|деят\w*|упом\w*|wirkte|tätig|actif|active en)\b\.?",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"(?:(?<![\w.])b\.(?!\s?c\b)|\bborn\b|\bр\.|\bрод\.?(?=\s)|\bродил\w+|\bgeb\.|\bné(?:e)?\b|\*)\s*(?:в\s+)?",
    re.IGNORECASE,
)
_DIED = re.compile(
    r"(?:(?<![\w.])d\.|\bdied\b|\bум\.?(?=\s)|\bумер\w*|\bgest\.|\bmort(?:e)?\b|†)\s*(?:в\s+)?", re.IGNORECASE
)
_CENTURY = re.compile(
    r"(?P<number>\d{1,2})(?:st|nd|rd|th|-?[йие]|\.)?\s*(?:cent\b\.?|century|вв?\.|век\w*|jh\b\.?|jahrhundert)", re.I
)
_CENTURY_IN_ROMAN = re.compile(r"\b(?P<number>[IVX]{1,5})\s*(?:вв?\.|век\w*|s\.|siècle|secolo)", re.IGNORECASE)
_BEFORE_OUR_ERA = re.compile(
    r"\bb\.?\s?c\.?(?:\s?e\.?)?(?!\w)|до н\.?\s?э|до р\.?\s?х|\bv\.\s?chr|av\.\s?j\.?-?c", re.I
)
_OUR_ERA = re.compile(r"\ba\.?\s?d\.?(?!\w)|\bн\.?\s?э\.?|\bn\.\s?chr\.?|(?<![a-z.])c\.?\s?e\.?(?!\w)", re.IGNORECASE)
_ABOUT = re.compile(r"(?<!\w)(?:ок|около|прибл|ca|circa|c(?=\.)|approximately|approx|um|vers)\.?(?!\w)", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"(\d{1,4})\s*(?:or|или|oder|ou)\s*(\d{1,4})", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{1,4}(?!\d)", re.ASCII)
_DAY = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)", re.ASCII)
_OPEN_END = re.compile(r"^[\s.?]*$")
_HYPHEN = re.compile(r"\s*[-–—]\s*")


class StatedLife(msgspec.Struct, frozen=True):
    """Dates in EDTF, each empty if it is not stated; ``active`` is a time or a century."""

    born: str = ""
    died: str = ""
    active: str = ""


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def parse_life(text: str) -> StatedLife:
    """Read the dates in the heading of a person or family; a text without a date gives none.

    >>> parse_life("1874 - 1965."), parse_life("b. 1948"), parse_life("active 18th century")
    (StatedLife(born='1874', died='1965', active=''), StatedLife(born='1948', died='', active=''), StatedLife(born='', died='', active='17XX'))
    >>> parse_life("ок. 1340-1392"), parse_life("106-43 B.C."), parse_life("06.06.1875-....")
    (StatedLife(born='1340~', died='1392', active=''), StatedLife(born='-0105', died='-0042', active=''), StatedLife(born='1875-06-06', died='', active=''))
    """  # noqa: E501
    text = text.strip(" ()[],;")
    century = _read_century(text)
    if century:
        return StatedLife(active=century)
    if _ACTIVE.search(text):
        return StatedLife(active=_read_period(_ACTIVE.sub(" ", text)))
    born, died = _BORN.search(text), _DIED.search(text)
    if born is not None or died is not None:
        after_birth = text[born.end() :] if born is not None else ""
        if born is not None and died is not None and died.start() > born.start():
            after_birth = text[born.end() : died.start()]
        return StatedLife(_read_day_or_year(after_birth), _read_day_or_year(text[died.end() :]) if died else "")
    first, last = _ends(text)
    return StatedLife(first, last or "")


def _ends(text: str) -> tuple[str, str | None]:
    """Return the beginning and the end of a time; without a hyphen, the end is None, and nothing is certain."""
    pieces = _HYPHEN.split(text, maxsplit=1)
    if len(pieces) == 1:
        return "", None
    first, last = pieces
    is_before = _BEFORE_OUR_ERA.search(last) is not None and _OUR_ERA.search(first) is None
    if is_before and _BEFORE_OUR_ERA.search(first) is None:
        first = f"{first} B.C."
    return _read_day_or_year(first), "" if _OPEN_END.match(last) else _read_day_or_year(last)


def _read_period(text: str) -> str:
    first, last = _ends(text)
    if last is None:
        return _read_day_or_year(text)
    return f"{first}/{last or '..'}" if first else ""


def _read_century(text: str) -> str:
    """Return a century as ``17XX``; of two centuries (``16./17. Jh.``) none is certain."""
    found = _CENTURY.search(text)
    number: int | None = int(found["number"]) if found is not None else None
    if found is None:
        found = _CENTURY_IN_ROMAN.search(text)
        number = roman_number(found["number"].upper()) if found is not None else None
    if found is None or number is None or not 1 <= number <= 21 or _BEFORE_OUR_ERA.search(text):
        return ""
    is_one = not re.search(r"[\dIVX]", text[: found.start()]) and not re.search(r"\d", text[found.end() :])
    return f"{number - 1:02}XX" if is_one else ""


def _read_day_or_year(text: str) -> str:
    """Return one date in EDTF; empty for a text without a year."""
    if _BEFORE_OUR_ERA.search(text):
        text = _BEFORE_OUR_ERA.sub(" ", text)
        year = _YEAR.search(text)
        return f"-{int(year[0]) - 1:04}{_doubt(text)}" if year is not None and int(year[0]) > 0 else ""
    text = _OUR_ERA.sub(" ", text)
    alternatives = _ALTERNATIVES.search(text)
    if alternatives is not None:
        one, other = alternatives.groups()
        other = other if len(other) >= len(one) else one[: len(one) - len(other)] + other
        return f"[{int(one):04}..{int(other):04}]" if 0 < int(one) < int(other) else ""
    day = _DAY.search(text)
    if day is not None and _is_day(int(day[3]), day[2].zfill(2), day[1].zfill(2)):
        return f"{day[3]}-{day[2].zfill(2)}-{day[1].zfill(2)}{_doubt(text)}"
    stated = parse_date(text)
    if stated is not None:
        return f"[{stated.first}..{stated.last}]" if stated.last is not None else stated.edtf
    years = [year for year in _YEAR.findall(text) if int(year) > 0]
    return f"{int(years[-1]):04}{_doubt(text)}" if years and len(years[-1]) >= 2 else ""


def _doubt(text: str) -> str:
    return "?" if "?" in text else "~" if _ABOUT.search(text) else ""


_CODED = re.compile(r"(-?\d{4})-?(\d{2})?-?(\d{2})?([?~%]?)", re.ASCII)
_VAGUE = re.compile(r"(-?\d{1,3})([uUxX-]{1,3})([?~%]?)", re.ASCII)
_SET = re.compile(r"[\[{](?:-?[\dX]{4}(?:-\d\d){0,2}|\.\.|,)+[\]}]", re.ASCII)
_INTERVAL_OF_CODES = re.compile(r"([^/]*)/([^/]*)")
_OPEN = frozenset(("", "..", "open", "unknown"))
_DIGITS_OF_YEAR = 4


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def coded_date(text: str) -> str:
    """Return a coded date (046 of MARC 21: ISO 8601 or EDTF; 103 of UNIMARC) as EDTF; empty if it is none.

    >>> [coded_date(text) for text in ("18351130", "1835-11", "1849~", "18uu", "-0099", "1835/1910", "1900/open")]
    ['1835-11-30', '1835-11', '1849~', '18XX', '-0099', '1835/1910', '1900/..']
    >>> coded_date("20001332"), coded_date("около 1900"), coded_date("0000")
    ('', '', '')
    """
    text = text.strip()
    if "/" in text:
        ends = _INTERVAL_OF_CODES.fullmatch(text)
        first, last = (_coded_end(end) for end in ends.groups()) if ends is not None else ("", "")
        return f"{first}/{last}" if first and last and first != last else ""
    if _SET.fullmatch(text):
        return text
    found = _CODED.fullmatch(text)
    if found is not None:
        year, month, day, doubt = found.groups()
        if int(year) == 0 or not _is_day(int(year), month, day):
            return ""
        return "-".join(part for part in (year, month, day) if part) + doubt
    vague = _VAGUE.fullmatch(text)
    if vague is not None and len(vague[1].lstrip("-") + vague[2]) == _DIGITS_OF_YEAR:
        return f"{vague[1]}{'X' * len(vague[2])}{vague[3]}"
    return ""


def _coded_end(text: str) -> str:
    return ".." if text.strip() in _OPEN else coded_date(text)


def _is_day(year: int, month: str | None, day: str | None) -> bool:
    if month is None:
        return True
    if not 1 <= int(month) <= 12:
        return False
    return day is None or 1 <= int(day) <= (calendar.monthrange(max(year, 1), int(month))[1])
