"""Links from a heading to authority files: URIs, and numbers with the code of the organisation that gave them.

``$0`` and ``$1`` of MARC 21 (Appendix A): a URI, or a number after the MARC organisation code in parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from bibld.crosswalk._texts import address
from bibld.model.mods import NameIdentifier

_PREFIXED = re.compile(r"\(([^()]+)\)\s*(\S.*)")
_PLAIN_NUMBER = re.compile(r"[A-Za-z0-9-]+")

_SCHEME_OF_ORGANISATION = {
    "de-588": "gnd", "viaf": "viaf", "isni": "isni", "orcid": "orcid", "dlc": "lccn", "fast": "fast",
    "ocolc": "fast", "fr-pabn": "bnf", "idref": "idref", "wikidata": "wikidata", "dnlm": "mesh", "uri": "uri",
}  # fmt: skip

_BASE_OF_SCHEME = {
    "gnd": "https://d-nb.info/gnd/",
    "viaf": "http://viaf.org/viaf/",
    "isni": "https://isni.org/isni/",
    "orcid": "https://orcid.org/",
    "fast": "http://id.worldcat.org/fast/",
    "mesh": "http://id.nlm.nih.gov/mesh/",
    "wikidata": "http://www.wikidata.org/entity/",
}


class AuthorityLinks(msgspec.Struct, frozen=True):
    """``value_uri`` is the first URI, stated or made from a number; ``identifiers``: the numbers and further URIs."""

    authority_uri: str | None = None
    value_uri: str | None = None
    identifiers: tuple[NameIdentifier, ...] = ()


NO_LINKS = AuthorityLinks()


def authority_links(texts: Iterable[str]) -> AuthorityLinks:
    """Read the texts of ``$0`` and ``$1``; a number of an organisation that is not known keeps its code as type."""
    uris: list[str] = []
    made: list[tuple[str, str]] = []
    identifiers: list[NameIdentifier] = []
    for text in texts:
        text = text.strip()
        prefixed = _PREFIXED.fullmatch(text)
        link = address(text if prefixed is None else prefixed[2])
        if prefixed is not None and link is None:
            scheme, number = _number(prefixed[1].strip(), prefixed[2].strip())
            identifiers.append(NameIdentifier(value=number, type=scheme))
            base = _BASE_OF_SCHEME.get(scheme)
            if base is not None and _PLAIN_NUMBER.fullmatch(number):
                made.append((base, base + number))
            continue
        if link is not None:
            if link not in uris:
                uris.append(link)
        elif text:
            identifiers.append(NameIdentifier(value=text, type="local"))
    identifiers.extend(NameIdentifier(value=uri, type="uri") for uri in uris[1:])
    if uris:
        return AuthorityLinks(None, uris[0], _distinct(identifiers))
    if made:
        return AuthorityLinks(made[0][0], made[0][1], _distinct(identifiers))
    return AuthorityLinks(None, None, _distinct(identifiers))


def _number(organisation: str, number: str) -> tuple[str, str]:
    scheme = _SCHEME_OF_ORGANISATION.get(organisation.casefold(), organisation)
    if scheme == "fast":
        if organisation.casefold() == "ocolc" and not number.startswith("fst"):
            return organisation, number
        return scheme, number.removeprefix("fst").lstrip("0") or number
    if scheme == "isni":
        return scheme, number.replace(" ", "")
    return scheme, number


def _distinct(identifiers: list[NameIdentifier]) -> tuple[NameIdentifier, ...]:
    return tuple(dict.fromkeys(identifiers))
