"""Recognise the web addresses in records that may be published as links or IRIs."""

from __future__ import annotations

import ipaddress
import re
from functools import cache

_ASCII = r"A-Za-z0-9\-._~!$&'()*+,;=:@"
_NON_ASCII = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_INVISIBLE = re.compile("[\u0080-\u00a0\u00ad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]")
_LARGEST_PORT = 65535


@cache
def _pattern(more: str) -> re.Pattern[str]:
    """Return the pattern of an IRI that may contain characters beside those of ASCII.

    It is made when it is first needed, because that of all characters takes longer than many a command.
    """
    path = rf"(?:[{_ASCII}/{more}]|%[0-9A-Fa-f]{{2}})*"
    query = rf"(?:[{_ASCII}/?{more}]|%[0-9A-Fa-f]{{2}})*"
    host_name = rf"[A-Za-z0-9{more}](?:[A-Za-z0-9\-._{more}]*[A-Za-z0-9{more}.])?"
    host = rf"(?:{host_name}|\[(?P<address>[0-9A-Fa-f:.]+)\])"
    return re.compile(rf"(?i:https?)://{host}(?::(?P<port>[0-9]{{1,5}}))?(?:/{path})?(?:\?{query})?(?:#{query})?")


def is_web_iri(text: str) -> bool:
    """Return whether a text is an absolute http or https IRI (RFC 3987) that is safe to publish as a link.

    Safe is an IRI with a host, a possible port and no user information, without blanks, control characters, invisible
    characters and those that change the direction of writing.
    """
    found = _pattern("" if text.isascii() else _NON_ASCII).fullmatch(text)
    if found is None or _INVISIBLE.search(text):
        return False
    if found["port"] is not None and int(found["port"]) > _LARGEST_PORT:
        return False
    return found["address"] is None or _is_ipv6_address(found["address"])


def web_iri(text: str | None) -> str | None:
    """Return a text without the blanks around it if :func:`is_web_iri` accepts it, else None."""
    stripped = text.strip() if text is not None else ""
    return stripped if is_web_iri(stripped) else None


def _is_ipv6_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
