"""MARC records as values, whatever their carrier (ISO 2709, MARCXML …) and flavour (MARC 21, RUSMARC …)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from bibld.model.brief import brief
from bibld.model.origin import Origin

if TYPE_CHECKING:
    import pymarc


class Leader(msgspec.Struct, frozen=True, gc=False):
    """The 24 characters of a leader (ISO 2709, 4.3), counted from 0."""

    text: str

    def __getitem__(self, position: int) -> str:
        return self.text[position]

    @property
    def record_status(self) -> str:
        """Position 05, such as n (new), c (corrected) and d (deleted)."""
        return self.text[5]

    @property
    def type_of_record(self) -> str:
        """Position 06."""
        return self.text[6]

    @property
    def bibliographic_level(self) -> str:
        """Position 07."""
        return self.text[7]

    @property
    def hierarchical_level(self) -> str:
        """Position 08 (UNIMARC and RUSMARC; type of control in MARC 21)."""
        return self.text[8]

    @property
    def encoding_level(self) -> str:
        """Position 17."""
        return self.text[17]

    @property
    def descriptive_form(self) -> str:
        """Position 18."""
        return self.text[18]


class ControlField(msgspec.Struct, frozen=True, gc=False, tag="control"):
    """A field without indicators and subfields (00X)."""

    tag: str
    value: str


class Subfield(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A code of one character and its text."""

    code: str
    value: str


class DataField(msgspec.Struct, frozen=True, gc=False, tag="data", omit_defaults=True):
    """A field with two indicators and subfields in the order of the record.

    ``embedded`` holds the fields that a UNIMARC 4XX or 604 field carries inside (see :func:`with_embedded_fields`);
    the subfields that belong to them are not in ``subfields`` then.
    """

    tag: str
    indicator1: str = " "
    indicator2: str = " "
    subfields: tuple[Subfield, ...] = ()
    embedded: tuple[ControlField | DataField, ...] = ()

    def values(self, *codes: str) -> list[str]:
        """Return the texts of the subfields with one of these codes (all subfields without codes), in record order.

        >>> bibld.DataField("650", subfields=(bibld.Subfield("a", "Рим"),)).values("a", "x")
        ['Рим']
        """
        if not codes:
            return [subfield.value for subfield in self.subfields]
        return [subfield.value for subfield in self.subfields if subfield.code in codes]

    def first(self, code: str) -> str | None:
        """Return the text of the first subfield with this code.

        >>> bibld.DataField("245", subfields=(bibld.Subfield("a", "Рим"),)).first("b") is None
        True
        """
        for subfield in self.subfields:
            if subfield.code == code:
                return subfield.value
        return None


Field = ControlField | DataField


class MarcRecord(msgspec.Struct, frozen=True, gc=False):
    """A leader and fields in the order of the record."""

    origin: Origin
    leader: Leader
    all_fields: tuple[ControlField | DataField, ...] = msgspec.field(name="fields")

    __repr__ = brief

    def fields(self, *tags: str) -> Iterator[DataField]:
        """Return the data fields with one of these tags (all of them without tags), in record order.

        >>> record = next(bibld.read("nlr.iso")).content
        >>> [field.first("a") for field in record.fields("200")]
        ['Анна Каренина']
        """
        for field in self.all_fields:
            if isinstance(field, DataField) and (not tags or field.tag in tags):
                yield field

    def control(self, tag: str) -> str | None:
        """Return the text of the first control field with this tag.

        >>> next(bibld.read("rsl.mrc")).content.control("001")
        '01004039769'
        """
        for field in self.all_fields:
            if isinstance(field, ControlField) and field.tag == tag:
                return field.value
        return None

    def controls(self, tag: str) -> list[str]:
        """Return the texts of all control fields with this tag.

        >>> next(bibld.read("rsl.mrc")).content.controls("003")
        ['RuMoRGB']
        """
        return [field.value for field in self.all_fields if isinstance(field, ControlField) and field.tag == tag]

    @property
    def control_number(self) -> str | None:
        """Field 001, trimmed; None if it is absent or empty."""
        value = self.control("001")
        return value.strip() or None if value else None

    @classmethod
    def from_pymarc(cls, record: pymarc.Record, origin: Origin) -> MarcRecord:
        """Convert a record of the library pymarc.

        >>> record = next(bibld.read("rsl.mrc")).content
        >>> bibld.MarcRecord.from_pymarc(record.to_pymarc(), record.origin).control_number
        '01004039769'
        """
        fields: list[ControlField | DataField] = []
        for field in record.fields:
            if field.control_field:
                fields.append(ControlField(field.tag, field.data or ""))
            else:
                first, second = field.indicators or (" ", " ")
                subfields = tuple(Subfield(item.code, item.value) for item in field.subfields)
                fields.append(DataField(field.tag, first, second, subfields))
        return cls(origin, Leader(str(record.leader)), tuple(fields))

    def to_pymarc(self) -> pymarc.Record:
        """Convert the record for the library pymarc; embedded fields are written flat, as in RUSMARC files.

        >>> next(bibld.read("rsl.mrc")).content.to_pymarc().title
        'Анна Каренина роман в восьми частях /'
        """
        import pymarc

        record = pymarc.Record(leader=self.leader.text)
        for field in self.all_fields:
            if isinstance(field, ControlField):
                record.add_field(pymarc.Field(tag=field.tag, data=field.value))  # type: ignore[no-untyped-call]
            else:
                record.add_field(  # type: ignore[no-untyped-call]
                    pymarc.Field(
                        tag=field.tag,
                        indicators=pymarc.Indicators(field.indicator1, field.indicator2),
                        subfields=[pymarc.Subfield(code=s.code, value=s.value) for s in flat_subfields(field)],
                    )
                )
        return record


