"""Documents about what has an IRI: negotiated, redirected to, and written in every form."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec
import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from bibld.model.marc_writers import to_marcxml, to_mrk
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_xml
from bibld.model.rdf import expand
from bibld.serve._graph import read_turtle, triple, write
from bibld.serve._http import VARY, ProblemError, Representation, accept_of, link_header, redirect, respond
from bibld.serve._negotiation import choose, choose_language
from bibld.serve._pages import Pages
from bibld.serve._things import MEDIA_TYPES, Finder, Gone, Moved, OpenRelease, Thing, split_suffix
from bibld.terms import LANGUAGES, Ontology

_CACHED_DOCUMENTS = 512
_JSON = "application/json"


class Documents:
    """Answers requests for everything whose IRI begins with the base."""

    def __init__(self, release: OpenRelease, pages: Pages) -> None:
        self._release = release
        self._pages = pages
        self._addresses = release.addresses
        ids = [figures.source for figures in release.manifest.figures.sources]
        self._finder = Finder(release.addresses.iris, release.catalog, release.graph, ids)
        self._written = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._write)

    async def answer(self, request: Request) -> Response:
        """Answer for a path under the mount."""
        path: str = request.path_params["path"]
        if path.endswith("/") and not path.startswith("/") and "//" not in path:
            return Response(status_code=308, headers={"Location": self._addresses.page(path.rstrip("/"))})
        bare, suffix = split_suffix(path)
        is_document_path = bare.startswith("doc/")
        bare = bare.removeprefix("doc/")
        found = self._finder.find(bare)
        if found is None:
            raise ProblemError(404, "Not found", "There is nothing with this name, and there never was.")
        if isinstance(found, Moved):
            return self._moved(request, found, suffix)
        if isinstance(found, Gone):
            return self._gone(request, found, suffix)
        if suffix is not None:
            if suffix not in found.forms or not (is_document_path or found.is_document):
                raise ProblemError(404, "Not found", f"There is no form .{suffix} of this document.")
            return self._document(request, found, suffix, MEDIA_TYPES[suffix])
        form, media_type = self._negotiated(request, found)
        if is_document_path or found.is_document:
            return self._document(request, found, form, media_type)
        return redirect(self._form_path(found.path, form, media_type), {"Link": self._links(found)})

    def _negotiated(self, request: Request, thing: Thing) -> tuple[str, str]:
        """Return the form and media type that the client prefers; raises the ``ProblemError`` 406."""
        offers = {MEDIA_TYPES[form]: form for form in thing.forms}
        offers[_JSON] = "jsonld"
        best = choose(accept_of(request), tuple(offers))
        if best is None:
            alternates = [(MEDIA_TYPES[form], self._form_path(thing.path, form)) for form in thing.forms]
            raise ProblemError(
                406,
                "Not acceptable",
                "This document has none of the forms that the request accepts.",
                {"Link": link_header([(path, "alternate", kind) for kind, path in alternates])},
                alternates,
            )
        return offers[best], best

    def _form_path(self, path: str, form: str, media_type: str = "") -> str:
        suffix = "" if media_type == _JSON else f".{form}"  # application/json has no suffix
        return self._addresses.page(f"doc/{path}{suffix}")

    def _links(self, thing: Thing) -> str:
        links: list[tuple[str, str, str | None]] = [
            (self._form_path(thing.path, form), "alternate", MEDIA_TYPES[form]) for form in thing.forms
        ]
        if "ttl" in thing.forms:
            links.append((self._form_path(thing.path, "ttl"), "describedby", "text/turtle"))
        links.append((self._release.manifest.dataset.license, "license", None))
        if not thing.is_document:
            links.append((thing.iri, "about", None))
        return link_header(links)

    def _document(self, request: Request, thing: Thing, form: str, media_type: str) -> Response:
        headers = [("Link", self._links(thing)), ("Content-Location", self._form_path(thing.path, form, media_type))]
        language = ""
        if thing.kind == "ontology" and form == "html":
            language = _language(request)
            headers += [("Vary", f"{VARY}, Accept-Language"), ("Content-Language", language)]
        body = self._written(thing.path, form, language)
        return respond(request, Representation(body, media_type, tuple(headers)))

    def _moved(self, request: Request, moved: Moved, suffix: str | None) -> Response:
        survivor = self._finder.find(moved.path)
        assert isinstance(survivor, Thing)
        if suffix is not None and suffix in survivor.forms:
            location = self._form_path(moved.path, suffix)
        else:
            location = self._form_path(moved.path, *self._negotiated(request, survivor))
        return redirect(location, {"Link": link_header([(moved.iri, "canonical", None)])})

    def _gone(self, request: Request, gone: Gone, suffix: str | None) -> Response:
        offers = [MEDIA_TYPES[form] for form in ("html", "ttl", "nt", "jsonld", "rdf")]
        named = MEDIA_TYPES.get(suffix or "")
        media_type = named if named in offers else choose(accept_of(request), offers)
        if media_type is None or media_type == "text/html":
            raise ProblemError(
                410,
                "Gone",
                f"The record {gone.record} was withdrawn, and no other one replaces it.",
            )
        tombstone = [
            triple(gone.iri, "owl:deprecated", ox.Literal(value=True)),
            triple(gone.iri, "rdfs:comment", ox.Literal("The record has been withdrawn.", language="en")),
            triple(gone.iri, "dcterms:identifier", ox.Literal(str(gone.record))),
        ]
        body = self._serialised(tombstone, media_type)
        return respond(request, Representation(body, media_type, status=410))

    def _write(self, path: str, form: str, language: str) -> bytes:
        thing = self._finder.find(path)
        assert isinstance(thing, Thing)
        if thing.kind == "context":
            return msgspec.json.format(msgspec.json.encode({"@context": self._release.vocabulary.context}), indent=1)
        if thing.kind == "ontology" and form == "html":
            return self._pages.vocabulary(thing, language)
        if thing.kind == "ontology" and form == "ttl":
            return self._release.vocabulary.ontologies[thing.ontology].encode()
        if form == "html":
            return self._pages.document(thing, self._triples(thing))
        if form == "mods.xml":
            return to_xml(_mods(thing), pretty=True)
        if form in ("marcxml", "mrk"):
            return self._original(thing, form)
        return self._serialised([*self._triples(thing), *self._about_document(thing)], MEDIA_TYPES[form])

    def _original(self, thing: Thing, form: str) -> bytes:
        record = self._release.original(thing.record) if thing.record is not None else None
        if record is None:
            raise ProblemError(404, "Not found", "The source gave this record in another form than MARC.")
        return to_marcxml(record, pretty=True) if form == "marcxml" else to_mrk(record).encode()

    def _serialised(self, triples: Iterable[ox.Triple], media_type: str) -> bytes:
        vocabulary = self._release.vocabulary
        return write(triples, media_type, vocabulary.prefixes, vocabulary.context)

    def _triples(self, thing: Thing) -> list[ox.Triple]:
        if thing.kind == "ontology":
            return list(Ontology.from_turtle(self._release.vocabulary.ontologies[thing.ontology]).triples)
        triples = self._release.graph.description(thing.iri)
        if thing.path == "dataset" and self._release.void:
            triples.extend(read_turtle(self._release.void, thing.iri))
        return triples

    def _about_document(self, thing: Thing) -> list[ox.Triple]:
        """Return the triples about the document itself."""
        iris = self._addresses.iris
        manifest = self._release.manifest
        if thing.kind in ("ontology", "dataset"):
            return []
        document = thing.iri if thing.is_document else iris.document(thing.iri)
        about = []
        if thing.kind != "record":  # a record is in the dataset of its source, which its description states
            about.append(triple(document, "void:inDataset", iris.dataset))
        if not thing.is_document:
            about.append(triple(document, "rdf:type", ox.NamedNode(expand("foaf:Document"))))
            about.append(triple(document, "foaf:primaryTopic", thing.iri))
            modified = ox.Literal(manifest.created, datatype=ox.NamedNode(expand("xsd:dateTime")))
            about.append(triple(document, "dcterms:modified", modified))
            about.append(triple(document, "dcterms:license", manifest.dataset.license))
        if thing.merged is not None:
            members = thing.merged.cluster.members
            about.extend(triple(document, "dcterms:source", iris.record(member)) for member in members)
        return about


def _language(request: Request) -> str:
    """Return the language of a page: the one that the address names (``?lang=ru``), else the one that is accepted."""
    named = request.query_params.get("lang", "")
    if named in LANGUAGES:
        return named
    return choose_language(",".join(request.headers.getlist("accept-language")), LANGUAGES)


def _mods(thing: Thing) -> Mods:
    if thing.merged is not None:
        return thing.merged.mods
    assert thing.record is not None
    return thing.record.mods
