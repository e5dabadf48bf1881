"""Blobs in the catalog: zstd with dictionaries that are learnt from the first records and kept beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import zstandard

_LEVEL = 3
_DICTIONARY_BYTES = 64 * 1024
_SAMPLES_NEEDED = 300


class Blobs:
    """Compresses and decompresses blobs of some kinds; each kind has its own dictionary once there are samples."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._compressors: dict[str, zstandard.ZstdCompressor] = {}
        self._decompressors: dict[int, zstandard.ZstdDecompressor] = {}
        self._untrained = zstandard.ZstdCompressor(level=_LEVEL)

    def compressed(self, kind: str, data: bytes) -> bytes:
        """A zstd frame that holds the data."""
        return self._compressor(kind).compress(data)

    def learn(self, kind: str, samples: Sequence[bytes]) -> None:
        """Make a dictionary of this kind, unless there is one or the samples are too few to learn from."""
        if len(samples) < _SAMPLES_NEEDED or self._dictionary(kind) is not None:
            return
        total = sum(map(len, samples))
        dictionary = zstandard.train_dictionary(min(_DICTIONARY_BYTES, total // 10), list(samples))
        self._connection.execute(
            "INSERT INTO dictionary VALUES (?, ?, ?)", (dictionary.dict_id(), kind, dictionary.as_bytes())
        )
        self._compressors.pop(kind, None)

    def decompressed(self, frame: bytes) -> bytes:
        """The data of a frame."""
        number = zstandard.get_frame_parameters(frame).dict_id
        decompressor = self._decompressors.get(number)
        if decompressor is None:
            decompressor = self._decompressors[number] = self._new_decompressor(number)
        return decompressor.decompress(frame)

    def _compressor(self, kind: str) -> zstandard.ZstdCompressor:
        compressor = self._compressors.get(kind)
        if compressor is None:
            dictionary = self._dictionary(kind)
            compressor = self._untrained
            if dictionary is not None:
                compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=dictionary)
            self._compressors[kind] = compressor
        return compressor

    def _dictionary(self, kind: str) -> zstandard.ZstdCompressionDict | None:
        row = self._connection.execute(
            "SELECT bytes FROM dictionary WHERE kind = ? ORDER BY rowid DESC LIMIT 1", (kind,)
        ).fetchone()
        return zstandard.ZstdCompressionDict(row[0]) if row else None

    def _new_decompressor(self, number: int) -> zstandard.ZstdDecompressor:
        if number == 0:
            return zstandard.ZstdDecompressor()
        row = self._connection.execute("SELECT bytes FROM dictionary WHERE id = ?", (number,)).fetchone()
        return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(row[0]))
