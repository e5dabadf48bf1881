"""Eclipse RDF4J Server. Made from its documentation, tested against recorded requests, not against the real server.

A query without a dataset clause sees all graphs, the default graph too; therefore its quads are in the graph
``default`` beside the others, where they can be counted.
"""

from __future__ import annotations

import msgspec

from bibld.store.remote import SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the repository, ``…/rdf4j-server/repositories/NAME``."""


class Rdf4jServer(SparqlStore):
    """Leaves out inferred statements; see :class:`bibld.protocols.RemoteStore`."""

    name = "RDF4J"
    time_limit_form = "{}"
    paths = ("", "statements", "rdf-graphs/service")

    def dataset_parameters(self, text: str, union: bool) -> list[tuple[str, str]]:
        """Ask without inferred statements."""
        return [*super().dataset_parameters(text, union), ("infer", "false")]

    def every_graph(self) -> list[tuple[str, str]]:
        """Ask without inferred statements."""
        return [("infer", "false")]


open_remote = Rdf4jServer.open_remote
