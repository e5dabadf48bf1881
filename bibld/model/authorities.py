"""Authority files: how their numbers are written in records, and the IRIs that they have.

A number whose check digit is wrong has no IRI: it is a mistake of a record, and would link to somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

_NUMBERS_REMEMBERED = 1 << 15


def _weighted_sum(digits: str) -> int:
    """Return the sum of digits by their weights (2 for the last, 3 for the one before it …), modulo 11."""
    return sum(int(digit) * weight for weight, digit in enumerate(reversed(digits), 2)) % 11


def _digit(character: str) -> int:
    return 10 if character == "X" else int(character)


def _gnd(number: str) -> str | None:
    """Check a number: one with a hyphen has the sum as check digit, one without has what that lacks to 11."""
    number = number.upper()
    digits, check = number[:-1], _digit(number[-1])
    return number if check == (_weighted_sum(digits[:-1]) if "-" in digits else -_weighted_sum(digits) % 11) else None


def _ppn(number: str) -> str | None:
    """Check the digit of Pica."""
    number = number.upper()
    return number if _digit(number[-1]) == -_weighted_sum(number[:-1]) % 11 else None


def _isni(number: str) -> str | None:
    """Check the digit of ISO 7064, MOD 11-2."""
    number = number.replace("-", "").upper()
    total = 0
    for digit in number[:-1]:
        total = (total + int(digit)) * 2
    return number if _digit(number[-1]) == (12 - total) % 11 else None


def _orcid(number: str) -> str | None:
    digits = _isni(number)
    return "-".join(digits[at : at + 4] for at in range(0, 16, 4)) if digits else None


_ARK = "0123456789bcdfghjkmnpqrstvwxz"


def _ark(number: str) -> str | None:
    """Check the character of NOID, or add it to a number that has none, such as ``FRBNF119079660000009``."""
    name = f"cb{re.sub('[^0-9]', '', number)[:8]}"
    ark = name + _ARK[sum(position * _ARK.find(one) for position, one in enumerate(name, 1)) % len(_ARK)]
    return ark if number == ark or not number.startswith("cb") else None


def _sound(number: str) -> str | None:
    return number


class KnownAuthorityFile(msgspec.Struct, frozen=True):
    """An authority file.

    ``codes`` are the organisations and schemes that records name for its numbers, in small letters. ``addresses`` is
    the pattern of its IRIs as they are found, with the number as group; ``template`` makes the IRI of a number;
    ``read`` returns the number in its one form, or None if its check digit is wrong. ``dataset`` is its IRI.
    """

    name: str
    codes: frozenset[str]
    addresses: re.Pattern[str]
    template: str
    dataset: str
    read: Callable[[str], str | None] = _sound


class AuthorityNumber(msgspec.Struct, frozen=True):
    """A number in an authority file, by its short name, and its IRI; both are empty if the check digit is wrong."""

    authority: str
    number: str = ""
    iri: str = ""


def _authority(
    names: str, addresses: str, template: str, dataset: str, read: Callable[[str], str | None] = _sound
) -> KnownAuthorityFile:
    name, *codes = names.split()
    pattern = re.compile(rf"(?i:https?)://(?:www\.)?{addresses}/?")
    return KnownAuthorityFile(name, frozenset((name, *codes)), pattern, template, dataset, read)


def _library_of_congress(names: str, folder: str, number: str, others: str = "") -> KnownAuthorityFile:
    space = f"http://id.loc.gov/authorities/{folder}"
    addresses = rf"id\.loc\.gov/(?:authorities/{folder}{others})/({number}(?:[0-9]{{8}}|[0-9]{{10}}))(?:\.html)?"
    return _authority(f"{names} dlc lccn", addresses, space + "/{}", space)


def _getty(name: str, number: str) -> KnownAuthorityFile:
    """Return a vocabulary of the Getty; records have ``aat300053880``, and ``aatgf300027316`` for genres."""
    space = f"http://vocab.getty.edu/{name}/"
    addresses = rf"vocab\.getty\.edu/(?:page/)?{name}/(?:{name}(?:gf)?)?({number})(?:-agent|-place)?"
    return _authority(f"{name} cstmogri", addresses, space + "{}", space)


def _oclc(name: str, folder: str) -> KnownAuthorityFile:
    space = f"https://id.oclc.org/worldcat/{folder}/"
    return _authority(name, rf"id\.oclc\.org/worldcat/{folder}/(E[0-9A-Za-z]+)", space + "{}", space)


def _bibframe(name: str, folder: str, number: str) -> KnownAuthorityFile:
    """Return the works of the Library of Congress: hubs unite expressions of a work."""
    space = f"http://id.loc.gov/resources/{folder}"
    return _authority(name, rf"id\.loc\.gov/resources/{folder}/({number})(?:\.[a-z.]+)?", space + "/{}", space)


AUTHORITIES = {
    authority.name: authority
    for authority in (
        _authority("viaf", r"viaf\.org/viaf/([1-9][0-9]*)", "http://viaf.org/viaf/{}", "http://viaf.org/"),
        _authority(
            "gnd de-588 de-588a de-588b de-588c swd",
            r"d-nb\.info/gnd/([0-9]+-?[0-9Xx])",
            "https://d-nb.info/gnd/{}",
            "https://d-nb.info/",
            _gnd,
        ),
        _authority(
            "isni",
            r"isni\.org/(?:isni/)?((?:[0-9]{4}-?){3}[0-9]{3}[0-9Xx])",
            "https://isni.org/isni/{}",
            "https://isni.org/",
            _isni,
        ),
        _library_of_congress("lcnaf naf", "names", "n[a-z]?", "|rwo/agents"),
        _library_of_congress("lcsh", "subjects", "sh"),
        _library_of_congress("lcgft", "genreForms", "gf"),
        _authority(
            "wikidata",
            r"wikidata\.org/(?:entity|wiki)/(Q[1-9][0-9]*)",
            "http://www.wikidata.org/entity/{}",
            "http://www.wikidata.org/",
        ),
        _authority(
            "orcid",
            r"orcid\.org/((?:[0-9]{4}-?){3}[0-9]{3}[0-9Xx])",
            "https://orcid.org/{}",
            "https://orcid.org/",
            _orcid,
        ),
        _authority(
            "fast oclcfast ocolc",
            r"id\.worldcat\.org/fast/(?:fst)?0*([1-9][0-9]*)",
            "http://id.worldcat.org/fast/{}",
            "http://id.worldcat.org/fast/ontology/1.0/#fast",
        ),
        _authority(
            "mesh dnlm",
            r"id\.nlm\.nih\.gov/mesh/(?:[0-9]{4}/)?(D[0-9]+(?:Q[0-9]+)?)",
            "http://id.nlm.nih.gov/mesh/{}",
            "http://id.nlm.nih.gov/mesh",
        ),
        _authority(
            "bnf frpbn fr-pabn frbnf",
            r"(?:data|catalogue)\.bnf\.fr/(?:ark:/12148/){1,2}(cb[0-9]{8}[0-9a-z]|(?:FRBNF)?[0-9]{8}[0-9X]{0,8})(?:#.*)?",
            "http://data.bnf.fr/ark:/12148/{}",
            "https://data.bnf.fr/",
            _ark,
        ),
        _authority(
            "geonames",
            r"(?:sws\.)?geonames\.org/([1-9][0-9]*)(?:/.*)?",
            "https://sws.geonames.org/{}/",
            "https://sws.geonames.org/",
        ),
        _authority(
            "idref",
            r"idref\.fr/([0-9]{8}[0-9Xx])(?:/id|\.rdf|\.xml)?",
            "http://www.idref.fr/{}/id",
            "http://www.idref.fr/",
            _ppn,
        ),
        _getty("ulan", "5[0-9]{8}"),
        _getty("aat", "3[0-9]{8}"),
        _getty("tgn", "[127][0-9]{6}"),
        _library_of_congress("lcdgt", "demographicTerms", "dg"),
        _library_of_congress("lcmpt", "performanceMediums", "mp"),
        _library_of_congress("lcshac", "childrensSubjects", "sj"),
        _authority(
            "yso", r"yso\.fi/onto/yso/(p[0-9]+)", "http://www.yso.fi/onto/yso/{}", "http://www.yso.fi/onto/yso/"
        ),
        _authority(
            "bne spmabn",
            r"datos\.bne\.es/(?:resource|persona|tema)/(XX[0-9]+)",
            "http://datos.bne.es/resource/{}",
            "http://datos.bne.es/",
        ),
        _authority(
            "nta nl-leocl",
            r"data\.bibliotheken\.nl/id/thes/p?([0-9]{8}[0-9Xx])",
            "http://data.bibliotheken.nl/id/thes/p{}",
            "http://data.bibliotheken.nl/",
            _ppn,
        ),
        _oclc("worldcat", "entity"),
        _oclc("ddc", "ddc"),
        _bibframe("lchub", "hubs", "[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}"),
        _bibframe("lcwork", "works", "[0-9a-z]+"),
    )
}
"""In the order of preference: if a record carries identifiers of more than one, the first names the entity."""

_BLANKS = re.compile(r"\s+")
_END_OF_SENTENCE = ",;."


NUMBERED_BY_FIRST_PART = frozenset(("lcsh", "lcshac", "mesh"))
"""Schemes whose headings with subdivisions are given the number of the heading before them by many libraries."""


@lru_cache(maxsize=_NUMBERS_REMEMBERED)
def read_authority_iri(iri: str) -> AuthorityNumber | None:
    """Return the number that an IRI has as its end; None if the IRI is not that of a known authority file.

    >>> read_authority_iri("http://www.d-nb.info/gnd/118540238")
    AuthorityNumber(authority='gnd', number='118540238', iri='https://d-nb.info/gnd/118540238')
    """
    text = iri.rstrip(_END_OF_SENTENCE)
    return next((found for one in AUTHORITIES.values() if (found := _read(one, text)) is not None), None)


@lru_cache(maxsize=_NUMBERS_REMEMBERED)
def read_authority_number(code: str, text: str) -> AuthorityNumber | None:
    """Return a number as the organisation or scheme ``code`` has it; None if either is not known.

    >>> read_authority_number("DLC", "n  79068416").iri, read_authority_number("frbnf", "11907966").iri
    ('http://id.loc.gov/authorities/names/n79068416', 'http://data.bnf.fr/ark:/12148/cb11907966z')
    """
    code, number = _BLANKS.sub("", code).lower(), _BLANKS.sub("", text)
    if code == "ocolc" and not number.startswith("fst"):
        return None
    for one in AUTHORITIES.values():
        if code in one.codes and (found := _read(one, one.template.format(number))) is not None:
            return found
    return None


def _read(authority: KnownAuthorityFile, iri: str) -> AuthorityNumber | None:
    match = authority.addresses.fullmatch(iri)
    if match is None:
        return None
    number = authority.read(match[1])
    if number is None:
        return AuthorityNumber(authority.name)
    return AuthorityNumber(authority.name, number, authority.template.format(number))
