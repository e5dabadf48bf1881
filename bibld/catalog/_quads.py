"""Quads that are stored by their owner: a cluster or an entity."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bibld.catalog.compression import Blobs
from bibld.model.rdf import replace_entities


class QuadTable:
    """A table that has the quads of owners, in the order of a column. Nothing is committed here; the catalog does that.

    A subclass names the ``table``, the column with the number of the ``owner``, the column of the ``order``, and the
    ``kind`` of its blobs.
    """

    table: str
    owner: str
    order: str
    kind: str

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def quads(self, owner: int) -> bytes:
        """Return the quads of an owner as N-Quads, with the IRIs of the founders of entities that they point to.

        Empty if it has not been described yet, or if it is an entity that is not a founder.
        """
        row = self._connection.execute(
            f"SELECT quads, moved FROM {self.table} WHERE {self.owner} = ? AND quads IS NOT NULL", (owner,)
        ).fetchone()
        return self._with_founders(*row) if row else b""

    def all_quads(self, first: int = 0, last: int = sys.maxsize) -> Iterator[bytes]:
        """Yield the quads of each owner from the number ``first`` to ``last``, in the order of the table."""
        rows = self._connection.execute(
            f"SELECT quads, moved FROM {self.table} WHERE {self.owner} BETWEEN ? AND ? AND quads IS NOT NULL"
            f" ORDER BY {self.order}",
            (first, last),
        )
        for quads, moved in rows:
            yield self._with_founders(quads, moved)

    def _with_founders(self, quads: bytes, moved: str | None) -> bytes:
        lines = self._blobs.decompress(quads)
        return replace_entities(lines, msgspec.json.decode(moved)) if moved else lines

    def owners(self) -> Iterator[int]:
        """Yield the number of every owner, ascending."""
        for (owner,) in self._connection.execute(f"SELECT {self.owner} FROM {self.table} ORDER BY {self.owner}"):
            yield owner

    def set_moved(self, owner: int, moved: Mapping[str, str]) -> None:
        """Store the IRIs of entities that the quads of an owner point to, and of their founders, where they differ."""
        self._connection.execute(f"UPDATE {self.table} SET moved = ? WHERE {self.owner} = ?", (to_moved(moved), owner))

    def is_trained(self) -> bool:
        """Whether the compression is trained on samples."""
        return self._blobs.is_trained(self.kind)

    def train_dictionary(self, samples: Sequence[bytes]) -> None:
        """Train the compression of quads on samples, unless it is trained already."""
        self._blobs.train(self.kind, samples)


def to_moved(founders: Mapping[str, str]) -> str | None:
    """Return IRIs of entities and those of their founders as they are stored; None if there are none."""
    return json.dumps(founders, ensure_ascii=False, sort_keys=True) if founders else None
