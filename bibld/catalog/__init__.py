"""What is stored between runs: source records, rejects, edges, clusters, merged descriptions, quads, and ordinals.

A workspace has two SQLite databases. ``register.db`` contains what cannot be recomputed (ordinals, redirects, verdicts,
suppressions); ``catalog.db`` contains the rest and is the only commit point of a run. The register is committed first,
so every ordinal in the catalog is in the register.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from bibld.catalog._database import DatabaseWatch as DatabaseWatch
from bibld.catalog._database import check_same_workspace, is_locked, open_database, transaction
from bibld.catalog._database import lock_folder as lock_folder
from bibld.catalog._descriptions import DependencyRow as DependencyRow
from bibld.catalog._descriptions import DescriptionRow as DescriptionRow
from bibld.catalog._descriptions import Descriptions, StatementTables
from bibld.catalog._descriptions import StatementRow as StatementRow
from bibld.catalog._entities import AssertionChange as AssertionChange
from bibld.catalog._entities import AssertionKeys as AssertionKeys
from bibld.catalog._entities import Entities
from bibld.catalog._entities import EntityRow as EntityRow
from bibld.catalog._entities import StoredEntity as StoredEntity
from bibld.catalog._entities import hash_key as hash_key
from bibld.catalog._figures import CatalogFigures as CatalogFigures
from bibld.catalog._figures import SampledRecord as SampledRecord
from bibld.catalog._linkage import IndexState as IndexState
from bibld.catalog._linkage import LinkageTables, MatchingTables
from bibld.catalog._linkage import MatchingState as MatchingState
from bibld.catalog._linkage import StoredEdge as StoredEdge
from bibld.catalog._linkage import encode_edge as encode_edge
from bibld.catalog._linkage import read_edge as read_edge
from bibld.catalog._linkage import with_outcome as with_outcome
from bibld.catalog._links import LinkTables
from bibld.catalog._links import RegisteredFile as RegisteredFile
from bibld.catalog._links import StoredLink as StoredLink
from bibld.catalog._patches import Delivery as Delivery
from bibld.catalog._patches import Patches, RemoteStores
from bibld.catalog._patches import RemoteState as RemoteState
from bibld.catalog._quads import to_moved as to_moved
from bibld.catalog._queues import DirtyQueue as DirtyQueue
from bibld.catalog._queues import DirtyQueues as DirtyQueues
from bibld.catalog._queues import Queue as Queue
from bibld.catalog._queues import Runs
from bibld.catalog._queues import StageQueue as StageQueue
from bibld.catalog._record_rows import LoadCounts as LoadCounts
from bibld.catalog._record_rows import NewRecord as NewRecord
from bibld.catalog._record_rows import Reject as Reject
from bibld.catalog._record_rows import Superseded as Superseded
from bibld.catalog._records import Records
from bibld.catalog._register import EventKind as EventKind
from bibld.catalog._register import History
from bibld.catalog._register import Register as Register
from bibld.catalog._schema import CATALOG, CATALOG_FORMAT, FORMER_RECORD, REGISTER, REGISTER_FORMAT
from bibld.catalog._schema import IS_AUTHORITY as IS_AUTHORITY
from bibld.catalog._schema import IS_PUBLICATION as IS_PUBLICATION
from bibld.catalog._schema import RecordStatus as RecordStatus
from bibld.catalog._suppressions import Suppression as Suppression
from bibld.catalog._suppressions import SuppressionTables
from bibld.catalog._verdicts import RELATIONS as RELATIONS
from bibld.catalog._verdicts import Verdicts as Verdicts
from bibld.catalog._verdicts import VerdictTables as VerdictTables
from bibld.catalog.compression import Blobs
from bibld.catalog.engines import missing_results
from bibld.errors import CatalogError
from bibld.model.digest import digest as digest
from bibld.model.linkage import Cluster, Edge, Merged, Pair
from bibld.model.origin import RecordId
from bibld.model.review import PersonVerdict as PersonVerdict
from bibld.protocols import RecordEvent, SourceRecord

_CACHE_KIB = 64 * 1024
"""Memory for pages of the catalog in a run: indexes of entities and assertions are written in no order."""

_FILE = "catalog.db"

MAX_LOG_BYTES = 256 << 20
"""Bytes of the write-ahead log of the catalog before it is copied into it; pages of indexes change many times."""

_PAGE_BYTES = 4096

_INVALIDATIONS = {"merge": "UPDATE merged SET made_by = ''", "triplify": "UPDATE statement SET made_by = ''"}


class Catalog(AbstractContextManager["Catalog"]):
    """The catalog of one workspace, opened for a run (with the lock of the workspace) or for reading.

    ``config_file`` is the configuration of the workspace; messages name it in the command to run. Raises
    ``CatalogError`` if another run uses the workspace, or the databases cannot be opened.
    """

    def __init__(self, workspace: Path, read_only: bool = False, config_file: Path | None = None) -> None:
        self.workspace = workspace
        if read_only and not (workspace / _FILE).is_file():
            raise missing_results(workspace, config_file)
        with ExitStack() as opening:
            if not read_only:
                opening.callback(lock_folder(workspace).close)
            self._register_connection = open_database(
                workspace / "register.db", REGISTER, REGISTER_FORMAT, read_only, config_file
            )
            opening.callback(self._register_connection.close)
            self._connection = open_database(workspace / _FILE, CATALOG, CATALOG_FORMAT, read_only, config_file)
            opening.callback(self._connection.close)
            check_same_workspace(self._register_connection, self._connection, workspace, read_only)
            self._resources = opening.pop_all()
        if not read_only:
            self._register_connection.execute("PRAGMA synchronous = FULL")
            # Wait for people who give verdicts during a run.
            self._register_connection.execute("PRAGMA busy_timeout = 60000")
            self._connection.execute(FORMER_RECORD)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_LOG_BYTES // _PAGE_BYTES}")
        blobs = self._blobs = Blobs(self._connection)
        self.register = Register(self._register_connection)
        self.dirty = DirtyQueues(self._connection)
        self.suppressions = SuppressionTables(self.register, self._register_connection, self._connection, self.dirty)
        self.records = Records(self._connection, blobs, self.register, self.dirty, self.suppressions)
        self.worklist = self.records.worklist
        self.linkage = LinkageTables(self._connection, blobs, self.register, self.records)
        self.descriptions = Descriptions(self._connection, blobs, self.records, self.linkage)
        self.statements = StatementTables(self._connection, blobs)
        self.entities = Entities(self._connection, blobs)
        self.links = LinkTables(self._connection)
        self.verdicts = VerdictTables(self._register_connection, self.register)
        self.patches = Patches(self._connection, blobs)
        self.remote_stores = RemoteStores(self._connection)
        self.runs = Runs(self._connection)
        self.matching = MatchingTables(self._connection)
        self.history = History(self._register_connection, self.register)
        self.figures = CatalogFigures(self._connection, self._register_connection, blobs, self.suppressions)

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases and release the lock of the workspace."""
        self._resources.close()

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Commit all writes inside, or none; raises ``CatalogError`` if that fails, for example on a full disk."""
        try:
            with transaction(self._register_connection, self._connection):
                yield
        except BaseException as error:
            self._blobs.invalidate_cache()
            self.suppressions.invalidate_cache()
            if isinstance(error, sqlite3.Error):
                remedy = "free some space"
                if is_locked(error):
                    remedy = "another program is using it; wait until it has finished"
                raise CatalogError(f"the catalog cannot be written: {error}; {remedy}, then run again") from error
            raise

    def log_bytes(self) -> int:
        """Return the size of the write-ahead log of the catalog. It grows as long as somebody is reading."""
        try:
            return (self.workspace / f"{_FILE}-wal").stat().st_size
        except FileNotFoundError:
            return 0

    def empty_log(self) -> None:
        """Copy the write-ahead log into the catalog and empty it, unless another program is reading the catalog."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one committed state of the catalog inside; many queries take less time so. Nothing may be written."""
        for connection in (self._register_connection, self._connection):
            connection.execute("BEGIN")
        try:
            yield
        finally:
            for connection in (self._register_connection, self._connection):
                connection.execute("COMMIT")

    def invalidate_results(self, stage: str) -> None:
        """Mark what ``stage`` (merge or triplify) has made as outdated, so that it is made again with its cluster."""
        self._connection.execute(_INVALIDATIONS[stage])

    # -- bibld.protocols.CatalogView ----------------------------------------------------------------------------------

    def record(self, record: RecordId) -> SourceRecord | None:
        """Return one source record, live or deleted; None for an unknown one."""
        ordinal = self.register.ordinal(record)
        return None if ordinal is None else self.records.get(ordinal)

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """Return the cluster of a live record; None for any other."""
        ordinal = self.register.ordinal(record)
        if ordinal is None or not self.records.is_live(ordinal):
            return None
        return self.linkage.cluster(self.linkage.founder(ordinal))

    def merged(self, founder: RecordId) -> Merged | None:
        """Return the merged description of the cluster that this record founded; None if it founded none."""
        ordinal = self.register.ordinal(founder)
        if ordinal is None or not self.records.is_live(ordinal) or self.linkage.founder(ordinal) != ordinal:
            return None
        return self.descriptions.merged(ordinal)

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """Return the stored edges with both ends among these records, in the order of their pairs."""
        ordinals = (self.register.ordinal(record) for record in records)
        return self.linkage.edges_among([ordinal for ordinal in ordinals if ordinal is not None])

    def edge(self, pair: Pair) -> Edge | None:
        """Return the stored edge of one pair; None if there is none."""
        left, right = self.register.ordinal(pair.left), self.register.ordinal(pair.right)
        return None if left is None or right is None else self.linkage.edge(left, right)

    def events_of(self, record: RecordId) -> list[RecordEvent]:
        """Return the history of the IRI of a record, the oldest event first; none of a record that was never seen."""
        ordinal = self.register.ordinal(record)
        return self.history.events(ordinal) if ordinal is not None else []

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """Return the live record to which the IRI of a record redirects: itself, or the end of its redirects.

        Return None if there is none, or if the record must not be published.
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
        """Return the founders of up to ``count`` clusters, those with most members first, then by ordinal."""
        return [self.register.record(ordinal) for ordinal in self.linkage.largest_clusters(count)]
