"""Every extension point of bibld on one page.

An adapter is a module or package in the folder of its stage (``bibld/read/iso2709.py``), or one that another
distribution offers in the entry-point group ``bibld.<stage>``. It contains a frozen ``Settings`` struct, which is its
table in the configuration, and the functions that the protocol of its stage names; what is optional is listed in the
protocol's docstring. ``EXTENSION_POINTS``, at the end, maps stages to protocols. ``bibld.protocols.adapters`` finds
adapters and compares them with their protocol; an adapter that does not keep it is reported and left out.

Readers and crosswalks are detected where the configuration has ``auto``: their ``sniffs`` is asked in the order of an
optional ``PRIORITY`` (an integer, 0 if absent; higher first), then built-in adapters before others, then by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol

import msgspec

from bibld.errors import NotAcceptableError, ReadError
from bibld.model.authority import Authority
from bibld.model.brief import brief
from bibld.model.linkage import Cluster, Edge, Merged, Pair, Score
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.model.release import Manifest, QuadCounts
from bibld.model.works import WorkDescription, WorkOfPublication

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns, Statistics


# --- harvest: fetch the files of a source


class HarvestedFile(msgspec.Struct, frozen=True):
    """A file of a source, on disk; ``name`` is its path from the configuration, with ``/`` between folders."""

    source: str
    name: str
    path: Path


class Harvester(Protocol):
    """An adapter of ``bibld/harvest/``: fetches the files of a source.

    Its settings may have no default. It may also have

    - ``faults(folder, settings)``: yields pairs of a key and what is wrong with it, before anything is started;
    - ``on_disk(folder, settings)``: the paths of the files that exist already, to check the columns of tables early.
    """

    Settings: type

    def files(self, source: str, folder: Path, settings: Any) -> Iterator[HarvestedFile]:  # noqa: ANN401
        """Fetch what is new, and yield every file of the source in a stable order; raises ``HarvestError``.

        ``source`` is the id of the source, ``folder`` that of the configuration.
        """


class Fetched(msgspec.Struct, frozen=True):
    """How a harvest ended.

    ``complete``: the end of what was asked for was proven. ``partial``: what came may be used, but what did not come
    may exist all the same. ``failed``: nothing came. ``reasons`` state why it is not complete, and what to do.

    What the adapter wants to know in the next harvest is stored together with the deletions that follow from a
    complete one: the values ``if_accepted``, or ``if_withdrawn`` if the list is not believed (None removes a value).
    """

    outcome: Literal["complete", "partial", "failed"]
    reasons: tuple[str, ...] = ()
    if_accepted: Mapping[str, Any] = {}
    if_withdrawn: Mapping[str, Any] = {}


class NetworkHarvester(Protocol):
    """An adapter of ``bibld/harvest/`` that asks a server for records or files; it has ``fetch`` instead of ``files``.

    What it fetches is kept in the workspace, from which the files of the source are made. It may also have

    - ``faults(folder, settings)``, as harvesters have;
    - ``probe(visit, settings)``: asks the server who it is and what it would be asked for, stores nothing, and returns
      that in one sentence; raises ``HarvestError`` if the server does not answer.
    """

    Settings: type
    """Usually a subclass of ``bibld.harvest.HttpSettings``."""

    def fetch(self, visit: Any, settings: Any) -> Fetched:  # noqa: ANN401
        """Fetch what is new since the last complete harvest, or all.

        ``visit`` is a ``bibld.harvest.Visit``: the store of the source, the transport, the options. Raises
        ``HarvestError``: then the harvest is *partial* if any record came, else *failed*.
        """


# --- read: files to records


class Raw(msgspec.Struct, frozen=True, gc=False):
    """The bytes of one record, cut out of its file but not yet parsed."""

    origin: Origin
    data: bytes


class Row(msgspec.Struct, frozen=True, gc=False):
    """One row of a table: pairs of column name and text, in the order of the columns."""

    origin: Origin
    cells: tuple[tuple[str, str], ...]


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A record, and a warning for each repair that was needed to read it."""

    record: MarcRecord | Mods | Row
    warnings: tuple[str, ...] = ()


