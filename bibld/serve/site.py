"""A release as a site: what is opened for it, and the server processes that answer."""

from __future__ import annotations

import asyncio
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import msgspec
from starlette.types import ASGIApp

from bibld.config import Remote
from bibld.documents import PublishedView
from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.release import Manifest
from bibld.model.report import FILE as REPORT
from bibld.model.report import Report, Validation
from bibld.progress import Progress
from bibld.protocols import CatalogView, SourceRecord
from bibld.search import SearchView
from bibld.serve import _app, _server
from bibld.serve._addresses import Addresses
from bibld.serve._charts import ThingCharts
from bibld.serve._documents import Documents
from bibld.serve._files import Files, static_names
from bibld.serve._following import Following, ServedRelease
from bibld.serve._forms import MEDIA_TYPES as MEDIA_TYPES
from bibld.serve._graph import PreparedNames, ReleaseGraph
from bibld.serve._guarding import Guard, Rules
from bibld.serve._guarding.clients import BUCKET_BYTES, Buckets, Clients
from bibld.serve._guarding.log import AccessLog
from bibld.serve._guarding.metrics import PROCESS_BYTES, Metrics
from bibld.serve._guarding.requests import Checks, Classes
from bibld.serve._guarding.slots import QuerySlots, SharedSlots, share_slots
from bibld.serve._interfaces import Search, open_interfaces
from bibld.serve._matching.site import MatchSite
from bibld.serve._pages import pages_by_language
from bibld.serve._persons import Persons
from bibld.serve._review.desk import Desk as Desk
from bibld.serve._review.site import ReviewSite, read_token
from bibld.serve._search import SearchSite
from bibld.serve._sparql.lookups import Lookups
from bibld.serve._sparql.pool import Pool
from bibld.serve._sparql.protocol import Endpoint, SparqlEndpoint
from bibld.serve._sparql.worker import RemoteSource, StoreCopy
from bibld.serve._static import StaticSite as StaticSite
from bibld.serve._static import StaticWriter
from bibld.serve._supervisor import Supervisor, Tasks
from bibld.serve._things import Finder, OpenRelease, ReleaseView
from bibld.serve._worklists import WorklistDesk, WorklistSite
from bibld.serve._writers.simple import JSON_KEYS as JSON_KEYS
from bibld.serve.ontology import load_vocabulary
from bibld.serve.settings import Settings
from bibld.text.translations import language_of_terminal, sentences_in

_Closable = TypeVar("_Closable", bound="_HasClose")


class _HasClose(Protocol):
    def close(self) -> object: ...


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
    not in its MODS (``SourceRecord`` has no room for them). ``match_command`` starts the process that matches a file;
    empty if the release has no index for that. ``worklists`` reads what cataloguers should mend. ``to_marc`` writes a
    merged description as a record of a flavour of MARC; None where only the libraries' own records are MARC.
    ``returned`` returns a source record with what its library gets back, as far as it may be published; None if nothing
    is returned.
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
    match_command: Sequence[str] = ()
    worklists: WorklistDesk | None = None
    to_marc: Callable[[Mods, Literal["marc21", "rusmarc"]], MarcRecord] | None = None
    returned: Callable[[SourceRecord], MarcRecord | None] | None = None

    @property
    def store(self) -> StoreCopy | RemoteSource:
        """The remote store, or the copy of the triple store."""
        if self.remote is not None:
            # A reader waits: no second try, and no longer than a query may take.
            config = msgspec.structs.replace(self.remote.config, tries=1, timeout=self.settings.query_timeout)
            return RemoteSource(config, self.remote.settings, self.manifest.dataset.base)
        settings = {} if self.store_settings is None else self.store_settings
        return StoreCopy(self.manifest.backend, str(self.release / "store"), settings)


class ReleaseLookup(msgspec.Struct, frozen=True):
    """Where newer releases come from.

    ``current`` gives the folder of the current release (it is asked once a second at most, and is cheap);
    ``open_current`` makes a site of it, in a thread, with its own catalog connection.
    """

    current: Callable[[], Path | None]
    open_current: Callable[[], Site]


class Memory(msgspec.Struct, frozen=True):
    """What the server processes of a site share: request counts, allowances of clients, and slots of queries."""

    metrics: memoryview
    buckets: memoryview
    slots: SharedSlots | None
    match_slots: SharedSlots | None = None


