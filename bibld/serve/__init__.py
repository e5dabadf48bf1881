"""Serves a release over HTTP: dereferencing, SPARQL, pages, downloads.

In comes a release (its folder and manifest) and a view of the catalog; out go documents about everything that has an
IRI (RFC 9110 content negotiation, Cool URIs for the Semantic Web), the SPARQL 1.1 protocol, and pages for people. The
store of the release is opened read-only; nothing here writes. A newer release takes over while the server runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

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
from bibld.serve._following import Following, Served
from bibld.serve._graph import ReleaseGraph
from bibld.serve._linkage import ReleaseView
from bibld.serve._pages import Pages
from bibld.serve._sparql.pool import Limits, Pool
from bibld.serve._sparql.protocol import SparqlEndpoint
from bibld.serve._sparql.worker import StoreCopy
from bibld.serve._things import MEDIA_TYPES as MEDIA_TYPES


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve]``.

    A query may take ``query_timeout`` seconds (waiting for its turn included), ``query_memory`` MiB beside what the
    store takes, and answer with ``max_result`` MiB; ``query_workers`` run at once and ``query_queue`` wait. Of these
    places one client address may have ``query_share``, and always one.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    query_timeout: Annotated[float, msgspec.Meta(gt=0)] = 15.0
    query_memory: Annotated[int, msgspec.Meta(ge=16)] = 1024
    query_workers: Annotated[int, msgspec.Meta(ge=1)] = 2
    query_queue: Annotated[int, msgspec.Meta(ge=0)] = 32
    query_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    max_result: Annotated[int, msgspec.Meta(ge=1)] = 64

    @property
    def limits(self) -> Limits:
        """The bounds of queries."""
        of_one = max(1, int(self.query_share * (self.query_workers + self.query_queue)))
        return Limits(self.query_timeout, self.query_memory, self.query_workers, self.query_queue, of_one)


def _nothing() -> None:
    """There is nothing to let go of."""


class Site(msgspec.Struct, frozen=True):
    """A release to serve.

    ``release`` is its folder: ``store/``, ``void.ttl`` and the files of the manifest. ``original`` returns the MARC
    record of a source record, as far as it may be published; None where it was not MARC. The catalog is asked in one
    thread at a time. ``close`` is called when the release is no longer served. ``store_settings`` are those of the
    store adapter that the manifest names; None for its defaults.
    """

    manifest: Manifest
    release: Path
    catalog: CatalogView
    original: Callable[[SourceRecord], MarcRecord | None]
    settings: Settings = Settings()
    close: Callable[[], None] = _nothing
    store_settings: Any = None

    @property
    def store(self) -> StoreCopy:
        """The copy of the triple store."""
        settings = {} if self.store_settings is None else self.store_settings
        return StoreCopy(self.manifest.backend, str(self.release / "store"), settings)


class Releases(msgspec.Struct, frozen=True):
    """Where newer releases come from.

    ``current`` gives the folder of the current release (it is asked once a second at most, and is cheap);
    ``open_current`` makes a site of it, in a thread, with a catalog of its own.
    """

    current: Callable[[], Path | None]
    open_current: Callable[[], Site]


def application(site: Site, releases: Releases | None = None) -> Starlette:
    """The site as an ASGI application; raises ``StoreError`` where the release has no store.

    With ``releases`` it follows the current one: a newer release is opened beside the old one and answers from then on.
    Run it with its lifespan, which ends the query processes and closes the site.
    """
    if releases is None:
        following = Following(_opened(site))
    else:
        following = Following(_opened(site), releases.current, lambda: _opened(releases.open_current()))
    return _app.with_lifespan(following, following.close)


def _opened(site: Site) -> Served:
    addresses = Addresses(Iris(site.manifest.dataset.base))
    with ExitStack() as opening:
        opening.callback(site.close)
        store = site.store.open()
        opening.callback(store.close)
        app, pool = _parts(site, addresses, ReleaseGraph(store))
        held = opening.pop_all()

    async def close() -> None:
        await pool.close()
        held.close()

    return Served(site.release, app, close)


def _parts(site: Site, addresses: Addresses, graph: ReleaseGraph) -> tuple[Starlette, Pool]:
    catalog = ReleaseView(site.catalog, graph, addresses.iris)
    vocabulary = _vocabulary.load(addresses.iris)
    pages = Pages(site.manifest, catalog, graph, addresses, vocabulary, site.original)
    void = site.release / "void.ttl"
    sources = Sources(
        site.manifest,
        catalog,
        graph,
        addresses,
        vocabulary,
        site.original,
        void.read_bytes() if void.is_file() else b"",
    )
    pool = Pool(site.store, site.settings.limits)
    sparql = SparqlEndpoint(pool, pages, vocabulary, addresses.iris.base, site.settings.max_result)
    files = Files(site.release, site.manifest, addresses)
    return _app.build(_app.Parts(addresses, Documents(sources, pages), files, pages, sparql)), pool


def serve(site: Site, releases: Releases | None = None) -> None:
    """Serve until SIGINT or SIGTERM, and say on standard error where; raises ``StageError`` for a taken address.

    With ``releases`` a newer release is served as soon as there is one.
    """

    def ready(address: str) -> None:
        path = Addresses(Iris(site.manifest.dataset.base)).mount
        print(f"serving release {site.manifest.number} at {address.rstrip('/')}{path}", file=sys.stderr, flush=True)

    _server.run(application(site, releases), site.settings.host, site.settings.port, ready)
