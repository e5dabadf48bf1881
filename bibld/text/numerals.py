"""Numbers as catalogues write them: in digits, in Roman letters, in words; numbers of editions."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import NamedTuple

from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

LATIN_LOOKALIKES = str.maketrans("мсхіМСХІ", "mcxiMCXI")
"""Cyrillic letters that are typed for Roman numerals."""

_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,4})(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})")

_ORDINALS = {
    1: "перв* перш* first erst* premier premiere prim*",
    2: "втор* другий друга друге другому другої другу другі druhyi druha druhe second zweit* deuxieme seconde",
    3: "трет* третьей третьем третьему третьего третью третье третья трэці трэцяя трэцяе third dritt* troisieme",
    4: "четверт* чацверт* чацвёрт* fourth viert* quatrieme",
    5: "пят* fifth fünft* cinquieme",
    6: "шест* шост* sixth sechst* sixieme",
    7: "седьм* сьом* сём* seventh siebt* siebent* septieme",
    8: "восьм* eighth acht* huitieme",
    9: "девят* дзевят* дзявят* ninth neunt* neuvieme",
    10: "десят* дзесят* дзясят* tenth zehnt* dixieme",
    11: "одиннадцат* одинадцят* адзінаццат* eleventh elft* onzieme",
    12: "двенадцат* дванадцят* дванаццат* twelfth zwölft* douzieme",
    13: "тринадцат* тринадцят* трынаццат* thirteenth dreizehnt* treizieme",
    14: "четырнадцат* чотирнадцят* чатырнаццат* fourteenth vierzehnt* quatorzieme",
    15: "пятнадцат* пятнадцят* пятнаццат* fifteenth fünfzehnt* quinzieme",
    16: "шестнадцат* шістнадцят* шаснаццат* sixteenth sechzehnt* seizieme",
    17: "семнадцат* сімнадцят* сямнаццат* seventeenth siebzehnt*",
    18: "восемнадцат* вісімнадцят* васемнаццат* восемнаццат* eighteenth achtzehnt*",
    19: "девятнадцат* девятнадцят* дзевятнаццат* nineteenth neunzehnt*",
    20: "двадцат* двадцят* дваццат* twentieth zwanzigst* vingtieme",
    30: "тридцат* тридцят* трыццат* thirtieth dreissigst* trentieme",
    40: "сороков* fortieth vierzigst* quarantieme",
    50: "пятидесят* пятдесят* пяцідзясят* fiftieth fünfzigst* cinquantieme",
    60: "шестидесят* шістдесят* sixtieth sechzigst* soixantieme",
    70: "семидесят* сімдесят* seventieth siebzigst*",
    80: "восьмидесят* вісімдесят* eightieth achtzigst*",
    90: "девяност* дев'яност* ninetieth neunzigst*",
    100: "сотый сотая сотое сотого hundredth hundertst* centieme",
}
"""Ordinal numbers in Russian, Ukrainian, Belarusian, English, German, French; ``*`` is any ending of the language."""

_ORDINALS_OF_PARTS = {
    1: ("pierwsz* prvn* prv*", "prim* primer*"),
    2: ("drug* druh*", "second* secund* segund* alter*"),
    3: ("trzec* třet* treć* tret*", "terti* terz* tercer*"),
    4: ("czwart* čtvrt* četvrt*", "quart* cuart*"),
    5: ("piąt* pát* pet*", "quint*"),
    6: ("szóst* šest*", "sext* sest*"),
    7: ("siódm* sedm*", "septim* settim* séptim*"),
    8: ("ósm* osm*", "octav* ottav*"),
    9: ("dziewiąt* devát* devet*", "non* noven*"),
    10: ("dziesiąt* desát* deset*", "decim* décim*"),
}
"""Ordinal numbers in Polish, Czech and South Slavic languages, and in Latin, Italian and Spanish. Some mean other
things elsewhere, so they are read only beside the name of a part."""

_ASIAN_ORDINALS = {
    1: "беренче беренсе бірінші биринчи бастакы якум",
    2: "икенче икенсе екінші иккинчи экинчи иккис дуюм дувум",
    3: "өченче өсөнсө үшінші учинчи үчүнчү үһүс сеюм",
    4: "дүртенче дүртенсе төртінші тўртинчи төртүнчү төрдүс чорум",
    5: "бишенче бишенсе бесінші бешинчи бэһис панҷум",
    6: "алтынчы алтынсы алтыншы олтинчи",
    7: "җиденче етенсе жетінші еттинчи жетинчи",
    8: "сигезенче һигеҙенсе сегізінші саккизинчи сегизинчи",
    9: "тугызынчы туғыҙынсы тоғызыншы тўққизинчи тогузунчу",
    10: "унынчы унынсы оныншы ўнинчи онунчу ўн",
}
"""Ordinal numbers in Tatar, Bashkir, Kazakh, Uzbek, Kyrgyz, Yakut, Tajik; and the Uzbek ten before others."""

_ENDINGS = {
    True: "ий ый ой ая ое ее ого ому ом ым ую ой ые ых і ы а е я є у ій ої ому ае ага аму аму ці яя",
    False: "e er es en em",
}
"""Endings of ordinal numbers: of words in Cyrillic letters, and of others (German)."""

_ENDINGS_OF_PARTS = ("y a e i o ego ej ą í ý á é ho", "us a um i o ae am er")
"""Endings of ``_ORDINALS_OF_PARTS``: of Slavic words, and of Latin and Romance ones."""

_NUMBERS_IN_TITLES = {
    2: "два две двух двум двумя дві двох дзве two zwei deux dwa dwie dwóch dvě dvou",
    3: "три трех трем тремя трьох тры трох three drei trois trzy trzech tři třech tří tres tribus",
    4: """четыре четырех четырем четырьмя чотири чотирьох чатыры чатырох four vier quatre cztery czterech čtyři čtyřech
    quattro quatro quatuor""",
    5: "пять пяти пятью п'ять п'яти п'ятьох пяць five fünf cinq pięć pięciu pěti cinque quinque",
    6: "шесть шести шестью шість шэсць six sechs sześć sześciu",
    7: "семь семи сім seven sieben sept siedem siedmiu",
    8: "восемь восьми восемью вісім восем eight acht huit osiem ośmiu",
    9: "девять девяти девятью дев'ять дев'яти дзевяць nine neun neuf dziewięć",
    10: "десять десяти десятью дзесяць ten zehn dix dziesięć dziesięciu deseti",
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
"""Cardinal numbers in Russian, Ukrainian, Belarusian, English, German, French, Polish and Czech, with their cases.
Words with another meaning are left out: one, an article in German and French; ``elf``; the magpie and the family among
the Russian cases."""

_ONE_AFTER_TENS = "один одна одно одного одной one"

_ROMAN_EDITION = re.compile(r"\b(?=[ivx]{2})(x{0,2}(?:ix|iv|v?i{0,3}))(?:e|eme)?\b")

_CARDINALS_OF_PARTS = {
    1: "один одна одно one eins une адзін адна",
    2: "другая другое другой",
    7: "сем",
    11: "elf",
}
"""Further cardinal numbers that are read only beside the name of a part."""

_NUMBER_OF_EDITION = re.compile(r"(?<!\d)\d{1,3}(?!\d)")

_DIGIT = re.compile(r"\d")
_GROUPS_OF_DIGITS = re.compile(r"(?<!\d)[1-9]\d{0,2}(?: \d{3})+(?!\d)")
_LETTER_AFTER_DIGIT = re.compile(r"(?<=\d)(?=[^\W\d])")
_MIN_TENS = 20
_GERMAN_ONES = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_GERMAN_TENS = ("zwanzig", "dreissig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")


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


class NumberWord(NamedTuple):
    """What a word means: a number, and whether as an ordinal."""

    number: int
    is_ordinal: bool


def number_word(key: str) -> NumberWord | None:
    """Return what a romanised word means as the number of a part or edition; None for other words.

    >>> number_word("vtoraa"), number_word("tventi"), number_word("voina")
    (NumberWord(number=2, is_ordinal=True), NumberWord(number=20, is_ordinal=False), None)
    """
    return number_words().get(key)


@cache
def number_words() -> dict[str, NumberWord]:
    """Return all words for numbers of parts, romanised, with their meanings."""
    found: dict[str, NumberWord] = {}
    for number, of_languages in _ORDINALS_OF_PARTS.items():
        for text, endings in zip(of_languages, _ENDINGS_OF_PARTS, strict=True):
            for stem in text.replace("*", "").split():
                found.update((romanise(f"{stem}{end}"), NumberWord(number, True)) for end in endings.split())
    for words, is_ordinal in (
        (_NUMBERS_IN_TITLES, False),
        (_CARDINALS_OF_PARTS, False),
        (_ASIAN_ORDINALS, True),
        (_ORDINALS, True),
    ):
        for number, text in words.items():
            for word in text.split():
                found.update((romanise(form), NumberWord(number, is_ordinal)) for form in _forms(word))
    for position, (tens, one) in enumerate(product(_GERMAN_TENS, _GERMAN_ONES)):
        number = _MIN_TENS + position // 9 * 10 + position % 9 + 1
        found[romanise(f"{one}und{tens}")] = NumberWord(number, False)
        found.update((romanise(form), NumberWord(number, True)) for form in _forms(f"{one}und{tens}st*"))
    return found


@cache
def ordinals_in_titles() -> dict[str, int]:
    """Return the words for ordinal numbers that are numbers in any title, romanised."""
    found: dict[str, int] = {}
    for words in (_ASIAN_ORDINALS, _ORDINALS):
        found.update(
            (romanise(form), number) for number, text in words.items() for word in text.split() for form in _forms(word)
        )
    for key, word in number_words().items():
        if word.is_ordinal and word.number > _MIN_TENS:
            found.setdefault(key, word.number)
    return found


def _forms(word: str) -> list[str]:
    stem, mark, _ = word.partition("*")
    return [f"{stem}{ending}" for ending in _ENDINGS[has_cyrillic(stem)].split()] if mark else [word]


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
        known = number_word(romanise(word))
        if known is not None and known.is_ordinal:
            return known.number
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
        tens = number if number >= _MIN_TENS else 0
        found.append(str(number) if number else word)
    return " ".join(found)


@cache
def _romanised_numbers() -> dict[str, int]:
    return {romanise(word): number for number, words in _NUMBERS_IN_TITLES.items() for word in words.split()}


@cache
def _romanised_ones() -> frozenset[str]:
    return frozenset(romanise(word) for word in _ONE_AFTER_TENS.split())
