"""What documents state: about the thing, about themselves, and their links."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import HTML, Link, Site
from bibld.conformance.triples import FORMATS, Triples, text_of
from bibld.model.rdf import expand

_LABELS = ("rdfs:label", "skos:prefLabel", "dcterms:title", "dc:title", "foaf:name", "schema:name")
_TOPICS = ("foaf:primaryTopic", "foaf:topic", "schema:about", "schema:mainEntity", "dcterms:subject")
_LICENSES = ("dcterms:license", "dcterms:rights", "schema:license")
_DATES = ("dcterms:modified", "dcterms:created", "dcterms:issued", "schema:dateModified", "schema:datePublished")
_SIGNPOSTING = "FAIR Signposting, level 1"
_LINK_IN_PAGE = re.compile(rb"<link\b[^>]*>", re.IGNORECASE)
_HREF = re.compile(rb"""href=["']?([^"'\s>]+)""", re.IGNORECASE)


def _parses(site: Site) -> Outcome:
    return expect(len(site.triples) > 0, f"{len(site.triples)} triples in {site.rdf.media_type}")


def _subject(site: Site) -> Outcome:
    statements = [each for each in site.triples.triples if text_of(each.subject) == site.thing]
    return expect(bool(statements), f"{len(statements)} statements about {site.thing}")


def _label(site: Site) -> Outcome:
    labels = [label for name in _LABELS for label in site.triples.objects(site.thing, name)]
    return expect(bool(labels), labels[0][:80] if labels else f"none of {', '.join(_LABELS)}")


def _type(site: Site) -> Outcome:
    kinds = site.triples.objects(site.thing, "rdf:type")
    return expect(bool(kinds), ", ".join(kinds[:3]) or "no rdf:type")


def _documents(site: Site) -> list[str]:
    found = [subject for name in _TOPICS for subject in site.triples.subjects(name, site.thing)]
    named = [each for answer in (site.rdf, site.ask(site.rdf.media_type)) for each in site.names(answer.url)]
    return [each for each in dict.fromkeys([*found, *named]) if each != site.thing]


def _document(site: Site) -> Outcome:
    found = [subject for name in _TOPICS[:4] for subject in site.triples.subjects(name, site.thing)]
    return expect(bool(found), found[0] if found else f"no {_TOPICS[0]} to {site.thing}")


def _license(site: Site) -> Outcome:
    about = [*_documents(site), site.thing]
    found = [value for each in about for name in _LICENSES for value in site.triples.objects(each, name)]
    return expect(bool(found), found[0] if found else "no dcterms:license of the document")


def _modified(site: Site) -> Outcome:
    about = _documents(site)
    found = [value for each in about for name in _DATES for value in site.triples.objects(each, name)]
    return expect(bool(found), found[0] if found else "no dcterms:modified of the document")


def _dataset(site: Site) -> Outcome:
    about = [*_documents(site), site.thing]
    names = ("void:inDataset", "dcterms:isPartOf", "schema:isPartOf", "skos:inScheme")
    found = [value for each in about for name in names for value in site.triples.objects(each, name)]
    return expect(bool(found), found[0] if found else "no void:inDataset of the document")


def _blank(site: Site) -> Outcome:
    # The same triples in another form: blank nodes have other names there, so only the number is compared.
    compared = []
    for media_type in FORMATS:
        answer = site.follow(media_type)
        if answer.status != 200 or answer.media_type != media_type:
            continue
        try:
            compared.append((media_type, len(set(Triples.from_answer(answer).triples))))
        except NotApplicableError:
            continue
    if len(compared) < 2:
        raise NotApplicableError("there is one form in RDF")
    return expect(
        len({number for _, number in compared}) == 1, ", ".join(f"{kind} {number}" for kind, number in compared)
    )


def _vocabulary(site: Site) -> Outcome:
    used = {each.predicate.value for each in site.triples.triples}
    used |= set(site.triples.objects(None, "rdf:type"))
    own = sorted(iri for iri in used if iri.startswith(site.base))
    if not own:
        raise NotApplicableError("the document uses no term of the site")
    answer = site.follow_from(site.address(own[0]), site.rdf.media_type)
    if answer.status != 200:
        return expect(is_right=False, seen=f"{own[0]}: {answer}")
    about = {text_of(each.subject) for each in Triples.from_answer(answer).triples}
    missing = [iri for iri in own if iri.partition("#")[0] == own[0].partition("#")[0] and iri not in about]
    return expect(not missing, f"not described: {', '.join(missing)}" if missing else f"{len(own)} terms, {own[0]} …")


def _outward(site: Site) -> Outcome:
    documents = set(_documents(site))
    targets = {
        text_of(each.object)
        for each in site.triples.triples
        if each.predicate.value != expand("rdf:type") and text_of(each.object).startswith("http")
    }
    other = sorted(each for each in targets - documents - {site.thing} if each != site.thing)
    return expect(bool(other), f"{len(other)} links, {other[0]} …" if other else "no links to other things")


def _linked(site: Site) -> Outcome:
    """IRIs of the site that the document links to answer too."""
    own = sorted(
        {
            iri
            for each in site.triples.triples
            for iri in (text_of(each.object),)
            if iri.startswith(site.base) and iri.partition("#")[0] != site.thing and " " not in iri
        }
    )
    if not own:
        raise NotApplicableError("the document links to nothing else of the site")
    asked = own[:: max(1, len(own) // 5)][:5]
    wrong = [
        f"{iri}: {found}"
        for iri in asked
        if (found := site.follow_from(site.address(iri), site.rdf.media_type)).status != 200
    ]
    return expect(not wrong, "; ".join(wrong) or f"{len(asked)} of {len(own)} answer 200")


def _relations(site: Site, relation: str) -> list[Link]:
    answers = (site.rdf, site.other, site.ask(site.rdf.media_type))
    return [link for answer in answers for link in site.links(answer) if link.relation == relation and link.target]


def _has_link(relation: str) -> Check:
    def run(site: Site) -> Outcome:
        found = _relations(site, relation)
        return expect(bool(found), found[0].target if found else f"no Link with rel={relation}")

    clause = "RFC 8288, 3" if relation == "alternate" else _SIGNPOSTING
    return Check(f"link-{relation}", f"a header Link names the relation {relation}", clause, run)


def _described_by(site: Site) -> Outcome:
    found = [link for link in _relations(site, "describedby") if site.is_own(link.target)]
    if not found:
        raise NotApplicableError("no Link with rel=describedby to this host")
    answer = site.follow_from(found[0].target, found[0].type or None)
    is_right = answer.status == 200 and found[0].type in ("", answer.media_type)
    return expect(is_right, f"{found[0].target}: {answer}")


def _links_parse(site: Site) -> Outcome:
    header = site.rdf.header("link")
    if not header:
        raise FailedError("no header Link")
    expected = len(re.findall(r"<[^>]*>", header))
    with_relation = {link.target for link in site.links(site.rdf)}
    return expect(bool(with_relation) and header.isascii(), f"{expected} links")


def _page_links(site: Site) -> Outcome:
    page = site.follow(HTML)
    if page.status != 200 or page.media_type != HTML:
        raise NotApplicableError("no page in HTML")
    found = [
        each
        for each in _LINK_IN_PAGE.findall(page.body)
        if b"alternate" in each and any(kind.encode() in each for kind in FORMATS)
    ]
    targets = [urljoin(page.url, match[1].decode("latin-1")) for each in found if (match := _HREF.search(each))]
    in_header = [link.target for link in site.links(page) if link.relation == "alternate" and link.type in FORMATS]
    return expect(bool(targets or in_header), (targets or in_header or ["no link to data"])[0])


def _page_foreign(site: Site) -> Outcome:
    # A page that loads nothing from other hosts works where those are blocked, and gives no reader away.
    page = site.follow(HTML)
    if page.status != 200 or page.media_type != HTML:
        raise NotApplicableError("no page in HTML")
    loads = re.findall(rb"""<(?:script|img|iframe)\b[^>]*\bsrc=["']?(https?://[^"'\s>]+)""", page.body, re.IGNORECASE)
    loads += [
        match[1]
        for each in _LINK_IN_PAGE.findall(page.body)
        if b"stylesheet" in each and (match := re.search(rb"""href=["']?(https?://[^"'\s>]+)""", each))
    ]
    foreign = [each.decode("latin-1") for each in loads if not site.is_own(each.decode("latin-1"))]
    return expect(not foreign, ", ".join(foreign[:3]) or "loads nothing from other hosts")


CHECKS = (
    Check("rdf-parses", "the document in RDF parses", "RDF 1.1 Turtle, 6", _parses),
    Check("rdf-subject", "the thing is a subject of it", "Linked Data Principles, 3", _subject),
    Check("rdf-label", "it has a label or title", "Best Practices for Publishing Linked Data, 7", _label),
    Check("rdf-type", "it has a class", "Best Practices for Publishing Linked Data, 6", _type),
    Check("rdf-forms-agree", "all forms contain the same number of triples", "RFC 9110, 3.2", _blank),
    Check("rdf-vocabulary", "terms of the site are described at their IRIs", "Best Practice Recipes, 1", _vocabulary),
    Check("rdf-links", "it links to other things", "Linked Data Principles, 4", _outward),
    Check("rdf-links-answer", "what it links to on the site answers", "Linked Data Principles, 2", _linked),
    Check("doc-topic", "the document states what it is about", "Cool URIs for the Semantic Web, 4.3", _document),
    Check("doc-license", "the document or thing has a licence", "Data on the Web Best Practices, 4", _license),
    Check("doc-modified", "the document has a date", "Data on the Web Best Practices, 7", _modified),
    Check("doc-dataset", "the document names its dataset", "VoID, 7.1", _dataset),
    Check("link-header", "the header Link can be parsed", "RFC 8288, 3", _links_parse),
    _has_link("alternate"),
    _has_link("describedby"),
    _has_link("license"),
    _has_link("cite-as"),
    _has_link("type"),
    Check("link-describedby-answers", "the description that it names answers", "RFC 8288, 3.3", _described_by),
    Check("page-links", "pages link to the data", "Best Practices for Publishing Linked Data, 8", _page_links),
    Check("page-loads", "pages load nothing from other hosts", "Data on the Web Best Practices, 35", _page_foreign),
)
