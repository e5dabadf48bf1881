"""Which charset a file is in, and its records' bytes as text.

In this order: the charset that the configuration names; strict UTF-8 with at least one character of several bytes;
escape sequences of ISO 2022; the statistics of Russian text; the charset that the flavour's standard names. What the
file itself declares only breaks ties, because it is so often wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from bibld.read import _marc8
from bibld.text import cyrillic
from bibld.text.charsets import CYRILLIC_CHARSETS, ISO5426, MARC8, UTF8, charset_name
from bibld.text.folding import unify_non_sorting_marks

AUTO = "auto"
ASCII, LATIN1 = "ascii", "iso8859-1"

_ENOUGH = 8
"""Bytes beyond ASCII from which the statistics of letters can be believed for a single record."""

_BETTER = 0.25
"""By how much another charset's score must be better, for a record to be read otherwise than most of its file."""

_RUN = re.compile(rb"[\x80-\xff]{4}")
_REPLACED = b"\xef\xbf\xbd"
_ASCII_BYTES = bytes(range(0x80))
_ACCENTED_WORD = re.compile("[A-Za-z][\xe0-\xff][^\xe0-\xff]|[\xc0-\xff][a-z]")
_NON_SORTING_PAIR = {
    name: re.compile("(\x1f.){0}([^{0}{1}\x1e\x1f]+){1}".format(*bytes((0x88, 0x89)).decode(name)), re.DOTALL)
    for name in ("cp1251", "koi8-r")
}


class Charsets(msgspec.Struct, frozen=True, omit_defaults=True):
    """The charsets of a file: enough to decode each of its records alone.

    ``declared`` is what the file declares, ``main`` the charset of most of its records, ``other`` that of the remaining
    ones (empty: none were seen), ``legacy`` the one that the flavour's standard names for records that are not Unicode,
    ``fixed`` whether the configuration names it.
    """

    declared: str | None
    main: str
    other: str = ""
    legacy: str = LATIN1
    fixed: bool = False

    def __post_init__(self) -> None:
        # A default is left out of JSON, and so of hashes, only if it is this object; a copy from a process has its own.
        if self.legacy == LATIN1:
            msgspec.structs.force_setattr(self, "legacy", LATIN1)


class Decoded(msgspec.Struct, frozen=True):
    """The text of a record's bytes, and the warnings."""

    text: str
    warnings: tuple[str, ...] = ()


def settle_charsets(charset: str, declared: str | None, legacy: str, samples: Iterable[bytes]) -> Charsets:
    """Find the charsets of a file: the configured ``charset``, or if that is ``auto``, by some of its records."""
    if charset != AUTO:
        return Charsets(declared, charset_name(charset), legacy=legacy, fixed=True)
    votes: Counter[str] = Counter()
    others: list[bytes] = []
    for data in samples:
        if not is_beyond_ascii(data):
            votes[ASCII] += 1
        elif not data.isascii() and _is_mostly_utf8(data):
            votes[UTF8] += 1
        else:
            others.append(data)
    other = _guess(b"\x1e".join(others), declared, legacy) if others else ""
    if votes[UTF8] > len(others):
        return Charsets(declared, UTF8, other=other, legacy=legacy)
    if others:
        return Charsets(declared, other, other=UTF8 if votes[UTF8] else "", legacy=legacy)
    if votes[UTF8]:
        return Charsets(declared, UTF8, legacy=legacy)
    return Charsets(declared, ASCII, legacy=legacy)


def is_beyond_ascii(data: bytes) -> bool:
    """Return whether the charset matters for these bytes."""
    return not data.isascii() or _marc8.has_escapes(data)


def decode(data: bytes, charsets: Charsets) -> Decoded:
    """Decode a record's bytes; never fails: what cannot be decoded becomes U+FFFD, with a warning."""
    if charsets.fixed:
        return _decode_as(data, charsets.main)
    if not is_beyond_ascii(data):
        return Decoded(data.decode("ascii"))
    name, text = _detect(data, charsets)
    if text is not None:
        return Decoded(unify_non_sorting_marks(text), _warn_of_other(UTF8, charsets))
    result = _decode_as(data, name)
    return Decoded(result.text, (() if data.isascii() else _warn_of_other(name, charsets)) + result.warnings)


def charset_of(data: bytes, charsets: Charsets) -> str:
    """Return the charset that :func:`decode` decodes a record's bytes with; ``ascii`` if they are in any."""
    if charsets.fixed:
        return charsets.main
    return _detect(data, charsets)[0] if is_beyond_ascii(data) else ASCII


def _detect(data: bytes, charsets: Charsets) -> tuple[str, str | None]:
    """Return the charset of bytes that are not plain ASCII, and if it is UTF-8 without faults, their text."""
    if data.isascii():
        return charsets.legacy if charsets.legacy != LATIN1 else MARC8, None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _name_without_utf8(data, charsets), None
    if charsets.main not in CYRILLIC_CHARSETS or cyrillic.score(text) >= cyrillic.score(
        _decode_roughly(data, charsets.main)
    ):
        return UTF8, text
    return charsets.main, None


