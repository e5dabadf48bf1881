"""Classes, languages, extent, notes, addresses and copies of the resource."""

from __future__ import annotations

import re

from bibld.model.mods import Language, Location
from bibld.model.rdf import iri, literal
from bibld.text.extents import pages
from bibld.text.folding import tidy
from bibld.text.languages import NO_LANGUAGES, language_tag
from bibld.triplify._codes import CARRIERS, CLASSES_OF_CONTENT, ISSUANCES, loc
from bibld.triplify._describe.agents import claimed_body
from bibld.triplify._draft import Draft
from bibld.triplify._links import web_iri

_CODE = re.compile(r"[a-z]{3}")
_ORGANISATION = re.compile(r"[a-z][a-z0-9-]*")
_CODES = re.compile(r"([A-ZА-ЯЁ]{2}[A-ZА-ЯЁ0-9-]{0,8}) ([A-ZА-ЯЁ0-9-]{1,4}(?: [A-ZА-ЯЁ0-9-]{1,4})?)")
_NOT_ARTICLES = frozenset(("set", "supplementTo", "boundWith"))
_THESIS = frozenset(("theses", "thesis", "dissertation"))


def describe_kind(draft: Draft) -> None:
    """What the resource is."""
    mods = draft.mods
    issuances = {ISSUANCES.get(issuance) for info in mods.origin_info for issuance in info.issuance}
    genres = {tidy(genre.value).lower() for genre in mods.genre}
    contents = list(dict.fromkeys(tidy(kind.value).lower() for kind in mods.type_of_resource if tidy(kind.value)))
    draft.a("bf:Instance")
    if len(draft.merged.cluster.members) > 1:
        draft.a(draft.own("MergedResource"))
    is_text = not contents or "text" in contents
    if is_text and issuances & {"serl", "intg"}:
        classes = ["bf:Serial", "bibo:Periodical", "schema:Periodical"]
    elif is_text and any(item.type == "host" and item.other_type not in _NOT_ARTICLES for item in mods.related_item):
        classes = ["bibo:Article", "schema:Article"]
    elif is_text and genres & _THESIS:
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
        draft.a(kind)


def describe_languages(draft: Draft) -> None:
    """The languages of the resource and of its parts."""
    for language in draft.mods.language:
        for term in language.language_term:
            if term.type == "code":
                _language(draft, language, tidy(term.value))


def _language(draft: Draft, language: Language, code: str) -> None:
    known = code.lower()
    tag = language_tag(code)
    if not _CODE.fullmatch(known) or known in NO_LANGUAGES:
        if tag is not None and language.object_part is None:
            draft.text("schema:inLanguage", tag)
        return
    term = loc("iso639-2", known)
    if language.object_part is None:
        draft.say("dcterms:language", term)
        draft.text("schema:inLanguage", tag or known)
        return
    node = draft.node("language")
    draft.say("bf:language", node)
    draft.a("bf:Language", node)
    draft.text("bf:part", language.object_part, node)
    draft.say("rdf:value", term, node)


def describe_body(draft: Draft) -> None:
    """Extent, forms, technical notes."""
    for description in draft.mods.physical_description:
        for extent in description.extent:
            text = tidy(extent.value)
            if draft.labelled("bf:extent", "bf:Extent", "extent", text) is None:
                continue
            draft.text("dcterms:extent", text)
            draft.text("isbd:P1053", text)
            number = pages(text)
            if number is not None:
                draft.typed("schema:numberOfPages", str(number), "integer")
        for form in description.form:
            draft.text("dc:format", form.value)
            if form.authority == "marcform" and form.value in CARRIERS:
                draft.a(CARRIERS[form.value])
        for media_type in description.internet_media_type:
            draft.text("dc:format", media_type)
        for note in description.note:
            draft.labelled("bf:note", "bf:Note", "note", note.value)


