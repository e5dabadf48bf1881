r"""What bibld adds to records that it gives back, and how it recognises that later by the record alone.

A provenance field describes an addition: what made it (``$a``, which begins with ``bibld``), how certain it is
(``$c``), the organisation that runs bibld (``$q``), the record of another library that has the value (``$w``), and the
IRI in the dataset of what it was taken from (``$u``). A link subfield connects it with the additions:

* In MARC 21 it is a field 883 (metadata provenance), linked by ``$8`` with the type ``p``. ``$q`` and ``$w`` contain
  codes of organisations; without a code they are left out.
* RUSMARC and UNIMARC have no such field, and define ``$5`` only for some fields, as the owner of a copy. There it is a
  local field, linked by ``$6`` with the letter ``z``, which all fields may contain ("other reason for linking").

A field whose marks are not all of elements in ``IN_FIELDS_OF_LIBRARIES`` was added as it is. Other marks each mark only
the subfield that follows. So nothing of a library is taken for an addition: the provenance names the base of the
dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bibld.model.brief import brief
from bibld.model.marc import ControlField, DataField, MarcRecord, Subfield

TOOL = "bibld"
"""What every mark begins with, in ASCII: bytes without it contain no addition."""


class Marks(msgspec.Struct, frozen=True):
    """How additions are marked: tag of the provenance fields, code of the link subfields, and their greatest number.

    ``agency`` is the code of the organisation that runs bibld, for the provenance field; empty if it has none.
    """

    tag: str
    link_code: str
    max_links: int
    agency: str = ""

    def link_text(self, number: int, is_provenance: bool = False) -> str:
        """Return the text of the subfield that links an addition and its provenance, to be in one of them.

        In UNIMARC an addition also names the tag of the other field, so that no link of the library is taken for it.
        """
        if self.link_code == _SEQUENCE_LINK:
            return f"{number}\\p"
        return f"z{number:02}" if is_provenance else f"z{number:02}{self.tag}"


_SEQUENCE_LINK, _FIELD_LINK = "8", "6"
_PROVENANCE_TAG = "883"

MARC21_MARKS = Marks(_PROVENANCE_TAG, _SEQUENCE_LINK, 99_999_999)
UNIMARC_MARKS = Marks("983", _FIELD_LINK, 99)

ADDED_WHOLLY: frozenset[int] = frozenset({-1})
"""In place of positions of subfields: the field itself was added."""

ReturnElement = Literal[
    "identifiers", "authorities", "links", "isbn", "subjects", "classification", "language", "abstract", "contents",
    "covers", "full_text",
]  # fmt: skip
"""What can be added to a record that is given back."""

Subfields = Sequence[tuple[str, str]]
"""The subfields of a field: code and text; none of a control field."""

IN_FIELDS_OF_LIBRARIES = ("authorities", "links")
"""The elements whose additions are subfields of fields of the library; those of the others are fields."""

ADDED_CODES = frozenset(("0", "1", "3", "o"))
"""The codes of subfields that are added to fields of the library."""

_LINKS = {_SEQUENCE_LINK: re.compile(r"([0-9]+)\\p(?:\\.*)?"), _FIELD_LINK: re.compile("z([0-9]{2}[0-9]{3})")}
"""The links to provenance by the code of their subfield."""

_LINK_NUMBERS = {_SEQUENCE_LINK: re.compile("([0-9]{1,8})"), _FIELD_LINK: re.compile("[a-z]?([0-9]{2})")}
"""The numbers of all links, with whatever reason."""


class AdditionSource(msgspec.Struct, frozen=True):
    """Where an addition is from: the element that it belongs to, and the ``iri`` of the record or entity.

    ``agency`` is the name of the library that has it, ``record`` the number of its record behind its code in
    parentheses (empty: it has no code); ``confidence`` how certain it is that the value belongs to the record, from 0
    to 1; None where that is no question.
    """

    element: ReturnElement
    iri: str
    agency: str = ""
    confidence: float | None = None
    record: str = ""


def provenance_subfields(source: AdditionSource, number: int, marks: Marks) -> tuple[Subfield, ...]:
    """Return the subfields of a provenance field with this link number."""
    confidence = "" if source.confidence is None else f"{source.confidence:.2f}"
    stated = (
        (marks.link_code, marks.link_text(number, is_provenance=True)),
        ("a", f"{TOOL}: {source.element}"),
        ("c", confidence),
        ("q", marks.agency),
        ("u", source.iri),
        ("w", source.record),
    )
    return tuple(Subfield(code, text) for code, text in stated if text)


def last_link_number(fields: Sequence[tuple[str, Subfields]], marks: Marks) -> int:
    """Return the highest number of the links between the fields of a record; 0 if there is none."""
    number = _LINK_NUMBERS[marks.link_code]
    texts = (value for _, subfields in fields for code, value in subfields if code == marks.link_code)
    return max((int(found[1]) for text in texts if (found := number.match(text))), default=0)


def find_additions(fields: Sequence[tuple[str, Subfields]], base: str) -> Mapping[int, frozenset[int]]:
    """Return what bibld has added to a record: by position of the field, the positions of the added subfields.

    ``ADDED_WHOLLY`` stands for the field itself. ``fields`` are tag and subfields of each field, ``base`` is that of
    the dataset; additions from another dataset are not found.
    """
    found: dict[int, frozenset[int]] = {}
    elements: dict[tuple[str, str], str] = {}
    for position, (tag, subfields) in enumerate(fields):
        if (tag == _PROVENANCE_TAG or "9" in tag) and (own := _own_links(tag, subfields, base)):
            elements |= own
            found[position] = ADDED_WHOLLY
    for position, (_, subfields) in enumerate(fields):
        links = (_link(*subfield) for subfield in subfields)
        marks = {place: elements[link] for place, link in enumerate(links) if link in elements}
        if not marks or position in found:
            continue
        if all(element in IN_FIELDS_OF_LIBRARIES for element in marks.values()):
            behind = (at + 1 for at in marks if at + 1 < len(subfields))
            found[position] = frozenset((*marks, *(at for at in behind if subfields[at][0] in ADDED_CODES)))
        else:
            found[position] = ADDED_WHOLLY
    return found


def _link(code: str, text: str) -> tuple[str, str]:
    """Return the code of a link to provenance and its number; an empty number if it is none."""
    found = _LINKS[code].fullmatch(text) if code in _LINKS else None
    return code, found[1] if found is not None else ""


def _own_links(tag: str, subfields: Subfields, base: str) -> dict[tuple[str, str], str]:
    """Return the elements of additions from this dataset by the links of a provenance field; none of another one."""
    stated = next((value for code, value in subfields if code == "a" and value.startswith(f"{TOOL}: ")), "")
    if not stated or not any(code == "u" and value.startswith(base) for code, value in subfields):
        return {}
    links = (_link(code, f"{text}{tag}" if code == _FIELD_LINK else text) for code, text in subfields)
    return {link: stated.removeprefix(f"{TOOL}: ") for link in links if link[1]}


def without_additions(record: MarcRecord, base: str) -> MarcRecord:
    """Return a record as its library made it: what a dataset with this base has added to it is not its statement."""
    fields = [
        (field.tag, () if isinstance(field, ControlField) else [(one.code, one.value) for one in field.subfields])
        for field in record.all_fields
    ]
    additions = find_additions(fields, base)
    if not additions:
        return record
    kept: list[ControlField | DataField] = []
    for position, field in enumerate(record.all_fields):
        added = additions.get(position, frozenset())
        if added == ADDED_WHOLLY:
            continue
        if added and isinstance(field, DataField):
            rest = tuple(one for place, one in enumerate(field.subfields) if place not in added)
            field = msgspec.structs.replace(field, subfields=rest)
        kept.append(field)
    return msgspec.structs.replace(record, all_fields=tuple(kept))


class EnrichmentReport(msgspec.Struct, frozen=True):
    """How many records of a file were enriched, left as they were or not found.

    ``records`` were read; ``unknown`` are not in the catalog, ``unchangeable`` cannot be changed without risk: both
    are copied unchanged, and so are bytes that are no record. ``enriched`` got additions; ``changed`` have other bytes
    than before. ``elements`` counts the additions by element, ``omitted`` those that were left out. From ``withdrawn``
    records additions that the file had already were removed. ``written`` is when the file was written, as ISO 8601;
    empty if it was not.
    """

    file: str
    records: int
    unknown: int
    unchangeable: int
    enriched: int
    changed: int
    omitted: int
    elements: tuple[tuple[str, int], ...] = ()
    withdrawn: int = 0
    written: str = ""

    __repr__ = brief

    @property
    def additions(self) -> int:
        """The number of additions."""
        return sum(count for _, count in self.elements)


RETURNED_FILES = "reports/returned.json"
"""The file of a workspace that contains ``ReturnedFiles``."""


class ReturnedFiles(msgspec.Struct, frozen=True, array_like=True):
    """What the files contain that were written last for the libraries of a workspace, by source."""

    sources: dict[str, tuple[EnrichmentReport, ...]] = {}

    @classmethod
    def read(cls, workspace: Path) -> ReturnedFiles:
        """Read what was noted in a workspace; the same as that of none if this version cannot read it."""
        try:
            return msgspec.json.decode((workspace / RETURNED_FILES).read_bytes(), type=cls)
        except (FileNotFoundError, msgspec.DecodeError):
            return cls()
