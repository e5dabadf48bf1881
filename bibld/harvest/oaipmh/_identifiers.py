"""What a record is known by: the identifier of its header, or the part of it that does not name the host."""

from __future__ import annotations

import re
from typing import Literal

IdFrom = Literal["identifier", "local"]

_OAI = re.compile(r"oai:[^:]*:(.+)", re.DOTALL)
_WEB = re.compile(r"https?://[^/?#]*/?(.+)", re.DOTALL | re.IGNORECASE)


def record_key(identifier: str, id_from: IdFrom) -> str:
    """Return what a record with this identifier is known by.

    The local part is what follows the second colon of ``oai:host:number``, or the host of a web address; an identifier
    of another form is its own local part.
    """
    if id_from == "local" and (found := _OAI.fullmatch(identifier) or _WEB.fullmatch(identifier)):
        return found[1]
    return identifier
