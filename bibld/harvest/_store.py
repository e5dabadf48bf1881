"""What is stored of one source between harvests: answers of its server, records, files, state, history.

Everything is in the folder ``harvest/SOURCE`` of the workspace: ``harvest.db`` (SQLite), ``answers/`` (each answer as
it came, compressed), ``records/`` (the files that are read). It is no part of the catalog, because fetching again takes
days where building the catalog again takes minutes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import zstandard

from bibld.errors import HarvestError
from bibld.harvest._records import StoredFiles, StoredRecords
from bibld.model.finding import Finding, FindingExample


def current_time() -> datetime:
    """Return the time: now, or the environment variable SOURCE_DATE_EPOCH, as for a run."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)


def timestamp() -> str:
    """Return the time as servers write it (ISO 8601, UTC, seconds)."""
    return f"{current_time():%Y-%m-%dT%H:%M:%SZ}"


Value = TypeVar("Value")

_FORMAT = 1

_TABLES = resources.files("bibld.harvest").joinpath("store.sql").read_text(encoding="utf-8")


class StoredResponse(msgspec.Struct, frozen=True):
    """An answer of a server: its number in the store (0: not stored), where it came from, status, headers, bytes.

    The names of headers are in small letters. ``body`` is decompressed.
    """

    number: int
    url: str
    asked_at: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Harvest(msgspec.Struct, frozen=True):
    """One harvest of the history; ``ended`` and ``outcome`` are empty while it is running or if it was interrupted."""

    number: int
    kind: str
    request: str
    started: str
    ended: str
    outcome: str
    body: bytes


def explain_database_error(folder: Path, error: sqlite3.Error) -> str:
    """Return what is wrong with the database of a source, and what to do next."""
    return (
        f"{folder / 'harvest.db'}: cannot be used: {type(error).__name__}: {' '.join(str(error).split())}; free some"
        " space and check the disk, then run again; if the file is damaged, remove the folder, and all is fetched again"
    )


