"""Authority files: how their numbers are written in records, and the IRIs that they have.

A number whose check digit is wrong has no IRI: it is a mistake of a record, and would link to somebody else.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from importlib import resources
from typing import Literal

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


_CHECKS = {"gnd": _gnd, "ppn": _ppn, "isni": _isni, "orcid": _orcid, "ark": _ark}


class KnownAuthorityFile(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """An authority file, as ``authorities.toml`` describes it."""

    addresses: str
    template: str
    dataset: str
    codes: tuple[str, ...] = ()
    check: Literal["", "gnd", "ppn", "isni", "orcid", "ark"] = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of its IRIs as they are found, with the number as group."""
        return re.compile(rf"(?i:https?)://(?:www\.)?{self.addresses}/?")

    def read(self, number: str) -> str | None:
        """Return the number in its one form, or None if its check digit is wrong."""
        return _CHECKS[self.check](number) if self.check else number


class AuthorityNumber(msgspec.Struct, frozen=True):
    """A number in an authority file, by its short name, and its IRI; both are empty if the check digit is wrong."""

    authority: str
    number: str = ""
    iri: str = ""


AUTHORITIES = msgspec.toml.decode(
    resources.files("bibld.model").joinpath("authorities.toml").read_text(encoding="utf-8"),
    type=dict[str, KnownAuthorityFile],
)
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
    return next((found for name in AUTHORITIES if (found := _read(name, text)) is not None), None)


@lru_cache(maxsize=_NUMBERS_REMEMBERED)
def read_authority_number(code: str, text: str) -> AuthorityNumber | None:
    """Return a number as the organisation or scheme ``code`` has it; None if either is not known.

    >>> read_authority_number("DLC", "n  79068416").iri, read_authority_number("frbnf", "11907966").iri
    ('http://id.loc.gov/authorities/names/n79068416', 'http://data.bnf.fr/ark:/12148/cb11907966z')
    """
    code, number = _BLANKS.sub("", code).lower(), _BLANKS.sub("", text)
    if code == "ocolc" and not number.startswith("fst"):
        return None
    for name, one in AUTHORITIES.items():
        if code in (name, *one.codes) and (found := _read(name, one.template.format(number))) is not None:
            return found
    return None


def _read(name: str, iri: str) -> AuthorityNumber | None:
    authority = AUTHORITIES[name]
    match = authority.pattern.fullmatch(iri)
    if match is None:
        return None
    number = authority.read(match[1])
    return AuthorityNumber(name, number, authority.template.format(number)) if number else AuthorityNumber(name)
