"""Headings and years of life are read in the forms that libraries give them."""

import doctest

import pytest

from bibld.link import _names
from bibld.link._names import Life, NameRelation, compare_names, heading_key, is_generic, life_of, person_name, year_of


def test_the_examples_of_docstrings_are_true():
    assert doctest.testmod(_names).failed == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1828-1910", Life(1828, 1910)),
        ("Ward, James E. 1907-", Life(1907)),
        ("Elliott, Mary, 1794?-1870", Life(1794, 1870, is_exact=False)),
        ("ca. 1500-1550", Life(1500, 1550, is_exact=False)),
        ("-1910", Life(None, 1910)),
        ("р. 1950", Life(1950)),
        ("1828–1910", Life(1828, 1910)),
        ("19th century", Life()),
        ("active 1850-1870", Life()),
        ("", Life()),
    ],
)
def test_years_of_a_life(text, expected):
    assert life_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1835-11-30", 1835), ("+1835-11-30T00:00:00Z", 1835), ("-0044-03-15", None), ("3000 v. Chr.", 3000), ("?", None)],
)
def test_years_of_dates(text, expected):
    assert year_of(text) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Keating, Kenneth Barnard", "Keating, Kenneth B. (Kenneth Barnard), 1900-1975", NameRelation.EQUAL),
        ("Keating, Keith", "Keating, Kenneth B. (Kenneth Barnard), 1900-1975", NameRelation.DIFFERENT),
        ("Толстой, Лев Николаевич", "Tolstoy, Lev Nikolaevich", NameRelation.EQUAL),
        ("Толстой, Л. Н.", "Tolstoĭ, Lev Nikolaevich, graf, 1828-1910", NameRelation.SHORTENED),
        ("Mark Twain", "Twain, Mark", NameRelation.EQUAL),
        ("von Goethe, Johann", "Goethe, Johann von", NameRelation.EQUAL),
        ("Mayer, Hans", "Maier, Hans", NameRelation.RESPELLED),
        ("Smith, J.", "Smith, J.", NameRelation.INITIALS),
        ("Smith, J.", "Smith, Jane", NameRelation.SHORTENED),
        ("Smith, John, Jr.", "Smith, John, Sr.", NameRelation.DIFFERENT),
        ("Nelson, A. Carl (August Carl)", "Nelson, Andy", NameRelation.DIFFERENT),
        ("Smith", "Smith, Jane", NameRelation.DIFFERENT),
        ("Plato", "Plato", NameRelation.SINGLE),
        ("Smith, John", "Smythe, John", NameRelation.DIFFERENT),
    ],
)
def test_how_two_headings_relate(left, right, expected):
    assert compare_names(person_name(left), person_name(right)) is expected
    assert compare_names(person_name(right), person_name(left)) is expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("National Library", True),
        ("Ministry of Health", True),
        ("Министерство образования", False),
        ("Институт", True),
        ("UNO", True),
        ("United States. Department of State", False),
        ("Argonne National Laboratory", False),
    ],
)
def test_names_that_many_organisations_have(heading, expected):
    assert is_generic(heading) is expected


def test_the_key_of_a_heading_keeps_its_elements():
    assert heading_key("Women--Soviet Union -- History.") == heading_key("women--SOVIET UNION--history")
    assert heading_key("Women--History") != heading_key("Women History")
