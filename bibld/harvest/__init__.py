"""Harvest: fetch the files of a configured source, each with its path from the configuration.

A source on disk is a list of files. What a server offers is fetched into the workspace first (:func:`fetch_source`):
every answer is stored as it came, and records become files of a few thousand each, which the next stage reads. A
harvest is *complete* (the end of the list was proven), *partial* or *failed*; only a complete full list
shows what was deleted.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import statistics
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import cast

import msgspec

from bibld.config import Config, Source
from bibld.errors import ConfigError, HarvestError, ReadError
from bibld.harvest._records import ISO2709_FORM as ISO2709_FORM
from bibld.harvest._records import XML_FORM as XML_FORM
from bibld.harvest._records import RecordForm as RecordForm
from bibld.harvest._settings import HttpSettings as HttpSettings
from bibld.harvest._settings import faults_of_http as faults_of_http
from bibld.harvest._store import SourceStore as SourceStore
from bibld.harvest._store import StoredResponse as StoredResponse
from bibld.harvest._store import current_time, explain_database_error, timestamp
from bibld.harvest._visit import HarvestOptions as HarvestOptions
from bibld.harvest._visit import Visit as Visit
from bibld.model.finding import Finding
from bibld.progress import Progress, with_number
from bibld.protocols import Fetched, HarvestedFile, Harvester, NetworkHarvester, adapters

_RHYTHM = 3
"""A source is silent if nothing new came for this many times its usual interval."""

_MIN_INTERVALS = 3

_MORE_REJECTS = 0.05
"""A list is not used for deletions if this share of it more than in the last one is rejected."""

_FOREIGN = (sqlite3.Error, ConfigError, OSError, ValueError, OverflowError, msgspec.MsgspecError)
"""What libraries raise about disks, databases and bytes; it ends the harvest of one source, not the run."""

_TRIES_OF_PROBE = 2
"""A person waits for the answer; the night has more time."""

_MAX_NAMED = 10
"""Records that a warning names."""

_MANY_REJECTS = 0.01
_NOTABLY_FEWER = 0.05
_FEW_RECORDS = 20
"""Shares of fewer records mean nothing."""


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


def files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order, archives as they are; raises ``HarvestError`` at the end.

    Of a source that is fetched from a server they are what is stored; the server is not asked.
    """
    if not is_networked(source):
        yield from adapters.load_adapter("harvest", source.config.harvest).files(
            source.id, config.folder, source.harvest
        )
        return
    with SourceStore(config.workspace, source.id, create=False) as store:
        fetched = store.files.all()
        paths = [*store.records.paths(), *(file.path for file in fetched if file.has_all_bytes)]
    for path in paths:
        yield HarvestedFile(source.id, Path(os.path.relpath(path, config.folder)).as_posix(), path)
    if damaged := [file.name for file in fetched if not file.has_all_bytes]:
        names = ", ".join(damaged[:3])
        raise HarvestError(f"the workspace lacks a fetched file, or bytes of it: {names}; run `bibld harvest`")


def has_files(config: Config, source: Source) -> bool:
    """Return whether a source has been fetched from its server before; true for a source on disk."""
    return not is_networked(source) or SourceStore.exists(config.workspace, source.id)


def rejected_records(config: Config, source: Source) -> Iterator[ReadError]:
    """Yield what a server sent and is no record, each with its bytes; nothing for a source on disk."""
    if is_networked(source):
        try:
            with SourceStore(config.workspace, source.id, create=False) as store:
                yield from store.records.rejected()
        except HarvestError:  # it was never harvested
            return


def is_networked(source: Source) -> bool:
    """Return whether a source is fetched from a server, instead of being on disk already."""
    return hasattr(adapters.load_adapter("harvest", source.config.harvest), "fetch")


def fetch_source(
    config: Config, source: Source, progress: Progress, options: HarvestOptions | None = None
) -> HarvestResult:
    """Harvest one source into the workspace; a server that does not answer is an outcome, not an error.

    A harvest that was interrupted is continued.
    """
    adapter = cast(NetworkHarvester, adapters.load_adapter("harvest", source.config.harvest))
    options = options or HarvestOptions()
    try:
        with SourceStore(config.workspace, source.id) as store, store.lock():
            visit = Visit(store, source.id, config.folder, config.workspace, options, progress)
            try:
                fetched = adapter.fetch(visit, source.harvest)
            except (HarvestError, *_FOREIGN) as error:
                came = bool(store.harvest) and bool(store.records.count_seen() or store.counts())
                fetched = Fetched("partial" if came else "failed", (_explanation(config, source, error),))
            finally:
                visit.close()
            return _finish(config, source, visit, fetched)
    except (HarvestError, *_FOREIGN) as error:
        return HarvestResult(source.id, "failed", reasons=(_explanation(config, source, error),))


