"""Classes, languages, extent, notes, addresses and copies of the resource."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bibld.config import Dialect
from bibld.model.iris import web_iri
from bibld.model.mods import Form, Language, Location, OriginInfo
from bibld.model.rdf import iri, literal, term, typed_literal
from bibld.text.extents import pages
from bibld.text.folding import tidy
from bibld.text.languages import NO_LANGUAGES, language_tag
from bibld.text.resource_types import type_code
from bibld.triplify._codes import CARRIERS, CLASSES_OF_CONTENT, ISSUANCES, loc
from bibld.triplify._describe.characteristics import (
    DURATION,
    describe_characteristic,
    describe_duration,
    term_of_link,
)
from bibld.triplify._describe.entities import claim_organisation
from bibld.triplify._describe.identifiers import published_number
from bibld.triplify._draft import Draft
from bibld.triplify._identity import is_of_authority

_LANGUAGE_CODE = re.compile(r"[a-z]{3}")
_ORGANISATION_CODE = re.compile(r"[a-z][a-z0-9-]*")
_INSTITUTION_AND_SHELF = re.compile(r"([A-ZА-ЯЁ]{2}[A-ZА-ЯЁ0-9-]{0,8}) ([A-ZА-ЯЁ0-9-]{1,4}(?: [A-ZА-ЯЁ0-9-]{1,4})?)")
_LIST_OF_KIND = {"content": "contentTypes", "media": "mediaTypes", "carrier": "carriers"}
_LIST_OF_AUTHORITY = {f"{standard}{kind}": kind for standard in ("rda", "isbd") for kind in _LIST_OF_KIND}
_LIST_OF_AUTHORITY["gmd"] = "content"
_ACCESS_TO_RESOURCE = ("object in context", "raw object")
_CODED_FORMS = frozenset(("marcform", "marccategory", "marcsmd"))
_NOT_ARTICLES = frozenset(("set", "supplementTo", "boundWith"))
_CLASSES_OF_ISSUANCE = frozenset(("bibo:MultiVolumeBook", "bibo:Book"))
"""Classes that state how a publication is issued."""
_THESIS_GENRES = frozenset(("theses", "thesis", "dissertation"))


def describe_kind(draft: Draft) -> None:
    """State the classes of the resource."""
    mods = draft.mods
    issuances = {
        ISSUANCES[issuance] for info in mods.origin_info for issuance in info.issuance if issuance in ISSUANCES
    }
    genres = {tidy(genre.value).lower() for genre in mods.genre}
    contents = list(dict.fromkeys(tidy(kind.value).lower() for kind in mods.type_of_resource if tidy(kind.value)))
    draft.add_class("bf:Instance")
    if len(draft.merged.cluster.members) > 1:
        draft.add_class(draft.own_term("MergedResource"))
    is_text = not contents or "text" in contents
    if is_text and issuances & {"serl", "intg"}:
        classes = ["bf:Serial", "bibo:Periodical", "schema:Periodical"]
    elif is_text and any(item.type == "host" and item.other_type not in _NOT_ARTICLES for item in mods.related_item):
        classes = ["bibo:Article", "schema:Article"]
    elif is_text and genres & _THESIS_GENRES:
        classes = ["bibo:Thesis", "schema:Thesis"]
    elif is_text and "mulm" in issuances:
        classes = ["bibo:MultiVolumeBook", "bibo:Book", "schema:Book"]
    elif is_text and "mono" in issuances:
        classes = ["bibo:Book", "schema:Book"]
    else:
        default = ("bibo:Document", "schema:CreativeWork")
        classes = [kind for content in contents or [""] for kind in CLASSES_OF_CONTENT.get(content, default)]
    if any(kind.manuscript == "yes" for kind in mods.type_of_resource):
        classes += ["bibo:Manuscript", "schema:Manuscript"]
    if any(kind.collection == "yes" for kind in mods.type_of_resource):
        classes += ["bibo:Collection", "schema:Collection"]
    for kind in dict.fromkeys(classes):
        draft.add_class(kind)
    if not any(kind in _CLASSES_OF_ISSUANCE for kind in classes):
        for issuance in issuances:
            draft.add("bf:issuance", loc("issuance", issuance))


def describe_languages(draft: Draft) -> None:
    """Describe the languages of the resource and of its parts."""
    for language in draft.mods.language:
        for code in language.language_term:
            if code.type == "code":
                _describe_language(draft, language, tidy(code.value))


def _describe_language(draft: Draft, language: Language, code: str) -> None:
    known = code.lower()
    tag = language_tag(code)
    if not _LANGUAGE_CODE.fullmatch(known) or known in NO_LANGUAGES:
        if tag is not None and language.object_part is None:
            draft.add_text("schema:inLanguage", tag)
        return
    term = loc("iso639-2", known)
    if language.object_part is None:
        draft.add("dcterms:language", term)
        draft.add_text("schema:inLanguage", tag or known)
        return
    node = draft.add_node("bf:language", "bf:Language", "language")
    draft.add_text("bf:part", language.object_part, node)
    draft.add("rdf:value", term, node)


def describe_body(draft: Draft) -> None:
    """Describe extent, playing time, technical notes."""
    times: list[str] = []
    for description in draft.mods.physical_description:
        for extent in description.extent:
            if extent.unit is not None and extent.unit.startswith(DURATION):
                times += [tidy(extent.value)] if extent.unit == DURATION else []
                continue
            draft.add_text("isbd:P1053", extent.value)
            number = pages(tidy(extent.value))
            if number is not None:
                draft.add("schema:numberOfPages", typed_literal(str(number), "integer"))
        for media_type in description.internet_media_type:
            draft.add_text("dc:format", media_type)
        for note in description.note:
            draft.add_text("dcterms:description", note.value)
    if times:
        describe_duration(draft, times)


def describe_types(draft: Draft) -> None:
    """Describe content, media and carrier types by terms of id.loc.gov; what is none of them as ``dc:format``.

    The coded forms of MARC 21 repeat media and carrier types, so they are left out beside these.
    """
    for genre in draft.mods.genre:
        if genre.authority in _LIST_OF_AUTHORITY and not _add_type(draft, "content", genre.value, genre.value_uri):
            draft.add_text("dc:format", genre.value)
    forms = [form for description in draft.mods.physical_description for form in description.form]
    has_types = False
    others: list[Form] = []
    for form in forms:
        kind = form.type if form.type in _LIST_OF_KIND else _LIST_OF_AUTHORITY.get(form.authority or "")
        if kind is not None and _add_type(draft, kind, form.value, form.value_uri):
            has_types = has_types or kind != "content"
        elif form.authority == "marcform" and form.value in CARRIERS:
            draft.add_class(CARRIERS[form.value])
        elif not describe_characteristic(draft, form):
            others.append(form)
    for form in others:
        if not (has_types and form.authority in _CODED_FORMS):
            draft.add_text("dc:format", form.value)


def _add_type(draft: Draft, kind: str, text: str, link: str | None) -> bool:
    code = type_code(_LIST_OF_KIND[kind], text)
    value = loc(_LIST_OF_KIND[kind], code) if code is not None else term_of_link(link)
    if value is not None:
        draft.add(f"bf:{kind}", value)
    return value is not None


def describe_notes(draft: Draft) -> None:
    """Describe abstracts, contents, notes, rights."""
    mods, own = draft.mods, draft.languages.tag_own
    for abstract in mods.abstract:
        language = draft.languages.tag_other(abstract.value, abstract)
        draft.add_text("dcterms:abstract", abstract.value, language=language)
    for contents in mods.table_of_contents:
        draft.add_text("dcterms:tableOfContents", contents.value, language=own(contents.value, contents))
    for note in mods.note:
        if note.type == "statement of responsibility":
            draft.add_text("bf:responsibilityStatement", note.value, language=own(note.value, note))
            continue
        kind = note.type or note.display_label
        if not kind:
            draft.add_text("dcterms:description", note.value)
        elif tidy(note.value):
            node = draft.new_node("note")
            draft.add("bf:note", node)
            draft.add_text("rdfs:label", note.value, node)
            draft.add_text("bf:noteType", kind, node)
    for condition in mods.access_condition:
        draft.add_text("dc:rights", condition.value)
        link = web_iri(condition.xlink_href)
        if link is not None:
            draft.add("dcterms:rights", iri(link))


def describe_locations(draft: Draft) -> None:
    """Describe web addresses and copies."""
    for index, location in enumerate(draft.mods.location):
        for url in location.url:
            link = web_iri(url.value)
            if link is None:
                draft.add_text("schema:url", url.value)
                continue
            is_resource = url.access in _ACCESS_TO_RESOURCE or url.usage in ("primary", "primary display")
            draft.add("bf:electronicLocator" if is_resource else "foaf:page", iri(link))
        _describe_item(draft, location, f"location/{index}")


def _describe_item(draft: Draft, location: Location, path: str) -> None:
    copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
    marks = [*location.shelf_locator, *(mark for copy in copies for mark in copy.shelf_locator)]
    marks = list(dict.fromkeys(filter(None, map(tidy, marks))))
    institutions, shelves = _institutions_and_shelves(draft, location, path)
    shelves = list(dict.fromkeys(shelves + [tidy(place) for copy in copies for place in copy.sub_location]))
    if not (marks or institutions or any(shelves)):
        return
    node = draft.add_node("bf:hasItem", "bf:Item", "item")
    for institution in dict.fromkeys(institutions):
        draft.add("bf:heldBy", institution, node)
    for shelf in shelves:
        draft.add_labelled_node("bf:sublocation", "bf:Sublocation", "sublocation", shelf, node)
    for mark in marks:
        draft.add_labelled_node("bf:shelfMark", "bf:ShelfMark", "shelfmark", mark, node)
    for copy in copies:
        for identifier in copy.item_identifier:
            value = tidy(identifier.value)
            if value:
                barcode = draft.add_node("bf:identifiedBy", "bf:Identifier", "itemidentifier", node)
                draft.add("rdf:value", literal(value), barcode)


def _institutions_and_shelves(draft: Draft, location: Location, path: str) -> tuple[list[str], list[str]]:
    """Return the institutions that hold a copy, as terms, and the places of the copy in them.

    MODS wants the place in the institution in ``copyInformation/subLocation``. Many records have it in a
    ``physicalLocation``: in one after that of the institution, or after the institution in the same text. Such a text
    is split only if it is a code of the institution and one or two codes of up to four characters (``РГБ FB``); all
    other texts are taken as the name of an institution. Countries are not institutions.
    """
    institutions: list[str | None] = []
    shelves: list[str] = []
    has_institution = False
    for index, place in enumerate(location.physical_location):
        text = tidy(place.value)
        if place.authority == "marcorg" and _ORGANISATION_CODE.fullmatch(text.lower()):
            institutions.append(loc("organizations", text.lower()))
        elif place.type == "country":
            continue
        elif has_institution:
            shelves.append(text)
        else:
            has_institution = True
            codes = _INSTITUTION_AND_SHELF.fullmatch(text) if place.authority is None else None
            name, shelf = codes.groups() if codes is not None else (text, "")
            claimed = claim_organisation(draft, name, place, f"{path}/physical_location/{index}")
            institutions.append(iri(claimed) if claimed is not None else None)
            shelves.append(shelf)
    return [one for one in institutions if one is not None], list(filter(None, shelves))


_TITLE, _STATEMENT, _ISSUED = term("dcterms:title"), term("bf:publicationStatement"), term("dcterms:issued")
_OCLC = "(OCoLC)"


def describe_in_dialects(draft: Draft, dialects: Iterable[Dialect]) -> None:
    """State the description once more for each dialect. Names are linked to their authority files for each of them."""
    chosen = sorted(set(dialects))
    if not chosen:
        return
    _name_authorities(draft)
    if "dnb" in chosen:
        _describe_as_dnb(draft)
    if "bnf" in chosen:
        _describe_as_bnf(draft)


def _name_authorities(draft: Draft) -> None:
    """Give each property that leads to an agent or concept also the IRIs of authority files for it."""
    links: dict[str, set[str]] = {}
    for claim in draft.claims:
        known = (iri(link) for link in claim.value.links if is_of_authority(link))
        links.setdefault(iri(claim.entity), set()).update(known)
    for graph, subject, predicate, value in tuple(draft.quads):
        if subject == draft.subject and not graph:
            for link in sorted(links.get(value, ())):
                draft.add(predicate, link)


def _describe_as_dnb(draft: Draft) -> None:
    """Follow the title data service of the German National Library: plain texts, elements of RDA.

    Its dates of issue are texts, too, so ``dcterms:issued`` has each date with its type and without.
    """
    _add_plain(draft, "dc:title", _TITLE)
    _add_plain(draft, "rdau:P60333", _STATEMENT)
    _add_plain(draft, "dcterms:issued", _ISSUED)
    for info in draft.mods.origin_info:
        for publisher in info.publisher:
            draft.add_text("dc:publisher", publisher.value)
        for place in _places(info):
            draft.add_text("rdau:P60163", place)
    for identifier in draft.mods.identifier:
        if identifier.type == "oclc" and identifier.invalid != "yes":
            draft.add_text("dc:identifier", _OCLC + tidy(identifier.value))


def _describe_as_bnf(draft: Draft) -> None:
    """Follow data.bnf.fr: elements of RDA for the edition, the ISBN as it is printed."""
    _add_plain(draft, "dcterms:date", _ISSUED)
    _add_plain(draft, "rdagroup1elements:dateOfPublicationManifestation", _ISSUED)
    for info in draft.mods.origin_info:
        for publisher in info.publisher:
            draft.add_text("rdagroup1elements:publishersName", publisher.value)
        for place in _places(info):
            draft.add_text("rdagroup1elements:placeOfPublication", place)
    for identifier in draft.mods.identifier:
        if identifier.type == "isbn" and published_number(identifier) is not None:
            draft.add_text("bnf-onto:isbn", identifier.value)


def _places(info: OriginInfo) -> list[str]:
    """Return the names of the places of publication."""
    return [one.value for place in info.place for one in place.place_term if one.type != "code"]


def _add_plain(draft: Draft, predicate: str, stated: str) -> None:
    """State what the resource has for the property ``stated`` with another one, without language tags and types."""
    values = [value for _, subject, result, value in draft.quads if subject == draft.subject and result == stated]
    for value in dict.fromkeys(value[: value.rindex('"') + 1] for value in values if value[0] == '"'):
        draft.add(predicate, value)
