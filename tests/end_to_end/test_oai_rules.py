"""The rules by which registries of OAI-PMH accept a provider; errors are in ``test_interfaces``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from lxml import etree

pytestmark = pytest.mark.server

OAI = "{http://www.openarchives.org/OAI/2.0/}"
DC = "{http://purl.org/dc/elements/1.1/}"
OAI_DC = "{http://www.openarchives.org/OAI/2.0/oai_dc/}"
SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
SET = re.compile(r"([A-Za-z0-9\-_.!~*'()])+(:[A-Za-z0-9\-_.!~*'()]+)*")


class Provider:
    """A provider as a registry asks it."""

    def __init__(self, server: str, http: httpx.Client) -> None:
        self.address = f"{server}oai"
        self._http = http

    def ask(self, **arguments: str) -> etree._Element:
        query = {name.rstrip("_"): value for name, value in arguments.items()}
        return etree.fromstring(self._http.get(self.address, params=query).raise_for_status().content)

    def text(self, name: str, **arguments: str) -> str:
        return self.ask(**arguments).findtext(f".//{OAI}{name}") or ""

    def pages(self, verb: str, **arguments: str) -> Iterator[etree._Element]:
        root = self.ask(verb=verb, **arguments)
        yield root
        while token := root.findtext(f".//{OAI}resumptionToken"):
            root = self.ask(verb=verb, resumptionToken=token)
            yield root

    def headers(self, verb: str = "ListIdentifiers", **arguments: str) -> dict[str, etree._Element]:
        arguments.setdefault("metadataPrefix", "oai_dc")
        found = [header for page in self.pages(verb, **arguments) for header in page.iter(f"{OAI}header")]
        named = {str(header.findtext(f"{OAI}identifier")): header for header in found}
        assert len(named) == len(found), "an identifier is in a list twice"
        return named


@pytest.fixture(scope="module")
def provider(server):
    with httpx.Client(timeout=600) as client:
        yield Provider(server, client)


def test_identify_names_the_address_that_was_asked(provider: Provider) -> None:
    base = provider.text("baseURL", verb="Identify")
    assert base.endswith("/oai") and provider.ask(verb="Identify").findtext(f"{OAI}request") == base


def test_an_administrator_can_be_written_to(provider: Provider) -> None:
    assert re.fullmatch(r"\S+@\S+", provider.text("adminEmail", verb="Identify"))


def test_the_version_is_two(provider: Provider) -> None:
    assert provider.text("protocolVersion", verb="Identify") == "2.0"


def test_granularity_and_earliest_date_agree(provider: Provider) -> None:
    granularity = provider.text("granularity", verb="Identify")
    assert granularity == "YYYY-MM-DDThh:mm:ssZ"
    assert SECONDS.fullmatch(provider.text("earliestDatestamp", verb="Identify"))


def test_every_answer_has_a_date_in_utc(provider: Provider) -> None:
    stated = provider.ask(verb="ListSets").findtext(f"{OAI}responseDate") or ""
    moment = datetime.strptime(stated, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - moment) < timedelta(minutes=5)


def test_dublin_core_is_among_the_formats(provider: Provider) -> None:
    found = {
        each.findtext(f"{OAI}metadataPrefix"): each.findtext(f"{OAI}metadataNamespace")
        for each in provider.ask(verb="ListMetadataFormats").iter(f"{OAI}metadataFormat")
    }
    assert found["oai_dc"] == OAI_DC.strip("{}")


def test_formats_of_one_item_are_among_all(provider: Provider) -> None:
    item = next(iter(provider.headers()))
    all_, some = (
        {each.text for each in provider.ask(verb="ListMetadataFormats", **words).iter(f"{OAI}metadataPrefix")}
        for words in ({}, {"identifier": item})
    )
    assert "oai_dc" in some and some <= all_


def test_identifiers_are_uris(provider: Provider) -> None:
    assert all(URI.fullmatch(name) for name in provider.headers())


def test_datestamps_have_the_granularity_and_are_not_before_the_earliest(provider: Provider) -> None:
    earliest = provider.text("earliestDatestamp", verb="Identify")
    stamps = [header.findtext(f"{OAI}datestamp") or "" for header in provider.headers().values()]
    assert all(SECONDS.fullmatch(stamp) and stamp >= earliest for stamp in stamps)


def test_sets_of_headers_are_in_the_list_of_sets(provider: Provider) -> None:
    known = {str(each.text) for each in provider.ask(verb="ListSets").iter(f"{OAI}setSpec")}
    used = {str(each.text) for header in provider.headers().values() for each in header.iter(f"{OAI}setSpec")}
    assert used <= known and all(SET.fullmatch(name) for name in known)


def test_a_set_selects_what_names_it(provider: Provider) -> None:
    listed = provider.headers()
    for spec in {str(each.text) for header in listed.values() for each in header.iter(f"{OAI}setSpec")}:
        wanted = {
            name for name, header in listed.items() if spec in [each.text for each in header.iter(f"{OAI}setSpec")]
        }
        assert set(provider.headers(set=spec)) == wanted


def test_records_and_identifiers_are_the_same_list(provider: Provider) -> None:
    assert provider.headers("ListRecords").keys() == provider.headers().keys()


def test_one_record_has_the_header_of_the_list(provider: Provider) -> None:
    name, header = next(iter(provider.headers().items()))
    found = provider.ask(verb="GetRecord", identifier=name, metadataPrefix="oai_dc").find(f".//{OAI}header")
    assert etree.tostring(found).strip() == etree.tostring(header).strip()


def test_the_request_is_repeated_with_its_arguments(provider: Provider) -> None:
    name = next(iter(provider.headers()))
    arguments = {"verb": "GetRecord", "identifier": name, "metadataPrefix": "oai_dc"}
    assert dict(provider.ask(**arguments).find(f"{OAI}request").attrib) == arguments


def test_records_contain_nothing_but_elements_of_dublin_core(provider: Provider) -> None:
    for page in provider.pages("ListRecords", metadataPrefix="oai_dc"):
        for record in page.iter(f"{OAI_DC}dc"):
            assert all(child.tag.startswith(DC) and (child.text or "").strip() for child in record)


def test_a_record_has_metadata_unless_it_is_deleted(provider: Provider) -> None:
    for page in provider.pages("ListRecords", metadataPrefix="oai_dc"):
        for record in page.iter(f"{OAI}record"):
            is_deleted = record.find(f"{OAI}header").get("status") == "deleted"
            assert is_deleted == (record.find(f"{OAI}metadata") is None)


def test_a_harvest_from_the_earliest_date_is_complete(provider: Provider) -> None:
    earliest = provider.text("earliestDatestamp", verb="Identify")
    assert provider.headers(from_=earliest).keys() == provider.headers().keys()


def test_a_harvest_from_before_the_earliest_date_is_complete(provider: Provider) -> None:
    assert provider.headers(from_="1900-01-01").keys() == provider.headers().keys()


def test_the_day_of_a_record_selects_it(provider: Provider) -> None:
    name, header = next(iter(provider.headers().items()))
    day = str(header.findtext(f"{OAI}datestamp"))[:10]
    assert name in provider.headers(from_=day, until=day)


def test_nothing_comes_from_the_future(provider: Provider) -> None:
    root = provider.ask(verb="ListIdentifiers", metadataPrefix="oai_dc", from_="2999-01-01")
    assert root.find(f"{OAI}error").get("code") == "noRecordsMatch"


def test_an_argument_with_a_space_is_no_other_argument(provider: Provider) -> None:
    root = provider.ask(verb="ListRecords", metadataPrefix="oai_dc ", set=" ")
    assert root.find(f"{OAI}error").get("code") in ("cannotDisseminateFormat", "badArgument", "noRecordsMatch")
