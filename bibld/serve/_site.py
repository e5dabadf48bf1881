"""A release as a site: what is opened for it, and the server processes that answer."""

from __future__ import annotations

import asyncio
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.types import ASGIApp

from bibld.config import Remote
from bibld.documents import PublishedView
from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.release import Manifest
from bibld.model.report import FILE as REPORT
from bibld.model.report import Report, Validation
from bibld.progress import Progress
from bibld.protocols import CatalogView, SourceRecord
from bibld.search import SearchView
from bibld.serve import _app, _server, _vocabulary
from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents
from bibld.serve._files import Files, static_names
from bibld.serve._following import Following, Served
from bibld.serve._front import Front
from bibld.serve._graph import ReleaseGraph
from bibld.serve._guarding import Guard, Health, Rules
from bibld.serve._guarding.clients import Clients
from bibld.serve._guarding.limits import BUCKET_BYTES, Buckets
from bibld.serve._guarding.log import AccessLog
from bibld.serve._guarding.metrics import PROCESS_BYTES, Metrics
from bibld.serve._guarding.requests import Checks, Classes
from bibld.serve._interfaces import Search, open_interfaces
from bibld.serve._linkage import ReleaseView
from bibld.serve._names import PreparedNames
from bibld.serve._neighbourhoods import Neighbourhoods
from bibld.serve._pages import pages_by_language
from bibld.serve._review import Desk, ReviewSite, read_token
from bibld.serve._search import SearchSite
from bibld.serve._settings import Settings
from bibld.serve._sparql.lookups import Lookups
from bibld.serve._sparql.places import Places, Shared, share_places
from bibld.serve._sparql.pool import Pool
from bibld.serve._sparql.protocol import Endpoint, SparqlEndpoint
from bibld.serve._sparql.worker import RemoteSource, StoreCopy
from bibld.serve._static import StaticSite, StaticWriter
from bibld.serve._supervisor import Supervisor, Tasks
from bibld.serve._thing_pictures import ThingPictures
from bibld.serve._things import Finder, OpenRelease


def _nothing() -> None:
    """Close nothing."""


def _none(record: SourceRecord) -> Sequence[tuple[str, str]]:
    """Return no subfields."""
    return ()


