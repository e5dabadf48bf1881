"""The work of a publication: what is stated of it, what of the publication, and how it is related to other works."""

import pytest
from msgspec.structs import replace

from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import (
    Date,
    Extent,
    Form,
    Genre,
    Identifier,
    Language,
    LanguageTerm,
    Mods,
    OriginInfo,
    PhysicalDescription,
    Publisher,
    RecordIdentifier,
    RecordInfo,
    RelatedItem,
    Role,
    RoleTerm,
    Subject,
    TargetAudience,
    TitleInfo,
    Topic,
    TypeOfResource,
)
from bibld.model.origin import RecordId
from bibld.triplify import to_quads
from tests.triplify.merged_book import (
    BASE,
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
    person,
)

LISTS = "http://id.loc.gov/vocabulary/"
BIBFRAME = "http://id.loc.gov/ontologies/bibframe/"
RUSSIAN, ENGLISH = (Language((LanguageTerm(code, type="code", authority="iso639-2b"),)) for code in ("rus", "eng"))
OTHER = RecordId("nlr", "1")
VOLUME = Form("volume", authority="rdacarrier", type="carrier")


def titled(*titles: TitleInfo, **more) -> Mods:
    return Mods(title_info=titles or (TitleInfo("Муму"),), **more)


@pytest.mark.parametrize(
    ("description", "predicate", "of_work", "of_publication"),
    [
        (Mods(language=(RUSSIAN,)), "bf:language", [f"{LISTS}iso639-2/rus"], []),
        (Mods(language=(RUSSIAN,)), "dcterms:language", [], [f"{LISTS}iso639-2/rus"]),
        (Mods(genre=(Genre("theses", authority="marcgt"),)), "bf:genreForm", [f"{LISTS}marcgt/the"], []),
        (Mods(type_of_resource=(TypeOfResource("text"),)), "bf:content", [f"{LISTS}contentTypes/txt"], []),
        (Mods(physical_description=(PhysicalDescription(form=(VOLUME,)),)), "bf:carrier", [], [f"{LISTS}carriers/nc"]),
        (Mods(physical_description=(PhysicalDescription(extent=(Extent("5 с."),)),)), "isbd:P1053", [], ["5 с."]),
        (Mods(origin_info=(OriginInfo(date_issued=(Date("1970"),)),)), "dcterms:issued", [], ["1970^gYear"]),
        (Mods(origin_info=(OriginInfo(publisher=(Publisher("Наука"),)),)), "bf:publicationStatement", [], ["Наука"]),
        (Mods(identifier=(Identifier("5-7107-6512-0", type="isbn"),)), "bibo:isbn10", [], ["5710765120"]),
        (Mods(), "bf:instanceOf", [], [f":{WORK[len(BASE) :]}"]),
        (Mods(), "bf:hasInstance", [f":{RESOURCE[len(BASE) :]}"], []),
        (Mods(), "rdf:type", [f"{BIBFRAME}Work"], None),
    ],
)
def test_the_work_has_what_all_its_editions_share_and_the_publication_what_is_printed(
    description, predicate, of_work, of_publication
):
    made = describe(description)
    assert made.values(predicate, WORK) == of_work
    assert of_publication is None or made.values(predicate) == of_publication


@pytest.mark.parametrize(
    ("description", "of_work", "of_publication", "kind"),
    [
        (Mods(subject=(Subject((Topic("Собаки"),)),)), "bf:subject", "dcterms:subject", "concept"),
        (Mods(subject=(Subject((person("Пушкин, А. С.", "1799-1837"),)),)), "bf:subject", "dcterms:subject", "agent"),
        (Mods(genre=(Genre("fable", authority="marcgt"),)), "bf:genreForm", "", "concept/marcgt"),
        (Mods(target_audience=(TargetAudience("для детей"),)), "bf:intendedAudience", "", "concept"),
    ],
)
def test_subjects_genres_and_audience_are_those_of_the_work(description, of_work, of_publication, kind):
    made = describe(description)
    (entity,) = made.values(of_work, WORK)
    assert entity.startswith(f":{kind}/")
    assert made.values("rdf:type", entity)
    assert made.values(of_publication or of_work) == ([entity] if of_publication else [])


@pytest.mark.parametrize(
    ("kind", "term", "content"),
    [
        ("text", None, ["txt"]),
        ("notated music", None, ["ntm"]),
        ("cartographic", None, ["cri"]),
        ("sound recording-nonmusical", None, ["spw"]),
        ("moving image", None, ["tdi"]),
        ("mixed material", None, []),
        ("text", "still image", ["sti"]),
        ("sound recording", "performed music", ["prm"]),
    ],
)
def test_the_content_type_is_that_of_336_or_else_follows_from_the_kind_of_resource(kind, term, content):
    genres = (Genre(term, authority="rdacontent"),) if term else ()
    made = describe(Mods(type_of_resource=(TypeOfResource(kind),), genre=genres))
    assert made.values("bf:content", WORK) == [f"{LISTS}contentTypes/{code}" for code in content]


