"""Dates of publication: the years that a statement may mean."""

import pytest

from bibld.text.dates import interval


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("1998", (1998, 1998)),
        ("cop. 1997", (1997, 1997)),
        ("1998-1999", (1998, 1999)),
        ("1964/1965", (1964, 1965)),
        ("[1905 или 1906]", (1905, 1906)),
        ("[между 1920 и 1925]", (1920, 1925)),
        ("[197-?]", (1970, 1979)),
        ("[193-]", (1930, 1939)),
        ("199?", (1990, 1999)),
        ("197u", (1970, 1979)),
        ("1970-е гг.", (1970, 1979)),
        ("1890s", (1890, 1899)),
        ("19uu", (1900, 1999)),
        ("[18--?]", (1800, 1899)),
        ("М., 19-- г.", (1900, 1999)),
        ("<1972- >", (1972, 1972)),
        ("[б. г.]", None),
        ("uuuu", None),
        ("", None),
    ],
)
def test_a_date_is_the_time_that_it_may_mean(text, years):
    assert interval(text) == years
