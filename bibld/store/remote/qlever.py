"""QLever. Made from its documentation, tested against recorded requests, not against the real server.

One address answers queries, updates and the Graph Store Protocol; changes need the access token, which is configured as
``password``. QLever stores updates beside its index, in memory: index a dump for the first load of a large dataset.
"""

from __future__ import annotations

import msgspec

from bibld.model.rdf import iri
from bibld.store.remote import SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the server, ``http://127.0.0.1:7001/``."""


class QLever(SparqlStore):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "QLever"
    time_limit_form = "{}s"
    authentication = "bearer"
    has_put = False

    def clear_graph(self, graph: str) -> None:
        """Remove all quads of a graph; CLEAR and DROP are not implemented."""
        self._send_update(f"DELETE WHERE {{ GRAPH {iri(graph)} {{ ?s ?p ?o }} }}")


open_remote = QLever.open_remote