class Slots(NamedTuple):
    """The slots of queries, and those of files that are matched."""

    queries: QuerySlots
    matches: QuerySlots


def application(site: Site, releases: ReleaseLookup | None = None) -> ASGIApp:
    """Return the site as an ASGI application; raises ``StoreError`` if the release has no store.

    With ``releases`` it follows the current one: a newer release is opened beside the old one and answers from then on.
    Run it with its lifespan, which ends the query processes and closes the site.
    """
    return _application(site, releases, _new_memory(1, None), 0)[0]


def _application(
    site: Site,
    releases: ReleaseLookup | None,
    memory: Memory,
    process: int,
    on_closed: Callable[[], None] = _nothing,
) -> tuple[Guard, AccessLog | None, Following]:
    settings = site.settings
    metrics = Metrics(memory.metrics, process)
    metrics.begin()
    queries = QuerySlots(settings.query_limits, memory.slots, process)
    slots = Slots(queries, QuerySlots(settings.match.limits, memory.match_slots, process))
    if releases is None:
        following = Following(_open(site, slots))
    else:
        open_current = releases.open_current
        following = Following(_open(site, slots), releases.current, lambda: _open(open_current(), slots), on_closed)
    addresses = Addresses(Iris(site.manifest.dataset.base))
    rules = Rules(
        _clients(settings),
        Checks(settings.hosts),
        Classes(addresses.route),
        Buckets(settings.limits, memory.buckets),
        metrics,
        settings.request_timeout,
        addresses.mount,
        settings.match.timeout,
        settings.match.size << 20,
    )
    log = AccessLog(settings.access_log, settings.access_log_format) if settings.access_log else None
    return Guard(following, rules, queries.counts, log), log, following


def _clients(settings: Settings) -> Clients:
    return Clients(settings.trusted_proxies, settings.limits.exempt, settings.metrics_clients)


def _persons(settings: Settings) -> Persons:
    return Persons.read(settings.persons, settings.portraits)


def _new_memory(processes: int, slots: SharedSlots | None, match_slots: SharedSlots | None = None) -> Memory:
    """Return memory that this process shares with those that it forks."""
    metrics, buckets = (memoryview(mmap.mmap(-1, size))[:size] for size in (processes * PROCESS_BYTES, BUCKET_BYTES))
    return Memory(metrics, buckets, slots, match_slots)


