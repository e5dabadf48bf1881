"""The site that is checked: its addresses, and the documents that many checks look at."""

from __future__ import annotations

import re
from functools import cached_property
from urllib.parse import urljoin, urlsplit

import msgspec

from bibld.conformance.checks import FailedError, NotApplicableError
from bibld.conformance.triples import FORMATS, Triples
from bibld.conformance.web import Answer, Client, host_of
from bibld.model.rdf import expand

_LINK = re.compile(r"<([^>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,]+))*)")
_PARAMETER = re.compile(r"([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))")
HTML = "text/html"
_OF_MAIN_DATASETS = ("void:uriSpace", "void:sparqlEndpoint", "void:exampleResource", "void:dataDump", "void:triples")
_OK = 200


class Subject(msgspec.Struct, frozen=True):
    """What the user named; what is empty is found in the description of the dataset.

    ``url`` is the address of the dataset; ``resource`` the IRI of a thing; ``deleted`` the IRI of a thing that was
    deleted; ``base`` what its IRIs begin with, if that is not ``url``.
    """

    url: str
    resource: str = ""
    deleted: str = ""
    base: str = ""
    void: str = ""
    dcat: str = ""
    sparql: str = ""
    oai: str = ""
    fragments: str = ""
    reconcile: str = ""


class Link(msgspec.Struct, frozen=True):
    """One link of a header Link (RFC 8288)."""

    target: str
    relation: str
    type: str


class Site:
    """A site, and what was found out about it. Values are computed when they are first used."""

    def __init__(self, subject: Subject, client: Client) -> None:
        self.subject = subject
        self.client = client
        self.url = subject.url

    # -- descriptions ---------------------------------------------------------------------------------------------

    @cached_property
    def void_answer(self) -> Answer:
        """The answer with the description in VoID, from where it was found."""
        places = [self.subject.void] if self.subject.void else [self.root(".well-known/void")]
        if not self.subject.void:
            places += [urljoin(self.url, name) for name in ("void.ttl", "void", "")]
        for place in places:
            answer = self.client.follow(place, "text/turtle, application/rdf+xml;q=0.9, application/ld+json;q=0.8")
            if answer.status == _OK and answer.media_type in FORMATS:
                return answer
        raise FailedError(f"no VoID at {', '.join(places)}; name its address with --void")

    @cached_property
    def void(self) -> Triples:
        """The description in VoID; raises ``NotApplicableError`` if there is none."""
        try:
            return Triples.from_answer(self.void_answer)
        except FailedError as error:
            raise NotApplicableError(str(error)) from error

    @cached_property
    def dataset(self) -> str:
        """The dataset: the instance of void:Dataset that most is stated about, parts last."""
        datasets = self.void.instances("void:Dataset")
        if not datasets:
            raise NotApplicableError("the description has no void:Dataset")
        parts = set(self.void.objects(None, "void:subset"))

        def rank(iri: str) -> tuple[int, bool]:
            return sum(bool(self.void.objects(iri, name)) for name in _OF_MAIN_DATASETS), iri not in parts

        return max(datasets, key=rank)

    @cached_property
    def base(self) -> str:
        """What the IRIs of the dataset begin with."""
        if self.subject.base:
            return self.subject.base
        try:
            spaces = self.void.objects(self.dataset, "void:uriSpace")
        except (NotApplicableError, FailedError):
            spaces = []
        return spaces[0] if spaces else self.url

    def root(self, path: str) -> str:
        """Return the address of a path of the host."""
        return urljoin(self.url, "/" + path)

    def address(self, iri: str) -> str:
        """Return where to ask for an IRI: under ``url`` if it is one of the dataset."""
        if iri.startswith(self.base) and self.base != self.url:
            return self.url + iri[len(self.base) :]
        parts, own = urlsplit(iri), urlsplit(self.base)
        if self.base != self.url and (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
            return self.root(iri.partition("//")[2].partition("/")[2])
        return iri

    def names(self, address: str) -> tuple[str, ...]:
        """Return how the description may name an address of this server."""
        if address.startswith(self.url):
            return address, self.base + address[len(self.url) :]
        return (address,)

    # -- the thing ------------------------------------------------------------------------------------------------

    @cached_property
    def examples(self) -> list[str]:
        """The IRIs to dereference."""
        if self.subject.resource:
            return [self.subject.resource]
        found = sorted(set(self.void.objects(None, "void:exampleResource")))
        if not found:
            raise NotApplicableError("the description names no void:exampleResource; name one with --resource IRI")
        return found

    @cached_property
    def thing(self) -> str:
        """The IRI of the thing that the checks dereference."""
        return self.examples[0]

    @cached_property
    def thing_url(self) -> str:
        """Where the thing is asked for."""
        return self.address(self.thing)

    @cached_property
    def rdf(self) -> Answer:
        """The document about the thing in RDF, in the best media type that the site has."""
        seen = []
        for media_type in FORMATS:
            answer = self.follow(media_type)
            if answer.status == _OK and answer.media_type == media_type:
                return answer
            seen.append(str(answer))
        raise NotApplicableError(f"{self.thing} has no document in RDF: {', '.join(dict.fromkeys(seen))}")

    @cached_property
    def other(self) -> Answer:
        """Another form of the same document: HTML, or another media type of RDF."""
        for media_type in (HTML, *reversed(FORMATS)):
            answer = self.follow(media_type)
            if answer.status == _OK and answer.media_type == media_type != self.rdf.media_type:
                return answer
        raise NotApplicableError("the document has one form only")

    @cached_property
    def triples(self) -> Triples:
        """The triples of the document about the thing."""
        return Triples.from_answer(self.rdf)

    def ask(self, accept: str | None = None, *headers: tuple[str, str]) -> Answer:
        """Return the first answer for the thing: mostly a redirect."""
        return self.client.get(self.thing_url, accept, headers)

    def follow(self, accept: str | None = None, *headers: tuple[str, str]) -> Answer:
        """Return the document about the thing; redirects are followed, with the IRIs of the dataset mapped."""
        return self.follow_from(self.thing_url, accept, *headers)

    def follow_from(self, url: str, accept: str | None = None, *headers: tuple[str, str]) -> Answer:
        """Return the document at an address; redirects are followed, with the IRIs of the dataset mapped."""
        answer = self.client.get(url, accept, headers)
        for _ in range(5):
            if not answer.location or answer.status // 100 != 3:
                break
            answer = self.client.get(self.address(answer.location), accept, headers)
        return answer

    def links(self, answer: Answer) -> list[Link]:
        """Return the links of an answer, with addresses of this server."""
        found = []
        for target, parameters in _LINK.findall(answer.header("link")):
            named = {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(parameters)}
            address = self.address(urljoin(answer.url, target))
            found += [
                Link(address, relation, named.get("type", "")) for relation in named.get("rel", "").lower().split()
            ]
        return found

    # -- interfaces -----------------------------------------------------------------------------------------------

    @cached_property
    def endpoint(self) -> str:
        """The address of the SPARQL endpoint."""
        if self.subject.sparql:
            return self.subject.sparql
        named = self.void.objects(None, "void:sparqlEndpoint")
        if not named:
            raise NotApplicableError("the description names no void:sparqlEndpoint; name it with --sparql URL")
        return self.address(named[0])

    def is_own(self, url: str) -> bool:
        """Whether an address is on the host of the site."""
        return host_of(url) == host_of(self.url)

    def has_class(self, triples: Triples, *kinds: str) -> bool:
        """Whether any subject has one of the classes."""
        types = set(triples.objects(None, "rdf:type"))
        return any(expand(kind) in types for kind in kinds)
