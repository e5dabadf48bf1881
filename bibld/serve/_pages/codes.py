"""Codes in words, for pages only."""

from __future__ import annotations

ROLE_LABELS = {
    "aut": "author",
    "art": "artist",
    "aui": "author of introduction",
    "aft": "author of afterword",
    "cmp": "composer",
    "com": "compiler",
    "cre": "creator",
    "ctb": "contributor",
    "ctg": "cartographer",
    "dgs": "degree supervisor",
    "drt": "director",
    "edt": "editor",
    "ill": "illustrator",
    "isb": "issuing body",
    "opn": "opponent",
    "pbl": "publisher",
    "pht": "photographer",
    "prf": "performer",
    "prt": "printer",
    "rev": "reviewer",
    "trl": "translator",
}
"""MARC relator codes that are frequent in library catalogues."""

RELATION_LABELS = {
    "series": "Series",
    "host": "In",
    "constituent": "Contains",
    "preceding": "Continues",
    "succeeding": "Continued by",
    "original": "Original",
    "otherVersion": "Other version",
    "otherFormat": "Other format",
    "isReferencedBy": "Referenced by",
    "references": "References",
    "reviewOf": "Review of",
}
"""The types of a related item of MODS."""

LANGUAGE_NAMES = {
    "ara": "Arabic",
    "bel": "Belarusian",
    "bul": "Bulgarian",
    "chi": "Chinese",
    "chu": "Church Slavic",
    "cze": "Czech",
    "eng": "English",
    "est": "Estonian",
    "fin": "Finnish",
    "fre": "French",
    "ger": "German",
    "grc": "Ancient Greek",
    "ita": "Italian",
    "jpn": "Japanese",
    "lat": "Latin",
    "lav": "Latvian",
    "lit": "Lithuanian",
    "mul": "Several languages",
    "pol": "Polish",
    "rus": "Russian",
    "spa": "Spanish",
    "srp": "Serbian",
    "tat": "Tatar",
    "ukr": "Ukrainian",
    "und": "Undetermined",
}
"""ISO 639-2 (bibliographic) codes of languages."""
