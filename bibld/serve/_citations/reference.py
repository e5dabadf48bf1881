"""What a reference contains of a description, and its people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from bibld.model import mods as m
from bibld.model.card import name_text
from bibld.model.iris import is_web_iri
from bibld.model.linkage import ValueSource
from bibld.model.origin import RecordId
from bibld.model.relators import relator_of
from bibld.text.extents import pages, volumes
from bibld.text.folding import fold
from bibld.text.languages import language_tag
from bibld.text.names import is_initial_form_of, person_key
from bibld.text.places import expand_place
from bibld.text.romanisation import romanise, transcription_key
from bibld.text.scripts import has_cyrillic

_IN_PARENTHESES = re.compile(r"\(([^()]*)\)")


class Person(msgspec.Struct, frozen=True):
    """A person or organisation; an organisation, and a person without a family name, has ``family`` only.

    ``other_forms`` are headings with the name in another script or with initials.
    """

    family: str
    given: str = ""
    is_organisation: bool = False
    other_forms: tuple[str, ...] = ()

    @property
    def initials(self) -> str:
        """The initials of the given names: ``Л. Н.``, ``Ж.-Ж.``; particles stay as they are."""
        words = re.sub(r"\.(?=\w)", ". ", self.given).split()
        return " ".join(map(_initial, words))

    @property
    def heading(self) -> str:
        """The name as a heading: the family name first."""
        return ", ".join(filter(None, (self.family, self.given)))

    @property
    def heading_with_initials(self) -> str:
        """The name as a heading with initials: ``Толстой, Л. Н.``."""
        return ", ".join(filter(None, (self.family, self.initials)))

    @property
    def spoken(self) -> str:
        """The name with the given names first."""
        return " ".join(filter(None, (self.given, self.family)))


def people_of(names: Sequence[m.Name], is_russian: bool) -> tuple[Person, ...]:
    """Return each person once: of a name in two scripts the form in the script of the title."""
    found: list[Person] = []
    linked: dict[str, int] = {}
    for name in names:
        person = person_of(name)
        if not person.family:
            continue
        group = name.alt_rep_group or ""
        at = linked.get(group) if group else None
        if at is None:
            at = next((at for at, each in enumerate(found) if is_same_person(each, person)), len(found))
        found[at : at + 1] = [_merged(found[at], person, is_russian) if at < len(found) else person]
        if group:
            linked[group] = at
    return tuple(found)


def person_of(name: m.Name) -> Person:
    """Return the person or organisation that a name in a description is."""
    parts = {kind: plain(" ".join(p.value for p in name.name_part if p.type == kind)) for kind in ("family", "given")}
    if name.type not in (None, "personal", "family"):
        text = ". ".join(plain(part.value).rstrip(".") for part in name.name_part if part.type != "date")
        return Person(text or plain(name_text(name)), "", is_organisation=True)
    if parts["family"]:
        return Person(parts["family"].rstrip("."), _full_given(parts["given"]))
    text = next((part.value for part in name.name_part if part.type is None and part.value), "")
    family, _, given = plain(text or parts["given"] or name_text(name)).partition(",")
    return Person(family.strip(), _full_given(given))


def find_person(person: Person, headings: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the key of the only heading that names a person; empty if none does, or more than one.

    ``headings`` are pairs of a key and the forms of a name. They can be in another script, with dates, with a title of
    nobility or with initials. A heading with the same names precedes those with initials.
    """
    forms = [(key, name) for key, names in headings for name in names]
    wanted = _key(person.heading)
    equal = {key for key, name in forms if wanted and _key(name) == wanted}
    if not equal and person.is_organisation:
        return ""
    found = equal or {key for key, name in forms if _is_form_of(person.heading, name)}
    return found.pop() if len(found) == 1 else ""


def is_same_person(one: Person, other: Person) -> bool:
    """Whether two names can be one person: in two scripts initials suffice, as names are translated, too."""
    if has_cyrillic(one.family) == has_cyrillic(other.family):
        headings = _latin_heading(one.heading), _latin_heading(other.heading)
        return person_key(headings[0]) == person_key(headings[1]) or _is_form_of(*headings)
    names = [(transcription_key(each.family), romanise(each.given)[:1]) for each in (one, other)]
    return names[0] == names[1]


