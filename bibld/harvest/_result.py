"""How a harvest ended, the report about the server, and how fresh a source is."""

from __future__ import annotations

import html
import statistics
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._clock import current_time
from bibld.harvest._faults import ServerFault
from bibld.harvest._store import SourceStore
from bibld.harvest._visit import Example
from bibld.progress import with_number

_RHYTHM = 3
"""A source is silent if nothing new came for this many times its usual interval."""

_FEWEST_INTERVALS = 3


class HarvestResult(msgspec.Struct, frozen=True):
    """What one harvest of a source did.

    ``kind`` is full, changes, or local for files that are already on disk. ``received`` counts what the server sent,
    ``removed`` the records that the server deleted or a complete full list lacks; ``stored`` are the records that are
    stored now. ``reasons`` state why it is not complete; ``remarks`` what a person should look at all the same.
    """

    source: str
    outcome: str
    kind: str = ""
    reasons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    received: int = 0
    new: int = 0
    changed: int = 0
    removed: int = 0
    rejected: int = 0
    files: int = 0
    stored: int = 0
    requests: int = 0
    faults: int = 0
    report: str = ""

    @property
    def line(self) -> str:
        """The result in one line."""
        parts = []
        if self.kind in ("full", "changes"):
            parts.append("full list" if self.kind == "full" else "changes")
        if self.received or self.stored:
            counts = {"new": self.new, "changed": self.changed, "removed": self.removed, "rejected": self.rejected}
            stated = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "nothing changed"
            parts.append(f"{self.received:,} received ({stated}), {self.stored:,} stored")
        if self.files:
            parts.append(with_number(self.files, "file"))
        parts += [*self.reasons, *self.remarks]
        if self.faults:
            parts.append(f"{with_number(self.faults, 'fault')} of the server: {self.report}")
        return f"{self.source}: {self.outcome}, {'; '.join(parts)}" if parts else f"{self.source}: {self.outcome}"


class Finding(msgspec.Struct, frozen=True):
    """What a server did wrong, how often, and up to three places."""

    fault: ServerFault
    times: int
    examples: tuple[Example, ...]


class ServerReport(msgspec.Struct, frozen=True):
    """A report about a server that can be sent to its owner."""

    source: str
    harvester: str
    address: str
    made_at: str
    result: HarvestResult
    findings: tuple[Finding, ...]


class Freshness(msgspec.Struct, frozen=True):
    """How fresh a source is.

    ``complete`` and ``attempt`` are when it was last harvested completely, and at all; ``outcome`` is that of the last
    harvest; ``newest`` is the newest date of a record; ``days_silent`` are the days since a harvest last brought
    something new, ``usual_days`` the usual interval between two such harvests (0: not known yet).
    """

    source: str
    outcome: str
    complete: str
    attempt: str
    newest: str
    records: int
    days_silent: float
    usual_days: float

    @property
    def is_silent(self) -> bool:
        """Whether nothing new has come for much longer than usual."""
        return self.usual_days > 0 and self.days_silent > max(_RHYTHM * self.usual_days, 1)


def findings_of(store: SourceStore) -> tuple[Finding, ...]:
    """Return what the server did wrong in the current harvest, the most frequent first."""
    return tuple(
        Finding(
            msgspec.json.decode(fault, type=ServerFault),
            times,
            msgspec.json.decode(examples, type=tuple[Example, ...]),
        )
        for fault, times, examples in store.findings()
    )


def write_report(workspace: Path, report: ServerReport) -> Path:
    """Write the report as JSON and as HTML into the workspace; return the path of the HTML."""
    folder = workspace / "reports"
    page = folder / f"{report.source}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        content = msgspec.json.format(msgspec.json.encode(report))
        for path, data in ((page.with_suffix(".json"), content), (page, _page(report).encode())):
            waiting = path.with_name(f"{path.name}.part")
            waiting.write_bytes(data)
            waiting.replace(path)
    except OSError as error:
        raise HarvestError(f"{page}: cannot be written: {error.strerror}; free some space, then run again") from error
    return page


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#f4f4f0;padding:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}"
    "dt{font-weight:600}h2{margin-top:2rem}code{overflow-wrap:anywhere}"
)


def _page(report: ServerReport) -> str:
    """Return the report as a page of HTML that needs nothing else."""
    text = html.escape
    result = report.result
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Harvest of {text(report.source)}</title><style>{_STYLE}</style>",
        f"<h1>Harvest of {text(report.address or report.source)}</h1>",
        f"<p>{text(report.made_at)}, by bibld ({text(report.harvester)}). Result: <b>{text(result.outcome)}</b>.</p>",
        f"<p>{result.received:,} records received with {with_number(result.requests, 'request')};"
        f" {result.rejected:,} of them could not be used; {result.stored:,} are stored.</p>",
    ]
    if result.reasons:
        parts.append("<ul>" + "".join(f"<li>{text(reason)}</li>" for reason in result.reasons) + "</ul>")
    if not report.findings:
        parts.append("<p>The server kept to the standards.</p>")
    for finding in report.findings:
        fault = finding.fault
        parts.append(f"<h2>The server {text(fault.what)}</h2><dl>")
        parts.append(f"<dt>How often</dt><dd>{finding.times:,}</dd>")
        parts.append(f"<dt>The standard</dt><dd>{text(fault.clause)}</dd>")
        parts.append(f"<dt>What bibld did</dt><dd>{text(fault.done)}</dd></dl>")
        for example in finding.examples:
            parts.append(f"<p>{text(example.at)} <code>{text(example.url)}</code></p>")
            if example.excerpt:
                parts.append(f"<pre>{text(example.excerpt)}</pre>")
    return "\n".join(parts) + "\n</html>\n"


def freshness_of(store: SourceStore, at: datetime | None = None) -> Freshness:
    """Return how fresh a source is at a time (now by default)."""
    moment = at or current_time()
    harvests = store.harvests()
    complete = next((one.ended for one in harvests if one.outcome == "complete"), "")
    productive = []
    for one in harvests:
        result = msgspec.json.decode(one.body, type=HarvestResult) if one.body else None
        if result is not None and one.ended and (result.new or result.changed or result.removed):
            productive.append(_time(one.ended))
    since = (moment - productive[0]).total_seconds() / 86400 if productive else 0.0
    last = harvests[0] if harvests else None
    return Freshness(
        source=store.source,
        outcome=(last.outcome or "interrupted") if last else "",
        complete=complete,
        attempt=(last.ended or last.started) if last else "",
        newest=store.records.newest(),
        records=store.records.count(),
        days_silent=round(max(since, 0.0), 1),
        usual_days=_usual_days(productive),
    )


def _usual_days(times: Sequence[datetime]) -> float:
    """Return the median interval in days between times, the last one first; 0 if there are too few."""
    gaps = [(later - earlier).total_seconds() / 86400 for later, earlier in pairwise(times)]
    return round(statistics.median(gaps), 1) if len(gaps) >= _FEWEST_INTERVALS else 0.0


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