def with_embedded_fields(field: DataField) -> DataField:
    """Separate the fields inside a field from its subfields (embedded technique of UNIMARC: 4XX, 604).

    Each subfield ``$1`` opens a field: its text is the tag, the two indicators (which may be missing, or written
    ``#``), or for a control field the tag and the data; the subfields up to the next ``$1`` belong to that field.
    Subfields before the first ``$1`` stay. A field without ``$1`` is returned unchanged.
    """
    if not any(subfield.code == "1" for subfield in field.subfields):
        return field
    own: list[Subfield] = []
    embedded: list[ControlField | DataField] = list(field.embedded)
    tag, indicators, inner = "", "", own
    for subfield in (*field.subfields, Subfield("1", "")):
        if subfield.code != "1":
            inner.append(subfield)
            continue
        if tag:
            embedded.append(DataField(tag, indicators[0], indicators[1], tuple(inner)))
        tag, inner = subfield.value[:3].strip(), []
        if not tag:
            inner = own
        elif tag < "010":
            embedded.append(ControlField(tag, subfield.value[3:].strip()))
            tag, inner = "", own
        else:
            indicators = subfield.value[3:5].replace("#", " ").ljust(2)
    return DataField(field.tag, field.indicator1, field.indicator2, tuple(own), tuple(embedded))


def without_subfields(record: MarcRecord, names: frozenset[str]) -> MarcRecord:
    """Return the record without some of its content.

    ``names`` are subfields such as ``541$a``, those of embedded fields such as ``461/010$d``, and control fields such
    as ``009``. A field without any content left is removed.
    """
    return msgspec.structs.replace(record, all_fields=tuple(_fields_without(record.all_fields, names, "")))


def _fields_without(
    fields: tuple[ControlField | DataField, ...], names: frozenset[str], within: str
) -> Iterator[ControlField | DataField]:
    for field in fields:
        place = within + field.tag
        if isinstance(field, ControlField):
            if place not in names:
                yield field
            continue
        if any(name.startswith(f"{place}/") for name in names):
            field = with_embedded_fields(field)
        subfields = tuple(subfield for subfield in field.subfields if f"{place}${subfield.code}" not in names)
        embedded = tuple(_fields_without(field.embedded, names, f"{place}/"))
        if subfields or embedded:
            yield msgspec.structs.replace(field, subfields=subfields, embedded=embedded)


def flat_subfields(field: DataField) -> Iterator[Subfield]:
    """Return the subfields of a field with its embedded fields written out by the embedded technique."""
    yield from field.subfields
    for inner in field.embedded:
        if isinstance(inner, ControlField):
            yield Subfield("1", inner.tag + inner.value)
        else:
            yield Subfield("1", inner.tag + inner.indicator1 + inner.indicator2)
            yield from flat_subfields(inner)
