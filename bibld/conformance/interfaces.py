"""OAI-PMH, Triple Pattern Fragments and reconciliation, where the site has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import msgspec
from lxml import etree

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import HTML, Site
from bibld.conformance.triples import FORMATS, Triples, text_of
from bibld.conformance.web import Answer
from bibld.model.foreign_xml import parse_xml

_OAI, _TPF, _RECONCILE = "OAI-PMH 2.0", "Triple Pattern Fragments", "Reconciliation API 0.2"
_NS = "{http://www.openarchives.org/OAI/2.0/}"
_HYDRA = "http://www.w3.org/ns/hydra/core#"
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")
_FORM = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))


# -- OAI-PMH -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _oai_url(site: Site) -> str:
    if site.subject.oai:
        return site.subject.oai
    url = urljoin(site.url, "oai")
    answer = site.client.follow(f"{url}?verb=Identify")
    if answer.status != 200 or b"<OAI-PMH" not in answer.body[:4000]:
        raise NotApplicableError(f"no OAI-PMH at {url}; name its address with --oai URL")
    return url


def _oai(site: Site, arguments: str) -> etree._Element:
    answer = site.client.follow(f"{_oai_url(site)}?{arguments}")
    if answer.status != 200 or answer.media_type not in ("text/xml", "application/xml"):
        raise FailedError(f"{arguments}: {answer}")
    try:
        root = parse_xml(answer.body)
    except etree.XMLSyntaxError as error:
        raise FailedError(f"{arguments}: {error}") from error
    if root.tag != f"{_NS}OAI-PMH" or root.find(f"{_NS}responseDate") is None or root.find(f"{_NS}request") is None:
        raise FailedError(f"{arguments}: the answer is no OAI-PMH response")
    return root


def _error(site: Site, arguments: str) -> str:
    return ", ".join(str(each.get("code")) for each in _oai(site, arguments).findall(f"{_NS}error"))


def _identify(site: Site) -> Outcome:
    found = _oai(site, "verb=Identify").find(f"{_NS}Identify")
    names = (
        "repositoryName",
        "baseURL",
        "protocolVersion",
        "adminEmail",
        "earliestDatestamp",
        "deletedRecord",
        "granularity",
    )
    missing = [name for name in names if found is None or not found.findtext(f"{_NS}{name}")]
    return expect(not missing, f"missing: {', '.join(missing)}" if missing else "complete")


def _formats(site: Site) -> Outcome:
    prefixes = [str(each.text) for each in _oai(site, "verb=ListMetadataFormats").iter(f"{_NS}metadataPrefix")]
    return expect("oai_dc" in prefixes, ", ".join(prefixes))


def _records(site: Site) -> Outcome:
    root = _oai(site, "verb=ListRecords&metadataPrefix=oai_dc")
    headers = list(root.iter(f"{_NS}header"))
    dates = [each.findtext(f"{_NS}datestamp") or "" for each in headers]
    with_data = all(each.find(f"{_NS}metadata") is not None or _is_deleted(each) for each in root.iter(f"{_NS}record"))
    is_right = bool(headers) and all(_DATE.fullmatch(date) for date in dates) and with_data
    return expect(is_right, f"{len(headers)} records, {max(dates, default='none')}")


def _is_deleted(record: etree._Element) -> bool:
    header = record.find(f"{_NS}header")
    return header is not None and header.get("status") == "deleted"


def _get_record(site: Site) -> Outcome:
    first = _oai(site, "verb=ListIdentifiers&metadataPrefix=oai_dc").findtext(f".//{_NS}identifier")
    if not first:
        raise FailedError("ListIdentifiers has no identifier")
    root = _oai(site, f"verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(first, safe='')}")
    return expect(root.findtext(f".//{_NS}header/{_NS}identifier") == first, first)


def _resumption(site: Site) -> Outcome:
    root = _oai(site, "verb=ListRecords&metadataPrefix=oai_dc")
    token = root.findtext(f".//{_NS}resumptionToken")
    if not token:
        raise NotApplicableError("the list has one page")
    first = {each.text for each in root.iter(f"{_NS}identifier")}
    pages = [_oai(site, f"verb=ListRecords&resumptionToken={quote(token, safe='')}") for _ in range(2)]
    seen = [{each.text for each in page.iter(f"{_NS}identifier")} for page in pages]
    is_right = bool(seen[0]) and seen[0] == seen[1] and not seen[0] & first
    return expect(is_right, f"{len(first)} records, then {len(seen[0])}")


_ERRORS = {
    "badVerb": "verb=Nothing",
    "badArgument": "verb=ListRecords",
    "cannotDisseminateFormat": "verb=ListRecords&metadataPrefix=nothing",
    "idDoesNotExist": "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:nowhere:nothing",
    "badResumptionToken": "verb=ListRecords&resumptionToken=nothing",
    "noRecordsMatch": "verb=ListRecords&metadataPrefix=oai_dc&until=1850-01-01",
}


def _errors(site: Site) -> Outcome:
    wrong = [
        f"{arguments}: {found or 'no error'}"
        for code, arguments in _ERRORS.items()
        if code not in (found := _error(site, arguments)).split(", ") and not _may_differ(code, found)
    ]
    return expect(not wrong, "; ".join(wrong) or ", ".join(_ERRORS))


def _may_differ(code: str, found: str) -> bool:
    """``until`` before the earliest date is a badArgument too (3.2 of the implementation guidelines)."""
    return code == "noRecordsMatch" and found == "badArgument"


# -- Triple Pattern Fragments ----------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _fragments(site: Site) -> Triples:
    url = site.subject.fragments or urljoin(site.url, "fragments")
    answer = site.client.follow(url, "application/trig, text/turtle;q=0.9, application/n-quads;q=0.8")
    if answer.status != 200 or answer.media_type not in FORMATS:
        raise NotApplicableError(f"no fragments at {url}; name their address with --fragments URL")
    return Triples.from_answer(answer)


def _template(site: Site) -> str:
    templates = _fragments(site).objects(None, f"{_HYDRA}template")
    if not templates:
        raise FailedError("no hydra:template")
    return site.address(templates[0])


def _controls(site: Site) -> Outcome:
    template = _template(site)
    names = set(_fragments(site).objects(None, f"{_HYDRA}variable"))
    is_right = len(names) >= 3 and "{?" in template
    return expect(is_right, f"{template}: {', '.join(sorted(names))}")


def _pattern(site: Site, **terms: str) -> Triples:
    url = _template(site).partition("{")[0]
    answer = site.client.follow(f"{url}?{urlencode(terms)}", "application/trig, text/turtle;q=0.9")
    if answer.status != 200:
        raise FailedError(f"{answer.url}: {answer}")
    return Triples.from_answer(answer)


def _matches(site: Site) -> Outcome:
    """Of a pattern with a subject, the data are about it; the rest are metadata of the fragment."""
    own = [
        each
        for each in _fragments(site).triples
        if text_of(each.subject).startswith(site.base) and "fragments" not in text_of(each.subject)
    ]
    if not own:
        raise NotApplicableError("the first fragment has no data of the site")
    subject, predicate = text_of(own[0].subject), own[0].predicate.value
    found = _pattern(site, subject=subject, predicate=predicate)
    matching = [each for each in found.triples if (text_of(each.subject), each.predicate.value) == (subject, predicate)]
    return expect(bool(matching), f"{len(matching)} triples of {subject} {predicate}")


def _empty(site: Site) -> Outcome:
    found = _pattern(site, subject="urn:example:nothing")
    counts = found.objects(None, "void:triples") + found.objects(None, f"{_HYDRA}totalItems")
    return expect(bool(counts) and set(counts) == {"0"}, f"void:triples {', '.join(counts) or 'none'}")


def _estimate(site: Site) -> Outcome:
    counts = _fragments(site).objects(None, "void:triples") + _fragments(site).objects(None, f"{_HYDRA}totalItems")
    return expect(bool(counts) and all(each.isdecimal() for each in counts), ", ".join(counts) or "none")


def _next(site: Site) -> Outcome:
    found = _fragments(site).objects(None, f"{_HYDRA}next")
    if not found:
        raise NotApplicableError("the first fragment has one page")
    answer = site.follow_from(site.address(found[0]), "application/trig, text/turtle;q=0.9")
    return expect(answer.status == 200 and bool(Triples.from_answer(answer)), f"{found[0]}: {answer}")


# -- reconciliation --------------------------------------------------------------------------------------------------


def _json(answer: Answer) -> Any:  # noqa: ANN401
    try:
        return msgspec.json.decode(answer.body)
    except msgspec.DecodeError as error:
        raise FailedError(f"{answer.url}: {answer} is no JSON: {error}") from error


@lru_cache(maxsize=8)
def _service(site: Site) -> tuple[str, Any]:
    url = site.subject.reconcile or urljoin(site.url, "reconcile")
    answer = site.client.follow(url, "application/json")
    if answer.status != 200 or answer.media_type not in ("application/json", "application/ld+json"):
        raise NotApplicableError(f"no reconciliation at {url}; name its address with --reconcile URL")
    manifest = _json(answer)
    if not isinstance(manifest, dict) or "identifierSpace" not in manifest:
        raise NotApplicableError(f"no reconciliation at {url}; name its address with --reconcile URL")
    return url, manifest


def _manifest(site: Site) -> Outcome:
    manifest = _service(site)[1]
    missing = [name for name in ("versions", "name", "identifierSpace", "schemaSpace") if name not in manifest]
    is_right = not missing and "0.2" in manifest["versions"]
    return expect(
        is_right, f"missing: {', '.join(missing)}" if missing else f"{manifest['name']}, {manifest['versions']}"
    )


def _query(site: Site, queries: dict[str, dict[str, Any]]) -> Any:  # noqa: ANN401
    body = urlencode({"queries": msgspec.json.encode(queries).decode()}).encode()
    return _json(site.client.send("POST", _service(site)[0], _FORM, body))


def _label(site: Site) -> str:
    found = [
        value
        for name in ("dcterms:title", "rdfs:label", "skos:prefLabel")
        for value in site.triples.objects(site.thing, name)
    ]
    if not found:
        raise NotApplicableError(f"{site.thing} has no title")
    return found[0]


def _candidates(site: Site) -> list[dict[str, Any]]:
    answer = _query(site, {"q0": {"query": _label(site), "limit": 5}})
    try:
        return list(answer["q0"]["result"])
    except (KeyError, TypeError) as error:
        raise FailedError(f"no result of q0: {str(answer)[:100]}") from error


def _reconciles(site: Site) -> Outcome:
    found = _candidates(site)
    complete = all({"id", "name", "score"} <= each.keys() for each in found)
    return expect(
        bool(found) and complete, f"{_label(site)[:40]}: {', '.join(str(each.get('id')) for each in found[:3])}"
    )


def _sorted(site: Site) -> Outcome:
    scores = [float(each["score"]) for each in _candidates(site)]
    return expect(scores == sorted(scores, reverse=True), ", ".join(map(str, scores)))


def _batch(site: Site) -> Outcome:
    answer = _query(site, {"a": {"query": _label(site)}, "b": {"query": "zzzzqqqq no such name"}})
    is_right = isinstance(answer, dict) and set(answer) == {"a", "b"} and isinstance(answer["b"].get("result"), list)
    return expect(is_right, str(answer)[:80])


def _suggest(kind: str) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        service = _service(site)[1].get("suggest", {}).get(kind)
        if not service:
            raise NotApplicableError(f"the service suggests no {kind}")
        url = site.address(service["service_url"] + service.get("service_path", ""))
        prefix = _label(site)[:4] if kind == "entity" else "p"
        answer = site.client.follow(f"{url}?{urlencode({'prefix': prefix})}", "application/json")
        found = _json(answer)
        rows = found.get("result") if isinstance(found, dict) else None
        is_right = isinstance(rows, list) and all({"id", "name"} <= each.keys() for each in rows)
        return expect(answer.status == 200 and is_right, f"{len(rows or [])} for {prefix}")

    return run


def _preview(site: Site) -> Outcome:
    preview = _service(site)[1].get("preview")
    if not preview:
        raise NotApplicableError("the service has no preview")
    url = site.address(preview["url"].replace("{{id}}", quote(str(_candidates(site)[0]["id"]), safe="")))
    answer = site.client.follow(url)
    return expect(answer.status == 200 and answer.media_type == HTML, str(answer))


def _extend(site: Site) -> Outcome:
    extend = _service(site)[1].get("extend")
    if not extend:
        raise NotApplicableError("the service extends nothing")
    thing = str(_candidates(site)[0]["id"])
    body = urlencode({"extend": msgspec.json.encode({"ids": [thing], "properties": []}).decode()}).encode()
    answer = _json(site.client.send("POST", _service(site)[0], _FORM, body))
    is_right = isinstance(answer, dict) and "meta" in answer and thing in answer.get("rows", {})
    return expect(is_right, str(answer)[:80])


def _cross_origin(site: Site) -> Outcome:
    answer = site.client.follow(_service(site)[0], "application/json", (("Origin", "https://other.example.org"),))
    value = answer.header("access-control-allow-origin")
    return expect(value in ("*", "https://other.example.org"), f"Access-Control-Allow-Origin: {value or 'none'}")


CHECKS = (
    Check("oai-identify", "Identify is complete", f"{_OAI}, 4.2", _identify),
    Check("oai-formats", "oai_dc is among the formats", f"{_OAI}, 4.4", _formats),
    Check("oai-records", "ListRecords has records with dates", f"{_OAI}, 4.5", _records),
    Check("oai-get-record", "GetRecord gives what ListIdentifiers names", f"{_OAI}, 4.1", _get_record),
    Check("oai-resumption", "a resumption token gives the next page, twice", f"{_OAI}, 3.5", _resumption),
    Check("oai-errors", "errors have their codes, with status 200", f"{_OAI}, 3.6", _errors),
    Check("tpf-controls", "fragments have a form for patterns", f"{_TPF}, 4", _controls),
    Check("tpf-estimate", "… and the number of their triples", f"{_TPF}, 3", _estimate),
    Check("tpf-matches", "a pattern gives its triples", f"{_TPF}, 3", _matches),
    Check("tpf-empty", "a pattern without triples gives 0", f"{_TPF}, 3", _empty),
    Check("tpf-next", "hydra:next leads on", f"{_TPF}, 3", _next),
    Check("reconcile-manifest", "the manifest is complete", f"{_RECONCILE}, 4", _manifest),
    Check("reconcile-query", "a title finds its thing", f"{_RECONCILE}, 5", _reconciles),
    Check("reconcile-sorted", "scores are sorted", f"{_RECONCILE}, 5.3", _sorted),
    Check("reconcile-batch", "each query of a batch has its result", f"{_RECONCILE}, 5.2", _batch),
    Check("reconcile-suggest-entity", "entities are suggested", f"{_RECONCILE}, 6.1", _suggest("entity")),
    Check("reconcile-suggest-type", "types are suggested", f"{_RECONCILE}, 6.1", _suggest("type")),
    Check("reconcile-suggest-property", "properties are suggested", f"{_RECONCILE}, 6.1", _suggest("property")),
    Check("reconcile-preview", "the preview is HTML", f"{_RECONCILE}, 7", _preview),
    Check("reconcile-extend", "data are extended", f"{_RECONCILE}, 8", _extend),
    Check("reconcile-cors", "scripts of other sites may ask", f"{_RECONCILE}, 3", _cross_origin),
)