def describe_notes(draft: Draft) -> None:
    """Abstracts, contents, notes, rights."""
    mods, own = draft.mods, draft.languages.of_own
    for abstract in mods.abstract:
        language = draft.languages.of_other(abstract.value, abstract)
        draft.text("dcterms:abstract", abstract.value, language=language)
        draft.text("schema:description", abstract.value, language=language)
    for contents in mods.table_of_contents:
        draft.text("dcterms:tableOfContents", contents.value, language=own(contents.value, contents))
    for note in mods.note:
        if note.type == "statement of responsibility":
            draft.text("bf:responsibilityStatement", note.value, language=own(note.value, note))
            continue
        node = draft.labelled("bf:note", "bf:Note", "note", note.value)
        if node is not None:
            draft.text("bf:noteType", note.type or note.display_label or "", node)
    for condition in mods.access_condition:
        draft.text("dc:rights", condition.value)
        link = web_iri(condition.xlink_href)
        if link is not None:
            draft.say("dcterms:rights", iri(link))


def describe_locations(draft: Draft) -> None:
    """Web addresses and copies."""
    for index, location in enumerate(draft.mods.location):
        for url in location.url:
            link = web_iri(url.value)
            if link is None:
                draft.text("schema:url", url.value)
                continue
            draft.say("rdfs:seeAlso", iri(link))
            draft.say("foaf:page", iri(link))
            if url.access in ("object in context", "raw object") or url.usage in ("primary", "primary display"):
                draft.say("bf:electronicLocator", iri(link))
        _item(draft, location, f"location/{index}")


def _item(draft: Draft, location: Location, path: str) -> None:
    copies = location.holding_simple.copy_information if location.holding_simple is not None else ()
    marks = [*location.shelf_locator, *(mark for copy in copies for mark in copy.shelf_locator)]
    marks = list(dict.fromkeys(filter(None, map(tidy, marks))))
    holders, shelves = _holders(draft, location, path)
    shelves = list(dict.fromkeys(shelves + [tidy(place) for copy in copies for place in copy.sub_location]))
    if not (marks or holders or any(shelves)):
        return
    node = draft.node("item")
    draft.say("bf:hasItem", node)
    draft.a("bf:Item", node)
    draft.say("bf:itemOf", draft.subject, node)
    for holder in dict.fromkeys(holders):
        draft.say("bf:heldBy", holder, node)
    for shelf in shelves:
        draft.labelled("bf:sublocation", "bf:Sublocation", "sublocation", shelf, node)
    for mark in marks:
        draft.labelled("bf:shelfMark", "bf:ShelfMark", "shelfmark", mark, node)
    for copy in copies:
        for identifier in copy.item_identifier:
            value = tidy(identifier.value)
            if value:
                barcode = draft.node("itemidentifier")
                draft.say("bf:identifiedBy", barcode, node)
                draft.a("bf:Identifier", barcode)
                draft.say("rdf:value", literal(value), barcode)


def _holders(draft: Draft, location: Location, path: str) -> tuple[list[str], list[str]]:
    """The institutions that hold a copy, as terms, and where in them it stands.

    MODS wants the place in the institution in ``copyInformation/subLocation``; many records have it in a
    ``physicalLocation``: in one after that of the institution, or behind it in the same text. There a code of the
    institution and one or two codes of up to four characters (``РГБ FB``) are told apart, all other texts are taken for
    the name of an institution. Countries are not institutions.
    """
    holders: list[str] = []
    shelves: list[str] = []
    named = False
    for index, place in enumerate(location.physical_location):
        text = tidy(place.value)
        if place.authority == "marcorg" and _ORGANISATION.fullmatch(text.lower()):
            holders.append(loc("organizations", text.lower()))
        elif place.type == "country":
            continue
        elif named:
            shelves.append(text)
        else:
            named = True
            codes = _CODES.fullmatch(text) if place.authority is None else None
            institution, shelf = codes.groups() if codes is not None else (text, "")
            body = claimed_body(draft, institution, place, f"{path}/physical_location/{index}")
            holders.extend((iri(body),) if body is not None else ())
            shelves.extend((shelf,) if shelf else ())
    return holders, shelves
