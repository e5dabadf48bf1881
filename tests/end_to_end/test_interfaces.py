"""OAI-PMH and reconciliation of the sample, asked as harvesters and clients do."""

from __future__ import annotations

import json

import httpx
import pytest
from lxml import etree
from sickle import Sickle

from bibld.parallel import batches

pytestmark = pytest.mark.server

OAI = "{http://www.openarchives.org/OAI/2.0/}"
FIRST = "oai:localhost:resource/rsl/01001325043"
DC = "{http://purl.org/dc/elements/1.1/}"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@pytest.fixture(scope="module")
def http(server):
    with httpx.Client(base_url=server, timeout=600) as client:
        yield client


@pytest.fixture(scope="module")
def ask(http):
    def ask(**arguments):
        answer = http.get("oai", params={name.rstrip("_"): value for name, value in arguments.items()})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/xml; charset=utf-8"
        return etree.fromstring(answer.content)

    return ask


def error(root):
    (found,) = root.findall(f"{OAI}error")
    return found.get("code")


def identifiers(root):
    return [each.text for each in root.iter(f"{OAI}identifier")]


@pytest.fixture(scope="module")
def every_record(server):
    return list(Sickle(f"{server}oai").ListRecords(metadataPrefix="oai_dc"))


# -- OAI-PMH -----------------------------------------------------------------------------------------------------------


def test_every_answer_has_the_envelope_of_the_protocol(ask):
    root = ask(verb="Identify")
    assert root.tag == f"{OAI}OAI-PMH"
    assert root.get(f"{XSI}schemaLocation").split()[0] == OAI.strip("{}")
    assert [each.tag for each in root] == [f"{OAI}responseDate", f"{OAI}request", f"{OAI}Identify"]
    assert root.findtext(f"{OAI}responseDate").endswith("Z")
    assert dict(root.find(f"{OAI}request").attrib) == {"verb": "Identify"}
    assert root.findtext(f"{OAI}request") == "http://localhost:8000/oai"


def test_identify_has_its_elements_in_the_order_of_the_schema(ask):
    (found,) = ask(verb="Identify").findall(f"{OAI}Identify")
    names = ["repositoryName", "baseURL", "protocolVersion", "adminEmail", "earliestDatestamp", "deletedRecord"]
    assert [each.tag.removeprefix(OAI) for each in found] == [*names, "granularity", "description"]
    assert found.findtext(f"{OAI}granularity") == "YYYY-MM-DDThh:mm:ssZ"
    assert found.findtext(f"{OAI}earliestDatestamp") == "2026-01-01T00:00:00Z"


def test_a_harvester_gets_every_publication_once(every_record, sample):
    from bibld.documents import open_published

    with open_published(sample.workspace, 1) as view:
        expected = {entry.path: entry.status for entry in view.entries("resource/")}
    found = {each.header.identifier.removeprefix("oai:localhost:"): each for each in every_record}
    assert len(every_record) == len(found)
    assert found.keys() == expected.keys()
    assert {path for path, each in found.items() if each.deleted} == {
        path for path in expected if expected[path] != 200
    }
    assert all(each.header.datestamp == "2026-01-01T00:00:00Z" for each in every_record)


def test_dublin_core_has_the_iri_title_and_creator(ask):
    root = ask(verb="GetRecord", identifier=FIRST, metadataPrefix="oai_dc")
    found = root.find(".//{http://www.openarchives.org/OAI/2.0/oai_dc/}dc")
    assert found.findtext(f"{DC}identifier") == "http://localhost:8000/resource/rsl/01001325043"
    assert found.findtext(f"{DC}title") and found.findtext(f"{DC}creator")
    assert all(each.tag.startswith(DC) and each.text for each in found)


def test_a_publication_names_its_work(ask):
    work = "http://localhost:8000/work/rsl/01001325043"
    root = ask(verb="GetRecord", identifier=FIRST, metadataPrefix="oai_dc")
    relations = [each.text for each in root.iter(f"{DC}relation")]
    assert relations[-2:] == ["Белая гвардия ; Театральный роман ; Мастер и Маргарита", work]
    root = ask(verb="GetRecord", identifier=FIRST, metadataPrefix="mods")
    item = list(root.iter("{http://www.loc.gov/mods/v3}relatedItem"))[-1]
    assert item.get("otherTypeURI") == "http://id.loc.gov/ontologies/bibframe/instanceOf"
    assert item.get("{http://www.w3.org/1999/xlink}href") == work


