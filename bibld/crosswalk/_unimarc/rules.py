"""The rules that all formats of the UNIMARC family share, and the conversion of a tidied record by them."""

from __future__ import annotations

from bibld.crosswalk import marc21
from bibld.crosswalk._rules import Elements, RuleBook, RuleSet
from bibld.crosswalk._unimarc import form, holdings, identification, links, names, notes, origin, subjects, titles
from bibld.crosswalk._unimarc.view import UnimarcSettings, UnimarcView, tidy_record
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, Field, MarcRecord
from bibld.model.mods import Mods, RecordInfo
from bibld.protocols import Converted

FOREIGN = RuleBook()

_MARC21 = frozenset(["usmarc", "marc21", "marc", "canmarc", "lcmarc"])
"""Names of MARC 21 and its forerunners in ``$2``, folded."""

_LOCAL = "9"


@FOREIGN.field("886", "*", "what the rules of MARC 21 make of the field, where $2 names MARC 21")
def foreign_field(field: DataField, view: UnimarcView) -> Elements:
    """Field of MARC 21 (indicator 1: 1 a control field, 2 a data field), without what it states about the record.

    ``$a`` is its tag, the first ``$b`` its indicators or, for a control field, its text.
    """
    tag = field.first("a") or ""
    result = Mods()
    if (field.first("2") or "").casefold().replace(" ", "") in _MARC21 and len(tag) == 3:
        origin, leader = view.record.origin, view.record.leader
        result = marc21.convert(MarcRecord(origin, leader, (_original(field, tag),)), marc21.Settings()).mods
        nothing = marc21.convert(MarcRecord(origin, leader, ()), marc21.Settings()).mods
        given = [element for kind in Mods.elements for element in getattr(nothing, kind)]
        yield from (
            element
            for kind in Mods.elements
            for element in getattr(result, kind)
            if element not in given and not isinstance(element, RecordInfo)
        )
        if result != nothing:
            return
    lost = [f"886${subfield.code}" for subfield in field.subfields]
    if tag.startswith(_LOCAL):
        view.private += lost
    else:
        view.unmapped += lost


def _original(field: DataField, tag: str) -> Field:
    text = field.first("b") or ""
    if tag < "010":
        return ControlField(tag, text)
    of_the_field = {"2", "a", "b"}
    kept = []
    for subfield in field.subfields:
        if subfield.code in of_the_field:
            of_the_field.remove(subfield.code)
        else:
            kept.append(subfield)
    indicators = text.replace("#", " ").ljust(2)
    return DataField(tag, indicators[0], indicators[1], tuple(kept))


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

COMMON_RULES = RuleBook(
    titles.BOOK, names.BOOK, form.BOOK, origin.BOOK, identification.LANGUAGES, notes.BOOK, subjects.BOOK, holdings.BOOK,
    links.BOOK, FOREIGN, identification.BOOK,
)  # fmt: skip
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
