"""A site of Linked Data, seen from outside: its addresses, and the documents that many tests look at.

Nothing here imports what serves the site, so that the tests hold for any address. Requests go to that host only, and
change nothing.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple, NoReturn
from urllib.parse import quote, urlencode, urljoin, urlsplit

import pyoxigraph as ox
import pytest

HTML, FORM = "text/html", "application/x-www-form-urlencoded"
FORMATS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/ld+json": ox.RdfFormat.JSON_LD,
}
"""Media types of RDF, best first, and how they are parsed."""

PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "sd": "http://www.w3.org/ns/sparql-service-description#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "tree": "https://w3id.org/tree#",
    "void": "http://rdfs.org/ns/void#",
}
ORIGIN = ("Origin", "https://other.example.org")
MISSING = "no-such-thing-7f3a1c"
_LINK = re.compile(r"<([^>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,]+))*)")
_PARAMETER = re.compile(r"([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))")
_SAFE = "%/:=&?~#+!$,;'@()*[]"
_SECONDS = 600.0
_PAUSE_SECONDS = 0.2
"""Between two requests to a site that is not ours."""


def expand(name: str) -> str:
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local if prefix in PREFIXES else name


class Response(NamedTuple):
    """A response; ``url`` is the address that was asked."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())

    def names(self, header: str) -> set[str]:
        return {name.strip().lower() for name in self.header(header).split(",")}

    @property
    def media_type(self) -> str:
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def location(self) -> str:
        """The absolute address of the header Location; empty if there is none."""
        return urljoin(self.url, self.header("location")) if self.header("location") else ""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def triples(self) -> Triples:
        """The triples of the document; fails if it is not what its media type states."""
        assert self.media_type in FORMATS, f"{self.url}: {self}"
        quads = ox.parse(self.body, format=FORMATS[self.media_type], base_iri=self.url)
        return Triples(tuple(quad.triple for quad in quads))

    def __str__(self) -> str:
        return f"{self.status} {self.media_type} {' '.join(self.body[:120].decode('utf-8', 'replace').split())}"


class Triples(NamedTuple):
    """The triples of a document. Terms are given and returned as texts: IRIs, and the values of literals."""

    triples: tuple[ox.Triple, ...]

    def objects(self, subject: str | None, *predicates: str) -> list[str]:
        wanted = [expand(each) for each in predicates]
        return [
            value_of(each.object)
            for each in self.triples
            if each.predicate.value in wanted and subject in (None, value_of(each.subject))
        ]

    def subjects(self, predicate: str, value: str | None = None) -> list[str]:
        found = (
            value_of(each.subject)
            for each in self.triples
            if each.predicate.value == expand(predicate) and value in (None, value_of(each.object))
        )
        return list(dict.fromkeys(found))

    def instances(self, kind: str) -> list[str]:
        return self.subjects("rdf:type", expand(kind))


def value_of(term: object) -> str:
    return str(getattr(term, "value", ""))


class Link(NamedTuple):
    """One link of a header Link (RFC 8288)."""

    target: str
    relation: str
    type: str