def _name_without_utf8(data: bytes, charsets: Charsets) -> str:
    """Return the charset of one record that is not UTF-8."""
    main = charsets.main
    if main == UTF8 and _is_mostly_utf8(data):
        return UTF8
    expected = charsets.other if main in (UTF8, ASCII) else main
    if expected in CYRILLIC_CHARSETS:
        if not cyrillic.is_odd(data, expected):
            return expected
        return _find_better(data, expected, charsets)
    if expected and expected != UTF8 and not _is_probably_cyrillic(data):
        return expected
    guess = _guess(data, charsets.declared, charsets.legacy)
    if main == UTF8 and not expected and guess == LATIN1 and len(_ACCENTED_WORD.findall(data.decode(LATIN1))) < 2:
        return UTF8
    return guess


def _find_better(data: bytes, expected: str, charsets: Charsets) -> str:
    if _count_high(data) < _ENOUGH:
        return expected
    name, score = cyrillic.best(data)
    if score >= cyrillic.SURE:
        return name if score >= cyrillic.score(_decode_roughly(data, expected)) + _BETTER else expected
    return (
        _guess_beyond_cyrillic(data, charsets.legacy)
        if cyrillic.score(_decode_roughly(data, expected)) < 0
        else expected
    )


def _is_probably_cyrillic(data: bytes) -> bool:
    return _RUN.search(data) is not None and _count_high(data) >= _ENOUGH and cyrillic.best(data)[1] >= cyrillic.SURE


def _guess(data: bytes, declared: str | None, legacy: str) -> str:
    """Return the charset of bytes that are not UTF-8."""
    if _marc8.has_escapes(data) and legacy != LATIN1:
        return legacy
    name, score = cyrillic.best(data, declared)
    if score >= cyrillic.SURE and _count_high(data) >= _ENOUGH:
        return name
    return _guess_beyond_cyrillic(data, legacy)


def _guess_beyond_cyrillic(data: bytes, legacy: str) -> str:
    return legacy if legacy == LATIN1 or _marc8.is_plausible(data, legacy) else LATIN1


def _decode_as(data: bytes, name: str) -> Decoded:
    if name in (MARC8, ISO5426):
        text, wrong = _marc8.decode(data, name)
    else:
        text = data.decode(name, "replace")
        wrong = text.count("\ufffd")
        if wrong and name == UTF8:
            wrong -= data.count(_REPLACED)
    pair = _NON_SORTING_PAIR.get(name)
    text = (
        pair.sub("\\1\x98\\2\x9c", text)
        if pair
        else unify_non_sorting_marks(text)
        if name not in CYRILLIC_CHARSETS
        else text
    )
    if not wrong:
        return Decoded(text)
    return Decoded(text, (f"{wrong} byte sequence{'s' if wrong > 1 else ''} not in {name} replaced by U+FFFD",))


def _decode_roughly(data: bytes, name: str) -> str:
    return data.decode(name, "replace")


def _warn_of_other(name: str, charsets: Charsets) -> tuple[str, ...]:
    if name == charsets.main or charsets.main == ASCII:
        return ()
    return (f"read as {name}, though most of the file is {charsets.main}",)


def _is_mostly_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8, or would be but for a few."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        good = sum(char >= "\x80" for char in text)
        broken = text.count("\ufffd") - data.count(_REPLACED)
        return good - broken >= 2 * broken
    return True


def _count_high(data: bytes) -> int:
    return len(data.translate(None, _ASCII_BYTES))


# --- whether the bytes of a file can be in the charset that the configuration names for it

TOLERATED = 0.01
"""The share of undecodable records up to which a charset is believed."""

_SAMPLES = 200
_SLOW = frozenset({MARC8, ISO5426})
_SLOW_RECORDS = 2_000
"""Records beyond ASCII that are decoded if the charset has no fast decoder."""

_SURE_OF_UTF8 = 0.9
_SURER = 0.25
"""By how much a Cyrillic charset must score better than the named one."""


