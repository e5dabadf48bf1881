"""Add fields and subfields to the bytes of a record, and withdraw them; all other bytes stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from bibld.enrich._iso2709 import Iso2709Form
from bibld.enrich._json import JsonForm
from bibld.enrich._lines import ALEPH, MRK, YAZ
from bibld.enrich._slices import (
    LEADER_TAG,
    NO_TAG,
    CarrierForm,
    NewField,
    NotEditableError,
    SlicedField,
    SlicedRecord,
    insertion_position,
    without_subfields,
)
from bibld.enrich._xml import XmlForm
from bibld.model.enrichment import (
    ADDED_CODES,
    ADDED_WHOLLY,
    IN_FIELDS_OF_LIBRARIES,
    TOOL,
    AdditionSource,
    Marks,
    find_additions,
    last_link_number,
    provenance_subfields,
)
from bibld.model.marc import Subfield
from bibld.read import charset_of
from bibld.text.charsets import ISO5426, MARC8, UTF8

FORMS: Mapping[str, CarrierForm] = {
    "iso2709": Iso2709Form(),
    "marcxml": XmlForm(),
    "marcjson": JsonForm(),
    "mrk": MRK,
    "aleph": ALEPH,
    "yaz": YAZ,
}
"""The carriers whose records can be changed, by the name of their reader."""

_ASCII = "ascii"
_MARK_BYTES = (TOOL.encode(), b"\\", b"z")
"""A field with a mark contains one of these."""

_CODING_SCHEME = 9
_UNICODE = b"a"


class Addition(msgspec.Struct, frozen=True):
    """A field or subfields to add to a record, and their source.

    ``field`` is the position of the field of the record that gets the subfields; None: they are a new field with this
    tag and these indicators.
    """

    source: AdditionSource
    tag: str
    subfields: tuple[Subfield, ...]
    indicators: str = "  "
    field: int | None = None

    @property
    def text(self) -> str:
        """The subfields as one line, such as ``$a Topic $2 rubbk``."""
        return " ".join(f"${one.code} {one.value}" for one in self.subfields)


class OmittedAddition(msgspec.Struct, frozen=True):
    """An addition that was left out, and why."""

    addition: Addition
    reason: str


class Enriched(msgspec.Struct, frozen=True):
    """The bytes of an enriched record, its additions, and those that were left out."""

    data: bytes
    added: tuple[Addition, ...] = ()
    omitted: tuple[OmittedAddition, ...] = ()


def form_of(reader: str, carrier: Any) -> CarrierForm | None:  # noqa: ANN401
    """Return what splits and joins the records of a file; None if records of this carrier cannot be changed."""
    is_turbomarc = reader == "marcxml" and carrier.shape.element != "record"
    return None if is_turbomarc else FORMS.get(reader)


def withdraw_additions(form: CarrierForm, data: bytes, base: str) -> bytes:
    """Return the bytes of a record without the additions of a dataset with this base, which their marks show.

    A record that cannot be split into fields is returned as it is: nothing was added to it.
    """
    if TOOL.encode() not in data:
        return data
    try:
        record = form.slice(data)
    except NotEditableError:
        return data
    additions = find_additions(_marked_values(form, record, _MARK_BYTES), base)
    if not additions:
        return data
    kept: list[SlicedField] = []
    for position, field in enumerate(record.fields):
        added = additions.get(position, frozenset())
        if not added:
            kept.append(field)
        elif added != ADDED_WHOLLY:
            own = (one for at, one in enumerate(form.subfields(field)) if at in added)
            kept.append(without_subfields(field, own))
    return form.join(kept, record.frame)


def _marked_values(
    form: CarrierForm, record: SlicedRecord, signs: Sequence[bytes]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return tag and subfields of each field of a record; no subfields of a field whose bytes contain no sign."""
    return [
        (
            field.tag,
            [(one.code, one.value) for one in form.subfields(field)] if any(one in field.data for one in signs) else [],
        )
        for field in record.fields
    ]


def charset_for_additions(form: CarrierForm, data: bytes, carrier: Any, is_unimarc: bool) -> str:  # noqa: ANN401
    """Return the charset in which additions to a record are written.

    It is that of the record; that of its file if the record is plain ASCII; and if the file is, what leader/09 or the
    standard states.
    """
    name = charset_of(data, carrier.charsets)
    if name != _ASCII:
        return name
    if form.begins_with_leader and not is_unimarc and data[_CODING_SCHEME : _CODING_SCHEME + 1] == _UNICODE:
        return UTF8
    charsets = carrier.charsets
    if charsets.main != _ASCII:
        return str(charsets.main)
    if charsets.declared not in (None, _ASCII):
        return str(charsets.declared)
    return str(charsets.legacy) if charsets.legacy in (MARC8, ISO5426) else UTF8


