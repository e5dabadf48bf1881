"""Simple Dublin Core of a description, as OAI-PMH requires it (the crosswalk of the Library of Congress)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bibld.model import mods as m
from bibld.model.mods_plan import years_of_issue
from bibld.model.mods_xml import without_illegal_characters

NAMESPACE = "http://www.openarchives.org/OAI/2.0/oai_dc/"
SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
DC = "http://purl.org/dc/elements/1.1/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_MAIN_NAMES = ("aut", "cre", "cmp", "author", "creator", "composer")
_RIGHTS_TYPES = ("use and reproduction", "restriction on access", None)


def to_dublin_core(description: m.Mods, iri: str = "") -> etree._Element:
    """Return the element ``oai_dc:dc``; the first identifier is the IRI, if one is given."""
    root = etree.Element(f"{{{NAMESPACE}}}dc", nsmap={"oai_dc": NAMESPACE, "dc": DC, "xsi": _XSI})
    root.set(f"{{{_XSI}}}schemaLocation", f"{NAMESPACE} {SCHEMA}")
    for name, value in dict.fromkeys(_elements(description, iri)):
        text = without_illegal_characters(value).strip()
        if text:
            etree.SubElement(root, f"{{{DC}}}{name}").text = text
    return root


def _elements(description: m.Mods, iri: str) -> Iterator[tuple[str, str]]:
    for title in description.title_info:
        yield "title", _title(title)
    for name in description.name:
        terms = {term.value.lower() for role in name.role for term in role.role_term}
        is_main = name.usage == "primary" or not terms or bool(terms & set(_MAIN_NAMES))
        yield ("creator" if is_main else "contributor"), _name(name)
    yield from _about(description)
    yield from _origin(description)
    yield "identifier", iri
    for identifier in description.identifier:
        if identifier.invalid is None:
            yield "identifier", f"urn:{identifier.type}:{identifier.value}" if _is_urn(identifier) else identifier.value
    for item in description.related_item:
        yield from (("relation", _title(title)) for title in item.mods.title_info)
        yield "relation", item.xlink_href or ""
    for condition in description.access_condition:
        if condition.type in _RIGHTS_TYPES:
            yield "rights", condition.value


def _about(description: m.Mods) -> Iterator[tuple[str, str]]:
    for subject in description.subject:
        yield "subject", subject_text(subject)
    yield from (("subject", mark.value) for mark in description.classification)
    yield from (("description", abstract.value) for abstract in description.abstract)
    yield from (("description", contents.value) for contents in description.table_of_contents)
    yield from (("description", note.value) for note in description.note)


def _origin(description: m.Mods) -> Iterator[tuple[str, str]]:
    for origin in description.origin_info:
        yield from (("publisher", publisher.value) for publisher in origin.publisher)
        yield "date", years_of_issue(origin)
        words = [date for date in origin.date_issued if date.encoding is None]
        yield from (("date", date.value) for date in (*words, *origin.date_created, *origin.copyright_date))
    yield from (("type", kind.value) for kind in description.type_of_resource)
    yield from (("type", genre.value) for genre in description.genre)
    for physical in description.physical_description:
        yield from (("format", extent.value) for extent in physical.extent)
        yield from (("format", form.value) for form in physical.form)
    for language in description.language:
        yield from (("language", term.value) for term in language.language_term if term.type == "code")


def _is_urn(identifier: m.Identifier) -> bool:
    return identifier.type in ("isbn", "issn")


def _title(title: m.TitleInfo) -> str:
    main = f"{title.non_sort or ''}{title.title}"
    with_subtitle = " : ".join([main, *title.sub_title])
    return ". ".join([with_subtitle, *title.part_number, *title.part_name])


def _name(name: m.Name) -> str:
    return ", ".join(part.value for part in name.name_part if part.value) or " ".join(name.display_form)


def subject_text(subject: m.Subject) -> str:
    """Write a subject heading as one line, its parts with `` -- `` between."""
    return " -- ".join(filter(None, map(_subject_part, subject.parts)))


def _subject_part(part: object) -> str:
    if isinstance(part, m.Name):
        return _name(part)
    if isinstance(part, m.TitleInfo):
        return _title(part)
    value = getattr(part, "value", "")
    return value if isinstance(value, str) else ""
