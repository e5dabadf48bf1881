"""Compress blobs with zstd and dictionaries that are trained on some of them and stored beside them.

A frame contains the number of its dictionary, so a dictionary is never changed or deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import zstandard

from bibld.errors import CatalogError

_LEVEL = 3
_DICTIONARY_BYTES = 110 * 1024
_SAMPLES_NEEDED = 300

_SAMPLES_TRIED = 8
"""Number of blobs that are compressed with each dictionary to find the best one."""

_MAX_DICTIONARIES = 16
"""Largest number of dictionaries of one kind."""

_MUCH_BETTER = 0.9
"""A new dictionary is stored if blobs compressed with it have at most this share of their size with the best other."""

_MUCH_WORSE = 0.8
"""Training is tried if blobs compress worse, by this factor, than those that the best dictionary was trained on."""

_TEST_EVERY = 16
"""Each sixteenth sample is not used for training, but to measure the new dictionary."""

_TRAINING_BYTES = 3 << 17
"""Bytes of samples that a dictionary is trained on; more bytes hardly improve it."""

_DICTIONARY = zstandard.ZstdCompressor(level=9)
"""Compresses the dictionaries themselves."""

Compress = Callable[[bytes], bytes]


class Blobs:
    """Compresses and decompresses blobs. Each kind of blobs has its own dictionaries as soon as there are samples.

    The database has the table ``dictionary``; messages name its ``file``, and what to do (``remedy``) if it is damaged.
    """

    def __init__(
        self, connection: sqlite3.Connection, file: str = "catalog.db", remedy: str = "run `bibld catalog check`"
    ) -> None:
        self._connection = connection
        self._file = file
        self._remedy = remedy
        self._compressors: dict[int, zstandard.ZstdCompressor] = {}
        self._decompressors: dict[int, zstandard.ZstdDecompressor] = {}
        self._latest: dict[str, Compress] = {}
        self._topics = set[object]()
        self._shares: dict[int, float] = {}

    def invalidate_cache(self) -> None:
        """Discard the dictionaries in memory, because one may have been rolled back."""
        self._compressors.clear()
        self._decompressors.clear()
        self._latest.clear()
        self._topics.clear()
        self._shares.clear()

    def compress(self, kind: str, data: bytes) -> bytes:
        """Return the data as a zstd frame."""
        compress = self._latest.get(kind)
        if compress is None:
            numbers = self._numbers(kind)
            compress = self._latest[kind] = self._compressor(numbers[-1] if numbers else 0).compress
        return compress(data)

    def is_trained(self, kind: str) -> bool:
        """Whether there is a dictionary of this kind."""
        return bool(self._numbers(kind))

    def train(self, kind: str, samples: Sequence[bytes]) -> None:
        """Train a dictionary of this kind, unless there is one already or there are too few samples."""
        if len(samples) >= _SAMPLES_NEEDED and not self._numbers(kind):
            result = train_dictionary(samples)
            if result is not None:
                self._store(kind, result)

    def compress_all(self, kind: str, topic: object, blobs: Sequence[bytes]) -> list[bytes]:
        """Compress similar blobs with the dictionary, old or new, that is best for them; return the frames in order.

        A new one is trained on the first sufficient blobs of each ``topic`` (similar things, such as the records of a
        file), and stored if it is much better than all others.
        """
        frames = self._best_compressor(kind, topic, blobs).multi_compress_to_buffer(list(blobs))
        return [frames[number].tobytes() for number in range(len(frames))]

    def _best_compressor(self, kind: str, topic: object, samples: Sequence[bytes]) -> zstandard.ZstdCompressor:
        """Return the compressor that is best for samples: with a stored dictionary of the kind, or a new one."""
        tried = samples[:: max(len(samples) // _SAMPLES_TRIED, 1)]
        sizes = {number: _size(self._compressor(number), tried) for number in (0, *self._numbers(kind))}
        best = min(sizes, key=lambda number: (sizes[number], number))
        share = sizes[best] / max(sizes[0], 1)
        may_learn = len(samples) >= _SAMPLES_NEEDED and len(sizes) <= _MAX_DICTIONARIES and topic not in self._topics
        if may_learn and share * _MUCH_WORSE > self._shares.get(best, 0):
            self._topics.add(topic)
            best = self._train_better(kind, best, samples, sizes[0] / len(tried))
        return self._compressor(best)

    def _train_better(self, kind: str, best: int, samples: Sequence[bytes], without: float) -> int:
        """Return the number of a new dictionary if it is much better than the ``best`` one, else ``best``.

        ``without`` is the average size of a sample that is compressed without any dictionary.
        """
        test_samples = samples[::_TEST_EVERY]
        result = train_dictionary([sample for number, sample in enumerate(samples) if number % _TEST_EVERY])
        if result is None:
            return best
        compressor = _compressor(result)
        size = _size(compressor, test_samples)
        if size > _MUCH_BETTER * _size(self._compressor(best), test_samples):
            return best
        number = self._store(kind, result)
        self._compressors[number] = compressor
        self._shares[number] = size / (without * len(test_samples))
        return number

    def decompress(self, frame: bytes) -> bytes:
        """Return the data of a frame; raises ``CatalogError`` if it is damaged."""
        try:
            number = zstandard.get_frame_parameters(frame).dict_id
            decompressor = self._decompressors.get(number)
            if decompressor is None:
                decompressor = self._decompressors[number] = self._new_decompressor(number)
            return decompressor.decompress(frame)
        except zstandard.ZstdError as error:
            raise CatalogError(f"a blob in {self._file} is damaged: {error}; {self._remedy}") from error

    def _store(self, kind: str, dictionary: zstandard.ZstdCompressionDict) -> int:
        """Store a dictionary and return its number."""
        number = dictionary.dict_id()
        self._connection.execute(
            "INSERT INTO dictionary VALUES (?, ?, ?)", (number, kind, _DICTIONARY.compress(dictionary.as_bytes()))
        )
        self._latest.pop(kind, None)
        return number

    def _numbers(self, kind: str) -> list[int]:
        """Return the numbers of the dictionaries of a kind."""
        rows = self._connection.execute("SELECT id FROM dictionary WHERE kind = ? ORDER BY id", (kind,))
        return [number for (number,) in rows]

    def _compressor(self, number: int) -> zstandard.ZstdCompressor:
        compressor = self._compressors.get(number)
        if compressor is None:
            compressor = self._compressors[number] = _compressor(self._dictionary(number) if number else None)
        return compressor

    def _new_decompressor(self, number: int) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor(dict_data=self._dictionary(number) if number else None)

    def _dictionary(self, number: int) -> zstandard.ZstdCompressionDict:
        row = self._connection.execute("SELECT bytes FROM dictionary WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise CatalogError(f"dictionary {number} is not in {self._file}; {self._remedy}")
        return zstandard.ZstdCompressionDict(zstandard.ZstdDecompressor().decompress(row[0]))


def _size(compressor: zstandard.ZstdCompressor, samples: Sequence[bytes]) -> int:
    return sum(len(compressor.compress(sample)) for sample in samples)


def train_dictionary(samples: Sequence[bytes]) -> zstandard.ZstdCompressionDict | None:
    """Train a dictionary on samples; None if they are too short or too few."""
    total = sum(map(len, samples))
    size = min(_DICTIONARY_BYTES, total // 10)
    try:
        # Segments of 4 KiB, found by their parts of 8 bytes, which are hashed to 2^16 values, in all samples: as good
        # as the parameters that zstd finds by trying many on some samples, in a tenth of the time.
        return zstandard.train_dictionary(
            size,
            list(samples[:: -(-total // _TRAINING_BYTES) or 1]),
            k=max(min(4096, size // 8), 16),
            d=8,
            f=16,
            split_point=1.0,
        )
    except zstandard.ZstdError:
        return None


def _compressor(dictionary: zstandard.ZstdCompressionDict | None) -> zstandard.ZstdCompressor:
    if dictionary is not None:
        dictionary.precompute_compress(level=_LEVEL)
    return zstandard.ZstdCompressor(level=_LEVEL, dict_data=dictionary, write_checksum=True)
