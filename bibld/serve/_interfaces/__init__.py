"""More interfaces to a release: OAI-PMH 2.0, SRU and the Reconciliation API 0.2."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.documents import PublishedView
from bibld.model.iris import record_of_path
from bibld.model.linkage import Merged
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.search import SearchView
from bibld.serve._http import Endpoint, ProblemError, Representation, query_of, read_body, respond
from bibld.serve._interfaces import oai, reconcile, sru
from bibld.serve._things import Finder, OpenRelease, Thing

_RETRY_AFTER = {"Retry-After": "10"}
_MAX_SEARCHES = 64
"""Searches that run or wait in one process."""

_SECONDS_OF_QUERIES = 20.0
"""After this time no further query of a batch is answered."""

_FORM = "application/x-www-form-urlencoded"
_MAX_FORM_BYTES = 1 << 20
_MAX_ARGUMENTS = 200
_LOG = logging.getLogger("bibld.serve")
_CALLBACK = re.compile(r"[A-Za-z_$][\w$.]{0,99}", re.ASCII)

Result = TypeVar("Result")


class Search(NamedTuple):
    """The names of a release, and its documents for the thread that searches."""

    names: SearchView
    view: PublishedView


class Threads(Protocol):
    """Runs what reads the catalog and the store, outside the event loop."""

    def __call__(self, find: Callable[[], Result], /) -> Awaitable[Result]: ...


class Interfaces:
    """Answers requests of harvesters and other programs.

    ``provider`` is None without prepared documents; ``run`` runs functions in the thread in which it may be asked.
    ``service`` and ``server`` are None without names to search.
    """

    def __init__(
        self,
        provider: oai.Provider | None,
        service: reconcile.Service | None,
        run: Threads,
        server: sru.SruServer | None = None,
    ) -> None:
        self._provider = provider
        self._service = service
        self._server = server
        # Searches are short, and do not wait for pages: they have a thread for themselves.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bibld-search")
        self._searching = 0
        self._run = run

    def routes(self) -> list[tuple[str, Endpoint, tuple[str, ...]]]:
        """Return the paths after the mount, and what answers there to which methods."""
        return [
            ("oai", self._oai, ("GET", "POST")),
            ("sru", self._sru, ("GET", "POST")),
            ("reconcile", self._reconcile, ("GET", "POST")),
            ("reconcile/suggest/{kind}", self._suggest, ("GET",)),
            ("reconcile/properties", self._properties, ("GET",)),
            ("reconcile/preview", self._preview, ("GET",)),
        ]

    def close(self) -> None:
        """End the thread when it has found what it is looking for."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def _oai(self, request: Request) -> Response:
        provider = self._provider
        if provider is None:
            raise ProblemError(404, "Not found", "The release has no prepared documents; run `bibld run` again.")
        pairs = await read_parameters(request)
        body = await self._run(lambda: provider.answer(pairs))
        return Response(body, headers={"Content-Type": "text/xml; charset=utf-8", "Cache-Control": "no-cache"})

    async def _sru(self, request: Request) -> Response:
        server = self._server
        if server is None:
            raise ProblemError(404, "Not found", "The release has no names to search; run `bibld run` again.")
        version, operation = sru.NEWEST, ""
        try:
            wanted = server.read(await read_parameters(request))
            if isinstance(wanted, bytes):
                return _sru_response(wanted)
            version, operation = wanted.version, wanted.operation
            found = await self._in_thread(lambda: server.find(wanted))
            return _sru_response(found if isinstance(found, bytes) else await self._run(lambda: server.write(found)))
        except ProblemError as problem:
            if problem.status != 400:
                raise
            error = sru.SruDiagnosticError(sru.SruFault.PARAMETER_VALUE, str(problem.detail))
        except Exception:  # noqa: BLE001 - a client of SRU reads diagnostics; the log has the cause
            _LOG.exception("%s %s failed", request.method, request.scope["path"])
            error = sru.SruDiagnosticError(sru.SruFault.SYSTEM_ERROR, "the log of the server contains the cause")
        return _sru_response(server.refuse(operation, version, error))

    # -- reconciliation: the sections are those of the specification 0.2

    async def _search(self, find: Callable[[reconcile.Service], Result]) -> Result:
        service = self._service
        if service is None:
            raise ProblemError(404, "Not found", "The release has no names to search; run `bibld run` again.")
        return await self._in_thread(lambda: find(service))

    async def _in_thread(self, find: Callable[[], Result]) -> Result:
        """Run a search in its thread; raises the ``ProblemError`` 503 if too many wait."""
        if self._searching >= _MAX_SEARCHES:
            raise ProblemError(503, "Busy", "Too many searches are waiting; try again in a few seconds.", _RETRY_AFTER)
        self._searching += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, find)
        finally:
            self._searching -= 1

    async def _reconcile(self, request: Request) -> Response:
        """Answer queries (5), requests for values (8), or with the manifest (4)."""
        arguments = dict(await read_parameters(request))
        if "extend" in arguments:
            extension = reconcile.decode(arguments["extend"], reconcile.decode_extension)
            return _json(arguments, await self._search(lambda service: service.extend(extension)))
        if "queries" not in arguments:
            return _json(arguments, await self._search(lambda service: service.manifest()))
        queries = reconcile.decode(arguments["queries"], reconcile.decode_queries)
        if len(queries) > reconcile.MAX_QUERIES:
            raise ProblemError(413, "Too many queries", f"A request has at most {reconcile.MAX_QUERIES} queries.")
        loop = asyncio.get_running_loop()
        end = loop.time() + _SECONDS_OF_QUERIES
        responses: dict[str, object] = {}
        for name, query in queries.items():  # one after another, with searches of other clients in between
            if loop.time() > end:
                detail = f"The server answered {len(responses)} of {len(queries)} queries in time; send fewer at once."
                raise ProblemError(503, "Busy", detail, _RETRY_AFTER)
            candidates = await self._search(lambda service, query=query: service.candidates(query))  # type: ignore[misc]
            responses[name] = {"result": candidates}
        return _json(arguments, responses)

    async def _suggest(self, request: Request) -> Response:
        """Answer with what begins with a text (6)."""
        arguments = dict(await read_parameters(request))
        kind = request.path_params["kind"]
        if kind not in ("entity", "type", "property"):
            raise ProblemError(404, "Not found", "Entities, types and properties are suggested.")
        prefix = arguments.get("prefix", "")
        return _json(arguments, await self._search(lambda service: service.suggest(kind, prefix)))

    async def _properties(self, request: Request) -> Response:
        """Answer with the properties of a type (8.1)."""
        arguments = dict(await read_parameters(request))
        return _json(arguments, await self._search(lambda service: service.properties(arguments.get("type", ""))))

    async def _preview(self, request: Request) -> Response:
        """Answer with a small page about a thing, to be shown in a frame (7)."""
        arguments = dict(await read_parameters(request))
        body = await self._search(lambda service: service.preview(arguments.get("id", "")))
        response = respond(request, Representation(body, "text/html"))
        response.headers["Content-Security-Policy"] = "default-src 'none'"  # other sites show it in a frame
        return response