class Carrier(Protocol):
    """What the records of one file need to be read: a frozen struct of values that JSON can express.

    The catalog stores it, so that the bytes of a record can be parsed again at any time.
    """

    @property
    def declared(self) -> str | None:
        """The charset that the file declares; None if it declares none."""

    @property
    def charset(self) -> str:
        """The charset that was found; in a file that mixes several, that of most records."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into records. A piece that is not a record is yielded as a ``ReadError`` with its bytes.

        ``stream`` is not compressed and is read once, from its beginning; it cannot be moved. No bytes may raise an
        exception: if one is raised nevertheless, the rest of the file is one reject.
        """

    def parse(self, raw: Raw) -> Parsed:
        """Parse one record, from nothing but the carrier and the bytes; raises ``ReadError``.

        Any other exception rejects the record too, with a message that names record, reader and cause.
        """


class Reader(Protocol):
    """An adapter of ``bibld/read/``: reads files of one carrier (ISO 2709, MARC in XML …).

    Settings with ``charset`` receive that of the source. It may also have ``PRIORITY`` (see above).
    """

    Settings: type
    CarrierType: type
    """The class of its carriers; see :class:`Carrier`."""

    def sniffs(self, head: bytes) -> bool:
        """Return whether a file that begins with these bytes (up to 64 KiB, not compressed) is of this carrier."""

    def examine(self, stream: BinaryIO, name: str, source: str, settings: Any) -> Carrier:  # noqa: ANN401
        """Find out what the records of a file need: charset, namespaces and the like.

        ``stream`` is as in ``Carrier.raws``. Any exception but ``ConfigError`` refuses the file.
        """


# --- crosswalk: records to MODS


class Converted(msgspec.Struct, frozen=True, gc=False):
    """A record as MODS, and the subfields that are not in it.

    ``unmapped`` and ``private`` name a subfield for each occurrence, as ``650$5`` (a control field: ``006``).
    """

    mods: Mods
    unmapped: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Crosswalk(Protocol):
    """An adapter of ``bibld/crosswalk/``: converts records of one flavour (MARC 21, RUSMARC …).

    It may also have

    - ``PRIORITY`` (see above), which is -1 for those that accept everything that is left of their family;
    - ``RULES``: the ``RuleSet`` (``bibld.crosswalk``) of which it is made, for coverage and documentation;
    - ``identity(settings)``: a hash of the files that the results depend on beside the settings;
    - ``REPLACED``: for each key of its table that was removed, or had a value that was, what to write instead.
    """

    Settings: type

    def sniffs(self, record: MarcRecord) -> bool:
        """Return whether the record is of this flavour."""

    def convert(self, record: MarcRecord, settings: Any) -> Converted:  # noqa: ANN401
        """Convert one record; raises ``CrosswalkError``. A pure function of its arguments.

        Any other exception rejects the record too, with a message that names record, crosswalk or rule, and cause.
        """


# --- dedup: records to pairs, and pairs to scores


