"""Every step of matching as a table in Parquet, to be looked at and joined with SQL.

All live records are matched as a run over all of them does it; the catalog is not changed. Records are known by their
ordinals, and ``left < right``. The rows of each file are in the order of its columns:

``records``    ordinal, record, source
``features``   ordinal, and a column for each feature
``keys``       blocker, key, family, ordinal. Two records that share blocker and key are a candidate pair if they pass
               the pre-filter. Keys that too many records have are replaced by refined ones.
``pairs``      left, right: the candidate pairs
``scores``     left, right, score, exceptions, decision: what is decided about each pair independently of others. With
               these the ``outcome`` when all clusters are known, and by what a link was ``refused``.
``clusters``   founder, member: a row for each record, also for those without duplicates
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.clustering import PersonDecisions, cluster_pairs
from bibld.dedup.database import connect, reported
from bibld.dedup.decisions import DECISIONS, DIFFERENT, DecidedPairs, Decider, Refusal
from bibld.dedup.exceptions import Exceptions
from bibld.dedup.key_tables import CHUNK, MEMORY
from bibld.dedup.keys import HASH_BITS, Keys, keys_of_all
from bibld.dedup.memory import Prepared, prepare
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns
from bibld.parallel import worker_count
from bibld.progress import Progress

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
    decider = Decider(ready.rows.table, ready.sources, config)
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
