"""A description as a list of labelled values in the order that librarians know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from bibld.model import mods as m
from bibld.model.card import name_text, title_text
from bibld.model.web import is_web_iri
from bibld.serve._language import message
from bibld.serve._pages.codes import LANGUAGE_NAMES, RELATION_LABELS, ROLE_LABELS
from bibld.text.languages import language_tag
from bibld.text.scripts import has_cyrillic

GROUPS = (
    message("Title"),
    message("Authors and contributors"),
    message("Publication"),
    message("Language and form"),
    message("Subjects"),
    message("Contents and notes"),
    message("Identifiers"),
    message("Series and relations"),
    message("Access"),
    message("Record"),
)
"""The headings, in their order."""

ABOUT_RECORD = message("Record")
"""The heading of values that describe the record, not the publication."""

_TITLE_LABELS = {
    "abbreviated": message("Abbreviated title"),
    "translated": message("Translated title"),
    "alternative": message("Other title"),
    "uniform": message("Uniform title"),
}
_DATES = (
    ("date_issued", message("Published")),
    ("date_created", message("Created")),
    ("copyright_date", message("Copyright")),
    ("date_captured", message("Captured")),
    ("date_valid", message("Valid")),
    ("date_modified", message("Modified")),
    ("date_other", message("Other date")),
)


class Value(msgspec.Struct, frozen=True):
    """One value: its ``path`` in the ``Mods``, its group and label, its text and a remark to it.

    ``language`` is a BCP 47 tag for the HTML attribute or empty; ``address`` is set where the value is a web address;
    ``short`` is the text without a part that the label of an entity may lack (the dates of a person).
    """

    path: str
    group: str
    label: str
    text: str
    remark: str = ""
    language: str = ""
    address: str = ""
    short: str = ""


def values(mods: m.Mods) -> list[Value]:
    """Return all values of a description that have text, group by group."""
    found = [value for part in _PARTS for value in part(mods) if value.text.strip()]
    return sorted(found, key=lambda value: GROUPS.index(value.group))


def title(mods: m.Mods) -> str:
    """Return the main title with its subtitle and part, for headings; empty where there is none."""
    plain = [each for each in mods.title_info if each.type is None] or list(mods.title_info)
    return title_text(plain[0]) if plain else ""


def main_name(mods: m.Mods) -> str:
    """Return the first name, with dates; empty where there is none."""
    return name_text(mods.name[0]) if mods.name else ""


def year(mods: m.Mods) -> str:
    """Return the first date of publication; empty where there is none."""
    for info in mods.origin_info:
        for date in (*info.date_issued, *info.copyright_date, *info.date_created):
            if date.value:
                return date.value
    return ""


def language_of(text: str, element: m.Element | None = None) -> str:
    """Return the BCP 47 tag of a text: that of its element, else Russian for Cyrillic letters, else empty."""
    if element is not None:
        stated = element.xml_lang or language_tag(element.lang or "")
        if stated and re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", stated):
            return stated
    return "ru" if has_cyrillic(text) else ""


def _value(
    path: str, group: str, label: str, text: str | None, element: m.Element | None = None, remark: str = ""
) -> Value:
    shown = " ".join((text or "").split())
    address = shown if is_web_iri(shown) else ""
    return Value(path, group, label, shown, remark, language_of(shown, element), address)


def _list(path: str, owner: object, group: str, **labels: str) -> Iterator[Value]:
    """Yield the values of some fields (name=label) of an element; each field is a tuple of elements with a value."""
    for field, label in labels.items():
        for at, element in enumerate(getattr(owner, field)):
            yield _value(f"{path}/{field}/{at}".lstrip("/"), group, label, element.value, element)


def _titles(mods: m.Mods) -> Iterator[Value]:
    for index, info in enumerate(mods.title_info):
        label = info.display_label or _TITLE_LABELS.get(info.type or "", message("Title"))
        yield _value(f"title_info/{index}", "Title", label, title_text(info), info)


def _names(mods: m.Mods) -> Iterator[Value]:
    for index, name in enumerate(mods.name):
        roles = [each for role in name.role for each in _role(role)]
        is_author = name.usage == "primary" or "author" in roles
        label = message("Author") if is_author else message("Contributor")
        remark = ", ".join(dict.fromkeys(role for role in roles if role != "author"))
        value = _value(f"name/{index}", "Authors and contributors", label, name_text(name), name, remark)
        undated = msgspec.structs.replace(name, name_part=tuple(part for part in name.name_part if part.type != "date"))
        yield msgspec.structs.replace(value, short=name_text(undated))


def _role(role: m.Role) -> Iterator[str]:
    texts = [term.value for term in role.role_term if term.type == "text" and term.value]
    codes = [ROLE_LABELS.get(term.value, "") for term in role.role_term if term.type == "code"]
    yield from [code for code in codes if code] or texts


def _origin(mods: m.Mods) -> Iterator[Value]:
    group = "Publication"
    for index, info in enumerate(mods.origin_info):
        top = f"origin_info/{index}"
        event = info.event_type if info.event_type not in (None, "publication") else ""
        yield from _list(top, info, group, edition=message("Edition"))
        for at, place in enumerate(info.place):
            for term in place.place_term:
                if term.type != "code":
                    yield _value(f"{top}/place/{at}", group, message("Place"), term.value, term, event or "")
        for at, publisher in enumerate(info.publisher):
            yield _value(f"{top}/publisher/{at}", group, message("Publisher"), publisher.value, publisher, event or "")
        for field, label in _DATES:
            for at, date in enumerate(getattr(info, field)):
                remark = ", ".join(each for each in (date.point, date.qualifier) if each)
                yield _value(f"{top}/{field}/{at}", group, label, date.value, date, remark)
        for at, shown in enumerate(info.display_date):
            yield _value(f"{top}/display_date/{at}", group, message("Date as stated"), shown)
        yield from _list(top, info, group, frequency=message("Frequency"))


def _description(mods: m.Mods) -> Iterator[Value]:
    group = "Language and form"
    for index, language in enumerate(mods.language):
        names = [
            LANGUAGE_NAMES.get(term.value, term.value) if term.type == "code" else term.value
            for term in language.language_term
        ]
        text = ", ".join(dict.fromkeys(name for name in names if name))
        yield _value(f"language/{index}", group, message("Language"), text, None, language.object_part or "")
    yield from _list("", mods, group, type_of_resource=message("Type"), genre=message("Genre"))
    for index, physical in enumerate(mods.physical_description):
        top = f"physical_description/{index}"
        for at, extent in enumerate(physical.extent):
            yield _value(f"{top}/extent/{at}", group, message("Extent"), extent.value, extent, extent.unit or "")
        yield from _list(top, physical, group, form=message("Form"), note=message("Physical note"))
    yield from _list("", mods, group, target_audience=message("Audience"))


def _subjects(mods: m.Mods) -> Iterator[Value]:
    group = "Subjects"
    for index, subject in enumerate(mods.subject):
        text = " — ".join(each for each in map(_subject_part, subject.parts) if each)
        yield _value(f"subject/{index}", group, message("Subject"), text, subject, subject.authority or "")
    for index, mark in enumerate(mods.classification):
        scheme = " ".join(each for each in (mark.authority, mark.edition) if each)
        yield _value(f"classification/{index}", group, message("Classification"), mark.value, None, scheme)


def _subject_part(part: m.SubjectPart) -> str:
    match part:
        case m.Name():
            return name_text(part)
        case m.TitleInfo():
            return title_text(part)
        case m.HierarchicalGeographic():
            return ", ".join(text for field in _GEOGRAPHIC_FIELDS for text in getattr(part, field) if text)
        case m.Cartographics():
            return "; ".join((*part.scale, *part.projection, *part.coordinates))
        case _:
            return part.value


_GEOGRAPHIC_FIELDS = [
    name for name in m.HierarchicalGeographic.__struct_fields__ if name not in m.Controlled.__struct_fields__
]


def _notes(mods: m.Mods) -> Iterator[Value]:
    group = "Contents and notes"
    yield from _list("", mods, group, abstract="Summary", table_of_contents="Contents")
    for index, note in enumerate(mods.note):
        label = note.display_label or (note.type or "note").replace("-", " ").capitalize()
        yield _value(f"note/{index}", group, label, note.value, note)


def _identifiers(mods: m.Mods) -> Iterator[Value]:
    for index, identifier in enumerate(mods.identifier):
        kind = identifier.type or "identifier"
        label = kind.upper() if len(kind) <= 5 else kind.capitalize()
        remark = message("cancelled or wrong") if identifier.invalid == "yes" else ""
        yield _value(f"identifier/{index}", "Identifiers", label, identifier.value, None, remark)


def _relations(mods: m.Mods) -> Iterator[Value]:
    group = "Series and relations"
    for index, item in enumerate(mods.related_item):
        label = item.display_label or RELATION_LABELS.get(item.type or "") or item.other_type or message("Related")
        name = main_name(item.mods)
        text = title(item.mods)
        text = f"{name}. {text}" if name and text else text or name
        marks = (*_part_texts(item.mods.part), *(f"{each.type} {each.value}" for each in item.mods.identifier))
        yield _value(f"related_item/{index}", group, label, text, item, "; ".join(marks))
    for index, text in enumerate(_part_texts(mods.part)):
        yield _value(f"part/{index}", group, message("Part"), text)


def _part_texts(parts: Iterable[m.Part]) -> Iterator[str]:
    for part in parts:
        pieces = [" ".join((*each.caption, *each.number, *each.title)) for each in part.detail]
        pieces += [
            f"{each.unit or ''} {each.start or ''}–{each.end or ''}".strip() for each in part.extent if each.start
        ]
        pieces += [date.value for date in part.date] + [text.value for text in part.text]
        yield ", ".join(piece for piece in pieces if piece)


def _access(mods: m.Mods) -> Iterator[Value]:
    group = "Access"
    for index, location in enumerate(mods.location):
        top = f"location/{index}"
        for at, url in enumerate(location.url):
            yield _value(
                f"{top}/url/{at}", group, message("Online"), url.value, None, url.display_label or url.note or ""
            )
        yield from _list(top, location, group, physical_location=message("Held by"))
        for at, shelf in enumerate(location.shelf_locator):
            yield _value(f"{top}/shelf_locator/{at}", group, message("Shelf mark"), shelf)
    yield from _list("", mods, group, access_condition=message("Access condition"))


def _record(mods: m.Mods) -> Iterator[Value]:
    group = "Record"
    for index, info in enumerate(mods.record_info):
        top = f"record_info/{index}"
        for at, identifier in enumerate(info.record_identifier):
            path = f"{top}/record_identifier/{at}"
            yield _value(path, group, message("Record number"), identifier.value, None, identifier.source or "")
        yield from _list(
            top,
            info,
            group,
            record_content_source=message("Made by"),
            record_creation_date=message("Made on"),
            record_change_date=message("Changed on"),
            description_standard=message("Rules"),
        )


_PARTS = (_titles, _names, _origin, _description, _subjects, _notes, _identifiers, _relations, _access, _record)
