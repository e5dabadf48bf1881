"""Sorts the lines of a dataset by the document that they belong to, and derives what a document states of itself.

Nothing is parsed: the lines are those that ``bibld.model.rdf.quad`` wrote, and are compared as bytes.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from bibld.model.rdf import term, unescape

LABELS = tuple(
    term(curie).encode()
    for curie in (
        *("rdfs:label", "skos:prefLabel", "dcterms:title", "schema:name", "foaf:name", "bibo:shortTitle"),
        "skos:notation",
    )
)
"""The properties whose values are names of a thing, the best first; a thing without a name has a code."""

_LINKS_TO_SAME = tuple(term(curie).encode() for curie in ("owl:sameAs", "skos:exactMatch"))
_REPLACED_BY = term("dcterms:isReplacedBy").encode()
_TOMBSTONE = tuple(
    term(curie).encode()
    for curie in ("prov:invalidatedAtTime", "dcterms:isReplacedBy", "rdfs:comment", "owl:deprecated")
)
"""The properties of a deleted thing; a thing that has others is described."""

_DIGEST_BYTES = 16


class DocumentContent(NamedTuple):
    """What is stored of a document, besides its path: ``status`` is 200, 303 (``target`` answers) or 410."""

    status: int
    target: str
    title: str
    digest: bytes
    quads: bytes


class Lines:
    """Finds the documents that lines belong to, in a dataset whose IRIs begin with ``base``.

    A line belongs to the document of its subject (its IRI before ``#``), and if it states that another IRI of the
    dataset is the same, to the document of that, too. The dataset, its graphs and the ontology have no document here.
    """

    def __init__(self, base: str) -> None:
        start = f"<{base}".encode()
        self._start = start
        self._path = re.compile(re.escape(start) + rb"(?!(?:dataset|graph|ontology)[/#>])([^#>]+)")
        links = b"|".join(re.escape(link) for link in _LINKS_TO_SAME)
        self._links = tuple(b" " + link + b" " + start for link in _LINKS_TO_SAME)
        self._same = re.compile(rb"<[^>]*> (?:" + links + rb") " + re.escape(start) + rb"([^#>]+)>")

    def split(self, block: bytes) -> dict[bytes, list[bytes]]:
        """Return the lines of a block (without line ends) by the paths of their documents, those of each sorted."""
        lines = block.split(b"\n")
        lines.sort()
        found: dict[bytes, list[bytes]] = {}
        end = len(lines)
        position = bisect_left(lines, self._start)
        while position < end:
            line = lines[position]
            match = self._path.match(line)
            if match is None:
                if not line.startswith(self._start):
                    break
                position += 1
                continue
            # The lines about an IRI are in sequence, and those about its hash IRIs: "$" follows "#", "?" follows ">".
            after = match[0] + (b"$" if line[match.end()] == ord("#") else b"?")
            first, position = position, bisect_left(lines, after, position)
            path = match[1]
            if path in found:
                found[path] += lines[first:position]
            else:
                found[path] = lines[first:position]
        for link in self._links:
            position = block.find(link)
            while position >= 0:
                self._add_link(block[block.rfind(b"\n", 0, position) + 1 : block.index(b"\n", position)], found)
                position = block.find(link, position + 1)
        return found

    def _add_link(self, line: bytes, found: dict[bytes, list[bytes]]) -> None:
        """Add a line to the document of its object, if it states that another IRI is the same as its subject."""
        match = self._same.match(line)
        own = self._path.match(line)
        if match is not None and own is not None and own[1] != match[1]:
            found[match[1]] = sorted((*found.get(match[1], ()), line))

    def paths(self, line: bytes) -> list[bytes]:
        """Return the paths of the one or two documents that a line belongs to; none of a line about something else."""
        match = self._path.match(line)
        if match is None:
            return []
        same = self._same.match(line)
        return [match[1]] if same is None or same[1] == match[1] else [match[1], same[1]]

    def content(self, path: bytes, lines: Sequence[bytes]) -> DocumentContent:
        """Return the content of a document from all its lines, which are sorted and of which there is one at least."""
        quads = b"\n".join((*lines, b""))
        digest = hashlib.sha256(quads).digest()[:_DIGEST_BYTES]
        subject = self._start + path
        about = subject + b"> "
        exact = lines[bisect_left(lines, about) : bisect_left(lines, subject + b">!")]
        predicates_at = len(about)
        is_tombstone = all(line.startswith(_TOMBSTONE, predicates_at) for line in exact)
        if not is_tombstone or (not exact and any(line.startswith(subject + b"#") for line in lines)):
            return DocumentContent(200, "", _title(about, exact), digest, quads)
        target = self._target(path, about, exact, lines)
        return DocumentContent(303 if target else 410, target, "", digest, quads)

    def _target(self, path: bytes, about: bytes, exact: Sequence[bytes], lines: Sequence[bytes]) -> str:
        """Return the path that answers in the place of one that is not described; empty if there is none.

        That is one that states to be the same, else the one that the tombstone names.
        """
        for line in lines:
            match = self._same.match(line)
            own = self._path.match(line)
            if match is not None and match[1] == path and own is not None and own[1] != path:
                return own[1].decode()
        start = about + _REPLACED_BY + b" " + self._start
        for line in exact:
            if line.startswith(start):
                return line[len(start) :].partition(b">")[0].decode()
        return ""


def has_tombstone(base: str, path: str, quads: bytes) -> bool:
    """Whether the quads of an IRI that another one answers for state something about it: that it was deleted."""
    about = f"<{base}{path}> ".encode()
    return quads.startswith(about) or b"\n" + about in quads


def _title(about: bytes, lines: Sequence[bytes]) -> str:
    """Return the best name of a thing: one in a stated language before others, its own script before a romanised one.

    ``lines`` are those whose subject is the thing, sorted; each begins with ``about``.
    """
    for label in LABELS:
        start = about + label + b' "'
        first = position = bisect_left(lines, start)
        names = []
        while position < len(lines) and lines[position].startswith(start):
            text, language = read_literal(lines[position][len(start) - 1 :])
            names.append((not language, "-" in language, language, text))
            position += 1
        if position > first:
            return min(names)[3]
    return ""


def read_literal(rest: bytes) -> tuple[str, str]:
    """Return value and language (or an empty text) of the literal with which the rest of a line begins."""
    closing = rest.rindex(b'"')
    text = rest[1:closing].decode()
    language = rest[closing + 2 :].partition(b" ")[0].decode() if rest[closing + 1 : closing + 2] == b"@" else ""
    return unescape(text), language
