"""References as text: ГОСТ Р 7.0.5, APA (7th edition), Chicago (17th edition, bibliography)."""

from __future__ import annotations

from bibld.serve._citations.people import Person
from bibld.serve._citations.reference import Reference
from bibld.text.numerals import edition_number

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

_MOST_IN_HEADING = 3
_MOST_IN_APA = 20
_MOST_IN_CHICAGO = 10
_SHOWN_OF_MANY_IN_CHICAGO = 7
_ENDS = (".", "?", "!", "…")


def gost(reference: Reference) -> str:
    """Write a reference by ГОСТ Р 7.0.5-2008, with a full stop between its areas.

    Up to three authors are the heading; of more, the first is named after the title.
    """
    is_russian = reference.is_cyrillic
    authors = reference.authors
    heading = ", ".join(map(_family_first, authors)) if len(authors) <= _MOST_IN_HEADING else ""
    title = reference.full_title
    if not authors and reference.responsibility:
        title = f"{title} / {reference.responsibility}"
    elif len(authors) > _MOST_IN_HEADING:
        title = f"{title} / {_initials_first(authors[0])} {'[и др.]' if is_russian else '[et al.]'}"
    if reference.container:
        return _sentences(heading, f"{title} // {reference.container}", *_gost_place_in_host(reference))
    imprint = _imprint(
        " ; ".join(_SHORT_PLACES.get(place, place) for place in reference.places),
        " ; ".join(reference.publishers),
        reference.year,
        " : ",
    )
    series = " ; ".join(filter(None, (reference.series, reference.series_number)))
    numbers = f"ISBN {reference.isbn[0]}" if reference.isbn else ""
    extent = " ".join(filter(None, (reference.extent, f"({series})" if series else "")))
    return _sentences(heading, title, reference.part, reference.edition, imprint, extent, numbers, _gost_url(reference))


def _gost_place_in_host(reference: Reference) -> list[str]:
    volume, issue, pages = ("Т.", "№", "С.") if reference.is_cyrillic else ("Vol.", "No.", "P.")
    numbers = [
        f"{name} {number}" if number[:1].isdigit() else number
        for name, number in ((volume, reference.volume), (issue, reference.issue))
        if number
    ]
    place = " ; ".join(_SHORT_PLACES.get(each, each) for each in reference.places)
    imprint = _imprint(place, " ; ".join(reference.publishers), reference.year, " : ")
    year = imprint if reference.kind == "chapter" else reference.year
    pages_text = f"{pages} {reference.pages}" if reference.pages else reference.extent
    return [year, ", ".join(numbers), pages_text, _gost_url(reference)]


def _gost_url(reference: Reference) -> str:
    return f"DOI: {reference.doi}" if reference.doi else f"URL: {reference.url}" if reference.url else ""


def apa(reference: Reference) -> str:
    """Write a reference by the Publication Manual of the APA, 7th edition; titles stay in their script."""
    date = f"({reference.year or 'n.d.'})"
    people = reference.authors or reference.editors or reference.compilers
    is_edited = not reference.authors and bool(reference.editors)
    names = _apa_names(people)
    if names and is_edited:
        names += " (Eds.)" if len(people) > 1 else " (Ed.)"
    details = [text for text in (_english_edition(reference.edition), reference.part) if text]
    title = ": ".join(filter(None, (reference.title, reference.subtitle)))
    if details and not reference.container:
        title += f" ({', '.join(details)})"
    if reference.container:
        issue = f"({reference.issue})" if reference.issue else ""
        source = ", ".join(filter(None, (reference.container, f"{reference.volume}{issue}", reference.pages)))
    else:
        source = "; ".join(reference.publishers)
    opening = (names, date, title) if names else (title, date)
    link = f"https://doi.org/{reference.doi}" if reference.doi else reference.url
    return " ".join(filter(None, (_sentences(*opening, source), link)))


def _apa_names(people: tuple[Person, ...]) -> str:
    names = [", ".join(filter(None, (person.family, person.initials))) for person in people]
    if len(names) > _MOST_IN_APA:
        return ", ".join(names[: _MOST_IN_APA - 1]) + f", … {names[-1]}"
    return ", & ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def chicago(reference: Reference) -> str:
    """Write a reference by the Chicago Manual of Style, 17th edition, as an entry of a bibliography."""
    people = reference.authors or reference.editors or reference.compilers
    names = _chicago_names(people)
    if names and not reference.authors:
        role = "ed" if reference.editors else "comp"
        names += f", {role}{'s' if len(people) > 1 else ''}."
    title = ": ".join(filter(None, (reference.title, reference.subtitle)))
    edition = _english_edition(reference.edition)
    imprint = _imprint("; ".join(reference.places), "; ".join(reference.publishers), reference.year or "n.d.", ": ")
    link = f"https://doi.org/{reference.doi}" if reference.doi else reference.url
    if reference.container:
        issue = f"no. {reference.issue}" if reference.issue else ""
        numbers = ", ".join(filter(None, (reference.volume, issue)))
        where = f"{reference.container} {numbers}".strip() + f" ({reference.year or 'n.d.'})"
        if reference.kind == "chapter":
            where = f"In {reference.container}{', ' + reference.pages if reference.pages else ''}"
            return _sentences(names, f"“{_ended(title)}”", where, imprint, link)
        where = f"{where}: {reference.pages}" if reference.pages else where
        return _sentences(names, f"“{_ended(title)}”", where, link)
    translators = " and ".join(" ".join(filter(None, (each.given, each.family))) for each in reference.translators)
    series = " ".join(filter(None, (reference.series, reference.series_number)))
    translated = f"Translated by {translators}" if translators else ""
    return _sentences(names, title, reference.part, translated, edition, series, imprint, link)


def _chicago_names(people: tuple[Person, ...]) -> str:
    """Return the first name with the family name first, the others as they are spoken."""
    if not people:
        return ""
    shown = people if len(people) <= _MOST_IN_CHICAGO else people[:_SHOWN_OF_MANY_IN_CHICAGO]
    names = [", ".join(filter(None, (shown[0].family, shown[0].given)))]
    names += [" ".join(filter(None, (person.given, person.family))) for person in shown[1:]]
    if len(people) > len(shown):
        return ", ".join((*names, "et al."))
    return ", and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# -- what the styles share


def _family_first(person: Person) -> str:
    return " ".join(filter(None, (person.family, person.initials)))


def _initials_first(person: Person) -> str:
    return " ".join(filter(None, (person.initials, person.family)))


def _imprint(place: str, publisher: str, year: str, between: str) -> str:
    return ", ".join(filter(None, (between.join(filter(None, (place, publisher))), year)))


def _english_edition(statement: str) -> str:
    """Return the number of an edition in English, a statement without a number as it is."""
    number = edition_number(statement.lower()) if any(map(str.isdigit, statement)) else 0
    if number <= 1:  # a statement without the number of an edition counts as the first
        return statement
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} ed."


def _ended(text: str) -> str:
    return text if not text or text.endswith(_ENDS) else f"{text}."


def _sentences(*texts: str) -> str:
    """Join the texts that are not empty, each with a full stop."""
    joined = " ".join(_ended(text) for text in texts if text)
    return joined.replace(".”.", ".”").replace("?”.", "?”").replace("!”.", "!”")
