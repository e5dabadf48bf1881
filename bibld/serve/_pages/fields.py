"""A description as a list of labelled values, in the order in which readers look for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from bibld.model import mods as m
from bibld.model.card import name_text, title_text
from bibld.model.iris import is_web_iri
from bibld.model.mods_plan import OPEN_END, written_date
from bibld.model.relators import TERM_OF_RELATOR, relator_of
from bibld.serve._citations.reference import is_same_person, person_of
from bibld.serve._language import Message, PageLanguage, message
from bibld.serve._pages import codes
from bibld.text.languages import language_tag
from bibld.text.scripts import has_cyrillic

GROUPS = {
    "title": message("Titles"),
    "names": message("Authors and contributors"),
    "publication": message("Publication"),
    "identifiers": message("Identifiers"),
    "subjects": message("Subjects"),
    "contents": message("Contents and notes"),
    "relations": message("Series and relations"),
    "access": message("Access"),
    "record": message("Record"),
}
"""The groups of values, in their order, with their headings."""

ABOUT_RECORD = "record"
"""The group of values that describe the record, not the publication."""

_TITLE_LABELS = {
    "abbreviated": message("Abbreviated title"),
    "translated": message("Title in another language"),
    "alternative": message("Other title"),
    "uniform": message("Uniform title"),
}
_TITLE = message("Title")
_DATES = (
    ("date_issued", message("Year")),
    ("date_created", message("Created")),
    ("copyright_date", message("Copyright")),
    ("date_captured", message("Captured")),
    ("date_valid", message("Valid")),
    ("date_modified", message("Modified")),
    ("date_other", message("Other date")),
)
_AUTHOR_ROLES = frozenset(("aut", "cre", "cmp", "dis"))
_MAX_ACRONYM_LENGTH = 5
_MARC_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)\d{6}(?:\.\d+)?")
_RANKS = {group: rank for rank, group in enumerate(GROUPS)}
_GEOGRAPHIC_FIELDS = [
    name for name in m.HierarchicalGeographic.__struct_fields__ if name not in m.Controlled.__struct_fields__
]


class FieldValue(msgspec.Struct, frozen=True):
    """One value: its ``path`` in the ``Mods``, its group (of ``GROUPS``) and label, its text and a remark to it.

    ``language`` is a BCP 47 tag for the HTML attribute, empty where the text is one of the page; ``address`` is set
    where the value is a web address; ``short`` is the text without a part that the label of an entity may lack (the
    dates of a person).
    """

    path: str
    group: str
    label: str
    text: str
    remark: str = ""
    language: str = ""
    address: str = ""
    short: str = ""


def values(mods: m.Mods, language: PageLanguage) -> list[FieldValue]:
    """Return all values of a description that have text, group by group; labels and codes are in a language."""
    found = [value for value in _Fields(mods, language).all() if value.text.strip()]
    return sorted(found, key=lambda value: _RANKS[value.group])


def title(mods: m.Mods) -> str:
    """Return the main title with its subtitle and part, for headings; empty where there is none."""
    plain = [each for each in mods.title_info if each.type is None] or list(mods.title_info)
    return title_text(plain[0]) if plain else ""


def main_name(mods: m.Mods) -> str:
    """Return the first name, with dates, in the script of the title if it has this form; empty where there is none."""
    if not mods.name:
        return ""
    first, *others = mods.name
    is_russian = has_cyrillic(title(mods))
    if has_cyrillic(name_text(first)) != is_russian:
        person = person_of(first)
        in_script = (name for name in others if has_cyrillic(name_text(name)) == is_russian)
        return name_text(next((name for name in in_script if is_same_person(person, person_of(name))), first))
    return name_text(first)


def year(mods: m.Mods) -> str:
    """Return the first date of publication, with ``-`` for unknown digits; empty where there is none."""
    for info in mods.origin_info:
        for date in (*info.date_issued, *info.copyright_date, *info.date_created):
            if date.value:
                return written_date(date)
    return ""


def language_of(text: str, element: m.Element | None = None) -> str:
    """Return the BCP 47 tag of a text: that of its element, else Russian for Cyrillic letters, else empty."""
    if element is not None:
        stated = element.xml_lang or language_tag(element.lang or "")
        if stated and re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", stated):
            return stated
    return "ru" if has_cyrillic(text) else ""


def plain_value(
    path: str, group: str, label: str, text: str | None, element: m.Element | None = None, remark: str = ""
) -> FieldValue:
    """Return a value with its text on one line, its language, and its address if it is one."""
    shown = " ".join((text or "").split())
    address = shown if is_web_iri(shown) else ""
    return FieldValue(path, group, label, shown, remark, language_of(shown, element), address)


def subject_parts(subject: m.Subject) -> list[str]:
    """Return the texts of the parts of a heading."""
    return [text for text in map(_subject_part, subject.parts) if text]


class _Fields:
    """Reads the values of one description for pages in one language."""

    def __init__(self, mods: m.Mods, language: PageLanguage) -> None:
        self._mods = mods
        self._language = language
        self._text = language.text

    def all(self) -> Iterator[FieldValue]:
        for part in (
            *(self._titles, self._names, self._origin, self._description, self._identifiers, self._subjects),
            *(self._notes, self._relations, self._access, self._record),
        ):
            yield from part()

    def _list(self, path: str, owner: object, group: str, **labels: Message) -> Iterator[FieldValue]:
        """Yield the values of some fields (name=label) of an element; each is a tuple of elements with a value."""
        for field, label in labels.items():
            for at, element in enumerate(getattr(owner, field)):
                location = f"{path}/{field}/{at}".lstrip("/")
                yield plain_value(location, group, self._text(label), element.value, element)

    def _coded(self, path: str, group: str, label: Message, code: str, labels: dict[str, Message]) -> FieldValue:
        """Return a value that is in words of the page if its code is known."""
        text = codes.words_of(labels, code, self._language)
        found = plain_value(path, group, self._text(label), text)
        return msgspec.structs.replace(found, language="") if text != code else found

    def _titles(self) -> Iterator[FieldValue]:
        for index, info in enumerate(self._mods.title_info):
            label = info.display_label or self._text(_TITLE_LABELS.get(info.type or "", _TITLE))
            yield plain_value(f"title_info/{index}", "title", label, title_text(info), info)

    def _names(self) -> Iterator[FieldValue]:
        for index, name in enumerate(self._mods.name):
            roles = [each for role in name.role for each in _role(role)]
            is_author = name.usage == "primary" or any(role in _AUTHOR_ROLES for role in roles)
            label = message("Author") if is_author else message("Contributor")
            words = (codes.role_words(role, self._language) or role for role in roles if role != "aut")
            remark = ", ".join(dict.fromkeys(words))
            value = plain_value(f"name/{index}", "names", self._text(label), name_text(name), name, remark)
            undated = tuple(part for part in name.name_part if part.type != "date")
            short = name_text(msgspec.structs.replace(name, name_part=undated))
            yield msgspec.structs.replace(value, short=short)

    def _origin(self) -> Iterator[FieldValue]:
        group = "publication"
        for index, info in enumerate(self._mods.origin_info):
            top = f"origin_info/{index}"
            event = codes.words_of(codes.EVENT_LABELS, info.event_type or "", self._language)
            event = "" if event == "publication" else event
            yield from self._list(top, info, group, edition=message("Edition"))
            for at, place in enumerate(info.place):
                for term in place.place_term:
                    if term.type != "code":
                        label = self._text(message("Place"))
                        yield plain_value(f"{top}/place/{at}", group, label, term.value, term, event)
            for at, publisher in enumerate(info.publisher):
                label = self._text(message("Publisher"))
                yield plain_value(f"{top}/publisher/{at}", group, label, publisher.value, publisher, event)
            for field, label_of_date in _DATES:
                for at, date in enumerate(getattr(info, field)):
                    yield self._date(f"{top}/{field}/{at}", self._text(label_of_date), date, getattr(info, field))
            for at, shown in enumerate(info.display_date):
                yield plain_value(f"{top}/display_date/{at}", group, self._text(message("Date as stated")), shown)
            yield from self._list(top, info, group, frequency=message("Frequency"))

    def _date(self, path: str, label: str, date: m.Date, siblings: tuple[m.Date, ...]) -> FieldValue:
        """Return a date; the first and the last of a range are one value."""
        qualifier = codes.words_of(codes.POINT_LABELS, date.qualifier or "", self._language)
        text = written_date(date)
        if date.point == "start":
            end = next((other for other in siblings if other.point == "end"), None)
            if end is not None and text and end.value != date.value:
                text = f"{text}–{'' if end.value == OPEN_END else written_date(end)}"
        elif date.point == "end" and any(other.point == "start" and other.value for other in siblings):
            text = ""
        return plain_value(path, "publication", label, text, date, qualifier)

    def _description(self) -> Iterator[FieldValue]:
        group = "publication"
        for index, physical in enumerate(self._mods.physical_description):
            for at, extent in enumerate(physical.extent):
                path = f"physical_description/{index}/extent/{at}"
                yield plain_value(path, group, self._text(message("Extent")), extent.value, extent, extent.unit or "")
        for index, language in enumerate(self._mods.language):
            terms = [
                self._language.name_of_language(term.value) if term.type == "code" else term.value
                for term in language.language_term
            ]
            text = ", ".join(dict.fromkeys(term for term in terms if term))
            path, label = f"language/{index}", self._text(message("Language"))
            remark = codes.words_of(codes.LANGUAGE_PART_LABELS, language.object_part or "", self._language)
            yield FieldValue(path, group, label, text, remark)
        for at, kind in enumerate(self._mods.type_of_resource):
            yield self._coded(f"type_of_resource/{at}", group, message("Type"), kind.value, codes.TYPE_LABELS)
        for at, genre in enumerate(self._mods.genre):
            yield self._coded(f"genre/{at}", group, message("Genre"), genre.value, codes.GENRE_LABELS)
        for index, physical in enumerate(self._mods.physical_description):
            top = f"physical_description/{index}"
            for at, form in enumerate(physical.form):
                yield self._coded(f"{top}/form/{at}", group, message("Form"), form.value, codes.FORM_LABELS)
            yield from self._list(top, physical, group, note=message("Physical note"))
        for at, audience in enumerate(self._mods.target_audience):
            labels = codes.AUDIENCE_LABELS
            yield self._coded(f"target_audience/{at}", group, message("Audience"), audience.value, labels)

    def _subjects(self) -> Iterator[FieldValue]:
        group = "subjects"
        for index, subject in enumerate(self._mods.subject):
            text = " — ".join(subject_parts(subject))
            scheme = codes.words_of(codes.SCHEME_LABELS, subject.authority or "", self._language)
            yield plain_value(f"subject/{index}", group, self._text(message("Subject")), text, subject, scheme)
        for index, mark in enumerate(self._mods.classification):
            authority = codes.words_of(codes.SCHEME_LABELS, mark.authority or "", self._language)
            scheme = " ".join(each for each in (authority, mark.edition) if each)
            label = self._text(message("Classification"))
            yield plain_value(f"classification/{index}", group, label, mark.value, None, scheme)

    def _notes(self) -> Iterator[FieldValue]:
        group = "contents"
        summary, contents = message("Summary"), message("Contents")
        yield from self._list("", self._mods, group, abstract=summary, table_of_contents=contents)
        for index, note in enumerate(self._mods.note):
            known = codes.NOTE_LABELS.get((note.type or "").lower())
            other = (note.type or "").replace("-", " ").capitalize()
            other = other or (codes.property_words(note.type_uri, self._language) if note.type_uri else "")
            label = note.display_label or (self._text(known) if known is not None else other)
            label = label or self._text(message("Note"))
            yield plain_value(f"note/{index}", group, label, note.value, note)

    def _identifiers(self) -> Iterator[FieldValue]:
        for index, identifier in enumerate(self._mods.identifier):
            kind = identifier.type or "identifier"
            known = codes.IDENTIFIER_LABELS.get(kind.lower())
            other = kind.upper() if len(kind) <= _MAX_ACRONYM_LENGTH else kind.capitalize()
            label = self._text(known) if known is not None else other
            remark = self._text(message("cancelled or wrong")) if identifier.invalid == "yes" else ""
            yield plain_value(f"identifier/{index}", "identifiers", label, identifier.value, None, remark)

    def _relations(self) -> Iterator[FieldValue]:
        group = "relations"
        for index, item in enumerate(self._mods.related_item):
            known = codes.RELATION_LABELS.get(item.type or "")
            other = item.other_type or self._text(message("Related"))
            label = item.display_label or (self._text(known) if known is not None else other)
            name = main_name(item.mods)
            text = title(item.mods)
            text = f"{name}. {text}" if name and text else text or name
            numbers = (f"{(each.type or '').upper()} {each.value}".strip() for each in item.mods.identifier)
            marks = (*_part_texts(item.mods.part), *numbers)
            value = plain_value(f"related_item/{index}", group, label, text, item, "; ".join(marks))
            yield msgspec.structs.replace(value, short=" ".join(title(item.mods).split()))
        for index, text in enumerate(_part_texts(self._mods.part)):
            yield plain_value(f"part/{index}", group, self._text(message("Part")), text)

    def _access(self) -> Iterator[FieldValue]:
        group = "access"
        for index, location in enumerate(self._mods.location):
            top = f"location/{index}"
            for at, url in enumerate(location.url):
                remark = url.display_label or url.note or ""
                yield plain_value(f"{top}/url/{at}", group, self._text(message("Online")), url.value, None, remark)
            yield from self._list(top, location, group, physical_location=message("Holding library"))
            copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
            marks = [*location.shelf_locator, *(mark for copy in copies for mark in copy.shelf_locator)]
            for at, shelf in enumerate(dict.fromkeys(marks)):
                yield plain_value(f"{top}/shelf_locator/{at}", group, self._text(message("Shelf mark")), shelf)
        yield from self._list("", self._mods, group, access_condition=message("Access condition"))

    def _record(self) -> Iterator[FieldValue]:
        group = ABOUT_RECORD
        for index, info in enumerate(self._mods.record_info):
            top = f"record_info/{index}"
            for at, identifier in enumerate(info.record_identifier):
                path, label = f"{top}/record_identifier/{at}", self._text(message("Record number"))
                yield plain_value(path, group, label, identifier.value, None, identifier.source or "")
            for at, source in enumerate(info.record_content_source):
                name = codes.library_words(source.value, self._language)
                yield plain_value(f"{top}/record_content_source/{at}", group, self._text(message("Made by")), name)
            dates = (("record_creation_date", message("Made on")), ("record_change_date", message("Changed on")))
            for name, label in dates:
                for at, stated in enumerate(getattr(info, name)):
                    text = self._language.date(_iso_day(stated.value))
                    yield plain_value(f"{top}/{name}/{at}", group, self._text(label), text)
            for at, rules in enumerate(info.description_standard):
                path = f"{top}/description_standard/{at}"
                yield self._coded(path, group, message("Rules"), rules.value, codes.RULE_LABELS)


def _iso_day(date: str) -> str:
    """Return the day of a date or time as ISO 8601 writes it (MARC writes ``19981104172914.0``); others as they are."""
    found = _MARC_TIME.fullmatch(date)
    return "-".join(found.groups()) if found is not None else date


def _role(role: m.Role) -> Iterator[str]:
    """Yield the codes of a role, or its words where they are no known role."""
    found = [term.value if term.type == "code" else relator_of(term.value) for term in role.role_term]
    known = [code for code in found if code in TERM_OF_RELATOR]
    yield from known or [term.value for term in role.role_term if term.type == "text" and term.value]


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


def _part_texts(parts: Iterable[m.Part]) -> Iterator[str]:
    for part in parts:
        pieces = [" ".join((*each.caption, *each.number, *each.title)) for each in part.detail]
        pieces += [
            f"{each.unit or ''} {each.start or ''}–{each.end or ''}".strip() for each in part.extent if each.start
        ]
        pieces += [date.value for date in part.date] + [text.value for text in part.text]
        yield ", ".join(piece for piece in pieces if piece)
