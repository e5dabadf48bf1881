"""Coordinates of maps in all notations of catalogues give the middle of what they bound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.text.geography import Position, parse_coordinates

STATED = [
    ("W 122°30ʹ--W 121°30ʹ/N 46°30ʹ--N 45°30ʹ", 46.0, -122.0),
    ("(В 37°00′--В 38°00′/С 56°30′--С 55°30′)", 56.0, 37.5),
    ("E 9°59'60\"--E 10°0'0\"/S 20°--S 22°", -21.0, 10.0),
    ("З 10⁰--З 20⁰/Ю 5⁰--Ю 15⁰", -10.0, -15.0),
    ("W1223000 W1213000 N0463000 N0453000", 46.0, -122.0),
    ("W1100000 W1090000 N390000 N383000", 38.75, -109.5),
    ("E009.5 E010.5 N050.25 N050.75", 50.5, 10.0),
    ("E 170°--W 170°/N 10°--S 10°", 0.0, 180.0),
    ("E 170°--W 160°/N 10°--S 10°", 0.0, -175.0),
    ("POINT(37.6 55.75)", 55.75, 37.6),
    ("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> Point (-0.12 51.5)", 51.5, -0.12),
]
WITHOUT = ["", "Russia", "N 46°", "W 122°", "1:100000", "POINT(10 95)", "N 146°/E 10°", "World War 2", "С 1 по 5 С"]


@pytest.mark.parametrize(("text", "latitude", "longitude"), STATED)
def test_the_middle_is_found(text: str, latitude: float, longitude: float) -> None:
    found = parse_coordinates(text)
    assert found is not None
    assert (found.latitude, found.longitude) == (pytest.approx(latitude), pytest.approx(longitude))


@pytest.mark.parametrize("text", WITHOUT)
def test_other_texts_have_no_position(text: str) -> None:
    assert parse_coordinates(text) is None


@given(st.integers(-90, 90), st.integers(-180, 180))
def test_what_is_written_is_read(latitude: int, longitude: int) -> None:
    across = f"{'W' if longitude < 0 else 'E'} {abs(longitude)}°"
    along = f"{'S' if latitude < 0 else 'N'} {abs(latitude)}°"
    assert parse_coordinates(f"{across}--{across}/{along}--{along}") == Position(latitude, longitude)


@given(st.text(alphabet="WENSЗВСЮ0123456789°'\" ./-()POINT"))
def test_any_text_is_read_to_the_end(text: str) -> None:
    found = parse_coordinates(text)
    assert found is None or (abs(found.latitude) <= 90 and abs(found.longitude) <= 180)


def test_a_long_text_is_no_statement_of_coordinates():
    stated = "N 10° E 20°"
    assert parse_coordinates(stated) == Position(10, 20)
    assert parse_coordinates(stated + " " * 1000 + stated) is None
