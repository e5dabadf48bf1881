"""The mechanism of the crosswalks: rules that say what they read and what they write.

A crosswalk is a list of rules in the order in which their results stand in the MODS. Because every rule names the tags
and subfields that it reads and the MODS that it writes, coverage and documentation are derived from the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from bibld.model.marc import ControlField, DataField, MarcRecord
from bibld.model.mods import Element, Mods, collected
from bibld.protocols import Converted

EVERY = "*"
"""As subfield codes: every subfield of the field."""

SettingsT = TypeVar("SettingsT")
Produces = Iterable[Element]


class View(Generic[SettingsT]):
    """One record while it is converted: its fields by tag, and the settings."""

    __slots__ = ("_by_tag", "record", "settings")

    def __init__(self, record: MarcRecord, settings: SettingsT) -> None:
        self.record = record
        self.settings = settings
        self._by_tag: dict[str, list[DataField]] = {}
        for field in record.all_fields:
            if isinstance(field, DataField):
                self._by_tag.setdefault(field.tag, []).append(field)

    def fields(self, *tags: str) -> Iterator[DataField]:
        """The data fields with these tags, tag by tag."""
        for tag in tags:
            yield from self._by_tag.get(tag, ())

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
    in words of MODS what comes out, ``build`` makes it: from each field in turn, or (``whole``) from the record at once.
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


def apply_rules(rules: Iterable[Rule], view: View[Any]) -> Mods:
    """Run all rules over one record."""
    return collected(_produced(rules, view))


def _produced(rules: Iterable[Rule], view: View[Any]) -> Iterator[Element]:
    for rule in rules:
        if rule.whole:
            yield from rule.build(view)
            continue
        for tag, _ in rule.reads:
            for field in view.fields(tag):
                yield from rule.build(field, view)


class Coverage:
    """Tells of each subfield whether rules read it, whether it is private, or neither."""

    def __init__(self, rules: Iterable[Rule], private: Mapping[str, str]) -> None:
        self._read: dict[str, set[str]] = {}
        for rule in rules:
            for tag, codes in rule.reads:
                self._read.setdefault(tag, set()).update(codes or EVERY)
        self._private = {tag: set(codes) for tag, codes in private.items()}

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
        unmapped: list[str] = []
        private: list[str] = []
        for field in record.all_fields:
            codes = [""] if isinstance(field, ControlField) else [subfield.code for subfield in field.subfields]
            for code in codes:
                if self.is_read(field.tag, code):
                    continue
                name = f"{field.tag}${code}" if code else field.tag
                (private if self.is_private(field.tag, code) else unmapped).append(name)
        return Converted(mods, tuple(unmapped), tuple(private), warnings)