def _explanation(config: Config, source: Source, error: Exception) -> str:
    if isinstance(error, HarvestError | ConfigError):
        return str(error)
    folder = config.workspace / "harvest" / source.id
    text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if isinstance(error, sqlite3.Error):
        return explain_database_error(folder, error)
    if isinstance(error, OSError):
        return f"{error.filename or folder}: cannot be used: {text}; check disk and permissions, then run again"
    return (
        f"{folder / 'answers'}: the last answer of the server cannot be used: {text}; what was stored stays; run again,"
        " and report it if it happens again"
    )


def probe_source(config: Config, source: Source, progress: Progress) -> str:
    """Ask the server of a source who it is, and store nothing; raises ``HarvestError`` if it does not answer."""
    adapter = adapters.load_adapter("harvest", source.config.harvest)
    if not hasattr(adapter, "probe"):
        return ""
    visit = Visit(None, source.id, config.folder, config.workspace, HarvestOptions(), progress)
    settings = source.harvest
    if getattr(settings, "tries", 0) > _TRIES_OF_PROBE:
        settings = msgspec.structs.replace(settings, tries=_TRIES_OF_PROBE)
    try:
        return str(adapter.probe(visit, settings))
    except _FOREIGN as error:
        raise HarvestError(_explanation(config, source, error)) from error
    finally:
        visit.close()


def harvest_source(
    config: Config, source: Source, progress: Progress, options: HarvestOptions | None = None
) -> HarvestResult:
    """Harvest one source; of one that is on disk already, look whether its files are there."""
    if is_networked(source):
        return fetch_source(config, source, progress, options)
    harvester = cast(Harvester, adapters.load_adapter("harvest", source.config.harvest))
    count = 0
    try:
        for _ in harvester.files(source.id, config.folder, source.harvest):
            count += 1
    except HarvestError as error:
        return HarvestResult(source.id, "failed", kind="local", reasons=(str(error),), files=count)
    return HarvestResult(source.id, "complete", kind="local", files=count)


def probe_result(config: Config, source: Source, progress: Progress) -> HarvestResult:
    """Ask the server of a source what it is; its answer is a remark, the outcome ``probed`` or ``failed``."""
    if not is_networked(source):
        return harvest_source(config, source, progress)
    try:
        response = probe_source(config, source, progress)
    except HarvestError as error:
        return HarvestResult(source.id, "failed", reasons=(str(error),))
    return HarvestResult(source.id, "probed", kind="probe", remarks=(response,) if response else ())


def _finish(config: Config, source: Source, visit: Visit, fetched: Fetched) -> HarvestResult:
    """Do what follows from the outcome, write files and report, and set the finishing mark last."""
    store = visit.store
    if not store.harvest:  # it failed before anything was asked for
        with store.commit():
            store.begin(visit.kind or "changes", "", can_continue=False)
            visit.store_early_findings()
    outcome, reasons, remarks = fetched.outcome, list(fetched.reasons), list[str]()
    records = store.records
    before = store.value("records_before", int) or 0
    rejected = records.count_rejected()
    with store.commit():  # what the next harvest asks for depends on what is decided here
        seen = records.count_seen()
        if outcome == "complete" and visit.kind == "full":
            doubt = _doubt(config, source, visit, before, seen, rejected)
            if doubt:
                outcome = "partial"
                reasons.append(f"{doubt}; nothing was removed")
            else:
                store.count("removed", records.drop_unseen())
            if seen:
                store.set_value("rejected_share", rejected / seen)
        if fetched.outcome == "complete":
            values = fetched.if_accepted if outcome == "complete" else fetched.if_withdrawn
            for name, value in values.items():
                store.set_value(name, value)
        if outcome == "complete":
            records.purge_deleted()
        stored = records.count()
        if outcome == "complete":
            if before >= _FEW_RECORDS and stored < before * (1 - _NOTABLY_FEWER):
                remarks.append(f"{100 * (before - stored) / before:.0f} % fewer records than before")
            store.set_value("records_before", stored)
    if seen >= _FEW_RECORDS and rejected > seen * _MANY_REJECTS:
        remarks.append(f"{100 * rejected / seen:.0f} % of the records cannot be read")
    if refused := records.refused():
        named = ", ".join(refused[:_MAX_NAMED]) + (", …" if len(refused) > _MAX_NAMED else "")
        report = config.workspace / "reports" / f"{source.id}.html"
        count = with_number(len(refused), "record")
        visit.progress.warn(f"harvest: {source.id}: the server cannot give {count}: {named}; send its owner {report}")
    with store.commit():
        records.write_files()
    counts = store.counts()
    findings = tuple(store.findings())
    result = HarvestResult(
        source=source.id,
        outcome=outcome,
        kind=visit.kind,
        reasons=tuple(reasons),
        remarks=tuple(remarks),
        received=counts.get("received", 0),
        new=counts.get("new", 0),
        changed=counts.get("changed", 0),
        removed=counts.get("removed", 0),
        rejected=rejected,
        files=len(store.files.all()),
        stored=stored,
        requests=visit.requests,
        faults=sum(finding.times for finding in findings),
        report=str(config.workspace / "reports" / f"{source.id}.html"),
    )
    address = str(getattr(source.harvest, "url", ""))
    _write_report(
        config.workspace, ServerReport(source.id, source.config.harvest, address, timestamp(), result, findings)
    )
    is_full_list = visit.kind == "full" and not store.files.all()
    store.end(outcome, msgspec.json.encode(result), is_full_list)
    return result


