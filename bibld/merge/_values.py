"""The values of an element in a cluster: which forms are one value, and which form is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from bibld.merge._similarity import IsShorterForm, Similarity
from bibld.model.linkage import Spelling, ValueSource
from bibld.model.mods import (
    Abstract,
    Classification,
    Date,
    Edition,
    Extent,
    Form,
    Genre,
    Identifier,
    Language,
    Name,
    Note,
    Publisher,
)
from bibld.model.mods_plan import words_of
from bibld.model.origin import RecordId
from bibld.protocols import Holder, Statement
from bibld.text.folding import fold_or_tidy, tidy
from bibld.text.languages import usual_script
from bibld.text.scripts import LATIN, has_latin, has_non_latin, repair_lookalikes


class PublicationScript:
    """The script of a publication, known from its languages.

    ``is_sure``: all of its languages are written in Latin, or none is.
    """

    __slots__ = ("_is_latin", "is_known", "is_sure")

    def __init__(self, languages: Iterable[Language]) -> None:
        are_latin = [
            usual_script(term.value) == LATIN
            for language in languages
            if language.object_part is None
            for term in language.language_term
            if term.type == "code"
        ]
        self.is_known = bool(are_latin)
        self._is_latin = all(are_latin)
        self.is_sure = self.is_known and any(are_latin) == self._is_latin

    def is_original(self, words: str) -> bool | None:
        """Whether words are in the script of the publication; None if that is not known or they have no letters."""
        if not self.is_known:
            return None
        if has_non_latin(words):
            return not self._is_latin
        return self._is_latin if has_latin(words) else None


Wording = tuple[RecordId, str]
"""A record and words of it."""


def letters_and_digits(words: str) -> str:
    """Return the folded words without blanks: words that are equal in these are spellings of each other."""
    return fold_or_tidy(words).replace(" ", "")


class SourceList:
    """The sources of the values of one merged description."""

    def __init__(self) -> None:
        self.sources: list[ValueSource] = []

    def add(
        self, path: str, records: Iterable[RecordId], words: str = "", spellings: tuple[Spelling, ...] = ()
    ) -> None:
        """Add the records that have the value at a path (or words that are not shown), and other spellings of it."""
        self.sources.append(ValueSource(path, tuple(sorted(set(records))), words, spellings))

    def add_forms(self, path: str, records: Iterable[RecordId], wordings: Sequence[Wording], shown: str) -> None:
        """Add the records that have a value that is shown, and all other forms of it."""
        own, other_forms, spellings = letters_and_digits(shown), list[Wording](), list[Wording]()
        for record, words in wordings:
            if words and words != shown:
                (spellings if letters_and_digits(words) == own else other_forms).append((record, words))
        self.add(path, records, spellings=_group_spellings(spellings, shown))
        self.add_not_shown(path, other_forms)

    def add_not_shown(self, path: str, wordings: Iterable[Wording]) -> None:
        """Add what records have in place of what is shown at a path."""
        groups: dict[str, list[Wording]] = {}
        for record, words in wordings:
            if words:
                groups.setdefault(letters_and_digits(words), []).append((record, words))
        for number, group in enumerate(groups.values(), 1):
            words = group[0][1]
            self.add(f"{path}#{number}", (record for record, _ in group), words, _group_spellings(group, words))


def _group_spellings(wordings: Iterable[Wording], shown: str) -> tuple[Spelling, ...]:
    """Return the spellings other than the one that is shown, each with its records."""
    records: dict[str, set[RecordId]] = {}
    for record, words in wordings:
        if words != shown:
            records.setdefault(words, set()).add(record)
    return tuple(Spelling(words, tuple(sorted(holders))) for words, holders in records.items())


Entry = tuple[int, Holder, Any]
"""A form with the record that has it, numbered in the order of the cluster."""

_MAX_COMPARED = 60
"""Names of one cluster that are compared each with each."""
_TEXTS = frozenset((Abstract, Classification, Date, Edition, Extent, Form, Genre, Identifier, Note, Publisher))
"""Elements without other elements in them."""


class Value:
    """One value: its forms with their records; ``fullest`` are the forms that none is fuller than."""

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
        """The records that have it."""
        return {holder.record for _, holder, _ in self.entries}

    @property
    def wordings(self) -> list[Wording]:
        """Each record with the words of its form."""
        return [(holder.record, wording_of(form)) for _, holder, form in self.entries]

    @property
    def shown(self) -> Any:  # noqa: ANN401
        """The fullest form; the oldest of those that are equally full."""
        if self._shown is None:
            first = self.fullest[0]
            is_one = all(form is first or form == first for form in self.fullest)
            self._shown = first if is_one else max(self.fullest, key=fullness)
        return self._shown

    def unite(self, others: Iterable[Value]) -> None:
        """Take over the forms of values that are this one, as equally full."""
        for value in others:
            self.fullest += value.fullest
            self.absorb([value])
        self._shown = None

    def prefer_originals(self, script: PublicationScript) -> None:
        """Show a form in the script of the publication, if there is one."""
        if originals := [form for form in self.fullest if script.is_original(wording_of(form))]:
            self.fullest, self._shown = originals, None

    def absorb(self, shorter: Iterable[Value]) -> None:
        """Take over the forms of values of which this is the only fuller form."""
        for value in shorter:
            self.entries += value.entries
        self.entries.sort(key=itemgetter(0))


def wording_of(form: Any) -> str:  # noqa: ANN401
    """Return the words of a form; of a name those of its heading, since roles do not make it another name."""
    if type(form) in _TEXTS:
        return tidy(form.value)
    return words_of(form.name_part or form.display_form) if isinstance(form, Name) else words_of(form)


def fullness(form: Any) -> tuple[bool, int, int]:  # noqa: ANN401
    """Return how full a form is: hyphens in a number count for it, marks of doubt around a date count against it.

    Each form is less full than those without a word in letters of two scripts, such as ``Тёмныe`` with a Latin e.
    """
    words = wording_of(form)
    marks = len(words) if isinstance(form, Identifier) else -len(words) if isinstance(form, Date) else 0
    return is_in_one_script(words), len(letters_and_digits(words)), marks


def is_in_one_script(words: str) -> bool:
    """Whether no word is misspelt with letters of another script that look the same."""
    return repair_lookalikes(words) == words


def values_of(statements: Iterable[Statement], similarity: Similarity) -> list[Value]:
    """Return the values of an element, in the order in which the records of the cluster first have them.

    A value that can be a shorter form of exactly one other value is absorbed by it.
    """
    found: dict[Hashable, Value] = {}
    number = 0
    for statement in statements:
        for form in statement.values:
            value = found.setdefault(similarity.key(form), Value())
            value.entries.append((number, statement.holder, form))
            value.fullest.append(form)
            number += 1
    values = list(found.values())
    if similarity.is_shorter_form is None or len(values) == 1:
        return values
    values = _absorb_shorter(values, similarity, similarity.is_shorter_form)
    can_be_one = similarity.can_be_one
    return values if can_be_one is None else unite(values, lambda one, other: can_be_one(one.shown, other.shown))


def _absorb_shorter(values: list[Value], similarity: Similarity, is_shorter_form: IsShorterForm) -> list[Value]:
    """Return the values without those that can be a shorter form of exactly one other, which takes over their forms."""
    buckets: dict[Hashable, list[Value]] = {}
    for value in values:
        buckets.setdefault(similarity.bucket(value.shown) if similarity.bucket else None, []).append(value)
    absorbed: dict[int, list[Value]] = {}
    is_absorbed: set[int] = set()
    for bucket in buckets.values():
        for value, fuller in _shorter_and_fuller(bucket, is_shorter_form) if len(bucket) > 1 else ():
            absorbed.setdefault(id(fuller), []).append(value)
            is_absorbed.add(id(value))
    if not is_absorbed:
        return values
    remaining = [value for value in values if id(value) not in is_absorbed]
    for value in remaining:
        value.absorb(absorbed.get(id(value), ()))
    return sorted(remaining, key=lambda value: value.entries[0][0])


def _shorter_and_fuller(values: Sequence[Value], is_shorter_form: IsShorterForm) -> Iterable[tuple[Value, Value]]:
    """Yield each value that has exactly one fuller one, among those that no other is fuller than, and that one.

    Values that one record has side by side are different values and are not joined.
    """
    fuller = [
        [
            other
            for other, long in enumerate(values)
            if other != number
            and is_shorter_form(short.shown, long.shown)
            and not have_different_identifiers(short.fullest, long.fullest)
        ]
        for number, short in enumerate(values)
    ]
    shorter: dict[int, list[int]] = {}
    for number, found in enumerate(fuller):
        fullest = [other for other in found if not fuller[other]]
        if len(fullest) == 1:
            shorter.setdefault(fullest[0], []).append(number)
    for long, shorts in shorter.items():
        counts = Counter(record for number in (long, *shorts) for record in values[number].records)
        for number in shorts:
            if all(counts[record] == 1 for record in values[number].records):
                yield values[number], values[long]


def unite(values: list[Value], can_be_one: Callable[[Value, Value], bool]) -> list[Value]:
    """Return the values, with those that can be one as one: all of them with each other, and each of other records."""
    if not 1 < len(values) <= _MAX_COMPARED:
        return values
    partners = [
        frozenset(
            other
            for other, two in enumerate(values)
            if other == number
            or (
                one.records.isdisjoint(two.records)
                and can_be_one(one, two)
                and not have_different_identifiers(one.fullest, two.fullest)
            )
        )
        for number, one in enumerate(values)
    ]
    partners = [_in_one_script(number, group, values) for number, group in enumerate(partners)]
    united = []
    for number, value in enumerate(values):
        group = partners[number]
        if len(group) > 1 and all(partners[other] == group for other in group):
            if number != min(group):
                continue
            value.unite([values[other] for other in sorted(group) if other != number])
        united.append(value)
    return united


def _in_one_script(number: int, group: frozenset[int], values: Sequence[Value]) -> frozenset[int]:
    """Leave out of a group the romanisations that records have beside a form in the script of the value."""
    is_latin = [has_latin(wording_of(value.shown)) for value in values]
    own = [other for other in group if other != number and is_latin[other] == is_latin[number]]
    records = {record for other in own for record in values[other].records}
    return frozenset(
        other
        for other in group
        if other == number or is_latin[other] == is_latin[number] or not values[other].records <= records
    )


def have_different_identifiers(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether one authority file gives two names different identifiers; ``local`` and no type are no file."""
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


