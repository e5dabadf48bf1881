"""Writes a document in each RDF syntax from its lines of N-Quads: the same lines give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyoxigraph as ox

from bibld.serve._writers.jsonld import JsonLdWriter
from bibld.serve._writers.turtle import TurtleWriter

_XML_ROOT = re.compile(rb"(<rdf:RDF) ([^>]*)>")
_GRAPH = b"graph"
"""What graphs have in their IRIs. To search for the beginning, which most IRIs share, would take five times as long."""


class Writers:
    """Writes documents with the same prefixes (name → namespace) and ``@context``.

    Most IRIs begin with ``base``, those of graphs with ``base`` and ``graph/``.
    """

    def __init__(self, prefixes: Mapping[str, str], context: Mapping[str, object], base: str = "") -> None:
        self._prefixes = prefixes
        self._graphs = f"{base}graph/".encode()
        self._turtle = TurtleWriter(prefixes, base)
        self._json_ld = JsonLdWriter(context)

    def write(self, form: str, lines: bytes, thing: str) -> bytes:
        """Return a document as ``ttl``, ``nt``, ``jsonld`` or ``rdf``.

        ``lines`` are N-Quads as ``bibld.model.rdf`` writes them, in which statements with the same subject and
        predicate follow each other; what they state about ``thing`` (an IRI) comes first where the syntax has an order.
        The graphs are left out, and so are statements that occur again.
        """
        match form:
            case "ttl":
                return self._turtle.write(lines, thing.encode())
            case "nt":
                return write_ntriples(lines, self._graphs)
            case "jsonld":
                return self._json_ld.write(lines, thing.encode())
            case _:
                return write_rdfxml(lines, self._prefixes)


def write_ntriples(lines: bytes, graphs: bytes) -> bytes:
    """Return the statements of sorted lines without their graphs, each once, in the order of the lines.

    ``graphs`` is what the IRIs of all graphs begin with; it contains ``graph``. Few lines of a document have a graph:
    the others are not looked at one by one.
    """
    mark = b" <" + graphs
    found = lines.find(_GRAPH)
    if found < 0:
        return lines
    parts: list[bytes] = []
    start = 0
    previous = b""
    while found >= 0:
        begin = lines.rfind(b"\n", 0, found) + 1
        end = lines.index(b"\n", found) + 1
        statement = _without_graph(lines[begin:end], mark)
        if statement:
            parts.append(lines[start:begin])
            # The same statement in another graph, or in none, is the line before.
            is_known = statement == previous if start == begin else lines.endswith(statement, start, begin)
            if not is_known:
                parts.append(statement)
            previous = statement
            start = end
        found = lines.find(_GRAPH, end)
    parts.append(lines[start:])
    return b"".join(parts)


def _without_graph(line: bytes, mark: bytes) -> bytes:
    """Return the statement of a line that ends with a graph; empty if the line has none."""
    statement, _, graph = line.removesuffix(b"> .\n").rpartition(mark)
    # What follows the mark may be the end of a text, and without a graph the last IRI is the object.
    if b" " in graph or b">" in graph or not line.endswith(b"> .\n") or statement.count(b" ") < 2:
        return b""
    return statement + b" .\n"


def write_rdfxml(lines: bytes, prefixes: Mapping[str, str]) -> bytes:
    """Return the statements without their graphs, each once, in the order of the lines."""
    triples = dict.fromkeys(quad.triple for quad in ox.parse(lines, format=ox.RdfFormat.N_QUADS))
    written = ox.serialize(triples, format=ox.RdfFormat.RDF_XML, prefixes=dict(prefixes))
    assert written is not None
    return sort_namespaces(written)


def sort_namespaces(written: bytes) -> bytes:
    """Return RDF/XML with the declarations of namespaces in order (Oxigraph writes them in any)."""
    return _XML_ROOT.sub(lambda root: b" ".join((root[1], *sorted(root[2].split()))) + b">", written, count=1)
