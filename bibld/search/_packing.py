"""How titles and details are stored: MessagePack, compressed by zstd with a dictionary trained on the same release.

A file has one dictionary for publications and one for all other things, or none where there are few of them. Frames
have neither the magic number nor the number of the dictionary nor a checksum: together these take as much as a name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cached_property

import msgspec
import zstandard

from bibld.catalog.compression import train_dictionary
from bibld.search._schema import Details, NameDetails

SAMPLES = 4000
"""Things of a kind, of about which a dictionary is trained."""

_SAMPLES_NEEDED = 300
_LEVEL = 3
_OTHERS, _PUBLICATIONS = range(2)
"""The rows of the table ``dictionary``."""

_ARRAY, _KIND_OF_VALUE = 0x90, 0xF0
"""The first byte of what is not compressed: an array of MessagePack; no frame begins so."""


class Heading(msgspec.Struct, frozen=True, array_like=True):
    """What the details of all things begin with."""

    title: str
    path: str


_encode = msgspec.msgpack.Encoder().encode
_decode_details = msgspec.msgpack.Decoder(Details).decode
_decode_name = msgspec.msgpack.Decoder(NameDetails).decode
_decode_heading = msgspec.msgpack.Decoder(Heading).decode


def encode(details: Details | NameDetails) -> bytes:
    """Return details before they are compressed."""
    return _encode(details)


class _Codec:
    """Compresses and decompresses what is stored of publications, or of other things."""

    def __init__(self, connection: sqlite3.Connection, row: int) -> None:
        found = connection.execute("SELECT bytes FROM dictionary WHERE number = ?", (row,)).fetchone()
        self._is_trained = found is not None
        if found is not None:
            dictionary = zstandard.ZstdCompressionDict(found[0])
            parameters = zstandard.ZstdCompressionParameters.from_level(
                _LEVEL,
                format=zstandard.FORMAT_ZSTD1_MAGICLESS,
                write_checksum=False,
                write_dict_id=False,
                write_content_size=True,
            )
            self._compressor = zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters)
            self._decompressor = zstandard.ZstdDecompressor(
                dict_data=dictionary, format=zstandard.FORMAT_ZSTD1_MAGICLESS
            )

    def pack(self, data: bytes) -> bytes:
        """Return the data in the form that is stored."""
        if not self._is_trained:
            return data
        frame = self._compressor.compress(data)
        return frame if len(frame) < len(data) else data

    def unpack(self, data: bytes) -> bytes:
        """Return the data from its stored form."""
        return data if data[0] & _KIND_OF_VALUE == _ARRAY else self._decompressor.decompress(data)


class Packing:
    """Packs and unpacks the rows of one file, with the dictionaries that it has when they are first needed.

    In SQL there are ``title_of(kind, data)`` and ``path_of(kind, data)``.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.create_function("title_of", 2, lambda kind, data: self.heading(kind, data).title, deterministic=True)
        connection.create_function("path_of", 2, lambda kind, data: self.heading(kind, data).path, deterministic=True)

    @cached_property
    def _publications(self) -> _Codec:
        return _Codec(self._connection, _PUBLICATIONS)

    @cached_property
    def _others(self) -> _Codec:
        return _Codec(self._connection, _OTHERS)

    def pack_publication(self, data: bytes) -> bytes:
        """Return the stored form of encoded ``Details``."""
        return self._publications.pack(data)

    def pack_name(self, data: bytes) -> bytes:
        """Return the stored form of encoded ``NameDetails``."""
        return self._others.pack(data)

    def publication(self, data: bytes) -> Details:
        """Return what is stored of a publication."""
        return _decode_details(self._publications.unpack(data))

    def name(self, data: bytes) -> NameDetails:
        """Return what is stored of another thing."""
        return _decode_name(self._others.unpack(data))

    def heading(self, kind: int, data: bytes) -> Heading:
        """Return title and path of a thing by the number of its kind: in SQL ``title_of`` and ``path_of``."""
        return _decode_heading((self._others if kind else self._publications).unpack(data))


def train_publications(connection: sqlite3.Connection, samples: Sequence[bytes]) -> None:
    """Store a dictionary for publications, trained on some encoded ones; none if there are few."""
    _train(connection, _PUBLICATIONS, samples)


def train_names(connection: sqlite3.Connection, samples: Sequence[bytes]) -> None:
    """Store a dictionary for other things, trained on some encoded ones; none if there are few."""
    _train(connection, _OTHERS, samples)


def _train(connection: sqlite3.Connection, row: int, samples: Sequence[bytes]) -> None:
    made = train_dictionary(samples) if len(samples) >= _SAMPLES_NEEDED else None
    if made is not None:
        connection.execute("INSERT INTO dictionary VALUES (?, ?)", (row, made.as_bytes()))
