"""Content negotiation by Accept (RFC 9110, 12)."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from bibld.conformance.checks import Check, NotApplicableError, Outcome, expect
from bibld.conformance.site import HTML, Link, Site
from bibld.conformance.web import Answer

_UNKNOWN = "application/x-nothing-of-the-kind"
_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
_ACCEPT = "RFC 9110, 12.5.1"
_QUALITY = "RFC 9110, 12.4.2"


def _gives(is_right: Callable[[Site, Answer], bool], *accepts: str) -> Callable[[Site], Outcome]:
    """Return a check of the answers to Accept headers; ``A`` and ``B`` are replaced by two types of the site."""

    def run(site: Site) -> Outcome:
        types = {"A": site.rdf.media_type, "B": site.other.media_type}
        headers = [re.sub(r"\b[AB]\b", lambda found: types[found[0]], accept) for accept in accepts]
        answer = site.follow_from(site.thing_url, None, *(("Accept", header) for header in headers))
        return expect(is_right(site, answer), f"{' | '.join(headers)[:120]}: {answer}")

    return run


def _is_first(site: Site, answer: Answer) -> bool:
    return answer.status == 200 and answer.media_type == site.rdf.media_type


def _is_second(site: Site, answer: Answer) -> bool:
    return answer.status == 200 and answer.media_type == site.other.media_type


def _is_not_first(site: Site, answer: Answer) -> bool:
    return answer.status == 200 and answer.media_type != site.rdf.media_type


def _is_no_fault(_: Site, answer: Answer) -> bool:
    return answer.status < 500


def _is_page(_: Site, answer: Answer) -> bool:
    return answer.status == 200 and answer.media_type in (HTML, "application/xhtml+xml")


def _upper_case(site: Site) -> Outcome:
    answer = site.follow(site.rdf.media_type.upper())
    return expect(_is_first(site, answer), f"{site.rdf.media_type.upper()}: {answer}")


def _kind(site: Site) -> Outcome:
    kind = site.rdf.media_type.partition("/")[0]
    answer = site.follow(f"{kind}/*")
    return expect(answer.status == 200 and answer.media_type.startswith(f"{kind}/"), f"{kind}/*: {answer}")


def _refused(site: Site) -> Answer:
    answer = site.follow(_UNKNOWN)
    if answer.status == 200:
        raise NotApplicableError(f"the site disregards Accept (allowed by RFC 9110, 12.5.1): {answer}")
    return answer


def _unknown_only(site: Site) -> Outcome:
    answer = _refused(site)
    return expect(answer.status == 406, str(answer))


def _alternates(site: Site) -> Outcome:
    answer = _refused(site)
    listed = [link for link in site.links(answer) if link.relation == "alternate" and link.type]
    return expect(bool(listed) or site.rdf.media_type.encode() in answer.body, f"{len(listed)} links, {answer}")


def _alternate_types(site: Site) -> Outcome:
    listed = {link.target: link.type for link in _alternate_links(site)}
    wrong = []
    for target, media_type in list(listed.items())[:10]:
        answer = site.client.get(target)
        if answer.status != 200 or answer.media_type != media_type:
            wrong.append(f"{target}: {answer}, not {media_type}")
    return expect(not wrong, "; ".join(wrong) or f"{len(listed)} addresses")


def _alternate_links(site: Site) -> list[Link]:
    found = [link for link in site.links(site.rdf) if link.relation == "alternate" and link.type and link.target]
    if not found:
        raise NotApplicableError("the document has no links to alternates")
    return found


def _suffix_wins(site: Site) -> Outcome:
    # The address of one form gives that form, or 406, but no other one.
    first = next((link for link in _alternate_links(site) if link.type == site.rdf.media_type), None)
    if first is None:
        raise NotApplicableError(f"no address of {site.rdf.media_type}")
    answer = site.client.get(first.target, site.other.media_type)
    return expect(answer.status == 406 or answer.media_type == first.type, str(answer))


def _vary(status: int, find: Callable[[Site], Answer]) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        answer = find(site)
        if answer.status != status:
            raise NotApplicableError(f"no answer {status}: {answer}")
        names = {name.strip().lower() for name in answer.header("vary").split(",")}
        return expect(bool(names & {"accept", "*"}), f"Vary: {answer.header('vary') or 'none'}")

    return run


def _negotiated(site: Site) -> Answer:
    """Return a document whose form depends on Accept: that of the thing, or the description of the dataset."""
    urls = [site.thing_url, site.rdf.url]
    with suppress(NotApplicableError):
        urls.append(site.address(site.dataset))
    for url in urls:
        answer, other = (site.client.get(url, each.media_type) for each in (site.rdf, site.other))
        if answer.status == other.status == 200 and answer.media_type != other.media_type:
            return answer
    raise NotApplicableError("no address answers 200 in more than one form")


def _unmodified(site: Site) -> Answer:
    answer = _negotiated(site)
    headers = (("If-None-Match", answer.header("etag")),)
    return site.client.get(answer.url, site.rdf.media_type, headers)


CHECKS = (
    Check("accept-quality", "the type with the higher weight is sent", _QUALITY, _gives(_is_first, "B;q=0.5, A")),
    Check("accept-order", "weights count, not the order", _QUALITY, _gives(_is_second, "A;q=0.2, B;q=0.8")),
    Check("accept-small-weight", "weights of three digits count", _QUALITY, _gives(_is_first, "B;q=0.001, A;q=0.002")),
    Check("accept-zero", "a type with q=0 is not sent", _QUALITY, _gives(_is_not_first, "A;q=0, */*;q=0.5")),
    Check("accept-specific", "the most specific range decides", _ACCEPT, _gives(_is_not_first, "*/*;q=0.9, A;q=0.1")),
    Check("accept-kind", "a range of subtypes gives one of them", _ACCEPT, _kind),
    Check("accept-browser", "browsers get HTML", _ACCEPT, _gives(_is_page, _BROWSER)),
    Check("accept-case", "media types are compared without case", "RFC 9110, 8.3.1", _upper_case),
    Check("accept-lines", "two Accept lines are one list", "RFC 9110, 5.3", _gives(_is_first, "B;q=0.1", "A")),
    Check(
        "accept-spaces",
        "white space and empty elements count nothing",
        "RFC 9110, 5.6.1",
        _gives(_is_first, " , A ;  q=1 ,,"),
    ),
    Check("accept-parameter", "a charset does not exclude a type", _ACCEPT, _gives(_is_first, "A;charset=utf-8")),
    Check(
        "accept-bad-weight",
        "an invalid weight is no error of the server",
        _QUALITY,
        _gives(_is_no_fault, "A;q=high, B;q=-1"),
    ),
    Check(
        "accept-garbage", "an invalid Accept is no error of the server", _ACCEPT, _gives(_is_no_fault, ',;/;q==,"\\')
    ),
    Check(
        "accept-long",
        "a long Accept is no error of the server",
        _ACCEPT,
        _gives(_is_no_fault, ", ".join(f"x/y{n}" for n in range(500))),
    ),
    Check("accept-none", "406 if no form is accepted", "RFC 9110, 15.5.7", _unknown_only),
    Check("accept-none-alternates", "406 lists the forms that there are", "RFC 9110, 15.5.7", _alternates),
    Check("alternate-types", "every alternate has the type that its link states", "RFC 8288, 3.4.1", _alternate_types),
    Check("suffix-wins", "the address of one form gives no other", "Best Practice Recipes, 3", _suffix_wins),
    Check("vary-200", "Vary names Accept: 200", "RFC 9110, 12.5.5", _vary(200, _negotiated)),
    Check(
        "vary-303",
        "Vary names Accept: redirects",
        "RFC 9110, 12.5.5",
        _vary(303, lambda site: site.ask(site.rdf.media_type)),
    ),
    Check("vary-304", "Vary names Accept: 304", "RFC 9110, 15.4.5", _vary(304, _unmodified)),
    Check("vary-406", "Vary names Accept: 406", "RFC 9110, 12.5.5", _vary(406, lambda site: site.follow(_UNKNOWN))),
)
