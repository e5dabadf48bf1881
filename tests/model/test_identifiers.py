"""Standard numbers: what is found in a text, and which check digits are right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.identifiers import Isbn, Issn, has_isbn_check_digit, isbn, isbn10, isbn13, issn, number_and_source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-306-40615-2", Isbn("0306406152", True)),
        ("978-0-306-40615-7", Isbn("9780306406157", True)),
        ("978 0 306 40615 7", Isbn("9780306406157", True)),
        ("978–0–306–40615–7", Isbn("9780306406157", True)),
        ("ISBN 0-306-40615-2", Isbn("0306406152", True)),
        ("ISBN-13: 978-0-306-40615-7", Isbn("9780306406157", True)),
        ("0-8044-2957-x", Isbn("080442957X", True)),
        ("0-8044-2957-Х", Isbn("080442957X", True)),  # Cyrillic
        ("0306406152 (pbk.)", Isbn("0306406152", True, "pbk.")),
        ("0306406152 (pbk.) : £5", Isbn("0306406152", True, "(pbk.) : £5")),
        ("т. 1: 0306406152 в пер.", Isbn("0306406152", True, "т. 1 в пер.")),
        ("SBN 306406152", Isbn("0306406152", True)),
        ("306406152", Isbn("306406152", False)),
        ("5-04-000284-4", Isbn("5040002844", False)),
        ("0306406153", Isbn("0306406153", False)),
        ("9780306406158 (ошибка)", Isbn("9780306406158", False, "ошибка")),
        ("975-7213.06-3", Isbn("9757213063", True)),
        ("5-02-0", Isbn("5020", False)),
        ("Б. ц.", None),
        ("", None),
    ],
)
def test_isbn_is_found_in_a_text(text, expected):
    assert isbn(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0378-5955", Issn("0378-5955", True)),
        ("ISSN 03785955", Issn("0378-5955", True)),
        ("2434-561x", Issn("2434-561X", True)),
        ("2434-561Х (online)", Issn("2434-561X", True, "online")),
        ("0378-5954", Issn("0378-5954", False)),
        ("123", Issn("123", False)),
        ("нет", None),
    ],
)
def test_issn_is_found_in_a_text(text, expected):
    assert issn(text) == expected


def test_ten_digits_become_thirteen():
    assert isbn13("0306406152") == "9780306406157"
    assert isbn13("9780306406157") == "9780306406157"
    with pytest.raises(ValueError, match="no valid ISBN"):
        isbn13("0306406153")


@given(st.integers(0, 10**9 - 1), st.integers(0, 9))
def test_one_wrong_digit_is_always_noticed(stem, position):
    digits = f"{stem:09}"
    right = next(digits + check for check in "0123456789X" if has_isbn_check_digit(digits + check))
    if right[position] == "X":
        return
    wrong = right[:position] + str((int(right[position]) + 1) % 10) + right[position + 1 :]
    assert not has_isbn_check_digit(wrong)
    assert isbn(isbn13(right)) == Isbn(isbn13(right), True)


@given(st.text())
def test_any_text_gives_a_number_or_none(text):
    for found in (isbn(text), issn(text)):
        assert found is None or found.value


@pytest.mark.parametrize(
    ("value", "is_valid"),
    [
        ("0306406152", True),
        ("0306406153", False),
        ("080442957X", True),
        ("X804429570", False),
        ("9780306406157", True),
        ("9780306406158", False),
        ("9790306406156", True),
        ("9770306406158", False),
        ("030640615", False),
        ("03064061522", False),
        ("٠306406152", False),
        ("", False),
    ],
)
def test_an_isbn_has_ten_or_thirteen_characters_and_a_right_check_digit(value, is_valid):
    assert has_isbn_check_digit(value) is is_valid
    if not is_valid:
        with pytest.raises(ValueError, match="is no valid ISBN"):
            isbn13(value)


def test_ten_characters_are_given_for_an_isbn_that_has_them():
    assert isbn10("9780306406157") == isbn10("0306406152") == "0306406152"
    assert isbn10("9780804429573") == "080442957X"
    assert isbn10("9790306406156") is None


@pytest.mark.parametrize(
    ("text", "number", "source"),
    [
        ("33Д-4451 Мелодия", "33Д-4451", "Мелодия"),
        ("Мелодия SUCD 10-00119", "SUCD 10-00119", "Мелодия"),
        ("Всесоюзная фирма Мелодия С10 1 а", "С10 1 а", "Всесоюзная фирма Мелодия"),
        ("SUCD", "SUCD", ""),
        ("Мелодия", "Мелодия", ""),
        ("12", "12", ""),
        ("", "", ""),
        ("12 Edition Peters", "12", "Edition Peters"),
    ],
)
def test_the_number_of_a_publisher_is_separated_from_its_name(text, number, source):
    assert number_and_source(text) == (number, source)
