"""What became of every tag and subfield of many records: how often seen, mapped to what, private, or not mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import EVERY, RuleSet
from bibld.crosswalk._unimarc.view import carries_fields
from bibld.model.marc import ControlField, DataField, MarcRecord, with_embedded_fields
from bibld.model.mods import Mods
from bibld.protocols import Row

_LINKED = "880"


class SubfieldCoverage(msgspec.Struct, frozen=True):
    """What became of one subfield of one flavour.

    ``name`` is ``245$a``, ``461/200$a`` for one of an embedded field, ``008`` for a control field, or the name of a
    column. ``seen`` counts its occurrences; ``mapped``, ``private`` (kept, not published) and ``unmapped`` are parts of
    it. ``writes`` describes the MODS that the rules which read it make.
    """

    flavour: str
    name: str
    seen: int
    mapped: int
    private: int
    unmapped: int
    writes: tuple[str, ...]


class Tally:
    """Counts the subfields of converted records."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()
        self._private: Counter[tuple[str, str]] = Counter()
        self._unmapped: Counter[tuple[str, str]] = Counter()

    def add(self, flavour: str, seen: Iterable[str], private: Iterable[str], unmapped: Iterable[str]) -> None:
        """Count one record: the names of its subfields, each occurrence, and those that are not in the MODS."""
        for counter, names in ((self._seen, seen), (self._private, private), (self._unmapped, unmapped)):
            for name in names:
                counter[flavour, name] += 1

    def rows(self, written: Writes) -> Iterator[SubfieldCoverage]:
        """Yield one row for each subfield, by flavour and name."""
        for flavour, name in sorted(self._seen | self._private | self._unmapped):
            private, unmapped = self._private[flavour, name], self._unmapped[flavour, name]
            seen = max(self._seen[flavour, name], private + unmapped)
            mapped = seen - private - unmapped
            writes = written.by(flavour, name) if mapped else ()
            yield SubfieldCoverage(flavour, name, seen, mapped, private, unmapped, writes)


class Writes:
    """Describes what rules make of a subfield; ``rule_sets`` are the rules of each flavour that has some."""

    def __init__(self, rule_sets: Mapping[str, RuleSet]) -> None:
        self._flavours = frozenset(rule_sets)
        self._writes: dict[tuple[str, str], dict[str, list[str]]] = {}
        for flavour, rule_set in rule_sets.items():
            for rule in rule_set.rules:
                for tag, codes in rule.reads:
                    by_code = self._writes.setdefault((flavour, tag), {})
                    for code in [EVERY] if codes == EVERY else list(codes) or [""]:
                        by_code.setdefault(code, []).append(rule.writes)

    def by(self, flavour: str, name: str) -> tuple[str, ...]:
        """Describe the MODS made of a subfield; for one of an embedded field, within the MODS made of its field."""
        if flavour not in self._flavours:
            return ()
        *around, own = name.split("/")
        tag, _, code = own.partition("$")
        if tag == _LINKED and (flavour, tag) not in self._writes:
            return ("what the field becomes that $6 names",)
        by_code = self._writes.get((flavour, tag), {})
        found = dict.fromkeys([*by_code.get(code, ()), *by_code.get(EVERY, ())])
        if not found:
            return ("no element: it links fields with each other",)
        outer = [
            written for tag in around[:1] for many in self._writes.get((flavour, tag), {}).values() for written in many
        ]
        return tuple(f"{outer[0]}: {written}" for written in found) if outer else tuple(found)


def subfields_of(record: MarcRecord | Mods | Row) -> tuple[str, ...]:
    """Return the names of the subfields of a record that contain text, one for each occurrence."""
    if isinstance(record, MarcRecord):
        return tuple(_names(record.all_fields, "", is_unimarc(record)))
    return tuple(name for name, _ in record.cells) if isinstance(record, Row) else ()


def _names(fields: Iterable[ControlField | DataField], within: str, has_embedded: bool) -> Iterator[str]:
    for field in fields:
        if isinstance(field, ControlField):
            yield within + field.tag
            continue
        if has_embedded and carries_fields(field.tag):
            field = with_embedded_fields(field)
        for subfield in field.subfields:
            if subfield.value and not subfield.value.isspace():
                yield f"{within}{field.tag}${subfield.code}"
        if field.embedded:
            yield from _names(field.embedded, f"{within}{field.tag}/", has_embedded)
