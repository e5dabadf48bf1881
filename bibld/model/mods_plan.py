"""How each class of ``bibld.model.mods`` is written in XML, derived from its declaration alone."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from lxml import etree

from bibld.model.mods import Date, Inline, Mods, OriginInfo, RawXml
from bibld.text.folding import tidy, trim
from bibld.text.places import MARC_COUNTRY_OF_ISO

MODS = "http://www.loc.gov/mods/v3"
"""The namespace of MODS 3."""

XLINK = "http://www.w3.org/1999/xlink"
"""The namespace of XLink."""

XML = "http://www.w3.org/XML/1998/namespace"
"""The namespace of ``xml:lang`` and ``xml:space``."""

_ATTRIBUTE_MARK = "attribute"

_NAMES = {
    "id": "ID",
    "xml_lang": f"{{{XML}}}lang",
    "xlink_href": f"{{{XLINK}}}href",
    "extraterrestrial_area": "extraTerrestrialArea",
}
"""Names that do not follow from the rule snake_case → camelCase."""

_FIRST = ("etal", "non_sort")
"""Children that come before all others: the schema wants ``etal`` there, a reader of the XML ``nonSort``."""

_SPACED = ("non_sort",)
"""Texts whose blanks are significant."""

_FLAGS = ("etal",)
"""Elements that have a meaning when empty."""

Values = Callable[[Any], tuple[Any, ...]]


class Child(msgspec.Struct, frozen=True):
    """A field that contains child elements; ``kind`` is the class of one, None for text.

    ``is_spaced``: the blanks of the text are significant. ``is_flag``: the empty element has a meaning.
    """

    field: str
    tag: str
    kind: type | None
    is_many: bool
    is_spaced: bool
    is_flag: bool


class Plan(msgspec.Struct, frozen=True):
    """How one class of the model is written in XML.

    ``attributes`` pairs fields with names in XML; ``attribute_values`` and ``child_values`` return the
    values of these fields of an instance. ``raw`` and ``inline`` name the fields that are marked so, ``nothing`` is an
    empty instance.
    """

    nothing: Any
    attributes: tuple[tuple[str, str], ...]
    attribute_values: Values
    children: tuple[Child, ...]
    child_values: Values
    has_text: bool
    raw: str | None
    inline: str | None
    inline_kinds: Mapping[str, type]
    is_inline_mods: bool
    field_of_attribute: Mapping[str, str]
    child_of_tag: Mapping[str, Child]


def xml_name(field: str) -> str:
    """Return the name in XML (``{namespace}name`` for one of XLink or XML) of a field of the model."""
    if field in _NAMES:
        return _NAMES[field]
    first, *others = field.split("_")
    return first + "".join("URI" if word == "uri" else word.capitalize() for word in others)


def tag_named(name: str) -> str:
    """Return a name in the namespace of MODS."""
    return f"{{{MODS}}}{name}"


@cache
def plan_of(kind: type) -> Plan:
    """Return the plan of a class of ``bibld.model.mods``."""
    attributes: list[tuple[str, str]] = []
    children: list[Child] = []
    has_text, raw, inline = False, None, None
    inline_types: tuple[type, ...] = ()
    hints = get_type_hints(kind, include_extras=True)
    for name in sorted(kind.__struct_fields__, key=lambda name: name not in _FIRST):  # type: ignore[attr-defined]
        hint, marks = _unwrapped(hints[name])
        if _ATTRIBUTE_MARK in marks:
            attributes.append((name, xml_name(name)))
        elif RawXml in marks:
            raw = name
        elif Inline in marks:
            inline, inline_types = name, _members(hint)
        elif name == "value":
            has_text = True
        else:
            children.append(_child(name, hint))
    return Plan(
        nothing=kind(),
        attributes=tuple(attributes),
        attribute_values=_getter([name for name, _ in attributes]),
        children=tuple(children),
        child_values=_getter([child.field for child in children]),
        has_text=has_text,
        raw=raw,
        inline=inline,
        inline_kinds=_both_spellings({tag_of(member): member for member in inline_types if member is not Mods}),
        is_inline_mods=Mods in inline_types,
        field_of_attribute={xml: name for name, xml in attributes},
        child_of_tag=_both_spellings({child.tag: child for child in children}),
    )


def _unwrapped(hint: Any) -> tuple[Any, tuple[Any, ...]]:  # noqa: ANN401
    if get_origin(hint) is Annotated:
        return hint.__origin__, hint.__metadata__
    return hint, ()


def _members(hint: Any) -> tuple[type, ...]:  # noqa: ANN401
    """Return the classes that a hint names: ``X``, ``X | None``, ``tuple[X | Y, ...]``."""
    if get_origin(hint) in (tuple, Union, types.UnionType):
        return tuple(
            member
            for argument in get_args(hint)
            if argument is not Ellipsis and argument is not types.NoneType
            for member in _members(argument)
        )
    return (hint,)


def _child(field: str, hint: Any) -> Child:  # noqa: ANN401
    (kind,) = _members(hint)
    return Child(
        field=field,
        tag=tag_named(xml_name(field)),
        kind=None if kind is str else kind,
        is_many=get_origin(hint) is tuple,
        is_spaced=field in _SPACED,
        is_flag=field in _FLAGS,
    )


@cache
def tag_of(kind: type) -> str:
    """Return the element of a class that declares its name itself."""
    return tag_named(kind.__struct_config__.tag)  # type: ignore[attr-defined]


def _both_spellings(by_tag: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping for elements in the namespace and without one."""
    return {**by_tag, **{etree.QName(tag).localname: value for tag, value in by_tag.items()}}


