"""Serve: a release in; HTTP out: dereferencing, SPARQL, pages, downloads.

It takes a release (its folder and manifest) and a view of the catalog, and answers with documents about all that has an
IRI (RFC 9110 content negotiation, Cool URIs for the Semantic Web), the SPARQL 1.1 protocol, and pages for people. The
store of the release is opened read-only; nothing here writes. A newer release takes over while the server runs.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from bibld.serve._writers.simple import KEYS as JSON_KEYS

# A configuration needs the settings alone: the server is imported when one of these names is first used.
_HOMES = {
    "JSON_KEYS": ("_writers.simple", "KEYS"),
    "MEDIA_TYPES": ("_forms", "MEDIA_TYPES"),
    "Desk": ("_review", "Desk"),
    "Releases": ("_site", "Releases"),
    "Site": ("_site", "Site"),
    "StaticSite": ("_static", "StaticSite"),
    "application": ("_site", "application"),
    "serve": ("_site", "serve"),
    "write_static": ("_site", "write_static"),
}

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


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module 'bibld.serve' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(f"bibld.serve.{module}"), attribute)
    setattr(sys.modules[__name__], name, value)
    return value
