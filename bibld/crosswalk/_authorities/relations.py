"""Codes and words by which authority records state what a variant or a related heading is to their heading.

``$w`` and ``$i`` of MARC 21, ``$4`` of the German authority file (GND), ``$5`` of UNIMARC; English and Russian words.
"""

from __future__ import annotations

import re

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

_RELATION_WORDS: dict[Relation, tuple[str, ...]] = {
    "earlier": ("predecessor", "earlier name", "preceded by", "continues", "предшественник", "прежнее название"),
    "later": ("successor", "later name", "succeeded by", "continued by", "преемник", "более позднее название"),
    "broader": ("broader term", "broader", "вышестоящий термин"),
    "narrower": ("narrower term", "narrower", "нижестоящий термин"),
    "pseudonym": ("alternate identity", "pseudonym", "псевдоним"),
    "real identity": ("real identity", "real name", "настоящее имя"),
    "name in religion": ("name in religion", "монашеское имя"),
    "parent body": ("hierarchical superior", "parent body", "вышестоящая организация"),
    "subordinate body": ("hierarchical subordinate", "subordinate body", "нижестоящая организация"),
    "member": ("group member", "member", "член"),
    "member of": ("group member of", "member of", "член организации"),
    "founder": ("founder", "founded by", "основатель"),
    "founded": ("founded organization", "founded corporate body", "founded organisation"),
    "employer": ("employer", "место работы", "работодатель"),
    "affiliation": ("corporate body", "affiliation"),
    "family": (
        "family member", "family", "spouse", "parent", "child", "sibling", "descendants", "descendant", "progenitor",
        "муж", "жена", "отец", "мать", "сын", "дочь", "брат", "сестра",
    ),
    "creator": ("author", "creator", "composer", "автор", "композитор"),
    "translation of": ("translation of", "перевод"),
    "translation": ("translated as", "translation"),
    "adaptation of": ("adaptation of", "adapted from", "motion picture adaptation of", "dramatization of"),
    "adaptation": ("adapted as", "adapted as motion picture", "dramatized as"),
    "part of": ("part of", "contained in", "in series", "часть"),
    "part": ("container of", "contains", "has part"),
}  # fmt: skip
_RELATIONS = {word: relation for relation, words in _RELATION_WORDS.items() for word in words}

_VARIANT_WORDS: dict[VariantType, tuple[str, ...]] = {
    "abbreviation": ("abbreviation", "acronym", "initialism", "аббревиатура", "сокращение"),
    "full form": ("expansion", "full name", "fuller form", "полное имя", "полное наименование"),
    "pseudonym": ("pseudonym", "alternate identity", "псевдоним"),
    "real name": ("real name", "real identity", "настоящее имя", "настоящая фамилия"),
    "earlier name": ("earlier name", "former name", "прежнее имя", "прежняя фамилия", "прежнее название"),
    "later name": ("later name", "позднейшее название"),
    "name in religion": ("name in religion", "монашеское имя"),
    "secular name": ("secular name", "светское имя", "мирское имя"),
    "married name": ("married name", "фамилия в браке"),
    "birth name": ("birth name", "name before marriage", "maiden name", "девичья фамилия"),
    "other language": ("translated as", "translation", "перевод"),
}  # fmt: skip
_VARIANTS = {word: variant for variant, words in _VARIANT_WORDS.items() for word in words}

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
