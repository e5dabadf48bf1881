"""Keys of titles and of what is known by a text alone: the same for all spellings."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from bibld.text.folding import fold
from bibld.text.numerals import ordinals_in_titles, replace_number_words, roman_number
from bibld.text.romanisation import (
    romanise,
    single_letters,
    spell_in_ascii,
    transcription_key,
    unify_transcriptions,
)
from bibld.text.scripts import has_cyrillic, repair_lookalikes

_ROMAN_NUMERAL = re.compile(r"[IVXLMХІ][IVXLCDMХІ]*(?![^\W\d_]|['’])")
_SMALL_NUMERAL = re.compile(r"[ivx]{3,9}(?![^\W\d_]|['’])")
_CYRILLIC_WORD = re.compile(r"\s[\u0400-\u052f]")
_INITIALS = re.compile(r"\.\s*\w")
_LATIN_NUMERALS = str.maketrans("ХІ", "XI")
_SMALL_DIGITS = frozenset("IVX")
_BEFORE_SENTENCES = frozenset(".:;=/!?")
_NUMBER_SIGN = re.compile(r"\b(?:no|nr|num|numer) ?(?=\d)")
_ENDING_OF_NUMBER = re.compile(r"(?<=\d) (?:st|nd|rd|th|go|ogo|mu|omu|m|h|i|a|aa|e|oe|oi|om)\b")
_DIGIT = re.compile(r"\d")
_ARTICLES = "the a an das der die le la les el los las il lo gli un une una ein eine het den det"
_KEYS_OF_ARTICLES = frozenset(romanise(_ARTICLES).split())

_CONTRACTED = re.compile(
    r"(?<=[а-яё]{2})-(?:в[оаеу]|вом|ст[ьи]|стью|сть|т[ьи]|к[аиеу]|кой|т|та|ту|те|тов|ва|ния|ние|ний|нию|ци[яию]|"
    r"ск(?:ий|ая|ое|ого|ой|их)|н(?:ый|ая|ое|ого|ой|ых))(?![\w-])",
    re.IGNORECASE,
)
_OLD_GENITIVE = re.compile(r"(?<=[^\W\d_]{3})ago\b")
SCALE_OF_MAP = re.compile(r"(?<!\d)1\s*:\s*(\d{1,3}(?:[ .]\d{3})+|\d{4,8})(?!\d)")
"""The scale of a map; its group is the number behind the colon."""
_LONG_FORMS = {
    "rsfsr": r"rossisk\w* sovetsk\w+ federativn\w+ sotsalistichesk\w+ respublik\w*",
    "rf": r"rossisk\w+ federats\w*",
    "kpss": r"kommunistichesk\w+ part\w+ sovetskogo suza",
    "vkp b": r"vsesuzn\w+ kommunistichesk\w+ part\w+ bolshevikov",
    "sssr": r"suz\w* (?:sovetskih sotsalisticheskih respublik|ssr)|sovetsk\w+ suz\w*",
    "ssha": r"soedinenn\w+ shtat\w*(?: ameriki)?",
    "fortepano": r"f ?p|f no|forte pano|pianoforte",
    "op": r"(?:soch|opus)(?= \d)",
    "usa": r"united states of america",
}
_TONALITY = re.compile(
    r"\b(?P<note>до|ре|ми|фа|соль|ля|си)(?:[ -](?P<shift>диез|бемоль))?[ -](?P<mode>мажор|минор)"
    r"|\b(?P<german>[A-Ha-h])(?P<ending>is|es|s)?[ -](?P<german_mode>dur|moll)\b"
    r"|(?:\bin |(?<=[,.:] ))(?P<english>[A-H])(?:[ -](?P<english_shift>flat|sharp))? (?P<english_mode>major|minor)\b",
    re.IGNORECASE,
)
_NAMES_OF_MODES = ("мажор", "минор", "dur", "moll", "major", "minor")
_MODES = {"мажор": "dur", "минор": "moll", "major": "dur", "minor": "moll"}
_NOTES = {"до": "c", "ре": "d", "ми": "e", "фа": "f", "соль": "g", "ля": "a", "си": "h"}
_SHIFTS = {"диез": "is", "sharp": "is", "бемоль": "es", "flat": "es", "s": "es"}
_LONG_FORM = re.compile("|".join(rf"\b({form})\b" for form in _LONG_FORMS.values()))
_STEMS_OF_LONG_FORMS = ("rossisk", "kommunist", "suz", "sovetsk", "soedin", "united", "piano", "f ", "soch", "opus")
_ABBREVIATIONS = tuple(_LONG_FORMS)
"""Names of states and parties, and words about music, as keys, that titles abbreviate."""

_CACHED = 1 << 14
_CONSONANTS = str.maketrans("zg", "sk", "aeiouy")
_TENS = frozenset(map(str, range(20, 100, 10)))


def title_key(title: str) -> str:
    """Return a romanised title without a leading article, with digits for numbers in words and Roman numerals.

    >>> title_key("Концерт до-диез минор") == title_key("Концерт cis-Moll")
    True
    >>> title_key("The Symphony № 3"), title_key("Третья симфония"), title_key("Двадцать лет XX века")
    ('simfoni 3', '3 simfona', '20 let 20 veka')
    """
    if not title:
        return ""
    if not title.isascii():
        title = without_contracted_endings(repair_lookalikes(title))
    title = _replace_roman_numerals(title)
    if ":" in title:
        title = SCALE_OF_MAP.sub(_join_scale, title)
    key = _replace_ordinals(replace_number_words(romanise(_join_tonalities(title))))
    if _DIGIT.search(key):
        key = _ENDING_OF_NUMBER.sub("", _NUMBER_SIGN.sub("", key))
    first, _, rest = key.partition(" ")
    key = unify_transcriptions(rest if rest and first in _KEYS_OF_ARTICLES else key)
    key = _abbreviated(key)
    return single_letters(_OLD_GENITIVE.sub("ogo", key) if "ago" in key else key)


def without_contracted_endings(text: str) -> str:
    """Leave out the endings of contracted words, so that these begin like the words in full.

    >>> without_contracted_endings("Нар. хоз-во и пром-сть"), without_contracted_endings("кто-то")
    ('Нар. хоз и пром', 'кто-то')
    """
    return _CONTRACTED.sub("", text) if "-" in text else text


@lru_cache(_CACHED)
def spelling_key(text: str) -> str:
    """Return a key that is equal for the spellings of a text that is no title: a name, a publisher, a statement.

    >>> spelling_key("Hoffmann") == spelling_key("Hofmann"), spelling_key("Чайковский") == spelling_key("Tchaikovsky")
    (True, True)
    """
    return single_letters(transcription_key(text))


def consonants(key: str) -> str:
    """Return a key without vowels, and with one letter for consonants that transcriptions confuse.

    >>> consonants("gulistan") == consonants("golestan"), consonants("asimov") == consonants("azimov")
    (True, True)
    """
    return key.translate(_CONSONANTS)


def body_key(name: str) -> str:
    """Return the spelling key of the name of a body, with the abbreviations of states and parties.

    >>> body_key("Российская Федерация. Законы") == body_key("РФ. Законы")
    True
    """
    return single_letters(_abbreviated(transcription_key(name)))


def _abbreviated(key: str) -> str:
    for stem in _STEMS_OF_LONG_FORMS:
        if stem in key:
            return _LONG_FORM.sub(_abbreviation, key)
    return key


def _join_scale(found: re.Match[str]) -> str:
    return f"1 {found[1].replace(' ', '').replace('.', '')}"


def _join_tonalities(title: str) -> str:
    """Write each tonality as one word. The names of modes are looked for first, which is a quick test."""
    small = title.lower()
    for mode in _NAMES_OF_MODES:
        if mode in small:
            return _TONALITY.sub(_tonality, title)
    return title


def _tonality(found: re.Match[str]) -> str:
    """Return a tonality as one word, made of its German name."""
    stated = {name: value.lower() for name, value in found.groupdict().items() if value}
    note = stated.get("german") or stated.get("english") or _NOTES[stated["note"]]
    mode = stated.get("german_mode") or _MODES[stated.get("english_mode") or stated["mode"]]
    shift = stated.get("ending") or stated.get("shift") or stated.get("english_shift", "")
    if note == "b":  # the German B is B flat, the English B is the German H
        note, shift = "h", shift or ("es" if "german" in stated else "")
    return f" tone{note}{_SHIFTS.get(shift, shift)}{mode} "


def _abbreviation(found: re.Match[str]) -> str:
    return _ABBREVIATIONS[found.lastindex - 1] if found.lastindex else found[0]


def _replace_roman_numerals(title: str) -> str:
    return _SMALL_NUMERAL.sub(_in_digits, _ROMAN_NUMERAL.sub(_in_digits, title))


def _in_digits(found: re.Match[str]) -> str:
    start = found.start()
    if start and found.string[start - 1].isalnum():
        return found[0]
    letters = found[0].translate(_LATIN_NUMERALS)
    number = roman_number(letters) if _can_be_numeral(letters, found) else None
    return found[0] if number is None else str(number)


def _can_be_numeral(letters: str, found: re.Match[str]) -> bool:
    """Return whether letters are rather a number than a word.

    A single letter is a number before a Cyrillic word or after a word, not where a sentence or initials may begin.
    """
    if len(letters) > 1:
        is_small = _SMALL_DIGITS.issuperset(letters.upper())
        return is_small or (len(letters) > 2 and "L" in letters[:2]) or (len(letters) > 3 and letters[0] == "M")
    title, start, end = found.string, found.start(), found.end()
    if found[0] not in _SMALL_DIGITS:
        return False
    if _CYRILLIC_WORD.match(title, end):
        return True
    is_after_word = start > 1 and title[start - 1].isspace() and title[start - 2] not in _BEFORE_SENTENCES
    return is_after_word and not _INITIALS.match(title, end)


def _replace_ordinals(key: str) -> str:
    """Write the ordinal numbers of a romanised title in digits, also behind tens in digits."""
    known = ordinals_in_titles()
    if known.keys().isdisjoint(words := key.split()):
        return key
    found: list[str] = []
    for word in words:
        number = known.get(word)
        if number is None:
            found.append(word)
        elif number < 10 and found and found[-1] in _TENS:
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
    return " ".join(found)


_NOT_IN_READABLE_KEY = re.compile(r"[^a-z0-9]+")
_ROMAN_NUMBER = re.compile(r"\b(?:[IVXLC]{2,}|[IVX](?!\.))\b(?![\u0300-\u036f\ufe20-\ufe2f])")
_HASH = re.compile(r"(?:^|-)[0-9a-f]{10}$")
_KEY = re.compile(r"(?:([a-z0-9-]+)-)?([0-9a-f]{10})")
_NUMBER_IN_KEY = re.compile(r"\b(?:[ivxlc]{2,}|\d+)\b")
_NO_CONSONANTS = re.compile("[aeiouh]")
_MIN_COMPARED_LETTERS = 3
_MAX_COMPARED_CONSONANTS = 12
_MAX_READABLE_CHARACTERS = 60
_KEYS_REMEMBERED = 16_384


@lru_cache(maxsize=_KEYS_REMEMBERED)
def entity_key(text: str, *more: str, is_slavic: bool = False) -> str:
    """Return the key of an entity that is known by a text: a readable part, and ten hexadecimal digits of a hash.

    The readable part is the text as it is spelled (:func:`bibld.text.romanisation.spell_in_ascii`). The hash alone
    identifies: it is that of the folded text (:func:`bibld.text.folding.fold`), or, if the text is Cyrillic or known to
    transcribe Slavic words (``is_slavic``), of its romanisation, so that forms in both scripts have the same hash. Not
    all Latin texts are romanised, since that would take Mayer for Maier. ``more`` distinguishes further. Roman numerals
    are read before, since romanisation would take XII for XIII. Keys of one hash in two spellings have one identity,
    see :func:`key_identity`.

    >>> entity_key("Толстой, Лев 1828-1910"), entity_key("Tolstoy, Lev 1828-1910", is_slavic=True)
    ('tolstoi-lev-1828-1910-91b926b9d8', 'tolstoy-lev-1828-1910-91b926b9d8')
    """
    is_romanised = is_slavic or has_cyrillic(text)
    form = romanise(_ROMAN_NUMBER.sub(_arabic, text)) if is_romanised else fold(text)
    hashed = "|".join((form or unicodedata.normalize("NFKC", text), *more))
    digest = hashlib.blake2b(hashed.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    readable = _NOT_IN_READABLE_KEY.sub("-", spell_in_ascii(text, is_romanised)).strip("-")
    readable = readable[:_MAX_READABLE_CHARACTERS].rstrip("-")
    return f"{readable}-{digest}" if readable else digest


def _arabic(numeral: re.Match[str]) -> str:
    number = roman_number(numeral[0])
    return numeral[0] if number is None else str(number)


@lru_cache(maxsize=_KEYS_REMEMBERED)
def key_identity(key: str) -> str:
    """Return what is equal for the keys of one entity in all spellings; a key without a hash as it is.

    It is the hash, and some consonants of the readable part, so that two of many million names that happen to have
    one hash are not taken for one. Keys have not always been made from the spelling: ``hitchtsotsk-alfred-…`` has the
    identity of ``hitchcock-alfred-…``. Numbers and initials are left out, which differ most.
    """
    found = _KEY.fullmatch(key)
    if found is None:
        return key
    words = romanise(_NUMBER_IN_KEY.sub("", found[1] or "")).split()
    consonants = _NO_CONSONANTS.sub("", "".join(word for word in words if len(word) >= _MIN_COMPARED_LETTERS))
    return f"{consonants.replace('ts', 'c')[:_MAX_COMPARED_CONSONANTS]}-{found[2]}"


def beginning_of_keys(key: str) -> str:
    """Return what the keys of texts begin with that begin with the text of a key; empty if that is not known."""
    return _HASH.sub("", key) if _HASH.search(key) else ""


CLASSIFICATIONS = frozenset(("rubbk", "bbk", "lbc", "udc", "ddc", "rugasnti", "rueskl"))
"""Codes of classifications whose marks name a subject and nothing else."""

_WORD = re.compile(r"(?<!\S)[^\W\d_]{4,}(?!\S)")
_DASHES = re.compile(r"--|[,;—–]")


def is_class_mark(scheme: str, label: str) -> bool:
    """Whether the label of a concept of this scheme is a mark such as ``Ш5(2=Р)1``, not a heading in words."""
    return scheme in CLASSIFICATIONS and _WORD.search(_DASHES.sub(" ", label)) is None
