"""Texts as records write them: character references, the punctuation of ISBD, addresses, dates."""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from bibld.crosswalk._abbreviations import ends_in_abbreviation, ends_in_abbreviation_of_extent, ends_in_initial
from bibld.model.marc import DataField


def join(field: DataField, codes: str, between: str = " ") -> str:
    """Join the texts of the subfields with these codes, in record order."""
    return between.join([subfield.value for subfield in field.subfields if subfield.code in codes])


def chopped_values(field: DataField, *codes: str) -> list[str]:
    """Return the chopped texts of the subfields with one of these codes, without empty ones."""
    return [text for text in map(chop, field.values(*codes)) if text]


# --- character references

_CHARACTER_REFERENCE = re.compile(r"&(?:#[0-9]{2,7}|#[xX][0-9A-Fa-f]{2,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TIMES_ENCODED = 3
_NO_CHARACTER = "\ufffd"


def with_characters(text: str) -> str:
    """Return a text with characters in place of references of HTML and XML to them, also where they are encoded twice.

    What is not a complete reference, or names no character, stays as it is.

    >>> with_characters("&#1071;"), with_characters("l&amp;#x2019;art"), with_characters("AT&T;")
    ('Я', 'l’art', 'AT&T;')
    """
    for _ in range(_TIMES_ENCODED):
        decoded = _CHARACTER_REFERENCE.sub(_character, text)
        if decoded == text:
            break
        text = decoded
    return text


def _character(reference: re.Match[str]) -> str:
    character = html.unescape(reference[0])
    return character if character and character != _NO_CHARACTER and ";" not in character else reference[0]


# --- ISBD: the punctuation between the parts of a description

_MARKS = " .,:;/،؛"
_CLOSING = _MARKS + "="
_LEADING = " .,:;/="
_BETWEEN_AREAS = " ,:;/=+"

_COMMA_IN_QUOTES = re.compile(r',(["”])(?=[ .,]*$)')

_OPENING_SUPPLIED = "["
_CLOSING_SUPPLIED = "]"


def chop(text: str) -> str:
    """Remove the marks before and after another part: ``. : , ; /`` and `` =`` at the end (also their Arabic forms).

    An ellipsis stays, and so does the full stop of an abbreviation (``etc.``, ``U.S.``, ``Toronto, Ont.``). At the
    beginning a mark is removed only before a blank.
    """
    if not text or (text[-1] not in _CLOSING and text[0] not in _LEADING):
        return text
    return _chopped(text, ends_in_abbreviation)


def chop_name(text: str) -> str:
    """Remove marks as :func:`chop` does; the full stop of a final initial stays (``Kemble, E. W.``).

    A comma that is printed before the quotation mark at the end is removed, too (``Hines, Earl "Fatha,"``).
    """
    if ',"' in text or ",”" in text:
        text = _COMMA_IN_QUOTES.sub(r"\1", text)
    if not text or (text[-1] not in _CLOSING and text[0] not in _LEADING):
        return text
    return _chopped(text, ends_in_initial)


def chop_extent(text: str) -> str:
    """Remove marks as :func:`chop` does; the full stop of a unit stays (``325 p.``), but ``23 cm`` has none."""
    return _chopped(text.rstrip(_BETWEEN_AREAS), ends_in_abbreviation_of_extent)


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


def with_balanced_brackets(field: DataField) -> DataField:
    """Close each bracket in the subfield that opens it, and open it in each subfield up to the one that closes it.

    ``$a[Ottawa :$bCollège,$c1910]`` becomes ``$a[Ottawa] :$b[Collège],$c[1910]``. A square bracket without a partner in
    the field has it at the end or the beginning of the same subfield; a round one is only closed.
    """
    for subfield in field.subfields:
        text = subfield.value
        if ("[" in text or "]" in text) and text.count("[") != text.count("]"):
            break
        if "(" in text and text.count("(") > text.count(")"):
            break
    else:
        return field
    texts = [subfield.value for subfield in field.subfields]
    balanced: list[str] = []
    is_within = False
    for position, text in enumerate(texts):
        opened = f"{_OPENING_SUPPLIED}{text}" if is_within else text
        is_open = opened.rfind(_OPENING_SUPPLIED) > opened.rfind(_CLOSING_SUPPLIED)
        following = "".join(texts[position + 1 :])
        if is_open:
            closing, opening = following.find(_CLOSING_SUPPLIED), following.find(_OPENING_SUPPLIED)
            is_within = closing >= 0 and (opening < 0 or closing < opening)
            opened = _closed(opened, _OPENING_SUPPLIED, _CLOSING_SUPPLIED)
        else:
            is_within = False
            if _CLOSING_SUPPLIED in opened.partition(_OPENING_SUPPLIED)[0]:
                opened = f"{_OPENING_SUPPLIED}{opened}"
        if ")" not in following and opened.rfind("(") > opened.rfind(")"):
            opened = _closed(opened, "(", ")")
        balanced.append(opened)
    subfields = tuple(
        replace(subfield, value=value) if value is not subfield.value else subfield
        for subfield, value in zip(field.subfields, balanced, strict=True)
        if value
    )
    return replace(field, subfields=subfields)


def _closed(text: str, opening: str, closing: str) -> str:
    """Return a text with a bracket closed before the marks at its end; one that encloses nothing is removed."""
    content = text.rstrip(_BETWEEN_AREAS)
    if content.endswith(opening):
        return content.removesuffix(opening).rstrip()
    return f"{content}{closing}{text[len(content) :]}"


def _chopped(text: str, keeps_full_stop: Callable[[str], bool]) -> str:
    if text[1:2] == " " and text[0] in _LEADING and not text.startswith(". ."):
        text = text.lstrip(_LEADING)
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
    digits = text[:8]
    if len(digits) < 8 or not (digits.isdecimal() and digits.isascii()):
        return None
    try:
        return datetime.date.fromisoformat(digits).isoformat()
    except ValueError:
        return None


def iso_time(text: str) -> str | None:
    """Return field 005, ``YYYYMMDDHHMMSS.F``, as ``YYYY-MM-DDTHH:MM:SS`` (ISO 8601; a date where no time is stated)."""
    text = text.strip()
    day, digits = iso_day(text), text[8:14]
    if day is None or len(digits) < 6 or not (digits.isdecimal() and digits.isascii()):
        return day
    try:
        return f"{day}T{datetime.time.fromisoformat(digits).isoformat()}"
    except ValueError:
        return day
