"""The cases of the W3C suite for the SPARQL 1.1 Protocol, as a table.

The suite loads graphs before it asks. Here a graph of the endpoint takes their place. Its updates change data; those
that are here have nothing to insert and nothing to delete.
"""

from __future__ import annotations

import msgspec

from bibld.conformance.triples import FORMATS

FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
JSON = "application/sparql-results+json"
XML = "application/sparql-results+xml"
PROTOCOL, UPDATES = "SPARQL 1.1 Protocol, 2.1", "SPARQL 1.1 Protocol, 2.2"
NOWHERE = "urn:uuid:5b7a2d1e-6f0c-4b6e-9a53-3f1c0d9e8b71"
"""The name of a graph that no dataset has."""
TABLE = "SELECT ?x WHERE { VALUES ?x { 1 2 } }"
"""A query whose result is a table of two rows."""
RDF = ", ".join(FORMATS)
_NOTHING = "INSERT DATA { }"


class Case(msgspec.Struct, frozen=True):
    """A request of the protocol suite and the answer that it expects.

    ``parameters`` are those of the address, or of the form if ``content_type`` is that of forms and there is no
    ``body``. ``{graph}`` in a query or parameter is a graph of the endpoint. ``expected``: a status from 200 to 299 and
    a boolean result, or ``table``, ``graph``; ``refused``: a status from 400 to 499.
    """

    name: str
    what: str
    method: str = "GET"
    parameters: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    body: bytes = b""
    accept: str = JSON
    expected: str = "true"
    clause: str = PROTOCOL

    @property
    def id(self) -> str:
        """The id of the check."""
        return self.name.replace("_", "-")


_HAS = "ASK { ?s ?p ?o }"
_IN_GRAPH = "ASK { GRAPH <{graph}> { ?s ?p ?o } }"
_BOTH = "ASK { ?s ?p ?o GRAPH <{graph}> { ?s2 ?p2 ?o2 } }"
_HERE = ("default-graph-uri", "{graph}")
_NAMED = ("named-graph-uri", "{graph}")
_ELSEWHERE = ("default-graph-uri", NOWHERE)
_ANY = "application/sparql-results+xml, application/sparql-results+json"

