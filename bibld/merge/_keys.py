"""When two values of MODS are the same value: their keys are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any

from bibld.model.identifiers import NUMBERS_OF_PUBLISHERS, isbn, isbn13, number_and_source
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
from bibld.text.dates import years
from bibld.text.folding import fold, tidy
from bibld.text.names import person_key
from bibld.text.numerals import part_number
from bibld.text.places import expand_place

Key = Callable[[Any], Hashable]


def plain(text: str) -> str:
    """The folded text; the text itself where it has neither letters nor digits."""
    return fold(text) or tidy(text)


_BLANKS = re.compile(r"[\s-]")
_IN_PARENTHESES = re.compile(r"\(([^)]*)\)?")


def title_info(value: TitleInfo) -> tuple[Hashable, ...]:
    """Type, folded title and subtitle, numbers and names of parts; what does not sort does not count, nor does a stated
    script that the letters tell anyway, nor whether the subtitle stands in a place of its own."""
    return (
        value.type,
        " ".join(map(plain, (value.title, *value.sub_title))),
        " ".join(map(part_number, value.part_number)),
        " ".join(map(plain, value.part_name)),
    )


def name(value: Name) -> tuple[Hashable, ...]:
    """Type, folded heading, dates and what else is said of the person; roles do not count."""
    if not value.name_part:
        return (value.type, tuple(map(plain, value.display_form)) or value)
    if value.type != "personal":
        return (value.type, tuple(plain(part.value) for part in value.name_part))
    heading = heading_of(value)
    additions = " ".join(map(plain, _IN_PARENTHESES.findall(heading)))
    terms = " ".join(plain(part.value) for part in value.name_part if part.type == "termsOfAddress")
    dates = dates_of(value)
    return (value.type, person_key(heading) or plain(heading), dates, additions, terms)


def heading_of(value: Name) -> str:
    """The heading of a person without dates and terms of address, the family name first."""
    given = [part.value for part in value.name_part if part.type == "given"]
    parts = [part.value for part in value.name_part if part.type in (None, "family")]
    return ", ".join((*parts, " ".join(given)) if given else parts)


def dates_of(value: Name) -> tuple[Hashable, ...]:
    """The years of a life, where the name or its dates have any, else the words of the dates."""
    dates = " ".join(part.value for part in value.name_part if part.type == "date")
    return years(dates) or ((plain(dates),) if plain(dates) else years(heading_of(value)))


def genre(value: Genre) -> Hashable:
    """Authority and folded term."""
    return (value.authority, value.type, plain(value.value))


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
    return (value.type, value.display_label, plain(value.value))


def subject(value: Subject) -> Hashable:
    """Authority and the folded chain of terms."""
    return (value.authority, tuple(_subject_part(part) for part in value.parts))


def _subject_part(part: object) -> Hashable:
    if isinstance(part, Name):
        return name(part)
    if isinstance(part, TitleInfo):
        return title_info(part)
    text = getattr(part, "value", None)
    return (type(part).__name__, plain(text) if isinstance(text, str) else repr(part))


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
    return tuple((term.type, term.authority, plain(full_place(term))) for term in value.place_term)


def full_place(term: PlaceTerm) -> str:
    """The words of a place, an abbreviation as what it stands for."""
    return term.value if term.type == "code" else expand_place(term.value)


def date(value: Date) -> Hashable:
    """The folded text, and whether it is coded, and as begin or end: a coded date does not stand for one as printed."""
    return (value.encoding, value.point, plain(value.value))


def publisher(value: Publisher) -> Hashable:
    """The folded name."""
    return plain(value.value)


def text(value: Any) -> Hashable:  # noqa: ANN401
    """The folded text of a simple value."""
    return plain(value if isinstance(value, str) else value.value)


def child(value: Any) -> Hashable:  # noqa: ANN401
    """That of a date; the folded text of what else has one, else the value itself."""
    if isinstance(value, Date):
        return date(value)
    return text(value) if isinstance(getattr(value, "value", value), str) else value


KEYS: dict[str, Key] = {
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
"""The keys of elements, by their names; those of all others are their :func:`text`."""

KEYS_OF_CHILDREN: dict[str, Key] = {"place": place, "publisher": publisher}
"""The keys of children of ``origin_info`` and ``physical_description``; those of all others are :func:`child`."""
