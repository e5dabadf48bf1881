"""Queries to any SPARQL endpoint."""

from __future__ import annotations

import warnings
from typing import Any
from urllib.error import HTTPError, URLError

from rdflib import Graph
from SPARQLWrapper import JSON, POST, RDFXML, SPARQLExceptions, SPARQLWrapper

from bibld._api.sparql import Triple, table_of_results
from bibld._api.tables import Table
from bibld._version import __version__
from bibld.errors import BadQueryError, ConfigError, QueryTimeoutError, StoreUnavailableError
from bibld.model.iris import is_web_iri

_GRAPH_QUERIES = ("CONSTRUCT", "DESCRIBE")


def query(endpoint: str, sparql: str, *, timeout: int = 60) -> Table[Any]:
    """Send a query to a SPARQL 1.1 endpoint, and return its result as a table.

    SELECT gives a column for each variable (numbers and booleans as such, IRIs and other literals as text, None for
    unbound), ASK one row with the column ``answer``, CONSTRUCT and DESCRIBE the columns ``subject``, ``predicate`` and
    ``object``, written as in N-Triples. ``timeout`` is in seconds.

    Raises ``BadQueryError`` for a query that the endpoint refuses, ``StoreUnavailableError`` if it cannot be reached,
    ``QueryTimeoutError`` if it does not answer in time.
    """
    if not is_web_iri(endpoint):
        raise ConfigError([f'endpoint "{endpoint}": must be an http or https address'])
    wrapper = SPARQLWrapper(endpoint, agent=f"bibld/{__version__}")
    wrapper.setMethod(POST)
    wrapper.setTimeout(timeout)
    wrapper.setQuery(sparql)
    is_graph = wrapper.queryType in _GRAPH_QUERIES
    wrapper.setReturnFormat(RDFXML if is_graph else JSON)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the library warns of headers that endpoints commonly send
            body: bytes = wrapper.query().response.read()
    except (SPARQLExceptions.QueryBadFormed, SPARQLExceptions.URITooLong) as error:
        raise BadQueryError(f"{endpoint}: {_cause(error)}") from error
    except TimeoutError as error:
        raise QueryTimeoutError(f"{endpoint}: no answer within {timeout} s") from error
    except (SPARQLExceptions.SPARQLWrapperException, HTTPError, URLError, OSError) as error:
        if isinstance(getattr(error, "reason", None), TimeoutError):
            raise QueryTimeoutError(f"{endpoint}: no answer within {timeout} s") from error
        raise StoreUnavailableError(
            f"{endpoint}: cannot be queried: {_cause(error)}; check the address, and that the endpoint is running"
        ) from error
    if not is_graph:
        return table_of_results(body)
    triples = Graph().parse(data=body, format="xml")
    return Table(Triple, sorted(Triple(*(term.n3() for term in triple)) for triple in triples))


def _cause(error: Exception) -> str:
    """Return the cause of a failed request in one line."""
    if isinstance(error, URLError) and isinstance(error.reason, OSError):
        return error.reason.strerror or str(error.reason)
    text = str(getattr(error, "msg", "") or error).strip()
    return text.partition("\n")[0] or type(error).__name__