def of_role(text: str) -> tuple[Role, ...]:
    return (Role((RoleTerm(text, type="text"),)),)


@pytest.mark.parametrize(
    ("name", "subject", "class_", "roles"),
    [
        (person("Толстой, Л. Н.", usage="primary"), WORK, "PrimaryContribution", []),
        (person("Толстой, Л. Н.", usage="primary", role=code("aut")), WORK, "PrimaryContribution", ["aut"]),
        (person("Толстой, Л. Н.", role=code("aut")), WORK, "Contribution", ["aut"]),
        (person("Чайковский, П. И.", role=code("cmp")), WORK, "Contribution", ["cmp"]),
        (person("Чайковский, М. И.", role=code("lbt")), WORK, "Contribution", ["lbt"]),
        (person("Гнедич, Н. И.", role=code("trl")), WORK, "Contribution", ["trl"]),
        (person("Гнедич, Н. И.", role=(*code("trl"), *code("edt"))), WORK, "Contribution", ["edt", "trl"]),
        (person("Жданов, В. А.", role=code("edt")), RESOURCE, "Contribution", ["edt"]),
        (person("Билибин, И. Я.", role=code("ill")), RESOURCE, "Contribution", ["ill"]),
        (person("Сытин, И. Д.", role=code("pbl")), RESOURCE, "Contribution", ["pbl"]),
        (person("Рихтер, С. Т.", usage="primary", role=code("prf")), RESOURCE, "PrimaryContribution", ["prf"]),
        (person("Иванов, И. И.", role=code("fmo")), RESOURCE, "Contribution", ["fmo"]),
    ],
)
def test_who_made_the_text_or_music_contributed_to_the_work_all_others_to_the_publication(name, subject, class_, roles):
    made = describe(titled(name=(name,)))
    (contribution,) = made.contributions()
    assert contribution.replace(":", BASE, 1).startswith(f"{subject}#")
    assert made.values("rdf:type", contribution) == [BIBFRAME + class_]
    assert made.values("bf:role", contribution) == [f"{LISTS}relators/{role}" for role in roles]
    (agent,) = made.values("bf:agent", contribution)
    assert agent.startswith(":agent/")
    assert [made.values(f"relators:{role}") for role in roles] == [[agent]] * len(roles), "roles are stated flat, too"


def test_a_role_of_an_author_that_has_no_code_is_a_node_of_the_work():
    name = person("Петров, В. П.", role=(*code("aut"), *of_role("придворный поэт")))
    made = describe(titled(name=(name,)))
    (contribution,) = made.contributions()
    role = f"{contribution}/role1"
    assert made.values("bf:role", contribution) == [role, f"{LISTS}relators/aut"]
    assert made.values("rdf:type", role) == [f"{BIBFRAME}Role"]
    assert made.values("rdfs:label", role) == ["придворный поэт"]


def test_one_agent_has_one_contribution_with_the_roles_of_all_records():
    tolstoy = person("Толстой, Лев Николаевич", "1828-1910", usage="primary", role=code("aut"))
    translator = replace(tolstoy, usage=None, role=code("trl"))
    made = describe(titled(name=(tolstoy, translator)))
    (contribution,) = made.contributions()
    assert made.values("bf:role", contribution) == [f"{LISTS}relators/{role}" for role in ("aut", "trl")]


WAR_AND_PEACE = TitleInfo("Война и мир")


@pytest.mark.parametrize(
    ("titles", "preferred", "others"),
    [
        ([WAR_AND_PEACE], ["Война и мир@ru"], []),
        ([replace(WAR_AND_PEACE, sub_title=("роман",))], ["Война и мир@ru"], []),
        ([TitleInfo("Роман"), replace(WAR_AND_PEACE, type="uniform")], ["Война и мир@ru"], ["Роман@ru"]),
        ([TitleInfo("Ночь"), TitleInfo("Стихотворения", type="uniform")], ["Ночь@ru"], ["Стихотворения@ru"]),
        ([TitleInfo("Мир"), TitleInfo("Мир", type="uniform", display_label="key title")], ["Мир@ru"], []),
        ([TitleInfo("Мир"), TitleInfo("Покой", type="alternative")], ["Мир@ru"], []),
        (
            [TitleInfo("Мир", part_number=("Т. 1",)), replace(WAR_AND_PEACE, type="uniform")],
            ["Мир. Т. 1@ru"],
            ["Война и мир@ru"],
        ),
        ([TitleInfo("")], ["[Untitled]@en"], []),
        ([TitleInfo("", type="uniform")], ["[Untitled]@en"], []),
        ([], ["[Untitled]@en"], []),
    ],
)
def test_a_work_has_the_uniform_title_or_that_of_the_publication(titles, preferred, others):
    made = describe(Mods(title_info=tuple(titles), language=(RUSSIAN,)))
    assert made.values("rdfs:label", WORK) == preferred
    assert made.values("skos:altLabel", WORK) == others
    assert made.values("skos:prefLabel", WORK) == []


