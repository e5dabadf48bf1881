"""The class of BIBFRAME that a form gives a publication."""

import pytest

from bibld.model.mods import Form, Genre, Mods, PhysicalDescription
from tests.triplify.merged_book import RESOURCE, WORK, describe

BIBFRAME = "http://id.loc.gov/ontologies/bibframe/"


@pytest.mark.parametrize(
    ("form", "classes"),
    [
        (Form("print", authority="marcform"), {"Print"}),
        (Form("electronic", authority="marcform"), {"Electronic"}),
        (Form("print"), set()),
        (Form("braille", authority="marcform"), set()),
    ],
)
def test_a_form_of_the_marc_list_is_a_class_if_bibframe_has_one(form, classes):
    mods = Mods(physical_description=(PhysicalDescription(form=(form,)),))
    made = describe(mods)
    found = {name.removeprefix(BIBFRAME) for name in made.values("rdf:type")}
    assert found & {"Print", "Electronic", "Manuscript"} == classes
    assert made.values("dc:format") == ([] if classes else [form.value])


@pytest.mark.parametrize(
    ("form", "statement"),
    [
        (Form("volume", authority="rdacarrier", type="carrier"), ("bf:carrier", "carriers/nc")),
        (Form("nc", authority="rdacarrier", type="carrier"), ("bf:carrier", "carriers/nc")),
        (Form("том", authority="rdacarrier", type="carrier"), ("bf:carrier", "carriers/nc")),
        (Form("Band", authority="rdacarrier", type="carrier"), ("bf:carrier", "carriers/nc")),
        (Form("непосредственный", authority="rdamedia", type="media"), ("bf:media", "mediaTypes/n")),
        (Form("unmediated", authority="isbdmedia"), ("bf:media", "mediaTypes/n")),
        (Form("Текст (визуальный)", authority="isbdcontent", type="content"), ("bf:content", "contentTypes/txt")),
    ],
)
def test_types_of_content_media_and_carrier_are_terms_of_the_library_of_congress(form, statement):
    made = describe(Mods(physical_description=(PhysicalDescription(form=(form,)),)))
    predicate, term = statement
    assert made.values(predicate, WORK if predicate == "bf:content" else RESOURCE) == [
        f"http://id.loc.gov/vocabulary/{term}"
    ]
    assert made.values("dc:format") == []


def test_a_type_that_no_list_has_remains_text():
    form = Form("papyrus roll", authority="rdacarrier", type="carrier")
    made = describe(Mods(physical_description=(PhysicalDescription(form=(form,)),)))
    assert made.values("bf:carrier") == []
    assert made.values("dc:format") == ["papyrus roll"]


def test_coded_forms_are_left_out_beside_types_of_media_and_carrier():
    remote = Form("remote", authority="marcsmd")
    online = Form("online resource", authority="rdacarrier", type="carrier")
    only_coded = describe(Mods(physical_description=(PhysicalDescription(form=(remote,)),)))
    both = describe(Mods(physical_description=(PhysicalDescription(form=(remote, online)),)))
    assert only_coded.values("dc:format") == ["remote"]
    assert both.values("dc:format") == []


@pytest.mark.parametrize(
    ("genre", "predicate", "value"),
    [
        (Genre("text", authority="rdacontent"), "bf:content", "contentTypes/txt"),
        (Genre("notated music", authority="rdacontent"), "bf:content", "contentTypes/ntm"),
        (Genre("theses", authority="marcgt"), "bf:genreForm", "marcgt/the"),
        (Genre("short story", authority="marcgt"), "bf:genreForm", "marcgt/sho"),
    ],
)
def test_coded_genres_are_terms_of_the_library_of_congress(genre, predicate, value):
    assert describe(Mods(genre=(genre,))).values(predicate, WORK) == [f"http://id.loc.gov/vocabulary/{value}"]


def test_a_genre_that_the_marc_list_lacks_is_a_concept():
    (concept,) = describe(Mods(genre=(Genre("fable", authority="marcgt"),))).values("bf:genreForm", WORK)
    assert concept.startswith(":concept/marcgt/fable-")
