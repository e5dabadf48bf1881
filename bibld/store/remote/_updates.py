"""SPARQL updates that insert or delete given quads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from bibld.model.rdf import graph_of

_ESCAPE = re.compile(r"\\(?:\\([uU])|.)")


def batches(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lists of up to ``size`` lines."""
    rest = iter(lines)
    while batch := list(islice(rest, size)):
        yield batch


def batches_by_graph(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lists of up to ``size`` lines of one graph."""
    waiting: dict[str | None, list[str]] = {}
    for line in lines:
        batch = waiting.setdefault(graph_of(line), [])
        batch.append(line)
        if len(batch) == size:
            yield waiting.pop(graph_of(line))
    yield from waiting.values()


def split_quad(line: str) -> tuple[str, str]:
    """Return the graph of a line of N-Quads (an IRI, empty for the default graph), and its triple as N-Triples."""
    graph = graph_of(line)
    if graph is None:
        return "", line.rstrip("\n")
    return graph[1:-1], f"{line.rstrip()[: -len(graph) - 2].rstrip()} ."


def update(form: Literal["INSERT DATA", "DELETE DATA"], lines: Sequence[str], default_graph: str) -> str:
    """Return one update of these quads. Those of the default graph are put in the graph ``default_graph``, if any."""
    triples: dict[str, list[str]] = {}
    for line in lines:
        graph, triple = split_quad(line)
        triples.setdefault(graph or default_graph, []).append(_to_sparql(triple))
    parts = []
    for graph, statements in triples.items():
        text = "\n".join(statements)
        parts.append(f"GRAPH <{graph}> {{\n{text}\n}}" if graph else text)
    return f"{form} {{\n" + "\n".join(parts) + "\n}"


def _to_sparql(triple: str) -> str:
    r"""Return a triple of N-Triples as SPARQL reads it.

    SPARQL decodes ``\u`` before it looks for strings (19.2), so the u of a backslash and a u has to be an escape.
    """
    return _ESCAPE.sub(_escape, triple) if "\\\\u" in triple or "\\\\U" in triple else triple


def _escape(match: re.Match[str]) -> str:
    return f"\\\\\\u{ord(match[1]):04X}" if match[1] else match[0]
