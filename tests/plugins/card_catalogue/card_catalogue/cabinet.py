"""A store of another maker, which speaks the protocols of SPARQL 1.1 at ``/query``, ``/update`` and ``/graphs``."""

import msgspec

from bibld.protocols import RemoteAccess
from bibld.store.remote import Endpoints, SparqlStore, joined


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


class Cabinet(SparqlStore):
    """The store at an address."""

    name = "Cabinet"


def open_remote(access: RemoteAccess, settings: Settings) -> Cabinet:
    """Return the store at an address."""
    return Cabinet(access, Endpoints(*(joined(access.url, path) for path in ("query", "update", "graphs"))))
