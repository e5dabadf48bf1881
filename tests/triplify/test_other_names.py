"""Publishers, series, towns and persons that catalogues name in other forms: one entity each, and no false ones."""

import pytest

from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.mods import (
    Geographic,
    Language,
    LanguageTerm,
    Mods,
    Name,
    NameIdentifier,
    NamePart,
    OriginInfo,
    Place,
    PlaceTerm,
    Publisher,
    RelatedItem,
    Subject,
    TitleInfo,
)
from bibld.model.origin import RecordId
from bibld.text.geography.towns import FILE
from bibld.triplify import to_quads
from tests.triplify.merged_book import BASE, IRIS, LOC, NLR, Quads, alone, person


def described(publications: list[Merged], folder: str) -> list[list[str]]:
    """The labels of each entity of a folder that is described."""
    made = Quads(to_quads(publications, IRIS))
    entities = [one for one in made.subjects() if one.startswith(f"{BASE}{folder}/") and "#" not in one]
    return sorted(made.values("skos:prefLabel", one) + made.values("skos:altLabel", one) for one in entities)


def published(*publishers: str) -> Merged:
    """A publication that two libraries describe, each with one of the publishers."""
    info = OriginInfo(publisher=tuple(map(Publisher, publishers)))
    sources = [ValueSource(f"origin_info/0/publisher/{at}", (record,)) for at, record in enumerate((NLR, LOC))]
    return Merged(Cluster(NLR, (NLR, LOC)), Mods(origin_info=(info,)), tuple(sources))


def in_series(*titles: str) -> Merged:
    items = tuple(RelatedItem(type="series", mods=Mods(title_info=(TitleInfo(title),))) for title in titles)
    sources = [ValueSource(f"related_item/{at}", (record,)) for at, record in enumerate((NLR, LOC))]
    return Merged(Cluster(NLR, (NLR, LOC)), Mods(related_item=items), tuple(sources))


def by_publisher(name: str, number: str) -> Merged:
    """A publication of one record."""
    return alone(Mods(origin_info=(OriginInfo(publisher=(Publisher(name),)),)), RecordId("rsl", number))


def test_a_publication_shows_the_full_form_of_an_abbreviated_name():
    shown = published("Прогр. кн.", "Прогрессивная книга")
    assert len(described([shown], "publisher")) == 1
    elsewhere = by_publisher("Прогр. кн.", "8")
    assert len(described([shown, elsewhere], "publisher")) == 1
    assert len(described([elsewhere, by_publisher("Прогрессивная книга", "9")], "publisher")) == 2
    assert len(described([in_series("Прогр. мысль", "Прогрессивная мысль")], "series")) == 1


def test_the_name_in_full_is_preferred_however_many_use_the_abbreviation():
    many = [by_publisher("Дет. лит.", str(number)) for number in range(5)]
    ((preferred, other),) = described([published("Дет. лит.", "Детская литература"), *many], "publisher")
    assert preferred.startswith("Детская литература")
    assert other.startswith("Дет. лит.")


def test_names_of_one_record_and_unlike_names_are_not_joined():
    info = OriginInfo(publisher=(Publisher("Прогр. кн."), Publisher("Прогрессивная книга")))
    assert len(described([alone(Mods(origin_info=(info,)))], "publisher")) == 2
    assert len(described([published("Дет. лит.", "Детгиз")], "publisher")) == 2
    assert len(described([in_series("Литературные памятники", "Б-ка поэта")], "series")) == 2


