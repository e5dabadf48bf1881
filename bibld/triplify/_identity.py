"""What identifies an entity: identifiers of authority files, or a key made of its name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from bibld.model.authorities import AUTHORITIES, AuthorityNumber, read_authority_iri, read_authority_number
from bibld.model.iris import web_iri
from bibld.model.origin import to_slug
from bibld.text.keys import entity_key
from bibld.text.libraries import is_isil
from bibld.text.numerals import roman_number
from bibld.text.romanisation import romanise, unify_transcriptions

NUMBER_TIE = "number "
"""The beginning of a tie of a number that a heading cites, and of the one that an authority record has."""

_PARENTHESISED = re.compile(r"\(([^()]+)\)\s*(.+)")
_QUALIFIED_NUMBER = re.compile(r"[A-Za-z]{2,}[\\/].+|\([^()]+\).+")
_NUMBER_OF_LOCAL_KEY = re.compile(r"[^)\\\\/:]*$")
"""The number in a local key, behind the organisation or the source."""
_KEY_OF_SOURCE = re.compile(r"(?P<source>[a-z][a-z0-9]*):(?:[a-z]+:)?(?P<number>.+)")
"""A local key whose number does not name its organisation."""
_RANK = {name: rank for rank, name in enumerate(AUTHORITIES)}
_WITH_DUPLICATES = frozenset(("other", "worldcat", "lchub", "lcwork"))
"""Authority files in which one thing may have more than one number."""
_NOT_IN_YEARS = re.compile(r"[^0-9-]+")
_NAMES_REMEMBERED = 16_384


class Identity(msgspec.Struct, frozen=True):
    """What an authority identifier identifies: ``key`` names the entity, ``iri`` is the authority's IRI for it.

    ``authority`` is the short name of a known authority file, ``other`` for another IRI, ``local`` without one.
    """

    key: str
    iri: str | None
    authority: str

    @property
    def rank(self) -> tuple[int, str]:
        """The place of the identity among several of one entity, the preferred one first."""
        others = {"other": len(_RANK), "local": len(_RANK) + 1}
        return _RANK.get(self.authority, others.get(self.authority, 0)), self.key

    def number_in_file(self, scheme: str = "") -> str:
        """Return the name of its authority file, a blank, and its key.

        A local number is in the file of its organisation, or in that of the ``scheme`` of a subject heading.
        """
        is_local = self.authority == "local"
        return f"{to_slug(_NUMBER_OF_LOCAL_KEY.sub('', self.key) + scheme) if is_local else self.authority} {self.key}"


def is_of_authority(link: str) -> bool:
    """Whether an IRI is that of a known authority file."""
    return read_authority_iri(link) is not None


def local_number(numbered: str) -> tuple[str, str]:
    """Return the number of what ``Identity.number_in_file`` returned, and the source that gave it if it names none.

    The number is empty if its file has IRIs.
    """
    file, _, key = numbered.partition(" ")
    if file in _RANK:
        return "", ""
    found = _KEY_OF_SOURCE.fullmatch(key)
    return (found["number"], found["source"]) if found is not None else (key, "")


def parse_identity(text: str, scheme: str | None, source: str, file: str = "") -> Identity | None:
    """Read an authority identifier of a record; None for an empty one and for one with a wrong check digit.

    ``scheme`` is the type that the record states (viaf, isni, local …). ``source`` is the source of the record: it
    qualifies an identifier that does not name its organisation; so does ``file`` if the source numbers several kinds of
    things from 1.
    """
    stripped = text.strip()
    if not stripped:
        return None
    iri = web_iri(stripped)
    if iri is not None:
        found = read_authority_iri(iri)
        return Identity(iri, iri, "other") if found is None else _identity_of_number(found)
    match = _PARENTHESISED.fullmatch(stripped)
    found = read_authority_number(*match.groups()) if match else read_authority_number(scheme or "", stripped)
    if found is not None:
        return _identity_of_number(found)
    if _QUALIFIED_NUMBER.fullmatch(stripped):
        return Identity(stripped, None, "local")
    return Identity(":".join(filter(None, (source, file, stripped))), None, "local")


def is_qualified_number(text: str) -> bool:
    r"""Whether a number that is no IRI names its organisation: ``RU\NLR\AUTH\7``, ``(CaQ)123``."""
    return _QUALIFIED_NUMBER.fullmatch(text.strip()) is not None and web_iri(text) is None


def tie_of_number(text: str) -> str:
    """Return the tie of those that have or cite a number with its organisation, in whatever case and spacing.

    >>> tie_of_number("(CaQ) 12 3") == tie_of_number("(caq)123")
    True
    """
    return NUMBER_TIE + "".join(text.split()).casefold()


def _identity_of_number(found: AuthorityNumber) -> Identity | None:
    return Identity(f"{found.authority}-{found.number}", found.iri, found.authority) if found.number else None


def numbers_in_files(identities: Iterable[Identity], scheme: str = "") -> tuple[str, ...]:
    """Return the numbers that distinguish an entity from others, each with the name of its authority file."""
    return tuple(sorted({one.number_in_file(scheme) for one in identities if one.authority not in _WITH_DUPLICATES}))


@lru_cache(maxsize=_NAMES_REMEMBERED)
def geonames_identity(number: int) -> Identity:
    """Return the identity of a place by its number in GeoNames."""
    return Identity(f"geonames-{number}", f"https://sws.geonames.org/{number}/", "geonames")


def name_key(heading: str, dates: str, kind: str) -> str:
    """Return the key of an agent, made of its heading, the years in its dates, and the type of the name.

    With dates, headings in both scripts have the same key: the dates distinguish people with nearly the same name.
    """
    years = years_with_hyphen(dates)
    return entity_key(f"{heading} {years}" if years else heading, kind, is_slavic=bool(years))


def library_key(code: str, is_stated_isil: bool = False) -> str:
    """Return the key of a library that an ISIL (ISO 15511) or another code identifies."""
    return f"isil-{code}" if is_stated_isil or is_isil(code) else f"library-{code}"


def years_with_hyphen(dates: str) -> str:
    """Return the digits of the dates of a name, and the hyphens between them."""
    return _NOT_IN_YEARS.sub("", dates.replace("–", "-").replace("—", "-")).strip("-")


_WORD = re.compile(r"[^\W_](?:[^\W_]|[’'`´ʹʺʼʻ\u0300-\u036f\ufe20-\ufe2f-])*")
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)?")
_ROMAN_NUMERAL = re.compile("[IVXLC]+")
_MAX_LETTERS_OF_INITIAL = 2
"""Letters of an initial as it is compared: ``Ж.`` is ``zh``."""


class RomanisedName(msgspec.Struct, frozen=True):
    """The family name and the given names of a heading, romanised; ``#2`` stands for the numeral of a ruler."""

    family: str
    given: tuple[str, ...]

    @property
    def is_full(self) -> bool:
        """Whether at least one given name is written out."""
        return any(map(self.is_written_out, self.given))

    @staticmethod
    def is_written_out(word: str) -> bool:
        """Whether a given name is neither an initial nor a numeral."""
        return len(word) > _MAX_LETTERS_OF_INITIAL and not word.startswith("#")

    @property
    def key(self) -> str:
        """The words of the name as one text."""
        return " ".join((self.family, *self.given))

    def is_compatible(self, other: RomanisedName) -> bool:
        """Whether both may name one person: the same family name, and given names that are equal or abbreviated."""
        if self.family != other.family or not self.given or not other.given:
            return False
        if {word for word in self.given if word[0] == "#"} != {word for word in other.given if word[0] == "#"}:
            return False
        return all(is_same_or_initial(one, two) for one, two in zip(self.given, other.given, strict=False))


