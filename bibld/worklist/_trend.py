"""How worklists change from run to run: the lines of the last ones, and the counts of each kind.

They are in a small database of the workspace, which can be deleted: then the next worklist has only new lines.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from bibld.errors import CatalogError
from bibld.worklist._faults import WorkKind
from bibld.worklist._lines import WorklistLine

_FILE = "worklist.db"
_TABLES = """
CREATE TABLE IF NOT EXISTS line (       -- the lines of the last worklist of each source
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  first_run INTEGER NOT NULL,           -- the run whose worklist had it first
  position INTEGER NOT NULL,            -- among the lines of the source
  is_private INTEGER NOT NULL,          -- about what is not published
  body BLOB NOT NULL,                   -- the line as JSON
  PRIMARY KEY (source, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_position ON line (source, position);
CREATE TABLE IF NOT EXISTS tally (
  run INTEGER NOT NULL,
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  lines INTEGER NOT NULL,
  added INTEGER NOT NULL,               -- lines that the worklist before did not have
  mended INTEGER NOT NULL,              -- lines of the worklist before that are no longer there
  PRIMARY KEY (run, source, kind)
) WITHOUT ROWID;
"""


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(WorklistLine)


class WorklistCount(msgspec.Struct, frozen=True):
    """How many lines of a kind the worklist of a source had after a run.

    ``new`` are those that the worklist before did not have, ``mended`` those of it that are no longer there.
    """

    source: str
    run: int
    kind: str
    part: str
    harm: int
    lines: int
    new: int
    mended: int


def record_worklist(workspace: Path, run: int, source: str, lines: Sequence[WorklistLine]) -> list[WorklistLine]:
    """Store the worklist of a source after a run; return the lines with their states.

    Worklists of the same run have the same states. Raises ``CatalogError`` if the workspace cannot be written.
    """
    with _open(workspace) as connection:
        earlier, known = _known_lines(connection, source, run)
        present = {line.key for line in lines}
        added = Counter(line.kind for line in lines if line.key not in earlier)
        mended = Counter(kind for key, kind in earlier.items() if key not in present)
        totals = Counter(line.kind for line in lines)
        last = connection.execute("SELECT max(run) FROM tally WHERE source = ?", (source,)).fetchone()[0]
        if last != run:
            connection.execute("DELETE FROM line WHERE source = ?", (source,))
            connection.executemany(
                "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        *(source, line.key, line.kind, known.get(line.key, run)),
                        *(position, line.is_private, _ENCODER.encode(line)),
                    )
                    for position, line in enumerate(_with_states(lines, earlier))
                ),
            )
            connection.executemany(
                "INSERT OR REPLACE INTO tally VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (run, source, kind.value, totals[kind.value], added[kind.value], mended[kind.value])
                    for kind in WorkKind
                    if totals[kind.value] or mended[kind.value]
                ),
            )
            connection.commit()
    return _with_states(lines, earlier)


def compare_worklist(workspace: Path, run: int, source: str, lines: Sequence[WorklistLine]) -> list[WorklistLine]:
    """Return lines of some kinds with their states, and store nothing. Raises ``CatalogError``."""
    if not (workspace / _FILE).is_file():
        return _with_states(lines, ())
    with _open(workspace) as connection:
        return _with_states(lines, _known_lines(connection, source, run)[0])


def _known_lines(connection: sqlite3.Connection, source: str, run: int) -> tuple[dict[str, str], dict[str, int]]:
    """Return the kinds of the lines that a worklist before a run had, and the first run of all stored lines, by key."""
    rows = connection.execute("SELECT key, kind, first_run FROM line WHERE source = ?", (source,)).fetchall()
    return {key: kind for key, kind, first in rows if first < run}, {key: first for key, _, first in rows}


def _with_states(lines: Iterable[WorklistLine], earlier: Container[str]) -> list[WorklistLine]:
    return [msgspec.structs.replace(line, state="known" if line.key in earlier else "new") for line in lines]


def stored_worklist(
    workspace: Path, source: str, kind: str = "", limit: int = -1, offset: int = 0
) -> Iterator[WorklistLine]:
    """Yield the public lines of the last worklist of a source, or those of a kind: ``limit`` after ``offset``.

    Nothing before the first worklist. Raises ``CatalogError``.
    """
    if not (workspace / _FILE).is_file():
        return
    with _open(workspace) as connection:
        rows = connection.execute(
            "SELECT body FROM line WHERE source = ? AND ? IN (kind, '') AND NOT is_private"
            " ORDER BY position LIMIT ? OFFSET ?",
            (source, kind, limit, offset),
        )
        for (body,) in rows:
            yield _DECODER.decode(body)


def worklist_counts(workspace: Path, source: str | None = None) -> list[WorklistCount]:
    """Return the counts of all worklists of a source, or of all sources, by source, run, harm and kind.

    Empty before the first worklist. Raises ``CatalogError``.
    """
    if not (workspace / _FILE).is_file():
        return []
    with _open(workspace) as connection:
        rows = connection.execute(
            "SELECT source, run, kind, lines, added, mended FROM tally WHERE ? IN (source, '') ORDER BY source, run",
            (source or "",),
        ).fetchall()
    return sorted(_counts(rows), key=lambda one: (one.source, one.run, -one.harm, one.kind))


def _counts(rows: Iterable[tuple[str, int, str, int, int, int]]) -> Iterator[WorklistCount]:
    known = {kind.value: kind for kind in WorkKind}
    for source, run, name, lines, added, mended in rows:
        kind = known.get(name)
        if kind is not None:
            yield WorklistCount(source, run, name, kind.part.value, kind.harm, lines, added, mended)


@contextmanager
def _open(workspace: Path) -> Iterator[sqlite3.Connection]:
    file = workspace / _FILE
    try:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(_TABLES)
            yield connection
    except sqlite3.Error as error:
        raise CatalogError(
            f"{file}: cannot be read or written: {error}; check the permissions of the folder, or delete the file:"
            " then all lines are new once"
        ) from error