class SourceStore(AbstractContextManager["SourceStore"]):
    """The store of one source. Only the process that holds :meth:`lock` may write."""

    def __init__(self, workspace: Path, source: str, *, create: bool = True) -> None:
        """Open the store, and make it if ``create``; raises ``HarvestError`` if that is impossible."""
        self.source = source
        self.workspace = workspace
        self.folder = workspace / "harvest" / source
        self.harvest = 0
        try:
            if create:
                self.folder.mkdir(parents=True, exist_ok=True)
            elif not self.exists(workspace, source):
                raise HarvestError(f"{source}: was never harvested; run `bibld harvest` first")
            self._connection = sqlite3.connect(self.folder / "harvest.db", isolation_level=None, timeout=60)
            self._prepare()
        except sqlite3.Error as error:
            raise HarvestError(explain_database_error(self.folder, error)) from error
        except OSError as error:
            raise HarvestError(f"{self.folder}: cannot be used: {error}; check disk and permissions") from error
        self.records = StoredRecords(self._connection, self.folder, source)
        self.files = StoredFiles(self._connection, self.folder, source)
        self._compressor = zstandard.ZstdCompressor(level=3)

    @staticmethod
    def exists(workspace: Path, source: str) -> bool:
        """Return whether a source has a store."""
        return (workspace / "harvest" / source / "harvest.db").is_file()

    def _prepare(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_FORMAT}; COMMIT;")
        elif version != _FORMAT:
            connection.close()
            raise HarvestError(
                f"{self.folder}: the store has format {version}, not {_FORMAT};"
                " remove the folder to fetch the source again"
            )

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let no other process harvest this source; raises ``HarvestError`` that names the one that does."""
        with (self.folder / "lock").open("a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.seek(0)
                holder = lock.read().strip() or "unknown process"
                raise HarvestError(
                    f"another harvest of this source is running ({holder}); wait until it ends"
                ) from None
            lock.truncate(0)
            lock.write(f"process {os.getpid()}, since {timestamp()}")
            lock.flush()
            yield

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Commit all writes inside, or none; raises ``HarvestError`` if that fails. May be nested."""
        if self._connection.in_transaction:
            yield
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise HarvestError(
                    f"{self.folder}: the store cannot be used: {error}; free some space and check the disk, then run"
                    " again; if harvest.db is damaged, remove the folder, and all is fetched again"
                ) from error
            raise

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, name: str, type_: type[Value]) -> Value | None:
        """Return a stored value; None if there is none, or if it is of another type."""
        row = self._connection.execute("SELECT json FROM value WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        try:
            return msgspec.json.decode(row[0], type=type_)
        except msgspec.MsgspecError:
            return None

    def set_value(self, name: str, value: Any) -> None:  # noqa: ANN401
        """Store a value that msgspec can write as JSON; None removes it."""
        if value is None:
            self._connection.execute("DELETE FROM value WHERE name = ?", (name,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO value VALUES (?, ?)", (name, msgspec.json.encode(value)))

    # -- answers -----------------------------------------------------------------------------------------------------

    def keep_response(self, response: StoredResponse) -> StoredResponse:
        """Store an answer as it came, before anything of it is used; return it with its number."""
        folder = Path(f"{self.harvest:06}")
        digest = hashlib.sha256(response.body).hexdigest()
        cursor = self._connection.execute(
            "INSERT INTO answer (harvest, url, asked_at, status, headers, sha256, bytes, file)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, '')",
            (
                self.harvest,
                response.url,
                response.asked_at,
                response.status,
                msgspec.json.encode(response.headers),
                digest,
                len(response.body),
            ),
        )
        number = cursor.lastrowid or 0
        name = folder / f"{number:08}.zst"
        path = self.folder / "answers" / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._compressor.compress(response.body))
        except OSError as error:
            raise HarvestError(
                f"{path}: cannot be written: {error.strerror}; free some space, then run again"
            ) from error
        self._connection.execute("UPDATE answer SET file = ? WHERE answer = ?", (name.as_posix(), number))
        return msgspec.structs.replace(response, number=number)

    def answers(self, harvest: int = 0) -> Iterator[StoredResponse]:
        """Yield the stored answers of one harvest (0: of all) in their order."""
        rows = self._connection.execute(
            "SELECT answer, url, asked_at, status, headers, file FROM answer"
            " WHERE (?1 = 0 OR harvest = ?1) AND file <> '' ORDER BY answer",
            (harvest,),
        )
        for number, url, asked_at, status, headers, file in rows.fetchall():
            body = zstandard.ZstdDecompressor().decompress((self.folder / "answers" / file).read_bytes())
            yield StoredResponse(number, url, asked_at, status, msgspec.json.decode(headers), body)

    def _forget_responses(self, *, complete: bool) -> None:
        """Remove the answers of earlier harvests that a full list has replaced.

        A complete one replaces all of them; another one the full lists that did not become complete, but for the last.
        """
        rows = self._connection.execute(
            "SELECT DISTINCT harvest FROM answer WHERE harvest < ?1 AND (?2 OR harvest IN (SELECT harvest FROM harvest"
            " WHERE kind = 'full' AND outcome <> 'complete' AND harvest < ?1 ORDER BY harvest DESC LIMIT -1 OFFSET 1))",
            (self.harvest, complete),
        ).fetchall()
        with self.commit():
            self._connection.executemany("DELETE FROM answer WHERE harvest = ?", rows)
        for (number,) in rows:
            shutil.rmtree(self.folder / "answers" / f"{number:06}", ignore_errors=True)

    # -- harvests ----------------------------------------------------------------------------------------------------

    def begin(self, kind: str, request: str, can_continue: bool) -> bool:
        """Begin a harvest, or continue the last one; return whether it is continued.

        It is continued if it was not completed, asked for the same, and ``can_continue``.
        """
        last = self.last_harvest()
        is_open = last is not None and last.outcome in ("", "partial", "failed")
        if last is not None and is_open and can_continue and (last.kind, last.request) == (kind, request):
            self.harvest = self.records.harvest = self.files.harvest = last.number
            return True
        cursor = self._connection.execute(
            "INSERT INTO harvest (kind, request, started) VALUES (?, ?, ?)", (kind, request, timestamp())
        )
        self.harvest = self.records.harvest = self.files.harvest = cursor.lastrowid or 0
        return False

    def end(self, outcome: str, body: bytes, is_full_list: bool) -> None:
        """Write the finishing mark of the harvest, after everything else."""
        with self.commit():
            self._connection.execute(
                "UPDATE harvest SET ended = ?, outcome = ?, body = ? WHERE harvest = ?",
                (timestamp(), outcome, body, self.harvest),
            )
        if is_full_list:
            self._forget_responses(complete=outcome == "complete")

    def last_harvest(self) -> Harvest | None:
        """Return the last harvest."""
        return next(iter(self.harvests(1)), None)

    def harvests(self, most: int = -1) -> list[Harvest]:
        """Return the harvests, the last one first."""
        rows = self._connection.execute(
            "SELECT harvest, kind, request, started, coalesce(ended, ''), coalesce(outcome, ''), coalesce(body, x'')"
            " FROM harvest ORDER BY harvest DESC LIMIT ?",
            (most,),
        )
        return [Harvest(*row) for row in rows]

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count of the current harvest."""
        self._connection.execute(
            "INSERT INTO count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
            (self.harvest, name, number),
        )

    def counts(self) -> dict[str, int]:
        """Return the counts of the current harvest."""
        rows = self._connection.execute("SELECT name, number FROM count WHERE harvest = ?", (self.harvest,))
        return dict(rows.fetchall())

    # -- findings ----------------------------------------------------------------------------------------------------

    def add_finding(self, finding: Finding, example: FindingExample, most: int) -> None:
        """Count a fault of the server; the example is kept if there are fewer than ``most`` of it."""
        found = next((one for one in self.findings() if one.kind == finding.kind), None)
        examples = found.examples if found else ()
        self._connection.execute(
            "INSERT INTO finding VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE"
            " SET times = times + 1, examples = excluded.examples",
            (
                self.harvest,
                finding.kind,
                msgspec.json.encode(finding),
                msgspec.json.encode((*examples, example)[:most]),
            ),
        )

    def findings(self) -> list[Finding]:
        """Return what the server did wrong in the last harvest, the most frequent first."""
        rows = self._connection.execute(
            "SELECT fault, times, examples FROM finding WHERE harvest = ? ORDER BY times DESC, code", (self.harvest,)
        )
        found = []
        for fault, times, examples in rows:
            with suppress(msgspec.ValidationError):  # of an earlier version
                shown = msgspec.json.decode(examples, type=tuple[FindingExample, ...])
                finding = msgspec.json.decode(fault, type=Finding)
                found.append(msgspec.structs.replace(finding, times=times, examples=shown))
        return found
