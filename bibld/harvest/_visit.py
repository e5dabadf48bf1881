"""What an adapter is given: settings that harvesters share, and the harvest of one source that is running."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from bibld.config import Secret
from bibld.errors import HarvestError
from bibld.harvest._store import SourceStore, StoredAnswer, timestamp
from bibld.model.finding import Finding, FindingExample
from bibld.progress import Progress

if TYPE_CHECKING:
    import httpx

    from bibld.harvest._http import Transport

_DAYS = re.compile(r"\s*([0-9]+)\s*([dhw])?\s*", re.IGNORECASE)
_HOURS = {"h": 1 / 24, "d": 1, "w": 7}

Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class HttpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server is, and how it is asked.

    ``url``: its address; ``deadline``: seconds for one answer, from the first byte to the last; ``tries``: how often a
    request is sent while the server is busy, fails or does not answer; ``first_wait``: seconds before the second try,
    doubled for each further one up to a minute; ``longest_wait``: the longest wait in seconds that a server may ask for
    within a run; ``delay``: least seconds between two requests; ``contact``: a web or mail address for the owner of the
    server, sent with every request; ``ca_file``: a file of certificates for a server whose chain is incomplete;
    ``tls_minimum``: the oldest version of TLS; ``user``: the environment variable that contains the user's name,
    ``{ env = "NAME" }``; ``password``: the one that contains the password; ``max_answer_bytes``: the most bytes of one
    answer, decompressed.
    """

    url: str
    deadline: Positive = 300.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 8
    first_wait: Positive = 1.0
    longest_wait: NotNegative = 600.0
    delay: NotNegative = 0.0
    contact: str = ""
    ca_file: str = ""
    tls_minimum: Literal["1.0", "1.1", "1.2", "1.3"] = "1.2"
    user: Secret | None = None
    password: Secret | None = None
    max_answer_bytes: Annotated[int, msgspec.Meta(ge=1024)] = 256 * 1024 * 1024


def faults_of_http(settings: HttpSettings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    try:
        parts = urllib.parse.urlsplit(settings.url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
        parts = urllib.parse.urlsplit("")
    if not is_address:
        yield "url", f'"{settings.url}" is not the address of a server; write an absolute http or https address'
    elif "@" in parts.netloc:
        yield "url", 'contains credentials, which messages would show; use user and password, { env = "NAME" } each'


def as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a setting that may be one text or a list of some as a tuple."""
    return (value,) if isinstance(value, str) else value


def days_of(text: str) -> float:
    """Return the days of a duration such as "30d", "12h" or "4w"; raises ``ValueError``."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is not a duration; write days, hours or weeks, such as "30d"')
    return int(found[1]) * _HOURS[(found[2] or "d").lower()]


_MAX_EXAMPLES = 3
_MAX_EXCERPT = 400


class UnusableAnswerError(HarvestError):
    """A server gave no answer that can be used; ``status`` is that of the last one, 0 if there was none."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class HarvestOptions(msgspec.Struct, frozen=True):
    """What one harvest does differently from others.

    ``full``: fetch the whole list; ``since``: fetch the changes since this day or time (ISO 8601) instead of those
    since the last harvest; ``limit``: stop after this number of records (0: do not stop).
    """

    full: bool = False
    since: str = ""
    limit: int = 0


@cache
def server_faults() -> Mapping[str, Finding]:
    """Return what servers do wrong by kind, in words for their owners."""
    rows = msgspec.toml.decode(Path(__file__).with_name("server_faults.toml").read_bytes(), type=dict[str, _FaultWords])
    return {kind: Finding("", words.what, words.remedy, kind=kind, clause=words.clause) for kind, words in rows.items()}


class _FaultWords(msgspec.Struct, frozen=True):
    what: str
    clause: str
    remedy: str


class Visit:
    """A harvest of a source that is running, or the question what a server is (``is_probe``: nothing is stored)."""

    def __init__(
        self,
        store: SourceStore | None,
        source: str,
        folder: Path,
        workspace: Path,
        options: HarvestOptions,
        progress: Progress,
    ) -> None:
        """``folder`` is that of the configuration; ``store`` is None if nothing is to be stored."""
        self._store = store
        self.source = source
        self.folder = folder
        self.workspace = workspace
        self.options = options
        self.progress = progress
        self.kind = ""
        self._early: list[tuple[Finding, FindingExample]] = []
        self._transports: list[Transport] = []

    @property
    def is_probe(self) -> bool:
        """Whether nothing is stored."""
        return self._store is None

    @property
    def store(self) -> SourceStore:
        """The store of the source."""
        assert self._store is not None, "a probe stores nothing"
        return self._store

    def begin(self, kind: str, request: str, can_continue: bool = True) -> bool:
        """Begin a harvest: ``full`` (what does not come was deleted) or ``changes``.

        ``request`` identifies what is asked for. Return whether the last harvest, which was interrupted and asked for
        the same, is continued: its records count as seen, and the values in the store are its state. It is not if
        ``can_continue`` is false.
        """
        self.kind = kind
        with self.store.commit():
            is_continued = self.store.begin(kind, request, can_continue)
            self.store_early_findings()
        return is_continued

    def store_early_findings(self) -> None:
        """Store what was noted before the harvest had a number."""
        for finding, example in self._early:
            self.store.add_finding(finding, example, _MAX_EXAMPLES)
        self._early.clear()

    def note(self, fault: str | Finding, url: str = "", data: bytes = b"") -> None:
        """Note that the server did something wrong; the first three examples of each fault are kept.

        ``fault`` is a kind of ``server_faults.toml``, or a finding whose ``what`` continues "the server".
        """
        finding = server_faults()[fault] if isinstance(fault, str) else fault
        example = FindingExample(url, data[:_MAX_EXCERPT].decode("utf-8", "backslashreplace"), timestamp())
        self.progress.detail(f"harvest: {self.source}: the server {finding.what}")
        if self._store is None or not self._store.harvest:
            self._early.append((finding, example))
        else:
            self.store.add_finding(finding, example, _MAX_EXAMPLES)

    def transport(self, settings: HttpSettings, auth: httpx.Auth | None = None) -> Transport:
        """Return what asks the server; its answers are stored, and what was learned about its patience is used."""
        from bibld.harvest._http import LearnedDelay, Transport  # loads the HTTP client, which local files do not need

        keep: Callable[[StoredResponse], StoredResponse] = lambda response: response  # noqa: E731
        learned = LearnedDelay()
        if self._store is not None:
            keep = self._store.keep_response
            learned = self._store.value("politeness", LearnedDelay) or learned
        transport = Transport(settings, self.folder, keep, self.note, learned, auth)
        self._transports.append(transport)
        return transport

    @property
    def requests(self) -> int:
        """The number of requests that were sent."""
        return sum(transport.requests for transport in self._transports)

    def close(self) -> None:
        """Close connections, and store what was learned about the server's patience."""
        for transport in self._transports:
            transport.close()
            if self._store is not None:
                with self._store.commit():
                    self._store.set_value("politeness", transport.learned)
