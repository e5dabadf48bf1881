"""The schemas in which records are retrieved, each with what makes a record of a publication.

The merged description is available as MODS and Dublin Core. As MARC the record of a library is available: that of the
founder, else the first of another member in this flavour, or that of the source which ``x-source`` names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import msgspec
from lxml import etree

from bibld.model import dublin_core
from bibld.model.linkage import Merged
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_marcxml
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element
from bibld.model.works import add_work
from bibld.protocols import SourceRecord

MARCXCHANGE = "info:lc/xmlns/marcxchange-v2"
"""ISO 25577."""

_DC_SCHEMA = "info:srw/schema/1/dc-schema"
_MARC21 = ("marc21",)
_UNIMARC_FAMILY = ("rusmarc", "unimarc")
_FORMATS = {"marc21": "MARC 21", "rusmarc": "RUSMARC", "unimarc": "UNIMARC"}
"""The attribute ``format`` of MarcXchange by the name of a flavour."""


class PublicationRecords:
    """A publication that was found, with its records; read when they are needed.

    ``members`` returns its source records, the preferred one first, ``original`` the MARC record of one; ``work`` is
    the IRI of its work with its title, both empty if it has none.
    """

    def __init__(
        self,
        iri: str,
        merged: Merged,
        members: Callable[[], Sequence[SourceRecord]],
        original: Callable[[SourceRecord], MarcRecord | None],
        work: tuple[str, str],
    ) -> None:
        self.iri = iri
        self._merged = merged
        self._members = members
        self._original = original
        self._work = work

    @cached_property
    def mods(self) -> Mods:
        """The merged description, with a link to the work."""
        mods = self._merged.mods
        return add_work(mods, *self._work) if self._work[0] else mods

    def own(self, flavours: Collection[str] = ()) -> tuple[MarcRecord, str] | None:
        """Return the first MARC record in one of some flavours (any if empty), and its flavour; None if none is."""
        for record in self._members():
            if not record.deleted and (not flavours or record.flavour in flavours):
                original = self._original(record)
                if original is not None:
                    return original, record.flavour
        return None


class RecordSchema(msgspec.Struct, frozen=True):
    """A schema: its short name, its identifier and other names; ``make`` returns None if there is no such record."""

    name: str
    identifier: str
    title: str
    make: Callable[[PublicationRecords], etree._Element | None]
    others: tuple[str, ...] = ()


def _dc(found: PublicationRecords) -> etree._Element:
    root = etree.Element(f"{{{_DC_SCHEMA}}}dc", nsmap={"srw_dc": _DC_SCHEMA, "dc": dublin_core.DC})
    root.extend(list(dublin_core.to_dublin_core(found.mods, found.iri)))
    etree.cleanup_namespaces(root, keep_ns_prefixes=["srw_dc", "dc"])
    return root


def _marcxml(record: tuple[MarcRecord, str] | None) -> etree._Element | None:
    return etree.fromstring(to_marcxml(record[0])) if record is not None else None


def _marcxchange(record: tuple[MarcRecord, str] | None) -> etree._Element | None:
    """Return a MARC record of any flavour as MarcXchange, whose elements are named as those of MARCXML."""
    if record is None:
        return None
    slim = etree.fromstring(to_marcxml(record[0]))
    root = etree.Element(f"{{{MARCXCHANGE}}}record", nsmap={None: MARCXCHANGE})  # type: ignore[dict-item]
    root.set("format", _FORMATS.get(record[1], record[1]))
    root.set("type", "Bibliographic")
    root.extend(list(slim))
    for element in root.iter():
        element.tag = f"{{{MARCXCHANGE}}}{etree.QName(element).localname}"
    etree.cleanup_namespaces(root)
    return root


SCHEMAS = (
    RecordSchema(
        "marcxml",
        "info:srw/schema/1/marcxml-v1.1",
        "MARC 21 in MARCXML",
        lambda found: _marcxml(found.own(_MARC21)),
        ("marc21", "MARC21-xml", "http://www.loc.gov/MARC21/slim"),
    ),
    RecordSchema(
        "marcxchange",
        MARCXCHANGE,
        "RUSMARC or UNIMARC in MarcXchange (ISO 25577)",
        lambda found: _marcxchange(found.own(_UNIMARC_FAMILY)),
        ("rusmarc", "unimarc", "unimarcxchange", "info:lc/xmlns/marcxchange-v1"),
    ),
    RecordSchema(
        "mods",
        "info:srw/schema/1/mods-v3.8",
        "MODS of the merged description",
        lambda found: to_element(found.mods),
        ("http://www.loc.gov/mods/v3", *(f"info:srw/schema/1/mods-v3.{number}" for number in range(8))),
    ),
    RecordSchema(
        "dc",
        "info:srw/schema/1/dc-v1.1",
        "Dublin Core of the merged description",
        _dc,
        ("info:srw/schema/1/dc-schema", "http://purl.org/dc/elements/1.1/"),
    ),
    RecordSchema(
        "own-marcxml",
        "info:srw/schema/1/marcxml-v1.1#own",
        "a library's own record, if it is MARC 21, in MARCXML",
        lambda found: _marcxml(found.own(_MARC21)),
    ),
    RecordSchema(
        "own-marcxchange",
        f"{MARCXCHANGE}#own",
        "a library's own record, in any flavour of MARC, in MarcXchange (ISO 25577)",
        lambda found: _marcxchange(found.own()),
    ),
)
DEFAULT_SCHEMA = SCHEMAS[0]
_BY_NAME = {name.lower(): schema for schema in SCHEMAS for name in (schema.name, schema.identifier, *schema.others)}


def find_schema(name: str) -> RecordSchema | None:
    """Return the schema with a short name or identifier; None if there is none."""
    return _BY_NAME.get(name.strip().lower())