def test_an_abbreviation_of_two_names_is_neither():
    one = published("Рус. яз.", "Русский язык")
    other = Merged(
        Cluster(RecordId("rsl", "7"), (RecordId("rsl", "7"), RecordId("loc", "7"))),
        Mods(origin_info=(OriginInfo(publisher=(Publisher("Рус. яз."), Publisher("Русская языковедческая"))),)),
        (
            ValueSource("origin_info/0/publisher/0", (RecordId("rsl", "7"),)),
            ValueSource("origin_info/0/publisher/1", (RecordId("loc", "7"),)),
        ),
    )
    assert len(described([one, other], "publisher")) == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The University of Minnesota Press", "Univ. of Minnesota Pr."),
        ("U.S. Geological Survey", "United States Geological Survey"),
        ("Insel-Verl.", "Insel Verlag"),
    ],
)
def test_usual_abbreviations_need_no_publication_that_shows_them(one, other):
    assert len(described([by_publisher(one, "1"), by_publisher(other, "2")], "publisher")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Сов. писатель", "Советский писатель"),
        ("Худож. лит.", "Изд-во «Художественная литература»"),
        ("Khudozhestvennai͡a lit-ra", "Художественная литература"),
        ("Изд-во АН СССР", "Издательство Академии наук СССР"),
        ("Изд-во Моск. ун-та", "Издательство Московского университета"),
        ("Sovetskiĭ pisatelʹ", "Сов. писатель"),
    ],
)
def test_words_that_the_standard_abbreviates_need_no_publication_that_shows_them(one, other):
    assert len(described([by_publisher(one, "1"), by_publisher(other, "2")], "publisher")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Сов. писатель", "Советская Россия"),
        ("Сов. писатель", "Советский писатель. Ленинградское отделение"),
        ("Худож. лит.", "Художник"),
        ("Наука", "Наука и техника"),
        ("Лит.", "Литература"),
        ("Изд-во Моск. ун-та", "Изд-во Ленингр. ун-та"),
    ],
)
def test_other_publishers_are_not_joined(one, other):
    assert len(described([by_publisher(one, "1"), by_publisher(other, "2")], "publisher")) == 2


def of_series(title: str, number: str, language: str) -> Merged:
    item = RelatedItem(type="series", mods=Mods(title_info=(TitleInfo(title),)))
    languages = (Language((LanguageTerm(language, type="code", authority="iso639-2b"),)),)
    return alone(Mods(related_item=(item,), language=languages), RecordId("rsl", number))


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        (("Б-ка поэта", "rus"), ("Библиотека поэта", "rus"), 1),
        (("Literaturnye pami͡atniki", "fre"), ("Литературные памятники", "rus"), 1),
        (("Literaturnye pamiatniki", "rus"), ("Лит. памятники", "rus"), 1),
        (("Lecture notes in computer science", "rus"), ("Lecture notes in computer science", "eng"), 1),
        (("Литературные памятники", "rus"), ("Литературное наследство", "rus"), 2),
        (("Б-ка поэта", "rus"), ("Библиотека прозаика", "rus"), 2),
        (("Mayer", "ger"), ("Maier", "ger"), 2),
    ],
)
def test_series_are_one_in_both_scripts_and_abbreviated(one, other, number):
    assert len(described([of_series(one[0], "1", one[1]), of_series(other[0], "2", other[1])], "series")) == number


def organisation(heading: str, *numbers: str) -> Name:
    identifiers = tuple(NameIdentifier(number, type="local") for number in numbers)
    return Name(name_part=(NamePart(heading),), type="corporate", name_identifier=identifiers)


CENTERS = "Centers for Disease Control"


@pytest.mark.parametrize(
    ("records", "number"),
    [
        ((Mods(name=(organisation(CENTERS),)), Mods(name=(organisation(CENTERS, "(DLC)n79005689"),))), 1),
        ((Mods(name=(organisation(CENTERS, "(OCoLC)123"),)), Mods(name=(organisation(CENTERS, "(DLC)n79005689"),))), 1),
        ((Mods(name=(organisation(CENTERS),)), Mods(origin_info=(OriginInfo(publisher=(Publisher(CENTERS),)),))), 1),
        ((Mods(name=(organisation(CENTERS),)), Mods(name=(Name(name_part=(NamePart(CENTERS),)),))), 1),
        (
            (
                Mods(name=(organisation(CENTERS),)),
                Mods(name=(organisation("Centers for Disease Control and Prevention (U.S.)"),)),
            ),
            2,
        ),
        ((Mods(name=(organisation("Bloch, M.", "(DLC)n1"),)), Mods(name=(person("Bloch, M."),))), 2),
        ((Mods(name=(organisation("Academy", "(DLC)n1"),)), Mods(name=(organisation("Academy", "(DLC)n2"),))), 2),
        (
            (
                Mods(name=(person("Müller, Eva"),)),
                Mods(origin_info=(OriginInfo(publisher=(Publisher("Müller, Eva"),)),)),
            ),
            2,
        ),
    ],
)
def test_an_organisation_is_one_by_its_heading_with_and_without_number_and_as_publisher(records, number):
    publications = [alone(mods, RecordId("loc", str(at))) for at, mods in enumerate(records)]
    assert len(described(publications, "agent")) + len(described(publications, "publisher")) == number


