"""Names of towns in other languages and with states, abbreviated names, and names of publishers written out."""

import pytest

from bibld.text.places import town_in_countries, town_with_state
from bibld.text.publishers import full_publisher_key, is_abbreviation


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Б-ка поэта", "Библиотека поэта"),
        ("Учен. зап. Тарт. гос. ун-та", "Ученые записки Тартуского государственного университета"),
        ("Сов. энцикл", "Советская энциклопедия"),
        ("Khudozh. lit-ra", "Художественная литература"),
        ("АН СССР", "академии наук СССР"),
        ("ан ссср", "академии наук ссср"),
        ("ФиС", "Физкультура и спорт"),
        ("Chelsea Pub. Co.", "Chelsea Publishing Company"),
    ],
)
def test_words_may_be_shortened_in_each_way(short, full):
    assert is_abbreviation(short, full)
    assert not is_abbreviation(full, short)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Наука", "Наука"),
        ("Наука", "Науки"),
        ("Сов. писатель", "Советский писатель. Ленинградское отделение"),
        ("Сов. писатель", "Детский писатель"),
        ("P. Lang", "Peter Lang"),
        ("Simon", "Simon & Schuster"),
        ("АСТ", "Астрель"),
        ("Ардис", "Ардисон"),
        ("АСТ-Пресс", "Астрель-Пресс"),
        ("Лит. наследство", "Литературные памятники"),
        ("", "Наука"),
        ("...", "Наука"),
    ],
)
def test_other_names_are_no_abbreviations(one, other):
    assert not is_abbreviation(one, other)


@pytest.mark.parametrize(
    "text",
    ["Cambridge, Mass.", "Cambridge, MA", "Cambridge (Mass.)", "[Cambridge, Massachusetts]", "Cambridge, Mass"],
)
def test_a_town_has_one_form_with_its_state(text):
    assert town_with_state(text) == "Cambridge, MA"


@pytest.mark.parametrize("text", ["Cambridge", "Cambridge, England", "Paris (France)", "New York (State)", "", "MA"])
def test_a_town_without_a_state_has_none(text):
    assert town_with_state(text) == ""


def test_a_town_has_other_names_in_its_own_country_only():
    assert {town_in_countries(name, ["ru"]) for name in ("Moscow", "Moskau", "Москва")} == {"Москва"}
    assert town_in_countries("Moscow", ["idu"]) == town_in_countries("Moscow", []) == ""
    assert town_in_countries("London", ["onc"]) == ""


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("The Univ. of Minnesota Pr.", "university of minnesota press"),
        ("University Press of America", "university press of america"),
        ("Univ., Fachbereich Psychologie", "univ fachbereich psychologie"),
        ("Harper (UK)", "harper uk"),
        ("National Center for Health Statistics (NCHS)", "national center for health statistics"),
        ("United States Geological Survey", "u s geological survey"),
        ("Govt. Print. Off.", "government printing office"),
    ],
)
def test_publishers_are_written_out(text, key):
    assert full_publisher_key(text) == key
