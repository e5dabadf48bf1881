"""Two records side by side: their features, the lines of their catalogue cards, and in words what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from bibld.model.card import LINES, card
from bibld.model.features import VALUE_SEPARATOR, Features
from bibld.model.mods import Mods
from bibld.text.designations import describe
from bibld.text.folding import fold

_MAX_SHOWN_CHARACTERS = 300
"""A longer text (an abstract, a full text) is shown in part."""

_SHOWN_BEFORE = 40
"""Characters shown before the first difference of two long texts."""

_OTHER_FORM = " ="
"""The end of a name that is another form of the name before."""

_WORD = re.compile(r"\w+")

_MEANINGS = {"=": "equal", "≈": "other form", "≠": "different"}

_FEATURES_OF_LINE = {
    "title": ("main_title", "remainder", "part", "part_name"),
    "other titles": ("variant_titles",),
    "responsibility": ("responsibility", "translator"),
    "names": ("names",),
    "edition": ("edition",),
    "imprint": ("place", "publisher", "year", "last_year"),
    "extent": ("pages", "volumes", "height"),
    "part of": ("set_title", "host"),
    "series": ("series", "subseries", "series_number"),
    "language": ("language",),
    "kind": ("carrier", "level"),
    "identifiers": ("identifiers",),
    "contents": ("text",),
}
"""The features that are made from each line of a card."""

ELEMENTS = {
    "main_title": "title",
    "remainder": "other title information",
    "part": "part number",
    "part_name": "title of the part",
    "set_title": "title of the set",
    "host": "journal or book of the article",
    "names": "names",
    "translator": "translators",
    "edition_text": "edition",
    "publisher": "publisher",
    "place": "place",
    "year": "year",
    "series": "series",
    "series_number": "number in the series",
    "language": "language",
    "carrier": "carrier",
    "identifiers": "identifiers",
    "pages": "pages",
    "volumes": "number of volumes",
    "height": "height",
}
"""What a cataloguer calls a feature, in the order in which sentences name them."""

_STATED = ("year", "language", "carrier", "series_number", "pages", "volumes", "height")
"""The features whose values are short enough for a sentence."""


class ComparedValue(msgspec.Struct, frozen=True):
    """A feature, or a line of a catalogue card, of two records side by side; an empty text where one has none.

    ``sign`` is ``=`` for equal values, ``≈`` for values that only spelling, form or script makes different, ``≠`` for
    different ones, ``?`` where one of them is missing. ``in_words`` states this without a sign.
    """

    name: str
    left: str
    right: str
    sign: str

    @classmethod
    def from_texts(cls, name: str, left: str, right: str, is_similar: bool = False) -> ComparedValue:
        """Compare two texts; ``is_similar``: matching takes them as equal."""
        sign = "=" if fold(left) == fold(right) else "≈" if is_similar else "≠"
        return cls(name, *_excerpts(left, right), sign if left and right else "?")

    def in_words(self, sides: Sequence[str] = ("the first", "the second")) -> str:
        """Return the meaning of the sign; ``sides`` are what the two records are called."""
        return _MEANINGS.get(self.sign) or f"only in {sides[not self.left]}"

    @property
    def different_words(self) -> set[str]:
        """The words, without case, that only one of two different values has; none if they have no word in common."""
        left, right = ({word.casefold() for word in _WORD.findall(text)} for text in (self.left, self.right))
        return left ^ right if self.sign == "≠" and left & right else set()

    def __str__(self) -> str:
        return f"{self.sign} {self.name} ({self.in_words()}): {self.left or '–'} | {self.right or '–'}"


def compare_features(left: Features, right: Features) -> tuple[ComparedValue, ...]:
    """Return the features that at least one of two records has; the number 0 is a missing one, long texts are cut."""
    rows = zip(Features.__struct_fields__, *map(msgspec.structs.astuple, (left, right)), strict=True)
    return tuple(
        ComparedValue.from_texts(name.replace("_", " "), str(one or ""), str(other or ""))
        for name, one, other in rows
        if one or other
    )


def compare_cards(left: Mods, right: Mods, features: tuple[Features, Features]) -> tuple[ComparedValue, ...]:
    """Return the lines of the catalogue cards of two records, as their libraries wrote them."""
    one, other = card(left), card(right)
    return tuple(
        ComparedValue.from_texts(name, one.get(name, ""), other.get(name, ""), _is_similar(name, *features))
        for name in LINES
        if name in one or name in other
    )


def describe_differences(left: Features, right: Features, names: Sequence[str]) -> Iterator[str]:
    """Yield sentences for a cataloguer: what is equal, what differs, what only one of two records states.

    ``names`` are what the sentences call the two records.
    """
    equal: list[str] = []
    different: list[str] = []
    missing: tuple[list[str], list[str]] = ([], [])
    for name, words in ELEMENTS.items():
        one, other = getattr(left, name), getattr(right, name)
        if bool(one) != bool(other):
            missing[bool(one)].append(words)
        elif one and are_equal(name, left, right):
            equal.append(words)
        elif one:
            shown = " and ".join(filter(None, (short_value(name, record) for record in (left, right))))
            different.append(f"{words} ({shown})" if shown else words)
    if equal:
        yield f"equal: {', '.join(equal)}"
    if different:
        yield f"different: {', '.join(different)}"
    for name, absent in zip(names, missing, strict=True):
        if absent:
            yield f"not stated by {name}: {', '.join(absent)}"


def short_value(name: str, record: Features) -> str:
    """Return a value in words; empty if it is missing, or too long or too normalised for a sentence."""
    if name == "part":
        return describe(record.designation)
    value = str(getattr(record, name) or "") if name in _STATED else ""
    return value.replace(VALUE_SEPARATOR, ", ")


def _is_similar(line: str, left: Features, right: Features) -> bool:
    """Return whether matching takes a line of two cards as equal; not if it compares nothing of it."""
    names = _FEATURES_OF_LINE[line]
    return any(getattr(left, name) for name in names) and all(are_equal(name, left, right) for name in names)


def are_equal(name: str, left: Features, right: Features) -> bool:
    """Return whether a feature of two records is equal, its values in any order.

    One identifier in common is enough, and so is it if all names of one record are among those of the other.
    """
    one, other = getattr(left, name), getattr(right, name)
    if name == "edition_text":
        return left.edition == right.edition
    if not (one and other and isinstance(one, str)):
        return bool(one == other)
    if name == "names":
        fewer, more = sorted((_forms(one), _forms(other)), key=len)
        return all(any(forms & each for each in more) for forms in fewer)
    values, others = set(one.split(VALUE_SEPARATOR)), set(other.split(VALUE_SEPARATOR))
    return not values.isdisjoint(others) if name == "identifiers" else values == others


def _forms(names: str) -> list[set[str]]:
    """Return the forms of each name."""
    found: list[set[str]] = []
    for name in names.split(VALUE_SEPARATOR):
        if name.endswith(_OTHER_FORM) and found:
            found[-1].add(name.removesuffix(_OTHER_FORM))
        else:
            found.append({name})
    return found


def _excerpts(left: str, right: str) -> tuple[str, str]:
    """Return two texts; of long ones the part where they begin to differ, with the length of each."""
    if max(len(left), len(right)) <= _MAX_SHOWN_CHARACTERS:
        return left, right
    first_difference = next((position for position, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    start = max(0, first_difference - _SHOWN_BEFORE)
    shown = [
        f"{'…' * (start > 0)}{text[start : start + _MAX_SHOWN_CHARACTERS]} ({len(text):,} characters)"
        for text in (left, right)
    ]
    return (shown[0] if left else ""), (shown[1] if right else "")
