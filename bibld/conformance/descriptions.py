"""Descriptions of the dataset: VoID, DCAT, the sitemap and robots.txt, and whether they are true."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from urllib.parse import urljoin
from xml.sax.saxutils import unescape

import msgspec
import pyoxigraph as ox
import zstandard

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import Site
from bibld.conformance.triples import FORMATS, Triples
from bibld.conformance.web import Answer, unpack_gzip

_DCAT = "DCAT 3"
_SITEMAPS = "sitemaps.org protocol"
_MOST_DUMPS = 6
_SMALL = 8 << 20
"""Bytes: a dump that is no larger is downloaded and counted."""
_MOST_UNPACKED = 512 << 20
_MOST_URLS = 50_000


# -- VoID ----------------------------------------------------------------------------------------------------------


def _well_known(site: Site) -> Outcome:
    answer = site.client.follow(site.root(".well-known/void"), "text/turtle")
    return expect(answer.status == 200 and answer.media_type in FORMATS, f"{answer.url}: {answer}")


def _dataset(site: Site) -> Outcome:
    found = Triples.from_answer(site.void_answer).instances("void:Dataset")
    return expect(bool(found), ", ".join(found[:3]) or "no void:Dataset")


def _has(*names: str) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        found = [value for name in names for value in site.void.objects(site.dataset, name)]
        return expect(bool(found), found[0][:100] if found else f"{site.dataset} has no {' or '.join(names)}")

    return run


def _space(site: Site) -> Outcome:
    spaces = site.void.objects(site.dataset, "void:uriSpace")
    if not spaces:
        raise NotApplicableError("no void:uriSpace")
    outside = [each for each in site.examples if not each.startswith(tuple(spaces))]
    return expect(
        not outside, f"outside {spaces[0]}: {', '.join(outside)}" if outside else f"all examples in {spaces[0]}"
    )


def _examples(site: Site) -> Outcome:
    found = site.void.objects(None, "void:exampleResource")
    return expect(bool(found), found[0] if found else "no void:exampleResource")


def _numbers(site: Site) -> Outcome:
    # Counts are not negative, and partitions are not larger than the dataset.
    wrong = []
    described = _described(site, "void:propertyPartition")
    for name in ("triples", "entities", "distinctSubjects", "properties", "classes", "documents"):
        for value in site.void.objects(None, f"void:{name}"):
            if not value.isdecimal():
                wrong.append(f"void:{name} {value}")
        if len(set(site.void.objects(described, f"void:{name}"))) > 1:
            wrong.append(f"void:{name} has more than one value")
    triples = _count(site, "void:triples", described)
    parts = site.void.objects(described, "void:propertyPartition")
    numbers = [int(value) for part in parts for value in site.void.objects(part, "void:triples") if value.isdecimal()]
    if triples is not None and numbers and sum(numbers) > triples:
        wrong.append(f"property partitions have {sum(numbers)} triples, the dataset {triples}")
    return expect(not wrong, "; ".join(wrong) or f"{triples} triples, {len(parts)} property partitions")


def _described(site: Site, name: str) -> str:
    """Return the dataset, or the part of it, that has a property."""
    parts = [site.dataset, *site.void.objects(site.dataset, "void:subset")]
    return next((part for part in parts if site.void.objects(part, name)), site.dataset)


def _count(site: Site, name: str, dataset: str = "") -> int | None:
    values = site.void.objects(dataset or _described(site, name), name)
    return int(values[0]) if values and values[0].isdecimal() else None


def _linksets(site: Site) -> Outcome:
    sets = site.void.instances("void:Linkset")
    if not sets:
        raise NotApplicableError("no void:Linkset")
    wanted = ("void:linkPredicate", "void:subjectsTarget")
    wrong = [f"{each} has no {name}" for each in sets for name in wanted if not site.void.objects(each, name)]
    return expect(not wrong, "; ".join(wrong[:3]) or f"{len(sets)} link sets")


# -- dumps ---------------------------------------------------------------------------------------------------------


def _dumps(site: Site) -> list[str]:
    found = sorted(set(site.void.objects(None, "void:dataDump")))
    if not found:
        raise NotApplicableError("no void:dataDump")
    return [site.address(each) for each in found[:_MOST_DUMPS]]


def _dumps_exist(site: Site) -> Outcome:
    heads = {url: site.client.send("HEAD", url) for url in _dumps(site)}
    wrong = [f"{url}: {head}" for url, head in heads.items() if head.status != 200]
    return expect(not wrong, "; ".join(wrong) or f"{len(heads)} dumps")


def _dumps_ranges(site: Site) -> Outcome:
    # An interrupted download can be continued.
    url = _dumps(site)[0]
    answer = site.client.get(url, None, (("Range", "bytes=0-9"),))
    if answer.status == 200:
        raise NotApplicableError("the server answers no ranges")
    is_right = (
        answer.status == 206 and len(answer.body) == 10 and answer.header("content-range").startswith("bytes 0-9/")
    )
    return expect(is_right, f"{answer}, {len(answer.body)} bytes, Content-Range: {answer.header('content-range')}")


def _dumps_count(site: Site) -> Outcome:
    # Each dataset or subset with dumps is counted with them. The dumps may be one in many formats, or parts; so the
    # different triples of all of one dataset are counted.
    _dumps(site)
    details: list[str] = []
    for owner in site.void.subjects("void:dataDump"):
        stated = _count(site, "void:triples", owner)
        addresses = [site.address(each) for each in site.void.objects(owner, "void:dataDump")]
        addresses = [url for url in addresses if _format_of(url) is not None]
        if stated is None or not addresses or len(addresses) > _MOST_DUMPS or len(details) == _MOST_DUMPS:
            continue
        found: set[ox.Quad] = set()
        for url in addresses:
            length = site.client.send("HEAD", url).header("content-length")
            if not length.isdecimal() or int(length) > _SMALL:
                raise NotApplicableError(f"{url} has {length or 'an unknown number of'} bytes")
            found.update(_quads(site.client.get(url)))
        default = sum(isinstance(quad.graph_name, ox.DefaultGraph) for quad in found)
        detail = f"{owner}: {len(found)} quads, {default} in the default graph; stated: {stated}"
        if stated not in (len(found), len({quad.triple for quad in found}), default):
            return expect(False, detail)
        details.append(detail)
    if not details:
        raise NotApplicableError("no dataset states void:triples and has a dump in N-Triples or N-Quads")
    return expect(True, "; ".join(details))


def _format_of(url: str) -> ox.RdfFormat | None:
    name = re.sub(r"\.(gz|zst)$", "", url.partition("?")[0])
    kind = ox.RdfFormat.from_extension(name.rpartition(".")[2])
    return kind if kind in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS) else None


def _quads(answer: Answer) -> list[ox.Quad]:
    """Return the quads of a dump."""
    kind = _format_of(answer.url)
    if answer.status != 200 or kind is None:
        raise FailedError(f"{answer.url}: {answer}")
    try:
        return list(ox.parse(_unpacked(answer), format=kind))
    except (OSError, EOFError, SyntaxError, zstandard.ZstdError) as error:
        raise FailedError(f"{answer.url} cannot be read: {error}") from error


def _unpacked(answer: Answer) -> bytes:
    if answer.body.startswith(b"\x1f\x8b"):
        return unpack_gzip(answer.body)
    if answer.body.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().stream_reader(answer.body).read(_MOST_UNPACKED)
    return answer.body


def _endpoint_count(counted: str, name: str) -> Callable[[Site], Outcome]:
    """Return a check of a count of the dataset; ``counted`` is an expression over ``?s ?p ?o``.

    An endpoint whose default graph is the union of all graphs (sd:UnionDefaultGraph) counts more than the dataset
    has; there the triples outside named graphs are counted too.
    """

    def run(site: Site) -> Outcome:
        stated = _count(site, name)
        if stated is None:
            raise NotApplicableError(f"the dataset states no {name}")
        number = _ask_number(site, f"SELECT ({counted} AS ?n) WHERE {{ ?s ?p ?o }}")
        if number > stated:
            outside = "FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } }"
            number = _ask_number(site, f"SELECT ({counted} AS ?n) WHERE {{ ?s ?p ?o {outside} }}")
        return expect(number == stated, f"stated {stated}, the endpoint counts {number}")

    return run


def _ask_number(site: Site, query: str) -> int:
    body = query.encode()
    headers = (("Content-Type", "application/sparql-query"), ("Accept", "application/sparql-results+json"))
    answer = site.client.send("POST", site.endpoint, headers, body)
    try:
        (row,) = msgspec.json.decode(answer.body)["results"]["bindings"]
        return int(next(iter(row.values()))["value"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise NotApplicableError(f"the endpoint does not count: {answer}") from error


def _partition(site: Site) -> Outcome:
    # The count of the smallest property partition, which is cheap to query.
    found = [
        (int(count), name)
        for part in site.void.objects(_described(site, "void:propertyPartition"), "void:propertyPartition")
        for name in site.void.objects(part, "void:property")
        for count in site.void.objects(part, "void:triples")
        if count.isdecimal()
    ]
    if not found:
        raise NotApplicableError("no void:propertyPartition")
    stated, name = min(found)
    counted = _ask_number(site, f"SELECT (COUNT(*) AS ?n) WHERE {{ ?s <{name}> ?o }}")
    return expect(counted == stated, f"{name}: stated {stated}, the endpoint counts {counted}")


def _class(site: Site) -> Outcome:
    found = [
        (int(count), name)
        for part in site.void.objects(_described(site, "void:classPartition"), "void:classPartition")
        for name in site.void.objects(part, "void:class")
        for count in site.void.objects(part, "void:entities")
        if count.isdecimal()
    ]
    if not found:
        raise NotApplicableError("no void:classPartition")
    stated, name = min(found)
    counted = _ask_number(site, f"SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ ?s a <{name}> }}")
    return expect(counted == stated, f"{name}: stated {stated}, the endpoint counts {counted}")


# -- DCAT ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _dcat(site: Site) -> Triples:
    # The description in DCAT: at the address that was named, in VoID, at a usual address, or linked from these.
    if site.subject.dcat:
        return Triples.from_answer(site.follow_from(site.subject.dcat, "text/turtle"))
    if site.has_class(site.void, "dcat:Catalog"):
        return site.void
    places = [
        link.target for link in site.links(site.void_answer) if link.relation in ("describedby", "alternate", "related")
    ]
    places += [site.address(each) for each in site.void.objects(site.dataset, "rdfs:seeAlso")]
    places += [site.address(each) for each in site.void.objects(site.dataset, "foaf:isPrimaryTopicOf")]
    places += [urljoin(site.url, name) for name in ("dcat.ttl", "dumps/dcat.ttl", "dcat", "catalog")]
    for place in dict.fromkeys(places):
        if not site.is_own(place):
            continue
        answer = site.follow_from(place, "text/turtle")
        if answer.status == 200 and answer.media_type in FORMATS:
            found = Triples.from_answer(answer)
            if site.has_class(found, "dcat:Catalog"):
                return found
    raise NotApplicableError(f"no DCAT at {', '.join(places)}; name its address with --dcat URL")


def _dcat_found(site: Site) -> Outcome:
    try:
        found = _dcat(site)
    except NotApplicableError as error:
        raise FailedError(str(error)) from error
    return expect(
        bool(found.instances("dcat:Dataset")), ", ".join(found.instances("dcat:Dataset")[:2]) or "no dcat:Dataset"
    )


def _dcat_required(site: Site) -> Outcome:
    found = _dcat(site)
    wrong = [
        f"{each} has no {name}"
        for kind, names in (
            ("dcat:Catalog", ("dcterms:title", "dcterms:description", "dcterms:publisher")),
            ("dcat:Dataset", ("dcterms:title", "dcterms:description")),
            ("dcat:Distribution", ("dcat:accessURL",)),
            ("dcat:DataService", ("dcat:endpointURL", "dcterms:title")),
        )
        for each in found.instances(kind)
        for name in names
        if not found.objects(each, name)
    ]
    return expect(not wrong, "; ".join(wrong[:4]) or "titles, descriptions, publishers and addresses")


def _distributions(site: Site) -> list[tuple[str, str, Triples]]:
    found = _dcat(site)
    urls = [
        (each, url) for each in found.instances("dcat:Distribution") for url in found.objects(each, "dcat:downloadURL")
    ]
    if not urls:
        raise NotApplicableError("no dcat:Distribution with dcat:downloadURL")
    return [(each, site.address(url), found) for each, url in sorted(urls)[: 2 * _MOST_DUMPS]]


def _downloads(site: Site) -> Outcome:
    asked = [(url, site.client.send("HEAD", url)) for _, url, _ in _distributions(site)]
    wrong = [f"{url}: {head}" for url, head in asked if head.status != 200]
    return expect(not wrong, "; ".join(wrong) or f"{len(asked)} downloads")


def _sizes(site: Site) -> Outcome:
    wrong, checked = [], 0
    for each, url, found in _distributions(site):
        length = site.client.send("HEAD", url).header("content-length")
        for stated in found.objects(each, "dcat:byteSize"):
            checked += 1
            if length != stated.partition(".")[0]:
                wrong.append(f"{url}: stated {stated}, Content-Length {length or 'none'}")
    if not checked:
        raise NotApplicableError("no dcat:byteSize")
    return expect(not wrong, "; ".join(wrong[:3]) or f"{checked} sizes")


def _checksums(site: Site) -> Outcome:
    wrong, checked = [], 0
    for each, url, found in _distributions(site):
        for checksum in found.objects(each, "http://spdx.org/rdf/terms#checksum"):
            stated = found.objects(checksum, "http://spdx.org/rdf/terms#checksumValue")
            length = site.client.send("HEAD", url).header("content-length")
            if not stated or len(stated[0]) != 64 or not length.isdecimal() or int(length) > _SMALL:
                continue
            checked += 1
            if hashlib.sha256(site.client.get(url).body).hexdigest() != stated[0].lower():
                wrong.append(url)
    if not checked:
        raise NotApplicableError(f"no spdx:checksum (SHA-256) of a file of {_SMALL >> 20} MiB or less")
    return expect(not wrong, f"differ: {', '.join(wrong)}" if wrong else f"{checked} checksums")


def _service(site: Site) -> Outcome:
    found = _dcat(site)
    services = [url for each in found.instances("dcat:DataService") for url in found.objects(each, "dcat:endpointURL")]
    if not services:
        raise NotApplicableError("no dcat:DataService")
    is_named = site.endpoint in [site.address(each) for each in services]
    return expect(is_named, f"VoID: {site.endpoint}; DCAT: {', '.join(services[:3])}")


# -- for crawlers --------------------------------------------------------------------------------------------------


def _robots(site: Site) -> Outcome:
    answer = site.client.follow(site.root("robots.txt"))
    if answer.status == 404:
        raise NotApplicableError("no robots.txt: crawlers may fetch all")
    return expect(answer.status == 200 and answer.media_type == "text/plain", str(answer))


def _sitemaps(site: Site) -> list[str]:
    answer = site.client.follow(site.root("robots.txt"))
    found = (
        re.findall(r"(?im)^sitemap:\s*(\S+)", answer.body.decode("utf-8", "replace")) if answer.status == 200 else []
    )
    if not found:
        raise NotApplicableError("robots.txt names no sitemap")
    return [site.address(each) for each in found]


def _read_sitemap(site: Site, url: str) -> tuple[list[str], list[str]]:
    """Return the addresses and dates of a sitemap or an index of sitemaps."""
    answer = site.client.follow(url)
    if answer.status != 200:
        raise FailedError(f"{url}: {answer}")
    try:
        text = _unpacked(answer).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FailedError(f"{url} cannot be read: {error}") from error
    places = [unescape(each) for each in re.findall(r"<loc>\s*([^<]+?)\s*</loc>", text)]
    return places, re.findall(r"<lastmod>\s*([^<]+?)\s*</lastmod>", text)


def _maps(site: Site) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield up to three sitemaps that contain pages: address, addresses, dates."""
    for url in _sitemaps(site)[:1]:
        places, dates = _read_sitemap(site, url)
        inner = [site.address(each) for each in places if re.search(r"\.xml(\.gz)?$", each)]
        yield url, places, dates
        for each in inner[:2]:
            yield each, *_read_sitemap(site, each)


