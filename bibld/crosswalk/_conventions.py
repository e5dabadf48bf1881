"""What a flavour says of every field before a rule sees it: private, linked to another, with which characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.model.mods import Element
from bibld.model.mods_xml import without_illegal_characters
from bibld.text.titles import NON_SORTING_BEGIN, NON_SORTING_END, NON_SORTING_MARKS

_MARKS = (NON_SORTING_BEGIN, NON_SORTING_END)
ElementT = TypeVar("ElementT", bound=Element)

_SPACES_AND_MARKS = str.maketrans({"\t": " ", "\n": " ", "\r": " ", "\u00a0": " "}) | NON_SORTING_MARKS


class Linkage(msgspec.Struct, frozen=True):
    """How an element is linked to the same one in another script: MODS ``altRepGroup`` and ``script`` (ISO 15924).

    ``is_alternate``: this is the counterpart (880 of MARC 21), not the regular field.
    """

    alt_rep_group: str | None = None
    script: str | None = None
    is_alternate: bool = False

    def marked(self, element: ElementT) -> ElementT:
        """The element with these attributes."""
        return msgspec.structs.replace(element, alt_rep_group=self.alt_rep_group, script=self.script)


class Linked(msgspec.Struct, frozen=True):
    """A field under the tag whose rules apply to it, and its linkage."""

    field: DataField
    linkage: Linkage


class Conventions(msgspec.Struct, frozen=True):
    """What a flavour says of every field.

    ``is_private`` names fields that are kept but not converted; ``link`` finds fields in several scripts; ``cleans``
    says for a tag whether its texts are tidied (False where positions count); ``titles`` are the codes of subfields in
    which the marks of ISO 6630 around a non-sorting part stay; ``structural`` are the subfield codes that every field
    may have and that carry no content.
    """

    is_private: Callable[[DataField], bool] | None = None
    link: Callable[[DataField], Linked | None] | None = None
    cleans: Callable[[str], bool] | None = None
    titles: Callable[[str], str] | None = None
    structural: frozenset[str] = frozenset()


RAW = Conventions()
"""Fields as they are."""


def cleaned(field: DataField, conventions: Conventions) -> DataField:
    """Drop subfields without a code of one character or without text, and characters that no XML can hold.

    Where the conventions tidy, runs of blanks become one, and those at the ends go. Without anything to do the field
    itself comes back.
    """
    tidies = conventions.cleans is not None and conventions.cleans(field.tag)
    for subfield in field.subfields:
        value = subfield.value
        if len(subfield.code) != 1 or not value or not value.isprintable():
            break
        if tidies and ("  " in value or value[0] == " " or value[-1] == " "):
            break
    else:
        if not field.embedded:
            return field
    kept = []
    for subfield in field.subfields:
        if len(subfield.code) != 1:
            continue
        value = subfield.value
        if not value.isprintable():
            value = _legal(value, conventions.titles is not None and subfield.code in conventions.titles(field.tag))
        if tidies:
            value = " ".join(value.split())
        if value and value.strip():
            kept.append(Subfield(subfield.code, value))
    embedded = tuple(
        inner if isinstance(inner, ControlField) else cleaned(inner, conventions) for inner in field.embedded
    )
    return msgspec.structs.replace(field, subfields=tuple(kept), embedded=embedded)


def text_of_control_field(value: str) -> str:
    """The text of a control field without characters that no XML can hold."""
    return value if value.isprintable() else without_illegal_characters(value)


def _legal(value: str, keeps_marks: bool) -> str:
    text = without_illegal_characters(value).translate(_SPACES_AND_MARKS)
    return "".join(char for char in text if not "\x80" <= char <= "\x9f" or (keeps_marks and char in _MARKS))
