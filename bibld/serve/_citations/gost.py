"""References and descriptions by the Russian standards: ГОСТ Р 7.0.5-2008 and ГОСТ Р 7.0.100-2018."""

from __future__ import annotations

from bibld.model.identifiers import hyphenated_isbn
from bibld.serve._citations.joining import imprint, sentences
from bibld.serve._citations.reference import Kind, Person, Reference

_SHORT_PLACES = {
    "Москва": "М.",
    "Санкт-Петербург": "СПб.",
    "Ленинград": "Л.",
    "Петроград": "Пг.",
    "Нижний Новгород": "Н. Новгород",
    "Ростов-на-Дону": "Ростов н/Д.",
    "London": "L.",
    "Paris": "P.",
    "New York": "N. Y.",
}
"""Places of publication as GOST 7.0.12 and 7.0.5 shorten them."""

_MAX_IN_HEADING = 3
_MAX_NAMED = 4
_CONTENT: dict[Kind, str] = {
    "map": "Изображение (картографическое ; неподвижное ; двухмерное)",
    "score": "Музыка (знаковая)",
    "sound": "Звуки",
    "film": "Изображение (движущееся ; двухмерное)",
    "image": "Изображение (неподвижное ; двухмерное)",
}
"""Kind → its term of content (ГОСТ Р 7.0.100-2018, 5.9); others are text."""

_MEDIUM: dict[Kind, str] = {"sound": "аудио", "film": "видео"}


def gost(reference: Reference) -> str:
    """Write a reference by ГОСТ Р 7.0.5-2008, with a full stop between its areas.

    Up to three authors are the heading; of more, the first is named after the title.
    """
    is_russian = reference.is_cyrillic
    authors = reference.authors
    heading = ", ".join(map(_family_first, authors)) if len(authors) <= _MAX_IN_HEADING else ""
    title = reference.full_title
    if not authors and reference.responsibility:
        title = f"{title} / {reference.responsibility}"
    elif len(authors) > _MAX_IN_HEADING:
        title = f"{title} / {_initials_first(authors[0])} {_others(is_russian)}"
    if reference.container:
        return sentences(heading, f"{title} // {reference.container}", *_place_in_host(reference), _address(reference))
    issued = imprint(
        " ; ".join(_SHORT_PLACES.get(place, place) for place in reference.places),
        " ; ".join(reference.publishers),
        reference.year,
        " : ",
    )
    series = " ; ".join(filter(None, (reference.series, reference.series_number)))
    extent = " ".join(filter(None, (reference.extent, f"({series})" if series else "")))
    numbers = _isbn(reference)
    return sentences(heading, title, reference.part, reference.edition, issued, extent, numbers, _address(reference))


def gost_description(reference: Reference) -> str:
    """Write the description of a publication by ГОСТ Р 7.0.100-2018, its areas divided by a full stop and a dash.

    The heading is the first author; up to four authors are named after the title, of more the first three.
    """
    authors = reference.authors
    heading = authors[0].heading_with_initials if authors and len(authors) < _MAX_NAMED else ""
    responsibility = reference.responsibility or _named(authors, reference.is_cyrillic)
    title = " / ".join(filter(None, (reference.full_title, responsibility)))
    content = f"{_CONTENT.get(reference.kind, 'Текст')} : {_medium(reference)}"
    if reference.container:
        host = sentences(reference.container, *_place_in_host(reference, is_short=False), between=" — ")
        parts: tuple[str, ...] = (
            f"{sentences(title, content, between=' — ').removesuffix('.')} // {host}",
            _address(reference),
        )
    else:
        issued = imprint(" ; ".join(reference.places), " ; ".join(reference.publishers), reference.year, " : ")
        series = " ; ".join(filter(None, (reference.series, reference.series_number)))
        parts = (
            ". ".join(filter(None, (title, reference.part))),
            reference.edition,
            issued,
            reference.extent,
            f"({series})" if series else "",
            _isbn(reference),
            *(f"ISSN {number}" for number in reference.issn[:1]),
            _address(reference),
            content,
        )
    return " ".join(filter(None, (heading and f"{heading.rstrip('.')}.", sentences(*parts, between=" — "))))


def _place_in_host(reference: Reference, is_short: bool = True) -> list[str]:
    volume, issue, pages = ("Т.", "№", "С.") if reference.is_cyrillic else ("Vol.", "No.", "P.")
    numbers = [
        f"{name} {number}" if number[:1].isdigit() else number
        for name, number in ((volume, reference.volume), (issue, reference.issue))
        if number
    ]
    place = " ; ".join(_SHORT_PLACES.get(each, each) if is_short else each for each in reference.places)
    issued = imprint(place, " ; ".join(reference.publishers), reference.year, " : ")
    year = issued if reference.kind == "chapter" else reference.year
    pages_text = f"{pages} {reference.pages}" if reference.pages else reference.extent
    return [year, ", ".join(numbers), pages_text]


def _address(reference: Reference) -> str:
    """Write where the publication can be read, and when it was: an address is dated, a DOI is not (7.0.5, 10.4.6)."""
    if reference.doi:
        return f"DOI: {reference.doi}"
    if not reference.url:
        return ""
    day = ".".join(reversed(reference.accessed.split("-")))
    return f"URL: {reference.url}" + (f" (дата обращения: {day})" if day else "")


def _isbn(reference: Reference) -> str:
    return f"ISBN {hyphenated_isbn(reference.isbn[0])}" if reference.isbn else ""


def _medium(reference: Reference) -> str:
    return "электронный" if reference.is_electronic else _MEDIUM.get(reference.kind, "непосредственный")


def _named(authors: tuple[Person, ...], is_russian: bool) -> str:
    shown = authors if len(authors) <= _MAX_NAMED else authors[: _MAX_NAMED - 1]
    names = ", ".join(map(_initials_first, shown))
    return f"{names} {_others(is_russian)}" if len(shown) < len(authors) else names


def _others(is_russian: bool) -> str:
    return "[и др.]" if is_russian else "[et al.]"


def _family_first(person: Person) -> str:
    return " ".join(filter(None, (person.family, person.initials)))


def _initials_first(person: Person) -> str:
    return " ".join(filter(None, (person.initials, person.family)))
