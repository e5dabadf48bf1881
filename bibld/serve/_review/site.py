"""The requests of the review page: signing in, the next pair of a kind, verdicts, undoing."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.config import Secret
from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Edge, Pair
from bibld.model.review import (
    INVERSE_RELATION,
    EntityPair,
    EntityQuestion,
    Item,
    ItemKind,
    LinkQuestion,
    from_text,
    kind_of,
    to_text,
)
from bibld.protocols import CatalogView, SourceRecord
from bibld.serve._addresses import Addresses
from bibld.serve._http import ProblemError, language_headers, language_of
from bibld.serve._interfaces import Threads
from bibld.serve._language import message
from bibld.serve._review.desk import Desk, Leases, ReviewProgress

_COOKIE = "review"
_MAX_BYTES = 16_384
_MAX_NAME_LENGTH = 60
_MAX_REASON_LENGTH = 500
_DECISIONS = {
    ItemKind.RECORDS: ("same", "different", "related"),
    ItemKind.ENTITIES: ("same", "different", "related"),
    ItemKind.LINKS: ("same", "different"),
}
_LETTERS = ("A", "B")
"""What the page calls the two records."""

_SESSION_SECONDS = 12 * 3600
_MIN_TOKEN_LENGTH = 12
_NUMBER = re.compile(r"[0-9]{1,18}")
_RETRY_AFTER = "10"
_NOT_NOW = (StageError, sqlite3.Error)
_BUSY = message("A run or another person is writing now; send it again in a moment.")

_NO_RELATION = message("Choose in the list beside the button how the two works are related.")

_LOG = logging.getLogger("bibld.serve")


class ReviewView(msgspec.Struct, frozen=True):
    """What the review page shows; without a ``person`` it asks for a name and the token.

    ``pair`` and ``form`` are the hidden fields of its forms. Of two records ``edge`` and both records are there, of
    other pairs the ``question``; none of them where no pair of this kind is left. ``reason`` is what was typed about
    this pair before something went wrong, ``would_decide`` are sentences about what would have to be known.
    """

    person: str = ""
    form: str = ""
    pair: str = ""
    edge: Edge | None = None
    left: SourceRecord | None = None
    right: SourceRecord | None = None
    progress: ReviewProgress = ReviewProgress(0, 0)
    fault: str = ""
    reason: str = ""
    kind: ItemKind = ItemKind.RECORDS
    question: EntityQuestion | LinkQuestion | None = None
    would_decide: Sequence[str] = ()


class ReviewRenderer(Protocol):
    """Makes the review page in one language."""

    def review(self, view: ReviewView) -> bytes:
        """Return the page."""


def read_token(secret: Secret) -> str:
    """Return the token of the review page; raises ``ConfigError`` if it is missing, or short enough to be guessed."""
    token = secret.read()
    if len(token) < _MIN_TOKEN_LENGTH:
        raise ConfigError(
            [
                f"[serve] review_token: the environment variable {secret.env} contains fewer than {_MIN_TOKEN_LENGTH}"
                " characters, which can be guessed; set it to a longer token, such as `openssl rand -hex 16` prints"
            ]
        )
    return token


class ReviewSite:
    """Answers requests for the review page. ``catalog`` has the records as they are now, not as a release has them."""

    def __init__(
        self,
        token: str,
        desk: Desk,
        catalog: CatalogView,
        addresses: Addresses,
        pages: Mapping[str, ReviewRenderer],
        run: Threads,
    ) -> None:
        self._token = token.encode()
        self._desk = desk
        self._leases = Leases(desk)
        self._refreshing = asyncio.Lock()
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
        if person is None:
            return self._page(tag, ReviewView(), 200)
        kind = _kind(request.query_params.get("kind", ""))
        await self._refresh(kind)
        return await self._shown(tag, await self._run(lambda: self._next(person, kind)), 200)

    async def _shown(self, tag: str, view: ReviewView, status: int) -> Response:
        """Return the page with what would decide about two records, which is computed in another thread."""
        left, right = view.left, view.right
        if left is not None and right is not None:
            try:
                would_decide = await asyncio.to_thread(self._desk.would_decide, left, right, _LETTERS)
                view = msgspec.structs.replace(view, would_decide=would_decide)
            except ConfigError as error:  # for example, the model is no longer in its file
                _LOG.warning("review: %s", error)
        return self._page(tag, view, status)

    async def _refresh(self, kind: ItemKind) -> None:
        """Read the list of waiting pairs in another thread: that of entities takes long in a large catalogue."""
        async with self._refreshing:
            try:
                await asyncio.to_thread(self._leases.refresh, kind)
            except _NOT_NOW as error:
                raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> ProblemError:
        _LOG.warning("review: %s", error)
        return ProblemError(503, message("Unavailable"), _BUSY, {"Retry-After": _RETRY_AFTER})

    def _page(self, tag: str, view: ReviewView, status: int) -> Response:
        headers = {**dict(language_headers(tag)), "Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
        response = Response(self._pages[tag].review(view), status, headers)
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        return response

    def _next(self, person: str, kind: ItemKind, preferred: Item | None = None) -> ReviewView:
        """Return the next pair of a kind that is still to be reviewed; raises the ``ProblemError`` 503."""
        try:
            for _ in range(100):
                item = self._leases.offer(person, preferred, kind)
                if item is None:
                    break
                view = self._view(person, item)
                if view is not None:
                    return view
                self._leases.skip(person, item)
            return ReviewView(
                person, self._sign(f"form {person}"), progress=self._leases.progress(person, kind), kind=kind
            )
        except _NOT_NOW as error:
            raise self._unavailable(error) from error

    def _view(self, person: str, item: Item) -> ReviewView | None:
        """Return a pair as the page shows it; None if it is no longer to be reviewed."""
        kind = kind_of(item)
        shown = ReviewView(person, self._sign(f"form {person}"), to_text(item), kind=kind)
        if isinstance(item, Pair):
            edge = self._catalog.edge(item)
            left, right = self._catalog.record(item.left), self._catalog.record(item.right)
            if edge is None or left is None or right is None or left.deleted or right.deleted:
                return None
            shown = msgspec.structs.replace(shown, edge=edge, left=left, right=right)
        else:
            question = self._desk.describe(item)
            if question is None:
                return None
            shown = msgspec.structs.replace(shown, question=question)
        return msgspec.structs.replace(shown, progress=self._leases.progress(person, kind))

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
        done = await self._run(lambda: self._act(person, fields))
        return (
            self._to_page(kind=done) if isinstance(done, ItemKind) else await self._shown(language_of(request), *done)
        )

    def _enter(self, request: Request, fields: Mapping[str, str]) -> Response:
        name = " ".join(fields.get("name", "").split())[:_MAX_NAME_LENGTH]
        is_known = hmac.compare_digest(fields.get("token", "").encode(), self._token)
        if not (is_known and name and name.isprintable()):
            fault = message("The token is wrong, or the name is missing.")
            return self._page(language_of(request), ReviewView(fault=fault), 403)
        packed = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
        until = int(time.time()) + _SESSION_SECONDS
        return self._to_page(self._cookie(f"{packed}.{until}.{self._sign_person(name, until)}", _SESSION_SECONDS))

    def _act(self, person: str, fields: Mapping[str, str]) -> ItemKind | tuple[ReviewView, int]:
        """Do what a form asks for; return the kind to go on with, or what to show and its status if that failed."""
        item: Item | None = None
        kind = _kind(fields.get("kind", ""))
        try:
            if fields.get("action") == "undo":
                last = fields.get("last", "")
                undone = self._leases.undo(person, int(last) if _NUMBER.fullmatch(last) else 0)
                return kind if undone is None else kind_of(undone)
            item = from_text(fields.get("pair", ""))
            kind = kind_of(item)
            self._act_on_item(person, item, fields)
        except (ConfigError, ValueError) as error:
            return self._explained(self._next(person, kind, item), item, fields, str(error)), 409
        except _NOT_NOW as error:
            _LOG.warning("review: %s", error)
            return self._explained(self._answered(person, kind, item), item, fields, _BUSY), 503
        return kind

    def _answered(self, person: str, kind: ItemKind, item: Item | None) -> ReviewView:
        """Return the pair that a person has just answered, even if no pair can be offered now."""
        try:
            view = self._view(person, item) if item is not None else None
        except _NOT_NOW:
            view = None
        return view or self._next(person, kind)

    def _explained(self, view: ReviewView, item: Item | None, fields: Mapping[str, str], fault: str) -> ReviewView:
        is_same_pair = item is not None and view.pair == to_text(item)
        return msgspec.structs.replace(view, fault=fault, reason=_reason(fields) if is_same_pair else "")

    def _act_on_item(self, person: str, item: Item, fields: Mapping[str, str]) -> None:
        action = fields.get("action", "")
        if action == "skip":
            self._leases.skip(person, item)
        elif action in _DECISIONS[kind_of(item)]:
            relation = fields.get("relation", "") if action == "related" else ""
            if isinstance(item, EntityPair) and action == "related":
                if not item.left.startswith("work/"):
                    return
                if relation not in INVERSE_RELATION:
                    raise ConfigError([_NO_RELATION])
            self._leases.answer(person, item, action, relation, _reason(fields))

    # -- who asks

    def _sign(self, text: str) -> str:
        return hmac.new(self._token, text.encode(), hashlib.sha256).hexdigest()

    def _sign_person(self, name: str, until: int) -> str:
        return self._sign(f"person {until} {name}")

    def _person(self, request: Request) -> str | None:
        """Return the name that a person signed in with; None without a valid cookie."""
        packed, _, rest = request.cookies.get(_COOKIE, "").partition(".")
        until, _, signature = rest.partition(".")
        if not _NUMBER.fullmatch(until) or int(until) < time.time():
            return None
        try:
            name = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return None
        signed = self._sign_person(name, int(until))
        return name if name and hmac.compare_digest(signature.encode(), signed.encode()) else None

    def _cookie(self, value: str, seconds: int) -> str:
        secure = "; Secure" if self._is_secure else ""
        return f"{_COOKIE}={value}; Path={self._address}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"

    def _to_page(self, cookie: str = "", kind: ItemKind = ItemKind.RECORDS) -> Response:
        query = "" if kind == ItemKind.RECORDS else f"?kind={kind.value}"
        headers = {"Location": self._address + query, "Cache-Control": "no-store"}
        if cookie:
            headers["Set-Cookie"] = cookie
        return Response(status_code=303, headers=headers)


def _kind(text: str) -> ItemKind:
    """Return the kind of pairs that an address or form names; records if it names none."""
    return ItemKind(text) if text in set(ItemKind) else ItemKind.RECORDS


def _reason(fields: Mapping[str, str]) -> str:
    return " ".join(fields.get("reason", "").split())[:_MAX_REASON_LENGTH]


async def _fields(request: Request) -> dict[str, str]:
    """Return the fields of a form; raises the ``ProblemError`` 413 for a large one."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BYTES:
            raise ProblemError(413, message("Too large"), message("The form is too large."))
    found = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in found.items()}
