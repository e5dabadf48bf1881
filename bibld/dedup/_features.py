"""Features of records: what blockers and scorers compare, normalised, out of the MODS."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bibld.model.features import FeatureColumns, TextColumn
from bibld.model.literals import folded, part_number
from bibld.model.mods import Mods


class Features(msgspec.Struct, frozen=True):
    """The features of one record; an empty text is a missing one."""

    title: str
    author: str
    part: str


def features_of(mods: Mods) -> Features:
    """Take the features out of a description."""
    return Features(_title(mods), _author(mods), _part(mods))


def to_columns(records: Iterable[tuple[int, Features]]) -> FeatureColumns:
    """Put ordinals (ascending) and features into columns."""
    import numpy as np

    held = list(records)
    return FeatureColumns(
        ordinals=np.fromiter((ordinal for ordinal, _ in held), dtype=np.uint64, count=len(held)),
        title=TextColumn.of(features.title for _, features in held),
        author=TextColumn.of(features.author for _, features in held),
        part=TextColumn.of(features.part for _, features in held),
    )


def _title(mods: Mods) -> str:
    """Main title and subtitle of the first title without a type, else of the first."""
    proper = next((info for info in mods.title_info if info.type is None), None)
    info = proper or next(iter(mods.title_info), None)
    if info is None:
        return ""
    return folded(" ".join((info.title, *info.sub_title)))


def _author(mods: Mods) -> str:
    """The heading of the first personal name, without dates and terms of address."""
    for name in mods.name:
        if name.type == "personal":
            return folded(" ".join(part.value for part in name.name_part if part.type in (None, "family", "given")))
    return ""


def _part(mods: Mods) -> str:
    """The part numbers of the proper titles, and of the host where the record is a volume of a set."""
    numbers = [number for info in mods.title_info if info.type is None for number in info.part_number]
    if not numbers:
        numbers = [
            number
            for item in mods.related_item
            if item.type == "host"
            for part in item.mods.part
            for detail in part.detail
            if detail.type == "volume"
            for number in detail.number
        ]
    return " ".join(part_number(number) for number in numbers)
