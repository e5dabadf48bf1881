"""Blazegraph. Made from its documentation, tested against recorded requests, not against the real server.

The namespace has to be in the mode "quads". There is no Graph Store Protocol: triples are sent with the graph as
``context-uri``, as Turtle, because Blazegraph reads N-Triples as ASCII.
"""

from __future__ import annotations

import math

import msgspec

from bibld.protocols import RemoteAccess
from bibld.store.remote import Endpoints, SparqlStore, graph_parameter


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the endpoint, ``…/blazegraph/namespace/NAME/sparql``."""


class Blazegraph(SparqlStore):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "Blazegraph"
    has_put = False
    media_type = "application/x-turtle;charset=UTF-8"

    def graph_address(self, graph: str) -> str:
        """Return the address that adds triples to a graph."""
        return f"{self.endpoints.graph_store}?{graph_parameter('context-uri', graph)}"

    def time_limit(self, seconds: float) -> list[tuple[str, str]]:
        """Limit the time of evaluation, in seconds."""
        return [("timeout", str(math.ceil(seconds)))]


def open_remote(access: RemoteAccess, settings: Settings) -> Blazegraph:
    """Return the store at an address."""
    return Blazegraph(access, Endpoints(access.url, access.url, access.url))
