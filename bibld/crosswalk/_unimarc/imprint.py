"""The texts of an imprint, without the square brackets around what the cataloguer supplied."""

from __future__ import annotations

from typing import NamedTuple

from bibld.crosswalk._texts import without_brackets
from bibld.model.marc import DataField


class ImprintText(NamedTuple):
    """A text of an imprint; ``is_supplied``: it was in square brackets, which may be around more subfields."""

    code: str
    value: str
    is_supplied: bool

    @property
    def supplied(self) -> str | None:
        """The MODS attribute ``supplied``."""
        return "yes" if self.is_supplied else None


def imprint_texts(field: DataField) -> list[ImprintText]:
    """Return the texts of the subfields; a bracket may close in a later subfield than it opens (``[М.``, ``1998]``)."""
    texts: list[ImprintText] = []
    rest = field.subfields
    while rest:
        count = _bracketed_subfields([subfield.value for subfield in rest])
        values = [subfield.value for subfield in rest[:count]]
        if count > 1:
            values = [values[0][1:], *values[1:-1], values[-1].rstrip(" .")[:-1]]
            texts += [
                ImprintText(subfield.code, value.strip(), True)
                for subfield, value in zip(rest, values, strict=False)
                if value.strip()
            ]
        else:
            value, supplied = without_brackets(values[0])
            texts.append(ImprintText(rest[0].code, value or values[0], supplied))
        rest = rest[count:]
    return texts


def _bracketed_subfields(values: list[str]) -> int:
    """Return how many values, from the first, one pair of brackets is around; 1 if there is no such pair."""
    if not values[0].startswith("[") or "]" in values[0]:
        return 1
    for count, value in enumerate(values[1:], 2):
        if "[" in value:
            return 1
        if "]" in value:
            return count if value.rstrip(" .").endswith("]") else 1
    return 1