AUTHORITY = "http://id.loc.gov/authorities/names/n79055461"


@pytest.mark.parametrize(
    ("titles", "links"),
    [
        ([TitleInfo("Библия"), TitleInfo("Bible", type="uniform", value_uri=AUTHORITY)], [AUTHORITY]),
        ([TitleInfo("Библия", part_number=("Т. 1",)), TitleInfo("Bible", type="uniform", value_uri=AUTHORITY)], []),
    ],
    ids=["the work", "a volume of it"],
)
def test_the_link_of_a_uniform_title_is_that_of_the_work_that_has_the_title(titles, links):
    made = describe(Mods(title_info=tuple(titles)))
    assert made.values("owl:sameAs", WORK) == links


TRANSLATOR = person("Maude, Aylmer", "1858-1938", role=code("trl"))
TOLSTOY = person("Толстой, Лев Николаевич", "1828-1910", usage="primary", role=code("aut"))


def test_a_translation_is_a_work_with_its_language_and_the_original_another_one_of_the_same_author():
    titles = (TitleInfo("War and peace"), TitleInfo("Война и мир", type="uniform", part_name=("English",)))
    made = describe(Mods(title_info=titles, name=(TOLSTOY, TRANSLATOR), language=(ENGLISH,)))
    (original,) = made.values("bf:translationOf", WORK)
    assert made.values("rdfs:label", WORK) == ["War and peace@en"]
    assert made.values("bf:language", WORK) == [f"{LISTS}iso639-2/eng"]
    assert len(made.creators(WORK)) == 2
    assert made.values("rdf:type", original) == [f"{BIBFRAME}Work"]
    assert made.values("rdfs:label", original) == ["Война и мир"]
    assert made.values("skos:altLabel", original) == ["Толстой, Лев Николаевич, 1828-1910. Война и мир"]
    assert made.creators(original) == made.values("relators:aut")
    assert made.values("bf:hasInstance", original) == made.values("bf:language", original) == []


def test_a_translation_of_which_no_title_is_stated_has_no_original():
    made = describe(Mods(name=(TOLSTOY, TRANSLATOR)))
    assert made.values("rdfs:label", WORK) == ["[Untitled]@en"]
    assert made.values("bf:translationOf", WORK) == []


# --- related works


def numbered(kind: str, number: str = OTHER.control_number) -> RelatedItem:
    """A related resource that the record names by title and control number."""
    info = RecordInfo(record_identifier=(RecordIdentifier(number),))
    return RelatedItem(Mods(title_info=(TitleInfo("Сочинения"),), record_info=(info,)), type=kind)


@pytest.mark.parametrize(
    ("kind", "of_work", "of_publication"),
    [
        ("host", "bf:partOf", "dcterms:isPartOf"),
        ("constituent", "bf:hasPart", "dcterms:hasPart"),
        ("preceding", "bf:precededBy", "dcterms:replaces"),
        ("succeeding", "bf:succeededBy", "dcterms:isReplacedBy"),
    ],
)
def test_records_that_name_each_other_by_number_relate_the_works_and_the_publications(kind, of_work, of_publication):
    made = describe(titled(related_item=(numbered(kind),)), exists=lambda record: record == OTHER)
    assert made.values(of_work, WORK) == [IRIS.work_of(OTHER).replace(BASE, ":")]
    assert made.values(of_publication) == [IRIS.resource(OTHER).replace(BASE, ":")]


@pytest.mark.parametrize("kind", ["otherFormat", "otherVersion", "reviewOf", None])
def test_other_editions_and_reviews_are_related_to_the_publication_alone(kind):
    made = describe(titled(related_item=(numbered(kind),)), exists=lambda record: record == OTHER)
    assert IRIS.work_of(OTHER) not in {quad.object.value for quad in made.quads}
    assert IRIS.resource(OTHER) in {quad.object.value for quad in made.quads}


@pytest.mark.parametrize("kind", ["preceding", "succeeding"])
def test_a_resource_that_is_not_in_the_catalog_relates_no_works(kind):
    made = describe(titled(related_item=(numbered(kind),)))
    assert made.values("bf:precededBy", WORK) == made.values("bf:succeededBy", WORK) == []


