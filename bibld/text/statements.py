"""Statements of responsibility: who wrote, translated, retold or edited a text, as a title page words it.

Names in a statement may be inflected («пер. Б. Пастернака»), so they are compared by :func:`are_one_name`, which lets
the endings of a family name differ.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from bibld.text.keys import consonants, spelling_key
from bibld.text.scripts import has_cyrillic

_CACHED = 1 << 14
_MAX_CHARACTERS = 600
_MAX_NAMES = 12
_SEGMENTS = re.compile(
    r"\s*[;\[\]]\s*|\s+=\s+|,\s+(?=(?:with (?:decor|illus|draw|pict)|illustrated|пер\.|под "
    r"ред)\w*)"
)
_SENTENCES = re.compile(r"((?:^|[\s-])[^\W\d_a-zа-яё][^\W\d_]{4,})\.\s+(?=[^\W\d_a-zа-яё][^\W\d_])")
_NOT_NAMES = re.compile(r"[\u0361\ufe20\ufe21]|\([^)]*\)")
_BETWEEN_NAMES = re.compile(r",|\s(?:и|і|та|and|und|et|y|i|&|u\.)\s")
_BODY = re.compile(
    r"(?<![\w-])(?:гос|акад|ин-т|инст|ун-т|универ|о-во|общество|союз|комит|упр|мин-во|минист|б-ка|библ|музей|"
    r"центр|фак|каф|"
    r"univ|inst|acad|akad|societ|committee|museum|ministr|depart|office|bureau|service|library|council|agency|"
    r"commission|administr|board|bank|corporat|company|congress|senate|house|court|army|federal|national|"
    r"association|center|centre|laborator)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\(([^)]+)\)")
_AUTHOR_OF = re.compile(r"\bauthors? of\b|\bby the same\b|автор\w* (?:книги|романа)", re.IGNORECASE)
_SUPPLIED_ROLE = re.compile(r"\[((?:пер|сост|ред|авт|обраб|transl?|ed)\w*\.?)\]", re.IGNORECASE)
_REAL_NAME = re.compile(r"\W*(?:i\. ?e\.|т\. ?е\.|псевд|наст)", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_](?:[\w'’ʹʺ-])*\.?")
_TRANSLATED = re.compile(
    r"(?<![\w-])(?:пер\.|пер\b|перев|perev|per\. s|перекл|пераклад|transl|tr\.|trans\.|[üu]bers|[üu]bertr|"
    r"deutsch v|dt\. v|in dt\.|traduc|traduit|"
    r"tradui|trad\.|tradot|t[łl]um|prze[łl]|prel\.|preved|prev\.|fordít|тәрҗ|aus (?:d\.|dem|der)\s|verdeutscht|"
    r"vertaald|övers|overs\.|suom)"
    r"[\w.]*",
    re.IGNORECASE,
)
_RETOLD = re.compile(
    r"(?<![\w-])(?:переск|переложил|обраб|адапт|сокр|retold|re-told|adapt|abridg|simplif|"
    r"nacherz)[\w.]*",
    re.IGNORECASE,
)
_REVISED = re.compile(r"(?<![\w-])(?:neu|text|hörspiel)?(?:bearb|bear\b|fassung|fassg)[\w.]*", re.IGNORECASE)
_EDITED = re.compile(
    r"(?<![\w-])(?:под\b|ред\.|редак|отв\.|sostav|podgot|гл\.|науч\.|общ\.|edit|ed\.|eds\.|hrsg|herausg|hg\.|"
    r"red\.|otv\.|сост|sost|"
    r"compil|comp\.|подгот|podgot|коммент|komment|примеч|primech|вступ|vstup|предисл|posl|посл|преф|préf|foreword|"
    r"introd|with |notes|annot|худож|рис\.|ил\.|илл|оформл|грав|illus|illiu|illi|ill\.|decorat|drawings|"
    r"pictures|чита|gelesen|sprecher|es liest|lu par|czyta|čte|"
    r"исп|read by|narrat|дир|муз\.|music|orchestr|арр|arr\.|перелож|publ|recens|edid|a cura|con il|toim|edad|"
    r"komitet|redakts|коллег)",
    re.IGNORECASE,
)
_BEHIND_BY = re.compile(r"\b(?:by|von|v\.|bes\.|par|da|di|av|af)\s", re.IGNORECASE)
_FROM_LANGUAGE = re.compile(r"\s(?:from|aus)\s(?:the\s|dem\s|d\.\s)?[^\s]+", re.IGNORECASE)
_COMPOSED = re.compile(
    r"\b(?:(?i:соч(?:\.|инен\w*)|сборник\w*|composed by|written by)|(?<!по )(?i:роман|повесть|повѣсть|поэма|"
    r"комедия|комедія|драма|трагедия|"
    r"рассказ|разсказъ|стихотворение|сказка|опера|балет|музыка)ъ?)\s+((?:[А-ЯЁA-Z]|Соч).+)"
)
_NO_FAMILY = frozenset((
    "dr", "prof", "sir", "graf", "бр", "братья", "brat", "соч", "сочинение", "сочиненіе", "сост", "автор", "авт",
    "текст",
    "академия",
    "институт", "университет", "ин-т", "ун-т", "the", "by", "der", "die", "das", "из", "по", "на", "music",
    "русский", "written", "himself", "герой", "ed", "und", "von", "brüder", "verf", "изд", "роман", "поэма",
    "introduction", "bank", "банк", "гос", "акад", "науч", "main",
))  # fmt: skip
_ENDINGS = frozenset((
    "", "a", "u", "e", "i", "o", "oi", "ei", "im", "om", "em", "ogo", "ago", "ego", "omu", "oiu", "im", "ai", "s", "us",
    "ii", "ia", "gog", "m", "iu",
))  # fmt: skip
_INITIAL_CLASSES = str.maketrans({"h": "g", "k": "g", "w": "u", "v": "u", "j": "i", "y": "i", "t": "f"})
"""Initials that transcriptions of foreign names confuse: Ханс and Ганс, Вильям and Уильям, Теодор and Фёдор."""


CYRILLIC_NAME = "*"
"""The beginning of the key of a name that is written in Cyrillic."""

STATED_NAME = "~"
"""The beginning of the key of a name in a statement, which may be inflected."""

_MARKS = CYRILLIC_NAME + STATED_NAME


_SLAVIC_FAMILY = re.compile(r"(?:[oe]v|[iy]n|ski|[oe]va|ina|ska|enko|uk|ih)$")


class StatedName(NamedTuple):
    """A name of a person as keys: the family name, and the given names or initials."""

    family: str
    given: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The name as one text."""
        return " ".join((self.family, *self.given))