def printed_in(town: str, country: str, number: str, before: str = "") -> Merged:
    terms = [PlaceTerm(name, type="text") for name in (before, town) if name]
    terms += [PlaceTerm(country, type="code", authority="marccountry")] if country else []
    info = OriginInfo(place=tuple(Place((term,)) for term in terms))
    return alone(Mods(origin_info=(info,)), RecordId("loc", number))


def about(place: str, number: str) -> Merged:
    return alone(Mods(subject=(Subject((Geographic(place),)),)), RecordId("loc", number))


@pytest.mark.skipif(not FILE.exists(), reason="make additions makes the table of towns")
@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("М5.", ["Москва"]),
        ("Washington, DC (401 M St., SW, Washington 20460)", ["Washington, DC"]),
        ("Bern u.a.", ["Bern"]),
    ],
)
def test_a_typing_error_an_address_and_words_for_others_are_no_names_of_a_town(stated, names):
    assert described([printed_in(stated, "", "1")], "place") == [names]


ONE_TOWN = [
    (("New York", "nyu"), ("New York, N.Y.", "nyu")),
    (("New York", ""), ("New York (N.Y.)", "")),
    (("Washington, DC", "dcu"), ("Washington, D.C.", "")),
    (("Washington D.C.", "dcu"), ("Washington", "")),
    (("М.", "ru"), ("М5.", "")),
    (("Москва", "ru"), ("Moscow", "ru")),
    (("М.", ""), ("Moskva", "ru")),
    (("Казан", "ru"), ("Казань", "ru")),
    (("Leningrad", "ru"), ("Ленинград", "ur")),
    (("Ленинград", "ur"), ("Санкт-Петербург", "ru")),
    (("Cambridge", "enk"), ("Cambridge, England", "")),
    (("Cambridge", "mau"), ("Cambridge (Mass.)", "")),
    (("London", "onc"), ("London, Ont.", "onc")),
    (("Frankfurt a. M.", "gw"), ("Frankfurt am Main", "")),
    (("Wien", "au"), ("Vienna", "au")),
]
TWO_TOWNS = [
    (("Cambridge", "enk"), ("Cambridge", "mau")),
    (("Cambridge", ""), ("Cambridge", "enk")),
    (("Cambridge", ""), ("Cambridge", "mau")),
    (("London", "enk"), ("London, Ont.", "onc")),
    (("Paris", "fr"), ("Paris", "txu")),
    (("Moscow", "ru"), ("Moscow", "idu")),
    (("Washington", "dcu"), ("Washington, Pa.", "pau")),
    (("Boston", "mau"), ("Boston, Lincolnshire", "enk")),
    (("Springfield, Va.", "vau"), ("Springfield, Ill.", "ilu")),
    (("Frankfurt", "gw"), ("Frankfurt an der Oder", "gw")),
]
needs_towns = pytest.mark.skipif(not FILE.exists(), reason="make additions makes the table of towns")


@needs_towns
@pytest.mark.parametrize(("one", "other"), ONE_TOWN)
def test_a_town_is_one_place_in_all_forms_and_languages(one, other):
    assert len(described([printed_in(*one, "1"), printed_in(*other, "2")], "place")) == 1


@needs_towns
@pytest.mark.parametrize(("one", "other"), TWO_TOWNS)
def test_towns_of_one_name_are_not_joined(one, other):
    assert len(described([printed_in(*one, "1"), printed_in(*other, "2")], "place")) == 2


@needs_towns
def test_the_country_of_a_record_is_that_of_its_first_place():
    later = printed_in("Boston", "enk", "1", before="London")
    assert (
        len(described([later, printed_in("London", "enk", "2"), printed_in("Boston, Mass.", "mau", "3")], "place")) == 2
    )


@needs_towns
@pytest.mark.parametrize(
    ("heading", "place"),
    [("Moscow (Russia)", ("М.", "ru")), ("Москва", ("М.", "ru")), ("New York (N.Y.)", ("New York", "nyu"))],
)
def test_a_heading_names_the_place_of_publication(heading, place):
    assert len(described([about(heading, "1"), printed_in(*place, "2")], "place")) == 1


