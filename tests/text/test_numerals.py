"""Numbers in titles meet however they are written."""

import pytest

from bibld.dedup.features import features_of
from bibld.model.mods import Mods, TitleInfo
from bibld.text.numerals import edition_number, replace_number_words, roman_number
from bibld.text.romanisation import romanise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("От двух до пяти", "От 2 до 5"),
        ("Двенадцать стульев", "12 стульев"),
        ("Twenty-five years after", "25 years after"),
        ("Двадцать один день", "21 день"),
        ("In fünfzig Tagen", "In 50 Tagen"),
        ("Около 100 000 слов", "Около 100000 слов"),
        ("Соч. 37bis", "Соч. 37 bis"),
    ],
)
def test_titles_meet_that_write_a_number_in_two_ways(one, other):
    assert replace_number_words(romanise(one)) == replace_number_words(romanise(other))


@pytest.mark.parametrize("title", ["One fine day", "Одна жизнь", "Une vie", "Сорока", "За семью", "1941 1945"])
def test_what_is_no_number_word_stays(title):
    assert replace_number_words(romanise(title)) == romanise(title)


def test_the_paper_compares_the_title_as_it_is_written():
    features = features_of(Mods(title_info=(TitleInfo(title="От двух до пяти"),)))
    assert (features.title, features.main_title) == ("от двух до пяти", "ot 2 do 5")


@pytest.mark.parametrize(
    ("name", "kept"), [("Ч. 1-2", ""), ("Кн. 3", ""), ("Рассказы, 1898-1903", "raskazi 1898 1903")]
)
def test_the_name_of_a_part_is_more_than_its_number(name, kept):
    assert features_of(Mods(title_info=(TitleInfo(title="Архипелаг ГУЛАГ", part_name=(name,)),))).part_name == kept


@pytest.mark.parametrize(
    ("title", "digits"),
    [
        ("five ears", "5 ears"),
        ("twenty ten", "20 10"),  # two numbers
        ("twenty five six", "25 6"),
        ("ten five", "10 5"),  # only tens from twenty on are joined with ones
        ("twenty one two", "21 2"),
        ("thirty days", "30 days"),
        ("ninety nine", "99"),
        ("12 345 678 words", "12345678 words"),
        ("12 34", "12 34"),
    ],
)
def test_only_tens_and_the_ones_after_them_are_one_number(title, digits):
    assert replace_number_words(romanise(title)) == romanise(digits)


@pytest.mark.parametrize(
    ("letters", "value"),
    [("i", 1), ("IV", 4), ("iiii", 4), ("XL", 40), ("mcmxcix", 1999), ("MMM", 3000), ("", None), ("ic", None)],
)
def test_a_roman_numeral_has_a_value_and_other_letters_have_none(letters, value):
    assert roman_number(letters) == value


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("", 0),
        ("юбилейное изд", 1),
        ("2 е изд", 2),
        ("изд 12", 12),
        ("2001", 1),
        ("third edition 5", 3),
        ("изд 1 2", 1),
        ("zweite verb aufl", 2),
        ("funfte auflage", 5),
        ("deuxieme edition", 2),
        ("iiie ed rev", 3),
        ("ii изд", 2),
        ("wyd popr i uzup", 1),
        ("друге видання", 2),
    ],
)
def test_an_edition_has_the_first_number_of_its_statement(statement, number):
    assert edition_number(statement) == number
