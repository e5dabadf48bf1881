"""The description of a publication."""

import re
from itertools import permutations

import msgspec
import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bibld.config import TriplifyConfig
from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.mods import (
    Date,
    Detail,
    Extent,
    Genre,
    Identifier,
    Language,
    LanguageTerm,
    Mods,
    OriginInfo,
    Part,
    PartExtent,
    PhysicalDescription,
    Place,
    PlaceTerm,
    Publisher,
    RelatedItem,
    Role,
    RoleTerm,
    TitleInfo,
    TypeOfResource,
)
from bibld.model.origin import RecordId
from bibld.text.geography.towns import FILE
from bibld.triplify import Claim, cluster_statements
from tests.strategies import mods, record_ids
from tests.triplify.merged_book import (
    BASE,
    EDGE,
    IRIS,
    LOC,
    MERGED,
    NLR,
    RESOURCE,
    WORK,
    Quads,
    alone,
    code,
    describe,
    oxigraph_quads,
    person,
    rdflib_quads,
)

SET = RecordId("nlr", "RU\\NLR\\bibl\\1")


EDTF = "http://id.loc.gov/datatypes/edtf"


@pytest.fixture(scope="module")
def book() -> Quads:
    return Quads(cluster_statements(MERGED, [EDGE], IRIS).quads)


def test_titles_are_in_the_language_and_script_of_the_record(book):
    assert book.values("dcterms:title") == ["Anna Karenina@ru-latn", "Анна Каренина@ru"]
    assert book.values("rdfs:label") == ["Anna Karenina : roman@ru-latn", "Анна Каренина : роман@ru"]
    assert book.values("dcterms:alternative") == ["Каренина@ru"]


def test_a_person_named_in_two_scripts_is_one_creator_known_by_the_best_authority(book):
    assert book.values("dcterms:creator") == [":agent/lcnaf-n79068416"]
    assert book.values("relators:aut") == [":agent/lcnaf-n79068416"]
    (editor,) = book.values("dcterms:contributor")
    assert re.fullmatch(r":agent/zhdanov-v-a-1898-1971-[0-9a-f]{10}", editor)
    assert book.values("relators:edt") == [editor]


@pytest.mark.parametrize(
    ("subject", "class_", "agent", "role"),
    [
        (WORK, "PrimaryContribution", ":agent/lcnaf-n79068416", "aut"),
        (RESOURCE, "Contribution", ":agent/zhdanov-v-a-1898-1971-5a344b6513", "edt"),
    ],
)
def test_contributions_are_nodes_with_agent_and_role(subject, class_, agent, role):
    made = describe(MERGED)
    name = agent.removeprefix(":") if subject == WORK else "contribution1"
    node = f"{subject}#{name}".replace(BASE, ":")
    assert made.values("bf:contribution", subject) == [node]
    assert made.values("rdf:type", node) == [f"http://id.loc.gov/ontologies/bibframe/{class_}"]
    assert made.values("bf:agent", node) == [agent]
    assert made.values("bf:role", node) == [f"http://id.loc.gov/vocabulary/relators/{role}"]


def test_publication_is_described_by_properties_and_by_a_node_with_the_wording(book):
    (publisher,) = book.values("dcterms:publisher")
    assert publisher.startswith(":publisher/nauka-")
    assert book.values("dcterms:issued") == ["1970^gYear"]
    assert book.values("bf:publicationStatement") == ["М. : Наука, 1970"]
    places = book.values("bf:place", f"{RESOURCE}#provision1")
    assert places[0].startswith(":place/geonames-524901" if FILE.exists() else ":place/moskva-")
    assert places[1] == "http://id.loc.gov/vocabulary/countries/ru"


def test_only_valid_isbns_are_properties_and_all_are_kept_as_printed(book):
    assert book.values("bibo:isbn13") == ["9785710765128"]
    assert book.values("bibo:isbn10") == ["5710765120"]
    printed = [book.values("rdf:value", f"{RESOURCE}#identifier{n}") for n in (1, 2)]
    assert printed == [["5-7107-6512-0"], ["5-7107-6512-1"]]
    assert book.values("bf:status", f"{RESOURCE}#identifier1") == []
    assert book.values("bf:status", f"{RESOURCE}#identifier2") == ["http://id.loc.gov/vocabulary/mstatus/incorrect"]


def test_only_web_addresses_become_links(book):
    assert book.values("foaf:page") == ["https://example.org/anna"]
    assert book.values("dc:identifier") == ["javascript:alert(1)"]


