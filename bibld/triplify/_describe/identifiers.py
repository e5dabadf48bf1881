"""Identifiers of the resource."""

from __future__ import annotations

import re

from bibld.model.identifiers import NUMBERS_OF_PUBLISHERS, isbn, isbn10, isbn13, issn, number_and_source
from bibld.model.mods import Identifier
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy
from bibld.triplify._codes import CLASS_OF_IDENTIFIER, NAME_OF_IDENTIFIER, loc
from bibld.triplify._draft import Draft
from bibld.triplify._links import web_iri

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
_FLAT = {"oclc": "bibo:oclcnum", "lccn": "bibo:lccn", "upc": "bibo:upc", "ean": "bibo:gtin14"}


def describe_identifiers(draft: Draft) -> None:
    """Flat properties for valid numbers, and a node for every identifier."""
    for identifier in draft.mods.identifier:
        value = tidy(identifier.value)
        if value:
            _node(draft, identifier, value)
            if identifier.invalid != "yes":
                say_number(draft, identifier, draft.subject)


def _node(draft: Draft, identifier: Identifier, value: str) -> None:
    kind = identifier.type or ""
    node = draft.node("identifier")
    draft.say("bf:identifiedBy", node)
    draft.a(CLASS_OF_IDENTIFIER.get(kind, "bf:Identifier"), node)
    number, source = number_and_source(value) if kind in NUMBERS_OF_PUBLISHERS else (value, "")
    draft.say("rdf:value", literal(number), node)
    if source:
        draft.labelled("bf:source", "bf:Source", "source", source, node)
    if kind and kind not in CLASS_OF_IDENTIFIER:
        draft.text("schema:propertyID", NAME_OF_IDENTIFIER.get(kind, kind), node)
    if identifier.display_label:
        draft.text("bf:qualifier", identifier.display_label, node)
    if identifier.invalid == "yes" or _has_wrong_check_digit(kind, value):
        draft.say("bf:status", loc("mstatus", "cancinv" if identifier.invalid == "yes" else "incorrect"), node)


def _has_wrong_check_digit(kind: str, value: str) -> bool:
    if kind == "isbn":
        found = isbn(value)
        return found is None or not found.is_valid
    if kind in ("issn", "issn-l"):
        number = issn(value)
        return number is None or not number.is_valid
    return False


def say_number(draft: Draft, identifier: Identifier, subject: str) -> None:
    """Say a valid number flat of a subject (a term); what is no valid number of its scheme is left to its node."""
    kind, value = identifier.type or "", tidy(identifier.value)
    if kind == "isbn":
        _isbn(draft, value, subject)
    elif kind in ("issn", "issn-l"):
        number = issn(value)
        if number is not None and number.is_valid:
            draft.text("bibo:issn", number.value, subject)
            draft.text("schema:issn", number.value, subject)
    elif kind == "doi":
        _doi(draft, value, subject)
    elif kind in _FLAT:
        draft.text(_FLAT[kind], value, subject)
    elif kind == "uri" and web_iri(value) is not None:
        draft.say("rdfs:seeAlso", iri(value), subject)


def _isbn(draft: Draft, value: str, subject: str) -> None:
    found = isbn(value)
    if found is None or not found.is_valid:
        return
    thirteen, ten = isbn13(found.value), isbn10(found.value)
    draft.text("bibo:isbn13", thirteen, subject)
    draft.text("schema:isbn", thirteen, subject)
    draft.text("bibo:isbn10", ten or "", subject)


def _doi(draft: Draft, value: str, subject: str) -> None:
    match = _DOI.fullmatch(value)
    if match is None:
        return
    draft.text("bibo:doi", match[1], subject)
    link = web_iri(f"https://doi.org/{match[1]}")
    if link is not None:
        draft.say("rdfs:seeAlso", iri(link), subject)
