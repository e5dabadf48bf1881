"""Years of birth and death in headings and statements of dates."""

from __future__ import annotations

import re

import msgspec

_YEAR = r"(?:ca\.?|approximately|около|ок\.|um)?\s*(?P<{}>\d{{3,4}})(?P<{}_open>\?)?"
_LIFE = re.compile(
    rf"(?<![\d-]){_YEAR.format('born', 'born')}\s*[-–—/]\s*(?:{_YEAR.format('died', 'died')})?(?!\d)", re.IGNORECASE
)
_BORN = re.compile(
    r"(?:\bb\.|\bborn\b|\bр\.|\bрод\.?|\bродил\w+|\bgeb\.|\*)\s*(?:в\s*)?(?:ca\.?\s*)?(\d{3,4})", re.IGNORECASE
)
_DIED = re.compile(
    r"(?:\bd\.|\bdied\b|\bум\.?|\bумер\w*|\bgest\.|†|(?<!\d)[-–—])\s*(?:в\s*)?(?:ca\.?\s*)?(\d{3,4})", re.IGNORECASE
)
_ACTIVE = re.compile(r"\b(?:active|fl\.|flourished|акт\.|wirkte)\s", re.IGNORECASE)
_FIRST_YEAR = re.compile(r"(?<!\d)([+-]?)(\d{3,4})(?!\d)")
_DATES_IN_HEADING = re.compile(
    r"[,.\s]*(?:[(]\s*)?(?:\b(?:b|d|ca|fl|born|died|active|approximately|род|ум|р|ок|geb|gest)\b\.?\s*)*"
    r"\d{3,4}\??\s*(?:[-–—/]\s*(?:(?:ca\.|approximately)?\s*\d{3,4}\??)?\s*\)?\s*$|\)?\s*$).*$",
    re.IGNORECASE,
)


class Life(msgspec.Struct, frozen=True):
    """The years of birth and death as far as they are known; ``is_exact`` is false for questioned years."""

    born: int | None = None
    died: int | None = None
    is_exact: bool = True


def life_of(text: str) -> Life:
    """Read the years of a life from a statement of dates or from a heading; years of activity are none.

    >>> life_of("Keating, Kenneth B. (Kenneth Barnard), 1900-1975"), life_of("d. 1838"), life_of("active 1850-1870")
    (Life(born=1900, died=1975, is_exact=True), Life(born=None, died=1838, is_exact=True), Life(born=None, died=None, is_exact=True))
    """  # noqa: E501
    if _ACTIVE.search(text):
        return Life()
    match = _LIFE.search(text)
    if match is not None:
        is_exact = not (match["born_open"] or match["died_open"]) and "ca" not in match[0] and "ок" not in match[0]
        return Life(_year(match["born"]), _year(match["died"]), is_exact and "approx" not in match[0])
    born, died = _BORN.search(text), _DIED.search(text)
    return Life(_year(born[1]) if born else None, _year(died[1]) if died else None)


def year_of(text: str) -> int | None:
    """Return the year of a date such as ``1835-11-30`` or ``+1835-11-30T00:00:00Z``; None for one before our era."""
    match = _FIRST_YEAR.search(text)
    return _year(match[2]) if match is not None and match[1] != "-" else None


def without_dates(heading: str) -> str:
    """Return a heading without the dates at its end.

    >>> without_dates("Hillier, J. 1912-1995"), without_dates("Lindsay, William, d. 1838"), without_dates("Reed, Mary")
    ('Hillier, J.', 'Lindsay, William', 'Reed, Mary')
    """
    stem = _DATES_IN_HEADING.sub("", heading).rstrip(" ,")
    return f"{stem}." if heading[len(stem) : len(stem) + 1] == "." else stem


def _year(text: str | None) -> int | None:
    return int(text) if text and int(text) > 0 else None
