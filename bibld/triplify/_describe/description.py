"""Classes, languages, extent and notes of the resource."""

from __future__ import annotations

from collections.abc import Set

from bibld.model.iris import web_iri
from bibld.model.mods import Form, Note, RelatedItem
from bibld.model.rdf import iri, term, typed_literal
from bibld.text.extents import pages
from bibld.text.folding import tidy
from bibld.text.languages import NO_LANGUAGES, language_code, language_tag
from bibld.text.resource_types import type_code
from bibld.triplify._codes import (
    CARRIERS,
    CLASSES_OF_CONTENT,
    ISSUANCES,
    NODE_OF_NOTE,
    PROPERTY_OF_TYPE,
    TEXT_OF_NOTE,
    loc,
)
from bibld.triplify._describe.characteristics import (
    DURATION,
    describe_characteristic,
    describe_duration,
    term_of_link,
)
from bibld.triplify._draft import Draft
from bibld.triplify._languages import ORIGINAL, PARTS_OF_TEXT, codes_of

_LIST_OF_KIND = {"content": "contentTypes", "media": "mediaTypes", "carrier": "carriers"}
_LIST_OF_AUTHORITY = {f"{standard}{kind}": kind for standard in ("rda", "isbd") for kind in _LIST_OF_KIND}
_LIST_OF_AUTHORITY["gmd"] = "content"
_CODED_FORMS = frozenset(("marcform", "marccategory", "marcsmd"))
_SETS = frozenset(("set", "subset"))
_MONOGRAPHS = frozenset(("mono", "mulm"))
_NOT_ARTICLES = frozenset(("supplementTo", "boundWith"))
_PROPERTY_OF_PART = {
    ORIGINAL: "originalLanguage",
    "original": "originalLanguage",
    "intermediate translation": "intermediateLanguage",
    "summary": "summaryLanguage",
    "table of contents": "contentsLanguage",
    "libretto": "librettoLanguage",
    "subtitles": "subtitleLanguage",
    "intertitles": "subtitleLanguage",
    "captions": "subtitleLanguage",
    "accompanying material": "accompanyingLanguage",
    "transcripts": "accompanyingLanguage",
}
"""``language/@objectPart`` → term of bibld's ontology for the language of that part."""

_CLASSES_OF_ISSUANCE = frozenset(("bibo:MultiVolumeBook", "bibo:Book"))
"""Classes that state how a publication is issued."""
_CLASSES_OF_SERIES = ("bibo:Series", "schema:CreativeWorkSeries")
_CLASSES_OF_PERIODICALS = ("bibo:Periodical", "schema:Periodical")
_MONOGRAPHIC_SERIES = "series"
"""The genre of ``marcgt`` of a serial whose volumes have titles (008/21, 110$a/0)."""
_INCOMPLETE = ("Incomplete contents", "Partial contents")
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
    hosts = [item for item in mods.related_item if item.type == "host"]
    is_independent = "intg" in issuances or any(item.other_type in _SETS for item in hosts)
    if is_text and "serl" in issuances:
        classes = [*(_CLASSES_OF_SERIES if _MONOGRAPHIC_SERIES in genres else _CLASSES_OF_PERIODICALS)]
    elif is_text and not is_independent and any(_is_of_article(item, issuances) for item in hosts):
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


def _is_of_article(host: RelatedItem, issuances: Set[str]) -> bool:
    """Whether a host makes its part an article: not that of a monograph if it has only numbers, as those of volumes."""
    if host.other_type in _NOT_ARTICLES:
        return False
    is_monograph = not issuances.isdisjoint(_MONOGRAPHS)
    return not is_monograph or bool(host.mods.title_info) or any(part.extent for part in host.mods.part)


def describe_languages(draft: Draft) -> None:
    """Describe the languages of the text, of its original and of its parts.

    A language tag is stated where ISO 639-2, whose codes have IRIs, does not have the language or variety.
    """
    for language in draft.mods.language:
        is_text = language.object_part in PARTS_OF_TEXT
        name = _PROPERTY_OF_PART.get(tidy(language.object_part or "").lower())
        property_ = "dcterms:language" if is_text else name and draft.own_term(name)
        for stated in codes_of(language):
            code, tag = language_code(stated.value), language_tag(stated.value)
            if code is not None and code not in NO_LANGUAGES and property_:
                draft.add(property_, loc("iso639-2", code))
                if is_text:
                    draft.add_to_work("bf:language", loc("iso639-2", code))
            if is_text and tag is not None and (code is None or tag != language_tag(code)):
                draft.add_text("schema:inLanguage", tag)


def describe_body(draft: Draft) -> None:
    """Describe extent, playing time, technical notes."""
    is_book = ("", draft.subject, term("rdf:type"), term("schema:Book")) in draft.quads
    times: list[str] = []
    for description in draft.mods.physical_description:
        for extent in description.extent:
            if extent.unit is not None and extent.unit.startswith(DURATION):
                times += [tidy(extent.value)] if extent.unit == DURATION else []
                continue
            draft.add_text("isbd:P1053", extent.value)
            number = pages(tidy(extent.value)) if is_book else None
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
        (draft.add_to_work if kind == "content" else draft.add)(PROPERTY_OF_TYPE[kind], value)
    return value is not None


def describe_notes(draft: Draft) -> None:
    """Describe abstracts, contents, notes, rights."""
    mods, own = draft.mods, draft.languages.tag_own
    for abstract in mods.abstract:
        language = draft.languages.tag_catalogued(abstract.value, abstract)
        draft.add_text("dcterms:abstract", abstract.value, language=language)
    for contents in mods.table_of_contents:
        text = tidy(contents.value)
        if text and contents.display_label in _INCOMPLETE:
            text = f"{contents.display_label}: {text}"
        draft.add_text("dcterms:tableOfContents", text, language=own(contents.value, contents))
    for note in mods.note:
        _describe_note(draft, note)
    for condition in mods.access_condition:
        draft.add_text("dc:rights", condition.value)
        link = web_iri(condition.xlink_href)
        if link is not None:
            draft.add("dcterms:rights", iri(link))


def _describe_note(draft: Draft, note: Note) -> None:
    kind = note.type or note.display_label or ""
    if (property_ := draft.property_of_note(note)) is not None:
        link = web_iri(note.xlink_href)
        draft.add(property_, iri(link)) if link is not None else draft.add_text(property_, note.value)
    elif not kind:
        draft.add_text("dcterms:description", note.value)
    elif kind in TEXT_OF_NOTE:
        tag = draft.languages.tag_own if kind == "statement of responsibility" else draft.languages.tag_other
        draft.add_text(TEXT_OF_NOTE[kind], note.value, language=tag(note.value, note))
    elif kind in NODE_OF_NOTE:
        property_, class_ = NODE_OF_NOTE[kind]
        draft.add_labelled_node(property_, class_, class_.removeprefix("bf:").lower(), note.value)
    else:
        node = draft.add_labelled_node("bf:note", "bf:Note", "note", note.value)
        if node is not None:
            draft.add_text("bf:noteType", kind, node)
