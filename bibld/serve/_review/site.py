"""The requests of the review page: signing in, the next pair, verdicts, undoing."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.errors import ConfigError
from bibld.model.linkage import Edge, Pair
from bibld.protocols import CatalogView, SourceRecord
from bibld.serve._addresses import Addresses
from bibld.serve._http import ProblemError, language_headers, language_of
from bibld.serve._language import message
from bibld.serve._review.desk import Leases, Progress, from_text, to_text

_COOKIE = "review"
_MOST_BYTES = 16_384
_LONGEST_NAME = 60
_LONGEST_REASON = 500
_DECISIONS = ("same", "different", "related")
_SESSION_SECONDS = 12 * 3600

Result = TypeVar("Result")


class ReviewView(msgspec.Struct, frozen=True):
    """What the review page shows; without a ``person`` it asks for a name and the token.

    ``pair`` and ``form`` are the hidden fields of its forms; the records are None where no pair is left.
    """

    person: str = ""
    form: str = ""
    pair: str = ""
    edge: Edge | None = None
    left: SourceRecord | None = None
    right: SourceRecord | None = None
    progress: Progress = Progress(0, 0)
    fault: str = ""


class ReviewPages(Protocol):
    """Makes the review page in one language."""

    def review(self, view: ReviewView) -> bytes:
        """Return the page."""


class Runner(Protocol):
    """Runs a function in the thread in which the catalog is read."""

    def __call__(self, find: Callable[[], Result], /) -> Awaitable[Result]:
        """Return what the function returns."""


class ReviewSite:
    """Answers requests for the review page. ``catalog`` has the records as they are now, not as a release has them."""

    def __init__(
        self,
        token: str,
        leases: Leases,
        catalog: CatalogView,
        addresses: Addresses,
        pages: Mapping[str, ReviewPages],
        run: Runner,
    ) -> None:
        self._token = token.encode()
        self._leases = leases
        self._catalog = catalog
        self._address = addresses.page("review")
        self._is_secure = urlsplit(addresses.iris.base).scheme == "https"
        self._pages = pages
        self._run = run

    async def answer(self, request: Request) -> Response:
        """Answer GET with the next pair, POST with a redirect to it; raises ``ProblemError``."""
        if request.method == "POST":
            return await self._post(request)
        person = self._person(request)
        tag = language_of(request)
        view = ReviewView() if person is None else await self._run(lambda: self._next(person))
        return self._page(tag, view, 200)

    def _page(self, tag: str, view: ReviewView, status: int) -> Response:
        headers = {**dict(language_headers(tag)), "Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
        response = Response(self._pages[tag].review(view), status, headers)
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        return response

    def _next(self, person: str, fault: str = "") -> ReviewView:
        """Return the next pair that is still to be reviewed."""
        form = self._sign(f"form {person}")
        for _ in range(100):
            pair = self._leases.offer(person)
            if pair is None:
                break
            edge = self._catalog.edge(pair)
            left, right = self._catalog.record(pair.left), self._catalog.record(pair.right)
            if edge is not None and left is not None and right is not None and not (left.deleted or right.deleted):
                progress = self._leases.progress(person)
                return ReviewView(
                    person, self._sign(f"form {person}"), to_text(pair), edge, left, right, progress, fault
                )
            self._leases.skip(person, pair)
        return ReviewView(person, form, progress=self._leases.progress(person), fault=fault)

    async def _post(self, request: Request) -> Response:
        fields = await _fields(request)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise ProblemError(403, message("Forbidden"), message("The form was sent from another site."))
        if fields.get("action") == "enter":
            return self._enter(request, fields)
        person = self._person(request)
        if person is None:
            return self._to_page()
        if not hmac.compare_digest(fields.get("form", "").encode(), self._sign(f"form {person}").encode()):
            raise ProblemError(403, message("Forbidden"), message("The form is not from this page; open it again."))
        if fields.get("action") == "leave":
            return self._to_page(self._cookie("", 0))
        fault = await self._run(lambda: self._act(person, fields))
        if fault:
            view = await self._run(lambda: self._next(person, fault))
            return self._page(language_of(request), view, 409)
        return self._to_page()

    def _enter(self, request: Request, fields: Mapping[str, str]) -> Response:
        name = " ".join(fields.get("name", "").split())[:_LONGEST_NAME]
        is_known = hmac.compare_digest(fields.get("token", "").encode(), self._token)
        if not (is_known and name and name.isprintable()):
            fault = message("The token is wrong, or the name is missing.")
            return self._page(language_of(request), ReviewView(fault=fault), 403)
        packed = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
        return self._to_page(self._cookie(f"{packed}.{self._sign(f'person {name}')}", _SESSION_SECONDS))

    def _act(self, person: str, fields: Mapping[str, str]) -> str:
        """Store what a form asks for; return what is wrong, or nothing."""
        action = fields.get("action", "")
        try:
            if action == "undo":
                self._leases.undo(person)
                return ""
            pair = from_text(fields.get("pair", ""))
            if action == "skip":
                self._leases.skip(person, pair)
            elif action in _DECISIONS:
                self._decide(person, pair, fields)
        except (ConfigError, ValueError) as error:
            return str(error)
        return ""

    def _decide(self, person: str, pair: Pair, fields: Mapping[str, str]) -> None:
        decision = fields["action"]
        relation = fields.get("relation", "") if decision == "related" else ""
        reason = " ".join(fields.get("reason", "").split())[:_LONGEST_REASON]
        self._leases.answer(person, pair, decision, relation, reason)

    # -- who asks

    def _sign(self, text: str) -> str:
        return hmac.new(self._token, text.encode(), hashlib.sha256).hexdigest()

    def _person(self, request: Request) -> str | None:
        """Return the name that a person signed in with; None without a valid cookie."""
        packed, _, signature = request.cookies.get(_COOKIE, "").partition(".")
        try:
            name = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return None
        return name if name and hmac.compare_digest(signature.encode(), self._sign(f"person {name}").encode()) else None

    def _cookie(self, value: str, seconds: int) -> str:
        secure = "; Secure" if self._is_secure else ""
        return f"{_COOKIE}={value}; Path={self._address}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"

    def _to_page(self, cookie: str = "") -> Response:
        headers = {"Location": self._address, "Cache-Control": "no-store"}
        if cookie:
            headers["Set-Cookie"] = cookie
        return Response(status_code=303, headers=headers)


async def _fields(request: Request) -> dict[str, str]:
    """Return the fields of a form; raises the ``ProblemError`` 413 for a large one."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise ProblemError(413, message("Too large"), message("The form is too large."))
    found = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in found.items()}
