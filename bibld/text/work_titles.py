"""Titles of works: keys of titles proper and of their variants, generic titles, and the parts of a uniform title."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from bibld.text.designations import may_designate, without_designation
from bibld.text.folding import strip_brackets
from bibld.text.keys import title_key
from bibld.text.languages import code_of_language_name
from bibld.text.part_units import keys, words_of
from bibld.text.romanisation import romanise, single_letters, unify_transcriptions
from bibld.text.scripts import has_cyrillic

_CACHED = 1 << 14
_LETTERS_OF_BEGINNING = 2
_OLD_PLURAL = re.compile(r"(?<=\w)(?:ы|(?<=[кгхшжщч])і)я\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(
    r"[,;:.]\s*(?:или|иль|or|ou|oder|ili|albo|abo|або|sive|seu|nebo|eller)\b,?\s+|"
    r"\s(?:или|иль|ili|or|oder|ou),\s+|\s(?:или|ili)\s+(?=[A-ZА-ЯЁ])",
    re.IGNORECASE,
)
_BEGINNING_OF_ALTERNATIVE = re.compile(
    r"\W*(?:или|иль|or|ou|oder|ili|albo|abo|sive|nebo|eller)\b[,:]?\s+", re.IGNORECASE
)
_IN_PARENTHESES = re.compile(r"\s*\(([^()]+)\)\s*$")
_YEARS_AT_END = re.compile(
    r"[\s,.:(]*(?:за|of|for|v|в|на)?\s*\d{4}(?:\s*[-–—/]\s*\d{2,4})?(?:\s*(?:год|гг?|y)\w*\.?)?\)?$", re.IGNORECASE
)
_COUNT = re.compile(
    r"[\s,.:]*\b[вуin]{1,2}\s+(?:\d+|двух|трех|трёх|четырех|пяти|шести|two|three|four|five|"
    r"six)(?:-?[а-яи]{1,2})?\s*(?:т|ч|кн|vols?|volumes|parts?)\b.*$",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"^(?:(?:the )?(?:most )?(?:lamentable |famous |excellent )*(?:tragedy|tragicall? histori?e?|comical "
    r"historie?) of |"
    r"(?:the )?(?:life and )?(?:most )?(?:(?:strange|surpri[sz]ing|wonderful|celebrated|pleasant|remarkable|"
    r"famous|merry) )*adventures of |leben und (?:\w+ )?(?:taten|abenteuer) de[sr] |"
    r"the (?:history|tale|story|legend) of (?=[A-Z])|on (?:the )?|die (?:leiden|abenteuer) de[sr] )",
    re.IGNORECASE,
)
_SIGNS = frozenset(("no", "nr", "op", "opus"))
_BEFORE_SCORING = re.compile(r"[,(]|\b(?:для|for|für|pour|per|with|avec|mit|с|à|a) |\d", re.IGNORECASE)
_MATERIAL = re.compile(
    r"\s*[\[(](?:звукозапись|электронный ресурс|текст|ноты|видеозапись|sound recording|electronic resource|"
    r"tonträger)[\])]|[.,:]\s*(?:аудиокнига|audiobook|hörbuch)\s*$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\[[^]\[]{1,40}:\]\s*")


def _stems(words: str) -> tuple[str, ...]:
    """Return the beginnings of words as they are in keys."""
    return tuple(single_letters(unify_transcriptions(romanise(word))).replace("ch", "h") for word in words.split())


class _Stems:
    """Beginnings of words, as they are in keys; only those with the first letters of a word are compared with it."""

    def __init__(self, words: str) -> None:
        found: dict[str, list[str]] = {}
        for stem in _stems(words):
            found.setdefault(stem[:_LETTERS_OF_BEGINNING], []).append(stem)
        self._by_letters = {letters: tuple(stems) for letters, stems in found.items()}

    def has_stem_of(self, word: str) -> bool:
        """Whether a word begins with one of the stems."""
        return word.startswith(self._by_letters.get(word[:_LETTERS_OF_BEGINNING], ()))


_WORDS_OF_GENERIC_TITLES = """
собран сочинен избран стихотворен поэм рассказ повест роман сказк драм комеди басн очерк стать письм дневник
труд лекци произведен проз этюд юмореск фельетон новелл литератур критик публицист сборник материал отчет доклад
бюллетен вестник извест журнал учен записк трудов тезис конферен семинар симпозиум съезд протокол обзор
справочник указател каталог программ план методическ указан рекомендац пособ практикум учебн диссертац
автореферат ежегодник альманах альбом хрестомати антолог выпуск школьн научн годов полн больш поздн воспоминан
мемуар речи выступлен задан упражнен инструкц положен правил устав закон постановлен приказ work oeuvre opera
writing select collect complet poem poetr poesi gedicht stori tale short novel prose plays drama comed essay
letter brief speech lectur paper report annual proceeding transaction bulletin journal memoir record catalog
guide handbook manual index yearbook jahrbuch jahresbericht bericht verhandlung abhandlung mitteilung schrift
werke sämtliche gesammelte ausgewählte erzählung märchen roman novellen dramen briefe reden aufsätze contes
nouvelles lettres discours théâtre poésies œuvres choisies complètes romans récits racconti poesie novelle opere
cuentos obras poesía selected collected early late minor general various hearing act acts statut regulation rule
document minute newsletter review survey statistic summary budget plan program study studies abstract conference
symposium meeting congress workshop session volume part series supplement issue number fairy favourite favorite
best great world complete
"""
_GENERIC_STEMS = _Stems(_WORDS_OF_GENERIC_TITLES)
_SUBJECT_STEMS = _Stems("""
математик алгебр геометр физик хими биолог ботаник зоолог географ геолог астроном истор литератур язык язык
русск англ немец франц наук задач курс основ введен теори общ начал анализ прав экономик эконом философ психолог
педагог социолог политолог культур медицин информатик программирован грамматик синтаксис орфограф словар древн
нов средн мир росси советск отечествен зарубеж всеобщ современ практик техник технолог систем метод организац
управлен менеджмент бухгалтер финанс статистик социальн государств mathemat algebra geometr physics chemist
biolog botan zoolog geograph geolog astronom history language grammar introduct principle element fundamental
foundation outline theory modern english german french russian science philosoph psycholog econom sociolog law
medicin engineer statistic analys applied practical advanced general elementary basic einführung grundlag
grundriss lehrbuch deutsch geschichte allgemein dictionary wörterbuch encyclop lexikon энциклопед
""")
"""Beginnings of the words of titles that several authors give to textbooks and handbooks."""

_GENERIC_WORDS = keys(
    "том тома томах часть части книга книги книгах новые новое новая малые ранние разные стихи стихах проза "
    "прозе лирика песни "
    "пьесы пьеса эссе дневник дневники diary diaries law laws new other book books first second third acts act plan"
)
_WORDS_OF_GENERIC_TITLES_OF_MUSIC = """
song lied lieder romance romans sonat simfon symphon sinfon concert konzert quartet kvartet trio duet prelud fug
suite etud etyud nocturn mass messe cantat kantat motet psalm hymn aria arie march marsh danc tanz walz valse
vals mazurk polonais variat overtur uvertur ouvertur intermezz rondo fantas improviz impromptu capricc kapris
scherzo skerco divertiment serenad partit toccat invention choral magnificat requiem te deum kyrie gloria credo
missa pieces pezz stück morceaux instrument symphonies sinfonia opera operas madrigal motet motett mottett
sacred song concerto concerti sonate hymns psalm salmi ballet part-song partsong air airs canzon cantat
singspiel orator melod villanel magnificat libro liber primo primus secondo secundus terzo tertius quarto
quartus quinto sesto recueil suites ouverture ricercar canon canoni duetto duetti terzett vesper vespri compiet
litan lament tenebr responsor antifon antiphon introit offertor gradual sequenz tract improvisation blues jazz
hits quadrill contredan galop walz waltz valtz landler quint duets tragedi tragéd lyrique capric caprice pot
pourri potpourri pasticc canticl trio-sonat triosonat exempl instr voc bagatel barcarol cavatin chaconn
passacagl gavot gigu kontretan polk rag saraband tarantel villancic zarzuel serenat notturn ayre catch glee
round carol anthem service voluntar lesson pastoral divertiss anglais allemand fugues mottetti salmi messe
концерт сонат квартет квинтет прелюд этюд вальс мазурк полонез сюит увертюр романс ноктюрн баллад вариац рапсод
песни песня пляск арии хор хоры симфоническ фортепианн скрипичн струнн вокальн
"""
_GENERIC_STEMS_OF_MUSIC = _Stems(_WORDS_OF_GENERIC_TITLES + _WORDS_OF_GENERIC_TITLES_OF_MUSIC)
_FUNCTION_WORDS = keys(
    "и в во на с со к по о об из за от для до не the a an of and or in on to for with by from und oder der die "
    "das des dem den von zu im am aus ein eine et ou de du des la le les un une en au e ed il lo gli i del "
    "della di da y los las el w z na a i dla do o po ze s ve v"
)
_MIN_WORDS, _MIN_LETTERS, _MIN_LETTERS_OF_TWO = 3, 14, 19
_SELECTIONS = words_of("selections selection избранное извлечения auswahl extraits")
_VERSIONS_OF_MUSIC = {
    "arr": "arranged",
    "vocal score": "vocal",
    "piano score": "vocal",
    "full score": "full",
    "libretto": "libretto",
    "клавир": "vocal",
    "партитура": "full",
}


_MIN_WORDS_OF_BEGINNING = 4
_PREPOSITIONS = words_of(
    "в во на за из о об по при от во с в in on of during from za v ve na w we während im aus pendant dans"
)


class TitleKey(NamedTuple):
    """The key of a title of a work, and what may be expected of works with this key.

    ``text`` has no blanks. ``is_generic``: many works have the title; ``is_specific``: hardly two authors gave it.
    """

    text: str
    is_generic: bool
    is_specific: bool


@lru_cache(_CACHED)
def work_title_key(title: str, is_music: bool = False) -> TitleKey:
    """Return the key of a title of a work, which is equal for all spellings, orthographies and romanisations.

    >>> work_title_key("Мертвыя души").text == work_title_key("Mertvye dushi").text
    True
    >>> work_title_key("Стихотворения и поэмы").is_generic, work_title_key("Горе от ума").is_generic
    (True, False)
    """
    text = _modern(strip_brackets(title))
    key = title_key(text)
    words = [_modern_prefix(word) for word in _large_numbers(key.replace("ch", "h")).split()]
    contents = [word for word in words if word not in _FUNCTION_WORDS]
    joined = "".join(words)
    stems = _GENERIC_STEMS_OF_MUSIC if is_music else _GENERIC_STEMS
    if is_music and stems.has_stem_of(next((word for word in contents if not word.isdecimal()), "")):
        before = title_key(_BEFORE_SCORING.split(text)[0]).replace("ch", "h").split()
        contents = [word for word in before if word not in _FUNCTION_WORDS and word not in _SIGNS] or contents
    named = [word for word in contents if not _is_generic_word(word, stems)]
    is_long = (len(set(contents)) >= _MIN_WORDS and len(joined) >= _MIN_LETTERS) or (
        len(contents) == 2 and len(joined) >= _MIN_LETTERS_OF_TWO
    )
    own = [word for word in named if not _SUBJECT_STEMS.has_stem_of(word)]
    is_generic = not named and bool(contents) and not all(map(str.isdecimal, contents))  # «Двенадцать», «Лес» (les)
    return TitleKey(joined, is_generic, is_long and len(named) > 1 and bool(own))


_THOUSANDS = re.compile(r"\b(\d+ )?(?:tisah[aiue]?|tho?usand|tausend|mile|mila)\b(?: (?:i|and|und|et) (?:1|odna)\b)?")
_HUNDREDS = {
    word: str(number * 100)
    for number, words in enumerate(
        (
            "двести двухсот",
            "триста трехсот",
            "четыреста",
            "пятьсот пятисот",
            "шестьсот",
            "семьсот",
            "восемьсот",
            "девятьсот",
        ),
        2,
    )
    for word in _stems(words)
}
_NUMBER_WORD = re.compile(r"\b(?:nomer|number|numer|numero) (?=\d)")
_COMPOUNDS = {
    stem: str(number)
    for number, stem in enumerate(
        _stems(
            "двух трех четырех пяти шести семи восьми девяти десяти одиннадцати двенадцати тринадцати "
            "четырнадцати пятнадцати "
            "шестнадцати семнадцати восемнадцати девятнадцати двадцати"
        ),
        2,
    )
}
_COMPOUND = re.compile(
    r"\b(" + "|".join(sorted(_COMPOUNDS, key=len, reverse=True)) + r")(?=let|dnevn|mesach|tomn|minut)"
)
_OLD_PREFIX = re.compile(r"(ra|i|vo|be)(?:z(?=[skptfh])|s(?=s))")
_SUM = re.compile(r"\b(\d)00 (\d\d?)\b")
_YEAR_IN_WORDS = re.compile(r"\b(1[0-9]|20) (\d\d)\b(?! \d)")
_HUNDRED = re.compile(r"\b(?:sto|hundred|hundert|tsent)\b")


def _large_numbers(key: str) -> str:
    """Write hundred and thousand of a key in digits: «двадцать тысяч лье», «тысяча и одна ночь»."""
    if "st" in key and not _HUNDREDS.keys().isdisjoint(words := key.split()):
        key = " ".join(_HUNDREDS.get(word, word) for word in words)
    if "ti" in key or "dvuh" in key or "treh" in key:
        key = _COMPOUND.sub(lambda found: f"{_COMPOUNDS[found[1]]} ", key)
    if "nom" in key or "num" in key:
        key = _NUMBER_WORD.sub("", key)
    if "sto" in key or "hund" in key or "tsent" in key:
        key = _HUNDRED.sub("100", key)
    if "0" in key or "1" in key:
        key = _YEAR_IN_WORDS.sub(
            r"\1\2", _SUM.sub(_added, re.sub(r"\b(\d) 100\b", r"\g<1>00", key).replace("00 and ", "00 "))
        )
    has_thousand = "tisah" in key or "usand" in key or "tausend" in key or "mil" in key
    return _THOUSANDS.sub(_thousands, key) if has_thousand else key


def _modern_prefix(word: str) -> str:
    """Return a word with the prefixes of today: разсказъ, изслѣдованіе."""
    found = _OLD_PREFIX.match(word)
    return f"{found[1]}s{word[found.end() :].removeprefix('s')}" if found else word


def _added(found: re.Match[str]) -> str:
    return str(int(found[1]) * 100 + int(found[2]))


def _thousands(found: re.Match[str]) -> str:
    digits = (found[1] or "1").strip()
    return f"{digits}001" if found[0].endswith((" 1", " odna")) else f"{digits}000"


def _is_generic_word(word: str, stems: _Stems) -> bool:
    return word.isdecimal() or len(word) < 2 or word in _GENERIC_WORDS or stems.has_stem_of(word)


def _modern(title: str) -> str:
    """Return a title with "and" in words and, of the orthography before 1918, the endings of today."""
    if "&" in title:
        title = title.replace("&", "и" if has_cyrillic(title) else "and")
    return _OLD_PLURAL.sub("ые", title) if "я" in title else title


@lru_cache(_CACHED)
def beginning_of_title(title: str) -> str:
    """Return the first words of a long title, before the preposition that the rest begins with; else nothing.

    >>> beginning_of_title("Похождения бравого солдата Швейка во время мировой войны")
    'Похождения бравого солдата Швейка'
    """
    words = title.split()
    for place in range(_MIN_WORDS_OF_BEGINNING, len(words) - 1):
        if words[place].casefold() in _PREPOSITIONS:
            return " ".join(words[:place])
    return ""


def work_words(title: str) -> set[str]:
    """Return the words of a title that are no function words, as keys."""
    return {word for word in title_key(title).replace("ch", "h").split() if word not in _FUNCTION_WORDS}


@lru_cache(_CACHED)
def begins_with_function_word(text: str) -> bool:
    """Whether a text begins with a preposition, a conjunction or an article, in lower case: «для инженеров»."""
    first = text.partition(" ")[0]
    return first.islower() and is_function_word(title_key(first))


def is_function_word(key: str) -> bool:
    """Whether the key of a word is that of a preposition, a conjunction or an article."""
    return key in _FUNCTION_WORDS


class TitleForms(NamedTuple):
    """The forms of one title: those that it has as a title of the work, and those that name it otherwise."""

    main: tuple[str, ...]
    others: tuple[str, ...]


@lru_cache(_CACHED)
def title_forms(title: str) -> TitleForms:
    """Divide a title into its main forms and alternatives.

    >>> title_forms("Тартюф, или Обманщик")
    TitleForms(main=('Тартюф',), others=('Обманщик', 'Тартюф, или Обманщик'))
    >>> title_forms("Гамлет, принц датский").others
    ('Гамлет',)
    """
    text = _LABEL.sub("", unicodedata.normalize("NFC", title)).strip(" .,:;/=")
    text = _MATERIAL.sub("", text) or text
    text = text.partition(" / ")[0].partition(" : ")[0]
    others: list[str] = [text[len("al-") :]] if text[:3].casefold() == "al-" else []
    found = _IN_PARENTHESES.search(text)
    if found and found.start():
        inner = found[1]
        if not re.search(r"\d{4}", inner):
            others.append(inner)
            text = text[: found.start()]
    main = _COUNT.sub("", text) or text
    pieces = [piece for piece in _ALTERNATIVE.split(main, maxsplit=1) if piece.strip()]
    if len(pieces) == 2:
        others += [pieces[1], main]
        main = pieces[0].rstrip(" ,;:")
    elif "," in main:
        head, _, tail = main.partition(",")
        if len(head) > 3 and (tail.strip()[:1].islower() or not has_cyrillic(tail)):
            others.append(head)
    forms = [main]
    shorter = _FILLERS.sub("", main)
    if shorter != main and len(shorter) > 3:
        forms += dict.fromkeys((shorter, shorter.partition(",")[0]))
    return TitleForms(tuple(forms), tuple(dict.fromkeys(others)))


_ORDINALS = {
    "1": "prim[oaumi]{1,3}s?|premi[eè]re?", "2": "second[oai]|secund[aou]s?m?|second|deuxi[eè]me",
    "3": "terz[oai]|terti[aou]s?m?|troisi[eè]me", "4": "quart[oai]s?|quartum|quartus|quatri[eè]me",
    "5": "quint[oai]s?|quintus|quintum|cinqui[eè]me", "6": "sest[oa]|sext[aou]s?m?|sixi[eè]me",
    "7": "settim[oa]|septim[aou]s?m?|septi[eè]me", "8": "ottav[oa]|octav[aou]s?m?", "9": "non[oa]|nonus",
    "10": "decim[oa]s?|decimus",
}  # fmt: skip
_BOOK = re.compile(
    r"\b(?:libro|liber|livre|tome|opera|œuvre|oeuvre|pars|parte|partie)\s+(?:de\w*\s)?({0})\b|"
    r"\b({0})\s+(?:\w+\s+){{0,3}}?(?:libro|liber|livre|opera|œuvre|"
    r"oeuvre|pars|parte|partie)\b".format("|".join(f"(?:{words})" for words in _ORDINALS.values())),
    re.IGNORECASE,
)
_ORDINAL_OF = [(re.compile(words, re.IGNORECASE), number) for number, words in _ORDINALS.items()]


def book_of_title(title: str) -> str:
    """Return the number of a book that a Latin, Italian or French title states: "Il secondo libro de madrigali"."""
    found = _BOOK.search(title)
    if found is None:
        return ""
    word = found[1] or found[2]
    return next((number for pattern, number in _ORDINAL_OF if pattern.fullmatch(word)), "")


def alternative_in_subtitle(text: str) -> str:
    """Return the alternative title that other title information begins with: «или, Обманщик»; else nothing."""
    found = _BEGINNING_OF_ALTERNATIVE.match(text)
    return text[found.end() :] if found else ""


@lru_cache(_CACHED)
def undated(title: str, has_author: bool = False) -> str:
    """Return a title without the designation of a part, and if no person wrote it, the year, that it ends with.

    >>> undated("Годовой отчет за 2011 год"), undated("Математика. 5 класс"), undated("Август 1914", has_author=True)
    ('Годовой отчет', 'Математика', 'Август 1914')
    """
    text = without_designation(title) if may_designate(title) else title
    if not has_author and any(map(str.isdecimal, text)):
        text = _YEARS_AT_END.sub("", text)
    return text.rstrip(" ,.:;(-–") or title


class UniformTitle(NamedTuple):
    """What a uniform title states: the title of the work, a language, versions, and how the music is presented."""

    title: str
    language: str = ""
    versions: tuple[str, ...] = ()
    form: str = ""
    is_selection: bool = False
    year: str = ""
    qualifier: str = ""


_IN_PARENTHESES_ANYWHERE = re.compile(r"\(([^()]+)\)")
_PIECES = re.compile(r"(?<=[.?!])\s+|\s*[;(<>)]\s*|(?<=\w),\s+(?=(?:рус|англ|нем|фр|синод)\w*)")
_LANGUAGE_ABBREVIATIONS = {
    "dt": "ger",
    "russ": "rus",
    "engl": "eng",
    "franz": "fre",
    "русск": "rus",
    "росс": "rus",
    "нем": "ger",
    "немецк": "ger",
    "английск": "eng",
    "ит": "ita",
    "pol": "pol",
    "рос": "rus",
    "français": "fre",
    "ru": "rus",
    "russian & english": "",
}


@lru_cache(_CACHED)
def parse_uniform_title(text: str) -> UniformTitle:
    """Return what a uniform title states.

    >>> found = parse_uniform_title("Bible. English. Authorized. 1939")
    >>> found.title, found.language, found.versions, found.year
    ('Bible', 'eng', ('authorized',), '1939')
    >>> parse_uniform_title("Chto delatʹ? English").title, parse_uniform_title("Čajka <dt.>").language
    ('Chto delatʹ?', 'ger')
    """
    first, *others = [piece for piece in _PIECES.split(text) if piece.strip(" .,")] or [text]
    base, language, form, year = [first.rstrip(" .,")], "", "", ""
    versions: list[str] = []
    is_selection = False
    qualifier = " ".join(
        found for found in _IN_PARENTHESES_ANYWHERE.findall(text) if not _language_of(found.casefold())
    )
    for piece in others:
        word = piece.strip(" .,;").casefold()
        code = _language_of(word)
        if code:
            language = code
        elif re.fullmatch(r"\d{4}(?:-\d{4})?", word):
            year = word
        elif word in _VERSIONS_OF_MUSIC:
            form = _VERSIONS_OF_MUSIC[word]
        elif word in _SELECTIONS:
            is_selection = True
        elif language:
            versions.append(_version(word))
        else:
            base.append(piece.strip(" .,"))
    return UniformTitle(
        ". ".join(base), language, tuple(filter(None, versions)), form, is_selection, year, title_key(qualifier)
    )


def _language_of(word: str) -> str:
    first = word.split(" ")[0].split("&")[0].strip(" .,")
    return (
        code_of_language_name(word) or code_of_language_name(first) or _LANGUAGE_ABBREVIATIONS.get(first, "")
        if len(word) < 24
        else ""
    )


def _version(word: str) -> str:
    """Return the name of a version of a sacred text, or of a translator: «синодальный пер.», "Revised Standard"."""
    return re.sub(r"\W*\b(?:пер|перевод|version|ver|transl|translation)\b\W*", " ", word).strip()
