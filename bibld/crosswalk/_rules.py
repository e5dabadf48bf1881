"""The mechanism of the crosswalks: rules that say what they read and what they write.

A crosswalk is a list of rules in the order in which their results stand in the MODS. Because every rule names the tags
and subfields that it reads and the MODS that it writes, coverage and documentation are derived from the list.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from bibld.crosswalk._conventions import RAW, Conventions, Linkage, cleaned, text_of_control_field
from bibld.model.marc import ControlField, DataField, MarcRecord
from bibld.model.mods import Element, Mods, RelatedItem, collected
from bibld.protocols import Converted

EVERY = "*"
"""As subfield codes: every subfield of the field."""

SettingsT = TypeVar("SettingsT")
Produces = Iterable[Element]


class View(Generic[SettingsT]):
    """One record while it is converted: its fields by tag, the settings, and the warnings so far.

    The ``conventions`` say which fields are left out as private, which stand for another tag (880 of MARC 21), and
    whether texts are tidied; without them the fields are given as they are.
    """

    __slots__ = ("_by_tag", "_controls", "_linkages", "_linked_tags", "record", "settings", "warnings")

    def __init__(self, record: MarcRecord, settings: SettingsT, conventions: Conventions = RAW) -> None:
        self.record = record
        self.settings = settings
        self.warnings: list[str] = []
        self._by_tag: dict[str, list[DataField]] = {}
        self._controls: dict[str, list[str]] = {}
        self._linkages: dict[int, Linkage] = {}
        self._linked_tags: set[str] = set()
        is_private, link, by_tag = conventions.is_private, conventions.link, self._by_tag
        cleans = conventions.cleans is not None
        for field in record.all_fields:
            if isinstance(field, ControlField):
                self._controls.setdefault(field.tag, []).append(text_of_control_field(field.value))
                continue
            if is_private is not None and is_private(field):
                continue
            if cleans:
                field = cleaned(field, conventions)
            linked = link(field) if link is not None else None
            if linked is not None:
                field = linked.field
                self._linkages[id(field)] = linked.linkage
                self._linked_tags.add(field.tag)
            tag = field.tag
            if tag in by_tag:
                by_tag[tag].append(field)
            else:
                by_tag[tag] = [field]

    def linkage(self, field: DataField) -> Linkage | None:
        """How a field of this record is linked to the same field in another script; None where it is not."""
        return self._linkages.get(id(field))

    def is_alternate(self, field: DataField) -> bool:
        """Whether a field only repeats a regular one in another script."""
        linkage = self._linkages.get(id(field)) if self._linkages else None
        return linkage is not None and linkage.is_alternate

    def is_linked(self, tag: str) -> bool:
        """Whether one of the fields with this tag is linked to one in another script."""
        return tag in self._linked_tags

    def control(self, tag: str) -> str | None:
        """The text of the first control field with this tag, without characters that no XML can hold."""
        texts = self._controls.get(tag)
        return texts[0] if texts else None

    def controls(self, tag: str) -> list[str]:
        """The texts of all control fields with this tag."""
        return self._controls.get(tag, [])

    def warn(self, warning: str) -> None:
        """Say what is dropped or doubtful; the text names the tag."""
        self.warnings.append(warning)

    def fields(self, *tags: str) -> Iterator[DataField]:
        """The data fields with these tags, tag by tag."""
        for tag in tags:
            yield from self._by_tag.get(tag, ())

    @property
    def fields_by_tag(self) -> Mapping[str, Sequence[DataField]]:
        """The data fields of every tag that the record has."""
        return self._by_tag

    def tagged(self, tag: str) -> Sequence[DataField]:
        """The data fields with this tag."""
        return self._by_tag.get(tag, ())

    def has(self, *tags: str) -> bool:
        """Whether the record has a data field with one of these tags."""
        return any(tag in self._by_tag for tag in tags)

    def first(self, tag: str, code: str) -> str | None:
        """The text of the first such subfield of the record."""
        for field in self._by_tag.get(tag, ()):
            value = field.first(code)
            if value is not None:
                return value
        return None


class Rule(msgspec.Struct, frozen=True):
    """What to do with some fields.

    ``reads`` pairs each tag with the subfield codes that are read (``*``: all; empty: a control field), ``writes`` says
    in words of MODS what comes out, ``build`` makes it: from each field in turn, or (``whole``) once for the record.
    """

    reads: tuple[tuple[str, str], ...]
    writes: str
    build: Callable[..., Produces]
    whole: bool = False


class RuleBook:
    """Collects rules; the decorators are used once, while a crosswalk's module is imported."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def field(
        self, tags: str, codes: str, writes: str
    ) -> Callable[[Callable[[DataField, Any], Produces]], Callable[[DataField, Any], Produces]]:
        """The decorated function is called with each field that has one of the ``tags`` (separated by blanks)."""

        def register(build: Callable[[DataField, Any], Produces]) -> Callable[[DataField, Any], Produces]:
            self._rules.append(Rule(tuple((tag, codes) for tag in tags.split()), writes, build))
            return build

        return register

    def fields(
        self, writes: str, **reads: str
    ) -> Callable[[Callable[[DataField, Any], Produces]], Callable[[DataField, Any], Produces]]:
        """As :meth:`field`, where the tags differ in their subfields; ``reads`` maps ``tTAG`` to subfield codes."""

        def register(build: Callable[[DataField, Any], Produces]) -> Callable[[DataField, Any], Produces]:
            self._rules.append(Rule(tuple((tag[1:], codes) for tag, codes in reads.items()), writes, build))
            return build

        return register

    def record(self, writes: str, **reads: str) -> Callable[[Callable[[Any], Produces]], Callable[[Any], Produces]]:
        """The decorated function is called once for a record; ``reads`` maps ``tTAG`` to subfield codes."""

        def register(build: Callable[[Any], Produces]) -> Callable[[Any], Produces]:
            self._rules.append(Rule(tuple((tag[1:], codes) for tag, codes in reads.items()), writes, build, whole=True))
            return build

        return register

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules so far, in the order of registration."""
        return tuple(self._rules)


class Rules(tuple[Rule, ...]):
    """Rules in order, and which of them a record needs, since most records have few of the tags that there are."""

    _steps: list[tuple[Rule, str]]
    _always: list[int]
    _of_tag: dict[str, list[int]]

    def __new__(cls, rules: Iterable[Rule]) -> Rules:
        made = super().__new__(cls, rules)
        made._steps, made._always, made._of_tag = [], [], {}
        for rule in made:
            for tag, _ in rule.reads if not rule.whole else (("", ""),):
                found = made._always if rule.whole else made._of_tag.setdefault(tag, [])
                found.append(len(made._steps))
                made._steps.append((rule, tag))
        return made

    def steps(self, tags: Iterable[str]) -> list[tuple[Rule, str]]:
        """The rules for a record with these tags, each with a tag that it reads (empty: the whole record)."""
        needed = self._always.copy()
        for tag in tags:
            if tag in self._of_tag:
                needed += self._of_tag[tag]
        needed.sort()
        return [self._steps[position] for position in needed]


def apply_rules(rules: Iterable[Rule], view: View[Any]) -> Mods:
    """Run all rules over one record."""
    made: list[Element] = []
    by_tag = view.fields_by_tag
    for rule, tag in rules.steps(by_tag) if isinstance(rules, Rules) else _steps(rules, by_tag):
        if rule.whole:
            made += rule.build(view)
        elif view.is_linked(tag):
            made += _linked(rule, by_tag[tag], view)
        else:
            for field in by_tag[tag]:
                made += rule.build(field, view)
    return collected(made)


def _steps(rules: Iterable[Rule], tags: Container[str]) -> Iterator[tuple[Rule, str]]:
    for rule in rules:
        if rule.whole:
            yield rule, ""
        else:
            yield from ((rule, tag) for tag, _ in rule.reads if tag in tags)


def _linked(rule: Rule, fields: Iterable[DataField], view: View[Any]) -> Iterator[Element]:
    """Elements in several scripts say so here, and nowhere else.

    A related item has no ``altRepGroup`` of its own: a field and its counterpart give one item, whose titles, names …
    stand in it in both scripts.
    """
    made: list[Element] = []
    item_of_group: dict[str, int] = {}
    for field in fields:
        linkage = view.linkage(field)
        for element in rule.build(field, view):
            if linkage is None:
                made.append(element)
            elif not isinstance(element, RelatedItem):
                made.append(linkage.marked(element))
            else:
                item = msgspec.structs.replace(element, mods=_marked(element.mods, linkage))
                group = linkage.alt_rep_group
                if group is not None and group in item_of_group:
                    made[item_of_group[group]] = _united(made[item_of_group[group]], item)
                    continue
                if group is not None:
                    item_of_group[group] = len(made)
                made.append(item)
    yield from made


_IN_A_SCRIPT = ("title_info", "name", "origin_info", "physical_description", "note")


def _marked(mods: Mods, linkage: Linkage) -> Mods:
    changes = {kind: tuple(map(linkage.marked, getattr(mods, kind))) for kind in _IN_A_SCRIPT if getattr(mods, kind)}
    return msgspec.structs.replace(mods, **changes)


def _united(left: Any, right: RelatedItem) -> RelatedItem:  # noqa: ANN401
    both = {}
    for kind in Mods.elements:
        held = getattr(left.mods, kind)
        both[kind] = held + tuple(value for value in getattr(right.mods, kind) if value not in held)
    united: RelatedItem = msgspec.structs.replace(left, mods=Mods(**both))
    return united


_Fate = bool | None
"""Of a subfield: private (True), unmapped (False), or mapped (None)."""

_NONE: frozenset[str] = frozenset()


class Coverage:
    """Tells of each subfield whether rules read it, whether it is private, or neither.

    ``private`` maps tags to subfield codes; the ``conventions`` name fields that are private as a whole, and fields
    that are read by the rules of another tag.
    """

    def __init__(self, rules: Iterable[Rule], private: Mapping[str, str], conventions: Conventions = RAW) -> None:
        self._conventions = conventions
        self._read: dict[str, set[str]] = {}
        for rule in rules:
            for tag, codes in rule.reads:
                self._read.setdefault(tag, set()).update(codes or EVERY)
        self._private = {tag: set(codes) for tag, codes in private.items()}
        plain = "0123456789abcdefghijklmnopqrstuvwxyz"
        self._mapped = {
            tag: frozenset(code for code in plain if self._fate(tag, code, False) is None) for tag in self._read
        }

    def is_read(self, tag: str, code: str) -> bool:
        """Whether a rule reads this subfield (``code`` empty: this control field)."""
        codes = self._read.get(tag, ())
        return EVERY in codes or code in codes

    def is_private(self, tag: str, code: str) -> bool:
        """Whether the subfield is kept but not published; local fields (9XX) are unless a rule reads them."""
        codes = self._private.get(tag, ())
        return EVERY in codes or code in codes or tag.startswith("9")

    def converted(self, mods: Mods, record: MarcRecord, warnings: tuple[str, ...] = ()) -> Converted:
        """Put a result together with the account of what is not in it."""
        lists: tuple[list[str], list[str]] = [], []
        is_private = self._conventions.is_private
        for field in record.all_fields:
            tag = field.tag
            if isinstance(field, ControlField):
                if not self.is_read(tag, ""):
                    lists[self.is_private(tag, "")].append(tag)
                continue
            kept_back = is_private is not None and is_private(field)
            if tag not in self._read and self._conventions.link is not None:
                # only a tag that no rule reads can stand for another
                linked = self._conventions.link(field)
                tag = linked.field.tag if linked is not None else tag
            mapped = _NONE if kept_back else self._mapped.get(tag, _NONE)
            for subfield in field.subfields:
                code = subfield.code
                if code not in mapped:
                    fate = self._fate(tag, code, kept_back)
                    if fate is not None:
                        lists[fate].append(f"{field.tag}${code}")
        return Converted(mods, tuple(lists[0]), tuple(lists[1]), warnings)

    def _fate(self, tag: str, code: str, kept_back: bool) -> _Fate:
        if code in self._private.get(tag, ()):
            return True
        if (not kept_back and self.is_read(tag, code)) or code in self._conventions.structural:
            return None
        return kept_back or self.is_private(tag, code)