def _sitemap_sizes(site: Site) -> Outcome:
    sizes = {url: len(places) for url, places, _ in _maps(site)}
    return expect(
        all(0 < size <= _MOST_URLS for size in sizes.values()),
        ", ".join(f"{url} {size}" for url, size in sizes.items()),
    )


def _sitemap_dates(site: Site) -> Outcome:
    dates = [date for _, _, found in _maps(site) for date in found]
    if not dates:
        raise NotApplicableError("no lastmod")
    wrong = [date for date in dates if not _is_w3c_date(date)]
    return expect(not wrong, f"not a W3C date: {wrong[0]}" if wrong else f"{len(dates)} dates, {max(dates)}")


def _is_w3c_date(text: str) -> bool:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" not in text or found.tzinfo is not None


def _sitemap_pages(site: Site) -> Outcome:
    *_, (url, places, _) = _maps(site)
    asked = places[:: max(1, len(places) // 3)][:3]
    wrong = [f"{each}: {found}" for each in asked if (found := site.follow_from(site.address(each))).status != 200]
    return expect(not wrong, "; ".join(wrong) or f"{len(asked)} addresses of {url} answer 200")


_COUNT = "COUNT(*)"
_SUBJECTS = "COUNT(DISTINCT ?s)"
_PROPERTIES = "COUNT(DISTINCT ?p)"

CHECKS = (
    Check("void-well-known", "/.well-known/void leads to a description", "VoID, 7.2", _well_known),
    Check("void-dataset", "it describes a void:Dataset", "VoID, 2", _dataset),
    Check("void-title", "the dataset has a title", "VoID, 2.2", _has("dcterms:title", "rdfs:label")),
    Check("void-license", "the dataset has a licence", "VoID, 2.4", _has("dcterms:license")),
    Check("void-publisher", "the dataset has a publisher", "VoID, 2.2", _has("dcterms:publisher", "dcterms:creator")),
    Check("void-vocabulary", "it names its vocabularies", "VoID, 4.3", _has("void:vocabulary")),
    Check("void-example", "it names examples", "VoID, 4.1", _examples),
    Check("void-space", "the examples are in its void:uriSpace", "VoID, 4.2", _space),
    Check("void-endpoint", "it names a SPARQL endpoint", "VoID, 3.1", _has("void:sparqlEndpoint")),
    Check("void-numbers", "its counts agree with each other", "VoID, 4.6", _numbers),
    Check("void-linksets", "its link sets are complete", "VoID, 5", _linksets),
    Check(
        "void-triples",
        "void:triples is what the endpoint counts",
        "VoID, 4.6",
        _endpoint_count(_COUNT, "void:triples"),
    ),
    Check(
        "void-subjects",
        "void:distinctSubjects is what the endpoint counts",
        "VoID, 4.6",
        _endpoint_count(_SUBJECTS, "void:distinctSubjects"),
    ),
    Check(
        "void-properties",
        "void:properties is what the endpoint counts",
        "VoID, 4.6",
        _endpoint_count(_PROPERTIES, "void:properties"),
    ),
    Check("void-property", "a property partition is what the endpoint counts", "VoID, 4.5", _partition),
    Check("void-class", "a class partition is what the endpoint counts", "VoID, 4.5", _class),
    Check("dumps-exist", "its dumps exist", "VoID, 3.3", _dumps_exist),
    Check("dumps-count", "small dumps have void:triples triples", "VoID, 4.6", _dumps_count),
    Check("dumps-ranges", "downloads of dumps can be continued", "RFC 9110, 14.2", _dumps_ranges),
    Check("dcat", "there is a description in DCAT", f"{_DCAT}, 6", _dcat_found),
    Check("dcat-required", "it has what DCAT-AP requires", "DCAT-AP 3, 4", _dcat_required),
    Check("dcat-downloads", "its downloads exist", f"{_DCAT}, 6.8.5", _downloads),
    Check("dcat-sizes", "their sizes are right", f"{_DCAT}, 6.8.8", _sizes),
    Check("dcat-checksums", "the checksums of small ones are right", f"{_DCAT}, 6.17", _checksums),
    Check("dcat-service", "it names the SPARQL endpoint", f"{_DCAT}, 6.9", _service),
    Check("robots", "robots.txt is a text", "RFC 9309, 2.3", _robots),
    Check("sitemap", "sitemaps have 1 to 50,000 addresses", _SITEMAPS, _sitemap_sizes),
    Check("sitemap-dates", "lastmod is a date", _SITEMAPS, _sitemap_dates),
    Check("sitemap-pages", "addresses of the sitemap answer", _SITEMAPS, _sitemap_pages),
)
