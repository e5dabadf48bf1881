"""Maps on pages: where a town is, and the towns and coordinates of a query result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from bibld.serve._language import PageLanguage
from bibld.serve._pictures.drawing import NARROW, SIZE, Caption, Picture, fit
from bibld.serve._pictures.map import Spot, draw_map, view_of
from bibld.text.geography import Position, parse_coordinates, position
from bibld.text.geography.towns import Town, towns

_MAX_NAMES_BEYOND = 12


def locate(heading: str, names: Iterable[str], language: PageLanguage) -> Picture | None:
    """Return a map with a place; None if none of its names is that of a town, or they are those of several."""
    known = towns()
    if known is None:
        return None
    found = {town.number: town for name in names if (town := known.find(name)) is not None}
    if len(found) != 1:
        return None
    (town,) = found.values()
    caption = Caption(
        "locator",
        language.text("On the map"),
        language.text("%(name)s in GeoNames (CC BY 4.0), found by the name.", name=town.name),
    )
    return draw_map(caption, [Spot(heading, town.latitude, town.longitude, 1, country=town.country)])


def town_name(town: Town, language: PageLanguage) -> str:
    """Return the name of a town in the language of the page, if GeoNames has it, else in English."""
    return (town.russian if language.tag == "ru" else "") or town.name


def draw_places(caption: Caption, spots: Sequence[Spot], language: PageLanguage) -> Picture | None:
    """Return the map of places; its description names those that it does not show. None without a place."""
    counted = sorted((spot for spot in spots if spot.count > 0), key=lambda spot: (-spot.count, spot.name))
    if not counted:
        return None
    frame = view_of(counted)
    beyond = [f"{spot.name} ({language.number(spot.count)})" for spot in counted if not frame.contains(spot)]
    if beyond:
        more = "…" if len(beyond) > _MAX_NAMES_BEYOND else "."
        words = language.text("Beyond the map: %(names)s", names=", ".join(beyond[:_MAX_NAMES_BEYOND]))
        caption = msgspec.structs.replace(caption, description=f"{caption.description} {words}{more}".strip())
    return draw_map(caption, counted, frame)


Site = Position | Town

Term = Mapping[str, Any]
"""A term of a result in SPARQL 1.2 JSON; the value of a triple is an object."""

_LATITUDES = frozenset(("lat", "latitude", "широта"))
_LONGITUDES = frozenset(("lon", "long", "lng", "longitude", "долгота"))
_PLACES = frozenset(("place", "placename", "town", "city", "место", "город"))
_YEARS = frozenset(("year", "date", "год", "дата"))
"""Names of variables."""

DEGREES = _LATITUDES | _LONGITUDES
"""Names of columns whose numbers are no counts, in lower case."""

_MIN_SHARE_WITH_POSITION = 0.5
"""A result is shown on a map if more than this part of its rows have a position."""


class ResultTable(msgspec.Struct, frozen=True):
    """A table: the names of its columns, its rows, and the column with counts, if there is one."""

    variables: Sequence[str]
    rows: Sequence[Sequence[Term | None]]
    counts: int | None


class ResultMaps:
    """Draws results on maps.

    ``href`` gives the path of an IRI on this site, or None; ``titles`` the names of things; ``places`` is how the IRIs
    of places begin.
    """

    def __init__(
        self,
        language: PageLanguage,
        href: Callable[[str], str | None],
        titles: Callable[[Iterable[str]], Mapping[str, str]],
        places: str,
    ) -> None:
        self._language = language
        self._href = href
        self._titles = titles
        self._places = places

    def draw(self, result: ResultTable) -> Picture | None:
        """Return the map of a table; None if most of its rows have no position."""
        for find in (self._by_degrees, self._by_coordinates, self._by_place, self._by_name):
            positions = find(result)
            if sum(each is not None for each in positions) > _MIN_SHARE_WITH_POSITION * len(positions):
                has_towns = find in (self._by_place, self._by_name)
                words = (
                    self._language.text("Positions of towns are those of GeoNames (CC BY 4.0).") if has_towns else ""
                )
                return self._draw(result, positions, words)
        return None

    def _draw(self, result: ResultTable, positions: Sequence[Site | None], description: str) -> Picture | None:
        counts: dict[tuple[float, float], int] = {}
        spots: dict[tuple[float, float], Spot] = {}
        titles = self._titles_of(result)
        column = _column_of_counts(result)
        words = [
            place
            for place, name in enumerate(result.variables)
            if place != result.counts and name.casefold() not in DEGREES
        ]
        for row, site in zip(result.rows, positions, strict=True):
            if site is None:
                continue
            at = site.latitude, site.longitude
            counted = row[column] if column is not None else None
            counts[at] = counts.get(at, 0) + (int(float(counted["value"])) if counted is not None else 1)
            if at not in spots:
                name = self._name([row[place] for place in words], titles)
                country = site.country if isinstance(site, Town) else ""
                spots[at] = Spot(name, *at, 0, href=self._link(row), country=country)
        drawn = []
        for at, spot in spots.items():
            name = spot.name or self._language.text("Without a name")
            tip = f"{name}: {self._language.number(counts[at])}"
            drawn.append(msgspec.structs.replace(spot, name=name, count=counts[at], tip=tip))
        heading = result.variables[column] if column is not None else self._language.text("Rows")
        headings = (self._language.text("Place"), heading)
        caption = Caption("map", self._language.text("Result on a map"), description, headings)
        return draw_places(caption, drawn, self._language)

    def _titles_of(self, result: ResultTable) -> Mapping[str, str]:
        iris = (term["value"] for row in result.rows for term in row if term is not None and term["type"] == "uri")
        return self._titles(iri for iri in dict.fromkeys(iris) if self._href(iri) is not None)

    def _name(self, row: Sequence[Term | None], titles: Mapping[str, str]) -> str:
        """Return what a row is about, in one line: the name of its first thing, else its first text."""
        things = (titles.get(term["value"], "") for term in row if term is not None and term["type"] == "uri")
        texts = (
            term["value"]
            for term in row
            if term is not None and term["type"] == "literal" and parse_coordinates(term["value"]) is None
        )
        return fit(next(filter(None, things), "") or next(filter(None, texts), ""), NARROW, SIZE)

    def _link(self, row: Sequence[Term | None]) -> str:
        hrefs = (self._href(term["value"]) for term in row if term is not None and term["type"] == "uri")
        return next(filter(None, hrefs), "")

    def _by_degrees(self, result: ResultTable) -> list[Site | None]:
        """Return the positions that a column of latitudes and one of longitudes state."""
        names = [name.casefold() for name in result.variables]
        columns = [
            next((place for place, name in enumerate(names) if name in wanted), None)
            for wanted in (_LATITUDES, _LONGITUDES)
        ]
        if None in columns:
            return []
        return [_degrees(*(row[column] for column in columns if column is not None)) for row in result.rows]

    def _by_coordinates(self, result: ResultTable) -> list[Site | None]:
        """Return the positions of the first coordinates in each row."""
        return [
            next(
                (
                    at
                    for term in row
                    if term is not None and term["type"] == "literal" and (at := parse_coordinates(term["value"]))
                ),
                None,
            )
            for row in result.rows
        ]

    def _by_place(self, result: ResultTable) -> list[Site | None]:
        """Return the positions of the first place of the dataset in each row."""
        places = [
            next(
                (
                    term["value"]
                    for term in row
                    if term is not None and term["type"] == "uri" and term["value"].startswith(self._places)
                ),
                None,
            )
            for row in result.rows
        ]
        titles = self._titles(dict.fromkeys(filter(None, places)))
        return [_town(titles.get(place, "")) if place is not None else None for place in places]

    def _by_name(self, result: ResultTable) -> list[Site | None]:
        """Return the positions of the towns that a column with the name of a place contains."""
        column = next((n for n, name in enumerate(result.variables) if name.casefold() in _PLACES), None)
        if column is None:
            return []
        terms = [row[column] for row in result.rows]
        return [_town(t["value"]) if t is not None and t["type"] == "literal" else None for t in terms]


def _column_of_counts(result: ResultTable) -> int | None:
    """Return the column with counts; None if its numbers are no counts: years, negative ones or parts of one."""
    column = result.counts
    if column is None or result.variables[column].casefold() in _YEARS:
        return None
    numbers = [float(term["value"]) for row in result.rows if (term := row[column]) is not None]
    return column if all(number >= 0 and number.is_integer() for number in numbers) else None


def _degrees(latitude: Term | None, longitude: Term | None) -> Position | None:
    if latitude is None or longitude is None:
        return None
    try:
        return position(float(latitude["value"]), float(longitude["value"]))
    except ValueError:
        return None


def _town(name: str) -> Town | None:
    known = towns()
    return known.find(name) if known is not None and name else None
