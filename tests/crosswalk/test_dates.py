"""Dates of fields 005 and 008: only days of the calendar are dates; there is no year 0."""

from __future__ import annotations

import pytest

from bibld.crosswalk import marc21
from bibld.model.marc import ControlField, Leader, MarcRecord
from bibld.model.origin import Origin


def record_info(tag, text):
    record = MarcRecord(Origin("x", "x.mrc", 1, 0), Leader("00000nam a2200000 i 4500"), (ControlField(tag, text),))
    return marc21.convert(record, marc21.Settings()).mods.record_info[0]


def change_date(text):
    return next((date.value for date in record_info("005", text).record_change_date), None)


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
        ("00000101120000.0", None),
        ("20240229235960.0", "2024-02-29"),
        ("20240229235959.0", "2024-02-29T23:59:59"),
    ],
)
def test_a_change_date_is_a_day_of_the_calendar(text, expected):
    assert change_date(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("660101", "1966-01-01"), ("650101", "2065-01-01"), ("000101", "2000-01-01")]
)
def test_two_digits_of_a_year_begin_with_the_first_marc_records(text, expected):
    assert [date.value for date in record_info("008", text).record_creation_date] == [expected]
