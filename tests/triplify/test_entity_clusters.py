"""Which IRIs are one entity, and which never are."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.mods import Mods, Name, NameIdentifier, NamePart, OriginInfo, Publisher, Role, RoleTerm, Subject, Topic
from bibld.model.origin import RecordId
from bibld.triplify import to_quads
from bibld.triplify._claims import Assertion, EntityClaim, NameForm
from bibld.triplify._dates import life_intervals
from bibld.triplify._entity_clusters import EntityProfile, cluster_component, components, rank_of_iri
from bibld.triplify._identity import parse_person_name
from tests.triplify.merged_book import BASE, IRIS, LOC, NLR, Quads, alone, person

AUTHOR = (Role((RoleTerm("aut", type="code", authority="marcrelator"),)),)
PUBLISHED = (Role((RoleTerm("pbl", type="code", authority="marcrelator"),)),)


def numbered(heading: str, dates: str | None, *numbers: str, kind: str = "local", **more) -> Name:
    return person(heading, dates, name_identifier=tuple(NameIdentifier(one, type=kind) for one in numbers), **more)


def described(*names: Name) -> list[list[str]]:
    """The agents that records with one name each describe: the labels of each."""
    records = [alone(Mods(name=(name,)), RecordId("rsl", str(at))) for at, name in enumerate(names)]
    made = Quads(to_quads(records, IRIS))
    return [made.values("skos:prefLabel", agent) for agent in made.agents()]


TOLSTOY = person("Толстой, Лев Николаевич", "1828-1910")


@pytest.mark.parametrize(
    "other",
    [
        numbered("Толстой, Лев Николаевич", "1828-1910", "RU\\NLR\\auth\\77626676"),
        person("Tolstoĭ, Lev Nikolaevich", "1828-1910"),
        person("Толстой, Лев Николаевич", "1828-"),
        person("Tolstoĭ, L. N. (Lev Nikolaevich)", "1828-1910"),
    ],
)
def test_a_full_name_and_the_years_make_one_person(other):
    assert len(described(TOLSTOY, other)) == 1


@pytest.mark.parametrize(
    "other",
    [
        person("Толстой, Лев Николаевич"),
        person("Толстой, Лев Николаевич", "1829-1910"),
        person("Толстой, Лев Николаевич", "1828-1911"),
        person("Толстой, Алексей Николаевич", "1828-1910"),
        person("Толстой, Л. Н.", "1828-"),
        Name(name_part=(NamePart("Толстой, Лев Николаевич"), NamePart("1828-1910", type="date")), type="corporate"),
    ],
)
def test_other_names_years_and_types_do_not(other):
    assert len(described(TOLSTOY, other)) == 2


def test_a_short_form_of_a_name_and_both_years_make_one_person_unless_two_fit():
    short = person("Бердяев, Николай", "1874-1948")
    full = person("Бердяев, Николай Александрович", "1874-1948")
    other = person("Бердяев, Николай Петрович", "1874-1948")
    assert len(described(short, full)) == 1
    assert len(described(short, full, other)) == 3
    assert len(described(full, other)) == 2


def test_numbers_in_one_heading_tie_the_headings_that_have_one_of_them():
    both = numbered("Толстой, Л. Н.", None, "(DE-588)118623338", "RU\\NLR\\auth\\77626676")
    german = numbered("Tolstoi, Leo", None, "(DE-588)118623338")
    russian = numbered("Толстой", None, "RU\\NLR\\auth\\77626676")
    assert len(described(german, russian)) == 2
    assert len(described(german, russian, both)) == 1


def test_two_numbers_of_one_file_are_two_persons():
    one = numbered("Иванов, Иван Иванович", "1950-", "RU\\NLR\\auth\\1")
    other = numbered("Иванов, Иван Иванович", "1950-", "RU\\NLR\\auth\\2")
    assert len(described(one, other)) == 2
    assert len(described(one, other, person("Иванов, Иван Иванович", "1950-"))) == 3  # either may be meant


def test_a_number_of_the_file_of_subjects_does_not_contradict_that_of_the_file_of_names():
    writer = numbered("Замятин, Евгений Иванович", "1884-1937", "RU\\NLR\\auth\\7785237")
    subject = numbered("Замятин, Евгений Иванович", "1884-1937", "RU\\NLR\\auth\\661511035")
    record = alone(Mods(name=(writer,), subject=(Subject((subject,), authority="nlr-sh"),)))
    made = Quads(to_quads([record], IRIS))
    assert len(made.agents()) == 1


def test_numbers_that_a_source_gives_to_persons_and_to_organisations_are_not_the_same():
    cima = numbered("Cima, Gian Paolo", None, "40000664")
    ballard = Name(
        name_part=(NamePart("Ballard, Robert"),), type="corporate", name_identifier=(NameIdentifier("40000664"),)
    )
    assert len(described(cima, ballard)) == 2


def test_names_of_one_word_are_known_by_their_terms():
    def alexander(term: str) -> Name:
        return Name(name_part=(NamePart("Alexander"), NamePart(term, type="termsOfAddress")), type="personal")

    assert len(described(alexander("of Aphrodisias"), alexander("de Villa Dei"))) == 2


def merged(*names: Name) -> Merged:
    """A publication that two libraries describe, each with one of the names."""
    sources = tuple(ValueSource(f"name/{at}", (record,)) for at, record in enumerate((NLR, LOC)))
    return Merged(Cluster(NLR, (NLR, LOC)), Mods(name=names), sources)


def agents_of_merged(*names: Name) -> int:
    """How many agents a publication has that two libraries describe."""
    made = Quads(to_quads([merged(*names)], IRIS))
    return len(made.agents())


def test_forms_in_one_role_of_one_merged_publication_are_one_person():
    leo = person("Tolstoy, Leo", "1828-1910", role=AUTHOR)
    lev = person("Толстой, Лев Николаевич", "1828-1910", role=AUTHOR)
    assert agents_of_merged(leo, lev) == 1
    assert agents_of_merged(leo, person("Толстой, Алексей Константинович", "1817-1875", role=AUTHOR)) == 2
    assert agents_of_merged(person("Толстой, Л. Н.", role=AUTHOR), lev) == 1
    assert agents_of_merged(person("Толстой, А. К.", role=AUTHOR), lev) == 2


def test_initials_without_dates_stay_what_they_are_elsewhere():
    """«Иванов, А. А.» of another book is not the man whom this book shows it to be."""
    short, full = person("Иванов, А. А.", role=AUTHOR), person("Иванов, Алексей Андреевич", "1901-1980", role=AUTHOR)
    made = Quads(to_quads([merged(short, full), alone(Mods(name=(short,)), RecordId("rsl", "9"))], IRIS))
    assert len(made.agents()) == 2


def test_publications_point_to_the_founder():
    both = numbered("Чехов, Антон Павлович", "1860-1904", "RU\\NLR\\auth\\77530395")
    records = [
        alone(Mods(name=(person("Chekhov, Anton Pavlovich", "1860-1904"),)), RecordId("loc", "1")),
        alone(Mods(name=(both,)), RecordId("nlr", "2")),
    ]
    made = Quads(to_quads(records, IRIS))
    (agent,) = made.agents()
    assert "NLR" in agent
    for record in records:
        assert made.values("dcterms:contributor", IRIS.resource(record.cluster.founder)) == [f":{agent[len(BASE) :]}"]
    (other,) = made.values("owl:sameAs", agent)
    assert other.startswith(":agent/chekhov-anton-pavlovich-1860-1904")


def test_a_publisher_that_a_record_names_twice_is_one():
    agent = Name(name_part=(NamePart("Наука"),), type="corporate", role=PUBLISHED)
    info = OriginInfo(publisher=(Publisher("Изд-во «Наука»"), Publisher('Издательство "Наука"')))
    made = Quads(to_quads([alone(Mods(name=(agent,), origin_info=(info,)))], IRIS))
    assert len({one for one in made.subjects() if "/agent/" in one or "/publisher/" in one}) == 1
    assert len(made.values("dcterms:publisher", IRIS.resource(NLR))) == 1


def test_a_label_of_a_controlled_vocabulary_and_its_number_are_one_concept():
    def concepts(scheme: str) -> int:
        topics = (Topic("Women"), Topic("Women", value_uri="http://id.loc.gov/authorities/subjects/sh85147274"))
        records = [
            alone(Mods(subject=(Subject((topic,), authority=scheme),)), RecordId("loc", str(at)))
            for at, topic in enumerate(topics)
        ]
        found = Quads(to_quads(records, IRIS))
        return len([one for one in found.subjects() if one.startswith(f"{BASE}concept/{scheme}/")])

    assert (concepts("lcsh"), concepts("local")) == (1, 2)


def test_a_heading_with_subdivisions_is_not_the_heading_whose_number_it_has():
    number = "http://id.loc.gov/authorities/subjects/sh85147274"
    women = Subject((Topic("Women", value_uri=number),), authority="lcsh")
    history = Subject((Topic("Women"), Topic("History")), authority="lcsh", value_uri=number)
    found = Quads(to_quads([alone(Mods(subject=(women, history)))], IRIS))
    labels = {tuple(found.values("skos:prefLabel", one)) for one in found.subjects() if "/concept/lcsh/" in one}
    assert labels == {("Women@en",), ("Women--History@en",)}


def test_a_verdict_is_stronger_than_the_records():
    one = numbered("Иванов, Иван Иванович", "1950-", "RU\\NLR\\auth\\1")
    other = numbered("Иванов, Иван Иванович", "1951-", "RU\\NLR\\auth\\2")
    records = [alone(Mods(name=(name,)), RecordId("rsl", str(at))) for at, name in enumerate((one, other))]
    pair = (IRIS.agent("RU\\NLR\\auth\\1"), IRIS.agent("RU\\NLR\\auth\\2"))
    made = Quads(to_quads(records, IRIS, verdicts={pair: "same"}))
    assert f":{IRIS.path(pair[1])}" in made.values("owl:sameAs", pair[0])
    assert made.values("skos:prefLabel", pair[1]) == []


def profile(iri: str, ties: tuple[str, ...] = (), dates: str = "", numbers: tuple[str, ...] = ()) -> EntityProfile:
    value = EntityClaim(NameForm("x"), type="personal", dates=dates, ties=ties, numbers=numbers)
    return EntityProfile.from_assertions(BASE + iri, [Assertion("agent", value)])


def test_the_result_does_not_depend_on_the_order():
    made = [
        profile("agent/viaf-1", ("a", "b")),
        profile("agent/gnd-1-1", ("b",), "1828-1910"),
        profile("agent/x:1", ("a",), "1829-1910"),
        profile("agent/tolstoi-0123456789", ("a",), "1828-"),
    ]
    expected = cluster_component(made, {})
    assert all(cluster_component(order, {}) == expected for order in permutations(made))


profiles = st.lists(
    st.builds(
        profile,
        st.sampled_from([f"agent/{key}" for key in ("viaf-1", "viaf-2", "gnd-1", "x:1", "x:2", "a-0123456789")]),
        st.lists(st.sampled_from(["a", "b", "publication c"]), max_size=2).map(tuple),
        st.sampled_from(["", "1828-1910", "1828-", "1829-1910", "ок. 1830-1910"]),
        st.lists(st.sampled_from(["viaf viaf-1", "viaf viaf-2", "x x:1", "x x:2"]), max_size=2, unique=True).map(tuple),
    ),
    max_size=6,
    unique_by=lambda one: one.iri,
)
verdicts = st.dictionaries(
    st.tuples(st.sampled_from(["agent/viaf-1", "agent/viaf-2"]), st.sampled_from(["agent/x:1", "agent/x:2"])).map(
        lambda pair: (BASE + pair[0], BASE + pair[1])
    ),
    st.just("different"),
    max_size=2,
)


@given(profiles, verdicts, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_members_never_contradict_each_other(made, decided, random):
    clusters = [one for component in components(made, decided) for one in cluster_component(component, decided)]
    by_iri = {one.iri: one for one in made}
    assert sorted(iri for one in clusters for iri in one.members) == sorted(by_iri)
    for cluster in clusters:
        members = [by_iri[iri] for iri in cluster.members]
        assert not any(one.contradicts(other) for one in members for other in members if one is not other)
        assert not any((min(a, b), max(a, b)) in decided for a in cluster.members for b in cluster.members)
    random.shuffle(made)
    again = [one for component in components(made, decided) for one in cluster_component(component, decided)]
    assert sorted(again, key=str) == sorted(clusters, key=str)


def test_the_best_key_is_the_founder():
    keys = ["viaf-1", "gnd-118540238", "http~3A~2F~2Fexample~2Eorg~2F1", "rsl~3A77571", "tolstoi-0123456789"]
    ranks = [rank_of_iri(f"{BASE}agent/{key}") for key in keys]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bakhtin, M. M. (Mikhail Mikhaĭlovich)", "Бахтин, Михаил Михайлович"),
        ("von Goethe, Johann Wolfgang", "Goethe, Johann Wolfgang von"),
        ("Lotman, I͡U. M. (I͡Uriĭ Mikhaĭlovich)", "Лотман, Юрий Михайлович"),
    ],
)
def test_forms_of_one_name_have_one_key(one, other):
    assert parse_person_name(one) == parse_person_name(other)


@pytest.mark.parametrize(("one", "other"), [("Николай, I", "Николай, II"), ("Толстой, А. К.", "Толстой, А. Н.")])
def test_other_rulers_and_other_initials_are_other_names(one, other):
    these, those = parse_person_name(one), parse_person_name(other)
    assert these is not None
    assert those is not None
    assert not these.is_compatible(those)


@pytest.mark.parametrize(
    ("dates", "born", "died"),
    [
        ("1828-1910", (1828, 1828), (1910, 1910)),
        ("ок. 1828-1910", (1818, 1838), (1910, 1910)),
        ("1950-", (1950, 1950), None),
        ("fl. 1850", None, None),
        ("", None, None),
    ],
)
def test_uncertain_years_are_intervals(dates, born, died):
    assert life_intervals(dates) == (born, died)


def test_one_name_and_dates_in_two_spellings_are_one_entity_whatever_else_has_the_name():
    """Without given names in full, and two persons of other numbers have the name, too."""
    spellings = [person("Толстой, Л.", "1828-"), person("Tolstoy, L.", "1828-")]
    others = [numbered("Толстой, Л.", "1828-", f"RU\\NLR\\auth\\{number}") for number in (1, 2)]
    assert len(described(*spellings)) == 1
    assert len(described(*spellings, *others)) == 3
