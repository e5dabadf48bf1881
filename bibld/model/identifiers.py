"""Standard numbers of publications: check digits and normal forms of ISBN (ISO 2108), ISSN (3297), ISMN (10957)."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

_SEPARATOR = r"[-.\u00ad\u2010-\u2015\u2212 ]?"
_END = r"(?![0-9A-Za-z])"
_START = r"(?<![0-9])(?<![0-9][-\u00ad\u2010-\u2015\u2212])"
_ISBN13 = re.compile(rf"{_START}97[89](?:{_SEPARATOR}[0-9]){{10}}{_END}")
_ISBN10 = re.compile(rf"{_START}[0-9](?:{_SEPARATOR}[0-9]){{8}}{_SEPARATOR}[0-9XxХх]{_END}")
_SBN = re.compile(rf"(?<![A-Za-z])SBN:?\s*([0-9](?:{_SEPARATOR}[0-9]){{7}}{_SEPARATOR}[0-9XxХх]{_END})")
_ISSN = re.compile(rf"{_START}[0-9]{{4}}{_SEPARATOR}[0-9]{{3}}[0-9XxХх]{_END}")
_NUMBER = re.compile(r"[0-9](?:[-.\u00ad\u2010-\u2015\u2212]*[0-9XxХх])*")
_NOT_DIGIT = re.compile(r"[^0-9X]")
_NAME_OF_SCHEME = re.compile(r"\be?-?ISS?[BS]?N(?:-1[03]|-L)?\b:?", re.IGNORECASE)
_TEXTS_REMEMBERED = 4096
_BETWEEN = " \t\n\r:;,"

NUMBERS_OF_PUBLISHERS = frozenset(
    ("issue number", "matrix number", "music plate", "music publisher", "videorecording identifier")
)
"""Types of identifiers given by publishers, whose name is written beside the number (:func:`number_and_source`)."""


class Isbn(msgspec.Struct, frozen=True):
    """An ISBN as stated: ``value`` has neither hyphens nor blanks, ``qualifier`` is the text around it."""

    value: str
    is_valid: bool
    qualifier: str = ""


class Issn(msgspec.Struct, frozen=True):
    """An ISSN as stated: ``value`` is ``NNNN-NNNC`` where it has eight characters, ``qualifier`` the text around it."""

    value: str
    is_valid: bool
    qualifier: str = ""


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def isbn(text: str) -> Isbn | None:
    """Find the ISBN in a text such as ``ISBN 5-7390-0346-6 (в пер.)``.

    The nine digits of an SBN, where it is called so, are given their leading 0. A number of a wrong length or with a
    wrong check digit is given with ``is_valid`` False; a text without a number gives None. The Cyrillic Х counts as X.
    """
    found = None
    for pattern in (_ISBN13, _ISBN10, _SBN):
        match = pattern.search(text)
        if match is None:
            continue
        value = _bare(match[0]) if pattern is not _SBN else "0" + _bare(match[1])
        if has_isbn_check_digit(value):
            return Isbn(value, True, _around(text, match))
        if found is None:
            found = Isbn(value, False, _around(text, match))
    if found is None:
        match = max(_NUMBER.finditer(text), key=lambda number: len(number[0]), default=None)
        found = Isbn(_bare(match[0]), False, _around(text, match)) if match else None
    return found


def has_isbn_check_digit(value: str) -> bool:
    """Whether ten or thirteen characters without separators are an ISBN with its right check digit."""
    if len(value) == 10 and value[:9].isdecimal() and value.isascii():
        return _isbn10_check(value[:9]) == value[9]
    if len(value) == 13 and value.isdecimal() and value.isascii() and value.startswith(("978", "979")):
        return _isbn13_check(value[:12]) == value[12]
    return False


def has_ismn_check_digit(value: str) -> bool:
    """Whether ``M`` with nine digits, or thirteen digits, are an ISMN (ISO 10957) with its right check digit."""
    digits = f"9790{value[1:]}" if value[:1] == "M" else value
    if len(digits) != 13 or not (digits.isascii() and digits.isdecimal()) or not digits.startswith("9790"):
        return False
    return _isbn13_check(digits[:12]) == digits[12]


def isbn13(value: str) -> str:
    """Return the thirteen digits of a valid ISBN without separators; raises ``ValueError`` for another text."""
    if not has_isbn_check_digit(value):
        raise ValueError(f"{value!r} is no valid ISBN")
    if len(value) == 13:
        return value
    stem = "978" + value[:9]
    return stem + _isbn13_check(stem)


def isbn10(value: str) -> str | None:
    """Return the ten characters of a valid ISBN without separators; None if it has none (prefix 979).

    Raises ``ValueError`` for another text.
    """
    thirteen = isbn13(value)
    return thirteen[3:12] + _isbn10_check(thirteen[3:12]) if thirteen.startswith("978") else None


def hyphenated_isbn(value: str) -> str:
    """Return an ISBN with hyphens between its parts (ISO 2108), as it is if its ranges are not known.

    >>> hyphenated_isbn("9785170800018"), hyphenated_isbn("5170800018")
    ('978-5-17-080001-8', '5-17-080001-8')
    """
    from stdnum import isbn as parts  # the table of ranges is read when a number is shown

    if "-" in value or not value.isascii() or not value[:-1].isdecimal() or len(value) not in (10, 13):
        return value
    return str(parts.format(value))


def number_and_source(text: str) -> tuple[str, str]:
    """Split the number of a publisher (of music, of recordings) from its name; the name is empty if it is not found.

    The name consists of the words at one of the ends that have no figures; words in capitals belong to the number.

    >>> number_and_source("33Д-4451 Мелодия"), number_and_source("Мелодия SUCD 10-00119")
    (('33Д-4451', 'Мелодия'), ('SUCD 10-00119', 'Мелодия'))
    """
    words = text.split()
    named = [word.upper() != word and not any(map(str.isdigit, word)) for word in words]
    first, last = 0, len(words)
    while first < last and named[first]:
        first += 1
    if first == 0:
        while last > first and named[last - 1]:
            last -= 1
    number, source = words[first:last], words[:first] + words[last:]
    return (" ".join(number), " ".join(source)) if number else (" ".join(words), "")


def issn(text: str) -> Issn | None:
    """Find the ISSN in a text such as ``ISSN 0869-608Х``; a number that is none is given with ``is_valid`` False."""
    match = _ISSN.search(text)
    if match is not None:
        value = _bare(match[0])
        return Issn(f"{value[:4]}-{value[4:]}", _issn_check(value[:7]) == value[7], _around(text, match))
    match = _NUMBER.search(text)
    return Issn(match[0].upper().replace("Х", "X"), False, _around(text, match)) if match else None


def _bare(number: str) -> str:
    return _NOT_DIGIT.sub("", number.upper().replace("Х", "X"))


def _around(text: str, match: re.Match[str]) -> str:
    before = _NAME_OF_SCHEME.sub("", text[: match.start()]).strip(_BETWEEN)
    after = text[match.end() :].strip(_BETWEEN)
    around = f"{before} {after}".strip()
    if around.startswith("(") and around.find(")") == len(around) - 1:
        around = around[1:-1].strip()
    return around


def _isbn10_check(digits: str) -> str:
    total = sum(weight * int(digit) for weight, digit in zip(range(10, 1, -1), digits, strict=True))
    return "0123456789X"[-total % 11]


def _isbn13_check(digits: str) -> str:
    total = sum(map(int, digits[::2])) + 3 * sum(map(int, digits[1::2]))
    return str(-total % 10)


def _issn_check(digits: str) -> str:
    total = sum(weight * int(digit) for weight, digit in zip(range(8, 1, -1), digits, strict=True))
    return "0123456789X"[-total % 11]
