"""The forms of files that ``bibld crosswalk`` writes; RDF is made of all records together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from typing import BinaryIO

import msgspec

from bibld._api.matching import RecordCluster, merge, record_id_of, to_quads
from bibld.ingest import TABLE_COLUMNS, table_row
from bibld.model.dublin_core import DC, NAMESPACE
from bibld.model.marc_writers import MARCXML
from bibld.model.mods import Mods
from bibld.model.mods_xml import join_collection
from bibld.model.rdf import PREFIXES, is_of_named_graph

_SOURCE = "file"
_MODS = msgspec.json.Decoder(Mods)
_XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'


class Output(msgspec.Struct, frozen=True):
    """A form of output: ``record_form`` is that of each record, ``write`` writes the file from them."""

    about: str
    record_form: str
    write: Callable[[Iterable[bytes], BinaryIO, str], object]


def _mods(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    join_collection(records, out)


def _json(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.write(b"[")
    for number, record in enumerate(records):
        out.write((b",\n" if number else b"\n") + record)
    out.write(b"\n]\n")


def _lines(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(record + b"\n" for record in records)


def _csv(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.write(table_row(TABLE_COLUMNS))
    out.writelines(records)


def _marcxml(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    namespace = f' xmlns="{MARCXML}"'.encode()
    out.write(_XML + b"<collection" + namespace + b">\n")
    for record in records:
        out.write(record.partition(b"?>\n")[2].replace(namespace, b"", 1) + b"\n")
    out.write(b"</collection>\n")


def _dublin_core(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    namespaces = f' xmlns:oai_dc="{NAMESPACE}" xmlns:dc="{DC}"'.encode()
    out.write(_XML + b"<records" + namespaces + b">\n")
    for record in records:
        out.write(record.replace(_XML.strip(), b"").replace(namespaces, b"", 1).strip() + b"\n")
    out.write(b"</records>\n")


def _quads(records: Iterable[bytes], base: str) -> Iterator[str]:
    """Yield the quads of records that are not matched; of an identifier that occurs again, the last description."""
    found = {record_id_of(_SOURCE, mods): mods for mods in map(_MODS.decode, records)}
    yield from to_quads((merge(RecordCluster((record,), (mods,))) for record, mods in found.items()), base=base)


def _nquads(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(line.encode() for line in _quads(records, base))


def _triples(records: Iterable[bytes], base: str) -> Iterator[bytes]:
    return (line for line in map(str.encode, _quads(records, base)) if not is_of_named_graph(line))


def _ntriples(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(_triples(records, base))


def _turtle(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    import pyoxigraph as ox

    triples = (
        ox.Triple(quad.subject, quad.predicate, quad.object)
        for line in _triples(records, base)
        for quad in ox.parse(line, format=ox.RdfFormat.N_TRIPLES)
    )
    written = BytesIO()
    ox.serialize(triples, written, format=ox.RdfFormat.TURTLE, prefixes=PREFIXES)
    lines = written.getvalue().split(b"\n")
    body = next((number for number, line in enumerate(lines) if not line.startswith(b"@prefix")), len(lines))
    out.write(b"\n".join([*sorted(lines[:body]), *lines[body:]]))  # the order of prefixes differs from run to run


OUTPUTS: Mapping[str, Output] = {
    "mods": Output("one modsCollection", "xml", _mods),
    "json": Output("MODS as one JSON array", "json", _json),
    "jsonl": Output("the same, one JSON object a line", "json", _lines),
    "marcxml": Output("the MARC records as one MARCXML collection", "marcxml", _marcxml),
    "csv": Output("a table of catalogue cards", "csv", _csv),
    "dc": Output("simple Dublin Core, as in OAI-PMH", "dc", _dublin_core),
    "nt": Output("the triples that a run would publish, in N-Triples", "json", _ntriples),
    "ttl": Output("the same in Turtle", "json", _turtle),
    "nq": Output("the same with provenance, in N-Quads", "json", _nquads),
}
"""Name of a form → how it is written."""
