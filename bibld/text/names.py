"""Names of persons: headings, lists of names, and names with the given names first."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from bibld.text.folding import fold
from bibld.text.keys import spelling_key
from bibld.text.romanisation import spell_carons
from bibld.text.scripts import has_cyrillic, repair_initials

_IN_PARENTHESES = re.compile(r"\([^)]*\)?")
_DATES_AT_END = re.compile(
    r"(?<![,;.\s])[,;.\s]*(?:\b(?:р|род|b|ca|d|fl|ум)\.\s*)?\[?\d{3,4}\??\s*(?:[-–—/]|\Z).*\Z", re.DOTALL
)
_OTHER_NAME = re.compile(
    r"(?:\bнаст\w*\.?\s*(?:имя|фам\w*)\.?(?:[\s,и]*(?:имя|отч\w*|фам\w*)\.?)*"
    r"|\bпсевд\w*\.?|\breal name|\bpseud\w*\.?(?: of)?)\s*[:—–-]?\s*([^\W\d_][^;)\]\d]+)",
    re.IGNORECASE,
)
_MAX_ABBREVIATION_LETTERS = 3
_MISPRINTED, _VARIED, _TRANSCRIBED, _SIMILAR = 0.85, 0.75, 0.6, 0.7
_MIN_MISPRINTED_LETTERS = 5
_FULLER_FORM = re.compile(r"\(([^)]*)\)?")
_PARTICLES = frozenset((
    *("de", "du", "des", "di", "da", "dal", "del", "della", "der", "den", "dos", "von", "vom", "van", "zu", "zur"),
    *("af", "av", "la", "le", "ten", "ter"),
    *("де", "дю", "ди", "да", "дель", "дер", "ден", "фон", "ван", "ла", "ле", "тер", "цу"),
))  # fmt: skip
_PATRONYMIC = re.compile(r"(?:[оеё]вич|[оеё]вна|ична|(?:ov|ev)i(?:ch|č|c)|(?:ov|ev)na)$")


def person_key(heading: str) -> str:
    """Return the folded name of a person: family name first, initials apart, without dates and parentheses.

    If there is no comma and initials or a patronymic precede the last word, this is taken for the family name.
    Particles (``von``, ``де``) come last.

    >>> person_key("Толстой Л.Н."), person_key("Л. Н. Толстой"), person_key("Толстой, Лев Николаевич, 1828-1910")
    ('толстой л н', 'толстой л н', 'толстой лев николаевич')
    >>> person_key("von Goethe, Johann"), person_key("Гёте, Иоганн фон"), person_key("Лев Николаевич Толстой")
    ('goethe johann von', 'гете иоганн фон', 'толстой лев николаевич')
    """
    family, given = _split_heading(heading)
    return " ".join((*family, *given))


def is_initial_form_of(short: str, long: str) -> bool:
    """Whether a heading can be another one with given names shortened, or left out at the end.

    The family names are equal; the short heading has at least one given name, and each of them is that of the long
    heading or its first one to three letters. A heading is no initial form of itself.

    >>> is_initial_form_of("Толстой, Л. Н.", "Толстой, Лев Николаевич")
    True
    """
    (short_family, short_given), (long_family, long_given) = _split_heading(short), _split_heading(long)
    if short_family != long_family or not short_given or short_given == long_given:
        return False
    if len(short_given) > len(long_given):
        return False
    return all(
        one == other or (len(one) <= _MAX_ABBREVIATION_LETTERS and other.startswith(one))
        for one, other in zip(short_given, long_given, strict=False)
    )


def initial_form(heading: str) -> str:
    """Replace the given names of a heading by initials.

    >>> initial_form("Толстой, Лев Николаевич")
    'Толстой, Л. Н.'
    """
    family, comma, given = heading.partition(",")
    if not comma:
        family, _, given = heading.partition(" ")
    letters = " ".join(f"{word[0]}." for word in given.split() if word[0].isalpha())
    return f"{family}, {letters}" if letters else heading


def are_spellings_of_one_name(one: str, other: str) -> bool:
    """Whether two headings can be of one person: in two scripts or two transcriptions, with given names or initials.

    Given names agree if one begins with the other, or if the first ones are equal and the others similar. Family names
    may differ by a misprint in one script, and more in two; a feminine form of a Slavic name is another name. A fuller
    form in parentheses replaces initials.

    >>> are_spellings_of_one_name("Пикетти, Тома", "Piketty, Thomas")
    True
    >>> are_spellings_of_one_name("Шекспир, Уильям", "Shakespeare, William")
    True
    >>> are_spellings_of_one_name("Петров, В. М.", "Petrov, V. N.")
    False
    >>> are_spellings_of_one_name("Иванова, А.", "Ivanov, A.")
    False
    """
    (family, given), (other_family, other_given) = map(_spelled, (one, other))
    shorter, longer = sorted((family, other_family), key=len)
    if not given or not other_given:
        return given == other_given and _are_similar(shorter, longer, _MISPRINTED)
    if shorter == longer:
        return _agree(given, other_given)
    is_in_one_script = has_cyrillic(one) == has_cyrillic(other)
    if longer == f"{shorter}a" or (is_in_one_script and len(shorter) < _MIN_MISPRINTED_LETTERS):
        return False
    if is_in_one_script:
        return _are_similar(shorter, longer, _MISPRINTED) and _agree(given, other_given)
    return _are_similar(shorter, longer, _TRANSCRIBED) and all(
        _begins(name, another) if min(len(name), len(another)) == 1 else _are_similar(name, another, _SIMILAR)
        for name, another in zip(given, other_given, strict=False)
    )


def are_variants_of_one_name(one: str, other: str) -> bool:
    """Whether two headings may be of one person where nobody else can be meant, as the only authors of one publication.

    Spellings of one name; the same words in another order; a family name that is part of the other, or similar to it,
    with given names that agree, are similar, or are missing.

    >>> are_variants_of_one_name("Шекспир, Вильям", "Шекспир, Уильям")
    True
    >>> are_variants_of_one_name("Салтыков, М. Е.", "Салтыков-Щедрин, Михаил Евграфович")
    True
    >>> are_variants_of_one_name("Гримм, Якоб", "Гримм, Вильгельм")
    False
    """
    (family, given), (other_family, other_given) = map(_spelled, (one, other))
    words, other_words = family.split(), other_family.split()
    if sorted((*words, *given)) == sorted((*other_words, *other_given)):
        return True
    is_part = set(words) <= set(other_words) or set(other_words) <= set(words)
    shorter, longer = sorted((family, other_family), key=len)
    least = _VARIED if has_cyrillic(one) == has_cyrillic(other) else _TRANSCRIBED
    if not is_part and (shorter[-1:] == "a") != (longer[-1:] == "a"):  # Толстой, Толстая
        return False
    if not is_part and not _are_similar(shorter, longer, least):
        return False
    if not given or not other_given:
        return is_part
    pairs = zip(given, other_given, strict=False)
    return all(_begins(name, another) or _are_similar(name, another, _SIMILAR) for name, another in pairs)


def _spelled(heading: str) -> tuple[str, list[str]]:
    """Return the family name and the given names of a heading in one spelling."""
    family, given = _split_heading(spell_carons(repair_initials(heading)))
    fuller = fold(" ".join(_FULLER_FORM.findall(heading))).split()
    if fuller and [name[0] for name in fuller[: len(given)]] == [name[0] for name in given[: len(fuller)]]:
        given = fuller
    words = [spelling_key(word).replace("th", "t") for word in (" ".join(family), *given)]
    return words[0], list(filter(None, words[1:]))


def _agree(given: list[str], other_given: list[str]) -> bool:
    pairs = list(zip(given, other_given, strict=False))
    return all(
        _begins(one, other) or (number > 0 and pairs[0][0] == pairs[0][1] and _are_similar(one, other, _MISPRINTED))
        for number, (one, other) in enumerate(pairs)
    )


def _begins(one: str, other: str) -> bool:
    """Return whether one of two spelled names begins with the other; Й. and J. (``i``) also begin Ordan and Ohn."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or (short == "i" and long[0] in "aeou")


