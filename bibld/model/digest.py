"""A hash of versions and settings, by which stored results are recognised as those of the same settings."""

from __future__ import annotations

import hashlib

import msgspec


def digest(*parts: object) -> str:
    """Return a hash of versions, settings and other hashes, as 32 hexadecimal digits.

    Parts are anything that msgspec can write as JSON, or bytes; structs count with their type's name.
    """
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else msgspec.json.encode(part, order="deterministic")
        name = type(part).__qualname__.encode()
        state.update(b"%d %s %d:" % (len(name), name, len(data)))
        state.update(data)
    return state.hexdigest()
