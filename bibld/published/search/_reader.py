"""Reads rows of ``search.db`` for one release."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bibld.errors import StageError
from bibld.published._schema import reporting_errors
from bibld.published.search._documents import KINDS, EntryKind
from bibld.published.search._packing import Packing
from bibld.published.search._rows import key_of
from bibld.published.search._schema import AGENT, ID_BITS, ID_MASK, VALID, Details
from bibld.published.search._values import Agent, Hit, Named

_STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock: less than a millisecond."""

_WAITING = 10
"""How many times its processor time a search may take by the clock: on a busy machine, or from a slow disk."""

_PROPERTIES = {"w": "author", "s": "subject", "p": "publisher", "q": "series", "k": "place"}
_MOST_AGENTS = 4
_JOIN = f"CROSS JOIN entry ON entry.id = {{table}}.rowid & {ID_MASK} AND entry.bucket = {{table}}.rowid >> {ID_BITS}"


class OutOfTimeError(StageError):
    """The time for a search is over."""


class Stored(msgspec.Struct, frozen=True):
    """A publication as it is stored."""

    id: int
    number: int
    details: Details

    @property
    def title(self) -> str:
        """The title."""
        return self.details.title


class Rows:
    """The rows of one release; to be used in one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, file: Path, release: int) -> None:
        self._connection = connection
        self._file = file
        self.release = release
        self._packing = Packing(connection)
        self._deadlines: tuple[float, float] | None = None
        connection.set_progress_handler(self._is_late, _STEPS)
        self.sources: dict[int, str] = dict(connection.execute("SELECT number, id FROM source").fetchall())

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """The database."""
        return self._connection

    def _is_late(self) -> bool:
        if self._deadlines is None:
            return False
        processor, clock = self._deadlines
        return time.thread_time() >= processor or time.monotonic() >= clock

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Raise ``OutOfTimeError`` when reading takes longer; convert errors of SQLite to ``StageError``.

        The seconds are processor time of this thread, in which SQLite calls its progress handler, too: time in which
        other programs have the processor is not counted, unless it is many times as long.
        """
        self._deadlines = time.thread_time() + seconds, time.monotonic() + _WAITING * seconds
        try:
            with reporting_errors(self._file):
                try:
                    yield
                except sqlite3.OperationalError as error:
                    if self._is_late():
                        raise self._out_of_time() from error
                    raise
        finally:
            self._deadlines = None

    def _out_of_time(self) -> OutOfTimeError:
        return OutOfTimeError(f"{self._file}: reading took too long; ask for less, or ask again later")

    def execute(self, sql: str, **values: object) -> sqlite3.Cursor:
        """Run a query if there is time for it; ``:release`` is known."""
        if self._is_late():
            raise self._out_of_time()
        return self._connection.execute(sql, {"release": self.release, **values})

    def matching(self, query: str, limit: int, columns: str = "entry.id", condition: str = "") -> list[Any]:
        """Return rows of publications that a full-text query finds: those of most records first."""
        rows = self.execute(
            f"SELECT {columns} FROM words {_JOIN.format(table='words')} WHERE words MATCH :query AND {VALID}"
            f"{condition} LIMIT :limit",
            query=query,
            limit=limit,
        ).fetchall()
        return [row[0] for row in rows] if "," not in columns else rows

    def count(self, query: str, limit: int, condition: str = "") -> int:
        """Return how many full-text rows a query finds, at most ``limit``; some may be of other releases."""
        row = self.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH :query{condition} LIMIT :limit)",
            query=query,
            limit=limit,
        ).fetchone()
        return int(row[0])

    def names_matching(self, query: str, limit: int, kinds: Sequence[EntryKind] = ()) -> list[int]:
        """Return the ids of other things that a full-text query finds: those of most publications first."""
        numbers = msgspec.json.encode([KINDS.index(kind) for kind in kinds]).decode()
        rows = self.execute(
            f"SELECT entry.id FROM names {_JOIN.format(table='names')} WHERE names MATCH :query AND {VALID}"
            " AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds))) LIMIT :limit",
            query=query,
            limit=limit,
            kinds=numbers,
        )
        return [id_ for (id_,) in rows]

    def numbers_matching(self, query: str, limit: int, kinds: Sequence[EntryKind] = ()) -> list[int]:
        """Return the numbers of the things of ``names_matching``."""
        ids = self.names_matching(query, limit, kinds)
        rows = self._in("SELECT number FROM entry WHERE id IN", ids)
        return [number for (number,) in rows]

    def publications(self, ids: Sequence[int]) -> list[Stored]:
        """Return publications in the order of their ids in ``ids``."""
        rows = self._in("SELECT id, number, data FROM entry JOIN detail USING (id) WHERE id IN", ids)
        found = {id_: Stored(id_, number, self._packing.publication(data)) for id_, number, data in rows}
        return [found[id_] for id_ in ids if id_ in found]

    def number_of(self, path: str) -> int | None:
        """Return the number of the thing with a path; None if there is none."""
        row = self.execute("SELECT number FROM thing WHERE key = :key AND path = :path", key=key_of(path), path=path)
        found = row.fetchone()
        return int(found[0]) if found is not None else None

    def entry_of(self, number: int) -> int | None:
        """Return the id of the valid entry of a thing; None if there is none."""
        row = self.execute(f"SELECT id FROM entry WHERE number = :number AND {VALID}", number=number).fetchone()
        return int(row[0]) if row is not None else None

    def paths(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the paths of things."""
        return dict(self._in("SELECT number, path FROM thing WHERE number IN", list(numbers)))

    def titles(self, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Return path and name of things; only of those that have a name."""
        rows = self._in(
            "SELECT number, path, title_of(kind, data) FROM entry JOIN detail USING (id) JOIN thing USING (number)"
            f" WHERE {VALID} AND number IN",
            list(numbers),
        )
        return {number: (path, title) for number, path, title in rows}

    def _in(self, sql: str, values: Sequence[int]) -> list[Any]:
        listed = msgspec.json.encode(list(values)).decode()
        return self.execute(f"{sql} (SELECT value FROM json_each(:listed))", listed=listed).fetchall()

    def named_by_ids(self, ids: Sequence[int]) -> list[Named]:
        """Return things in the order of their ids in ``ids``."""
        rows = self._in(
            "SELECT entry.id, path, kind, data, uses FROM entry JOIN detail USING (id) JOIN thing USING (number)"
            " WHERE entry.id IN",
            ids,
        )
        found = {row[0]: self._named(*row[1:]) for row in rows}
        return [found[id_] for id_ in ids if id_ in found]

    def named(self, path: str) -> Named | None:
        """Return the thing with a path; None if there is none."""
        row = self.execute(
            "SELECT path, kind, data, uses FROM thing JOIN entry USING (number) JOIN detail USING (id)"
            f" WHERE key = :key AND path = :path AND {VALID}",
            key=key_of(path),
            path=path,
        ).fetchone()
        return self._named(*row) if row is not None else None

    def _named(self, path: str, kind: int, data: bytes, uses: int) -> Named:
        if KINDS[kind] == EntryKind.PUBLICATION:
            details = self._packing.publication(data)
            forms = (details.title, *details.forms)
            values = self._values(details)
            return Named(path, EntryKind.PUBLICATION, details.title, forms, values, len(details.records))
        name = self._packing.name(data)
        lives = {"birth": name.birth, "death": name.death}
        return Named(
            path,
            KINDS[kind],
            name.title,
            (name.title, *name.forms),
            {key: (value,) for key, value in lives.items() if value},
            uses,
        )

    def _values(self, details: Details) -> dict[str, tuple[str, ...]]:
        paths = self.paths({link.number for link in details.links})
        found: dict[str, dict[str, None]] = {}
        for link in details.links:
            found.setdefault(_PROPERTIES[link.group], {})[paths[link.number]] = None
        values = {name: tuple(links) for name, links in found.items()}
        if details.isbns:
            values = {"isbn": details.isbns, **values}
        return {**values, "year": (details.year,)} if details.year else values

    def hits(self, found: Sequence[Stored], why: Callable[[Stored], str] = lambda _: "") -> list[Hit]:
        """Return publications with the names of their agents."""
        numbers = {link.number for each in found for link in each.details.links if link.group == AGENT}
        names = self.titles(numbers)
        paths = self.paths(each.number for each in found)
        return [
            Hit(
                paths[each.number],
                each.title,
                each.details.statement,
                each.details.imprint,
                each.details.year,
                each.details.type,
                each.details.languages,
                agents_of(each.details, names),
                each.details.records,
                each.details.isbns,
                each.details.forms,
                why(each),
            )
            for each in found
        ]


def agents_of(details: Details, names: dict[int, tuple[str, str]]) -> tuple[Agent, ...]:
    """Return the first agents of a publication, each once."""
    agents: dict[int, Agent] = {}
    for link in details.links:
        if link.group == AGENT and link.number in names and link.number not in agents:
            agents[link.number] = Agent(*names[link.number], link.role)
    return tuple(agents.values())[:_MOST_AGENTS]
