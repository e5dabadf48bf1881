"""The XML of responses in the three versions of SRU: 1.1 and 1.2 of the Library of Congress, and 2.0 of OASIS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from lxml import etree

from bibld.model.mods_xml import without_illegal_characters
from bibld.serve._interfaces.sru.diagnostics import SruDiagnosticError

_SRW = "http://www.loc.gov/zing/srw/"
_OASIS = "http://docs.oasis-open.org/ns/search-ws/"
_SURROGATE_SCHEMA = "info:srw/schema/1/diagnostics-v1.1"
EXPLAIN = "http://explain.z3950.org/dtd/2.0/"
_EXACT = "info:srw/vocabulary/resultCountPrecision/1/exact"
XML_PACKING, STRING_PACKING = "xml", "string"


class SruVersion(msgspec.Struct, frozen=True):
    """A version of the protocol: its number, its namespaces, and the element that states how records are packed."""

    number: str
    namespace: str
    scan: str
    diagnostic: str
    packing: str


VERSIONS = {
    version.number: version
    for version in (
        SruVersion("1.1", _SRW, _SRW, f"{_SRW}diagnostic/", "recordPacking"),
        SruVersion("1.2", _SRW, _SRW, f"{_SRW}diagnostic/", "recordPacking"),
        SruVersion("2.0", f"{_OASIS}sruResponse", f"{_OASIS}scan", f"{_OASIS}diagnostic", "recordXMLEscaping"),
    )
}
NEWEST = VERSIONS["2.0"]


class RetrievedRecord(msgspec.Struct, frozen=True):
    """A record of a response: its data or why there is none, its schema, identifier and position."""

    data: etree._Element | SruDiagnosticError
    schema: str
    identifier: str
    position: int


class FoundTerm(msgspec.Struct, frozen=True):
    """A term of a scan, with about how many publications have it."""

    value: str
    publications: int


def explain_response(version: SruVersion, explain: etree._Element, packing: str, faults: Faults = ()) -> bytes:
    """Return the response of the operation ``explain``."""
    root = _root(version, version.namespace, "explainResponse")
    _add_record(root, version, RetrievedRecord(explain, EXPLAIN, "", 0), packing)
    _add_diagnostics(root, version, faults)
    return _written(root)


def search_response(
    version: SruVersion,
    total: int,
    records: Sequence[RetrievedRecord],
    next_position: int,
    echo: Iterable[tuple[str, str]],
    packing: str,
) -> bytes:
    """Return the response of ``searchRetrieve``; ``next_position`` is 0 after the last record that can be asked for."""
    root = _root(version, version.namespace, "searchRetrieveResponse")
    _add(root, "numberOfRecords", str(total))
    if records:
        parent = _add(root, "records")
        for record in records:
            _add_record(parent, version, record, packing)
    if next_position:
        _add(root, "nextRecordPosition", str(next_position))
    echoed = _add(root, "echoedSearchRetrieveRequest")
    for name, value in echo:
        _add(echoed, name, value)
    if version is NEWEST:
        _add(root, "resultCountPrecision", _EXACT)
    return _written(root)


def failed_search_response(version: SruVersion, faults: Faults, total: int = 0) -> bytes:
    """Return the response of ``searchRetrieve`` without records; ``total`` as far as it is known."""
    root = _root(version, version.namespace, "searchRetrieveResponse")
    _add(root, "numberOfRecords", str(total))
    _add_diagnostics(root, version, faults)
    return _written(root)


def scan_response(version: SruVersion, terms: Sequence[FoundTerm], faults: Faults = ()) -> bytes:
    """Return the response of ``scan``."""
    root = _root(version, version.scan, "scanResponse")
    if terms:
        parent = _add(root, "terms")
        for term in terms:
            element = _add(parent, "term")
            _add(element, "value", term.value)
            _add(element, "numberOfRecords", str(term.publications))
    _add_diagnostics(root, version, faults)
    return _written(root)


Faults = Sequence[SruDiagnosticError]


def _root(version: SruVersion, namespace: str, name: str) -> etree._Element:
    root = etree.Element(f"{{{namespace}}}{name}", nsmap={"srw": namespace})
    _add(root, "version", version.number)
    return root


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    """Add an element in the namespace of its parent."""
    child = etree.SubElement(parent, f"{{{etree.QName(parent).namespace}}}{name}")
    if text is not None:
        child.text = without_illegal_characters(text)
    return child


def _add_record(parent: etree._Element, version: SruVersion, record: RetrievedRecord, packing: str) -> None:
    element = _add(parent, "record")
    is_surrogate = isinstance(record.data, SruDiagnosticError)
    data = _diagnostic(version, record.data) if isinstance(record.data, SruDiagnosticError) else record.data
    _add(element, "recordSchema", _SURROGATE_SCHEMA if is_surrogate else record.schema)
    _add(element, version.packing, packing)
    content = _add(element, "recordData")
    if packing == STRING_PACKING:
        content.text = etree.tostring(data, encoding="unicode")
    else:
        content.append(data)
    if record.identifier and version.number == "1.2":  # the only version that has the element
        _add(element, "recordIdentifier", record.identifier)
    if record.position:
        _add(element, "recordPosition", str(record.position))


def _add_diagnostics(root: etree._Element, version: SruVersion, faults: Faults) -> None:
    if faults:
        _add(root, "diagnostics").extend([_diagnostic(version, fault) for fault in faults])


def _diagnostic(version: SruVersion, error: SruDiagnosticError) -> etree._Element:
    element = etree.Element(f"{{{version.diagnostic}}}diagnostic", nsmap={"diag": version.diagnostic})
    _add(element, "uri", error.fault.uri)
    if error.details:
        _add(element, "details", error.details)
    _add(element, "message", error.fault.message)
    return element


def _written(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")
