"""The figures of a release for people, in ``report.json``: overlap, coverage, years, matching, rejects, growth.

What every record would have to be decompressed for is counted in a sample of each source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from bibld.catalog import Catalog, CatalogFigures
from bibld.errors import StageError
from bibld.model.release import Manifest, SourceFigures
from bibld.model.report import (
    FILE,
    Count,
    GrowthPoint,
    MatchReport,
    ReliabilityBin,
    Report,
    ScoreBin,
    Shared,
    SourceReport,
    Validation,
)
from bibld.protocols import ReleaseDraft
from bibld.publish._survey import general_reason, listed, survey

NEEDS: tuple[str, ...] = ("void",)  # counts the quads
IN_OWN_PROCESS = True

_BINS = 50
_RELIABILITY_BINS = 10
_MOST_COMBINATIONS = 1000
_MOST_POINTS = 400
_PAIR_GROUPS = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, None))


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.report]``.

    ``sample``: how many records of each source are counted for coverage, years, languages, types, places and classes;
    a source with fewer is counted completely.
    """

    sample: Annotated[int, msgspec.Meta(ge=1)] = 5000


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``report.json``. Raises ``StageError`` if the catalog cannot be read."""
    manifest = draft.manifest
    with Catalog(draft.workspace, read_only=True) as catalog, catalog.snapshot():
        figures = catalog.figures
        overlap, sources = _sources(figures, manifest.figures.sources, settings.sample)
        matching = _matching(figures, manifest, draft.thresholds)
    validation = Validation.read(draft.workspace)
    report = Report(
        release=manifest.number,
        created=manifest.created,
        overlap=overlap,
        sources=sources,
        matching=matching,
        growth=_growth(draft.folder.parent, manifest),
        validated=validation.release,
        shapes=validation.shapes,
    )
    (draft.folder / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
    return draft


def _sources(
    figures: CatalogFigures, sources: tuple[SourceFigures, ...], most: int
) -> tuple[tuple[Shared, ...], tuple[SourceReport, ...]]:
    """Return the overlap of the sources and the report of each."""
    shared, _, members = figures.clusters()
    for source in sources:
        single = source.records - members[source.source]
        if single:
            shared[(source.source,)] += single
    ordered = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))
    overlap = tuple(Shared(names, count) for names, count in ordered[:_MOST_COMBINATIONS])
    rejects: dict[str, Counter[str]] = {}
    for source_id, kind, reason, count in figures.rejects():
        rejects.setdefault(source_id, Counter())[f"{kind}: {general_reason(reason)}"] += count
    loaded = figures.loaded()
    reports = []
    for source in sources:
        name = source.source
        report = SourceReport(
            source=name,
            records=source.records,
            publications=sum(count for names, count in shared.items() if name in names),
            alone=shared[(name,)],
            loaded=loaded.get(name, ""),
            rejects=listed(rejects.get(name, Counter())),
        )
        reports.append(survey(figures, report, most))
    return overlap, tuple(reports)


def _matching(figures: CatalogFigures, manifest: Manifest, thresholds: Mapping[str, float]) -> MatchReport:
    counts: dict[int, dict[str, int]] = {}
    for number, decision, count in figures.scores(_BINS):
        counts.setdefault(number, {})[decision] = count
    histogram = tuple(ScoreBin(number / _BINS, **counts.get(number, {})) for number in range(_BINS))
    pairs = figures.pairs_of_records()
    groups = [Count("0", manifest.figures.records - pairs.total())]
    for first, last in _PAIR_GROUPS:
        label = f"{first}+" if last is None else str(first) if first == last else f"{first}–{last}"
        groups.append(
            Count(label, sum(n for size, n in pairs.items() if size >= first and (last is None or size <= last)))
        )
    _, sizes, _ = figures.clusters()
    sizes[1] += manifest.figures.clusters - sizes.total()
    return MatchReport(
        histogram=histogram if counts else (),
        thresholds=dict(thresholds),
        pairs_of_records=tuple(groups),
        sizes=tuple(Count(str(size), count) for size, count in sorted(sizes.items())),
        reliability=_reliability(figures),
    )


def _reliability(figures: CatalogFigures) -> tuple[ReliabilityBin, ...]:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for pair in figures.decided_pairs():
        number = min(int(pair.score * _RELIABILITY_BINS), _RELIABILITY_BINS - 1)
        bins.setdefault(number, []).append((pair.score, pair.is_same))
    return tuple(
        ReliabilityBin(
            number / _RELIABILITY_BINS,
            sum(score for score, _ in pairs) / len(pairs),
            len(pairs),
            sum(is_same for _, is_same in pairs),
        )
        for number, pairs in sorted(bins.items())
    )


def _growth(releases: Path, manifest: Manifest) -> tuple[GrowthPoint, ...]:
    """Return the points of the newest earlier report in the folder of releases, and the one of this release."""
    earlier: tuple[GrowthPoint, ...] = ()
    numbers = sorted((int(place.name) for place in releases.iterdir() if place.name.isdigit()), reverse=True)
    for number in numbers:
        file = releases / str(number) / FILE
        try:
            earlier = msgspec.json.decode(file.read_bytes(), type=Report).growth
            break
        except FileNotFoundError:
            continue
        except msgspec.DecodeError as error:
            raise StageError(
                f"{file}: is not a report of this version of bibld: {error}; delete it, then run again"
            ) from error
    return (*earlier, _point(manifest))[-_MOST_POINTS:]


def _point(manifest: Manifest) -> GrowthPoint:
    figures = manifest.figures
    return GrowthPoint(
        manifest.number,
        manifest.created,
        figures.records,
        figures.clusters,
        figures.merged_clusters,
        figures.entities,
        figures.quads,
    )
