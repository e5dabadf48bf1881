"""QLever. Made from its documentation, tested against recorded requests, not against the real server.

One address answers queries, updates and the Graph Store Protocol; changes need the access token, which is configured as
``password``. QLever stores updates beside its index, in memory: index a dump for the first load of a large dataset.
"""

from __future__ import annotations

import math

import msgspec

from bibld.model.rdf import iri
from bibld.protocols import RemoteAccess
from bibld.store.remote import Endpoints, SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the server, ``http://127.0.0.1:7001/``."""


class QLever(SparqlStore):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "QLever"
    authentication = "bearer"
    has_put = False

    def clear_graph(self, graph: str) -> None:
        """Remove all quads of a graph; CLEAR and DROP are not implemented."""
        self._send_update(f"DELETE WHERE {{ GRAPH {iri(graph)} {{ ?s ?p ?o }} }}")

    def time_limit(self, seconds: float) -> list[tuple[str, str]]:
        """Limit the time of evaluation."""
        return [("timeout", f"{math.ceil(seconds)}s")]


def open_remote(access: RemoteAccess, settings: Settings) -> QLever:
    """Return the store at an address."""
    return QLever(access, Endpoints(access.url, access.url, access.url))
