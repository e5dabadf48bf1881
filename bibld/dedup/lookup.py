"""Look up records of files in the index of a release: which of its publications they describe.

A release has a copy of the index in its folder ``match``, which no run changes:

``features/``            the feature table; hard links to the files of the index, to which later runs only append
``signatures.uint64``    the signatures of its rows, a hard link too
``<blocker>.keys``       the keys of the live rows by one blocker as words (:mod:`bibld.dedup.keys`), ascending
``members.uint64``       ordinal and founder of each record in a cluster of two or more, by ordinal
``statistics``           the frozen statistics, as the catalog has them
``head.json``            what is needed to open them

The records of files are looked up in portions: the keys of a portion are found among those of the release and of the
other records of the files by binary search; the pairs pass the same filters, scorer and rules as in a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup import exceptions
from bibld.dedup.arrays import Flags, Numbers, Places, pack_pairs, unpack_pairs
from bibld.dedup.candidates import GROWN_FAR, PairTest
from bibld.dedup.columns import FeatureRows, FeatureTable
from bibld.dedup.decisions import DECISIONS, DIFFERENT, RELATED, REVIEW, SAME, DecidedPairs, Decider
from bibld.dedup.index import Index
from bibld.dedup.key_tables import IndexedStatistics, KeyTables, from_bytes
from bibld.dedup.keys import LEVELS, MAX_ROWS, ROW_BITS, ConfiguredBlocker, KeyMaker
from bibld.dedup.method import Method, blocking_digest
from bibld.dedup.prefilter import is_applied, likely, trees_for
from bibld.dedup.side_by_side import describe_differences
from bibld.errors import CatalogError, StageError
from bibld.model.features import FeatureColumns
from bibld.model.release import link_or_copy

_FORMAT = 1
_HEAD, _STATISTICS, _SIGNATURES, _MEMBERS = "head.json", "statistics", "signatures.uint64", "members.uint64"
_PORTION = 5_000
"""Records that are looked up together."""
_WORDS_AT_ONCE = 2_000_000

_ROW, _LOW = np.uint64(ROW_BITS), np.uint64(MAX_ROWS - 1)
_NOTHING = np.empty(0, np.uint64)
_SOURCE_OF_FILES = ~np.int32(1 << 17)
"""The source of records of files, of which a cluster may contain more than one; beyond those of an index."""

_RANKS = np.zeros(len(DECISIONS), np.int64)
_RANKS[[RELATED, REVIEW, SAME]] = 1, 2, 3
"""Which of the decisions about a record and others counts, by decision."""


class _Head(msgspec.Struct, frozen=True):
    format: int
    rows: int
    width: int
    blocking: str
    sources: dict[str, int]


def write_lookup(catalog: Catalog, folder: Path, config: Config) -> None:
    """Write the index of the catalog as it is now into a new folder; nothing if the catalog has no index.

    The caller must have locked the catalog. Raises ``CatalogError`` and ``OSError``.
    """
    index = Index(catalog, config)
    rows, (version, statistics) = index.open(), index.frozen_statistics()
    stored = catalog.linkage.statistics()
    if rows is None or statistics is None or stored is None:
        return
    with index.open_key_tables(rows, version) as tables:
        copy_index(rows.table, rows.live, tables, folder)
    members = np.array(list(catalog.linkage.memberships()), dtype=np.uint64).reshape(-1, 2)
    (folder / _MEMBERS).write_bytes(members.tobytes())
    (folder / _STATISTICS).write_bytes(stored[2])
    sources = {name: number for number, name in catalog.matching.sources().items()}
    head = _Head(_FORMAT, len(rows.table), tables.width, blocking_digest(config), sources)
    (folder / _HEAD).write_bytes(msgspec.json.encode(head))


def copy_index(table: FeatureTable, live: Flags, tables: KeyTables, folder: Path) -> None:
    """Copy features, signatures and keys of the ``live`` rows (rows,) into a new folder. Raises ``OSError``."""
    for file in sorted(table.folder.iterdir()):
        if file.is_file() and not file.name.startswith("keys-"):
            link_or_copy(file, folder / "features" / file.name)
    assert tables.file is not None  # they are those of an index on disk
    link_or_copy(tables.file.with_suffix(".signatures"), folder / _SIGNATURES)
    for blocker in tables.maker.with_keys:
        with (folder / f"{blocker.name}.keys").open("wb") as out:
            for level in range(LEVELS if blocker.largest else 1):
                for bounds in tables.ranges(blocker, level):
                    words = tables.sorted_words(blocker, bounds)
                    out.write(np.ascontiguousarray(words[live[words & _LOW]]).data)


class ReleasedIndex:
    """The index of a release, for reading; see :func:`write_lookup`.

    ``method`` must have the blockers of the run that made the release. Raises ``StageError`` if the release has no
    index, or one of other blockers, and ``CatalogError`` if it is damaged.
    """

    def __init__(self, folder: Path, method: Method) -> None:
        self.folder = folder
        self.method = method
        self.maker = KeyMaker(method)
        head = self._head()
        if head.format != _FORMAT or head.blocking != blocking_digest(method):
            raise StageError(f"{folder}: was made by another version or with other blockers; run `bibld run` first")
        try:
            self.table = FeatureTable(folder / "features", head.rows)
            self.signatures: Numbers = _mapped(folder / _SIGNATURES)[: head.rows * head.width].reshape(-1, head.width)
            self.keys = {blocker.name: _mapped(folder / f"{blocker.name}.keys") for blocker in self.maker.with_keys}
            self._members = np.fromfile(folder / _MEMBERS, np.uint64).reshape(-1, 2)
            self.statistics: IndexedStatistics = from_bytes((folder / _STATISTICS).read_bytes())
        except (OSError, ValueError) as error:
            raise CatalogError(f"{folder}: is damaged: {error}; run `bibld run --rebuild`") from error
        self._sources = head.sources

    def _head(self) -> _Head:
        try:
            return msgspec.json.decode((self.folder / _HEAD).read_bytes(), type=_Head)
        except FileNotFoundError as error:
            raise StageError(
                f'{self.folder.parent}: the release has no index to match with; add "match" to [publish] parts, and run'
                " `bibld run`"
            ) from error
        except (OSError, msgspec.MsgspecError) as error:
            raise CatalogError(f"{self.folder}: is damaged: {error}; run `bibld run --rebuild`") from error

    def founder(self, ordinal: int) -> int:
        """Return the founder of the cluster of a record, itself if it has no duplicates."""
        position = int(np.searchsorted(self._members[:, 0], np.uint64(ordinal)))  # a Python int would copy the array
        is_member = position < len(self._members) and int(self._members[position, 0]) == ordinal
        return int(self._members[position, 1]) if is_member else ordinal

    def members(self, founder: int) -> list[int]:
        """Return the records of the cluster of a founder, ascending."""
        by_founder, founders = self._by_founder
        begin, end = np.searchsorted(founders, np.array([founder, founder + 1], np.uint64))
        return sorted(self._members[by_founder[begin:end], 0].tolist()) or [founder]

    @cached_property
    def _by_founder(self) -> tuple[Places, Numbers]:
        order = np.argsort(self._members[:, 1], kind="stable")
        return order, self._members[order, 1]

    def sources_of_rows(self) -> npt.NDArray[np.int32]:
        """Return the number of the source of each row as ``Decider`` takes it."""
        with_duplicates = {source.id for source in self.method.sources if source.config.duplicates}
        found: npt.NDArray[np.int32] = self.table.source.astype(np.int32)
        for name, number in self._sources.items():
            if name in with_duplicates:
                found[found == number] = ~number
        return found


def _mapped(file: Path) -> Numbers:
    return np.memmap(file, np.uint64, "r").view(np.ndarray) if file.stat().st_size else _NOTHING


# -- looking up --------------------------------------------------------------------------------------------------------

Outcome = Literal["same", "review", "related", "new"]


class MatchOfRecord(msgspec.Struct, frozen=True):
    """What a record of a file was found to be.

    ``outcome``: *same*: the release has the publication; *review*: a person has to decide; *related*: it has another
    edition, volume or form; *new*: none of these. ``ordinal`` is the most similar record of the release with that
    outcome, ``score`` that of the pair, and ``reasons`` are sentences. ``others`` are the founders of other
    publications that are the same, too. ``duplicates`` are the positions of other records of the files that describe
    the same.
    """

    outcome: Outcome
    ordinal: int | None = None
    score: float | None = None
    reasons: tuple[str, ...] = ()
    others: tuple[int, ...] = ()
    duplicates: tuple[int, ...] = ()


class _Chained(FeatureRows):
    """Rows of features of two tables, those of the second behind those of the first."""

    def __init__(self, first: FeatureRows, second: FeatureRows) -> None:
        self._first, self._second = first, second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def rows(self, positions: npt.NDArray[Any], names: Iterable[str] | None = None) -> FeatureColumns:
        """Return rows in any order, repeated if asked; the columns named, by default all but the long ones."""
        is_second = positions >= len(self._first)
        order = np.argsort(is_second, kind="stable")
        own = np.empty(len(order), np.int64)
        own[order] = np.arange(len(order))
        found = FeatureColumns.concatenate(
            self._first.rows(positions[~is_second], names),
            self._second.rows(positions[is_second] - len(self._first), names),
        )
        return found.rows(own, [*found.texts, *found.numbers])

    def long_text_sizes(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the sizes of the long texts of rows; shape of ``positions``."""
        is_second = positions >= len(self._first)
        sizes = np.empty(len(positions), np.int64)
        sizes[~is_second] = self._first.long_text_sizes(positions[~is_second])
        sizes[is_second] = self._second.long_text_sizes(positions[is_second] - len(self._first))
        return sizes