def _sru_response(body: bytes) -> Response:
    return Response(body, headers={"Content-Type": "text/xml; charset=utf-8", "Cache-Control": "no-cache"})


def _json(arguments: dict[str, str], value: object) -> Response:
    """Answer with JSON, or with a script that calls the function that ``callback`` names (JSONP)."""
    callback = arguments.get("callback", "")
    body, media_type = msgspec.json.encode(value), "application/json"
    if callback:
        if _CALLBACK.fullmatch(callback) is None:
            raise ProblemError(400, "Not a function", "callback is the name of a function.")
        body, media_type = b"/**/%b(%b);" % (callback.encode(), body), "text/javascript; charset=utf-8"
    return Response(body, headers={"Cache-Control": "no-cache", "Content-Type": media_type})


async def read_parameters(request: Request) -> list[tuple[str, str]]:
    """Return the parameters of the address and of a form; raises the ``ProblemError`` 400, 413 or 415."""
    texts = [query_of(request)]
    if request.method == "POST":
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            raise ProblemError(415, "Unsupported media type", f"Arguments are posted as {_FORM}.")
        refusal = ProblemError(413, "Too long", f"A form may have {_MAX_FORM_BYTES:,} bytes.")
        texts.append((await read_body(request, _MAX_FORM_BYTES, refusal)).decode("latin-1"))
    try:
        read = [parse_qsl(text, True, errors="strict", max_num_fields=_MAX_ARGUMENTS) for text in texts]
    except ValueError as error:
        raise ProblemError(400, "Bad request", "The arguments are not UTF-8, or too many.") from error
    return [pair for pairs in read for pair in pairs]


def open_interfaces(
    release: OpenRelease, finder: Finder, view: PublishedView | None, search: Search | None, run: Threads
) -> Interfaces:
    """Return the interfaces of a release; ``view`` is used in the thread of ``run`` only."""

    def merged(path: str) -> Merged | None:
        thing = finder.find(path)
        return thing.merged if isinstance(thing, Thing) else None

    provider = None
    if view is not None:
        provider = oai.Provider(release.manifest, view, _oai_forms(release, merged), release.contact)
    service = reconcile.Service(release.manifest, search.names, search.view) if search is not None else None
    server = None
    if search is not None:
        readers = sru.MarcReaders(release.original, release.to_marc, release.manifest.dataset.isil)
        records = sru.ReleaseRecords(release.catalog, merged, readers, view)
        server = sru.SruServer(release.manifest, search.names, records)
    return Interfaces(provider, service, run, server)


def _oai_forms(release: OpenRelease, merged: Callable[[str], Merged | None]) -> oai.Forms:
    """Return what gives the descriptions of publications and records; ``merged`` returns a publication by its path."""

    def mods(path: str) -> Mods | None:
        found = merged(path)
        return found.mods if found is not None else None

    def marc(path: str) -> MarcRecord | None:
        found = merged(path)
        record = release.catalog.record(found.cluster.founder) if found is not None else None
        return release.original(record) if record is not None else None

    def members(path: str) -> Sequence[str]:
        record = record_of_path(path.removeprefix(oai.FOLDER))
        cluster = release.catalog.cluster_of(record)
        if cluster is None:
            return [record.path]
        return [member.path for member in cluster.members] if cluster.founder == record else []

    def publication(path: str) -> str | None:
        try:
            record = record_of_path(path)
        except ValueError:
            return None
        if record.path != path:  # another spelling of it
            return None
        cluster = release.catalog.cluster_of(record)
        return f"{oai.FOLDER}{(cluster.founder if cluster is not None else record).path}"

    def returned(path: str) -> MarcRecord | None:
        if release.returned is None:
            return None
        record = release.catalog.record(record_of_path(path))
        return release.returned(record) if record is not None else None

    return oai.Forms(mods, marc, members, publication, returned)
