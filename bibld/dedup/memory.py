"""Matching without changing a catalog: in memory, of two records, and for evaluation. The code is that of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.candidates import CandidatePairs, all_pairs
from bibld.dedup.clustering import PersonDecisions, cluster_pairs
from bibld.dedup.columns import FeatureTable, FeatureWriter, stored_rows
from bibld.dedup.database import connect, reported
from bibld.dedup.decisions import DECISIONS, DIFFERENT, DecidedPairs, Decider, Refusal, source_numbers
from bibld.dedup.edges import Edges
from bibld.dedup.exceptions import Exceptions
from bibld.dedup.exceptions import explain as sentences_of
from bibld.dedup.features import features_of
from bibld.dedup.index import BATCH, Index, RecordRows, extract
from bibld.dedup.key_tables import CHUNK, MEMORY, KeyTables
from bibld.dedup.keys import HASH_BITS, Keys, keys_of_all
from bibld.dedup.method import Method, MethodOptions, settings_digest
from bibld.dedup.warm_up import KernelWarmUp
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns, Features, Statistics
from bibld.model.linkage import Cluster, Edge, Pair, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.parallel import batches, worker_count
from bibld.progress import Progress, Silent

Rows = npt.NDArray[np.int64]


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """The features and keys of records. ``sources`` (rows,): as :class:`Decider` takes them."""

    rows: RecordRows
    sources: npt.NDArray[np.int32]
    statistics: Statistics
    tables: KeyTables

    def candidates(self) -> CandidatePairs:
        """Return the pairs that any blocker proposes."""
        return all_pairs(self.tables, self.rows.table, self.statistics)


class Duplicates(msgspec.Struct, frozen=True):
    """What matching found among records.

    ``pairs`` are the candidate pairs that are the same, related or for review, with score, decision and reasons, in the
    order of their ids; ``clusters`` are the groups of two or more records that describe the same publication, in the
    order of their founders. ``candidates`` counts the pairs that were compared; ``messages`` report clusters that were
    cut and verdicts that cannot be followed.
    """

    pairs: tuple[Edge, ...]
    clusters: tuple[Cluster, ...]
    candidates: int
    messages: tuple[str, ...]


def find_duplicates(
    records: Mapping[RecordId, Mods],
    method: Method | None = None,
    verdicts: Mapping[Pair, Verdict] | None = None,
    progress: Progress | None = None,
) -> Duplicates:
    """Find the records that describe the same publication.

    Nothing is stored, but the result is that of a first run over the same records in the same order: the first record
    of a cluster is its founder. ``method`` is a configuration or ``MethodOptions``, which are the defaults;
    ``verdicts`` are what people decided about pairs, which outweighs every score.

    Raises ``ConfigError`` for a model file that cannot be used.
    """
    method, people = method or MethodOptions(), verdicts or {}
    with prepare_in_memory(records, method, progress or Silent()) as ready:
        decider = Decider(ready.rows.table, ready.sources, method, ready.statistics)
        edges = Edges(decider, ready.rows.records_of, settings_digest(method))
        with ready.candidates() as found:
            candidates = list(found)
            messages = found.messages()
        decisions = PersonDecisions.from_verdicts(ready.rows.verdicts(people))
        clustered = cluster_pairs(decider, decider.edges(candidates), decisions, ready.rows.order_of)
        outcomes = edges.outcomes(clustered)
        pairs = []
        for position, edge in enumerate(edges.explain(clustered.pairs, ready.statistics)):
            verdict = outcomes[position].apply(edge.verdict) if position in outcomes else edge.verdict
            pairs.append(msgspec.structs.replace(edge, verdict=people.get(edge.pair, verdict)))
        members = [tuple(ready.rows.records_of(cluster)) for cluster in clustered.clusters()]
        return Duplicates(
            tuple(sorted(pairs, key=lambda edge: edge.pair)),
            tuple(Cluster(cluster[0], cluster) for cluster in members),
            sum(len(left) for left, _ in candidates),
            (*messages, *edges.messages(clustered)),
        )


class Comparison(msgspec.Struct, frozen=True):
    """Two records compared, whether or not a blocker proposes the pair.

    ``left_keys`` and ``right_keys`` name the kinds of blocking keys that each has, ``exceptions`` are sentences; the
    score of the edge names the keys that the two share.
    """

    edge: Edge
    left: Features
    right: Features
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    exceptions: tuple[str, ...]


def compare(catalog: Catalog, config: Config, left: RecordId, right: RecordId, progress: Progress) -> Comparison | None:
    """Compare any two live records; None if one of them is not in the catalog."""
    records = [catalog.record(record) for record in sorted((left, right))]
    live = [record for record in records if record is not None and not record.deleted]
    if len(live) < 2:
        return None
    columns = FeatureColumns.from_features(enumerate(features_of(record.mods) for record in live))
    features = columns.features(0), columns.features(1)
    statistics = _statistics(catalog, config, progress)
    decider = Decider(columns, source_numbers([record.id for record in live], config), config, statistics)
    keys = keys_of_all(columns, config, statistics)
    edges = Edges(decider, lambda some: [live[row].id for row in some.tolist()], settings_digest(config))
    found = decider.decide(np.array([0]), np.array([1]), least=0.0)
    (edge,) = edges.explain(found, statistics)
    left_keys, right_keys = (tuple(name for one in keys for name in one.names_of(row)) for row in (0, 1))
    exceptions = tuple(sentence for _, sentence in sentences_of(int(found.exceptions[0]), *features))
    return Comparison(edge, *features, left_keys, right_keys, exceptions)


def _statistics(catalog: Catalog, config: Config, progress: Progress) -> Statistics:
    """Return the frozen statistics if they were counted for these settings, else count them."""
    frozen = frozen_statistics(catalog, config)
    if frozen is not None:
        return frozen
    with prepare(catalog, config, progress) as ready:
        return ready.statistics


@contextmanager
def prepare(catalog: Catalog, config: Config, progress: Progress, features: Path | None = None) -> Iterator[Prepared]:
    """Extract the features and keys of all live records into a temporary folder, which the context removes.

    ``features``: a folder that the features are stored in and that remains; if it exists, it is used as it is. Keys are
    then in a file, else in memory.
    """
    _warm_up(config, progress)
    progress.stage("dedup", "records", catalog.records.count())
    numbers = {source.id: number for number, source in enumerate(config.sources)}
    with tempfile.TemporaryDirectory(prefix="bibld-") as name:
        if features is not None and features.exists():
            table = FeatureTable.open_complete(features)
        else:
            with FeatureWriter(features or Path(name) / "features") as writer:
                extract(catalog, config, writer, lambda source: numbers.setdefault(source, len(numbers)), progress)
                table = writer.close()
        rows = RecordRows(table, catalog.register.record, catalog.register.ordinal)
        with KeyTables(Path(name) / "keys.duckdb" if features else None, config) as tables:
            yield _prepared(rows, numbers, config, tables, frozen_statistics(catalog, config))


@contextmanager
def prepare_in_memory(records: Mapping[RecordId, Mods], method: Method, progress: Progress) -> Iterator[Prepared]:
    """Extract the features and keys of records that are in no catalog; their rows are in the order of ``records``."""
    _warm_up(method, progress)
    progress.stage("dedup", "records", len(records))
    names = list(records)
    numbers = {source: number for number, source in enumerate(sorted({record.source for record in names}))}
    with tempfile.TemporaryDirectory(prefix="bibld-") as name, FeatureWriter(Path(name) / "features") as writer:
        for batch in batches(enumerate(map(features_of, records.values())), BATCH):
            sources = [numbers[names[ordinal].source] for ordinal, _ in batch]
            result = np.zeros(len(batch), dtype=np.uint64)
            writer.add(stored_rows(FeatureColumns.from_features(batch)), result, np.array(sources, dtype=np.uint16))
            progress.advance(len(batch))
        ordinals = {record: ordinal for ordinal, record in enumerate(names)}
        rows = RecordRows(writer.close(), names.__getitem__, ordinals.get)
        with KeyTables(None, method) as tables:
            yield _prepared(rows, numbers, method, tables, None)


def frozen_statistics(catalog: Catalog, config: Config) -> Statistics | None:
    """Return the statistics of the last matching if they were counted for these settings by this version."""
    index = Index(catalog, config)
    return index.frozen_statistics()[1] if index.is_current() else None


def _prepared(
    rows: RecordRows, numbers: Mapping[str, int], method: Method, tables: KeyTables, frozen: Statistics | None
) -> Prepared:
    statistics: Statistics
    if frozen is None:
        statistics = tables.rebuild(rows.table)
    else:
        statistics = frozen
        tables.add(rows.table, frozen)
    with_duplicates = {source.id for source in method.sources if source.config.duplicates}
    sources = rows.sources(number for name, number in numbers.items() if name in with_duplicates)
    return Prepared(rows, sources, statistics, tables)


def _warm_up(method: Method, progress: Progress) -> None:
    compiling = KernelWarmUp(method, progress)
    compiling.begin()
    compiling.wait()


Numbers = npt.NDArray[np.uint64]
Columns = Mapping[str, npt.NDArray[Any]]

_KEY = np.uint64((1 << HASH_BITS + 2) - 1)

_TYPES = {"uint64": "ubigint", "int32": "integer", "float32": "float", "bool": "boolean", "object": "text"}
_FILES = {
    "records": "select * from records order by all",
    "features": "select * from features order by ordinal",
    "keys": "select * from keys order by all",
    "pairs": 'select distinct "left", "right" from scores where is_candidate order by all',
    "scores": """
        select distinct "left", "right", score, exceptions, decision, coalesce(outcome, decision) as outcome,
            coalesce(refused, '') as refused
        from scores left join outcomes using ("left", "right") order by all""",
    "clusters": """
        select coalesce(founder, ordinal) as founder, ordinal as member
        from records left join members using (ordinal) order by all""",
}
"""The query that writes each file."""


def keep_tables(catalog: Catalog, config: Config, folder: Path, progress: Progress) -> list[Path]:
    """Match all live records and write a table for each step; return the files.

    The folder is created if necessary, files with the same names are replaced. Raises ``CatalogError`` if the disk is
    full or the folder cannot be written.
    """
    files = []
    with reported(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with (
            prepare(catalog, config, progress) as ready,
            connect(None, MEMORY, worker_count(config.workers), folder) as database,
        ):
            people = PersonDecisions.from_verdicts(ready.rows.verdicts(catalog.register.verdicts()))
            _insert_rows(database, ready, config)
            _insert_pairs(database, ready, config, people)
            for name, query in _FILES.items():
                file = folder / f"{name}.parquet"
                unfinished = file.with_suffix(".unfinished")
                database.execute(f"copy ({query}) to $file (format parquet)", {"file": str(unfinished)})
                unfinished.replace(file)
                files.append(file)
    return files


def _insert_rows(database: duckdb.DuckDBPyConnection, ready: Prepared, config: Config) -> None:
    """Insert records, features and keys, a chunk at a time."""
    table = ready.rows.table
    for start in range(0, max(len(table), 1), CHUNK):
        columns = table.chunk(start, min(start + CHUNK, len(table)), (*TEXTS, *NUMBERS))
        rows, ordinals = range(len(columns)), columns.ordinals
        records = ready.rows.records_of(np.arange(start, start + len(columns)))
        sources = _texts(record.source for record in records)
        _insert(database, "records", {"ordinal": ordinals, "record": _texts(map(str, records)), "source": sources})
        texts = {name: _texts(map(columns.texts[name].text, rows)) for name in TEXTS}
        _insert(database, "features", {"ordinal": ordinals} | texts | columns.numbers)
        _insert_keys(database, columns, [])
        for keys in keys_of_all(columns, config, ready.statistics):
            _insert_keys(database, columns, keys.families() if len(keys.keys) else [])


def _insert_keys(database: duckdb.DuckDBPyConnection, columns: FeatureColumns, families: Sequence[Keys]) -> None:
    """Insert keys of some rows, given by family."""
    nothing = np.empty(0, np.uint64)
    found = {
        "blocker": _texts(one.blocker.name for one in families for _ in one.keys),
        "key": np.concatenate([nothing, *(one.keys & _KEY for one in families)]),
        "family": _texts(one.family for one in families for _ in one.keys),
        "ordinal": np.concatenate([nothing, *(columns.ordinals[one.rows] for one in families)]),
    }
    _insert(database, "keys", found)


def _insert_pairs(
    database: duckdb.DuckDBPyConnection, ready: Prepared, config: Config, people: PersonDecisions
) -> None:
    """Decide about all candidate pairs, cluster them, and insert scores, outcomes and members of clusters."""
    ordinals = ready.rows.table.ordinals
    decider = Decider(ready.rows.table, ready.sources, config, ready.statistics)
    nothing = np.empty(0, np.uint32)
    links = [decider.decide(nothing, nothing)]
    _insert(database, "scores", _scores(links[0], ordinals, is_candidate=True))
    with ready.candidates() as candidates:
        for left, right in candidates:
            decided = decider.decide(left, right)
            _insert(database, "scores", _scores(decided, ordinals, is_candidate=True))
            links.append(decided.take(decided.decisions != DIFFERENT))
    clustered = cluster_pairs(decider, DecidedPairs.concatenate(links), people, ready.rows.order_of)
    by_people = clustered.pairs.take(clustered.is_by_person)  # perhaps no candidates
    _insert(database, "scores", _scores(by_people, ordinals, is_candidate=False))
    refusals = {refusal.value: refusal.name.lower() for refusal in Refusal}
    outcomes = {
        "outcome": _texts(DECISIONS[one] for one in clustered.decisions.tolist()),
        "refused": _texts(refusals.get(one, "") for one in clustered.refusals.tolist()),
    }
    _insert(database, "outcomes", _ends(clustered.pairs, ordinals) | outcomes)
    founders = np.repeat(clustered.members[clustered.starts[:-1]], np.diff(clustered.starts))
    _insert(database, "members", {"ordinal": ordinals[clustered.members], "founder": ordinals[founders]})


def _scores(pairs: DecidedPairs, ordinals: Numbers, is_candidate: bool) -> Columns:
    names = {
        bits: ", ".join(str(one.name).lower() for one in Exceptions(bits)) for bits in set(pairs.exceptions.tolist())
    }
    return _ends(pairs, ordinals) | {
        "score": pairs.scores.astype(np.float32),
        "exceptions": _texts(names[bits] for bits in pairs.exceptions.tolist()),
        "decision": _texts(DECISIONS[one] for one in pairs.decisions.tolist()),
        "is_candidate": np.full(len(pairs.left), is_candidate),
    }


def _ends(pairs: DecidedPairs, ordinals: Numbers) -> dict[str, npt.NDArray[Any]]:
    one, other = ordinals[pairs.left], ordinals[pairs.right]
    return {"left": np.minimum(one, other), "right": np.maximum(one, other)}


def _texts(texts: Iterable[str]) -> npt.NDArray[Any]:
    """Return texts as an array; characters that are none are replaced."""
    return np.array([text.encode("utf-8", "replace").decode() for text in texts], dtype=object)


def _insert(database: duckdb.DuckDBPyConnection, table: str, columns: Columns) -> None:
    """Insert columns of the same length into a table, which the first ones create."""
    rows = dict(columns)
    if not database.execute("select 1 from duckdb_tables() where table_name = ?", [table]).fetchall():
        types = ", ".join(f'"{name}" {_TYPES[str(array.dtype)]}' for name, array in rows.items())
        database.execute(f"create table {table} ({types})")
    if len(next(iter(rows.values()))):
        database.execute(f"insert into {table} select * from rows")
    del rows  # DuckDB found it by its name
