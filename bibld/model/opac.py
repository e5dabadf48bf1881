"""The online catalogues of libraries: the address at which a library's own catalogue shows one of its records.

A template is a web address with placeholders, as the simple expansions of RFC 6570 (3.2.2) are written:
``https://opac.example.org/record/{id}``.
"""

from __future__ import annotations

import re
import urllib.parse
from typing import Protocol

from bibld.model.iris import is_web_iri

PLACEHOLDERS = ("id", "isbn", "call_number")
"""What templates can contain: the control number of a record, its first ISBN, and its shelf mark."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MAX_TEMPLATE_LENGTH = 2000


class HasCatalogue(Protocol):
    """The configuration of a source, or the figures of a released one."""

    @property
    def catalogue_url(self) -> str:
        """The template; empty if the library has no catalogue on the web."""


def catalogue_address(source: HasCatalogue, record_id: str, isbn: str = "", call_number: str = "") -> str:
    """Return the address of a record in its library's own catalogue; empty if it has none.

    It has none without a template, or if the template needs a value that is empty. All characters of the values but
    the unreserved ones are percent-encoded, so that none can change the address.
    """
    values = dict(zip(PLACEHOLDERS, (record_id, isbn, call_number), strict=True))
    template = source.catalogue_url
    if not all(values.get(name) for name in _PLACEHOLDER.findall(template)):
        return ""
    return _PLACEHOLDER.sub(lambda found: urllib.parse.quote(values[found[1]], safe=""), template)


def unknown_placeholders(template: str) -> list[str]:
    """Return the placeholders of a template that no record has."""
    return [name for name in _PLACEHOLDER.findall(template) if name not in PLACEHOLDERS]


def template_fault(template: str) -> str:
    """Return what is wrong with a template, placeholders that are not known excepted; empty if nothing is."""
    filled = _PLACEHOLDER.sub("x", template)
    try:
        parts = urllib.parse.urlsplit(template)
        host, is_web = parts.netloc, parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        host, is_web = "", False
    if not is_web or not is_web_iri(filled) or len(template) > _MAX_TEMPLATE_LENGTH:
        return f"is not a web address with placeholders; write https://opac.example.org/record/{{{PLACEHOLDERS[0]}}}"
    if "{" in host or "@" in host:
        return "has a placeholder or credentials before the path; write the name of the server alone"
    if filled == template:
        return f"has no placeholder; add {', '.join(f'{{{name}}}' for name in PLACEHOLDERS[:-1])} or {{call_number}}"
    return ""
