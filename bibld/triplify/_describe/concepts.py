"""Concepts of a scheme: subject headings, genres and classes, with what a table knows of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from bibld.model.authorities import NUMBERED_BY_FIRST_PART
from bibld.model.mods import Controlled, Name, Subject, TitleInfo
from bibld.text.classes import main_class
from bibld.text.folding import tidy
from bibld.text.headings import subject_heading_number
from bibld.text.keys import entity_key
from bibld.triplify._claims import EntityClaim
from bibld.triplify._codes import SCHEME_LANGUAGES
from bibld.triplify._describe.entities import find_identities, links_of, number_ties
from bibld.triplify._draft import Draft
from bibld.triplify._identity import (
    Identity,
    numbers_in_files,
    parse_identity,
)

FREE_TERMS = "keywords"
"""The scheme of terms of which none is stated."""

_NAMES_REMEMBERED = 16_384


def claim_concept(
    draft: Draft, label: str, scheme: str | None, element: Controlled, path: str, parts: Iterable[str] = ()
) -> str | None:
    """Claim a concept of a scheme. ``parts`` are the IRIs of places and agents that a compound heading names.

    A controlled vocabulary has each label once, so a concept with a number is also known by its label. A compound
    heading is not, since its number may be that of a part; where it often is, the number is not used.
    """
    label = tidy(label)
    if not label:
        return None
    code = tidy(scheme or "") or FREE_TERMS
    is_compound = "--" in label
    is_numbered_by_part = is_compound and isinstance(element, Subject) and code in NUMBERED_BY_FIRST_PART
    found = [] if is_numbered_by_part else find_identities(draft, element, path)
    is_identified = code != "lcsh" or any(one.authority == code for one in found)
    is_of_name = isinstance(element, Subject) and isinstance(element.parts[0], Name | TitleInfo)
    established, broader = (None, None) if is_identified else _established_heading(label, is_of_name)
    links = [*found, established] if established else found
    by_label = draft.iris.concept(code, entity_key(label))
    concept = draft.iris.concept(code, found[0].key) if found else by_label
    aliases = {by_label} - {concept} if code in SCHEME_LANGUAGES and not is_compound else ()
    claim = EntityClaim(
        label=draft.name_form(label, language_of_term(draft, label, element, code)),
        scheme=code,
        links=links_of(links),
        broad_links=links_of((broader,)) if broader else (),
        entities=tuple(sorted({("dcterms:hasPart", part) for part in parts})),
        aliases=tuple(aliases),
        numbers=numbers_in_files(links),
        ties=() if is_compound else number_ties(element),
    )
    draft.add_claim(concept, "concept", claim, path)
    return concept


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _established_heading(label: str, is_of_name: bool) -> tuple[Identity | None, Identity | None]:
    """Return the heading of LCSH with this text; if there is none, the longest one that it begins with.

    A name or title alone (``is_of_name``: the heading begins with one) is none: a topic may have its text.
    """
    number = subject_heading_number(label)
    if number is not None:
        return parse_identity(number, "lcsh", ""), None
    while label.count("--") > is_of_name:
        label = label.rpartition("--")[0]
        number = subject_heading_number(label)
        if number is not None:
            return None, parse_identity(number, "lcsh", "")
    return None, None


def claim_class(draft: Draft, scheme: str, mark: str, element: Controlled, path: str) -> str:
    """Claim a class of a classification, and the main class that it belongs to."""
    concept = draft.iris.concept(scheme, mark)
    main = main_class(scheme, mark)
    broader = draft.iris.concept(scheme, main) if main not in (None, mark) else None
    claim = EntityClaim(
        label=draft.name_form(mark, None),
        scheme=scheme,
        notation=mark,
        links=links_of(find_identities(draft, element, path)),
        entities=(("skos:broader", broader),) if broader else (),
    )
    draft.add_claim(concept, "concept", claim, path)
    if main is not None and broader is not None:
        main_claim = EntityClaim(label=draft.name_form(main, None), scheme=scheme, notation=main)
        draft.add_claim(broader, "concept", main_claim, path)
    return concept


def language_of_term(draft: Draft, label: str, element: Controlled, scheme: str | None) -> str | None:
    """Return the language tag of a term: that of its scheme, if all its terms are in one language."""
    return SCHEME_LANGUAGES.get(scheme or element.authority or "") or draft.languages.tag_catalogued(label, element)
