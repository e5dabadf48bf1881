"""Values that must not be published, taken out of descriptions and of MARC records.

A value is a text: that of a whole element of MODS, wherever it stands, or with the path of the element before it
(``note=…``, ``subject/topic=…``, the names of MODS with slashes between) only there. Texts are compared in NFC, with
single blanks and none at the ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from lxml import etree

from bibld.model.marc import ControlField, DataField, MarcRecord, flat_subfields
from bibld.model.mods import AlternativeName, Extension, Mods, Name, TitleInfo
from bibld.model.mods_plan import Plan, plan_of, tag_of, xml_name
from bibld.model.mods_xml import to_element
from bibld.text.folding import tidy

_PATH = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)*")
_FIRST_STEPS = frozenset(map(xml_name, Mods.elements))
_SAYING = ("display_label", "xlink_href", "value_uri", "note")
"""Attributes that hold a text or an address of their own."""

_BESIDE_THE_NAME = ("date", "termsOfAddress")
"""Parts of a name without which it is still a name."""

_WORD = re.compile(r"\w+")
_LEAST_NUMBER = 4
"""Digits and letters of the shortest number that is sought within other text."""


class Withheld(msgspec.Struct, frozen=True, order=True):
    """A text that must not be published; ``path`` is empty where it must not stand anywhere."""

    path: str
    text: str

    @classmethod
    def parse(cls, value: str) -> Withheld:
        """Read ``text`` or ``path=text``; a path begins with an element of MODS, else the ``=`` is one of the text."""
        path, equals, text = value.partition("=")
        path = path.strip()
        if equals and text.strip() and _PATH.fullmatch(path) and path.partition("/")[0] in _FIRST_STEPS:
            return cls(path, tidy(text))
        return cls("", tidy(value))


def without_values(mods: Mods, withheld: Collection[Withheld]) -> Mods:
    """The description without some values.

    What holds nothing any more goes too. A name goes whole with its name, a title with its title proper; a heading that
    loses a part loses its address, which named the whole.
    """
    found = _Removal(withheld).rest(mods, "")
    return Mods() if found is None else found


class _Removal:
    """Takes values out of elements; what is not touched stays the same object."""

    def __init__(self, withheld: Iterable[Withheld]) -> None:
        self._withheld = {(one.path, one.text) for one in withheld}

    def rest(self, element: Any, path: str) -> Any:  # noqa: ANN401
        """An element without the values; None where nothing stays of it."""
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
            if field in _SAYING and text and self._is_withheld(text, f"{path}/@{name}")
        }
        children = {
            child.field: self._kept(held, _step(path, etree.QName(child.tag).localname), child.field, plan.nothing)
            for child, held in zip(plan.children, plan.child_values(element), strict=True)
        }
        if plan.is_inline_mods:
            children["mods"] = self.rest(element.mods, path) or Mods()
        elif plan.inline is not None:
            children[plan.inline] = self._kept_parts(getattr(element, plan.inline), path)
        if plan.raw is not None:
            children[plan.raw] = tuple(xml for xml in getattr(element, plan.raw) if not self._is_foreign(xml, path))
        children = {name: value for name, value in children.items() if value != getattr(element, name)}
        if not children:
            return msgspec.structs.replace(element, **attributes) if attributes else element
        return _whole(element, msgspec.structs.replace(element, **attributes, **children), plan.nothing)

    def _kept(self, held: Any, path: str, field: str, nothing: Any) -> Any:  # noqa: ANN401
        if not isinstance(held, tuple):
            kept = self.rest(held, path)
            return getattr(nothing, field) if kept is None else kept
        return tuple(kept for each in held if (kept := self.rest(each, path)) is not None)

    def _kept_parts(self, parts: tuple[Any, ...], path: str) -> tuple[Any, ...]:
        kinds: list[type] = [type(part) for part in parts]
        named = [
            (part, _step(path, etree.QName(tag_of(kind)).localname)) for part, kind in zip(parts, kinds, strict=True)
        ]
        return tuple(kept for part, here in named if (kept := self.rest(part, here)) is not None)

    def _is_withheld(self, text: str, path: str) -> bool:
        said = tidy(text)
        return ("", said) in self._withheld or (path, said) in self._withheld

    def _is_foreign(self, xml: str, path: str) -> bool:
        """Whether foreign XML holds a value, as text or as an attribute."""
        element = to_element(Mods(extension=(Extension(content=(xml,)),)))[0]
        said = [*element.itertext(), *(value for each in element.iter() for value in each.attrib.values())]
        return any(self._is_withheld(str(text), path) for text in said)


def _plan(element: Any) -> Plan:  # noqa: ANN401
    kind: type = type(element)
    return plan_of(kind)


def _step(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _whole(before: Any, after: Any, nothing: Any) -> Any:  # noqa: ANN401
    """An element that has lost something, as it may stay; None: it may not."""
    if isinstance(before, TitleInfo) and before.title != after.title:
        return None
    if isinstance(before, Name | AlternativeName):
        gone = [part for part in before.name_part if part not in after.name_part]
        return None if any(part.type not in _BESIDE_THE_NAME for part in gone) else after
    plan = _plan(before)
    parts = [child.field for child in plan.children]
    parts += [name for name in (plan.inline, plan.raw) if name is not None]
    if all(getattr(after, name) == getattr(nothing, name) for name in parts) and not getattr(after, "value", ""):
        return None
    return msgspec.structs.replace(after, value_uri=None) if hasattr(after, "value_uri") else after


# -- MARC --------------------------------------------------------------------------------------------------------------


def without_texts(record: MarcRecord, withheld: Collection[Withheld]) -> MarcRecord:
    """The record without the fields that hold some values, whatever their paths.

    A field holds a value that has all its words, in any order, case and punctuation, or its digits in any spacing. The
    control number (001) stays: it stands in the IRI of the record.
    """
    texts = [one.text for one in withheld]
    kept = tuple(field for field in record.all_fields if not any(_holds(field, text) for text in texts))
    return msgspec.structs.replace(record, all_fields=kept)


def _holds(field: ControlField | DataField, text: str) -> bool:
    if field.tag == "001":
        return False
    said = [field.value] if isinstance(field, ControlField) else [one.value for one in flat_subfields(field)]
    words = _words(text)
    if not words:
        return text in map(tidy, said)
    if set(words).issubset(_words(" ".join(said))):
        return True
    number = "".join(words)
    is_number = len(number) >= _LEAST_NUMBER and any(map(str.isdigit, number))
    return is_number and any(number in "".join(_words(one)) for one in said)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).casefold())
