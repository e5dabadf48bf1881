"""Run the harvest of one source: lock, fetch, decide what was deleted, write the files, report."""

from __future__ import annotations

import shlex
import sqlite3
from typing import cast

import msgspec

from bibld.config import Config, Source
from bibld.errors import ConfigError, HarvestError
from bibld.harvest._clock import timestamp
from bibld.harvest._result import HarvestResult, ServerReport, findings_of, write_report
from bibld.harvest._store import SourceStore, explain_database_error
from bibld.harvest._visit import HarvestOptions, Visit
from bibld.progress import Progress
from bibld.protocols import Fetched, Harvester, NetworkHarvester, adapters

_MORE_REJECTS = 0.05
"""A list is not used for deletions if this share of it more than in the last one is rejected."""

_FOREIGN = (sqlite3.Error, ConfigError, OSError, ValueError, OverflowError, msgspec.MsgspecError)
"""What libraries raise about disks, databases and bytes; it ends the harvest of one source, not the run."""

_TRIES_OF_PROBE = 2
"""A person waits for the answer; the night has more time."""

_MANY_REJECTS = 0.01
_NOTABLY_FEWER = 0.05
_FEW_RECORDS = 20
"""Shares of fewer records mean nothing."""


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
    """Return what a failure was, where, and what to do next."""
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
        answer = probe_source(config, source, progress)
    except HarvestError as error:
        return HarvestResult(source.id, "failed", reasons=(str(error),))
    return HarvestResult(source.id, "probed", kind="probe", remarks=(answer,) if answer else ())


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
    rejected = records.count_rejected(store.harvest)
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
    with store.commit():
        records.write_files()
    counts = store.counts()
    findings = findings_of(store)
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
    write_report(
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
