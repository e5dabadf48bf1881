"""Remote stores: adapters of triple stores that are reached over HTTP, and what adapters are made of.

An adapter subclasses :class:`SparqlStore` and states how its servers differ from the standards.
"""

from bibld.store.remote._http import Answer
from bibld.store.remote._sparql_store import Endpoints, SparqlStore, decoded_results, graph_parameter, joined

__all__ = ["Answer", "Endpoints", "SparqlStore", "decoded_results", "graph_parameter", "joined"]
