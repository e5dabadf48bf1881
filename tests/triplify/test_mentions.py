"""Other texts of a description that mean an agent whom the publication names: linking entries, works, publishers."""

import pytest

from bibld.model.mods import Mods, Name, NamePart, OriginInfo, Publisher, RelatedItem, Subject, TitleInfo, Topic
from bibld.triplify._headings import heading
from tests.triplify.merged_book import RESOURCE, WORK, Quads, code, describe, person

NUMBER = "http://id.loc.gov/authorities/names/n79068416"
AUTHOR = person("Smith, John", "1900-1950", usage="primary", value_uri=NUMBER)


def body(*units: str, **more) -> Name:
    return Name(name_part=tuple(map(NamePart, units)), type="corporate", **more)


def named(*names: Name, **more) -> Quads:
    """The quads about a publication with names, and ``more`` elements of its description."""
    return describe(Mods(name=names, **more))


def other_format(name: Name) -> RelatedItem:
    return RelatedItem(type="otherFormat", mods=Mods(title_info=(TitleInfo("Book"),), name=(name,)))


@pytest.mark.parametrize(
    ("name", "is_author"),
    [
        (Name((NamePart("Smith, John"),)), True),
        (person("Smith, John"), True),
        (person("Smith, John", "1900-"), True),
        (person("Smith, John", "1930-"), False),
        (person("Smith, Jane"), False),
        (body("Smith, John"), False),
    ],
)
def test_the_name_in_a_linking_entry_is_the_agent_of_the_publication_with_this_heading(name, is_author):
    made = named(AUTHOR, related_item=(other_format(name),))
    (creator,) = made.values("dcterms:creator", f"{RESOURCE}#otherformat1")
    assert (creator == ":agent/lcnaf-n79068416") is is_author


def test_a_name_without_a_type_is_a_body_if_the_publication_names_it():
    bureau = body("Country", "Bureau of Mines", value_uri=NUMBER)
    made = named(bureau, related_item=(other_format(Name((NamePart("Country. Bureau of Mines"),))),))
    assert made.values("dcterms:creator", f"{RESOURCE}#otherformat1") == [":agent/lcnaf-n79068416"]


def test_a_heading_that_two_agents_have_means_neither():
    son = person("Smith, John", "1930-", value_uri="http://id.loc.gov/authorities/names/n79068417")
    made = named(AUTHOR, son, related_item=(other_format(person("Smith, John")),))
    (creator,) = made.values("dcterms:creator", f"{RESOURCE}#otherformat1")
    assert creator not in (":agent/lcnaf-n79068416", ":agent/lcnaf-n79068417")


def test_the_author_of_a_contained_work_is_the_agent_of_the_same_heading():
    work = RelatedItem(type="constituent", mods=Mods(title_info=(TitleInfo("Poems"),), name=(person("Smith, John"),)))
    made = named(AUTHOR, related_item=(work,))
    (part,) = made.values("bf:hasPart", WORK)
    assert made.creators(part) == [":agent/lcnaf-n79068416"]


def test_a_work_whose_name_and_title_are_in_two_scripts_has_one_author_and_two_titles():
    mods = Mods(
        title_info=(
            TitleInfo("Mukhtaṣar", alt_rep_group="05", script="Latn"),
            TitleInfo("مختصر", alt_rep_group="05", script="Arab"),
        ),
        name=(
            person("Khiraqī, ʻUmar", alt_rep_group="05", script="Latn"),
            person("خرقي، عمر", alt_rep_group="05", script="Arab"),
        ),
    )
    made = named(related_item=(RelatedItem(type="constituent", mods=mods),))
    (work,) = made.values("bf:hasPart", WORK)
    assert made.values("rdfs:label", work) == ["Mukhtaṣar@und-latn"]
    assert made.values("skos:altLabel", work) == ["Khiraqī, ʻUmar. Mukhtaṣar@und-latn", "مختصر"]
    assert len(made.creators(work)) == 1


CORPS = body("Country", "Marine Corps", usage="primary")
BUREAU = body("Country", "Department of the Interior", "Bureau of Mines")


@pytest.mark.parametrize(
    ("names", "publisher", "expected"),
    [
        ([CORPS, BUREAU], "The Corps", 0),
        ([CORPS, BUREAU], "[The Bureau]", 1),
        ([CORPS, BUREAU], "The Dept.", None),
        ([BUREAU, body("Bureau of Standards")], "The Bureau", None),
        ([], "The Museum", None),
        ([body("Museum of Art (Town)")], "the Museum", 0),
        ([body("Country", "Food and Drug Administration"), BUREAU], "FDA", 0),
        ([body("Centers for Disease Control and Prevention (U.S.)")], "CDC", 0),
        ([AUTHOR], "Author", 0),
        ([AUTHOR], "[the author]", 0),
        ([AUTHOR, person("Doe, Jane", role=code("ill"))], "Selbstverl. des Verf.", 0),
        ([AUTHOR, person("Doe, Jane", role=code("aut"))], "Verf.", None),
        ([person("Иванов, И. И.", usage="primary")], "Изд. автора", 0),
        ([AUTHOR], "John Smith", 0),
        ([person("Doe, Robert", usage="primary")], "R. Doe", 0),
        ([person("Толстой, Лев Николаевич", usage="primary")], "Л. Н. Толстой", 0),
    ],
)
def test_a_publisher_that_refers_to_a_heading_is_its_agent_or_has_no_entity(names, publisher, expected):
    made = named(*names, origin_info=(OriginInfo(publisher=(Publisher(publisher),)),))
    labels = [made.values("rdfs:label", agent)[0] for agent in made.values("dcterms:publisher")]
    assert labels == ([] if expected is None else [heading(names[expected])])
    assert all(agent.startswith(":agent/") for agent in made.values("dcterms:publisher"))
    assert made.values("bf:publicationStatement") == [publisher]


@pytest.mark.parametrize("publisher", ["Smith", "Smith & Co.", "The White House", "Bureau of Mines", "Museum", "FDA"])
def test_a_publisher_of_another_name_is_an_organisation(publisher):
    made = named(AUTHOR, BUREAU, origin_info=(OriginInfo(publisher=(Publisher(publisher),)),))
    (found,) = made.values("dcterms:publisher")
    assert found.startswith(":publisher/")


def test_a_person_as_a_subject_does_not_publish():
    about = Subject((person("Smith, John"), Topic("Biography")))
    made = named(subject=(about,), origin_info=(OriginInfo(publisher=(Publisher("John Smith"),)),))
    (found,) = made.values("dcterms:publisher")
    assert found.startswith(":publisher/")