class CharsetCheck:
    """Counts the records of a file that are not in the charset that the configuration names."""

    def __init__(self, charsets: Charsets) -> None:
        self._charsets = charsets
        self._records = 0
        self._beyond_ascii = 0
        self._wrong = 0
        self._samples: list[bytes] = []
        self._wrong_samples: list[bytes] = []

    def add(self, data: bytes) -> None:
        """Decode a record."""
        self._records += 1
        if not is_beyond_ascii(data):
            return
        self._beyond_ascii += 1
        name = self._charsets.main
        if name in _SLOW:
            is_wrong = self._beyond_ascii <= _SLOW_RECORDS and _marc8.decode(data, name)[1] > 0
        else:
            is_wrong = not can_decode(data, name)
        self._wrong += is_wrong
        samples = self._wrong_samples if is_wrong else self._samples
        if len(samples) < _SAMPLES:
            samples.append(data)

    def fault(self, *, is_trusted: bool = False) -> str:
        """Return that too many records cannot be decoded, or that the bytes are surely in another charset.

        Empty if there is no such fault. With ``is_trusted`` a charset is believed in which all can be decoded.
        """
        if self._wrong <= TOLERATED * self._records:
            return "" if self._wrong or is_trusted else self._other_charset()
        looks = self._detect(self._wrong_samples)
        remedy = (
            f'the bytes look like {looks}; write charset = "{looks}" or "auto"' if looks else 'try charset = "auto"'
        )
        count = f"{self._wrong:,} of {self._records:,} records"
        return f"{count} are not in the stated charset {self._charsets.main}; {remedy}"

    def warning(self) -> str:
        """Return that a few records cannot be decoded; empty if all can."""
        if not self._wrong:
            return ""
        charset = self._charsets.main
        return f"{self._wrong:,} of {self._records:,} records have bytes that are not in the stated charset {charset}"

    def _other_charset(self) -> str:
        name, looks = self._charsets.main, self._detect(self._samples)
        if looks and looks != name and self._is_sure(looks):
            remedy = f'write charset = "{looks}" or "auto"; if letters are right, write max_misread = 100 in the source'
            return f"the stated charset is {name}, but the bytes look like {looks}; {remedy}"
        return ""

    def _detect(self, samples: list[bytes]) -> str:
        """Return the charset that would be found if none was named; empty if the samples do not decide."""
        if not samples:
            return ""
        found = settle_charsets(AUTO, self._charsets.declared, self._charsets.legacy, samples).main
        return "" if found == self._charsets.main else found

    def _is_sure(self, found: str) -> bool:
        samples, name = self._samples, self._charsets.main
        if found == UTF8:
            with_bytes = [data for data in samples if not data.isascii()]
            valid = sum(can_decode(data, UTF8) for data in with_bytes)
            return bool(with_bytes) and valid >= _SURE_OF_UTF8 * len(with_bytes)
        if found not in CYRILLIC_CHARSETS:
            return False
        data = b"\x1e".join(samples)
        score = cyrillic.score(data.decode(found, "replace"))
        stated = 0.0 if name in _SLOW else cyrillic.score(data.decode(name, "replace"))
        return score >= max(cyrillic.SURE, stated + _SURER)


def charset_check(carrier: Any) -> CharsetCheck | None:  # noqa: ANN401 - of any reader
    """Return a check for a file whose charset the configuration names; None if it was found or needs none."""
    if not isinstance(getattr(carrier, "charsets", None), Charsets) or not carrier.charsets.fixed or carrier.recoded:
        return None
    return CharsetCheck(carrier.charsets)


def can_decode(data: bytes, charset: str) -> bool:
    """Return whether bytes are in a charset; no bytes are in one that is not known to Python, such as MARC-8."""
    try:
        data.decode(charset)
    except (UnicodeError, LookupError):
        return False
    return True


# --- whether a text was decoded in a wrong charset

_WRONG_CHARSETS = (*CYRILLIC_CHARSETS, "cp1252", LATIN1)
_LETTERS_BEYOND_ASCII = re.compile("[^\x00-\x7f]{4}")
_KEPT = 0.9
"""The share of its letters that a text must have in a charset to have been decoded in it."""

_MAX_CHARACTERS = 4_000
"""Characters of a text that are looked at."""


def find_misreading(text: str) -> tuple[str, str] | None:
    """Return in which charset a text was decoded, and in which it surely is; None if it may be right.

    Only Russian text is recognised; other letters are never taken for a misreading.

    >>> find_misreading("Война и мир, роман".encode("cp866").decode("koi8-r"))
    ('koi8-r', 'cp866')
    >>> find_misreading("Dvořák: Má vlast") is None
    True
    """
    text = text[:_MAX_CHARACTERS]
    own = cyrillic.score(text)
    if own >= cyrillic.SURE or not _LETTERS_BEYOND_ASCII.search(text):
        return None
    found: tuple[float, str, str] = (max(cyrillic.SURE, own + _SURER), "", "")
    for wrong in _WRONG_CHARSETS:
        data = text.encode(wrong, "ignore")
        if _count_high(data) < max(_ENOUGH, _KEPT * sum(character > "\x7f" for character in text)):
            continue
        name, score = cyrillic.best(data)
        if _is_mostly_utf8(data):
            name, score = UTF8, cyrillic.score(data.decode(errors="ignore"))
        if name != wrong and score > found[0]:
            found = (score, wrong, name)
    return found[1:] if found[1] else None
