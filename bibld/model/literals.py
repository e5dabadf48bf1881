"""Normalised forms of literals: what makes two ways to write a thing the same.

Dedup compares these forms, merge and triplify decide by them which values are one. Every function is pure and never
raises. They are made for tens of millions of texts: a character is looked up once, in a table that ``str.translate``
walks.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_DELETED = frozenset("'’‘`´ʹʺʼʻʽʾʿ\u02c8")
"""Apostrophes and the modifier letters of romanisations: no boundary of a word (as in the NACO normalisation)."""

_KEPT = frozenset("+#")
"""Symbols that tell titles apart: C++, C#."""

_SPELLINGS = {"ё": "е", "ѐ": "е", "ѝ": "и"} | {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i",
}  # fmt: skip
"""Letters that are written as others, after the case is folded; the Latin ones have no decomposition in Unicode."""

_DIACRITICS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_CYRILLIC = re.compile("[\u0400-\u052f\u1c80-\u1c8f\ua640-\ua69f]")

_LATIN_OF = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "iu", "я": "ia",
    "є": "ie", "і": "i", "ї": "i", "ў": "u", "ѣ": "ie", "ѳ": "f", "ѵ": "i", "ѕ": "z", "ј": "i", "љ": "li", "њ": "ni",
    "ћ": "ch", "ђ": "d", "џ": "dzh", "ѓ": "g", "ќ": "k", "ѫ": "u", "ѧ": "ia", "ѡ": "o",
    "ž": "zh", "č": "ch", "ć": "ch", "š": "sh", "ŝ": "shch", "j": "i", "y": "i", "w": "v", "x": "ks",
}  # fmt: skip
"""Letters of the Cyrillic and Latin scripts as :func:`romanised` has them, before its last rules."""

_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,4})(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})")
_LOOK_LIKE_LATIN = str.maketrans("мсхіМСХІ", "mcxiMCXI")

_C = re.compile("c(?!h)")


def folded(text: str) -> str:
    """The text without what cataloguing rules, typists and character sets vary.

    Compatibility characters are resolved (NFKC), case is folded, ``ё`` is ``е``, diacritics fall but for those that
    make Cyrillic letters (``й``, ``ї``, ``ў``), ``ł`` is ``l`` and the like, apostrophes vanish, every other mark is a
    blank, blanks are single. What remains is letters, digits, ``+`` and ``#``.

    >>> folded("Анна Каренина : [роман] / Л. Н. Толсто́й.")
    'анна каренина роман л н толстой'
    """
    return " ".join(unicodedata.normalize("NFKC", text).translate(_folds()).split()) if text else ""


def romanised(text: str) -> str:
    """A key on which the Cyrillic and all usual Latin forms of Slavic words meet.

    ALA-LC, ISO 9 (GOST 7.79 A), BGN/PCGN and the scientific system agree but for ``kh``/``h``, ``ts``/``c``,
    ``ia``/``ja``/``ya``/``â`` and the like; the key keeps no such difference. ``i``, ``j``, ``y`` are one letter, which
    is dropped before a vowel. The letters that the reform of 1918 abolished meet the modern ones. The key is not
    for people, and other Latin text passes by the same rules.

    >>> romanised("Voĭna i mir") == romanised("Vojna i mir") == romanised("Война и миръ") == "voina i mir"
    True
    """
    if not text:
        return ""
    key = " ".join(unicodedata.normalize("NFKC", text).translate(_romanisations()).split())
    while "ii" in key:
        key = key.replace("ii", "i")
    key = key.replace("ia", "a").replace("ie", "e").replace("io", "o").replace("iu", "u")
    while "kkh" in key:
        key = key.replace("kkh", "kh")
    key = key.replace("kh", "h")
    if "c" in key:
        key = _C.sub("ts", key)
    return key


def without_brackets(text: str) -> str:
    """The text without square brackets, which say that a cataloguer supplied what they hold; that stays.

    >>> without_brackets("[Москва] : [б. и.], 197[8?]")
    'Москва : б. и., 1978?'
    """
    return " ".join(text.replace("[", "").replace("]", "").split())


