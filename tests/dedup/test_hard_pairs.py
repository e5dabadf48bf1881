"""What keeps records apart, or brings them together, where titles, authors and years are the same."""

import numpy as np
import pytest

from bibld.dedup.exceptions import Exceptions, explain, find_exceptions
from bibld.model.features import FeatureColumns
from bibld.text.keys import title_key
from bibld.text.places import places_to_compare
from tests.dedup.test_parts import features

ARTICLE = "200 1#$aИз записок + 215 ##$aС. 31-40 + 463 #0$1200 1#$aСеверное хозяйство$v"
BOOK = "200 1#$aФауст$f"


def exceptions(left, right):
    """The exceptions of a pair, and the sentences about it."""
    pair = [features(left), features(right)]
    columns = FeatureColumns.from_features(enumerate(pair))
    bits = int(find_exceptions(columns, np.array([0], np.uint32), np.array([1], np.uint32))[0])
    return {flag.name for flag in Exceptions if flag & bits}, [sentence for _, sentence in explain(bits, *pair)]


@pytest.mark.parametrize(
    ("left", "right", "is_other"),
    [
        ("И. В. Гёте ; пер. Н. Холодковского", "Гёте ; пер. с нем. Б. Пастернака", True),
        ("И. В. Гёте ; пер. с нем. Б. Пастернака", "перевод Б. Л. Пастернака", False),
        ("Кант ; пер. Н. Лосскаго", "И. Кант ; пер. Н. О. Лосского", False),
        ("пер. с нем. Б. Пастернака", "И. В. Гёте", False),
        ("transl. by B. Taylor", "translated by A. Swanwick", True),
    ],
)
def test_books_translated_by_others_are_not_joined(left, right, is_other):
    found, _ = exceptions(BOOK + left, BOOK + right)
    assert ("TRANSLATORS" in found) == is_other


@pytest.mark.parametrize(
    ("left", "right", "is_other"),
    [
        ("Кн. 5", "Кн. 6", True),
        ("№ 3", "N 4", True),
        ("Т. 12, № 3", "Т. 12, вып. 4", True),
        ("Т. 12, № 3", "Т. 12", False),
        ("Кн. 5", "кн. V", False),
        ("1927. № 3", "№ 3", False),
        ("1905. 12 янв.", "1905. 14 янв.", True),
        ("1905. 12 янв. (№ 11)", "№ 11", False),
    ],
)
def test_articles_in_other_issues_are_not_joined(left, right, is_other):
    found, sentences = exceptions(ARTICLE + left, ARTICLE + right)
    assert ("NUMBERS" in found) == is_other
    assert any("of their host" in sentence for sentence in sentences) == is_other


@pytest.mark.parametrize(
    ("left", "right", "is_other"),
    [
        ("225 1#$aТруды$iСер. Лесоводство$v11", "225 1#$aТруды$iСер. Почвоведение$v11", True),
        ("225 1#$aТруды$iСерия Лесоводство$v11", "225 1#$aТруды$iСер. Лесов.$v11", False),
        ("225 1#$aТруды$v11", "225 1#$aТруды$iСер. Почвоведение$v11", False),
    ],
)
def test_books_of_other_subseries_are_not_joined(left, right, is_other):
    assert ("NUMBERS" in exceptions(f"200 1#$aСообщения + {left}", f"200 1#$aСообщения + {right}")[0]) == is_other


@pytest.mark.parametrize(
    ("left", "right", "is_other"),
    [
        ("т. 4, вып. 1", "т. 5, вып. 1", True),
        ("т. 4, вып. 1", "4, 1", False),
        ("т. 4, вып. 1", "вып. 1", False),
        ("11", "12", True),
    ],
)
def test_numbers_in_a_series_are_compared_in_all_their_parts(left, right, is_other):
    books = (f"200 1#$aСообщения + 225 1#$aТруды института торфа$v{number}" for number in (left, right))
    assert ("NUMBERS" in exceptions(*books)[0]) == is_other


@pytest.mark.parametrize(
    ("left", "right", "are_others"),
    [
        ("$fАнна Ахматова + 700 #1$aАхматова$bА. А.", "$fВяч. Иванов + 700 #1$aИванов$bВ. И.", True),
        ("$fА. Дюдеван (Ж. Санд) + 700 #1$aДюдеван$bА.", "$fЖорж Санд + 700 #1$aСанд$bЖ.", False),
        ("$fАнна Ахматова + 700 #1$aАхматова$bА. А.", "$fВяч. Иванов", False),
    ],
)
def test_books_by_others_under_one_title_are_not_joined(left, right, are_others):
    found, _ = exceptions(f"200 1#$aСтихотворения{left}", f"200 1#$aСтихотворения{right}")
    assert ("AUTHORS" in found) == are_others


