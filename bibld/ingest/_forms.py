"""The forms in which one converted record is written; what surrounds the records of a file is the caller's."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from io import StringIO

import msgspec
from lxml import etree

from bibld.errors import CrosswalkError
from bibld.model.card import LINES, card
from bibld.model.dublin_core import to_dublin_core
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_marcxml
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_xml
from bibld.protocols import Raw, Row

TABLE_COLUMNS = ("id", *LINES)
"""The columns of a table: the identifier of the record, then the lines of a catalogue card."""

_JSON = msgspec.json.Encoder()


def table_row(cells: tuple[str, ...]) -> bytes:
    """Write the cells of a row as CSV (RFC 4180), in UTF-8."""
    text = StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


def _row(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    lines = card(mods)
    return table_row((mods.record_identifier or "", *(lines.get(name, "") for name in LINES)))


def _marcxml(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    if not isinstance(record, MarcRecord):
        reason = "the record is no MARC, so it cannot be written as MARCXML; choose mods, json, csv, dc or RDF"
        raise CrosswalkError(raw.origin, reason, raw.data)
    return to_marcxml(record)


def _dublin_core(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    return etree.tostring(to_dublin_core(mods), encoding="UTF-8")


WRITERS: Mapping[str, Callable[[Raw, MarcRecord | Mods | Row, Mods], bytes]] = {
    "json": lambda raw, record, mods: _JSON.encode(mods),
    "xml": lambda raw, record, mods: to_xml(mods),
    "marcxml": _marcxml,
    "csv": _row,
    "dc": _dublin_core,
}
"""Form → what writes a record in it, from its bytes, the record read, and its MODS."""
