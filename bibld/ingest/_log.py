"""What a run notes about its sources: what was loaded, harvests, doubts, deletions that are withheld; on any engine."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from bibld import harvest
from bibld.catalog import LoadCounts
from bibld.config import Config, Source, SourceConfig
from bibld.errors import StageError
from bibld.ingest._inspection import Doubt, Inspection
from bibld.model.origin import RecordId
from bibld.model.release import SourceFigures
from bibld.progress import Progress, with_number
from bibld.text.lists import read_list

_FOLDER = "withheld"


class Withheld(msgspec.Struct, frozen=True):
    """Deletions that were not done: their number, why, and the file that lists the ids of the records."""

    source: str
    deletions: int
    reason: str
    file: Path


class LoadResult(LoadCounts, frozen=True):
    """What has changed in the catalog since the last run that ended, in runs that were stopped, too.

    ``new`` counts records of ids never seen before, ``changed`` other versions, ``restored`` those that came back,
    ``absent`` those that were deleted because the files lack them or a list names them, ``withdrawn`` those that were
    live before and now state that they are deleted; ``withheld`` are the deletions that were not done, and ``fault`` is
    why the files are not what was inspected before.
    """

    new: int = 0
    changed: int = 0
    restored: int = 0
    absent: int = 0
    withdrawn: int = 0
    withheld: Withheld | None = None
    fault: str = ""


class SourceLog:
    """Collects what a run notes about its sources, and warns of what a person should look at."""

    def __init__(self, config: Config, progress: Progress) -> None:
        self._config = config
        self.progress = progress
        self.not_taken_down: list[str] = []
        self.loads: list[LoadResult] = []
        self.doubts: list[Doubt] = []
        self.withheld: list[Withheld] = []
        self.harvests: list[harvest.HarvestResult] = []

    def check_inspection(self, inspection: Inspection) -> bool:
        """Note the warnings, doubts and gaps of an inspected source; return whether it can be loaded."""
        name = inspection.source.id
        for warning in inspection.warnings:
            self.progress.warn(f"{name}: {warning}")
        if inspection.doubts:
            self.doubt(name, inspection.doubts)
            return False
        if inspection.gaps:
            self.doubts.append(Doubt(name, inspection.gaps, is_loaded=True))
            for reason in inspection.gaps:
                self.progress.warn(f"{name}: harvest is partial, nothing is deleted: {reason}")
        return True

    def note_load(self, load: LoadResult) -> None:
        """Note what the load of a source changed, and its fault and withheld deletions if any."""
        self.loads.append(load)
        if load.fault:
            self.doubt(load.source, [load.fault])
        if load.withheld is not None:
            self.note_withheld(load.withheld)

    def doubt(self, source: str, reasons: Sequence[str]) -> None:
        """Note that a source is in doubt, and warn of each reason."""
        self.doubts.append(Doubt(source, tuple(reasons)))
        for reason in reasons:
            self.progress.warn(f"{source}: keeps its old state: {reason}")

    def note_not_taken_down(self, message: str) -> None:
        """Note a line of the list of suppressions that suppresses nothing, and warn."""
        self.not_taken_down.append(message)
        self.progress.warn(message)

    def note_withheld(self, withheld: Withheld) -> None:
        """Note that deletions were not done, and warn."""
        self.withheld.append(withheld)
        command = f"bibld run {shlex.quote(str(self._config.file))} --allow-deletes"
        self.progress.warn(
            f"{withheld.source}: nothing was deleted: {withheld.reason}; see {withheld.file}; if that is right,"
            f" run `{command}`"
        )


def fetch_sources(config: Config, progress: Progress) -> list[harvest.HarvestResult]:
    """Fetch the sources that servers offer."""
    results: list[harvest.HarvestResult] = []
    networked = [source for source in config.sources if harvest.is_networked(source)]
    if networked:
        progress.stage("harvest", "records")
        for source in networked:
            results.append(harvest.fetch_source(config, source, progress))
            progress.report(f"harvest: {results[-1].line}")
    return results


def reason_to_withhold(source: SourceConfig, deletions: int, live: int, is_damaged: bool) -> str:
    """Return why a source must not lose this many of its live records; empty if it may.

    ``is_damaged``: records are missing, and its files have pieces that cannot be read, more than before.
    """
    if source.are_too_many_deletions(deletions, live):
        return f"{with_number(deletions, 'deletion')} of {with_number(live, 'record')} are more than it may lose"
    if is_damaged:
        return "some pieces of its files cannot be read, which may be the records that are missing"
    return ""


def listed_deletions(config: Config, source: Source) -> list[RecordId]:
    """Return the records in the source's list of deletions, one control number in a line; none without a list."""
    name = source.config.deletes
    if not name:
        return []
    lines = read_list(config.folder / name, "a list of control numbers").splitlines()
    return [RecordId.from_control_number(source.id, line) for line in lines if line.strip()]


def unknown_deletions_warning(source: Source, unknown: list[RecordId]) -> str:
    """Return the warning about listed control numbers that were never seen."""
    count = with_number(len(unknown), "control number")
    return f"{source.id}: {count} in {source.config.deletes} were never seen, such as {unknown[0]}; ignored"


def removed_source_reason(live: int) -> str:
    """Return why the live records of a source that is no longer configured are not deleted."""
    return f"the source is not in the configuration any more, and has {with_number(live, 'record')}"


def removed_source_report(source: str, deleted: int) -> str:
    """Return the message about a source that is no longer configured and whose records were deleted."""
    return f"read: source {source} is not in the configuration any more: {with_number(deleted, 'record')} deleted"


def withhold(workspace: Path, source: str, records: Iterable[RecordId], reason: str) -> Withheld:
    """List records that would be deleted in a file of the workspace, one id a line; raises ``StageError``."""
    file = workspace / _FOLDER / f"{source}.txt"
    count = 0
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as out:
            for record in records:
                print(record, file=out)
                count += 1
    except OSError as error:
        raise StageError(f"{file}: cannot be written: {error.strerror}; free some space, then run again") from error
    return Withheld(source, count, reason, file)


def clear_withheld(workspace: Path) -> None:
    """Remove the lists of earlier runs."""
    for file in (workspace / _FOLDER).glob("*.txt"):
        file.unlink()


def with_former_sources(
    counted: Sequence[SourceFigures], kept: Collection[str], before: Sequence[SourceFigures]
) -> tuple[SourceFigures, ...]:
    """Add the sources that are no longer configured and still published, as the last release describes them."""
    order = {figures.source: number for number, figures in enumerate(before)}
    together = (*counted, *(figures for figures in before if figures.source in kept))
    return tuple(sorted(together, key=lambda figures: order.get(figures.source, len(order))))


def describe_sources(config: Config, loads: Iterable[LoadCounts], live: Mapping[str, int]) -> tuple[SourceFigures, ...]:
    """Return the figures of each configured source that was loaded; ``live`` are the numbers of live records."""
    counts = {load.source: load for load in loads}
    return tuple(
        SourceFigures(
            **{name: getattr(load, name) for name in LoadCounts.__struct_fields__},
            label=source.config.label or {"en": source.id},
            license=source.config.license or config.dataset.license,
            records=live.get(source.id, 0),
            isil=source.config.isil,
            catalogue_url=source.config.catalogue_url,
            address=source.config.address,
            opening=source.config.opening,
            contact=source.config.contact,
        )
        for source in config.sources
        if (load := counts.get(source.id))
    )
