"""References in the words of a style of citation, and as files for reference managers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import msgspec

from bibld.serve._citations.gost import gost, gost_description
from bibld.serve._citations.joining import ended, imprint, sentences
from bibld.serve._citations.reference import Person, Reference
from bibld.text.numerals import edition_number
from bibld.text.romanisation import romanise

_MAX_IN_APA = 20
_MAX_IN_CHICAGO = 10
_SHOWN_OF_MANY_IN_CHICAGO = 7


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
    return " ".join(filter(None, (sentences(*opening, source), link)))


def _apa_names(people: tuple[Person, ...]) -> str:
    names = [", ".join(filter(None, (person.family, person.initials))) for person in people]
    if len(names) > _MAX_IN_APA:
        return ", ".join(names[: _MAX_IN_APA - 1]) + f", … {names[-1]}"
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
    issued = imprint("; ".join(reference.places), "; ".join(reference.publishers), reference.year or "n.d.", ": ")
    link = f"https://doi.org/{reference.doi}" if reference.doi else reference.url
    if reference.container:
        issue = f"no. {reference.issue}" if reference.issue else ""
        numbers = ", ".join(filter(None, (reference.volume, issue)))
        where = f"{reference.container} {numbers}".strip() + f" ({reference.year or 'n.d.'})"
        if reference.kind == "chapter":
            where = f"In {reference.container}{', ' + reference.pages if reference.pages else ''}"
            return sentences(names, f"“{ended(title)}”", where, issued, link)
        where = f"{where}: {reference.pages}" if reference.pages else where
        return sentences(names, f"“{ended(title)}”", where, link)
    translators = " and ".join(each.spoken for each in reference.translators)
    series = " ".join(filter(None, (reference.series, reference.series_number)))
    translated = f"Translated by {translators}" if translators else ""
    return sentences(names, title, reference.part, translated, edition, series, issued, link)


def _chicago_names(people: tuple[Person, ...]) -> str:
    """Return the first name with the family name first, the others as they are spoken."""
    if not people:
        return ""
    shown = people if len(people) <= _MAX_IN_CHICAGO else people[:_SHOWN_OF_MANY_IN_CHICAGO]
    names = [shown[0].heading]
    names += [person.spoken for person in shown[1:]]
    if len(people) > len(shown):
        return ", ".join((*names, "et al."))
    return ", and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# -- what the styles share


def _english_edition(statement: str) -> str:
    """Return the number of an edition in English, a statement without a number as it is."""
    number = edition_number(statement.lower()) if any(map(str.isdigit, statement)) else 0
    if number <= 1:  # a statement without the number of an edition counts as the first
        return statement
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} ed."


_BIBTEX_TYPES = {"article": "article", "chapter": "incollection", "thesis": "phdthesis", "book": "book"}
_TYPES = {
    "book": ("BOOK", "book"),
    "article": ("JOUR", "article-journal"),
    "chapter": ("CHAP", "chapter"),
    "serial": ("SER", "periodical"),
    "thesis": ("THES", "thesis"),
    "map": ("MAP", "map"),
    "score": ("MUSIC", "musical_score"),
    "sound": ("SOUND", "song"),
    "film": ("VIDEO", "motion_picture"),
    "image": ("ART", "graphic"),
    "document": ("GEN", "document"),
}
"""The types of RIS and of the Citation Style Language, by kind."""

_NOT_IN_KEY = re.compile(r"[^A-Za-z0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # BibTeX counts braces even after a backslash
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_"},
}
_FIRST_YEAR = re.compile(r"\d{4}")


def bibtex(references: Iterable[Reference]) -> str:
    """Write entries for BibTeX and BibLaTeX, in UTF-8. Keys are made of the name, the year and the title."""
    keys: dict[str, int] = {}
    entries = []
    for reference in references:
        key = _bibtex_key(reference)
        keys[key] = keys.get(key, 0) + 1
        number = keys[key]
        entries.append(_bibtex_entry(reference, key if number == 1 else f"{key}-{number}"))
    return "\n".join(entries)


def _bibtex_key(reference: Reference) -> str:
    people = reference.authors or reference.editors
    name = people[0].family if people else ""
    word = next((word for word in reference.title.split() if len(word) > 2), reference.title)
    parts = (_NOT_IN_KEY.sub("", romanise(text)).lower()[:24] for text in (name, reference.year, word))
    return "-".join(filter(None, parts)) or "publication"


def _bibtex_entry(reference: Reference, key: str) -> str:
    is_part = reference.kind == "article"
    fields = {
        "author": _bibtex_names(reference.authors),
        "editor": _bibtex_names(reference.editors),
        "translator": _bibtex_names(reference.translators),
        "title": _tex(": ".join(filter(None, (reference.title, reference.subtitle)))),
        "journal" if is_part else "booktitle": _tex(reference.container),
        "volume": _tex(reference.volume or reference.part),
        "number": _tex(reference.issue or reference.series_number),
        "pages": _tex(reference.pages).replace("–", "--"),
        "series": _tex(reference.series),
        "edition": _tex(reference.edition),
        "address": _tex(" ; ".join(reference.places)),
        "publisher": _tex(" ; ".join(reference.publishers)),
        "year": _tex(reference.year),
        "isbn": _tex(reference.isbn[0] if reference.isbn else ""),
        "issn": _tex(reference.issn[0] if reference.issn else ""),
        "doi": _one_line(reference.doi).replace("{", "").replace("}", ""),
        "language": _tex(reference.language),
        "url": _one_line(reference.url or reference.iri).replace("{", "%7B").replace("}", "%7D"),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{_BIBTEX_TYPES.get(reference.kind, 'misc')}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _bibtex_names(people: Iterable[Person]) -> str:
    return " and ".join(_bibtex_name(person) for person in people)


def _bibtex_name(person: Person) -> str:
    family = _tex(person.family)
    if person.is_organisation or not person.given or " and " in f" {family} ":
        return f"{{{family}}}"
    return f"{family}, {_tex(person.given)}"


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in _one_line(text))


def _one_line(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def ris(references: Iterable[Reference]) -> str:
    """Write records for EndNote, Zotero, Mendeley and others (RIS), with lines that end in CR LF."""
    return "".join(
        f"{tag}  - {_one_line(value)}\r\n" for reference in references for tag, value in _ris_lines(reference)
    )


def _ris_lines(reference: Reference) -> Iterator[tuple[str, str]]:
    first, _, last = reference.pages.partition("–")
    numbers = reference.issn if reference.kind in ("article", "serial") else reference.isbn
    values = [
        *(("AU", person.heading) for person in reference.authors),
        *(("A2" if reference.authors else "ED", person.heading) for person in reference.editors),
        *(("A4", person.heading) for person in reference.translators),
        ("TI", ": ".join(filter(None, (reference.title, reference.subtitle)))),
        ("T2", reference.container or reference.series),
        ("VL", reference.volume or reference.part),
        ("IS", reference.issue or reference.series_number),
        ("ET", reference.edition),
        ("CY", " ; ".join(reference.places)),
        ("PB", " ; ".join(reference.publishers)),
        ("PY", reference.year),
        ("SP", first or reference.extent),
        ("EP", last),
        *(("SN", number) for number in numbers),
        ("DO", reference.doi),
        ("LA", reference.language),
        *(("KW", subject) for subject in reference.subjects),
        ("AB", reference.abstract),
        ("UR", reference.url),
        ("ID", reference.iri),
    ]
    yield "TY", _TYPES[reference.kind][0]
    yield from ((tag, value) for tag, value in values if value)
    yield "ER", ""


def csl_json(references: Iterable[Reference]) -> str:
    """Write items of the Citation Style Language (citationstyles.org, schema 1.0.2) as a JSON array."""
    items = [csl_item(reference) for reference in references]
    return msgspec.json.format(msgspec.json.encode(items), indent=1).decode()


def csl_item(reference: Reference) -> dict[str, object]:
    """Return one item of the Citation Style Language."""
    year = _FIRST_YEAR.search(reference.year)
    edition = edition_number(reference.edition.lower()) if any(map(str.isdigit, reference.edition)) else 0
    item: dict[str, object] = {
        "id": reference.iri,
        "type": _TYPES[reference.kind][1],
        "title": ": ".join(filter(None, (reference.title, reference.subtitle))),
        "author": [_csl_name(person) for person in reference.authors],
        "editor": [_csl_name(person) for person in reference.editors],
        "translator": [_csl_name(person) for person in reference.translators],
        "container-title": reference.container,
        "collection-title": reference.series,
        "collection-number": reference.series_number,
        "volume": reference.volume or reference.part,
        "issue": reference.issue,
        "page": reference.pages,
        "edition": edition or reference.edition,
        "publisher": " ; ".join(reference.publishers),
        "publisher-place": " ; ".join(reference.places),
        "issued": {"date-parts": [[int(year[0])]]} if year else {},
        "number-of-pages": str(reference.page_count or ""),
        "number-of-volumes": str(reference.volume_count or ""),
        "ISBN": " ".join(reference.isbn),
        "ISSN": " ".join(reference.issn),
        "DOI": reference.doi,
        "URL": reference.url or reference.iri,
        "language": reference.language,
        "keyword": ", ".join(reference.subjects),
        "abstract": reference.abstract,
    }
    return {key: value for key, value in item.items() if value}


def _csl_name(person: Person) -> dict[str, str]:
    if person.is_organisation or not person.given:
        return {"literal": person.family}
    return {"family": person.family, "given": person.given}


def coins(reference: Reference) -> str:
    """Return the context object of OpenURL 1.0 (Z39.88-2004) that goes into the title of a COinS element."""
    is_article = reference.kind == "article"
    first, _, last = reference.pages.partition("–")
    pairs = [
        ("ctx_ver", "Z39.88-2004"),
        ("rft_val_fmt", f"info:ofi/fmt:kev:mtx:{'journal' if is_article else 'book'}"),
        ("rfr_id", "info:sid/bibld"),
        ("rft_id", reference.iri),
        ("rft.genre", {"article": "article", "chapter": "bookitem", "book": "book"}.get(reference.kind, "document")),
        ("rft.atitle" if reference.container else "rft.btitle", reference.full_title),
        ("rft.jtitle" if is_article else "rft.title", reference.container or reference.full_title),
        *(("rft.au", person.heading) for person in reference.authors),
        ("rft.place", " ; ".join(reference.places)),
        ("rft.pub", " ; ".join(reference.publishers)),
        ("rft.date", reference.year),
        ("rft.edition", reference.edition),
        ("rft.series", reference.series),
        ("rft.volume", reference.volume),
        ("rft.issue", reference.issue),
        ("rft.spage", first),
        ("rft.epage", last),
        *(("rft.isbn", number) for number in reference.isbn),
        *(("rft.issn", number) for number in reference.issn),
        ("rft.language", reference.language),
    ]
    return urlencode([(name, value) for name, value in pairs if value])


STYLES = {"gost": gost, "gost-description": gost_description, "apa": apa, "chicago": chicago}
"""The styles of citation by name: each writes a reference as one line of text."""

FILES = {"bib": bibtex, "ris": ris, "csl.json": csl_json}
"""The files by suffix: each writes some references as the text of one file."""
