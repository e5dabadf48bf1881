"""Methods other than GET, and requests of scripts from other sites. Only methods that change nothing are sent."""

from __future__ import annotations

from bibld.conformance.checks import Check, NotApplicableError, Outcome, expect
from bibld.conformance.site import HTML, Site
from bibld.conformance.web import Answer

_ORIGIN = ("Origin", "https://other.example.org")
_CORS = "Fetch Standard, 3.2"
_SAME_IN_HEAD = ("Content-Type", "ETag", "Last-Modified", "Vary", "Link", "Cache-Control", "Content-Location")


def _head(site: Site) -> Outcome:
    wrong = []
    for answer in (site.rdf, site.other):
        head = site.client.send("HEAD", answer.url, (("Accept", answer.media_type),))
        wrong += [name for name in _SAME_IN_HEAD if head.header(name) != answer.header(name)]
        if head.status != answer.status:
            wrong.append(f"status {head.status}")
        length = head.header("content-length")
        if length not in ("", str(len(answer.body))):
            wrong.append(f"Content-Length {length}, not {len(answer.body)}")
    return expect(not wrong, f"differ: {', '.join(dict.fromkeys(wrong))}" if wrong else "equal")


def _head_redirect(site: Site) -> Outcome:
    answer = site.ask(site.rdf.media_type)
    head = site.client.send("HEAD", site.thing_url, (("Accept", site.rdf.media_type),))
    is_equal = (head.status, head.header("location")) == (answer.status, answer.header("location"))
    return expect(is_equal, f"HEAD {head.status}, GET {answer.status}")


def _options(site: Site) -> Outcome:
    answer = site.client.send("OPTIONS", site.rdf.url)
    allowed = _allowed(answer)
    return expect(
        answer.status in (200, 204) and {"GET", "HEAD"} <= allowed,
        f"{answer}, Allow: {answer.header('allow') or 'none'}",
    )


def _allowed(answer: Answer) -> set[str]:
    return {name.strip() for name in answer.header("allow").split(",")}


def _refused(site: Site) -> Outcome:
    """PROPFIND changes nothing, and is a method that other sites know (RFC 4918)."""
    answer = site.client.send("PROPFIND", site.rdf.url)
    if answer.status == 501:
        raise NotApplicableError("the server does not know the method: 501")
    return expect(
        answer.status == 405 and "GET" in _allowed(answer), f"{answer}, Allow: {answer.header('allow') or 'none'}"
    )


def _unknown(site: Site) -> Outcome:
    answer = site.client.send("NOTAMETHOD", site.rdf.url)
    return expect(answer.status in (400, 405, 501), str(answer))


def _trace(site: Site) -> Outcome:
    answer = site.client.send("TRACE", site.rdf.url, (("Cookie", "secret=1"),))
    return expect(b"secret=1" not in answer.body and answer.status < 600, str(answer))


def _allows(answer: Answer) -> bool:
    return answer.header("access-control-allow-origin") in ("*", _ORIGIN[1])


def _cors_document(site: Site) -> Outcome:
    answer = site.client.get(site.rdf.url, site.rdf.media_type, (_ORIGIN,))
    return expect(
        _allows(answer), f"Access-Control-Allow-Origin: {answer.header('access-control-allow-origin') or 'none'}"
    )


def _cors_redirect(site: Site) -> Outcome:
    answer = site.ask(site.rdf.media_type, _ORIGIN)
    return expect(_allows(answer), f"{answer.status}: {answer.header('access-control-allow-origin') or 'none'}")


def _cors_error(site: Site) -> Outcome:
    answer = site.client.get(f"{site.rdf.url}-no-such-thing", None, (_ORIGIN,))
    return expect(_allows(answer), f"{answer.status}: {answer.header('access-control-allow-origin') or 'none'}")


def _cors_expose(site: Site) -> Outcome:
    answer = site.client.get(site.rdf.url, site.rdf.media_type, (_ORIGIN,))
    exposed = {name.strip().lower() for name in answer.header("access-control-expose-headers").split(",")}
    return expect("*" in exposed or {"etag", "link"} <= exposed, ", ".join(sorted(exposed)) or "none")


def _preflight(site: Site) -> Outcome:
    headers = (_ORIGIN, ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "if-none-match"))
    answer = site.client.send("OPTIONS", site.rdf.url, headers)
    methods = {name.strip().upper() for name in answer.header("access-control-allow-methods").split(",")}
    names = {name.strip().lower() for name in answer.header("access-control-allow-headers").split(",")}
    is_right = answer.status in (200, 204) and _allows(answer) and bool(names & {"if-none-match", "*"})
    return expect(is_right and bool(methods & {"GET", "*", ""}), f"{answer}, headers: {', '.join(sorted(names))}")


def _sniff(site: Site) -> Outcome:
    value = site.follow(HTML).header("x-content-type-options")
    return expect(value.lower() == "nosniff", f"X-Content-Type-Options: {value or 'none'}")


CHECKS = (
    Check("head", "HEAD has the headers of GET", "RFC 9110, 9.3.2", _head),
    Check("head-redirect", "HEAD redirects as GET does", "RFC 9110, 9.3.2", _head_redirect),
    Check("options", "OPTIONS lists the methods", "RFC 9110, 9.3.7", _options),
    Check("405", "other methods answer 405 with Allow", "RFC 9110, 15.5.6", _refused),
    Check("method-unknown", "an unknown method is refused", "RFC 9110, 15.6.2", _unknown),
    Check("trace", "TRACE does not send credentials back", "RFC 9110, 9.3.8", _trace),
    Check("cors-200", "scripts of other sites may read documents", _CORS, _cors_document),
    Check("cors-303", "… follow the redirects to them", _CORS, _cors_redirect),
    Check("cors-404", "… and read errors", _CORS, _cors_error),
    Check("cors-expose", "… and the headers ETag and Link", _CORS, _cors_expose),
    Check("cors-preflight", "OPTIONS permits conditional requests of scripts", "Fetch Standard, 4.8", _preflight),
    Check("nosniff", "browsers do not guess media types", "Fetch Standard, 3.6", _sniff),
)