class _Words(NamedTuple):
    """The keys of the records of files by one blocker as words, and those of the release."""

    blocker: ConfiguredBlocker
    own: Numbers
    released: Numbers


class Lookup:
    """Looks up records of files, whose features are the rows of a table, in the index of a release.

    Blockers that find pairs themselves, without keys, are left out: they would compare with all records.
    """

    def __init__(self, index: ReleasedIndex, records: FeatureTable) -> None:
        self._index = index
        self._records = records
        self._begin = len(index.table)
        self._rows = _Chained(index.table, records)
        sources = np.append(index.sources_of_rows(), np.full(len(records), _SOURCE_OF_FILES, np.int32))
        self._decider = Decider(self._rows, sources, index.method, index.statistics)
        self._trees = trees_for(index.method)
        self._words, self._signatures = self._keys()

    def _keys(self) -> tuple[list[_Words], Numbers]:
        maker, columns_read = self._index.maker, self._index.maker.columns_read()
        words: dict[str, list[Numbers]] = {blocker.name: [_NOTHING] for blocker in maker.with_keys}
        signatures = [np.empty((0, maker.width), np.uint64)]
        for start in range(0, len(self._records), _PORTION):
            columns = self._records.chunk(start, start + _PORTION, columns_read)
            table = maker.signatures(columns)
            signatures.append(table)
            for blocker, found, is_oversized in maker.words(columns, table, np.uint64(start), self._index.statistics):
                words[blocker.name].append(found[~is_oversized])
        return [
            _Words(blocker, np.unique(np.concatenate(words[blocker.name])), self._index.keys[blocker.name])
            for blocker in maker.with_keys
        ], np.concatenate(signatures)

    def found(self) -> Iterator[MatchOfRecord]:
        """Yield what each record was found to be, in the order of the rows. Raises ``CatalogError``."""
        for start in range(0, len(self._records), _PORTION):
            stop = min(start + _PORTION, len(self._records))
            yield from self._found(start, stop)

    def _found(self, start: int, stop: int) -> Iterator[MatchOfRecord]:
        pairs = self._pairs(start, stop)
        left, right = unpack_pairs(pairs)
        decided = self._decider.decide(left, right)
        decided = decided.take(decided.decisions != DIFFERENT)
        best, others, duplicates = self._choose(decided, start, stop)
        reasons = self._reasons(decided.take(np.array(list(best.values()), dtype=np.int64)))
        explained = dict(zip(best, reasons, strict=True))
        for row in range(start, stop):
            position = best.get(row)
            if position is None:
                yield MatchOfRecord("new", duplicates=tuple(sorted(duplicates.get(row, ()))))
                continue
            yield MatchOfRecord(
                outcome=DECISIONS[int(decided.decisions[position])],  # type: ignore[arg-type]
                ordinal=int(self._index.table.ordinals[decided.left[position]]),
                score=float(decided.scores[position]),
                reasons=explained[row],
                others=tuple(sorted(others.get(row, ()))),
                duplicates=tuple(sorted(duplicates.get(row, ()))),
            )

    # -- candidate pairs

    def _pairs(self, start: int, stop: int) -> Numbers:
        """Return the candidate pairs of some records with those of the release and of the files, each once."""
        found = [_NOTHING]
        for blocker, own, released in self._words:
            keys = np.unique(own[((own & _LOW) >= start) & ((own & _LOW) < stop)] >> _ROW)
            entries = [_entries(released, keys), _entries(own, keys) + np.uint64(self._begin)]
            found.append(self._pairs_of(blocker, np.concatenate(entries), start, stop))
        return np.unique(np.concatenate(found))

    def _pairs_of(self, blocker: ConfiguredBlocker, words: Numbers, start: int, stop: int) -> Numbers:
        """Return the pairs that share a key and pass the filters; rows of the files have numbers behind the others."""
        rows, numbers = np.unique(words & _LOW, return_inverse=True)
        numbers = numbers.astype(np.uint64)
        is_own = rows >= self._begin
        table = np.empty((len(rows), self._signatures.shape[1]), np.uint64)
        table[~is_own] = self._index.signatures[rows[~is_own].astype(np.int64)]
        table[is_own] = self._signatures[(rows[is_own] - self._begin).astype(np.int64)]
        is_looked_up: Flags = (rows >= self._begin + start) & (rows < self._begin + stop)
        test = PairTest.from_blocker(self._index.maker, blocker, self._index.method, table)
        compact = np.sort(((words >> _ROW) << _ROW) | numbers)
        groups = [compact]
        if blocker.largest:
            groups = list(_without_crowds(compact, is_own, is_looked_up, blocker.largest * GROWN_FAR))
        nothing = np.empty(0, np.uint32)
        pairs = np.unique(
            np.concatenate([test.pairs(group, _NOTHING, blocker.largest, nothing, is_looked_up)[0] for group in groups])
        )
        left, right = (ends.astype(np.int64) for ends in unpack_pairs(pairs))
        if self._trees is not None and len(left) and is_applied(self._index.method) and not blocker.is_certain:
            passing = likely(table, left, right, self._trees)
            left, right = left[passing], right[passing]
        if not blocker.is_certain:
            left, right = self._passing(rows[left].astype(np.int64), rows[right].astype(np.int64))
        else:
            left, right = rows[left], rows[right]
        return pack_pairs(np.minimum(left, right), np.maximum(left, right))

    def _passing(self, left: Places, right: Places) -> tuple[Places, Places]:
        """Return the pairs that pass the last filters of blockers."""
        for blocker in self._index.maker.blockers:
            if hasattr(blocker.adapter, "passes") and len(left):
                used, ends = np.unique(np.concatenate([left, right]), return_inverse=True)
                columns, ends = self._rows.rows(used, blocker.columns), ends.astype(np.uint32)
                passing = blocker.adapter.passes(
                    columns, ends[: len(left)], ends[len(left) :], blocker.settings, self._index.statistics
                )
                left, right = left[passing], right[passing]
        return left, right

    # -- decisions

    def _choose(
        self, decided: DecidedPairs, start: int, stop: int
    ) -> tuple[dict[int, int], dict[int, set[int]], dict[int, set[int]]]:
        """Return for each record the position of its best pair with the release, other publications that are the same,
        and the other records of the files that are."""
        best: dict[int, int] = {}
        others: dict[int, set[int]] = {}
        duplicates: dict[int, set[int]] = {}
        ordinals = self._index.table.ordinals
        order = np.lexsort((decided.left, -decided.scores, -_RANKS[decided.decisions]))
        for position in order.tolist():
            one, other = int(decided.left[position]), int(decided.right[position]) - self._begin
            is_same = int(decided.decisions[position]) == SAME
            if one >= self._begin:
                one -= self._begin
                if is_same:
                    duplicates.setdefault(one, set()).add(other)
                    duplicates.setdefault(other, set()).add(one)
            elif start <= other < stop:
                first = best.setdefault(other, position)
                if is_same and first != position:
                    founder = self._index.founder(int(ordinals[one]))
                    if founder != self._index.founder(int(ordinals[decided.left[first]])):
                        others.setdefault(other, set()).add(founder)
        return best, others, duplicates

    def _reasons(self, pairs: DecidedPairs) -> Iterator[tuple[str, ...]]:
        """Yield sentences about each pair: what agrees and differs, then the rules that decided."""
        ends = np.concatenate((pairs.left, pairs.right)).astype(np.int64)
        used, numbers = np.unique(ends, return_inverse=True)
        columns = self._rows.rows(used)
        for position, (left, right) in enumerate(zip(*np.split(numbers, [len(pairs.left)]), strict=True)):
            catalogue, own = columns.features(int(left)), columns.features(int(right))
            bits = int(pairs.exceptions[position])
            rules = [sentence for _, sentence in exceptions.explain(bits, own, catalogue)] if bits else []
            yield (*rules, *describe_differences(own, catalogue, NAMES))


