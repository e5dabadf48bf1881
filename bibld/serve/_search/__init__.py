"""The search of a release: results as pages, JSON, CSV, RDF and references, and suggestions while typing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.model.release import Manifest
from bibld.parallel import batches
from bibld.search import (
    PUBLICATIONS,
    SORTS,
    EntryKind,
    NamedThing,
    SearchRequest,
    SearchResult,
    SearchView,
    StoredPublication,
    to_words,
)
from bibld.serve._addresses import Addresses, CatalogueLinks
from bibld.serve._citations.files import FILES, STYLES
from bibld.serve._citations.reference import Reference, reference_of
from bibld.serve._forms import MEDIA_TYPES, RDF_FORMS
from bibld.serve._http import (
    VARY,
    Endpoint,
    ProblemError,
    Representation,
    accept_of,
    language_headers,
    language_of,
    link_header,
    query_of,
    redirect,
    respond,
    respond_with_picture,
)
from bibld.serve._interfaces import Threads
from bibld.serve._language import language_named, message
from bibld.serve._negotiation import choose
from bibld.serve._pages import PagesByLanguage
from bibld.serve._search.addresses import Address, page_number
from bibld.serve._search.browsing import LISTS, Browsing
from bibld.serve._search.forms import MAX_STATED, to_csv, to_json, to_lines, to_sparql
from bibld.serve._search.marked import MarkedPublication, marked_list
from bibld.serve._search.views import GROUP_NAMES, NAMED_FILTERS, ViewMaker
from bibld.serve._statements import HYDRA
from bibld.serve._things import Finder, Moved, OpenRelease, Thing
from bibld.serve._writers import Writers
from bibld.serve.ontology import LANGUAGES

_MEDIA_TYPES = {
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    **{form: MEDIA_TYPES[form] for form in RDF_FORMS},
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl.json": "application/vnd.citationstyles.csl+json",
}
_OF_TYPE = {media_type: form for form, media_type in _MEDIA_TYPES.items()}
_MAX_LISTED = 10_000
_MAX_CITED = 500
_MAX_ARGUMENTS = 400
_MAX_ADDRESS_LENGTH = 20_000
_MAX_SUGGESTED_LENGTH = 200
_MAX_IRI_LENGTH = 500
_MAX_LETTERS = 8
"""Letters of a list, or characters of a class mark."""

_MAX_LINKED_LENGTH = 200
"""Characters of a query that the header Link repeats for each form; pages name the forms themselves."""

_MAX_NARROWED_LENGTH = 300
"""Characters of a query whose page has facets: each link of a facet repeats the query."""

_LISTED_AT_ONCE = 1000
_CITED_AT_ONCE = 25
_MAX_WAITING = 64
_SOON = "5"
"""Seconds after which a client may ask again."""

_THINGS_SHOWN = 4
_SUGGESTED = 4
_IRI = re.compile(r"(?:https?://\S+|[a-z]+/[^\s]*[/~][^\s]*)")
_FOLDERS = ("resource", "agent", "concept", "place", "publisher", "series", "work", "record", "match", "doc")

Result = TypeVar("Result")


class SearchSite:
    """Answers searches; ``open_view`` opens the names of the release with the names of libraries and languages."""

    def __init__(
        self,
        release: OpenRelease,
        open_view: Callable[..., SearchView] | None,
        pages: PagesByLanguage,
        finder: Finder,
        run: Threads,
    ) -> None:
        manifest, addresses, vocabulary = release.manifest, release.addresses, release.vocabulary
        self._base = manifest.dataset.base
        self._number = manifest.number
        self._addresses = addresses
        prefixes, context = {**vocabulary.prefixes, "hydra": HYDRA}, {**vocabulary.context, "hydra": HYDRA}
        self._writers = Writers(prefixes, context, self._base)
        self._pages = pages
        self._finder = finder
        self._run = run
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bibld-results")
        self._waiting = 0
        self._makers = {tag: _maker(tag, manifest, addresses) for tag in LANGUAGES}
        self._lists: tuple[str, ...] = ()
        self._view = _open(open_view, manifest) if open_view is not None else None

    def routes(self) -> list[tuple[str, Endpoint, tuple[str, ...]]]:
        """Return the paths after the mount, and what answers there to which methods."""
        forms = [(f"search.{form}", self._endpoint(form), ("GET",)) for form in _MEDIA_TYPES if form != "html"]
        return [
            ("search", self._endpoint(""), ("GET",)),
            *forms,
            ("search.svg", self._picture, ("GET",)),
            ("list", self._list, ("GET",)),
            ("browse/{name}", self._browse, ("GET",)),
            ("suggest", self._suggest, ("GET",)),
        ]

    def close(self) -> None:
        """End the thread when it has found what it is looking for, and close the names."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        if self._view is not None:
            self._view.close()

    async def _search(self, find: Callable[[SearchView], Result]) -> Result:
        view = self._view
        if view is None:
            detail = message("The release has no names to search; run `bibld run` again.")
            raise ProblemError(404, message("Not found"), detail)
        if self._waiting >= _MAX_WAITING:
            detail = message("Too many searches are waiting; try again in a few seconds.")
            raise ProblemError(503, message("Unavailable"), detail, {"Retry-After": _SOON})
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, find, view)
        finally:
            self._waiting -= 1

    def _endpoint(self, form: str) -> Endpoint:
        async def answer(request: Request) -> Response:
            return await self._answer(request, form)

        return answer

    async def _answer(self, request: Request, form: str) -> Response:
        """Answer a search in the form that the address names, else the one that the client prefers."""
        pairs = _pairs(request)
        address = Address.read(self._addresses.page("search"), pairs)
        chosen = form or _OF_TYPE.get(choose(accept_of(request), tuple(_OF_TYPE)) or "", "html")
        if chosen == "html":
            if any(name in ("from", "to") for name, _ in pairs):
                return redirect(address.href())
            path = self._path_of(address.request.text)
            if path and await self._search(lambda view: view.named(path)) is not None:
                return redirect(self._addresses.page(path))
            return await self._page(request, address)
        if chosen in FILES:
            return await self._references(request, address, chosen)
        body = await self._written(address, chosen, dict(pairs))
        headers = [("Vary", VARY)]
        if chosen != "json":
            headers.append(("Content-Disposition", f'attachment; filename="search-{self._number}.{chosen}"'))
        headers += self._links(address)
        return respond(request, Representation(body, _MEDIA_TYPES[chosen], tuple(headers)))

    def _path_of(self, text: str) -> str:
        """Return the path of an IRI of the dataset that was pasted; empty for other texts."""
        text = text.strip()
        if len(text) > _MAX_IRI_LENGTH or _IRI.fullmatch(text) is None:
            return ""
        path = text.removeprefix(self._base)
        if path == text and "://" in text:
            path = text.split("/", 3)[-1] if text.count("/") >= 3 else ""
        path = path.partition("#")[0].partition("?")[0].removeprefix("doc/").removesuffix(".html")
        return path if path.partition("/")[0] in _FOLDERS else ""

    async def _page(self, request: Request, address: Address) -> Response:
        tag = language_of(request)

        def make(view: SearchView) -> bytes:
            with_facets = len(address.request.text) <= _MAX_NARROWED_LENGTH
            found = view.search(msgspec.structs.replace(address.request, with_facets=with_facets))
            things = self._things(view, address.request)
            sparql = self._sparql(view, address.request, found)
            filtered = [path for name in NAMED_FILTERS for path in address.request.filters.get(name, ())]
            names = {path: named.title for path in filtered if (named := view.named(path)) is not None}
            results = self._makers[tag].results(address, found, things, sparql, names)
            return self._pages[tag].search(results, address.path, address.query())

        body = await self._search(make)
        headers = (*language_headers(tag), *self._links(address))
        return respond(request, Representation(body, "text/html", headers))

    async def _picture(self, request: Request) -> Response:
        """Answer with the timeline of the results as a file, in the language that the client wants."""
        tag = language_of(request)
        address = Address.read(self._addresses.page("search"), _pairs(request))
        wanted = msgspec.structs.replace(address.request, is_folded=False)
        picture = await self._search(lambda view: self._makers[tag].timeline(address, view.search(wanted)))
        return respond_with_picture(request, picture)

    def _links(self, address: Address) -> tuple[tuple[str, str], ...]:
        """Return the header that names the other forms, for addresses that are short enough."""
        if len(address.query()) > _MAX_LINKED_LENGTH:
            return ()
        links = [
            (address.href(suffix=f".{form}"), "alternate", media_type)
            for form, media_type in _MEDIA_TYPES.items()
            if form != "html"
        ]
        return (("Link", link_header(links)),)

    def _things(self, view: SearchView, wanted: SearchRequest) -> list[NamedThing]:
        """Return people, subjects and so on whose names have all words of a query; works only without publications."""
        if wanted.filters or wanted.excluded or wanted.page > 1 or wanted.literal:
            return []
        found = [
            each
            for each in _suggestions(view, wanted.text)
            if each.kind != EntryKind.PUBLICATION
            and (each.kind != EntryKind.WORK or not view.works(each.path, "work", limit=0)[1])
        ]
        return sorted(found, key=lambda each: -each.uses)[:_THINGS_SHOWN]

    def _sparql(self, view: SearchView, wanted: SearchRequest, found: SearchResult) -> str:
        if wanted.text.strip() and not found.paths and found.total <= MAX_STATED:
            every = msgspec.structs.replace(wanted, sort=SORTS[0], page=1, with_facets=False, is_folded=False)
            found = view.search(every)
        return to_sparql(wanted, found, self._base)

    async def _written(self, address: Address, form: str, arguments: Mapping[str, str]) -> bytes:
        if form == "json":
            return await self._search(lambda view: self._json(view, address))
        hits, total = await self._every_hit(address.request, _MAX_LISTED)
        if form == "csv":
            columns = arguments.get("columns", "").split(",") if arguments.get("columns") else ()
            return await self._search(lambda _: to_csv(hits, self._base, columns))
        here = f"{self._base}search?{address.query()}"
        return await self._search(lambda _: self._writers.write(form, to_lines(hits, total, here, self._base), here))

    def _json(self, view: SearchView, address: Address) -> bytes:
        found = view.search(address.request)
        sparql = self._sparql(view, address.request, found)
        return to_json(address, found, self._base, sparql, self._makers[LANGUAGES[0]].label)

    async def _every_hit(self, wanted: SearchRequest, most: int) -> tuple[list[StoredPublication], int]:
        """Return all publications that a search finds up to a number of them, and how many there are.

        Other searches are answered in between.
        """
        hits: list[StoredPublication] = []
        page, total = 1, 0
        while len(hits) < most:
            part = msgspec.structs.replace(
                wanted, page=page, per_page=min(most, _LISTED_AT_ONCE), with_facets=False, is_folded=False
            )
            found = await self._search(partial(SearchView.search, request=part))
            hits += found.hits
            total = found.total
            page += 1
            if not found.hits or len(hits) >= total:
                break
        return hits[:most], total

    async def _references(self, request: Request, address: Address, form: str) -> Response:
        """Answer with a file for reference managers."""
        hits, _ = await self._every_hit(address.request, _MAX_CITED)
        cited: list[Reference] = []
        for some in batches(hits, _CITED_AT_ONCE):  # pages are made in between
            cited += await self._run(partial(self._cited, some))
        body = await self._run(lambda: FILES[form](cited).encode())
        headers = (("Content-Disposition", f'attachment; filename="search-{self._number}.{form}"'), ("Vary", VARY))
        return respond(request, Representation(body, _MEDIA_TYPES[form], headers))

    def _cited(self, hits: Iterable[StoredPublication]) -> list[Reference]:
        found = []
        for hit in hits:
            thing = self._finder.find(hit.path)
            if isinstance(thing, Thing) and thing.merged is not None:
                found.append(reference_of(thing.merged.mods, self._base + hit.path, thing.merged.sources))
        return found

    # -- lists

    async def _list(self, request: Request) -> Response:
        """Answer with the references to publications that a reader has marked, which the address names."""
        tag = language_of(request)
        arguments = dict(_pairs(request))
        style = arguments.get("style", "")
        style = style if style in STYLES else next(iter(STYLES))
        address = Address.read(self._addresses.page("search"), _pairs(request))
        marked: list[MarkedPublication] = []
        for some in batches(address.request.filters.get("id", ()), _CITED_AT_ONCE):  # pages are made in between
            marked += await self._run(partial(self._marked, some, style))
        view = marked_list(marked, style, language_named(tag), self._addresses)
        here, _, query = view.here.partition("?")
        body = await self._run(lambda: self._pages[tag].search(view, here, query, "list.html"))
        return respond(request, Representation(body, "text/html", language_headers(tag)))

    def _marked(self, ids: Iterable[str], style: str) -> list[MarkedPublication]:
        found = []
        for each in ids:
            thing = self._finder.find(f"{PUBLICATIONS}/{each}")
            if isinstance(thing, Moved):
                thing = self._finder.find(thing.path)
            if isinstance(thing, Thing) and thing.merged is not None:
                reference = reference_of(thing.merged.mods, thing.iri, thing.merged.sources)
                path, words = thing.path.partition("/")[2], STYLES[style](reference) if reference.title else ""
                found.append(MarkedPublication(each, path, words))
            else:
                found.append(MarkedPublication(each, "", ""))
        return found

    async def _browse(self, request: Request) -> Response:
        """Answer with a page of the list of all names of a kind, or of the tree of a classification."""
        tag, name, arguments = language_of(request), request.path_params["name"], dict(_pairs(request))
        if name not in LISTS:
            raise ProblemError(404, message("Not found"), message("There is no such list."))
        at, page = arguments.get("at", "")[:_MAX_LETTERS], page_number(arguments.get("page", ""))

        def make(view: SearchView) -> bytes:
            browsing = Browsing(self._addresses, language_named(tag))
            self._lists = self._lists or browsing.available(view)
            found = browsing.page(view, self._lists, name, at, page)
            here, _, query = browsing.href(name, at, page).partition("?")
            return self._pages[tag].search(found, here, query, "browse.html")

        return respond(request, Representation(await self._search(make), "text/html", language_headers(tag)))

    async def _suggest(self, request: Request) -> Response:
        """Answer with names that contain what was typed, grouped by kind."""
        arguments = dict(_pairs(request))
        text = arguments.get("q", "")[:_MAX_SUGGESTED_LENGTH]
        tag = language_of(request)
        found = await self._search(lambda view: _suggestions(view, text))
        groups: dict[EntryKind, list[dict[str, object]]] = {}
        for each in found:
            groups.setdefault(each.kind, []).append(self._suggestion(each))
        language = language_named(tag)
        document = {
            "query": text,
            "groups": [
                {"kind": kind.value, "label": language.text(GROUP_NAMES[kind]), "items": items}
                for kind, items in groups.items()
            ],
        }
        headers = (*language_headers(tag),)
        return respond(request, Representation(msgspec.json.encode(document), "application/json", headers))

    def _suggestion(self, named: NamedThing) -> dict[str, object]:
        lives = [named.data.get(name, ("",))[0] for name in ("birth", "death")]
        years = named.data.get("year", ("",))
        return {
            "label": named.title,
            "iri": self._base + named.path,
            "url": self._addresses.page(named.path),
            "dates": f"{lives[0]}–{lives[1]}" if any(lives) else "–".join(years),
            "count": named.uses,
        }


