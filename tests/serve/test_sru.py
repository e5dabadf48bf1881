"""SRU: the protocol in its three versions, record schemas, positions, and what becomes of bad requests."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bibld.crosswalk import to_marc
from bibld.documents import ReleaseState, fill, open_published
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, Leader, MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.search import open_search, write_search
from bibld.serve._interfaces import sru
from bibld.serve.site import Site
from tests.serve.client import Client, running

BASE = "https://data.example.org/lod/"
FOUNDER = f"{BASE}resource/rsl/RU~5CNLR~5Cbibl~5C204591"
SRW, OASIS = "http://www.loc.gov/zing/srw/", "http://docs.oasis-open.org/ns/search-ws/"
NAMESPACES = {
    "1.1": (SRW, SRW, f"{SRW}diagnostic/"),
    "1.2": (SRW, SRW, f"{SRW}diagnostic/"),
    "2.0": (f"{OASIS}sruResponse", f"{OASIS}scan", f"{OASIS}diagnostic"),
}
FORM = "application/x-www-form-urlencoded"
WAR = 'dc.title exact "война и мир"'


def with_search(site: Site, tmp_path_factory: pytest.TempPathFactory, quads: list[str]) -> Site:
    folder = tmp_path_factory.mktemp("sru")
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(quads)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    return msgspec.structs.replace(
        site,
        search=lambda **options: open_search(folder, **options),
        published=lambda: open_published(folder, 1),
    )


@pytest.fixture(scope="module")
def opened(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    from tests.serve.conftest import quads

    return with_search(site, tmp_path_factory, quads())


@pytest.fixture(scope="module")
def client(opened: Site) -> Iterator[Client]:
    with running(opened) as found:
        yield found


def ask(client: Client, method: str = "GET", **arguments: str) -> etree._Element:
    """The response to a request; the names of arguments have ``_`` in place of ``-``."""
    form = urlencode({name.replace("_", "-"): value for name, value in arguments.items()})
    if method == "GET":
        response = client.get(f"/lod/sru?{form}")
    else:
        response = client.request("POST", "/lod/sru", content=form, headers={"content-type": FORM})
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/xml; charset=utf-8"
    return etree.fromstring(response.content)


def search(client: Client, query: str, version: str = "1.2", **arguments: str) -> etree._Element:
    return ask(client, version=version, operation="searchRetrieve", query=query, **arguments)


def values(root: etree._Element, name: str) -> list[str]:
    return [element.text or "" for element in root.iter(f"{{*}}{name}")]


def diagnostics(root: etree._Element) -> list[str]:
    return [uri.rpartition("/")[2] for uri in values(root, "uri")]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("version", NAMESPACES)
def test_each_version_answers_in_its_namespaces(client, version, method):
    namespace, of_scan, of_diagnostics = NAMESPACES[version]
    explained = ask(client, method, version=version, operation="explain")
    assert explained.tag == f"{{{namespace}}}explainResponse"
    assert explained.findtext(f"{{{namespace}}}version") == version
    found = ask(client, method, version=version, operation="searchRetrieve", query=WAR, recordSchema="mods")
    assert found.tag == f"{{{namespace}}}searchRetrieveResponse"
    assert found.findtext(f"{{{namespace}}}numberOfRecords") == "1"
    packing = "recordXMLEscaping" if version == "2.0" else "recordPacking"
    assert found.findtext(f".//{{{namespace}}}record/{{{namespace}}}{packing}") == "xml"
    assert found.find(f".//{{{namespace}}}recordData/{{http://www.loc.gov/mods/v3}}mods") is not None
    scanned = ask(client, method, version=version, operation="scan", scanClause="dc.title = война")
    assert scanned.tag == f"{{{of_scan}}}scanResponse"
    refused = ask(client, method, version=version, operation="searchRetrieve", query="a b")
    assert refused.find(f".//{{{of_diagnostics}}}diagnostic") is not None
    assert refused.findtext(f"{{{namespace}}}numberOfRecords") == "0"


@pytest.mark.parametrize(
    ("arguments", "name", "version"),
    [
        ({}, "explainResponse", "2.0"),
        ({"query": WAR}, "searchRetrieveResponse", "2.0"),
        ({"scanClause": "dc.title"}, "scanResponse", "2.0"),
        ({"operation": "explain"}, "explainResponse", "1.2"),
        ({"version": "1.1", "query": WAR}, "searchRetrieveResponse", "1.1"),
        ({"version": "1.3", "query": WAR}, "searchRetrieveResponse", "1.2"),
        ({"version": "3.0", "operation": "searchRetrieve", "query": WAR}, "searchRetrieveResponse", "2.0"),
    ],
)
def test_operation_and_version_are_negotiated(client, arguments, name, version):
    root = ask(client, **arguments)
    assert etree.QName(root).localname == name
    assert values(root, "version")[0] == version
    assert diagnostics(root) == []


@pytest.mark.parametrize(
    ("arguments", "diagnostic"),
    [
        ({"operation": "update"}, "4"),
        ({"version": "1.0", "operation": "explain"}, "5"),
        ({"version": "one", "operation": "explain"}, "5"),
        ({"operation": "searchRetrieve"}, "7"),
        ({"operation": "scan"}, "7"),
        ({"query": WAR, "colour": "red"}, "8"),
        ({"query": WAR, "startRecord": "0"}, "6"),
        ({"query": WAR, "startRecord": "-1"}, "6"),
        ({"query": WAR, "maximumRecords": "many"}, "6"),
        ({"query": WAR, "maximumRecords": "9" * 30}, "6"),
        ({"query": WAR, "x_source": "nowhere"}, "6"),
        ({"query": WAR, "queryType": "pqf"}, "11"),
        ({"query": WAR, "queryType": "searchTerms"}, "11"),
        ({"query": WAR, "recordSchema": "picaxml"}, "66"),
        ({"query": WAR, "recordXMLEscaping": "zip"}, "71"),
        ({"query": WAR, "version": "1.1", "recordPacking": "zip"}, "71"),
        ({"query": WAR, "version": "1.1", "recordXPath": "/mods"}, "72"),
        ({"query": WAR, "stylesheet": "https://example.org/evil.xsl"}, "110"),
        ({"query": WAR, "sortKeys": "title date"}, "84"),
        ({"query": WAR, "startRecord": "2"}, "61"),
        ({"query": "cql.allRecords=1", "startRecord": "999999999"}, "61"),
        ({"query": "cql.allRecords=1 sortBy dc.title", "startRecord": "1001"}, "61"),
        ({"query": "title=nothing", "startRecord": "2"}, "61"),
        ({"scanClause": "dc.title", "maximumTerms": "5", "responsePosition": "7"}, "120"),
        ({"scanClause": "dc.title", "maximumTerms": "0"}, "6"),
    ],
)
def test_bad_requests_have_their_diagnostic(client, arguments, diagnostic):
    root = ask(client, **arguments)
    assert diagnostics(root) == [diagnostic]
    assert values(root, "message")


def test_a_parameter_that_is_sent_twice_is_refused(client):
    response = client.get(f"/lod/sru?{urlencode([('query', 'a'), ('query', 'b')])}")
    assert diagnostics(etree.fromstring(response.content)) == ["6"]


@pytest.mark.parametrize("address", ["/lod/sru?query=%E2%28%A1", "/lod/sru?query=%CC%E8%F0", f"/lod/sru?{'a&' * 300}"])
def test_arguments_that_are_not_utf_8_or_too_many_have_a_diagnostic(client, address):
    response = client.get(address)
    assert (response.status_code, diagnostics(etree.fromstring(response.content))) == (200, ["6"])


def test_characters_that_xml_cannot_have_are_left_out_of_what_is_echoed(client):
    root = search(client, "dc.title = \x00\x01a")
    assert "dc.title" in values(root, "query")[0]


def test_only_forms_are_posted(client):
    assert (
        client.request("POST", "/lod/sru", content=b"<soap/>", headers={"content-type": "text/xml"}).status_code == 415
    )


def test_an_error_of_the_server_is_a_diagnostic(opened, monkeypatch, caplog):
    with running(opened) as client:
        monkeypatch.setattr(sru.SruServer, "find", lambda self, request: 1 / 0)
        assert diagnostics(search(client, WAR)) == ["1"]
        assert "ZeroDivisionError" in caplog.text


def test_without_names_there_is_no_server(site):
    with running(site) as client:
        assert client.get("/lod/sru").status_code == 404


NAMES = ["operation", "version", "query", "scanClause", "startRecord", "maximumRecords", "recordSchema", "sortKeys"]
NAMES += ["recordPacking", "recordXMLEscaping", "responsePosition", "maximumTerms", "x-source", "x-any", "other"]
VALUES = ["", "1", "0", "-1", "99999999999999999999", "1.1", "2.0", "explain", "scan", "searchRetrieve", "mods", "dc"]
VALUES += [WAR, "cql.allRecords=1", "dc.title", "title=вой*", "xml", "string", "rsl", "title,,0", "\x00", "a and (b"]


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.text(max_size=20)), max_size=8))
def test_any_request_has_a_response_of_the_protocol(client, pairs):
    response = client.get(f"/lod/sru?{urlencode(pairs, errors='replace')}")
    assert response.status_code == 200
    root = etree.fromstring(response.content)
    assert etree.QName(root).localname in ("explainResponse", "searchRetrieveResponse", "scanResponse")
    assert "1" not in diagnostics(root)


# -- records


@pytest.mark.parametrize(
    ("schema", "identifier", "root", "text"),
    [
        ("mods", "info:srw/schema/1/mods-v3.8", "{http://www.loc.gov/mods/v3}mods", "Худож. лит."),
        ("info:srw/schema/1/mods-v3.3", "info:srw/schema/1/mods-v3.8", "{http://www.loc.gov/mods/v3}mods", "Толстой"),
        ("dc", "info:srw/schema/1/dc-v1.1", "{info:srw/schema/1/dc-schema}dc", FOUNDER),
        ("marcxchange", "info:lc/xmlns/marcxchange-v2", "{info:lc/xmlns/marcxchange-v2}record", "Л. Н. Толстой"),
        ("own-marcxchange", "info:lc/xmlns/marcxchange-v2#own", "{info:lc/xmlns/marcxchange-v2}record", "204591"),
    ],
)
@pytest.mark.parametrize("packing", ["xml", "string"])
def test_records_are_retrieved_in_each_schema(client, schema, identifier, root, text, packing):
    found = search(client, WAR, recordSchema=schema, recordPacking=packing)
    assert values(found, "recordSchema")[0] == identifier
    assert values(found, "recordPosition") == ["1"]
    assert values(found, "recordIdentifier") == [FOUNDER]
    (data,) = found.iter(f"{{{SRW}}}recordData")
    record = etree.fromstring(data.text) if packing == "string" else data[0]
    assert record.tag == root
    assert text in etree.tostring(record, encoding="unicode")


def test_marcxchange_states_its_format(client):
    (record,) = search(client, WAR, recordSchema="rusmarc").iter("{info:lc/xmlns/marcxchange-v2}record")
    assert (record.get("format"), record.get("type")) == ("RUSMARC", "Bibliographic")
    assert record.find("{*}datafield[@tag='200']/{*}subfield[@code='a']").text == "Война и мир"


def test_a_record_that_is_not_available_in_a_schema_has_a_diagnostic_in_its_place(client):
    """A publication of records in RUSMARC alone, as MARC 21."""
    found = search(client, WAR, recordSchema="marcxml")
    assert values(found, "numberOfRecords") == ["1"]
    assert values(found, "recordSchema")[0] == "info:srw/schema/1/diagnostics-v1.1"
    assert diagnostics(found) == ["67"]


def test_a_library_s_record_is_chosen_by_its_source(client):
    for source, number in (("rsl", "RU\\NLR\\bibl\\204591"), ("nlr", "0042 17")):
        found = search(client, WAR, recordSchema="own-marcxchange", x_source=source)
        assert found.xpath("string(//*[@tag='001'])") == number
    mods = etree.tostring(search(client, WAR, recordSchema="mods", x_source="nlr"), encoding="unicode")
    assert "Худож. лит." in mods and "Художественная литература" not in mods


def marc_of(mods: Mods, flavour: str) -> MarcRecord:
    if flavour == "rusmarc":
        raise CrosswalkError(Origin("x", "x", 1, 0), "cannot be written")
    return MarcRecord(
        Origin("x", "x", 1, 0),
        Leader("00000nam a2200000 i 4500"),
        (ControlField("001", f"m {flavour} {mods.identifier[-1].value}"),),
    )


def test_a_site_that_writes_marc_sends_the_merged_description(opened):
    with running(msgspec.structs.replace(opened, to_marc=marc_of)) as client:
        assert search(client, WAR, recordSchema="marcxml").xpath("string(//*[@tag='001'])") == f"m marc21 {FOUNDER}"
        own = search(client, WAR, recordSchema="marcxchange", x_source="rsl")
        assert own.xpath("string(//*[@tag='001'])") == "RU\\NLR\\bibl\\204591"
        assert diagnostics(search(client, WAR, recordSchema="marcxchange")) == ["67"]


@pytest.mark.parametrize("isil", ["RU-10010033", ""])
@pytest.mark.parametrize("schema", ["marcxml", "marcxchange"])
def test_a_merged_record_has_the_number_of_its_publication(opened, schema, isil):
    """Neither number nor agency of a member: those are in 035, and the record is found by its own number."""
    manifest = msgspec.structs.replace(
        opened.manifest, dataset=msgspec.structs.replace(opened.manifest.dataset, isil=isil)
    )
    with running(msgspec.structs.replace(opened, to_marc=to_marc, manifest=manifest)) as client:
        (record,) = search(client, WAR, recordSchema=schema).iter("{*}recordData")
        number = record.xpath("string(.//*[@tag='001'])")
        assert number == "rsl:RU\\NLR\\bibl\\204591"
        assert record.xpath("string(.//*[@tag='003'])") == (isil if schema == "marcxml" else FOUNDER)
        again = search(client, f'rec.identifier = "{number.replace(chr(92), chr(92) * 2)}"', recordSchema=schema)
        assert again.xpath("string(.//*[@tag='001'])") == number


def test_the_mods_of_a_publication_links_its_work(client):
    assert f"{BASE}work/" in etree.tostring(search(client, WAR, recordSchema="mods"), encoding="unicode")


def test_results_have_positions(client):
    both = search(client, "cql.allRecords = 1", maximumRecords="10")
    assert values(both, "recordPosition") == ["1", "2"]
    assert values(both, "nextRecordPosition") == []
    first = search(client, "cql.allRecords = 1", maximumRecords="1", recordSchema="dc")
    second = search(client, "cql.allRecords = 1", maximumRecords="1", startRecord="2", recordSchema="dc")
    assert (values(first, "nextRecordPosition"), values(second, "nextRecordPosition")) == (["2"], [])
    assert values(first, "recordIdentifier") != values(second, "recordIdentifier")
    none = search(client, "cql.allRecords = 1", maximumRecords="0")
    assert (values(none, "numberOfRecords"), values(none, "recordPosition"), diagnostics(none)) == (["2"], [], [])


def test_a_response_that_takes_too_long_ends_early(client, monkeypatch):
    monkeypatch.setattr(sru, "_SECONDS_OF_RECORDS", -1.0)
    found = search(client, "cql.allRecords = 1", recordSchema="dc")
    assert (values(found, "recordPosition"), values(found, "nextRecordPosition")) == (["1"], ["2"])


def test_the_request_is_echoed(client):
    echoed = search(client, WAR, maximumRecords="5000", recordSchema="dc").find(f"{{{SRW}}}echoedSearchRetrieveRequest")
    assert [(etree.QName(each).localname, each.text) for each in echoed] == [
        ("version", "1.2"),
        ("query", WAR),
        ("startRecord", "1"),
        ("maximumRecords", "100"),
        ("recordPacking", "xml"),
        ("recordSchema", "dc"),
    ]


# -- scan


def test_a_scan_lists_words_around_its_term(client):
    words = values(ask(client, scanClause="dc.title"), "value")
    assert words == sorted(words)
    middle = words.index("война")
    following = values(ask(client, scanClause="dc.title = Война", maximumTerms="2"), "value")
    assert following == words[middle : middle + 2]
    around = values(ask(client, scanClause="dc.title = война", maximumTerms="3", responsePosition="2"), "value")
    assert around == words[max(0, middle - 1) :][:3]
    after = values(ask(client, scanClause="dc.title = война", maximumTerms="1", responsePosition="0"), "value")
    assert after == words[middle + 1 : middle + 2]
    before = values(ask(client, scanClause="dc.title = война", maximumTerms="1", responsePosition="2"), "value")
    assert before == words[max(0, middle - 1) : middle][:1] or middle == 0


def test_a_scan_counts_publications(client):
    root = ask(client, scanClause="bath.name = толстой", maximumTerms="1", operation="scan", version="1.1")
    assert (values(root, "value"), values(root, "numberOfRecords")) == (["толстой"], ["2"])


# -- explain


def test_explain_describes_indexes_schemas_and_limits(client):
    root = ask(client)
    zeerex = "{http://explain.z3950.org/dtd/2.0/}"
    names = {f"{name.get('set')}.{name.text}" for name in root.iter(f"{zeerex}name")}
    assert {"dc.title", "bath.isbn", "cql.serverChoice", "rec.identifier", "dc.date"} <= names
    assert {each.get("name") for each in root.iter(f"{zeerex}schema")} >= {"marcxml", "marcxchange", "mods", "dc"}
    assert root.xpath("string(//*[local-name()='setting'][@type='maximumRecords'])") == "100"
    assert [root.xpath(f"string(//*[local-name()='{name}'])") for name in ("host", "port", "database")] == [
        "data.example.org", "443", "lod/sru",
    ]  # fmt: skip
    assert len([each for each in root.iter(f"{zeerex}title") if each.get("primary")]) == 1


def test_every_index_that_explain_names_can_be_searched(client):
    terms = {"dc.date": "1978", "bath.isbn": "5280010000"}
    for name in ask(client).iter("{http://explain.z3950.org/dtd/2.0/}name"):
        index = f"{name.get('set')}.{name.text}"
        found = search(client, f"{index} = {terms.get(index, '1978')}", maximumRecords="0")
        assert diagnostics(found) == [], index
    for index in ask(client).iter("{http://explain.z3950.org/dtd/2.0/}index"):
        name = index.find("{*}map/{*}name")
        if index.get("scan") == "true":
            assert diagnostics(ask(client, scanClause=f"{name.get('set')}.{name.text}")) == []
