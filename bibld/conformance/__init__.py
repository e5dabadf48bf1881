"""Conformance: the address of any Linked Data site in; a table of checks of HTTP, VoID, DCAT and SPARQL out.

Each check looks at one clause of a standard and answers ok, fails or not applicable, with what was seen. Requests are
bounded in number, rate and time, go to the host of the site only, and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

import msgspec

from bibld.conformance import (
    caching,
    dereferencing,
    descriptions,
    interfaces,
    linked_data,
    methods,
    negotiation,
    sparql,
    wire,
)
from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, Verdict
from bibld.conformance.site import Site, Subject
from bibld.conformance.web import Client, Politeness
from bibld.errors import ConfigError

__all__ = ["GROUPS", "Check", "Finding", "Politeness", "Subject", "check_site", "find_checks"]

GROUPS: dict[str, tuple[Check, ...]] = {
    "Dereferencing": dereferencing.CHECKS,
    "Content negotiation": negotiation.CHECKS,
    "Caching": caching.CHECKS,
    "Methods and scripts of other sites": methods.CHECKS,
    "Messages": wire.CHECKS,
    "Linked Data": linked_data.CHECKS,
    "Descriptions of the dataset": descriptions.CHECKS,
    "SPARQL": sparql.CHECKS,
    "Other interfaces": interfaces.CHECKS,
}
"""All checks, by the part of a site that they look at."""


class Finding(msgspec.Struct, frozen=True):
    """The result of one check of a site."""

    id: str
    what: str
    clause: str
    result: Verdict
    seen: str


def find_checks(patterns: Sequence[str] = ()) -> tuple[Check, ...]:
    """Return the checks whose ids match one of the patterns (``*`` and ``?``), in their order; all without a pattern.

    Raises ``ConfigError`` for a pattern that matches none.
    """
    checks = [check for group in GROUPS.values() for check in group]
    unknown = [each for each in patterns if not any(fnmatchcase(check.id, each) for check in checks)]
    if unknown:
        raise ConfigError([f'no check matches "{each}"; --list prints their ids' for each in unknown])
    return tuple(check for check in checks if not patterns or any(fnmatchcase(check.id, each) for each in patterns))


def check_site(
    subject: Subject,
    politeness: Politeness = Politeness(),  # noqa: B008
    only: Sequence[str] = (),
    report: Callable[[Finding], None] | None = None,
) -> list[Finding]:
    """Check a site and return what was found; ``report`` is called with each finding as soon as there is one.

    ``only`` are patterns of ids (``accept-*``). Raises ``ConfigError`` for an address that is not http or https, and
    ``StageError`` if no connection to its host can be made.
    """
    if not _is_address(subject.url):
        raise ConfigError([f"{subject.url}: not an address of a site; name one with http:// or https://"])
    if not subject.url.endswith("/"):
        subject = msgspec.structs.replace(subject, url=subject.url + "/")
    checks = find_checks(only)
    found = []
    with closing(Client(subject.url, politeness)) as client:
        client.check_connection(subject.url)
        for finding in _findings(Site(subject, client), checks):
            found.append(finding)
            if report is not None:
                report(finding)
    return found


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _findings(site: Site, checks: Sequence[Check]) -> Iterator[Finding]:
    for check in checks:
        try:
            outcome = check.run(site)
        except NotApplicableError as reason:
            outcome = Outcome("not applicable", str(reason))
        except FailedError as reason:
            outcome = Outcome("fails", str(reason))
        except ValueError as error:  # for example a port that is no number, in an address that the site names
            outcome = Outcome("fails", f"the site answers with what cannot be read: {error}")
        yield Finding(check.id, check.what, check.clause, outcome.result, outcome.seen)
