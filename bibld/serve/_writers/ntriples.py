"""N-Triples from lines of N-Quads."""

from __future__ import annotations

_LESS, _GREATER = b"<>"


def write(lines: bytes) -> bytes:
    """Return the statements of sorted lines without their graphs, each once, in the order of the lines."""
    statements: list[bytes] = []
    previous = b""
    for line in lines.splitlines():
        statement = line
        if line[-3] == _GREATER:
            head, _, last = line[:-2].rpartition(b" ")
            # An IRI at the end is the graph, unless it follows the predicate; a quoted text may end similarly.
            if last[0] == _LESS and b'"' not in last and head.count(b" ") > 1:
                statement = head + b" ."
        if statement != previous:
            statements.append(statement)
            previous = statement
    statements.append(b"")
    return b"\n".join(statements)
