"""Dates of fields 005 and 008: what is no day of the calendar is no date; there is no year 0."""

import pytest

from bibld.crosswalk._dates import date_entered, day, transaction


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20240229", "2024-02-29"),
        ("00010101", "0001-01-01"),
        ("00000101", None),
        ("00000000", None),
        ("20230229", None),
        ("20231301", None),
        ("2023", None),
    ],
)
def test_a_day_is_one_of_the_calendar(text, expected):
    assert day(text) == expected


def test_a_transaction_in_the_year_0_is_no_date():
    assert transaction("00000101120000.0") is None
    assert transaction("20240229235960.0") == "2024-02-29"
    assert transaction("20240229235959.0") == "2024-02-29T23:59:59"


def test_two_digits_of_a_year_are_of_the_time_since_marc():
    assert [date_entered(text) for text in ("660101", "650101", "000101")] == ["1966-01-01", "2065-01-01", "2000-01-01"]
