"""Settings that harvesters share."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from bibld.config import Secret
from bibld.errors import HarvestError

_DAYS = re.compile(r"\s*([0-9]+)\s*([dhw])?\s*", re.IGNORECASE)
_HOURS = {"h": 1 / 24, "d": 1, "w": 7}

Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class HttpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server is, and how it is asked.

    ``url``: its address; ``deadline``: seconds for one answer, from the first byte to the last; ``tries``: how often a
    request is sent while the server is busy, fails or does not answer; ``first_wait``: seconds before the second try,
    doubled for each further one up to a minute; ``longest_wait``: the longest wait in seconds that a server may ask for
    within a run; ``delay``: least seconds between two requests; ``contact``: a web or mail address for the owner of the
    server, sent with every request; ``ca_file``: a file of certificates for a server whose chain is incomplete;
    ``tls_minimum``: the oldest version of TLS; ``user``: the environment variable that contains the user's name,
    ``{ env = "NAME" }``; ``password``: the one that contains the password; ``max_answer_bytes``: the most bytes of one
    answer, decompressed.
    """

    url: str
    deadline: Positive = 300.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 8
    first_wait: Positive = 1.0
    longest_wait: NotNegative = 600.0
    delay: NotNegative = 0.0
    contact: str = ""
    ca_file: str = ""
    tls_minimum: Literal["1.0", "1.1", "1.2", "1.3"] = "1.2"
    user: Secret | None = None
    password: Secret | None = None
    max_answer_bytes: Annotated[int, msgspec.Meta(ge=1024)] = 256 * 1024 * 1024


def faults_of_http(settings: HttpSettings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    try:
        parts = urllib.parse.urlsplit(settings.url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
        parts = urllib.parse.urlsplit("")
    if not is_address:
        yield "url", f'"{settings.url}" is not the address of a server; write an absolute http or https address'
    elif "@" in parts.netloc:
        yield "url", 'contains credentials, which messages would show; use user and password, { env = "NAME" } each'


def as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a setting that may be one text or a list of some as a tuple."""
    return (value,) if isinstance(value, str) else value


def days_of(text: str) -> float:
    """Return the days of a duration such as "30d", "12h" or "4w"; raises ``ValueError``."""
    found = _DAYS.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is not a duration; write days, hours or weeks, such as "30d"')
    return int(found[1]) * _HOURS[(found[2] or "d").lower()]


class UnusableResponseError(HarvestError):
    """A server gave no answer that can be used; ``status`` is that of the last one, 0 if there was none."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
