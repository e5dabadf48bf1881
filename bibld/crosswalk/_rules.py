"""The rules of which crosswalks are made: each states which fields it reads, which MODS it writes, and how.

A :class:`RuleBook` collects rules by its decorators; a :class:`RuleSet` puts the rules of a flavour in order, converts
records by them and accounts for every subfield. Because rules state what they read and write, the coverage of a file
and the mapping tables of the documentation are derived from them. The results appear in the MODS in the order of the
rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._flavour import carries_fields, is_unimarc
from bibld.crosswalk._view import Linkage, View
from bibld.errors import CrosswalkError, RecordError
from bibld.model.marc import ControlField, DataField, Field, MarcRecord, with_embedded_fields
from bibld.model.mods import Element, Mods, RelatedItem, collected
from bibld.protocols import Converted, Row

EVERY = "*"
"""As subfield codes: every subfield of the field."""

LEADER = "LDR"
"""As a tag: the leader."""

Elements = Iterable[msgspec.Struct]
"""What a rule returns: top-level elements of MODS; in the crosswalks of authority records parts of an ``Authority``."""

FieldBuild = Callable[[DataField, Any], Elements]
RecordBuild = Callable[[Any], Elements]

_CODES = "0123456789abcdefghijklmnopqrstuvwxyz"
_LOCAL = "9"
"""The character of local tags, and the code of the local subfield of every field."""


class Rule(msgspec.Struct, frozen=True):
    """What to do with some fields.

    ``reads`` pairs each tag with the subfield codes that are read (``EVERY``: all; empty: a control field or the
    leader). ``writes`` describes the resulting MODS. ``build`` makes it: ``build(field, view)`` for each field in turn,
    or, for a rule ``per_record``, ``build(view)`` once.
    """

    reads: tuple[tuple[str, str], ...]
    writes: str
    build: Callable[..., Elements]
    per_record: bool = False

    @property
    def name(self) -> str:
        """Module and function, and the first tag: what to search for in the source."""
        module = self.build.__module__.rpartition(".")[2]
        return f"{module}.{self.build.__name__} ({' '.join(tag for tag, _ in self.reads)})"


class RuleBook:
    """Collects rules: those of the ``parts``, then those whose functions are decorated, in that order."""

    def __init__(self, *parts: RuleBook) -> None:
        self._rules = [rule for part in parts for rule in part.rules]

    def field(self, tags: str, codes: str, writes: str) -> Callable[[FieldBuild], FieldBuild]:
        """Register a function of a field and the view, called for each field with one of the ``tags``.

        ``tags`` are separated by blanks.
        """
        return self._register(tuple((tag, codes) for tag in tags.split()), writes, per_record=False)

    def fields(self, writes: str, **reads: str) -> Callable[[FieldBuild], FieldBuild]:
        """Register a function as :meth:`field` does, for tags of which different subfields are read.

        ``reads`` are the subfield codes of each tag, with a ``t`` before the tag: ``t700="abcd", t710="ab"``.
        """
        return self._register(tuple((tag[1:], codes) for tag, codes in reads.items()), writes, per_record=False)

    def record(self, writes: str, **reads: str) -> Callable[[RecordBuild], RecordBuild]:
        """Register a function of the view, called once for a record that has one of the tags read.

        ``reads`` as for :meth:`fields`; ``tLDR=""`` is the leader, which every record has.
        """
        return self._register(tuple((tag[1:], codes) for tag, codes in reads.items()), writes, per_record=True)

    def _register(self, reads: tuple[tuple[str, str], ...], writes: str, per_record: bool) -> Callable[[Any], Any]:
        if not reads:
            raise ValueError("a rule must state the tags that it reads")

        def register(build: Callable[..., Elements]) -> Callable[..., Elements]:
            self._rules.append(Rule(reads, writes, build, per_record))
            return build

        return register

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules so far, in the order of registration."""
        return tuple(self._rules)


