"""Validators, conditional requests, and encodings (RFC 9110, 8.8 and 13)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from bibld.conformance.checks import Check, NotApplicableError, Outcome, expect
from bibld.conformance.site import Site
from bibld.conformance.web import Answer, unpack_gzip

_NONE_MATCH = "RFC 9110, 13.1.2"
_MODIFIED = "RFC 9110, 13.1.3"


def _tag(site: Site) -> str:
    tag = site.rdf.header("etag")
    if not tag:
        raise NotApplicableError("the document has no ETag")
    return tag


def _has_tag(site: Site) -> Outcome:
    tags = [answer.header("etag") for answer in (site.rdf, site.other)]
    return expect(
        all(tag.startswith('"') and tag.endswith('"') and len(tag) > 2 for tag in tags), ", ".join(tags) or "none"
    )


def _tags_differ(site: Site) -> Outcome:
    _tag(site)
    tags = {answer.media_type: answer.header("etag") for answer in (site.rdf, site.other)}
    return expect(len(set(tags.values())) == len(tags), ", ".join(f"{kind} {tag}" for kind, tag in tags.items()))


def _coded(site: Site) -> Answer:
    for answer in (site.rdf, site.other):
        coded = site.client.get(answer.url, answer.media_type, (("Accept-Encoding", "gzip"),))
        if coded.header("content-encoding") == "gzip":
            return coded
    raise NotApplicableError("no document is sent with gzip")


def _gzip(site: Site) -> Outcome:
    coded = _coded(site)
    plain = site.client.get(coded.url, coded.media_type)
    body = unpack_gzip(coded.body)
    return expect(body == plain.body, f"{len(coded.body)} of {len(plain.body)} bytes")


def _gzip_tag(site: Site) -> Outcome:
    coded = _coded(site)
    plain = site.client.get(coded.url, coded.media_type)
    if not plain.header("etag").startswith('"'):
        raise NotApplicableError("the document has no strong ETag")
    return expect(
        coded.header("etag") != plain.header("etag"), f"gzip {coded.header('etag')}, plain {plain.header('etag')}"
    )


def _gzip_vary(site: Site) -> Outcome:
    vary = _coded(site).header("vary")
    return expect("accept-encoding" in vary.lower() or "*" in vary, f"Vary: {vary or 'none'}")


def _gzip_refused(site: Site) -> Outcome:
    coded = _coded(site)
    headers = (("Accept-Encoding", "gzip;q=0, identity"),)
    answer = site.client.get(coded.url, coded.media_type, headers)
    return expect(
        answer.header("content-encoding") in ("", "identity"), answer.header("content-encoding") or "not coded"
    )


def _conditional(site: Site, *headers: tuple[str, str]) -> Answer:
    return site.client.get(site.rdf.url, site.rdf.media_type, headers)


def _none_match(status: int, *templates: str) -> Callable[[Site], Outcome]:
    """Return a check of If-None-Match headers, in which ``T`` is replaced by the tag of the document."""

    def run(site: Site) -> Outcome:
        tag = _tag(site)
        lines = [template.replace("T", tag) for template in templates]
        answer = _conditional(site, *(("If-None-Match", line) for line in lines))
        return expect(answer.status == status, f"{' | '.join(lines)[:120]}: {answer.status}")

    return run


def _garbage(site: Site) -> Outcome:
    _tag(site)
    answer = _conditional(site, ("If-None-Match", 'x,",W/'))
    return expect(answer.status in (200, 400), str(answer))


def _unmodified(site: Site) -> Answer:
    answer = _conditional(site, ("If-None-Match", _tag(site)))
    if answer.status != 304:
        raise NotApplicableError(f"no answer 304: {answer}")
    return answer


def _unmodified_headers(site: Site) -> Outcome:
    answer = _unmodified(site)
    wanted = [
        name for name in ("ETag", "Vary", "Cache-Control", "Content-Location", "Expires") if site.rdf.header(name)
    ]
    missing = [name for name in wanted if answer.header(name) != site.rdf.header(name)]
    return expect(not missing, f"differ or are missing: {', '.join(missing)}" if missing else ", ".join(wanted))


def _unmodified_body(site: Site) -> Outcome:
    answer = _unmodified(site)
    length = answer.header("content-length")
    return expect(not answer.body and length in ("", "0", str(len(site.rdf.body))), f"{len(answer.body)} bytes")


def _date(site: Site) -> Outcome:
    return expect(_is_date(site.rdf.header("date")), f"Date: {site.rdf.header('date') or 'none'}")


def _is_date(text: str) -> bool:
    try:
        return text.endswith("GMT") and parsedate_to_datetime(text).tzinfo is not None
    except ValueError:
        return False


def _last_modified(site: Site) -> Outcome:
    text = site.rdf.header("last-modified")
    is_valid = _is_date(text) and parsedate_to_datetime(text) <= datetime.now(UTC) + timedelta(minutes=5)
    return expect(is_valid, f"Last-Modified: {text or 'none'}")


def _modified(site: Site) -> datetime:
    text = site.rdf.header("last-modified")
    if not _is_date(text):
        raise NotApplicableError("the document has no valid Last-Modified")
    return parsedate_to_datetime(text)


def _modified_since(status: int, days: int) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        since = format_datetime(_modified(site) + timedelta(days=days), usegmt=True)
        answer = _conditional(site, ("If-Modified-Since", since))
        return expect(answer.status == status, f"{since}: {answer.status}")

    return run


def _modified_since_invalid(site: Site) -> Outcome:
    _modified(site)
    answer = _conditional(site, ("If-Modified-Since", "the day before yesterday"))
    return expect(answer.status == 200, str(answer))


def _precedence(site: Site) -> Outcome:
    """If-None-Match counts, If-Modified-Since does not, if both are sent."""
    _tag(site)
    since = format_datetime(_modified(site), usegmt=True)
    answer = _conditional(site, ("If-None-Match", '"another"'), ("If-Modified-Since", since))
    return expect(answer.status == 200, str(answer))


def _cache_control(site: Site) -> Outcome:
    value = site.rdf.header("cache-control")
    return expect(bool(value or site.rdf.header("expires")), f"Cache-Control: {value or 'none'}")


CHECKS = (
    Check("etag", "documents have strong ETags", "RFC 9110, 8.8.3", _has_tag),
    Check("etag-differs", "each form has a different ETag", "RFC 9110, 8.8.3.3", _tags_differ),
    Check("etag-gzip", "a coded form has a different ETag", "RFC 9110, 8.8.3.3", _gzip_tag),
    Check("if-none-match", "the same ETag answers 304", _NONE_MATCH, _none_match(304, "T")),
    Check("if-none-match-list", "so does a list with it", _NONE_MATCH, _none_match(304, '"a", T ,"b,c"')),
    Check("if-none-match-weak", "weak tags are compared weakly", _NONE_MATCH, _none_match(304, "W/T")),
    Check("if-none-match-any", "so does *", _NONE_MATCH, _none_match(304, "*")),
    Check("if-none-match-lines", "two lines are one list", "RFC 9110, 5.3", _none_match(304, '"a"', "T")),
    Check("if-none-match-other", "another ETag answers 200", _NONE_MATCH, _none_match(200, '"another", W/"more"')),
    Check("if-none-match-garbage", "an invalid one answers 200 or 400", _NONE_MATCH, _garbage),
    Check("304-headers", "304 has the headers of 200", "RFC 9110, 15.4.5", _unmodified_headers),
    Check("304-body", "304 has no body", "RFC 9110, 15.4.5", _unmodified_body),
    Check("date", "answers have a Date", "RFC 9110, 6.6.1", _date),
    Check("last-modified", "documents have Last-Modified", "RFC 9110, 8.8.2", _last_modified),
    Check("if-modified-since", "an unchanged document answers 304", _MODIFIED, _modified_since(304, 0)),
    Check("if-modified-since-old", "a changed document answers 200", _MODIFIED, _modified_since(200, -1000)),
    Check("if-modified-since-bad", "an invalid date is ignored", _MODIFIED, _modified_since_invalid),
    Check("if-none-match-first", "If-None-Match precedes If-Modified-Since", "RFC 9110, 13.2.2", _precedence),
    Check("cache-control", "answers state how long they may be stored", "RFC 9111, 5.2", _cache_control),
    Check("gzip", "gzip gives the same bytes", "RFC 9110, 8.4.1.3", _gzip),
    Check("gzip-vary", "Vary names Accept-Encoding", "RFC 9110, 12.5.5", _gzip_vary),
    Check("gzip-zero", "gzip;q=0 is not coded", "RFC 9110, 12.5.3", _gzip_refused),
)
