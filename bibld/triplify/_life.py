"""Years of birth and death."""

from __future__ import annotations

import re

_LIFE = re.compile(r"\(?([0-9]{3,4})\)?\s*[-–—]\s*\(?([0-9]{3,4})?\)?")
_BORN = re.compile(r"(?:р\.|род\.?|родился|b\.|born)\s*(?:в\s*)?([0-9]{3,4})", re.IGNORECASE)
_DIED = re.compile(r"(?:ум\.?|умер|d\.|died|[-–—])\s*(?:в\s*)?([0-9]{3,4})", re.IGNORECASE)


def life(dates: str) -> tuple[str, str]:
    """Years of birth and death, four digits each, from dates as catalogues state them; empty where not certain."""
    match = _LIFE.fullmatch(dates)
    if match is not None:
        return _year(match[1]), _year(match[2])
    match = _BORN.fullmatch(dates)
    if match is not None:
        return _year(match[1]), ""
    match = _DIED.fullmatch(dates)
    return "", _year(match[1]) if match is not None else ""


def _year(digits: str | None) -> str:
    return digits.zfill(4) if digits and int(digits) else ""
