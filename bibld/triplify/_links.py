"""IRIs that come from records: only absolute http and https ones, and what known authorities' IRIs identify."""

from __future__ import annotations

import re

import msgspec

from bibld.model.web import is_web_iri


def web_iri(text: str | None) -> str | None:
    """The text without blanks around it, where it is an IRI of the web; else None."""
    if text is None:
        return None
    stripped = text.strip()
    return stripped if is_web_iri(stripped) else None


class Authority(msgspec.Struct, frozen=True):
    """An authority file: its short name, what its IRIs look like, and how the IRI of an id is written."""

    name: str
    pattern: re.Pattern[str]
    template: str


def _authority(name: str, pattern: str, template: str) -> Authority:
    return Authority(name, re.compile(rf"(?i:https?)://(?:www\.)?{pattern}/?"), template)


AUTHORITIES = (
    _authority("viaf", r"viaf\.org/viaf/([1-9][0-9]*)", "http://viaf.org/viaf/{}"),
    _authority("gnd", r"d-nb\.info/gnd/([0-9]+-?[0-9X])", "https://d-nb.info/gnd/{}"),
    _authority("isni", r"isni\.org/(?:isni/)?([0-9]{15}[0-9X])", "https://isni.org/isni/{}"),
    _authority(
        "lcnaf",
        r"id\.loc\.gov/(?:authorities/names|rwo/agents)/(n[a-z]?[0-9]+)",
        "http://id.loc.gov/authorities/names/{}",
    ),
    _authority("lcsh", r"id\.loc\.gov/authorities/subjects/(sh[0-9]+)", "http://id.loc.gov/authorities/subjects/{}"),
    _authority(
        "lcgft", r"id\.loc\.gov/authorities/genreForms/(gf[0-9]+)", "http://id.loc.gov/authorities/genreForms/{}"
    ),
    _authority("wikidata", r"wikidata\.org/(?:entity|wiki)/(Q[1-9][0-9]*)", "http://www.wikidata.org/entity/{}"),
    _authority("orcid", r"orcid\.org/([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X])", "https://orcid.org/{}"),
    _authority("fast", r"id\.worldcat\.org/fast/(?:fst)?0*([1-9][0-9]*)", "http://id.worldcat.org/fast/{}"),
    _authority("mesh", r"id\.nlm\.nih\.gov/mesh/(D[0-9]+(?:Q[0-9]+)?)", "http://id.nlm.nih.gov/mesh/{}"),
    _authority(
        "bnf", r"(?:data|catalogue)\.bnf\.fr/ark:/12148/(cb[0-9a-z]+)(?:#.*)?", "http://data.bnf.fr/ark:/12148/{}"
    ),
    _authority("geonames", r"(?:sws\.)?geonames\.org/([1-9][0-9]*)(?:/.*)?", "https://sws.geonames.org/{}/"),
)
"""In the order of preference: where a record carries several, the first names the entity."""

_ORGANISATIONS = {
    "de-588": ("gnd",),
    "dlc": ("lcnaf", "lcsh", "lcgft"),
    "naf": ("lcnaf",),
    "oclc fast": ("fast",),
}
"""Who gives a number, where that is not the name of the authority file → the authority files that it may be of."""

_PARENTHESISED = re.compile(r"\(([^()]+)\)\s*(.+)")
_QUALIFIED = re.compile(r"[A-Za-z]{2,}[\\/].+|\([^()]+\).+")
_RANK = {authority.name: rank for rank, authority in enumerate(AUTHORITIES)}


class Identity(msgspec.Struct, frozen=True):
    """What an authority identifier says: ``key`` names the entity, ``iri`` is the authority's own IRI for it.

    ``authority`` is the short name of a known authority file, ``other`` for another IRI, ``local`` without one.
    """

    key: str
    iri: str | None
    authority: str

    @property
    def rank(self) -> tuple[int, str]:
        """Where the identity stands among several of one entity."""
        others = {"other": len(_RANK), "local": len(_RANK) + 1}
        return _RANK.get(self.authority, others.get(self.authority, 0)), self.key


def identity(text: str, scheme: str | None, source: str) -> Identity | None:
    """Read an authority identifier as it stands in a record; None for an empty one.

    ``scheme`` is the type that the record states (viaf, isni, local …), ``source`` the source of the record: it
    qualifies an identifier that does not say whose it is.
    """
    stripped = text.strip()
    if not stripped:
        return None
    iri = web_iri(stripped)
    if iri is not None:
        return _of_iri(iri)
    organisation, number = _organisation(stripped, scheme)
    known = _of_number(organisation, number)
    if known is not None:
        return known
    return Identity(stripped if _QUALIFIED.fullmatch(stripped) else f"{source}:{stripped}", None, "local")


def _of_iri(iri: str) -> Identity:
    for authority in AUTHORITIES:
        match = authority.pattern.fullmatch(iri)
        if match is not None:
            return Identity(f"{authority.name}-{match[1]}", authority.template.format(match[1]), authority.name)
    return Identity(iri, iri, "other")


def _organisation(text: str, scheme: str | None) -> tuple[str, str]:
    match = _PARENTHESISED.fullmatch(text)
    if match is not None:
        return match[1].strip().lower(), match[2]
    return (scheme or "").lower(), text


def _of_number(organisation: str, number: str) -> Identity | None:
    bare = re.sub(r"\s", "", number)
    if organisation == "isni":
        bare = bare.replace("-", "").upper()
    names = _ORGANISATIONS.get(organisation, (organisation,))
    for authority in AUTHORITIES:
        iri = authority.template.format(bare)
        if authority.name in names and authority.pattern.fullmatch(iri):
            return _of_iri(iri)
    return None
