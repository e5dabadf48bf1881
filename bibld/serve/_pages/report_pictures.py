"""The pictures of a release: its report, drawn in the language of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from urllib.parse import quote, urlencode

from bibld.model.origin import to_slug
from bibld.model.report import Count, Report, SourceReport, TownCount
from bibld.serve._language import PageLanguage
from bibld.serve._pages.codes import ELEMENTS, SCHEMES, TYPES, class_name, reject_words
from bibld.serve._pictures.columns import SERIES, Column, Line, Mark, Words, draw_columns, draw_lines, draw_years
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._pictures.lists import MAX_COLUMNS, ChartBar, Combination, Tile, draw_bars, draw_overlap, draw_treemap
from bibld.serve._pictures.map import Spot, draw_map

_MAX_BARS = 15
_MAX_TILES = 60
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

    ``known`` returns those of some paths that have a page.
    """

    def __init__(
        self,
        report: Report,
        language: PageLanguage,
        label: Callable[[str], str],
        mount: str,
        known: Callable[[Iterable[str]], Container[str]] = lambda _: (),
    ) -> None:
        self._report = report
        self._language = language
        self._label = label
        self._mount = mount
        self._known = known

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
        """Draw which combinations of sources publications have."""
        text = self._language.text
        positions = {source.source: position for position, source in enumerate(self._report.sources)}
        combinations = [
            Combination(
                tuple(positions[source] for source in shared.sources if source in positions),
                shared.publications,
                f"{' + '.join(map(self._label, shared.sources))}: {self._publications(shared.publications)}",
                self._search(held_by=",".join(sorted(shared.sources))),
            )
            for shared in self._report.overlap
        ]
        more = sum(each.count for each in combinations[MAX_COLUMNS:])
        rest = text("In other combinations: %(number)s", number=self._publications(more)) if more else ""
        sets = [
            (f"{self._language.number(each.publications)} · {self._label(each.source)}", self._source(each.source))
            for each in self._report.sources
        ]
        caption = Caption(
            "overlap",
            text("Overlap between libraries"),
            text(
                "Each column is a combination of libraries; its bar shows how many publications exactly these "
                "libraries have, its dots which ones they are."
            ),
            (text("Libraries"), text("Publications")),
        )
        return draw_overlap(caption, sets, combinations, rest)

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
            text("Years of publication"),
            text("How many records describe publications of each year, or of some years together."),
            (text("Years"), *parts),
        )
        library = {"library": source} if source else {}

        def tip(span: str, count: int) -> str:
            return f"{span}: {self._records(count)}"

        def href(first: int, last: int) -> str:
            return self._search(**library, year=str(first) if first == last else f"{first}-{last}")

        return draw_years(caption, years, Words(tip, href, note if without else ""), series)

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
        headings = (text("Language"), text("Records"))
        return draw_bars(Caption(name, text("Languages"), text("How many records have each language."), headings), bars)

    def types(self) -> Picture:
        """Draw the types of resource."""
        text = self._language.text
        counts = self._sum(lambda each: each.types)
        total = self._total()
        bars = [self._share(text(TYPES.get(name, name)), n, total) for name, n in counts.most_common(_MAX_BARS)]
        headings = (text("Type of resource"), text("Records"))
        return draw_bars(
            Caption("types", text("Types of resource"), text("How many records are of each type."), headings), bars
        )

    def places(self) -> Picture:
        """Draw the most frequent places of publication, as the records write them."""
        text = self._language.text
        counts = self._sum(lambda each: each.places)
        total = self._total()
        bars = [
            self._share(name, count, total, self._search(q=f'place:"{name}"'))
            for name, count in counts.most_common(_MAX_BARS)
        ]
        title, description = text("Places of publication"), text("The most frequent places, as records name them.")
        return draw_bars(Caption("places", title, description, (text("Place"), text("Records"))), bars)

    def map(self) -> Picture | None:
        """Draw the places of publication on a map; None where no town is known."""
        return self._map("map", self._report.sources)

    def map_of(self, source: SourceReport) -> Picture | None:
        """Draw the places of publication of one source."""
        return self._map(f"map-{source.source}", (source,))

    def _map(self, name: str, sources: Sequence[SourceReport]) -> Picture | None:
        text = self._language.text
        counts: Counter[int] = Counter()
        known: dict[int, TownCount] = {}
        names: dict[int, dict[str, None]] = {}
        for source in sources:
            for town in source.towns:
                counts[town.number] += _estimate(source, town.count)
                known[town.number] = max(known.get(town.number, town), town, key=lambda each: each.count)
                names.setdefault(town.number, {}).update((name.translate(_NOT_SEARCHED), None) for name in town.names)
        spots = []
        for number, count in counts.items():
            town = known[number]
            href = self._search(q=f'place:"{"|".join(list(names[number])[:_MAX_NAMES])}"')
            tip = f"{town.names[0]}: {self._records(count)}"
            spots.append(Spot(town.names[0], town.latitude, town.longitude, count, tip, href))
        without = sum(_estimate(each, each.without_town) for each in sources)
        described = [
            text("The larger a circle, the more records name the place as place of publication."),
            text("Positions are those of GeoNames (CC BY 4.0)."),
        ]
        if without:
            described.append(
                self._language.plural(
                    "%(num)s record has a place that is not known as a town.",
                    "%(num)s records have places that are not known as towns.",
                    without,
                )
            )
        caption = Caption(
            name, text("Map of places of publication"), " ".join(described), (text("Place"), text("Records"))
        )
        return draw_map(caption, spots)

    def classes(self) -> Picture:
        """Draw the main classes of the classifications as tiles."""
        text = self._language.text
        parts = []
        counts = self._sum(lambda each: each.classes).most_common(_MAX_TILES)
        paths = {value: "concept/{}/{}".format(*map(to_slug, value.split(" ", 1))) for value, _ in counts}
        known = self._known(paths.values())
        for value, count in counts:
            scheme, _, mark = value.partition(" ")
            name = f"{text(SCHEMES.get(scheme, scheme))} {mark} {class_name(scheme, mark, self._language)}".strip()
            href = f"{self._mount}{paths[value]}" if paths[value] in known else ""
            parts.append(Tile(name, count, f"{name}: {self._records(count)}", href))
        caption = Caption(
            "classes",
            text("Subjects by class"),
            text("The larger a tile, the more records have a class mark (UDC, BBK) that begins so."),
            (text("Class"), text("Records")),
        )
        return draw_treemap(caption, parts)

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
        share = count / total * 100 if total else 0.0
        shown = self._language.number(round(share, 1) if 0 < share < 10 else round(share))
        return ChartBar(name, count, f"{self._language.number(count)} · {shown} %", href=href)

    def _records(self, count: int) -> str:
        return self._language.plural("%(num)s record", "%(num)s records", count)

    def _publications(self, count: int) -> str:
        return self._language.plural("%(num)s publication", "%(num)s publications", count)

    def _search(self, **values: str) -> str:
        return f"{self._mount}search?{urlencode(values, quote_via=quote, safe=',:')}"

    def _source(self, source: str) -> str:
        return f"{self._mount}dataset/{source}"


def _estimate(source: SourceReport, count: int) -> int:
    """Return a count in all records of a source from that in its sample."""
    return (
        round(count * source.records / source.sampled) if source.sampled < source.records and source.sampled else count
    )
