"""Non-sorting beginnings of titles, initials of persons, and spacing and punctuation of published texts."""

from __future__ import annotations

import pytest

from bibld.errors import ConfigError
from bibld.text.charsets import charset_name
from bibld.text.folding import remove_non_sorting_marks, split_non_sorting, tidy, trim, unify_non_sorting_marks
from bibld.text.names import initial_form, is_initial_form_of


@pytest.mark.parametrize(
    ("text", "beginning", "title"),
    [
        ("\x98The \x9cIdiot", "The ", "Idiot"),
        ("\x98The\x9c Idiot", "The ", "Idiot"),
        ("\x98The\x9cIdiot", "The ", "Idiot"),  # both would run together
        ("\x98L'\x9cIdiot", "L'", "Idiot"),
        ("\x98L' \x9cIdiot", "L' ", "Idiot"),
        ("\x98«The»\x9c Idiot", "«The» ", "Idiot"),
        ("\x98The\x9c \x98Great\x9c Idiot ", "The ", "Great Idiot "),
        ("\x98The Idiot", "", "The Idiot"),  # the second mark is missing
        ("\x98The\x9c", "", "The"),
        ("\x98 \x9cIdiot", "", "Idiot"),
        ("Der \x98große\x9c Idiot", "", "Der große Idiot"),
        (" Idiot ", "", "Idiot"),
        ("", "", ""),
    ],
)
def test_only_a_marked_beginning_before_a_title_is_non_sorting(text: str, beginning: str, title: str) -> None:
    assert split_non_sorting(text) == (beginning, title)


@pytest.mark.parametrize(
    ("text", "unified"),
    [
        ("\x88The\x89 Idiot", "\x98The\x9c Idiot"),
        ("\x88The Idiot", "\x98The Idiot"),
        ("The\x89 Idiot", "The\x9c Idiot"),
        ("\x98The\x9c Idiot", "\x98The\x9c Idiot"),
        ("Idiot", "Idiot"),
    ],
)
def test_each_mark_of_non_sorting_text_has_one_form_and_can_be_removed(text: str, unified: str) -> None:
    assert unify_non_sorting_marks(text) == unified
    assert remove_non_sorting_marks(unified) == unified.replace("\x98", "").replace("\x9c", "")


@pytest.mark.parametrize(
    ("heading", "initials"),
    [
        ("Толстой, Лев Николаевич", "Толстой, Л. Н."),
        ("Толстой, Л. Н.", "Толстой, Л. Н."),
        ("Толстой Лев Николаевич", "Толстой, Л. Н."),
        ("Ли, О", "Ли, О."),
        ("Smith, John, 1950-", "Smith, J."),
        ("Ibn Rushd, Muhammad", "Ibn Rushd, M."),
        ("Верн, (Жюль)", "Верн, (Жюль)"),
        ("Петр, 1", "Петр, 1"),
        ("Гомер", "Гомер"),
        ("", ""),
    ],
)
def test_given_names_become_initials_and_a_heading_without_them_stays(heading: str, initials: str) -> None:
    assert initial_form(heading) == initials


@pytest.mark.parametrize(
    ("short", "long", "is_one"),
    [
        ("Верн, Ж. Г. П.", "Верн, Жюль Габриель", False),  # more given names than the long heading
        ("Верн, Жюл.", "Верн, Жюль", True),
        ("Верн, Жюль Г.", "Верн, Жюль Габриель", True),
        ("Ж. Верн", "Верн, Жюль", True),
        ("Ж. В", "Верн, Жюль", False),  # initials alone are no family name
        ("Салтыков-Щедрин, М.", "Салтыков-Щедрин, Михаил", True),
        ("Салтыков, М.", "Салтыков-Щедрин, Михаил", False),
    ],
)
def test_given_names_are_shortened_to_their_first_letters_only(short: str, long: str, is_one: bool) -> None:
    assert is_initial_form_of(short, long) is is_one


@pytest.mark.parametrize(
    ("text", "tidied", "trimmed"),
    [
        (" Война  и\tмир ", "Война и мир", "Война и мир"),
        ("Чайковски\u0438\u0306", "Чайковский", "Чайковский"),  # й as two characters
        ("Title :", "Title :", "Title"),
        (": Title ; /", ": Title ; /", "Title"),
        ("Рассказы.", "Рассказы.", "Рассказы"),
        ("Изд-во вост. лит.", "Изд-во вост. лит.", "Изд-во вост. лит."),
        ("Записки. Очерки.", "Записки. Очерки.", "Записки. Очерки."),
        ("N.Y.", "N.Y.", "N.Y."),
        ("", "", ""),
    ],
)
def test_published_texts_have_single_blanks_and_lose_the_punctuation_between_elements(text, tidied, trimmed) -> None:
    assert tidy(text) == tidied
    assert trim(text) == trimmed


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("UTF8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        (" MARC_8 ", "marc8"),
        ("ansel", "marc8"),
        ("ISO-5426", "iso5426"),
        ("windows-1251", "cp1251"),
        ("KOI8_R", "koi8-r"),
    ],
)
def test_a_charset_has_one_name_however_it_is_written(stated: str, name: str) -> None:
    assert charset_name(stated) == name


@pytest.mark.parametrize("stated", ["", "utf-16", "cp037", "base64", "no-such-charset"])
def test_a_charset_that_is_unknown_or_not_based_on_ascii_is_refused_by_name(stated: str) -> None:
    with pytest.raises(ConfigError, match=f'"{stated}" is not a charset'):
        charset_name(stated)
