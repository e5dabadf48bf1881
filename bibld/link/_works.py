"""How probable it is that an authority record describes a work: its title, its creators, and what contradicts.

A link needs a title and a creator that agree. A title alone, or a creator in initials without dates, waits for a
person. What the record cannot be is excluded: another creator, another language, the original of a translation, the
whole of a volume.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bibld.link._names import Life, NameRelation, compare_names, heading_key, life_of, person_name, without_dates
from bibld.link._values import AuthorityRecord, Creator, Match, Profile
from bibld.text.work_titles import work_title_key

_WITH_YEARS = {
    NameRelation.EQUAL: 0.995,
    NameRelation.INITIALS: 0.985,
    NameRelation.SHORTENED: 0.985,
    NameRelation.RESPELLED: 0.975,
    NameRelation.SINGLE: 0.98,
}
"""Title and a creator with a common year of birth or death agree, by the relation of the names."""

_WITHOUT_YEARS = {
    NameRelation.EQUAL: 0.97,
    NameRelation.INITIALS: 0.85,
    NameRelation.SHORTENED: 0.9,
    NameRelation.RESPELLED: 0.8,
    NameRelation.SINGLE: 0.85,
}
_TITLE_ALONE, _GENERIC_TITLE = 0.6, 0.5
_KIND_NOT_STATED = 0.8
_VARIANT_TITLE = 0.99
"""What a confidence is multiplied with if the preferred title of neither is that of the other."""


def compare_work(profile: Profile, record: AuthorityRecord) -> Match | None:
    """Compare a work of the catalogue with an authority record; None if the record cannot be about it."""
    title = _common_title(profile, record)
    if title is None or profile.is_part:
        return None
    if record.work_language:
        if profile.languages and record.work_language not in profile.languages:
            return None
    elif profile.is_version:
        return None
    evidence = [f"title: {title}"]
    if record.creators and profile.creators:
        found = max(_compare_creators(profile.creators, record.creators), default=None)
        if found is None:
            return None
        confidence, reason = found
        evidence.append(reason)
    else:
        confidence = _TITLE_ALONE
        evidence.append("no creator to compare")
    if work_title_key(title).is_generic:
        confidence = min(confidence, _GENERIC_TITLE)
        evidence.append("many works have this title")
    if heading_key(title) != heading_key(profile.labels[0][0]):
        confidence *= _VARIANT_TITLE
        evidence.append("it is not the preferred title here")
    if record.kind == "":
        confidence = min(confidence, _KIND_NOT_STATED)
        evidence.append("the file does not state what the record describes")
    return Match(record, round(confidence, 4), tuple(evidence))


def _common_title(profile: Profile, record: AuthorityRecord) -> str | None:
    """Return the first title of the work that is also one of the record, in any spelling; None without one."""
    keys = {work_title_key(title).text for title in record.titles} - {""}
    return next((text for text, _ in profile.labels if work_title_key(text).text in keys), None)


def _compare_creators(these: Iterable[Creator], those: Iterable[str]) -> Iterator[tuple[float, str]]:
    """Yield confidence and reason for each pair of creators that may be the same."""
    others = [(name, life_of(name)) for name in those]
    for creator in these:
        lives = [life_of(dates) for dates in creator.dates] or [Life()]
        for name in creator.names:
            for other, life in others:
                relation = _compare_creator(without_dates(name), without_dates(other))
                if relation is NameRelation.DIFFERENT or all(_differ(life, one) for one in lives):
                    continue
                has_year = any(_have_common_year(life, one) for one in lives)
                confidence = (_WITH_YEARS if has_year else _WITHOUT_YEARS)[relation]
                yield confidence, f"creator, {relation.value}: {other}"


def _compare_creator(one: str, other: str) -> NameRelation:
    """Compare two names of persons or bodies."""
    if heading_key(one) == heading_key(other):
        return NameRelation.EQUAL
    return compare_names(person_name(one), person_name(other))


def _differ(one: Life, other: Life) -> bool:
    return any(left and right and left != right for left, right in ((one.born, other.born), (one.died, other.died)))


def _have_common_year(one: Life, other: Life) -> bool:
    return any(left and left == right for left, right in ((one.born, other.born), (one.died, other.died)))
