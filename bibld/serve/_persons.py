"""What those who run a site add about persons, by their numbers in Wikidata: two lines, and a portrait."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from bibld.errors import ConfigError
from bibld.model.iris import is_web_iri
from bibld.serve.ontology import LANGUAGES

COLUMNS = ("wikidata", "description", *(f"description_{tag}" for tag in LANGUAGES), "image", "credit")
"""The columns of the table; all but the first may be missing."""

_ENTITY = "http://www.wikidata.org/entity/"
_NUMBER = re.compile(r"Q[1-9][0-9]*")


class PersonNote(msgspec.Struct, frozen=True):
    """Descriptions by language (empty: in any), the address of a portrait, and its author and licence."""

    descriptions: Mapping[str, str]
    image: str = ""
    credit: str = ""

    def description(self, language: str) -> str:
        """Return the description for a page: in its language, or in none that is named."""
        return self.descriptions.get(language) or self.descriptions.get("", "")


class Persons(msgspec.Struct, frozen=True):
    """Notes by IRIs of Wikidata. Portraits on other hosts than ``hosts`` (``https://…``) are not shown."""

    notes: Mapping[str, PersonNote] = {}
    hosts: tuple[str, ...] = ()

    @classmethod
    def read(cls, file: str, hosts: tuple[str, ...]) -> Persons:
        """Read a table; an empty name is that of none. Raises ``ConfigError`` with a message for each faulty line."""
        if not file:
            return cls()
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise ConfigError([f"serve.persons: {file} cannot be read as text in UTF-8: {error}"]) from error
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
        header = [name.strip().lower() for name in rows.fieldnames or ()]
        rows.fieldnames = header
        unknown = [name for name in header if name not in COLUMNS]
        if unknown or COLUMNS[0] not in header:
            wrong = f'has the unknown column "{unknown[0]}"' if unknown else f"has no column {COLUMNS[0]}"
            raise ConfigError([f"{file}: {wrong}; the columns are {', '.join(COLUMNS)}"])
        faults: list[str] = []
        notes = {}
        for row in rows:
            cells = {name: " ".join((row[name] or "").split()) for name in header}
            faults += [f"{file} line {rows.line_num}: {fault}" for fault in _faults(cells)]
            descriptions = {name[12:]: text for name, text in cells.items() if name.startswith("description") and text}
            notes[_ENTITY + cells["wikidata"]] = PersonNote(
                descriptions, cells.get("image", ""), cells.get("credit", "")
            )
        if faults:
            raise ConfigError(faults)
        return cls(notes, hosts)

    def note(self, iris: Iterator[str]) -> PersonNote | None:
        """Return the note about a person with some IRIs; its portrait only if its host may be asked."""
        note = next((self.notes[iri] for iri in iris if iri in self.notes), None)
        if note is None or "{0.scheme}://{0.netloc}".format(urlsplit(note.image)) in self.hosts:
            return note
        return PersonNote(note.descriptions)


def _faults(cells: Mapping[str, str]) -> Iterator[str]:
    if not _NUMBER.fullmatch(cells["wikidata"]):
        yield f'"{cells["wikidata"]}" is no number of Wikidata; write one such as Q7243'
    if cells.get("image"):
        if not is_web_iri(cells["image"]):
            yield f'the image "{cells["image"]}" is no web address; write one that begins with https://'
        if not cells.get("credit"):
            yield "the portrait has no credit; write its author and licence"
