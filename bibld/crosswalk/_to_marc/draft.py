"""A MARC record while it is written, and the books of writers that write it.

A writer states which elements of MODS it reads and which fields they become, so that the mapping tables of the
documentation are derived from what runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.model.mods import Element, Mods

Subfields = Iterable[tuple[str, str | None]]
"""Codes and texts of subfields; one without a text is not written."""

LATIN = "Latn"
"""The script (ISO 15924) of a field that has its counterpart in another script."""

MARC21, UNIMARC, RUSMARC = "marc21", "unimarc", "rusmarc"
"""Flavours."""

_SEPARATORS = str.maketrans("", "", "\x1d\x1e\x1f")
_NUMBERED_GROUPS = 99


class _Entry(msgspec.Struct, frozen=True):
    """A field, and the group and script of the element that it was made of."""

    field: DataField
    group: str | None
    script: str | None


class MarcDraft:
    """The fields of a record of one flavour in the order in which they are written.

    ``punctuates``: the record gets the marks of ISBD. ``is_nested``: the fields describe another resource in a link.
    ``country`` (ISO 3166) is that of agencies whose code does not state it.
    """

    def __init__(
        self, flavour: str, *, punctuates: bool = False, is_nested: bool = False, country: str | None = None
    ) -> None:
        self.flavour = flavour
        self.punctuates = punctuates
        self.is_nested = is_nested
        self.country = country
        self._controls: list[ControlField] = []
        self._entries: list[_Entry] = []
        self._tags: set[str] = set()

    def add_control(self, tag: str, text: str | None) -> None:
        """Add a control field, unless it has no text."""
        if text:
            self._controls.append(ControlField(tag, text.translate(_SEPARATORS)))

    def add(self, tag: str, indicators: str, subfields: Subfields, element: Element | None = None) -> bool:
        """Add a field if one of its subfields has a text; return whether it was added.

        ``element`` is what the field is made of: its ``altRepGroup`` and ``script`` link fields in several scripts.
        """
        kept = tuple(Subfield(code, text.translate(_SEPARATORS)) for code, text in subfields if text and text.strip())
        if not kept or all(subfield.code == "2" for subfield in kept):
            return False
        field = DataField(tag, indicators[0], indicators[1], kept)
        group, script = (element.alt_rep_group, element.script) if element is not None else (None, None)
        self._entries.append(_Entry(field, group, script))
        self._tags.add(tag)
        return True

    def has(self, *tags: str) -> bool:
        """Whether a data field with one of these tags was added."""
        return not self._tags.isdisjoint(tags)

    def controls(self) -> list[ControlField]:
        """Return the control fields in the order of their tags."""
        return sorted(self._controls, key=lambda field: field.tag)

    def linked_fields(self) -> Iterator[tuple[DataField, str, str | None, bool]]:
        """Yield each data field with the number of its group (empty: none, ``00``: no counterpart) and its script.

        The last value is true for a field that only repeats another one in a different script. A group that belongs to
        one field is none. Numbers of groups are those of the MODS unless another field has them already.
        """
        firsts: dict[tuple[str, str], _Entry] = {}
        counts: dict[tuple[str, str], int] = {}
        for entry in self._entries:
            if entry.group:
                key = entry.field.tag, entry.group
                firsts.setdefault(key, entry)
                counts[key] = counts.get(key, 0) + (firsts[key] is entry or entry.script != firsts[key].script)
        numbers = _numbers_of_groups([key for key, count in counts.items() if count > 1])
        for entry in self._entries:
            key = entry.field.tag, entry.group or ""
            number = numbers.get(key, "")
            first = firsts.get(key)
            if number and first is not None and (entry is first or entry.script != first.script):
                yield entry.field, number, entry.script, entry is not first
            elif not entry.group and entry.script not in (None, "", LATIN):
                yield entry.field, "00", entry.script, True
            else:
                yield entry.field, "", None, False


def _numbers_of_groups(keys: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a number of two digits for each tag and group; more than 99 groups cannot be numbered."""
    taken: set[str] = set()
    numbers: dict[tuple[str, str], str] = {}
    free = iter(range(1, _NUMBERED_GROUPS + 1))
    for key in keys:
        group = key[1]
        if len(group) == 2 and group.isascii() and group.isdecimal() and group != "00" and group not in taken:
            numbers[key] = group
            taken.add(group)
    for key in keys:
        if key not in numbers:
            number = next((text for text in (f"{one:02}" for one in free) if text not in taken), None)
            if number is None:
                break
            numbers[key] = number
            taken.add(number)
    return numbers


def is_counterpart(element: Element, regular: Element) -> bool:
    """Whether an element repeats another one of its kind in a different script."""
    if element is regular:
        return False
    if element.alt_rep_group is not None:
        return element.alt_rep_group == regular.alt_rep_group and element.script != regular.script
    return element.script not in (None, LATIN, regular.script)


class Writer(msgspec.Struct, frozen=True):
    """Writes fields of MARC for one element of MODS.

    ``element`` is its name in MODS; ``fields`` maps what is read to the fields that are written, for the documentation.
    """

    element: str
    fields: Mapping[str, str]
    write: Callable[[Mods, MarcDraft], None]


class WriterBook:
    """Collects writers: those of the ``parts``, then those whose functions are decorated, in that order."""

    def __init__(self, *parts: WriterBook) -> None:
        self._writers = [writer for part in parts for writer in part.writers]

    def writes(
        self, element: str, fields: Mapping[str, str]
    ) -> Callable[[Callable[[Mods, MarcDraft], None]], Callable[[Mods, MarcDraft], None]]:
        """Register a function that adds the fields made of one element to a draft."""

        def register(write: Callable[[Mods, MarcDraft], None]) -> Callable[[Mods, MarcDraft], None]:
            self._writers.append(Writer(element, fields, write))
            return write

        return register

    @property
    def writers(self) -> tuple[Writer, ...]:
        """The writers so far, in the order of registration."""
        return tuple(self._writers)

    def write(self, mods: Mods, draft: MarcDraft) -> None:
        """Run all writers."""
        for writer in self._writers:
            writer.write(mods, draft)


def with_link(field: DataField, *subfields: Subfield, tag: str = "") -> DataField:
    """Return a field that begins with the subfields of a link, under another tag if one is given."""
    return replace(field, tag=tag or field.tag, subfields=(*subfields, *field.subfields))
