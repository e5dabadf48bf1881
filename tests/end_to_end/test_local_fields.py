"""Local fields of two libraries, from files to quads: published as configured, merged, with the source of a value."""

import pytest

import bibld
from bibld.model.marc_writers import to_iso2709
from tests.configuration import source, write_config
from tests.crosswalk.test_rusmarc import record

RESOURCE = "https://data.example.org/resource/city/1"
DONOR = "https://example.org/terms/donor"
RULES = f"""
[source.fields]
990.a = "{DONOR}"
991.u = "dcterms:relation"
992 = "note[@type=ownership]"
542.a = "note[@type=ownership]"
"""


def book(number: str, *fields: str) -> bytes:
    known = (
        f"001 {number}",
        "008 140101s2014    ru            000 0 rus d",
        "020 ##$a9785389062597",
        "100 1#$aTolstoy, Leo,$d1828-1910",
        "245 10$aVoyna i mir$cL. Tolstoy",
        "260 ##$aMoskva$bNauka$c2014",
        "300 ##$a600 p.",
    )
    return to_iso2709(record(*known, *fields, leader="00000nam a2200000 i 4500"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    own = ["990 ##$aGift of Ivanov$xsecret price", "991 ##$uhttps://example.org/p/1", "992 ##$aEx libris$bIvanov"]
    (folder / "city.mrc").write_bytes(book("1", *own, "542 0#$asecret creator"))
    (folder / "hall.mrc").write_bytes(book("2", "990 ##$aBought in 1950", "991 ##$uno address"))
    file = write_config(folder)
    tables = (source(name, f"{name}.mrc") + RULES for name in ("city", "hall"))
    file.write_text(file.read_text(encoding="utf-8") + "".join(tables), encoding="utf-8")
    workspace = bibld.Workspace(file)
    workspace.run()
    return workspace


def values(published: bibld.Workspace, property_: str) -> set[str]:
    return {row.v for row in published.query(f"SELECT ?v {{ <{RESOURCE}> <{property_}> ?v }}")}


def test_values_of_both_libraries_are_published_on_the_merged_publication(published):
    assert values(published, DONOR) == {"Gift of Ivanov", "Bought in 1950"}
    assert values(published, "http://purl.org/dc/terms/relation") == {"https://example.org/p/1"}
    assert values(published, "http://id.loc.gov/ontologies/bibframe/custodialHistory") == {"Ex libris Ivanov"}


def test_each_value_has_the_record_that_states_it(published):
    rows = published.query(
        f"""PREFIX b: <https://data.example.org/ontology#>
        SELECT ?value ?record {{ ?v b:property <{DONOR}> ; rdf:value ?value ; prov:wasDerivedFrom ?record }}"""
    )
    assert {(row.value, row.record.rpartition("record/")[2]) for row in rows} == {
        ("Gift of Ivanov", "city/1"),
        ("Bought in 1950", "hall/2"),
    }


def test_what_no_rule_names_and_what_the_format_makes_private_is_not_published(published):
    for secret in ("secret price", "secret creator", "no address"):
        assert not len(published.query(f'SELECT * {{ ?s ?p ?o FILTER(CONTAINS(STR(?o), "{secret}")) }}'))


def test_a_changed_rule_is_applied_by_the_next_run(published):
    text = published.path.read_text(encoding="utf-8").replace(DONOR, "abstract")
    published.path.write_text(text, encoding="utf-8")
    again = bibld.Workspace(published.path)
    again.run()
    assert values(again, DONOR) == set()
    assert "Gift of Ivanov" in values(again, "http://purl.org/dc/terms/abstract")
