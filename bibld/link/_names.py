"""Headings as they are compared: years of life, the parts of a person's name, and keys of all kinds of headings."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from importlib import resources

import msgspec

from bibld.text.folding import fold
from bibld.text.names import family_and_given, person_key
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_YEAR = r"(?:ca\.?|approximately|около|ок\.|um)?\s*(?P<{}>\d{{3,4}})(?P<{}_open>\?)?"
_LIFE = re.compile(
    rf"(?<![\d-]){_YEAR.format('born', 'born')}\s*[-–—/]\s*(?:{_YEAR.format('died', 'died')})?(?!\d)", re.IGNORECASE
)
_BORN = re.compile(
    r"(?:\bb\.|\bborn\b|\bр\.|\bрод\.?|\bродил\w+|\bgeb\.|\*)\s*(?:в\s*)?(?:ca\.?\s*)?(\d{3,4})", re.IGNORECASE
)
_DIED = re.compile(
    r"(?:\bd\.|\bdied\b|\bум\.?|\bумер\w*|\bgest\.|†|(?<!\d)[-–—])\s*(?:в\s*)?(?:ca\.?\s*)?(\d{3,4})", re.IGNORECASE
)
_ACTIVE = re.compile(r"\b(?:active|fl\.|flourished|акт\.|wirkte)\s", re.IGNORECASE)
_FIRST_YEAR = re.compile(r"(?<!\d)([+-]?)(\d{3,4})(?!\d)")
_DATES_IN_HEADING = re.compile(
    r"[,.\s]*(?:[(]\s*)?(?:\b(?:b|d|ca|fl|born|died|active|approximately|род|ум|р|ок|geb|gest)\b\.?\s*)*"
    r"\d{3,4}\??\s*(?:[-–—/]\s*(?:(?:ca\.|approximately)?\s*\d{3,4}\??)?\s*\)?\s*$|\)?\s*$).*$",
    re.IGNORECASE,
)


class Life(msgspec.Struct, frozen=True):
    """The years of birth and death as far as they are known; ``is_exact`` is false for questioned years."""

    born: int | None = None
    died: int | None = None
    is_exact: bool = True


def life_of(text: str) -> Life:
    """Read the years of a life from a statement of dates or from a heading; years of activity are none.

    >>> life_of("Keating, Kenneth B. (Kenneth Barnard), 1900-1975"), life_of("d. 1838"), life_of("active 1850-1870")
    (Life(born=1900, died=1975, is_exact=True), Life(born=None, died=1838, is_exact=True), Life(born=None, died=None, is_exact=True))
    """  # noqa: E501
    if _ACTIVE.search(text):
        return Life()
    match = _LIFE.search(text)
    if match is not None:
        is_exact = not (match["born_open"] or match["died_open"]) and "ca" not in match[0] and "ок" not in match[0]
        return Life(_year(match["born"]), _year(match["died"]), is_exact and "approx" not in match[0])
    born, died = _BORN.search(text), _DIED.search(text)
    return Life(_year(born[1]) if born else None, _year(died[1]) if died else None)


def year_of(text: str) -> int | None:
    """Return the year of a date such as ``1835-11-30`` or ``+1835-11-30T00:00:00Z``; None for one before our era."""
    match = _FIRST_YEAR.search(text)
    return _year(match[2]) if match is not None and match[1] != "-" else None


def without_dates(heading: str) -> str:
    """Return a heading without the dates at its end.

    >>> without_dates("Hillier, J. 1912-1995"), without_dates("Lindsay, William, d. 1838"), without_dates("Reed, Mary")
    ('Hillier, J.', 'Lindsay, William', 'Reed, Mary')
    """
    stem = _DATES_IN_HEADING.sub("", heading).rstrip(" ,")
    return f"{stem}." if heading[len(stem) : len(stem) + 1] == "." else stem


def _year(text: str | None) -> int | None:
    return int(text) if text and int(text) > 0 else None


_FULLER = re.compile(r"\(([^()]*)\)")
_QUALIFIER = re.compile(r"\s*[(<][^()<>]*[)>]\s*$")
_WORDS = msgspec.toml.decode(
    resources.files("bibld.link").joinpath("words.toml").read_text(encoding="utf-8"), type=dict[str, str]
)
_PARTICLES = frozenset(_WORDS["particles"].split())
_GENERATIONS = frozenset(_WORDS["generations"].split())
_NOBLE_TITLES = frozenset(_WORDS["noble_titles"].split())
_TITLES = frozenset(_WORDS["titles"].split())
_BETWEEN_ELEMENTS = re.compile(r"\s*--\s*")
_TEXTS_REMEMBERED = 50_000
_MAX_ABBREVIATION_LETTERS = 4

_GENERIC_STEMS = tuple(_WORDS["generic_stems"].split())
_GENERIC_WORDS = frozenset(_WORDS["generic_words"].split())
_SMALL_WORDS = frozenset(_WORDS["small_words"].split())


class NameRelation(Enum):
    """How two headings of persons relate, from the closest."""

    EQUAL = "the same name"
    INITIALS = "the same family name and initials"
    SHORTENED = "the same family name, given names that fit"
    RESPELLED = "the same name in another spelling"
    SINGLE = "the same single name"
    DIFFERENT = "another name"


_ORDER = list(NameRelation)


class PersonName(msgspec.Struct, frozen=True):
    """A heading of a person, folded: family name, given names (with particles at their end), generation (Jr., III).

    ``fuller`` are the given names in full, if the heading has them in parentheses.
    """

    family: str
    given: tuple[str, ...]
    generation: str = ""
    fuller: tuple[str, ...] = ()

    @property
    def full_given_names(self) -> int:
        """The number of given names that are more than initials."""
        return max(sum(len(word) > 1 and word not in _PARTICLES for word in words) for words in self.given_forms)

    @property
    def given_forms(self) -> tuple[tuple[str, ...], ...]:
        """The given names as the heading has them, and in full."""
        return (self.given, self.fuller) if self.fuller else (self.given,)


def is_titled(name: PersonName) -> bool:
    """Whether a name has a title that others of the same name had before or after, such as Earl of Stair."""
    return not _NOBLE_TITLES.isdisjoint(name.given)


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def person_name(heading: str) -> PersonName:
    """Take the heading of a person to pieces.

    >>> person_name("Keating, Kenneth B. (Kenneth Barnard), 1900-1975")
    PersonName(family='keating', given=('kenneth', 'b'), generation='', fuller=('kenneth', 'barnard'))
    >>> person_name("von Goethe, Johann W.").given, person_name("Mark Twain").family, person_name("Plato").given
    (('johann', 'w', 'von'), 'twain', ())
    """
    text = without_dates(heading)
    fuller = _FULLER.search(text)
    text = _FULLER.sub(" ", text)
    if "," not in text and (turned := family_and_given(text)) is not None:
        text = ", ".join(turned)
    before, comma, after = text.partition(",")
    if not comma:
        words = person_key(before).split()
        return PersonName(" ".join(words[:1]), tuple(words[1:]))
    family, rest = fold(before).split(), fold(after).split()
    particles = 0
    while particles < len(family) - 1 and family[particles] in _PARTICLES:
        particles += 1
    given = [word for word in rest if word not in _GENERATIONS and word not in _TITLES]
    return PersonName(
        " ".join(family[particles:]),
        (*given, *family[:particles]),
        next((word for word in rest if word in _GENERATIONS), ""),
        tuple(fold(fuller[1]).split()) if fuller and given else (),
    )


def compare_names(left: PersonName, right: PersonName) -> NameRelation:
    """Compare two headings; those of different generations (Jr. and Sr.) are different."""
    if left.generation and right.generation and left.generation != right.generation:
        return NameRelation.DIFFERENT
    family = compare_texts(left.family, right.family)
    if family is NameRelation.DIFFERENT:
        return family
    relations = [_compare_given(one, other) for one in left.given_forms for other in right.given_forms]
    given = min(relations, key=_ORDER.index)
    if NameRelation.DIFFERENT in relations and given is not NameRelation.EQUAL:
        return NameRelation.DIFFERENT
    if NameRelation.RESPELLED in (family, given):
        return given if given is NameRelation.DIFFERENT else NameRelation.RESPELLED
    return given


def compare_texts(left: str, right: str) -> NameRelation:
    """Compare two folded texts: equal (also if one is the romanised form of the other), respelled, or different."""
    if left == right:
        return NameRelation.EQUAL if left else NameRelation.DIFFERENT
    if romanise(left) != romanise(right):
        return NameRelation.DIFFERENT
    return NameRelation.EQUAL if has_cyrillic(left) != has_cyrillic(right) else NameRelation.RESPELLED


def _compare_given(left: tuple[str, ...], right: tuple[str, ...]) -> NameRelation:
    if not left or not right:
        return NameRelation.DIFFERENT if left or right else NameRelation.SINGLE
    found = compare_texts(" ".join(left), " ".join(right))
    if found is NameRelation.EQUAL and not any(len(word) > 1 for word in left):
        return NameRelation.INITIALS
    if found is not NameRelation.DIFFERENT:
        return found
    is_compatible = all(
        _is_initial_of(one, other) or compare_texts(one, other) is NameRelation.EQUAL
        for one, other in zip(left, right, strict=False)
    )
    return NameRelation.SHORTENED if is_compatible else NameRelation.DIFFERENT


def _is_initial_of(one: str, other: str) -> bool:
    if min(len(one), len(other)) > 1:
        return False
    if has_cyrillic(one) != has_cyrillic(other):
        return romanise(one)[:1] == romanise(other)[:1]
    return one[0] == other[0]


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def heading_key(heading: str) -> str:
    """Return the key of a heading that is no person's: romanised words, its elements separated by ``--``."""
    elements = (_romanise(element) for element in _BETWEEN_ELEMENTS.split(heading))
    return "--".join(element for element in elements if element)


def without_qualifier(heading: str) -> str:
    """Return a heading without the qualifier in parentheses at its end.

    >>> without_qualifier("Mercury (Planet)"), without_qualifier("Bleistift <Motiv>"), without_qualifier("France")
    ('Mercury', 'Bleistift', 'France')
    """
    return _QUALIFIER.sub("", heading)


def is_generic(heading: str) -> bool:
    """Whether the name of an organisation has only words that many organisations have, such as Ministry of Health.

    An abbreviation of up to four letters is generic, too.

    >>> is_generic("Ministry of Health"), is_generic("United States. Department of State"), is_generic("NATO")
    (True, False, True)
    """
    folded = fold(heading)
    text = romanise(folded) if has_cyrillic(folded) else folded
    words = [word for word in text.split() if word not in _SMALL_WORDS and not word.isdigit()]
    if len(words) == 1 and len(words[0]) <= _MAX_ABBREVIATION_LETTERS:
        return True
    return all(word in _GENERIC_WORDS or word.startswith(_GENERIC_STEMS) for word in words)


def _romanise(text: str) -> str:
    folded = fold(text)
    return romanise(folded) or folded
