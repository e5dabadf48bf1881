"""Any server that keeps to SPARQL 1.1: the protocol, updates, and the Graph Store Protocol if it has that.

Tested against the server of Oxigraph.
"""

from __future__ import annotations

import msgspec

from bibld.protocols import RemoteAccess
from bibld.store.remote import Endpoints, SparqlStore


class Settings(msgspec.Struct, frozen=True):
    """The addresses; ``url`` is that of queries.

    ``update``: the address of updates, that of queries if absent; ``graph_store``: the address of the Graph Store
    Protocol, without it quads are loaded by updates. The server's queries must see all named graphs as one where they
    name none.
    """

    update: str = ""
    graph_store: str = ""


def open_remote(access: RemoteAccess, settings: Settings) -> SparqlStore:
    """Return the store at an address."""
    return SparqlStore(access, Endpoints(access.url, settings.update or access.url, settings.graph_store))
