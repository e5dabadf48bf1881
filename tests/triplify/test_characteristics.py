"""Characteristics of the form, playing times, and types that a link or code identifies."""

import pytest

from bibld.model.mods import Extent, Form, Genre, Mods, PhysicalDescription
from bibld.text.resource_types import LISTS
from bibld.triplify._describe.characteristics import CHARACTERISTICS
from tests.triplify.merged_book import WORK, Quads, describe

LOC = "http://id.loc.gov/vocabulary/"
RDA = "http://rdaregistry.info/termList/"


def described(*forms, extents=(), genres=()) -> Quads:
    description = PhysicalDescription(form=forms, extent=tuple(extents))
    return describe(Mods(physical_description=(description,), genre=genres))


@pytest.mark.parametrize(
    ("form", "predicate", "term"),
    [
        (Form("stereo", type="playback channels"), "bf:soundCharacteristic", "mplayback/ste"),
        (Form("Optical.", type="recording medium"), "bf:soundCharacteristic", "mrecmedium/opt"),
        (Form("33 1/3 rpm", type="playing speed"), "bf:soundCharacteristic", "mplayspeed/b"),
        (Form("polychrome", type="color content"), "bf:colorContent", "mcolor/mul"),
        (Form("text file", type="file type"), "bf:digitalCharacteristic", "mfiletype/text"),
        (Form("PDF", type="encoding format"), "bf:digitalCharacteristic", "mencformat/pdf"),
        (Form("illustrations", type="illustrative content"), "bf:illustrativeContent", "millus/ill"),
        (Form("x", type="illustrative content", value_uri=f"{LOC}millus/map"), "bf:illustrativeContent", "millus/map"),
        (
            Form("x", type="sound content", value_uri="https://id.loc.gov/vocabulary/msoundcontent/sound.html"),
            "bf:soundContent",
            "msoundcontent/sound",
        ),
    ],
)
def test_a_characteristic_is_a_term_of_its_list_or_that_of_its_link(form, predicate, term):
    made = described(form)
    assert made.values(predicate) == [LOC + term]
    assert made.values("dc:format") == []


def test_a_characteristic_without_a_term_is_a_node_with_its_words():
    made = described(Form("parchment", type="material"))
    (node,) = made.values("bf:baseMaterial")
    assert made.values("rdf:type", node) == ["http://id.loc.gov/ontologies/bibframe/BaseMaterial"]
    assert made.values("rdfs:label", node) == ["parchment"]


def test_a_size_is_a_text():
    assert described(Form("30 x 20 cm", type="dimensions")).values("bf:dimensions") == ["30 x 20 cm"]


@pytest.mark.parametrize("name", sorted({known.listed_in for known in CHARACTERISTICS.values() if known.listed_in}))
def test_each_list_of_terms_exists(name):
    assert LISTS[name]


@pytest.mark.parametrize(
    ("times", "duration"),
    [
        (["00:45:30"], ["PT45M30S^duration"]),
        (["01:00:00"], ["PT1H^duration"]),
        (["00:03:12", "00:04:45"], []),
        (["00:03:12", "00:03:12"], ["PT3M12S^duration"]),
        (["about an hour"], []),
        (["00:00:00"], []),
    ],
)
def test_a_playing_time_is_a_duration_if_there_is_one_of_the_resource(times, duration):
    made = described(extents=[Extent("1 audio disc"), *(Extent(text, unit="duration") for text in times)])
    assert made.values("bf:duration") == duration
    assert made.values("isbd:P1053") == ["1 audio disc"]


def test_playing_times_of_parts_are_no_extent_of_the_resource():
    made = described(extents=[Extent("00:15:00", unit="duration of a part")])
    assert made.values("bf:duration") == made.values("isbd:P1053") == []


@pytest.mark.parametrize(
    ("text", "link", "term"),
    [
        ("texte", f"{LOC}contentTypes/txt", f"{LOC}contentTypes/txt"),
        ("texte", "http://www.rdaregistry.info/termList/RDAContentType/#1020", f"{RDA}RDAContentType/1020"),
        ("text", f"{RDA}RDAContentType/1020", f"{LOC}contentTypes/txt"),
    ],
)
def test_a_type_that_words_do_not_identify_is_the_term_of_its_link(text, link, term):
    made = described(genres=(Genre(text, authority="rdacontent", value_uri=link),))
    assert made.values("bf:content", WORK) == [term]
    assert made.values("dc:format") == []
