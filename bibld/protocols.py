"""Every extension point of bibld on one page.

An adapter is a module in the folder of its stage (``bibld/read/iso2709.py``), or one that another distribution offers
under the entry-point group ``bibld.<stage>``. It holds a frozen ``Settings`` struct, which is its table in the
configuration, and the functions that its stage's protocol names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol

import msgspec

from bibld.errors import NotAcceptableError, ReadError
from bibld.model.linkage import Cluster, Edge, Merged, Pair, Score
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.model.release import Manifest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns, Statistics


class HarvestedFile(msgspec.Struct, frozen=True):
    """A file on disk that a source gave; ``name`` is how the configuration reaches it, with ``/`` between folders."""

    source: str
    name: str
    path: Path


class Harvester(Protocol):
    """An adapter of ``bibld/harvest/``."""

    Settings: type

    def files(self, source: str, folder: Path, settings: Any) -> Iterator[HarvestedFile]:  # noqa: ANN401
        """Fetch what is new and give every file of the source in a stable order; raises ``HarvestError``."""


class Raw(msgspec.Struct, frozen=True, gc=False):
    """The bytes of one record, cut out of its file but not yet understood."""

    origin: Origin
    data: bytes


class Row(msgspec.Struct, frozen=True, gc=False):
    """One row of a table: pairs of column name and text, in the order of the columns."""

    origin: Origin
    cells: tuple[tuple[str, str], ...]


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """What the bytes of a record say, and what had to be repaired to read them."""

    record: MarcRecord | Mods | Row
    warnings: tuple[str, ...] = ()


class Carrier(Protocol):
    """One file of one carrier, examined: a frozen struct that JSON can hold, since the catalog keeps it.

    ``declared`` is the charset that the file claims, ``charset`` the one that was found (for a file that mixes, the one
    that most records have).
    """

    @property
    def declared(self) -> str | None:
        """The charset that the file claims."""

    @property
    def charset(self) -> str:
        """The charset that was found."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the (uncompressed) file into records. Never raises for what the bytes are; a piece that is no record is
        given as a ``ReadError`` with its bytes."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError``. Needs nothing but the carrier and the bytes."""


class Reader(Protocol):
    """An adapter of ``bibld/read/``."""

    Settings: type
    CarrierType: type

    def sniffs(self, head: bytes) -> bool:
        """Whether a file that begins with these bytes (up to 64 KiB, uncompressed) is of this carrier."""

    def examine(self, stream: BinaryIO, name: str, source: str, settings: Any) -> Carrier:  # noqa: ANN401
        """Look at the (uncompressed) file once and settle what its records need: charset, namespaces …"""


class Converted(msgspec.Struct, frozen=True, gc=False):
    """A record as MODS, and what became of fields that are not in it.

    ``unmapped`` and ``private`` name a subfield for each occurrence, as ``650$5`` (a control field: ``006``).
    """

    mods: Mods
    unmapped: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Crosswalk(Protocol):
    """An adapter of ``bibld/crosswalk/``.

    An adapter may also have

    - ``PRIORITY``: an integer, 0 if absent. Auto-detection asks adapters with a higher one first; it is -1 for those
      that accept everything that is left of their family;
    - ``RULES``: the ``RuleSet`` (``bibld.crosswalk``) of which it is made, for coverage and documentation; and
      ``rules_for(settings)`` where the settings choose among several.
    """

    Settings: type

    def sniffs(self, record: MarcRecord) -> bool:
        """Whether the record is of this flavour."""

    def convert(self, record: MarcRecord, settings: Any) -> Converted:  # noqa: ANN401
        """Convert one record; raises ``CrosswalkError``. A pure function of its arguments.

        Any other exception rejects the record too, with a message that names record, crosswalk or rule, and cause.
        """


