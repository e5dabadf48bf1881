"""Z39.50: the records that a query finds, by the program yaz-client, in portions, with all counts compared.

Debian has the program in the package ``yaz``. It ends with exit code 0 after any failure, so only counts are a proof.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from lxml import etree

from bibld.config import Secret
from bibld.errors import HarvestError
from bibld.harvest._records import ISO2709_FORM, XML_FORM
from bibld.harvest._search import (
    MAX_REASONS,
    LimitReached,
    ResultPosition,
    Save,
    SearchPlan,
    begin,
    fetch_by_search,
    keep,
)
from bibld.harvest._settings import as_tuple
from bibld.harvest._visit import Visit
from bibld.model.foreign_xml import parse_xml
from bibld.protocols import Fetched

_URL = re.compile(r"(?:z39\.50[sr]://|z3950://|tcp:|(ssl:))?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::([0-9]+))?/?(.*)")
_PORT = "210"
_PORTIONS = 10
"""Portions that are asked for in one connection."""

_OUT_OF_RANGE = 13


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``url``: host, port and database, such as ``z3950.example.org:210/BOOKS``, with ``ssl:`` in front for TLS;
    ``query``: in the prefix notation PQF, a list of queries is united; ``syntax``: the form of records; ``elements``:
    the set of elements; ``portion``: records in one answer; ``deadline``: seconds for ten portions; ``tries``: how
    often they are asked for; ``limit``: the most records that the server gives of one query (0: not known); ``split``:
    attributes of an index of whole numbers, such as ``@attr 1=31`` (the year), by which a query with more records is
    divided; ``split_range``: the first and the last number for that; ``negotiate``: a charset to ask the server for,
    such as ``utf-8``; ``user``: the environment variable that contains the user's name, ``{ env = "NAME" }``;
    ``password``: the one that contains the password.
    """

    url: str
    query: str | tuple[str, ...] = '@attr 1=_ALLRECORDS @attr 2=103 ""'
    syntax: Literal["usmarc", "unimarc", "rusmarc", "xml"] = "usmarc"
    elements: str = "F"
    portion: Annotated[int, msgspec.Meta(ge=1)] = 200
    deadline: Annotated[float, msgspec.Meta(gt=0)] = 300.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 3
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    split: str = ""
    split_range: tuple[int, int] = (0, 2100)
    negotiate: str = ""
    user: Secret | None = None
    password: Secret | None = None


