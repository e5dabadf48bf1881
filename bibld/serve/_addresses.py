"""Where the IRIs of the dataset are found on this server.

The server may stand elsewhere than the dataset's base says (on a test machine, behind a proxy). The path of the base is
kept, and every link and redirect is a path, so that following one never leaves the server.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import msgspec

from bibld.model.iris import Iris

_KEPT_IN_PATHS = "/~:@!$&'()*+,;=%-._"


class Addresses(msgspec.Struct, frozen=True):
    """Maps between IRIs under a base and paths of the server."""

    iris: Iris

    @property
    def mount(self) -> str:
        """The path of the base; begins and ends with ``/``."""
        path = quote(urlsplit(self.iris.base).path, safe=_KEPT_IN_PATHS)
        return path if path.endswith("/") else path + "/"

    def href(self, iri: str) -> str | None:
        """The server's path for an IRI of the dataset (with its fragment); None for an IRI of others."""
        if not iri.startswith(self.iris.base):
            return None
        path, hash_sign, fragment = iri[len(self.iris.base) :].partition("#")
        return self.mount + quote(path, safe=_KEPT_IN_PATHS) + hash_sign + quote(fragment, safe=_KEPT_IN_PATHS)

    def page(self, path: str) -> str:
        """The server's path for what follows the base."""
        return self.mount + quote(path, safe=_KEPT_IN_PATHS)


def is_web_address(text: str) -> bool:
    """Whether a text may become a link: an http or https address with a host, without blanks and controls."""
    if any(character <= " " or character == "\x7f" for character in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