def test_subjects_are_concepts_places_and_agents(book):
    subjects = book.values("dcterms:subject")
    assert [subject.rpartition("-")[0] for subject in subjects[1:3]] == [
        ":concept/lcsh/adultery-fiction",
        ":concept/lcsh/russia",
    ]
    assert subjects[0].startswith(":agent/tolstoi-lev-nikolaevich-1828-1910-")
    assert subjects[3] == ":concept/rubbk/~D0~A85~282~3D~D0~A0~291"
    assert book.values("dcterms:spatial")[0].startswith(":place/russia-")


def test_the_founder_links_the_other_members_and_every_member_is_a_source(book):
    assert book.values("owl:sameAs") == [":resource/loc/ocm00035782"]
    assert book.values("prov:wasDerivedFrom") == [":record/loc/ocm00035782", ":record/nlr/RU~5CNLR~5Cbibl~5C538692"]
    assert book.graphs("prov:wasDerivedFrom") == {f"<{BASE}graph/provenance>"}
    assert book.graphs("owl:sameAs") == {"DEFAULT"}
    absorbed = IRIS.resource(LOC)
    assert not any(quad.subject.value.partition("#")[0] == absorbed for quad in book.quads)


def test_source_records_are_metadata_about_the_resource_that_has_the_description(book):
    record = IRIS.record(LOC)
    assert book.values("foaf:primaryTopic", record) == [":resource/nlr/RU~5CNLR~5Cbibl~5C538692"]
    assert book.values("void:inDataset", record) == [":dataset/loc"]
    assert book.values("dcterms:identifier", record) == ["ocm00035782"]
    assert book.values("dcterms:created", record) == ["1982-10-15^date"]
    assert book.values("dcterms:modified", IRIS.record(NLR)) == ["1998-11-04T17:29:14^dateTime"]


def test_a_match_has_the_records_their_score_and_the_reasons(book):
    match = IRIS.match(EDGE.pair)
    assert book.values("bibld:left", match) == [":record/loc/ocm00035782"]
    assert book.values("bibld:score", match) == ["0.97^decimal"]
    assert book.values("bibld:decision", match) == ["same"]
    assert book.values("bibld:reason", match) == ["The titles are the same."]
    assert book.values("bibld:rule", match) == ["model"]
    assert book.values("bibld:scorer", match) == ["model 1f3a9c04"]


def test_features_and_blocking_keys_are_not_published(book):
    match = IRIS.match(EDGE.pair)
    assert {quad.subject.value for quad in book.quads if quad.subject.value.startswith(match)} == {match}
    assert not any("author" in line or "isbn13" in line for line in book.lines if f"<{match}" in line)


def test_a_value_names_its_records_only_where_the_members_differ(book):
    nodes = [value.rpartition("#")[2] for value in book.values("bibld:valueSource")]
    assert nodes == [
        "value-name-0",
        "value-name-1",
        "value-origin_info-0-date_issued--1",
        "value-related_item-1",
        "value-title_info-0",
        "value-title_info-1",
    ]
    node = f"{RESOURCE}#value-title_info-1"
    assert book.values("rdf:value", node) == ["Anna Karenina : roman"]
    assert book.values("prov:wasDerivedFrom", node) == [":record/loc/ocm00035782"]


def test_a_value_names_the_property_that_it_is_published_with(book):
    found = {
        node.rpartition("#value-")[2]: book.values("bibld:property", node.replace(":", BASE, 1))
        for node in book.values("bibld:valueSource")
    }
    assert {path: [name.rpartition("/")[2] for name in names] for path, names in found.items()} == {
        "name-0": ["creator"],
        "name-1": ["creator"],
        "origin_info-0-date_issued--1": ["issued"],
        "related_item-1": ["isPartOf"],
        "title_info-0": ["title"],
        "title_info-1": ["title"],
    }


def test_all_values_of_a_property_name_their_records_if_any_differs():
    year = OriginInfo(date_issued=(Date("1978", encoding="w3cdtf"), Date("1979", encoding="w3cdtf")))
    description = Mods(origin_info=(year,), language=(Language((LanguageTerm("rus", type="code"),)),))
    sources = (
        ValueSource("origin_info/0/date_issued/0", (LOC, NLR)),
        ValueSource("origin_info/0/date_issued/1", (LOC,)),
        ValueSource("language/0", (LOC, NLR)),
    )
    made = Quads(cluster_statements(Merged(Cluster(NLR, (NLR, LOC)), description, sources), [], IRIS).quads)
    nodes = [node.replace(":", BASE, 1) for node in made.values("bibld:valueSource")]
    found = {tuple(made.values("rdf:value", node)): len(made.values("prov:wasDerivedFrom", node)) for node in nodes}
    assert found == {("1978",): 2, ("1979",): 1}
    assert {tuple(made.values("bibld:property", node)) for node in nodes} == {("http://purl.org/dc/terms/issued",)}


