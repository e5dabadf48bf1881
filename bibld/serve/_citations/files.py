"""References as files for reference managers: BibTeX, RIS, CSL-JSON; and COinS, which they find in a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import msgspec

from bibld.serve._citations.people import Person
from bibld.serve._citations.reference import Reference
from bibld.text.numerals import edition_number
from bibld.text.romanisation import romanise

_BIBTEX_TYPES = {"article": "article", "chapter": "incollection", "thesis": "phdthesis", "book": "book"}
_RIS_TYPES = {
    "book": "BOOK",
    "article": "JOUR",
    "chapter": "CHAP",
    "serial": "SER",
    "thesis": "THES",
    "map": "MAP",
    "score": "MUSIC",
    "sound": "SOUND",
    "film": "VIDEO",
    "image": "ART",
    "document": "GEN",
}
_CSL_TYPES = {
    "book": "book",
    "article": "article-journal",
    "chapter": "chapter",
    "serial": "periodical",
    "thesis": "thesis",
    "map": "map",
    "score": "musical_score",
    "sound": "song",
    "film": "motion_picture",
    "image": "graphic",
    "document": "document",
}
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
        *(("AU", _inverted(person)) for person in reference.authors),
        *(("A2" if reference.authors else "ED", _inverted(person)) for person in reference.editors),
        *(("A4", _inverted(person)) for person in reference.translators),
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
    yield "TY", _RIS_TYPES[reference.kind]
    yield from ((tag, value) for tag, value in values if value)
    yield "ER", ""


def _inverted(person: Person) -> str:
    return ", ".join(filter(None, (person.family, person.given)))


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
        "type": _CSL_TYPES[reference.kind],
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
        "number-of-pages": reference.extent,
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
        *(("rft.au", _inverted(person)) for person in reference.authors),
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
