"""What a check is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from bibld.errors import BibldError

if TYPE_CHECKING:
    from bibld.conformance.site import Site

Verdict = Literal["ok", "fails", "not applicable"]


class Outcome(msgspec.Struct, frozen=True):
    """The result of one check, and what was seen in words."""

    result: Verdict
    seen: str


class Check(msgspec.Struct, frozen=True):
    """A rule of a standard: ``what`` a site does, the ``clause`` that requires it, and the function that looks."""

    id: str
    what: str
    clause: str
    run: Callable[[Site], Outcome]


class NotApplicableError(BibldError):
    """The site has nothing that this rule is about."""


class FailedError(BibldError):
    """The site breaks the rule; the message is what was seen."""


def expect(is_right: bool, seen: str) -> Outcome:
    """Return the outcome of a condition."""
    return Outcome("ok" if is_right else "fails", seen)