def put_originals_first(
    values: Sequence[Value], chosen: Sequence[Value], similarity: Similarity, script: PublicationScript
) -> list[Value]:
    """Return the chosen values with each form in the script of the publication before its romanisation.

    If only the romanisation was chosen, it becomes a form of the value in the script of the publication.
    """
    if similarity.parallel_key is None or len(values) < 2 or not script.is_known:
        return list(chosen)
    is_original = {id(value): _is_original(value, script) for value in values}
    if len(set(is_original.values()) - {None}) < 2:
        return list(chosen)
    found = [
        (place, parallel, value)
        for value in values
        if is_original[id(value)]
        for place, parallel in enumerate(_parallel_keys(value, similarity))
    ]
    originals: dict[Hashable, Value] = {}
    for _, parallel, value in sorted(found, key=lambda one: one[0] > 0):
        originals.setdefault(parallel, value)
    is_chosen = set(map(id, chosen))
    placed: dict[int, Value] = {}
    for value in chosen:
        if is_original[id(value)] is False:
            parallels = _parallel_keys(value, similarity)
            original = next((originals[parallel] for parallel in parallels if parallel in originals), value)
            placed.setdefault(id(original), original)
            if id(original) not in is_chosen:
                original.absorb([value])
                continue
        placed.setdefault(id(value), value)
    return list(placed.values())


def _is_original(value: Value, script: PublicationScript) -> bool | None:
    """Whether a value has a form in the script of the publication; None if that is not known."""
    found = script.is_original(wording_of(value.shown))
    if found is False and any(script.is_original(wording_of(form)) for form in value.fullest if form != value.shown):
        return True
    return found


def _parallel_keys(value: Value, similarity: Similarity) -> list[Hashable]:
    """Return the keys that a value shares with its forms in another script, that of the shown form first."""
    assert similarity.parallel_key is not None
    keys = dict.fromkeys(similarity.parallel_key(form) for form in (value.shown, *value.forms))
    return [key for key in keys if key is not None]
