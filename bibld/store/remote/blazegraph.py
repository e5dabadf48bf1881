"""Blazegraph. Made from its documentation, tested against recorded requests, not against the real server.

The namespace has to be in the mode "quads". There is no Graph Store Protocol: triples are sent with the graph as
``context-uri``, as Turtle, because Blazegraph reads N-Triples as ASCII.
"""

from __future__ import annotations

import msgspec

from bibld.store.remote import SparqlStore, graph_parameter


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the endpoint, ``…/blazegraph/namespace/NAME/sparql``."""


class Blazegraph(SparqlStore):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "Blazegraph"
    time_limit_form = "{}"
    has_put = False
    media_type = "application/x-turtle;charset=UTF-8"

    def graph_address(self, graph: str) -> str:
        """Return the address that adds triples to a graph."""
        return f"{self.endpoints.graph_store}?{graph_parameter('context-uri', graph)}"


open_remote = Blazegraph.open_remote
