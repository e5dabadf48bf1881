"""Where the IRIs of the dataset are found on this server.

The server may have another address than the base of the dataset (on a test machine, behind a proxy). The path of the
base stays the same, and every link and redirect is a path, so that following one never leaves the server.
"""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import msgspec

from bibld.model.iris import Iris

KEPT_IN_PATHS = "/~:@!$&'()*+,;=%-._"


class Addresses(msgspec.Struct, frozen=True):
    """Maps between IRIs under a base and paths of the server."""

    iris: Iris

    @property
    def mount(self) -> str:
        """The path of the base as links write it; begins and ends with ``/``, and never begins with ``//``."""
        path = quote(urlsplit(self.iris.base).path, safe=KEPT_IN_PATHS) or "/"
        if path.startswith("//"):  # would name another host; /./ is the same path (RFC 3986, 5.2.4)
            path = f"/.{path}"
        return path if path.endswith("/") else path + "/"

    @property
    def route(self) -> str:
        """The path of the base as the server sees it in requests: with its escapes decoded."""
        return unquote(self.mount.removeprefix("/.") if self.mount.startswith("/.//") else self.mount)

    def href(self, iri: str) -> str | None:
        """Return the server's path for an IRI of the dataset (with its fragment); None for an IRI of others."""
        if not iri.startswith(self.iris.base):
            return None
        path, hash_sign, fragment = iri[len(self.iris.base) :].partition("#")
        return self.mount + quote(path, safe=KEPT_IN_PATHS) + hash_sign + quote(fragment, safe=KEPT_IN_PATHS)

    def page(self, path: str) -> str:
        """Return the server's path for the part of an IRI that follows the base."""
        return self.mount + quote(path, safe=KEPT_IN_PATHS)
