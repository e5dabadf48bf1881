"""Apache Jena Fuseki. Made from its documentation, tested against recorded requests, not against the real server.

Configure the dataset with ``tdb2:unionDefaultGraph true``, so that a query without a dataset clause sees all graphs.
Jena's union consists of the named graphs alone, therefore the quads of the default graph are in the graph ``default``
beside the others.
"""

from __future__ import annotations

import msgspec

from bibld.store.remote import SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose; ``url`` is the address of the dataset, ``http://127.0.0.1:3030/NAME``."""


class Fuseki(SparqlStore):
    """See :class:`bibld.protocols.RemoteStore`."""

    name = "Fuseki"
    paths = ("sparql", "update", "data")


open_remote = Fuseki.open_remote
