"""Dereferencing IRIs: which status, which document, and which addresses."""

from __future__ import annotations

import re
from urllib.parse import quote

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import HTML, Site
from bibld.conformance.web import Answer

_REDIRECT = 303
_MISSING = "no-such-thing-7f3a1c"
_TYPES = ("text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")
_MODS = "application/mods+xml"


def _status(site: Site) -> Outcome:
    answer = site.ask(site.rdf.media_type)
    if "#" in site.thing:
        return expect(answer.status == 200, f"hash IRI: {answer}")
    return expect(answer.status in (200, _REDIRECT), str(answer))


def _rdf(site: Site) -> Outcome:
    try:
        return expect(site.rdf.status == 200, f"{site.rdf.media_type} at {site.rdf.url}")
    except NotApplicableError as reason:
        raise FailedError(str(reason)) from reason


def _html(site: Site) -> Outcome:
    answer = site.follow(HTML)
    is_page = answer.status == 200 and answer.media_type in (HTML, "application/xhtml+xml")
    return expect(is_page and b"<" in answer.body, str(answer))


def _default(site: Site) -> Outcome:
    without, anything = site.follow(), site.follow("*/*")
    return expect(
        without.status == 200 and without.media_type == anything.media_type,
        f"no Accept: {without}; */*: {anything}",
    )


def _location(site: Site) -> Outcome:
    answer = site.ask("text/turtle")
    if answer.status // 100 != 3:
        raise NotApplicableError("the IRI answers without a redirect")
    location = answer.header("location")
    is_own = bool(location) and site.is_own(site.address(answer.location))
    return expect(is_own and location.isascii(), f"Location: {location or 'none'}")


def _each_example(site: Site) -> Outcome:
    asked = site.examples[:5]
    wrong = [f"{each}: {found}" for each in asked if (found := _example(site, each)).status != 200]
    return expect(not wrong, "; ".join(wrong) or f"200 for {len(asked)} of {len(site.examples)}")


def _example(site: Site, iri: str) -> Answer:
    return site.follow_from(site.address(iri), site.rdf.media_type)


def _unknown(site: Site) -> Outcome:
    answers = [site.follow_from(f"{address}-{_MISSING}") for address in (site.thing_url, site.rdf.url)]
    return expect(all(each.status == 404 for each in answers), ", ".join(map(str, answers)))


def _deleted(site: Site) -> Outcome:
    if not site.subject.deleted:
        raise NotApplicableError("name a deleted IRI with --deleted IRI")
    answers = [site.follow_from(site.address(site.subject.deleted), accept) for accept in (HTML, site.rdf.media_type)]
    return expect(all(each.status == 410 for each in answers), ", ".join(map(str, answers)))


def _escaped(site: Site) -> Outcome:
    # An unreserved character may be escaped: the address is the same (RFC 3986, 6.2.2.2).
    start = site.thing_url.index("/", len("https://"))
    letters = [
        found.start() for found in re.finditer(r"(?<!%)(?<!%\w)[A-Za-z]", site.thing_url[start:].partition("?")[0])
    ]
    if not letters:
        raise NotApplicableError("the address has no letter to escape")
    place = start + letters[-1]
    address = f"{site.thing_url[:place]}%{ord(site.thing_url[place]):02X}{site.thing_url[place + 1 :]}"
    answer = site.follow_from(address, site.rdf.media_type)
    return expect(answer.status == 200, f"{address}: {answer}")


def _non_ascii(site: Site) -> Outcome:
    answer = site.follow_from(site.url + quote("Война и мир"))
    return expect(answer.status == 404, str(answer))


def _bad_escapes(site: Site) -> Outcome:
    answers = [site.client.get(site.url + path) for path in ("%FF%FE", "%00", "%C3%28", "a%2Fb%2F..%2F..")]
    return expect(all(400 <= each.status < 500 for each in answers), ", ".join(map(str, answers)))


def _traversal(site: Site) -> Outcome:
    paths = ("..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/%2e%2e/etc/passwd")
    answers = [site.client.get(site.url + path) for path in paths]
    wrong = [each for each in answers if each.status < 300 or each.status >= 500 or b"root:" in each.body]
    return expect(not wrong, ", ".join(map(str, answers)))


def _long(site: Site) -> Outcome:
    answer = site.client.get(site.url + "x" * 20_000)
    return expect(400 <= answer.status < 500, str(answer))


def _query_string(site: Site) -> Outcome:
    # An unknown parameter changes nothing, or is refused; it is no error of the server.
    separator = "&" if "?" in site.rdf.url else "?"
    answer = site.follow_from(f"{site.rdf.url}{separator}utm_source=x%00%FF")
    return expect(answer.status < 500, str(answer))


def _type_check(media_type: str) -> Check:
    def run(site: Site) -> Outcome:
        answer = site.follow(media_type)
        if answer.status == 406 or (answer.status == 200 and answer.media_type != media_type):
            raise NotApplicableError(f"not offered: {answer}")
        return expect(answer.status == 200 and bool(answer.body), str(answer))

    name = media_type.partition("/")[2].partition("+")[0]
    return Check(f"type-{name}", f"{media_type} is sent with this media type", "RFC 9110, 8.3", run)


def _utf8(site: Site) -> Outcome:
    wrong = []
    for answer in (site.rdf, site.other):
        charset = re.search(r"charset=\"?([\w-]+)", answer.header("content-type"), re.IGNORECASE)
        if charset and charset[1].lower() not in ("utf-8", "us-ascii"):
            wrong.append(answer.header("content-type"))
        try:
            answer.body.decode()
        except UnicodeDecodeError as error:
            wrong.append(f"{answer.url}: byte {error.start}")
    return expect(not wrong, "; ".join(wrong) or "UTF-8")


CHECKS = (
    Check("deref-status", "the IRI of a thing answers 303, or 200", "Cool URIs for the Semantic Web, 4", _status),
    Check("deref-rdf", "the IRI leads to a document in RDF", "Linked Data Principles, 3", _rdf),
    Check("deref-html", "the IRI leads to a page for people", "Cool URIs for the Semantic Web, 3", _html),
    Check("deref-default", "no Accept means the same as */*", "RFC 9110, 12.5.1", _default),
    Check("deref-location", "Location is a valid address of the site", "RFC 9110, 10.2.2", _location),
    Check("deref-examples", "every example of the description can be dereferenced", "VoID, 3.2", _each_example),
    *(_type_check(media_type) for media_type in (*_TYPES, _MODS)),
    Check("charset", "texts are UTF-8", "RFC 9110, 8.3.2", _utf8),
    Check("unknown-404", "unknown IRIs answer 404", "RFC 9110, 15.5.5", _unknown),
    Check("deleted-410", "deleted IRIs answer 410", "RFC 9110, 15.5.11", _deleted),
    Check("iri-escaped", "an escaped letter names the same address", "RFC 3986, 6.2.2.2", _escaped),
    Check("iri-non-ascii", "unknown names outside ASCII answer 404", "RFC 3987, 3.1", _non_ascii),
    Check("iri-bad-escapes", "escapes that are not UTF-8 answer 4xx", "RFC 9110, 15.5", _bad_escapes),
    Check("path-traversal", "no path leads out of the site", "RFC 9110, 17.3", _traversal),
    Check("path-long", "a very long address answers 4xx", "RFC 9110, 15.5.15", _long),
    Check("query-string", "unknown parameters are no error of the server", "RFC 9110, 15.6", _query_string),
)
