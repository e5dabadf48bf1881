"""The engine of the UNIMARC family: a flavour is a list of rules, and conversion runs it over a tidied record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bibld.crosswalk._rules import Coverage, Rule
from bibld.crosswalk._unimarc import (
    foreign,
    form,
    holdings,
    identification,
    languages,
    links,
    maps,
    music,
    names,
    notes,
    origin,
    subjects,
    titles,
)
from bibld.crosswalk._unimarc.view import ConvertMarc21, Flavour, UnimarcSettings, UnimarcView, tidied
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, MarcRecord
from bibld.model.mods import Mods
from bibld.protocols import Converted

_BLOCKS = (
    titles, names, form, music, origin, languages, notes,
    maps, subjects, holdings, links, foreign, identification,
)  # fmt: skip

_PRIVATE = {
    "012": "59", "033": "d", "035": "d", "079": "d", "141": "9",
    **dict.fromkeys(("090", "091", "092", "093", "094", "095", "096", "097", "098", "099", "109"), "*"),
    **dict.fromkeys(("700", "701", "702", "703"), "9"), "790": "49",
    "316": "9", "317": "9", "318": "p9", "345": "9",
    **dict.fromkeys(("600", "601", "602", "607", "608"), "9"),
    "675": "z3", "676": "z3", "679": "3", "680": "3", "686": "3", "791": "4", "801": "2", "802": "*",
    "852": "x2", "856": "xklbhijrtw", "899": "x",
}  # fmt: skip
"""Prices, inventory numbers, passwords, how to connect, internal notes, local fields: kept, not published."""

COMMON_RULES: tuple[Rule, ...] = tuple(rule for block in _BLOCKS for rule in block.BOOK.rules)
"""The rules that all formats of the family share, in the order of their results."""

_STRUCTURAL = "67"
"""Subfields that link fields and name scripts: structure, not content."""


def flavour(own_rules: Iterable[Rule], marc21: ConvertMarc21, private: Mapping[str, str] | None = None) -> Flavour:
    """A flavour with rules and private subfields of its own beside the common ones; ``marc21`` converts field 886."""
    return Flavour.of((*COMMON_RULES, *own_rules), {**_PRIVATE, **(private or {})}, marc21)


def convert(record: MarcRecord, settings: UnimarcSettings, of: Flavour, coverage: Coverage) -> Converted:
    """Convert a record by the rules of a flavour; ``coverage`` is made of the same rules.

    Raises ``CrosswalkError`` for a record that gives nothing.
    """
    tidy = tidied(record, settings)
    view = UnimarcView(tidy, settings, of)
    mods = view.converted()
    if mods == Mods():
        raise CrosswalkError(
            record.origin,
            "no field of the record says anything that MODS can hold; is it of the UNIMARC family?",
            control_number=record.control_number,
        )
    unmapped: list[str] = list(view.unmapped)
    private: list[str] = list(view.private)
    for name, tag, code in _subfields(tidy.all_fields, ""):
        if not coverage.is_read(tag, code):
            (private if coverage.is_private(tag, code) else unmapped).append(name)
    return Converted(mods, tuple(unmapped), tuple(private), tuple(dict.fromkeys(view.warnings)))


def _subfields(fields: Iterable[ControlField | DataField], within: str) -> Iterator[tuple[str, str, str]]:
    """Name, tag and code of every subfield; one of an embedded field is named ``461/200$a``."""
    for field in fields:
        if isinstance(field, ControlField):
            yield within + field.tag, field.tag, ""
            continue
        for subfield in field.subfields:
            if subfield.code not in _STRUCTURAL:
                yield f"{within}{field.tag}${subfield.code}", field.tag, subfield.code
        if field.embedded:
            yield from _subfields(field.embedded, f"{within}{field.tag}/")