class RuleSet:
    """The rules of one flavour, book by book in the order of their results.

    ``private`` maps tags to the codes of subfields that are kept, but not published (``EVERY``: those that no rule
    reads); local tags (with a 9) and subfields (``$9``) are private unless a rule reads them. ``structural`` are
    subfield codes that carry no content in any field. ``reasons`` maps patterns of subfields (``040$[cd]``) to the
    reasons why no rule reads them. ``private_by_indicator`` are the tags of fields that a first indicator 0 makes
    private.
    """

    def __init__(
        self,
        books: Iterable[RuleBook],
        private: Mapping[str, str] | None = None,
        structural: str = "",
        reasons: Mapping[str, str] | None = None,
        private_by_indicator: Container[str] = (),
    ) -> None:
        self.rules = RuleBook(*books).rules
        self._private_by_indicator = private_by_indicator
        self.private: Mapping[str, str] = dict(private or {})
        self.reasons: Mapping[str, str] = dict(reasons or {})
        self._structural = frozenset(structural)
        self._steps: list[tuple[Rule, str]] = []
        self._steps_of_tag: dict[str, list[int]] = {}
        self._read: dict[str, set[str]] = {}
        for rule in self.rules:
            for tag, codes in rule.reads:
                self._read.setdefault(tag, set()).update(codes or EVERY)
                if not rule.per_record or tag == rule.reads[0][0]:
                    self._steps.append((rule, tag))
                self._steps_of_tag.setdefault(tag, []).append(len(self._steps) - 1)
        self._mapped = {tag: frozenset(code for code in _CODES if self._is_mapped(tag, code)) for tag in self._read}

    def convert(self, view: View[Any]) -> Converted:
        """Convert a record, and account for what is not in the MODS. Raises ``CrosswalkError``, as :meth:`build`."""
        mods = self.build(view)
        unmapped, private = self.account(view)
        return Converted(mods, unmapped, private, tuple(view.warnings))

    def build(self, view: View[Any]) -> Mods:
        """Run the rules, and put their elements into one MODS. Raises ``CrosswalkError``, as :meth:`run`."""
        return collected(self.run(view))

    def account(self, view: View[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the subfields that no rule has written, unmapped and private, after :meth:`run`."""
        unmapped, private = list(view.unmapped), list(view.private)
        self._account(view.record.all_fields, view, "", unmapped, private)
        return tuple(unmapped), tuple(private)

    def run(self, view: View[Any]) -> list[msgspec.Struct]:
        """Run those rules for which the record has fields; return their elements in the order of the rules.

        Raises ``CrosswalkError`` for any exception in a rule, with the name of the rule.
        """
        element: list[msgspec.Struct] = []
        needed: set[int] = set(self._steps_of_tag.get(LEADER, ()))
        for tag in view.tags:
            if tag in self._steps_of_tag:
                needed.update(self._steps_of_tag[tag])
        for position in sorted(needed):
            rule, tag = self._steps[position]
            try:
                if rule.per_record:
                    element += rule.build(view)
                elif view.is_linked(tag):
                    element += _build_linked(rule, tag, view)
                else:
                    for field in view.tagged(tag):
                        element += rule.build(field, view)
            except (RecordError, MemoryError):
                raise
            except Exception as error:
                reason = failure_reason(f"rule {rule.name} for {rule.writes}", error)
                number = view.record.control_number
                raise CrosswalkError(view.record.origin, reason, control_number=number) from error
        return element

    def _account(
        self,
        fields: Iterable[ControlField | DataField],
        view: View[Any],
        within: str,
        unmapped: list[str],
        private: list[str],
    ) -> None:
        """List every subfield that is not in the MODS; one of an embedded field is named ``461/200$a``."""
        is_private, link = view.conventions.is_private, view.conventions.link
        for field in fields:
            tag = field.tag
            if isinstance(field, ControlField):
                if not self._is_mapped(tag, ""):
                    (private if self._is_private(tag, "") else unmapped).append(within + tag)
                continue
            if tag not in self._read and link is not None:
                # only a tag that no rule reads can stand for another
                linked = link(field)
                tag = linked.field.tag if linked is not None else tag
            if is_private is not None and is_private(field):
                private += [
                    f"{within}{field.tag}${subfield.code}"
                    for subfield in field.subfields
                    if subfield.code not in self._structural or subfield.code in self.private.get(tag, ())
                ]
            else:
                mapped = self._mapped.get(tag, frozenset())
                for subfield in field.subfields:
                    code = subfield.code
                    if code not in mapped and not self._is_mapped(tag, code):
                        (private if self._is_private(tag, code) else unmapped).append(f"{within}{field.tag}${code}")
            if field.embedded:
                self._account(field.embedded, view, f"{within}{field.tag}/", unmapped, private)

    def _is_mapped(self, tag: str, code: str) -> bool:
        """Whether a subfield (``code`` empty: a control field) is read and published, or carries no content."""
        codes = self._read.get(tag, ())
        is_read = EVERY in codes or code in codes or code in self._structural
        return is_read and code not in tuple(self.private.get(tag, ()))

    def _is_private(self, tag: str, code: str) -> bool:
        codes = self.private.get(tag, "")
        is_local = code == _LOCAL or tag.startswith(_LOCAL) or (_LOCAL in tag and tag not in self._read)
        return is_local or EVERY in codes or code in tuple(codes)

    def is_withheld(self, field: Field) -> bool:
        """Whether the format makes a field private by its indicator, so that no configuration may publish it."""
        return isinstance(field, DataField) and field.indicator1 == "0" and field.tag in self._private_by_indicator

    def reason_to_skip(self, tag: str, codes: str) -> str:
        """Return why a configuration cannot publish any of these subfields (none: all of the field), empty if it can.

        That are those which the rules publish already, and those which the format makes private: a local field or
        subfield, which is private unless a rule reads it, may be published by its library.
        """
        if not codes and tag.startswith("00") and tag not in self._read:
            return ""
        reasons = [self._reason_to_skip(tag, code) for code in codes or _CODES]
        return reasons[0] if all(reasons) else ""

    def _reason_to_skip(self, tag: str, code: str) -> str:
        withheld = self.private.get(tag, "")
        is_local = _LOCAL in tag and tag not in self._read
        if not is_local and (withheld == EVERY or code in withheld):
            return f"the format makes {tag}${code} private"
        return f"{tag}${code} is published already" if self._is_mapped(tag, code) else ""

    def reason_of(self, name: str) -> str:
        """Return why no rule reads a subfield; empty if nothing is known about it."""
        own = name.rpartition("/")[2]
        return next((reason for pattern, reason in self.reasons.items() if fnmatchcase(own, pattern)), "")


def failure_reason(what: str, error: Exception) -> str:
    """Return the reason for rejecting a record on which ``what`` raised an exception that is not a ``RecordError``."""
    return f"{what} failed with {type(error).__name__}: {error}; report this fault of the crosswalk with the record"


def _build_linked(rule: Rule, tag: str, view: View[Any]) -> Iterator[msgspec.Struct]:
    """Build elements from fields in several scripts, and mark them with ``altRepGroup`` and ``script``.

    A related item itself has no ``altRepGroup``: a field and its counterpart give one item, which contains titles,
    names … in both scripts.
    """
    result: list[msgspec.Struct] = []
    item_of_group: dict[str, int] = {}
    for field in view.tagged(tag):
        linkage = view.linkage(field)
        for element in rule.build(field, view):
            if linkage is None or not isinstance(element, Element):
                result.append(element)
            elif not isinstance(element, RelatedItem):
                result.append(linkage.mark(element))
            elif not view.marks_related_items:
                result.append(element)
            else:
                item = replace(element, mods=_mark_children(element.mods, linkage))
                group = linkage.alt_rep_group
                if group is not None and group in item_of_group:
                    result[item_of_group[group]] = _merge_items(result[item_of_group[group]], item)
                    continue
                if group is not None:
                    item_of_group[group] = len(result)
                result.append(item)
    yield from result


_WITH_SCRIPT = ("title_info", "name", "origin_info", "physical_description", "note")


def _mark_children(mods: Mods, linkage: Linkage) -> Mods:
    changes = {kind: tuple(map(linkage.mark, getattr(mods, kind))) for kind in _WITH_SCRIPT if getattr(mods, kind)}
    return replace(mods, **changes)


def _merge_items(left: Any, right: RelatedItem) -> RelatedItem:  # noqa: ANN401
    both = {}
    for kind in Mods.elements:
        values = getattr(left.mods, kind)
        both[kind] = values + tuple(value for value in getattr(right.mods, kind) if value not in values)
    merged: RelatedItem = replace(left, mods=Mods(**both))
    return merged


_LINKED = "880"


class SubfieldCoverage(msgspec.Struct, frozen=True):
    """What became of one subfield of one flavour.

    ``name`` is ``245$a``, ``461/200$a`` for one of an embedded field, ``008`` for a control field, or the name of a
    column. ``seen`` counts its occurrences; ``mapped``, ``private`` (kept, not published) and ``unmapped`` are parts of
    it. ``writes`` describes the MODS that the rules which read it make; ``reason`` explains why no rule reads it.
    """

    flavour: str
    name: str
    seen: int
    mapped: int
    private: int
    unmapped: int
    writes: tuple[str, ...]
    reason: str = ""


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
            reason = written.reason_of(flavour, name) if unmapped else ""
            yield SubfieldCoverage(flavour, name, seen, mapped, private, unmapped, writes, reason)


class Writes:
    """Describes what rules make of a subfield; ``rule_sets`` are the rules of each flavour that has some."""

    def __init__(self, rule_sets: Mapping[str, RuleSet]) -> None:
        self._rule_sets = rule_sets
        self._writes: dict[tuple[str, str], dict[str, list[str]]] = {}
        for flavour, rule_set in rule_sets.items():
            for rule in rule_set.rules:
                for tag, codes in rule.reads:
                    by_code = self._writes.setdefault((flavour, tag), {})
                    for code in [EVERY] if codes == EVERY else list(codes) or [""]:
                        by_code.setdefault(code, []).append(rule.writes)

    def by(self, flavour: str, name: str) -> tuple[str, ...]:
        """Describe the MODS made of a subfield; for one of an embedded field, within the MODS made of its field."""
        if flavour not in self._rule_sets:
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

    def reason_of(self, flavour: str, name: str) -> str:
        """Return why no rule of a flavour reads a subfield; empty if nothing is known about it."""
        return self._rule_sets[flavour].reason_of(name) if flavour in self._rule_sets else ""


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