def faults(folder: object, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    found = _URL.fullmatch(settings.url)
    if found is None or "@" in settings.url:
        yield "url", f'"{settings.url}" is not the address of a server; write host:port/database'
    if not as_tuple(settings.query) or not all(query.strip() for query in as_tuple(settings.query)):
        yield "query", 'is empty; write a query in PQF, such as "@attr 1=4 history"'
    if settings.split_range[0] > settings.split_range[1]:
        yield "split_range", "its first number is larger than its last one"
    for key, text in (("url", settings.url), ("elements", settings.elements), ("negotiate", settings.negotiate)):
        if re.search(r"\s", text):
            yield key, "contains a space or a line break"
    if any("\n" in text or "\r" in text for text in (*as_tuple(settings.query), settings.split)):
        yield "query", "contains a line break"


def probe(visit: Visit, settings: Settings) -> str:
    """Ask the server how many records the queries have, and send one."""
    client = _client(settings)
    total = sum(client.count(query) for query in as_tuple(settings.query))
    batch = client.fetch(as_tuple(settings.query)[0], 1, 1, 1)
    got = len(list(records_of_dump(batch.dump, settings.syntax)))
    if total and not got:
        raise HarvestError(
            f"{settings.url}: has {total:,} records, but sends none as {settings.syntax}: {batch.stated}"
        )
    return f"{client.server or 'Z39.50'}, {settings.syntax}, {total:,} records"


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch all records of the queries."""
    if visit.options.since:
        raise HarvestError("Z39.50 has no list of changes; leave --since out, or state the date in the query")
    visit.store.records.form = XML_FORM if settings.syntax == "xml" else ISO2709_FORM
    server = f"{settings.url} {settings.syntax} {settings.elements}"
    plan = SearchPlan(
        server, as_tuple(settings.query), settings.limit, bool(settings.split), settings.split_range, settings.syntax
    )
    is_continued = begin(visit, plan)
    return fetch_by_search(visit, _Z3950Searcher(visit, _client(settings), settings), plan, is_continued)


def _client(settings: Settings) -> YazClient:
    found = _URL.fullmatch(settings.url)
    assert found is not None, "the configuration was checked"
    secure, host, port, database = found.groups()
    user = settings.user.read() if settings.user else ""
    password = settings.password.read() if settings.password else ""
    target = Target(
        address=f"{secure or 'tcp:'}{host}:{port or _PORT}",
        database=database or "Default",
        syntax="unimarc" if settings.syntax == "rusmarc" else settings.syntax,
        elements=settings.elements,
        negotiate=settings.negotiate,
        authentication=f"{user}/{password}" if user else "",
    )
    return YazClient(target, settings.deadline, settings.tries)


class _Z3950Searcher:
    """Searches a server of Z39.50."""

    def __init__(self, visit: Visit, client: YazClient, settings: Settings) -> None:
        self._visit = visit
        self._client = client
        self._settings = settings
        self._reasons: list[str] = []
        self.count = client.count

    def within(self, query: str, low: int, high: int) -> str:
        return f"@and {query} {self._numbers(low, high)}"

    def outside(self, query: str, low: int, high: int) -> str:
        return f"@not {query} {self._numbers(low, high)}"

    def _numbers(self, low: int, high: int) -> str:
        index = self._settings.split
        return f"@and {index} @attr 2=4 {low} {index} @attr 2=2 {high}"

    def walk(self, query: str, start: ResultPosition, save: Save) -> list[str]:
        """Fetch and store the records of a query, by what arrived."""
        self._reasons = []
        at = start.next
        portion, portions = self._settings.portion, _PORTIONS
        total = self._client.count(query)
        while at <= total:
            batch = self._client.fetch(query, at, portion, min(portions, -(-(total - at + 1) // portion)))
            if batch.hits < total:
                self._add_reason(f"the server stated {total:,} records at first, and {batch.hits:,} later")
            total = batch.hits
            records = list(records_of_dump(batch.dump, self._settings.syntax))
            passed = self._passed(batch, len(records))
            if not passed and portion == portions == 1 and at <= total:
                passed = self._pass_over(batch, at)
            if passed:
                is_stopped = self._store(
                    records if batch.answered == batch.sent else records[:passed], at + passed, save
                )
                self._visit.progress.advance(passed)
                at += passed
                if is_stopped:
                    break
            if passed < batch.asked and at <= total:
                self._visit.note(
                    "z3950-portion", query, f"{passed} of {batch.asked} from {at}: {batch.stated}".encode()
                )
                portion, portions = max(portion // 2, 1), 1
            else:
                portion, portions = min(portion * 2, self._settings.portion), _PORTIONS
        return self._reasons

    def _passed(self, batch: Batch, got: int) -> int:
        """Return how many positions the records of a batch fill: those that came, and diagnostics in their place.

        If a portion was short, the records of later ones follow in the dump, behind a hole. Where it cannot be known
        which records those are, or which ones are missing, nothing is used, and less is asked for.
        """
        if batch.answered < batch.sent:
            return batch.answered if got == batch.sent else 0
        missing = batch.answered - got
        if 0 < missing <= batch.surrogates:
            self._visit.note("z3950-surrogate", "", batch.stated.encode())
            self._add_reason(f"the server sends a diagnostic in place of {missing:,} records: {batch.stated}")
            return batch.answered
        return batch.answered if missing <= 0 else 0

    def _pass_over(self, batch: Batch, at: int) -> int:
        """Leave out a record that is not sent; raises ``LimitReached`` at the end of what the server gives."""
        if batch.has_diagnostic(_OUT_OF_RANGE) or len(self._reasons) >= MAX_REASONS:
            if at == 1:
                raise HarvestError(f"{self._settings.url}: sends no record: {batch.stated}")
            raise LimitReached(at - 1)
        self._add_reason(f"the record at position {at:,} cannot be fetched: {batch.stated or 'nothing came'}")
        return 1

    def _store(self, records: list[DumpedRecord], following: int, save: Save) -> bool:
        with self._visit.store.commit():
            for record in records:
                keep(self._visit, record.control_number, record.data)
            return save(ResultPosition(following), self._reasons)

    def _add_reason(self, reason: str) -> None:
        if len(self._reasons) < MAX_REASONS:
            self._reasons.append(reason)


PROGRAM = "yaz-client"

_HITS = re.compile(rb"^Number of hits: ([0-9]{1,15})\b", re.MULTILINE)
_DIAGNOSTIC = re.compile(rb"^ +\[([0-9]{1,9})\] (.*)$", re.MULTILINE)
_PRESENT = re.compile(
    rb"^(?:Z> )*Sent presentRequest \(([0-9]+)\+([0-9]+)\)\.\r?\nRecords: ([0-9]{1,15})\b", re.MULTILINE
)
_SENT = re.compile(rb"^(?:Z> )*Sent presentRequest", re.MULTILINE)
_NAME = re.compile(rb"^Name +: (.*)$", re.MULTILINE)
_CONNECTION = re.compile(rb"Connecting\.\.\.(?!OK)(.*)$", re.MULTILINE)
_REJECTED = re.compile(rb"Connection rejected by .*$", re.MULTILINE)
_WAIT = 2.0


class Target(msgspec.Struct, frozen=True):
    """A database of a server, and how its records are asked for."""

    address: str
    database: str
    syntax: str
    elements: str
    negotiate: str
    authentication: str


class Batch(msgspec.Struct, frozen=True):
    """What came for some portions: hits of the query, the records as one file, and what the server stated beside them.

    ``asked``, ``answered`` and ``sent`` count records: ``answered`` those up to the first one that is missing, ``sent``
    all of them; they contain ``surrogates`` diagnostics in place of records.
    """

    hits: int
    dump: bytes
    asked: int
    answered: int
    sent: int
    diagnostics: tuple[tuple[int, str], ...]

    @property
    def surrogates(self) -> int:
        """The number of diagnostics."""
        return len(self.diagnostics)

    @property
    def stated(self) -> str:
        """The first diagnostic as text."""
        return f"diagnostic {self.diagnostics[0][0]} ({self.diagnostics[0][1]})" if self.diagnostics else ""

    def has_diagnostic(self, code: int) -> bool:
        """Return whether a diagnostic has a code of Bib-1."""
        return any(one == code for one, _ in self.diagnostics)


class YazClient:
    """Asks one server. ``deadline``: seconds for one connection; ``tries``: how often it is begun."""

    def __init__(self, target: Target, deadline: float, tries: int) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise HarvestError("yaz-client is not installed; install YAZ (Debian: yaz)")
        self._program = program
        self._target = target
        self._deadline = deadline
        self._tries = tries
        self.server = ""
        """The name that the server gave itself."""

    def count(self, query: str) -> int:
        """Return the number of hits of a query; raises ``HarvestError`` if the server refuses it or does not answer."""
        return self._ask(query, [], 0).hits

    def fetch(self, query: str, start: int, portion: int, portions: int) -> Batch:
        """Return the records from a position on, in some portions; raises ``HarvestError`` as :meth:`count` does."""
        shows = [f"show {start + number * portion}+{portion}" for number in range(portions)]
        return self._ask(query, shows, start)

    def _ask(self, query: str, shows: list[str], start: int) -> Batch:
        fault = ""
        for attempt in range(self._tries):
            if attempt:
                time.sleep(_WAIT)
            with tempfile.TemporaryDirectory(prefix="bibld-") as folder:
                try:
                    log = self._run(self._commands(query, shows), Path(folder))
                except subprocess.TimeoutExpired:
                    fault = f"no complete answer after {self._deadline:g} s"
                    continue
                dump = Path(folder, "dump")
                found = _HITS.search(log)
                if found is None:
                    fault = _fault_of_connection(log)
                    continue
                return self._batch(query, log, int(found[1]), shows, start, dump.read_bytes() if dump.exists() else b"")
        raise HarvestError(f"{self._target.address}/{self._target.database}: {fault} ({self._tries} tries)")

    def _batch(self, query: str, log: bytes, hits: int, shows: list[str], start: int, dump: bytes) -> Batch:
        name = _NAME.search(log)
        self.server = name[1].decode(errors="replace").strip() if name else ""
        sent = _SENT.search(log)
        before = log[: sent.start()] if sent else log
        refused = _diagnostics(before)
        if refused and not hits:
            code, text = refused[0]
            raise HarvestError(
                f"{self._target.address}/{self._target.database}: the server refuses the query {query}: diagnostic"
                f" {code} ({text})"
            )
        wanted = sum(min(int(show.partition("+")[2]), max(hits - _start(show) + 1, 0)) for show in shows)
        portions = [(int(position), int(records)) for position, _, records in _PRESENT.findall(log)]
        answered = 0
        for position, records in portions:
            if position != start + answered:
                break  # an earlier portion was shorter: what follows does not continue it
            answered += records
        total = sum(records for _, records in portions)
        return Batch(hits, dump, wanted, answered, total, _diagnostics(log[len(before) :]))

    def _commands(self, query: str, shows: list[str]) -> str:
        target = self._target
        lines = [
            *([f"authentication {target.authentication}"] if target.authentication else []),
            *([f"charset {target.negotiate} -"] if target.negotiate else []),
            f"open {target.address}",
            f"base {target.database}",
            f"format {target.syntax}",
            f"elements {target.elements}",
            "set_marcdump dump",
            f"find {query}",
            *shows,
            "quit",
            "",
        ]
        return "\n".join(lines)

    def _run(self, commands: str, folder: Path) -> bytes:
        """Return what the program prints; raises ``subprocess.TimeoutExpired``."""
        log = folder / "log"
        with log.open("wb") as out:
            subprocess.run(
                [self._program, "-f", "/dev/null"],
                input=commands.encode(),
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                timeout=self._deadline,
                check=False,
            )
        return log.read_bytes()


def _start(show: str) -> int:
    return int(show.removeprefix("show ").partition("+")[0])


def _diagnostics(log: bytes) -> tuple[tuple[int, str], ...]:
    return tuple((int(code), text.decode(errors="replace").strip()) for code, text in _DIAGNOSTIC.findall(log))


def _fault_of_connection(log: bytes) -> str:
    """Return why there was no search, in the words of the program."""
    for pattern in (_REJECTED, _CONNECTION):
        if found := pattern.search(log):
            return f"no connection ({found[0].decode(errors='replace').strip()})"
    return "the server closed the connection"


_TERMINATOR = b"\x1d"
_LEADER, _ENTRY = 24, 12
_DECLARATION = re.compile(rb"<\?xml[^>]*\?>")


class DumpedRecord(msgspec.Struct, frozen=True):
    """The bytes of a record and its control number, empty if it has none."""

    data: bytes
    control_number: str


def records_of_dump(dump: bytes, syntax: str) -> Iterator[DumpedRecord]:
    """Yield the records; what follows the last complete one is left out."""
    if syntax == "xml":
        yield from _xml_records(dump)
        return
    for data in dump.split(_TERMINATOR)[:-1]:
        record = data.lstrip(b"\r\n") + _TERMINATOR
        yield DumpedRecord(record, _control_number(record))


def _control_number(record: bytes) -> str:
    """Return field 001 as the directory places it; the bytes may be in any charset that contains ASCII."""
    base = record[12:17]
    directory = record[_LEADER : int(base) - 1] if base.isdigit() else b""
    for at in range(0, len(directory), _ENTRY):
        entry = directory[at : at + _ENTRY]
        if entry[:3] == b"001" and entry[3:].isdigit() and len(entry) == _ENTRY:
            start = int(base) + int(entry[7:])
            return record[start : start + int(entry[3:7])].strip(b"\x1e \0").decode("utf-8", "backslashreplace")
    return ""


def _xml_records(dump: bytes) -> Iterator[DumpedRecord]:
    for part in _DECLARATION.split(dump):
        if not part.strip():
            continue
        try:
            root = parse_xml(part.strip(), is_huge=True)
        except etree.XMLSyntaxError:
            continue  # its place is missing in the count
        fields = (one for one in root.iter() if isinstance(one.tag, str) and one.get("tag") == "001")
        field = next(fields, None)
        number = (field.text or "").strip() if field is not None else ""
        yield DumpedRecord(etree.tostring(root, encoding="utf-8"), number)