class Blocker(Protocol):
    """An adapter of ``bibld/dedup/block/``.

    Settings with a ``largest_bucket`` have those of its keys refined by more fields that more records share. An adapter
    may also have

    - ``COLUMNS``: the names of the columns that it looks at, so that no others are read;
    - ``signatures(columns, settings)``: a hash of 64 bits for each row, shape (n,), that depends on the row and the
      settings alone, with ``distance(settings)``: two rows that met are candidates only where their hashes differ in
      no more bits than that;
    - ``IS_CERTAIN = True``: rows that met are candidates however unlike they look.
    """

    Settings: type
    FAMILIES: tuple[str, ...]
    """What the keys are made of, for people; up to 64 kinds."""

    def keys(
        self,
        columns: FeatureColumns,
        settings: Any,  # noqa: ANN401
        statistics: Statistics,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Blocking keys and the rows (positions in ``columns``) that have them; two rows with a key in common meet and
        are a candidate pair. ``columns`` are some of all rows. The first byte of a key is the number of its family. The
        keys of a row depend on the row, the settings and the frozen statistics alone."""


class Scorer(Protocol):
    """An adapter of ``bibld/dedup/score/``.

    Its settings have ``same``. With a ``review`` below it, a score at or above ``same`` means the same and one between
    the two is for review, and all exceptions apply. Without, the decision is the paper's: the same above ``same``
    unless part numbers conflict.
    """

    Settings: type

    def scores(
        self,
        columns: FeatureColumns,
        left: npt.NDArray[np.uint32],
        right: npt.NDArray[np.uint32],
        settings: Any,  # noqa: ANN401
    ) -> npt.NDArray[np.float32]:
        """Score pairs of rows, between 0 and 1. The score of a pair depends on what its rows hold alone."""

    def explain(
        self,
        columns: FeatureColumns,
        left: npt.NDArray[np.uint32],
        right: npt.NDArray[np.uint32],
        settings: Any,  # noqa: ANN401
    ) -> Iterator[Score]:
        """Score pairs of rows, and say of each from what, in their order."""


class Holder(msgspec.Struct, frozen=True):
    """A record as merging knows it.

    ``changed`` is when it was last made or changed, as digits from the year down to the day or the second, empty where
    that is not known; ``trust`` is that of its source.
    """

    record: RecordId
    changed: str = ""
    trust: int = 1


class Statement(msgspec.Struct, frozen=True):
    """What one record says of an element of MODS, or of a child of one: its values, at least one."""

    holder: Holder
    values: tuple[Any, ...]


class MergePolicy(Protocol):
    """An adapter of ``bibld/merge/``.

    It chooses records, not values: merging itself decides which values are equal, shows each in its fullest form and
    notes what is not shown. An adapter may name in ``SINGLE`` the policy for what a publication has once (its dates,
    its edition, its extent); without, its own holds there too.
    """

    Settings: type

    def choose(self, statements: Sequence[Statement], settings: Any) -> Sequence[int]:  # noqa: ANN401
        """Of the records of a cluster that have any value, the oldest first, the numbers of those whose values are
        shown, in the order in which they are."""


class SourceRecord(msgspec.Struct, frozen=True):
    """A record as the catalog holds it.

    ``original`` are its bytes, which ``reader`` (an adapter's name) reads with the ``carrier`` (the JSON of a
    ``Carrier``); ``flavour`` names the crosswalk. A deleted record keeps its last state.
    """

    id: RecordId
    ordinal: int
    origin: Origin
    original: bytes
    reader: str
    carrier: bytes
    flavour: str
    mods: Mods
    deleted: bool = False


class CatalogView(Protocol):
    """What the stages after dedup may ask of the catalog."""

    def record(self, record: RecordId) -> SourceRecord | None:
        """One source record."""

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """The cluster of a living record; one that has no duplicates is a cluster of its own."""

    def merged(self, founder: RecordId) -> Merged | None:
        """The merged description of the cluster that this record founded."""

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """The stored edges with both ends among these records, in the order of their pairs."""

    def edge(self, pair: Pair) -> Edge | None:
        """The stored edge of one pair."""

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """For a deleted record the living one that answers in its place."""

    def sample_founders(self, count: int) -> list[RecordId]:
        """Founders of up to ``count`` clusters, those of most members first, then by ordinal."""


ResultKind = Literal["table", "boolean", "graph"]
"""What a query gives: SELECT a table, ASK a boolean, CONSTRUCT and DESCRIBE a graph."""


class Query(msgspec.Struct, frozen=True):
    """A SPARQL query of a stranger, and how its result is written.

    ``table`` is the media type for tables and booleans, ``graph`` that for graphs; None where the client accepts none.
    The dataset is the two lists of graph IRIs; without them it is what the query itself names after ``FROM``, or
    (``union``) all graphs as one. ``prefixes`` map names to namespaces, for Turtle and RDF/XML.
    """

    text: str
    base: str
    union: bool = True
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    table: str | None = "application/sparql-results+json"
    graph: str | None = "text/turtle"
    prefixes: dict[str, str] = {}

    def media_type(self, kind: ResultKind) -> str:
        """Return the media type for a result of this kind; raises ``NotAcceptableError`` where there is none."""
        media_type = self.graph if kind == "graph" else self.table
        if media_type is None:
            raise NotAcceptableError(kind)
        return media_type


class ReadableStore(Protocol):
    """A triple store that is asked, not changed. Quads are lines of N-Quads (``bibld.model.rdf``).

    Every method raises ``StoreError`` when the store fails.
    """

    def quads(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> Iterator[str]:
        """Yield the quads of all graphs that have these IRIs, in any order; none for a text that is not an IRI.

        They are fetched as they are asked for: bibld often needs only the first ones.
        """

    def query(self, sparql: str, timeout: float | None = None, union: bool = True) -> Sequence[Sequence[str | None]]:
        """Return the rows of a SELECT query as N-Triples terms, None for an unbound variable.

        Raises ``QueryTimeoutError`` after ``timeout`` seconds. ``union``: a query without a dataset clause sees all
        graphs as one, else only the default graph.
        """

    def answer(self, query: Query, out: BinaryIO) -> ResultKind:
        """Evaluate a query and write its result to ``out`` in ``query.media_type(kind)``.

        Runs in a process of its own that is killed at the deadline or when it takes too much memory. ``out.write``
        raises when the result is too large; let that exception pass. Raises ``BadQueryError``.
        """

    def close(self) -> None:
        """Close the store; no method is called afterwards."""


class Store(ReadableStore, Protocol):
    """The live triple store of a workspace."""

    def load(self, quads: Iterable[str]) -> None:
        """Add many quads."""

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Remove quads, then add others. To add a quad that is there, or remove one that is not, changes nothing."""

    def count(self) -> int:
        """Return the number of quads."""

    def backup(self, folder: Path) -> None:
        """Write a copy of the present state into a folder that does not exist yet, for ``open_copy``."""


class StoreBackend(Protocol):
    """An adapter of ``bibld/store/``."""

    Settings: type

    def open_store(self, folder: Path, settings: Any) -> Store:  # noqa: ANN401
        """Open the live store of a workspace, which is created where there is none; raises ``StoreError``."""

    def open_copy(self, folder: Path, settings: Any) -> ReadableStore:  # noqa: ANN401
        """Open what ``backup`` wrote, for reading only. The server and each of its query processes open it at the same
        time. Raises ``StoreError``."""


class PreviousRelease(msgspec.Struct, frozen=True):
    """The release that the next one follows, in its folder."""

    folder: Path
    manifest: Manifest


class ReleaseDraft(msgspec.Struct, frozen=True):
    """A release in the making.

    ``manifest`` has no files yet: all files that the parts write directly into ``folder`` are added at the end.
    ``previous`` is None where the release has no patch. ``store`` is the live store; ``quads`` begins a pass over the
    quads of the catalog, in the order of the dumps; ``changes`` opens the lines (without line end, sorted) that were
    added (True) and removed (False) since the previous release. ``examples`` are resource IRIs to try, ``settings`` the
    table ``[publish]``.

    Statements in lines of N-Quads: ``description`` are all of the graph ``dataset``, ``source_statements`` those
    that are among ``quads`` too, ``run_statements`` all of the graph ``run``, which are in the store and in no dump.
    """

    manifest: Manifest
    folder: Path
    previous: PreviousRelease | None
    store: Store
    quads: Callable[[], Iterable[str]]
    changes: Callable[[], AbstractContextManager[Iterator[tuple[bytes, bool]]]]
    examples: tuple[str, ...]
    settings: Any
    source_statements: frozenset[str]
    description: frozenset[str]
    run_statements: tuple[str, ...] = ()


class ReleasePart(Protocol):
    """An adapter of ``bibld/publish/``: writes one part of a release. ``[publish] parts`` names those that are used."""

    Settings: type

    def write(self, draft: ReleaseDraft, settings: Any) -> ReleaseDraft:  # noqa: ANN401
        """Write files into the folder of the release; returns the draft with what other parts or the manifest need.

        Raises ``StageError``; any other exception than an ``OSError`` is reported with the name of the part.
        """


EXTENSION_POINTS: dict[str, type] = {
    "harvest": Harvester,
    "read": Reader,
    "crosswalk": Crosswalk,
    "dedup.block": Blocker,
    "dedup.score": Scorer,
    "merge": MergePolicy,
    "store": StoreBackend,
    "publish": ReleasePart,
}
"""The protocol of the adapters of each stage; an entry point is in the group ``bibld.<stage>``."""

SETTINGS_MAY_BE_REQUIRED = frozenset({"harvest"})
"""Stages whose adapters may have settings without a default, because each source configures them."""
