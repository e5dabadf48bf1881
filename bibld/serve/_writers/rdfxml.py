"""RDF/XML from lines of N-Quads."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyoxigraph as ox

_ROOT = re.compile(rb"(<rdf:RDF) ([^>]*)>")


def write(lines: bytes, prefixes: Mapping[str, str]) -> bytes:
    """Return the statements without their graphs, each once, in the order of the lines."""
    triples = dict.fromkeys(quad.triple for quad in ox.parse(lines, format=ox.RdfFormat.N_QUADS))
    written = ox.serialize(triples, format=ox.RdfFormat.RDF_XML, prefixes=dict(prefixes))
    assert written is not None
    return _ROOT.sub(lambda root: b" ".join((root[1], *sorted(root[2].split()))) + b">", written, count=1)
