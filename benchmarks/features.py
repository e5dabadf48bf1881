"""Measure feature extraction from real records: processor time and bytes a record, rows a second from a feature table.

The target is at most 20 µs a record and core for title and author, read out of the stored description and normalised.
"""

import gc
import re
import tempfile
import time
import unicodedata
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import _measure
import msgspec
import numpy as np
import numpy.typing as npt

from bibld import progress
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup import features as feature_extraction
from bibld.dedup.columns import FeatureTable, FeatureWriter
from bibld.dedup.compilation import njit
from bibld.dedup.features import features_of
from bibld.dedup.index import extract
from bibld.model.features import FeatureColumns
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
    packing = seconds(lambda: FeatureColumns.from_features(rows)) / len(rows) * 1e6
    gc.enable()
    asked = sum(cached.hits + cached.misses for cached in hits)
    met = sum(cached.hits for cached in hits) / asked
    print(f"title and author normalised: {ours:.1f} µs a record, {usual / ours:.2f} x as fast as NFKD and regex")
    print(f"description decoded: {decoding:.1f} µs; with title and author {decoding + ours:.1f} µs (target {TARGET})")
    print(
        f"all features: {all_features:.1f} µs, {all_features / decoding:.2f} x the decoding; {met:.0%} of the "
        f"{asked / len(records):.1f} values a record that are remembered were met before; into columns {packing:.1f} µs"
    )


def enlarged(table: FeatureTable, folder: Path) -> FeatureTable:
    """Copy the rows of a table again and again, until there are enough to read at random."""
    every = np.arange(len(table))
    with FeatureWriter(folder) as writer:
        for _ in range(2 * AT_RANDOM // len(table) + 1):
            writer.add(table.stored(every), table.made[every], table.source[every])
        return writer.close()


def extracted(catalog: Catalog, loaded: Config, folder: Path, ordinals: Iterable[int] | None = None) -> FeatureTable:
    """Extract features into a new table."""
    numbers: dict[str, int] = {}
    with FeatureWriter(folder) as writer:
        number_of = lambda source: numbers.setdefault(source, len(numbers))  # noqa: E731
        extract(catalog, loaded, writer, number_of, progress.Silent(), ordinals)
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


def measure_table(table: FeatureTable) -> None:
    positions = np.random.default_rng(1).integers(0, len(table), AT_RANDOM)
    walked = seconds(lambda: [table.chunk(start, start + 50_000) and None for start in range(0, len(table), 50_000)])
    titles = seconds(lambda: table.chunk(0, AT_RANDOM, ("title", "author", "year")))
    drawn = seconds(lambda: table.rows(positions))
    some = seconds(lambda: table.rows(positions, ("title", "author", "year")))
    cached = table.chunk(0, len(table))
    usual = seconds(lambda: [gathered(column.offsets, column.codes, positions) for column in cached.texts.values()])
    print(
        f"chunk: {len(table) / walked:,.0f} rows/s, title, author and year alone {AT_RANDOM / titles:,.0f}; "
        f"rows at random: {AT_RANDOM / drawn:,.0f} rows/s, title, author and year alone {AT_RANDOM / some:,.0f}, "
        f"{usual / drawn:.2f} x as fast as from columns in memory"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loaded = _measure.run(_measure.real_config(_measure.real_data(), folder), until="read")
        with Catalog(loaded.workspace, read_only=True) as catalog:
            extracted(catalog, loaded, folder / "first", range(1, 100))
            alone = msgspec.structs.replace(loaded, workers=1)
            gc.disable()
            forget()
            took = seconds(lambda: extracted(catalog, alone, folder / "alone"), 1)
            gc.enable()
            begin = time.perf_counter()
            table = extracted(catalog, loaded, folder / "table")
            together = time.perf_counter() - begin
            measure_features([record for _, _, record in catalog.records.live()])
        print(
            f"{len(table)} records from the catalog into a table: {took / len(table) * 1e6:.1f} µs a record; "
            f"in all processes {len(table) / together:,.0f} records a second, their start included; "
            f"{sum(path.stat().st_size for path in table.folder.iterdir()) / len(table):.0f} bytes a record on disk"
        )
        measure_table(enlarged(table, folder / "enlarged"))


if __name__ == "__main__":
    main()
