"""One harvest of one source: what an adapter is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bibld.harvest._clock import timestamp
from bibld.harvest._faults import ServerFault
from bibld.harvest._settings import HttpSettings
from bibld.harvest._store import SourceStore, StoredAnswer
from bibld.progress import Progress

if TYPE_CHECKING:
    import httpx

    from bibld.harvest._http import Transport

_EXAMPLES = 3
_EXCERPT = 400


class HarvestOptions(msgspec.Struct, frozen=True):
    """What one harvest does differently from others.

    ``full``: fetch the whole list; ``since``: fetch the changes since this day or time (ISO 8601) instead of those
    since the last harvest; ``limit``: stop after this number of records (0: do not stop).
    """

    full: bool = False
    since: str = ""
    limit: int = 0


class Example(msgspec.Struct, frozen=True):
    """One place where a server did something wrong: the request, the time, and the beginning of the bytes as text."""

    url: str
    at: str
    excerpt: str


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
        self._early: list[tuple[ServerFault, Example]] = []
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
        for fault, example in self._early:
            self._store_finding(fault, example)
        self._early.clear()

    def note(self, fault: ServerFault, url: str = "", data: bytes = b"") -> None:
        """Note that the server did something wrong; the first three examples of each fault are kept."""
        text = data[:_EXCERPT].decode("utf-8", "backslashreplace")
        example = Example(url, timestamp(), text)
        self.progress.detail(f"harvest: {self.source}: the server {fault.what}")
        if self._store is None or not self._store.harvest:
            self._early.append((fault, example))
        else:
            self._store_finding(fault, example)

    def _store_finding(self, fault: ServerFault, example: Example) -> None:
        encoded = msgspec.json.encode(fault), msgspec.json.encode(example)
        self.store.add_finding(fault.code, *encoded, _EXAMPLES)

    def transport(self, settings: HttpSettings, auth: httpx.Auth | None = None) -> Transport:
        """Return what asks the server; its answers are stored, and what was learned about its patience is used."""
        from bibld.harvest._http import Politeness, Transport  # loads the HTTP client, which local files do not need

        keep: Callable[[StoredAnswer], StoredAnswer] = lambda answer: answer  # noqa: E731
        learned = Politeness()
        if self._store is not None:
            keep = self._store.keep_answer
            learned = self._store.value("politeness", Politeness) or learned
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
