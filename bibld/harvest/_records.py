"""The records and files of a source as its server last gave them, and the files that records are read from."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import zstandard

from bibld.errors import HarvestError, ReadError
from bibld.model.origin import Origin

MAX_FILE_BYTES = 64 * 1024**3
"""Bytes of a file that a server may have by default."""


def check_size(size: int, most: int) -> None:
    """Raise ``HarvestError`` if a file has more than ``most`` bytes."""
    if size > most:
        raise HarvestError(f"has more than {most:,} bytes; state max_file_bytes if that is right")


class StoredFile(msgspec.Struct, frozen=True):
    """A fetched file: the name that the server gives it, its path on disk, and what shows whether it changed.

    ``etag`` and ``changed`` are as the server states them, empty if it does not; ``sha256`` is that of the bytes.
    """

    name: str
    path: Path
    etag: str
    changed: str
    sha256: str
    bytes: int

    @property
    def has_all_bytes(self) -> bool:
        """Whether the file is there with all its bytes."""
        try:
            return self.path.stat().st_size == self.bytes
        except OSError:
            return False


class StoredFiles:
    """The files of one source. Nothing is committed here; the store does that."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, source: str) -> None:
        self._connection = connection
        self.folder = folder / "files"
        """Where fetched files are; an adapter writes new ones into it before it keeps them."""
        self.harvest = 0

    def keep(self, name: str, path: Path, *, etag: str = "", changed: str = "", sha256: str = "") -> bool:
        """Note a file (below :attr:`folder`) that was fetched completely; return whether its content is new.

        The path that had this name before is not deleted here: the store may still name it until the commit.
        """
        before = self.known(name)
        self._connection.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                name,
                path.relative_to(self.folder).as_posix(),
                etag,
                changed,
                sha256,
                path.stat().st_size,
                self.harvest,
            ),
        )
        return before is None or before.sha256 != sha256

    def known(self, name: str) -> StoredFile | None:
        """Return the file that was last fetched under a name."""
        return next(iter(self.all("WHERE name = ?", name)), None)

    def all(self, condition: str = "ORDER BY name", *values: str) -> list[StoredFile]:
        """Return all files by name, or those of a condition in SQL."""
        rows = self._connection.execute(
            f"SELECT name, path, etag, changed, sha256, bytes FROM file {condition}", values
        )
        return [StoredFile(name, self.folder / path, *others) for name, path, *others in rows]

    def drop_others(self, names: set[str]) -> int:
        """Forget the files that the server does not offer any more; return how many. Their paths stay on disk."""
        others = [file for file in self.all() if file.name not in names]
        for file in others:
            self._connection.execute("DELETE FROM file WHERE name = ?", (file.name,))
        return len(others)

    def delete_unnamed(self, paths: Iterable[Path]) -> None:
        """Delete those of the paths that no stored file has; to be called after the commit. What cannot be is left."""
        named = {self.folder / path for (path,) in self._connection.execute("SELECT path FROM file")}
        for path in paths:
            if path not in named:
                with suppress(OSError):
                    path.unlink()


SEGMENT_RECORDS = 5000
"""Records in one file."""

REFUSED = "the server cannot give it"
"""What the reason begins with for which a record is rejected that was asked for alone, and did not come."""

_GZIP = zlib.MAX_WBITS | 16
_LEVEL = 1


class RecordForm(msgspec.Struct, frozen=True):
    """What a file of records has before the first record, after each and after the last, and the suffix of its name."""

    suffix: str
    head: bytes = b""
    separator: bytes = b""
    tail: bytes = b""


XML_FORM = RecordForm(".xml", b'<?xml version="1.0" encoding="UTF-8"?>\n<records>\n', b"\n", b"</records>\n")
"""Elements that are each complete with their namespaces, in UTF-8."""

ISO2709_FORM = RecordForm(".mrc")
"""Records of ISO 2709."""


