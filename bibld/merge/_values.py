"""The values of an element in a whole cluster: which forms are one value, and which form is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from bibld.merge._keys import plain
from bibld.merge._likeness import Likeness, Within
from bibld.merge._script import Script
from bibld.model.mods import (
    Abstract,
    Classification,
    Date,
    Edition,
    Extent,
    Form,
    Genre,
    Identifier,
    Name,
    Note,
    Publisher,
)
from bibld.model.mods_words import words_of
from bibld.model.origin import RecordId
from bibld.protocols import Holder, Statement
from bibld.text.folding import tidy

Entry = tuple[int, Holder, Any]
"""A form with its holder, numbered in the order of the cluster."""


class Value:
    """One value: its forms, and who holds it in which; ``fullest`` are the forms that none is fuller than."""

    __slots__ = ("_shown", "entries", "fullest")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fullest: list[Any] = []
        self._shown: Any = None

    @property
    def forms(self) -> list[Any]:
        """The forms of the value, the oldest record's first."""
        return [form for _, _, form in self.entries]

    @property
    def records(self) -> set[RecordId]:
        """Who holds it."""
        return {holder.record for _, holder, _ in self.entries}

    @property
    def shown(self) -> Any:  # noqa: ANN401
        """The form that says most; of several the oldest."""
        if self._shown is None:
            first = self.fullest[0]
            is_one = all(form is first or form == first for form in self.fullest)
            self._shown = first if is_one else max(self.fullest, key=fullness)
        return self._shown

    def absorb(self, shorter: Iterable[Value]) -> None:
        """Take in the forms of values of which this is the only fuller form."""
        for value in shorter:
            self.entries += value.entries
        self.entries.sort(key=itemgetter(0))


_TEXTS = frozenset((Abstract, Classification, Date, Edition, Extent, Form, Genre, Identifier, Note, Publisher))
"""Elements without others in them."""


def words_said(form: Any) -> str:  # noqa: ANN401
    """The words of a form; of a name those of its heading, since roles make no other name of it."""
    if type(form) in _TEXTS:
        return tidy(form.value)
    return words_of(form.name_part or form.display_form) if isinstance(form, Name) else words_of(form)


def fullness(form: Any) -> tuple[int, int]:  # noqa: ANN401
    """How much a form says; hyphens in a number count, marks of doubt around a date count against it."""
    words = words_said(form)
    marks = len(words) if isinstance(form, Identifier) else -len(words) if isinstance(form, Date) else 0
    return len(plain(words).replace(" ", "")), marks


def values_of(statements: Iterable[Statement], likeness: Likeness) -> list[Value]:
    """The values of an element, in the order in which the records of the cluster first have them."""
    found: dict[Hashable, Value] = {}
    number, key = 0, likeness.key
    for statement in statements:
        for form in statement.values:
            value = found.setdefault(key(form), Value())
            value.entries.append((number, statement.holder, form))
            value.fullest.append(form)
            number += 1
    values = list(found.values())
    if likeness.within is None or len(values) == 1:
        return values
    return _absorbed(values, likeness, likeness.within)


def _absorbed(values: list[Value], likeness: Likeness, within: Within) -> list[Value]:
    """Values that can be a shorter form of exactly one other value are that value."""
    buckets: dict[Hashable, list[Value]] = {}
    for value in values:
        buckets.setdefault(likeness.bucket(value.shown) if likeness.bucket else None, []).append(value)
    absorbed: dict[int, list[Value]] = {}
    gone: set[int] = set()
    for bucket in buckets.values():
        for value, fuller in _only_fuller(bucket, within) if len(bucket) > 1 else ():
            absorbed.setdefault(id(fuller), []).append(value)
            gone.add(id(value))
    if not gone:
        return values
    kept = [value for value in values if id(value) not in gone]
    for value in kept:
        value.absorb(absorbed.get(id(value), ()))
    kept.sort(key=lambda value: value.entries[0][0])
    return kept


def _only_fuller(values: Sequence[Value], within: Within) -> Iterable[tuple[Value, Value]]:
    """Each value that has exactly one fuller one, of those that no other is fuller than, and that one.

    What one record has side by side it tells apart: it is not made one.
    """
    fuller = [
        [other for other, long in enumerate(values) if other != number and _is_within(short, long, within)]
        for number, short in enumerate(values)
    ]
    greatest = [[other for other in found if not fuller[other]] for found in fuller]
    shorter: dict[int, list[int]] = {}
    for number, found in enumerate(greatest):
        if len(found) == 1:
            shorter.setdefault(found[0], []).append(number)
    for long, shorts in shorter.items():
        held = Counter(record for number in (long, *shorts) for record in values[number].records)
        for number in shorts:
            if all(held[record] == 1 for record in values[number].records):
                yield values[number], values[long]


def _is_within(short: Value, long: Value, within: Within) -> bool:
    return within(short.shown, long.shown) and not _are_told_apart(short.fullest, long.fullest)


def _are_told_apart(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether one authority file gives the names different identifiers; ``local`` and no type are no file."""
    if not isinstance(one[0], Name):
        return False
    here, there = _identifiers(one), _identifiers(other)
    return any(kind in there and not numbers & there[kind] for kind, numbers in here.items())


def _identifiers(names: Sequence[Name]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name in names:
        for identifier in name.name_identifier:
            if identifier.type not in (None, "local") and identifier.invalid is None:
                found.setdefault(identifier.type, set()).add(identifier.value)
    return found


def with_originals_first(
    values: Sequence[Value], chosen: Sequence[Value], likeness: Likeness, script: Script
) -> list[Value]:
    """The chosen ones of all values, where a form in the script of the publication stands before its romanisation.

    Where only the romanisation was chosen, it is taken for a form of the value in the script of the publication.
    """
    if likeness.parallel is None or len(values) < 2 or not script.is_known:
        return list(chosen)
    is_original = {id(value): _is_original(value, script) for value in values}
    if len(set(is_original.values()) - {None}) < 2:
        return list(chosen)
    found = [
        (place, parallel, value)
        for value in values
        if is_original[id(value)]
        for place, parallel in enumerate(_parallels(value, likeness))
    ]
    originals: dict[Hashable, Value] = {}
    for _, parallel, value in sorted(found, key=lambda one: one[0] > 0):
        originals.setdefault(parallel, value)
    is_chosen = set(map(id, chosen))
    placed: dict[int, Value] = {}
    for value in chosen:
        if is_original[id(value)] is False:
            meant = (originals[parallel] for parallel in _parallels(value, likeness) if parallel in originals)
            original = next(meant, value)
            if id(original) not in is_chosen:
                original.absorb([value])
                placed.setdefault(id(original), original)
                continue
            placed.setdefault(id(original), original)
        placed.setdefault(id(value), value)
    return list(placed.values())


def _is_original(value: Value, script: Script) -> bool | None:
    """Whether a value has a form in the script of the publication; None where that cannot be told."""
    found = script.is_original(words_said(value.shown))
    if found is False and any(script.is_original(words_said(form)) for form in value.fullest if form != value.shown):
        return True
    return found


def _parallels(value: Value, likeness: Likeness) -> list[Hashable]:
    """What a value has in common with those in another script, by the form that is shown before all others."""
    assert likeness.parallel is not None
    found = dict.fromkeys(likeness.parallel(form) for form in (value.shown, *value.forms))
    return [parallel for parallel in found if parallel is not None]
