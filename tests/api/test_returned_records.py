"""Libraries harvest their own records by OAI-PMH, with what they lack and others have."""

from __future__ import annotations

import pytest
from lxml import etree

from bibld import Workspace
from bibld._api.site import country_of_libraries, open_site
from bibld.model.origin import RecordId
from tests.serve.client import running

SLIM = "{http://www.loc.gov/MARC21/slim}"
OAI = "{http://www.openarchives.org/OAI/2.0/}"


@pytest.fixture(scope="module")
def client(workspace):
    with running(open_site(workspace, workspace.config.serve)) as client:
        yield client


def harvested(client, **arguments) -> list[etree._Element]:
    """All live records of a list."""
    found = []
    while True:
        query = "&".join(f"{name}={value}" for name, value in arguments.items())
        root = etree.fromstring(client.get(f"/oai?verb=ListRecords&{query}").content)
        assert root.find(f"{OAI}error") is None, etree.tostring(root)
        found += [one for one in root.iter(f"{OAI}record") if one.find(f"{OAI}metadata") is not None]
        token = root.findtext(f".//{OAI}resumptionToken")
        if not token:
            return found
        arguments = {"resumptionToken": token}


def fields(record: etree._Element, tag: str) -> list[dict[str, str]]:
    """The subfields of the fields with a tag."""
    found = record.iterfind(f".//{SLIM}datafield[@tag='{tag}']")
    return [{one.get("code"): one.text for one in field} for field in found]


@pytest.mark.parametrize(("source", "tag"), [("nlr", "033"), ("rsl", "024")])
def test_a_library_gets_each_of_its_records_with_the_iri_of_its_publication(client, workspace, source, tag):
    records = harvested(client, metadataPrefix="returned", set=f"source:{source}")
    numbers = {record.findtext(f".//{SLIM}controlfield[@tag='001']").strip() for record in records}
    own = {row.record.partition(":")[2] for row in workspace.records(source)}
    assert numbers == own
    base = workspace.config.dataset.base
    for record in records:
        number = record.findtext(f".//{SLIM}controlfield[@tag='001']").strip()
        identifier = record.findtext(f"{OAI}header/{OAI}identifier")
        assert identifier == f"oai:localhost:record/{RecordId(source, number).path}"
        about = workspace.explain(f"{source}:{number}").answers.replace(f"{base}doc/", base)
        assert about in [field.get("a") for field in fields(record, tag)]


def test_a_record_states_what_others_add(client):
    def marked(prefix: str) -> list[dict[str, str]]:
        records = harvested(client, metadataPrefix=prefix, set="source:nlr")
        return [one for record in records for one in fields(record, "606") if one.get("6", "").startswith("z")]

    assert marked("returned")
    assert not marked("marcxml")


def test_the_format_is_listed(client):
    listed = etree.fromstring(client.get("/oai?verb=ListMetadataFormats").content)
    prefixes = [one.text for one in listed.iter(f"{OAI}metadataPrefix")]
    assert prefixes == ["oai_dc", "mods", "marcxml", "returned"]


@pytest.mark.parametrize(
    ("dataset", "sources", "country"),
    [
        ("RU-10010001", ["PL-1", ""], "RU"),
        ("", ["RU-10010001", "RU-10010033"], "RU"),
        ("", ["RU-10010001", "PL-1"], None),
        ("", ["RU-10010001", ""], None),
    ],
)
def test_marc_of_merged_descriptions_is_of_the_country_of_the_libraries(tmp_path, dataset, sources, country):
    text = 'workspace = "build"\n[dataset]\nbase = "https://data.example.org/"\ntitle = { en = "A" }\npublisher = "B"\n'
    text += f'license = "https://creativecommons.org/publicdomain/zero/1.0/"\nisil = "{dataset}"\n'
    for number, isil in enumerate(sources):
        text += f'[[source]]\nid = "s{number}"\nisil = "{isil}"\npath = "s{number}.mrc"\n'
    (tmp_path / "bibld.toml").write_text(text, encoding="utf-8")
    assert country_of_libraries(Workspace(tmp_path / "bibld.toml").config) == country
