"""Documents about what has an IRI: negotiated, redirected to, and written in every form.

What costs little is answered at once (:meth:`Documents.prepared`): redirects, data and pages that are cached. The rest
is made in a thread. A server may ask for the first in another thread than for the rest.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qs

import msgspec
import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from bibld.documents import Document, PublishedView
from bibld.model.marc_writers import to_marcxml, to_mrk
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_xml
from bibld.serve._addresses import DocumentLinks
from bibld.serve._citations.files import FILES
from bibld.serve._citations.reference import reference_of
from bibld.serve._forms import (
    CITATION_FORMS,
    MEDIA_TYPES,
    PAGE_FORMS,
    RDF_FORMS,
    STATEMENTS_FORM,
    Kind,
    forms_of,
    is_document,
    kind_of,
    negotiate,
    split_suffix,
)
from bibld.serve._graph import lines_of, objects_among, objects_of, read_turtle, triple, triples_of
from bibld.serve._http import (
    CACHE,
    PAGE_VARY,
    VARY,
    ByteCache,
    FormMetadata,
    PlainRequest,
    PlainResponse,
    ProblemError,
    RawHeaders,
    Representation,
    compress,
    is_gzip_wanted,
    language_headers,
    language_of,
    link_header,
    not_modified,
    policy_with_pictures,
    respond,
    with_body,
)
from bibld.serve._language import PARAMETER, message
from bibld.serve._pages import Pages, PagesByLanguage
from bibld.serve._pages.entities import INCOMING_ON_PAGE
from bibld.serve._pages.fields import title
from bibld.serve._pages.structured import LinkedIris
from bibld.serve._rendering import EncodedDocument, PlainDocument, Rendering, Result
from bibld.serve._statements import HYDRA, DocumentStatements, StoreDocuments, is_deleted_by_source, page_lines
from bibld.serve._things import Finder, Gone, OpenRelease, Thing
from bibld.serve._writers import Writers, simple
from bibld.serve.ontology import Ontology

_CACHED_BYTES = 16 << 20
_DATA_FORMS = frozenset((*RDF_FORMS, "json"))
_PAGED_FORMS = frozenset((*RDF_FORMS, "html"))
_MAX_DIGITS = 7
_VARY = (b"vary", VARY.encode())
_PAGE_VARY = (b"vary", PAGE_VARY.encode())
_WRITTEN_AS = 1
"""To be raised when the same statements are written otherwise: it is part of all entity tags."""


class PageForm(NamedTuple):
    """The form of a document, and the language if it is a page; empty if it is data."""

    form: str
    language: str


class Documents:
    """Answers requests for what has an IRI that begins with the base.

    ``view`` has the prepared documents of the release; None if it has none.
    """

    def __init__(
        self, release: OpenRelease, pages: PagesByLanguage, finder: Finder, view: PublishedView | None
    ) -> None:
        self._release = release
        self._pages = pages
        self._addresses = release.addresses
        self._base = release.addresses.iris.base
        self._finder = finder
        self._of_store = StoreDocuments(release.manifest, release.graph, finder)
        self._view = view
        self._reading = threading.Lock()  # held while the view is read; a connection to SQLite serves one thread
        self._is_closed = False
        self._titles = (view or self._of_store).titles
        self._statements = DocumentStatements(release.manifest.dataset)
        self._links = DocumentLinks(release.addresses, release.manifest)
        # Only pages of links need this prefix, so it is not in the published context; a document declares what it uses.
        prefixes = {**release.vocabulary.prefixes, "hydra": HYDRA}
        self._writers = Writers(prefixes, {**release.vocabulary.context, "hydra": HYDRA}, self._base)
        self._rendering = Rendering()
        self._policies: dict[Kind, RawHeaders] = {
            "resource": policy_with_pictures(filter(None, (release.covers,))),
            "entity": policy_with_pictures(release.persons.hosts),
        }
        self._bodies: ByteCache[bytes] = ByteCache(_CACHED_BYTES)
        edition = (_WRITTEN_AS, release.manifest.dataset, release.vocabulary.prefixes, release.vocabulary.context)
        self._edition = hashlib.blake2b(msgspec.json.encode(edition), digest_size=4).hexdigest()

    def close(self) -> None:
        """End the thread that makes pages; afterwards the view is not read, so that it can be closed."""
        with self._reading:
            self._is_closed = True
        self._rendering.close()

    async def run(self, find: Callable[[], Result]) -> Result:
        """Return what a function finds; it runs in the thread in which catalog and store are read for pages."""
        return await self._rendering.run(find)

    # -- at once

    def prepared(self, request: PlainRequest) -> PlainResponse | None:
        """Return the answer to GET or HEAD if it costs little; None if :meth:`answer` has to find it.

        May be called in any thread.
        """
        if request.query or self._view is None:
            return None
        with self._reading:
            return None if self._is_closed else self._prepared(request, self._view)

    def _prepared(self, request: PlainRequest, view: PublishedView) -> PlainResponse | None:
        bare, suffix, is_document_path = _split(request.path)
        kind = kind_of(bare)
        document = view.document(bare) if kind is not None else None
        if kind is None or document is None or document.status == 410:
            return None
        chosen = _chosen(request, kind, suffix)
        is_direct = is_document_path or is_document(kind)
        if chosen is None or (suffix is not None and not is_direct and document.status != 303):
            return None
        form = chosen[0]
        response = self._at_once(request, document, kind, form, is_direct)
        if response is not None:
            return response
        page_form = _page_form(request, form)
        rendered = self._rendering.cached((bare, *page_form))
        if rendered is None:
            return None
        request.is_cached = True
        return self._page(request, document, kind, page_form, rendered)

    def _at_once(
        self, request: PlainRequest, document: Document, kind: Kind, form: str, is_direct: bool
    ) -> PlainResponse | None:
        """Redirect, or answer with data; None for forms that cost more."""
        if document.status == 303:
            link = link_header([(self._base + document.target, "canonical", None)]).encode()
            return self._see_other(request, document.target, form, link)
        if not is_direct:
            link = self._links.of(document.path, kind, self._statements.type_of(document))
            return self._see_other(request, document.path, form, link)
        return self._data(request, document, kind, form) if form in _DATA_FORMS else None

    def _see_other(self, request: PlainRequest, path: str, form: str, link: bytes) -> PlainResponse:
        """Redirect to a form; to a page in the language that the request names, if it names one."""
        is_named = form == "html" and f"{PARAMETER}=" in request.query
        location = f"{self._links.form(path, form)}{f'?{PARAMETER}={request.language}' if is_named else ''}"
        return PlainResponse(303, [(b"location", location.encode()), _VARY, (b"link", link)])

    def _data(self, request: PlainRequest, document: Document, kind: Kind, form: str) -> PlainResponse:
        tag = self._tag(document, form)
        described = FormMetadata(tag, MEDIA_TYPES[form], document.modified, self._headers(document, kind, form))
        unchanged = not_modified(request, described)
        if unchanged is not None:
            return unchanged

        def write() -> bytes:
            if form == "json":
                return simple.write(document, self._base, self._titles)
            return self._writers.write(form, self._statements.lines(document, kind), self._base + document.path)

        body = self._cached(request, (tag, ""), write)
        if not is_gzip_wanted(request):
            return with_body(described, body, None)
        coded = self._cached(request, (tag, "gzip"), lambda: compress(body) or b"")
        return with_body(described, body, coded or None)

    def _tag(self, document: Document, form: str) -> str:
        return f"{document.digest.hex()}-{document.since:x}{self._edition}-{form}"

    def _cached(self, request: PlainRequest, key: Hashable, make: Callable[[], bytes]) -> bytes:
        body = self._bodies.get(key)
        request.is_cached = body is not None
        if body is None:
            body = make()
            self._bodies.put(key, body, len(body))
        return body

    def _page(
        self,
        request: PlainRequest,
        document: Document,
        kind: Kind,
        page_form: PageForm,
        rendered: EncodedDocument,
        query: str = "",
    ) -> PlainResponse:
        """Answer with what was rendered; ``query`` is the part of the address that names a page."""
        # Pages state the release; forms from the catalog have no time.
        modified = self._release.manifest.created if page_form.form in PAGE_FORMS or query else ""
        headers = self._headers(document, kind, page_form.form, query)
        if page_form.language:
            headers.append((b"content-language", page_form.language.encode()))
            # Each language has an address; without one, it depends on what the client prefers.
            named = [query[1:], f"lang={page_form.language}" if "lang=" in request.query else ""]
            address = f"{self._base}doc/{document.path}.html?{'&'.join(filter(None, named))}".removesuffix("?")
            headers.append((b"link", link_header([(address, "canonical", None)]).encode()))
        if rendered.neighbours:
            headers.append((b"link", rendered.neighbours))
        return _of_rendered(
            request, rendered, FormMetadata(rendered.tag, MEDIA_TYPES[page_form.form], modified, headers)
        )

    def _headers(self, document: Document, kind: Kind, form: str, query: str = "") -> RawHeaders:
        link = self._links.of(document.path, kind, self._statements.type_of(document))
        location = self._links.form(document.path, form) + query
        vary = _PAGE_VARY if form in PAGE_FORMS else _VARY
        policies = self._policies.get(kind, ()) if form == "html" else ()
        return [vary, (b"link", link), (b"content-location", location.encode()), *policies]

    # -- with the catalog, the store and the templates

    async def answer(self, request: Request) -> Response:
        """Answer a request for a path under the mount, with the costly answers too."""
        plain = PlainRequest.from_scope(request.scope, self._addresses.route)
        reply = await self._answer(plain)
        if plain.is_cached is not None:
            request.scope[CACHE] = plain.is_cached
        response = Response(reply.body, reply.status)
        response.raw_headers = [*response.raw_headers, *reply.headers]
        return response

    async def _answer(self, request: PlainRequest) -> PlainResponse:
        path = request.path
        if path.endswith("/") and not path.startswith("/") and "//" not in path:
            return PlainResponse(308, [(b"location", self._addresses.page(path.rstrip("/")).encode())])
        bare, suffix, is_document_path = _split(path)
        kind = kind_of(bare)
        if kind is None:
            return await self._other(request, bare, suffix, is_document_path)
        document = None
        if self._view is not None:
            with self._reading:
                document = self._view.document(bare)
        if document is None:  # the release has prepared none, or mentions it without a description
            document = await self._rendering.run(partial(self._of_store.document, bare))
        if document is None:
            raise no_such_thing()
        if document.status == 410:
            return await self._gone(request, document, kind, suffix)
        is_direct = is_document_path or is_document(kind)
        if document.status == 200 and suffix is not None and not (is_direct and suffix in forms_of(kind)):
            raise _no_form(suffix)
        form, _ = self._negotiated(request, kind, suffix, document.target or bare)
        is_entity = kind == "entity" and is_direct and document.status == 200
        page = _page_number(request) if is_entity and form in _PAGED_FORMS else None
        if page is None:
            with self._reading:  # JSON has titles of other documents
                response = self._at_once(request, document, kind, form, is_direct)
            if response is not None:
                return response
        page_form = _page_form(request, form)
        make = partial(self._rendered, document, page_form)
        if kind == "entity" and form != STATEMENTS_FORM:
            make = partial(self._made_incoming, document, page_form, page or 1)
        is_paged = page is not None and (page > 1 or form != "html")
        key = (bare, *page_form, page) if is_paged else (bare, *page_form)
        request.is_cached = self._rendering.cached(key) is not None
        rendered = await self._rendering.render(key, make)
        return self._page(request, document, kind, page_form, rendered, f"?page={page}" if is_paged else "")

    def _made_incoming(self, document: Document, page_form: PageForm, page: int) -> PlainDocument:
        """Return a page of what points to an entity; the first page in HTML describes the entity, too."""
        if page_form.form == "html":
            return self._entity_page(document, page_form, page)
        graph = self._release.graph
        incoming = graph.incoming(self._base + document.path, INCOMING_ON_PAGE, (page - 1) * INCOMING_ON_PAGE)
        if page > 1 and not incoming.things:
            raise _no_page()
        lines = page_lines(self._addresses.iris, document.path, page, incoming, INCOMING_ON_PAGE)
        body = self._writers.write(page_form.form, lines, self._base + document.path)
        return PlainDocument(body, self._neighbours(document, page_form, page, has_next=bool(incoming.more)))

    def _entity_page(self, document: Document, page_form: PageForm, page: int) -> PlainDocument:
        thing = self._finder.find(document.path)
        if not isinstance(thing, Thing):  # the release mentions an IRI that it does not describe
            raise _no_form(page_form.form)
        shown = self._pages[page_form.language].things.entities.page(thing, triples_of(document.quads), page)
        if page > shown.pages:
            raise _no_page()
        has_next = page < shown.pages
        return PlainDocument(shown.body, self._neighbours(document, page_form, page, has_next=has_next))

    def _neighbours(self, document: Document, page_form: PageForm, page: int, *, has_next: bool) -> bytes:
        """Return the header with the links to the pages before and after one."""
        address = self._links.form(document.path, page_form.form)
        numbers = {"prev": page - 1, "next": page + 1 if has_next else 0}
        links = [(f"{address}?page={number}", relation, None) for relation, number in numbers.items() if number]
        return link_header(links).encode()

    def _negotiated(self, request: PlainRequest, kind: Kind, suffix: str | None, path: str) -> tuple[str, str]:
        """Return form and media type, those of the suffix if it names a form; raises the ``ProblemError`` 406."""
        found = _chosen(request, kind, suffix) or negotiate(request.accept, kind)
        if found is not None:
            return found
        alternates = [(MEDIA_TYPES[form], self._links.form(path, form)) for form in forms_of(kind)]
        raise ProblemError(
            406,
            message("Not acceptable"),
            message("This document has none of the forms that the request accepts."),
            {"Link": link_header([(href, "alternate", media_type) for media_type, href in alternates])},
            alternates,
        )

    async def _gone(self, request: PlainRequest, document: Document, kind: Kind, suffix: str | None) -> PlainResponse:
        form, media_type = _chosen(request, kind, suffix) or ("html", "")
        if form not in RDF_FORMS:
            problem = ProblemError(410, message("Gone"), self._statements.reason(document))
            if is_deleted_by_source(document):
                thing = await self._rendering.run(partial(self._finder.find, document.path))
                if isinstance(thing, Gone) and thing.last is not None:
                    problem.subject = title(thing.last.mods)
            raise problem
        described = FormMetadata(self._tag(document, form), media_type, document.modified, [_VARY])
        body = self._writers.write(form, document.quads, self._base + document.path)
        return with_body(described, body, None, 410)

    def _rendered(self, document: Document, page_form: PageForm) -> PlainDocument:
        """Return a page, or a form that is made from the record in the catalog."""
        form = page_form.form
        thing = self._finder.find(document.path)
        if not isinstance(thing, Thing):  # the catalog has changed since the release
            raise _no_form(form)
        if form == "html" and thing.kind == "resource":
            objects = partial(objects_of, document.quads, thing.iri)
            linked = LinkedIris.from_objects(objects_among(document.quads), objects)
            return PlainDocument(self._pages[page_form.language].things.publication(thing, linked))
        if form == "html":
            return PlainDocument(self._pages[page_form.language].document(thing, triples_of(document.quads)))
        if form == STATEMENTS_FORM:
            return PlainDocument(self._pages[page_form.language].things.statements(thing, triples_of(document.quads)))
        if form == "mods.xml":
            return PlainDocument(to_xml(_mods(thing), pretty=True))
        if form in CITATION_FORMS:
            sources = thing.merged.sources if thing.merged is not None else ()
            return PlainDocument(FILES[form]([reference_of(_mods(thing), thing.iri, sources)]).encode())
        record = self._release.original(thing.record) if thing.record is not None else None
        if record is None:
            detail = message("The source gave this record in another form than MARC.")
            raise ProblemError(404, message("Not found"), detail)
        return PlainDocument(to_marcxml(record, pretty=True) if form == "marcxml" else to_mrk(record).encode())

    # -- pages that are about nothing with an IRI

    async def page(
        self, request: Request, name: str, make: Callable[[Pages], bytes], headers: tuple[tuple[str, str], ...] = ()
    ) -> Response:
        """Answer with a page in the language that the client wants; ``make`` runs in the thread, once for a name."""
        tag = language_of(request)
        key = (f"page {name}", tag)
        request.scope[CACHE] = self._rendering.cached(key) is not None
        rendered = await self._rendering.render(key, lambda: PlainDocument(make(self._pages[tag])))
        return respond(request, Representation(rendered.body, "text/html", (*language_headers(tag), *headers)))

    # -- the ontology, the dataset, its graphs

    async def _other(
        self, request: PlainRequest, path: str, suffix: str | None, is_document_path: bool
    ) -> PlainResponse:
        """Answer for what is not prepared."""
        thing = await self._rendering.run(partial(self._finder.find, path))
        if not isinstance(thing, Thing):
            raise no_such_thing()
        is_direct = is_document_path or thing.is_document
        if suffix is not None and not (is_direct and suffix in thing.forms):
            raise _no_form(suffix)
        form, media_type = self._negotiated(request, thing.kind, suffix, path)
        page_form = _page_form(request, form)
        key = (path, *page_form)
        request.is_cached = self._rendering.cached(key) is not None
        rendered = await self._rendering.render(key, partial(self._write_other, thing, page_form))
        location = (
            self._links.form(path, form) if media_type == MEDIA_TYPES[form] else self._addresses.page(f"doc/{path}")
        )
        headers = [(b"link", self._links.of(path, thing.kind)), (b"content-location", location.encode())]
        headers.append(_PAGE_VARY if page_form.language else _VARY)
        if page_form.language:
            headers.append((b"content-language", page_form.language.encode()))
        return _of_rendered(
            request, rendered, FormMetadata(rendered.tag, media_type, self._release.manifest.created, headers)
        )

    def _write_other(self, thing: Thing, page_form: PageForm) -> PlainDocument:
        vocabulary, form = self._release.vocabulary, page_form.form
        if thing.kind == "context":
            return PlainDocument(msgspec.json.format(msgspec.json.encode({"@context": vocabulary.context}), indent=1))
        if thing.kind == "ontology" and form == "html":
            return PlainDocument(self._pages[page_form.language].vocabulary(thing))
        if thing.kind == "ontology" and form == "ttl":
            return PlainDocument(vocabulary.ontologies[thing.ontology].encode())
        triples = self._triples(thing)
        if form == "html":
            return PlainDocument(self._pages[page_form.language].document(thing, triples))
        if thing.kind == "graph":
            triples.append(triple(thing.iri, "void:inDataset", self._addresses.iris.dataset))
        return PlainDocument(self._writers.write(form, lines_of(triples), thing.iri))

    def _triples(self, thing: Thing) -> list[ox.Triple]:
        if thing.kind == "ontology":
            return list(Ontology.from_turtle(self._release.vocabulary.ontologies[thing.ontology]).triples)
        triples = self._release.graph.description(thing.iri)
        if thing.path == "dataset" and self._release.void:
            triples.extend(read_turtle(self._release.void, thing.iri))
        return triples


def _split(path: str) -> tuple[str, str | None, bool]:
    """Return what the path names, the suffix of a form or None, and whether it is the path of a document."""
    bare, suffix = split_suffix(path)
    return (bare[4:], suffix, True) if bare.startswith("doc/") else (bare, suffix, False)


def _page_form(request: PlainRequest, form: str) -> PageForm:
    return PageForm(form, request.language if form in PAGE_FORMS else "")


def _chosen(request: PlainRequest, kind: Kind, suffix: str | None) -> tuple[str, str] | None:
    """Return form and media type that the suffix names, without one those that the client prefers; None if none."""
    if suffix is None:
        return negotiate(request.accept, kind)
    return (suffix, MEDIA_TYPES[suffix]) if suffix in forms_of(kind) else None


def _of_rendered(request: PlainRequest, rendered: EncodedDocument, form: FormMetadata) -> PlainResponse:
    return not_modified(request, form) or with_body(
        form, rendered.body, rendered.coded if is_gzip_wanted(request) else None
    )


def _page_number(request: PlainRequest) -> int | None:
    """Return the number of the page that the address names, from 1; None if it names none."""
    number = parse_qs(request.query).get("page", [""])[0]
    return max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < _MAX_DIGITS else None


def _no_page() -> ProblemError:
    return ProblemError(404, message("Not found"), message("There is no such page of this document."))


def no_such_thing() -> ProblemError:
    """Return the answer to a request for what the release does not have."""
    return ProblemError(404, message("Not found"), message("There is nothing with this name in this release."))


def _no_form(suffix: str) -> ProblemError:
    detail = message("There is no form .%(suffix)s of this document.", suffix=suffix)
    return ProblemError(404, message("Not found"), detail)


def _mods(thing: Thing) -> Mods:
    if thing.merged is not None:
        return thing.merged.mods
    assert thing.record is not None
    return thing.record.mods