def _are_similar(one: str, other: str, least: float) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= least


def _split_heading(heading: str) -> tuple[list[str], list[str]]:
    """Return the words of the family name and of the given names."""
    name = _DATES_AT_END.sub("", _IN_PARENTHESES.sub(" ", heading))
    before, comma, after = name.partition(",")
    words = fold(before).split()
    given = fold(after).split()
    if not comma:
        is_first_initial = bool(words) and len(words[0]) == 1 and len(words[-1]) > 1
        is_family_last = is_first_initial or (len(words) > 2 and _is_middle(words[-2]) and not _is_middle(words[-1]))
        return (words[-1:], words[:-1]) if is_family_last else (words[:1], words[1:])
    particles = 0
    while particles < len(words) - 1 and words[particles] in _PARTICLES:
        particles += 1
    return words[particles:], [*given, *words[:particles]]


def _is_middle(word: str) -> bool:
    """Return whether a folded word is an initial or a patronymic."""
    return len(word) == 1 or _PATRONYMIC.search(word) is not None


def other_names(text: str) -> list[str]:
    """Return the names that a text states as real names or pseudonyms.

    >>> other_names("псевд.; наст. имя Пешков, Алексей Максимович; 1868-1936"), other_names("писатель")
    (['Пешков, Алексей Максимович'], [])
    """
    return [found.strip(" ,.") for found in _OTHER_NAME.findall(text)]


