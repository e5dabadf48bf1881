"""The first application to see a request: answers documents that cost little, and passes the rest to Starlette."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from bibld.serve._answers import Answer, Asked
from bibld.serve._documents import Documents
from bibld.serve._http import CACHE, TRIED

_LOG = logging.getLogger("bibld.serve")


class Front:
    """An ASGI application: the documents whose paths begin with ``mount``, and ``app`` for all else."""

    def __init__(self, documents: Documents, mount: str, app: ASGIApp) -> None:
        self._documents = documents
        self._mount = mount
        self._app = app

    def prepared(self, scope: Scope) -> Answer | None:
        """Return the answer to a request for a document that costs little; None for all others. Any thread may ask."""
        scope[TRIED] = True
        if scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(self._mount):
            return None
        try:
            asked = Asked.from_scope(scope, self._mount)
            answer = self._documents.prepared(asked)
        except Exception as error:  # noqa: BLE001 - the application meets the same error, and answers with it
            _LOG.debug("%s: %s", scope["path"], error)
            return None
        if answer is not None and asked.is_cached is not None:
            scope[CACHE] = asked.is_cached
        return answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and TRIED not in scope:
            answer = self.prepared(scope)
            if answer is not None:
                await answer.send(scope, send)
                return
        await self._app(scope, receive, send)
