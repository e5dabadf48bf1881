"""Values that must not be published, removed from descriptions and from MARC records.

A value is a text: the complete text of an element of MODS, of any one, or of those with a path (``note=…``,
``subject/topic=…``, the names of MODS with slashes between). Texts are compared in NFC, with single blanks and none at
the ends.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from lxml import etree

from bibld.model.authority import Authority, Heading
from bibld.model.marc import ControlField, DataField, MarcRecord, flat_subfields
from bibld.model.mods import AlternativeName, Extension, Mods, Name, TitleInfo
from bibld.model.mods_plan import Plan, plan_of, tag_of, xml_name
from bibld.model.mods_xml import to_element
from bibld.text.folding import tidy

_PATH = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)*")
_FIRST_STEPS = frozenset(map(xml_name, Mods.elements))
_ATTRIBUTES_WITH_TEXT = ("display_label", "xlink_href", "value_uri", "note")
"""Attributes that contain a text or an address."""

_BESIDE_THE_NAME = ("date", "termsOfAddress")
"""Parts of a name without which it is still a name."""

_WORD = re.compile(r"\w+")
_MIN_DIGITS = 4
"""Digits and letters of the shortest number that is searched in other text."""


class WithheldValue(msgspec.Struct, frozen=True, order=True):
    """A text that must not be published; ``path`` is empty if no element may have it."""

    path: str
    text: str

    @classmethod
    def parse(cls, value: str) -> WithheldValue:
        """Read ``text`` or ``path=text``; a path begins with an element of MODS, else the ``=`` belongs to the text."""
        path, equals, text = value.partition("=")
        path = path.strip()
        if equals and text.strip() and _PATH.fullmatch(path) and path.partition("/")[0] in _FIRST_STEPS:
            return cls(path, tidy(text))
        return cls("", tidy(value))


def without_values(mods: Mods, withheld: Collection[WithheldValue]) -> Mods:
    """Return the description without some values.

    Elements that are then empty are removed too. A name is removed with its heading, a title with its title proper; a
    subject heading that loses a part loses its address, which identified the complete heading.
    """
    found = _Removal(withheld).remove(mods, "")
    return Mods() if found is None else found


def withheld_of(suppressed: Iterable[str]) -> list[WithheldValue]:
    """Return the values that must not be published, from the suppressions of one record (empty: the whole record)."""
    return sorted(WithheldValue.parse(value) for value in suppressed if value)


def public_mods(mods: Mods, suppressed: Iterable[str]) -> Mods:
    """Return the description of a record without what its suppressions name, as all stages see it."""
    withheld = withheld_of(suppressed)
    return without_values(mods, withheld) if withheld else mods


def public_authority(authority: Authority, suppressed: Iterable[str]) -> Authority:
    """Return an authority record without what its suppressions name, as all stages see it.

    An element that has a value anywhere, whatever the path, is removed as a whole: a heading, a variant, a note.
    """
    texts = frozenset(value.text for value in withheld_of(suppressed))
    if not texts:
        return authority
    kept = {
        name: tuple(element for element in getattr(authority, name) if not _has_text(element, texts))
        for name in Authority.elements
    }
    return msgspec.structs.replace(authority, **kept)


def _has_text(value: Any, texts: Collection[str]) -> bool:  # noqa: ANN401
    if isinstance(value, str):
        return tidy(value) in texts
    if isinstance(value, tuple):
        return any(_has_text(one, texts) for one in value)
    if not isinstance(value, msgspec.Struct):
        return False
    words = tidy(value.text) if isinstance(value, Heading) else ""
    return words in texts or any(_has_text(getattr(value, name), texts) for name in value.__struct_fields__)


def public_fingerprint(made_by: bytes, suppressed: Iterable[str]) -> bytes:
    """Return a hash of what a public description depends on: ``made_by`` of the record, and its suppressed values."""
    values = [value.encode() for value in sorted(suppressed) if value]
    return hashlib.blake2b(b"\0".join([made_by, *values]), digest_size=16).digest() if values else made_by


class _Removal:
    """Removes values from elements; an element without any of them stays the same object."""

    def __init__(self, withheld: Iterable[WithheldValue]) -> None:
        self._withheld = {(one.path, one.text) for one in withheld}

    def remove(self, element: Any, path: str) -> Any:  # noqa: ANN401
        """Return an element without the values; None if nothing remains of it."""
        if element is None:
            return None
        if isinstance(element, str):
            return None if self._is_withheld(element, path) else element
        plan = _plan(element)
        if plan.has_text and self._is_withheld(element.value, path):
            return None
        attributes = {
            field: None
            for (field, name), text in zip(plan.attributes, plan.attribute_values(element), strict=True)
            if field in _ATTRIBUTES_WITH_TEXT and text and self._is_withheld(text, f"{path}/@{name}")
        }
        children = {
            child.field: self._remove_from_child(
                value, _step(path, etree.QName(child.tag).localname), child.field, plan.nothing
            )
            for child, value in zip(plan.children, plan.child_values(element), strict=True)
        }
        if plan.is_inline_mods:
            children["mods"] = self.remove(element.mods, path) or Mods()
        elif plan.inline is not None:
            children[plan.inline] = tuple(
                kept
                for part in getattr(element, plan.inline)
                if (kept := self.remove(part, _step(path, _tag_of(part)))) is not None
            )
        if plan.raw is not None:
            children[plan.raw] = tuple(xml for xml in getattr(element, plan.raw) if not self._is_foreign(xml, path))
        children = {name: value for name, value in children.items() if value != getattr(element, name)}
        if not children:
            return msgspec.structs.replace(element, **attributes) if attributes else element
        return _without_empty(element, msgspec.structs.replace(element, **attributes, **children), plan.nothing)

    def _remove_from_child(self, value: Any, path: str, field: str, nothing: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, tuple):
            kept = self.remove(value, path)
            return getattr(nothing, field) if kept is None else kept
        return tuple(kept for each in value if (kept := self.remove(each, path)) is not None)

    def _is_withheld(self, text: str, path: str) -> bool:
        text = tidy(text)
        return ("", text) in self._withheld or (path, text) in self._withheld

    def _is_foreign(self, xml: str, path: str) -> bool:
        """Whether foreign XML contains a value, as text or as an attribute."""
        element = to_element(Mods(extension=(Extension(content=(xml,)),)))[0]
        texts = [*element.itertext(), *(value for each in element.iter() for value in each.attrib.values())]
        return any(self._is_withheld(str(text), path) for text in texts)


def _plan(element: Any) -> Plan:  # noqa: ANN401
    kind: type = type(element)
    return plan_of(kind)


def _tag_of(element: Any) -> str:  # noqa: ANN401
    kind: type = type(element)
    return tag_of(kind)


def _step(path: str, tag: str) -> str:
    name = etree.QName(tag).localname
    return f"{path}/{name}" if path else name


def _without_empty(before: Any, after: Any, nothing: Any) -> Any:  # noqa: ANN401
    """Return an element that has lost a value, or None if too little remains of it."""
    if isinstance(before, TitleInfo) and before.title != after.title:
        return None
    if isinstance(before, Name | AlternativeName):
        removed = [part for part in before.name_part if part not in after.name_part]
        return None if any(part.type not in _BESIDE_THE_NAME for part in removed) else after
    plan = _plan(before)
    parts = [child.field for child in plan.children]
    parts += [name for name in (plan.inline, plan.raw) if name is not None]
    if all(getattr(after, name) == getattr(nothing, name) for name in parts) and not getattr(after, "value", ""):
        return None
    return msgspec.structs.replace(after, value_uri=None) if hasattr(after, "value_uri") else after


# -- MARC --------------------------------------------------------------------------------------------------------------


def without_texts(record: MarcRecord, withheld: Collection[WithheldValue]) -> MarcRecord:
    """Return the record without the fields that contain some values, whatever their paths.

    A field contains a value if it has all its words, in any order, case and punctuation, or its digits in any spacing.
    The control number (001) remains: it is part of the IRI of the record.
    """
    kept = tuple(field for field in record.all_fields if not any(_contains(field, value.text) for value in withheld))
    return msgspec.structs.replace(record, all_fields=kept)


def _contains(field: ControlField | DataField, text: str) -> bool:
    if field.tag == "001":
        return False
    texts = [field.value] if isinstance(field, ControlField) else [one.value for one in flat_subfields(field)]
    words = _words(text)
    if not words:
        return text in map(tidy, texts)
    if set(words).issubset(_words(" ".join(texts))):
        return True
    number = "".join(words)
    is_number = len(number) >= _MIN_DIGITS and any(map(str.isdigit, number))
    return is_number and any(number in "".join(_words(one)) for one in texts)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).casefold())