class Site:
    """A site at an address, and what was found out about it. Values are found when they are first used.

    ``is_sample``: it is the sample's, which has all that the tests look for.
    """

    def __init__(self, url: str, is_sample: bool) -> None:
        self.url = url if url.endswith("/") else f"{url}/"
        self.is_sample = is_sample
        self._responses: dict[tuple[object, ...], Response] = {}

    def lacks(self, what: str) -> NoReturn:
        """End a test of what a site need not have; the sample has everything."""
        (pytest.fail if self.is_sample else pytest.skip)(f"the site has no {what}")

    # -- requests

    def send(self, method: str, url: str, headers: Iterable[tuple[str, str]] = (), body: bytes = b"") -> Response:
        """Return the response to a request; equal GET and HEAD requests are sent once."""
        url = quote(url.partition("#")[0], safe=_SAFE)
        key = (method, url, tuple(headers), body)
        if key not in self._responses or method not in ("GET", "HEAD"):
            self._responses[key] = self._exchange(method, url, key[2], body)
        return self._responses[key]

    def get(self, url: str, accept: str | None = None, *headers: tuple[str, str]) -> Response:
        return self.send("GET", url, (*(() if accept is None else (("Accept", accept),)), *headers))

    def follow(self, url: str, accept: str | None = None, *headers: tuple[str, str]) -> Response:
        """Return the response to GET after its redirects, with the IRIs of the dataset mapped to this address."""
        response = self.get(url, accept, *headers)
        for _ in range(5):
            if not response.location or response.status // 100 != 3:
                break
            response = self.get(self.address(response.location), accept, *headers)
        return response

    def raw(self, request: str) -> bytes:
        """Send text on a new connection; return what comes back until the server closes it."""
        target, parts = urlsplit(self.rdf.url), urlsplit(self.url)
        text = request.format(path=target.path, host=target.netloc, origin=f"{target.scheme}://{target.netloc}")
        received = bytearray()
        with (
            suppress(ConnectionError),
            socket.create_connection((parts.hostname, self._port_after_pause()), _SECONDS) as plain,
        ):
            connection = plain
            if parts.scheme == "https":
                connection = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
            connection.sendall(text.replace("\n", "\r\n").encode("latin-1"))
            while piece := connection.recv(1 << 16):
                received += piece
        return bytes(received)

    def _port_after_pause(self) -> int:
        time.sleep(0 if self.is_sample else _PAUSE_SECONDS)
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme == "https" else 80)

    def _exchange(self, method: str, url: str, headers: Iterable[tuple[str, str]], body: bytes) -> Response:
        parts = urlsplit(url)
        assert self.is_own(url), f"{url} is on another host"
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", self._port_after_pause(), timeout=_SECONDS)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in (("User-Agent", "bibld-tests"), *headers):
            connection.putheader(name, value.encode())
        if body or method in ("POST", "PUT"):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        with suppress(ConnectionError):  # the server may answer before it has read the body, and read no more
            connection.send(body)
        response = connection.getresponse()
        found = Response(url, response.status, tuple(response.getheaders()), response.read())
        connection.close()
        return found

    # -- addresses

    @cached_property
    def base(self) -> str:
        """What the IRIs of the dataset begin with."""
        return (self.void.objects(self.dataset, "void:uriSpace") or [self.url])[0]

    def root(self, path: str) -> str:
        return urljoin(self.url, f"/{path}")

    def address(self, iri: str) -> str:
        """Return where to ask for an IRI: under ``url`` if it is one of the dataset, on this host if on the base's."""
        if iri.startswith(self.base):
            return self.url + iri[len(self.base) :]
        parts, own = urlsplit(iri), urlsplit(self.base)
        if (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
            return self.root(iri.partition("//")[2].partition("/")[2])
        return iri

    def is_own(self, url: str) -> bool:
        return urlsplit(url).netloc == urlsplit(self.url).netloc

    def links(self, response: Response, relation: str = "") -> list[Link]:
        """Return the links of a response, of one relation or all, with addresses of this server."""
        found = []
        for target, parameters in _LINK.findall(response.header("link")):
            named = {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(parameters)}
            address = self.address(urljoin(response.url, target))
            found += [Link(address, each, named.get("type", "")) for each in named.get("rel", "").lower().split()]
        return [link for link in found if relation in ("", link.relation)]

    # -- the dataset and the endpoint

    @cached_property
    def void_response(self) -> Response:
        """The description of the dataset in VoID (VoID, 7.2)."""
        url = self.root(".well-known/void")
        response = self.get(url, "text/turtle")
        return self.get(response.location, "text/turtle") if response.location else response

    @cached_property
    def void(self) -> Triples:
        return self.void_response.triples

    @cached_property
    def dataset(self) -> str:
        """The void:Dataset about which most is stated."""
        names = ("void:uriSpace", "void:sparqlEndpoint", "void:exampleResource", "void:dataDump", "void:triples")
        parts = self.void.objects(None, "void:subset")

        def rank(iri: str) -> tuple[int, bool]:
            return sum(bool(self.void.objects(iri, name)) for name in names), iri not in parts

        return max(self.void.instances("void:Dataset"), key=rank)

    @cached_property
    def endpoint(self) -> str:
        named = self.void.objects(None, "void:sparqlEndpoint") or self.lacks("SPARQL endpoint")
        return self.address(named[0])

    def query(self, text: str, accept: str = "application/sparql-results+json", *headers: tuple[str, str]) -> Response:
        return self.get(f"{self.endpoint}?{urlencode({'query': text}, quote_via=quote)}", accept, *headers)

    def number(self, text: str) -> int:
        (row,) = self.query(text).json["results"]["bindings"]
        return int(next(iter(row.values()))["value"])

    # -- a thing and the documents about it

    @cached_property
    def examples(self) -> list[str]:
        return sorted(set(self.void.objects(None, "void:exampleResource"))) or self.lacks("void:exampleResource")

    @cached_property
    def thing(self) -> str:
        """The IRI of the thing that the tests dereference."""
        return self.examples[0]

    @cached_property
    def thing_url(self) -> str:
        return self.address(self.thing)

    @cached_property
    def rdf(self) -> Response:
        """The document about the thing in RDF, in the best media type that the site has."""
        return self._first_form(*FORMATS)

    @cached_property
    def other(self) -> Response:
        """Another form of the same document: HTML, or another media type of RDF."""
        return self._first_form(HTML, *(each for each in reversed(FORMATS) if each != self.rdf.media_type))

    def _first_form(self, *media_types: str) -> Response:
        for media_type in media_types:
            response = self.follow(self.thing_url, media_type)
            if response.status == 200 and response.media_type == media_type:
                return response
        raise AssertionError(f"{self.thing} has none of these forms: {', '.join(media_types)}")
