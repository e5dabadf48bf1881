"""What a publication's page states: each value with the records that have it and its other forms; the holdings."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from bibld.model.holdings import library_and_places
from bibld.model.identifiers import isbn
from bibld.model.iris import is_web_iri
from bibld.model.linkage import Merged, ValueSource
from bibld.model.mods import Location, Url
from bibld.model.origin import RecordId
from bibld.protocols import SourceRecord
from bibld.serve._language import PageLanguage
from bibld.serve._pages import fields
from bibld.text.scripts import has_cyrillic

_MAX_LETTERS = 5
_STATEMENT = re.compile(r"origin_info/\d+")
_FORMS = {"pdf": "PDF", "djvu": "DjVu", "djv": "DjVu", "epub": "EPUB", "fb2": "FB2", "mobi": "MOBI", "mp3": "MP3"}
"""The ends of addresses that name the form of a text."""

_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp")
_ABOUT_TEXT = re.compile(
    "оглавлен|содержан|обложк|аннотац|реценз|реферат|contents|cover|description|biograph|sample|review|abstract"
    "|inhalt|klappentext|sommaire",
    re.IGNORECASE,
)
"""Words for addresses of what is about a publication, or of a part of it."""

_NEITHER_LETTERS_NOR_DIGITS = re.compile(r"[\W_]+")


class OtherForm(msgspec.Struct, frozen=True):
    """A form of a value that the merged description does not show, and the letters of the records that have it."""

    text: str
    letters: str
    language: str


class Fact(msgspec.Struct, frozen=True):
    """A value with its link on this site, the letters of the records that have it, and its other forms.

    ``letters`` are empty on the page of one record; ``is_disputed``: not all records have the value.
    """

    value: fields.FieldValue
    href: str | None = None
    letters: str = ""
    is_disputed: bool = False
    forms: tuple[OtherForm, ...] = ()


class FactRow(msgspec.Struct, frozen=True):
    """The values with one label."""

    label: str
    facts: tuple[Fact, ...]


class FactGroup(msgspec.Struct, frozen=True):
    """A heading with rows; ``name`` is a key of ``fields.GROUPS``."""

    name: str
    heading: str
    rows: tuple[FactRow, ...]


def folded(text: str) -> str:
    """Letters and digits only, without case: enough to see that a text on a page is the label of an entity."""
    return _NEITHER_LETTERS_NOR_DIGITS.sub("", text.casefold())


def letter_of(number: int) -> str:
    """Return the mark of a record by its place among the members of a cluster: A, B … Z, then numbers from 27."""
    return string.ascii_uppercase[number] if number < len(string.ascii_uppercase) else str(number + 1)


class Letters:
    """The marks of the members of a cluster."""

    def __init__(self, members: Sequence[RecordId]) -> None:
        self._numbers = {record: number for number, record in enumerate(members)}
        self.count = len(members)

    def of(self, records: Iterable[RecordId]) -> str:
        """Return the marks of some members, or how many they are if they are many; empty in a cluster of one."""
        if self.count < 2:
            return ""
        numbers = sorted({self._numbers[record] for record in records if record in self._numbers})
        if len(numbers) > _MAX_LETTERS:
            return f"{len(numbers)}/{self.count}"
        return " ".join(map(letter_of, numbers))


def facts_of(found: Iterable[fields.FieldValue], language: PageLanguage, links: Mapping[str, str]) -> list[FactGroup]:
    """Return the facts of one record from its values; ``links`` are paths by the folded names of entities."""
    distinct = dict.fromkeys(_without_path(value) for value in found)
    return _grouped([Fact(value, _href(value, links)) for value in distinct], language)


def merged_facts(
    merged: Merged, found: Sequence[fields.FieldValue], language: PageLanguage, links: Mapping[str, str]
) -> list[FactGroup]:
    """Return the facts of a merged description, whose values were ``found``.

    ``links`` are paths by the folded names of entities. Values that look the same (a date with the place and the
    publisher in each script) are shown once, and so is a thing: its further names are other forms of the first, or of
    the first in Cyrillic if the title is. The records that have a value are those of its path, or of the nearest path
    above it.
    """
    members = merged.cluster.members
    if len(members) < 2:
        return facts_of(found, language, links)
    letters = Letters(members)
    records_of_path = {source.path: source.records for source in merged.sources if source.is_shown}
    forms = _forms_by_path(merged.sources, [value.path for value in found])
    records_of: dict[fields.FieldValue, set[RecordId]] = {}
    forms_of: dict[fields.FieldValue, dict[str, set[RecordId]]] = {}
    for value in found:
        path = value.path
        while path and path not in records_of_path:
            path = path.rpartition("/")[0]
        key = _without_path(value)
        records_of.setdefault(key, set()).update(records_of_path.get(path, members))
        texts = forms_of.setdefault(key, {})
        for text, holders in forms.get(value.path, ()):
            if text != value.text:
                texts.setdefault(text, set()).update(holders)
    facts = []
    is_cyrillic = has_cyrillic(fields.title(merged.mods))
    for first, same in _by_thing(records_of, links).items():
        value = next((each for each in same if is_cyrillic and has_cyrillic(each.text)), first)
        holders_of: dict[str, set[RecordId]] = {}
        for each in same:
            if each.text != value.text:
                holders_of.setdefault(each.text, set()).update(records_of[each])
            for text, members_with_it in forms_of[each].items():
                if text != value.text:
                    holders_of.setdefault(text, set()).update(members_with_it)
        others = tuple(
            OtherForm(text, letters.of(those), fields.language_of(text)) for text, those in holders_of.items()
        )
        having = set[RecordId]().union(*(records_of[each] for each in same))
        facts.append(Fact(value, _href(value, links), letters.of(having), having != set(members), others))
    return _grouped(facts, language)


def makers_with_pages(groups: Iterable[FactGroup]) -> FactRow | None:
    """Return the first row of names, which are the authors if there are some, with those that have a page."""
    row = next((group.rows[0] for group in groups if group.name == "names"), None)
    found = tuple(fact for fact in row.facts if fact.href) if row is not None else ()
    return FactRow(row.label, found) if row is not None and found else None


def _by_thing(
    values: Iterable[fields.FieldValue], links: Mapping[str, str]
) -> dict[fields.FieldValue, list[fields.FieldValue]]:
    """Group values that lead to one thing in one row (a name in two scripts) under the first; others are alone."""
    first: dict[tuple[str, str, str, str], fields.FieldValue] = {}
    groups: dict[fields.FieldValue, list[fields.FieldValue]] = {}
    for value in values:
        href = _href(value, links)
        shown = first.setdefault((value.group, value.label, value.remark, href), value) if href else value
        groups.setdefault(shown, []).append(value)
    return groups


def _forms_by_path(
    sources: Sequence[ValueSource], paths: Sequence[str]
) -> dict[str, list[tuple[str, tuple[RecordId, ...]]]]:
    """Return the forms that are not shown, by the path of the value beside which they are.

    The wording of a statement of publication is beside its last value, the date.
    """
    found: dict[str, list[tuple[str, tuple[RecordId, ...]]]] = {}
    for source in sources:
        forms = [(form.value, form.records) for form in source.spellings]
        if not source.is_shown:
            forms.append((source.value, source.records))
        if not forms:
            continue
        beside = [path for path in paths if path == source.place or path.startswith(f"{source.place}/")]
        if beside:
            path = beside[-1] if _STATEMENT.fullmatch(source.place) else beside[0]
            found.setdefault(path, []).extend((" ".join(text.split()), records) for text, records in forms if text)
    return found


def _without_path(value: fields.FieldValue) -> fields.FieldValue:
    return msgspec.structs.replace(value, path="")


def _href(value: fields.FieldValue, links: Mapping[str, str]) -> str | None:
    if not links:
        return None
    return links.get(folded(value.text)) or (links.get(folded(value.short)) if value.short else None)


def _grouped(facts: Iterable[Fact], language: PageLanguage) -> list[FactGroup]:
    groups: dict[str, dict[str, list[Fact]]] = {}
    for fact in facts:
        groups.setdefault(fact.value.group, {}).setdefault(fact.value.label, []).append(fact)
    return [
        FactGroup(
            name,
            language.text(fields.GROUPS[name]),
            tuple(FactRow(label, tuple(found)) for label, found in rows.items()),
        )
        for name, rows in groups.items()
    ]


class Copy(msgspec.Struct, frozen=True):
    """A position in a library: who has the copy, the department or shelf, its marks."""

    institution: str
    shelves: tuple[str, ...]
    marks: tuple[str, ...]


class FullText(msgspec.Struct, frozen=True):
    """An address at which the publication can be read: its ``form`` (PDF …), empty if the address names none, its host.

    ``source`` is the library whose record states it.
    """

    address: str
    form: str
    host: str
    source: str


class Holding(msgspec.Struct, frozen=True):
    """What the records of one library (``source``) state about its copies; ``links`` are addresses with their words.

    Those of the full text are not among the links (see ``full_texts``).

    ``isbn`` is the first of these records, by which catalogues are asked.
    """

    source: str
    records: tuple[RecordId, ...]
    copies: tuple[Copy, ...]
    links: tuple[tuple[str, str], ...]
    isbn: str = ""

    @property
    def call_number(self) -> str:
        """The first shelf mark; empty if none is stated."""
        return next((mark for copy in self.copies for mark in copy.marks), "")


def holdings(records: Iterable[SourceRecord]) -> list[Holding]:
    """Return the holdings of each library, in the order of the records."""
    by_source: dict[str, list[SourceRecord]] = {}
    for record in records:
        by_source.setdefault(record.id.source, []).append(record)
    return [_holding(source, of_source) for source, of_source in by_source.items()]


def _holding(source: str, records: list[SourceRecord]) -> Holding:
    copies: dict[Copy, None] = {}
    links: dict[str, str] = {}
    numbers = [each.value for record in records for each in record.mods.identifier if each.type == "isbn"]
    for record in records:
        for location in record.mods.location:
            for url in location.url:
                if is_web_iri(url.value) and not _is_of_full_text(url):
                    links.setdefault(url.value, url.display_label or url.note or "")
            copy = _copy(location)
            if copy is not None:
                copies[copy] = None
    return Holding(
        source,
        tuple(record.id for record in records),
        tuple(copies),
        tuple(links.items()),
        next((found.value for text in numbers if (found := isbn(text)) is not None), ""),
    )


def full_texts(records: Iterable[SourceRecord]) -> list[FullText]:
    """Return the addresses of the full text that records state, each once."""
    found: dict[str, FullText] = {}
    for record in records:
        for url in (url for location in record.mods.location for url in location.url):
            if is_web_iri(url.value) and _is_of_full_text(url):
                parts = urlsplit(url.value)
                form = _FORMS.get(parts.path.rpartition(".")[2].lower(), "")
                host = (parts.hostname or "").removeprefix("www.")
                found.setdefault(url.value, FullText(url.value, form, host, record.id.source))
    return list(found.values())


def _is_of_full_text(url: Url) -> bool:
    """Whether an address is that of the publication, not of a cover, its contents or what others write about it."""
    if url.access == "preview" or urlsplit(url.value).path.lower().endswith(_PICTURES):
        return False
    return _ABOUT_TEXT.search(f"{url.display_label or ''} {url.note or ''}") is None


def _copy(location: Location) -> Copy | None:
    found, places = library_and_places(location)
    names = sorted(found.values(), key=lambda name: bool(name.authority))
    of_copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
    shelves = [*places, *(place for copy in of_copies for place in copy.sub_location)]
    marks = [*location.shelf_locator, *(mark for copy in of_copies for mark in copy.shelf_locator)]
    if not (names or shelves or marks):
        return None
    return Copy(names[0].value if names else "", tuple(dict.fromkeys(shelves)), tuple(dict.fromkeys(marks)))
