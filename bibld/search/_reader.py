"""Reads rows of ``search.db`` for one release."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bibld.documents import reporting_errors
from bibld.errors import StageError
from bibld.search._documents import KINDS, EntryKind
from bibld.search._packing import Heading, Packing
from bibld.search._rows import key_of
from bibld.search._schema import AGENT, UNNAMED, VALID, Details
from bibld.search._values import Agent, Hit, Named

_STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock: less than a millisecond."""

_WAITING = 10
"""How many times its processor time a search may take by the clock: on a busy machine, or from a slow disk."""

_PROPERTIES = {"w": "author", "s": "subject", "p": "publisher", "q": "series", "k": "place"}
_MOST_AGENTS = 4


class OutOfTimeError(StageError):
    """The time for a search is over."""


class Stored(msgspec.Struct, frozen=True):
    """A publication as it is stored."""

    id: int
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
        self._id_bits = int(connection.execute("SELECT id_bits FROM counter").fetchone()[0])
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

    def first_row(self, bucket: int) -> int:
        """Return the least id of the full-text rows of a bucket."""
        return bucket << self._id_bits

    def _join(self, table: str) -> str:
        """Return what joins the valid entries of full-text rows."""
        mask, bits = (1 << self._id_bits) - 1, self._id_bits
        return f"CROSS JOIN entry ON entry.id = {table}.rowid & {mask} AND entry.bucket = {table}.rowid >> {bits}"

    def matching(self, query: str, limit: int, columns: str = "entry.id", condition: str = "") -> list[Any]:
        """Return rows of publications that a full-text query finds: those of most records first."""
        rows = self.execute(
            f"SELECT {columns} FROM words {self._join('words')} WHERE words MATCH :query AND {VALID}"
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
            f"SELECT entry.id FROM names {self._join('names')} WHERE names MATCH :query AND {VALID}"
            " AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds))) LIMIT :limit",
            query=query,
            limit=limit,
            kinds=numbers,
        )
        return [id_ for (id_,) in rows]

    def publications(self, ids: Sequence[int]) -> list[Stored]:
        """Return publications in the order of their ids in ``ids``."""
        rows = self._in("SELECT id, data FROM detail WHERE id IN", ids)
        found = {id_: Stored(id_, self._packing.publication(data)) for id_, data in rows}
        return [found[id_] for id_ in ids if id_ in found]

    def id_of(self, path: str) -> int | None:
        """Return the id of the entry of a thing by its path; None if there is none."""
        row = self.execute(
            "SELECT id FROM path_key JOIN entry USING (id) JOIN detail USING (id)"
            f" WHERE key = :key AND {VALID} AND path_of(kind, data) = :path",
            key=key_of(path),
            path=path,
        ).fetchone()
        return int(row[0]) if row is not None else None

    def publications_of(self, paths: Iterable[str]) -> list[Stored]:
        """Return the publications with these paths, in the order of their ids; a path without one is left out."""
        wanted = set(paths)
        rows = self._in(
            f"SELECT id FROM path_key JOIN entry USING (id) WHERE kind = {KINDS.index(EntryKind.PUBLICATION)}"
            f" AND {VALID} AND key IN",
            sorted(map(key_of, wanted)),
        )
        found = self.publications(sorted({id_ for (id_,) in rows}))
        return [each for each in found if each.details.path in wanted]

    def headings(self, ids: Iterable[int]) -> dict[int, Heading]:
        """Return path and name of things by their ids; the name of some is empty."""
        rows = self._in("SELECT id, kind, data FROM entry JOIN detail USING (id) WHERE id IN", list(ids))
        return {id_: self._packing.heading(kind, data) for id_, kind, data in rows}

    def names(self, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Return path and name of things; only of those that have a name."""
        return {id_: (each.path, each.title) for id_, each in self.headings(ids).items() if each.title}

    def _in(self, sql: str, values: Sequence[int]) -> list[Any]:
        listed = msgspec.json.encode(list(values)).decode()
        return self.execute(f"{sql} (SELECT value FROM json_each(:listed))", listed=listed).fetchall()

    def things(self, ids: Sequence[int]) -> dict[int, Named]:
        """Return things that have a name by their ids, in the order of ``ids``."""
        rows = self._in(
            f"SELECT id, kind, data, uses FROM entry JOIN detail USING (id) WHERE kind <> {UNNAMED} AND id IN", ids
        )
        found = {row[0]: self._named(*row[1:]) for row in rows}
        return {id_: found[id_] for id_ in ids if id_ in found}

    def named(self, path: str) -> Named | None:
        """Return the thing with a path; None if there is none."""
        id_ = self.id_of(path)
        return self.things([id_]).get(id_) if id_ is not None else None

    def _named(self, kind: int, data: bytes, uses: int | None) -> Named:
        if KINDS[kind] == EntryKind.PUBLICATION:
            details = self._packing.publication(data)
            forms = (details.title, *details.forms)
            values = self._values(details)
            return Named(details.path, EntryKind.PUBLICATION, details.title, forms, values, len(details.records))
        name = self._packing.name(data)
        lives = {"birth": name.birth, "death": name.death}
        return Named(
            name.path,
            KINDS[kind],
            name.title,
            (name.title, *name.forms),
            {key: (value,) for key, value in lives.items() if value},
            uses or 0,
        )

    def _values(self, details: Details) -> dict[str, tuple[str, ...]]:
        things = self.headings({link.id for link in details.links})
        found: dict[str, dict[str, None]] = {}
        for link in details.links:
            found.setdefault(_PROPERTIES[link.group], {})[things[link.id].path] = None
        values = {name: tuple(links) for name, links in found.items()}
        if details.isbns:
            values = {"isbn": details.isbns, **values}
        return {**values, "year": (details.year,)} if details.year else values

    def hits(self, found: Sequence[Stored], why: Callable[[Stored], str] = lambda _: "") -> list[Hit]:
        """Return publications with the names of their agents."""
        names = self.names({link.id for each in found for link in each.details.links if link.group == AGENT})
        return [
            Hit(
                each.details.path,
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
        if link.group == AGENT and link.id in names and link.id not in agents:
            agents[link.id] = Agent(*names[link.id], link.role)
    return tuple(agents.values())[:_MOST_AGENTS]
