"""One record while it is converted: its fields by tag, tidied and linked as the conventions of its flavour state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._texts import with_balanced_brackets, with_characters
from bibld.model.marc import ControlField, DataField, MarcRecord, Subfield
from bibld.model.mods import Element
from bibld.model.mods_xml import without_illegal_characters
from bibld.text.folding import NON_SORTING_BEGIN, NON_SORTING_END, NON_SORTING_MARKS

ElementT = TypeVar("ElementT", bound=Element)
SettingsT = TypeVar("SettingsT")

_MARKS = (NON_SORTING_BEGIN, NON_SORTING_END)
_SPACES_AND_MARKS = str.maketrans({"\t": " ", "\n": " ", "\r": " ", "\u00a0": " "}) | NON_SORTING_MARKS


class Linkage(msgspec.Struct, frozen=True):
    """How an element is linked to the same one in another script: MODS ``altRepGroup`` and ``script`` (ISO 15924).

    ``is_alternate``: this is the counterpart (880 of MARC 21), not the regular field.
    """

    alt_rep_group: str | None = None
    script: str | None = None
    is_alternate: bool = False

    def mark(self, element: ElementT) -> ElementT:
        """Return the element with these attributes."""
        return replace(element, alt_rep_group=self.alt_rep_group, script=self.script)


class LinkedField(msgspec.Struct, frozen=True):
    """A field under the tag whose rules apply to it, and its linkage."""

    field: DataField
    linkage: Linkage


class Conventions(msgspec.Struct, frozen=True):
    """What a flavour states of every field, before any rule reads it.

    ``is_private`` names fields that are kept but not converted. ``link`` returns the linkage of a field in several
    scripts. ``cleans`` returns for a tag whether blanks are tidied (False where positions count); without it, fields
    are given as they are. ``titles`` returns the codes of those subfields that keep the marks of ISO 6630 around what
    sorting skips. ``bracketed`` names the tags in which brackets of one subfield may be closed in another.
    """

    is_private: Callable[[DataField], bool] | None = None
    link: Callable[[DataField], LinkedField | None] | None = None
    cleans: Callable[[str], bool] | None = None
    titles: Callable[[str], str] | None = None
    bracketed: frozenset[str] = frozenset()


RAW = Conventions()
"""The conventions of a flavour that states nothing: fields as they are."""


class View(Generic[SettingsT]):
    """One record while it is converted: its fields by tag, the settings, and what was noticed so far.

    Rules call :meth:`warn` for what they drop or doubt. ``private`` and ``unmapped`` collect the names (``606$3``) of
    subfields that a rule reads without writing them.
    """

    __slots__ = (
        "_by_tag", "_controls", "_linkages", "_linked_tags", "conventions", "private", "record", "settings",
        "unmapped", "warnings",
    )  # fmt: skip

    marks_related_items = True
    """Whether a field and its counterpart in another script become one related item, whose children are marked."""

    def __init__(self, record: MarcRecord, settings: SettingsT, conventions: Conventions = RAW) -> None:
        self.record = record
        self.settings = settings
        self.conventions = conventions
        self.warnings: list[str] = []
        self.private: list[str] = []
        self.unmapped: list[str] = []
        self._by_tag: dict[str, list[DataField]] = {}
        self._controls: dict[str, list[str]] = {}
        self._linkages: dict[int, Linkage] = {}
        self._linked_tags: set[str] = set()
        is_private, link, by_tag = conventions.is_private, conventions.link, self._by_tag
        cleans = conventions.cleans is not None
        for field in record.all_fields:
            if isinstance(field, ControlField):
                text = field.value if field.value.isprintable() else without_illegal_characters(field.value)
                self._controls.setdefault(field.tag, []).append(text)
                continue
            if is_private is not None and is_private(field):
                continue
            if cleans:
                field = clean_field(field, conventions)
                if field.tag in conventions.bracketed:
                    field = with_balanced_brackets(field)
            linked = link(field) if link is not None else None
            if linked is not None:
                field = linked.field
                self._linkages[id(field)] = linked.linkage
                self._linked_tags.add(field.tag)
            tag = field.tag
            if tag in by_tag:
                by_tag[tag].append(field)
            else:
                by_tag[tag] = [field]

    @property
    def tags(self) -> set[str]:
        """The tags that have rules to apply: of control fields, and of data fields that are not private."""
        return {*self._by_tag, *self._controls}

    def tagged(self, tag: str) -> Sequence[DataField]:
        """Return the data fields with this tag."""
        return self._by_tag.get(tag, ())

    def fields(self, *tags: str) -> Iterator[DataField]:
        """Yield the data fields with these tags, tag by tag."""
        for tag in tags:
            yield from self._by_tag.get(tag, ())

    def has(self, *tags: str) -> bool:
        """Whether the record has a data field with one of these tags."""
        return any(tag in self._by_tag for tag in tags)

    def first(self, tag: str, code: str) -> str | None:
        """Return the text of the first such subfield of the record."""
        for field in self._by_tag.get(tag, ()):
            value = field.first(code)
            if value is not None:
                return value
        return None

    def control(self, tag: str) -> str | None:
        """Return the text of the first control field with this tag, without characters that XML cannot contain."""
        texts = self._controls.get(tag)
        return texts[0] if texts else None

    def controls(self, tag: str) -> list[str]:
        """Return the texts of all control fields with this tag."""
        return self._controls.get(tag, [])

    def warn(self, warning: str) -> None:
        """Report what is dropped or doubtful; the text names the tag."""
        self.warnings.append(warning)

    def linkage(self, field: DataField) -> Linkage | None:
        """Return how a field is linked to the same field in another script; None where it is not."""
        return self._linkages.get(id(field))

    def is_alternate(self, field: DataField) -> bool:
        """Whether a field only repeats a regular one in another script."""
        linkage = self._linkages.get(id(field)) if self._linkages else None
        return linkage is not None and linkage.is_alternate

    def is_linked(self, tag: str) -> bool:
        """Whether one of the fields with this tag is linked to one in another script."""
        return tag in self._linked_tags

    def mark(self, element: ElementT, field: DataField) -> ElementT:
        """Return the element with the linkage of its field, if it has one."""
        linkage = self._linkages.get(id(field)) if self._linkages else None
        return element if linkage is None else linkage.mark(element)


def clean_field(field: DataField, conventions: Conventions) -> DataField:
    """Drop subfields without a code of one character or without text, and characters that XML cannot contain.

    References to characters become these characters. Where the conventions clean a tag, runs of blanks become one, and
    those at the ends are removed. A field without anything to do is returned itself.
    """
    tidies = conventions.cleans is not None and conventions.cleans(field.tag)
    for subfield in field.subfields:
        value = subfield.value
        if len(subfield.code) != 1 or not value or not value.isprintable() or ("&" in value and ";" in value):
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
        value = with_characters(subfield.value) if "&" in subfield.value else subfield.value
        if not value.isprintable():
            value = _legal(value, conventions.titles is not None and subfield.code in conventions.titles(field.tag))
        if tidies:
            value = " ".join(value.split())
        if value and value.strip():
            kept.append(Subfield(subfield.code, value))
    embedded = tuple(
        inner if isinstance(inner, ControlField) else clean_field(inner, conventions) for inner in field.embedded
    )
    return replace(field, subfields=tuple(kept), embedded=embedded)


def _legal(value: str, keeps_marks: bool) -> str:
    text = without_illegal_characters(value).translate(_SPACES_AND_MARKS)
    return "".join(char for char in text if not "\x80" <= char <= "\x9f" or (keeps_marks and char in _MARKS))
