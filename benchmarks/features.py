"""Measure feature extraction from real records: processor time and bytes a record, rows a second from segments.

The target is at most 20 µs a record and core for title and author, read out of the stored description and normalised.
"""

import gc
import re
import tempfile
import time
import unicodedata
from functools import partial
from itertools import islice
from pathlib import Path

import _measure
import msgspec
import numpy as np
import numpy.typing as npt

from bibld import progress
from bibld.catalog import Catalog
from bibld.dedup import features as feature_extraction
from bibld.dedup import features_of
from bibld.dedup._index.extraction import columns_of, extract
from bibld.dedup._index.segments import Segment, SegmentWriter
from bibld.dedup.compilation import njit
from bibld.model.mods import Mods
from bibld.text.folding import fold

TARGET = 20.0
AT_RANDOM = 100_000
MARK, NO_WORD = re.compile("[\u0300-\u036f]"), re.compile(r"[^\w+#]+")


seconds = partial(_measure.seconds, clock=time.process_time)


def forget():
    """Empty the caches of feature extraction."""
    for cached in vars(feature_extraction).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()


def texts_of(record: Mods) -> tuple[str, str]:
    proper = feature_extraction._proper_title(record)
    author = next((feature_extraction._heading(name) for name in record.name if name.type == "personal"), "")
    return " ".join((proper.title, *proper.sub_title)), author


def naive(text: str) -> str:
    """The usual way to normalise: decompose, drop marks, keep words."""
    return NO_WORD.sub(" ", MARK.sub("", unicodedata.normalize("NFKD", text).casefold())).strip()


def measure_features(records: list[Mods]) -> None:
    coded = [msgspec.json.encode(record) for record in records]
    decoder = msgspec.json.Decoder(Mods)

    def each(work):
        def run():
            forget()
            for record in records:
                work(record)

        return seconds(run) / len(records) * 1e6

    gc.disable()  # as in the processes of an extraction
    decoding = seconds(lambda: [decoder.decode(text) and None for text in coded]) / len(records) * 1e6
    ours = each(lambda record: [fold(text) for text in texts_of(record)])
    usual = each(lambda record: [naive(text) for text in texts_of(record)])
    all_features = each(features_of)
    hits = [cached.cache_info() for cached in vars(feature_extraction).values() if hasattr(cached, "cache_info")]
    rows = [(ordinal, features_of(record)) for ordinal, record in enumerate(records)]
    packing = seconds(lambda: columns_of(rows)) / len(rows) * 1e6
    gc.enable()
    asked = sum(cached.hits + cached.misses for cached in hits)
    met = sum(cached.hits for cached in hits) / asked
    print(f"title and author normalised: {ours:.1f} µs a record, {usual / ours:.2f} x as fast as NFKD and regex")
    print(f"description decoded: {decoding:.1f} µs; with title and author {decoding + ours:.1f} µs (target {TARGET})")
    print(
        f"all features: {all_features:.1f} µs, {all_features / decoding:.2f} x the decoding; {met:.0%} of the "
        f"{asked / len(records):.1f} values a record that are remembered were met before; into columns {packing:.1f} µs"
    )


def enlarged(segment: Segment, folder: Path) -> Segment:
    """The rows of a segment again and again, until there are enough to read at random."""
    all_rows = segment.chunk(0, len(segment))
    with SegmentWriter(folder) as writer:
        for time_ in range(2 * AT_RANDOM // len(segment) + 1):
            ordinals = np.arange(len(segment), dtype=np.uint64) + np.uint64(time_ * len(segment))
            writer.add(msgspec.structs.replace(all_rows, ordinals=ordinals))
        return writer.close()


@njit(cache=True)
def gathered(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Copy some rows of a text column in memory, as offsets and codes."""
    found = np.zeros(rows.shape[0] + 1, dtype=np.int64)
    for i in range(rows.shape[0]):
        found[i + 1] = found[i] + offsets[rows[i] + 1] - offsets[rows[i]]
    cached = np.empty(found[-1], dtype=np.uint32)
    for i in range(rows.shape[0]):
        for position in range(found[i + 1] - found[i]):
            cached[found[i] + position] = codes[offsets[rows[i]] + position]
    return found, cached


def measure_segment(segment: Segment) -> None:
    positions = np.random.default_rng(1).integers(0, len(segment), AT_RANDOM)
    walked = seconds(
        lambda: [segment.chunk(start, start + 50_000) and None for start in range(0, len(segment), 50_000)]
    )
    titles = seconds(lambda: segment.chunk(0, AT_RANDOM, ("title", "author", "year")))
    drawn = seconds(lambda: segment.rows(positions))
    some = seconds(lambda: segment.rows(positions, ("title", "author", "year")))
    cached = segment.chunk(0, len(segment))
    usual = seconds(lambda: [gathered(column.offsets, column.codes, positions) for column in cached.texts.values()])
    print(
        f"chunk: {len(segment) / walked:,.0f} rows/s, title, author and year alone {AT_RANDOM / titles:,.0f}; "
        f"rows at random: {AT_RANDOM / drawn:,.0f} rows/s, title, author and year alone {AT_RANDOM / some:,.0f}, "
        f"{usual / drawn:.2f} x as fast as from columns in memory"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loaded = _measure.run(_measure.real_config(_measure.real_data(), folder), until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            extract(catalog, loaded, folder / "first", progress.Silent(), islice(range(1, 10**9), 100))
            alone = msgspec.structs.replace(loaded, workers=1)
            gc.disable()
            forget()
            took = seconds(lambda: extract(catalog, alone, folder / "alone", progress.Silent()), 1)
            gc.enable()
            begin = time.perf_counter()
            segment = extract(catalog, loaded, folder / "segment", progress.Silent())
            together = time.perf_counter() - begin
            measure_features([record for _, _, record in catalog.records.live()])
        numbers = sum(column.nbytes // len(segment) for column in segment.numbers.values())
        print(
            f"{len(segment)} records from the catalog into a segment: {took / len(segment) * 1e6:.1f} µs a record; "
            f"in all processes {len(segment) / together:,.0f} records a second, their start included; "
            f"{segment.bytes_per_row():.0f} bytes a record on disk, {len(segment.texts) / len(segment):.0f} of them "
            f"texts with their lengths, {numbers} numbers"
        )
        measure_segment(enlarged(segment, folder / "enlarged"))


if __name__ == "__main__":
    main()