class StoredRecords:
    """The records of one source. Nothing is committed here; the store does that.

    A record is known by the ``identifier`` that the server gives it, whatever its own control number is.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path, source: str) -> None:
        self._connection = connection
        self._folder = folder / "records"
        self._source = source
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._decompressor = zstandard.ZstdDecompressor()
        self.harvest = 0
        self.form = XML_FORM

    def put(self, identifier: str, datestamp: str, data: bytes, response: int = 0) -> str:
        """Store a record; return ``new``, ``changed``, ``unchanged`` or ``older``.

        *Older*: a newer version came earlier in this harvest. ``response`` is the number of the answer that it came in.
        """
        digest = hashlib.blake2b(data, digest_size=16).digest()
        row = self._connection.execute(
            "SELECT number, datestamp, digest, seen, body IS NULL FROM record WHERE identifier = ?", (identifier,)
        ).fetchone()
        if row is None:
            cursor = self._connection.execute(
                "INSERT INTO record (identifier, datestamp, digest, answer, seen, body) VALUES (?, ?, ?, ?, ?, ?)",
                (identifier, datestamp, digest, response, self.harvest, self._compressor.compress(data)),
            )
            self._mark_changed(cursor.lastrowid or 0)
            self._clear_reject(identifier)
            return "new"
        number, last_datestamp, last_digest, seen, is_deleted = row
        if seen == self.harvest and datestamp < last_datestamp:
            return "older"
        self._clear_reject(identifier)
        if digest == last_digest and not is_deleted:
            self._connection.execute(
                "UPDATE record SET datestamp = ?, answer = ?, seen = ? WHERE number = ?",
                (datestamp, response, self.harvest, number),
            )
            return "unchanged"
        self._connection.execute(
            "UPDATE record SET datestamp = ?, digest = ?, answer = ?, seen = ?, body = ? WHERE number = ?",
            (datestamp, digest, response, self.harvest, self._compressor.compress(data), number),
        )
        self._mark_changed(number)
        return "new" if is_deleted else "changed"

    def delete(self, identifier: str, datestamp: str = "") -> bool:
        """Delete a record that the server states to be deleted; return whether it was stored."""
        row = self._connection.execute(
            "SELECT number, datestamp, seen, body IS NULL FROM record WHERE identifier = ?", (identifier,)
        ).fetchone()
        self._clear_reject(identifier)
        if row is None:
            self._connection.execute(
                "INSERT INTO record (identifier, datestamp, digest, answer, seen, body) VALUES (?, ?, x'', 0, ?, NULL)",
                (identifier, datestamp, self.harvest),
            )
            return False
        number, last_datestamp, seen, is_deleted = row
        if seen == self.harvest and datestamp and datestamp < last_datestamp:
            return False
        self._connection.execute(
            "UPDATE record SET datestamp = ?, digest = x'', seen = ?, body = NULL WHERE number = ?",
            (datestamp, self.harvest, number),
        )
        if not is_deleted:
            self._mark_changed(number)
        return not is_deleted

    def was_seen(self, identifier: str) -> bool:
        """Return whether this harvest has seen a record already, live or deleted or rejected."""
        row = self._connection.execute(
            "SELECT 1 FROM record WHERE identifier = ?1 AND seen = ?2"
            " UNION ALL SELECT 1 FROM rejected WHERE identifier = ?1 AND harvest = ?2",
            (identifier, self.harvest),
        ).fetchone()
        return row is not None

    def datestamp(self, identifier: str) -> str | None:
        """Return the datestamp of a stored record; None if it is not stored."""
        row = self._connection.execute(
            "SELECT datestamp FROM record WHERE identifier = ? AND body IS NOT NULL", (identifier,)
        ).fetchone()
        return None if row is None else str(row[0])

    def mark_seen(self, identifier: str) -> bool:
        """Note that the server still lists a record; return whether it is stored."""
        cursor = self._connection.execute(
            "UPDATE record SET seen = ? WHERE identifier = ? AND body IS NOT NULL", (self.harvest, identifier)
        )
        return bool(cursor.rowcount)

    def reject(self, identifier: str, reason: str, data: bytes, response: int = 0) -> bool:
        """Store a record that cannot be used; an older version of it stays. Return whether there was no such reject."""
        self.mark_seen(identifier)
        row = self._connection.execute("SELECT harvest FROM rejected WHERE identifier = ?", (identifier,)).fetchone()
        self._connection.execute(
            "INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?, ?)",
            (identifier, self.harvest, reason, response, self._compressor.compress(data)),
        )
        return row is None or row[0] != self.harvest

    def _clear_reject(self, identifier: str) -> None:
        self._connection.execute("DELETE FROM rejected WHERE identifier = ?", (identifier,))

    def _mark_changed(self, number: int) -> None:
        self._connection.execute("INSERT OR IGNORE INTO changed_segment VALUES (?)", (number // SEGMENT_RECORDS,))

    def rename(self, new_name: Callable[[str], str]) -> None:
        """Know all records by other identifiers; of two that get the same one, the first has it."""
        for table in ("record", "rejected"):
            rows = self._connection.execute(f"SELECT identifier FROM {table} ORDER BY identifier").fetchall()
            self._connection.executemany(
                f"UPDATE OR IGNORE {table} SET identifier = ? WHERE identifier = ?",
                ((new_name(identifier), identifier) for (identifier,) in rows),
            )

    # -- the end of a harvest ----------------------------------------------------------------------------------------

    def _number(self, query: str, *values: object) -> int:
        return int(self._connection.execute(f"SELECT count(*) FROM {query}", values).fetchone()[0])

    def count(self) -> int:
        """Return the number of records."""
        return self._number("record WHERE body IS NOT NULL")

    def count_seen(self) -> int:
        """Return how many records, and rejected ones, this harvest saw; each identifier counts once."""
        return self._number(
            "(SELECT identifier FROM record WHERE seen = ?1 AND body IS NOT NULL"
            " UNION SELECT identifier FROM rejected WHERE harvest = ?1)",
            self.harvest,
        )

    def count_rejected(self) -> int:
        """Return the number of rejects of this harvest."""
        return self._number("rejected WHERE harvest = ?", self.harvest)

    def refused(self) -> list[str]:
        """Return the identifiers of records that were asked for alone in this harvest, and did not come."""
        rows = self._connection.execute(
            "SELECT identifier FROM rejected WHERE harvest = ? AND reason LIKE ? ORDER BY identifier",
            (self.harvest, f"{REFUSED}%"),
        )
        return [identifier for (identifier,) in rows]

    def newest(self) -> str:
        """Return the newest datestamp; empty if there is none."""
        return str(self._connection.execute("SELECT coalesce(max(datestamp), '') FROM record").fetchone()[0])

    def count_unseen(self) -> int:
        """Return how many records this harvest did not see."""
        return self._number("record WHERE seen <> ? AND body IS NOT NULL", self.harvest)

    def count_seen_only(self, harvest: int) -> int:
        """Return how many records an earlier harvest saw, and none after it."""
        return self._number("record WHERE seen = ? AND body IS NOT NULL", harvest)

    def drop_unseen(self) -> int:
        """Delete the records that a complete list lacks, and what earlier harvests rejected; return how many."""
        self._connection.execute(
            "INSERT OR IGNORE INTO changed_segment SELECT DISTINCT number / ? FROM record"
            " WHERE seen <> ? AND body IS NOT NULL",
            (SEGMENT_RECORDS, self.harvest),
        )
        cursor = self._connection.execute("DELETE FROM record WHERE seen <> ? AND body IS NOT NULL", (self.harvest,))
        self._connection.execute("DELETE FROM rejected WHERE harvest <> ?", (self.harvest,))
        return cursor.rowcount

    def purge_deleted(self) -> None:
        """Forget deleted records, which are kept only to compare datestamps during a harvest."""
        self._connection.execute("DELETE FROM record WHERE body IS NULL")

    # -- files -------------------------------------------------------------------------------------------------------

    def write_files(self) -> int:
        """Write the files of records that changed; return how many. Each is complete or as it was, at any time."""
        segments = [one for (one,) in self._connection.execute("SELECT segment FROM changed_segment ORDER BY segment")]
        for segment in segments:
            self._write_segment(segment)
            self._connection.execute("DELETE FROM changed_segment WHERE segment = ?", (segment,))
        return len(segments)

    def _write_segment(self, segment: int) -> None:
        path = self._folder / f"{segment + 1:06}{self.form.suffix}.gz"
        rows = self._connection.execute(
            "SELECT body FROM record WHERE number >= ? AND number < ? AND body IS NOT NULL ORDER BY number",
            (segment * SEGMENT_RECORDS, (segment + 1) * SEGMENT_RECORDS),
        )
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        waiting = path.with_suffix(".part")
        count = 0
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with waiting.open("wb") as out:
                out.write(packer.compress(self.form.head))
                for (body,) in rows:
                    count += 1
                    out.write(packer.compress(self._decompressor.decompress(body) + self.form.separator))
                out.write(packer.compress(self.form.tail) + packer.flush())
                out.flush()
                os.fsync(out.fileno())
            if count:
                waiting.replace(path)
            else:
                waiting.unlink()
                path.unlink(missing_ok=True)
        except OSError as error:
            raise HarvestError(
                f"{path}: cannot be written: {error.strerror}; free some space, then run again"
            ) from error

    def paths(self) -> list[Path]:
        """Return the files of records, in the order of the records."""
        return sorted(self._folder.glob("*.gz"))

    def rejected(self) -> Iterator[ReadError]:
        """Yield what could not be used, each with its bytes and the answer that it came in."""
        rows = self._connection.execute(
            "SELECT identifier, reason, rejected.answer, rejected.body, coalesce(answer.file, '')"
            " FROM rejected LEFT JOIN answer ON answer.answer = rejected.answer ORDER BY identifier"
        )
        for position, (identifier, reason, response, body, file) in enumerate(rows.fetchall(), 1):
            name = f"harvest/{self._source}/answers/{file}" if file else f"harvest/{self._source}, answer {response}"
            data = self._decompressor.decompress(body)
            yield ReadError(Origin(self._source, name, position, 0), f"{identifier}: {reason}", data, identifier)
