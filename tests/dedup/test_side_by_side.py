"""Records side by side: lines as the libraries wrote them, with signs, and sentences about what differs."""

import pytest

from bibld.dedup.features import features_of
from bibld.dedup.side_by_side import compare_cards, describe_differences
from bibld.model import mods as m
from bibld.model.card import card
from bibld.model.features import Features


def book(title, *, place="Москва", publisher="Наука", year="1970", extent="808 с. ; 22 см", edition=(), isbn=()):
    """A description of a book by Dostoevsky."""
    return m.Mods(
        title_info=(m.TitleInfo(title=title),),
        name=(
            m.Name(
                name_part=(m.NamePart("Достоевский, Федор Михайлович"), m.NamePart("1821-1881", type="date")),
                type="personal",
                usage="primary",
            ),
        ),
        origin_info=(
            m.OriginInfo(
                place=(m.Place(place_term=(m.PlaceTerm(place, type="text"),)),),
                publisher=(m.Publisher(publisher),),
                date_issued=(m.Date(year),),
                edition=tuple(m.Edition(text) for text in edition),
            ),
        ),
        physical_description=(m.PhysicalDescription(extent=(m.Extent(extent),)),),
        identifier=tuple(m.Identifier(value, type="isbn") for value in isbn),
    )


NAUKA = book("Преступление и наказание", isbn=("9785020278523",))


def signs(one, other):
    compared = compare_cards(one, other, (features_of(one), features_of(other)))
    return {line.name: line.sign for line in compared}


def sentences(one, other):
    return list(describe_differences(features_of(one), features_of(other), ("rsl", "nlr")))


def test_lines_are_as_the_library_wrote_them():
    other = book("ПРЕСТУПЛЕНИЕ и наказание", place="М.", edition=("2-е изд.",), isbn=("9785020278523",))
    lines = compare_cards(NAUKA, other, (features_of(NAUKA), features_of(other)))
    assert [(line.sign, line.name, line.left, line.right) for line in lines] == [
        ("=", "title", "Преступление и наказание", "ПРЕСТУПЛЕНИЕ и наказание"),
        ("=", "names", "Достоевский, Федор Михайлович, 1821-1881", "Достоевский, Федор Михайлович, 1821-1881"),
        ("?", "edition", "", "2-е изд."),
        ("≈", "imprint", "Москва : Наука, 1970", "М. : Наука, 1970"),
        ("=", "extent", "808 с. ; 22 см", "808 с. ; 22 см"),
        ("=", "identifiers", "ISBN 9785020278523", "ISBN 9785020278523"),
    ]


def test_what_is_written_in_another_script_or_form_is_not_marked_as_different():
    other = book("Prestuplenie i nakazanie", place="Moskva", publisher="Nauka", extent="808 p. : ill. ; 22 cm")
    assert signs(NAUKA, other) == {
        "title": "≈",
        "names": "=",
        "imprint": "≈",
        "extent": "≈",
        "identifiers": "?",
    }
    assert signs(NAUKA, book("Преступление и наказание", year="1971"))["imprint"] == "≠"


def test_one_isbn_in_common_is_enough():
    other = book("Преступление и наказание", isbn=("9785020278523", "9785020278530"))
    assert signs(NAUKA, other)["identifiers"] == "≈"
    assert "identifiers" in sentences(NAUKA, other)[0]


def test_what_matching_does_not_compare_is_different_if_it_is_written_differently():
    one, other = (m.Mods(identifier=(m.Identifier(value, type="legal deposit"),)) for value in ("06-35470", "07-19579"))
    assert signs(one, other) == {"identifiers": "≠"}


def test_a_variant_title_has_a_line_of_its_own_kind():
    titles = (m.TitleInfo(title="Анна Каренина"), m.TitleInfo(title="Anna Karenina", type="translated"))
    assert card(m.Mods(title_info=titles)) == {"title": "Анна Каренина", "other titles": "Anna Karenina"}


def test_sentences_name_what_is_equal_different_and_not_stated():
    other = book("Преступление и наказание", publisher="Правда", year="1987", extent="463 с.", edition=("2-е изд.",))
    assert sentences(NAUKA, other) == [
        "equal: title, names, place",
        "different: publisher, year (1970 and 1987), pages (808 and 463)",
        "not stated by rsl: edition",
        "not stated by nlr: identifiers, height",
    ]
    assert sentences(m.Mods(), m.Mods()) == []


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        ("tshehov anton|chehonte antosha =", "chehonte antosha", True),
        ("tshehov anton|chehonte antosha =", "tolstoi lev", False),
        ("tolstoi lev|maude aylmer", "tolstoi lev", True),
        ("tolstoi lev|maude aylmer", "maude aylmer|tolstoi lev", True),
        ("tolstoi lev|maude aylmer", "tolstoi lev|garnett constance", False),
    ],
)
def test_names_are_equal_if_one_record_has_all_names_of_the_other(one, other, are_equal):
    found = list(describe_differences(Features(names=one), Features(names=other), ("rsl", "nlr")))
    assert found == ["equal: names" if are_equal else "different: names"]


def test_coded_dates_are_shown_only_where_the_imprint_states_none():
    coded = m.OriginInfo(date_issued=(m.Date("2020", encoding="marc"),))
    stated = m.OriginInfo(
        publisher=(m.Publisher("CDC"),), date_issued=(m.Date("[2020?]"), m.Date("2020", encoding="marc"))
    )
    assert card(m.Mods(origin_info=(coded, stated))) == {"imprint": "CDC, [2020?]"}
    assert card(m.Mods(origin_info=(coded,))) == {"imprint": "2020"}
