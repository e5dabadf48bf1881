"""The description of the resource once more, in the terms that users of other data expect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from bibld.config import Dialect
from bibld.model.mods import OriginInfo
from bibld.model.rdf import XSD, iri, term
from bibld.text.folding import tidy
from bibld.text.languages import language_tag
from bibld.triplify._describe.identifiers import published_number
from bibld.triplify._draft import Draft
from bibld.triplify._identity import is_of_authority

_TITLE, _STATEMENT = term("dcterms:title"), term("bf:publicationStatement")
_ISSUED, _LANGUAGE = term("dcterms:issued"), term("dcterms:language")
_OCLC = "(OCoLC)"

_SCHEMA_OF_TEXT = {
    "rdfs:label": "schema:name",
    "dcterms:alternative": "schema:alternateName",
}
_SCHEMA_OF_BOOK = {"bibo:isbn13": "schema:isbn", "bibo:edition": "schema:bookEdition"}
_SCHEMA_OF_AGENT = {
    "relators:aut": "schema:author",
    "relators:trl": "schema:translator",
    "dcterms:creator": "schema:creator",
    "dcterms:contributor": "schema:contributor",
    "dcterms:publisher": "schema:publisher",
}
"""Property of agents → property of schema.org for persons and organisations."""

_DATATYPES_OF_DATES = tuple(f"^^{iri(XSD + name)}" for name in ("gYear", "gYearMonth", "date"))


def describe_in_dialects(draft: Draft, dialects: Iterable[Dialect]) -> None:
    """State the description once more for each dialect. Names are linked to their authority files for each of them."""
    chosen = set(dialects)
    if "schema" in chosen:
        _describe_in_schema(draft)
    if chosen & {"dnb", "bnf"}:
        _name_authorities(draft)
    if "dnb" in chosen:
        _describe_as_dnb(draft)
    if "bnf" in chosen:
        _describe_as_bnf(draft)


def _describe_in_schema(draft: Draft) -> None:
    """State what has a property in schema.org, where this allows it: ``schema:isbn`` is one of books."""
    stated: dict[str, list[str]] = defaultdict(list)
    for graph, subject, predicate, value in draft.quads:
        if subject == draft.subject and not graph:
            stated[predicate].append(value)
    is_book = term("schema:Book") in stated[term("rdf:type")]
    is_periodical = term("schema:Periodical") in stated[term("rdf:type")]
    types = {iri(claim.entity): claim.value.type for claim in draft.claims if claim.value.type}
    persons = {agent for agent, kind in types.items() if kind == "personal"}
    agents = persons | {agent for agent, kind in types.items() if kind == "corporate"}
    _restate(draft, stated, _SCHEMA_OF_TEXT)
    _restate(draft, stated, _SCHEMA_OF_BOOK if is_book else {})
    _restate(draft, stated, {"bibo:issn": "schema:issn"} if is_periodical else {})
    _restate(draft, stated, _SCHEMA_OF_AGENT, agents)
    _restate(draft, stated, {"relators:edt": "schema:editor"}, persons)
    _restate(draft, stated, {"relators:ill": "schema:illustrator"} if is_book else {}, persons)
    for language in stated[_LANGUAGE]:
        draft.add_text("schema:inLanguage", language_tag(language[1:-1].rpartition("/")[2]) or "")
    for date in stated[_ISSUED]:
        if date.endswith(_DATATYPES_OF_DATES):
            draft.add("schema:datePublished", date)


def _restate(
    draft: Draft, stated: Mapping[str, list[str]], properties: Mapping[str, str], allowed: Container[str] | None = None
) -> None:
    """State values with other properties; ``allowed`` are the values that they may have, None for any."""
    for known, other in properties.items():
        for value in stated.get(term(known), ()):
            if allowed is None or value in allowed:
                draft.add(other, value)


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
    """Follow the title data service of the German National Library: plain texts, elements of RDA."""
    _add_plain(draft, "dc:title", _TITLE)
    _add_plain(draft, "rdau:P60333", _STATEMENT)
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
