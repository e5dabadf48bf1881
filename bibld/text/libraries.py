"""Libraries by their codes: International Standard Identifiers (ISIL, ISO 15511), MARC codes and sigla of RISM.

``libraries.csv`` has the national libraries and large ones whose codes are certain. A line has the codes of a library,
separated by blanks, then its names with their languages, and other texts (behind ``=``) by which it alone is known.
They are facts from the public registries of the ISIL agencies, the MARC Code List for Organizations and the directory
of RISM sigla, written down for this project; a code that is in doubt is not in the table. Add lines as you like.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Literal

import msgspec

_ISIL = re.compile(r"[A-Z]{2}-[A-Za-z0-9/:-]{1,11}")
_SIGLUM = re.compile(r"[A-Z]{1,3}-[A-ZÀ-Þ]{1,5}[^\W\d_A-ZÀ-Þ]{0,8}")
"""A siglum of RISM: the country, the town in capitals, the library in small letters. Many have the form of an ISIL."""
_MARC_CODE = re.compile(r"[A-Z][A-Za-z]{0,7}(?:-[A-Za-z0-9]{1,8}){0,2}")
_NOT_IN_NORMALISED_CODES = re.compile("[^a-z0-9]+")
_COUNTRY_OF_US_ISIL = "US-"
_COUNTRY_OF_MARC_CODE = {
    "Au": "AU", "Ca": "CA", "Fi": "FI", "Fr": "FR", "Gy": "DE", "Is": "IL", "It": "IT", "Ne": "NL", "Nz": "NZ",
    "Ru": "RU", "Sp": "ES", "Sw": "SE", "Sz": "CH", "Uk": "GB",
}  # fmt: skip
_CAPITALS_OF_MARC_CODE = 2
"""A word with one capital may be any word."""
_LETTERS_OF_CLEAR_CODE = 3
"""Shorter codes, and those of three capitals, may be codes of anything."""
_TEXTS_REMEMBERED = 16_384


class Library(msgspec.Struct, frozen=True):
    """A library of the table: its first code, which names it, and its names, each with a language tag."""

    code: str
    names: tuple[tuple[str, str], ...]

    @property
    def marc_code(self) -> str:
        """Its code in the MARC Code List for Organizations if it is in the United States, else empty."""
        return self.code.removeprefix(_COUNTRY_OF_US_ISIL) if self.code.startswith(_COUNTRY_OF_US_ISIL) else ""


def is_library_code(text: str) -> bool:
    """Whether a text has the form of a code for a library with its country: an ISIL or a siglum of RISM.

    >>> [is_library_code(text) for text in ("RU-10010001", "PL-Kj", "SI-Mš", "City Library")]
    [True, True, True, False]
    """
    return _ISIL.fullmatch(text) is not None or _SIGLUM.fullmatch(text) is not None


def is_isil(text: str) -> bool:
    """Whether a text is an ISIL with a country, such as ``RU-10010001``, and no siglum of RISM (``PL-Kj``).

    One that may be either is an ISIL only as the first code of the table, of the United States or in capitals.
    """
    if _ISIL.fullmatch(text) is None or _SIGLUM.fullmatch(text) is None:
        return _ISIL.fullmatch(text) is not None
    library = find_library(text, is_marc_code=True)
    is_first = library is not None and library.code == text
    return is_first and (text.isupper() or text.startswith(_COUNTRY_OF_US_ISIL))


def code_list(code: str) -> Literal["isil", "marcorg"] | None:
    """Return the list, as MODS names it, that the code of a library may be from; None if it has the form of neither.

    ``MH-H`` has the form of a siglum too, but is a MARC code of the table.
    """
    library = find_library(code, is_marc_code=True)
    if library is not None and library.marc_code == code:
        return "marcorg"
    if is_isil(code):
        return "isil"
    return "marcorg" if _MARC_CODE.fullmatch(code) and not _SIGLUM.fullmatch(code) else None


def country_of_library(text: str, is_marc_code: bool = False) -> str | None:
    """Return the country (ISO 3166, two letters) that the code of a library or a name of the table states.

    With ``is_marc_code``, a code without country is one of the MARC Code List for Organizations: those of libraries
    outside the United States begin with letters for their country.

    >>> [country_of_library(text, True) for text in ("RU-10010033", "RuMoRGB", "DLC", "Biblioteka")]
    ['RU', 'RU', 'US', None]
    """
    library = find_library(text, is_marc_code)
    code = text if library is None else library.code
    if _ISIL.fullmatch(code):
        return code[:2]
    if not is_marc_code or not _MARC_CODE.fullmatch(code) or sum(map(str.isupper, code)) < _CAPITALS_OF_MARC_CODE:
        return None
    return _COUNTRY_OF_MARC_CODE.get(code[:2], None if _SIGLUM.fullmatch(code) else "US")


def normalise_marc_code(code: str) -> str:
    """Return the form of a MARC code in IRIs of id.loc.gov: ``MH-H`` is ``mhh``."""
    return _NOT_IN_NORMALISED_CODES.sub("", code.lower())


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def find_library(text: str, is_marc_code: bool = False) -> Library | None:
    """Return the library of the table that has a code or name; None if there is none, or a text may mean another.

    MARC codes of up to three capitals (``NN``) may be codes of anything unless the record states that
    they are MARC codes.
    """
    by_code, by_text = _tables()
    found = by_code.get(text) if is_marc_code else None
    return found or by_text.get(text) or by_text.get(text.casefold())


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Library], dict[str, Library]]:
    """Return the libraries by all their codes, and by what a text without a stated kind can be."""
    by_code: dict[str, Library] = {}
    by_text: dict[str, Library] = {}
    lines = resources.files("bibld.text").joinpath("libraries.csv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if not line or line.startswith("#"):
            continue
        codes, *others = line.split("\t")
        named = [other.partition(":") for other in others if not other.startswith("=")]
        names = tuple((name, language) for language, _, name in named)
        library = Library(codes.split()[0], names)
        texts = [other[1:] for other in others if other.startswith("=")]
        by_code.update(dict.fromkeys(codes.split(), library))
        by_text.update((name.casefold(), library) for name, _ in names)
        by_text.update((text, library) for text in [*texts, *codes.split()] if text in texts or not _is_ambiguous(text))
    return by_code, by_text


def _is_ambiguous(code: str) -> bool:
    is_short = len(code) < _LETTERS_OF_CLEAR_CODE or (len(code) == _LETTERS_OF_CLEAR_CODE and code.isupper())
    return is_short and code.isalpha()
