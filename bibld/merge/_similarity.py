"""How values of MODS are compared: when they are one value, or forms of one value.

Values are the same if their keys are equal; one can be a fuller form of the other, or its romanisation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, NamedTuple

from bibld.merge._names import can_be_one_person, dates_of, first_word_of_person, heading_of, is_shorter_name, name_key
from bibld.model.identifiers import NUMBERS_OF_PUBLISHERS, isbn, isbn13, number_and_source
from bibld.model.mods import (
    Date,
    Extent,
    Identifier,
    Location,
    Name,
    Place,
    PlaceTerm,
    RelatedItem,
    Subject,
    TitleInfo,
)
from bibld.model.mods_plan import event_of
from bibld.text.designations import part_number
from bibld.text.extents import pages
from bibld.text.folding import fold, fold_or_tidy
from bibld.text.places import expand_place
from bibld.text.romanisation import romanise
from bibld.text.scripts import LATIN, has_cyrillic

Key = Callable[[Any], Hashable]

_VALUES_REMEMBERED = 256
"""Enough for the values of one cluster, each of which is compared several times."""

_BLANKS = re.compile(r"[\s-]")

IsShorterForm = Callable[[Any, Any], bool]
"""Whether the first of two values that are not equal can be a shorter form of the second."""

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


class Similarity(NamedTuple):
    """How the values of an element are compared.

    Values with equal ``key`` are equal. ``is_shorter_form`` is called for values with equal ``bucket`` only. Values
    with equal ``parallel_key`` (None: there is none) are one value in two scripts. ``can_be_one``: whether two values
    of different records can be one, if no other value can be either of them.
    """

    key: Key
    is_shorter_form: IsShorterForm | None = None
    bucket: Key | None = None
    parallel_key: Key | None = None
    can_be_one: Callable[[Any, Any], bool] | None = None


@lru_cache(maxsize=_VALUES_REMEMBERED)
def _title_key(value: TitleInfo) -> tuple[Hashable, ...]:
    """Return type, title with subtitle, numbers and names of parts.

    Non-sorting text does not count, nor does a stated script, nor whether the subtitle has its own element.
    """
    return (
        value.type,
        " ".join(map(fold_or_tidy, (value.title, *value.sub_title))),
        " ".join(map(part_number, value.part_number)),
        " ".join(map(fold_or_tidy, value.part_name)),
    )


def _full_place(term: PlaceTerm) -> str:
    """Return the words of a place, the full name for an abbreviation."""
    return term.value if term.type == "code" else expand_place(term.value)


def text_key(value: Any) -> Hashable:  # noqa: ANN401
    """Return the folded text of a simple value."""
    return fold_or_tidy(value if isinstance(value, str) else value.value)


def _subject_key(value: Subject) -> Hashable:
    return (value.authority, tuple(map(_subject_part_key, value.parts)))


def _subject_part_key(part: object) -> Hashable:
    if isinstance(part, Name):
        return name_key(part)
    if isinstance(part, TitleInfo):
        return _title_key(part)
    text = getattr(part, "value", None)
    return (type(part).__name__, fold_or_tidy(text) if isinstance(text, str) else part)


def _location_key(value: Location) -> Hashable:
    """Return the addresses, or institution and shelf mark."""
    if value.url:
        return tuple(url.value for url in value.url)
    return (tuple(place.value for place in value.physical_location), value.shelf_locator, value.holding_simple)


def _related_item_key(value: RelatedItem) -> Hashable:
    """Return the relation, and the title or else the identifiers of the other resource."""
    titles = tuple(_title_key(info) for info in value.mods.title_info[:1])
    return (value.type, value.other_type, titles or tuple(map(_identifier_key, value.mods.identifier)) or value)


def _identifier_key(value: Identifier) -> tuple[Hashable, ...]:
    """Return type and value without blanks, hyphens and case.

    ISBN-10 and ISBN-13 of one number have the same key, and so have number and publisher in either order.
    """
    kind, words = value.type, value.value
    if kind == "isbn" and value.invalid != "yes":
        stated = isbn(words)
        if stated is not None and stated.is_valid:
            return (kind, value.invalid, isbn13(stated.value))
    if kind in NUMBERS_OF_PUBLISHERS:
        words = "".join(number_and_source(words))
    return (kind, value.invalid, _BLANKS.sub("", words).casefold())


def _child_key(value: Any) -> Hashable:  # noqa: ANN401
    """Return the folded text of a child if it has one, else the child itself; a coded date is no printed one."""
    if isinstance(value, Date):
        return (value.encoding, value.point, fold_or_tidy(value.value))
    return text_key(value) if isinstance(getattr(value, "value", value), str) else value


def _title_parts(value: TitleInfo) -> tuple[Hashable, ...]:
    """Return type and main title; then what a shorter form can lack: subtitle, numbers and names of parts."""
    title, mark, rest = value.title.partition(" : ")
    sub_titles = " ".join(map(fold_or_tidy, (rest, *value.sub_title) if mark else value.sub_title))
    return (value.type, fold_or_tidy(title), sub_titles, *_title_key(value)[2:])


def _is_shorter_title(short: TitleInfo, long: TitleInfo) -> bool:
    one, other = _title_parts(short), _title_parts(long)
    return one[:2] == other[:2] and all(not part or part == full for part, full in zip(one[2:], other[2:], strict=True))


def _is_shorter_extent(short: Extent, long: Extent) -> bool:
    """Whether all words of the shorter form are in the longer one in their order; their bucket has the same pages.

    Both are in the same script: a description in another language is no shorter form.
    """
    if has_cyrillic(short.value) != has_cyrillic(long.value):
        return False
    words = iter(_words_of_extent(long))
    return all(word in words for word in _words_of_extent(short))


def _words_of_extent(value: Extent) -> tuple[str, ...]:
    return tuple(_WORDS_OF_EXTENT.get(word, word) for word in fold(value.value).split())


def _pages_or_words(value: Extent, most_words: int | None = None) -> Hashable:
    stated = pages(value.value)
    return (value.unit, stated if stated is not None else _words_of_extent(value)[:most_words])


def _is_shorter_related_item(short: RelatedItem, long: RelatedItem) -> bool:
    return (
        bool(short.mods.title_info and long.mods.title_info)
        and (short.type, short.other_type) == (long.type, long.other_type)
        and _is_shorter_title(short.mods.title_info[0], long.mods.title_info[0])
    )


def _parallel_title(value: TitleInfo) -> Hashable:
    words = " ".join((value.title, *value.sub_title, *value.part_number, *value.part_name))
    return (value.type, romanise(words)) if value.title else None


def _parallel_name(value: Name) -> Hashable:
    if value.type != "personal" or not value.name_part:
        return (value.type, romanise(" ".join(part.value for part in value.name_part)))
    heading = romanise(heading_of(value))
    return (value.type, heading, dates_of(value)) if heading else None


def _parallel_related_item(value: RelatedItem) -> Hashable:
    titles = tuple(map(_parallel_title, value.mods.title_info[:1]))
    return (value.type, value.other_type, titles) if titles else None


def _parallel_place(value: Place) -> Hashable:
    if any(term.type == "code" for term in value.place_term):
        return None
    return romanise(" ".join(map(_full_place, value.place_term)))


def _parallel_text(value: Any) -> Hashable:  # noqa: ANN401
    return romanise(value if isinstance(value, str) else value.value) or None


_OF_ELEMENTS: dict[str, Similarity] = {
    "title_info": Similarity(_title_key, _is_shorter_title, lambda value: _title_parts(value)[:2], _parallel_title),
    "name": Similarity(name_key, is_shorter_name, first_word_of_person, _parallel_name, can_be_one_person),
    "origin_info": Similarity(
        lambda value: (event_of(value), value.script == LATIN),
        parallel_key=event_of,
    ),
    "related_item": Similarity(
        _related_item_key,
        _is_shorter_related_item,
        lambda value: tuple(_title_parts(info)[:2] for info in value.mods.title_info[:1]),
        _parallel_related_item,
    ),
    "genre": Similarity(lambda value: (value.authority, value.type, fold_or_tidy(value.value))),
    "language": Similarity(lambda value: (value.object_part, tuple(term.value for term in value.language_term))),
    "physical_description": Similarity(lambda value: value.script),
    "note": Similarity(lambda value: (value.type, value.type_uri, value.display_label, fold_or_tidy(value.value))),
    "subject": Similarity(_subject_key),
    "classification": Similarity(lambda value: (value.authority, re.sub(r"\s", "", value.value).casefold())),
    "location": Similarity(_location_key),
    "identifier": Similarity(_identifier_key),
    "part": Similarity(lambda value: value),
    "extension": Similarity(lambda value: value),
    "record_info": Similarity(lambda value: value),
}
"""By the names of top-level elements; all others are simple texts.

There is one ``origin_info`` for each event, one ``physical_description``; a statement in a parallel script has its own.
"""

_OF_CHILDREN: dict[str, Similarity] = {
    "place": Similarity(
        lambda value: tuple((term.type, term.authority, fold_or_tidy(_full_place(term))) for term in value.place_term),
        parallel_key=_parallel_place,
    ),
    "publisher": Similarity(text_key, parallel_key=_parallel_text),
    "edition": Similarity(_child_key, parallel_key=_parallel_text),
    "extent": Similarity(_child_key, _is_shorter_extent, lambda value: _pages_or_words(value, 1), _pages_or_words),
}

_OF_TEXTS, _OF_OTHER_CHILDREN = Similarity(text_key), Similarity(_child_key)


def similarity_of_element(field: str) -> Similarity:
    """Return how the values of a top-level element of MODS are compared."""
    return _OF_ELEMENTS.get(field, _OF_TEXTS)


def similarity_of_child(field: str) -> Similarity:
    """Return how the values of a child of ``origin_info`` or ``physical_description`` are compared."""
    return _OF_CHILDREN.get(field, _OF_OTHER_CHILDREN)