CASES = (
    Case("query_get", "a query with GET", parameters=(("query", "ASK {}"),)),
    Case("query_post_form", "a query in a form", "POST", (("query", "ASK {}"),), FORM),
    Case("query_post_direct", "a query as the body", "POST", (), QUERY, b"ASK {}"),
    Case(
        "query_dataset_default_graphs_get",
        "two default graphs with GET",
        parameters=(("query", _HAS), _HERE, _ELSEWHERE),
    ),
    Case(
        "query_dataset_default_graphs_post",
        "two default graphs in the address of a POST",
        "POST",
        (_HERE, _ELSEWHERE),
        QUERY,
        _HAS.encode(),
    ),
    Case(
        "query_dataset_named_graphs_get",
        "a named graph with GET",
        parameters=(("query", _IN_GRAPH), _NAMED, ("named-graph-uri", NOWHERE)),
    ),
    Case(
        "query_dataset_named_graphs_post",
        "a named graph in the address of a POST",
        "POST",
        (_NAMED, ("named-graph-uri", NOWHERE)),
        QUERY,
        _IN_GRAPH.encode(),
    ),
    Case("query_dataset_full", "a default graph and a named graph", parameters=(("query", _BOTH), _HERE, _NAMED)),
    Case(
        "query_multiple_dataset",
        "graphs of the request precede FROM",
        parameters=(("query", f"ASK FROM <{NOWHERE}> {{ ?s ?p ?o }}"), _HERE),
    ),
    Case(
        "query_dataset_is_used",
        "an unknown default graph is empty, or refused",
        parameters=(("query", _HAS), _ELSEWHERE),
        expected="false or refused",
    ),
    Case("query_content_type_select", "SELECT gives a table", "POST", (), QUERY, TABLE.encode(), _ANY, "table"),
    Case("query_content_type_ask", "ASK gives a boolean", "POST", (), QUERY, b"ASK {}", _ANY),
    Case(
        "query_content_type_describe",
        "DESCRIBE gives RDF",
        "POST",
        (),
        QUERY,
        b"DESCRIBE <http://example.org/>",
        RDF,
        "graph",
    ),
    Case(
        "query_content_type_construct",
        "CONSTRUCT gives RDF",
        "POST",
        (),
        QUERY,
        b"CONSTRUCT { <http://example.org/> <http://example.org/p> 1 } WHERE {}",
        RDF,
        "graph",
    ),
    Case("bad_query_method", "a query with PUT is refused", "PUT", (("query", "ASK {}"),), expected="refused"),
    Case(
        "bad_multiple_queries",
        "two queries are refused",
        parameters=(("query", "ASK {}"), ("query", "SELECT * {}")),
        expected="refused",
    ),
    Case(
        "bad_query_wrong_media_type",
        "a query as text/plain is refused",
        "POST",
        (),
        "text/plain",
        b"ASK {}",
        expected="refused",
    ),
    Case(
        "bad_query_missing_form_type",
        "a form without Content-Type is refused",
        "POST",
        (),
        "",
        b"query=ASK%20%7B%7D",
        expected="refused",
    ),
    Case(
        "bad_query_missing_direct_type",
        "a query without Content-Type is refused",
        "POST",
        (),
        "",
        b"ASK {}",
        expected="refused",
    ),
    Case(
        "bad_query_non_utf8",
        "a query in UTF-16 is refused",
        "POST",
        (),
        f"{QUERY}; charset=UTF-16",
        "ASK {}".encode("utf-16"),
        expected="refused",
    ),
    Case("bad_query_syntax", "an invalid query is refused", parameters=(("query", "ASK {"),), expected="refused"),
    Case(
        "update_post_form",
        "an update in a form is refused",
        "POST",
        (("update", _NOTHING),),
        FORM,
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_post_direct",
        "an update as the body is refused",
        "POST",
        (),
        UPDATE,
        _NOTHING.encode(),
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_base_uri",
        "an update with BASE is refused",
        "POST",
        (),
        UPDATE,
        f"BASE <http://example.org/> {_NOTHING}".encode(),
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_dataset_default_graph",
        "an update of one default graph is refused",
        "POST",
        (("using-graph-uri", NOWHERE),),
        UPDATE,
        b"DELETE {} WHERE {}",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_dataset_default_graphs",
        "an update of two default graphs is refused",
        "POST",
        (("using-graph-uri", NOWHERE), ("using-graph-uri", f"{NOWHERE}2")),
        UPDATE,
        b"DELETE {} WHERE {}",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_dataset_named_graphs",
        "an update of named graphs is refused",
        "POST",
        (("using-named-graph-uri", NOWHERE),),
        UPDATE,
        b"DELETE {} WHERE {}",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "update_dataset_full",
        "an update of a dataset is refused",
        "POST",
        (("using-graph-uri", NOWHERE), ("using-named-graph-uri", NOWHERE)),
        UPDATE,
        b"DELETE {} WHERE {}",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_get",
        "an update with GET is refused",
        parameters=(("update", _NOTHING),),
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_multiple_updates",
        "two updates are refused",
        "POST",
        (("update", _NOTHING), ("update", _NOTHING)),
        FORM,
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_wrong_media_type",
        "an update as text/plain is refused",
        "POST",
        (),
        "text/plain",
        _NOTHING.encode(),
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_missing_form_type",
        "an update without Content-Type is refused",
        "POST",
        (),
        "",
        b"update=INSERT%20DATA%20%7B%7D",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_non_utf8",
        "an update in UTF-16 is refused",
        "POST",
        (),
        f"{UPDATE}; charset=UTF-16",
        _NOTHING.encode("utf-16"),
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_syntax",
        "an invalid update is refused",
        "POST",
        (),
        UPDATE,
        b"INSERT DATA {",
        expected="refused",
        clause=UPDATES,
    ),
    Case(
        "bad_update_dataset_conflict",
        "an update that names its dataset twice is refused",
        "POST",
        (("using-named-graph-uri", NOWHERE),),
        UPDATE,
        f"WITH <{NOWHERE}> DELETE {{}} WHERE {{}}".encode(),
        expected="refused",
        clause=UPDATES,
    ),
)
"""The 34 cases of the suite by their names, and one that its data made unnecessary: ``query_dataset_is_used``."""