_BETWEEN_NAMES = re.compile(r",\s+(?:and\s+|&\s*)?|\s+(?:and|&)\s+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:\w\.?[ -]?){1,3}")
_INITIAL = re.compile(r"\w\.?(?:-?\w\.)*")
_PATRONYMIC_ALONE = re.compile(r"\w+(?:ович|евич|овна|евна|ична|ovich|evich|ovna|evna)", re.IGNORECASE)
_PARTICLES_BEFORE_FAMILY = frozenset({
    *("al", "da", "de", "del", "della", "den", "der", "di", "du", "el", "la", "le", "st", "ten", "ter", "van", "von"),
    *("zu", "zum", "zur"),
})  # fmt: skip
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])


def divided_names(text: str) -> list[str]:
    """Divide a list of names at commas and ``and``.

    ``Smith, John`` and ``van Gogh, Vincent W.`` are one name each, family name first.

    >>> divided_names("R Ramakrishnan, J Gehrke and Y. Ioannidis"), divided_names("Smith, John")
    (['R Ramakrishnan', 'J Gehrke', 'Y. Ioannidis'], ['Smith, John'])
    >>> divided_names("Smith, J., Doe, A."), divided_names("Smith and Sons")
    (['Smith, J.', 'Doe, A.'], ['Smith and Sons'])
    """
    parts = [part for part in (part.strip(" ,;") for part in _BETWEEN_NAMES.split(text)) if part]
    if len(parts) > 2 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        return [", ".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    words = [part.split() for part in parts]
    is_list = len(parts) > 1 and all(len(part) > 1 for part in words) and not _is_particle(words[0][0])
    return parts if is_list else [text]


def family_and_given(name: str) -> tuple[str, str] | None:
    """Return family name and given names of a name with given names first; None for one that is not.

    >>> family_and_given("Yannis E. Ioannidis"), family_and_given("Ludwig van Beethoven")
    (('Ioannidis', 'Yannis E.'), ('van Beethoven', 'Ludwig'))
    >>> family_and_given("Иванов И. И."), family_and_given("Толстой Лев Николаевич"), family_and_given("Homer")
    (None, None, None)
    """
    words = name.split()
    last = len(words) - 1
    if last > 1 and words[last].casefold().strip(".") in _SUFFIXES:
        last -= 1
    if last < 1 or "," in name or _INITIAL.fullmatch(words[last]) or _PATRONYMIC_ALONE.fullmatch(words[last]):
        return None
    first = last
    while first > 1 and (_is_particle(words[first - 1]) or words[first - 1] == "y"):
        first -= 1
    return " ".join(words[first:]), " ".join(words[:first])


def _is_particle(word: str) -> bool:
    return word.casefold() in _PARTICLES_BEFORE_FAMILY