class Responsibility(NamedTuple):
    """The persons that a statement of responsibility names, by what they did."""

    authors: tuple[StatedName, ...] = ()
    translators: tuple[StatedName, ...] = ()
    retellers: tuple[StatedName, ...] = ()
    others: tuple[StatedName, ...] = ()
    is_translated: bool = False
    is_retold: bool = False


@lru_cache(_CACHED)
def read_statement(text: str) -> Responsibility:
    """Return the persons that a statement of responsibility names.

    >>> found = read_statement("Агата Кристи ; пер. с англ. Л. Беспаловой")
    >>> [name.text for name in found.authors], [name.text for name in found.translators]
    (['~*kristi agata'], ['~*bespalovoi l'])
    """
    authors: list[StatedName] = []
    translators: list[StatedName] = []
    retellers: list[StatedName] = []
    others: list[StatedName] = []
    is_translated = is_retold = False
    plain = unicodedata.normalize("NFC", text[:_MAX_CHARACTERS])
    if ". " in plain:
        plain = _SENTENCES.sub(r"\1 ; ", plain)
    if "[" in plain:
        plain = _SUPPLIED_ROLE.sub(r"\1", plain)
    for number, segment in enumerate(filter(None, _SEGMENTS.split(plain))):
        if found := _TRANSLATED.search(segment):
            is_translated = True
            behind = _behind(segment, found)
            translators += names_in(behind) or names_in(segment[: found.start()])
        elif found := _RETOLD.search(segment):
            from_language = re.search(r"\bс\s\w+\.", segment) is not None
            (translators if from_language else retellers).extend(names_in(segment[found.end() :]) or names_in(segment))
            is_translated |= from_language
            is_retold |= not from_language
        elif found := _REVISED.search(segment):
            retellers += names_in(_behind(segment, found))
        elif _BODY.search(segment):
            continue
        elif _EDITED.search(segment):
            others += names_in(segment)
        elif _AUTHOR_OF.search(segment):
            continue
        elif number == 0 or _REAL_NAME.match(segment):
            authors += [
                *names_in(segment),
                *(name for text in _IN_BRACKETS.findall(segment) for name in names_in(text)),
            ]
        else:
            others += names_in(segment)
    return Responsibility(
        tuple(dict.fromkeys(authors)),
        tuple(dict.fromkeys(translators)),
        tuple(dict.fromkeys(retellers)),
        tuple(dict.fromkeys(others)),
        is_translated,
        is_retold,
    )


def composer_in_title(text: str) -> tuple[StatedName, ...]:
    """Return the names that a subtitle states as those of the author: «сочинение М. Лермонтова»."""
    found = _COMPOSED.search(text)
    return tuple(names_in(found[1])) if found else ()


def _behind(segment: str, found: re.Match[str]) -> str:
    """Return the text of a segment behind the word for a translation and the language, where the names are."""
    text = segment[found.end() :]
    by = _BEHIND_BY.search(text)
    if by:
        return text[by.end() :]
    return _FROM_LANGUAGE.sub(" ", f" {text}")


def names_in(text: str) -> list[StatedName]:
    """Return the names of persons in a text: words with capitals, of which the last one is the family name.

    >>> [name.text for name in names_in("Т. Михайловой, В. Руднева")]
    ['~*mihailovoi t', '~*rudneva v']
    """
    plain = unicodedata.normalize("NFC", _NOT_NAMES.sub(" " if "(" in text else "", text))
    found = []
    for chunk in _BETWEEN_NAMES.split(plain)[:_MAX_NAMES]:
        name = _name_of(chunk)
        if name is not None:
            found.append(name)
    return found


