"""Serve: a release in; HTTP out: dereferencing, SPARQL, pages, downloads.

It takes a release (its folder and manifest) and a view of the catalog, and answers with documents about all that has an
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

from bibld.config import Remote
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.release import Manifest
from bibld.protocols import CatalogView, SourceRecord
from bibld.published import PublishedView
from bibld.serve import _app, _server, _vocabulary
from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents
from bibld.serve._files import Files
from bibld.serve._following import Following, Served
from bibld.serve._forms import MEDIA_TYPES
from bibld.serve._front import Front
from bibld.serve._graph import ReleaseGraph
from bibld.serve._linkage import ReleaseView
from bibld.serve._names import PreparedNames
from bibld.serve._pages import Pages
from bibld.serve._sparql.pool import Limits, Pool
from bibld.serve._sparql.protocol import Endpoint, SparqlEndpoint
from bibld.serve._sparql.worker import RemoteSource, StoreCopy
from bibld.serve._things import Finder, OpenRelease
from bibld.serve._writers.simple import KEYS as JSON_KEYS

__all__ = ["JSON_KEYS", "MEDIA_TYPES", "Releases", "Settings", "Site", "application", "serve"]

Prefix = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z]([\w.-]*\w)?)?$")]
Namespace = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*$")]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve]``.

    A query may take ``query_timeout`` seconds (waiting for its turn included), ``query_memory`` MiB beside what the
    store takes, and answer with ``max_result`` MiB; ``query_workers`` run at once and ``query_queue`` wait. Of these
    places one client address may have ``query_share``, and always one. Results of queries are remembered in
    ``query_cache`` MiB.

    ``prefixes``: prefix → namespace, which queries may use without declaring them, beside those of the dataset.

    ``store``: the name of a ``[[store.remote]]`` from which documents and queries are answered; if empty, the copy of
    the store in the release.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    query_timeout: Annotated[float, msgspec.Meta(gt=0)] = 15.0
    query_memory: Annotated[int, msgspec.Meta(ge=16)] = 1024
    query_workers: Annotated[int, msgspec.Meta(ge=1)] = 2
    query_queue: Annotated[int, msgspec.Meta(ge=0)] = 32
    query_cache: Annotated[int, msgspec.Meta(ge=0)] = 64
    query_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    store: str = ""
    max_result: Annotated[int, msgspec.Meta(ge=1)] = 64
    prefixes: dict[Prefix, Namespace] = {}

    @property
    def limits(self) -> Limits:
        """The bounds of queries."""
        of_one = max(1, int(self.query_share * (self.query_workers + self.query_queue)))
        return Limits(self.query_timeout, self.query_memory, self.query_workers, self.query_queue, of_one)


def _nothing() -> None:
    """Close nothing."""


class Site(msgspec.Struct, frozen=True):
    """A release to serve.

    ``release`` is its folder: ``store/``, ``void.ttl`` and the files of the manifest. ``original`` returns the MARC
    record of a source record, as far as it may be published; None where it was not MARC. The catalog is asked in one
    thread at a time. ``close`` is called when the release is no longer served. ``store_settings`` are those of the
    store adapter that the manifest names; None for its defaults. ``remote`` is a store to answer from instead of that
    copy. ``published`` opens the prepared documents of the release; without them each is made from the store and the
    catalog, which takes longer.
    """

    manifest: Manifest
    release: Path
    catalog: CatalogView
    original: Callable[[SourceRecord], MarcRecord | None]
    settings: Settings = Settings()
    close: Callable[[], None] = _nothing
    store_settings: Any = None
    remote: Remote | None = None
    published: Callable[[], PublishedView] | None = None

    @property
    def store(self) -> StoreCopy | RemoteSource:
        """The remote store, or the copy of the triple store."""
        if self.remote is not None:
            # A reader waits: no second try, and no longer than a query may take.
            config = msgspec.structs.replace(self.remote.config, tries=1, timeout=self.settings.query_timeout)
            return RemoteSource(config, self.remote.settings, self.manifest.dataset.base)
        settings = {} if self.store_settings is None else self.store_settings
        return StoreCopy(self.manifest.backend, str(self.release / "store"), settings)


class Releases(msgspec.Struct, frozen=True):
    """Where newer releases come from.

    ``current`` gives the folder of the current release (it is asked once a second at most, and is cheap);
    ``open_current`` makes a site of it, in a thread, with its own catalog connection.
    """

    current: Callable[[], Path | None]
    open_current: Callable[[], Site]


def application(site: Site, releases: Releases | None = None) -> Starlette:
    """Return the site as an ASGI application; raises ``StoreError`` if the release has no store.

    With ``releases`` it follows the current one: a newer release is opened beside the old one and answers from then on.
    Run it with its lifespan, which ends the query processes and closes the site.
    """
    if releases is None:
        following = Following(_open(site))
    else:
        following = Following(_open(site), releases.current, lambda: _open(releases.open_current()))
    return _app.with_lifespan(following, following.close)


def _open(site: Site) -> Served:
    addresses = Addresses(Iris(site.manifest.dataset.base))
    with ExitStack() as opening:
        opening.callback(site.close)
        store = site.store.open()
        opening.callback(store.close)
        graph = ReleaseGraph(store)
        void = site.release / "void.ttl"
        release = OpenRelease(
            manifest=site.manifest,
            catalog=ReleaseView(site.catalog, graph, addresses.iris),
            graph=graph,
            addresses=addresses,
            vocabulary=_vocabulary.load(addresses.iris),
            original=site.original,
            void=void.read_bytes() if void.is_file() else b"",
        )
        finder = Finder(
            addresses.iris, release.catalog, graph, [figures.source for figures in site.manifest.figures.sources]
        )
        view = site.published() if site.published is not None else None
        if view is not None:
            opening.callback(view.close)
        names = None
        if site.published is not None:
            view_of_pages = site.published()  # for the thread that makes pages
            opening.callback(view_of_pages.close)
            names = PreparedNames(view_of_pages, addresses.iris, graph)
        pages = Pages(release, names)
        pool = Pool(site.store, site.settings.limits)
        prefixes = {**release.vocabulary.prefixes, **site.settings.prefixes}
        sizes = site.settings.max_result, site.settings.query_cache
        endpoint = Endpoint(release.vocabulary, addresses.iris.base, prefixes, *sizes)
        sparql = SparqlEndpoint(pool, pages, endpoint)
        files = Files(site.release, site.manifest, addresses)
        documents = Documents(release, pages, finder, view)
        opening.callback(documents.close)
        app = _app.build(_app.Parts(addresses, documents, files, pages, sparql))
        close_site = opening.pop_all().close

    async def close() -> None:
        await sparql.close()
        await pool.close()
        close_site()

    return Served(site.release, Front(documents, addresses.route, app), close)


def serve(site: Site, releases: Releases | None = None) -> None:
    """Serve until SIGINT or SIGTERM, and report the address on standard error; raises ``StageError`` if it is taken.

    With ``releases`` a newer release is served as soon as there is one.
    """

    def report_address(address: str) -> None:
        path = Addresses(Iris(site.manifest.dataset.base)).mount
        print(f"serving release {site.manifest.number} at {address.rstrip('/')}{path}", file=sys.stderr, flush=True)

    _server.run(application(site, releases), site.settings.host, site.settings.port, report_address)