def add_to_record(
    form: CarrierForm, record: SlicedRecord, additions: Iterable[Addition], charset: str, marks: Marks
) -> Enriched:
    """Add fields and subfields to a record; every other byte stays, but for lengths that are computed.

    A new field comes after the last one with a tag that is not higher. An addition is left out if its text cannot be
    written in the ``charset``, or if field or record would become too long.
    """
    return _Editor(form, record, charset, marks).add(list(additions))


class _Editor:
    """Makes the additions to one record."""

    def __init__(self, form: CarrierForm, record: SlicedRecord, charset: str, marks: Marks) -> None:
        self._form = form
        self._charset = charset
        self._marks = marks
        self._record = record
        self._bytes = record.size
        self._last_link = last_link_number(_marked_values(form, record, (marks.link_code.encode(),)), marks)
        self._links: dict[AdditionSource, int] = {}
        self._new: dict[int, list[SlicedField]] = {}
        self._changed: dict[int, SlicedField] = {}

    def add(self, additions: Sequence[Addition]) -> Enriched:
        added: list[Addition] = []
        omitted: list[OmittedAddition] = []
        for addition in additions:
            try:
                self._add(addition)
                added.append(addition)
            except ValueError as error:
                omitted.append(OmittedAddition(addition, str(error)))
        fields = list(self._new.get(-1, ()))
        for position, field in enumerate(self._record.fields):
            fields += [self._changed.get(position, field), *self._new.get(position, ())]
        data = self._form.join(fields, self._record.frame)
        return Enriched(data, tuple(added), tuple(omitted))

    def _add(self, addition: Addition) -> None:
        """Make one addition; raises ``ValueError`` with the reason why it is left out."""
        codes = {one.code for one in addition.subfields}
        provenance: list[tuple[int, SlicedField]] = []
        number = self._links.get(addition.source, self._last_link + 1)
        if number > self._marks.max_links:
            raise ValueError(f"the fields of a record can have links with {self._marks.max_links} numbers, all used")
        mark = Subfield(self._marks.link_code, self._marks.link_text(number))
        if addition.source not in self._links:
            # Of a field of the library only what was added is made by a machine.
            indicators = "0 " if addition.field is None else "1 "
            described = provenance_subfields(addition.source, number, self._marks)
            provenance.append(self._new_slice(NewField(self._marks.tag, indicators, described)))
        if addition.field is None:
            if addition.source.element in IN_FIELDS_OF_LIBRARIES:
                raise ValueError(f"{addition.source.element} cannot be a field")
            placed = [
                *provenance,
                self._new_slice(NewField(addition.tag, addition.indicators, (mark, *addition.subfields))),
            ]
            self._check_length(sum(len(field.data) + self._form.entry_bytes for _, field in placed))
            self._place(placed, addition)
            return
        if addition.source.element not in IN_FIELDS_OF_LIBRARIES or not codes <= ADDED_CODES:
            raise ValueError(f"{addition.source.element} cannot be subfields of a field of the library")
        before = self._changed.get(addition.field, self._record.fields[addition.field])
        if not is_editable(self._form, before):
            raise ValueError(f"the field {before.tag} cannot get subfields")
        marked = tuple(part for subfield in addition.subfields for part in (mark, subfield))
        field_after = self._form.with_subfields(before, marked, self._charset)
        self._check_field(field_after)
        more = len(field_after.data) - len(before.data)
        self._check_length(more + sum(len(field.data) + self._form.entry_bytes for _, field in provenance))
        self._place(provenance, addition)
        self._changed[addition.field] = field_after

    def _new_slice(self, field: NewField) -> tuple[int, SlicedField]:
        after = insertion_position(self._record, field.tag)
        made = self._form.field_slice(self._record, after, field, self._charset)
        self._check_field(made)
        return after, made

    def _place(self, placed: Sequence[tuple[int, SlicedField]], addition: Addition) -> None:
        for after, field in placed:
            self._new.setdefault(after, []).append(field)
            self._new[after].sort(key=lambda one: one.tag)
        if addition.source not in self._links:
            self._last_link += 1
            self._links[addition.source] = self._last_link

    def _check_field(self, field: SlicedField) -> None:
        limit = self._form.max_field_bytes
        if limit and len(field.data) > limit:
            raise ValueError(f"the field {field.tag} would have {len(field.data)} bytes; the format allows {limit}")

    def _check_length(self, more: int) -> None:
        limit = self._form.max_record_bytes
        if limit and self._bytes + more > limit:
            raise ValueError(f"the record would have {self._bytes + more} bytes; the format allows {limit}")
        self._bytes += more


def is_editable(form: CarrierForm, field: SlicedField) -> bool:
    """Whether subfields can be added to a field."""
    return field.tag not in (LEADER_TAG, NO_TAG) and bool(form.subfields(field))
