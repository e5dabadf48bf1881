"""Blobs in the catalog: zstd with dictionaries that are learnt from some of them and kept beside them.

A frame names the dictionary that it needs, so a dictionary is never changed or removed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import zstandard

from bibld.errors import CatalogError

_LEVEL = 3
_DICTIONARY_BYTES = 110 * 1024
_SAMPLES_NEEDED = 300

_TRIED = 8
"""Blobs that are compressed with each dictionary, to find the one that suits them."""

_MOST = 16
"""Dictionaries that one kind has at most."""

_MUCH_BETTER = 0.9
"""A dictionary is worth its place that brings blobs down to this share of what the others do."""

_MUCH_WORSE = 0.8
"""Learning is tried where these blobs take more than those that the best dictionary was learnt for, over this."""

_HELD_BACK = 16
"""Each sixteenth sample is not learnt from, but shows how much better it is to have learnt."""

_LEARNT_FROM = 3 << 17
"""A dictionary is learnt from samples of about so many bytes; from more it becomes hardly better."""

_DICTIONARY = zstandard.ZstdCompressor(level=9)
"""What dictionaries themselves are kept with."""

Compress = Callable[[bytes], bytes]


class Blobs:
    """Compresses and decompresses blobs of some kinds; each kind has dictionaries of its own once there are samples."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._compressors: dict[int, zstandard.ZstdCompressor] = {}
        self._decompressors: dict[int, zstandard.ZstdDecompressor] = {}
        self._latest: dict[str, Compress] = {}
        self._topics = set[object]()
        self._shares: dict[int, float] = {}

    def forget(self) -> None:
        """Know nothing of dictionaries any more, since one may have been rolled back."""
        self._compressors.clear()
        self._decompressors.clear()
        self._latest.clear()
        self._topics.clear()
        self._shares.clear()

    def compressed(self, kind: str, data: bytes) -> bytes:
        """A zstd frame that holds the data."""
        compress = self._latest.get(kind)
        if compress is None:
            numbers = self._numbers(kind)
            compress = self._latest[kind] = self._compressor(numbers[-1] if numbers else 0).compress
        return compress(data)

    def learn(self, kind: str, samples: Sequence[bytes]) -> None:
        """Make a dictionary of this kind, unless there is one or the samples are too few to learn from."""
        if len(samples) >= _SAMPLES_NEEDED and not self._numbers(kind):
            made = _trained(samples)
            if made is not None:
                self._keep(kind, made)

    def compressed_all(self, kind: str, topic: object, blobs: Sequence[bytes]) -> list[bytes]:
        """Frames of blobs that are alike, in their order: all by the one dictionary that suits them, old or new.

        A new one is learnt from the first blobs of each ``topic`` (things that are alike, the records of a file, say)
        that are enough to learn from, and kept if it does much better than all others.
        """
        frames = self._suited(kind, topic, blobs).multi_compress_to_buffer(list(blobs))
        return [frames[place].tobytes() for place in range(len(frames))]

    def _suited(self, kind: str, topic: object, samples: Sequence[bytes]) -> zstandard.ZstdCompressor:
        """What compresses blobs like these best: one of the dictionaries of the kind, or a new one."""
        tried = samples[:: max(len(samples) // _TRIED, 1)]
        sizes = {number: _size(self._compressor(number), tried) for number in (0, *self._numbers(kind))}
        best = min(sizes, key=lambda number: (sizes[number], number))
        share = sizes[best] / max(sizes[0], 1)
        may_learn = len(samples) >= _SAMPLES_NEEDED and len(sizes) <= _MOST and topic not in self._topics
        if may_learn and share * _MUCH_WORSE > self._shares.get(best, 0):
            self._topics.add(topic)
            best = self._learnt(kind, best, samples, sizes[0] / len(tried))
        return self._compressor(best)

    def _learnt(self, kind: str, best: int, samples: Sequence[bytes], without: float) -> int:
        """A new dictionary if it does much better than the best one so far, else that; ``without``: the bytes that a
        sample takes without any."""
        held_back = samples[::_HELD_BACK]
        made = _trained([sample for place, sample in enumerate(samples) if place % _HELD_BACK])
        if made is None:
            return best
        compressor = _compressor(made)
        size = _size(compressor, held_back)
        if size > _MUCH_BETTER * _size(self._compressor(best), held_back):
            return best
        number = self._keep(kind, made)
        self._compressors[number] = compressor
        self._shares[number] = size / (without * len(held_back))
        return number

    def decompressed(self, frame: bytes) -> bytes:
        """The data of a frame; raises ``CatalogError`` where it is damaged."""
        try:
            number = zstandard.get_frame_parameters(frame).dict_id
            decompressor = self._decompressors.get(number)
            if decompressor is None:
                decompressor = self._decompressors[number] = self._new_decompressor(number)
            return decompressor.decompress(frame)
        except zstandard.ZstdError as error:
            raise CatalogError(f"a blob in catalog.db is damaged: {error}; run `bibld catalog check`") from error

    def _keep(self, kind: str, dictionary: zstandard.ZstdCompressionDict) -> int:
        """Store a dictionary; gives its number."""
        number = dictionary.dict_id()
        self._connection.execute(
            "INSERT INTO dictionary VALUES (?, ?, ?)", (number, kind, written_dictionary(dictionary.as_bytes()))
        )
        self._latest.pop(kind, None)
        return number

    def _numbers(self, kind: str) -> list[int]:
        """The dictionaries of a kind."""
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
            raise CatalogError(f"dictionary {number} is not in catalog.db; run `bibld catalog check`")
        return zstandard.ZstdCompressionDict(zstandard.ZstdDecompressor().decompress(row[0]))


def written_dictionary(dictionary: bytes) -> bytes:
    """A dictionary as it stands in the catalog."""
    return _DICTIONARY.compress(dictionary)


def _size(compressor: zstandard.ZstdCompressor, samples: Sequence[bytes]) -> int:
    return sum(len(compressor.compress(sample)) for sample in samples)


def _trained(samples: Sequence[bytes]) -> zstandard.ZstdCompressionDict | None:
    """A dictionary that is learnt from samples; None where they are so short, or so few, that nothing can be learnt."""
    there = sum(map(len, samples))
    size = min(_DICTIONARY_BYTES, there // 10)
    try:
        # Segments of 4 KiB, found by their parts of 8 bytes, of which 2^16 are told apart, in all samples: as good as
        # what zstd finds by trying many sizes on some samples and comparing them on others, at a tenth of the time.
        return zstandard.train_dictionary(
            size,
            list(samples[:: -(-there // _LEARNT_FROM) or 1]),
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
