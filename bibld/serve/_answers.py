"""Requests and answers without a framework: what a document needs of a request, and the bytes that are sent.

Documents are most of what crawlers ask for. Starlette takes longer to route a request than a document to be written.
"""

from __future__ import annotations

import gzip
import re
import threading
from collections import OrderedDict
from collections.abc import Hashable
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from typing import Generic, TypeVar

import msgspec
from starlette.types import Message, Scope, Send

from bibld.serve._http import ALWAYS, with_charset
from bibld.serve._language import choose_page_language
from bibld.serve._negotiation import accepts_gzip

_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in ALWAYS.items()]
_CACHE_CONTROL = (b"cache-control", b"public, max-age=300")
_GZIP = (b"content-encoding", b"gzip")
_GZIP_LEVEL = 3
"""Of a document that is written for one request, a higher level costs more time than its bytes take to send."""

_WORTH_COMPRESSING = range(1000, 1 << 21)
_REMEMBERED_HEADERS = 1024
_LONGEST_REMEMBERED = 400
_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_FIELDS = {
    b"accept": "accept",
    b"accept-encoding": "accept_encoding",
    b"accept-language": "accept_language",
    b"cookie": "cookie",
    b"if-none-match": "if_none_match",
    b"if-modified-since": "if_modified_since",
}

Headers = list[tuple[bytes, bytes]]


class Asked(msgspec.Struct):
    """What a client asks for: a path after the mount, with the header fields that choose an answer.

    A field that was sent more than once has all its values, separated by commas (RFC 9110, 5.3). ``is_cached`` is set
    by what answers: whether it found the body in a cache; None if it did not look for one.
    """

    path: str
    query: str = ""
    accept: str = ""
    accept_encoding: str = ""
    accept_language: str = ""
    cookie: str = ""
    if_none_match: str = ""
    if_modified_since: str = ""
    is_cached: bool | None = None

    @classmethod
    def from_scope(cls, scope: Scope, mount: str) -> Asked:
        """Read the scope of an ASGI request whose path begins with ``mount``."""
        asked = cls(scope["path"][len(mount) :], scope["query_string"].decode("latin-1"))
        for name, value in scope["headers"]:
            field = _FIELDS.get(name)
            if field is not None:
                before = getattr(asked, field)
                text = value.decode("latin-1")
                setattr(asked, field, f"{before},{text}" if before else text)
        return asked

    @property
    def language(self) -> str:
        """The tag of the language in which the client wants pages."""
        return choose_page_language(self.query, self.cookie, self.accept_language)


class Answer(msgspec.Struct, frozen=True):
    """Status, header fields (without those of every answer) and body."""

    status: int
    headers: Headers
    body: bytes = b""

    def messages(self, method: str) -> tuple[Message, Message]:
        """Return what ASGI sends: status and header fields, and the body; no body to HEAD."""
        headers = self.headers if self.status == 304 else [*self.headers, (b"content-length", b"%d" % len(self.body))]
        start = {"type": "http.response.start", "status": self.status, "headers": [*headers, *_ALWAYS]}
        return start, {"type": "http.response.body", "body": b"" if method == "HEAD" else self.body}

    async def send(self, scope: Scope, send: Send) -> None:
        """Send the answer; no body to HEAD."""
        for each in self.messages(scope["method"]):
            await send(each)


class Form(msgspec.Struct, frozen=True):
    """One form of a document: its entity tag (without quotes), when it last changed, and its other header fields.

    ``modified`` is ISO 8601; empty if it is not known.
    """

    tag: str
    media_type: str
    modified: str
    headers: Headers


def is_current(asked: Asked, tag: str, modified: str) -> bool:
    """Whether the client has the form of a document with this tag (RFC 9110, 13.1.2 and 13.1.3)."""
    if asked.if_none_match:
        return asked.if_none_match.strip() == "*" or tag in _TAG.findall(asked.if_none_match)
    if asked.if_modified_since and modified:
        since = _date(asked.if_modified_since) if len(asked.if_modified_since) < _LONGEST_REMEMBERED else None
        return since is not None and datetime.fromisoformat(modified).replace(microsecond=0) <= since
    return False


def is_gzip_wanted(asked: Asked) -> bool:
    """Whether the client takes bodies that are coded with gzip."""
    return bool(asked.accept_encoding) and _accepts_gzip(asked.accept_encoding)


def headers_of(form: Form, is_coded: bool) -> Headers:
    """Return the header fields of a form, those of its 304 too."""
    tag = f'"{form.tag}-gzip"' if is_coded else f'"{form.tag}"'
    headers = [(b"etag", tag.encode()), _CACHE_CONTROL, *form.headers]
    if form.modified:
        headers.append((b"last-modified", http_date(form.modified)))
    return headers


def not_modified(asked: Asked, form: Form) -> Answer | None:
    """Return the answer to a client that has the form already, coded or not; None if it has not."""
    if not (asked.if_none_match or asked.if_modified_since):
        return None
    if is_current(asked, form.tag, form.modified):
        return Answer(304, headers_of(form, is_coded=False))
    if is_current(asked, f"{form.tag}-gzip", form.modified):
        return Answer(304, headers_of(form, is_coded=True))
    return None


def with_body(form: Form, body: bytes, coded: bytes | None, status: int = 200) -> Answer:
    """Return the answer with a body, or (``coded``) with the body that gzip made of it."""
    headers = headers_of(form, coded is not None)
    headers.append((b"content-type", with_charset(form.media_type).encode()))
    if coded is None:
        return Answer(status, headers, body)
    headers.append(_GZIP)
    return Answer(status, headers, coded)


def compress(body: bytes) -> bytes | None:
    """Return a body coded with gzip; None where that is not worth its time."""
    return gzip.compress(body, compresslevel=_GZIP_LEVEL, mtime=0) if len(body) in _WORTH_COMPRESSING else None


@lru_cache(maxsize=_REMEMBERED_HEADERS)
def http_date(modified: str) -> bytes:
    """Return a time in ISO 8601 as HTTP writes it (RFC 9110, 5.6.7)."""
    return format_datetime(datetime.fromisoformat(modified).astimezone(UTC), usegmt=True).encode()


@lru_cache(maxsize=_REMEMBERED_HEADERS)
def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _accepts_gzip(accept_encoding: str) -> bool:
    if len(accept_encoding) > _LONGEST_REMEMBERED:
        return accepts_gzip(accept_encoding)
    return _remembered_accepts_gzip(accept_encoding)


_remembered_accepts_gzip = lru_cache(maxsize=_REMEMBERED_HEADERS)(accepts_gzip)


Value = TypeVar("Value")


class ByteCache(Generic[Value]):
    """Values by key: when they would take more than ``limit`` bytes, those that were not used longest are removed.

    Threads may use it at the same time.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value with this key; None if there is none."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Store a value of ``size`` bytes; one that alone exceeds a quarter of the limit is not stored."""
        with self._lock:
            if key in self._values or size > self._limit // 4:
                return
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > self._limit:
                _, (_, removed) = self._values.popitem(last=False)
                self._bytes -= removed
