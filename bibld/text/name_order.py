"""Names of persons as tables and statements of responsibility have them: lists, and given names first."""

from __future__ import annotations

import re

_BETWEEN_NAMES = re.compile(r",\s+(?:and\s+|&\s*)?|\s+(?:and|&)\s+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:\w\.?[ -]?){1,3}")
_INITIAL = re.compile(r"\w\.?(?:-?\w\.)*")
_PATRONYMIC = re.compile(r"\w+(?:ович|евич|овна|евна|ична|ovich|evich|ovna|evna)", re.IGNORECASE)
_PARTICLES = frozenset({
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
    if last < 1 or "," in name or _INITIAL.fullmatch(words[last]) or _PATRONYMIC.fullmatch(words[last]):
        return None
    first = last
    while first > 1 and (_is_particle(words[first - 1]) or words[first - 1] == "y"):
        first -= 1
    return " ".join(words[first:]), " ".join(words[:first])


def _is_particle(word: str) -> bool:
    return word.casefold() in _PARTICLES
