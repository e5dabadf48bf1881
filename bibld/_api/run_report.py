"""The report of a run as a page that needs no server: ``report.html`` in the workspace.

In: what the run did and the figures of its release. Out: stages, sources, rejects, matching and quality, with bars.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import jinja2
import msgspec

from bibld.config import Config
from bibld.errors import StageError
from bibld.model.enrichment import ReturnedFiles
from bibld.model.report import FILE as RELEASE_FILE
from bibld.model.report import Count, Report, ScoreBin
from bibld.pipeline import Summary
from bibld.progress import in_words, with_number
from bibld.text.translations import SOURCE_LANGUAGE, Sentences

FILE = "report.html"
_REASONS = 12
_DECISIONS = ("same", "review", "related", "different")


class ReportBar(msgspec.Struct, frozen=True):
    """A row with a bar: ``share`` of the longest, from 0 to 1, and the number as a text."""

    name: str
    share: float
    text: str


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


def write_report(config: Config, summary: Summary, created: str, words: Sentences) -> Path:
    """Write the report of a run that has ended, and return its file. Raises ``StageError`` if it cannot be written.

    ``created`` is when the run began, as ISO 8601; ``words`` are those of the language of the report.
    """
    release = _report_of_release(Path(summary.release.removeprefix("file://"))) if summary.release else None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bibld._api.run_report", "."),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(count=words.number, text=words.text, decision=partial(words.cell, "decision"))
    environment.globals.update(_=words.text, word=words.word, language=words.tag)
    text = environment.get_template("run_report.html").render(
        title=_label(config.dataset.title, words, config.file.name),
        lines=[words.text(line) for line in _lines(summary, created)],
        place=words.text(f"configuration {config.file}, workspace {config.workspace}"),
        summary=summary,
        created=created,
        stages=_stages(summary, words),
        sources=[
            _source_row(one.config.id, _label(one.config.label, words, one.config.id), summary, release, words)
            for one in config.sources
        ],
        scores=_scores(release.matching.histogram, words) if release is not None else (),
        thresholds=release.matching.thresholds if release is not None else {},
        sizes=_counts(release.matching.sizes, words) if release is not None else (),
        growth=_growth(release, words),
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


def _lines(summary: Summary, created: str) -> Iterator[str]:
    """Yield the sentences at the top."""
    yield f"run of {created}, in all: {in_words(summary.seconds)}"
    if summary.release:
        yield f"new release: {summary.release}" if summary.release_is_new else f"release is current: {summary.release}"
    figures = summary.figures
    yield (
        f"{figures.records:,} records in {figures.clusters:,} clusters, {figures.merged_clusters:,} of them merged; "
        f"{figures.entities:,} entities; {figures.quads:,} quads"
    )
    yield with_number(sum(source.rejected for source in figures.sources), "rejected record")
    yield with_number(summary.for_review, "pair waits for review", "pairs wait for review")


def _label(labels: Mapping[str, str], words: Sentences, otherwise: str) -> str:
    return labels.get(words.tag) or labels.get(SOURCE_LANGUAGE) or next(iter(labels.values()), otherwise)


def _bars(rows: Sequence[tuple[str, int]], words: Sentences) -> tuple[ReportBar, ...]:
    most = max((count for _, count in rows), default=0) or 1
    return tuple(ReportBar(words.text(name), count / most, words.number(count)) for name, count in rows)


def _stages(summary: Summary, words: Sentences) -> list[ReportBar]:
    most = max((time.seconds for time in summary.stages), default=0) or 1
    return [
        ReportBar(time.stage, time.seconds / most, words.duration(in_words(time.seconds))) for time in summary.stages
    ]


def _counts(counts: Iterable[Count], words: Sentences) -> tuple[ReportBar, ...]:
    return _bars([(each.value, each.count) for each in counts], words)


def _source_row(source: str, label: str, summary: Summary, release: Report | None, words: Sentences) -> SourceRow:
    load = next((each for each in summary.sources if each.source == source), None)
    figures = next((each for each in release.sources if each.source == source), None) if release else None
    state = [reason for doubt in summary.doubts if doubt.source == source for reason in doubt.reasons]
    state += [f"deletions withheld: {each.reason}" for each in summary.withheld if each.source == source]
    coverage: tuple[ReportBar, ...] = ()
    if figures is not None and figures.sampled:
        share = {each.value: each.count / figures.sampled for each in figures.coverage}
        coverage = tuple(
            ReportBar(words.code("element", name), part, words.number(part, ".0%")) for name, part in share.items()
        )
    return SourceRow(
        source=source,
        label=label,
        read=load.read if load else 0,
        rejected=load.rejected if load else 0,
        new=load.new if load else 0,
        changed=load.changed if load else 0,
        gone=load.absent + load.withdrawn if load else 0,
        state=tuple(state),
        coverage=coverage,
        rejects=_counts(figures.rejects[:_REASONS], words) if figures is not None else (),
    )


def _scores(
    histogram: Sequence[ScoreBin], words: Sentences
) -> tuple[tuple[str, int, tuple[tuple[str, float], ...]], ...]:
    """Return for each group of scores its name, its pairs, and the part of the longest bar of each decision."""
    pairs = [sum(getattr(each, name) for name in _DECISIONS) for each in histogram]
    most = max(pairs, default=0) or 1
    return tuple(
        (words.number(each.low, ".2f"), count, tuple((name, getattr(each, name) / most) for name in _DECISIONS))
        for each, count in zip(histogram, pairs, strict=True)
        if count
    )


def _growth(release: Report | None, words: Sentences) -> tuple[ReportBar, ...]:
    if release is None:
        return ()
    points = release.growth[-20:]
    return _bars([(f"{point.release} ({point.created[:10]})", point.publications) for point in points], words)
