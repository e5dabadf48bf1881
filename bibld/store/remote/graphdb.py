"""Ontotext GraphDB. Made from its documentation, tested against recorded requests, not against the real server.

Its interface is that of RDF4J. Make the repository with the ruleset "empty": the published data need no inference.
"""

from __future__ import annotations

import msgspec

from bibld.store.remote.rdf4j import Rdf4jServer


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the repository, ``http://127.0.0.1:7200/repositories/NAME``."""


class GraphDb(Rdf4jServer):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "GraphDB"


open_remote = GraphDb.open_remote
