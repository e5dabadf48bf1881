"""Exceptions: why two records that look the same may not be.

Each is a small rule over the features of two records, compiled in ``_exception_kernels``, with a reason for a
cataloguer. *Hard* ones decide: the records are related, not the same. The others are true of a few percent of real
duplicates (a year misread, a microform described as the book), so they only ask a person to look, and the scorer knows
their fields anyhow.

``part_numbers``: both name a part, and not the same. ``level``: serial, issue and article differ from each other, and
an article from a monograph or set; not from a volume, since libraries that link volumes to their set as they link
articles to a journal make the two look alike. ``set_and_volume``: one describes a set as a whole, the other a volume
of it. ``nested_parts``: one names a part of the part that the other names. ``edition``: both state an edition, and
neither edition nor year agree (where the year agrees the numbers are left to the score: impressions and editions are
counted differently). ``year``: more than two years lie between, and no equal edition and pages say that one of the
years is a slip. ``carrier``: print, microform, electronic and so on; maps and scores are printed. ``language``: no
language in common, and titles that begin differently (under one title the code is more likely a slip).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, Features

_LEVELS = {
    "s": "a serial",
    "i": "an issue",
    "a": "an article or other part",
    "m": "a monograph",
    "v": "a volume of a set",
    "c": "a set as a whole",
}


class Finding(msgspec.Struct, frozen=True):
    """An exception that holds for two records: its name, the relation it means, a sentence, whether it decides."""

    name: str
    relation: str
    reason: str
    is_hard: bool


class Kind(msgspec.Struct, frozen=True):
    """A kind of exception. ``is_hard``: it decides; ``is_always``: it holds whether or not it is asked for."""

    name: str
    relation: str
    is_hard: bool
    is_always: bool
    reason: Callable[[Features, Features], str]


def findings(left: Features, right: Features, asked: tuple[str, ...]) -> list[Finding]:
    """The exceptions that hold for two records, the hard ones first; of the others only those that are asked for."""
    import numpy as np

    from bibld.dedup._judge.exception_kernels import described, exceptions

    held = described(FeatureColumns.from_features(enumerate((left, right))))
    bits = int(exceptions(held, np.array([0], np.int64), np.array([1], np.int64))[0]) & mask(asked)
    return list(told(bits, left, right))


def mask(asked: tuple[str, ...]) -> int:
    """The bits of the exceptions that hold always, and of those that are asked for."""
    return sum(1 << number for number, one in enumerate(EXCEPTIONS) if one.is_always or one.name in asked)


def told(bits: int, left: Features, right: Features) -> Iterator[Finding]:
    """The findings that bits stand for, with sentences about the two records."""
    for number, one in enumerate(EXCEPTIONS):
        if bits >> number & 1:
            yield Finding(one.name, one.relation, one.reason(left, right), one.is_hard)


def _parts(left: Features, right: Features) -> str:
    return f"part numbers conflict: {left.part} and {right.part}"


def _level(left: Features, right: Features) -> str:
    return f"one describes {_LEVELS[left.level]}, the other {_LEVELS[right.level]}"


def _set_and_volume(left: Features, right: Features) -> str:
    return f"one describes a set as a whole, the other its part {left.part or right.part}"


def _nested_parts(left: Features, right: Features) -> str:
    return f"one part number goes further than the other: {left.part} and {right.part}"


def _edition(left: Features, right: Features) -> str:
    return f"editions {left.edition} and {right.edition} of different years"


def _year(left: Features, right: Features) -> str:
    apart = max(left.year - right.last_year, right.year - left.last_year)
    return f"published {apart} years apart: {_span(left)} and {_span(right)}"


def _carrier(left: Features, right: Features) -> str:
    return f"different carriers: {left.carrier} and {right.carrier}"


def _language(left: Features, right: Features) -> str:
    one, other = (", ".join(sorted(side.language.split(VALUE_SEPARATOR))) for side in (left, right))
    return f"different languages: {one} and {other}"


def _span(features: Features) -> str:
    return str(features.year) if features.year == features.last_year else f"{features.year}–{features.last_year}"


EXCEPTIONS = (
    Kind("part_numbers", "same_set", True, True, _parts),
    Kind("level", "part_of", True, True, _level),
    Kind("set_and_volume", "part_of", True, True, _set_and_volume),
    Kind("nested_parts", "part_of", False, True, _nested_parts),
    Kind("edition", "other_edition", False, False, _edition),
    Kind("year", "other_edition", False, False, _year),
    Kind("carrier", "other_format", False, False, _carrier),
    Kind("language", "translation", False, False, _language),
)
"""In the order of their bits: those that decide come first."""

HARD = sum(1 << number for number, one in enumerate(EXCEPTIONS) if one.is_hard)
"""The bits of those that decide."""

PARTS_CONFLICT = 1
"""The bit of conflicting part numbers."""

NESTED_PARTS = 8
"""The bit of a part number that goes further than the other."""
