"""One harvest of one source: what an adapter is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bibld.harvest._settings import HttpSettings
from bibld.harvest._store import SourceStore, StoredResponse, timestamp
from bibld.model.finding import Finding, FindingExample
from bibld.progress import Progress

if TYPE_CHECKING:
    import httpx

    from bibld.harvest._http import Transport

_MAX_EXAMPLES = 3
_MAX_EXCERPT = 400


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
    rows: dict[str, Any] = msgspec.toml.decode(Path(__file__).with_name("server_faults.toml").read_bytes())
    return {kind: msgspec.convert({"where": "", "kind": kind, **words}, Finding) for kind, words in rows.items()}


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
