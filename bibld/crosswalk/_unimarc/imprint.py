"""The texts of an imprint, without the square brackets around what the cataloguer supplied."""

from __future__ import annotations

from typing import NamedTuple

from bibld.crosswalk._texts import without_brackets
from bibld.model.marc import DataField


class ImprintText(NamedTuple):
    """A text of an imprint; ``is_supplied``: it was in square brackets."""

    code: str
    value: str
    is_supplied: bool

    @property
    def supplied(self) -> str | None:
        """The MODS attribute ``supplied``."""
        return "yes" if self.is_supplied else None


def imprint_texts(field: DataField) -> list[ImprintText]:
    """Return the texts of the subfields of an imprint (210, 214)."""
    texts: list[ImprintText] = []
    for subfield in field.subfields:
        stated = subfield.value
        value, is_supplied = without_brackets(stated.rstrip(" .") if stated.endswith("].") else stated)
        texts.append(ImprintText(subfield.code, value or stated, is_supplied))
    return texts
