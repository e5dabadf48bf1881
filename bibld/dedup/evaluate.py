"""How well matching does on pairs that people judged.

A pairs file is CSV with a header: the first two columns are record ids (``source:control number``, or the bare control
number where it is unique), the column ``label`` is 1 or 0 (or ``duplicate``/``not_duplicate``); without a label column
every row is a true pair. A column ``kind`` groups the results.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Literal

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup import Loaded, load, settings_digest
from bibld.dedup._candidates import candidate_pairs
from bibld.dedup._clusters import clustered
from bibld.dedup._judge import Judge
from bibld.errors import ConfigError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.progress import Progress

Mode = Literal["pairs", "full"]

_LABELS = {"1": True, "duplicate": True, "true": True, "0": False, "not_duplicate": False, "false": False}


class LabelledPair(msgspec.Struct, frozen=True):
    """A pair that someone judged."""

    pair: Pair
    is_duplicate: bool
    kind: str


class KindResult(msgspec.Struct, frozen=True):
    """The pairs of one kind: how many there are, and about how many the matcher is right."""

    kind: str
    is_duplicate: bool
    pairs: int
    right: int


class Evaluation(msgspec.Struct, frozen=True):
    """The figures. ``pairs`` counts the labelled pairs; ``wrong`` lists those judged otherwise than labelled.

    Mode ``pairs``: every labelled pair is scored, whether or not blocking proposes it. Mode ``full``: what the whole
    pipeline joins, against all true pairs; a joined pair that the file does not hold as true counts as wrong.
    """

    mode: str
    precision: float
    recall: float
    f1: float
    candidate_recall: float
    candidates_per_record: float
    pairs: int
    true_pairs: int
    records: int
    seconds: float
    kinds: tuple[KindResult, ...]
    wrong: tuple[str, ...]


def read_pairs(path: Path, catalog: Catalog) -> list[LabelledPair]:
    """Read a pairs file; raises ``ConfigError`` with one message for each line that cannot be used."""
    faults: list[str] = []
    found: list[LabelledPair] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            left, right = _id_columns(rows.fieldnames, path)
            for row in rows:
                try:
                    pair = Pair.of(_record(row[left], catalog), _record(row[right], catalog))
                    is_duplicate = _LABELS[(row.get("label") or "1").strip().lower()]
                except (ValueError, KeyError) as error:
                    faults.append(f"{path.name} line {rows.line_num}: {error}")
                    continue
                found.append(LabelledPair(pair, is_duplicate, row.get("kind") or ""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError([f"{path}: cannot be read as CSV in UTF-8: {error}"]) from error
    if faults:
        raise ConfigError(faults)
    return found


def evaluate(
    catalog: Catalog, config: Config, labelled: Sequence[LabelledPair], mode: Mode, progress: Progress
) -> Evaluation:
    """Match as configured and compare with the labels."""
    begin = perf_counter()
    loaded = load(catalog, progress)
    candidates = candidate_pairs(loaded.columns, config)
    judge = Judge(loaded.columns, loaded.ids, config, settings_digest(config))
    rows = {record: row for row, record in loaded.ids.items()}
    proposed = set(candidates.tolist())
    met = {item.pair for item in labelled if _packed(item.pair, rows) in proposed}
    joined = _joined(loaded, judge, candidates, config) if mode == "full" else _judged(labelled, judge, rows)
    return _figures(mode, labelled, joined, met, len(candidates), len(loaded.columns), perf_counter() - begin)


def _joined(loaded: Loaded, judge: Judge, candidates: object, config: Config) -> set[Pair]:
    several = frozenset(source.id for source in config.sources if source.config.duplicates)
    clusters, _ = clustered(judge.edges(candidates), several)  # type: ignore[arg-type]
    return {Pair.of(one, other) for cluster in clusters for one in cluster for other in cluster if one < other}


def _judged(labelled: Iterable[LabelledPair], judge: Judge, rows: dict[RecordId, int]) -> set[Pair]:
    return {
        item.pair
        for item in labelled
        if judge.edge(*sorted((rows[item.pair.left], rows[item.pair.right]))).verdict.decision == "same"
    }


def _figures(
    mode: Mode,
    labelled: Sequence[LabelledPair],
    joined: set[Pair],
    met: set[Pair],
    candidates: int,
    records: int,
    seconds: float,
) -> Evaluation:
    true = {item.pair for item in labelled if item.is_duplicate}
    hits = len(joined & true)
    precision = hits / len(joined) if joined else 1.0
    recall = hits / len(true) if true else 1.0
    return Evaluation(
        mode=mode,
        precision=round(precision, 4),
        recall=round(recall, 4),
        f1=round(2 * precision * recall / (precision + recall), 4) if precision + recall else 0.0,
        candidate_recall=round(len(met & true) / len(true), 4) if true else 1.0,
        candidates_per_record=round(candidates / records, 4) if records else 0.0,
        pairs=len(labelled),
        true_pairs=len(true),
        records=records,
        seconds=round(seconds, 3),
        kinds=_kinds(labelled, joined),
        wrong=_wrong(labelled, joined, true),
    )


def _kinds(labelled: Iterable[LabelledPair], joined: set[Pair]) -> tuple[KindResult, ...]:
    pairs: Counter[tuple[bool, str]] = Counter()
    right: Counter[tuple[bool, str]] = Counter()
    for item in labelled:
        group = (not item.is_duplicate, item.kind)
        pairs[group] += 1
        right[group] += (item.pair in joined) == item.is_duplicate
    return tuple(
        KindResult(kind, not negative, count, right[negative, kind])
        for (negative, kind), count in sorted(pairs.items())
    )


def _wrong(labelled: Sequence[LabelledPair], joined: set[Pair], true: set[Pair]) -> tuple[str, ...]:
    lost = [f"not joined: {pair.left} {pair.right}" for pair in sorted(true - joined)]
    false = [f"wrongly joined: {pair.left} {pair.right}" for pair in sorted(joined - true)]
    return (*lost, *false)


def _packed(pair: Pair, rows: dict[RecordId, int]) -> int:
    low, high = sorted((rows[pair.left], rows[pair.right]))
    return low << 32 | high


def _id_columns(names: Sequence[str] | None, path: Path) -> tuple[str, str]:
    if not names or len(names) < 2:
        raise ConfigError([f"{path.name}: needs a header and at least two columns of record ids"])
    return names[0], names[1]


def _record(text: str | None, catalog: Catalog) -> RecordId:
    """The living record that a cell names; raises ``ValueError``."""
    name = (text or "").strip()
    try:
        found = [RecordId.parse(name)]
    except ValueError:
        found = []
    if not found or catalog.register.ordinal(found[0]) is None:
        found = catalog.register.named(name)
    if len(found) > 1:
        raise ValueError(f"{name!r} is the control number of several records; write source:control number")
    ordinal = catalog.register.ordinal(found[0]) if found else None
    if ordinal is None or not catalog.records.is_living(ordinal):
        raise ValueError(f"there is no record {name!r} in the catalog; was it loaded?")
    return found[0]
