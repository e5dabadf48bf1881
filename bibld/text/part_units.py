"""The words of designations of parts: units, numbers and letters; and the tokens of a text with what each can mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from bibld.text.numerals import LATIN_LOOKALIKES, NumberWord, number_word, number_words, roman_number
from bibld.text.romanisation import romanise, single_letters, unify_transcriptions

NUMBER, WORD, CHAPTER, LETTERS, CLASS, YEAR, SEASON, MONTH, MEETING = "", "n", "c", "l", "g", "y", "q", "m", "e"
LEVEL, VARIANT, DAY, SHEET, SCALE, LANGUAGES, VERSION = "k", "o", "x", "t", "r", "w", "z"
SCORING, FORM_OF_SCORE = "j", "f"
SERIES, SUPPLEMENT, VOLUME = "s", "a", "v"
"""Units by themselves: a number or letter alone; a word; chapters; a range of letters; a class of a school, a year, a
season, a month, a numbered meeting or report; a level of a course, a variant of exercises, a day, a sheet of a map, its
scale, the languages of a dictionary, a version of software or of a report;
the instruments and voices of a score, one letter each, and its form; a series, a supplement, a volume."""

COVERED = frozenset(
    (CLASS, YEAR, SEASON, MONTH, MEETING, LEVEL, VARIANT, DAY, SHEET, SCALE, LANGUAGES, VERSION, SCORING, FORM_OF_SCORE)
)
"""Units of what a part covers: one library often states them where another does not."""

UNITS = {
    "v": "volume", "h": "half volume", "p": "part", "b": "book", "i": "issue", "s": "series", "a": "supplement",
    CHAPTER: "chapter", NUMBER: "", LETTERS: "letters", CLASS: "class", YEAR: "year", SEASON: "season", MONTH: "month",
    MEETING: "meeting or report", LEVEL: "level", VARIANT: "variant",
    DAY: "day", SHEET: "sheet", SCALE: "scale", LANGUAGES: "languages", VERSION: "version",
    SCORING: "for", FORM_OF_SCORE: "form",
}  # fmt: skip
"""The letters of units with their names."""

SCORED_FOR = {
    "a": "accordion", "b": "bayan", "c": "cello", "d": "double bass", "e": "viola", "f": "flute", "g": "guitar",
    "h": "harp", "i": "violin", "k": "clarinet", "l": "balalaika", "m": "mandolin", "n": "domra", "o": "orchestra",
    "p": "piano", "q": "choir", "r": "saxophone", "s": "bassoon", "t": "trumpet", "u": "horn", "v": "voice",
    "w": "oboe", "x": "trombone", "y": "organ", "z": "harpsichord",
}  # fmt: skip
"""The names of the letters of ``SCORING``."""
FORMS_OF_SCORES = {"f": "full score", "k": "vocal score or piano reduction", "p": "parts"}

_WORDS_OF_UNITS = {
    VOLUME: """т том тома томе томом томъ томах томов tomakh тт томи v vol vols volume volumes volumen
        jahrgang jg rocznik roczniki rocz ročník ročnik roč årgang årg vuosikerta année annee annata
        томда band bandes bände bänden bd bde tome tomes tom tomo tomos tomi tomus tomum svazek svazky sv svezak
        deel del köide kötet tomas volym volumi volumul osa nide җилд жилд томлик атом ҷилди
        чилди հատոր ტომი כרך באנד""",
    "h": "полутом полутома полут пт півтом паўтом polutom polut половина половини halbband halbbd hbd hälfte",
    "p": """ч часть части частью частях частей чч чт ch chast chasti частина частини частка
        part parts pt pts p teil teile theil theile tl th partie parte parti partes pars cz
        część części czesc dil díl díly část dalis rész partea кисәк кис өлеш бүлек бөлім бөлүм қисм մաս
        ნაწილი חלק טייל қисми кисми""",
    "b": """кн книга книги книге книгой книгах книг kn kniga knigi кніга book books bk buch bücher
        livre livres libro libri liber lib knjiga kniha książka księga księgi księdze ks boek bok bog raamat knyga
        könyv գիրք წიგნი к китап китабы кит кітап китеп китоб кинигэ kitap""",
    "i": """вып выпуск выпуски выпуске выпусках vyp vypusk випуск вип issue issues iss heft hefte h
        fasc fascicle fascicule fasciculus fascicolo fascículo lieferung lfg lief livraison livr zeszyt zesz z cahier
        sešit seš sešity svazsek häfte hæfte vihko číslo cislo centuria decas чыгарылыш шығарылым шығ чыг
        тетрадь тетради тетр тет tetrad зошит зош сшытак notebook notebooks дәфтәр дәфт""",
    SERIES: """серия серии сер seriia seria серія серыя ser series série reihe r
        раздел разд razdel розділ отдел отделение отд otdel відділ section sect abteilung abt abth""",
    SUPPLEMENT: """приложение прил дополнение доп дополнительный дополнительная дополнительные додатковий додаткова дод
        suppl supplement supplementum supplementary supplementband supplémentaire supplément appendix beiheft beilage
        nachtrag nachträge nachtr nachtragsband nachtragsheft erg ergänzung ergänzungen ergänzungsband ergänzungsheft
        dod dodatek dodatkowy dodatkowa suplement suplemento dodatek příloha doplněk додаток дадатак қосымша кушымта""",
    VARIANT: "вариант варианты вар варіант варыянт variant variants variante wariant нұсқа",
    VERSION: "версия версии верс версія вэрсія version versión versione wersja verze",
    CHAPTER: "глава главы глав гл chapter chapters chap kapitel kap",
    LETTERS: "буква буквы літера літери letter letters lettre lettres buchstabe buchstaben",
    LEVEL: """уровень уровня уровни этап этапа ступень ступени рівень узровень level levels stage niveau niveaux stufe
        poziom stopień livello nivel nível úroveň деңгей дәрәҗә""",
    NUMBER: "no nos nr n num number номер numero нумар",
}
_CLASS_WORDS = """класс класса классе классу классы классов кл клас класу класса klass klassa klasse klassov
    klasa klasy třída třídy trieda сыйныф сыйныфы сынып сыныбы класы"""
GRADES = "grade grades"
YEAR_WORDS = "год года году годы годов годом гг г god goda year years рік року jahr"
_MEETINGS = """конференция конференции конф конференція конференції съезд съезда симпозиум симпозиума симпоз
    семинар семинара коллоквиум коллоквиума чтения чтений конгресс конгресса совещание совещания школа школы
    сессия сессии сесія сесії пленум пленума фестиваль фестиваля выставка выставки отчет отчёт отчета отчёта звіт
    conference symposium workshop colloquium seminar konferenz tagung congrès colloque congress kongress assembly
    exhibition festival report bericht jahresbericht rapport"""
MONTHS_OF_PERIODS = {
    3: "квартал квартала кв кварталу quarter quartal trimestre",
    6: "полугодие полугодия півріччя паўгоддзе halbjahr semester semestre",
}
"""Parts of a year that are numbered, by their length in months."""
EDITION_WORDS = "изд издание издания ed edition aufl auflage видання вид édition"
_SEASONS = (
    "зима winter hiver зіма",
    "весна spring frühjahr frühling printemps вясна",
    "лето лета summer sommer été літо",
    "осень autumn fall herbst automne осінь восень",
)
_LEVELS = {
    "beginner": """beginner beginners начальный початковий пачатковы начинающих anfänger débutant débutants
        początkujący бастапқы""",
    "elementary": "elementary элементарный grundstufe élémentaire podstawowy elementare",
    "basic": "базовый базовая базовий базавы basic",
    "main": "основной основний асноўны main",
    "intermediate": "intermediate средний середній mittelstufe intermédiaire średni intermedio",
    "advanced": """advanced продвинутый просунутий углубленный углублённый поглиблений паглыблены fortgeschrittene
        fortgeschrittener oberstufe avancé zaawansowany avanzado""",
    "profile": "профильный профильная профільний профільны",
}
"""Names of the levels of a course."""
_LEVELS_BY_THEMSELVES = """beginner beginners elementary intermediate advanced anfänger grundstufe mittelstufe oberstufe
    fortgeschrittene débutant débutants élémentaire intermédiaire avancé"""
BEFORE_LEVELS = {"pre": "pre", "upper": "upper", "low": "low", "lower": "low"}
"""What precedes a level, with a hyphen or a blank."""
_MONTHS = (
    "январь января янв january januar janvier січень січня студзень",
    "февраль февраля февр february feb februar février лютий люты",
    "март марта march mar märz mars березень сакавік",
    "апрель апреля апр april apr avril квітень красавік",
    "май мая may mai травень травня",
    "июнь июня june juni juin червень чэрвень",
    "июль июля july jul juli juillet липень ліпень",
    "август августа авг august aug août серпень жнівень",
    "сентябрь сентября сент september sept sep septembre вересень верасень",
    "октябрь октября окт october oct oktober octobre жовтень кастрычнік",
    "ноябрь ноября нояб november nov novembre лістапад",
    "декабрь декабря дек december dec dezember décembre грудень снежань",
)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


ONLY_IN_NUMBERS = words_of(
    "h k z n nr r th tl sv ks pars dil cz ser tet kit kis p del deel os osa nide bok bog lib liber libri dod "
    "erg partea partes parti dalis"
)
"""Names of units, romanised, that in a title are something else."""

BEFORE_COUNTS = words_of("в во въ у in en na w")
ROMANISED_UNITS = words_of("t tomah ch chastah kn knigah vip vipuskah")
"""Units that follow the romanised preposition "v" and a number of volumes."""
AFTER_SUPPLEMENTS = words_of("к ко to zu zum zur au à до da al")
"""Prepositions before the designation of what a supplement belongs to."""
NEW = "новая нова new neue nouvelle nova"
NAMED_VOLUMES = ("band", "heft", "teil")
"""What a German word ends with that names a volume by what it contains: "Tafelband"."""
BEFORE_YEARS = words_of("за на for of in")
BEFORE_LETTERS = words_of("от с from von")
BETWEEN_NUMBERS = words_of("/ , + & и та і und and et по до to bis")
ARTICLES = words_of("the la le les der die das des dem")
FUNCTION_WORDS = BEFORE_COUNTS | BEFORE_YEARS | BETWEEN_NUMBERS | ARTICLES | {"для"}
ORDINAL_ENDINGS = words_of(
    "st nd rd th er re e eme ème й я е ой ый ая ое го ья і ій ю му м "
    "гы гі ші шы нші ншы нче нчы нчи чи енче ынчы инчи nche nchi shi gy"
)
CARDINAL_ENDINGS = words_of("х ти и ми")

_LATIN_FOR_CYRILLIC = str.maketrans("abcehkmoptxy", "авсенкмортху")
_LETTER_KEYS = {
    "я": "ia", "ю": "iu", "ы": "y", "й": "j", "х": "h", "kh": "h", "ц": "ts", "h": "h", "c": "c", "j": "j", "y": "y",
}  # fmt: skip
_LETTER_SPELLINGS = {"ya": "ia", "ja": "ia", "â": "ia", "yu": "iu", "ju": "iu", "û": "iu", "ž": "zh", "č": "ch",
    "š": "sh", "ŝ": "shch", "šč": "shch", "è": "e", "ė": "e", "ĭ": "j", "э": "e"}  # fmt: skip
_ROMANISED_LETTERS = words_of("zh kh ts ch sh shch ia ya ja iu yu ju šč")
_LETTERS_IN_ROMAN = frozenset("ivx")
_WORDS_REMEMBERED = 1 << 16
_MAX_LETTER_CHARACTERS = 2
_MAX_ABBREVIATION = 4
_MAX_END_CHARACTERS = 30
_YEAR_IN_KEY = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_VALUE_IN_KEY = re.compile(r"\d|\b[ivkslhctdm]{1,8}\b|\b\w\b")


@cache
def units() -> dict[str, str]:
    """Return the units that words mean, by romanised word."""
    return {romanise(word): unit for unit, words in _WORDS_OF_UNITS.items() for word in words.split()}


@cache
def keys(words: str) -> frozenset[str]:
    """Return words, romanised."""
    return frozenset(map(romanise, words.split()))


@cache
def season_and_month_numbers() -> dict[str, str]:
    """Return the numbers of the seasons, winter first, and of the months, by romanised word."""
    return {
        romanise(word): str(number)
        for names in (_SEASONS, _MONTHS)
        for number, words in enumerate(names, 1)
        for word in words.split()
    }


@cache
def months_of_periods() -> dict[str, int]:
    """Return the lengths in months of quarters and half years, by romanised word."""
    return {romanise(word): months for months, words in MONTHS_OF_PERIODS.items() for word in words.split()}


@cache
def levels() -> dict[str, str]:
    """Return the levels of courses by romanised word."""
    return {romanise(word): level for level, words in _LEVELS.items() for word in words.split()}


@cache
def levels_by_themselves() -> frozenset[str]:
    """Return the romanised words that name a level without a word such as "level" beside them."""
    return keys(_LEVELS_BY_THEMSELVES)


@cache
def covered_units() -> dict[str, str]:
    """Return the units of classes, seasons, months and conferences by romanised word."""
    words = {
        LEVEL: " ".join(_LEVELS.values()),
        CLASS: f"{_CLASS_WORDS} {GRADES}",
        SEASON: " ".join(_SEASONS),
        MONTH: " ".join(_MONTHS),
        MEETING: _MEETINGS,
    }
    return {key: unit for unit, text in words.items() for key in keys(text)}


def _keys_in_titles(words: Iterable[str]) -> frozenset[str]:
    """Return romanised words as they are in keys of titles."""
    return frozenset(single_letters(unify_transcriptions(word)) for word in words)


@cache
def _marks() -> frozenset[str]:
    """Return the romanised words that point to a designation in a title."""
    names = frozenset(units()) - ONLY_IN_NUMBERS - {"v", "une"}
    others = keys(YEAR_WORDS) | frozenset(covered_units())
    return _keys_in_titles(names | others)


@cache
def _marks_without_value() -> frozenset[str]:
    """Return the romanised words that can be, or be beside, a designation without a number."""
    shortest = {SUPPLEMENT: _MAX_ABBREVIATION + 1, LEVEL: _MAX_ABBREVIATION}
    words = (word for word, unit in units().items() if unit in shortest and len(word) >= shortest[unit])
    seasons = (word for word, unit in covered_units().items() if unit == SEASON)
    return _keys_in_titles((*words, *seasons, *levels_by_themselves()))


@cache
def _number_keys() -> frozenset[str]:
    """Return the words for numbers, and those before an unnumbered series, as they are in keys of titles."""
    return _keys_in_titles((*number_words(), *keys(NEW)))


def cut_to_designation(title: str, key: str) -> str:
    """Return as much of a title with this key as may contain a designation: a quick test before the title is read.

    That is all of it if it names a unit or a year, or else its end.

    >>> cut_to_designation("Капитал. Том первый", "kapital tom pervi"), cut_to_designation("Война и мир", "voina i mir")
    ('Капитал. Том первый', '')
    """
    words = key.split()
    if not words:
        return ""
    is_named = len(words) == 1 and words[0].endswith(NAMED_VOLUMES)
    if is_named or _YEAR_IN_KEY.search(key) or not _marks_without_value().isdisjoint(words):
        return title
    has_mark = not _marks().isdisjoint(words)
    if words[-1][-1].isdigit() or len(words[-1]) <= _MAX_LETTER_CHARACTERS:
        return title if has_mark or "v" in words else title[-_MAX_END_CHARACTERS:]
    has_value = has_mark and (_VALUE_IN_KEY.search(key) or not _number_keys().isdisjoint(words))
    return title if has_value else ""


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


class Word(NamedTuple):
    """What a word can mean: its romanised form, the unit that it names, its number."""

    key: str
    unit: str | None = None
    number: NumberWord | None = None
    covered: str | None = None
    """The unit whose name or value the word is: class, season, month."""


@lru_cache(_WORDS_REMEMBERED)
def meaning_of(text: str) -> Word:
    """Return what a word or mark can mean in a designation."""
    if not text.isalpha():
        return Word(text, NUMBER if text == "№" else None)
    key = romanise(text)
    number = number_word(key)
    if number is None and (roman := _roman(text)):
        number = NumberWord(roman, False)
    return Word(key, units().get(key), number, covered_units().get(key))


_CAN_BE_ROMAN = re.compile("[ivxlcdmмсхіуIVXLCDMМСХІУ]+")


def _roman(text: str) -> int | None:
    """Return the value of a Roman numeral, which may be typed in Cyrillic letters."""
    if not _CAN_BE_ROMAN.fullmatch(text):
        return None
    letters = text.translate(LATIN_LOOKALIKES).lower()
    if len(letters) > 1:
        letters = letters.replace("у", "v")
    return roman_number(letters) if len(letters) > 1 or letters in _LETTERS_IN_ROMAN else None


_HALF_VOLUME = re.compile(r"\bп/т\b", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"(?:(?<![\w'’])['’]|\bFY ?['’]?)(\d\d)(?![\w'’])")
_TOKEN = re.compile(r"\d+|[^\W\d_]+|№|[^\s\w]")
_REMOVED = str.maketrans("", "", "'’`´ʹʺʼ\u02c8[]\"«»„“”‹›<>*\u0301\u0361\ufe20\ufe21")
"""Apostrophes, brackets, quotation marks, the stress and the ligatures of the Library of Congress."""
_FIRST_SHORT_YEAR = 30


class DesignationToken(NamedTuple):
    """A word, number or mark with what it can mean."""

    text: str
    word: Word
    is_attached: bool
    """Whether no blank separates this token from the one before."""


def tokens_of(text: str) -> list[DesignationToken]:
    """Return the words, numbers and marks of a text; years of two digits (FY90, '98) are written in full."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    if "/" in plain:
        plain = _HALF_VOLUME.sub("полутом", plain)
    if "'" in plain or "’" in plain or "FY" in plain:
        plain = _SHORT_YEAR.sub(lambda found: f" {full_year(found[1])}", plain)
    tokens, end = [], -1
    for found in _TOKEN.finditer(plain.translate(_REMOVED)):
        start, word = found.start(), found[0]
        tokens.append(DesignationToken(word, meaning_of(word), start == end))
        end = start + len(word)
    return tokens


def full_year(digits: str) -> str:
    """Return a year of which the last two digits are given: 1930 to 2029.

    >>> full_year("98"), full_year("07")
    ('1998', '2007')
    """
    return f"{19 if int(digits) >= _FIRST_SHORT_YEAR else 20}{digits}"


END = DesignationToken("", Word(""), False)
"""What follows the last token."""
