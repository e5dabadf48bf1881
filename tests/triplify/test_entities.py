"""The description of agents, concepts, places, publishers and series, from all claims about them."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.mods import (
    Location,
    Mods,
    NameIdentifier,
    OriginInfo,
    PhysicalLocation,
    Place,
    PlaceTerm,
    Publisher,
    TitleInfo,
)
from bibld.model.origin import RecordId
from bibld.model.release import SourceFigures
from bibld.triplify import (
    Claim,
    EntityClaim,
    NameForm,
    cluster_statements,
    dataset_statements,
    entity_statements,
    to_quads,
)
from bibld.triplify._dates import life_years
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
    describe,
    person,
)

AGENT = IRIS.agent("viaf-1")


def claim(text: str, record: str, language: str = "ru", **more) -> Claim:
    return Claim(
        AGENT, "agent", EntityClaim(label=NameForm(text, language), type="personal", **more), RecordId("a", record)
    )


def about(*claims: Claim) -> Quads:
    return Quads(entity_statements(AGENT, claims, IRIS))


def test_the_label_is_the_form_that_most_records_have():
    made = about(claim("Толстой, Л.", "1"), claim("Толстой, Л.", "2"), claim("Толстой, Лев Николаевич", "3"))
    assert made.values("skos:prefLabel", AGENT) == ["Толстой, Л.@ru"]
    assert made.values("skos:altLabel", AGENT) == ["Толстой, Лев Николаевич@ru"]


def test_one_record_that_repeats_a_form_has_one_vote():
    made = about(claim("А", "1"), claim("А", "1", dates="1900"), claim("А", "1", dates="1901"), claim("Аб", "2"))
    assert made.values("skos:prefLabel", AGENT) == ["Аб@ru"]


def test_of_equals_the_longest_label_is_preferred_then_the_first_by_code_point():
    made = about(claim("Толстой, Л.", "1"), claim("Толстой, Б. Б.", "2"), claim("Толстой, А. А.", "3"))
    assert made.values("skos:prefLabel", AGENT) == ["Толстой, А. А.@ru"]


def test_each_language_has_one_preferred_label():
    made = about(claim("Толстой", "1"), claim("Tolstoĭ", "2", "ru-Latn"), claim("Tolstoy", "3", ""))
    assert made.values("skos:prefLabel", AGENT) == ["Tolstoy", "Tolstoĭ@ru-latn", "Толстой@ru"]
    assert made.values("rdfs:label", AGENT) == made.values("skos:prefLabel", AGENT)
    assert made.values("foaf:name", AGENT) == made.values("schema:name", AGENT) == []


def test_links_are_in_the_graph_of_their_authority():
    made = about(claim("А", "1", links=("http://viaf.org/viaf/1", "https://d-nb.info/gnd/118540238")))
    assert made.values("owl:sameAs", AGENT) == ["http://viaf.org/viaf/1", "https://d-nb.info/gnd/118540238"]
    assert made.graphs("owl:sameAs") == {f"<{BASE}graph/links-{name}>" for name in ("viaf", "gnd")}


def test_without_claims_there_are_no_statements():
    assert entity_statements(AGENT, [], IRIS) == ()


def test_claims_about_others_do_not_count():
    other = Claim(IRIS.agent("viaf-2"), "agent", EntityClaim(label=NameForm("Б")), RecordId("a", "1"))
    assert about(claim("А", "1"), other).lines == about(claim("А", "1")).lines


def test_the_order_and_the_repetition_of_claims_change_nothing():
    claims = [claim("А", "1", dates="1828-1910"), claim("Б", "2"), claim("A", "3", ""), claim("Б", "4")]
    expected = about(*claims).lines
    assert all(about(*order).lines == expected for order in permutations(claims))
    assert about(*claims, *claims).lines == expected


forms = st.builds(NameForm, st.sampled_from(["А", "Аб", "Б", "A"]), st.sampled_from(["", "ru", "ru-Latn"]))
values = st.builds(
    EntityClaim,
    label=forms,
    others=st.lists(forms, max_size=2).map(tuple),
    dates=st.sampled_from(["", "1828-1910", "р. 1950"]),
    type=st.sampled_from(["", "personal", "corporate"]),
)
claims_of_any = st.builds(
    Claim, st.just(AGENT), st.just("agent"), values, st.builds(RecordId, st.just("a"), st.sampled_from("123"))
)


@given(
    st.lists(claims_of_any, min_size=1, max_size=8).flatmap(lambda one: st.tuples(st.just(one), st.permutations(one)))
)
def test_entities_are_functions_of_the_set_of_claims(orders):
    one, other = orders
    made = about(*one)
    assert made.lines == about(*other, *one).lines
    labels = [form.rpartition("@")[2] if "@" in form else "" for form in made.values("skos:prefLabel", AGENT)]
    assert len(set(labels)) == len(labels) > 0
    assert not set(made.values("skos:prefLabel", AGENT)) & set(made.values("skos:altLabel", AGENT))


def test_an_entity_changes_only_by_the_claims_of_a_record_that_goes():
    claims = cluster_statements(MERGED, [], IRIS).claims
    entities = {one.entity for one in claims}
    without = [one for one in claims if one.record.source != "loc"]
    for entity in entities:
        own = [one for one in claims if one.entity == entity]
        if all(one.record.source != "loc" for one in own):
            assert entity_statements(entity, claims, IRIS) == entity_statements(entity, without, IRIS)


def agents_of(*names, record: RecordId = NLR) -> list[str]:
    return describe(alone(Mods(name=names), record)).agents()


def test_an_identified_person_is_the_same_as_everybody_of_that_name_and_those_dates():
    identified = person("Чехов, Антон Павлович", "1860-1904", name_identifier=(NameIdentifier("77571", type="local"),))
    (by_number,) = agents_of(identified)
    (by_name,) = agents_of(person("Chekhov, Anton Pavlovich", "1860-1904"))
    made = Quads(to_quads([alone(Mods(name=(identified,)))], IRIS))
    assert made.values("owl:sameAs", by_number) == [by_name.replace(BASE, ":")]
    assert made.values("skos:prefLabel", by_name) == []


def test_a_name_without_dates_is_not_the_agent_of_a_similar_name():
    assert agents_of(person("Mayer, Hans")) != agents_of(person("Maier, Hans"))
    assert agents_of(person("Mayer, Hans")) == agents_of(person("Mayer, Hans,"))


def test_numbers_without_an_organisation_belong_to_their_source():
    def key(number: str, source: str) -> list[str]:
        name = person("Иванов, И.", name_identifier=(NameIdentifier(number, type="local"),))
        return agents_of(name, record=RecordId(source, "1"))

    assert key("123", "rsl") != key("123", "nlr")
    assert key("RU\\NLR\\auth\\123", "rsl") == key("RU\\NLR\\auth\\123", "nlr") == [IRIS.agent("RU\\NLR\\auth\\123")]
    assert key("(DE-588)118540238", "rsl") == [IRIS.agent("gnd-118540238")]


def test_romanised_places_and_publishers_meet_the_russian_ones():
    def origin(place: str, publisher: str) -> Mods:
        info = OriginInfo(place=(Place((PlaceTerm(place, type="text"),)),), publisher=(Publisher(publisher),))
        return Mods(origin_info=(info,), language=MERGED.mods.language)

    def entities(description: Mods) -> list[str]:
        made = describe(description)
        return [*made.values("bf:place", f"{RESOURCE}#provision1"), *made.values("dcterms:publisher")]

    assert entities(origin("Moskva", "Nauka")) == entities(origin("[М.]", "Наука,")) != []


def test_places_that_catalogues_shorten_are_named_in_full():
    info = OriginInfo(place=(Place((PlaceTerm("СПб.", type="text"),)),))
    made = describe(Mods(origin_info=(info,), language=MERGED.mods.language))
    (place,) = made.values("bf:place", f"{RESOURCE}#provision1")
    assert made.values("skos:prefLabel", place) == ["Санкт-Петербург"]
    assert made.values("skos:altLabel", place) == ["СПб."]


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ("1828-1910", ("1828", "1910")),
        ("1950-", ("1950", "")),
        ("р. 1950", ("1950", "")),
        ("b. 1950", ("1950", "")),
        ("ум. 915", ("", "0915")),
        ("ок. 915", ("", "")),
        ("19 в.", ("", "")),
        ("0-10", ("", "")),
        ("ca. 1410-1478", ("", "1478")),
        ("1254-1323?", ("1254", "")),
        ("1515c-1565", ("", "1565")),
        ("1691†", ("", "1691")),
        ("1629*", ("1629", "")),
        ("1947 Nov. 15-", ("1947", "")),
        ("active 1690-1700", ("", "")),
        ("384-322 B.C.", ("", "")),
        ("1850-60", ("", "")),
    ],
)
def test_years_of_life_are_published_only_if_they_are_certain(dates, years):
    assert life_years(dates) == years


def test_sources_are_parts_of_the_dataset_with_label_and_licence():
    source = SourceFigures("rsl", {"en": "RSL", "ru": "РГБ"}, "https://example.org/licence", 1, 1, 0, 0)
    made = Quads(dataset_statements([source], IRIS))
    assert made.values("void:subset", IRIS.dataset) == [":dataset/rsl"]
    assert made.values("rdfs:label", IRIS.source("rsl")) == ["RSL@en", "РГБ@ru"]
    assert made.values("dcterms:license", IRIS.source("rsl")) == ["https://example.org/licence"]
    assert made.graphs("void:subset") == {f"<{BASE}graph/dataset>"}


def test_the_library_of_a_source_has_its_isil_and_is_the_holder_that_records_name_by_it():
    source = SourceFigures("rsl", {"en": "RSL"}, "https://example.org/licence", 1, 1, 0, 0, isil="RU-10010001")
    description = Mods(location=(Location(physical_location=(PhysicalLocation("RU-10010001"),)),))
    quads = Quads([*describe(description).lines, *dataset_statements([source], IRIS)])
    library = quads.values("dcterms:publisher", IRIS.source("rsl"))
    assert library == [":agent/isil-RU-10010001"]
    assert quads.values("bf:heldBy", f"{RESOURCE}#item1") == library
    assert "RU-10010001" in quads.values("dcterms:identifier", library[0])
    assert "RSL@en" in quads.values("rdfs:label", library[0])


def test_a_source_states_where_its_library_is_and_how_its_catalogue_is_asked():
    source = SourceFigures(
        "rsl", {"en": "RSL"}, "https://example.org/licence", 1, 1, 0, 0,
        catalogue_url="https://opac.example.org/{id}", address={"ru": "Москва"}, opening={"ru": "пн–сб 9–20"},
        contact="info@example.org",
    )  # fmt: skip
    quads = Quads(dataset_statements([source], IRIS))
    (library,) = quads.values("dcterms:publisher", IRIS.source("rsl"))
    assert library == ":dataset/rsl#library"  # it has no ISIL
    assert quads.values("schema:address", library) == ["Москва@ru"]
    assert quads.values("schema:openingHours", library) == ["пн–сб 9–20@ru"]
    assert quads.values("schema:email", library) == ["info@example.org"]
    (action,) = quads.values("schema:potentialAction", library)
    (entry,) = quads.values("schema:target", action)
    assert quads.values("schema:urlTemplate", entry) == ["https://opac.example.org/{id}"]


@pytest.mark.parametrize(
    ("contact", "predicate"),
    [("https://example.org/ask", "foaf:page"), ("ask@example.org", "schema:email"), ("+7 495 000", "schema:telephone")],
)
def test_a_contact_is_a_page_a_mail_address_or_a_telephone(contact, predicate):
    source = SourceFigures("rsl", {}, "https://example.org/licence", 1, 1, 0, 0, contact=contact)
    assert Quads(dataset_statements([source], IRIS)).values(predicate, f"{IRIS.source('rsl')}#library") == [contact]


def test_a_source_without_any_of_these_has_no_library():
    source = SourceFigures("rsl", {"en": "RSL"}, "https://example.org/licence", 1, 1, 0, 0)
    assert "library" not in "".join(dataset_statements([source], IRIS))


def test_a_title_only_record_claims_nothing_but_its_work():
    claims = cluster_statements(alone(Mods(title_info=(TitleInfo("А"),))), [], IRIS).claims
    assert [claim.entity for claim in claims] == [WORK]


def test_a_match_between_two_clusters_is_not_published():
    clusters = [alone(Mods(title_info=(TitleInfo("А"),))), alone(Mods(), LOC)]
    lines = list(to_quads(clusters, IRIS, [EDGE]))
    assert lines == list(to_quads(clusters, IRIS))
    assert IRIS.match(EDGE.pair) in "".join(to_quads([MERGED], IRIS, [EDGE]))


@pytest.mark.parametrize(
    ("dates", "years"),
    [("0000-1910", ("", "1910")), ("1828-0000", ("1828", "")), ("000-", ("", "")), ("р. 0000", ("", ""))],
)
def test_there_is_no_year_0(dates, years):
    assert life_years(dates) == years
    made = Quads(entity_statements(AGENT, [claim("Толстой", "1", dates=dates)], IRIS))
    assert made.values("schema:birthDate", AGENT) == [f"{year}^gYear" for year in years[:1] if year]
    assert made.values("schema:deathDate", AGENT) == [f"{year}^gYear" for year in years[1:] if year]


def test_numbers_that_libraries_gave_are_identifiers_and_those_of_authority_files_are_links():
    one = claim("Толстой", "1", numbers=("viaf viaf-1", "RU~5CNLR~5Cauth~5C RU\\NLR\\auth\\77626676"))
    made = about(one, claim("Толстой", "2", numbers=("rsl~3A rsl:77571",)))
    nodes = [f"{BASE}{node.removeprefix(':')}" for node in made.values("bf:identifiedBy", AGENT)]
    assert [made.values("rdf:value", node) for node in nodes] == [["77571"], ["RU\\NLR\\auth\\77626676"]]
    assert [made.values("dcterms:source", node) for node in nodes] == [[":dataset/rsl"], []]
    assert all(made.values("rdf:type", node) == ["http://id.loc.gov/ontologies/bibframe/Local"] for node in nodes)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("mesh", ["Medical Subject Headings@en", "Медицинские предметные рубрики@ru"]),
        ("nasat", ["NASA Thesaurus@en"]),
        ("of-nobody", []),
    ],
)
def test_a_scheme_without_a_known_name_has_its_code_only(code, names):
    scheme = IRIS.scheme(code)
    stated = Claim(scheme, "scheme", EntityClaim(NameForm(code), notation=code), LOC)
    made = Quads(entity_statements(scheme, [stated], IRIS))
    assert made.values("rdfs:label", scheme) == made.values("skos:prefLabel", scheme) == names
    assert made.values("skos:notation", scheme) == [code]