def _pairs(request: Request) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query_of(request)[:_MAX_ADDRESS_LENGTH], True, errors="replace", max_num_fields=_MAX_ARGUMENTS)
    except ValueError:
        return []


def _suggestions(view: SearchView, text: str) -> list[NamedThing]:
    return view.suggest(text[:_MAX_SUGGESTED_LENGTH], _SUGGESTED)


def _maker(tag: str, manifest: Manifest, addresses: Addresses) -> ViewMaker:
    language = language_named(tag)
    labels = {figures.source: figures.label for figures in manifest.figures.sources}

    def source_label(source: str) -> str:
        return language.best(labels[source]) if labels.get(source) else source

    return ViewMaker(language, addresses, source_label, CatalogueLinks(manifest.figures.sources))


def _open(open_view: Callable[..., SearchView], manifest: Manifest) -> SearchView:
    """Open the names of the release; queries can name libraries and languages in the languages of pages."""
    libraries = {
        " ".join(to_words(name)): figures.source
        for figures in manifest.figures.sources
        for name in (figures.source, *figures.label.values())
    }
    first = open_view()
    try:
        codes = [value.value for value in first.facet("language", SearchRequest(), limit=500)]
    finally:
        first.close()
    languages = {
        " ".join(to_words(language_named(tag).name_of_language(code))): code for code in codes for tag in LANGUAGES
    }
    return open_view(libraries=libraries, languages=languages)
