"""Texts of MODS as fields of MARC have them: titles with their articles, headings divided into subfields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bibld.model.mods import Mods, Note, OriginInfo, TitleInfo

RESPONSIBILITY = "statement of responsibility"
"""The type of a note that belongs to the title."""

_MAX_SKIPPED = 9
_JOINS_NEXT_WORD = ("'", "’", "-", " ")
_MEETING = re.compile(r"(?P<name>.*?)\s*(?P<place>\((?P<stated>[^()]*(?:\([^()]*\)[^()]*)*)\))", re.DOTALL)
_ORDINAL = re.compile(r"\[?\d+\s*(?:st|nd|rd|th|[eèaoºª.]|er|ère|-?[йяе])?\]?\.?", re.IGNORECASE)
_YEAR = re.compile(r"(?:.*\D)?\d{4}(?:\D.*)?", re.DOTALL)


def non_sorting(title: TitleInfo) -> str:
    """Return what sorting skips, with the blank that separates it from the title."""
    part = title.non_sort or ""
    return part if not part or part.endswith(_JOINS_NEXT_WORD) else f"{part} "


def full_title(title: TitleInfo) -> tuple[str, str]:
    """Return a title with its article, and the number of characters that sorting skips as an indicator."""
    skipped = non_sorting(title)
    return skipped + title.title, str(len(skipped)) if len(skipped) <= _MAX_SKIPPED else "0"


def parts_of_title(title: TitleInfo, number: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers and names of parts in turn, with these codes."""
    for position in range(max(len(title.part_number), len(title.part_name))):
        if position < len(title.part_number):
            yield number, title.part_number[position]
        if position < len(title.part_name):
            yield name, title.part_name[position]


def statements_of_responsibility(mods: Mods) -> list[Note]:
    """Return the notes that belong to titles."""
    return [note for note in mods.note if note.type == RESPONSIBILITY]


def split_meeting(text: str) -> tuple[str, str, str, str] | None:
    """Divide the heading of a meeting into name, number, date and place; None without any of these.

    >>> split_meeting("Symposium (3rd : 1990 : Paris)"), split_meeting("Gesellschaft (Berlin)")
    (('Symposium', '3rd', '1990', 'Paris'), None)
    """
    found = _MEETING.fullmatch(text)
    if found is None or not any(map(str.isdigit, found["stated"])):
        return None
    pieces = [piece.strip() for piece in found["stated"].split(" : ")]
    number = pieces.pop(0) if len(pieces) > 1 and not _YEAR.fullmatch(pieces[0]) else ""
    if not number and len(pieces) == 1 and _ORDINAL.fullmatch(pieces[0]):
        number = pieces.pop(0)
    date = pieces.pop(0) if pieces and _YEAR.fullmatch(pieces[0]) else ""
    return found["name"], number, date, " : ".join(pieces)


def enclosed(codes_and_texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put texts into one pair of parentheses with colons between them: ``(3rd :``, ``1990 :``, ``Paris)``."""
    stated = [(code, text) for code, text in codes_and_texts if text]
    last = len(stated) - 1
    return [
        (code, f"{'' if position else '('}{text}{')' if position == last else ' :'}")
        for position, (code, text) in enumerate(stated)
    ]


def bracketed(text: str, supplied: str | None) -> str:
    """Return a text in square brackets if the cataloguer supplied it."""
    return f"[{text}]" if supplied == "yes" and not text.startswith("[") else text


def places_of(info: OriginInfo) -> list[str]:
    """Return the places of an event in words."""
    return [
        bracketed(term.value, place.supplied)
        for place in info.place
        for term in place.place_term
        if term.type != "code"
    ]


def places_and_publishers(info: OriginInfo, publisher_code: str) -> Iterator[tuple[str, str]]:
    """Yield places and publishers in turn while there are as many of both, as most imprints have them."""
    places, publishers = places_of(info), [bracketed(one.value, one.supplied) for one in info.publisher]
    if len(places) == len(publishers):
        for place, publisher in zip(places, publishers, strict=True):
            yield "a", place
            yield publisher_code, publisher
    else:
        yield from (("a", place) for place in places)
        yield from ((publisher_code, publisher) for publisher in publishers)


def single_codes(terms_by_code: dict[str, str]) -> dict[str, str]:
    """Return the first code of each term in a list of codes."""
    codes: dict[str, str] = {}
    for code, term in terms_by_code.items():
        codes.setdefault(term, code)
    return codes
