"""The names of the units in which publications are divided, and the letters that number parts."""

from __future__ import annotations

import re
from functools import cache

from bibld.text.numerals import number_words
from bibld.text.romanisation import romanise, unify_transcriptions

NUMBER, WORD, LETTERS, CLASS, YEAR, SEASON = "", "n", "l", "g", "y", "q"
"""Units without a name: a number or letter alone; a word; a range of letters; a class of a school, a year, a season."""

COVERED = frozenset((CLASS, YEAR, SEASON))
"""Units of what a part covers: one library often states them where another does not."""

UNITS = {
    "v": "volume", "h": "half volume", "p": "part", "b": "book", "i": "issue", "s": "series", "a": "supplement",
    NUMBER: "", LETTERS: "letters", CLASS: "class", YEAR: "year", SEASON: "season",
}  # fmt: skip
"""The letters of units with their names."""

_WORDS_OF_UNITS = {
    "v": """т том тома томе томом томъ томах томов tomakh тт томи v vol vols volume volumes volumen
        band bandes bände bänden bd bde tome tomes tom tomo tomus svazek sv""",
    "h": "полутом полутома полут пт півтом паўтом polutom polut halbband halbbd hbd",
    "p": """ч часть части частью частях частей чч чт ch chast chasti частина частини частка
        part parts pt pts teil teile theil theile tl th partie parte pars cz czesc dil díl""",
    "b": """кн книга книги книге книгой книгах книг kn kniga knigi кніга book books bk buch bücher
        livre livres libro knjiga kniha książka ks""",
    "i": """вып выпуск выпуски выпуске выпусках vyp vypusk випуск вип issue issues iss heft hefte h
        fasc fascicle fascicule fasciculus lieferung lfg zeszyt z cahier
        тетрадь тетради тетр тет tetrad зошит сшытак notebook notebooks""",
    "s": """серия серии сер seriia seria серія серыя ser series série reihe r
        раздел разд razdel розділ отдел отделение отд otdel відділ section sect abteilung abt abth""",
    "a": "приложение прил дополнение доп suppl supplement appendix beiheft beilage додаток дадатак",
    NUMBER: "no nos nr n num number номер numero нумар",
}
CLASS_WORDS = "класс класса классе классу классы классов кл клас класу класса klass klassa klasse klassov"
GRADES = "grade grades"
YEAR_WORDS = "год года году годы годов годом гг г god goda year years рік року jahr"
_SEASONS = (
    "зима winter hiver зіма",
    "весна spring frühjahr frühling printemps вясна",
    "лето лета summer sommer été літо",
    "осень autumn fall herbst automne осінь восень",
)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


ONLY_IN_NUMBERS = words_of("h z n no nos nr r th tl sv ks pars dil cz ser tet p")
"""Names of units, romanised, that in a title are something else."""

_LATIN_FOR_CYRILLIC = str.maketrans("abcehkmoptxy", "авсенкмортху")
_LETTER_KEYS = {
    "я": "ia",
    "ю": "iu",
    "ы": "y",
    "й": "j",
    "х": "h",
    "kh": "h",
    "ц": "ts",
    "h": "h",
    "c": "c",
    "j": "j",
    "y": "y",
}
_LETTER_SPELLINGS = {"ya": "ia", "ja": "ia", "â": "ia", "yu": "iu", "ju": "iu", "û": "iu", "ž": "zh", "č": "ch",
    "š": "sh", "ŝ": "shch", "šč": "shch", "è": "e", "ė": "e", "ĭ": "j", "э": "e"}  # fmt: skip
_ROMANISED_LETTERS = words_of("zh kh ts ch sh shch ia ya ja iu yu ju šč")
_LONGEST_LETTER = 2
_VALUE_IN_KEY = re.compile(r"\d|\b[ivkslhctdm]{1,8}\b|\b\w\b")


@cache
def units() -> dict[str, str]:
    """Return the units that words mean, by romanised word."""
    return {romanise(word): unit for unit, words in _WORDS_OF_UNITS.items() for word in words.split()} | {"№": NUMBER}


@cache
def keys(words: str) -> frozenset[str]:
    """Return words, romanised."""
    return frozenset(map(romanise, words.split()))


@cache
def season_numbers() -> dict[str, str]:
    """Return the numbers of the seasons, winter first, by romanised word."""
    return {romanise(word): str(number) for number, words in enumerate(_SEASONS, 1) for word in words.split()}


@cache
def _marks() -> frozenset[str]:
    """Return the romanised words that point to a designation in a title."""
    names = frozenset(units()) - ONLY_IN_NUMBERS - {"v"}
    others = keys(CLASS_WORDS) | keys(GRADES) | keys(YEAR_WORDS) | frozenset(season_numbers())
    return frozenset(map(unify_transcriptions, names | others))


@cache
def _number_keys() -> frozenset[str]:
    """Return the words for numbers as they are in keys of titles."""
    return frozenset(map(unify_transcriptions, number_words()))


def may_contain_designation(key: str) -> bool:
    """Return whether a title may contain a designation, by its key: a quick test before the title is read.

    >>> may_contain_designation("kapital tom pervi"), may_contain_designation("voina i mir")
    (True, False)
    """
    words = key.split()
    if not words:
        return False
    if words[-1][-1].isdigit() or len(words[-1]) <= _LONGEST_LETTER:
        return True
    if _marks().isdisjoint(words):
        return False
    return _VALUE_IN_KEY.search(key) is not None or not _number_keys().isdisjoint(words)


def is_letter(text: str) -> bool:
    """Return whether a text is one letter, romanised or not."""
    return (len(text) == 1 and text.isalpha()) or text.lower() in _ROMANISED_LETTERS


def letter_key(text: str, is_cyrillic: bool) -> str:
    """Return the key of a letter: equal in Cyrillic and romanised, and where it was typed in the wrong alphabet.

    >>> letter_key("Я", True), letter_key("Ya", False), letter_key("B", True), letter_key("B", False)
    ('ia', 'ia', 'v', 'b')
    """
    letter = text.lower()
    if is_cyrillic and len(letter) == 1:
        letter = letter.translate(_LATIN_FOR_CYRILLIC)
    letter = _LETTER_SPELLINGS.get(letter, letter)
    if len(letter) > 1 and letter.isascii():
        return _LETTER_KEYS.get(letter, letter)
    return _LETTER_KEYS.get(letter) or romanise(letter) or letter
