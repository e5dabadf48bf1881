"""Dates of publication as catalogues write them, and what is published of each in EDTF."""

from __future__ import annotations

import pytest

from bibld.text.dates import parse_date


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("1956", "1956"),
        ("[1956]", "1956"),
        ("19]79", "1979"),
        ("1998 г.", "1998"),
        ("янв. 1703", "1703"),
        ("Anno 1645", "1645"),
        ("MDCCXLIV [1744]", "1744"),
        ("1913 [1914]", "1913"),
    ],
)
def test_a_year_is_a_year(text, edtf):
    assert parse_date(text).edtf == edtf


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("[1978?]", "1978?"),
        ("[198-?]", "198X?"),
        ("[198-]", "198X"),
        ("199?", "199X?"),
        ("19uu", "19XX"),
        ("[18--?]", "18XX?"),
        ("1970-е гг.", "197X"),
        ("[1970s]", "197X"),
        ("ca. 1850", "1850~"),
        ("ок. 1850", "1850~"),
        ("[1905 или 1906]", "1905?/1906?"),
        ("[between 1905 and 1907]", "1905?/1907?"),
        ("[не ранее 1850]", "[1850..]"),
        ("до 1917", "[..1917]"),
        ("[ca. 1800-1820?]", "1800?/1820?"),
    ],
)
def test_a_doubt_stays_a_doubt(text, edtf):
    assert parse_date(text).edtf == edtf


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("1990-1995", "1990/1995"),
        ("1990-95.", "1990/1995"),
        ("1863-1918", "1863/1918"),
        ("1990-", "1990/.."),
        ("<1972- >", "1972/.."),
        ("1992-<1994>", "1992/1994"),
        ("1898/99", "1898/1899"),
        ("1868-1869; 1871", "1868/1869"),
    ],
)
def test_a_time_has_two_ends(text, edtf):
    assert parse_date(text).edtf == edtf


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("1327/1909", "1909"),
        ("1327 [1909]", "1909"),
        ("1340 [1921 or 1922]", "1921?/1922?"),
        ("2042 [1985]", "1985"),
        ("5743 [1982 or 1983]", "1982?/1983?"),
        ("昭和55 [1980]", "1980"),
    ],
)
def test_of_two_calendars_the_common_era_is_taken(text, edtf):
    assert parse_date(text).edtf == edtf


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("1983, c1982", "1983"),
        ("1981, ©1980", "1981"),
        ("cop. 1998, 2001", "2001"),
        ("c1982", "1982"),
        ("℗1990", "1990"),
        ("1956, printed 1983", "1956"),
        ("1977 (1978 printing)", "1977"),
        ("1963 (обл. 1964)", "1963"),
        ("1928, обл. 1927", "1928"),
        ("1697 [i.e. 1967]", "1967"),
        ("1998 [т. е. 1999]", "1999"),
    ],
)
def test_the_year_of_publication_is_not_that_of_copyright_printing_or_an_error(text, edtf):
    assert parse_date(text).edtf == edtf


@pytest.mark.parametrize("text", ["", "б. г.", "[n.d.]", "[S.a.]", "0000-0050", "forthcoming"])
def test_a_statement_without_a_year_is_no_date(text):
    assert parse_date(text) is None
