"""Validators, conditional requests, and encodings (RFC 9110, 8.8 and 13)."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

import pytest

from tests.site.site import Response, Site

pytestmark = pytest.mark.server


def ask(site: Site, *headers: tuple[str, str]) -> Response:
    return site.get(site.rdf.url, site.rdf.media_type, *headers)


def test_each_form_has_a_strong_tag(site: Site) -> None:
    """RFC 9110, 8.8.3."""
    tags = [response.header("etag") for response in (site.rdf, site.other)]
    assert all(tag.startswith('"') and tag.endswith('"') and len(tag) > 2 for tag in tags), tags
    assert tags[0] != tags[1]


NONE_MATCH = {
    "the same": (304, "T"),
    "a list with it": (304, '"a", T ,"b,c"'),
    "weak tags are compared weakly": (304, "W/T"),
    "any": (304, "*"),
    "two lines are one list": (304, '"a"', "T"),
    "another": (200, '"another", W/"more"'),
    "garbage": (200, 'x,",W/'),
}
"""The status, and the lines of If-None-Match, in which T stands for the tag."""


@pytest.mark.parametrize(("status", "lines"), [(one, lines) for one, *lines in NONE_MATCH.values()], ids=NONE_MATCH)
def test_if_none_match(site: Site, status: int, lines: list[str]) -> None:
    """RFC 9110, 13.1.2."""
    tag = site.rdf.header("etag")
    response = ask(site, *(("If-None-Match", line.replace("T", tag)) for line in lines))
    assert response.status in (status, 400 if status == 200 else status)


def test_304_has_the_headers_of_200_and_no_body(site: Site) -> None:
    """RFC 9110, 15.4.5."""
    response = ask(site, ("If-None-Match", site.rdf.header("etag")))
    for name in ("etag", "vary", "cache-control", "content-location", "expires"):
        assert response.header(name) == site.rdf.header(name)
    assert response.body == b""
    assert response.header("content-length") in ("", "0", str(len(site.rdf.body)))


def test_documents_have_dates_and_state_how_long_they_may_be_stored(site: Site) -> None:
    """RFC 9110, 6.6.1 and 8.8.2; RFC 9111, 5.2."""
    for name in ("date", "last-modified"):
        text = site.rdf.header(name)
        assert text.endswith("GMT")
        assert parsedate_to_datetime(text) <= datetime.now(UTC) + timedelta(minutes=5)
    assert site.rdf.header("cache-control") or site.rdf.header("expires")


@pytest.mark.parametrize(
    ("status", "days", "headers"),
    [
        (304, 0, ()),
        (200, -1000, ()),
        (200, None, ()),
        (200, 0, (("If-None-Match", '"another"'),)),  # which comes first (RFC 9110, 13.2.2)
    ],
    ids=["unchanged", "changed", "not a date", "with another tag"],
)
def test_if_modified_since(site: Site, status: int, days: int | None, headers: tuple[tuple[str, str], ...]) -> None:
    """RFC 9110, 13.1.3."""
    since = "the day before yesterday"
    if days is not None:
        since = format_datetime(
            parsedate_to_datetime(site.rdf.header("last-modified")) + timedelta(days=days), usegmt=True
        )
    assert ask(site, *headers, ("If-Modified-Since", since)).status == status


def test_gzip_gives_the_same_bytes_with_another_tag(site: Site) -> None:
    """RFC 9110, 8.4.1.3, 8.8.3.3 and 12.5.3."""
    for plain in (site.rdf, site.other):
        coded = site.get(plain.url, plain.media_type, ("Accept-Encoding", "gzip"))
        if coded.header("content-encoding") == "gzip":
            break
    else:
        site.lacks("document that is sent with gzip")
    plain = site.get(coded.url, coded.media_type)
    assert gzip.decompress(coded.body) == plain.body
    assert coded.header("etag") != plain.header("etag")
    assert {"accept-encoding", "*"} & coded.names("vary")
    refused = site.get(coded.url, coded.media_type, ("Accept-Encoding", "gzip;q=0, identity"))
    assert refused.header("content-encoding") in ("", "identity")
