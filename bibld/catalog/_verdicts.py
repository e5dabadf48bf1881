"""Verdicts of people about records, entities and links; they are in the register, because nothing can recompute them.

The last verdict about an item is in force. People give and withdraw verdicts also during a run: in short transactions,
without the lock of the workspace.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from bibld.catalog._database import is_locked, open_database, transaction
from bibld.catalog._register import Register
from bibld.catalog._schema import REGISTER, REGISTER_FORMAT
from bibld.catalog.engines import missing_results
from bibld.errors import CatalogError
from bibld.model.linkage import Pair
from bibld.model.review import EntityPair, Item, ItemKind, LinkCandidate, PersonVerdict, kind_of

RELATIONS = ("same_set", "part_of", "other_edition", "other_format", "translation")
"""How two records can be related."""

PATIENCE = 30.0
"""Seconds to wait for a run that is writing into the register."""


class _Table(NamedTuple):
    """Where the verdicts of a kind are: their table, the columns of the item, and the table of changed items."""

    name: str
    left: str
    right: str
    changes: str = ""


_TABLES = {
    ItemKind.RECORDS: _Table("verdict", "left_ordinal", "right_ordinal", "verdict_change"),
    ItemKind.ENTITIES: _Table("entity_verdict", "left_path", "right_path", "entity_verdict_change"),
    ItemKind.LINKS: _Table("link_verdict", "entity", "target"),
}


class VerdictTables:
    """The tables of verdicts in an open register. Nothing is committed here."""

    def __init__(self, connection: sqlite3.Connection, register: Register) -> None:
        self._connection = connection
        self._register = register

    # -- reading -----------------------------------------------------------------------------------------------------

    def current(self, kind: ItemKind = ItemKind.RECORDS) -> list[PersonVerdict]:
        """Return the verdicts of a kind that are in force, in the order in which they were given."""
        table = _TABLES[kind]
        last = f"verdict IN (SELECT max(verdict) FROM {table.name} GROUP BY {table.left}, {table.right})"
        return self._select(kind, last)

    def get(self, item: Item) -> PersonVerdict | None:
        """Return the verdict about an item that is in force."""
        table, key = _TABLES[kind_of(item)], self._key(item)
        where = f"{table.left} = ? AND {table.right} = ?"
        last = f"verdict = (SELECT max(verdict) FROM {table.name} WHERE {where})"
        return next(iter(self._select(kind_of(item), last, key)), None)

    def of_entity(self, entity: str) -> dict[str, PersonVerdict]:
        """Return the verdicts in force about the links of an entity (its path), by target, the latest last."""
        last = "verdict IN (SELECT max(verdict) FROM link_verdict WHERE entity = ? GROUP BY target)"
        found = self._select(ItemKind.LINKS, last, (entity,))
        return {one.item.target: one for one in found if isinstance(one.item, LinkCandidate)}

    def changed_entities(self, after: int) -> tuple[int, list[str]]:
        """Return the number of the last verdict about links, and the entities with verdicts after a number."""
        last = self._connection.execute("SELECT coalesce(max(verdict), 0) FROM link_verdict").fetchone()[0]
        rows = self._connection.execute(
            "SELECT DISTINCT entity FROM link_verdict WHERE verdict > ? ORDER BY 1", (after,)
        )
        return int(last), [entity for (entity,) in rows]

    def decisions(self) -> dict[tuple[int, int], str]:
        """Return the decision about each pair of ordinals (the smaller first): same, different or related."""
        rows = self._connection.execute(
            "SELECT left_ordinal, right_ordinal, decision, max(verdict) FROM verdict"
            " GROUP BY left_ordinal, right_ordinal"
        )
        return {(left, right): decision for left, right, decision, _ in rows}

    def ordinals(self, pair: Pair) -> tuple[int, int]:
        """Return the ordinals of a pair, the smaller first; raises ``KeyError`` for an unknown record."""
        one, other = self._register.ordinal(pair.left), self._register.ordinal(pair.right)
        if one is None or other is None:
            raise KeyError(pair.left if one is None else pair.right)
        return min(one, other), max(one, other)

    def pair(self, ordinals: tuple[int, int]) -> Pair:
        """Return the pair that has these ordinals."""
        return Pair.from_records(*map(self._register.record, ordinals))

    def _key(self, item: Item) -> tuple[Any, Any]:
        """Return what the two columns of an item contain."""
        if isinstance(item, Pair):
            return self.ordinals(item)
        return (item.left, item.right) if isinstance(item, EntityPair) else (item.entity, item.target)

    def _item(self, kind: ItemKind, left: Any, right: Any) -> Item:  # noqa: ANN401
        if kind == ItemKind.RECORDS:
            return self.pair((left, right))
        return EntityPair(left, right) if kind == ItemKind.ENTITIES else LinkCandidate(left, right)

    def _select(self, kind: ItemKind, condition: str, values: tuple[object, ...] = ()) -> list[PersonVerdict]:
        """Return the verdicts of a kind that fulfil a condition, but for withdrawn ones, in order."""
        table = _TABLES[kind]
        relation = "relation" if kind == ItemKind.RECORDS else "''"
        rows = self._connection.execute(
            f"SELECT {table.left}, {table.right}, decision, person, reason, {relation}, given_at, verdict"
            f" FROM {table.name} WHERE {condition} AND decision <> 'withdrawn' ORDER BY verdict",
            values,
        ).fetchall()
        return [PersonVerdict(self._item(kind, left, right), *others) for left, right, *others in rows]

    # -- in a transaction -------------------------------------------------------------------------------------------

    def add(self, verdicts: Iterable[PersonVerdict], given_at: str) -> list[PersonVerdict]:
        """Store verdicts; return those that are new, not repetitions. Raises ``KeyError`` for an unknown record.

        A verdict about records repeats the one in force if all of it is equal, others if the decision is.
        """
        return [new for verdict in verdicts if (new := self._add(verdict, given_at)) is not None]

    def _add(self, verdict: PersonVerdict, given_at: str) -> PersonVerdict | None:
        key, before = self._key(verdict.item), self.get(verdict.item)
        new = replace(verdict, given_at=given_at, number=0)
        if before is None and verdict.decision == "withdrawn":
            return None
        is_same = before is not None and before.decision == verdict.decision
        if before is not None and verdict.kind == ItemKind.RECORDS:
            is_same = replace(before, given_at=given_at, number=0) == new
        if is_same:
            return None
        table = _TABLES[verdict.kind]
        row = {table.left: key[0], table.right: key[1], "decision": verdict.decision, "person": verdict.person}
        row |= {"reason": verdict.reason, "given_at": given_at}
        if verdict.kind == ItemKind.RECORDS:
            row["relation"] = verdict.relation
        cursor = self._connection.execute(
            f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        self._note_change(table, key)
        return replace(new, number=cursor.lastrowid)

    def withdraw(self, verdict: PersonVerdict) -> bool:
        """Delete a stored verdict, so that the one before is in force again; return whether it was still stored."""
        table = _TABLES[verdict.kind]
        cursor = self._connection.execute(f"DELETE FROM {table.name} WHERE verdict = ?", (verdict.number,))
        if cursor.rowcount:
            self._note_change(table, self._key(verdict.item))
        return cursor.rowcount > 0

    def _note_change(self, table: _Table, key: tuple[object, object]) -> None:
        if table.changes:
            columns = f"{table.left}, {table.right}"
            self._connection.execute(f"INSERT INTO {table.changes} ({columns}) VALUES (?, ?)", key)


class Verdicts(VerdictTables, AbstractContextManager["Verdicts"]):
    """The verdicts of one workspace, to be given also during a run.

    A run uses the verdicts that were given before its matching began; later ones wait for the next run.
    ``config_file`` is the configuration of the workspace; messages name it in the command to run. Raises
    ``CatalogError`` if there is no register, or it cannot be opened.
    """

    def __init__(self, workspace: Path, patience: float = PATIENCE, config_file: Path | None = None) -> None:
        self._file = workspace / "register.db"
        self._patience = patience
        if not self._file.is_file():
            raise missing_results(workspace, config_file)
        connection = open_database(self._file, REGISTER, REGISTER_FORMAT, False, config_file)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        super().__init__(connection, Register(connection))

    def __exit__(self, *failure: object) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes inside, or none; no other process writes meanwhile. Raises ``CatalogError``."""
        try:
            with transaction(self._connection):
                yield
        except sqlite3.Error as error:
            what = f"cannot be written: {error}; no verdict was saved"
            if is_locked(error):
                what = (
                    f"a run has been writing for more than {self._patience:g} seconds; no verdict was saved, give"
                    " it again in a moment"
                )
            raise CatalogError(f"{self._file}: {what}") from error
