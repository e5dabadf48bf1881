"""Where a town is that a record names: names in many languages, former ones among them, from GeoNames.

The table of towns is made when bibld is built (``build.py``). A copy of the sources in which it was not
made knows no town.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from babel import Locale

from bibld.text.folding import fold, strip_brackets, tidy, trim
from bibld.text.places import (
    MARC_COUNTRY_OF_ISO,
    STATES_OF_THE_USA,
    expand_place,
    is_state,
    is_unknown_imprint,
    known_town,
    place_key,
    town_with_state,
)

_SUCCESSORS = {
    "SU": "AM AZ BY EE GE KG KZ LT LV MD RU TJ TM UA UZ",
    "YU": "BA HR ME MK RS SI XK",
    "CS": "CZ SK",
    "DD": "DE",
}
"""Dissolved states → those of today, by codes of ISO 3166-1."""

_ISO_OF_MARC = {marc: iso for iso, marc in MARC_COUNTRY_OF_ISO.items()}
_PARTS_OF_STATES = {"k": "GB", "c": "CA", "a": "AU", "u": "US", "r": "SU"}
"""The third letter of a code for a part of a state → the state (``enk``, ``onc``, ``vra``, ``nyu``, ``unr``)."""

_LANGUAGES_OF_NAMES = ("en", "ru", "de", "fr", "es", "it")
_OTHER_NAMES = {
    "GB": "uk u_k great_britain",
    "US": "usa u_s_a u_s сша",
    "TR": "turkey",
    "CZ": "czech_republic",
    "CI": "ivory_coast",
    "NL": "holland голландия",
    "EG": "misr masr مصر",
}
"""Names of states that no town there has as its own: ``Miṣr`` is Cairo for its inhabitants, but Egypt for others."""

_PARTS_AND_PREDECESSORS = {
    "GB": "england eng scotland wales англия шотландия",
    "CA": "ont ontario que quebec b_c alta man sask n_s n_b",
    "AU": "n_s_w vic qld a_c_t tas",
    "SU": "ussr ссср r_s_f_s_r рсфср",
    "GE": "georgia",
}
"""Names of regions that qualify those of towns."""


class Region(msgspec.Struct, frozen=True):
    """The states (ISO 3166-1), and the state of the USA (as post codes have it) or an empty text.

    ``is_part``: a part of a state is meant, such as one of the USA or a province of Canada.
    """

    countries: frozenset[str]
    state: str = ""
    is_part: bool = False

    def contains(self, town: Town) -> bool:
        """Whether a town is in the region, as far as the table knows."""
        return town.country in self.countries and self.state in ("", town.state)


@lru_cache(maxsize=1024)
def region_of(code: str) -> Region | None:
    """Return the region of a code for a country; None if the list has no such code.

    >>> region_of("mau").state, sorted(region_of("cs").countries), sorted(region_of("enk").countries)
    ('MA', ['CZ', 'SK'], ['GB'])
    """
    iso = _ISO_OF_MARC.get(code) or (_PARTS_OF_STATES.get(code[2:], "") if len(code) == 3 else "")
    state = code[:2].upper() if iso == "US" else ""
    state = state if state in STATES_OF_THE_USA else ""
    return _region(iso, state, bool(state) or (iso == "CA" and len(code) == 3 and code != "xxc")) if iso else None


def region_named(name: str) -> Region | None:
    """Return the region that a name of a country means; None if it is not known.

    >>> sorted(region_named("Германия").countries), sorted(region_named("England").countries)
    (['DE'], ['GB'])
    """
    iso = _iso_of_name().get(fold(name))
    return _region(iso) if iso else None


@lru_cache(maxsize=1)
def _iso_of_country() -> dict[str, str]:
    """Return the folded names of today's countries in some languages → their codes."""
    names = {
        fold(name): iso
        for language in _LANGUAGES_OF_NAMES
        for iso, name in Locale(language).territories.items()
        if iso in MARC_COUNTRY_OF_ISO and not is_state(name)
    }
    return names | _by_form(_OTHER_NAMES)


@lru_cache(maxsize=1024)
def country_named(name: str) -> str:
    """Return the English name of the country of today that a name means, in some languages; else an empty text.

    A name that a state of the USA or a large town has, too, means none; nor does that of a part of a country.

    >>> country_named("États-Unis"), country_named("США"), country_named("Georgia"), country_named("England")
    ('United States', 'United States', '', '')
    """
    iso = _iso_of_country().get(fold(name), "")
    english = str(Locale("en").territories[iso]) if iso else ""
    known = towns()
    if is_state(english) or (known is not None and iso and known.has_large_town(name, other_than=iso)):
        return ""
    return english


