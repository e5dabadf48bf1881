"""The memory between runs: source records, rejects, edges, clusters, merged descriptions, statements; and identity.

Two SQLite databases lie in a workspace. ``register.db`` holds what cannot be recomputed (ordinals, heirs, verdicts,
suppressions); ``catalog.db`` holds the rest and is the only commit point of a run. The register is committed first, so
that an ordinal in the catalog is always known to the register.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TextIO

import msgspec

from bibld.catalog._database.migration import migrate
from bibld.catalog._database.schema import CATALOG, CATALOG_FORMAT, REGISTER, REGISTER_FORMAT, opened
from bibld.catalog._pending import Pending
from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.loads import LoadCounts, NewRecord, Reject, Superseded
from bibld.catalog._records.records import Records
from bibld.catalog._register.history import EventKind, History
from bibld.catalog._register.register import Register
from bibld.catalog._register.suppressions import Suppression, Suppressions
from bibld.catalog._register.verdicts import RELATIONS, PersonVerdict, StoredVerdict, Verdicts
from bibld.catalog._results.descriptions import Descriptions
from bibld.catalog._results.entities import Entities
from bibld.catalog._results.linkage import Linkage, StoredEdge
from bibld.catalog._results.patches import Delivery, Patches
from bibld.catalog._results.segments import SegmentRow, SegmentTable
from bibld.catalog._results.statements import Statements
from bibld.catalog._runs import Runs
from bibld.errors import CatalogError
from bibld.model.linkage import Cluster, Edge, Merged, Pair
from bibld.model.origin import RecordId
from bibld.progress import Progress, Silent
from bibld.protocols import SourceRecord

__all__ = [
    "RELATIONS",
    "Catalog",
    "Delivery",
    "EventKind",
    "LoadCounts",
    "NewRecord",
    "PersonVerdict",
    "Reject",
    "SegmentRow",
    "StoredEdge",
    "StoredVerdict",
    "Superseded",
    "Suppression",
    "Verdicts",
    "digest",
]


class Catalog:
    """The catalog of one workspace, opened for a run (with the lock of the workspace) or for reading.

    For a run, one of an earlier format is brought to the present one, which ``progress`` hears of. Raises
    ``CatalogError`` where another run holds the workspace, or the databases cannot be opened.
    """

    def __init__(self, workspace: Path, read_only: bool = False, progress: Progress | None = None) -> None:
        if read_only and not (workspace / "catalog.db").is_file():
            raise CatalogError(f"{workspace}: holds no catalog yet; run `bibld run` first")
        with ExitStack() as opening:
            if not read_only:
                opening.callback(_locked(workspace).close)
                migrate(workspace, progress or Silent())
            self._register_connection = opened(workspace / "register.db", REGISTER, REGISTER_FORMAT, read_only)
            opening.callback(self._register_connection.close)
            self._connection = opened(workspace / "catalog.db", CATALOG, CATALOG_FORMAT, read_only)
            opening.callback(self._connection.close)
            _check_same_workspace(self._register_connection, self._connection, workspace, read_only)
            self._held = opening.pop_all()
        if not read_only:
            self._register_connection.execute("PRAGMA synchronous = FULL")
            self._register_connection.execute("PRAGMA busy_timeout = 60000")  # for who gives verdicts beside a run
            self._connection.execute("PRAGMA synchronous = NORMAL")
        blobs = self._blobs = Blobs(self._connection)
        self.register = Register(self._register_connection)
        self.pending = Pending(self._connection)
        self.suppressions = Suppressions(self.register, self._register_connection, self._connection, self.pending)
        self.records = Records(self._connection, blobs, self.register, self.pending, self.suppressions)
        self.linkage = Linkage(self._connection, blobs, self.register, self.records)
        self.descriptions = Descriptions(self._connection, blobs, self.records, self.linkage)
        self.statements = Statements(self._connection, blobs)
        self.entities = Entities(self._connection, blobs)
        self.patches = Patches(self._connection, blobs)
        self.runs = Runs(self._connection)
        self.segments = SegmentTable(self._connection)
        self.history = History(self._register_connection, self.register)

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases and give the workspace free."""
        self._held.close()

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Everything inside is written, or nothing; raises ``CatalogError`` when it cannot be written (a full disk)."""
        try:
            self._register_connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._register_connection.execute("COMMIT")
            self._connection.execute("COMMIT")
        except BaseException as error:
            for connection in (self._register_connection, self._connection):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            self._blobs.forget()
            self.suppressions.forget()
            if isinstance(error, sqlite3.Error):
                raise CatalogError(f"the catalog cannot be written: {error}; {_remedy(error)}") from error
            raise

    def invalidate_results(self) -> None:
        """Forget what made merged descriptions and statements, so that all are made anew where they are looked at."""
        self._connection.execute("UPDATE merged SET made_by = ''")
        self._connection.execute("UPDATE statement SET made_by = ''")

    # -- what later stages ask (bibld.protocols.CatalogView) -----------------------------------------------------------

    def record(self, record: RecordId) -> SourceRecord | None:
        """One source record, living or deleted."""
        ordinal = self.register.ordinal(record)
        return None if ordinal is None else self.records.get(ordinal)

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """The cluster of a living record."""
        ordinal = self.register.ordinal(record)
        if ordinal is None or not self.records.is_live(ordinal):
            return None
        return self.linkage.cluster(self.linkage.founder(ordinal))

    def merged(self, founder: RecordId) -> Merged | None:
        """The merged description of the cluster that this record founded."""
        ordinal = self.register.ordinal(founder)
        if ordinal is None or not self.records.is_live(ordinal) or self.linkage.founder(ordinal) != ordinal:
            return None
        return self.descriptions.merged(ordinal)

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """The stored edges with both ends among these records, in the order of their pairs."""
        ordinals = (self.register.ordinal(record) for record in records)
        return self.linkage.edges_among([ordinal for ordinal in ordinals if ordinal is not None])

    def edge(self, pair: Pair) -> Edge | None:
        """The stored edge of one pair."""
        left, right = self.register.ordinal(pair.left), self.register.ordinal(pair.right)
        return None if left is None or right is None else self.linkage.edge(left, right)

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """For a deleted record the living one that answers in its place: its heir, the heir's heir …

        Nobody answers for a record that must not be published.
        """
        ordinal = self.register.ordinal(record)
        if ordinal is not None and self.suppressions.is_suppressed(ordinal):
            return None
        seen: set[int] = set()
        while ordinal is not None and ordinal not in seen:
            if self.records.is_live(ordinal):
                return self.register.record(ordinal)
            seen.add(ordinal)
            ordinal = self.register.redirect_target(ordinal)
        return None

    def sample_founders(self, count: int) -> list[RecordId]:
        """Founders of up to ``count`` clusters, those of most members first, then by ordinal."""
        return [self.register.record(ordinal) for ordinal in self.linkage.largest_clusters(count)]


def _remedy(error: sqlite3.Error) -> str:
    """What to do about an error."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another program holds it; wait until it is done, then run again"
    return "free some space, then run again"


