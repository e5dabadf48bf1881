"""Ways to break each rule that ``bibld conformance`` checks, by the id of the check."""

from __future__ import annotations

import re
from collections.abc import Callable

from bibld import conformance
from bibld.conformance.sparql_cases import CASES
from tests.end_to_end.bad_site import Change, Exchange, Fault

TURTLE, HTML = "text/turtle", "text/html"
OTHER = "<urn:example:other>"
"""A property that states nothing."""
THING = "http://localhost:8000/resource/rsl/01001325043"
"""The first example of the sample."""
SIMPLE = re.compile(r"[a-z]+/[a-z+.-]+")
When = Callable[[Exchange], bool]


def always(_: Exchange) -> bool:
    return True


def status(value: int, when: When = always) -> Fault:
    def change(exchange: Exchange) -> None:
        if when(exchange):
            exchange.status = value

    return Fault(answered=change)


def header(name: str, value: str | None, when: When = always) -> Fault:
    def change(exchange: Exchange) -> None:
        if when(exchange):
            exchange.headers.pop(name, None)
            if value is not None:
                exchange.headers[name] = value

    return Fault(answered=change)


def body(pattern: str, replacement: str, *media_types: str, when: When = always) -> Fault:
    def change(exchange: Exchange) -> None:
        if exchange.media_type in (media_types or (TURTLE,)) and when(exchange):
            exchange.body = re.sub(pattern.encode(), replacement.encode(), exchange.body)

    return Fault(answered=change)


def accept(value: str, when: When) -> Fault:
    """Negotiate as if the client had sent another Accept."""

    def change(exchange: Exchange) -> None:
        if when(exchange):
            exchange.without("accept")
            exchange.sent.append(("accept", value))

    return Fault(asked=change)


def asked(change: Change) -> Fault:
    return Fault(asked=change)


def is_complex(exchange: Exchange) -> bool:
    return SIMPLE.fullmatch(exchange.accept) is None


def has_accept(text: str) -> When:
    return lambda exchange: text in exchange.accept


def in_path(pattern: str) -> When:
    return lambda exchange: re.search(pattern, exchange.path) is not None


def with_status(value: int) -> When:
    return lambda exchange: exchange.status == value


def method(name: str) -> When:
    return lambda exchange: exchange.method == name


def has(name: str) -> When:
    return lambda exchange: exchange.has(name)


def drop(name: str) -> Fault:
    return asked(lambda exchange: exchange.without(name))


def first_line_only(exchange: Exchange) -> None:
    values = [value for name, value in exchange.sent if name == "accept"]
    exchange.without("accept")
    exchange.sent += [("accept", value) for value in values[:1]]


def other_form(exchange: Exchange) -> None:
    if HTML in exchange.accept:
        exchange.path = exchange.path.replace(".ttl", ".html")


def always_gzip(exchange: Exchange) -> None:
    if exchange.has("accept-encoding"):
        exchange.without("accept-encoding")
        exchange.sent.append(("accept-encoding", "gzip"))


def damaged(exchange: Exchange) -> None:
    if exchange.headers.get("content-encoding") == "gzip":
        exchange.body = b"x" + exchange.body


def no_gzip_mark(exchange: Exchange) -> None:
    exchange.headers["etag"] = exchange.headers.get("etag", "").replace("-gzip", "")


def weak(exchange: Exchange) -> None:
    exchange.headers["etag"] = "W/" + exchange.headers.get("etag", '""')


def echo(exchange: Exchange) -> None:
    exchange.body = str(exchange.sent).encode()


def short(exchange: Exchange) -> None:
    exchange.body = exchange.body[:5]


def no_alternates(exchange: Exchange) -> None:
    if exchange.status == 406:
        exchange.headers.pop("link", None)
        exchange.body = b"No."


def not_modified(name: str) -> Fault:
    return status(304, has(name))


WRONG_FIRST = accept(HTML, is_complex)
WRONG_SECOND = accept(TURTLE, is_complex)
CORS = "access-control-allow-origin"
LINKS = header("link", None)
ASKED = in_path(r"/sparql(?!.*SELECT%20%3Fg)")  # not the query that looks for a graph
NOT_VOID = in_path("/(doc|resource)/")