def plain(text: str) -> str:
    """Return a text on one line, without what separated it from the next part of the description."""
    return " ".join(text.split()).strip(" /:;,=")


def _merged(present: Person, person: Person, is_russian: bool) -> Person:
    is_better = has_cyrillic(present.family) != is_russian and has_cyrillic(person.family) == is_russian
    best, other = (person, present) if is_better else (present, person)
    forms = dict.fromkeys((*present.other_forms, other.heading))
    forms.pop(best.heading, None)
    return msgspec.structs.replace(best, other_forms=tuple(forms))


def _key(heading: str) -> str:
    return person_key(_latin_heading(heading))


def _is_form_of(one: str, other: str) -> bool:
    """Whether one of two headings is the other one with initials or without a patronymic."""
    one, other = _latin_heading(one), _latin_heading(other)
    return is_initial_form_of(one, other) or is_initial_form_of(other, one)


def _latin_heading(heading: str) -> str:
    """Return the family name and the given names in a form that is equal for all scripts, without what follows."""
    family, given = [*_IN_PARENTHESES.sub("", heading).split(","), "", ""][:2]
    given = "" if any(map(str.isdigit, given)) else given
    return ", ".join(filter(None, map(transcription_key, (family, given))))


def _full_given(given: str) -> str:
    """Return given names; those in parentheses, which write out initials, instead of these."""
    full = _IN_PARENTHESES.findall(given)
    return plain(full[0] if full and full[0].strip() else _IN_PARENTHESES.sub("", given))


def _initial(word: str) -> str:
    if not word[0].isupper():
        return word
    parts = [part for part in re.split(r"[-‐]", word) if part]
    return "-".join(f"{part[0]}." for part in parts) or word


Kind = Literal["book", "article", "chapter", "serial", "thesis", "map", "score", "sound", "film", "image", "document"]

_KIND_OF_CONTENT: dict[str, Kind] = {
    "cartographic": "map",
    "notated music": "score",
    "sound recording": "sound",
    "sound recording-musical": "sound",
    "sound recording-nonmusical": "sound",
    "audio": "sound",
    "moving image": "film",
    "still image": "image",
}
_AUTHORS = frozenset(("aut", "cre", "cmp", "art", "dis", "lyr", "lbt", "ctg", "pht"))
_EDITORS = frozenset(("edt", "edc", "pbd"))
_COMPILERS = frozenset(("com",))
_TRANSLATORS = frozenset(("trl",))
_NOT_PARTS = frozenset(("set", "subset", "supplementTo", "boundWith"))
_THESES = frozenset(("theses", "thesis", "dissertation"))
_SERIALS = frozenset(("serial", "continuing", "serl", "intg", "integrating resource"))
_YEAR = re.compile(r"\d{4}(?:\s*[-–/]\s*\d{2,4})?")
_DESIGNATION = re.compile(r"\s*\[[^\]]*\]\s*$")
_ENDS_OF_EXTENT = re.compile(r"\s[:;+]\s")
_SIZE = re.compile(r"[\d.,xх× ]+\s*(?:см|cm|мм|mm)\.?")
_BESIDE_RESOURCE = re.compile(
    r"обложк|оглавлен|содержан|аннотац|реферат|отрывок|миниатюр"
    r"|\bcover\b|\bcontents\b|\babstract\b|\bsummary\b|\bthumbnail\b|\bpreview\b|\bexcerpt\b|\bsample text\b"
    r"|\bpublisher description\b|\bbiographical\b|\breview\b"
    r"|\binhalt|\bklappentext\b|\bumschlag\b|\bcouverture\b|\bsommaire\b|\brésumé\b",
    re.IGNORECASE,
)
"""Labels of addresses that are not those of the publication itself."""

