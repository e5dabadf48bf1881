"""The subfields of a record that are not in its MODS, in a few bytes for each record."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bibld.errors import CatalogError

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
