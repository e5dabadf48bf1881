"""The requests of the page on which anybody can match a file: the form, and answers that are sent while they are made.

``POST`` takes a form with the field ``file``, or the file itself as the body. The answer is a page, JSON Lines or a
table, as ``format`` or ``Accept`` states. The file and what is made of it are in a temporary folder until the answer
has been sent; its name is not used.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bibld.errors import StoreUnavailableError
from bibld.model.matched import MatchedRecord, MatchEnd, MatchMessage, MatchProgress, MatchRequest, MatchRow
from bibld.serve._guarding.slots import QuerySlots
from bibld.serve._http import (
    ProblemError,
    Representation,
    accept_of,
    language_headers,
    language_of,
    respond,
    wait_while_connected,
)
from bibld.serve._language import message
from bibld.serve._matching.process import match_messages
from bibld.serve._negotiation import choose
from bibld.serve.settings import MatchSettings

_JSON_LINES = "application/jsonl"
_TABLES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
FORMATS = ("html", "jsonl", *_TABLES)
"""What an answer can be."""

_FORM = "multipart/form-data"
_NAME = "upload"
"""What messages call the file."""

_FIELDS = 8
_ROWS_SHOWN = 1_000
_PIECE = 1 << 20
_RETRY_AFTER = {"Retry-After": "30"}
_UNCACHED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""The answer to a file is nobody else's, and a proxy should pass it on as it comes."""


Result = TypeVar("Result")


class MatchSummary(msgspec.Struct, frozen=True):
    """What the page shows in the end: the records by outcome, the first rows, and why it ended early, if it did."""

    counts: dict[str, int]
    rows: Sequence[MatchedRecord]
    fault: str = ""

    @property
    def total(self) -> int:
        """The number of records."""
        return sum(self.counts.values())


class MatchRenderer(Protocol):
    """Makes the page in one language."""

    def match_form(self, size: int) -> bytes:
        """Return the page with the form; ``size`` is that of the largest file in MiB."""

    def match_frame(self) -> tuple[bytes, bytes]:
        """Return what is before and after progress and results on their page."""

    def match_step(self, progress: MatchProgress) -> bytes:
        """Return the line about the progress."""

    def match_results(self, summary: MatchSummary) -> bytes:
        """Return the results."""


