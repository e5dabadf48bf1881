"""The page of queries: its examples by topic, the forms of results, and results as pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import dropwhile

import msgspec
import pyoxigraph as ox

from bibld.serve._language import PageLanguage, message
from bibld.serve._pages.maps import DEGREES, ResultMaps, ResultTable
from bibld.serve._pictures.columns import Words, draw_years
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._pictures.lists import ChartBar, draw_bars
from bibld.serve._pictures.neighbourhood import Neighbour, Sector, draw_neighbourhood
from bibld.serve.ontology import ExampleQuery

TABLE_FORMS = (("json", "JSON"), ("csv", "CSV"), ("tsv", "TSV"), ("xml", "XML"))
GRAPH_FORMS = (("turtle", "Turtle"), ("ntriples", "N-Triples"), ("jsonld", "JSON-LD"), ("rdfxml", "RDF/XML"))
"""Values of the parameter ``format`` with their names."""

_Columns = Sequence[Sequence[dict[str, str] | None]]

_ORIGINS = message("Years, places, languages, forms")
_OTHER_TOPIC = message("As other libraries publish")
_TOPICS = (
    (5, message("Publications and records")),
    (11, _ORIGINS),
    (19, message("People")),
    (24, message("Subjects")),
    (28, message("Series, volumes, parts")),
    (33, message("Libraries and holdings")),
    (42, message("Matching and merging")),
    (50, _OTHER_TOPIC),
    (51, _ORIGINS),
    (53, _OTHER_TOPIC),
    (58, message("Works")),
)
"""The number of the last example of a topic, and the topic."""

_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"\d{4}")
_NUMERIC = ("integer", "decimal", "double", "float", "nonNegativeInteger", "int", "long")
_TOO_LARGE = 1e15
_MIN_BARS, _MAX_BARS = 2, 40
_MAX_TRIPLES = 300
_MAX_NEIGHBOURS = 30


class SparqlView(msgspec.Struct, frozen=True):
    """The query page: the query, and its result (table, boolean or RDF text) or the error.

    ``line`` and ``column`` (from 1) are the place of an error of syntax; 0 if it has none.
    """

    query: str
    variables: tuple[str, ...] = ()
    rows: tuple[tuple[dict[str, str] | None, ...], ...] = ()
    row_count: int = 0
    boolean: bool | None = None
    text: str = ""
    fault: str = ""
    line: int = 0
    column: int = 0

    @property
    def faulty_line(self) -> str:
        """The line of the query with the error; empty if its place is not known."""
        lines = self.query.splitlines()
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    @property
    def forms(self) -> tuple[tuple[str, str], ...]:
        """The forms in which the result can be taken away."""
        if self.fault:
            return ()
        if self.text:
            return GRAPH_FORMS
        return TABLE_FORMS if self.variables or self.boolean is not None else ()


def by_topic(examples: Sequence[ExampleQuery]) -> list[tuple[str, list[ExampleQuery]]]:
    """Return examples by topic, in their order; the names of files begin with their numbers."""
    topics: dict[str, list[ExampleQuery]] = {}
    for example in examples:
        number = _NUMBER.match(example.name)
        last = int(number[0]) if number is not None else 0
        topic = next((name for end, name in _TOPICS if last <= end), _OTHER_TOPIC)
        topics.setdefault(topic, []).append(example)
    return list(topics.items())


def commented(example: ExampleQuery, language: PageLanguage) -> str:
    """Return the text of an example with its comments in the language of the page."""
    comments = (f"# {language.text(text)}\n" for text in (example.title, example.description) if text)
    return f"{''.join(comments)}{uncommented(example.sparql)}\n"


def uncommented(query: str) -> str:
    """Return a query without the comments that it begins with."""
    return "\n".join(dropwhile(lambda line: line.startswith("#"), query.strip().splitlines()))


class ResultPictures:
    """Draws results: a table with one column of numbers as bars or years, one with places on a map, a small graph.

    ``href`` gives the path of an IRI on this site, or None; ``compact`` its short form.
    """

    def __init__(
        self,
        language: PageLanguage,
        href: Callable[[str], str | None],
        compact: Callable[[str], str],
        maps: ResultMaps,
    ) -> None:
        self._language = language
        self._href = href
        self._compact = compact
        self._maps = maps

    def draw(self, view: SparqlView) -> list[Picture]:
        """Return the pictures of a result, none where they would show nothing."""
        if view.variables:
            if view.row_count != len(view.rows):
                return []
            columns = list(zip(*view.rows, strict=True))
            counts = _counts(view.variables, columns)
            found = [
                self._maps.draw(ResultTable(view.variables, view.rows, counts)),
                self._draw_table(view, columns, counts),
            ]
        else:
            found = [self._draw_graph(view.text) if view.text else None]
        return [picture for picture in found if picture is not None]

    def _draw_table(self, view: SparqlView, columns: _Columns, value: int | None) -> Picture | None:
        labels = [position for position in range(len(columns)) if position != value]
        if value is None or not labels:
            return None
        title = view.variables[value]
        year = next((position for position in labels if _are_years(columns[position])), None)
        if year is not None and len(columns) == 2:
            return self._draw_years(columns[year], columns[value], view.variables[year], title)
        if not _MIN_BARS <= len(view.rows) <= _MAX_BARS:
            return None
        name = next((position for position in labels if _are_literals(columns[position])), labels[0])
        thing = next((position for position in labels if not _are_literals(columns[position])), name)
        bars = []
        for row in view.rows:
            number, label, subject = row[value], row[name], row[thing]
            if number is not None and label is not None:
                href = self._href(subject["value"]) if subject is not None and subject["type"] == "uri" else None
                words = label["value"] if label["type"] == "literal" else self._compact(label["value"])
                bars.append(ChartBar(words, max(0.0, float(number["value"])), number["value"], href=href or ""))
        caption = Caption("chart", title, "", (view.variables[name], title))
        return draw_bars(caption, bars)

    def _draw_years(
        self, years: Sequence[dict[str, str] | None], counts: Sequence[dict[str, str] | None], name: str, title: str
    ) -> Picture:
        pairs = [
            (int(year["value"][:4]), (round(float(count["value"])),))
            for year, count in zip(years, counts, strict=True)
            if year is not None and count is not None
        ]
        caption = Caption("chart", title, "", (name, title))
        return draw_years(caption, pairs, Words(lambda span, count: f"{span}: {self._language.number(count)}"))

    def _draw_graph(self, text: str) -> Picture | None:
        """Draw the thing that most triples are about, with what it is linked to; None for large or poor graphs."""
        try:
            triples = list(ox.parse(text.encode(), format=ox.RdfFormat.TURTLE))
        except SyntaxError:
            return None
        linked = [each for each in triples if isinstance(each.object, ox.NamedNode)]
        if not linked or len(triples) > _MAX_TRIPLES:
            return None
        ends: Counter[str] = Counter()
        for each in linked:
            ends[_value(each.subject)] += 1
            ends[_value(each.object)] += 1
        centre = max(ends, key=lambda iri: (ends[iri], iri))
        sectors: dict[str, dict[str, Neighbour]] = {}
        for each in linked:
            subject, value = _value(each.subject), _value(each.object)
            if centre in (subject, value):
                other = value if subject == centre else subject
                arrow = "" if subject == centre else "← "
                found = sectors.setdefault(f"{arrow}{self._compact(each.predicate.value)}", {})
                found[other] = Neighbour(self._compact(other), self._href(other) or "")
        caption = Caption(
            "chart",
            self._language.text("Graph of the result"),
            self._language.text("The thing with most links in the result, and what it is linked with."),
            (self._language.text("Thing"), self._language.text("Property"), self._language.text("Links")),
        )
        drawn = [Sector(name, tuple(found.values())[:_MAX_NEIGHBOURS]) for name, found in sectors.items()]
        return draw_neighbourhood(caption, self._compact(centre), drawn)


def _counts(variables: Sequence[str], columns: _Columns) -> int | None:
    """Return the one column of numbers; years are none if there is another, degrees never."""
    numeric = [
        position
        for position, (name, column) in enumerate(zip(variables, columns, strict=False))
        if column and all(map(_is_number, column)) and name.casefold() not in DEGREES
    ]
    years = [
        position for position in numeric if all(_YEAR.fullmatch(term["value"]) for term in columns[position] if term)
    ]
    values = [position for position in numeric if position not in years] or (years if len(years) == 1 else [])
    return values[0] if len(values) == 1 else None


def _value(term: object) -> str:
    return str(getattr(term, "value", term))


def _is_number(term: dict[str, str] | None) -> bool:
    """Return whether a term can be drawn: results may state any text as a number, and INF, NaN or 1e308."""
    if term is None or term.get("datatype", "").rpartition("#")[2] not in _NUMERIC:
        return False
    try:
        return abs(float(term["value"])) < _TOO_LARGE
    except ValueError:
        return False


def _are_literals(column: Sequence[dict[str, str] | None]) -> bool:
    return all(term is None or term["type"] == "literal" for term in column)


def _are_years(column: Sequence[dict[str, str] | None]) -> bool:
    return all(
        term is not None and _YEAR.match(term["value"]) is not None and len(term["value"]) <= 10 for term in column
    )
