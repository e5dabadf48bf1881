"""What a run notes about its sources beside counts: doubts, gaps, withheld deletions. The same for every engine."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from bibld import harvest
from bibld.config import Config
from bibld.ingest import Inspection, Withheld
from bibld.progress import Progress

if TYPE_CHECKING:
    from bibld.ingest import LoadResult


class Doubt(msgspec.Struct, frozen=True):
    """A source that was not loaded, so that it keeps its old state, and the reasons.

    ``is_loaded``: it was loaded from a partial harvest, and nothing of it was deleted.
    """

    source: str
    reasons: tuple[str, ...]
    is_loaded: bool = False


class RunNotes:
    """What a run reports about its sources beside counts; the same for every engine."""

    def __init__(self, config: Config, progress: Progress) -> None:
        self.config = config
        self.progress = progress
        self.loads: list[LoadResult] = []
        self.doubts: list[Doubt] = []
        self.withheld: list[Withheld] = []
        self.harvests: list[harvest.HarvestResult] = []

    def fetch_sources(self) -> dict[str, harvest.HarvestResult]:
        """Fetch the sources that servers offer; return the results by source."""
        networked = [source for source in self.config.sources if harvest.is_networked(source)]
        if networked:
            self.progress.stage("harvest", "records")
            for source in networked:
                self.harvests.append(harvest.fetch_source(self.config, source, self.progress))
                self.progress.report(f"harvest: {self.harvests[-1].line}")
        return {result.source: result for result in self.harvests}

    def check_inspection(self, inspection: Inspection) -> bool:
        """Note the warnings, doubts and gaps of an inspected source; return whether it can be loaded."""
        name = inspection.source.id
        for warning in inspection.warnings:
            self.progress.warn(f"{name}: {warning}")
        if inspection.doubts:
            self.doubt(name, inspection.doubts)
            return False
        if inspection.gaps:
            self.note_gaps(name, inspection.gaps)
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

    def note_gaps(self, source: str, reasons: Sequence[str]) -> None:
        """Note that a harvest was partial, and warn of each reason."""
        self.doubts.append(Doubt(source, tuple(reasons), is_loaded=True))
        for reason in reasons:
            self.progress.warn(f"{source}: harvest is partial, nothing is deleted: {reason}")

    def note_withheld(self, withheld: Withheld) -> None:
        """Note that deletions were not done, and warn."""
        self.withheld.append(withheld)
        command = f"bibld run {shlex.quote(str(self.config.file))} --allow-deletes"
        self.progress.warn(
            f"{withheld.source}: nothing was deleted: {withheld.reason}; see {withheld.file}; if that is right,"
            f" run `{command}`"
        )