def _name_of(chunk: str) -> StatedName | None:
    """Return the first name in a text that names one person at most."""
    run: list[str] = []
    for token in _TOKEN.findall(chunk.rstrip(" .")):
        word = token.rstrip(".")
        is_word = word[0].isupper() and (len(word) == 1 or not word.isupper()) and word.casefold() not in _NO_FAMILY
        if is_word:
            run.append(token)
        elif any(map(_is_full, run)):
            break
        else:
            run = []
    if not any(map(_is_full, run)):
        return None
    last = len(run) - 1
    while last and not _is_full(run[last]):
        last -= 1
    is_family_first = last < len(run) - 1
    family = run[0] if is_family_first and _is_full(run[0]) else run[last]
    given = [token for token in run if token is not family]
    mark = CYRILLIC_NAME if has_cyrillic(family) else ""
    return StatedName(STATED_NAME + mark + name_word(family), tuple(filter(None, map(name_word, given))))


def _is_full(token: str) -> bool:
    return not token.endswith(".") and len(token) > 1


@lru_cache(_CACHED)
def name_word(word: str) -> str:
    """Return the key of one word of a name, in which ``ch`` and ``kh`` are one letter, as romanisations confuse them.

    >>> name_word("Čechov") == name_word("Чехов") == name_word("Tschechow")
    True
    """
    key = spelling_key(word.strip(".")).replace(" ", "").replace("-", "").replace("ch", "h").replace("th", "t")
    return key.removesuffix("ii") + "i" if key.endswith("ii") else key


_REPEATED, _CONSONANTS = re.compile(r"(.)\1"), 3


def is_cyrillic_name(key: str) -> bool:
    """Whether the key of a name is that of one in Cyrillic letters."""
    return CYRILLIC_NAME in key[: len(_MARKS)]


def _first_letter(found: re.Match[str]) -> str:
    return found[1]


@lru_cache(_CACHED)
def stem_of_family(family: str) -> str:
    """Return the first consonants of the key of a family name, which all its forms, cases and transcriptions share.

    >>> stem_of_family("hemet"), stem_of_family("hamet"), stem_of_family("shopen"), stem_of_family("asimova")
    ('kmt', 'kmt', 'kpn', 'asmv')
    """
    family = family.lstrip(_MARKS)
    sounds = consonants(family.replace("sh", "h").replace("ch", "h").replace("ts", "s")).replace("h", "k")
    return ("a" if family[:1] in "aeiouy" else "") + _REPEATED.sub(_first_letter, sounds)[:_CONSONANTS]


def are_one_name(one: StatedName, other: StatedName) -> bool:
    """Whether two names may be of one person: equal family names, and given names that agree.

    The endings of names in statements may differ; names of two scripts may be spelled more differently.
    """
    marks = [{*name.family[: len(_MARKS)]} & {*_MARKS} for name in (one, other)]
    are_in_two_scripts = (CYRILLIC_NAME in marks[0]) != (CYRILLIC_NAME in marks[1])
    are_inflected = any(STATED_NAME in found for found in marks)
    one, other = (name._replace(family=name.family.lstrip(_MARKS)) for name in (one, other))
    if are_in_two_scripts and _are_similar(one.family, other.family):
        return do_given_names_agree(one.given, other.given)
    if not _are_one_family(one.family, other.family, are_inflected):
        words, others = {one.family, *one.given}, {other.family, *other.given}
        return bool(words & others) and (words <= others or others <= words) and min(map(len, words & others)) > 2
    return do_given_names_agree(one.given, other.given, _SLAVIC_FAMILY.search(one.family) is None)


def _are_similar(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long != f"{short}a" and SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.66


def _are_one_family(one: str, other: str, are_inflected: bool) -> bool:
    if one == other:
        return True
    if not are_inflected:
        return False
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    return common >= 3 and one[common:] in _ENDINGS and other[common:] in _ENDINGS


def do_given_names_agree(one: tuple[str, ...], other: tuple[str, ...], is_foreign: bool = True) -> bool:
    """Whether given names may be of one person: one is equal, or the initials agree as far as both are known.

    ``is_foreign``: initials that transcriptions confuse count as equal.
    """
    if not one or not other:
        return True
    if {word for word in one if len(word) > 2} & {word for word in other if len(word) > 2}:
        return True
    pairs = list(zip(one, other, strict=False))
    if all(_initial(left) == _initial(right) if is_foreign else left[0] == right[0] for left, right in pairs):
        return all(
            min(len(left), len(right)) <= 3 or left[:2] == right[:2] or _are_close(left, right) for left, right in pairs
        )
    return False


def _initial(word: str) -> str:
    return word[:1].translate(_INITIAL_CLASSES)


def _are_close(left: str, right: str) -> bool:
    """Whether given names have half of their letters in common: William and Villiam, Hans and Gans."""
    return len(set(left) & set(right)) * 3 >= 2 * min(len(set(left)), len(set(right)))