@pytest.mark.parametrize(
    ("left", "right", "are_others"),
    [
        ("$iОвощи", "$iФрукты", True),
        ("$iОвощи и фрукты", "$iФрукты", False),
        ("$hТ. 2$iПроза", "$hТ. 2$iProse", False),
        ("$iОвощи", "", False),
    ],
)
def test_parts_of_other_names_are_not_joined(left, right, are_others):
    found, _ = exceptions(f"200 1#$aЭнциклопедия садовода{left}", f"200 1#$aЭнциклопедия садовода{right}")
    assert ("PART_NAMES" in found) == are_others


@pytest.mark.parametrize(("variant", "is_other"), [("Англо-русский словарь", False), ("Карманный словарь", True)])
def test_a_parallel_title_shows_that_a_code_of_language_is_a_matter_of_choice(variant, is_other):
    russian = "101 0#$arus + 200 1#$aАнгло-русский словарь"
    english = f"101 0#$aeng + 200 1#$aEnglish-Russian dictionary$d{variant} + 510 1#$a{variant}"
    assert ("LANGUAGE" in exceptions(russian, english)[0]) == is_other


@pytest.mark.parametrize(
    ("fields", "publisher"),
    [
        ("210 ##$aМ.$cНаука + 712 02$aАртель$4650", "nauka"),
        ("210 ##$aМ. + 712 02$aАртель$4650", "artel"),
        ("210 ##$aМ. + 712 02$aАртель$4070", ""),
    ],
)
def test_a_publisher_is_read_from_headings_if_the_imprint_states_none(fields, publisher):
    assert features(f"200 1#$aСообщения + {fields}").publisher == publisher


@pytest.mark.parametrize(("extent", "pages"), [("С. 350", 350), ("350 с.", 350), ("С. 31-40", 0)])
def test_a_range_of_pages_is_no_number_of_pages(extent, pages):
    assert features(f"200 1#$aСообщения + 215 ##$a{extent}").pages == pages


def test_one_page_of_a_newspaper_makes_an_article():
    article = "200 1#$aДеревенские письма + 215 ##$aС. 2 + 463 #0$1200 1#$aРусское слово$v1905. 12 янв."
    assert features(article).level == "a"


def test_dots_for_the_beginning_of_a_title_mean_the_title_before():
    prints = features("245 10$a... novamente ristampato + 246 #3$aIl terzo libro de madrigali")
    assert prints.main_title == features("245 10$aIl terzo libro de madrigali").main_title


@pytest.mark.parametrize(
    ("title", "identifier"),
    [
        ("ГОСТ 7.1-2003. Библиографическая запись", "norm:gost7.1.2003"),
        ("ГОСТ Р ИСО 9001-2015", "norm:gostriso9001.2015"),
        ("СНиП II-3-79*. Строительная теплотехника", "norm:snipii.3.79"),
        ("Об охране окружающей среды$eфедер. закон от 10 янв. 2002 г. № 7-ФЗ", "law:7-fz"),
        ("ГОСТ 2.105-95$eвзамен ГОСТ 2.105-79", "norm:gost2.105.95"),
        ("Отчет 7.1-2003", ""),
    ],
)
def test_standards_and_laws_are_known_by_their_numbers(title, identifier):
    assert features(f"200 1#$a{title}").identifiers == identifier


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Нар. хоз-во СССР", "Народное хозяйство Союза ССР"),
        ("Грамматика", "Граматика"),
        ("Психология конфликта", "Психология конфликтa"),  # the last letter is a Latin one
    ],
)
def test_spellings_of_a_title_share_their_words(left, right):
    one, other = (features(f"200 1#$a{title}").main_title.split() for title in (left, right))
    assert len(one) == len(other)
    assert all(word.startswith(short[:3]) or short.startswith(word[:3]) for word, short in zip(one, other, strict=True))


@pytest.mark.parametrize(
    "forms",
    [
        ("Концерт до минор", "Концерт c-Moll", "Концерт in C minor"),
        ("Соната си-бемоль мажор", "Соната B-Dur", "Соната in B flat major"),
        ("Соната фа-диез минор", "Соната fis-Moll", "Соната in F-sharp minor"),
        ("Соната си минор", "Соната h-Moll", "Соната in B minor"),
    ],
)
def test_a_tonality_has_one_key_in_all_languages(forms):
    assert len(set(map(title_key, forms))) == 1


def test_minor_and_major_are_tonalities_behind_a_note_alone():
    assert title_key("A minor poet") == "minor poet"


@pytest.mark.parametrize(
    "forms",
    [
        ("Київ", "Киев", "Kyiv"),
        ("New York", "Нью-Йорк", "N.Y."),
        ("М.; Л.", "М.-Л."),
        ("СПб. и др.", "С.-Пб.", "С.-Петербургъ"),
    ],
)
def test_a_town_has_one_key_in_all_languages(forms):
    assert len(set(map(places_to_compare, forms))) == 1
