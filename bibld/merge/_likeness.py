"""When values are forms of one value: equal, one fuller than the other, or one the other's romanisation."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from bibld.merge import _keys
from bibld.merge._keys import Key, plain
from bibld.model.mods import Extent, Name, Place, RelatedItem, TitleInfo
from bibld.text.extents import pages
from bibld.text.folding import fold
from bibld.text.names import is_initial_form_of
from bibld.text.romanisation import romanise

Within = Callable[[Any, Any], bool]
"""Whether the first of two values that are not equal can be a shorter form of the second."""

_CYRILLIC = re.compile("[\u0400-\u052f]")

_WORDS_OF_EXTENT = {
    word: meaning
    for meaning, words in {
        "p": "p pp page pages с стр s seiten",
        "v": "v vol vols volume volumes т тт том тома томов",
        "l": "l leaf leaves л лист листа листов",
        "cm": "cm см",
        "ill": "ill illus il ил илл",
        "port": "port ports портр",
        "map": "map maps карт карты",
    }.items()
    for word in words.split()
}


class Likeness(NamedTuple):
    """How the values of an element are compared.

    Values with equal ``key`` are equal. ``within`` is asked of values with equal ``bucket`` only. Values with equal
    ``parallel`` (None: there is none) are one value in two scripts.
    """

    key: Key
    within: Within | None = None
    bucket: Key | None = None
    parallel: Key | None = None


def _parts_of_title(value: TitleInfo) -> tuple[Hashable, ...]:
    """Type and folded main title; then what a shorter form need not have: subtitle, numbers and names of parts."""
    title, mark, rest = value.title.partition(" : ")
    sub_titles = " ".join(map(plain, (rest, *value.sub_title) if mark else value.sub_title))
    return (value.type, plain(title), sub_titles, *_keys.title_info(value)[2:])


def _title_within(short: TitleInfo, long: TitleInfo) -> bool:
    one, other = _parts_of_title(short), _parts_of_title(long)
    return one[:2] == other[:2] and all(
        not part or part == whole for part, whole in zip(one[2:], other[2:], strict=True)
    )


def _name_within(short: Name, long: Name) -> bool:
    if not all(value.type == "personal" and value.name_part for value in (short, long)):
        return False
    (_, one, one_dates, one_additions, one_terms), (_, other, other_dates, other_additions, other_terms) = (
        _keys.name(short),
        _keys.name(long),
    )
    if not _are_dates_within(one_dates, other_dates) or one_terms not in ("", other_terms):
        return False
    if one == other:
        return one_additions in ("", other_additions)
    one_heading, other_heading = _keys.heading_of(short), _keys.heading_of(long)
    if not is_initial_form_of(one_heading, other_heading):
        return False
    return one_additions in ("", other_additions) or set(str(one_additions).split()) <= set(fold(other_heading).split())


def _are_dates_within(short: Any, long: Any) -> bool:  # noqa: ANN401
    """Whether dates are missing, the same, or the year of birth alone."""
    return not short or short == long or (len(short) == 1 and short == long[:1])


def _first_word(value: Name) -> Hashable:
    if value.type != "personal" or not value.name_part:
        return None
    return str(_keys.name(value)[1]).partition(" ")[0]


def _extent_within(short: Extent, long: Extent) -> bool:
    """Whether the same pages are counted, and all words of the shorter form stand in the longer one in their order.

    Both are in the same script: a description in another language is no shorter form.
    """
    if pages(short.value) != pages(long.value) or bool(_CYRILLIC.search(short.value)) != bool(
        _CYRILLIC.search(long.value)
    ):
        return False
    words = iter(_words_of_extent(long))
    return all(word in words for word in _words_of_extent(short))


def _words_of_extent(value: Extent) -> tuple[str, ...]:
    return tuple(_WORDS_OF_EXTENT.get(word, word) for word in fold(value.value).split())


def _first_of_extent(value: Extent) -> Hashable:
    counted = pages(value.value)
    return (value.unit, counted if counted is not None else _words_of_extent(value)[:1])


def _related_within(short: RelatedItem, long: RelatedItem) -> bool:
    return (
        bool(short.mods.title_info and long.mods.title_info)
        and (short.type, short.other_type) == (long.type, long.other_type)
        and _title_within(short.mods.title_info[0], long.mods.title_info[0])
    )


def _title_of_related(value: RelatedItem) -> Hashable:
    return tuple(_parts_of_title(info)[:2] for info in value.mods.title_info[:1])


def _parallel_title(value: TitleInfo) -> Hashable:
    words = " ".join((value.title, *value.sub_title, *value.part_number, *value.part_name))
    return (value.type, romanise(words)) if value.title else None


def _parallel_name(value: Name) -> Hashable:
    if value.type != "personal" or not value.name_part:
        return (value.type, romanise(" ".join(part.value for part in value.name_part)))
    heading = romanise(_keys.heading_of(value))
    return (value.type, heading, _keys.dates_of(value)) if heading else None


def _parallel_related(value: RelatedItem) -> Hashable:
    titles = tuple(map(_parallel_title, value.mods.title_info[:1]))
    return (value.type, value.other_type, titles) if titles else None


def _parallel_place(value: Place) -> Hashable:
    if any(term.type == "code" for term in value.place_term):
        return None
    return romanise(" ".join(map(_keys.full_place, value.place_term)))


def _parallel_text(value: Any) -> Hashable:  # noqa: ANN401
    return romanise(value if isinstance(value, str) else value.value) or None


def _parallel_extent(value: Extent) -> Hashable:
    counted = pages(value.value)
    return (value.unit, counted if counted is not None else _words_of_extent(value))


LIKENESS: dict[str, Likeness] = {field: Likeness(key) for field, key in _keys.KEYS.items()} | {
    "title_info": Likeness(_keys.title_info, _title_within, lambda value: _parts_of_title(value)[:2], _parallel_title),
    "name": Likeness(_keys.name, _name_within, _first_word, _parallel_name),
    "origin_info": Likeness(_keys.origin_info, parallel=lambda value: value.event_type or "publication"),
    "related_item": Likeness(_keys.related_item, _related_within, _title_of_related, _parallel_related),
}
"""By the names of the top-level elements; all others are simple texts."""

SIMPLE = Likeness(_keys.text)

LIKENESS_OF_CHILDREN: dict[str, Likeness] = {
    "place": Likeness(_keys.place, parallel=_parallel_place),
    "publisher": Likeness(_keys.publisher, parallel=_parallel_text),
    "edition": Likeness(_keys.child, parallel=_parallel_text),
    "extent": Likeness(_keys.child, _extent_within, _first_of_extent, _parallel_extent),
}
"""By the names of children of ``origin_info`` and ``physical_description``; the others are :data:`OTHER_CHILD`."""

OTHER_CHILD = Likeness(_keys.child)