FAULTS: dict[str, Fault] = {
    "deref-status": status(302, with_status(303)),
    "deref-rdf": accept(HTML, always),
    "deref-html": accept(TURTLE, always),
    "deref-default": accept(TURTLE, lambda exchange: not exchange.has("accept")),
    "deref-location": header("location", "http://other.example.org/", with_status(303)),
    "deref-examples": status(404, in_path(r"/resource/(?!rsl/01001325043)")),
    "type-turtle": status(500, lambda exchange: exchange.accept == TURTLE),
    "type-n-triples": status(500, has_accept("n-triples")),
    "type-rdf": status(500, lambda exchange: exchange.accept == "application/rdf+xml"),
    "type-ld": status(500, lambda exchange: exchange.accept == "application/ld+json"),
    "type-mods": status(500, has_accept("mods+xml")),
    "charset": header("content-type", "text/turtle; charset=koi8-r", lambda exchange: exchange.media_type == TURTLE),
    "unknown-404": status(200, with_status(404)),
    "deleted-410": Fault(),
    "iri-escaped": status(404, in_path(r"%6[0-9A-F]")),
    "iri-non-ascii": status(500, in_path("%D0")),
    "iri-bad-escapes": status(500, in_path("%FF")),
    "path-traversal": status(200, in_path(r"%2f")),
    "path-long": status(500, in_path("xxxx")),
    "query-string": status(500, in_path("utm_source")),
    "accept-quality": WRONG_FIRST,
    "accept-order": WRONG_SECOND,
    "accept-small-weight": WRONG_FIRST,
    "accept-zero": WRONG_SECOND,
    "accept-specific": WRONG_SECOND,
    "accept-kind": status(406, has_accept("/*")),
    "accept-browser": WRONG_SECOND,
    "accept-case": status(406, has_accept("TEXT")),
    "accept-lines": asked(first_line_only),
    "accept-spaces": WRONG_FIRST,
    "accept-parameter": WRONG_FIRST,
    "accept-bad-weight": status(500, has_accept("high")),
    "accept-garbage": status(500, has_accept("q==")),
    "accept-long": status(500, has_accept("x/y")),
    "accept-none": status(500, with_status(406)),
    "accept-none-alternates": Fault(answered=no_alternates),
    "alternate-types": header("content-type", "text/plain", in_path(r"\.(jsonld|nt)$")),
    "suffix-wins": asked(other_form),
    **{f"vary-{code}": header("vary", None, with_status(code)) for code in (200, 303, 304, 406)},
    "etag": Fault(answered=weak),
    "etag-differs": header("etag", '"same"'),
    "etag-gzip": Fault(answered=no_gzip_mark),
    **{f"if-none-match{each}": drop("if-none-match") for each in ("", "-list", "-weak", "-any", "-lines")},
    "if-none-match-other": not_modified("if-none-match"),
    "if-none-match-garbage": status(500, has("if-none-match")),
    "304-headers": header("etag", None, with_status(304)),
    "304-body": header("content-length", "5", with_status(304)),
    "date": header("date", None),
    "last-modified": header("last-modified", "yesterday"),
    "if-modified-since": drop("if-modified-since"),
    "if-modified-since-old": not_modified("if-modified-since"),
    "if-modified-since-bad": status(500, has("if-modified-since")),
    "if-none-match-first": not_modified("if-modified-since"),
    "cache-control": header("cache-control", None),
    "gzip": Fault(answered=damaged),
    "gzip-vary": header("vary", "Accept"),
    "gzip-zero": asked(always_gzip),
    "head": header("etag", None, method("HEAD")),
    "head-redirect": status(200, method("HEAD")),
    "options": header("allow", None),
    "405": header("allow", None),
    "method-unknown": status(200, method("NOTAMETHOD")),
    "trace": Fault(answered=lambda exchange: echo(exchange) if exchange.method == "TRACE" else None),
    "cors-200": header(CORS, None, with_status(200)),
    "cors-303": header(CORS, None, with_status(303)),
    "cors-404": header(CORS, None, with_status(404)),
    "cors-expose": header("access-control-expose-headers", "Location"),
    "cors-preflight": header("access-control-allow-headers", "Accept"),
    "nosniff": header("x-content-type-options", None),
    "rdf-parses": body(r"\.\s*$", "", TURTLE, when=NOT_VOID),
    "rdf-subject": body(r"/resource/", "/resourse/", TURTLE, when=NOT_VOID),
    "rdf-label": body(r"(?:rdfs:label|skos:prefLabel|dcterms:title|schema:name|foaf:name)\b", OTHER, when=NOT_VOID),
    "rdf-type": body(r"\ba\s+(?=[a-z]+:|<)", f"{OTHER} ", when=NOT_VOID),
    "rdf-forms-agree": body(r"\Z", "<urn:a> <urn:b> <urn:c> .\n", "application/n-triples"),
    "rdf-vocabulary": status(404, in_path("ontology")),
    "rdf-links": Fault(),
    "rdf-links-answer": status(404, in_path("/(agent|concept|place|publisher|record|work|dataset)")),
    "doc-topic": body("foaf:primaryTopic", OTHER, when=NOT_VOID),
    "doc-license": body("dcterms:license", OTHER, when=NOT_VOID),
    "doc-modified": body("dcterms:(modified|created|issued)", OTHER, when=NOT_VOID),
    "doc-dataset": body("(void:inDataset|dcterms:isPartOf)", OTHER, when=NOT_VOID),
    "link-header": header("link", "no link"),
    **{f"link-{name}": LINKS for name in ("alternate", "describedby", "license", "cite-as", "type")},
    "link-describedby-answers": Fault(),
    "page-links": Fault(),
    "page-loads": body("</body>", '<script src="https://cdn.example.org/x.js"></script>', HTML),
    "void-well-known": status(404, in_path("well-known")),
    "void-dataset": body(r"void:Dataset\b", "void:Nothing"),
    "void-title": body("dcterms:title", OTHER),
    "void-license": body("dcterms:license", OTHER),
    "void-publisher": body("dcterms:publisher", OTHER),
    "void-vocabulary": body("void:vocabulary", OTHER),
    "void-example": body("void:exampleResource", OTHER),
    "void-space": body(r'void:uriSpace "[^"]*"', 'void:uriSpace "http://other.example.org/"'),
    "void-endpoint": body("void:sparqlEndpoint", OTHER),
    "void-numbers": body(r"void:triples [0-9]+", "void:triples 7"),
    "void-linksets": body("void:linkPredicate", OTHER),
    "void-triples": body(r"void:triples ([0-9]+)", r"void:triples 1\1"),
    "void-subjects": body(r"void:distinctSubjects ([0-9]+)", r"void:distinctSubjects 1\1"),
    "void-properties": body(r"void:properties ([0-9]+)", r"void:properties 1\1"),
    "void-property": body(r"void:triples ([0-9]+)", r"void:triples 1\1"),
    "void-class": body(r"void:entities ([0-9]+)", r"void:entities 1\1"),
    "dumps-exist": status(404, in_path("/dumps/")),
    "dumps-count": body(r"void:triples ([0-9]+)", r"void:triples 1\1"),
    "dumps-ranges": Fault(answered=lambda exchange: short(exchange) if exchange.status == 206 else None),
    "robots": header("content-type", HTML, in_path("robots")),
    **{
        case.id: status(200 if case.expected == "refused" else 500, in_path(r"/sparql(?!.*SELECT%20%3Fg)"))
        for case in CASES
    },
    "oai-identify": body("<adminEmail>[^<]*</adminEmail>", "", "text/xml"),
    "oai-formats": body("oai_dc", "other", "text/xml"),
    "oai-records": body("<datestamp>[^<]*", "<datestamp>yesterday", "text/xml"),
    "oai-get-record": status(500, in_path("GetRecord")),
    "oai-resumption": status(500, in_path("resumptionToken=")),
    "oai-errors": body("badVerb", "badVerbs", "text/xml"),
    "tpf-controls": body("hydra:variable ", "hydra:other ", "application/trig"),
    "tpf-estimate": body("(void:triples|hydra:totalItems)", OTHER, "application/trig"),
    "tpf-matches": body(
        "localhost:8000/resource", "localhost:8000/other", "application/trig", when=in_path("subject=")
    ),
    "tpf-empty": body("(void:triples|hydra:totalItems) 0", r"\1 7", "application/trig"),
    "tpf-next": status(404, in_path("page=2")),
    "reconcile-manifest": body('"versions":', '"version":', "application/json"),
    "reconcile-query": body('"score":', '"scores":', "application/json"),
    "reconcile-sorted": body(r'"result":\[', '"result":[{"id":"x","name":"x","score":-1},', "application/json"),
    "reconcile-batch": body('"b":', '"c":', "application/json"),
    "reconcile-suggest-entity": body('"name":', '"names":', "application/json", when=in_path("suggest")),
    "reconcile-suggest-type": body('"result":', '"results":', "application/json", when=in_path("suggest")),
    "reconcile-suggest-property": status(500, in_path("suggest")),
    "reconcile-preview": header("content-type", "text/plain", in_path("preview")),
    "reconcile-extend": body('"rows":', '"row":', "application/json"),
    "reconcile-cors": header(CORS, None, in_path("/reconcile")),
    "dcat": status(404, in_path("dcat")),
    "dcat-required": body("dcterms:description", OTHER, when=in_path("dcat")),
    "dcat-downloads": status(404, in_path("/dumps/")),
    "dcat-sizes": header("content-length", "7", method("HEAD")),
    "dcat-checksums": body("[0-9a-f]{64}", "0" * 64, when=in_path("dcat")),
    "dcat-service": body(r"(dcat:endpointURL <[^>]*)>", r"\1/other>", when=in_path("dcat")),
    "sitemap": body("<url>|<sitemap>|<loc>[^<]*</loc>", "", "application/xml", "text/xml", when=in_path("sitemap")),
    "sitemap-dates": body("<lastmod>[^<]*", "<lastmod>yesterday", "application/xml", "text/xml"),
    "sitemap-pages": status(404, in_path("/(doc|resource|agent|concept|work|place|match|record|publisher|series)/")),
    "query-dataset-is-used": status(500, in_path("/sparql")),
    **{f"results-{name}": status(500, in_path("/sparql")) for name in ("json", "xml", "csv", "tsv", "unknown")},
    "results-default": header("content-type", "text/plain", in_path("/sparql")),
    "results-utf8": body("Ё", "?", "application/sparql-results+json"),
    "sparql-error": status(200, in_path("/sparql")),
    "sparql-two-places": status(200, in_path("/sparql")),
    "sparql-large": status(500, in_path("/sparql")),
    "sparql-cors": header(CORS, None, in_path("/sparql")),
    "sparql-preflight": header("access-control-allow-headers", "Accept", in_path("/sparql")),
    "sd-returns-rdf": header("content-type", HTML, in_path("/sparql")),
    "sd-has-endpoint-triple": body("sd:endpoint", OTHER),
    "sd-conforms-to-schema": body("sd:resultFormat", "sd:outputFormat"),
}


