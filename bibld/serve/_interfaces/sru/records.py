"""The schemas in which records are retrieved, each with what makes a record of a publication.

They are of the merged description. The record of a library is retrieved by ``x-source``, which names it, or by the
schemas of own records: that of the founder, else the first of another member in a flavour of the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import msgspec
from lxml import etree

from bibld.model import dublin_core
from bibld.model.linkage import Merged
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_marcxml
from bibld.model.mods import Identifier, Mods, RecordIdentifier, RecordInfo
from bibld.model.mods_xml import to_element
from bibld.model.works import add_work
from bibld.protocols import SourceRecord

MARCXCHANGE = "info:lc/xmlns/marcxchange-v2"
"""ISO 25577."""

MarcFlavour = Literal["marc21", "rusmarc"]
"""The flavours in which merged descriptions can be written."""


class MarcReaders(msgspec.Struct, frozen=True):
    """What returns the MARC record of a source record, and what writes a description as MARC (None: nothing does).

    ``agency``: the code of the organisation that numbers merged records, for 003 of MARC 21; empty if it has none.
    """

    original: Callable[[SourceRecord], MarcRecord | None]
    to_marc: Callable[[Mods, MarcFlavour], MarcRecord] | None = None
    agency: str = ""


_DC_SCHEMA = "info:srw/schema/1/dc-schema"
_FORMATS = {"marc21": "MARC 21", "rusmarc": "RUSMARC", "unimarc": "UNIMARC"}
"""The attribute ``format`` of MarcXchange by the name of a flavour."""


class PublicationRecords:
    """A publication that was found, with its records; read when they are needed.

    ``members`` returns its source records, the preferred one first, ``original`` the MARC record of one; ``work`` is
    the IRI of its work with its title, both empty if it has none. ``to_marc`` writes a description as MARC; None if the
    site cannot. ``is_of_source``: the client wants the record of a library, which is the first of ``members``.
    """

    def __init__(
        self,
        iri: str,
        merged: Merged,
        members: Callable[[], Sequence[SourceRecord]],
        readers: MarcReaders,
        work: tuple[str, str],
        is_of_source: bool,
    ) -> None:
        self.iri = iri
        self._merged = merged
        self._members = members
        self._readers = readers
        self._work = work
        self._is_of_source = is_of_source

    def mods(self) -> Mods | None:
        """Return the merged description with a link to the work, or that of the library; None if it has no record."""
        mods = self._merged.mods
        if self._is_of_source:
            return next((record.mods for record in self._members() if not record.deleted), None)
        return add_work(mods, *self._work) if self._work[0] else mods

    def marc(self, flavour: MarcFlavour, others: Collection[str] = ()) -> tuple[MarcRecord, str] | None:
        """Return the merged description as MARC, and its flavour; the own record of a library if there is no other way.

        The number of the merged one (001) is source and number of the founder, such as ``rsl:01004039769``: it stays as
        long as the IRI of the publication, which is among the identifiers and, in RUSMARC, in 003. The numbers that the
        records of libraries have are in 035. ``others``: flavours in which the own record may be, too.
        """
        write = self._readers.to_marc
        if self._is_of_source or write is None:
            return self.own((flavour, *others))
        mods = self._merged.mods
        numbers = [RecordIdentifier(str(self._merged.cluster.founder), source=self._readers.agency or None)]
        numbers += [RecordIdentifier(self.iri, source="uri")] if flavour != "marc21" else []
        own = (one for info in mods.record_info for one in info.record_identifier if one.source not in (None, "uri"))
        stated = {one.value for one in mods.identifier}
        others_own = dict.fromkeys(text for one in own if (text := f"({one.source}){one.value}") not in stated)
        first, *rest = mods.record_info or (RecordInfo(),)
        described = msgspec.structs.replace(
            mods,
            identifier=(
                *mods.identifier,
                *(Identifier(text, type="local") for text in others_own),
                Identifier(self.iri, type="uri"),
            ),
            record_info=(msgspec.structs.replace(first, record_identifier=tuple(numbers)), *rest),
        )
        return write(described, flavour), flavour

    def own(self, flavours: Collection[str] = ()) -> tuple[MarcRecord, str] | None:
        """Return the first MARC record in one of some flavours (any if empty), and its flavour; None if none is."""
        for record in self._members():
            if not record.deleted and (not flavours or record.flavour in flavours):
                original = self._readers.original(record)
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


def _mods(found: PublicationRecords) -> etree._Element | None:
    mods = found.mods()
    return to_element(mods) if mods is not None else None


def _dc(found: PublicationRecords) -> etree._Element | None:
    mods = found.mods()
    if mods is None:
        return None
    root = etree.Element(f"{{{_DC_SCHEMA}}}dc", nsmap={"srw_dc": _DC_SCHEMA, "dc": dublin_core.DC})
    root.extend(list(dublin_core.to_dublin_core(mods, found.iri)))
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
        lambda found: _marcxml(found.marc("marc21")),
        ("marc21", "MARC21-xml", "http://www.loc.gov/MARC21/slim"),
    ),
    RecordSchema(
        "marcxchange",
        MARCXCHANGE,
        "RUSMARC or UNIMARC in MarcXchange (ISO 25577)",
        lambda found: _marcxchange(found.marc("rusmarc", ["unimarc"])),
        ("rusmarc", "unimarc", "unimarcxchange", "info:lc/xmlns/marcxchange-v1"),
    ),
    RecordSchema(
        "mods",
        "info:srw/schema/1/mods-v3.8",
        "MODS of the merged description",
        _mods,
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
        lambda found: _marcxml(found.own(["marc21"])),
    ),
    RecordSchema(
        "own-marcxchange",
        f"{MARCXCHANGE}#own",
        "a library's own record, in any flavour of MARC, in MarcXchange (ISO 25577)",
        lambda found: _marcxchange(found.own()),
    ),
)
_BY_NAME = {name.lower(): schema for schema in SCHEMAS for name in (schema.name, schema.identifier, *schema.others)}


def default_schema(readers: MarcReaders) -> str:
    """Return the name of the schema of clients that name none: MARC 21 where each publication has a record in it."""
    return "marcxml" if readers.to_marc is not None else "mods"


def find_schema(name: str) -> RecordSchema | None:
    """Return the schema with a short name or identifier; None if there is none."""
    return _BY_NAME.get(name.strip().lower())
