"""The figures of a release for people, in ``report.json``: overlap, coverage, years, matching, rejects, growth.

What every record would have to be decompressed for is counted in a sample of each source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from bibld.catalog import Catalog, CatalogFigures, SampledRecord
from bibld.errors import StageError
from bibld.model.mods import Mods, OriginInfo
from bibld.model.mods_plan import countries_of
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
    TownCount,
    Validation,
)
from bibld.protocols import ReleaseDraft
from bibld.text.dates import year
from bibld.text.geography.towns import Town, towns
from bibld.text.places import expand_place

NEEDS: tuple[str, ...] = ("void",)  # counts the quads
IN_OWN_PROCESS = True

_BINS = 50
_RELIABILITY_BINS = 10
_MAX_COMBINATIONS = 1000
_MAX_POINTS = 400
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
        shared, sizes, members = figures.clusters()
        for source in manifest.figures.sources:
            if single := source.records - members[source.source]:
                shared[(source.source,)] += single
        overlap, sources = _sources(figures, shared, manifest.figures.sources, settings.sample)
        matching = _matching(figures, sizes, manifest, draft.thresholds)
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
    figures: CatalogFigures, shared: Counter[tuple[str, ...]], sources: tuple[SourceFigures, ...], most: int
) -> tuple[tuple[Shared, ...], tuple[SourceReport, ...]]:
    ordered = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))
    overlap = tuple(Shared(names, count) for names, count in ordered[:_MAX_COMBINATIONS])
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


def _matching(
    figures: CatalogFigures, sizes: Counter[int], manifest: Manifest, thresholds: Mapping[str, float]
) -> MatchReport:
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
    numbers = sorted((int(folder.name) for folder in releases.iterdir() if folder.name.isdigit()), reverse=True)
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
    return (*earlier, _point(manifest))[-_MAX_POINTS:]


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


_MAX_VALUES = 200
"""Values of one kind that are listed, the most frequent first."""

_MAX_NAMES = 8
"""Of one town."""

_SAMPLES = 5
_CLASSIFICATIONS = ("udc", "rubbk", "bbk", "ddc", "lcc")
_CLASS = re.compile(r"\w{1,2}")
_QUOTED = re.compile(r"""(["'«“‹`]).*?(["'»”›`])""")
_DIGITS = re.compile(r"\d+")
_FIELD = re.compile(r"\d{3}(\$\w)?(/\d+(-\d+)?)?(?=: )")
_MAX_CHARACTERS = 160


def survey(figures: CatalogFigures, report: SourceReport, most: int) -> SourceReport:
    """Complete the report of a source from a sample of at most ``most`` of its records."""
    tally = _Tally()
    for record in figures.sample(report.source, most):
        tally.add(record)
    return msgspec.structs.replace(
        report,
        sampled=tally.records,
        coverage=listed(tally.coverage),
        years=tuple(Count(str(number), count) for number, count in sorted(tally.years.items())),
        without_year=tally.records - sum(tally.years.values()),
        languages=listed(tally.languages),
        types=listed(tally.types),
        places=listed(tally.places),
        towns=tally.towns.counts(),
        without_town=tally.towns.unknown,
        classes=listed(tally.classes),
        unmapped=listed(figures.unmapped(tally.subfields)),
        repairs=listed(tally.repairs),
        samples=tuple(tally.samples),
    )


def listed(counter: Counter[str]) -> tuple[Count, ...]:
    """Return the most frequent values, then in their order."""
    ordered = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Count(value, count) for value, count in ordered[:_MAX_VALUES])


def general_reason(text: str) -> str:
    """Return a message without what is from the record: numbers and quotations, so that equal causes are one.

    The field and subfield, or positions, at its beginning remain.

    >>> general_reason("100/9-12: the coded year 1971 contradicts the printed date '1970', which is used")
    "100/9-12: the coded year N contradicts the printed date '…', which is used"
    """
    field = _FIELD.match(text)
    start = field.end() if field is not None else 0
    return (text[:start] + _DIGITS.sub("N", _QUOTED.sub(r"\1…\2", text[start:])))[:_MAX_CHARACTERS]


class _Tally:
    """The counts of one sample."""

    def __init__(self) -> None:
        self.records = 0
        self.coverage: Counter[str] = Counter()
        self.years: Counter[int] = Counter()
        self.languages: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.places: Counter[str] = Counter()
        self.towns = _TownTally()
        self.classes: Counter[str] = Counter()
        self.repairs: Counter[str] = Counter()
        self.subfields: list[bytes] = []
        self.samples: list[str] = []

    def add(self, record: SampledRecord) -> None:
        mods = record.mods
        self.records += 1
        if len(self.samples) < _SAMPLES:
            self.samples.append(record.control_number)
        self.coverage.update([name for name in Mods.elements if getattr(mods, name)])
        published = _year(mods.origin_info)
        if published is not None:
            self.years[published] += 1
        terms = (term for language in mods.language for term in language.language_term)
        self.languages.update({term.value for term in terms if term.type == "code" and term.value})
        self.types.update({kind.value for kind in mods.type_of_resource if kind.value})
        self.places.update(_places(mods.origin_info))
        self.towns.add(mods.origin_info)
        self.classes.update(_classes(mods))
        self.repairs.update({general_reason(text) for text in record.repairs})
        if record.subfields:
            self.subfields.append(record.subfields)


class _TownTally:
    """How often towns are places of publication in one sample; ``unknown`` are records with other places only."""

    def __init__(self) -> None:
        self.unknown = 0
        self._towns: dict[int, Town] = {}
        self._records: Counter[int] = Counter()
        self._names: dict[int, Counter[str]] = {}

    def add(self, origins: Sequence[OriginInfo]) -> None:
        known = towns()
        if known is None:
            return
        places = [
            (name, countries_of(origin), number == 0)
            for origin in origins
            for number, name in enumerate(_places_of(origin))
        ]
        found = set()
        for name, countries, is_first in places:
            town = known.find(name, countries, is_first)
            if town is not None:
                found.add(town.number)
                self._towns[town.number] = town
                self._names.setdefault(town.number, Counter())[expand_place(name)] += 1
        self._records.update(found)
        self.unknown += bool(places and not found)

    def counts(self) -> tuple[TownCount, ...]:
        """Return the towns with most records, the most frequent first."""
        ordered = sorted(self._records.items(), key=lambda pair: (-pair[1], pair[0]))[:_MAX_VALUES]
        return tuple(
            TownCount(number, self._most_frequent(number), town.latitude, town.longitude, count)
            for number, count in ordered
            for town in (self._towns[number],)
        )

    def _most_frequent(self, number: int) -> tuple[str, ...]:
        ordered = sorted(self._names[number].items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(name for name, _ in ordered[:_MAX_NAMES])


def _year(origins: Iterable[OriginInfo]) -> int | None:
    for origin in origins:
        for date in (*origin.date_issued, *origin.copyright_date):
            found = year(date.value)
            if found is not None:
                return found
    return None


def _places(origins: Iterable[OriginInfo]) -> set[str]:
    """Return the names of the places of publication as the records write them, without brackets and punctuation."""
    return {name for origin in origins for name in _places_of(origin)}


def _places_of(origin: OriginInfo) -> Iterator[str]:
    terms = (term for place in origin.place for term in place.place_term if term.type != "code")
    return (name for term in terms if (name := term.value.strip(" []:;,.?")))


def _classes(mods: Mods) -> set[str]:
    """Return the main classes of the classifications, such as ``udc 53``."""
    found = set()
    for each in mods.classification:
        start = _CLASS.match(each.value.strip())
        if each.authority in _CLASSIFICATIONS and start is not None:
            found.add(f"{each.authority} {start[0]}")
    return found