def test_a_value_that_lost_in_merging_is_published_with_its_record_and_marked(book):
    node = f"{RESOURCE}#value-origin_info-0-date_issued--1"
    assert book.values("bibld:path", node) == ["origin_info/0/date_issued"]
    assert book.values("rdf:value", node) == ["1969"]
    assert book.values("prov:wasDerivedFrom", node) == [":record/loc/ocm00035782"]
    assert book.values("rdf:type", node) == [":ontology#ValueNotShown", ":ontology#ValueSource"]
    assert book.values("rdf:type", f"{RESOURCE}#value-title_info-1") == [":ontology#ValueSource"]


def test_provenance_can_be_that_of_records_only_or_left_out():
    full, records, none = (
        cluster_statements(MERGED, [EDGE], IRIS, TriplifyConfig(provenance=provenance)).quads
        for provenance in ("full", "records", "none")
    )
    in_provenance = f"<{BASE}graph/provenance>"
    assert [line for line in full if in_provenance not in line] == list(none)
    assert set(none) < set(records) < set(full)
    assert not any("#value-" in line or "/match/" in line for line in records)
    assert any("wasDerivedFrom" in line for line in records)
    assert Quads(none).values("owl:sameAs") == [":resource/loc/ocm00035782"]


def test_a_host_is_linked_by_iri_where_its_record_is_in_the_catalog():
    made = cluster_statements(MERGED, [], IRIS, exists={SET}.__contains__)
    assert f":resource/{SET.path}" in Quads(made.quads).values("dcterms:isPartOf")
    assert made.existence_dependencies == (SET,)


def test_a_host_that_is_not_in_the_catalog_is_described_by_a_node(book):
    (host,) = [value for value in book.values("dcterms:isPartOf") if "#host" in value]
    assert book.values("dcterms:title", BASE + host[1:]) == ["Собрание сочинений@ru"]
    assert not any(IRIS.resource(SET) in line for line in book.lines)


def test_series_have_an_entity_and_the_number_is_in_the_relation(book):
    (series,) = [value for value in book.values("dcterms:isPartOf") if value.startswith(":series/")]
    assert book.values("bf:associatedResource", f"{RESOURCE}#relation1") == [series]
    assert book.values("bf:seriesEnumeration", f"{RESOURCE}#relation1") == ["т. 5"]


def test_the_number_of_a_section_is_in_the_name_of_the_series_where_the_volume_has_a_number_of_its_own():
    title = TitleInfo("Ученые записки", part_number=("Сер. А",), part_name=("Физика",))
    volume = Part(detail=(Detail(type="volume", number=("вып. 5",)),))
    series = RelatedItem(type="series", mods=Mods(title_info=(title,), part=(volume,)))
    made = cluster_statements(alone(Mods(related_item=(series,))), [], IRIS)
    assert Quads(made.quads).values("bf:seriesEnumeration", f"{RESOURCE}#relation1") == ["вып. 5"]
    (series,) = [claim for claim in made.claims if claim.kind == "series"]
    assert series.value.label.text == "Ученые записки. Сер. А, Физика"


@pytest.mark.parametrize(
    ("description", "classes"),
    [
        (Mods(type_of_resource=(TypeOfResource("text"),)), {"bibo:Document", "schema:CreativeWork"}),
        (
            Mods(type_of_resource=(TypeOfResource("text"),), origin_info=(OriginInfo(issuance=("serial",)),)),
            {"bibo:Periodical", "schema:Periodical"},
        ),
        (
            Mods(genre=(Genre("series"),), origin_info=(OriginInfo(issuance=("serial",)),)),
            {"bibo:Series", "schema:CreativeWorkSeries"},
        ),
        (
            Mods(
                related_item=(RelatedItem(type="host"),), origin_info=(OriginInfo(issuance=("integrating resource",)),)
            ),
            {"bibo:Document", "schema:CreativeWork"},
        ),
        (Mods(type_of_resource=(TypeOfResource("cartographic"),)), {"bibo:Map", "schema:Map"}),
        (Mods(related_item=(RelatedItem(type="host"),)), {"bibo:Article", "schema:Article"}),
        (  # a volume whose set is named by its number alone, and one of a part of a set
            Mods(related_item=(RelatedItem(type="host"),), origin_info=(OriginInfo(issuance=("monographic",)),)),
            {"bibo:Book", "schema:Book"},
        ),
        (
            Mods(
                related_item=(RelatedItem(type="host", other_type="subset"),),
                origin_info=(OriginInfo(issuance=("monographic",)),),
            ),
            {"bibo:Book", "schema:Book"},
        ),
        (Mods(), {"bibo:Document", "schema:CreativeWork"}),
    ],
)
def test_the_kind_of_resource_decides_its_classes(description, classes):
    found = describe(description).values("rdf:type")
    short = {value.rpartition("/")[2] for value in found}
    assert short == {name.partition(":")[2] for name in classes} | {"Instance"}