_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|bmp|svg|tiff?)(?:$|[?#])", re.IGNORECASE)
Records = Mapping[str, Sequence[RecordId]]
"""The records that have a value, by its path."""


class Reference(msgspec.Struct, frozen=True):
    """A publication as it is cited; empty where nothing is known.

    ``title`` includes the subtitle, ``part`` is the designation of a volume with its title. ``container`` is the title
    of what an article or chapter is in; ``volume``, ``issue`` and ``pages`` are its position there. ``extent`` is in
    pages or volumes with their unit; ``page_count`` and ``volume_count`` are bare numbers. ``language`` is a BCP 47
    tag. ``responsibility`` is the statement of the title page, ``accessed`` the day (ISO 8601) on which
    ``url`` was read.
    """

    iri: str
    kind: Kind = "book"
    title: str = ""
    subtitle: str = ""
    part: str = ""
    responsibility: str = ""
    authors: tuple[Person, ...] = ()
    editors: tuple[Person, ...] = ()
    translators: tuple[Person, ...] = ()
    compilers: tuple[Person, ...] = ()
    edition: str = ""
    places: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    year: str = ""
    extent: str = ""
    page_count: int = 0
    volume_count: int = 0
    series: str = ""
    series_number: str = ""
    container: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    doi: str = ""
    url: str = ""
    accessed: str = ""
    is_electronic: bool = False
    language: str = ""
    subjects: tuple[str, ...] = ()
    abstract: str = ""

    @property
    def full_title(self) -> str:
        """Title and subtitle, as in a catalogue: with a colon between blanks."""
        return " : ".join(filter(None, (self.title, self.subtitle)))

    @property
    def is_cyrillic(self) -> bool:
        """Whether the words of the reference are Russian: no, if the title is in another script."""
        return has_cyrillic(self.title or self.responsibility or " ".join(self.publishers))


def reference_of(mods: m.Mods, iri: str, sources: Sequence[ValueSource] = (), accessed: str = "") -> Reference:
    """Return the reference to a publication; ``iri`` is its address for ever, ``accessed`` the day of its page.

    With ``sources``, those of a merged description, places and publishers are those of one record: the others repeat
    them in other words.
    """
    title = next((each for each in mods.title_info if each.type is None), next(iter(mods.title_info), m.TitleInfo()))
    is_russian = has_cyrillic(title.title)
    statements = [note.value for note in mods.note if note.type == "statement of responsibility"]
    responsibility = next((text for text in statements if has_cyrillic(text) == is_russian), "".join(statements[:1]))
    host = next((each for each in mods.related_item if _is_host(each)), None)
    parts = (*mods.part, *(host.mods.part if host is not None else ()))
    is_volume = host is not None and fold(_title_of(host)) == fold(title.title)
    volume, issue, on_pages = _place_in_host(parts)
    part = plain(". ".join(filter(None, (*title.part_number, *title.part_name))))
    if is_volume:
        host, part, volume = None, part or volume, ""
    series = _in_script([each for each in mods.related_item if each.type == "series"], is_russian)
    origins = mods.origin_info or (host.mods.origin_info if host is not None else ())
    of_set = next((item.mods.origin_info for item in mods.related_item if item.other_type == "set"), ())
    records = {source.path: source.records for source in sources} if mods.origin_info else {}
    extent, page_count, volume_count = _extent(mods, is_russian)
    return Reference(
        iri=iri,
        kind=_kind(mods, host),
        title=plain((title.non_sort or "") + title.title),
        subtitle=" : ".join(filter(None, map(plain, title.sub_title))),
        part=part,
        responsibility=plain(responsibility),
        authors=people_of(_authors(mods, responsibility), is_russian),
        editors=people_of(_with_roles(mods, _EDITORS), is_russian),
        translators=people_of(_with_roles(mods, _TRANSLATORS), is_russian),
        compilers=people_of(_with_roles(mods, _COMPILERS), is_russian),
        edition=plain(next((each.value for info in origins for each in info.edition if each.value), "")),
        places=_places(origins, records, is_russian) or _places(of_set, {}, is_russian),
        publishers=_publishers(origins, records, is_russian) or _publishers(of_set, {}, is_russian),
        year=_year(origins) or (_year(host.mods.origin_info) or _year_of_part(host) if host is not None else ""),
        extent=extent,
        page_count=page_count,
        volume_count=volume_count,
        series=_title_of(series),
        series_number=_number_of(series),
        container=_title_of(host),
        volume=volume,
        issue=issue,
        pages=on_pages,
        isbn=_identifiers(mods, "isbn"),
        issn=_identifiers(mods, "issn") or (_identifiers(host.mods, "issn") if host is not None else ()),
        doi=next(iter(_identifiers(mods, "doi")), ""),
        url=next((url.value for place in mods.location for url in place.url if _is_of_resource(url)), ""),
        accessed=accessed,
        is_electronic=any(form.value == "electronic" for each in mods.physical_description for form in each.form),
        language=_language(mods),
        subjects=_subjects(mods),
        abstract=plain(next((each.value for each in mods.abstract), "")),
    )


def _is_host(item: m.RelatedItem) -> bool:
    return item.type == "host" and item.other_type not in _NOT_PARTS and bool(_title_of(item))


def _kind(mods: m.Mods, host: m.RelatedItem | None) -> Kind:
    contents = [kind.value.strip().lower() for kind in mods.type_of_resource]
    for content in contents:
        if content in _KIND_OF_CONTENT:
            return _KIND_OF_CONTENT[content]
    if {genre.value.strip().lower() for genre in mods.genre} & _THESES:
        return "thesis"
    if {text.strip().lower() for info in mods.origin_info for text in info.issuance} & _SERIALS:
        return "serial"
    if host is not None:
        is_book = bool(_identifiers(host.mods, "isbn")) or any(info.publisher for info in host.mods.origin_info)
        return "chapter" if is_book and not _identifiers(host.mods, "issn") else "article"
    return "book" if not contents or "text" in contents else "document"


# -- names


def _codes(name: m.Name) -> set[str]:
    """Return the codes of the roles of a name, of words for them too."""
    found = set()
    for role in name.role:
        for term in role.role_term:
            code = term.value if term.type == "code" else relator_of(term.value)
            if code:
                found.add(code)
    return found


def _with_roles(mods: m.Mods, roles: frozenset[str]) -> list[m.Name]:
    return [name for name in mods.name if _codes(name) & roles]


def _authors(mods: m.Mods, responsibility: str) -> list[m.Name]:
    """Return the authors: those who are called so, and names without a role that the title page lists first."""
    first = f" {fold(responsibility.partition(' ; ')[0])} "
    authors = []
    for name in mods.name:
        codes = _codes(name)
        is_listed = not name.role and (family := fold(person_of(name).family)) != "" and f" {family} " in first
        if codes & _AUTHORS or (name.usage == "primary" and not codes - _AUTHORS) or is_listed:
            authors.append(name)
    return authors


# -- publication


def _places(origins: Sequence[m.OriginInfo], records: Records, is_russian: bool) -> tuple[str, ...]:
    """Return the places of the first statement that has some: further ones repeat it in another script."""
    for number, info in enumerate(origins):
        texts = {
            f"origin_info/{number}/place/{at}": expand_place(plain(term.value))
            for at, place in enumerate(info.place)
            for term in place.place_term
            if term.type != "code" and plain(term.value)
        }
        if texts:
            return _of_one_record(texts, records, is_russian)
    return ()


def _publishers(origins: Sequence[m.OriginInfo], records: Records, is_russian: bool) -> tuple[str, ...]:
    for number, info in enumerate(origins):
        texts = {f"origin_info/{number}/publisher/{at}": plain(each.value) for at, each in enumerate(info.publisher)}
        texts = {path: text for path, text in texts.items() if text}
        if texts:
            return _of_one_record(texts, records, is_russian)
    return ()


def _of_one_record(texts: Mapping[str, str], records: Records, is_russian: bool) -> tuple[str, ...]:
    """Return the texts, by their paths, that a record with the first of them in the script of the title has."""
    ordered = sorted(texts.items(), key=lambda pair: has_cyrillic(pair[1]) != is_russian)
    first = set(records.get(ordered[0][0], ()))
    chosen = (text for path, text in ordered if not first or first & set(records.get(path, ())))
    return tuple(dict.fromkeys(chosen))


def _year(origins: Sequence[m.OriginInfo]) -> str:
    for field in ("date_issued", "copyright_date", "date_created"):
        for info in origins:
            dates = [date for date in getattr(info, field) if date.point != "end"]
            for date in sorted(dates, key=lambda date: date.encoding is None):
                if found := _YEAR.search(date.value):
                    return found[0]
    return ""


def _year_of_part(item: m.RelatedItem) -> str:
    dates = (date.value for part in item.mods.part for date in part.date)
    return next((found[0] for date in dates if (found := _YEAR.search(date))), "")


def _extent(mods: m.Mods, is_russian: bool) -> tuple[str, int, int]:
    """Return the number of volumes or pages with their unit in the language of the title; the pages; the volumes.

    Of several paginations (``xii, 366 p.``) the pages are those of the main one.
    """
    for description in mods.physical_description:
        for extent in description.extent:
            text = extent.value
            if number := volumes(text):
                return f"{number} {'т.' if is_russian else 'vols.'}", 0, number
            if pages_number := pages(text):
                return f"{pages_number} {'с.' if is_russian else 'p.'}", pages_number, 0
            first = plain(_ENDS_OF_EXTENT.split(f" {text} ")[0])
            if any(map(str.isdigit, first)) and not _SIZE.fullmatch(first):
                return first, 0, 0
    return "", 0, 0


def _in_script(items: Sequence[m.RelatedItem], is_russian: bool) -> m.RelatedItem | None:
    """Return the first item with a title in the script of the publication, else the first."""
    wanted = (each for each in items if has_cyrillic(_title_of(each)) == is_russian)
    return next(wanted, items[0] if items else None)


def _title_of(item: m.RelatedItem | None) -> str:
    if item is None:
        return ""
    for title in item.mods.title_info:
        text = plain((title.non_sort or "") + title.title)
        if text:
            return _DESIGNATION.sub("", text)
    return ""


def _number_of(item: m.RelatedItem | None) -> str:
    if item is None:
        return ""
    numbers = [number for title in item.mods.title_info for number in title.part_number]
    numbers += [number for part in item.mods.part for detail in part.detail for number in detail.number]
    return plain(numbers[0]) if numbers else ""


def _place_in_host(parts: Iterable[m.Part]) -> tuple[str, str, str]:
    """Return volume, issue and pages."""
    volume = issue = on_pages = ""
    for part in parts:
        for detail in part.detail:
            number = plain(" ".join(detail.number))
            if detail.type in ("issue", "number"):
                issue = issue or number
            elif detail.type in ("volume", None):
                volume = volume or number
        for extent in part.extent:
            ends = "–".join(filter(None, (extent.start, extent.end)))
            on_pages = on_pages or plain(ends or extent.list or "")
    return volume, issue, on_pages


# -- the rest


def _identifiers(mods: m.Mods, kind: str) -> tuple[str, ...]:
    found = (plain(each.value) for each in mods.identifier if each.type == kind and each.invalid != "yes")
    return tuple(dict.fromkeys(filter(None, found)))


def _is_of_resource(url: m.Url) -> bool:
    """Whether an address is that of the publication itself, not of its cover, contents or abstract."""
    if not is_web_iri(url.value) or url.access == "preview":
        return False
    labels = " ".join(filter(None, (url.display_label, url.note)))
    return _BESIDE_RESOURCE.search(labels) is None and _IMAGE.search(url.value) is None


def _language(mods: m.Mods) -> str:
    for language in mods.language:
        for term in language.language_term:
            if term.type == "code" and language.object_part is None and (tag := language_tag(term.value)):
                return tag
    return ""


def _subjects(mods: m.Mods) -> tuple[str, ...]:
    topics = (part.value for subject in mods.subject for part in subject.parts if isinstance(part, m.Topic))
    return tuple(dict.fromkeys(filter(None, map(plain, topics))))
