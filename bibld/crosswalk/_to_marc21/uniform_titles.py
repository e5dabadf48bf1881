"""Uniform titles as one text → the subfields of 130, 240, 6XX and 7XX."""

from __future__ import annotations

import re
from functools import lru_cache

from babel import Locale

from bibld.crosswalk._marc21.codes import INSTRUMENT

_KEY = re.compile(
    r"(?:[A-Ha-h](?:[b#♭♯]| ?-?(?:flat|sharp))?(?: (?:major|minor))?|[A-Ha-h]\|[bx]|\d+t)"
    r"(?:; (?:[A-Ha-h](?:[b#♭♯]| ?-?(?:flat|sharp))?(?: (?:major|minor))?|[A-Ha-h]\|[bx]|\d+t))*"
)
_FORM = ("Selections", "Protocols, etc", "Abridgment", "Libretto")
_YEAR = re.compile(r"\d{4}(?:-\d{4})?")
_PIECE = re.compile(r"(?P<before>.*[.?!\])]) (?P<piece>[^.]+(?:, etc)?)(?P<mark>\.?)", re.DOTALL)
_DATED = re.compile(r"(?P<title>.+) (?P<date>\(\d{4}(?: [A-Z][a-z]+(?: \d{1,2})?)?\)\.?)", re.DOTALL)
"""A treaty with its date."""
_NUMBER_OF_PLAYERS = re.compile(r"^(?:X |\d+ ?|\()*")
_FOR_PARTS = re.compile(r"(?:a|V|X) \d+(?:-\d+)?")
_RISM_MEDIA = """
    chitarrone spinetta clno cl strings winds orchestra band Contra-T Contra-A taille V S A T B Coro org vl
    vla vlc vlne bc b i pf clav cemb fl ob fag cor tr trb timp guit orch a-vla t-vla b-vla hpcd arp lute
    theorbe
"""
_MEDIA = frozenset([*_RISM_MEDIA.split(), *INSTRUMENT.values(), *(f"{term}s" for term in INSTRUMENT.values())])
"""Instruments and voices of 240$m, as RISM abbreviates them and as English headings name them."""


def uniform_title_subfields(text: str, title_code: str = "a") -> list[tuple[str, str]]:
    """Divide a uniform title; the title itself is in ``title_code``. Full stops between its parts belong to it.

    >>> uniform_title_subfields("Sonatas, 2 vl, bc, D"), uniform_title_subfields("Bible. English. 1901", "t")
    ([('a', 'Sonatas'), ('m', '2 vl, bc'), ('r', 'D')], [('t', 'Bible.'), ('l', 'English.'), ('f', '1901')])
    """
    ends: list[tuple[str, str]] = []
    while (found := _PIECE.fullmatch(text)) is not None and (code := _code_of_piece(found["piece"])) is not None:
        ends.insert(0, (code, found["piece"] + found["mark"]))
        text = found["before"].strip()
    dated = _DATED.fullmatch(text)
    if dated is not None:
        return [(title_code, dated["title"]), ("d", dated["date"]), *ends]
    title, *pieces = text.split(", ")
    closed, parenthesis, medium = title.rpartition(") ")
    if parenthesis and _is_medium(medium):
        title, pieces = f"{closed})", [medium, *pieces]
    key = pieces.pop() if pieces and _KEY.fullmatch(pieces[-1]) and not _ends_in_bass_or_alto(pieces) else ""
    start = next((position for position, piece in enumerate(pieces) if _is_medium(piece)), None)
    if start is None:
        return [(title_code, text.removesuffix(f", {key}")), *([("r", key)] if key else []), *ends]
    subfields = [(title_code, ", ".join([title, *pieces[:start]])), ("m", ", ".join(pieces[start:]))]
    return [*subfields, *([("r", key)] if key else []), *ends]


def _code_of_piece(text: str) -> str | None:
    if _YEAR.fullmatch(text):
        return "f"
    if text in _FORM:
        return "k"
    return "l" if text.partition(" & ")[0] in _languages() else None


def _ends_in_bass_or_alto(pieces: list[str]) -> bool:
    """Whether the last of these pieces is a bass or alto among voices (``S, A, T, B``) rather than a key."""
    if len(pieces) == 1:
        return pieces[0] in ("A", "B")
    return pieces[-1] in ("A", "B") and _NUMBER_OF_PLAYERS.sub("", pieces[-2]) in ("S", "A", "T", "V", "B")


def _is_medium(text: str) -> bool:
    """Whether a text names an instrument or voice: ``2 vl``, ``bc: org``, ``V 5``, ``Coro 2 (S``."""
    if _FOR_PARTS.fullmatch(text):
        return True
    word = _NUMBER_OF_PLAYERS.sub("", text).partition(":")[0].partition(" (")[0].strip(" ()0123456789")
    return word in _MEDIA


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    """Return the English names of languages."""
    return frozenset(Locale("en").languages.values())
