"""Terms of N-Quads in the short forms of other syntaxes, with a cache of those that many documents contain.

Lines are bytes: most of what they contain is copied, and need not be decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from bibld.model.rdf import unescape

Value = TypeVar("Value")

_CACHED_TERMS = 1 << 14
_NEWLINE = ord("\n")
_LOCAL_NAME = re.compile(rb"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
"""Local names that need no escape in any syntax."""


class Namespaces:
    """Shortens IRIs by prefixes (name → namespace)."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._names = {space.encode(): name.encode() for name, space in sorted(prefixes.items(), reverse=True)}

    def split(self, iri: bytes) -> tuple[bytes, bytes]:
        """Return the prefix and the local name of an IRI; two empty values where it has no short form."""
        end = max(iri.rfind(b"#"), iri.rfind(b"/")) + 1
        name = self._names.get(iri[:end])
        return (name, iri[end:]) if name is not None and _LOCAL_NAME.fullmatch(iri, end) else (b"", b"")


def remember(cache: dict[bytes, Value], key: bytes, value: Value) -> Value:
    """Store a value in a cache, which is emptied when it is full; return the value."""
    if len(cache) >= _CACHED_TERMS:
        cache.clear()
    cache[key] = value
    return value


def object_of(rest: bytes) -> bytes:
    """Return the object from what follows the predicate in a line of N-Quads."""
    start = rest.rindex(b'"') if rest.startswith(b'"') else 0
    return rest[: rest.index(b" ", start)]


def iri_of(term_: bytes) -> str:
    """Return the IRI that a term in angle brackets denotes."""
    return unescape(term_.decode().removeprefix("<").removesuffix(">"))


def ends_of(start: bytes, lines: bytes) -> Iterator[int]:
    """Yield where the beginning that some lines have ends in each of them; not where a literal contains it."""
    offset = lines.find(start)
    while offset >= 0:
        end = offset + len(start)
        if offset == 0 or lines[offset - 1] == _NEWLINE:
            yield end
        offset = lines.find(start, end)