def _region(iso: str, state: str = "", is_part: bool = False) -> Region:
    return Region(frozenset(_SUCCESSORS.get(iso, iso).split()), state, is_part)


@lru_cache(maxsize=1)
def _iso_of_name() -> dict[str, str]:
    """Return the folded names of countries and of their parts in some languages → codes of ISO 3166-1."""
    return _iso_of_country() | _by_form(_PARTS_AND_PREDECESSORS)


def _by_form(forms_of: Mapping[str, str]) -> dict[str, str]:
    return {form.replace("_", " "): iso for iso, forms in forms_of.items() for form in forms.split()}


_NAMES_OF_NO_TOWN = frozenset(_by_form(_OTHER_NAMES))

FILE = Path(__file__).with_name("towns.db")

_OTHER_NAME = 0.1
"""What the inhabitants of a town count if the name is not its own, but one in another language or a former one."""

_NAMES_REMEMBERED = 8192
_MAX_NAME_CHARACTERS = 200
"""A longer text is no name of a place."""

_DOMINATES = 3
"""A town that counts this number of times more than the next one of its name is meant, in a country or in all."""

_RIVALS = 20
"""Where a country is stated, but no part of it, a town of another country that counts this number of times more may be
meant, too: the codes of some records are not of their first place."""

_OVERRULES = 200
"""If it counts this number of times more, it is meant in spite of the country."""

_MIN_INHABITANTS_OF_HEADING, _MIN_INHABITANTS_WITH_COUNTIES = 100_000, 500_000
"""A town of at least this size is meant by a heading that is its name and nothing else; the second is for countries in
which smaller ones have the name of a county or a province (Kent, Ontario)."""

_COUNTRIES_WITH_COUNTIES = frozenset(("AU", "CA", "GB", "IE", "NZ", "US"))

_QUALIFIED = re.compile(r"(?P<town>[^,(\[;/]+?)\s*[,(\[;/]\s*(?P<qualifier>[^)\]]*).*")


_OWN_LETTERS = re.compile("[\u0530-\uffff]")
"""Letters of scripts whose names are compared as they are written."""

_WORD_TOWN = re.compile("(?<=..)[市시]$")


class Town(msgspec.Struct, frozen=True):
    """A town: its number in GeoNames, its name there, its position in degrees.

    ``country`` is a code of ISO 3166-1, ``state`` one of the states of the USA. ``weight`` is the number of inhabitants
    or, if the town was found by another name than its own, a part of it. ``russian`` is its name in Russian, or empty.
    """

    number: int
    name: str
    latitude: float
    longitude: float
    country: str
    state: str
    inhabitants: int
    weight: float
    russian: str = ""


