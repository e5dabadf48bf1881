"""The rules that all formats of the UNIMARC family share, and the conversion of a tidied record by them."""

from __future__ import annotations

from bibld.crosswalk._rules import RuleBook, RuleSet
from bibld.crosswalk._unimarc import (
    foreign,
    form,
    holdings,
    identification,
    languages,
    links,
    names,
    notes,
    origin,
    subjects,
    titles,
)
from bibld.crosswalk._unimarc.view import UnimarcSettings, UnimarcView, tidy_record
from bibld.errors import CrosswalkError
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.protocols import Converted

_BLOCKS = (
    titles, names, form, origin, languages, notes,
    subjects, holdings, links, foreign, identification,
)  # fmt: skip

PRIVATE_SUBFIELDS = {
    "012": "59", "033": "d", "035": "d", "079": "d", "141": "9",
    **dict.fromkeys(("090", "091", "092", "093", "094", "095", "096", "097", "098", "099", "109"), "*"),
    **dict.fromkeys(("700", "701", "702", "703"), "9"), "790": "49z",
    "316": "9", "317": "9", "318": "p9", "345": "9",
    **dict.fromkeys(("600", "601", "602", "607", "608"), "9"),
    "675": "z3", "676": "z3", "679": "3", "680": "3", "686": "3", "791": "4z", "801": "2", "802": "*",
    "852": "x2", "856": "xklbhijrtw", "899": "x",
}  # fmt: skip
"""Prices, inventory numbers, passwords, connection details, internal and local fields: stored, not published."""

COMMON_RULES = RuleBook(*(block.BOOK for block in _BLOCKS))
"""The rules that all formats of the family share, in the order of their results."""

STRUCTURAL = "67"
"""Subfields that link fields and name scripts: structure, not content."""


def convert(record: MarcRecord, settings: UnimarcSettings, rules: RuleSet) -> Converted:
    """Convert a record by the rules of a flavour; raises ``CrosswalkError`` for a record without content."""
    converted = rules.convert(UnimarcView(tidy_record(record, settings), settings, rules))
    if converted.mods == Mods():
        raise CrosswalkError(
            record.origin,
            "no field of the record has content that MODS can express; is it of the UNIMARC family?",
            control_number=record.control_number,
        )
    return converted
