"""Which works are the same: comparison of the facts of two works, and what a tie between works unites.

Works with a common tie are compared in pairs. Those that agree in all that is known are united first; then those of
which one does not state its creators or its translator, if they fit one work and no other that has the tie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import combinations

from bibld.text.names import are_spellings_of_one_name
from bibld.text.part_units import DAY, MONTH, SEASON
from bibld.text.romanisation import romanise
from bibld.text.statements import StatedName, are_one_name, is_cyrillic_name
from bibld.triplify._claims import BETWEEN_FORMS, BODY, WorkFacts

MAX_WORKS_OF_TIE = 200
"""Works of one part with a common tie; more are not compared with each other."""

_REMEMBERED = 1 << 16
_STRICT, _ANY = "!", "?"
_SHORT, _MIN_WORDS, _MANY_WORDS = 3, 4, 4
_BY_ANOTHER_HAND = ("!abridged", "!retold", "!arranged", "!selection", "!dramatized")
_LAW, _SERIAL, _SET_OR_SERIAL, _YEAR_OF_LAW = "kind:law", "!serial", "?serial", "law of"
_YEARS_BETWEEN_LAWS = 20
_PERIODS = frozenset(("year", MONTH, SEASON, DAY))
"""What works may cover: all of it must be equal."""

_KINDS = ("genre", "kind")
_WITHOUT_LANGUAGE = ("music", "film")
"""Forms of works whose titles are in any language."""

_LISTS_OF_WORKS, _NUMBER_OF_MUSIC = ("op", "bwv", "k", "d", "rv", "hwv", "woo", "hob"), "no"
_CLASSIC, _GENRE = "?classic", "genre"
_INDIFFERENT = frozenset(
    romanise(
        "роман повес расск сказк пьеса комед траге драма поэма очерк novel tale story play drama comed roman "
        "povest illus илл "
        "издан edit испр пере стере ф-по четыр трех двух пяти four three two five cast част том книг глав общео "
        "средн школ учащ студе вузов"
    ).split()
)
"""Beginnings of words that editions of one work state or not."""


class Sameness(IntEnum):
    """What a comparison of two works shows."""

    DIFFERENT = 0
    UNKNOWN = 1
    POSSIBLE = 2
    SAME = 3


def compare(these: Sequence[WorkFacts], those: Sequence[WorkFacts]) -> Sameness:
    """Compare two works by all facts of each: the least similarity."""
    return min(
        (min(_compare_beside_creators(one, other), _compare_creators(one, other)) for one in these for other in those),
        default=Sameness.UNKNOWN,
    )


def differ_beside_creators(these: Sequence[WorkFacts], those: Sequence[WorkFacts]) -> bool:
    """Whether two works differ in anything but their creators."""
    return any(_compare_beside_creators(one, other) is Sameness.DIFFERENT for one in these for other in those)


def have_other_creators(these: Sequence[WorkFacts], those: Sequence[WorkFacts]) -> bool:
    """Whether two works have other creators."""
    return any(_compare_creators(one, other) is Sameness.DIFFERENT for one in these for other in those)


def have_same_creators(these: Sequence[WorkFacts], those: Sequence[WorkFacts]) -> bool:
    """Whether creators of two works agree."""
    return any(
        one.creators and other.creators and _compare_creators(one, other) is Sameness.SAME
        for one in these
        for other in those
    )


@lru_cache(_REMEMBERED)
def _compare_beside_creators(one: WorkFacts, other: WorkFacts) -> Sameness:
    if one.form != other.form or not _do_traits_agree(one, other):
        return Sameness.DIFFERENT
    if not _are_one_part(one.part, other.part) and not _has_title_of(one, other) and not _has_title_of(other, one):
        return Sameness.DIFFERENT
    if one.language and other.language and not set(one.language.split()) & set(other.language.split()):
        return Sameness.DIFFERENT
    if {one.origin, other.origin} == {"original", "translation"}:
        return Sameness.DIFFERENT
    found = _compare_translators(one, other)
    if one.form in _WITHOUT_LANGUAGE:
        return Sameness.DIFFERENT if _are_other_pieces(one, other) else found
    is_literature = _GENRE in _groups(one.traits) or _GENRE in _groups(other.traits)
    is_literature |= bool(one.translators and other.translators)
    if not is_literature and _differ_in_one_word(one.remainder, other.remainder):
        return Sameness.DIFFERENT
    if _have_other_remainders(one, other):
        return Sameness.DIFFERENT
    has_one = (len(one.remainder.split()) < _MIN_WORDS) != (len(other.remainder.split()) < _MIN_WORDS)
    if (
        has_one
        and not (one.remainder and other.remainder)
        and not (_has_person(one) or _has_person(other) or is_literature)
    ):
        return Sameness.UNKNOWN
    return min(found, Sameness.POSSIBLE) if _has_genre_alone(one, other) else found


def _have_common_number(one: WorkFacts, other: WorkFacts) -> bool:
    """Whether two works have one number in a list of the works of a composer."""
    these, those = _groups(one.traits), _groups(other.traits)
    return any(these.get(name, set()) & those.get(name, set()) for name in _LISTS_OF_WORKS)


def _are_other_pieces(one: WorkFacts, other: WorkFacts) -> bool:
    """Whether other title information in one script has nothing in common: songs under the title of an operetta."""
    scripts = {is_cyrillic_name(facts.creators[0]) if facts.creators else None for facts in (one, other)}
    these, those = ({word for word in facts.remainder.split() if len(word) > _SHORT} for facts in (one, other))
    return (
        len(scripts) == 1
        and min(len(these), len(those)) > 1
        and not these & those
        and not _have_common_number(one, other)
    )


def _have_other_remainders(one: WorkFacts, other: WorkFacts) -> bool:
    """Whether the other title information of two works has nothing in common, or less than half if no person wrote
    them: «COVID-19: …»."""
    these, those = ({word for word in facts.remainder.split() if len(word) > _SHORT} for facts in (one, other))
    common, least = len(these & those), min(len(these), len(those))
    if (one.translators and other.translators) or _is_named_by(one, other) or _is_named_by(other, one):
        return False
    if _has_person(one) or _has_person(other):
        is_of_kind = any(trait.startswith(_KINDS) for trait in (*one.traits, *other.traits))
        return (least > _SHORT - 1 and common * 2 < least and not is_of_kind) or (
            least >= _MANY_WORDS and (common * 3 < least if is_of_kind else common * 3 <= least * 2)
        )
    return least > 1 and common * 2 < least


def _is_named_by(one: WorkFacts, other: WorkFacts) -> bool:
    """Whether another title of the second work is the title of the first one."""
    return any(tie in other.variants and tie not in one.variants for tie in one.ties)


def _has_genre_alone(one: WorkFacts, other: WorkFacts) -> bool:
    """Whether one of two works is a play, poems or stories, and of the other no genre is known."""
    these, those = _groups(one.traits).get(_GENRE, set()), _groups(other.traits).get(_GENRE, set())
    return bool(these) != bool(those) and these | those != {"prose"}


def _differ_in_one_word(one: str, other: str) -> bool:
    """Whether other title information of some words is the same but for one: "winter term", "spring term"."""
    these, those = one.split(), other.split()
    if len(these) != len(those) or len(these) < 2:
        return False
    different = [
        (left, right)
        for left, right in zip(these, those, strict=True)
        if not left.startswith(right[:4]) and not right.startswith(left[:4])
    ]
    return len(different) == 1 and not any(len(word) > 2 and word[:5] in _INDIFFERENT for word in different[0])


def _are_one_part(one: str, other: str) -> bool:
    """Whether two designations may be of one part: equal values, of equal units as far as both state them."""
    if one == other:
        return True
    these, those = one.split(), other.split()
    return len(these) == len(those) and all(
        left == right or (value_of_step(left) == value_of_step(right) and (left[0].isdecimal() or right[0].isdecimal()))
        for left, right in zip(these, those, strict=True)
    )


def _has_title_of(volume: WorkFacts, other: WorkFacts) -> bool:
    """Whether the name of a volume is the title of a work that is no volume."""
    return bool(volume.part) and not other.part and any(_is_name_of(volume, tie) for tie in other.ties)


def _is_name_of(volume: WorkFacts, tie: str) -> bool:
    """Whether a tie is made of the name of a volume."""
    return f"name:{tie.split(' ')[1]}" in volume.traits


def value_of_step(step: str) -> str:
    """Return a step of a designation without its unit."""
    return step if step[:1].isdecimal() else step[1:]


def _do_traits_agree(one: WorkFacts, other: WorkFacts) -> bool:
    these, those = _groups(one.traits), _groups(other.traits)
    if _have_common_number(one, other):
        these = {group: values for group, values in these.items() if group != _NUMBER_OF_MUSIC}
    for group, values in these.items():
        if group[:1] == _STRICT:
            if group not in those and _ANY + group[1:] not in those:
                return False
        elif group == _YEAR_OF_LAW:
            if any(
                abs(int(year) - int(another)) > _YEARS_BETWEEN_LAWS
                for year in values
                for another in those.get(group, ())
            ):
                return False
        elif group in those and (values != those[group] if group in _PERIODS else not values & those[group]):
            return False
    if any(group[:1] == _STRICT and group not in these and _ANY + group[1:] not in these for group in those):
        return False
    has_period = not _PERIODS.isdisjoint((these.keys() | those.keys()) - {"year"})
    if has_period and "year" in these.keys() ^ those.keys():
        return False
    is_personal = _has_person(one) and _has_person(other)
    return is_personal or ("year" in these) == ("year" in those) or "meeting" in these.keys() & those.keys()


@lru_cache(_REMEMBERED)
def _groups(traits: tuple[str, ...]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for trait in traits:
        group, _, value = trait.partition(":")
        found.setdefault(group, set()).add(value)
    return found


def _has_person(facts: WorkFacts) -> bool:
    return any(not creator.startswith(BODY) for creator in facts.creators)


@lru_cache(_REMEMBERED)
def _compare_creators(one: WorkFacts, other: WorkFacts) -> Sameness:
    if not one.creators or not other.creators:
        return _compare_anonymous(one, other)
    first, second = one.creators[0], other.creators[0]
    is_first_in_other = any(are_one_creator(first, creator) for creator in other.creators)
    if is_first_in_other or any(are_one_creator(second, creator) for creator in one.creators):
        return Sameness.SAME
    return Sameness.UNKNOWN if first.startswith(BODY) != second.startswith(BODY) else Sameness.DIFFERENT


def _compare_anonymous(one: WorkFacts, other: WorkFacts) -> Sameness:
    """Compare works of which one at least has no creator."""
    if not _has_person(one) and not _has_person(other) and _are_of_one_meeting(one, other):
        return Sameness.SAME
    if one.creators or other.creators:
        return _compare_with_anonymous(*((one, other) if one.creators else (other, one)))
    if _LAW in one.traits and _LAW in other.traits:
        return Sameness.POSSIBLE
    is_of_serials = (
        all(_SERIAL in facts.traits or _SET_OR_SERIAL in facts.traits for facts in (one, other))
        and _SERIAL in (*one.traits, *other.traits)
        and not (_bodies(one) and _bodies(other))
    )
    if is_of_serials and any(tie.endswith(" ") for tie in {*one.ties} & {*other.ties}):  # specific titles
        return Sameness.POSSIBLE
    if (one.translators and other.translators) or (_CLASSIC in one.traits and _CLASSIC in other.traits):
        return Sameness.SAME
    these, those = ([*_persons(facts.others), *facts.translators] for facts in (one, other))
    if these and those:
        return Sameness.SAME if _have_common_person(these, those) else Sameness.UNKNOWN
    if one.origin == other.origin == "original":
        return Sameness.POSSIBLE
    if one.part and other.part:
        return Sameness.POSSIBLE
    is_possible = _CLASSIC in (*one.traits, *other.traits) or bool(set(one.others) & set(other.others))
    return Sameness.POSSIBLE if is_possible else Sameness.UNKNOWN


def _are_of_one_meeting(one: WorkFacts, other: WorkFacts) -> bool:
    these, those = _groups(one.traits), _groups(other.traits)
    return all(these.get(group, set()) & those.get(group, set()) for group in ("meeting", "year"))


def _compare_with_anonymous(named: WorkFacts, anonymous: WorkFacts) -> Sameness:
    """Compare a work that states its creators with one that does not."""
    if not named.creators[0].startswith(BODY):
        names = [form for creator in named.creators for form in creator.split(BETWEEN_FORMS)]
        if any(_are_one_person(form, name) for form in names for name in _persons(anonymous.others)):
            return Sameness.SAME
        if _have_common_person(_persons(named.others), _persons(anonymous.others)):
            return Sameness.SAME
        if anonymous.translators and named.translators:
            return Sameness.POSSIBLE
        has_others = bool(_persons(anonymous.others)) or anonymous.creators
        return Sameness.UNKNOWN if has_others else Sameness.POSSIBLE
    has_common = bool({*named.others, *named.creators} & set(anonymous.others))
    return Sameness.POSSIBLE if _LAW in named.traits or has_common else Sameness.UNKNOWN


def _have_common_person(these: Sequence[str], those: Sequence[str]) -> bool:
    """Whether two groups of persons have one in common, or two if both are of several."""
    common = sum(any(_are_one_person(left, right) for right in those) for left in these)
    return common >= min(len(these), len(those), 2) > 0


def _bodies(facts: WorkFacts) -> list[str]:
    return [name for name in facts.others if name.startswith(BODY)]


def _persons(others: Iterable[str]) -> list[str]:
    return [name for name in others if not name.startswith(BODY)]


def _compare_translators(one: WorkFacts, other: WorkFacts) -> Sameness:
    if one.translators and other.translators:
        is_common = any(_are_one_person(left, right) for left in one.translators for right in other.translators)
        return Sameness.SAME if is_common else Sameness.DIFFERENT
    if any(trait in one.traits and trait in other.traits for trait in _BY_ANOTHER_HAND):
        return Sameness.UNKNOWN
    if one.translators or other.translators or "translation" in (one.origin, other.origin):
        return Sameness.POSSIBLE
    return Sameness.SAME


@lru_cache(_REMEMBERED)
def are_one_creator(one: str, other: str) -> bool:
    """Whether two creators, each as all forms of its name, may be the same."""
    these, those = one.split(BETWEEN_FORMS), other.split(BETWEEN_FORMS)
    if these[0].startswith(BODY) or those[0].startswith(BODY):
        return any(_are_one_body(left, right) for left in these for right in those)
    return any(_are_one_person(left, right) for left in these for right in those)


def _are_one_body(one: str, other: str) -> bool:
    these, those = set(one.removeprefix(BODY).split()), set(other.removeprefix(BODY).split())
    return bool(these and those) and (these <= those or those <= these)


@lru_cache(_REMEMBERED)
def _are_one_person(one: str, other: str) -> bool:
    left, right = (StatedName(words[0], tuple(words[1:])) for words in (one.split(), other.split()))
    if are_one_name(left, right):
        return True
    are_in_one_script = is_cyrillic_name(one) == is_cyrillic_name(other)
    are_initials = bool(left.given and right.given) and min(len(left.given[0]), len(right.given[0])) == 1
    if are_in_one_script and are_initials and left.given[0][0] != right.given[0][0]:
        return False
    return are_spellings_of_one_name(_heading(left), _heading(right))


def _heading(name: StatedName) -> str:
    return f"{name.family.lstrip('*~')}, {' '.join(name.given)}"


def compared_pairs(
    facts: Mapping[str, Sequence[WorkFacts]],
    holders: Sequence[str],
    tie: str,
    known: dict[tuple[str, str], Sameness],
) -> Iterator[tuple[str, str, Sameness]]:
    """Yield the pairs of the works (their IRIs) with a tie that may be one, and what their comparison shows.

    ``known`` remembers what comparisons of pairs showed.
    """
    by_part: dict[str, list[str]] = defaultdict(list)
    for iri in holders:
        first = facts[iri][0]
        part = "" if _is_name_of(first, tie) else first.part
        by_part[" ".join(map(value_of_step, part.split()))].append(iri)
    for works in by_part.values():
        if len(works) > MAX_WORKS_OF_TIE:
            continue
        for pair in combinations(works, 2):
            these, those = facts[pair[0]], facts[pair[1]]
            if _is_title_of_one(these, those, tie):
                if pair not in known:
                    known[pair] = compare(these, those)
                if known[pair] >= Sameness.POSSIBLE:
                    yield (*pair, known[pair])


def _is_title_of_one(these: Sequence[WorkFacts], those: Sequence[WorkFacts], tie: str) -> bool:
    """Whether a tie is made of the title of one of two works, not of another title of both."""
    if not any(tie in facts.ties and tie not in facts.variants for facts in (*these, *those)):
        return False
    if any(tie in facts.variants for facts in (*these, *those)) and not any(
        _has_person(facts) or _CLASSIC in facts.traits for facts in (*these, *those)
    ):
        return False
    if not any(tie in facts.beginnings for facts in (*these, *those)):
        return True
    are_translated = all(any(facts.translators for facts in side) for side in (these, those))
    return are_translated or any(facts.origin == "original" for facts in (*these, *those))


def certain_pairs(pairs: Iterable[tuple[str, str]], may_unite: Callable[[str, str], bool]) -> list[tuple[str, str]]:
    """Return the pairs of works of which neither may be one with two works that contradict each other."""
    found = sorted(set(pairs))
    neighbours: dict[str, set[str]] = defaultdict(set)
    for one, other in found:
        neighbours[one].add(other)
        neighbours[other].add(one)
    ambiguous = {
        work
        for work, others in neighbours.items()
        if not all(may_unite(one, other) for one, other in combinations(sorted(others), 2))
    }
    return [pair for pair in found if ambiguous.isdisjoint(pair)]
