"""Fields of another format that a record carries unconverted (886)."""

from __future__ import annotations

from bibld.crosswalk import marc21
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model.marc import ControlField, DataField, Field, MarcRecord
from bibld.model.mods import Mods, RecordInfo

BOOK = RuleBook()

_MARC21 = frozenset(["usmarc", "marc21", "marc", "canmarc", "lcmarc"])
"""Names of MARC 21 and its forerunners in ``$2``, folded."""

_LOCAL = "9"


@BOOK.field("886", "*", "what the rules of MARC 21 make of the field, where $2 names MARC 21")
def foreign_field(field: DataField, view: UnimarcView) -> Elements:
    """Field of MARC 21 (indicator 1: 1 a control field, 2 a data field), without what it states about the record.

    ``$a`` is its tag, the first ``$b`` its indicators or, for a control field, its text.
    """
    tag = field.first("a") or ""
    made = Mods()
    if (field.first("2") or "").casefold().replace(" ", "") in _MARC21 and len(tag) == 3:
        origin, leader = view.record.origin, view.record.leader
        made = marc21.convert(MarcRecord(origin, leader, (_original(field, tag),)), marc21.Settings()).mods
        nothing = marc21.convert(MarcRecord(origin, leader, ()), marc21.Settings()).mods
        given = [element for kind in Mods.elements for element in getattr(nothing, kind)]
        yield from (
            element
            for kind in Mods.elements
            for element in getattr(made, kind)
            if element not in given and not isinstance(element, RecordInfo)
        )
        if made != nothing:
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
