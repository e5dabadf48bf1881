"""Compare methods of matching: what each finds and what it costs, over the records of one catalog.

Features are extracted once. Then each method runs in a separate process, so that its seconds and memory are not
those of others; its kernels are loaded before the clock starts. A method that calls a function of this process runs
here. What is measured is the way from features to clusters.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.arrays import means_by_bin, pack_pairs, unpack_pairs
from bibld.dedup.block import minhash, prefix
from bibld.dedup.columns import FeatureRows
from bibld.dedup.evaluate import Labels, Mode, Numbers, Trial, are_across, found_share, rates
from bibld.dedup.memory import Prepared, find_duplicates, prepare
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.score import shingles
from bibld.errors import BibldError, ConfigError, StageError
from bibld.model.brief import brief
from bibld.model.features import FeatureColumns
from bibld.model.origin import RecordId
from bibld.parallel import ProcessPool
from bibld.progress import Progress, Silent
from bibld.protocols import adapters

ALL = "all"
_SCORERS = {"paper": "jaccard"}
_COMBINATIONS = ("identifier+composite", "composite+minhash", "composite+semantic", "minhash:shingles")
_FEW = 40
_MAX_PAIRS = 20_000_000
_SAMPLE = 200_000
_BINS = tuple(step / 20 for step in range(6, 21))
"""The lower ends of the bins of similarity: 0.3, 0.35 … 0.95, and 1 for equal texts."""


class SimilarityBin(msgspec.Struct, frozen=True):
    """Pairs with a similarity from ``similarity`` up to the next bin, and the share of them that are candidates."""

    similarity: float
    pairs: int
    found: float


class MethodResult(msgspec.Struct, frozen=True):
    """The figures of one method; only ``method``, ``block``, ``score`` and ``note`` if it could not be measured.

    ``similar_recall``: the share of all pairs with similar titles that are candidates, None if these are unknown.
    ``memory`` is the most private memory of the process beyond that at the beginning, ``disk`` what keys and
    signatures take in files, both in bytes. ``curve`` has the share of pairs that are candidates by their similarity,
    ``expected`` the share that the parameters of the method promise at these similarities.
    """

    method: str
    block: tuple[str, ...]
    score: str
    candidate_recall: float = 0.0
    similar_recall: float | None = None
    candidates: int = 0
    candidates_per_record: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    seconds: float = 0.0
    memory: int = 0
    disk: int = 0
    curve: tuple[SimilarityBin, ...] = ()
    expected: tuple[float, ...] = ()
    note: str = ""


class MethodComparison(msgspec.Struct, frozen=True):
    """Methods side by side. ``similar`` counts the pairs of records whose titles are at least as similar as
    ``similarity`` describes; ``skipped`` as in :class:`~bibld.dedup.evaluate.Evaluation`."""

    mode: str
    records: int
    pairs: int
    true_pairs: int
    similar: int
    similarity: str
    methods: tuple[MethodResult, ...]
    skipped: tuple[str, ...] = ()

    __repr__ = brief


class _Task(msgspec.Struct, frozen=True):
    """What a process needs to measure one method; ``folder`` contains features and pairs."""

    method: str
    config: Config
    mode: Mode
    across: bool
    folder: Path


class _Pairs(msgspec.Struct, frozen=True, eq=False):
    """Pairs of positions as ``left << 32 | right``: those labelled, the true ones, and those with similar titles."""

    labelled: Numbers
    true: Numbers
    similar: Numbers
    similarities: npt.NDArray[np.float64]


# -- the comparison ----------------------------------------------------------------------------------------------------


def compare_methods(
    catalog: Catalog,
    config: Config,
    labelled: Sequence[LabelledPair],
    methods: str,
    mode: Mode,
    progress: Progress,
    across: bool = False,
) -> MethodComparison:
    """Match all records by each of some methods and compare the results with the labels; nothing is stored.

    ``methods`` are names with commas between: blockers joined by ``+``, then perhaps ``:`` and a scorer
    (``composite+minhash:model``), or ``all``. Mode ``full``: every joined pair that is not labelled as true is wrong;
    ``pairs``: only labelled pairs count; ``across``: only pairs of different sources. A method that cannot be measured
    has a note with the reason. Raises ``ConfigError`` for unknown names.
    """
    chosen = _methods(methods, config)
    with tempfile.TemporaryDirectory(prefix="bibld-") as name:
        folder = Path(name)
        with prepare(catalog, config, progress, folder / "features") as ready:
            records = len(ready.rows.table)
            pairs, similarity = _pairs(ready, labelled, config, across)
        for column in _Pairs.__struct_fields__:
            np.save(folder / f"{column}.npy", getattr(pairs, column))
        progress.stage("evaluate", "methods", len(chosen))
        results = []
        for task in (_Task(one, _configured(one, config), mode, across, folder) for one in chosen):
            results.append(_in_process(task))
            progress.advance()
    similar = int(np.count_nonzero(_is_similar(pairs, config)))
    return MethodComparison(mode, records, len(pairs.labelled), len(pairs.true), similar, similarity, tuple(results))


def _methods(names: str, config: Config) -> list[str]:
    """Return the names of the methods, each once; ``all`` stands for each blocker, and for some combinations."""
    stages = ("dedup.block", "dedup.score")
    known = {stage: [*adapters.adapter_names(stage), *adapters.lent_names(stage)] for stage in stages}
    chosen: list[str] = []
    for name in filter(None, map(str.strip, names.split(","))):
        chosen += [*known["dedup.block"], "+".join(config.dedup.block), *_COMBINATIONS] if name == ALL else [name]
    used = [
        (stage, part)
        for block, _, score in (name.partition(":") for name in chosen)
        for stage, parts in (("dedup.block", block.split("+")), ("dedup.score", [score] if score else []))
        for part in parts
    ]
    faults = [adapters.unknown_adapter_message(stage, part) for stage, part in used if part not in known[stage]]
    if faults or not chosen:
        raise ConfigError(faults or ["--methods: name at least one method, or all"])
    return list(dict.fromkeys(chosen))


def _configured(method: str, config: Config) -> Config:
    block, _, score = method.partition(":")
    return config.with_dedup(tuple(block.split("+")), score or _SCORERS.get(block))


def _pairs(ready: Prepared, labelled: Sequence[LabelledPair], config: Config, across: bool) -> tuple[_Pairs, str]:
    """Return the labelled pairs and all pairs with similar titles, and how similar those are, in words."""
    labels = Labels.from_pairs(labelled, ready.rows, across)
    similar, similarities, words = _similar_pairs(ready.rows.table.chunk(0, len(ready.rows.table)), config)
    counts = are_across(*unpack_pairs(similar), ready.rows) | (not across)
    return _Pairs(labels.pairs, labels.true, similar[counts], similarities[counts]), words


def _similar_pairs(columns: FeatureColumns, config: Config) -> tuple[Numbers, npt.NDArray[np.float64], str]:
    """Return all pairs with similar texts, their similarities, and what is compared, in words.

    The settings are those of the blocker ``prefix``; pairs below its threshold are for the curves only.
    """
    settings = config.settings("dedup.block", "prefix")
    texts = [
        " ".join(filter(None, (columns.texts[name].text(row) for name in settings.fields)))
        for row in range(len(columns))
    ]
    words = f"{settings.measure} ≥ {settings.threshold} of {' and '.join(settings.fields)}"
    for least in (_BINS[0], settings.threshold):
        try:
            found = prefix.similar_pairs(texts, settings.measure, least, settings.levels, settings.gram, _MAX_PAIRS)
        except StageError as error:
            words = str(error)
            continue
        return pack_pairs(found.left, found.right), found.similarity, words
    return np.empty(0, np.uint64), np.empty(0), words


def _is_similar(pairs: _Pairs, config: Config) -> npt.NDArray[np.bool_]:
    return np.asarray(pairs.similarities >= config.settings("dedup.block", "prefix").threshold)


def _in_process(task: _Task) -> MethodResult:
    if _calls_functions(task.config):
        return _measure(task)
    try:
        with ProcessPool(1, "measure a method", [__name__]) as pool:
            return pool.submit(_measure, task).result()
    except (BibldError, BrokenProcessPool) as error:
        return _failed(task, error)


def _calls_functions(config: Config) -> bool:
    of_blocks = not set(config.dedup.block).isdisjoint(adapters.lent_names("dedup.block"))
    return of_blocks or config.dedup.score in adapters.lent_names("dedup.score")


def _failed(task: _Task, error: Exception) -> MethodResult:
    text = " ".join(str(error).split())
    if isinstance(error, BrokenProcessPool):
        text = "its process was killed, as happens when memory runs out"
    elif not isinstance(error, BibldError):
        text = f"{type(error).__name__}: {text}"
    return MethodResult(task.method, task.config.dedup.block, task.config.dedup.score, note=text)


# -- one method, in a separate process -------------------------------------------------------------------------------


def _measure(task: _Task) -> MethodResult:
    config, folder = task.config, task.folder
    try:
        with Catalog(config.workspace, read_only=True) as catalog:
            if not _calls_functions(config):  # these know the records of the catalog only, and need few kernels
                few = {catalog.register.record(each): mods for each, _, mods in islice(catalog.records.live(), _FEW)}
                copies = {RecordId("copy", str(record)): mods for record, mods in few.items()}
                find_duplicates(few | copies, config)  # loads the kernels, so that their loading is not measured
            people = catalog.register.verdicts()
            with ExitStack() as stack:
                with _peak_memory() as memory:
                    begin = perf_counter()
                    ready = stack.enter_context(prepare(catalog, config, Silent(), folder / "features"))
                    trial = Trial(ready, config, people, task.across, np.load(folder / "labelled.npy"))
                    clustered = trial.cluster()
                    seconds = perf_counter() - begin
                pairs = _Pairs(*(np.load(folder / f"{column}.npy") for column in _Pairs.__struct_fields__))
                is_found = np.isin(pairs.similar, trial.candidates)
                curve, expected = _curve(pairs, is_found, ready.rows.table, config)
                joined = trial.joined(clustered)
                disk, records = _bytes_of(ready.tables.file), len(ready.rows.table)
    except Exception as error:  # noqa: BLE001 - whatever a blocker or a plug-in raises, the other methods go on
        return _failed(task, error)
    if task.mode == "pairs":
        joined = joined[np.isin(joined, pairs.labelled)]
    is_similar = _is_similar(pairs, config)
    precision, recall, f1 = rates(joined, pairs.true)
    return MethodResult(
        method=task.method,
        block=config.dedup.block,
        score=config.dedup.score,
        candidate_recall=found_share(pairs.true, trial.candidates),
        similar_recall=round(float(is_found[is_similar].mean()), 4) if is_similar.any() else None,
        candidates=len(trial.candidates),
        candidates_per_record=round(len(trial.candidates) / records, 4) if records else 0.0,
        precision=precision,
        recall=recall,
        f1=f1,
        seconds=round(seconds, 3),
        memory=memory[0],
        disk=disk,
        curve=curve,
        expected=expected,
        note="" if len(trial.candidates) else "proposes no pair of these records",
    )


def _bytes_of(file: Path | None) -> int:
    """Return the size of the keys, with the signatures beside them."""
    return sum(path.stat().st_size for path in file.parent.iterdir() if path.is_file()) if file else 0


def _curve(
    pairs: _Pairs, is_found: npt.NDArray[np.bool_], rows: FeatureRows, config: Config
) -> tuple[tuple[SimilarityBin, ...], tuple[float, ...]]:
    """Return the share of found pairs by their similarity, and for ``minhash`` the share that its S-curve promises.

    For ``minhash`` alone the similarity is the resemblance that the curve is about, on a sample of the pairs.
    """
    if config.dedup.block != ("minhash",):
        return _bins(pairs.similarities, is_found), ()
    settings = config.settings("dedup.block", "minhash")
    chosen = np.arange(0, len(pairs.similar), len(pairs.similar) // _SAMPLE + 1)
    left, right = unpack_pairs(pairs.similar[chosen])
    same_text = shingles.Settings(fields=settings.fields, otherwise=(), unit=settings.unit, size=settings.size)
    columns = rows.chunk(0, len(rows), settings.fields)
    similarities = shingles.scores(columns, left, right, same_text).astype(np.float64)
    promised = minhash.s_curve(*minhash.bands_and_rows(settings), similarities)[1]
    expected = (one.found for one in _bins(similarities, promised))
    return _bins(similarities, is_found[chosen]), tuple(expected)


def _bins(similarities: npt.NDArray[np.float64], shares: npt.NDArray[Any]) -> tuple[SimilarityBin, ...]:
    """Return the mean share of the pairs in each bin that has any."""
    return tuple(SimilarityBin(*one) for one in means_by_bin(similarities + 1e-6, _BINS, shares))


@contextmanager
def _peak_memory() -> Iterator[list[int]]:
    """Yield a list whose one item is, at the end, the most private memory in bytes beyond that at the beginning."""
    ended, most = threading.Event(), [0]
    begin = _private_memory()

    def watch() -> None:
        while not ended.wait(0.02):
            most[0] = max(most[0], _private_memory() - begin)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def _private_memory() -> int:
    """Return the memory of this process without pages of mapped files, in bytes; 0 if it is unknown."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024
