"""The report of a run as a page that needs no server: ``report.html`` in the workspace.

In: what the run did and the figures of its release. Out: stages, sources, rejects, matching and quality, with bars.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import jinja2
import msgspec

from bibld.config import Config
from bibld.errors import StageError
from bibld.model.enrichment import ReturnedFiles
from bibld.model.report import FILE as RELEASE_FILE
from bibld.model.report import Count, Report, ScoreBin
from bibld.pipeline import Summary
from bibld.progress import in_words

FILE = "report.html"
_REASONS = 12
_DECISIONS = ("same", "review", "related", "different")


class ReportBar(msgspec.Struct, frozen=True):
    """A row with a bar: ``share`` of the longest, from 0 to 1; ``href`` where it leads, or empty."""

    name: str
    count: int
    share: float
    text: str = ""


class SourceRow(msgspec.Struct, frozen=True):
    """A source: its label, what was read of it, why it is in doubt, and what is known of its content."""

    source: str
    label: str
    read: int
    rejected: int
    new: int
    changed: int
    gone: int
    state: tuple[str, ...]
    coverage: tuple[ReportBar, ...]
    rejects: tuple[ReportBar, ...]


def write_report(config: Config, summary: Summary, created: str) -> Path:
    """Write the report of a run that has ended, and return its file. Raises ``StageError`` if it cannot be written.

    ``created`` is when the run began, as ISO 8601.
    """
    release = _report_of_release(Path(summary.release.removeprefix("file://"))) if summary.release else None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bibld._api.run_report", "."),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(count=lambda number: f"{number:,}", words=in_words)
    text = environment.get_template("run_report.html").render(
        title=config.dataset.title.get("en") or next(iter(config.dataset.title.values()), config.file.name),
        config=config,
        summary=summary,
        created=created,
        stages=_bars([(time.stage, round(1000 * time.seconds)) for time in summary.stages], _seconds),
        sources=[_source_row(source.config.id, source.config.label, summary, release) for source in config.sources],
        rejects=sum(source.rejected for source in summary.figures.sources),
        scores=_scores(release.matching.histogram) if release is not None else (),
        thresholds=release.matching.thresholds if release is not None else {},
        sizes=_counts(release.matching.sizes) if release is not None else (),
        growth=_growth(release),
        returned=sorted(ReturnedFiles.read(config.workspace).sources.items()),
        shapes=release.shapes if release is not None else (),
        decisions=_DECISIONS,
    )
    file = config.workspace / FILE
    new = file.with_name(f".{FILE}.{os.getpid()}.tmp")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(file)
    except OSError as error:
        raise StageError(f"{file}: the report cannot be written: {error.strerror}; free some space") from error
    return file


def _report_of_release(folder: Path) -> Report | None:
    try:
        return msgspec.json.decode((folder / RELEASE_FILE).read_bytes(), type=Report)
    except FileNotFoundError:  # [publish] parts may leave it out, and a release may be on another file system
        return None


def _bars(rows: Sequence[tuple[str, int]], text: object = None) -> tuple[ReportBar, ...]:
    most = max((count for _, count in rows), default=0) or 1
    write = text if callable(text) else "{:,}".format
    return tuple(ReportBar(name, count, count / most, write(count)) for name, count in rows)


def _seconds(milliseconds: int) -> str:
    return in_words(milliseconds / 1000) if milliseconds >= 1000 else f"{milliseconds} ms"


def _counts(counts: Iterable[Count]) -> tuple[ReportBar, ...]:
    return _bars([(each.value, each.count) for each in counts])


def _source_row(source: str, labels: dict[str, str], summary: Summary, release: Report | None) -> SourceRow:
    load = next((each for each in summary.sources if each.source == source), None)
    figures = next((each for each in release.sources if each.source == source), None) if release else None
    state = [reason for doubt in summary.doubts if doubt.source == source for reason in doubt.reasons]
    state += [f"deletions withheld: {each.reason}" for each in summary.withheld if each.source == source]
    coverage: tuple[ReportBar, ...] = ()
    if figures is not None and figures.sampled:
        share = {each.value: each.count / figures.sampled for each in figures.coverage}
        coverage = tuple(ReportBar(name, 0, part, f"{part:.0%}") for name, part in share.items())
    return SourceRow(
        source=source,
        label=labels.get("en") or next(iter(labels.values()), source),
        read=load.read if load else 0,
        rejected=load.rejected if load else 0,
        new=load.new if load else 0,
        changed=load.changed if load else 0,
        gone=load.absent + load.withdrawn if load else 0,
        state=tuple(state),
        coverage=coverage,
        rejects=_counts(figures.rejects[:_REASONS]) if figures is not None else (),
    )


def _scores(histogram: Sequence[ScoreBin]) -> tuple[tuple[str, int, tuple[tuple[str, float], ...]], ...]:
    """Return for each group of scores its name, its pairs, and the part of the longest bar of each decision."""
    pairs = [sum(getattr(each, name) for name in _DECISIONS) for each in histogram]
    most = max(pairs, default=0) or 1
    return tuple(
        (f"{each.low:.2f}", count, tuple((name, getattr(each, name) / most) for name in _DECISIONS))
        for each, count in zip(histogram, pairs, strict=True)
        if count
    )


def _growth(release: Report | None) -> tuple[ReportBar, ...]:
    if release is None:
        return ()
    return _bars([(f"{point.release} ({point.created[:10]})", point.publications) for point in release.growth[-20:]])
