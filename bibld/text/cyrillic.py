"""Which of the Cyrillic eight-bit charsets bytes are in, by the frequency and the case of Russian letters."""

from __future__ import annotations

import functools
import re
from collections import Counter

from bibld.text.charsets import CYRILLIC_CHARSETS

SURE = 0.2
"""A reading with at least this score is Cyrillic text."""

_FREQUENCY = dict(
    zip(
        "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
        (
            *(1097, 845, 801, 735, 670, 626, 547, 473, 454, 440, 349, 321, 298, 281, 262, 201, 190),
            *(174, 170, 165, 159, 144, 121, 97, 94, 73, 64, 48, 36, 32, 26, 4, 4),
        ),
        strict=True,
    )
)
"""Occurrences in ten thousand letters of Russian text."""

_NEIGHBOURS_LETTERS = "іїєґўѣѳѵ"
_BALKAN_LETTERS = "ђјљњћџѓќѕ"
_WEIGHT = (
    {letter: count / 1000 for letter, count in _FREQUENCY.items()}
    | {letter.upper(): count / 1700 for letter, count in _FREQUENCY.items()}
    | dict.fromkeys(_NEIGHBOURS_LETTERS + _NEIGHBOURS_LETTERS.upper(), 0.0)
    | dict.fromkeys(_BALKAN_LETTERS + _BALKAN_LETTERS.upper(), -0.6)
    | dict.fromkeys("«»–—№“”„…’‘°§©\xa0", -0.4)
)
_NO_LETTER = -1.5
_RARE = {"mac-cyrillic": 0.02, "iso8859-5": 0.01}
"""Subtracted from the score of rare charsets; the small letters of the first are those of cp1251."""

_UPPER_AFTER_LOWER = re.compile("[а-яё][А-ЯЁ]")
_MIXED = re.compile("[A-Za-z][а-яёА-ЯЁ]|[а-яёА-ЯЁ][A-Za-z]")
_SIGN_FOR_CAPITAL = re.compile(f"[‚’‘”–—…°§©®†‡•™¬√ƒ≈∆÷{_BALKAN_LETTERS.upper()}][а-яё]")
"""Signs instead of capitals: decoded in a wrong charset that has the same small letters."""


def score(text: str) -> float:
    """Return how much the characters beyond ASCII look like Russian: about 0.5 for text, below 0.2 for anything else.

    Letters count by their frequency, capitals less; other characters, a capital after a small letter and a Cyrillic
    letter beside a Latin one count against it. 0 for text in ASCII.
    """
    counts = Counter(text)
    total = sum_of_weights = 0.0
    for char, count in counts.items():
        if char >= "\x80":
            total += count
            sum_of_weights += _WEIGHT.get(char, _NO_LETTER) * count
    if not total:
        return 0.0
    faults = sum(len(fault.findall(text)) for fault in (_UPPER_AFTER_LOWER, _MIXED, _SIGN_FOR_CAPITAL))
    return (sum_of_weights - faults) / total


def best(data: bytes, declared: str | None = None) -> tuple[str, float]:
    """Return the charset with the best score for the bytes, and the score; the declared one if it is as good."""
    scores = {name: score(data.decode(name, "replace")) - _RARE.get(name, 0.0) for name in CYRILLIC_CHARSETS}
    winner = max(CYRILLIC_CHARSETS, key=lambda name: scores[name])
    if declared in scores and scores[declared] >= scores[winner] - 0.02:
        winner = declared
    return winner, scores[winner]


def is_odd(data: bytes, name: str) -> bool:
    """Return whether bytes are unlikely in this charset: too few letters, or more capitals than small letters."""
    lower, upper = _letters(name)
    ascii_and_rest = len(data.translate(None, lower))
    lowers = len(data) - ascii_and_rest
    uppers = len(data) - len(data.translate(None, upper))
    others = len(data.translate(None, _ASCII_BYTES)) - lowers - uppers
    return others * 5 > lowers + uppers or uppers > lowers


_ASCII_BYTES = bytes(range(0x80))


@functools.cache
def _letters(name: str) -> tuple[bytes, bytes]:
    lower = "".join(_FREQUENCY)
    return lower.encode(name), lower.upper().encode(name)