class Towns:
    """The table of towns. Finding one takes about 30 µs. An object is used in one thread."""

    def __init__(self, file: Path = FILE) -> None:
        self._connection = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)

    def find(self, name: str, countries: Iterable[str] = (), is_first: bool = True) -> Town | None:
        """Return the town that a place of publication names, or None if it is unknown or may be one of several.

        ``countries`` are those that the record states (codes of MARC): of the first place of publication; another one
        is in them only if the largest town of the name is. Without countries a town is meant that has far more
        inhabitants than all others of the name.
        """
        label = _label(name)
        if not label:
            return None
        if town_with_state(label):
            return self._in_stated_region(name)
        regions = [region for code in dict.fromkeys(countries) if (region := region_of(code))]
        found = self._named(expand_place(label))
        country = region_named(label)
        if country is not None:
            return None if fold(label) in _NAMES_OF_NO_TOWN else _dominant(found, country)  # Singapore, not Japan
        if found:
            usual = filter(None, map(region_of, sorted(known_town(label)[1])))
            stated = regions if is_first else [region for region in regions if region.contains(found[0])]
            return _choose(found, [*stated, *usual])
        return self._in_stated_region(name, regions)

    def find_heading(self, name: str) -> Town | None:
        """Return the town that a heading for a place names: with its country or state, or one that is very large.

        None also for the name of a country, of a state of the USA or a province of Canada.
        """
        label = _label(name)
        if not label:
            return None
        if _QUALIFIED.fullmatch(label) is not None:
            return self._in_stated_region(name)
        found = self._named(expand_place(label))
        if not found or region_named(label) is not None or is_state(label):
            return None
        town = _dominant(found)
        if town is None:
            return None
        has_counties = town.country in _COUNTRIES_WITH_COUNTIES
        least = _MIN_INHABITANTS_WITH_COUNTIES if has_counties else _MIN_INHABITANTS_OF_HEADING
        return town if town.inhabitants >= least else None

    def _in_stated_region(self, name: str, regions: Iterable[Region] = ()) -> Town | None:
        """Return the town that a name with its country or state names, else one in the first region that has one."""
        stated = tidy(name).replace("?", "")
        with_state = town_with_state(stated)
        if with_state:
            own_name, _, state = with_state.rpartition(", ")
            return _dominant(self._named(own_name), Region(frozenset(("US",)), state))
        qualified = _QUALIFIED.fullmatch(stated)
        if qualified is None:
            return None
        named = region_named(qualified["qualifier"])
        found = self._named(expand_place(qualified["town"]))
        return next((town for region in ([named] if named else regions) if (town := _dominant(found, region))), None)

    def numbered(self, number: int) -> Town | None:
        """Return the town with a number in GeoNames; None if it is not in the table."""
        row = self._connection.execute(
            "SELECT number, name, latitude, longitude, country, state, population, population, russian"
            " FROM town WHERE number = ?",
            (number,),
        ).fetchone()
        return Town(*row) if row is not None else None

    def has_large_town(self, name: str, other_than: str) -> bool:
        """Whether a large town outside of a country (ISO 3166-1) has a name as its own."""
        return any(
            town.country != other_than and town.weight >= _MIN_INHABITANTS_OF_HEADING for town in self._named(name)
        )

    def _named(self, name: str) -> list[Town]:
        """Return the towns with a name, those that count most first."""
        return self._rows(town_key(name)) or self._rows(town_key(known_town(name)[0]))

    def _rows(self, key: str) -> list[Town]:
        rows = self._connection.execute(
            "SELECT number, town.name, latitude, longitude, country, state, population,"
            " population * iif(is_own, 1.0, ?) AS weight, russian FROM name JOIN town ON town.number = name.town"
            " WHERE name.key = ? ORDER BY weight DESC, number",
            (_OTHER_NAME, key),
        )
        return [Town(*row) for row in rows]


def town_key(name: str) -> str:
    """Return what is equal for the forms of a name in the Latin and the Cyrillic script; empty without letters."""
    return _WORD_TOWN.sub("", fold(name)) if _OWN_LETTERS.search(name) else place_key(name)


_OF_THREAD = threading.local()


def towns() -> Towns | None:
    """Return the table of towns for this thread; None if it was not made."""
    if not hasattr(_OF_THREAD, "towns"):
        _OF_THREAD.towns = Towns() if FILE.exists() else None
    table: Towns | None = _OF_THREAD.towns
    return table


def _label(name: str) -> str:
    """Return a place without marks of doubt and brackets; empty for what is not the name of a place."""
    label = trim(strip_brackets(tidy(name).replace("?", ""))) if len(name) <= _MAX_NAME_CHARACTERS else ""
    return "" if is_unknown_imprint(label) else label


@lru_cache(maxsize=_NAMES_REMEMBERED)
def find_town(name: str, countries: tuple[str, ...] = (), is_first: bool = True) -> Town | None:
    """Return the town that a place of publication names (:meth:`Towns.find`); None also without a table of towns."""
    table = towns()
    return table.find(name, countries, is_first) if table is not None else None


@lru_cache(maxsize=_NAMES_REMEMBERED)
def find_town_of_heading(name: str) -> Town | None:
    """Return the town that a heading names (:meth:`Towns.find_heading`); None also without a table of towns."""
    table = towns()
    return table.find_heading(name) if table is not None else None


def _choose(found: Sequence[Town], regions: Iterable[Region]) -> Town | None:
    """Return the town that is meant among some of one name, those that count most first; None if that is not clear."""
    first = found[0]
    for region in regions:
        if not any(map(region.contains, found)):
            continue
        town = _dominant(found, region)
        if town is None or town is first or region.is_part or first.weight < _RIVALS * town.weight:
            return town
        return first if first.weight >= _OVERRULES * max(1.0, town.weight) else None
    return _dominant(found)


def _dominant(found: Sequence[Town], region: Region | None = None) -> Town | None:
    """Return the town, of all or of those in a region, that counts far more than the others of the name."""
    there = [town for town in found if region is None or region.contains(town)]
    if not there or (len(there) > 1 and there[0].weight < _DOMINATES * there[1].weight):
        return None
    return there[0]
