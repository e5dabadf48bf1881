"""Names of publishers and other bodies: as catalogues write them, as keys, and shortened word by word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from functools import lru_cache

from bibld.text.folding import fold, strip_brackets, trim, without_others
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_QUOTATION_MARKS = re.compile("[\"«»„“”‟‹›]|(?<![^\\W_])['‘‚](?=[^\\W_])|(?<=[^\\W_])['’](?![^\\W_])")
_HOUSE = (
    r"изд(?:ательство|ательский дом|атель|ат)?\.?(?:[ -](?:во|ство|дом))?|ид|книгоиздательство|кн(?:игоизд)?-во|"
    r"izd(?:atelʹ?stvo|atelskii dom)?\.?(?:-vo)?|verlag|publishing house"
)
_HOUSE_WITH_QUOTED_NAME = re.compile(
    rf"\s*(?:(?:ооо|оао|зао|ао|пао|тоо)\s+)?(?:(?:{_HOUSE})\s+)?[«\"„“]([^«»\"„“”]+)[»\"“”]\s*", re.IGNORECASE
)
_LEGAL_FORMS = (
    "ооо оао зао ао пао тоо ип нп ано гуп муп фгуп ltd limited inc incorporated llc llp gmbh kg ag bv srl plc co corp"
)
_HOUSE_FIRST = "издательство издательства изд издат книгоиздательство izdatelstvo izd"
_HOUSE_LAST = "издательство изд izdatelstvo izd verlag publishers publ pubs pub"
_PHRASES = "кн изд во|издательский дом|изд дом|ид|изд во|изд ство|кн во|izd vo|publishing house|publishing co"
_GENERIC = "|".join((_PHRASES, *_LEGAL_FORMS.split(), *_HOUSE_FIRST.split(), *_HOUSE_LAST.split()))
_ALL_GENERIC = re.compile(rf"(?:{_GENERIC})(?: (?:{_GENERIC}))*")
_AT_START = re.compile("|".join((_PHRASES, *_LEGAL_FORMS.split(), *_HOUSE_FIRST.split())).join(("(?:", ") ")))
_AT_END = re.compile("|".join((_PHRASES, *_LEGAL_FORMS.split(), *_HOUSE_LAST.split())).join((" (?:", ")$")))

_IN_PARENTHESES = re.compile(r" *\(([A-ZА-Я0-9][A-ZА-Я0-9-]{1,9})\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_WRITTEN_OUT = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"^the ", ""),
        (r"\bverl\b", "verlag"),
        (r"\buniv\b(?= of\b|.* pr(?:ess)?\b)", "university"),
        (r"\b(university|university of .*) pr\b", r"\1 press"),
        (r"\bpub(?= (?:co|company|house|group|corp|corporation|service)\b)", "publishing"),
        (r"\bgovt\b", "government"),
        (r"\bgovernment print off(?:ice)?\b", "government printing office"),
        (r"\bunited states\b|\bus\b", "u s"),
        (r" distributor$", ""),
    )
]
"""Words of folded names → how they are written in full, where no other word is shortened to the same letters."""

_TEXTS_REMEMBERED = 16_384


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def publisher_label(text: str) -> str:
    """Return the name of a publisher without brackets and quotation marks.

    If nothing but a word for a publishing house or a legal form precedes a name in quotation marks, it is left out too.

    >>> publisher_label('Изд-во "Наука"'), publisher_label("[Эксмо]"), publisher_label("O'Reilly [u.a.]")
    ('Наука', 'Эксмо', "O'Reilly")
    """
    plain = strip_brackets(without_others(text.rstrip(" ,;:")))
    quoted = _HOUSE_WITH_QUOTED_NAME.fullmatch(plain.rstrip(" ,;:"))
    return trim(quoted[1] if quoted else _QUOTATION_MARKS.sub("", plain))


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def publisher_key(text: str) -> str:
    """Return the folded name of a publisher without words for a publishing house and legal forms around it.

    >>> {publisher_key(text) for text in ("Изд-во Наука", 'Издательство "Наука"', "Наука")}
    {'наука'}
    >>> publisher_key("ООО Изд. дом Вильямс"), publisher_key("Изд-во"), publisher_key("Springer-Verlag GmbH")
    ('вильямс', 'изд во', 'springer')
    """
    key = fold(publisher_label(text))
    before = ""
    while key != before and not _ALL_GENERIC.fullmatch(key):
        before, start = key, _AT_START.match(key)
        key = _AT_END.sub("", key[start.end() :] if start else key)
    return key


def name_to_compare(text: str) -> str:
    """Return the key of a publisher with acronyms in capitals.

    >>> name_to_compare("Изд-во АН СССР"), name_to_compare("Изд-во Моск. ун-та")
    ('АН СССР', 'моск ун та')
    """
    acronyms = {fold(word) for word in _WORD.findall(text) if word.isupper()}
    return " ".join(word.upper() if word in acronyms else word for word in publisher_key(text).split())


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def full_publisher_key(text: str) -> str:
    """Return the key of a publisher without article, acronym and code, and with usual abbreviations written out.

    >>> {full_publisher_key(text) for text in ("The Univ. of Minnesota Pr.", "University of Minnesota Press")}
    {'university of minnesota press'}
    >>> full_publisher_key("Centers for Disease Control and Prevention (CDC)"), full_publisher_key("Insel-Verl.")
    ('centers for disease control and prevention', 'insel')
    """
    plain = _IN_PARENTHESES.sub(lambda found: "" if _is_code(text[: found.start()], found[1]) else found[0], text)
    key = publisher_key(plain)
    for pattern, words in _WRITTEN_OUT:
        key = pattern.sub(words, key)
    return publisher_key(key)


def _is_code(before: str, text: str) -> bool:
    """Whether a text in parentheses is a postal code of an office or consists of initials of the words before it."""
    if any(map(str.isdecimal, text)):
        return True
    initials = iter(word[0] for word in fold(before).split())
    return all(letter in initials for letter in text.casefold())


_PRINTER = re.compile(
    r"(?:^|(?<!\w))(?:тип\.|типо-?лит(?:огр)?\.|типо-?(?:литограф|граф)[иі]\w*|скоропечатня|печатня|imprimerie|imprenta|"
    r"buchdruckerei|tipograf[ií]a|typographi[ae]|drukarnia|tiskárna|stamperia)(?!\w)"
    r"|^(?:лит(?:огр)?\.\s(?-i:[А-ЯЁ])|литограф[иі]\w*|хромолит\w*\.?|печатано|printed (?:by|at)|impr(?:im)?\.|"
    r"(?:v )?tip\.|typ\.|typis|druck(?: von|erei)?(?!\w)|gedruckt|tiskem)",
    re.IGNORECASE,
)
_ALSO_PUBLISHER = re.compile(
    r"(?<!\w)(?:изд|книгоизд|publ|éd|ed\.|verlag|edit)|nationa|impéria|royal|vatica|polyglot|synod|синод", re.IGNORECASE
)


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def is_printer(text: str) -> bool:
    """Whether a name in an imprint is that of a printer; printing houses of a state or a church are also publishers.

    >>> is_printer("въ Типографіи Т. Рисъ"), is_printer("Сенат. тип."), is_printer("[printed by John Day]")
    (True, True, True)
    >>> is_printer("Imprimerie nationale"), is_printer("Printed for J. Tonson"), is_printer("Изд-во и тип. А. Маркса")
    (False, False, False)
    """
    stated = strip_brackets(text).strip()
    return _PRINTER.search(stated) is not None and _ALSO_PUBLISHER.search(stated) is None


_SHORTENED = """
сов советск, худож художествен, лит литератур, гос государствен, рос российск, рус русск, моск московск, ленингр
ленинградск, сиб сибирск, центр центральн, всесоюз всесоюзн, всерос всероссийск, науч научн, техн техническ, мед
медицинск, пед педагогическ, юрид юридическ, полит политическ, экон экономическ, ист историческ, геогр географическ,
геол геологическ, мат математическ, физ физическ, хим химическ, биол биологическ, строит строительн, воен военн, нар
народн, нац национальн, обл областн, респ республиканск, гор городск, кн книжн, тип типограф, учеб учебн, дет детск,
информ информационн, иностр иностранн, собр собрани, соч сочинени, сб сборник, вестн вестник, изв извести, журн
журнал, памятн памятник, энцикл энциклопед, всемир всемирн, классич классическ, попул популярн, соврем современн,
зарубеж зарубежн, избр избранн, акад академи, изд издательств, б-к библиотек, ун-т университет, ин-т институт, изд-в
издательств, лит-р литератур, хоз-в хозяйств, отд-н отделени, мин-в министерств, т-в товариществ
"""
"""Words as GOST 7.12 shortens them → the beginning of these words, which no other word has.