def _getter(names: list[str]) -> Values:
    if not names:
        return lambda item: ()
    if len(names) == 1:
        get_one = attrgetter(names[0])
        return lambda item: (get_one(item),)
    return attrgetter(*names)


OPEN_END = "9999"
"""The end, in a coded date, of what still appears."""


def words_of(value: object) -> str:
    """Return all text in an element (or text) and its children, in the order of MODS; attributes are no text."""
    return tidy(" ".join(_texts(value)))


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    if not value:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for one in value for text in _texts(one)]
    kind: type = type(value)
    return [text for field in _fields_with_texts(kind) for text in _texts(getattr(value, field))]


@cache
def _fields_with_texts(kind: type) -> tuple[str, ...]:
    """Return the fields of an element that contain text or other elements, in the order of MODS."""
    plan = plan_of(kind)
    fields = [child.field for child in plan.children]
    fields += [field for field in (plan.raw, plan.inline) if field is not None]
    return (*fields, "value") if plan.has_text else tuple(fields)


_EVENT_OF_AGENT = {
    "publisher": "publication", "producer": "production", "distributor": "distribution", "manufacturer": "manufacture",
}  # fmt: skip


def event_of(info: OriginInfo) -> str:
    """Return the event that an ``originInfo`` describes; publication if it states none.

    ``eventType`` names the event or, as the Library of Congress writes it, its agent.
    """
    event = (info.event_type or "publication").lower()
    return _EVENT_OF_AGENT.get(event, event)


def publication_statement(info: OriginInfo) -> str:
    """Return places, publishers and dates as stated on the publication, with the punctuation of ISBD (area 4).

    What the cataloguer supplied is in square brackets. A year that is only coded is not part of it. As many publishers
    as places are each at the place of its position.
    """
    places = [
        _bracketed(term.value, place.supplied == "yes")
        for place in info.place
        for term in place.place_term
        if term.type != "code" and term.value
    ]
    publishers = [_bracketed(one.value, one.supplied == "yes") for one in info.publisher if one.value]
    dates = [trim(date.value) for date in info.date_issued if date.encoding is None and date.value]
    if 1 < len(places) == len(publishers):
        where = " ; ".join(map(" : ".join, zip(places, publishers, strict=True)))
    else:
        where = " : ".join(filter(None, (" ; ".join(places), " : ".join(publishers))))
    is_printed = any(date.encoding == "w3cdtf" for date in info.date_issued)
    if where and is_printed and not dates:
        dates = [_bracketed(years_of_issue(info), info.date_issued[0].qualifier == "inferred")]
    return ", ".join(filter(None, (where, *dates)))


def years_of_issue(info: OriginInfo) -> str:
    """Return the coded dates of issue for a reader: ``1974-1983``, ``1993-``, ``198-``."""
    written = [written_date(date) for date in info.date_issued if date.encoding is not None]
    return "-".join("" if date == OPEN_END else date for date in written)


def written_date(date: Date) -> str:
    """Return a date for a reader: with ``-`` for unknown digits of a coded year."""
    return date.value.replace("u", "-") if date.encoding == "marc" else date.value


def _bracketed(text: str, is_supplied: bool) -> str:
    return f"[{trim(text)}]" if is_supplied else trim(text)


def countries_of(info: OriginInfo) -> set[str]:
    """Return the codes of the MARC code list for the countries that are places of an event."""
    terms = [term for place in info.place for term in place.place_term if term.type == "code"]
    codes = {tidy(term.value).lower() for term in terms if term.authority == "marccountry"}
    other_codes = {tidy(term.value).upper() for term in terms if term.authority != "marccountry"}
    return (codes | {MARC_COUNTRY_OF_ISO.get(code, "") for code in other_codes}) - {""}