@pytest.mark.parametrize(
    ("prefix", "name"),
    [("mods", "{http://www.loc.gov/mods/v3}mods"), ("marcxml", "{http://www.loc.gov/MARC21/slim}record")],
)
def test_records_come_as_mods_and_as_the_marc_record_of_the_founder(ask, prefix, name):
    root = ask(verb="ListRecords", metadataPrefix=prefix)
    live = [each for each in root.iter(f"{OAI}record") if each.find(f"{OAI}header").get("status") is None]
    assert live
    assert all([child.tag for child in each.find(f"{OAI}metadata")] == [name] for each in live)
    deleted = [each for each in root.iter(f"{OAI}record") if each.find(f"{OAI}header").get("status") == "deleted"]
    assert deleted and all(each.find(f"{OAI}metadata") is None for each in deleted)


def test_sets_are_the_sources_and_the_merged_publications(server, every_record, ask):
    sets = {each.setSpec for each in Sickle(f"{server}oai").ListSets()}
    assert sets == {"merged", "source", "source:nlr", "source:rsl", "source:slavica"}
    assert sum("merged" in each.header.setSpecs for each in every_record) == 76
    assert error(ask(verb="ListRecords", metadataPrefix="oai_dc", set="nothing")) == "noRecordsMatch"


@pytest.mark.parametrize(
    ("begin", "end", "is_found"),
    [
        ("2026-01-01", "2026-01-01", True),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:01Z", None, False),
        ("2026-01-02", None, False),
        (None, "2025-12-31", False),
        (None, "2025-12-31T23:59:59Z", False),
        ("2025-01-01", None, True),
    ],
)
def test_dates_select_inclusively(ask, begin, end, is_found):
    dates = {name: value for name, value in (("from", begin), ("until", end)) if value}
    root = ask(verb="ListIdentifiers", metadataPrefix="oai_dc", **dates)
    assert bool(identifiers(root)) is is_found
    assert is_found or error(root) == "noRecordsMatch"


def test_a_part_has_fifty_records_and_the_last_part_an_empty_token(ask):
    root = ask(verb="ListRecords", metadataPrefix="oai_dc")
    first = root.find(f".//{OAI}resumptionToken")
    assert (len(identifiers(root)), first.get("cursor")) == (50, "0")
    token = first.text
    while token:
        last = ask(verb="ListRecords", resumptionToken=token).find(f".//{OAI}resumptionToken")
        token = last.text
    assert int(last.get("cursor")) > 0


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "badVerb"),
        ("verb=Nothing", "badVerb"),
        ("verb=Identify&verb=Identify", "badVerb"),
        ("verb=identify", "badVerb"),
        ("verb=Identify&other=1", "badArgument"),
        ("verb=GetRecord", "badArgument"),
        ("verb=GetRecord&metadataPrefix=oai_dc", "badArgument"),
        ("verb=ListRecords", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=mods", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=yesterday", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2026-02-30", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-01-01T00:00:00Z", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-02&until=2026-01-01", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x", "badArgument"),
        ("verb=ListRecords&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&resumptionToken=WyJ4Il0", "badResumptionToken"),
        ("verb=ListSets&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&metadataPrefix=nothing", "cannotDisseminateFormat"),
        (f"verb=GetRecord&metadataPrefix=nothing&identifier={FIRST}", "cannotDisseminateFormat"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:localhost:resource/rsl/no", "idDoesNotExist"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:other:resource/rsl/01001325043", "idDoesNotExist"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=%00", "idDoesNotExist"),
        ("verb=ListMetadataFormats&identifier=x", "idDoesNotExist"),
    ],
)
def test_errors_are_answers_with_status_200(http, query, code):
    answer = http.get(f"oai?{query}")
    assert answer.status_code == 200
    root = etree.fromstring(answer.content)
    assert error(root) == code
    if code in ("badVerb", "badArgument"):
        assert not root.find(f"{OAI}request").attrib


def test_arguments_may_be_posted(http):
    answer = http.post("oai", data={"verb": "ListMetadataFormats"})
    prefixes = [each.text for each in etree.fromstring(answer.content).iter(f"{OAI}metadataPrefix")]
    assert prefixes == ["oai_dc", "mods", "marcxml", "returned"]
    assert http.post("oai", content=b"verb=Identify", headers={"content-type": "text/plain"}).status_code == 415
    assert http.put("oai").status_code == 405


# -- reconciliation ----------------------------------------------------------------------------------------------------


def reconcile(http, **queries):
    answer = http.post("reconcile", data={"queries": json.dumps(queries)})
    assert answer.status_code == 200, answer.text
    assert answer.headers["access-control-allow-origin"] == "*"
    return {name: found["result"] for name, found in answer.json().items()}


def test_the_manifest_has_what_the_specification_demands(http):
    manifest = http.get("reconcile").json()
    assert {"versions", "name", "identifierSpace", "schemaSpace"} <= manifest.keys()
    assert manifest["versions"] == ["0.2"]
    types = [each["id"] for each in manifest["defaultTypes"]]
    assert types == ["publication", "person", "organisation", "subject", "place", "publisher", "series", "work"]