def _only_label(exchange: Exchange) -> None:
    if exchange.media_type == TURTLE and NOT_VOID(exchange):
        exchange.body = f'<{THING}> <http://www.w3.org/2000/01/rdf-schema#label> "x" .'.encode()


def _no_page_links(exchange: Exchange) -> None:
    exchange.headers.pop("link", None)
    if exchange.media_type == HTML:
        exchange.body = exchange.body.replace(b"alternate", b"nothing")


def _wrong_description(exchange: Exchange) -> None:
    links = exchange.headers.get("link", "")
    exchange.headers["link"] = links.replace(
        'rel="describedby"; type="text/turtle"', 'rel="describedby"; type="text/html"'
    )


FAULTS["page-links"] = Fault(answered=_no_page_links)
FAULTS["link-describedby-answers"] = Fault(answered=_wrong_description)
FAULTS["rdf-links"] = Fault(answered=_only_label)

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
MOVED = b"HTTP/1.1 301 Moved\r\nLocation: http://other.example.org/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
MESSAGES: dict[str, tuple[bytes, bytes]] = {
    "no-host": (rb"\AGET \S+ HTTP/1.1\r\nConnection: close\r\n\r\n", OK),
    "two-hosts": (rb"Host: other\.example\.org\r\nConn", OK),
    "absolute-form": (rb"\AGET http://127", MOVED),
    "other-host": (rb"\AGET http://other", MOVED),
    "connect": (rb"\ACONNECT", OK),
    "bad-chunk": (rb"ZZ", OK),
    "two-lengths": (rb"Content-Length: 1\r\nContent-Length: 2", OK),
    "bad-length": (rb"Content-Length: -1", OK),
    "space-before-colon": (rb"Accept : ", OK),
    "bad-request-line": (rb"\AGET\r\n", OK),
    "head-no-body": (rb"\AHEAD", OK),
    "pipelining": (rb"\AGET.*GET", OK),
}
"""A pattern of the message that the site answers wrongly, and its answer."""

ALL = {check.id for check in conformance.find_checks()}
