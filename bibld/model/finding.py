"""What a check found: of sources, a workspace, a release, statements, a server."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "info"]


class FindingExample(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case of a finding: where it is, what is wrong there, and the time at which it was seen."""

    where: str
    what: str = ""
    at: str = ""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault: where it is, what it is, and what to do about it.

    ``mended`` is whether it was mended, None where a check mends nothing. ``kind`` is a stable name of the fault or of
    the check that found it, ``clause`` the clause of the standard that is not kept, ``times`` how often it was found.
    As JSON only those of the optional fields are written that differ from the default.
    """

    where: str
    what: str
    remedy: str = ""
    mended: bool | None = None
    severity: Severity = "error"
    kind: str = ""
    clause: str = ""
    times: int = 1
    examples: tuple[FindingExample, ...] = ()

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.times > 1:
            text += f" ({self.times:,} times)"
        if self.remedy:
            text += f"; {'mended, ' if self.mended else ''}{self.remedy}"
        return text