def test_a_host_that_is_not_in_the_catalog_is_a_work_without_a_publication():
    made = describe(titled(related_item=(numbered("host"),)))
    (host,) = made.values("bf:partOf", WORK)
    assert made.values("rdfs:label", host) == ["Сочинения"]
    assert made.values("bf:hasInstance", host) == []


def test_two_records_of_the_catalog_are_related_as_soon_as_both_are_published():
    volume, host = alone(titled(related_item=(numbered("host"),))), alone(titled(TitleInfo("Сочинения")), OTHER)
    made = Quads(to_quads([volume, host], IRIS))
    (work,) = made.values("bf:instanceOf", IRIS.resource(OTHER))
    assert made.values("bf:partOf", WORK) == [work]
    assert made.values("bf:hasInstance", work) == [IRIS.resource(OTHER).replace(BASE, ":")]


@pytest.mark.parametrize(("kind", "predicate"), [(None, "bf:relatedTo"), ("constituent", "bf:hasPart")])
def test_added_entries_of_a_name_and_a_title_are_works_that_the_work_is_related_to(kind, predicate):
    author = person("Тургенев, И. С.", "1818-1883")
    items = [RelatedItem(Mods(title_info=(TitleInfo(title),), name=(author,)), type=kind) for title in ("Муму", "Ася")]
    made = describe(titled(TitleInfo("Повести"), related_item=tuple(items)))
    works = made.values(predicate, WORK)
    assert [made.values("rdfs:label", work) for work in works] == [["Ася"], ["Муму"]]
    (agent,) = {agent for work in works for agent in made.creators(work)}
    assert made.values("skos:prefLabel", agent) == ["Тургенев, И. С."]
    assert made.values("bf:hasInstance", works[0]) == []


# --- publications of several records


def test_the_work_of_a_merged_publication_has_the_iri_of_its_founder_and_those_of_the_other_records_lead_to_it():
    made = Quads(to_quads([MERGED], IRIS))
    assert made.values("bf:instanceOf") == [WORK.replace(BASE, ":")]
    assert made.values("owl:sameAs", WORK) == [IRIS.work_of(LOC).replace(BASE, ":")]
    assert made.values("rdf:type", IRIS.work_of(LOC)) == []


def test_the_work_of_a_record_that_was_merged_with_another_one_is_that_of_both():
    merged = Merged(Cluster(OTHER, (OTHER, LOC)), titled(TitleInfo("Сочинения")), ())
    volume = alone(titled(related_item=(numbered("host", LOC.control_number),)), RecordId("loc", "2"))
    made = Quads(to_quads([merged, volume], IRIS))
    assert made.values("bf:partOf", IRIS.work_of(RecordId("loc", "2"))) == [IRIS.work_of(OTHER).replace(BASE, ":")]
    assert made.values("owl:sameAs", IRIS.work_of(OTHER)) == [IRIS.work_of(LOC).replace(BASE, ":")]


def test_all_records_of_a_publication_claim_one_work():
    made = describe(Merged(Cluster(NLR, (NLR, LOC)), titled(), ()))
    works = [subject for subject in made.subjects() if subject.startswith(f"{BASE}work/") and "#" not in subject]
    assert works == [WORK]


@pytest.mark.parametrize(
    ("decision", "of_first", "of_second"),
    [
        ("translation_of", ["bf:translationOf"], []),
        ("has_translation", [], ["bf:translationOf"]),
        ("part_of", ["bf:partOf"], ["bf:hasPart"]),
        ("has_part", ["bf:hasPart"], ["bf:partOf"]),
    ],
)
def test_people_part_works_that_the_rules_unite_and_state_how_they_are_related(decision, of_first, of_second):
    name = person("Пушкин, Александр Сергеевич", "1799-1837", usage="primary")
    novel = titled(TitleInfo("Евгений Онегин"), name=(name,))
    first, second = alone(novel, RecordId("a", "1")), alone(novel, RecordId("b", "2"))
    works = [IRIS.work_of(one.cluster.founder) for one in (first, second)]
    united = Quads(to_quads([first, second], IRIS))
    assert united.values("bf:instanceOf", IRIS.resource(second.cluster.founder)) == [works[0].replace(BASE, ":")]
    parted = Quads(to_quads([first, second], IRIS, verdicts={(works[0], works[1]): decision}))
    assert parted.values("bf:instanceOf", IRIS.resource(second.cluster.founder)) == [works[1].replace(BASE, ":")]
    for work, other, properties in ((works[0], works[1], of_first), (works[1], works[0], of_second)):
        stated = [name for name in ("bf:translationOf", "bf:partOf", "bf:hasPart") if parted.values(name, work)]
        assert stated == properties
        assert [parted.values(name, work) for name in properties] == [[other.replace(BASE, ":")]] * len(properties)
