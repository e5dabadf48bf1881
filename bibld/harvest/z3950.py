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
from bibld.harvest._search import MAX_REASONS, FoundRecord, LimitReached, ResultWalk, SearchPlan, begin, fetch_by_search
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
    divided; ``split_range``: the first and the last of these numbers; ``negotiate``: a charset to ask the server for,
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
    client = YazClient(settings)
    total = sum(client.count(query) for query in as_tuple(settings.query))
    batch = client.fetch(as_tuple(settings.query)[0], 1, 1, 1)
    if total and not batch.records:
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
    return fetch_by_search(visit, YazClient(settings), plan, is_continued)


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


class Batch(msgspec.Struct, frozen=True):
    """What came for some portions: hits of the query, the records, and what the server stated beside them.

    ``asked``, ``answered`` and ``sent`` count records: ``answered`` those up to the first one that is missing, ``sent``
    all of them; they contain the ``diagnostics`` (code and text) in place of records.
    """

    hits: int
    records: list[FoundRecord]
    asked: int
    answered: int
    sent: int
    diagnostics: tuple[tuple[int, str], ...]

    @property
    def stated(self) -> str:
        """The first diagnostic as text."""
        return f"diagnostic {self.diagnostics[0][0]} ({self.diagnostics[0][1]})" if self.diagnostics else ""

    def has_diagnostic(self, code: int) -> bool:
        """Return whether a diagnostic has a code of Bib-1."""
        return any(one == code for one, _ in self.diagnostics)


