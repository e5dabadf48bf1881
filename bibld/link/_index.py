"""The index of an authority file: its records by key, in a database that is made once for each file.

Reading needs little memory, whatever the size of the file. What was read is committed in steps; if the work is stopped,
the next call continues after the last step.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import msgspec

from bibld.errors import HarvestError, StageError
from bibld.link._files import AuthorityFile, read_authority
from bibld.link._names import Life, heading_key, life_of, person_name, without_qualifier
from bibld.link._values import AuthorityRecord, Profile, merge_records
from bibld.progress import Progress
from bibld.text.romanisation import romanise
from bibld.text.work_titles import work_title_key
from bibld.triplify import parse_identity

VERSION = 2
"""To be raised when keys or records of an index change."""

_TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE record (record INTEGER PRIMARY KEY, iri TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE key (key INTEGER NOT NULL, record INTEGER NOT NULL);
CREATE TABLE frequency (text TEXT PRIMARY KEY, bearers INTEGER NOT NULL) WITHOUT ROWID;
"""
_TABLES_WHILE_READING = """
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE piece (piece INTEGER PRIMARY KEY, iri TEXT NOT NULL, body BLOB NOT NULL);
"""
_STEP = 20_000
_MAX_BUCKET_RECORDS = 200
"""Records of a key that more have are not fetched: it does not distinguish them (a common name with an initial)."""
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(AuthorityRecord)


class IndexCounts(msgspec.Struct, frozen=True):
    """What was read from a file: its records with a label, and the pieces that could not be used."""

    records: int
    unusable: int


