"""Codes and words by which authority records state what a variant or a related heading is to their heading.

``$w`` and ``$i`` of MARC 21, ``$4`` of the German authority file (GND), ``$5`` of UNIMARC; English and Russian words.
"""

from __future__ import annotations

import re
from importlib import resources

import msgspec

from bibld.model.authority import AttributeType, Relation, VariantType

RELATION_OF_W: dict[str, Relation] = {
    "a": "earlier", "b": "later", "g": "broader", "h": "narrower", "t": "parent body",
}  # fmt: skip
"""Position 0 of ``$w`` of a field 5XX of MARC 21."""

EARLIER_HEADINGS = "aeo"
"""Position 2 of ``$w`` of a field 4XX of MARC 21: the heading was preferred before."""

NOT_SHOWN = "a"
"""Position 3 of ``$w``: the reference is not displayed. With ``b``, ``c`` and ``d`` a note is displayed instead."""

VARIANT_OF_W: dict[str, VariantType] = {"a": "earlier name", "b": "later name", "d": "abbreviation"}
"""Position 0 of ``$w`` of a field 4XX of MARC 21."""

INSTRUCTION = "i"
"""Position 0 of ``$w``: ``$i`` is what a reader of the reference is to do, and names no relation."""

RELATION_OF_GND: dict[str, Relation] = {
    "vorg": "earlier", "nach": "later", "obal": "broader", "obge": "broader", "obin": "broader", "obmo": "broader",
    "obpa": "part of", "rela": "related", "vbal": "related", "pseu": "pseudonym", "nawi": "real identity",
    "adue": "parent body", "affi": "affiliation", "mitg": "member", "grue": "founder", "bezf": "family",
    "aut1": "creator", "auta": "creator", "kom1": "creator", "koma": "creator",
}  # fmt: skip

VARIANT_OF_GND: dict[str, VariantType] = {
    "abku": "abbreviation", "pseu": "pseudonym", "nawi": "real name", "nafr": "earlier name", "nasp": "later name",
}  # fmt: skip

ATTRIBUTE_OF_GND: dict[str, AttributeType] = {
    "beru": "occupation", "berc": "occupation", "ortg": "birth place", "orts": "death place",
    "ortw": "place of activity", "geow": "country",
}  # fmt: skip
"""Codes of ``$4`` in 550 and 551 that make the heading a property of a person and not a related heading."""

LIFE_OF_GND, ACTIVITY_OF_GND = ("datx", "datl", "datb"), "datw"
"""Codes of ``$4`` in 548: the limits of a life or of the existence of a body, exact ones first; a time of activity."""

DATES_OF_GND = frozenset((*LIFE_OF_GND, ACTIVITY_OF_GND))

VARIANT_OF_UNIMARC: dict[str, VariantType] = {
    "a": "earlier name", "b": "later name", "c": "official name", "d": "abbreviation", "e": "pseudonym",
    "f": "real name", "i": "name in religion", "j": "married name", "k": "birth name", "l": "pseudonym",
    "m": "secular name", "n": "other rules",
}  # fmt: skip
"""Position 0 of ``$5`` of a field 4XX of UNIMARC."""

RELATION_OF_UNIMARC: dict[str, Relation] = {
    "a": "earlier", "b": "later", "e": "pseudonym", "f": "real identity", "g": "broader", "h": "narrower",
    "i": "name in religion", "l": "pseudonym", "m": "secular name",
}  # fmt: skip
"""Position 0 of ``$5`` of a field 5XX of UNIMARC."""

RELATION_OF_AGENTS: dict[str, Relation] = {
    "c": "family", "d": "family", "e": "family", "j": "family", "g": "family", "h": "family",
    "k": "member of", "l": "member", "p": "subordinate body", "q": "parent body",
}  # fmt: skip
"""Position 3 of ``$5`` of UNIMARC: between persons, families and bodies."""

CREATOR = "a"
"""Position 4 of ``$5`` of UNIMARC: an agent related to a work."""

REFERENCE_BLOCKED = "0"
"""Position 1 of ``$5`` of UNIMARC."""


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words in ``relations.toml``."""

    relations: dict[Relation, tuple[str, ...]]
    variants: dict[VariantType, tuple[str, ...]]


_WORDS = msgspec.toml.decode(
    resources.files("bibld.crosswalk._authorities").joinpath("relations.toml").read_text(encoding="utf-8"), type=_Words
)
_RELATIONS = {word: relation for relation, words in _WORDS.relations.items() for word in words}
_VARIANTS = {word: variant for variant, words in _WORDS.variants.items() for word in words}

_QUALIFIER = re.compile(r"\s*\((?:work|expression|manifestation|person|corporate body|family)\)")


def relation_named(text: str) -> Relation | None:
    """Return the relation that the words of a record name; None if they are not known.

    >>> relation_named("Real identity:"), relation_named("Adapted as motion picture (work):"), relation_named("Ср.")
    ('real identity', 'adaptation', None)
    """
    return _RELATIONS.get(_folded(text))


def variant_named(text: str) -> VariantType:
    """Return the type of variant that the words of a record name; empty if they are not known."""
    return _VARIANTS.get(_folded(text), "")


def _folded(text: str) -> str:
    return _QUALIFIER.sub("", text.casefold()).strip(" .:;,").removeprefix("is ").strip()