@needs_towns
@pytest.mark.parametrize(
    ("heading", "place"),
    [
        ("New York (State)", ("New York", "nyu")),
        ("New York", ("New York", "nyu")),
        ("Washington (State)", ("Washington", "dcu")),
        ("Kent", ("Kent", "wau")),
        ("Москва (река)", ("Москва", "ru")),
    ],
)
def test_a_heading_for_a_region_is_no_town(heading, place):
    assert len(described([about(heading, "1"), printed_in(*place, "2")], "place")) == 2


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        ("United States", "États-Unis", 1),
        ("США", "USA", 1),
        ("Germany", "Германия", 1),
        ("Georgia", "Грузия", 2),
        ("England", "Great Britain", 2),
        ("Soviet Union", "Russia", 2),
        ("Germany (West)", "Germany", 2),
        ("Granada", "Grenada", 2),
    ],
)
def test_a_country_is_one_place_in_all_languages(one, other, number):
    assert len(described([about(one, "1"), about(other, "2")], "place")) == number


@needs_towns
def test_a_town_has_the_iri_of_geonames_and_answers_for_those_made_of_its_names():
    made = Quads(to_quads([printed_in("М.", "ru", "1"), printed_in("Moscow", "ru", "2")], IRIS))
    town = f"{BASE}place/geonames-524901"
    same = made.values("owl:sameAs", town)
    assert "https://sws.geonames.org/524901/" in same
    assert {one.rpartition("-")[0] for one in same if one.startswith(":")} == {":place/moskva", ":place/moscow"}
    made = Quads(to_quads([printed_in("Cambridge", "enk", "1"), printed_in("Cambridge", "mau", "2")], IRIS))
    assert not any(
        one.startswith(":place/cambridge") for town in made.subjects() for one in made.values("owl:sameAs", town)
    )


@needs_towns
def test_a_former_name_of_a_town_is_not_preferred():
    many = [printed_in("Ленинград", "ur", str(number)) for number in range(5)]
    ((preferred, *_),) = described([printed_in("СПб.", "ru", "9"), *many], "place")
    assert preferred.startswith("Санкт-Петербург")


def named(*names: Name) -> Merged:
    sources = tuple(ValueSource(f"name/{at}", (record,)) for at, record in enumerate((NLR, LOC)))
    return Merged(Cluster(NLR, (NLR, LOC)), Mods(name=names), sources)


def test_a_full_name_without_dates_is_the_person_whom_a_publication_shows_it_to_be():
    undated = person("Lotman, I͡Uriĭ Mikhaĭlovich")
    dated = person("Лотман, Юрий Михайлович", "1922-1993")
    elsewhere = alone(Mods(name=(undated,)), RecordId("loc", "5"))
    assert len(described([named(undated, dated), elsewhere], "agent")) == 1
    assert len(described([alone(Mods(name=(dated,)), RecordId("nlr", "4")), elsewhere], "agent")) == 2


@pytest.mark.parametrize("heading", ["Лотман, Ю. М.", "Лотман, Юрий", "Лотман, Юрий М."])
def test_shorter_names_without_dates_may_be_others_elsewhere(heading):
    undated, dated = person(heading), person("Лотман, Юрий Михайлович", "1922-1993")
    elsewhere = alone(Mods(name=(undated,)), RecordId("loc", "5"))
    assert len(described([named(undated, dated), elsewhere], "agent")) == 2


def test_a_full_name_that_two_persons_have_is_neither():
    undated = person("Иванов, Иван Иванович")
    one, other = person("Иванов, Иван Иванович", "1901-1980"), person("Иванов, Иван Иванович", "1850-1920")
    second = Merged(
        Cluster(RecordId("rsl", "7"), (RecordId("rsl", "7"), RecordId("loc", "7"))),
        Mods(name=(undated, other)),
        (ValueSource("name/0", (RecordId("rsl", "7"),)), ValueSource("name/1", (RecordId("loc", "7"),))),
    )
    elsewhere = alone(Mods(name=(undated,)), RecordId("loc", "5"))
    assert len(described([named(undated, one), second, elsewhere], "agent")) == 3
