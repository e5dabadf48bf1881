"""Fill an empty workspace with the rows of another engine."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bibld.catalog._database import connect
from bibld.catalog._entities import AssertionKeys, Entities
from bibld.catalog._record_bytes import Subfields, pack
from bibld.catalog.compression import Blobs
from bibld.catalog.exchange._export import Row, WorkspaceState
from bibld.catalog.exchange._tables import MATCHING, RECORDS, TABLES, VERDICTS_OF_PAIRS, read_verdicts
from bibld.errors import CatalogError

_PROGRESS = "CREATE TABLE IF NOT EXISTS restored (portion TEXT PRIMARY KEY) WITHOUT ROWID"
"""The portions that are stored already; the table is deleted when all are."""

_TRAINED = frozenset(("edge", "quads", "entity"))
"""Kinds of blobs whose dictionary is trained on the first rows; records train their own."""


class Restoration:
    """Writes rows into both databases of a new workspace. Nothing is committed here; the catalog does that.

    ``keys_of`` reads what an assertion about an entity refers to.
    """

    def __init__(
        self,
        register: sqlite3.Connection,
        connection: sqlite3.Connection,
        blobs: Blobs,
        entities: Entities,
        keys_of: Callable[[bytes], AssertionKeys],
    ) -> None:
        self._register = register
        self._connection = connection
        self._blobs = blobs
        self._entities = entities
        self._keys_of = keys_of
        self._subfields = Subfields(connection)
        self._kept_workspace = ""
        connection.execute(_PROGRESS)

    def is_complete(self) -> bool:
        """Whether an attempt that was interrupted had stored all rows."""
        return bool(self._value("SELECT EXISTS (SELECT 1 FROM run)"))

    def is_stored(self, portion: str) -> bool:
        """Whether a portion, by its name, was stored by an attempt that was interrupted."""
        return bool(self._connection.execute("SELECT 1 FROM restored WHERE portion = ?", (portion,)).fetchone())

    def mark_stored(self, portion: str) -> None:
        """Note that a portion is stored, in the same commit as its last rows."""
        self._connection.execute("INSERT INTO restored VALUES (?)", (portion,))

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        """Store rows of a table; their cells have the order of its columns. Raises ``CatalogError``."""
        if not rows:
            return
        try:
            if table == RECORDS:
                self._insert_records(rows)
            elif table == "assertions":
                changes = [(founder, iri, body, None, votes) for founder, iri, body, votes in rows]
                self._entities.change_assertions(changes, self._keys_of)
            elif table == MATCHING:
                ((verdict_change, ordinal, made_by),) = rows
                self._connection.execute("INSERT INTO matching VALUES (?, ?)", (verdict_change, ordinal))
                self._connection.execute("INSERT INTO stage VALUES ('dedup', ?, 0)", (made_by,))
            elif table == "entities":
                self._describe_entities(rows)
            else:
                self._insert(table, rows)
        except sqlite3.IntegrityError as error:
            raise CatalogError(f"the table {table} contains a row twice, or an invalid one: {error}") from error

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        description = TABLES[table]
        connection = self._register if description.is_of_register else self._connection
        columns, cells = ", ".join(description.columns), ", ".join("?" * len(description.columns))
        query = f"INSERT INTO {description.name} ({columns}) VALUES ({cells})"
        connection.executemany(query, self._compress(table, rows))

    def _compress(self, table: str, rows: Sequence[Row]) -> Iterable[Row]:
        compressed = TABLES[table].compressed
        if not compressed:
            return rows
        stored = [list(row) for row in rows]
        for column, kind in compressed.items():
            position = list(TABLES[table].columns).index(column)
            if kind in _TRAINED:
                self._blobs.train(kind, [row[position] for row in rows if row[position] is not None])
            for row in stored:
                if row[position] is not None:
                    row[position] = self._blobs.compress(kind, row[position])
        return [tuple(row) for row in stored]

    def _insert_records(self, rows: Sequence[Row]) -> None:
        by_carrier: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            by_carrier[row[3]].append(row)
        self._subfields.refresh()
        for carrier, records in by_carrier.items():
            pieces = [pack(row[10], row[11]) for row in records]
            bodies = self._blobs.compress_all("record", carrier, pieces)
            self._connection.executemany(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (row[0], *row[3:10], self._subfields.encode(row[12], row[13]), body)
                    for row, body in zip(records, bodies, strict=True)
                ],
            )
        self._connection.executemany(
            "INSERT INTO warning VALUES (?, ?)", [(row[0], text) for row in rows for text in row[14]]
        )
        self._connection.executemany(
            "INSERT INTO format_finding VALUES (?, ?)", [(row[0], row[15]) for row in rows if row[15]]
        )

    def _describe_entities(self, rows: Sequence[Row]) -> None:
        changed = 0
        for iri, founder, quads, moved in self._compress("entities", rows):
            cursor = self._connection.execute(
                "UPDATE entity SET founder = (SELECT entity FROM entity WHERE iri = nullif(?, ?)), quads = ?, moved = ?"
                " WHERE iri = ?",
                (founder, iri, quads, moved, iri),
            )
            changed += cursor.rowcount
        if changed != len(rows):
            raise CatalogError("the table entities contains entities about which no cluster asserts anything")

    # -- the rest ------------------------------------------------------------------------------------------------------

    def keep_verdicts(self, register_file: Path, workspace: str) -> None:
        """Take the verdicts from another register of the same workspace, which may have been given meanwhile.

        Raises ``CatalogError`` if it belongs to another workspace, or has verdicts about unknown records.
        """
        with closing(connect(register_file, read_only=True)) as other:
            found = other.execute("SELECT id FROM workspace").fetchone()
            self._kept_workspace = found[0] if found is not None else ""
            if found is not None and workspace and found[0] != workspace:
                raise CatalogError(
                    f"{register_file}: is the register of another workspace; name another `workspace` in the"
                    " configuration"
                )
            for table, rows in read_verdicts(other).items():
                given = map(self._with_ordinals, rows) if table in VERDICTS_OF_PAIRS else rows
                self._replace(TABLES[table].name, list(given))

    def _with_ordinals(self, row: Row) -> Row:
        """Return a row that names two records with their ordinals here in place of their ids, the smaller first."""
        ends = [self._ordinal(*row[1:3]), self._ordinal(*row[3:5])]
        return (row[0], *sorted(ends), *row[5:])

    def _ordinal(self, source: str, control_number: str) -> int:
        found = self._register.execute(
            "SELECT ordinal FROM ordinal WHERE source = ? AND control_number = ?", (source, control_number)
        ).fetchone()
        if found is None:
            raise CatalogError(f"a person decided about {source}:{control_number}, which is in no table of records")
        return int(found[0])

    def _replace(self, table: str, rows: Sequence[Row]) -> None:
        self._register.execute(f"DELETE FROM {table}")
        if rows:
            self._register.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def state_of_rows(self, run: int) -> WorkspaceState:
        """Return the state of a workspace whose last run, ``run``, respects all verdicts stored here."""
        execute = self._register.execute
        return WorkspaceState(
            workspace="",
            run=run,
            stages={},
            entity_verdict_change=execute("SELECT coalesce(max(change), 0) FROM entity_verdict_change").fetchone()[0],
            link_verdict=execute("SELECT coalesce(max(verdict), 0) FROM link_verdict").fetchone()[0],
        )

    def end(self, state: WorkspaceState, time: str, stages: Mapping[str, str]) -> None:
        """Store what the workspace is beside its rows; ``stages``: what the results of each stage were made from.

        ``time`` is that of the last run (ISO 8601).
        """
        workspace = state.workspace or self._kept_workspace
        if workspace:
            for connection in (self._register, self._connection):
                connection.execute("UPDATE workspace SET id = ?", (workspace,))
        run = max(state.run, self._value("SELECT coalesce(max(run), 0) FROM record"))
        self._connection.execute("INSERT INTO run VALUES (?, ?, ?)", (run, time, time))
        self._connection.executemany(
            "INSERT OR REPLACE INTO stage VALUES (?, ?, ?)", [(name, made_by, run) for name, made_by in stages.items()]
        )
        self._connection.execute("INSERT INTO entity_matching VALUES (?)", (state.entity_verdict_change,))
        self._connection.execute("INSERT INTO seen_link_verdict VALUES (?)", (state.link_verdict,))
        self._connection.execute("DROP TABLE restored")

    def _value(self, query: str) -> Any:  # noqa: ANN401
        return self._connection.execute(query).fetchone()[0]
