"""Serves a release over HTTP: dereferencing, SPARQL, pages, downloads.

In comes a release (its folder and manifest) and a view of the catalog; out go documents about everything that has an
IRI (RFC 9110 content negotiation, Cool URIs for the Semantic Web), the SPARQL 1.1 protocol, and pages for people. The
store of the release is opened read-only; nothing here writes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from starlette.applications import Starlette

from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.release import Manifest
from bibld.protocols import CatalogView, SourceRecord
from bibld.serve import _app, _server, _vocabulary
from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents, Sources
from bibld.serve._files import Files
from bibld.serve._graph import ReleaseGraph
from bibld.serve._pages import Pages
from bibld.serve._sparql.pool import Limits, Pool
from bibld.serve._sparql.protocol import SparqlEndpoint


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve]``.

    A query may take ``query_timeout`` seconds, ``query_memory`` MiB beside what the store takes, and answer with
    ``max_result`` MiB; ``query_workers`` run at once and ``query_queue`` wait.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    query_timeout: Annotated[float, msgspec.Meta(gt=0)] = 15.0
    query_memory: Annotated[int, msgspec.Meta(ge=16)] = 1024
    query_workers: Annotated[int, msgspec.Meta(ge=1)] = 2
    query_queue: Annotated[int, msgspec.Meta(ge=0)] = 32
    max_result: Annotated[int, msgspec.Meta(ge=1)] = 64


class Site(msgspec.Struct, frozen=True):
    """A release to serve.

    ``release`` is its folder: ``store/``, ``void.ttl`` and the files of the manifest. ``original`` gives the MARC
    record of a source record, as far as it may be published; None for one that is none. The catalog is asked in the
    thread of the event loop only.
    """

    manifest: Manifest
    release: Path
    catalog: CatalogView
    original: Callable[[SourceRecord], MarcRecord | None]
    settings: Settings = Settings()


def application(site: Site) -> Starlette:
    """The site as an ASGI application; raises ``StoreError`` where the release has no store.

    Run it with its lifespan, which ends the query processes.
    """
    settings = site.settings
    store = site.release / "store"
    addresses = Addresses(Iris(site.manifest.dataset.base))
    graph = ReleaseGraph(store, addresses.iris)
    vocabulary = _vocabulary.load(addresses.iris)
    pages = Pages(site.manifest, site.catalog, graph, addresses, vocabulary, site.original)
    void = site.release / "void.ttl"
    sources = Sources(
        site.manifest,
        site.catalog,
        graph,
        addresses,
        vocabulary,
        site.original,
        void.read_bytes() if void.is_file() else b"",
    )
    limits = Limits(
        settings.query_timeout,
        settings.query_memory,
        settings.query_workers,
        settings.query_queue,
    )
    pool = Pool(store, limits)
    sparql = SparqlEndpoint(pool, pages, vocabulary, addresses.iris.base, settings.max_result)
    files = Files(site.release, site.manifest, addresses)
    return _app.build(_app.Parts(addresses, Documents(sources, pages), files, pages, sparql, pool))


def serve(site: Site) -> None:
    """Serve until SIGINT or SIGTERM, and say on standard error where; raises ``StageError`` for a taken address."""

    def ready(address: str) -> None:
        mount = Addresses(Iris(site.manifest.dataset.base)).mount
        print(f"serving release {site.manifest.number} at {address.rstrip('/')}{mount}", file=sys.stderr, flush=True)

    _server.run(application(site), site.settings.host, site.settings.port, ready)
