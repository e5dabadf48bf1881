"""Identifiers of the resource."""

from __future__ import annotations

import re

from bibld.model.identifiers import NUMBERS_OF_PUBLISHERS, isbn, isbn10, isbn13, issn, number_and_source
from bibld.model.iris import web_iri
from bibld.model.mods import Identifier
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy
from bibld.text.libraries import code_list, find_library, is_library_code
from bibld.triplify._codes import CLASS_OF_IDENTIFIER, NAME_OF_IDENTIFIER, loc
from bibld.triplify._draft import Draft

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
_DIGITS_OF_GTIN = 14
_PROPERTIES = {"oclc": "bibo:oclcnum", "lccn": "bibo:lccn", "upc": "bibo:upc", "ean": "bibo:gtin14"}


_PREFIX_OF_SYSTEM = re.compile(r"\([^()]*\)")
_LOCAL_NUMBER = re.compile(r"\(([^()]+)\) ?(.+)")
"""A control number behind the system that it is of."""
_SOURCE_IN_LABEL = frozenset(
    ("nbn", "nban", "legal deposit number", "postal registration number", "study number", "fingerprint")
)
"""Types of identifiers whose ``displayLabel`` names who gave the number."""
_BIBLIOGRAPHY = re.compile(r"[a-z]{3,12}")


def describe_identifiers(draft: Draft) -> None:
    """Describe every identifier by a node, and valid numbers also by properties of the resource.

    A text without letters and figures, apart from the prefix of a system, is no identifier.
    """
    for identifier in dict.fromkeys(draft.mods.identifier):
        value = tidy(identifier.value)
        if any(map(str.isalnum, _PREFIX_OF_SYSTEM.sub("", value, count=1) if value[:1] == "(" else value)):
            _describe_node(draft, identifier, value)
            if identifier.invalid != "yes":
                add_number(draft, identifier, draft.subject)


def _describe_node(draft: Draft, identifier: Identifier, value: str) -> None:
    kind = identifier.type or ""
    node = draft.add_node("bf:identifiedBy", CLASS_OF_IDENTIFIER.get(kind, "bf:Identifier"), "identifier")
    number, source = number_and_source(value) if kind in NUMBERS_OF_PUBLISHERS else (value, "")
    local = _LOCAL_NUMBER.fullmatch(value) if kind == "local" else None
    if local is not None:
        source, number = local.groups()
    draft.add("rdf:value", literal(number), node)
    _add_source(draft, source, node)
    if kind and kind not in CLASS_OF_IDENTIFIER:
        draft.add_text("dc:type", NAME_OF_IDENTIFIER.get(kind, kind), node)
    label = tidy(identifier.display_label or "")
    if label and kind in _SOURCE_IN_LABEL:
        if kind == "nbn" and _BIBLIOGRAPHY.fullmatch(label):
            draft.add("bf:source", loc("nationalbibschemes", label), node)
        else:
            _add_source(draft, label, node)
    else:
        draft.add_text("bf:qualifier", label, node)
    if identifier.invalid == "yes" or _has_wrong_check_digit(kind, value):
        draft.add("bf:status", loc("mstatus", "cancinv" if identifier.invalid == "yes" else "incorrect"), node)


def _add_source(draft: Draft, text: str, node: str) -> None:
    """State who gave a number: by name, which for a code of a library is in the table, or else by the code."""
    if not text:
        return
    library = find_library(text, is_marc_code=True)
    source = draft.add_node("bf:source", "bf:Source", "source", node)
    if library is not None or is_library_code(text) or ("-" in text and code_list(text) is not None):
        draft.add_text("bf:code", text, source)
        for name, language in library.names if library is not None else ():
            draft.add_text("rdfs:label", name, source, language)
    else:
        draft.add_text("rdfs:label", text, source)


def _has_wrong_check_digit(kind: str, value: str) -> bool:
    if kind not in ("isbn", "issn", "issn-l"):
        return False
    number = isbn(value) if kind == "isbn" else issn(value)
    return number is None or not number.is_valid


def published_number(identifier: Identifier) -> tuple[str, str] | None:
    """Return the main property of a valid number, and the number as it is published; None if it has a node only."""
    kind, value = identifier.type or "", tidy(identifier.value)
    if not value or identifier.invalid == "yes":
        return None
    if kind == "isbn":
        found = isbn(value)
        return ("bibo:isbn13", isbn13(found.value)) if found is not None and found.is_valid else None
    if kind in ("issn", "issn-l"):
        number = issn(value)
        return ("bibo:issn", number.value) if number is not None and number.is_valid else None
    if kind == "doi":
        match = _DOI.fullmatch(value)
        return ("bibo:doi", match[1]) if match is not None else None
    if kind == "ean" and value.isdecimal():
        value = value.zfill(_DIGITS_OF_GTIN)
    return (_PROPERTIES[kind], value) if kind in _PROPERTIES else None


def add_number(draft: Draft, identifier: Identifier, subject: str) -> None:
    """Add a valid number as a property of a subject (a term); a number that is not valid has a node only."""
    kind, value = identifier.type or "", tidy(identifier.value)
    if kind == "isbn":
        found = isbn(value)
        if found is not None and found.is_valid:
            draft.add_text("bibo:isbn13", isbn13(found.value), subject)
            draft.add_text("bibo:isbn10", isbn10(found.value) or "", subject)
    elif kind in ("issn", "issn-l"):
        number = issn(value)
        if number is not None and number.is_valid:
            draft.add_text("bibo:issn", number.value, subject)
    elif kind == "doi":
        match = _DOI.fullmatch(value)
        if match is not None:
            draft.add_text("bibo:doi", match[1], subject)
            link = web_iri(f"https://doi.org/{match[1]}")
            addresses = (url.value for location in draft.mods.location for url in location.url)
            if link is not None and not any(text.endswith(match[1]) for text in addresses):
                draft.add("rdfs:seeAlso", iri(link), subject)
    elif kind in _PROPERTIES:
        draft.add_text(_PROPERTIES[kind], value, subject)
    elif kind == "uri" and web_iri(value) is not None:
        draft.add("rdfs:seeAlso", iri(value), subject)
