"""Hashes of words."""

import hashlib
from collections.abc import Iterable


def hash_of(words: Iterable[str]) -> int:
    """Return a hash of 56 bits, which leaves the first byte of a key for its family."""
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode(), digest_size=7).digest(), "big")
