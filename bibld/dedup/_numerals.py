"""Numbers in titles, however they are written: ``from two to five`` and ``2 to 5``, ``100 000`` and ``100000``."""

from __future__ import annotations

import re
from functools import cache

from bibld.model.literals import romanised

_NUMERALS = {
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
"""Cardinal numbers in Russian (with their cases), English, German, French. Words that mean another thing as well are
left out: one, an article in German and French; the magpie and the family among the Russian cases."""

_DIGIT = re.compile(r"\d")
_GROUPS = re.compile(r"(?<!\d)[1-9]\d{0,2}(?: \d{3})+(?!\d)")
_LETTER_BEHIND = re.compile(r"(?<=\d)(?=[^\W\d])")
_TENS = 20
_UNITS = range(1, 10)
_ONE = "один одна одно одного одной one"


def with_digits(title: str) -> str:
    """A romanised title with digits for its number words up to ninety-nine, groups of digits joined, and what follows
    digits apart.

    >>> [with_digits(title) for title in ("ot dvuh do pati", "tventi five ears after", "100 000 slov", "or 37bis")]
    ['ot 2 do 5', '25 ears after', '100000 slov', 'or 37 bis']
    """
    if _DIGIT.search(title):
        title = _LETTER_BEHIND.sub(" ", _GROUPS.sub(lambda found: found[0].replace(" ", ""), title))
    known = _numbers()
    if known.keys().isdisjoint(words := title.split()):
        return title
    found: list[str] = []
    tens = 0
    for word in words:
        number = known.get(word, 0)
        unit = number or (1 if word in _ones() else 0)
        if tens and unit in _UNITS:
            found[-1], tens = str(tens + unit), 0
            continue
        tens = number if number >= _TENS else 0
        found.append(str(number) if number else word)
    return " ".join(found)


@cache
def _numbers() -> dict[str, int]:
    return {romanised(word): number for number, words in _NUMERALS.items() for word in words.split()}


@cache
def _ones() -> frozenset[str]:
    return frozenset(romanised(word) for word in _ONE.split())