def _check_same_workspace(
    register: sqlite3.Connection, catalog: sqlite3.Connection, workspace: Path, read_only: bool
) -> None:
    """A catalog belongs to one register, which knows every ordinal in it; raises ``CatalogError``."""
    ids = [connection.execute("SELECT id FROM workspace").fetchone() for connection in (register, catalog)]
    if not read_only and ids[1] is None:
        ids[0] = ids[0] or (secrets.token_hex(8),)
        for connection in (register, catalog):
            connection.execute("DELETE FROM workspace")
            connection.execute("INSERT INTO workspace VALUES (?)", ids[0])
        return
    known = register.execute("SELECT coalesce(max(ordinal), 0) FROM ordinal").fetchone()[0]
    held = catalog.execute("SELECT coalesce(max(ordinal), 0) FROM record").fetchone()[0]
    if ids[0] != ids[1] or held > known:
        raise CatalogError(
            f"{workspace}: register.db is not the one that catalog.db was made with; restore it from a backup, or"
            " remove catalog.db, which is made anew from the sources"
        )


def digest(*parts: object) -> str:
    """A hash of versions, settings and other hashes, as 32 hexadecimal digits.

    Parts are anything that msgspec can write as JSON, or bytes; structs count with their type's name.
    """
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else msgspec.json.encode(part, order="deterministic")
        name = type(part).__qualname__.encode()
        state.update(b"%d %s %d:" % (len(name), name, len(data)))
        state.update(data)
    return state.hexdigest()


def _locked(workspace: Path) -> TextIO:
    """Hold the workspace for this process; raises ``CatalogError`` that says who holds it."""
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        lock = (workspace / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise CatalogError(f"{workspace}: the workspace cannot be written: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise CatalogError(
            f"{workspace}: is in use by another run (process {holder}); wait until it ends, or stop it"
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