class Site(msgspec.Struct, frozen=True):
    """A release to serve.

    ``release`` is its folder: ``store/``, ``void.ttl`` and the files of the manifest. ``original`` returns the MARC
    record of a source record, as far as it may be published; None where it was not MARC. The catalog is asked in one
    thread at a time. ``close`` is called when the release is no longer served. ``store_settings`` are those of the
    store adapter that the manifest names; None for its defaults. ``remote`` is a store to answer from instead of that
    copy. ``published`` opens the prepared documents of the release; without them each is made from the store and the
    catalog, which takes longer. ``search`` opens the names that are searched (its arguments are those of
    ``open_search`` after the release); without them there is neither search nor reconciliation. ``review`` stores what
    people decide on the review page. ``beside_mods`` returns name and fate of the subfields of a source record that are
    not in its MODS (``SourceRecord`` has no place for them).
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
    search: Callable[..., SearchView] | None = None
    review: Desk | None = None
    beside_mods: Callable[[SourceRecord], Sequence[tuple[str, str]]] = _none

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


class Memory(msgspec.Struct, frozen=True):
    """What the server processes of a site share: request counts, allowances of clients, and places of queries."""

    metrics: memoryview
    buckets: memoryview
    places: Shared | None


def application(site: Site, releases: Releases | None = None) -> ASGIApp:
    """Return the site as an ASGI application; raises ``StoreError`` if the release has no store.

    With ``releases`` it follows the current one: a newer release is opened beside the old one and answers from then on.
    Run it with its lifespan, which ends the query processes and closes the site.
    """
    return _application(site, releases, _new_memory(1, None), 0)[0]


def _application(
    site: Site,
    releases: Releases | None,
    memory: Memory,
    process: int,
    on_closed: Callable[[], None] = _nothing,
) -> tuple[Guard, AccessLog | None, Following]:
    settings = site.settings
    metrics = Metrics(memory.metrics, process)
    metrics.begin()
    places = Places(settings.query_limits, memory.places, process)
    if releases is None:
        following = Following(_open(site, places))
    else:
        open_current = releases.open_current
        following = Following(_open(site, places), releases.current, lambda: _open(open_current(), places), on_closed)
    addresses = Addresses(Iris(site.manifest.dataset.base))
    rules = Rules(
        _clients(settings),
        Checks(settings.hosts),
        Classes(addresses.route),
        Buckets(settings.limits, memory.buckets),
        metrics,
        settings.request_timeout,
        addresses.mount,
    )
    health = Health(following.release_number, following.check, places.counts, following.watch)
    log = AccessLog(settings.access_log, settings.access_log_format) if settings.access_log else None
    return Guard(following, following.close, rules, health, log, following.prepared), log, following


def _clients(settings: Settings) -> Clients:
    return Clients(settings.trusted_proxies, settings.limits.exempt, settings.metrics_clients)


def _new_memory(processes: int, places: Shared | None) -> Memory:
    """Return memory that this process shares with those that it forks."""
    metrics, buckets = (memoryview(mmap.mmap(-1, size))[:size] for size in (processes * PROCESS_BYTES, BUCKET_BYTES))
    return Memory(metrics, buckets, places)


def _open(site: Site, places: Places, has_services: bool = True) -> Served:
    addresses = Addresses(Iris(site.manifest.dataset.base))
    with ExitStack() as opening:
        opening.callback(site.close)
        store = site.store.open()
        opening.callback(store.close)
        graph = ReleaseGraph(store)
        void = site.release / "void.ttl"
        names_of_pages = site.search() if site.search is not None else None
        if names_of_pages is not None:
            opening.callback(names_of_pages.close)
        view_of_pages = site.published() if site.published is not None else None  # for the thread that makes pages
        if view_of_pages is not None:
            opening.callback(view_of_pages.close)
        release = OpenRelease(
            manifest=site.manifest,
            catalog=ReleaseView(site.catalog, graph, addresses.iris, view_of_pages),
            graph=graph,
            addresses=addresses,
            vocabulary=_vocabulary.load(addresses.iris),
            original=site.original,
            beside_mods=site.beside_mods,
            void=void.read_bytes() if void.is_file() else b"",
            contact=site.settings.contact,
            search=names_of_pages,
            report=_report(site.release),
            has_services=has_services,
            validation=partial(Validation.read, site.release.parent.parent),
            published=view_of_pages,
        )
        finder = Finder(
            addresses.iris, release.catalog, graph, [figures.source for figures in site.manifest.figures.sources]
        )
        view = site.published() if site.published is not None else None
        if view is not None:
            opening.callback(view.close)
        names = None
        if view_of_pages is not None:
            names = PreparedNames(view_of_pages, addresses.iris, graph)
        pages = pages_by_language(release, names)
        pool = Pool(site.store, site.settings.query_limits, places)
        prefixes = {**release.vocabulary.prefixes, **site.settings.prefixes}
        sizes = site.settings.max_result, site.settings.query_cache
        is_own = site.remote is None  # a remote store may be behind the release
        lookups = None
        if site.published is not None and is_own:
            view_of_lookups = site.published()  # documents may be read in another thread
            opening.callback(view_of_lookups.close)
            lookups = Lookups(view_of_lookups, addresses.iris.base)
        endpoint = Endpoint(release.vocabulary, addresses.iris.base, prefixes, *sizes, lookups)
        sparql = SparqlEndpoint(pool, pages, endpoint)
        files = Files(site.release, site.manifest, addresses, release.vocabulary)
        documents = Documents(release, pages, finder, view)
        search = None
        if site.published is not None and site.search is not None:
            search = Search(site.search(), site.published())
            opening.callback(search.view.close)
            opening.callback(search.names.close)
        interfaces = open_interfaces(release, finder, view_of_pages, search, documents.run)
        opening.callback(interfaces.close)
        searching = SearchSite(release, site.search, pages, finder, documents.run)
        opening.callback(searching.close)
        opening.callback(documents.close)  # its thread reads what is closed next
        review = None
        if site.settings.review_token is not None and site.review is not None:
            token = read_token(site.settings.review_token)
            review = ReviewSite(token, site.review, site.catalog, addresses, pages, documents.run)
        neighbourhoods = Neighbourhoods(addresses, documents, pages, finder)
        thing_pictures = ThingPictures(addresses, documents, pages, finder)
        app = _app.build(
            _app.Parts(
                addresses,
                documents,
                files,
                pages,
                sparql,
                interfaces,
                searching,
                neighbourhoods,
                thing_pictures,
                review,
            )
        )
        close_site = opening.pop_all().close

    async def close() -> None:
        await sparql.close()
        await pool.close()
        close_site()

    def check() -> None:
        site.release.stat()
        graph.has_description(addresses.iris.dataset)

    front = Front(documents, addresses.route, app)
    return Served(site.release, site.manifest.number, front, close, check, front.prepared)


def _report(release: Path) -> Report | None:
    """Return the report of a release; None if it has none that this version can read."""
    try:
        return msgspec.json.decode((release / REPORT).read_bytes(), type=Report)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_static(site: Site, folder: Path, progress: Progress) -> StaticSite:
    """Write a release as files, with which any server of files answers for its IRIs.

    ``folder`` is the root of the host. An earlier site in it is replaced when the new one is complete. Raises
    ``StageError`` if the folder contains something else, or the release has no prepared documents.
    """
    if site.published is None:
        site.close()
        raise StageError(f"{site.release}: has no prepared documents; run `bibld run` with the part `documents`")
    open_view = site.published
    served = _open(site, Places(site.settings.query_limits), has_services=False)
    addresses = Addresses(Iris(site.manifest.dataset.base))
    writer = StaticWriter(served.app, addresses, site.manifest, site.release)

    async def write() -> StaticSite:
        try:
            with open_view() as view:
                return await writer.write(view, static_names(), folder, progress)
        finally:
            await served.close()

    try:
        return asyncio.run(write())
    except OSError as error:
        raise StageError(f"{folder}: cannot be written: {error}; free some space, then run again") from error


def serve(settings: Settings, base: str, releases: Releases) -> None:
    """Serve until SIGINT or SIGTERM, and report the address on standard error; ``base`` is that of the dataset.

    This process only starts others, which open the current release and follow it, and starts those again that die.
    Raises ``StageError`` if the address is taken, and the error of a release that cannot be opened.
    """
    _clients(settings)  # a faulty network is reported once, and before anything is started
    count = settings.processes or os.cpu_count() or 1
    memory = _new_memory(count, share_places(settings.query_limits, count))
    metrics = Metrics(memory.metrics)
    listener = _server.listen(settings.host, settings.port, settings.request_timeout)

    def run(process: int, supervisor: int) -> None:
        site = releases.open_current()
        app, log, following = _application(site, releases, memory, process, _server.exclude_release_from_collections)
        hang_up = log.reopen if log is not None else _nothing
        _server.run(app, listener, settings.request_timeout, supervisor, hang_up, following.close)

    def report_address() -> None:
        address = f"{_server.address_of(listener)}{Addresses(Iris(base)).mount}"
        print(f"serving release {metrics.release(0)} at {address}", file=sys.stderr, flush=True)

    def forget(process: int) -> None:
        metrics.mark_ended(process)
        Places(settings.query_limits, memory.places, process).clear(process)

    with listener:
        Supervisor(Tasks(run, metrics.is_ready, report_address, forget, listener.close), count).run()
