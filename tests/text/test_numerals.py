"""Numbers in titles meet however they are written."""

import pytest

from bibld.dedup import features_of
from bibld.model.mods import Mods, TitleInfo
from bibld.text.numerals import replace_number_words
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
    ("name", "kept"), [("Ч. 1-2", ""), ("Кн. 3", ""), ("Рассказы, 1898-1903", "rasskazi 1898 1903")]
)
def test_the_name_of_a_part_is_more_than_its_number(name, kept):
    assert features_of(Mods(title_info=(TitleInfo(title="Архипелаг ГУЛАГ", part_name=(name,)),))).part_name == kept
