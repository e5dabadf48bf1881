"""Searches of programs wait in a queue with an end, and a batch of queries leaves time to others."""

from __future__ import annotations

import asyncio
import json
import threading
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from bibld.serve import _interfaces as interfaces
from bibld.serve._http import ProblemError
from bibld.serve._interfaces import Interfaces

QUERIES = json.dumps({name: {"query": name} for name in ("a", "b", "c")})


class Service:
    """Answers queries when it is allowed to; notes in which order."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.asked: list[str] = []

    def candidates(self, query):
        assert self.may_answer.wait(600.0)
        self.asked.append(query.query)
        return [{"id": query.query}]

    def suggest(self, kind, prefix):
        assert self.may_answer.wait(600.0)
        self.asked.append(prefix)
        return {"result": []}


@pytest.fixture
def opened():
    service = Service()
    found = Interfaces(None, service, None)
    yield found, service
    service.may_answer.set()
    found.close()


def endpoint(opened: Interfaces, path: str, **arguments: str):
    (answer,) = (function for route, function, _ in opened.routes() if route == path)
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": urlencode(arguments).encode()}
    return answer(Request({**scope, "path_params": {"kind": "entity"}}))


def test_a_search_that_comes_between_the_queries_of_a_batch_is_answered_between_them(opened):
    found, service = opened

    async def ask():
        batch = asyncio.create_task(endpoint(found, "reconcile", queries=QUERIES))
        other = asyncio.create_task(endpoint(found, "reconcile/suggest/{kind}", prefix="x"))
        await asyncio.sleep(0)  # both have asked
        service.may_answer.set()
        return json.loads((await batch).body), await other

    answers, _ = asyncio.run(ask())
    assert answers == {name: {"result": [{"id": name}]} for name in ("a", "b", "c")}
    assert service.asked == ["a", "x", "b", "c"]


def test_more_searches_than_may_wait_are_refused(opened, monkeypatch):
    monkeypatch.setattr(interfaces, "_MAX_SEARCHES", 2)
    found, service = opened

    async def ask():
        waiting = [asyncio.create_task(endpoint(found, "reconcile", queries=QUERIES)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ProblemError) as refused:
            await endpoint(found, "reconcile/suggest/{kind}", prefix="x")
        service.may_answer.set()
        await asyncio.gather(*waiting)
        await endpoint(found, "reconcile/suggest/{kind}", prefix="y")
        return refused.value

    error = asyncio.run(ask())
    assert (error.status, error.headers["Retry-After"]) == (503, "10")
    assert "x" not in service.asked
    assert service.asked[-1] == "y"


def test_a_batch_that_takes_too_long_is_given_up(opened, monkeypatch):
    monkeypatch.setattr(interfaces, "_SECONDS_OF_QUERIES", -1.0)
    found, service = opened
    with pytest.raises(ProblemError) as refused:
        asyncio.run(endpoint(found, "reconcile", queries=QUERIES))
    assert refused.value.status == 503
    assert "0 of 3 queries" in refused.value.detail
    assert service.asked == []
