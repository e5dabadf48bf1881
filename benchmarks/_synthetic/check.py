"""What a catalogue looks like, and how hard it is for the default method."""

import time
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.candidates import all_pairs
from bibld.dedup.hashes import title, words
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.method import MethodOptions
from bibld.model.features import FeatureColumns, TextColumn
from bibld.text.folding import fold
from bibld.text.romanisation import romanise

from .catalogue import Catalogue, Chunk

_BITS = 1 << 27
_TOP = 8
_READ = 2_000
_RANKS = (1, 10, 100, 1_000, 10_000)
_SURE, _ASKED = 0.9, 0.5


class Summary:
    """Counts over chunks, in flat memory: distinct words are estimated by linear counting."""

    def __init__(self) -> None:
        self.records = self.nameless = self.letters = self.words = self.bytes = 0
        self._seen = np.zeros(_BITS, dtype=bool)
        self._sample: FeatureColumns | None = None

    def add(self, chunk: Chunk) -> None:
        """Count a chunk."""
        sampled = chunk.columns
        self.records += len(sampled)
        self.nameless += int((np.diff(sampled.author.offsets) == 0).sum())
        self.letters += len(sampled.title.codes)
        self.bytes += sum(text.codes.nbytes + text.offsets.nbytes for text in sampled.texts.values())
        self.bytes += sum(column.nbytes for column in sampled.numbers.values())
        _, hashes = words(*title(sampled))
        self.words += len(hashes)
        self._seen[hashes >> np.uint64(37)] = True
        if self._sample is None:
            self._sample = sampled

    def show(self) -> None:
        """Print what was counted; document frequencies are those of the first chunk."""
        assert self._sample is not None
        free = 1 - np.count_nonzero(self._seen) / _BITS
        print(f"  in {self.records:,} of them:")
        print(f"  without author {self.nameless / self.records:.4f}")
        print(f"  title {self.letters / self.records:.1f} characters, {self.words / self.records:.2f} different words")
        print(f"  {-_BITS * np.log(free):,.0f} distinct words in titles (estimate)")
        print(f"  {self.bytes / self.records:,.0f} bytes per record")
        self._show_frequencies(self._sample)

    @staticmethod
    def _show_frequencies(sampled: FeatureColumns) -> None:
        _, hashes = words(*title(sampled))
        counts = np.sort(np.unique(hashes, return_counts=True)[1])[::-1]
        curve = ", ".join(f"{rank:,}: {counts[rank - 1] / len(sampled):.5f}" for rank in _RANKS if rank <= len(counts))
        print(f"  document frequency by rank in the first {len(sampled):,} records: {curve}")
        found = Counter(
            word
            for row in range(min(_READ, len(sampled)))
            for word in set(sampled.texts["main_title"].text(row).split())
        )
        print("  most frequent: " + ", ".join(word for word, _ in found.most_common(_TOP)))


def check(catalogue: Catalogue, chunk: Chunk) -> None:
    """Stop with a word where a promise of the catalogue does not hold: cuts, forms of literals, pairs."""
    sampled = chunk.columns
    for row in range(0, min(_READ, len(sampled))):
        one = sampled.features(row)
        for text in (one.title, one.author):
            assert fold(text) == text, f"row {row}: {text!r} is not folded"
        if one.names:
            first = one.names.split("|")[0]
            assert not one.author or romanise(one.author) == first, f"row {row}: {one.author!r}, {first!r}"
        full_title = " ".join(filter(None, (one.main_title, one.remainder)))
        assert romanise(one.title) == full_title, f"row {row}: {one.title!r}, {full_title!r}"
    last = min(len(sampled), 1_000)
    for begin in range(0, last, 137):
        again = catalogue.chunk(begin, min(begin + 137, last))
        rows = range(begin, begin + len(again.columns))
        assert np.array_equal(again.truth, chunk.truth[rows.start : rows.stop]), f"truth of rows {rows}"
        assert [again.columns.features(row - begin) for row in rows] == [sampled.features(row) for row in rows], rows


def realism(catalogue: Catalogue, listed: Path | None = None) -> None:
    """Block by identifier and composite keys, score with the default model, and compare with the truth."""
    from bibld.dedup.score import model

    sampled = joined(list(catalogue.chunks()))
    true = np.sort(catalogue.true_pairs())
    begin = time.perf_counter()
    with KeyTables(None, MethodOptions()) as tables, all_pairs(tables, sampled, tables.rebuild(sampled)) as found:
        candidates = np.sort(np.concatenate(list(found.packed())))
    print(f"  blocking {time.perf_counter() - begin:.1f} s", end=": ")
    print(f"candidate recall {np.isin(true, candidates).mean():.4f}", end=" ")
    print(f"at {len(candidates) / len(sampled):.3f} candidates per record")
    begin = time.perf_counter()
    scores = model.scores(sampled, *unpack_pairs(candidates), model.Settings())
    print(f"  model {time.perf_counter() - begin:.1f} s")
    is_true = np.isin(candidates, true)
    for threshold in (_ASKED, _SURE):
        predicted = scores >= threshold
        right = int((predicted & is_true).sum())
        precision, recall = right / max(predicted.sum(), 1), right / len(true)
        f1 = 2 * precision * recall / (precision + recall)
        print(f"  at {threshold}: precision {precision:.4f} recall {recall:.4f} F1 {f1:.4f}")
    if listed:
        _list_doubts(sampled, candidates, scores, is_true, listed)


def joined(chunks: list[Chunk]) -> FeatureColumns:
    """Chunks behind each other."""
    parts = [chunk.columns for chunk in chunks]
    return FeatureColumns(
        ordinals=np.concatenate([part.ordinals for part in parts]),
        texts={name: _text([part.texts[name] for part in parts]) for name in parts[0].texts},
        numbers={name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers},
    )


def _text(parts: list[TextColumn]) -> TextColumn:
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return TextColumn(offsets, np.concatenate([part.codes for part in parts]))


def _list_doubts(
    sampled: FeatureColumns,
    candidates: npt.NDArray[np.uint64],
    scores: npt.NDArray[np.float32],
    is_true: npt.NDArray[np.bool_],
    listed: Path,
) -> None:
    """Write pairs that the model calls otherwise than they are, the first hundred of each kind."""
    with listed.open("w", encoding="utf-8") as out:
        for name, wrong in (("missed", is_true & (scores < _ASKED)), ("false", ~is_true & (scores >= _SURE))):
            places = np.flatnonzero(wrong)
            out.write(f"{name}: {len(places)}\n")
            for place in places[:100]:
                out.write(f"  {scores[place]:.3f}\n")
                for row in (int(candidates[place]) >> 32, int(candidates[place]) & 0xFFFFFFFF):
                    one = sampled.features(row)
                    description = " ".join(
                        f"{name}={value}" for name, value in msgspec.structs.asdict(one).items() if value
                    )
                    out.write(f"    {description}\n")
