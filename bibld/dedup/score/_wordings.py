"""The same said in another way: how another library would write a title, a name, a publisher, an extent.

Every function takes the generator of random numbers, so that the same seed gives the same wordings.
"""

from __future__ import annotations

import re
from random import Random

from bibld.text.places import ABBREVIATION_OF_PLACE

_WRITTEN_OUT = {short: long for long, short in ABBREVIATION_OF_PLACE.items()} | {
    "М": "Москва",
    "Л": "Ленинград",
    "СПб": "Санкт-Петербург",
}
_WORD = re.compile(r"\w{6,}")
_ADJECTIVE = re.compile(r"ого\b")
_BEFORE_VOWEL = re.compile(r"и(?=[аеиоуыэюяй])")
_CONSONANT_AT_END = re.compile(r"([бвгджзклмнпрстфхцчшщ])\b")
_NUMBER = re.compile(r"\d+")
_VOWELS = frozenset("аеёиоуыэюяaeiouy")
_SHORTEST, _LONGEST_CUT = 3, 6


def abbreviated(text: str, random: Random) -> str:
    """A text with some of its long words cut before a vowel and given a full stop."""

    def cut(match: re.Match[str]) -> str:
        word = match[0]
        if random.random() < 0.3:
            return word
        length = random.randint(_SHORTEST, _LONGEST_CUT)
        while length < len(word) - 2 and (word[length].lower() not in _VOWELS or word[length - 1].lower() in _VOWELS):
            length += 1
        return f"{word[:length]}." if length < len(word) - 2 else word

    return _WORD.sub(cut, text)


def place(text: str, random: Random) -> str:
    """A place shortened or written out, or in brackets."""
    bare = text.strip(" [],:;")
    if bare in ABBREVIATION_OF_PLACE:
        return ABBREVIATION_OF_PLACE[bare]
    if bare in _WRITTEN_OUT:
        return _WRITTEN_OUT[bare]
    return f"[{bare}]" if random.random() < 0.2 else bare


def pre_reform(text: str) -> str:
    """A text in the Russian orthography before 1918, as far as rules without a dictionary go."""
    text = _BEFORE_VOWEL.sub("і", _ADJECTIVE.sub("аго", text))
    return _CONSONANT_AT_END.sub(r"\1ъ", text)


def misspelt(text: str, random: Random) -> str:
    """A text with one letter left out, doubled, or changed with its neighbour."""
    letters = [place for place in range(1, len(text) - 2) if text[place].isalpha() and text[place + 1].isalpha()]
    if not letters:
        return text
    at = random.choice(letters)
    kind = random.randrange(3)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at] + text[at:]
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def extent(text: str, random: Random) -> str:
    """An extent in which pages are counted in another way."""
    numbers = _NUMBER.findall(text)
    if not numbers:
        return text
    pages = max(map(int, numbers))
    pages += random.choice((0, 0, 0, 0, 1, 2, -1, 4))
    return random.choice((f"{pages} с.", f"{pages}, [{random.randint(1, 8)}] с.", f"{pages} p.", f"{pages} с. : ил."))


def date(text: str, random: Random) -> str:
    """A date in another form, of the same year."""
    return random.choice((f"[{text}]", f"cop. {text}", f"{text} г.", f"c{text}", text)) if text.isdigit() else text


def isbn(random: Random) -> str:
    """A valid ISBN of thirteen digits that is invented."""
    stem = "978" + "".join(str(random.randrange(10)) for _ in range(9))
    total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(stem))
    return stem + str(-total % 10)