class Blocker(Protocol):
    """An adapter of ``bibld/dedup/block/``: proposes candidate pairs by blocking keys.

    If its settings have ``largest_bucket``, a key that more records share is refined by further fields. It may also
    have

    - ``COLUMNS``: the names of the columns that it reads, so that no others are loaded (``text`` only if it is named),
      or, where the settings choose them, ``chosen_columns(settings)``, which returns the names;
    - ``signatures(columns, settings)``: a hash of 64 bits for each row, shape (n,), that depends on the row and the
      settings alone, with ``distance(settings)``: two rows that share a key are candidates only if their hashes differ
      in no more bits than that;
    - ``IS_CERTAIN = True``: rows that share a key are candidates even if the pre-filter would drop the pair;
    - ``join(columns, settings, statistics, fresh)`` instead of ``keys``: the pairs that it finds itself among all
      records, as left and right rows; ``fresh`` (bool, (n,), or None) asks only for pairs with one of these rows. A
      pair depends on its two rows, the settings and the frozen statistics alone;
    - ``fit(rows, settings)``: bytes that it learns from all rows when statistics are counted, returned as
      ``statistics.fitted[name]``;
    - ``passes(columns, left, right, settings, statistics)``: a last filter, bool (pairs,), of the candidates that other
      blockers found, but for the certain ones.
    """

    Settings: type
    FAMILIES: tuple[str, ...]
    """Names of what the keys are made of, for explanations; 64 at most."""

    def keys(
        self,
        columns: FeatureColumns,
        settings: Any,  # noqa: ANN401
        statistics: Statistics,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Return blocking keys and the rows (positions in ``columns``) that have them, both of shape (keys,).

        Two rows with a key in common are a candidate pair. ``columns`` contains some of all records. The first byte of
        a key is the number of its family. The keys of a row depend on the row, the settings and the frozen statistics
        alone.
        """


class Scorer(Protocol):
    """An adapter of ``bibld/dedup/score/``: scores candidate pairs.

    Its settings have ``same``. If they have ``review`` too, a pair at or above ``same`` is the same, one between the
    two is for review, and all exceptions apply. Otherwise the decision is the paper's: the same above ``same`` unless
    part numbers conflict. It may also have

    - ``identity(settings)``: a hash of what the scores depend on beside the settings, such as the content of a trained
      model;
    - ``check(settings)``: a warning about such a file, or empty; it raises ``ConfigError`` for one that cannot be used;
    - ``COLUMNS`` or ``chosen_columns(settings)``, as blockers have;
    - ``part_of(columns, left, right, settings)``: for each pair 1 if the text of the left row is wholly part of that of
      the right one, 2 if it contains it, else 0, shape (pairs,); then the two are *related*, by ``part_of``.
    """

    Settings: type

    def scores(
        self,
        columns: FeatureColumns,
        left: npt.NDArray[np.uint32],
        right: npt.NDArray[np.uint32],
        settings: Any,  # noqa: ANN401
    ) -> npt.NDArray[np.float32]:
        """Return the scores of pairs of rows, from 0 to 1. A score depends on the features of the two rows alone."""

    def explain(
        self,
        columns: FeatureColumns,
        left: npt.NDArray[np.uint32],
        right: npt.NDArray[np.uint32],
        settings: Any,  # noqa: ANN401
    ) -> Iterator[Score]:
        """Yield the score of each pair with the features that it is made of, in the order of the pairs."""


# --- merge: the records of a cluster to one description


class Holder(msgspec.Struct, frozen=True):
    """A record that has values, as merge policies see it.

    ``changed`` is when it was last made or changed, as digits from the year down to the day or the second, empty where
    that is not known; ``trust`` is that of its source.
    """

    record: RecordId
    changed: str = ""
    trust: int = 1


class Statement(msgspec.Struct, frozen=True):
    """The values that one record has for an element of MODS, or for a child of one: at least one."""

    holder: Holder
    values: tuple[Any, ...]


class MergePolicy(Protocol):
    """An adapter of ``bibld/merge/``: chooses the records whose values are shown.

    Merging itself decides which values are equal, shows each in its fullest form and notes what is not shown. An
    adapter may name in ``SINGLE`` another policy for what a publication has once (its dates, its edition, its extent).
    """

    Settings: type

    def choose(self, statements: Sequence[Statement], settings: Any) -> Sequence[int]:  # noqa: ANN401
        """Return the positions of the statements that are shown, in the order in which they are shown.

        There is a statement for each record of the cluster that has any value, the oldest record first.
        """


# --- what the stages read from the catalog


class SourceRecord(msgspec.Struct, frozen=True):
    """A record that is stored in the catalog.

    ``original`` are its bytes, which ``reader`` (an adapter's name) parses with the ``carrier`` (the JSON of a
    ``Carrier``); ``flavour`` names the crosswalk. A deleted record keeps its last state. The ``mods`` of an authority
    record have little more than its heading.
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
    authority: Authority | None = None

    __repr__ = brief


class RecordEvent(msgspec.Struct, frozen=True):
    """What happened to the IRI of a record, and in the run of which time (ISO 8601).

    ``kind`` is *appeared*, *absorbed* (merged into ``other``), *returned* (separated from it), *deleted* or *restored*.
    """

    run_time: str
    kind: str
    other: RecordId | None = None

    def __str__(self) -> str:
        other = self.other or "another record"
        events = {"absorbed": f"was merged into {other}", "returned": f"was separated from {other}"}
        events |= {"deleted": "was deleted", "restored": "was restored"}
        return f"{self.run_time} {events.get(self.kind, self.kind)}"


class CatalogView(Protocol):
    """What stages and pages may read from the catalog."""

    def record(self, record: RecordId) -> SourceRecord | None:
        """Return one source record."""

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """Return the cluster of a live record; a record without duplicates is a cluster with one member."""

    def merged(self, founder: RecordId) -> Merged | None:
        """Return the merged description of the cluster that this record founded."""

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """Return the stored edges with both ends among these records, in the order of their pairs."""

    def edge(self, pair: Pair) -> Edge | None:
        """Return the stored edge of one pair."""

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """Return the live record that answers in the place of a deleted one."""

    def events_of(self, record: RecordId) -> list[RecordEvent]:
        """Return the history of the IRI of a record, the oldest event first."""

    def sample_founders(self, count: int) -> list[RecordId]:
        """Return the founders of up to ``count`` clusters, those of most members first, then by ordinal."""


# --- store: quads to a triple store


ResultKind = Literal["table", "boolean", "graph"]
"""What a query gives: SELECT a table, ASK a boolean, CONSTRUCT and DESCRIBE a graph."""


class Query(msgspec.Struct, frozen=True):
    """A SPARQL query of a stranger, and how its result is written.

    ``table`` is the media type for tables and booleans, ``graph`` that for graphs; None where the client accepts none.
    The dataset is the two lists of graph IRIs; without them it is what the query itself names after ``FROM``, or
    (``union``) all graphs as one. ``prefixes`` map names to namespaces: a query may use them undeclared (what it
    declares wins), and Turtle and RDF/XML are written with them.
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

        Runs in a separate process that is killed at the deadline or when it takes too much memory. ``out.write``
        raises when the result is too large; let that exception pass. Raises ``BadQueryError``.
        """

    def close(self) -> None:
        """Close the store; no method is called afterwards."""


class Store(ReadableStore, Protocol):
    """The live triple store of a workspace."""

    def load(self, blocks: Iterable[bytes]) -> None:
        """Add many quads, none of which is in the store. A block is some lines of N-Quads, each with its line end."""

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Remove quads, then add others. To add a quad that is there, or remove one that is not, changes nothing."""

    def count(self) -> int:
        """Return the number of quads."""

    def backup(self, folder: Path) -> None:
        """Write a copy of the present state into a folder that does not exist yet, for ``open_copy``."""


class StoreBackend(Protocol):
    """An adapter of ``bibld/store/``: opens a triple store."""

    Settings: type

    def open_store(self, folder: Path, settings: Any) -> Store:  # noqa: ANN401
        """Open the live store of a workspace, which is created where there is none; raises ``StoreError``."""

    def open_copy(self, folder: Path, settings: Any) -> ReadableStore:  # noqa: ANN401
        """Open what ``backup`` wrote, for reading only; raises ``StoreError``.

        The server and each of its query processes open it at the same time.
        """


# --- store.remote: the triple stores of others, which are brought to the same quads


class RemoteAccess(msgspec.Struct, frozen=True):
    """Where a remote store answers and how it is asked.

    ``url`` is what the configuration names; ``user`` and ``password`` are empty where the store needs none; ``timeout``
    is in seconds for one answer, ``tries`` how often a request is sent while the server is busy or does not answer.
    ``graphs`` is what the IRIs of the dataset's named graphs begin with.
    """

    url: str
    graphs: str
    user: str = ""
    password: str = ""
    timeout: float = 60.0
    tries: int = 5

    def __repr__(self) -> str:
        return f"RemoteAccess({self.url!r})"


class TriplesFile(msgspec.Struct, frozen=True):
    """A file of triples of one graph: N-Triples in UTF-8, compressed with gzip; ``quads`` is their number.

    ``graph`` is an IRI, or empty for the default graph.
    """

    file: Path
    graph: str
    quads: int


class RemoteStore(ReadableStore, Protocol):
    """A triple store that is reached over HTTP. Only the graphs of the dataset are read and changed.

    Lines are N-Quads. Every change may be sent again: to add what is there changes nothing. A store whose default
    graph is not separate has its quads in a named graph, which these methods translate. Every method raises
    ``StoreError``, ``StoreUnavailableError`` where another try may succeed.
    """

    files_at_once: int
    """How many files ``load_files`` is given."""

    def check(self) -> None:
        """Ask for an answer, to learn whether this is the address of a SPARQL endpoint."""

    def load_files(self, files: Sequence[TriplesFile]) -> None:
        """Add the triples of files in bulk, durably: when this returns they outlive a crash of the server."""

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Remove quads, then add others, in requests of limited size."""

    def replace(self, graph: str, lines: Sequence[str]) -> None:
        """Replace the quads of a named graph by few others."""

    def clear(self) -> None:
        """Remove all quads of the dataset."""

    def counts(self) -> dict[str, int]:
        """Return the number of quads of each graph of the dataset that has any; the default graph is empty text."""


class RemoteBackend(Protocol):
    """An adapter of ``bibld/store/remote/``: speaks to the servers of one product."""

    Settings: type

    def open_remote(self, access: RemoteAccess, settings: Any) -> RemoteStore:  # noqa: ANN401
        """Return the store at an address; no request is sent."""


# --- publish: the parts of a release


class PreviousRelease(msgspec.Struct, frozen=True):
    """The release that the next one follows, in its folder."""

    folder: Path
    manifest: Manifest


class ReleaseDraft(msgspec.Struct, frozen=True):
    """A release in the making.

    ``manifest`` has no files yet: all files that the parts write directly into ``folder`` are added at the end.
    ``previous`` is None where the release has no patch, ``withdraws`` states whether that is because earlier releases
    contain what must not be published any more; they are removed when this one is complete. ``open_store`` opens the
    live store; ``blocks`` begins a pass over the quads of the catalog, in the order of the dumps: blocks of lines of
    N-Quads, in each of which those of the default graph come first; ``counts`` counts the quads; ``changes`` opens
    the lines (without line end, sorted) that were added (True) and removed (False) since the previous release;
    ``merged`` begins a pass over the merged records, with the IRIs of their resources; ``works`` one over the works, in
    the order of their IRIs; ``work_of`` returns the work of a publication, by the founder of its cluster;
    ``match_index`` writes the index that files are matched with into a new folder.
    ``examples`` are resource IRIs to try, ``settings`` the table ``[publish]``, ``thresholds`` the scores by name above
    which pairs are the same or reviewed. ``workers`` is the number of processes that a part may start.

    Statements in lines of N-Quads: ``description`` are all of the graph ``dataset``, ``source_statements`` those
    that are among ``quads`` too, ``run_statements`` all of the graph ``run``, which are in the store and in no dump,
    ``withdrawn`` those about records that must not be published, which are in their documents alone.
    """

    manifest: Manifest
    folder: Path
    previous: PreviousRelease | None
    open_store: Callable[[], AbstractContextManager[Store]]
    blocks: Callable[[], Iterable[bytes]]
    counts: Callable[[], QuadCounts]
    changes: Callable[[], AbstractContextManager[Iterator[tuple[bytes, bool]]]]
    merged: Callable[[], Iterator[tuple[str, Merged]]]
    works: Callable[[], Iterator[WorkDescription]]
    work_of: Callable[[RecordId], WorkOfPublication]
    match_index: Callable[[Path], None]
    examples: tuple[str, ...]
    settings: Any
    source_statements: frozenset[str]
    description: frozenset[str]
    run_statements: tuple[str, ...] = ()
    withdrawn: frozenset[str] = frozenset()
    withdraws: bool = False
    thresholds: Mapping[str, float] = {}
    workers: int = 1

    @property
    def workspace(self) -> Path:
        """The folder of the workspace; this release is in a folder of its folder ``releases``."""
        return self.folder.parents[1]


class ReleasePart(Protocol):
    """An adapter of ``bibld/publish/``: writes one part of a release. ``[publish] parts`` names those that are used.

    It may also have

    - ``NEEDS``: the names of parts that have to be written before this one, if they come before it in ``[publish]
      parts``. Without ``NEEDS`` a part needs all those before it, and all those after it need this part.
    - ``IN_OWN_PROCESS = True``: the part only writes files. Of a large release it is written in a separate process,
      side by side with parts that do not need it. ``draft.open_store`` cannot be used, and the draft that is
      returned is not.
    - ``DESCRIBES_FILES = True``: it is written after all others, and ``draft.manifest.files`` has their files.
    """

    Settings: type

    def write(self, draft: ReleaseDraft, settings: Any) -> ReleaseDraft:  # noqa: ANN401
        """Write files into the folder of the release; returns the draft with what other parts or the manifest need.

        Raises ``StageError``; any other exception than an ``OSError`` is reported with the name of the part.
        """


# --- all of them


EXTENSION_POINTS: dict[str, type] = {
    "harvest": Harvester,
    "read": Reader,
    "crosswalk": Crosswalk,
    "dedup.block": Blocker,
    "dedup.score": Scorer,
    "merge": MergePolicy,
    "store": StoreBackend,
    "store.remote": RemoteBackend,
    "publish": ReleasePart,
}
"""The protocol of the adapters of each stage; an entry point is in the group ``bibld.<stage>``."""

SETTINGS_MAY_BE_REQUIRED = frozenset({"harvest"})
"""Stages whose adapters may have settings without a default, because each source configures them."""
