r"""What bibld adds to records that it gives back, and how it recognises that later by the record alone.

In MARC 21 a field 883 (machine-generated metadata provenance) describes an addition: what made it (``$a``, which begins
with ``bibld``), how certain it is (``$c``), the library that has the value (``$q``), and the IRI in the dataset of what
it was taken from (``$u``). It is linked to the additions by ``$8`` with the type ``p``. In UNIMARC and RUSMARC, which
have no such field, ``$5`` of the addition contains ``bibld`` and that IRI.

A field whose first subfield is such a mark was added as it is. A mark further on marks only the subfield that follows
it, in a field of the library. So nothing of a library is taken for an addition: the mark names the base of the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from bibld.model.marc import ControlField, DataField, MarcRecord, Subfield

TOOL = "bibld"
"""What every mark begins with, in ASCII: bytes without it contain no addition."""

PROVENANCE_TAG = "883"
LINK_CODE, INSTITUTION_CODE = "8", "5"

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

_LINK = re.compile(r"([0-9]+)\\p(?:\\.*)?")
_LINK_NUMBER = re.compile(r"[0-9]{1,8}")


class AdditionSource(msgspec.Struct, frozen=True):
    """Where an addition is from: the element that it belongs to, and the ``iri`` of the record or entity.

    ``agency`` is the library that has it, ``confidence`` how certain it is that the value belongs to the record, from 0
    to 1; None where that is no question.
    """

    element: ReturnElement
    iri: str
    agency: str = ""
    confidence: float | None = None


def provenance_subfields(source: AdditionSource, number: int) -> tuple[Subfield, ...]:
    """Return the subfields of a field 883 with this link number."""
    found = [Subfield(LINK_CODE, link_text(number)), Subfield("a", f"{TOOL}: {source.element}")]
    if source.confidence is not None:
        found.append(Subfield("c", f"{source.confidence:.2f}"))
    if source.agency:
        found.append(Subfield("q", source.agency))
    return (*found, Subfield("u", source.iri))


def link_text(number: int) -> str:
    """Return the text of a subfield ``$8`` that links a field to its provenance."""
    return f"{number}\\p"


def institution_text(source: AdditionSource) -> str:
    """Return the text of the subfield ``$5`` that marks an addition in UNIMARC and RUSMARC."""
    return f"{TOOL}: {source.element} {source.iri}"


def last_link_number(fields: Sequence[tuple[str, Subfields]]) -> int:
    """Return the highest number that a subfield ``$8`` of a record begins with; 0 if there is none."""
    texts = (value for _, subfields in fields for code, value in subfields if code == LINK_CODE)
    return max((int(found[0]) for text in texts if (found := _LINK_NUMBER.match(text))), default=0)


def find_additions(fields: Sequence[tuple[str, Subfields]], base: str) -> Mapping[int, frozenset[int]]:
    """Return what bibld has added to a record: by position of the field, the positions of the added subfields.

    ``ADDED_WHOLLY`` stands for the field itself. ``fields`` are tag and subfields of each field, ``base`` is that of
    the dataset; additions from another dataset are not found.
    """
    found: dict[int, frozenset[int]] = {}
    elements: dict[str, str] = {}
    for position, (tag, subfields) in enumerate(fields):
        if tag == PROVENANCE_TAG and (links := _own_links(subfields, base)):
            elements |= links
            found[position] = ADDED_WHOLLY
    institution = re.compile(rf"{TOOL}: ([a-z_]+) {re.escape(base)}")
    for position, (_, subfields) in enumerate(fields):
        marks: dict[int, str] = {}
        for place, (code, value) in enumerate(subfields):
            if code == INSTITUTION_CODE and (stated := institution.match(value)):
                marks[place] = stated[1]
            elif code == LINK_CODE and (link := _LINK.fullmatch(value)) and link[1] in elements:
                marks[place] = elements[link[1]]
        if not marks or position in found:
            continue
        if all(element in IN_FIELDS_OF_LIBRARIES for element in marks.values()):
            behind = (at + 1 for at in marks if at + 1 < len(subfields))
            found[position] = frozenset((*marks, *(at for at in behind if subfields[at][0] in ADDED_CODES)))
        else:
            found[position] = ADDED_WHOLLY
    return found


def _own_links(subfields: Subfields, base: str) -> dict[str, str]:
    """Return the elements of additions from this dataset by the link numbers of a field 883; none of another one."""
    stated = next((value for code, value in subfields if code == "a" and value.startswith(f"{TOOL}: ")), "")
    if not stated or not any(code == "u" and value.startswith(base) for code, value in subfields):
        return {}
    links = (_LINK.fullmatch(value) for code, value in subfields if code == LINK_CODE)
    return {link[1]: stated.removeprefix(f"{TOOL}: ") for link in links if link is not None}


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
