"""Writes a document in each RDF syntax from its lines of N-Quads: the same lines give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping

from bibld.serve._writers import ntriples, rdfxml
from bibld.serve._writers.jsonld import JsonLdWriter
from bibld.serve._writers.turtle import TurtleWriter


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
                return ntriples.write(lines, self._graphs)
            case "jsonld":
                return self._json_ld.write(lines, thing.encode())
            case _:
                return rdfxml.write(lines, self._prefixes)
