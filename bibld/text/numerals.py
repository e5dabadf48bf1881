"""Numbers as catalogues write them: in digits, in Roman letters, in words; numbers of parts and editions."""

from __future__ import annotations

import re
from functools import cache

from bibld.text.folding import fold
from bibld.text.romanisation import romanise

LATIN_LOOKALIKES = str.maketrans("мсхіМСХІ", "mcxiMCXI")
"""Cyrillic letters that are typed for Roman numerals."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,4})(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})")

_NUMBERS_OF_PARTS = (
    "первый первая первое первые first erster erste erstes premier première premiere one один одна eins",
    "второй вторая второе second zweiter zweite zweites deuxième deuxieme seconde two два две zwei",
    "третий третья третье third dritter dritte drittes troisième troisieme three три drei",
    "четвертый четвертая четвертое fourth vierter vierte viertes quatrième quatrieme four четыре vier",
    "пятый пятая пятое fifth fünfter funfter funfte cinquième cinquieme five пять funf",
    "шестой шестая шестое sixth sechster sechste sixième sixieme six шесть sechs",
    "седьмой седьмая седьмое seventh siebter siebte septième septieme seven семь sieben",
    "восьмой восьмая восьмое eighth achter achte huitième huitieme eight восемь acht",
    "девятый девятая девятое ninth neunter neunte neuvième neuvieme nine девять neun",
    "десятый десятая десятое tenth zehnter zehnte dixième dixieme ten десять zehn",
    "одиннадцатый одиннадцатая eleventh elfter elfte eleven одиннадцать elf",
    "двенадцатый двенадцатая twelfth zwölfter zwolfter zwolfte twelve двенадцать zwolf",
)
"""What a word is as the number of a part, from 1: ordinals, and cardinals in the nominative."""

_NUMBERS_IN_TITLES = {
    2: "два две двух двум двумя two zwei deux",
    3: "три трех трем тремя three drei trois",
    4: "четыре четырех четырем четырьмя four vier quatre",
    5: "пять пяти пятью five fünf cinq",
    6: "шесть шести шестью six sechs",
    7: "семь семи seven sieben sept",
    8: "восемь восьми восемью eight acht huit",
    9: "девять девяти девятью nine neun neuf",
    10: "десять десяти десятью ten zehn dix",
    11: "одиннадцать одиннадцати eleven onze",
    12: "двенадцать двенадцати twelve zwölf douze",
    13: "тринадцать тринадцати thirteen dreizehn treize",
    14: "четырнадцать четырнадцати fourteen vierzehn quatorze",
    15: "пятнадцать пятнадцати fifteen fünfzehn quinze",
    16: "шестнадцать шестнадцати sixteen sechzehn seize",
    17: "семнадцать семнадцати seventeen siebzehn",
    18: "восемнадцать восемнадцати eighteen achtzehn",
    19: "девятнадцать девятнадцати nineteen neunzehn",
    20: "двадцать двадцати twenty zwanzig vingt",
    30: "тридцать тридцати thirty dreissig trente",
    40: "сорок forty vierzig quarante",
    50: "пятьдесят пятидесяти fifty fünfzig cinquante",
    60: "шестьдесят шестидесяти sixty sechzig soixante",
    70: "семьдесят семидесяти seventy siebzig",
    80: "восемьдесят восьмидесяти eighty achtzig",
    90: "девяносто ninety neunzig",
}
"""Cardinal numbers in Russian (with their cases), English, German, French. Words with another meaning are left out:
one, an article in German and French; ``elf``; the magpie and the family among the Russian cases."""

_ONE_AFTER_TENS = "один одна одно одного одной one"

_ORDINALS_OF_EDITIONS = (
    "first erste ersten premiere первое перше",
    "second zweite zweiten deuxieme seconde второе друге",
    "third dritte dritten troisieme третье третє",
    "fourth vierte vierten quatrieme четвертое четверте",
    "fifth funfte funften cinquieme пятое",
    "sixth sechste sechsten sixieme шестое",
    "seventh siebente siebte siebten septieme седьмое",
    "eighth achte achten huitieme восьмое",
    "ninth neunte neunten neuvieme девятое",
    "tenth zehnte zehnten dixieme десятое",
)
_NUMBERS_OF_EDITIONS = {word: number for number, words in enumerate(_ORDINALS_OF_EDITIONS, 1) for word in words.split()}
"""The ordinal of an edition in English, German, French, Russian and Ukrainian, folded → its number."""

_ROMAN_EDITION = re.compile(r"\b(?=[ivx]{2})(x{0,2}(?:ix|iv|v?i{0,3}))(?:e|eme)?\b")

_PART_UNITS = _words(
    "т том тома тт ч часть части чч кн книга книги вып выпуск выпуски п полутом отд отдел отделение разд раздел "
    "сер серия no номер n nr num number bd band bde bände bande teil t tl th tome tom vol vols volume volumes "
    "part parts pt pts book books bk issue issues iss fasc fascicle fascicule heft h cz część czesc zeszyt z "
    "díl dil svazek sv knjiga кніга частина випуск частка"
)
_UNIT_OR_FIVE = "v"
_ROMAN_LETTERS_ALONE = "ivxіх"
"""Letters that are a number where they are a separate word; ``c``, ``d``, ``l`` and ``m`` are names of parts."""

_ORDINAL_ENDINGS = _words("й я е ой ый ая ое го st nd rd th er e re ª º")
_NUMBER_WITH_ENDING = re.compile(r"(\d+)(?:st|nd|rd|th|er|re|й|я|е|ой|ый|ая|ое)?")
_NUMBER_OF_EDITION = re.compile(r"(?<!\d)\d{1,3}(?!\d)")

_DIGIT = re.compile(r"\d")
_GROUPS_OF_DIGITS = re.compile(r"(?<!\d)[1-9]\d{0,2}(?: \d{3})+(?!\d)")
_LETTER_AFTER_DIGIT = re.compile(r"(?<=\d)(?=[^\W\d])")
_LEAST_TENS = 20


def roman_number(letters: str) -> int | None:
    """Return the value of a Roman numeral, None for other letters; additive forms (``iiii``) are read too.

    >>> roman_number("MCMXCIX"), roman_number("xiiii"), roman_number("mix-up")
    (1999, 14, None)
    """
    letters = letters.lower()
    if not letters or not _ROMAN.fullmatch(letters):
        return None
    values = [_ROMAN_DIGITS[letter] for letter in letters]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def part_number(text: str) -> str:
    """Return the number of a part, however the part is called and the number is written; more than one with blanks.

    Words for volumes and parts are removed, numerals and numbers in words (Russian, English, German, French, up to
    twelve) become digits. The rest of a text remains, folded.

    >>> [part_number(text) for text in ("Т. 3", "vol. III", "Часть вторая", "Bd. 2, 1. Teil", "Ч. А")]
    ['3', '3', '2', '2 1', 'а']
    """
    folded = fold(text)
    words = folded.split()
    if len(words) > 1 and words[0] == _UNIT_OR_FIVE:
        words = words[1:]
    words = [_replace_number_of_part(word) for word in words if word not in _PART_UNITS]
    numbers = [
        word for before, word in zip(["", *words], words, strict=False)
        if not (before.isdigit() and word in _ORDINAL_ENDINGS)
    ]  # fmt: skip
    return " ".join(numbers) or folded


def edition_number(statement: str) -> int:
    """Return the number of a folded edition statement: 1 for one without a number, 0 for an empty one.

    >>> edition_number("2 е изд испр"), edition_number("third edition"), edition_number("юбилейное изд")
    (2, 3, 1)
    >>> edition_number("zweite verb aufl"), edition_number("deuxieme edition"), edition_number("iiie ed")
    (2, 2, 3)
    """
    if not statement:
        return 0
    for word in statement.split():
        if word in _NUMBERS_OF_EDITIONS:
            return _NUMBERS_OF_EDITIONS[word]
    if found := _NUMBER_OF_EDITION.search(statement):
        return int(found[0])
    roman = _ROMAN_EDITION.search(statement)
    return (roman_number(roman[1]) or 1) if roman else 1


def replace_number_words(title: str) -> str:
    """Write the numbers of a romanised title in digits.

    Number words up to ninety-nine become digits, groups of digits are joined, and letters after digits are separated.

    >>> [replace_number_words(title) for title in ("ot dvuh do pati", "tventi five ears after", "100 000 slov")]
    ['ot 2 do 5', '25 ears after', '100000 slov']
    """
    if _DIGIT.search(title):
        title = _LETTER_AFTER_DIGIT.sub(" ", _GROUPS_OF_DIGITS.sub(lambda found: found[0].replace(" ", ""), title))
    known = _romanised_numbers()
    if known.keys().isdisjoint(words := title.split()):
        return title
    found: list[str] = []
    tens = 0
    for word in words:
        number = known.get(word, 0)
        unit = number or (1 if word in _romanised_ones() else 0)
        if tens and 1 <= unit <= 9:
            found[-1], tens = str(tens + unit), 0
            continue
        tens = number if number >= _LEAST_TENS else 0
        found.append(str(number) if number else word)
    return " ".join(found)


def _replace_number_of_part(word: str) -> str:
    if match := _NUMBER_WITH_ENDING.fullmatch(word):
        return match[1].lstrip("0") or "0"
    number = _folded_numbers_of_parts().get(word)
    if number is None and (len(word) > 1 or word in _ROMAN_LETTERS_ALONE):
        number = roman_number(word.translate(LATIN_LOOKALIKES))
    return str(number) if number else word


@cache
def _folded_numbers_of_parts() -> dict[str, int]:
    return {fold(word): number for number, words in enumerate(_NUMBERS_OF_PARTS, 1) for word in words.split()}


@cache
def _romanised_numbers() -> dict[str, int]:
    return {romanise(word): number for number, words in _NUMBERS_IN_TITLES.items() for word in words.split()}


@cache
def _romanised_ones() -> frozenset[str]:
    return frozenset(romanise(word) for word in _ONE_AFTER_TENS.split())
