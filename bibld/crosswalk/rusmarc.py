"""RUSMARC to MODS: the Russian version of UNIMARC (edition of 2015), with the habits of the large Russian libraries.

Differs from UNIMARC: holdings are in 899, indicator 2 of 856 has other meanings, and class marks of 686 without a
scheme are of the Russian Library-Bibliographical Classification.
"""

from __future__ import annotations

from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._unimarc.holdings import RUSMARC_BOOK
from bibld.crosswalk._unimarc.rules import COMMON_RULES, PRIVATE_SUBFIELDS, STRUCTURAL
from bibld.crosswalk._unimarc.rules import convert as _convert
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted

RULES = RuleSet((COMMON_RULES, RUSMARC_BOOK), PRIVATE_SUBFIELDS, STRUCTURAL, reasons_of("unimarc"))

_LANGUAGES = frozenset(["rus", "tat", "bak", "bel", "ukr", "kaz", "kir", "uzb", "chv", "sah", "oss"])
_COUNTRIES = frozenset(["RU", "SU", "BY", "UA", "KZ", "KG", "UZ"])
_CATALOGUING_RULES = ("rcr", "psbo", "рпк")


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
        if field.first("a") in _COUNTRIES or (field.first("g") or "").lower().startswith(_CATALOGUING_RULES):
            return True
    coded = next((value for field in record.fields("100") for value in field.values("a")), "")
    if coded[22:25].lower() in _LANGUAGES:
        return True
    return not agencies and any(field.first("j") or field.first("p") for field in record.fields("899"))


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record; a pure function of its arguments."""
    return _convert(record, settings, RULES)