@pytest.mark.parametrize(
    ("dates", "issued"),
    [
        (
            (Date("1868", encoding="marc", point="start"), Date("1869", encoding="marc", point="end")),
            [f"1868/1869^{EDTF}"],
        ),
        ((Date("[1978?]"),), [f"1978?^{EDTF}"]),
        ((Date("1868-1869"),), [f"1868/1869^{EDTF}"]),
        ((Date("19uu", encoding="marc"), Date("[19--]")), [f"19XX^{EDTF}"]),
        ((Date("2003-05", encoding="w3cdtf"),), ["2003-05^gYearMonth"]),
        ((Date("2003-13-01", encoding="w3cdtf"),), []),
        ((Date("0000", encoding="marc"),), []),
    ],
)
def test_exact_dates_have_types_of_xml_schema_and_others_that_of_edtf(dates, issued):
    assert describe(Mods(origin_info=(OriginInfo(date_issued=dates),))).values("dcterms:issued") == issued


def test_a_statement_that_place_and_publisher_are_unknown_is_no_entity():
    description = Mods(
        origin_info=(
            OriginInfo(
                place=(Place((PlaceTerm("[Б. м.]", type="text"),)),),
                publisher=(Publisher("[s. n.]"),),
                date_issued=(Date("1905"),),
            ),
        )
    )
    made = cluster_statements(alone(description), [], IRIS)
    assert [claim.entity for claim in made.claims] == [WORK]
    assert Quads(made.quads).values("bf:publicationStatement") == ["[Б. м.] : [s. n.], 1905"]


def test_names_of_records_without_identifier_meet_across_scripts():
    russian, romanised = person("Толстой, Лев Николаевич", "1828-1910"), person("Tolstoĭ, Lev Nikolaevich", "1828-1910")
    made = describe(Mods(name=(russian, romanised)))
    assert len(made.values("dcterms:contributor")) == 1


def test_two_people_of_one_heading_and_different_dates_do_not_meet_through_one_without():
    plain, old, young = (person("Иванов, Иван", dates) for dates in (None, "1900-1950", "1960-"))
    made = describe(Mods(name=(old, young, plain)))
    assert len(made.values("dcterms:contributor")) == 2


def test_people_with_other_dates_are_others():
    made = describe(Mods(name=(person("Иванов, Иван", "1900-1950"), person("Иванов, Иван", "1960-"))))
    assert len(made.values("dcterms:contributor")) == 2


def test_a_role_without_a_code_is_a_node_with_its_words():
    role = Role(role_term=(RoleTerm("придворный поэт", type="text"),))
    made = describe(Mods(name=(person("Иванов, Иван", role=(role,)),)))
    assert made.values("rdfs:label", f"{RESOURCE}#role1") == ["придворный поэт"]
    assert not any("relators/" in line for line in made.lines)


def test_an_unknown_relator_code_makes_no_iri():
    made = describe(Mods(name=(person("Иванов, Иван", role=code("zzz")),)))
    assert not any("relators/" in line for line in made.lines)


def test_pages_of_an_article_and_of_a_book():
    article = RelatedItem(type="host", mods=Mods(part=(Part(extent=(PartExtent(start="5", end="17", unit="page"),)),)))
    made = describe(Mods(related_item=(article,)))
    assert (made.values("bibo:pageStart"), made.values("bibo:pageEnd")) == (["5"], ["17"])
    extent = (PhysicalDescription(extent=(Extent("366 с. : ил. ; 20 см"),)),)
    book = describe(Mods(physical_description=extent, origin_info=(OriginInfo(issuance=("monographic",)),)))
    assert book.values("schema:numberOfPages") == ["366^integer"]
    score = describe(Mods(physical_description=extent, type_of_resource=(TypeOfResource("notated music"),)))
    assert score.values("schema:numberOfPages") == [], "schema.org has it for books"


