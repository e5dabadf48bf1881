"""OAI-PMH, SRU and reconciliation, where the site has them."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from lxml import etree

from tests.site.site import FORM, HTML, ORIGIN, Site

pytestmark = pytest.mark.server

OAI = "{http://www.openarchives.org/OAI/2.0/}"
IDENTIFY = "repositoryName baseURL protocolVersion adminEmail earliestDatestamp deletedRecord granularity"
ERRORS = {
    "badVerb": "verb=Nothing",
    "badArgument": "verb=ListRecords",
    "cannotDisseminateFormat": "verb=ListRecords&metadataPrefix=nothing",
    "idDoesNotExist": "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:nowhere:nothing",
    "badResumptionToken": "verb=ListRecords&resumptionToken=nothing",
    "noRecordsMatch": "verb=ListRecords&metadataPrefix=oai_dc&until=1850-01-01",
}


def oai(site: Site, arguments: str) -> etree._Element:
    response = site.follow(f"{site.url}oai?{arguments}")
    if response.status == 404:
        site.lacks("OAI-PMH")
    assert (response.status, response.media_type) in ((200, "text/xml"), (200, "application/xml"))
    root = etree.fromstring(response.body)
    assert root.tag == f"{OAI}OAI-PMH"
    assert root.find(f"{OAI}responseDate") is not None
    assert root.find(f"{OAI}request") is not None
    return root


def test_identify_is_complete(site: Site) -> None:
    """OAI-PMH 2.0, 4.2."""
    found = oai(site, "verb=Identify")
    assert all(found.findtext(f"{OAI}Identify/{OAI}{name}") for name in IDENTIFY.split())


def test_records_have_dates_and_metadata_in_dublin_core(site: Site) -> None:
    """OAI-PMH 2.0, 4.1, 4.4 and 4.5."""
    assert "oai_dc" in [each.text for each in oai(site, "verb=ListMetadataFormats").iter(f"{OAI}metadataPrefix")]
    records = list(oai(site, "verb=ListRecords&metadataPrefix=oai_dc").iter(f"{OAI}record"))
    assert records
    for record in records:
        header = record.find(f"{OAI}header")
        assert header is not None
        assert re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", header.findtext(f"{OAI}datestamp") or "")
        assert record.find(f"{OAI}metadata") is not None or header.get("status") == "deleted"
    identifier = oai(site, "verb=ListIdentifiers&metadataPrefix=oai_dc").findtext(f".//{OAI}identifier") or ""
    root = oai(site, f"verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(identifier, safe='')}")
    assert root.findtext(f".//{OAI}header/{OAI}identifier") == identifier


def test_a_resumption_token_gives_the_next_page_twice(site: Site) -> None:
    """OAI-PMH 2.0, 3.5."""
    first = oai(site, "verb=ListRecords&metadataPrefix=oai_dc")
    token = first.findtext(f".//{OAI}resumptionToken") or site.lacks("second page")
    pages = [first, *(oai(site, f"verb=ListRecords&resumptionToken={quote(token, safe='')}") for _ in range(2))]
    one, two, again = ({each.text for each in page.iter(f"{OAI}identifier")} for page in pages)
    assert two == again
    assert two
    assert not two & one


@pytest.mark.parametrize("code", ERRORS)
def test_errors_have_their_codes_with_status_200(site: Site, code: str) -> None:
    """OAI-PMH 2.0, 3.6. A date before the earliest one may be a badArgument, too."""
    found = [each.get("code") for each in oai(site, ERRORS[code]).findall(f"{OAI}error")]
    assert code in found or (code == "noRecordsMatch" and found == ["badArgument"])


def sru(site: Site, arguments: str) -> etree._Element:
    response = site.follow(f"{site.url}sru?{arguments}")
    if response.status == 404:
        site.lacks("SRU")
    assert (response.status, response.media_type) in ((200, "text/xml"), (200, "application/xml"))
    return etree.fromstring(response.body)


def test_explain_names_schemas_in_which_records_are_retrieved(site: Site) -> None:
    """SRU 1.2, explain and searchRetrieve."""
    schemas = [each.get("name") for each in sru(site, "version=1.2&operation=explain").iter("{*}schema")]
    assert "marcxml" in schemas or "mods" in schemas
    for schema in schemas:
        arguments = (
            f"version=1.2&operation=searchRetrieve&query=cql.allRecords=1&maximumRecords=2&recordSchema={schema}"
        )
        found = sru(site, arguments)
        assert found.tag == "{http://www.loc.gov/zing/srw/}searchRetrieveResponse"
        assert int(found.findtext("{*}numberOfRecords") or 0) > 0
        assert [each.text for each in found.iter("{*}recordPosition")] == ["1", "2"]


def test_a_scan_lists_terms_that_find_publications(site: Site) -> None:
    """SRU 1.2, scan."""
    terms = list(sru(site, "version=1.2&operation=scan&scanClause=dc.title&maximumTerms=3").iter("{*}term"))
    assert terms
    for term in terms:
        query = quote(f'dc.title adj "{term.findtext("{*}value")}"', safe="")
        found = sru(site, f"version=1.2&operation=searchRetrieve&maximumRecords=0&query={query}")
        assert int(found.findtext("{*}numberOfRecords") or 0) > 0


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ("version=1.2&operation=nothing", 4),
        ("version=0.9&operation=explain", 5),
        ("version=1.2&operation=searchRetrieve", 7),
        ("version=1.2&operation=searchRetrieve&query=a%20b", 10),
        ("version=1.2&operation=searchRetrieve&query=dc.nothing=1", 16),
        ("version=1.2&operation=searchRetrieve&query=cql.allRecords=1&recordSchema=nothing", 66),
    ],
)
def test_faults_have_their_diagnostics_with_status_200(site: Site, arguments: str, number: int) -> None:
    """SRU 1.2, diagnostics."""
    assert f"info:srw/diagnostic/1/{number}" in [each.text for each in sru(site, arguments).iter("{*}uri")]


# -- reconciliation (Reconciliation API 0.2, 4 to 8) -----------------------------------------------------------------


@cache
def manifest(site: Site) -> dict[str, Any]:
    response = site.get(f"{site.url}reconcile", "application/json", ORIGIN)
    if response.status != 200 or "identifierSpace" not in response.json:
        site.lacks("reconciliation")
    assert response.header("access-control-allow-origin") in ("*", ORIGIN[1])
    return dict(response.json)


def ask(site: Site, name: str, value: object) -> dict[str, Any]:
    manifest(site)
    headers = (("Content-Type", FORM), ("Accept", "application/json"))
    return dict(site.send("POST", f"{site.url}reconcile", headers, urlencode({name: json.dumps(value)}).encode()).json)


def title(site: Site) -> str:
    return site.rdf.triples.objects(site.thing, "dcterms:title", "rdfs:label", "skos:prefLabel")[0]


def candidates(site: Site) -> list[dict[str, Any]]:
    return list(ask(site, "queries", {"q0": {"query": title(site), "limit": 5}})["q0"]["result"])


def test_the_manifest_is_complete(site: Site) -> None:
    assert {"versions", "name", "identifierSpace", "schemaSpace"} <= manifest(site).keys()
    assert "0.2" in manifest(site)["versions"]


def test_a_title_finds_its_thing_and_scores_are_sorted(site: Site) -> None:
    found = candidates(site)
    assert found
    assert all({"id", "name", "score"} <= each.keys() for each in found)
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    batch = ask(site, "queries", {"a": {"query": title(site)}, "b": {"query": "zzzzqqqq no such name"}})
    assert set(batch) == {"a", "b"}
    assert isinstance(batch["b"]["result"], list)


@pytest.mark.parametrize("kind", ["entity", "type", "property"])
def test_suggestions_have_ids_and_names(site: Site, kind: str) -> None:
    service = manifest(site).get("suggest", {}).get(kind) or site.lacks(f"suggestions of kind {kind}")
    prefix = title(site)[:4] if kind == "entity" else "p"
    url = site.address(service["service_url"] + service.get("service_path", ""))
    response = site.follow(f"{url}?{urlencode({'prefix': prefix})}", "application/json")
    assert response.status == 200
    assert all({"id", "name"} <= each.keys() for each in response.json["result"])


def test_things_have_a_preview_and_are_extended(site: Site) -> None:
    preview = manifest(site).get("preview") or site.lacks("preview")
    thing = str(candidates(site)[0]["id"])
    page = site.follow(site.address(preview["url"].replace("{{id}}", quote(thing, safe=""))))
    assert (page.status, page.media_type) == (200, HTML)
    extended = ask(site, "extend", {"ids": [thing], "properties": []})
    assert "meta" in extended
    assert thing in extended["rows"]
