"""Authority records out of tables: CSV with a header, one record a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import BinaryIO, cast, get_args
from urllib.parse import quote

from bibld.errors import HarvestError
from bibld.link._lives import Life, life_of, year_of
from bibld.link._values import AuthorityKind, AuthorityLabel, AuthorityRecord
from bibld.model.iris import web_iri

COLUMNS = {
    "id": ("id", "iri", "uri", "identifier"),
    "label": ("label", "labels", "preflabel", "preferred", "heading", "name"),
    "variants": ("variants", "altlabel", "altlabels", "variant", "aliases", "other_labels"),
    "dates": ("dates", "date", "years"),
    "born": ("born", "birth", "birth_date", "birthdate"),
    "died": ("died", "death", "death_date", "deathdate"),
    "kind": ("kind", "type"),
    "language": ("language", "lang"),
    "numbers": ("numbers", "sameas", "same_as", "exactmatch"),
    "works": ("works", "titles"),
    "occupations": ("occupations", "occupation"),
}
"""The columns of a table, and the names that a header may have for each; id and label are required."""

_OTHER_KINDS: dict[str, AuthorityKind] = {
    "personal": "person",
    "corporate": "organisation",
    "organization": "organisation",
    "conference": "meeting",
    "geographic": "place",
    "subject": "topic",
    "concept": "topic",
}
_KINDS = {str(kind): cast(AuthorityKind, kind) for kind in get_args(AuthorityKind)} | _OTHER_KINDS
_SAFE = "-._~:/@"
_MAX_CELL_CHARACTERS = 1 << 20
_HEAD = 4096


def read_csv(stream: BinaryIO, name: str, template: str) -> Iterator[AuthorityRecord]:
    """Yield a record for each row; several labels of a cell are separated by ``|`` (the first is preferred).

    ``template`` makes an IRI of an id that is none: ``https://example.org/{}``. Raises ``HarvestError`` for a table
    without the columns that are needed, and for ids that are not IRIs without a template.
    """
    csv.field_size_limit(_MAX_CELL_CHARACTERS)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    head = text.readline()
    separator = max(",;\t", key=head.count)
    header = [cell.strip().lower() for cell in next(csv.reader([head], delimiter=separator), [])]
    columns = {
        column: header.index(found)
        for column, names in COLUMNS.items()
        if (found := next((one for one in names if one in header), None)) is not None
    }
    if missing := [column for column in ("id", "label") if column not in columns]:
        raise HarvestError(
            f"{name}: is a table without the column {' and '.join(missing)}; its header is {', '.join(header)[:200]!r};"
            f" the columns are {', '.join(COLUMNS)}"
        )
    try:
        for line, row in enumerate(csv.reader(text, delimiter=separator), 2):
            cells = {column: row[at].strip() for column, at in columns.items() if at < len(row)}
            if cells.get("id") and cells.get("label"):
                yield _record_of(cells, f"{name}: line {line}", template)
    except csv.Error as error:
        raise HarvestError(f"{name}: is not a valid table: {error}; write it again as CSV") from error


def iri_of(identifier: str, template: str) -> str | None:
    """Return an identifier as IRI: itself, or the template with it (percent-encoded); None if that is no IRI."""
    return web_iri(identifier) or (web_iri(template.replace("{}", quote(identifier, safe=_SAFE))) if template else None)


def _record_of(cells: Mapping[str, str], place: str, template: str) -> AuthorityRecord:
    iri = iri_of(cells["id"], template)
    if iri is None:
        raise HarvestError(
            f"{place}: the id {cells['id'][:80]!r} is not an IRI; name a template, such as --iri https://example.org/{{}}"
        )
    language = cells.get("language", "").lower()
    preferred, *others = _parts(cells["label"])
    labels = {AuthorityLabel(preferred, language, True)}
    labels |= {AuthorityLabel(text, language) for text in (*others, *_parts(cells.get("variants", "")))}
    kind = _KINDS.get(cells.get("kind", "").lower(), "")
    life = life_of(cells.get("dates", "")) if cells.get("dates") else Life()
    if life == Life() and kind in ("person", ""):
        life = life_of(preferred) if "," in preferred or kind == "person" else life
    return AuthorityRecord(
        iri=iri,
        kind=kind,
        labels=tuple(sorted(labels)),
        born=year_of(cells.get("born", "")) or life.born,
        died=year_of(cells.get("died", "")) or life.died,
        numbers=tuple(sorted(found for text in _parts(cells.get("numbers", "")) if (found := web_iri(text)))),
        works=tuple(_parts(cells.get("works", ""))),
        occupations=tuple(_parts(cells.get("occupations", ""))),
    )


def _parts(cell: str) -> list[str]:
    return [part for part in (part.strip() for part in cell.split("|")) if part]