def test_languages_are_those_of_the_library_of_congress():
    made = describe(
        Mods(language=(Language((LanguageTerm("ger", type="code"),)), Language((LanguageTerm("xx", type="code"),))))
    )
    assert made.values("dcterms:language") == ["http://id.loc.gov/vocabulary/iso639-2/ger"]
    assert made.values("schema:inLanguage") == ["xx"]


def test_no_line_occurs_twice_and_the_order_is_that_of_subjects(book):
    assert len(set(book.lines)) == len(book.lines)
    assert book.lines[0].startswith(f"<{RESOURCE}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>")


def test_the_order_of_sources_and_of_edges_changes_nothing(book):
    for sources in permutations(MERGED.sources[:4]):
        shuffled = msgspec.structs.replace(MERGED, sources=(*sources, *MERGED.sources[4:]))
        assert cluster_statements(shuffled, [EDGE], IRIS).quads == book.lines
    other = msgspec.structs.replace(EDGE, pair=msgspec.structs.replace(EDGE.pair, left=RecordId("a", "1")))
    assert cluster_statements(MERGED, [EDGE, other], IRIS) == cluster_statements(MERGED, [other, EDGE], IRIS)


def test_rdflib_and_oxigraph_read_the_same(book):
    assert rdflib_quads(book.lines) == oxigraph_quads(book.lines)


def test_claims_go_through_json():
    claims = cluster_statements(MERGED, [EDGE], IRIS).claims
    assert msgspec.json.decode(msgspec.json.encode(claims), type=tuple[Claim, ...]) == claims


# --- laws

OWN_IRI = re.compile(
    re.escape(BASE) + r"(?:(?:resource|record|agent|place|publisher|series|match|work)/|concept/(?:[A-Za-z0-9_~-]+/)?"
    r"|dataset/|graph/|ontology#)"
    r"[A-Za-z0-9_~/-]+(?:#[A-Za-z0-9_~-]+)?"
)


@st.composite
def merged_descriptions(draw):
    members = draw(st.lists(record_ids(), min_size=1, max_size=3, unique=True))
    description = draw(mods())
    paths = [f"{field}/{n}" for field in Mods.elements for n in range(len(getattr(description, field)))]
    holders = st.lists(st.sampled_from(members), min_size=1, unique=True).map(tuple)
    sources = tuple(ValueSource(path, draw(holders)) for path in paths) if len(members) > 1 else ()
    return Merged(Cluster(members[0], tuple(members)), description, sources)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(merged_descriptions(), st.booleans())
def test_any_description_gives_readable_quads_without_blank_nodes(merged, exists):
    made = cluster_statements(merged, [], IRIS, exists=lambda record: exists)
    assert made == cluster_statements(merged, [], IRIS, exists=lambda record: exists)
    lines = describe(merged, exists=lambda record: exists).lines
    assert len(set(lines)) == len(lines)
    assert all(line.endswith(" .\n") and line.count("\n") == 1 for line in lines)
    quads = oxigraph_quads(lines)
    assert len(quads) == len(lines)
    described = {subject[1].partition("#")[0] for subject, *_ in quads}
    described |= {IRIS.resource(record) for record in merged.cluster.members}
    for record in made.existence_dependencies if exists else ():
        described |= {IRIS.resource(record), IRIS.work_of(record)}
    for *terms, graph in quads:
        for kind, text, *_ in (*terms, ("iri", graph)):
            if kind == "iri" and text.startswith(BASE):
                assert OWN_IRI.fullmatch(text), text
                assert text.startswith((f"{BASE}ontology#", f"{BASE}graph/", f"{BASE}dataset/")) or (
                    text.partition("#")[0] in described
                ), f"{text} is mentioned and not described"


@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(merged_descriptions())
def test_both_parsers_read_the_same_from_any_description(merged):
    lines = cluster_statements(merged, [], IRIS).quads
    assert rdflib_quads(lines) == oxigraph_quads(lines)


def test_a_literal_with_odd_line_separators_stays_one_line():
    made = cluster_statements(alone(Mods(title_info=(TitleInfo("a\u2028b\x85c\x1cd\ne"),))), [], IRIS)
    assert Quads(made.quads).values("dcterms:title") == ["a b c d e"]


def test_an_identifier_of_any_shape_is_a_literal():
    made = describe(Mods(identifier=(Identifier('"><x> \\', type='no "scheme"'),)))
    assert made.values("rdf:value", f"{RESOURCE}#identifier1") == ['"><x> \\']
    assert isinstance(made.quads[0].subject, ox.NamedNode)
