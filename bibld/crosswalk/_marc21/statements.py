"""Holdings statements: 866-868 as they are, 853-855 (captions) with 863-865 (numbers and dates) as one text.

The text follows ANSI/NISO Z39.71: ``v.1-v.5 (1990-1995)``, ``v.33:no.1 (2016:Jan. 15)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import EnumerationAndChronology

_UNIT_TYPES = {
    "853": "1", "863": "1", "866": "1", "854": "2", "864": "2", "867": "2", "855": "3", "865": "3", "868": "3",
}  # fmt: skip
"""Tag → unit type of MODS: the basic unit, supplements, indexes."""

_CAPTIONS, _PIECES, _TEXTS = ("853", "854", "855"), ("863", "864", "865"), ("866", "867", "868")
_ENUMERATION, _ALTERNATIVE_ENUMERATION, _CHRONOLOGY = "abcdef", "gh", "ijklm"
_MONTHS = ("Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.")
_PARTS_OF_YEAR = {f"{number:02}": name for number, name in enumerate(_MONTHS, 1)} | {
    "21": "Spring", "22": "Summer", "23": "Autumn", "24": "Winter",
}  # fmt: skip
_NOT_LINKED = ("", "0")


def holdings_statements(fields: Sequence[DataField]) -> Iterator[EnumerationAndChronology]:
    """Yield the statements of one holding: a text of each unit type, such as of all its indexes.

    Pieces are left out where a textual field has the same link number, which replaces them.
    """
    captions = {(_UNIT_TYPES[field.tag], _link_number(field)): field for field in fields if field.tag in _CAPTIONS}
    replaced = {
        (_UNIT_TYPES[field.tag], _link_number(field))
        for field in fields
        if field.tag in _TEXTS and _link_number(field) not in _NOT_LINKED
    }
    texts: dict[str, str] = {}
    for field in fields:
        unit_type = _UNIT_TYPES[field.tag]
        key = unit_type, _link_number(field)
        if field.tag in _TEXTS:
            _add(texts, unit_type, join(field, "a"), "; ")
        elif field.tag in _PIECES and key not in replaced:
            _add(texts, unit_type, format_piece(field, captions.get(key)), ", ")
    for unit_type in sorted(texts):
        yield EnumerationAndChronology(value=texts[unit_type], unit_type=unit_type)


def _add(texts: dict[str, str], unit_type: str, text: str, between: str) -> None:
    """Add a text to those of its unit type; one that ends in a comma goes on in the next field."""
    before = texts.get(unit_type, "")
    if text:
        texts[unit_type] = f"{before}{' ' if before.endswith(',') else between}{text}" if before else text


def _link_number(field: DataField) -> str:
    """Return the number before the point in ``$8``: 853 ``$81`` and 863 ``$81.2`` belong together."""
    return (field.first("8") or "").partition(".")[0].strip()


def format_piece(piece: DataField, captions: DataField | None) -> str:
    """Write the numbers and dates of a field 863-865 with the captions of its pattern, in parentheses the dates."""
    numbers = _range(piece, captions, _ENUMERATION, ":" * len(_ENUMERATION))
    alternative = _range(piece, captions, _ALTERNATIVE_ENUMERATION, "::")
    dates = _range(piece, captions, _CHRONOLOGY, "::   ")
    text = " = ".join(filter(None, (numbers, alternative)))
    return f"{text} ({dates})" if text and dates else text or dates


def _range(piece: DataField, captions: DataField | None, codes: str, separators: str) -> str:
    """Write the levels of a piece, or of a range of pieces: ``v.1:no.1-v.2:no.6``; an open range ends in a hyphen.

    ``codes`` are the subfields of the levels, each with what separates it from that above. Levels above the first that
    differs are written once: ``v.1:no.1-no.4``.
    """
    first = last = ""
    is_range = is_closed = False
    for code, separator in zip(codes, separators, strict=True):
        value = piece.first(code)
        if not value:
            continue
        caption = (captions.first(code) if captions is not None else None) or ""
        start, hyphen, end = (_named(part, caption) for part in value.partition("-"))
        shown = _shown(caption)
        first += (separator if first else "") + shown + start
        is_range = is_range or hyphen == "-"
        is_closed = is_closed or bool(end)
        if is_range:
            last += (separator if last else "") + shown + (end if hyphen else start)
    return f"{first}-{last if is_closed else ''}" if is_range else first


def _named(value: str, caption: str) -> str:
    """Return the name of a month or season, if the caption states that the value is the number of one."""
    if "month" in caption or "season" in caption:
        return "/".join(_PARTS_OF_YEAR.get(number, number) for number in value.split("/"))
    return value


def _shown(caption: str) -> str:
    """Return a caption as it is written before a number; one in parentheses is a remark and not written."""
    if caption.startswith("("):
        return ""
    return f"{caption} " if caption[-1:].isalpha() else caption