def _doubt(config: Config, source: Source, visit: Visit, before: int, seen: int, rejected: int) -> str:
    """Return why a full list, though its end was proven, is not used for deletions; empty if it is.

    ``before``: how many records were stored after the last complete harvest; ``seen``: how many this one listed.
    """
    store = visit.store
    if not seen and before:
        return f"the server lists no record, though it had {before:,}"
    last_share = store.value("rejected_share", float) or 0.0
    if seen >= _FEW_RECORDS and rejected / seen > last_share + _MORE_REJECTS:
        return f"{rejected:,} of {seen:,} records cannot be read, many more than last time"
    gone, had = store.records.count_unseen(), before or store.records.count()
    if not visit.options.full and source.config.are_too_many_deletions(gone, had):
        return (
            f"the list lacks {gone:,} of {had:,} records, more than the source may lose; if that is right, run"
            f" `bibld harvest {shlex.quote(str(config.file))} {source.id} --full`"
        )
    return ""


# --- the report for the owner of the server


def _write_report(workspace: Path, report: ServerReport) -> Path:
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


def _page(report: ServerReport) -> str:
    """Return the report as a page of HTML that needs nothing else."""
    import jinja2  # only what is fetched from servers needs it

    environment = jinja2.Environment(autoescape=True, trim_blocks=True)
    template = environment.from_string(Path(__file__).with_name("server_report.html").read_text(encoding="utf-8"))
    return template.render(report=report, requests=with_number(report.result.requests, "request"))


# --- how fresh sources are


def freshness(config: Config) -> list[Freshness]:
    """Return how fresh each source is that is fetched from a server."""
    found = []
    for source in config.sources:
        if is_networked(source):
            try:
                with SourceStore(config.workspace, source.id, create=False) as store:
                    found.append(_freshness_of(store))
            except HarvestError:
                found.append(Freshness(source.id, "never harvested", "", "", "", 0, 0.0, 0.0))
    return found


def _freshness_of(store: SourceStore) -> Freshness:
    moment = current_time()
    harvests = store.harvests()
    complete = next((one.ended for one in harvests if one.outcome == "complete"), "")
    productive = []
    for one in harvests:
        result = msgspec.json.decode(one.body, type=HarvestResult) if one.body else None
        if result is not None and one.ended and (result.new or result.changed or result.removed):
            productive.append(datetime.fromisoformat(one.ended))
    since = (moment - productive[0]).total_seconds() / 86400 if productive else 0.0
    gaps = [(later - earlier).total_seconds() / 86400 for later, earlier in pairwise(productive)]
    last = harvests[0] if harvests else None
    return Freshness(
        source=store.source,
        outcome=(last.outcome or "interrupted") if last else "",
        complete=complete,
        attempt=(last.ended or last.started) if last else "",
        newest=store.records.newest(),
        records=store.records.count(),
        days_silent=round(max(since, 0.0), 1),
        usual_days=round(statistics.median(gaps), 1) if len(gaps) >= _MIN_INTERVALS else 0.0,
    )
