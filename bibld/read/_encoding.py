"""Texts as bytes of the charset of a record, MARC-8 and ISO 5426 included: the inverse of decoding."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping

from bibld.read import _marc8
from bibld.text.charsets import ISO5426, MARC8

_ASCII, _EACC = 0x42, 0x31
_TO_ASCII = b"\x1b(B"
_CLUSTER = re.compile(r".[\u0300-\u036f\ufe20-\ufe2f]*", re.DOTALL)
_HALF_MARKS = frozenset("\u0360\u0361\ufe20\ufe21\ufe22\ufe23")
"""Marks over two letters, which MARC-8 has as two halves; a character reference states them without doubt."""

_Place = tuple[int, int]
"""A character set by its final byte, and the code in it."""


def encode_text(text: str, charset: str) -> bytes:
    """Encode a text in the charset of a record, which reading gives back.

    In MARC-8 a character that is in none of its sets becomes a numeric character reference, ``&#x20AC;``, as MARC 21
    provides for (https://www.loc.gov/marc/specifications/speccharconversion.html#lossless). Raises ``ValueError`` for a
    character that is not in any other charset, naming it.
    """
    composed = unicodedata.normalize("NFC", text)
    if charset in (MARC8, ISO5426):
        return _to_marc8(composed, charset)
    try:
        return composed.encode(charset)
    except UnicodeEncodeError as error:
        raise ValueError(_not_in(composed[error.start], charset)) from error


def _not_in(character: str, charset: str) -> str:
    name = unicodedata.name(character, "")
    return f"the character {character!r} (U+{ord(character):04X}{f' {name}' if name else ''}) is not in {charset}"


def _to_marc8(text: str, charset: str) -> bytes:
    """Encode a text that begins and ends with ASCII on the left and the default set on the right."""
    out = bytearray()
    current = _ASCII
    for cluster in _CLUSTER.findall(text):
        places, rest = _places_of_cluster(cluster, charset)
        if rest and charset != MARC8:
            raise ValueError(_not_in(rest[0], charset))
        for final, code in places:
            # The right side and blanks are the same whatever is on the left.
            if final not in (current, 0):
                out += _designation(final)
                current = final
            out += code.to_bytes(3, "big") if final == _EACC else bytes([code])
        if rest:
            out += b"" if current == _ASCII else _TO_ASCII
            out += b"".join(b"&#x%04X;" % ord(character) for character in rest)
            current = _ASCII
    return bytes(out + (b"" if current == _ASCII else _TO_ASCII))


def _designation(final: int) -> bytes:
    """Return the escape sequence that puts a set to the left side, where codes are below 80."""
    return b"\x1b$1" if final == _EACC else b"\x1b(" + bytes([final])


def _places_of_cluster(cluster: str, charset: str) -> tuple[list[_Place], str]:
    """Return the codes of a letter with its marks, in the order in which they are written, and what is in no set."""
    table = _reverse_table(charset)
    if len(cluster) == 1 and cluster in table:
        return [table[cluster]], ""
    decomposed = unicodedata.normalize("NFD", cluster)
    letter, marks = decomposed[0], decomposed[1:]
    if letter not in table:
        return [], cluster
    # A mark is on the right side (final 0) and precedes its letter.
    known = [mark for mark in marks if mark not in _HALF_MARKS and table.get(mark, (_ASCII, 0))[0] == 0]
    rest = "".join(mark for mark in marks if mark not in known)
    return [*(table[mark] for mark in known), table[letter]], rest


@functools.cache
def _reverse_table(charset: str) -> Mapping[str, _Place]:
    return dict(_reverse_entries(charset))


def _reverse_entries(charset: str) -> Iterator[tuple[str, _Place]]:
    """Yield the characters of all sets; the later ones win: East Asian, then the others, the default sets last."""
    sets = _marc8.sets_of(charset)
    others = sorted(final for final in sets.tables if final not in (_ASCII, sets.right))
    for final in (_EACC, *(final for final in others if final != _EACC and final in _ON_THE_LEFT)):
        for code, (point, is_mark) in sets.tables.get(final, {}).items():
            if not is_mark and point not in (0, 0xFFFD) and (final == _EACC or code & 0x7F > 0x20):
                yield chr(point), (final, code if final == _EACC else code & 0x7F)
    for code, (point, _) in sets.tables[sets.right].items():
        if code >= 0x80:
            yield chr(point), (0, code)
    for code in range(0x20, 0x7F):
        yield chr(code), (0 if code == 0x20 else _ASCII, code)


_ON_THE_LEFT = frozenset((0x4E, 0x51, 0x53, 0x32))
"""Cyrillic, extended Cyrillic, Greek and Hebrew. Arabic is written by references: its sets depend on the context."""
