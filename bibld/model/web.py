"""Which texts are addresses of the web, and may become links or IRIs."""

from __future__ import annotations

import ipaddress
import re

_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;=:@"
_BEYOND = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_SEGMENTS = rf"(?:[{_PLAIN}/{_BEYOND}]|%[0-9A-Fa-f]{{2}})*"
_QUERY = rf"(?:[{_PLAIN}/?{_BEYOND}]|%[0-9A-Fa-f]{{2}})*"
_NAME = rf"[A-Za-z0-9{_BEYOND}](?:[A-Za-z0-9\-._{_BEYOND}]*[A-Za-z0-9{_BEYOND}.])?"
_HOST = rf"(?:{_NAME}|\[(?P<address>[0-9A-Fa-f:.]+)\])"
_WEB_IRI = re.compile(
    rf"(?i:https?)://{_HOST}(?::(?P<port>[0-9]{{1,5}}))?(?:/{_SEGMENTS})?(?:\?{_QUERY})?(?:#{_QUERY})?"
)
_INVISIBLE = re.compile("[\u0080-\u00a0\u00ad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]")
_LARGEST_PORT = 65535


def is_web_iri(text: str) -> bool:
    """Whether a text is an absolute IRI (RFC 3987) with scheme http or https that anybody may follow.

    It has a host, a port that there can be, and no user information; no blanks and controls, and no characters that
    cannot be seen or change the direction of writing.
    """
    found = _WEB_IRI.fullmatch(text)
    if found is None or _INVISIBLE.search(text):
        return False
    if found["port"] is not None and int(found["port"]) > _LARGEST_PORT:
        return False
    return found["address"] is None or _is_address(found["address"])


def web_iri(text: str | None) -> str | None:
    """Return a text without the blanks around it if it is an IRI that anybody may follow (:func:`is_web_iri`)."""
    stripped = text.strip() if text is not None else ""
    return stripped if is_web_iri(stripped) else None


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