An abbreviation ends with a full stop, or has an ending behind a hyphen that begins with the letter behind it here.
"""

_BEGINNINGS = {
    romanise(short).replace(" ", "-"): romanise(full) for short, full in map(str.split, _SHORTENED.split(","))
}
_MARKS = re.compile("[\u0300-\u036f\ufe20-\ufe2f]")
_BEGINNING = re.compile("|".join(sorted(set(_BEGINNINGS.values()))))
_WORD_OR_ABBREVIATION = re.compile(r"([^\W\d_]+)(?:-([^\W\d_]{1,4})(?![^\W\d_]))?(\.?)")
_OF_ACADEMY = re.compile(r"\bakademi nauk\b")
_PUBLISHING_HOUSE = re.compile(r"^izdatelstv | izdatelstv$")


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def shortened_name(text: str) -> str:
    """Return what a Russian name of a publisher or series has in common with its abbreviated forms, romanised.

    Words that are usually abbreviated are cut to their beginnings, whatever their form in the text. Empty for a name
    of one word, and for one that has no such words.

    >>> shortened_name("Худож. лит."), shortened_name("Khudozhestvennai͡a literatura"), shortened_name("Наука")
    ('hudozhestven literatur', 'hudozhestven literatur', '')
    >>> shortened_name("Изд-во АН СССР"), shortened_name("Издательство Академии наук СССР")
    ('an sssr', 'an sssr')
    """
    words: list[str] = []
    is_shortened = False
    for word, ending, stop in _WORD_OR_ABBREVIATION.findall(_MARKS.sub("", unicodedata.normalize("NFD", text))):
        key = romanise(word)
        full = _BEGINNINGS.get(f"{key}-{romanise(ending)[:1]}" if ending else key if stop else "")
        if full is None and (found := _BEGINNING.match(key)) is not None:
            full = found[0]
        is_shortened = is_shortened or full is not None
        words += [full] if full is not None else filter(None, (key, romanise(ending)))
    name = _PUBLISHING_HOUSE.sub("", _OF_ACADEMY.sub("an", " ".join(words)))
    return name if is_shortened and " " in name else ""


_DISTRIBUTOR = re.compile(
    r"\[?(?:for sale (?:by|through)|available (?:at|from|through)|obtainable from|distributed by|order from|sold by"
    r"|продается|auslieferung)(?: the)? (.+)|(.+?),? [\[(]?(?:distributor|supplier|distribution)[\])]?",
    re.IGNORECASE,
)


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def distributor(text: str) -> str:
    """Return the name of a distributor in an imprint; empty if the text does not state that it is one.

    >>> distributor("For sale by the National Technical Information Service"), distributor("Sage [distributor]")
    ('National Technical Information Service', 'Sage')
    >>> distributor("Available through the Agency"), distributor("Наука")
    ('Agency', '')
    """
    found = _DISTRIBUTOR.fullmatch(text.strip(" ,:;"))
    return (found[1] or found[2]).strip(" ]") if found is not None else ""


AUTHOR = "author"
"""What :func:`back_reference` returns for the author of the publication."""

_AUTHOR = re.compile(
    r"(?:the |published by the |printed for the )?auth?ors?|(?:chez )?l ?auteur|(?:el |l ?)?autore?|"
    r"(?:im )?selbst ?verl(?:ag)?(?: des verf(?:assers)?)?|(?:verlag des )?verf(?:assers?)?|"
    r"(?:изд(?:ание|ательство)? )?авт(?:оров|ора|ор)?|авторское издание|izd(?:anie)? avt(?:ora)?|nakl(?:ad)? autora"
)
_KINDS = """
academy administration agency archives association authority board branch bureau center centre chamber church club
college commission committee company conference congress corporation corps council court department directorate
division faculty federation foundation fund gallery group hospital institute institution laboratory league library
ministry museum observatory office organisation organization program programme project school section secretariat
service society staff survey trust union university
"""
_KINDS_OF_BODIES = frozenset(_KINDS.split())
_SHORT_KINDS = {
    "dept": "department", "inst": "institute", "univ": "university", "assoc": "association", "assn": "association",
    "comm": "commission", "soc": "society", "lab": "laboratory", "admin": "administration", "co": "company",
    "corp": "corporation", "div": "division",
}  # fmt: skip
_PREPOSITIONS = frozenset(("of", "for", "on", "to", "in"))
_SMALL_WORDS = _PREPOSITIONS | {"and", "the"}
_QUALIFIER = re.compile(r"\([^()]*\)?")
_MIN_LETTERS_OF_ACRONYM = 3


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def back_reference(text: str) -> str:
    """Return the word by which the text of a publisher refers to a heading of its record; empty for a name.

    The word is ``author``, or that for a kind of bodies.

    >>> back_reference("The Bureau"), back_reference("[the author]"), back_reference("Изд. автора")
    ('bureau', 'author', 'author')
    >>> back_reference("The Dept."), back_reference("The White House"), back_reference("Bureau of Mines")
    ('department', '', '')
    """
    key = fold(strip_brackets(text))
    if _AUTHOR.fullmatch(key):
        return AUTHOR
    article, _, word = key.partition(" ")
    word = _SHORT_KINDS.get(word, word)
    return word if article == "the" and word in _KINDS_OF_BODIES else ""


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def words_for_body(unit: str) -> tuple[str, ...]:
    """Return the words that may mean a body, by its name or that of its last unit: for its kind, and its initials.

    The word for the kind is the last one or the head; of a name with ``and`` there are two acronyms.

    >>> words_for_body("Marine Corps"), words_for_body("National Bureau of Standards (U.S.)")
    (('corps',), ('bureau', 'nbs'))
    >>> words_for_body("Centers for Disease Control and Prevention"), words_for_body("NASA")
    (('cdcp', 'cdc'), ())
    """
    words = [_SHORT_KINDS.get(word, word) for word in fold(_QUALIFIER.sub("", unit)).split()]
    preposition = next((position for position, word in enumerate(words) if word in _PREPOSITIONS), 0)
    kinds = [word for word in (*words[max(preposition - 1, 0) : preposition], *words[-1:]) if word in _KINDS_OF_BODIES]
    before_and = words[: words.index("and")] if "and" in words else []
    initials = ("".join(word[0] for word in part if word not in _SMALL_WORDS) for part in (words, before_and))
    return tuple(dict.fromkeys((*kinds, *(text for text in initials if len(text) >= _MIN_LETTERS_OF_ACRONYM))))


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def acronym(text: str) -> str:
    """Return the name of a publisher in small letters if it is an acronym (``[FDA]``), else nothing."""
    label = publisher_label(text)
    return label.lower() if label.isalpha() and label.isupper() and len(label) >= _MIN_LETTERS_OF_ACRONYM else ""


_MIN_LETTERS_OF_BEGINNING = 2
_MAX_LETTERS_OF_ENDING = 5


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def is_abbreviation(short: str, full: str) -> bool:
    """Whether each word of a text is one of another text in their order, and one at least is shortened.

    A word is shortened to two or more of its first letters, to its beginning and its end (``изд-во``), or with others
    to their initials (``АН``). A word in capitals, or one that is all of a name, is no beginning of another word
    (``АСТ``, ``Астрель``). Texts in two scripts are romanised.

    >>> is_abbreviation("Худож. лит.", "Художественная литература"), is_abbreviation("Khudozh. lit-ra", "Худож. лит.")
    (True, False)
    >>> is_abbreviation("Изд-во АН СССР", "Издательство Академии наук СССР"), is_abbreviation("Наука", "Науки")
    (True, False)
    """
    to_key = fold if has_cyrillic(short) == has_cyrillic(full) else romanise
    words, others = to_key(short).split(), to_key(full).split()
    capitals = {to_key(word) for word in _WORD.findall(short) if word.isupper()}
    beginnings = set(words) - capitals if len(words) > 1 else set[str]()
    return words != others and bool(words) and _matches(words, others, beginnings)


def _matches(words: Sequence[str], full: Sequence[str], beginnings: Set[str]) -> bool:
    """Whether words are those of a full name; only ``beginnings`` may be the first letters of longer ones."""
    if not words or not full:
        return not words and not full
    word, other = words[0], full[0]
    is_other = word == other or (word in beginnings and _is_beginning(word, other))
    if is_other and _matches(words[1:], full[1:], beginnings):
        return True
    if len(words) > 1 and _is_contraction(word, words[1], other) and _matches(words[2:], full[1:], beginnings):
        return True
    count = len(word)
    initials = "".join(one[0] for one in full[:count])
    return 1 < count == len(initials) and initials == word and _matches(words[1:], full[count:], beginnings)


def _is_beginning(word: str, other: str) -> bool:
    """Whether a word is shortened to its beginning; leaving out one letter only is an ending of grammar."""
    return _MIN_LETTERS_OF_BEGINNING <= len(word) < len(other) - 1 and other.startswith(word)


def _is_contraction(beginning: str, ending: str, other: str) -> bool:
    return (
        len(ending) <= _MAX_LETTERS_OF_ENDING
        and len(beginning) + len(ending) < len(other)
        and other.startswith(beginning)
        and other.endswith(ending)
    )
