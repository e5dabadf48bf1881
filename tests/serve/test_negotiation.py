"""Which representation a client gets (RFC 9110, 12.5.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.serve._negotiation import accepts_gzip, choose, choose_language, media_ranges

OFFERS = ("text/html", "text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml")


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, "text/html"),
        ("", "text/html"),
        ("*/*", "text/html"),
        ("text/turtle", "text/turtle"),
        ("TEXT/Turtle", "text/turtle"),
        ("text/html;q=0.5,text/turtle", "text/turtle"),
        ("text/html;q=0.5, text/turtle;q=0.4", "text/html"),
        ("text/turtle;q=0, */*", "text/html"),
        ("text/html;q=0, text/turtle;q=0, */*;q=0.1", "application/n-triples"),
        ("text/turtle;q=0", None),
        ("text/*;q=0, application/ld+json", "application/ld+json"),
        ("*/*;q=1, text/html;q=0.1, text/turtle;q=0.2", "application/n-triples"),
        ("application/*", "application/n-triples"),
        ("image/png", None),
        ("image/png, */*;q=0.01", "text/html"),
        ('application/ld+json;profile="a,b;q=0"', "application/ld+json"),
        ("text/turtle;charset=utf-8;q=0.9, text/html;q=0.8", "text/turtle"),
        ("text/turtle ; q = 0.9 , text/html ; q=0.8", "text/turtle"),
        ("text/turtle;q=abc, text/html;q=0.9", "text/turtle"),
        ("text/turtle;q=nan, text/html;q=0.9", "text/turtle"),
        ("text/turtle;q=-1, text/html;q=0.1", "text/html"),
        ("text/turtle;q=7, text/html;q=0.9", "text/turtle"),
        ("nonsense", "text/html"),
        ("*", "text/html"),
        ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "text/html"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "text/html"),
        ("application/rdf+xml, text/turtle;q=0.9", "application/rdf+xml"),
        ("text/turtle;level=1;q=0.3, text/turtle;q=0.7, text/html;q=0.5", "text/html"),
    ],
)
def test_the_best_offer_is_chosen(accept, chosen):
    assert choose(accept, OFFERS) == chosen


@given(st.text())
def test_any_header_gives_an_offer_or_none(accept):
    assert choose(accept, OFFERS) in (*OFFERS, None)


@given(st.text(alphabet='abtexurlq/*;,=".0159 \\\t-+'))
def test_any_near_header_gives_an_offer_or_none(accept):
    assert choose(accept, OFFERS) in (*OFFERS, None)
    assert all(0.0 <= each.quality <= 1.0 for each in media_ranges(accept))
    assert accepts_gzip(accept) in (True, False)


RANGES = st.lists(
    st.tuples(
        st.sampled_from((*OFFERS, "text/*", "application/*", "*/*", "image/png")),
        st.integers(0, 1000).map(lambda number: f"{number / 1000:.3f}"),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda pair: pair[0],
)


def header(ranges):
    return ", ".join(f"{name};q={quality}" for name, quality in ranges)


@given(RANGES, st.randoms())
def test_the_order_of_ranges_does_not_matter(ranges, random):
    shuffled = list(ranges)
    random.shuffle(shuffled)
    assert choose(header(shuffled), OFFERS) == choose(header(ranges), OFFERS)


@given(RANGES)
def test_what_is_refused_is_never_sent(ranges):
    refused = {name for name, quality in ranges if float(quality) == 0}
    assert choose(header(ranges), OFFERS) not in refused


@given(RANGES)
def test_what_is_chosen_is_wanted_at_least_as_much_as_any_named_offer(ranges):
    wanted = {name: float(quality) for name, quality in ranges if name in OFFERS}
    chosen = choose(header(ranges), OFFERS)
    if chosen in wanted:
        assert wanted[chosen] == max(wanted.values())
    if chosen is None:
        assert not any(wanted.values())


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        (None, False),
        ("", False),
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("identity", False),
    ],
)
def test_gzip_only_where_it_is_wanted(header, accepted):
    assert accepts_gzip(header) is accepted


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        *[("", "en"), ("ru", "ru"), ("RU-ru", "ru"), ("de, ru;q=0.4", "ru"), ("en;q=0.5, ru;q=0.8", "ru")],
        *[("ru;q=0", "en"), ("*", "en"), (";;,q=", "en")],
    ],
)
def test_the_language_that_the_client_prefers(accepted, language):
    assert choose_language(accepted, ("en", "ru")) == language
