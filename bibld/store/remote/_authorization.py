"""The header ``Authorization``: Basic (RFC 7617), Bearer (RFC 6750) and Digest (RFC 7616)."""

from __future__ import annotations

import hashlib
import secrets
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from email.message import Message
from typing import Literal

Authentication = Literal["basic", "digest", "bearer"]
"""How a server is given the credentials; a bearer token is the password."""

_HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}


class Authorization:
    """Adds a constant header, or none if it is empty."""

    def __init__(self, header: str = "") -> None:
        self._header = header

    def add(self, request: urllib.request.Request) -> None:
        """Add the header to a request."""
        if self._header:
            request.add_unredirected_header("Authorization", self._header)

    def accept_challenge(self, headers: Message) -> bool:
        """Return whether the request can be sent again, with an answer to the challenge of a status 401."""
        return False


class DigestAuthorization(Authorization):
    """Answers the last challenge again with each request; otherwise every body would be sent twice."""

    def __init__(self, user: str, password: str) -> None:
        super().__init__()
        self._user = user
        self._password = password
        self._challenge: Mapping[str, str] = {}
        self._uses = 0

    def add(self, request: urllib.request.Request) -> None:
        """Add the answer to the last challenge."""
        if self._challenge:
            self._uses += 1
            header = self._answer(request.get_method(), request.selector)
            request.add_unredirected_header("Authorization", header)

    def accept_challenge(self, headers: Message) -> bool:
        """Store a challenge; false where the previous request had answered one that is not stale."""
        scheme, _, rest = headers.get("WWW-Authenticate", "").partition(" ")
        challenge = urllib.request.parse_keqv_list(urllib.request.parse_http_list(rest)) if rest else {}
        if scheme.lower() != "digest" or challenge.get("algorithm", "MD5") not in _HASHES:
            return False
        was_answered = self._uses == 1 and challenge.get("stale", "").lower() != "true"
        self._challenge, self._uses = challenge, 0
        return not was_answered

    def _answer(self, method: str, address: str) -> str:
        challenge = self._challenge
        algorithm = challenge.get("algorithm", "MD5")
        realm, nonce = challenge.get("realm", ""), challenge.get("nonce", "")

        def hashed(text: str) -> str:
            return _HASHES[algorithm](text.encode()).hexdigest()

        secret, target = hashed(f"{self._user}:{realm}:{self._password}"), hashed(f"{method}:{address}")
        fields = {"username": self._user, "realm": realm, "nonce": nonce, "uri": address}
        if "qop" in challenge:
            count, own_nonce = f"{self._uses:08x}", secrets.token_hex(8)
            response = hashed(f"{secret}:{nonce}:{count}:{own_nonce}:auth:{target}")
            plain = f", qop=auth, nc={count}, algorithm={algorithm}"
            fields["cnonce"] = own_nonce
        else:
            response = hashed(f"{secret}:{nonce}:{target}")
            plain = f", algorithm={algorithm}"
        fields["response"] = response
        if "opaque" in challenge:
            fields["opaque"] = challenge["opaque"]
        quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in fields.items()}
        return "Digest " + ", ".join(f'{name}="{value}"' for name, value in quoted.items()) + plain


def authorization_of(user: str, password: str, authentication: Authentication) -> Authorization:
    """Return what adds the credentials to requests."""
    if not password:
        return Authorization()
    if authentication == "digest":
        return DigestAuthorization(user, password)
    if authentication == "bearer":
        return Authorization(f"Bearer {password}")
    return Authorization("Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii"))
