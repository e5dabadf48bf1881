"""How a record is stored in few bytes: MODS and original in one piece, and the subfields that are not in the MODS.

A piece is the JSON of the MODS, a line feed (which this JSON does not contain), a byte for the form of the original,
and the original; one piece compresses better than two. An ISO 2709 record is stored without its directory and lengths
if they can be computed from its fields, because digits that are not repeated compress worst.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from bibld.errors import CatalogError

_UNCHANGED, _WITHOUT_DIRECTORY = b"\0", b"\1"
_FIELD_END, _RECORD_END = b"\x1e", b"\x1d"
_LEADER, _ENTRY, _TAG = 24, 12, 3
_LEADER_REST = 14
"""Bytes of a leader that are neither record length nor base address."""

_BEFORE = 11 * 10**9
"""Added to the nine digits of an entry: two digits that, with the comma before them, take the place of its tag."""

_NUMBERS = msgspec.json.Encoder()


def pack(mods: bytes, original: bytes) -> bytes:
    """Return one piece that contains the JSON of a MODS and the original bytes."""
    return b"".join((mods, b"\n", *_without_directory(original)))


def unpack_mods(piece: bytes) -> bytes:
    """Return the JSON of the MODS in a piece; raises ``ValueError`` for bytes that are not a piece."""
    return piece[: piece.index(b"\n")]


def unpack_original(piece: bytes) -> bytes:
    """Return the original bytes in a piece; raises ``ValueError`` for bytes that are not a piece."""
    start = piece.index(b"\n") + 1
    kind, rest = piece[start : start + 1], piece[start + 1 :]
    if kind not in (_UNCHANGED, _WITHOUT_DIRECTORY):
        raise ValueError("the original is stored in an unknown form")
    return rest if kind == _UNCHANGED else _with_directory(rest)


def _without_directory(original: bytes) -> tuple[bytes | bytearray, ...]:
    """Return the form of the original, and the parts to be stored.

    Lengths and directory are left out of an ISO 2709 record if :func:`_with_directory` computes exactly the same ones.
    """
    if original[12:17].isdigit() and original[:5] == b"%05d" % len(original) and original[-2:] == b"\x1e\x1d":
        begin = int(original[12:17])
        entries = original[_LEADER : begin - 1]
        fields = original[begin:-2].split(_FIELD_END)
        if (
            len(entries) == len(fields) * _ENTRY
            and original[begin - 1 : begin] == _FIELD_END
            and _FIELD_END not in entries
        ):
            tags = bytearray(len(fields) * _TAG)
            for column in range(_TAG):
                tags[column::_TAG] = entries[column::_ENTRY]
            if entries == _directory(tags, fields):
                return _WITHOUT_DIRECTORY, original[5:12], original[17:_LEADER], tags, original[begin - 1 : -2]
    return _UNCHANGED, original


def _with_directory(stored: bytes) -> bytes:
    tags, _, content = stored[_LEADER_REST:].partition(_FIELD_END)
    directory = _directory(tags, content.split(_FIELD_END))
    base = _LEADER + len(directory) + 1
    length = base + len(content) + 2
    parts = (b"%05d" % length, stored[:7], b"%05d" % base, stored[7:_LEADER_REST], directory, _FIELD_END, content)
    return b"".join((*parts, _FIELD_END, _RECORD_END))


def _directory(tags: bytes | bytearray, fields: Sequence[bytes]) -> bytearray:
    """Return the entries of consecutive fields: tag, length including the field terminator (4 digits), start (5).

    Raises ``ValueError`` unless there are as many tags as fields.
    """
    numbers: list[int] = []
    start = _BEFORE
    for field in fields:
        size = len(field) + 1
        numbers.append(size * 100_000 + start)
        start += size
    # As JSON, which is several times faster than any other way to format many numbers.
    directory = bytearray(_NUMBERS.encode(numbers))
    del directory[-1]
    for column in range(_TAG):
        directory[column::_ENTRY] = tags[column::_TAG]
    return directory


# -- subfields ---------------------------------------------------------------------------------------------------------

FATES = ("unmapped", "private")
_MORE = 0x80


class Subfields:
    """The table of subfields that are in some record but not in its MODS. Nothing is committed here.

    A record stores the numbers of its subfields, each as often as it occurs, in groups of seven bits, the lowest first,
    with the eighth bit set if more follow (LEB128).
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[str, dict[str, int]] = {}

    def refresh(self) -> None:
        """Read the table again, because additions may have been rolled back."""
        self._numbers = {fate: {} for fate in FATES}
        for number, (name, fate) in self.names().items():
            self._numbers[fate][name] = number

    def encode(self, unmapped: Sequence[str], private: Sequence[str]) -> bytes:
        """Encode the names of subfields, each as often as it occurs, for storing them with a record."""
        fates = (unmapped, "unmapped"), (private, "private")
        try:
            small = b"".join([bytes(map(self._numbers[fate].__getitem__, names)) for names, fate in fates if names])
            if small.isascii():  # the usual case: each number is one byte
                return small
        except (KeyError, ValueError):
            pass  # a name is new, or a number is too large for a byte
        numbers = [self._number(name, fate) for names, fate in fates for name in names]
        out = bytearray()
        for number in numbers:
            while number >= _MORE:
                out.append(number & (_MORE - 1) | _MORE)
                number >>= 7
            out.append(number)
        return bytes(out)

    def decode(self, encoded: bytes, names: Mapping[int, tuple[str, str]] | None = None) -> list[tuple[str, str]]:
        """Return name and fate of the subfields of a record; raises ``CatalogError`` for damaged bytes.

        ``names`` are those of :meth:`names`, if they have been read already.
        """
        known = self.names() if names is None else names
        return [_named(number, known) for number in _values(encoded)]

    def sums(self, records: Iterable[tuple[str, bytes]]) -> list[tuple[str, str, str, int]]:
        """Count the subfields of many records (group, encoded subfields): group, name, fate and number."""
        names = self.names()
        found: dict[str, Counter[int]] = defaultdict(Counter)
        for group, encoded in records:
            found[group].update(_values(encoded))
        return [
            (group, *_named(number, names), times)
            for group, counts in found.items()
            for number, times in counts.items()
        ]

    def names(self) -> dict[int, tuple[str, str]]:
        """Return name and fate of the subfields by their numbers."""
        rows = self._connection.execute("SELECT subfield, name, fate FROM subfield")
        return {number: (name, fate) for number, name, fate in rows}

    def _number(self, name: str, fate: str) -> int:
        known = self._numbers[fate]
        if name not in known:
            cursor = self._connection.execute("INSERT INTO subfield (name, fate) VALUES (?, ?)", (name, fate))
            assert cursor.lastrowid is not None  # an INSERT that succeeded has one
            known[name] = cursor.lastrowid
        return known[name]


def _named(number: int, names: Mapping[int, tuple[str, str]]) -> tuple[str, str]:
    try:
        return names[number]
    except KeyError as error:
        raise CatalogError(f"subfield {number} is not in catalog.db; run `bibld catalog check`") from error


def _values(encoded: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in encoded:
        value |= (byte & (_MORE - 1)) << shift
        shift += 7
        if byte < _MORE:
            yield value
            value = shift = 0
