"""Publishers, series, towns and persons that catalogues name in other forms: one entity each, and no false ones."""

import pytest

from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.mods import Mods, Name, OriginInfo, Place, PlaceTerm, Publisher, RelatedItem, TitleInfo
from bibld.model.origin import RecordId
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
    shown = published("Дет. лит.", "Детская литература")
    assert len(described([shown], "publisher")) == 1
    elsewhere = by_publisher("Дет. лит.", "8")
    assert len(described([shown, elsewhere], "publisher")) == 1
    assert len(described([elsewhere, by_publisher("Детская литература", "9")], "publisher")) == 2
    assert len(described([in_series("Б-ка поэта", "Библиотека поэта")], "series")) == 1


def test_the_name_in_full_is_preferred_however_many_use_the_abbreviation():
    many = [by_publisher("Дет. лит.", str(number)) for number in range(5)]
    ((preferred, other),) = described([published("Дет. лит.", "Детская литература"), *many], "publisher")
    assert preferred.startswith("Детская литература")
    assert other.startswith("Дет. лит.")


def test_names_of_one_record_and_unlike_names_are_not_joined():
    info = OriginInfo(publisher=(Publisher("Дет. лит."), Publisher("Детская литература")))
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


def printed_in(town: str, country: str, number: str) -> Merged:
    terms = [PlaceTerm(town, type="text"), PlaceTerm(country, type="code", authority="marccountry")]
    info = OriginInfo(place=tuple(Place((term,)) for term in terms))
    return alone(Mods(origin_info=(info,)), RecordId("loc", number))


def test_a_town_is_one_place_in_all_languages():
    assert len(described([printed_in("Moscow", "ru", "1"), printed_in("Москва", "ru", "2")], "place")) == 1
    assert len(described([printed_in("Moscow", "idu", "1"), printed_in("Москва", "ru", "2")], "place")) == 2
    assert len(described([printed_in("Boston, Mass.", "mau", "1"), printed_in("Boston, MA", "mau", "2")], "place")) == 1
    assert len(described([printed_in("Boston, Mass.", "mau", "1"), printed_in("Boston", "enk", "2")], "place")) == 2


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
