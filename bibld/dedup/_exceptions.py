"""Exceptions: why two records that look the same may not be.

Each is a small rule over the features of two records that gives a reason for a cataloguer, or nothing. *Hard* ones
decide: the records are related, not the same. The others are true of a few percent of real duplicates (a year misread,
a microform described as the book), so they only ask a person to look, and the scorer knows their fields anyhow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from bibld.model.features import BETWEEN, Features

_COMPONENTS = {"s": "a serial", "i": "an issue", "a": "an article or other part"}
_LEVELS = _COMPONENTS | {"m": "a monograph", "v": "a volume of a set", "c": "a set as a whole"}
_PRINTED = frozenset({"map", "score"})
_YEARS_APART = 2
_ALWAYS = ("nested_parts",)
_TITLE = 12


class Finding(msgspec.Struct, frozen=True):
    """An exception that holds for two records: its name, the relation it means, a sentence, whether it decides."""

    name: str
    relation: str
    reason: str
    is_hard: bool


class _Rule(msgspec.Struct, frozen=True):
    name: str
    relation: str
    is_hard: bool
    reason: Callable[[Features, Features], str]


def findings(left: Features, right: Features, asked: tuple[str, ...]) -> list[Finding]:
    """The exceptions that hold, the hard ones first; of the others only those whose names are asked for."""
    return list(_findings(left, right, asked))


def _findings(left: Features, right: Features, asked: tuple[str, ...]) -> Iterator[Finding]:
    for rule in _RULES:
        if rule.is_hard or rule.name in (*_ALWAYS, *asked):
            reason = rule.reason(left, right)
            if reason:
                yield Finding(rule.name, rule.relation, reason, rule.is_hard)


def conflict(part: str, other: str) -> bool:
    """Whether two part numbers are of different parts: neither is missing, nor a part of the other (1, and 1 2)."""
    one, two = part.split(), other.split()
    common = min(len(one), len(two))
    return one[:common] != two[:common]


def part_numbers(left: Features, right: Features) -> str:
    """Both name a part, and not the same."""
    if conflict(left.part, right.part):
        return f"part numbers conflict: {left.part} and {right.part}"
    return ""


def nested_parts(left: Features, right: Features) -> str:
    """One names a part of the part that the other names."""
    if left.part and right.part and left.part != right.part and not conflict(left.part, right.part):
        return f"one part number goes further than the other: {left.part} and {right.part}"
    return ""


def level(left: Features, right: Features) -> str:
    """Serial, issue and article differ from each other, and an article from a monograph or set.

    Not from a volume: libraries that link volumes to their set as they link articles to a journal make the two look
    alike.
    """
    levels = {left.level, right.level}
    if len(levels) == 2 and (levels <= _COMPONENTS.keys() or levels in ({"a", "m"}, {"a", "c"})):
        return f"one describes {_LEVELS[left.level]}, the other {_LEVELS[right.level]}"
    return ""


def set_and_volume(left: Features, right: Features) -> str:
    """One describes a set as a whole, the other a volume of it."""
    for whole, part in ((left, right), (right, left)):
        is_whole = not whole.part and (whole.level == "c" or whole.volumes > 1)
        if is_whole and part.level in ("v", "m") and part.part:
            return f"one describes a set as a whole, the other its part {part.part}"
    return ""


def edition(left: Features, right: Features) -> str:
    """Both state an edition, and neither edition nor year agree.

    Where the year agrees the numbers are left to the score: impressions and editions are counted differently.
    """
    if left.edition and right.edition and left.edition != right.edition and _years_apart(left, right) > 0:
        return f"editions {left.edition} and {right.edition} of different years"
    return ""


def year(left: Features, right: Features) -> str:
    """More than two years lie between, and no equal edition and pages say that one of the years is a slip."""
    apart = _years_apart(left, right)
    is_slip = bool(left.edition and left.pages) and (left.edition, left.pages) == (right.edition, right.pages)
    if apart > _YEARS_APART and not is_slip:
        return f"published {apart} years apart: {_span(left)} and {_span(right)}"
    return ""


def carrier(left: Features, right: Features) -> str:
    """Print, microform, electronic and so on; maps and scores are printed."""
    one, other = ("print" if side.carrier in _PRINTED else side.carrier for side in (left, right))
    if one and other and one != other:
        return f"different carriers: {left.carrier} and {right.carrier}"
    return ""


def language(left: Features, right: Features) -> str:
    """No language in common, and titles that begin differently; under one title the code is more likely a slip."""
    one, other = (set(features.language.split(BETWEEN)) - {"", "und", "mul", "zxx"} for features in (left, right))
    if one and other and not one & other and _title(left) != _title(right):
        return f"different languages: {', '.join(sorted(one))} and {', '.join(sorted(other))}"
    return ""


_RULES = (
    _Rule("part_numbers", "same_set", True, part_numbers),
    _Rule("level", "part_of", True, level),
    _Rule("set_and_volume", "part_of", True, set_and_volume),
    _Rule("nested_parts", "part_of", False, nested_parts),
    _Rule("edition", "other_edition", False, edition),
    _Rule("year", "other_edition", False, year),
    _Rule("carrier", "other_format", False, carrier),
    _Rule("language", "translation", False, language),
)


def _years_apart(left: Features, right: Features) -> int:
    """The years between two spans of publication; 0 where they overlap or one is not known."""
    if not left.year or not right.year:
        return 0
    return max(0, left.year - right.last_year, right.year - left.last_year)


def _span(features: Features) -> str:
    return str(features.year) if features.year == features.last_year else f"{features.year}–{features.last_year}"


def _title(features: Features) -> str:
    return (features.main_title + features.remainder).replace(" ", "")[:_TITLE]