class _Folds(dict[int, str]):
    """The table of :func:`folded`; it learns a character when it meets it."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _fold(chr(code))
        return made


class _Romanisations(dict[int, str]):
    """The table of :func:`romanised`; it learns a character when it meets it."""

    def __missing__(self, code: int) -> str:
        letter = chr(code).casefold()
        made = _LATIN_OF.get(letter)
        if made is None:
            made = "".join(_LATIN_OF.get(part, part) for part in _fold(letter))
        self[code] = made
        return made


@cache
def _folds() -> _Folds:
    return _Folds()


@cache
def _romanisations() -> _Romanisations:
    return _Romanisations()


def _fold(character: str) -> str:
    whole = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
    return "".join(_fold_part(part) for part in whole)


def _fold_part(part: str) -> str:
    if not _CYRILLIC.match(part):
        part = unicodedata.normalize("NFC", _DIACRITICS.sub("", unicodedata.normalize("NFD", part)))
    part = _DIACRITICS.sub("", _SPELLINGS.get(part, part))
    return "".join(_as_word(character) for character in part)


def _as_word(character: str) -> str:
    """The character itself where it belongs to a word, else nothing or a blank."""
    if character in _KEPT:
        return character
    if character in _DELETED:
        return ""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] in "LMN":
        return character
    return "" if category == "Cf" else " "


# --- names

_IN_PARENTHESES = re.compile(r"\([^)]*\)?")
_DATES_AT_END = re.compile(
    r"(?<![,;.\s])[,;.\s]*(?:\b(?:р|род|b|ca|d|fl|ум)\.\s*)?\[?\d{3,4}\??\s*(?:[-–—/]|\Z).*\Z", re.DOTALL
)
_LONGEST_ABBREVIATION = 3


def person_key(heading: str) -> str:
    """The folded name of a person, family name first, initials apart, without dates and what parentheses add.

    Where initials precede a name and no comma says otherwise, the last word is taken for the family name.

    >>> person_key("Толстой Л.Н."), person_key("Л. Н. Толстой"), person_key("Толстой, Лев Николаевич, 1828-1910")
    ('толстой л н', 'толстой л н', 'толстой лев николаевич')
    """
    family, given = _name_of(heading)
    return " ".join((*family, *given))


def is_initial_form_of(short: str, long: str) -> bool:
    """Whether a heading can be another one with given names shortened or left out at the end.

    The family names are the same; of the given names at least one is there, and each is that of the other heading or
    its beginning of at most three letters. A heading is no initial form of itself.

    >>> is_initial_form_of("Толстой, Л. Н.", "Толстой, Лев Николаевич")
    True
    """
    (short_family, short_given), (long_family, long_given) = _name_of(short), _name_of(long)
    if short_family != long_family or not short_given or short_given == long_given:
        return False
    if len(short_given) > len(long_given):
        return False
    return all(
        one == other or (len(one) <= _LONGEST_ABBREVIATION and other.startswith(one))
        for one, other in zip(short_given, long_given, strict=False)
    )


def _name_of(heading: str) -> tuple[list[str], list[str]]:
    """The words of the family name and of the given names."""
    name = _DATES_AT_END.sub("", _IN_PARENTHESES.sub(" ", heading))
    before, comma, after = name.partition(",")
    words = folded(before).split()
    if comma:
        return words, folded(after).split()
    if len(words) > 1 and len(words[0]) == 1 and len(words[-1]) > 1:
        return words[-1:], words[:-1]
    return words[:1], words[1:]


# --- numbers


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_MONTHS = 12
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)(?:\s*([-–—/])\s*(\d{2})(?![-–—/.]?\d))?")
_ROMAN_YEAR = re.compile(r"(?<!\w)M(?:[ .]{0,2}[MDCLXVI])+(?!\w)")
_SEPARATORS_IN_ROMAN = re.compile(r"[ .]")
_FEWEST_LETTERS_APART = 5

_PAGE_UNITS = (
    "стр|с|сторінок|стор|pages?|pgs?|pp|p|páginas?|pág|pag|seiten|strany|stran|stron|str|s"  # with or without a stop
)
_PAGES = re.compile(rf"(?<![-–—\d])([\[\]ivxlcdm\d,; \t]{{0,40}}\d\]?)\s*(?:{_PAGE_UNITS})(?!\w)", re.IGNORECASE)
_BRACKETED = re.compile(r"\[[^\]]*\]?")
_NUMBER = re.compile(r"\d{1,5}")

_PART_UNITS = _words(
    "т том тома тт ч часть части чч кн книга книги вып выпуск выпуски п полутом отд отдел отделение разд раздел "
    "сер серия no номер n nr num number bd band bde bände bande teil t tl th tome tom vol vols volume volumes "
    "part parts pt pts book books bk issue issues iss fasc fascicle fascicule heft h cz część czesc zeszyt z "
    "díl dil svazek sv knjiga кніга частина випуск частка"
)
_UNIT_OR_FIVE = "v"
_ORDINAL_ENDINGS = _words("й я е ой ый ая ое го st nd rd th er e re ª º")
_NUMBERED = re.compile(r"(\d+)(?:st|nd|rd|th|er|re|й|я|е|ой|ый|ая|ое)?")
_NUMBER_WORDS = (
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


def years(text: str) -> tuple[int, ...]:
    """The years from 1000 to 2099 that a text names, in its order; ``1898/99`` names two, ``2003-10`` a month.

    Where there are none in Arabic digits, those in Roman ones. Brackets within a number are seen through.

    >>> years("1868-1869"), years("18[98]/99"), years("MCMXCIX")
    ((1868, 1869), (1898, 1899), (1999,))
    """
    plain = without_brackets(text)
    found: list[int] = []
    for match in _YEAR.finditer(plain):
        number = int(match[1])
        if _FIRST_YEAR <= number <= _LAST_YEAR:
            found.append(number)
            if match[3] and int(match[3]) > (number % 100 if match[2] == "/" else max(number % 100, _MONTHS)):
                found.append(number - number % 100 + int(match[3]))
    return tuple(found) or _roman_years(plain)


def year(text: str) -> int | None:
    """The first of the :func:`years` of a text.

    >>> year("[1978?]"), year("cop. 2003"), year("5743 [1982 or 1983]"), year("[19--]")
    (1978, 2003, 1982, None)
    """
    found = years(text)
    return found[0] if found else None


def pages(text: str) -> int | None:
    """The number of pages in a statement of extent: the highest number of the first pagination in Arabic digits.

    Numbers in brackets count only where there are no others. Leaves and volumes are no pages, nor is a range of pages
    a number of them.

    >>> pages("349, [2] с."), pages("xii, 366 p."), pages("[16] с."), pages("С. 76-132")
    (349, 366, 16, None)
    """
    match = _PAGES.search(text)
    if match is None:
        return None
    numbers = _NUMBER.findall(_BRACKETED.sub(" ", match[1])) or _NUMBER.findall(match[1])
    return max(map(int, numbers))


def part_number(text: str) -> str:
    """The number of a part, whatever it is called and however the number is written; several have a blank between.

    Words for volumes and parts fall, numerals and numbers in words (Russian, English, German, French, up to twelve)
    become digits. What else a text says remains, folded.

    >>> [part_number(text) for text in ("Т. 3", "vol. III", "Часть вторая", "Bd. 2, 1. Teil", "Ч. А")]
    ['3', '3', '2', '2 1', 'а']
    """
    whole = folded(text)
    words = whole.split()
    if len(words) > 1 and words[0] == _UNIT_OR_FIVE:
        words = words[1:]
    words = [_number_of(word) for word in words if word not in _PART_UNITS]
    numbered = [
        word for before, word in zip(["", *words], words, strict=False)
        if not (before.isdigit() and word in _ORDINAL_ENDINGS)
    ]  # fmt: skip
    return " ".join(numbered) or whole


def _number_of(word: str) -> str:
    """A word as a number in digits, where it is one."""
    if match := _NUMBERED.fullmatch(word):
        return match[1].lstrip("0") or "0"
    number = _words_for_numbers().get(word)
    if number is None and (len(word) > 1 or word in "ivxіх"):
        number = _roman(word.translate(_LOOK_LIKE_LATIN))
    return str(number) if number else word


@cache
def _words_for_numbers() -> dict[str, int]:
    return {folded(word): number for number, words in enumerate(_NUMBER_WORDS, 1) for word in words.split()}


def _roman_years(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for match in _ROMAN_YEAR.finditer(text.translate(_LOOK_LIKE_LATIN)):
        letters = _SEPARATORS_IN_ROMAN.sub("", match[0])
        if letters != match[0] and len(letters) < _FEWEST_LETTERS_APART:
            continue
        number = _roman(letters.lower())
        if number is not None and _FIRST_YEAR <= number <= _LAST_YEAR:
            found.append(number)
    return tuple(found)


def _roman(letters: str) -> int | None:
    """The value of a Roman numeral in lower case; additive forms (``iiii``) are read too."""
    if not letters or not _ROMAN.fullmatch(letters):
        return None
    values = [_ROMAN_DIGITS[letter] for letter in letters]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
