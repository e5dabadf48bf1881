"""The description of the server in ZeeRex, which the operation ``explain`` returns."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec
from lxml import etree

from bibld.model.mods_xml import without_illegal_characters
from bibld.model.release import DatasetDescription
from bibld.search import SCANNED
from bibld.serve._interfaces.sru.envelope import EXPLAIN
from bibld.serve._interfaces.sru.indexes import INDEXES, SETS, IndexKind
from bibld.serve._interfaces.sru.records import SCHEMAS

_PORTS = {"http": "80", "https": "443"}


class ServerLimits(msgspec.Struct, frozen=True):
    """Records of a response by default and at most, and the schema of those that name none."""

    default_records: int
    max_records: int
    default_schema: str


def describe_server(dataset: DatasetDescription, address: str, version: str, limits: ServerLimits) -> etree._Element:
    """Return the ZeeRex record; ``address`` is that of the server, ``version`` the newest one of the protocol."""
    root = etree.Element(f"{{{EXPLAIN}}}explain", nsmap={"zr": EXPLAIN})
    parts = urlsplit(address)
    server = _add(root, "serverInfo", protocol="SRU", version=version, transport=parts.scheme, method="GET POST")
    _add(server, "host", parts.hostname or "localhost")
    _add(server, "port", str(parts.port or _PORTS.get(parts.scheme, "80")))
    _add(server, "database", parts.path.lstrip("/"))
    database = _add(root, "databaseInfo")
    for name, texts in (("title", dataset.title), ("description", dataset.description)):
        for tag, text in texts.items():
            is_primary = {"primary": "true"} if tag == next(iter(texts)) else {}
            _add(database, name, text, lang=tag, **is_primary)
    _add_indexes(_add(root, "indexInfo"))
    schemas = _add(root, "schemaInfo")
    for schema in SCHEMAS:
        element = _add(schemas, "schema", identifier=schema.identifier, name=schema.name, sort="false", retrieve="true")
        _add(element, "title", schema.title, lang="en")
    configuration = _add(root, "configInfo")
    _add(configuration, "default", str(limits.default_records), type="numberOfRecords")
    _add(configuration, "default", limits.default_schema, type="retrieveSchema")
    _add(configuration, "default", "cql", type="contextSet")
    _add(configuration, "default", "cql.serverChoice", type="index")
    _add(configuration, "setting", str(limits.max_records), type="maximumRecords")
    for relation in ("=", "==", "all", "any", "adj", "<", ">", "<=", ">=", "<>", "within", "exact"):
        _add(configuration, "supports", relation, type="relation")
    for operator in ("and", "or", "not"):
        _add(configuration, "supports", operator, type="boolean")
    for character in ("*", "?"):
        _add(configuration, "supports", character, type="maskingCharacter")
    _add(configuration, "supports", "^", type="anchoring")
    _add(configuration, "supports", type="scan")
    _add(configuration, "supports", type="sort")
    return root


def _add_indexes(parent: etree._Element) -> None:
    for name, identifier in SETS.items():
        _add(parent, "set", name=name, identifier=identifier)
    for index in INDEXES:
        element = _add(
            parent,
            "index",
            search="true",
            scan="true" if index.field in SCANNED else "false",
            sort="true" if index.sort else "false",
        )
        _add(element, "title", index.title, lang="en")
        for full_name in index.names:
            prefix, _, name = full_name.partition(".")
            _add(_add(element, "map"), "name", name, set=prefix)
        if index.kind == IndexKind.YEAR:
            information = _add(element, "configInfo")
            for relation in ("<", ">", "<=", ">=", "within"):
                _add(information, "supports", relation, type="relation")


def _add(parent: etree._Element, element: str, text: str = "", **attributes: str) -> etree._Element:
    child = etree.SubElement(parent, f"{{{EXPLAIN}}}{element}")
    for attribute, value in attributes.items():
        child.set(attribute, without_illegal_characters(value))
    if text:
        child.text = without_illegal_characters(text)
    return child
