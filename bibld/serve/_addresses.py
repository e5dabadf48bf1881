"""Where the IRIs of the dataset are found on this server.

The server may have another address than the base of the dataset (on a test machine, behind a proxy). The path of the
base stays the same, and every link and redirect is a path, so that following one never leaves the server.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

import msgspec

from bibld.model.iris import Iris

_KEPT_IN_PATHS = "/~:@!$&'()*+,;=%-._"
_REMEMBERED = 4096


@lru_cache(maxsize=_REMEMBERED)
def quoted(path: str) -> str:
    """Return a path as addresses write it."""
    return quote(path, safe=_KEPT_IN_PATHS)


@lru_cache
def _mount(base: str) -> str:
    path = quoted(urlsplit(base).path) or "/"
    if path.startswith("//"):  # would name another host; /./ is the same path (RFC 3986, 5.2.4)
        path = f"/.{path}"
    return path if path.endswith("/") else path + "/"


class Addresses(msgspec.Struct, frozen=True):
    """Maps between IRIs under a base and paths of the server."""

    iris: Iris

    @property
    def mount(self) -> str:
        """The path of the base as links write it; begins and ends with ``/``, and never begins with ``//``."""
        return _mount(self.iris.base)

    @property
    def route(self) -> str:
        """The path of the base as the server sees it in requests: with its escapes decoded."""
        return unquote(self.mount.removeprefix("/.") if self.mount.startswith("/.//") else self.mount)

    def href(self, iri: str) -> str | None:
        """Return the server's path for an IRI of the dataset (with its fragment); None for an IRI of others."""
        if not iri.startswith(self.iris.base):
            return None
        path, hash_sign, fragment = iri[len(self.iris.base) :].partition("#")
        return self.mount + quoted(path) + hash_sign + quoted(fragment)

    def page(self, path: str) -> str:
        """Return the server's path for the part of an IRI that follows the base."""
        return self.mount + quoted(path)
