"""When two values of MODS are the same value: their keys are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any

from bibld.model.identifiers import NUMBERS_OF_PUBLISHERS, isbn, isbn13, number_and_source
from bibld.model.literals import folded
from bibld.model.mods import (
    Classification,
    Date,
    Element,
    Genre,
    Identifier,
    Language,
    Location,
    Name,
    Note,
    OriginInfo,
    PhysicalDescription,
    Place,
    PlaceTerm,
    Publisher,
    RelatedItem,
    Subject,
    TitleInfo,
)
from bibld.model.places import expanded_place

Key = Callable[[Any], Hashable]

_BLANKS = re.compile(r"[\s-]")


def title_info(value: TitleInfo) -> Hashable:
    """Type and folded title with its parts; what does not sort does not count, and no stated script that the letters
    tell anyway."""
    texts = (value.title, *value.sub_title, *value.part_number, *value.part_name)
    return (value.type, tuple(folded(text) for text in texts))


def name(value: Name) -> Hashable:
    """Type, folded heading and dates; roles do not count."""
    return (value.type, tuple(folded(part.value) for part in value.name_part))


def genre(value: Genre) -> Hashable:
    """Authority and folded term."""
    return (value.authority, value.type, folded(value.value))


def origin_info(value: OriginInfo) -> Hashable:
    """The event: publication, manufacture … An event without a name is publication; a romanised statement beside that
    in the original script stays apart."""
    return (value.event_type or "publication", value.script == "Latn")


def language(value: Language) -> Hashable:
    """Terms and the part that is in the language."""
    return (value.object_part, tuple(term.value for term in value.language_term))


def physical_description(value: PhysicalDescription) -> Hashable:
    """There is one description; a parallel script has its own."""
    return value.script


def note(value: Note) -> Hashable:
    """Type and folded text."""
    return (value.type, value.display_label, folded(value.value))


def subject(value: Subject) -> Hashable:
    """Authority and the folded chain of terms."""
    return (value.authority, tuple(_subject_part(part) for part in value.parts))


def _subject_part(part: object) -> Hashable:
    if isinstance(part, Name):
        return name(part)
    if isinstance(part, TitleInfo):
        return title_info(part)
    text = getattr(part, "value", None)
    return (type(part).__name__, folded(text) if isinstance(text, str) else repr(part))


def classification(value: Classification) -> Hashable:
    """Authority and class mark without blanks."""
    return (value.authority, re.sub(r"\s", "", value.value).casefold())


def location(value: Location) -> Hashable:
    """The addresses, or institution and shelf mark."""
    if value.url:
        return tuple(url.value for url in value.url)
    return (tuple(place.value for place in value.physical_location), value.shelf_locator, value.holding_simple)


def related_item(value: RelatedItem) -> Hashable:
    """Relation, and folded title or else identifiers of the other resource."""
    titles = tuple(title_info(info) for info in value.mods.title_info[:1])
    identifiers = tuple(identifier(found) for found in value.mods.identifier)
    return (value.type, value.other_type, titles or identifiers or repr(value))


def identifier(value: Identifier) -> Hashable:
    """Type and value without blanks, hyphens and case; ISBN-10 and ISBN-13 of one number are the same, and so are
    number and publisher in either order."""
    kind = value.type
    words = value.value
    if kind == "isbn" and value.invalid != "yes":
        stated = isbn(words)
        if stated is not None and stated.is_valid:
            return (kind, value.invalid, isbn13(stated.value))
    if kind in NUMBERS_OF_PUBLISHERS:
        words = "".join(number_and_source(words))
    return (kind, value.invalid, _BLANKS.sub("", words).casefold())


def whole(value: Element) -> Hashable:
    """The value itself."""
    return value


def place(value: Place) -> Hashable:
    """The folded terms of a place, abbreviations as what they stand for."""
    return tuple((term.type, term.authority, folded(_full_place(term))) for term in value.place_term)


def _full_place(term: PlaceTerm) -> str:
    return term.value if term.type == "code" else expanded_place(term.value)


def is_abbreviated(value: object) -> bool:
    """Whether the value is a place of which a term is abbreviated."""
    return isinstance(value, Place) and any(_full_place(term) != term.value for term in value.place_term)


def date(value: Date) -> Hashable:
    """The folded text, and whether it is coded, and as begin or end: a coded date does not stand for one as printed."""
    return (value.encoding, value.point, folded(value.value))


def publisher(value: Publisher) -> Hashable:
    """The folded name."""
    return folded(value.value)


def text(value: Any) -> Hashable:  # noqa: ANN401
    """The folded text of a simple value."""
    return folded(value if isinstance(value, str) else value.value)


UNITED: dict[str, Key] = {
    "title_info": title_info,
    "name": name,
    "genre": genre,
    "origin_info": origin_info,
    "language": language,
    "physical_description": physical_description,
    "note": note,
    "subject": subject,
    "classification": classification,
    "location": location,
    "related_item": related_item,
    "identifier": identifier,
    "part": whole,
    "extension": whole,
    "record_info": whole,
}
"""The elements that are united: compound ones, and simple ones that repeat."""

FILLED: dict[str, Key] = {
    "type_of_resource": text,
    "abstract": text,
    "table_of_contents": text,
    "target_audience": text,
    "access_condition": text,
}
"""The simple elements of which the oldest record that has any keeps its own."""

UNITED_CHILDREN: dict[str, Key] = {"place": place, "publisher": publisher, "form": text, "internet_media_type": text}
"""Children of ``origin_info`` and ``physical_description`` that are united; the others are filled."""
