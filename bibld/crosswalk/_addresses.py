"""Addresses in records: which may become links, and in what form."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"(https?|ftp)://[^\s/?#@]\S*", re.IGNORECASE)
_ILLEGAL = re.compile(r'[\x00-\x20\x7f<>"{}|\\^`\[\]]|%(?![0-9A-Fa-f]{2})|#(?=.*#)')


def address(text: str) -> str | None:
    """An address of http, https or ftp as a legal IRI (RFC 3987); None for any other text.

    Characters that no IRI may hold are percent-encoded; a text with blanks is no address.
    """
    if not _ADDRESS.fullmatch(text):
        return None
    return _ILLEGAL.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)
