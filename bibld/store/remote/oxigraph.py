"""The server of Oxigraph (``oxigraph serve``). Tested against the real server.

Its default graph is apart from the named ones; queries ask for the union of all graphs. Start it with
``--union-default-graph``, so that queries of others see the union too.
"""

from __future__ import annotations

import msgspec

from bibld.store.remote import SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the server, ``http://127.0.0.1:7878/``."""


class OxigraphServer(SparqlStore):
    """Sends files as they are, without a transaction around each; see :class:`bibld.protocols.RemoteStore`."""

    name = "Oxigraph"
    paths = ("query", "update", "store")
    batch = 10_000
    has_default_graph = True

    def dataset_parameters(self, text: str, union: bool) -> list[tuple[str, str]]:
        """Ask for the union of all graphs."""
        return [("union-default-graph", "")] if union else []

    def graph_address(self, graph: str) -> str:
        """Load without a transaction: it takes less memory, and a file may be sent again."""
        return f"{super().graph_address(graph)}&no_transaction"


open_remote = OxigraphServer.open_remote
