"""Dates of persons and bodies become EDTF, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.text.lives import StatedLife, coded_date, parse_life


@pytest.mark.parametrize(
    ("text", "born", "died", "active"),
    [
        ("1719-1789", "1719", "1789", ""),
        ("1828 - 1910.", "1828", "1910", ""),
        ("(1828–1910)", "1828", "1910", ""),
        ("1965-", "1965", "", ""),
        ("1965-....", "1965", "", ""),
        ("-1838", "", "1838", ""),
        ("b. 1948", "1948", "", ""),
        ("born 10 May 1950", "1950", "", ""),
        ("р. 1950", "1950", "", ""),
        ("родился в 1950", "1950", "", ""),
        ("d. 1838", "", "1838", ""),
        ("ум. 1870", "", "1870", ""),
        ("1907?-1979", "1907?", "1979", ""),
        ("approximately 1900-", "1900~", "", ""),
        ("ок. 1340-1392", "1340~", "1392", ""),
        ("1907 or 1908-1979", "[1907..1908]", "1979", ""),
        ("1856-1916 or 17", "1856", "[1916..1917]", ""),
        ("18..-1900", "18XX", "1900", ""),
        ("672 – 735", "0672", "0735", ""),
        ("106-43 B.C.", "-0105", "-0042", ""),
        ("63 B.C.-14 A.D.", "-0062", "0014", ""),
        ("384-322 до н. э.", "-0383", "-0321", ""),
        ("b. ca. 300 B.C.", "-0299~", "", ""),
        ("06.06.1875-12.08.1955", "1875-06-06", "1955-08-12", ""),
        ("-26.11.1631", "", "1631-11-26", ""),
        ("fl. 1850-1870", "", "", "1850/1870"),
        ("active 1850", "", "", "1850"),
        ("active 15th century", "", "", "14XX"),
        ("18 в.", "", "", "17XX"),
        ("XVIII в.", "", "", "17XX"),
        # A year alone may be that of anything, and two centuries are no one.
        ("1950", "", "", ""),
        ("16./17. Jh.", "", "", ""),
        ("", "", "", ""),
        ("граф", "", "", ""),
        ("0-0", "", "", ""),
    ],
)
def test_dates_in_a_heading(text: str, born: str, died: str, active: str) -> None:
    assert parse_life(text) == StatedLife(born, died, active)


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("1835", "1835"),
        ("18351130", "1835-11-30"),
        ("1835-11-30", "1835-11-30"),
        ("1835-11", "1835-11"),
        ("1849~", "1849~"),
        ("1849?", "1849?"),
        ("18uu", "18XX"),
        ("183X", "183X"),
        ("-0099", "-0099"),
        ("1835/1910", "1835/1910"),
        ("1900/open", "1900/.."),
        ("../1917", "../1917"),
        ("[1835..1837]", "[1835..1837]"),
        ("20000230", ""),
        ("20001332", ""),
        ("0000", ""),
        ("около 1900", ""),
        ("1900/весна", ""),
        ("/", ""),
        ("", ""),
        ("²²²²", ""),
        ("٣٣٣٣", ""),
    ],
)
def test_coded_dates(text: str, edtf: str) -> None:
    assert coded_date(text) == edtf


@given(st.one_of(st.text(max_size=20), st.text("0123456789-–./? bcdf.вXV", max_size=20)))
def test_any_text_has_dates_or_none(text: str) -> None:
    parse_life(text)
    coded_date(text)
