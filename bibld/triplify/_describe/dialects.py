"""Statements in the habits of other libraries' data, so that queries written for these run unchanged.

They repeat what other statements state; ``[triplify] dialects`` chooses them.
"""

from __future__ import annotations

from collections.abc import Iterable

from bibld.config import Dialect
from bibld.model.mods import OriginInfo
from bibld.model.rdf import iri, term
from bibld.text.folding import tidy
from bibld.triplify._describe.identifiers import published_number
from bibld.triplify._draft import Draft
from bibld.triplify._identity import is_of_authority

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
    values = [value for _, subject, made, value in draft.quads if subject == draft.subject and made == stated]
    for value in dict.fromkeys(value[: value.rindex('"') + 1] for value in values if value[0] == '"'):
        draft.add(predicate, value)