class MatchSite:
    """Answers requests for the page; ``command`` starts the process that matches a file."""

    def __init__(
        self,
        command: Sequence[str],
        settings: MatchSettings,
        slots: QuerySlots,
        pages: Mapping[str, MatchRenderer],
    ) -> None:
        self._command = command
        self._settings = settings
        self._slots = slots
        self._pages = pages
        self._receiving: set[str] = set()

    async def answer(self, request: Request) -> Response:
        """Answer GET with the form, POST with the matches; raises ``ProblemError``."""
        tag = language_of(request)
        if request.method != "POST":
            body = self._pages[tag].match_form(self._settings.size)
            return respond(request, Representation(body, "text/html", language_headers(tag)))
        with ExitStack() as opened:
            taken = opened.enter_context(ExitStack())
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bibld-match-")))
            client = request.scope.get("bibld.client", "")
            with self._count_receiving(client):
                chosen = await self._receive(request, folder / _NAME)
            try:  # who sends a file slowly does not keep others waiting
                slot = taken.enter_context(self._slots.take(client))
            except StoreUnavailableError as error:
                raise _busy() from error
            await _while_connected(request, self._slots.wait_for_slot(slot))
            # Who takes an answer slowly does not keep others waiting longer than a process may run.
            asyncio.get_running_loop().call_later(self._settings.timeout, taken.close)
            form = _format(request, chosen)
            table = folder / f"match.{form}" if form in _TABLES else None
            asked = MatchRequest(str(folder / _NAME), _NAME, str(table or ""), tag)
            messages = match_messages(self._command, asked, self._settings)
            closing = opened.pop_all()
        if table is not None:
            return await _table(request, messages, table, (closing, taken))
        if form == "jsonl":
            return StreamingResponse(
                _until_closed(_lines(messages), closing), media_type=_JSON_LINES, headers=dict(_UNCACHED)
            )
        headers = {**_UNCACHED, **dict(language_headers(tag))}
        shown = _page(messages, self._pages[tag])
        return StreamingResponse(_until_closed(shown, closing), media_type="text/html; charset=utf-8", headers=headers)

    @contextmanager
    def _count_receiving(self, client: str) -> Iterator[None]:
        """Refuse a second file of a client, and any while many are being received: each takes room on the disk."""
        if client in self._receiving or len(self._receiving) > self._settings.waiting:
            raise _busy()
        self._receiving.add(client)
        try:
            yield
        finally:
            self._receiving.discard(client)

    async def _receive(self, request: Request, file: Path) -> str:
        """Write the file that was sent; return the format that the form asks for, if any."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            with file.open("wb") as out:
                async for piece in request.stream():
                    await asyncio.to_thread(out.write, piece)
            return ""
        try:
            async with request.form(max_files=1, max_fields=_FIELDS) as form:
                sent, chosen = form.get("file"), form.get("format")
                if not isinstance(sent, UploadFile):
                    raise _no_file()
                await asyncio.to_thread(_copy, sent, file)
        except HTTPException as error:
            raise ProblemError(400, message("Bad request"), error.detail) from error
        if not file.stat().st_size:
            raise _no_file()
        return chosen if isinstance(chosen, str) else ""


def _busy() -> ProblemError:
    detail = message("Files are being matched already; try again in a minute.")
    return ProblemError(503, message("Busy"), detail, _RETRY_AFTER)


def _no_file() -> ProblemError:
    return ProblemError(400, message("No file"), message("Choose a file with records, and send it again."))


def _copy(sent: UploadFile, file: Path) -> None:
    with file.open("wb") as out:
        shutil.copyfileobj(sent.file, out, _PIECE)


def _format(request: Request, chosen: str) -> str:
    """Return the format that a form, the address or ``Accept`` asks for; raises the ``ProblemError`` 400."""
    named = chosen or request.query_params.get("format", "")
    if not named:
        return "html" if choose(accept_of(request), (_JSON_LINES, "text/html")) == "text/html" else "jsonl"
    if named not in FORMATS:
        detail = message("Matches are written as %(formats)s.", formats=", ".join(FORMATS))
        raise ProblemError(400, message("Unknown format"), detail)
    return named


async def _until_closed(parts: AsyncIterator[bytes], opened: ExitStack) -> AsyncIterator[bytes]:
    """Pass on parts of an answer; close what it needs when all are sent, or the client has left."""
    with opened:
        async with aclosing(parts):  # type: ignore[type-var]
            async for part in parts:
                yield part


async def _lines(messages: AsyncIterator[MatchMessage]) -> AsyncIterator[bytes]:
    """Yield a line for each record, and an error as the last one."""
    async with aclosing(messages) as read:  # type: ignore[type-var]
        async for one in read:
            if isinstance(one, MatchRow):
                yield msgspec.json.encode(one.record) + b"\n"
            elif isinstance(one, MatchEnd) and one.fault:
                yield msgspec.json.encode({"error": one.fault}) + b"\n"


async def _page(messages: AsyncIterator[MatchMessage], page: MatchRenderer) -> AsyncIterator[bytes]:
    """Yield the page in parts: progress as it is made, then the results."""
    before, after = page.match_frame()
    yield before
    counts: Counter[str] = Counter()
    rows: list[MatchedRecord] = []
    fault = ""
    async with aclosing(messages) as read:  # type: ignore[type-var]
        async for one in read:
            if isinstance(one, MatchProgress):
                yield page.match_step(one)
            elif isinstance(one, MatchRow):
                counts[one.record.outcome] += 1
                if len(rows) < _ROWS_SHOWN:
                    rows.append(one.record)
            else:
                fault = one.fault
    yield await asyncio.to_thread(page.match_results, MatchSummary(dict(counts), rows, fault))
    yield after


async def _table(
    request: Request, messages: AsyncIterator[MatchMessage], table: Path, opened: tuple[ExitStack, ExitStack]
) -> Response:
    """Answer with a table when it is complete; raises the ``ProblemError`` 422 if it could not be made.

    ``opened``: what the answer needs until it is sent, and what it needs only until it is made.
    """

    async def read() -> str:
        fault = ""
        async with aclosing(messages) as found:  # type: ignore[type-var]
            async for one in found:
                fault = one.fault if isinstance(one, MatchEnd) else fault
        return fault

    needed, taken = opened
    with needed:
        with taken:
            fault = await _while_connected(request, read())
        if fault:
            raise ProblemError(422, message("The file cannot be matched"), fault)
        suffix = table.suffix[1:]
        headers = {**_UNCACHED, "Content-Disposition": f'attachment; filename="match.{suffix}"'}
        closing = needed.pop_all()
    return StreamingResponse(_until_closed(_pieces(table), closing), media_type=_TABLES[suffix], headers=headers)


async def _while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for work, which is cancelled when the client leaves; raises ``ProblemError`` then."""
    task = asyncio.ensure_future(work)
    try:
        await wait_while_connected(request, task)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))


async def _pieces(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as read:
        while piece := await asyncio.to_thread(read.read, _PIECE):
            yield piece
