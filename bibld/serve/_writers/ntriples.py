"""N-Triples from lines of N-Quads."""

from __future__ import annotations

_GRAPH = b"graph"
"""What graphs have in their IRIs. To search for the beginning, which most IRIs share, would take five times as long."""


def write(lines: bytes, graphs: bytes) -> bytes:
    """Return the statements of sorted lines without their graphs, each once, in the order of the lines.

    ``graphs`` is what the IRIs of all graphs begin with; it contains ``graph``. Few lines of a document have a graph:
    the others are not looked at one by one.
    """
    mark = b" <" + graphs
    place = lines.find(_GRAPH)
    if place < 0:
        return lines
    parts: list[bytes] = []
    start = 0
    previous = b""
    while place >= 0:
        begin = lines.rfind(b"\n", 0, place) + 1
        end = lines.index(b"\n", place) + 1
        statement = _without_graph(lines[begin:end], mark)
        if statement:
            parts.append(lines[start:begin])
            # The same statement in another graph, or in none, is the line before.
            is_known = statement == previous if start == begin else lines.endswith(statement, start, begin)
            if not is_known:
                parts.append(statement)
            previous = statement
            start = end
        place = lines.find(_GRAPH, end)
    parts.append(lines[start:])
    return b"".join(parts)


def _without_graph(line: bytes, mark: bytes) -> bytes:
    """Return the statement of a line that ends with a graph; empty if the line has none."""
    statement, _, graph = line.removesuffix(b"> .\n").rpartition(mark)
    # What follows the mark may be the end of a text, and without a graph the last IRI is the object.
    if b" " in graph or b">" in graph or not line.endswith(b"> .\n") or statement.count(b" ") < 2:
        return b""
    return statement + b" .\n"
