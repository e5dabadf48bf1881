"""Code lists, as tables: languages, scripts, relators, kinds of resources and identifiers."""

from __future__ import annotations

from bibld.model.rdf import iri


def loc(scheme: str, code: str) -> str:
    """Return the term for a code of a code list of the Library of Congress."""
    return iri(f"http://id.loc.gov/vocabulary/{scheme}/{code}")


CREATOR_ROLES = frozenset(("aut", "cre", "art", "cmp", "ctg", "dis", "pht", "arc", "scl", "fmk"))
"""Roles that make an agent a ``dcterms:creator``."""

SCHEMA_OF_ROLE = {"aut": "author", "edt": "editor", "trl": "translator", "ill": "illustrator", "cmp": "composer"}
"""Roles that schema.org has a property for; those of other creators are ``schema:creator``."""

CLASSES_OF_CONTENT = {
    "text": ("bibo:Document", "schema:CreativeWork"),
    "cartographic": ("bibo:Map", "schema:Map"),
    "notated music": ("bibo:Document", "schema:SheetMusic"),
    "sound recording": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-musical": ("bibo:AudioDocument", "schema:AudioObject"),
    "sound recording-nonmusical": ("bibo:AudioDocument", "schema:AudioObject"),
    "still image": ("bibo:Image", "schema:VisualArtwork"),
    "moving image": ("bibo:AudioVisualDocument", "schema:CreativeWork"),
    "mixed material": ("bibo:Collection", "schema:Collection"),
}
"""``typeOfResource`` → classes; others are ``bibo:Document`` and ``schema:CreativeWork``."""

ISSUANCES = {
    "monographic": "mono",
    "single unit": "mono",
    "multipart monograph": "mulm",
    "serial": "serl",
    "continuing": "serl",
    "integrating resource": "intg",
}
"""``issuance`` → code of https://id.loc.gov/vocabulary/issuance."""

CARRIERS = {"print": "bf:Print", "electronic": "bf:Electronic", "manuscript": "bf:Manuscript"}
"""``form`` → class of BIBFRAME's instances."""

_IDENTIFIERS = "isbn issn lccn doi hdl urn isrc ismn istc isan upc ean sici nbn coden strn local"

CLASS_OF_IDENTIFIER = {kind: f"bf:{kind.capitalize()}" for kind in _IDENTIFIERS.split()} | {
    "issn-l": "bf:IssnL",
    "oclc": "bf:OclcNumber",
    "issue number": "bf:AudioIssueNumber",
    "matrix number": "bf:MatrixNumber",
    "music plate": "bf:MusicPlate",
    "music publisher": "bf:MusicPublisherNumber",
    "videorecording identifier": "bf:VideoRecordingNumber",
    "stock number": "bf:StockNumber",
}
"""``identifier/@type`` → class of BIBFRAME; others are ``bf:Identifier``."""

NAME_OF_IDENTIFIER = {"legal deposit number": "legal deposit"}
"""``identifier/@type`` as some records have it → as it is published (``schema:propertyID``)."""

CLASS_OF_CLASSIFICATION = {scheme: f"bf:Classification{scheme.capitalize()}" for scheme in ("ddc", "lcc", "udc", "nlm")}
"""``classification/@authority`` → class of BIBFRAME; others are ``bf:Classification``."""

CONTENT_TYPE_AUTHORITIES = frozenset(("rdacontent", "isbdcontent"))
"""``genre/@authority`` of content types, which are no genres."""

_ENGLISH_SCHEMES = "aat fast lcgft lcsh lcshac marcgt marcmuscomp marctarget mesh nal rdacontent"

SCHEME_LANGUAGES = {
    **dict.fromkeys(_ENGLISH_SCHEMES.split(), "en"),
    **{"nlr-sh": "ru", "ram": "fr", "rvm": "fr", "gnd": "de"},
}
"""Schemes of subjects that have one language."""

_EVENTS = {
    "publication": "publisher",
    "production": "producer",
    "distribution": "distributor",
    "manufacture": "manufacturer",
}

CLASS_OF_EVENT = {word: f"bf:{event.capitalize()}" for event, agent in _EVENTS.items() for word in (event, agent)}
"""``originInfo/@eventType`` → class of BIBFRAME; without one it is a publication."""

STATEMENT_OF_EVENT = {f"bf:{event.capitalize()}": f"bf:{event}Statement" for event in _EVENTS}
"""Class of a provision activity → the property that holds its wording."""

RELATIONS = {
    "host": "dcterms:isPartOf",
    "series": "dcterms:isPartOf",
    "constituent": "dcterms:hasPart",
    "preceding": "dcterms:replaces",
    "succeeding": "dcterms:isReplacedBy",
    "original": "dcterms:isVersionOf",
    "otherVersion": "dcterms:hasVersion",
    "otherFormat": "dcterms:hasFormat",
    "isReferencedBy": "dcterms:isReferencedBy",
    "references": "dcterms:references",
    "reviewOf": "schema:itemReviewed",
}
"""``relatedItem/@type`` → property; others are ``dcterms:relation``."""
