"""Look-ups are answered from prepared documents as the store answers them; equal queries are evaluated once."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest

from bibld.documents import ReleaseState, fill, open_published
from bibld.errors import BadQueryError
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, term
from bibld.protocols import Query
from bibld.serve._guarding import slots
from bibld.serve._guarding.slots import TooManyQueriesError
from bibld.serve._sparql.lookups import Lookups
from bibld.serve._sparql.pool import Pool, QueryResult
from bibld.serve._sparql.protocol import BYPASS, COLLAPSED, HIT, MISS, ResultCache
from bibld.serve.settings import QueryLimits

BASE = "https://data.example.org/lod/"
BOOK = f"{BASE}resource/rsl/RU~5CNLR~5Cbibl~5C204591"
LIMITS = QueryLimits(seconds=600.0, memory=256, workers=1, waiting=8, of_one_client=9)
ODD = f"{BASE}agent/odd"


@pytest.fixture
def prepared(site, quads, tmp_path: Path):
    """The site with prepared documents, one of a thing that the store does not describe like that."""
    odd = quad(iri(ODD), term("dcterms:extent"), literal("007", datatype="http://www.w3.org/2001/XMLSchema#integer"))
    state = ReleaseState(number=1, created="2026-01-02T03:04:05Z", delivered=0)
    fill(tmp_path, BASE, state, ["".join(sorted([*quads, odd])).encode()])
    return msgspec.structs.replace(site, published=partial(open_published, tmp_path, 1))


@pytest.fixture
def both(prepared, client, running):
    """A client of the site with prepared documents, and of the one without."""
    with running(prepared) as fast:
        yield fast, client


def rows(answer):
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return found["head"], sorted(json.dumps(row, sort_keys=True) for row in found["results"]["bindings"])


ABOUT = [BOOK, f"{BOOK}#title1", f"{BASE}record/nlr/0042~2017", Iris(BASE).concept("topic", "тема 7")]


@pytest.mark.parametrize("thing", ABOUT)
@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?p ?o { <THING> ?p ?o }",
        "select  distinct ?o ?p where{<THING>?p ?o.}",
        "SELECT * WHERE { <THING> ?x ?a . }\n",
    ],
)
def test_a_look_up_has_the_answer_of_the_store(both, thing, text):
    fast, slow = both
    path = f"/lod/sparql?{encoded(text.replace('THING', thing))}"
    quick = fast.get(path, "application/sparql-results+json")
    assert quick.headers["cache-status"] == "bibld; hit; detail=prepared"
    assert rows(quick) == rows(slow.get(path, "application/sparql-results+json"))
    assert len(quick.json()["results"]["bindings"]) > 0


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT ?p ?p {{ <{BOOK}> ?p ?o }}",
        f"SELECT ?p ?x {{ <{BOOK}> ?p ?o }}",
        f"SELECT ?p {{ <{BOOK}> ?p ?p }}",
        f"SELECT ?p ?o {{ <{BOOK}> ?p ?o }} LIMIT 1",
        f"SELECT ?p ?o {{ <{BASE}resource/../{BOOK}> ?p ?o }}",
        f"SELECT ?p ?o {{ <{BASE}graph/provenance> ?p ?o }}",
        f"SELECT ?p ?o {{ <{BASE}nothing> ?p ?o }}",
        "SELECT ?p ?o { <http://elsewhere.example/> ?p ?o }",
        f"SELECT ?p ?o {{ <{ODD}> ?p ?o }}",  # a store may write 007 as 7
    ],
)
def test_what_is_not_just_a_look_up_is_left_to_the_workers(prepared, text):
    view = prepared.published()
    try:
        assert Lookups(view, BASE).answer(text, 1 << 20) is None
    finally:
        view.close()


def test_a_look_up_keeps_the_limit_of_a_result(prepared):
    view = prepared.published()
    try:
        text = f"SELECT ?p ?o {{ <{BOOK}> ?p ?o }}"
        found = Lookups(view, BASE).answer(text, 1 << 20)
        assert found is not None
        assert Lookups(view, BASE).answer(text, len(found.body) - 1) is None
    finally:
        view.close()


@pytest.mark.parametrize("parameter", ["default-graph-uri", "named-graph-uri"])
def test_a_look_up_in_a_chosen_dataset_is_left_to_the_workers(both, parameter):
    for client in both:
        path = f"/lod/sparql?{encoded(f'SELECT ?p ?o {{ <{BOOK}> ?p ?o }}')}&{parameter}={BASE}graph/provenance"
        answer = client.get(path, "application/sparql-results+json")
        assert len(answer.json()["results"]["bindings"]) == (2 if parameter == "default-graph-uri" else 0)


def encoded(text: str) -> str:

    return urlencode({"query": text})


# --- equal queries


class Asked:
    """Counts evaluations; each waits until it is released."""

    def __init__(self, outcome: QueryResult | Exception) -> None:
        self.outcome = outcome
        self.count = 0
        self.cancelled = 0
        self.release = asyncio.Event()

    async def __call__(self) -> QueryResult:
        self.count += 1
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def wait(task):
    await asyncio.wait((task,))


ANSWER = QueryResult("table", "text/csv", b"x" * 1000)


def test_equal_queries_at_the_same_time_are_evaluated_once():
    async def ask():
        cache, asked = ResultCache(1 << 20), Asked(ANSWER)
        asking = [asyncio.create_task(cache.answer(("q",), asked, wait)) for _ in range(5)]
        await asyncio.sleep(0)
        asked.release.set()
        origins = [(await each).cache_status for each in asking]
        assert (origins, asked.count) == ([MISS, *[COLLAPSED] * 4], 1)
        assert (await cache.answer(("q",), asked, wait)).cache_status == HIT
        assert (await cache.answer(None, asked, wait)).cache_status == BYPASS
        assert asked.count == 2

    asyncio.run(ask())


def test_a_query_goes_on_until_the_last_client_leaves():
    async def ask():
        cache, asked = ResultCache(1 << 20), Asked(ANSWER)
        first, second = (asyncio.create_task(cache.answer(("q",), asked, wait)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait((first,))
        assert asked.cancelled == 0
        second.cancel()
        await asyncio.wait((second,))
        assert asked.cancelled == 1
        third = asyncio.create_task(cache.answer(("q",), asked, wait))
        await asyncio.sleep(0)
        asked.release.set()
        assert (await third).result == ANSWER

    asyncio.run(ask())


def test_an_error_is_not_remembered_and_a_refusal_of_one_client_is_not_another_ones():
    async def ask():
        cache, failing = ResultCache(1 << 20), Asked(BadQueryError("no"))
        failing.release.set()
        for _ in range(2):
            with pytest.raises(BadQueryError):
                await cache.answer(("q",), failing, wait)
        assert failing.count == 2
        refused, answered = Asked(TooManyQueriesError("no")), Asked(ANSWER)
        answered.release.set()
        first = asyncio.create_task(cache.answer(("r",), refused, wait))
        second = asyncio.create_task(cache.answer(("r",), answered, wait))
        await asyncio.sleep(0)
        refused.release.set()
        with pytest.raises(TooManyQueriesError):
            await first
        assert (await second).result == ANSWER

    asyncio.run(ask())


def test_results_are_remembered_within_the_stated_bytes():
    async def ask():
        cache, asked = ResultCache(20_000), Asked(ANSWER)
        asked.release.set()
        for number in range(30):
            await cache.answer((str(number),), asked, wait)
        assert (await cache.answer(("29",), asked, wait)).cache_status == HIT
        assert (await cache.answer(("0",), asked, wait)).cache_status == MISS
        large = Asked(QueryResult("table", "text/csv", b"x" * 10_000))
        large.release.set()
        for found in (cache, ResultCache(0)):
            assert [(await found.answer(("large",), large, wait)).cache_status for _ in range(2)] == [MISS, MISS]

    asyncio.run(ask())


def test_a_slot_that_is_left_is_taken_at_once(site, monkeypatch):
    """Queries that wait for a worker of this process do not wait for a clock."""
    monkeypatch.setattr(slots, "_WAIT_SECONDS", 600.0)

    async def ask():
        pool = Pool(site.store, LIMITS)
        try:
            return await asyncio.gather(*(pool.answer(Query("ASK {}", BASE), 1, "one") for _ in range(6)))
        finally:
            await pool.close()

    assert len(asyncio.run(asyncio.wait_for(ask(), 600))) == 6
