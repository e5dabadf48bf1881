"""Which states of today a code of the MARC code list for countries, or the name of a country, stands for."""

from __future__ import annotations

from functools import lru_cache

import msgspec
from babel import Locale

from bibld.text.folding import fold
from bibld.text.places import MARC_COUNTRY_OF_ISO
from bibld.text.towns import STATES_OF_THE_USA

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
    "GB": "england eng scotland wales uk u_k great_britain англия шотландия",
    "US": "usa u_s_a u_s сша",
    "CA": "ont ontario que quebec b_c alta man sask n_s n_b",
    "AU": "n_s_w vic qld a_c_t tas",
    "SU": "ussr ссср",
}


class Region(msgspec.Struct, frozen=True):
    """The states (ISO 3166-1), and the state of the USA (as post codes have it) or an empty text."""

    countries: frozenset[str]
    state: str = ""


@lru_cache(maxsize=1024)
def region_of(code: str) -> Region | None:
    """Return the region of a code for a country; None if the list has no such code.

    >>> region_of("mau").state, sorted(region_of("cs").countries), sorted(region_of("enk").countries)
    ('MA', ['CZ', 'SK'], ['GB'])
    """
    iso = _ISO_OF_MARC.get(code) or (_PARTS_OF_STATES.get(code[2:], "") if len(code) == 3 else "")
    state = code[:2].upper() if iso == "US" else ""
    return _region(iso, state if state in STATES_OF_THE_USA else "") if iso else None


def region_named(name: str) -> Region | None:
    """Return the region that a name of a country means; None if it is not known.

    >>> sorted(region_named("Германия").countries), sorted(region_named("England").countries)
    (['DE'], ['GB'])
    """
    iso = _iso_of_name().get(fold(name))
    return _region(iso) if iso else None


def _region(iso: str, state: str = "") -> Region:
    return Region(frozenset(_SUCCESSORS.get(iso, iso).split()), state)


@lru_cache(maxsize=1)
def _iso_of_name() -> dict[str, str]:
    """Return the folded names of countries in some languages → their codes of ISO 3166-1."""
    names = {
        fold(name): iso
        for language in _LANGUAGES_OF_NAMES
        for iso, name in Locale(language).territories.items()
        if iso in MARC_COUNTRY_OF_ISO
    }
    others = {form.replace("_", " "): iso for iso, forms in _OTHER_NAMES.items() for form in forms.split()}
    return names | others
