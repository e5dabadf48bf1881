"""Serve: a release in; HTTP out: dereferencing, SPARQL, pages, downloads.

It takes a release (its folder and manifest) and a view of the catalog, and answers with documents about all that has an
IRI (RFC 9110 content negotiation, Cool URIs for the Semantic Web), the SPARQL 1.1 protocol, and pages for people. The
store of the release is opened read-only; nothing here writes. A newer release takes over while the server runs.

A configuration needs the settings alone; the server is in ``bibld.serve.site``.
"""

from bibld.serve.settings import Settings as Settings