def is_same_or_initial(one: str, two: str) -> bool:
    """Whether two words of names are equal, or one is the initial of the other."""
    short, long = sorted((one, two), key=len)
    return short == long or (len(short) <= _MAX_LETTERS_OF_INITIAL and long.startswith(short))


@lru_cache(maxsize=_NAMES_REMEMBERED)
def parse_person_name(heading: str) -> RomanisedName | None:
    """Parse the heading of a person; None without a family name.

    The full names that a heading adds to initials in parentheses are taken instead of them.

    >>> parse_person_name("Bakhtin, M. M. (Mikhail Mikhaĭlovich)") == parse_person_name("Бахтин, Михаил Михайлович")
    True
    """
    before, _, after = _IN_PARENTHESES.sub(" ", heading).partition(",")
    words = _words(before)
    given = _words(after)
    if not given:
        words, given = words[:1], words[1:]
    family = "".join(words)
    if not family or family.startswith("#"):
        return None
    full = [word for text in _IN_PARENTHESES.findall(heading) for word in _words(text)]
    if full and len(full) >= len(given) > 0:
        expanded = RomanisedName(family, tuple(full))
        if expanded.is_full and expanded.is_compatible(RomanisedName(family, tuple(given))):
            return expanded
    return RomanisedName(family, tuple(given))


def _words(text: str) -> list[str]:
    """Return the words of a part of a heading; particles, which are written small, only if there is nothing else."""
    words = _WORD.findall(text)
    capitalised = [word for word in words if not word.islower()] or words
    return [key for word in capitalised if (key := _word_key(word))]


def _word_key(word: str) -> str:
    if len(word) > 1 and _ROMAN_NUMERAL.fullmatch(word) and (number := roman_number(word)) is not None:
        return f"#{number}"
    return unify_transcriptions(romanise(word)).replace(" ", "")
