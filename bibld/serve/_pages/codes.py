"""Codes in words, for pages only."""

from __future__ import annotations

from bibld.serve._language import message

ROLE_LABELS = {
    "aut": message("author"),
    "art": message("artist"),
    "aui": message("author of introduction"),
    "aft": message("author of afterword"),
    "cmp": message("composer"),
    "com": message("compiler"),
    "cre": message("creator"),
    "ctb": message("contributor"),
    "ctg": message("cartographer"),
    "dgs": message("degree supervisor"),
    "drt": message("director"),
    "edt": message("editor"),
    "ill": message("illustrator"),
    "isb": message("issuing body"),
    "opn": message("opponent"),
    "pbl": message("publisher"),
    "pht": message("photographer"),
    "prf": message("performer"),
    "prt": message("printer"),
    "rev": message("reviewer"),
    "trl": message("translator"),
}
"""MARC relator codes that are frequent in library catalogues."""

RELATION_LABELS = {
    "series": message("Series"),
    "host": message("In"),
    "constituent": message("Contains"),
    "preceding": message("Continues"),
    "succeeding": message("Continued by"),
    "original": message("Original"),
    "otherVersion": message("Other version"),
    "otherFormat": message("Other format"),
    "isReferencedBy": message("Referenced by"),
    "references": message("References"),
    "reviewOf": message("Review of"),
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