class YazClient:
    """Searches one server; raises ``HarvestError`` if it refuses a query or does not answer."""

    def __init__(self, settings: Settings) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise HarvestError("yaz-client is not installed; install YAZ (Debian: yaz)")
        found = _URL.fullmatch(settings.url)
        assert found is not None, "the configuration was checked"
        secure, host, port, database = found.groups()
        self._program = program
        self._settings = settings
        self._address = f"{secure or 'tcp:'}{host}:{port or _PORT}"
        self._database = database or "Default"
        self.server = ""
        """The name that the server gave itself."""

    def count(self, query: str) -> int:
        """Return the number of hits of a query."""
        return self.fetch(query, 0, 0, 0).hits

    def within(self, query: str, low: int, high: int) -> str:
        """Return the query for the records that have a number of the index from ``low`` to ``high``."""
        return f"@and {query} {self._numbers(low, high)}"

    def outside(self, query: str, low: int, high: int) -> str:
        """Return the query for the others."""
        return f"@not {query} {self._numbers(low, high)}"

    def _numbers(self, low: int, high: int) -> str:
        index = self._settings.split
        return f"@and {index} @attr 2=4 {low} {index} @attr 2=2 {high}"

    def walk(self, query: str, walk: ResultWalk) -> None:
        """Fetch and store the records of a query, by what arrived."""
        portion, portions = self._settings.portion, _PORTIONS
        total = self.count(query)
        while walk.at.next <= total and not walk.is_stopped:
            at = walk.at.next
            batch = self.fetch(query, at, portion, min(portions, -(-(total - at + 1) // portion)))
            if batch.hits < total:
                walk.add_reason(f"the server stated {total:,} records at first, and {batch.hits:,} later")
            total = batch.hits
            passed = _passed(batch, walk)
            if not passed and portion == portions == 1 and at <= total:
                if batch.has_diagnostic(_OUT_OF_RANGE) or len(walk.reasons) >= MAX_REASONS:
                    if at == 1:
                        raise HarvestError(f"{self._settings.url}: sends no record: {batch.stated}")
                    raise LimitReached(at - 1)
                stated = batch.stated or "nothing came"
                walk.add_reason(f"the record at position {at:,} cannot be fetched: {stated}")
                passed = 1
            if passed:
                walk.store(batch.records if batch.answered == batch.sent else batch.records[:passed], passed)
            if passed < batch.asked and at + passed <= total and not walk.is_stopped:
                fault = f"{passed} of {batch.asked} from {at + passed}: {batch.stated}"
                walk.visit.note("z3950-portion", query, fault.encode())
                portion, portions = max(portion // 2, 1), 1
            else:
                portion, portions = min(portion * 2, self._settings.portion), _PORTIONS

    def fetch(self, query: str, start: int, portion: int, portions: int) -> Batch:
        """Return the records from a position on, in some portions."""
        starts = [start + number * portion for number in range(portions)]
        commands = self._commands(query, [f"show {one}+{portion}" for one in starts])
        fault = ""
        for attempt in range(self._settings.tries):
            if attempt:
                time.sleep(_WAIT)
            with tempfile.TemporaryDirectory(prefix="bibld-") as folder:
                try:
                    log = self._run(commands, Path(folder))
                except subprocess.TimeoutExpired:
                    fault = f"no complete answer after {self._settings.deadline:g} s"
                    continue
                found = _HITS.search(log)
                if found is None:
                    fault = _fault_of_connection(log)
                    continue
                dump = Path(folder, "dump")
                records = list(records_of_dump(dump.read_bytes() if dump.exists() else b"", self._settings.syntax))
            hits = int(found[1])
            wanted = sum(min(portion, max(hits - one + 1, 0)) for one in starts)
            return self._batch(query, log, hits, wanted, start, records)
        raise HarvestError(f"{self._address}/{self._database}: {fault} ({self._settings.tries} tries)")

    def _batch(self, query: str, log: bytes, hits: int, wanted: int, start: int, records: list[FoundRecord]) -> Batch:
        name = _NAME.search(log)
        self.server = name[1].decode(errors="replace").strip() if name else ""
        sent = _SENT.search(log)
        before = log[: sent.start()] if sent else log
        refused = _diagnostics(before)
        if refused and not hits:
            code, text = refused[0]
            raise HarvestError(
                f"{self._address}/{self._database}: the server refuses the query {query}: diagnostic {code} ({text})"
            )
        portions = [(int(position), int(count)) for position, _, count in _PRESENT.findall(log)]
        answered = 0
        for position, count in portions:
            if position != start + answered:
                break  # an earlier portion was shorter: what follows does not continue it
            answered += count
        total = sum(count for _, count in portions)
        return Batch(hits, records, wanted, answered, total, _diagnostics(log[len(before) :]))

    def _commands(self, query: str, shows: list[str]) -> str:
        settings = self._settings
        user = settings.user.read() if settings.user else ""
        password = settings.password.read() if settings.password else ""
        lines = [
            *([f"authentication {user}/{password}"] if user else []),
            *([f"charset {settings.negotiate} -"] if settings.negotiate else []),
            f"open {self._address}",
            f"base {self._database}",
            f"format {'unimarc' if settings.syntax == 'rusmarc' else settings.syntax}",
            f"elements {settings.elements}",
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
                timeout=self._settings.deadline,
                check=False,
            )
        return log.read_bytes()


def _passed(batch: Batch, walk: ResultWalk) -> int:
    """Return how many positions the records of a batch fill: those that came, and diagnostics in their place.

    If a portion was short, the records of later ones follow in the dump, behind a hole. Where it cannot be known which
    records those are, or which ones are missing, nothing is used, and less is asked for.
    """
    got = len(batch.records)
    if batch.answered < batch.sent:
        return batch.answered if got == batch.sent else 0
    missing = batch.answered - got
    if 0 < missing <= len(batch.diagnostics):
        walk.visit.note("z3950-surrogate", "", batch.stated.encode())
        walk.add_reason(f"the server sends a diagnostic in place of {missing:,} records: {batch.stated}")
        return batch.answered
    return batch.answered if missing <= 0 else 0


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


def records_of_dump(dump: bytes, syntax: str) -> Iterator[FoundRecord]:
    """Yield the records; what follows the last complete one is left out."""
    if syntax == "xml":
        yield from _xml_records(dump)
        return
    for data in dump.split(_TERMINATOR)[:-1]:
        record = data.lstrip(b"\r\n") + _TERMINATOR
        yield FoundRecord(record, _control_number(record))


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


def _xml_records(dump: bytes) -> Iterator[FoundRecord]:
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
        yield FoundRecord(etree.tostring(root, encoding="utf-8"), number)
