"""The pictures of a release: its report, drawn in the language of a page."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import accumulate
from urllib.parse import quote, urlencode

import msgspec

from bibld.model.origin import to_slug
from bibld.model.report import Count, Report, Shared, SourceReport, TownCount
from bibld.serve._language import PageLanguage
from bibld.serve._pages.codes import ELEMENTS, SCHEMES, TYPES, class_name, main_class_of, reject_words
from bibld.serve._pages.maps import draw_places, town_name
from bibld.serve._pictures.columns import SERIES, Column, Line, Mark, Words, draw_columns, draw_lines, draw_years
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._pictures.lists import BarGroup, ChartBar, draw_bars, draw_groups
from bibld.serve._pictures.map import Spot
from bibld.text.geography.towns import towns

_MAX_BARS = 15
_MAX_PARTS, _MAX_LONG_PARTS, _MAX_PARTS_OF_CLASSIFICATION = 5, 3, 10
_MANY_LIBRARIES = 5
"""Publications that at least this number of libraries have are counted together, if some have still more."""

_CLUSTER_BARS = 12
_MAX_NAMES = 8
"""Of a town that is searched for."""

_OF_DATASET = frozenset(
    [
        "overlap",
        "years",
        "languages",
        "types",
        "map",
        "places",
        "classes",
        "growth",
        "scores",
        "candidates",
        "sizes",
        "reliability",
        "rejects",
    ]
)
_OF_SOURCE = {"coverage": "coverage", "years": "years_of", "languages": "languages_of", "map": "map_of"}
"""Names of pictures → the methods that draw them."""

_NOT_SEARCHED = str.maketrans('"«»“”„|', "       ")
"""What has a meaning in a search."""


class ReportPictures:
    """Draws what a report contains; ``label`` gives the name of a source, ``mount`` begins all addresses.

    ``known`` returns those of some paths that have a page; without a search, nothing leads to one.
    """

    def __init__(
        self,
        report: Report,
        language: PageLanguage,
        label: Callable[[str], str],
        mount: str,
        known: Callable[[Iterable[str]], Container[str]] = lambda _: (),
        has_search: bool = True,
    ) -> None:
        self._report = report
        self._language = language
        self._label = label
        self._mount = mount
        self._known = known
        self._has_search = has_search

    def named(self, name: str) -> Picture | None:
        """Return the picture with a name such as ``overlap``, or ``coverage/rsl`` of one source; None if unknown."""
        name, _, source = name.partition("/")
        if source:
            report = next((each for each in self._report.sources if each.source == source), None)
            draw_source = getattr(self, _OF_SOURCE.get(name, ""), None)
            return draw_source(report) if report is not None and draw_source is not None else None
        return getattr(self, name)() if name in _OF_DATASET else None

    # -- the dataset ---------------------------------------------------------------------------------------------------

    def overlap(self) -> Picture:
        """Draw how many libraries have publications, and which ones."""
        text = self._language.text
        total = sum(each.publications for each in self._report.overlap)
        found: dict[int, list[Shared]] = {}
        most = max((len(each.sources) for each in self._report.overlap), default=0)
        for shared in self._report.overlap:
            size = len(shared.sources)
            found.setdefault(min(size, _MANY_LIBRARIES) if most > _MANY_LIBRARIES + 1 else size, []).append(shared)
        groups = []
        for size, shared_by in sorted(found.items()):
            name = self._language.plural("In %(num)s library only", "In %(num)s libraries", size)
            if size == len(self._report.sources) > 1:
                name = text("In all libraries")
            elif len(shared_by[0].sources) < most and size == _MANY_LIBRARIES < most - 1:
                name = text("In %(number)s or more libraries", number=size)
            groups.append(self._libraries_group(name, shared_by, total))
        alone = sum(each.publications for each in found.get(1, ()))
        caption = Caption(
            "overlap",
            self._finding(text("Overlap between libraries"), text("in one library only"), alone, total),
            text("How many publications one library has, two of them, and so on, and which libraries these are."),
            (text("Libraries"), text("Publications")),
        )
        return draw_groups(caption, groups)

    def _libraries_group(self, name: str, shared_by: Sequence[Shared], total: int) -> BarGroup:
        """Return the bar of the publications that a number of libraries have, with the most frequent combinations."""
        ordered = sorted(shared_by, key=lambda each: (-each.publications, each.sources))
        parts = tuple(
            self._share(
                self._names_of(each.sources),
                each.publications,
                total,
                self._search(held_by=",".join(sorted(each.sources))),
            )
            for each in ordered[: _MAX_PARTS if len(ordered[0].sources) < 3 else _MAX_LONG_PARTS]
        )
        bar = self._share(name, sum(each.publications for each in ordered), total)
        if len(parts) == len(ordered) == 1:
            return BarGroup(msgspec.structs.replace(bar, tip=f"{parts[0].name}: {bar.words}", href=parts[0].href))
        more = sum(each.publications for each in ordered[len(parts) :])
        if not more:
            return BarGroup(bar, parts)
        text, number = self._language.text, self._publications(more)
        if len(ordered[0].sources) == 1:
            return BarGroup(bar, parts, text("In other libraries: %(number)s", number=number))
        return BarGroup(bar, parts, text("In other combinations: %(number)s", number=number))

    def _names_of(self, sources: Sequence[str]) -> str:
        """Return the names of libraries, or of those that are not among them if these are few."""
        others = [self._label(each.source) for each in self._report.sources if each.source not in sources]
        if 0 < len(others) <= 2 < len(sources):
            return self._language.text("All but %(names)s", names=", ".join(others))
        return " + ".join(map(self._label, sources))

    def years(self) -> Picture:
        """Draw the years of publication, with a series for each of the largest sources."""
        sources = sorted(self._report.sources, key=lambda each: -each.records)
        shown = sources if len(sources) <= SERIES else sources[: SERIES - 1]
        others = [each for each in sources if each not in shown]
        columns: dict[int, list[int]] = {}
        width = len(shown) + bool(others)
        for position, source in enumerate(sources):
            for each in source.years:
                parts = columns.setdefault(int(each.value), [0] * width)
                parts[min(position, width - 1)] += _estimate(source, each.count)
        series = [self._label(each.source) for each in shown] + ([self._language.text("Others")] if others else [])
        without = sum(_estimate(each, each.without_year) for each in sources)
        return self._years("years", sorted(columns.items()), series, without, "")

    def _years(
        self, name: str, years: Sequence[tuple[int, Sequence[int]]], series: Sequence[str], without: int, source: str
    ) -> Picture:
        text = self._language.text
        note = self._language.plural("%(num)s record without a year", "%(num)s records without a year", without)
        parts = tuple(series) if len(series) > 1 else (text("Records"),)
        caption = Caption(
            name,
            self._finding_of_years(years),
            text("How many records describe publications of each year, or of some years together."),
            (text("Years"), *parts),
        )
        library = {"library": source} if source else {}

        def tip(span: str, count: int) -> str:
            return f"{span}: {self._records(count)}"

        def href(first: int, last: int) -> str:
            return self._search(**library, year=str(first) if first == last else f"{first}-{last}")

        return draw_years(caption, years, Words(tip, href, note if without else ""), series)

    def _finding_of_years(self, years: Sequence[tuple[int, Sequence[int]]]) -> str:
        """Return the title of a timeline, with the years of the middle half of the records."""
        text = self._language.text
        counted = sorted((year, sum(parts)) for year, parts in years)
        ends = list(accumulate(count for _, count in counted))
        if not ends or not ends[-1]:
            return text("Years of publication")
        first, last = (counted[bisect_left(ends, ends[-1] * part)][0] for part in (0.25, 0.75))
        if first == last:
            return text("Years of publication: half of the records are of %(year)s", year=first)
        return text("Years of publication: half of the records are of %(first)s–%(last)s", first=first, last=last)

    def languages(self) -> Picture:
        """Draw the languages of the records."""
        return self._languages("languages", self._sum(lambda each: each.languages), self._total(), "")

    def _languages(self, name: str, counts: Counter[str], total: int, source: str) -> Picture:
        text = self._language.text
        library = {"library": source} if source else {}
        bars = [
            self._share(self._language.name_of_language(code), count, total, self._search(**library, language=code))
            for code, count in counts.most_common(_MAX_BARS)
        ]
        title = self._title_of(text("Languages"), bars, total)
        headings = (text("Language"), text("Records"))
        return draw_bars(Caption(name, title, text("How many records have each language."), headings), bars)

    def types(self) -> Picture:
        """Draw the types of resource."""
        text = self._language.text
        counts = self._sum(lambda each: each.types)
        total = self._total()
        bars = [self._share(text(TYPES.get(name, name)), n, total) for name, n in counts.most_common(_MAX_BARS)]
        title = self._title_of(text("Types of resource"), bars, total)
        headings = (text("Type of resource"), text("Records"))
        return draw_bars(Caption("types", title, text("How many records are of each type."), headings), bars)

    def places(self) -> Picture:
        """Draw the most frequent places of publication: towns, or what records have if no town is known."""
        text = self._language.text
        total = self._total()
        spots = self._spots(self._report.sources)[:_MAX_BARS]
        bars = [self._share(spot.name, spot.count, total, spot.href) for spot in spots]
        if not bars:
            bars = [
                self._share(name, count, total, self._search(q=f'place:"{name}"'))
                for name, count in self._sum(lambda each: each.places).most_common(_MAX_BARS)
            ]
        title = self._title_of(text("Places of publication"), bars, total)
        description = " ".join([text("The most frequent places."), *self._unknown(self._report.sources)])
        return draw_bars(Caption("places", title, description, (text("Place"), text("Records"))), bars)

    def map(self) -> Picture | None:
        """Draw the places of publication on a map; None where no town is known."""
        return self._map("map", self._report.sources)

    def map_of(self, source: SourceReport) -> Picture | None:
        """Draw the places of publication of one source."""
        return self._map(f"map-{source.source}", (source,))

    def _spots(self, sources: Sequence[SourceReport]) -> list[Spot]:
        """Return the towns of publication, the most frequent first: each once, named in the language of the page."""
        counts: Counter[int] = Counter()
        known: dict[int, TownCount] = {}
        names: dict[int, dict[str, None]] = {}
        for source in sources:
            for town in source.towns:
                counts[town.number] += _estimate(source, town.count)
                known[town.number] = max(known.get(town.number, town), town, key=lambda each: each.count)
                names.setdefault(town.number, {}).update((name.translate(_NOT_SEARCHED), None) for name in town.names)
        table = towns()
        spots = []
        for number, count in counts.items():
            town = known[number]
            entry = table.numbered(number) if table is not None else None
            name = town_name(entry, self._language) if entry is not None else town.names[0]
            href = self._search(q=f'place:"{"|".join(list(names[number])[:_MAX_NAMES])}"')
            country = entry.country if entry is not None else ""
            tip = f"{name}: {self._records(count)}"
            spots.append(Spot(name, town.latitude, town.longitude, count, tip, href, country))
        return sorted(spots, key=lambda spot: (-spot.count, spot.name))

    def _unknown(self, sources: Sequence[SourceReport]) -> list[str]:
        """Return a sentence about the records whose places are not known as towns, if there are any."""
        without = sum(_estimate(each, each.without_town) for each in sources)
        words = self._language.plural(
            "%(num)s record has a place that is not known as a town.",
            "%(num)s records have places that are not known as towns.",
            without,
        )
        return [words] if without else []

    def _map(self, name: str, sources: Sequence[SourceReport]) -> Picture | None:
        text = self._language.text
        spots = self._spots(sources)
        total = sum(each.records for each in sources)
        title = text("Map of places of publication")
        described = [
            text("The larger a circle, the more records name the place as place of publication."),
            *self._unknown(sources),
            text("Positions are those of GeoNames (CC BY 4.0), borders those of Natural Earth."),
        ]
        caption = Caption(
            name,
            self._finding(title, spots[0].name, spots[0].count, total) if spots else title,
            " ".join(described),
            (text("Place"), text("Records")),
        )
        return draw_places(caption, spots, self._language)

    def classes(self) -> Picture:
        """Draw the main classes of each classification."""
        text = self._language.text
        found: dict[str, Counter[str]] = {}
        paths: dict[str, str] = {}
        for value, count in self._sum(lambda each: each.classes).items():
            scheme, _, mark = value.partition(" ")
            classification, main = main_class_of(scheme, mark)
            found.setdefault(classification, Counter())[main] += count
            paths.setdefault(f"{classification} {main}", f"concept/{scheme}/{to_slug(main)}")
        known = self._known(paths.values())
        title = text("Subjects by class")
        groups: list[BarGroup] = []
        for scheme, counts in sorted(found.items(), key=lambda pair: (-pair[1].total(), pair[0])):
            total = counts.total()
            parts = []
            ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
            for mark, count in ordered[:_MAX_PARTS_OF_CLASSIFICATION]:
                path = paths[f"{scheme} {mark}"]
                words = class_name(scheme, mark, self._language)
                name = f"{words} ({mark})" if words else mark
                parts.append(self._share(name, count, total, f"{self._mount}{path}" if path in known else ""))
            if not groups:
                title = self._finding(title, parts[0].name, int(parts[0].value), total)
            more = total - sum(int(part.value) for part in parts)
            rest = text("In other classes: %(number)s", number=self._records(more)) if more else ""
            name = text(SCHEMES.get(scheme, scheme))
            groups.append(BarGroup(ChartBar(name, total, self._records(total)), tuple(parts), rest))
        caption = Caption(
            "classes",
            title,
            text("How many records have class marks of the main classes of each classification."),
            (text("Class"), text("Records")),
        )
        return draw_groups(caption, groups)

    def growth(self) -> Picture:
        """Draw how the dataset has grown from release to release."""
        text = self._language.text
        points = self._report.growth
        labels = [f"{each.release} · {self._language.short_date(each.created)}" for each in points]
        lines = [
            Line(text("Records"), tuple(each.records for each in points)),
            Line(text("Publications"), tuple(each.publications for each in points)),
            Line(text("Merged from several records"), tuple(each.merged for each in points)),
        ]
        caption = Caption(
            "growth",
            text("Growth from release to release"),
            text("The numbers of records and publications in each release."),
            (text("Release"), *(line.name for line in lines)),
        )
        return draw_lines(caption, labels, lines)

    # -- matching ------------------------------------------------------------------------------------------------------

    def scores(self) -> Picture:
        """Draw how many pairs have which scores, by decision, with the thresholds."""
        text = self._language.text
        matching = self._report.matching
        decisions = (text("same"), text("for review"), text("related"), text("different"))
        columns = []
        for number, each in enumerate(matching.histogram):
            end = matching.histogram[number + 1].low if number + 1 < len(matching.histogram) else 1.0
            parts = (each.same, each.review, each.related, each.different)
            count = self._language.plural("%(num)s pair", "%(num)s pairs", sum(parts))
            low, high = (self._language.decimal(f"{bound:.2f}") for bound in (each.low, end))
            columns.append(Column(low, parts, f"{low}–{high}: {count}"))
        names = {"same": text("same from"), "review": text("for review from")}
        thresholds = sorted(matching.thresholds.items(), key=lambda pair: pair[1])
        marks = [Mark(value, f"{names.get(name, name)} {self._language.number(value)}") for name, value in thresholds]
        caption = Caption(
            "scores",
            text("Scores of pairs"),
            text("How many stored pairs of records have which score, and what was decided about them."),
            (text("Score from"), *decisions),
        )
        return draw_columns(caption, columns, decisions, marks)

    def candidates(self) -> Picture:
        """Draw in how many stored pairs records occur."""
        text = self._language.text
        title, description = text("Pairs of a record"), text("How many records occur in how many stored pairs.")
        bars = self._bars(self._report.matching.pairs_of_records)
        return draw_bars(Caption("candidates", title, description, (text("Pairs"), text("Records"))), bars)

    def sizes(self) -> Picture:
        """Draw how many records publications are merged from."""
        text = self._language.text
        title, description = text("Records of a publication"), text("How many publications have how many records.")
        sizes = self._report.matching.sizes
        shown = sizes[:_CLUSTER_BARS]
        if len(sizes) > len(shown):
            rest = sum(each.count for each in sizes[_CLUSTER_BARS:])
            shown = (*shown, Count(f"{sizes[_CLUSTER_BARS].value}+", rest))
        caption = Caption("sizes", title, description, (text("Records"), text("Publications")))
        return draw_bars(caption, self._bars(shown))

    def reliability(self) -> Picture:
        """Draw which share of the pairs that people decided about is the same, by score."""
        text = self._language.text
        caption = Caption(
            "reliability",
            text("Reliability of scores"),
            text("The share of pairs with a score that people found to be the same; equal to the score at best."),
            (text("Score"), text("Share")),
        )
        bars = []
        for each in self._report.matching.reliability:
            pairs = self._language.plural("%(num)s pair", "%(num)s pairs", each.pairs)
            name = f"{self._language.number(round(each.mean, 2))} · {pairs}"
            share = each.same / each.pairs
            bars.append(ChartBar(name, share, f"{self._language.number(round(share * 100))} %"))
        return draw_bars(caption, bars, 1.0)

    def rejects(self) -> Picture:
        """Draw why records were rejected."""
        text = self._language.text
        counts: Counter[str] = Counter()
        for source in self._report.sources:
            counts.update({each.value: each.count for each in source.rejects})
        title, description = text("Rejected records"), text("The most frequent reasons why records were rejected.")
        bars = [
            ChartBar(reject_words(reason, self._language), count, self._language.number(count))
            for reason, count in counts.most_common(_MAX_BARS)
        ]
        return draw_bars(Caption("rejects", title, description, (text("Reason"), text("Records"))), bars)

    # -- one source ----------------------------------------------------------------------------------------------------

    def coverage(self, source: SourceReport) -> Picture:
        """Draw which share of the records of a source has each element of MODS."""
        text = self._language.text
        found = {each.value: each.count for each in source.coverage}
        bars = [self._share(text(words), found.get(name, 0), source.sampled) for name, words in ELEMENTS.items()]
        caption = Caption(
            "coverage",
            text("Coverage of elements"),
            text("The share of the records of this library that have each element of the description."),
            (text("Element"), text("Records")),
        )
        return draw_bars(caption, bars, float(source.sampled))

    def years_of(self, source: SourceReport) -> Picture:
        """Draw the years of publication of one source."""
        years = [(int(each.value), (_estimate(source, each.count),)) for each in source.years]
        without = _estimate(source, source.without_year)
        return self._years("years", years, (self._label(source.source),), without, source.source)

    def languages_of(self, source: SourceReport) -> Picture:
        """Draw the languages of one source."""
        counts = Counter({each.value: _estimate(source, each.count) for each in source.languages})
        return self._languages("languages", counts, source.records, source.source)

    # -- words and numbers ---------------------------------------------------------------------------------------------

    def _sum(self, counts_of: Callable[[SourceReport], Iterable[Count]]) -> Counter[str]:
        """Add up counts of all sources; those of samples are estimates."""
        found: Counter[str] = Counter()
        for source in self._report.sources:
            for each in counts_of(source):
                found[each.value] += _estimate(source, each.count)
        return found

    def _total(self) -> int:
        return sum(each.records for each in self._report.sources)

    def _bars(self, counts: Sequence[Count]) -> list[ChartBar]:
        total = sum(each.count for each in counts)
        return [self._share(each.value, each.count, total) for each in counts]

    def _share(self, name: str, count: int, total: int, href: str = "") -> ChartBar:
        words = f"{self._language.number(count)} · {self._percentage(count, total)}"
        return ChartBar(name, count, words, href=href)

    def _percentage(self, count: int, total: int) -> str:
        share = count / total * 100 if total else 0.0
        is_near_an_end = 0 < share < 10 or 99 < share < 100
        shown = min(round(share, 1), 99.9) if is_near_an_end else round(share)  # 100 % is all
        return f"{self._language.number(shown)}\u00a0%"

    def _finding(self, subject: str, name: str, count: int, total: int) -> str:
        """Return the title of a picture with what it shows first: ``Languages: Russian — 93 %``."""
        return f"{subject}: {name} — {self._percentage(count, total)}" if count else subject

    def _title_of(self, subject: str, bars: Sequence[ChartBar], total: int) -> str:
        return self._finding(subject, bars[0].name, int(bars[0].value), total) if bars else subject

    def _records(self, count: int) -> str:
        return self._language.plural("%(num)s record", "%(num)s records", count)

    def _publications(self, count: int) -> str:
        return self._language.plural("%(num)s publication", "%(num)s publications", count)

    def _search(self, **values: str) -> str:
        query = urlencode(values, quote_via=quote, safe=",:")
        return f"{self._mount}search?{query}" if self._has_search else ""

    def _source(self, source: str) -> str:
        return f"{self._mount}dataset/{source}"


def _estimate(source: SourceReport, count: int) -> int:
    """Return a count in all records of a source from that in its sample."""
    return (
        round(count * source.records / source.sampled) if source.sampled < source.records and source.sampled else count
    )