def _without_crowds(words: Numbers, is_own: Flags, is_looked_up: Flags, most: int) -> Iterator[Numbers]:
    """Yield words (ascending) in which no key has more than ``most`` rows.

    A key that more rows of the release have makes no pairs, as in a run. One that too many have together with the
    records of the files makes the pairs of each record that is looked up with the rows of the release: a key for each.
    """
    starts = np.flatnonzero(np.diff(words >> _ROW, prepend=~np.uint64(0)))
    sizes = np.diff(np.append(starts, len(words)))
    crowded = sizes > most
    yield words[~np.repeat(crowded, sizes)]
    for start, size in zip(starts[crowded].tolist(), sizes[crowded].tolist(), strict=True):
        rows = words[start : start + size] & _LOW
        released = rows[~is_own[rows.astype(np.int64)]]
        own = rows[is_looked_up[rows.astype(np.int64)]]
        if not len(released) or len(released) >= most:
            continue
        for some in np.array_split(own, max(1, len(own) * len(released) // _WORDS_AT_ONCE)):
            keys = np.arange(len(some), dtype=np.uint64) << _ROW
            pairs = np.repeat(keys, len(released)) | np.tile(released, len(some))
            yield np.sort(np.concatenate([keys | some, pairs]))


NAMES = ("the file", "the catalogue")
"""What sentences call a record of a file, and one of the release."""


def _entries(words: Numbers, keys: Numbers) -> Numbers:
    """Return the words (ascending) that have some keys (ascending, each once)."""
    begins = np.searchsorted(words, keys << _ROW)
    ends = np.searchsorted(words, (keys + np.uint64(1)) << _ROW)
    lengths = ends - begins
    starts = np.cumsum(lengths) - lengths
    return words[np.repeat(begins - starts, lengths) + np.arange(int(lengths.sum()))]