def _open(site: Site, slots: Slots, has_services: bool = True) -> ServedRelease:
    addresses = Addresses(Iris(site.manifest.dataset.base))
    with ExitStack() as opening:
        opening.callback(site.close)

        def open_(make: Callable[..., _Closable] | None) -> _Closable | None:
            return opening.enter_context(closing(make())) if make is not None else None

        store = opening.enter_context(closing(site.store.open()))
        graph = ReleaseGraph(store)
        void = site.release / "void.ttl"
        report = None  # also where it is one that this version cannot read
        with suppress(FileNotFoundError, msgspec.DecodeError):
            report = msgspec.json.decode((site.release / REPORT).read_bytes(), type=Report)
        names_of_pages = open_(site.search)
        view_of_pages = open_(site.published)  # for the thread that makes pages
        release = OpenRelease(
            manifest=site.manifest,
            catalog=ReleaseView(site.catalog, graph, addresses.iris, view_of_pages),
            graph=graph,
            addresses=addresses,
            vocabulary=load_vocabulary(addresses.iris),
            original=site.original,
            beside_mods=site.beside_mods,
            void=void.read_bytes() if void.is_file() else b"",
            contact=site.settings.contact,
            search=names_of_pages,
            report=report,
            has_services=has_services,
            has_matching=bool(site.match_command) and site.settings.match.workers > 0,
            validation=partial(Validation.read, site.release.parent.parent),
            published=view_of_pages,
            to_marc=site.to_marc,
            returned=site.returned,
            covers=site.settings.covers,
            persons=_persons(site.settings),
        )
        sources = [figures.source for figures in site.manifest.figures.sources]
        finder = Finder(addresses.iris, release.catalog, graph, sources, view_of_pages)
        names = PreparedNames(view_of_pages, addresses.iris, graph) if view_of_pages is not None else None
        pages = pages_by_language(release, names)
        documents = Documents(release, pages, finder, open_(site.published))
        lookups = None
        if site.remote is None:  # a remote store may be behind the release
            view = open_(site.published)  # another one: documents may be read in another thread
            lookups = Lookups(view, addresses.iris.base) if view is not None else None
        prefixes = {**release.vocabulary.prefixes, **site.settings.prefixes}
        sizes = site.settings.max_result, site.settings.query_cache
        pool = Pool(site.store, site.settings.query_limits, slots.queries)
        endpoint = Endpoint(release.vocabulary, addresses.iris.base, prefixes, *sizes, lookups)
        sparql = SparqlEndpoint(pool, pages, endpoint)
        names_of_search, view_of_search = open_(site.search), open_(site.published)
        search = None
        if names_of_search is not None and view_of_search is not None:
            search = Search(names_of_search, view_of_search)
        interfaces = open_interfaces(release, finder, view_of_pages, search, documents.run)
        opening.callback(interfaces.close)
        searching = SearchSite(release, site.search, pages, finder, documents.run)
        opening.callback(searching.close)
        opening.callback(documents.close)  # its thread reads what is closed next
        review = None
        if site.settings.review_token is not None and site.review is not None:
            token = read_token(site.settings.review_token)
            review = ReviewSite(token, site.review, site.catalog, addresses, pages, documents.run)
        matching = None
        if release.has_matching:
            matching = MatchSite(
                site.match_command,
                site.settings.match,
                slots.matches,
                {tag: each.matching for tag, each in pages.items()},
            )
        worklists = None
        if site.worklists is not None:
            worklist_pages = {tag: each.worklists for tag, each in pages.items()}
            worklists = WorklistSite(site.worklists, sources, worklist_pages)
        app = _app.build(
            _app.Parts(
                addresses,
                documents,
                Files(site.release, site.manifest, addresses, release.vocabulary),
                pages,
                sparql,
                interfaces,
                searching,
                ThingCharts(addresses, documents, pages, finder),
                review,
                matching,
                worklists,
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

    return ServedRelease(site.release, site.manifest.number, app, close, check, app.prepared)


def write_static(site: Site, folder: Path, progress: Progress) -> StaticSite:
    """Write a release as files, with which any server of files answers for its IRIs.

    ``folder`` is the root of the host. An earlier site in it is replaced when the new one is complete. Raises
    ``StageError`` if the folder contains something else, or the release has no prepared documents.
    """
    if site.published is None:
        site.close()
        raise StageError(f"{site.release}: has no prepared documents; run `bibld run` with the part `documents`")
    open_view = site.published
    unused = Slots(QuerySlots(site.settings.query_limits), QuerySlots(site.settings.match.limits))
    served = _open(site, unused, has_services=False)
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


def serve(settings: Settings, base: str, releases: ReleaseLookup) -> None:
    """Serve until SIGINT or SIGTERM, and report the address on standard error; ``base`` is that of the dataset.

    This process only starts others, which open the current release and follow it, and starts those again that die.
    Raises ``StageError`` if the address is taken, and the error of a release that cannot be opened.
    """
    _clients(settings)  # a fault is reported once, and before anything is started
    _persons(settings)
    count = settings.processes or os.cpu_count() or 1
    limits = settings.query_limits, settings.match.limits
    memory = _new_memory(count, *(share_slots(each, count) for each in limits))
    metrics = Metrics(memory.metrics)
    listener = _server.listen(settings.host, settings.port, settings.request_timeout)

    def run(process: int, supervisor: int) -> None:
        site = releases.open_current()
        app, log, following = _application(site, releases, memory, process, _server.exclude_release_from_collections)
        hang_up = log.reopen if log is not None else _nothing
        _server.run(app, listener, settings.request_timeout, supervisor, hang_up, following.close)

    def report_address() -> None:
        address = f"{_server.address_of(listener)}{Addresses(Iris(base)).mount}"
        words = sentences_in(language_of_terminal())
        print(words.text(f"serving release {metrics.release(0)} at {address}"), file=sys.stderr, flush=True)

    def forget(process: int) -> None:
        metrics.mark_ended(process)
        for each, shared in zip(limits, (memory.slots, memory.match_slots), strict=True):
            QuerySlots(each, shared, process).clear(process)

    with listener:
        Supervisor(Tasks(run, metrics.is_ready, report_address, forget, listener.close), count).run()
