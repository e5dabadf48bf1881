"""Serve: a release in; HTTP out: dereferencing, SPARQL, pages, downloads.

It takes a release (its folder and manifest) and a view of the catalog, and answers with documents about all that has an
IRI (RFC 9110 content negotiation, Cool URIs for the Semantic Web), the SPARQL 1.1 protocol, and pages for people. The
store of the release is opened read-only; nothing here writes. A newer release takes over while the server runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.lazy_imports import import_on_use
from bibld.serve._settings import LimitSettings, Settings

if TYPE_CHECKING:
    from bibld.serve._forms import MEDIA_TYPES as MEDIA_TYPES
    from bibld.serve._review import Desk as Desk
    from bibld.serve._site import Releases as Releases
    from bibld.serve._site import Site as Site
    from bibld.serve._site import application as application
    from bibld.serve._site import serve as serve
    from bibld.serve._site import write_static as write_static
    from bibld.serve._static import StaticSite as StaticSite
    from bibld.serve._writers.simple import JSON_KEYS as JSON_KEYS

# A configuration needs the settings alone: the server is imported when one of these names is first used.
__getattr__ = import_on_use(
    __name__,
    {
        "_forms": ("MEDIA_TYPES",),
        "_review": ("Desk",),
        "_site": ("Releases", "Site", "application", "serve", "write_static"),
        "_static": ("StaticSite",),
        "_writers.simple": ("JSON_KEYS",),
    },
)

__all__ = [
    "JSON_KEYS",
    "MEDIA_TYPES",
    "Desk",
    "LimitSettings",
    "Releases",
    "Settings",
    "Site",
    "StaticSite",
    "application",
    "serve",
    "write_static",
]
