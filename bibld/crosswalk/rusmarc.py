"""RUSMARC, the Russian version of UNIMARC (edition of 2015), with the habits of the large Russian libraries.

Differs from UNIMARC in tables: holdings stand in 899, print runs in ``$9`` of the number fields, class marks of 686
without a scheme are of the Russian Library-Bibliographical Classification.
"""

from __future__ import annotations

from bibld.crosswalk import marc21
from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import Coverage
from bibld.crosswalk._unimarc.engine import convert as _convert
from bibld.crosswalk._unimarc.engine import flavour
from bibld.crosswalk._unimarc.holdings import RUSMARC_BOOK
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.protocols import Converted


def of_marc21(record: MarcRecord) -> Mods:
    """What the rules of MARC 21 make of fields that a record carries unconverted (886)."""
    return marc21.convert(record, marc21.Settings()).mods


FLAVOUR = flavour(RUSMARC_BOOK.rules, of_marc21)
_COVERAGE = Coverage(FLAVOUR.rules, FLAVOUR.private)

_LANGUAGES = frozenset(["rus", "tat", "bak", "bel", "ukr", "kaz", "kir", "uzb", "chv", "sah", "oss"])
_COUNTRIES = frozenset(["RU", "SU", "BY", "UA", "KZ", "KG", "UZ"])
_RULES = ("rcr", "psbo", "рпк")


class Settings(UnimarcSettings, frozen=True):
    """As in all the family; a 686 without a scheme is of the Library-Bibliographical Classification (``rubbk``)."""

    classification: str | None = "rubbk"


def sniffs(record: MarcRecord) -> bool:
    """Whether a record is UNIMARC as libraries of Russia and its neighbours write it."""
    if not is_unimarc(record):
        return False
    if (record.control_number or "").upper().startswith(("RU\\", "RU/")):
        return True
    agencies = list(record.fields("801"))
    for field in agencies:
        if field.first("a") in _COUNTRIES or (field.first("g") or "").lower().startswith(_RULES):
            return True
    coded = next((value for field in record.fields("100") for value in field.values("a")), "")
    if coded[22:25].lower() in _LANGUAGES:
        return True
    return not agencies and any(field.first("j") or field.first("p") for field in record.fields("899"))


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record; a pure function of its arguments."""
    return _convert(record, settings, FLAVOUR, _COVERAGE)