class AuthorityIndex(AbstractContextManager["AuthorityIndex"]):
    """An index that is complete, opened for reading. Close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            state = dict(self._connection.execute("SELECT name, value FROM state").fetchall())
            self.counts = IndexCounts(state["records"], state["unusable"])
            self.persons: int = state["persons"]
        except BaseException:
            self._connection.close()
            raise

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def find(self, keys: Iterable[int]) -> list[AuthorityRecord]:
        """Return the records that have any of these keys, but for keys that too many records have."""
        numbers: set[int] = set()
        for key in sorted(keys):
            rows = self._connection.execute(
                "SELECT record FROM key WHERE key = ? LIMIT ?", (key, _MAX_BUCKET_RECORDS + 1)
            )
            found = [number for (number,) in rows]
            if len(found) <= _MAX_BUCKET_RECORDS:
                numbers.update(found)
        bodies = (
            self._connection.execute("SELECT body FROM record WHERE record = ?", (number,)).fetchone()[0]
            for number in sorted(numbers)
        )
        return [_DECODER.decode(body) for body in bodies]

    def has_number(self, number: str) -> bool:
        """Whether a record has this number, given as an IRI; its own, or that of another authority."""
        return any(
            self._connection.execute("SELECT 1 FROM key WHERE key = ?", (key,)).fetchone()
            for key in keys_of_numbers((number,))
        )

    def names_of_persons(self) -> Iterator[list[str]]:
        """Yield the names of each person who has several."""
        for (body,) in self._connection.execute("SELECT body FROM record ORDER BY record"):
            record = _DECODER.decode(body)
            if record.kind == "person" and len(record.labels) > 1 and not record.is_undifferentiated:
                yield [label.text for label in record.labels]

    def bearers(self, text: str) -> int:
        """Return how many persons have a family name (``f:name``) or a first given name (``g:name``)."""
        row = self._connection.execute("SELECT bearers FROM frequency WHERE text = ?", (text,)).fetchone()
        return int(row[0]) if row else 0


def index_path(workspace: Path, digest: str) -> Path:
    """Return the place of the index of a file with this digest."""
    return workspace / "index" / "authorities" / f"{digest}.db"


def remove_other_indexes(workspace: Path, digests: Iterable[str]) -> None:
    """Remove the indexes, complete or not, of all files but those with these digests."""
    wanted = set(digests)
    for path in index_path(workspace, "").parent.glob("*"):
        if path.stem not in wanted:
            path.unlink(missing_ok=True)


def is_complete(path: Path) -> bool:
    """Whether an index was made to its end, and can be read."""
    if not path.is_file():
        return False
    try:
        with AuthorityIndex(path):
            return True
    except (sqlite3.Error, KeyError):
        return False


def make_index(path: Path, file: AuthorityFile, progress: Progress) -> None:
    """Make the index of a file, or complete one that was begun; does nothing for a complete one.

    What was read is in another database beside it until then. Raises ``HarvestError`` if the file cannot be read to its
    end, ``StageError`` if the index cannot be written.
    """
    if is_complete(path):
        return
    reading_path, unfinished = path.with_suffix(".reading"), path.with_suffix(".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(reading_path, isolation_level=None)) as reading:
            if not reading.execute("SELECT 1 FROM sqlite_schema").fetchone():
                reading.executescript(f"BEGIN; {_TABLES_WHILE_READING} COMMIT;")
            if not _state(reading, "is_read"):
                _read_pieces(reading, file, progress)
            with closing(sqlite3.connect(unfinished, isolation_level=None)) as index:
                index.execute("PRAGMA journal_mode = OFF")
                index.execute("PRAGMA synchronous = OFF")
                index.executescript(_TABLES)
                _make_records(reading, index, file, progress)
        unfinished.replace(path)
        reading_path.unlink()
    except HarvestError:
        reading_path.unlink(missing_ok=True)  # the same file would fail again at the same place
        raise
    except (sqlite3.Error, OSError) as error:
        raise StageError(
            f"{path}: the index cannot be written: {error}; free some space, delete {reading_path.name}, then run again"
        ) from error


def _state(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def _read_pieces(connection: sqlite3.Connection, file: AuthorityFile, progress: Progress) -> None:
    """Store the records as the file has them; those that an earlier call stored are passed over."""
    progress.stage("link", f"records of {file.name}")
    done, unusable = _state(connection, "pieces"), _state(connection, "unusable")
    pieces = read_authority(file)
    for _ in islice(pieces, done):
        pass
    progress.advance(done)
    while step := list(islice(pieces, _STEP)):
        rows = [(piece.iri, _ENCODER.encode(_without_texts(piece))) for piece in step if piece is not None]
        done += len(step)
        unusable += len(step) - len(rows)
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO piece (iri, body) VALUES (?, ?)", rows)
        _set_state(connection, pieces=done, unusable=unusable)
        connection.execute("COMMIT")
        progress.advance(len(step))
    _set_state(connection, is_read=1)


def _without_texts(record: AuthorityRecord) -> AuthorityRecord:
    """Remove labels that are too long to be names."""
    if all(len(label.text) <= MAX_LABEL_CHARACTERS for label in record.labels):
        return record
    kept = tuple(label for label in record.labels if len(label.text) <= MAX_LABEL_CHARACTERS)
    return msgspec.structs.replace(record, labels=kept)


def _make_records(
    reading: sqlite3.Connection, index: sqlite3.Connection, file: AuthorityFile, progress: Progress
) -> None:
    """Merge the pieces of each record, and store records, keys and frequencies."""
    progress.stage("link", f"records of {file.name} indexed", _state(reading, "pieces"))
    index.execute("BEGIN")
    frequencies: Counter[str] = Counter()
    records = persons = 0
    rows = reading.execute("SELECT iri, body FROM piece ORDER BY iri, piece")
    for iri, group in groupby(rows, key=itemgetter(0)):
        pieces = [_DECODER.decode(body) for _, body in group]
        record = merge_records(pieces)
        progress.advance(len(pieces))
        if not record.labels:
            continue
        records += 1
        index.execute("INSERT INTO record VALUES (?, ?, ?)", (records, iri, _ENCODER.encode(record)))
        keys = sorted(keys_of_record(record))
        index.executemany("INSERT INTO key VALUES (?, ?)", ((key, records) for key in keys))
        if record.kind == "person":
            persons += 1
            frequencies.update((f"f:{family_of(record.heading)}", f"g:{first_given_name(record.heading)}"))
        if len(frequencies) > _STEP:
            _add_frequencies(index, frequencies)
    _add_frequencies(index, frequencies)
    index.execute("CREATE INDEX key_key ON key (key, record)")
    _set_state(index, records=records, persons=persons, unusable=_state(reading, "unusable"))
    index.execute("COMMIT")


def _add_frequencies(connection: sqlite3.Connection, frequencies: Counter[str]) -> None:
    connection.executemany(
        "INSERT INTO frequency VALUES (?, ?) ON CONFLICT (text) DO UPDATE SET bearers = bearers + excluded.bearers",
        frequencies.items(),
    )
    frequencies.clear()


def _set_state(connection: sqlite3.Connection, **values: int) -> None:
    connection.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", values.items())


MAX_LABEL_CHARACTERS = 1000
"""Labels with more characters are not used: they are texts, not names."""

_PERSONS = ("person", "family")


def keys_of_record(record: AuthorityRecord) -> set[int]:
    """Return the keys of an authority record."""
    texts = [label.text for label in record.labels if len(label.text) <= MAX_LABEL_CHARACTERS]
    found = set(keys_of_numbers((record.iri, *record.numbers)))
    found |= {_hash("notation", notation) for notation in record.notations}
    if record.kind in (*_PERSONS, ""):
        life = Life(record.born, record.died)
        found |= {key for text in texts if record.kind or "," in text for key in _person_keys(text, life)}
    found |= {key for text in texts for key in _heading_keys(text, record.kind in ("place", ""))}
    if record.kind in ("work", ""):
        found |= _work_keys(record.titles, record.creators)
    return found


def keys_of_profile(profile: Profile) -> set[int]:
    """Return the keys of an entity."""
    texts = [text for text, _ in profile.labels if len(text) <= MAX_LABEL_CHARACTERS]
    found = set(keys_of_numbers(profile.numbers))
    found |= {_hash("notation", notation) for notation in profile.notations}
    if profile.kind == "agent" and profile.type in ("personal", "family", ""):
        lives = [life_of(dates) for dates in profile.dates] or [Life()]
        found |= {key for text in texts for life in lives for key in _person_keys(text, life)}
    if profile.kind == "work":
        return found | _work_keys(texts, [name for creator in profile.creators for name in creator.names])
    if profile.type != "personal":
        found |= {key for text in texts for key in _heading_keys(text, profile.kind == "place")}
    return found


def family_of(heading: str) -> str:
    """Return the romanised family name of a heading, under which the bearers of a family name are counted."""
    family = person_name(heading).family
    return romanise(family) or family


def first_given_name(heading: str) -> str:
    """Return the romanised first given name of a heading, empty without one."""
    name = person_name(heading)
    return romanise(name.given[0]) or name.given[0] if name.given else ""


def number_key(iri: str) -> str:
    """Return the key of a number of an authority file, equal for all IRIs under which the number is known."""
    identity = parse_identity(iri, None, "")
    return identity.key if identity is not None else iri


def keys_of_numbers(iris: Iterable[str]) -> Iterator[int]:
    """Return the keys of numbers of authority files, given as IRIs."""
    return (_hash("number", number_key(iri)) for iri in iris)


def _person_keys(heading: str, life: Life) -> Iterator[int]:
    name = person_name(heading)
    family = romanise(name.family) or name.family
    if not family:
        return
    if not name.given:
        yield _hash("single", family)
    for given in name.given_forms:
        words = [romanise(word) or word for word in given]
        if words:
            yield _hash("name", family, *words)
            yield _hash("initial", family, words[0][:1])
    for year in {life.born, life.died} - {None}:
        yield _hash("year", family, str(year))


def _heading_keys(heading: str, is_place: bool) -> Iterator[int]:
    key = heading_key(heading)
    if not key:
        return
    yield _hash("heading", key)
    plain = heading_key(without_qualifier(heading))
    if plain and plain != key:
        yield _hash("unqualified", plain)
    else:
        yield _hash("unqualified", key)
    last = key.rpartition("--")[2]
    if is_place and last != key:
        yield _hash("unqualified", last)


def _work_keys(titles: Iterable[str], creators: Iterable[str]) -> set[int]:
    """Return keys of the title of a work alone, and of the title with the family name, or the name, of a creator."""
    keys = {work_title_key(title).text for title in titles} - {""}
    families = {family_of(name) for name in creators} - {""}
    with_creator = {_hash("work", key, family) for key in keys for family in families}
    return with_creator | {_hash("title", key) for key in keys}


def _hash(*parts: str) -> int:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
