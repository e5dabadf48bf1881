"""Matching on Spark: features, keys, candidate pairs, decisions, components and clusters, each as a table.

Every step takes and writes whole tables, and calls the functions that match records on one machine. Keys, scores and
decisions depend on the records and the frozen statistics alone, and clusters on their component, so that the result is
the same.
"""

from __future__ import annotations

from bibld.dedup.warm_up import KernelWarmUp
from bibld.progress import with_number
from bibld.spark._engine import Engine
from bibld.spark._matching._clusters import (
    cluster_components,
    decide_pairs,
    decided_version,
    find_components,
    write_edges,
)
from bibld.spark._matching._features import extract_features, features_version
from bibld.spark._matching._iris import follow_iris
from bibld.spark._matching._pairs import find_pairs, freeze_statistics

_RESULTS = ("edges", "members", "register_redirect", "register_event", "matching")


def match_records(engine: Engine) -> int:
    """Match all live records, and write features, edges, clusters, redirects and the history of IRIs.

    Return the number of these records, 0 if the results are those of the last run: what was made from the same tables
    with the same settings is not made again. Raises ``StageError`` if a job fails.
    """
    if _is_current(engine):
        return 0
    tables = engine.tables
    compiling = KernelWarmUp(engine.config, engine.progress)
    if (engine.spark.sparkContext.master or "").startswith("local"):  # tasks share the stored machine code of this one
        compiling.begin()
    extract_features(engine)
    compiling.wait()
    frozen = freeze_statistics(engine, engine.options.restat)
    if not find_pairs(engine, frozen):
        engine.progress.report(
            "dedup: far more records share a key than when keys were counted; they are counted again"
        )
        frozen = freeze_statistics(engine, count_again=True)
        find_pairs(engine, frozen)
    records, candidates = tables.rows("features"), tables.rows("pairs")
    engine.progress.report(f"dedup: {candidates} candidate pairs of {with_number(records, 'record')}")
    decide_pairs(engine, frozen)
    find_components(engine)
    cluster_components(engine, frozen)
    write_edges(engine, frozen)
    follow_iris(engine)
    is_current = all(tables.version(name) == tables.committed.tables.get(name) for name in _RESULTS)
    return 0 if is_current else records


def _is_current(engine: Engine) -> bool:
    """Return whether the last run has matched these records with these verdicts and settings."""
    tables, committed = engine.tables, engine.tables.committed.tables
    if engine.options.restat or features_version(engine) != committed.get("features"):
        return False
    versions = tables.read("statistics").select("version").collect()
    is_decided = bool(versions) and decided_version(engine, versions[0].version) == committed.get("decided")
    return is_decided and "register_verdict_change" not in tables.changed()