def test_each_query_of_a_batch_has_its_candidates_the_best_first(http):
    found = reconcile(
        http,
        a={"query": "Булгаков, Михаил Афанасьевич", "type": "person"},
        b={"query": "bulgakov mikhail", "type": ["person"]},
        c={"query": "zzzz"},
        d={"query": "Мастер и Маргарита", "limit": 2},
    )
    assert found["a"][0]["id"] == found["b"][0]["id"] == "agent/RU~5CNLR~5Cauth~5C661346654"
    assert (found["a"][0]["score"], found["a"][0]["match"]) == (100.0, True)
    assert found["c"] == []
    assert len(found["d"]) == 2
    for candidates in found.values():
        assert [each["score"] for each in candidates] == sorted((each["score"] for each in candidates), reverse=True)
        assert all({"id", "name", "type", "score", "match"} <= each.keys() for each in candidates)


def test_values_of_properties_decide_between_equal_titles(http):
    def best(**properties):
        listed = [{"pid": name, "v": value} for name, value in properties.items()]
        return reconcile(http, q={"query": "Мастер и Маргарита", "properties": listed})["q"][0]["id"]

    assert best(year="1966") == "resource/rsl/01001035896"
    assert best(isbn="5-06-001572-6") == "resource/rsl/01005485442"
    assert best(year=["1966"], author={"id": "agent/RU~5CNLR~5Cauth~5C661346654"}) == "resource/rsl/01001035896"


def test_an_isbn_and_an_iri_are_found_as_such(http):
    found = reconcile(http, a={"query": "5060015726"}, b={"query": "http://localhost:8000/resource/rsl/01005485442"})
    assert found["a"][0]["id"] == found["b"][0]["id"] == "resource/rsl/01005485442"
    assert found["a"][0]["match"] and found["b"][0]["match"]


def test_every_title_of_the_sample_finds_itself(http, sample):
    from bibld.documents import open_published

    with open_published(sample.workspace, 1) as view:
        titles = {each.path: each.title for each in view.documents("resource/") if each.status == 200}
    missed = []
    for batch in batches(titles.items(), 50):
        queries = {path: {"query": title, "type": "publication", "limit": 50} for path, title in batch}
        for path, found in reconcile(http, **queries).items():
            best = [each for each in found if each["score"] == found[0]["score"]]
            if path not in {each["id"] for each in best}:
                missed.append(path)
    assert missed == []


def test_suggestions_preview_and_extension(http):
    found = http.get("reconcile/suggest/entity", params={"prefix": "булг"}).json()["result"]
    assert "agent/RU~5CNLR~5Cauth~5C661346654" in [each["id"] for each in found]
    assert [each["id"] for each in http.get("reconcile/suggest/type?prefix=pers").json()["result"]] == ["person"]
    assert [each["id"] for each in http.get("reconcile/suggest/property?prefix=isb").json()["result"]] == ["isbn"]
    assert http.get("reconcile/suggest/other").status_code == 404
    listed = http.get("reconcile/properties", params={"type": "person"}).json()
    assert [each["id"] for each in listed["properties"]] == ["title", "birth", "death"]
    preview = http.get("reconcile/preview", params={"id": "resource/rsl/01005485442"})
    assert preview.headers["content-type"] == "text/html; charset=utf-8"
    assert "frame-ancestors" not in preview.headers["content-security-policy"]
    assert "5060015726" in preview.text
    assert http.get("reconcile/preview", params={"id": "<script>"}).status_code == 404
    asked = {"ids": ["resource/rsl/01005485442", "nothing"], "properties": [{"id": "isbn"}, {"id": "author"}]}
    extended = http.post("reconcile", data={"extend": json.dumps(asked)}).json()
    assert [each["id"] for each in extended["meta"]] == ["isbn", "author"]
    assert extended["rows"]["nothing"] == {"isbn": [], "author": []}
    assert extended["rows"]["resource/rsl/01005485442"]["isbn"][0] == {"str": "5060015726"}
    assert extended["rows"]["resource/rsl/01005485442"]["author"][0]["name"].startswith("Булгаков")


def test_bad_requests_are_refused_and_scripts_are_named_safely(http):
    for wrong in ("x", "[]", '{"a": 1}', '{"a": {}}'):
        assert http.post("reconcile", data={"queries": wrong}).status_code == 400
    many = {str(number): {"query": "x"} for number in range(51)}
    assert http.post("reconcile", data={"queries": json.dumps(many)}).status_code == 413
    assert http.post("reconcile", data={"extend": '{"ids": []}'}).status_code == 400
    script = http.get("reconcile", params={"callback": "jQuery_1.f"})
    assert script.text.startswith("/**/jQuery_1.f({")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert http.get("reconcile", params={"callback": "alert(1)//"}).status_code == 400
