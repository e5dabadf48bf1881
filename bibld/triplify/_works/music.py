"""Music: its numbers in the lists of a composer's works, its forms, and for what it is scored or arranged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bibld.text.keys import title_key
from bibld.text.music import read_scoring
from bibld.text.part_units import SCORING
from bibld.text.work_titles import book_of_title

_ARRANGED = re.compile(
    r"аранжиров|оркестров(?:ка|ал)|инструментов|транскрипц|обработ|arrang|\barr\.|orchestrat|orchestr(?:ée|iert) |"
    r"переложен\w*(?! для пения)|перелож\.(?! для пения)|bearb\w*",
    re.IGNORECASE,
)
_OPUS = re.compile(
    r"\b(?P<list>op|соч|ор|opus|opera|œuvre|woo|bwv|kv|k|hob|d|rv|hwv|s|sz|fwv|twv)\b\.? ?"
    r"(?P<number>(?:[IVX]+[:/a])?(?:post\w*\.? ?)?\d+(?: ?bis|[a-z])?)"
    r"(?:[,/ ]{1,2}(?:no|nr|n|№|н)?\.? ?(?P<part>\d+)(?!\d|\s?[-–]\s?\d))?",
    re.IGNORECASE,
)
_SAME_LIST = {"соч": "op", "ор": "op", "opus": "op", "opera": "op", "œuvre": "op", "kv": "k"}
_PIECES = frozenset(("prelude", "etude", "waltz", "song"))
"""Forms of which several have one number of opus."""

_NUMBER_OF_MUSIC = re.compile(r"(?:№|\bno\b\.?|\bnr\b\.?|\bn°) ?(\d{1,3})(?!\d|\s?[-–]\s?\d)", re.IGNORECASE)
_FORM_OF_MUSIC = re.compile(
    r"(?P<symphony>s[iy][mn](?:ph|f)on|симфон)|(?P<concerto>[kc]on[cz]ert|концерт)|(?P<sonata>sonat|соната|"
    r"сонат)|(?P<quartet>[qk][uv]art|квартет)|"
    r"(?P<quintet>[qk][uv]int|квинтет)|(?P<trio>\btrio|трио)|(?P<prelude>pr[eéä]lud|прелюд)|(?P<etude>[eé]tud|"
    r"этюд)|(?P<waltz>wal[zt]|valse|вальс)|"
    r"(?P<overture>ouvert|overt|увертюр)|(?P<suite>\bsuit|сюит)|(?P<mass>\bmass|missa|messe|месса)|"
    r"(?P<song>\bsong|lied|песн|романс|romance)",
    re.IGNORECASE,
)


def music_numbers(texts: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return what numbers of music titles state, by list (``op``, ``bwv``, ``no``), and the forms that they name.

    Two numbers of one list are those of a collection, and left out.

    >>> music_numbers(["Симфония № 5, соч. 67, до минор"])
    ({'op': '67', 'no': '5'}, ['symphony'])
    """
    numbers: dict[str, str] = {}
    forms: dict[str, None] = {}
    ambiguous: set[str] = set()
    for text in texts:
        for found in _OPUS.finditer(text):
            name = found["list"].casefold()
            name = _SAME_LIST.get(name, name)
            number = found["number"].replace(" ", "").casefold()
            number = f"{number}/{found['part']}" if found["part"] else number
            if numbers.setdefault(name, number).partition("/")[0] != number.partition("/")[0]:
                ambiguous.add(name)
        for found in _NUMBER_OF_MUSIC.finditer(_OPUS.sub(" ", text)):
            numbers.setdefault("no", found[1])
        forms |= dict.fromkeys(found.lastgroup or "" for found in _FORM_OF_MUSIC.finditer(text))
    for name in ambiguous:
        del numbers[name]
    if "no" in numbers and "/" not in numbers.get("op", "/") and not _PIECES.isdisjoint(forms):
        numbers["op"] += f"/{numbers.pop('no')}"
    return numbers, list(forms)


def without_opus(title: str) -> str:
    """Return a title of music without the number of its opus, or of the list of the composer's works."""
    return _OPUS.sub(" ", title).strip(" ,.:;()[]")


def number_in_title(title: str) -> str:
    """Return the number of a symphony or concerto from its title: «Пятая симфония»."""
    found = re.search(r"(?<!\d)\d{1,2}(?!\d)", title_key(title.partition(",")[0]))
    return found[0] if found else ""


def scoring_of(titles: Iterable[str]) -> Iterator[str]:
    """Yield for what instruments music is, as a trait."""
    yield from (f"for:{step.value}" for step in read_scoring(titles, ()) if step.unit == SCORING)


def is_arranged(text: str) -> bool:
    """Whether a text states that music is arranged for others than it was composed for."""
    return _ARRANGED.search(text) is not None


class Music(NamedTuple):
    """What titles state of music: traits, and numbers that tie it to editions of other titles."""

    traits: list[str]
    ties: tuple[str, ...]


def read_music(titles: Sequence[str], others: Sequence[str]) -> Music:
    """Return what the titles, the title proper first, and other title information state of music."""
    texts = (*titles, *others)
    numbers, forms = music_numbers(texts)
    if forms and "no" not in numbers and titles and (number := number_in_title(titles[0])):
        numbers["no"] = number
    keys = sorted({word for text in texts for word in title_key(text).split() if word.startswith("tone")})
    traits = [f"{name}:{number}" for name, number in numbers.items()]
    traits += [f"tonality:{key}" for key in keys] + [f"form of music:{form}" for form in forms]
    traits += [f"book:{book}" for text in texts if (book := book_of_title(text))][:1]
    form = " ".join(sorted(forms)[:1])
    ties = [f"{name} {number}" for name, number in numbers.items() if name != "no" and (forms or "/" not in number)]
    if "no" in numbers and (form == "symphony" or keys):
        ties += [f"{form} no {numbers['no']}"]
    return Music(traits, tuple(ties))
