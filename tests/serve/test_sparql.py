"""The SPARQL 1.1 protocol, and what becomes of queries that want too much."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from urllib.parse import quote, urlencode

import msgspec
import pyoxigraph as ox
import pytest

from bibld.errors import BadQueryError, QueryTimeoutError, StoreUnavailableError
from bibld.protocols import Query
from bibld.serve._guarding.slots import QueueFullError
from bibld.serve._sparql import pool as pools
from bibld.serve._sparql.pool import Pool, QueryMemoryError, Worker
from bibld.serve.settings import QueryLimits
from bibld.serve.site import application
from tests.serve.client import children, within_lifespan

ENDPOINT = "/lod/sparql"
ALL = "SELECT * WHERE { ?s ?p ?o }"
COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
PRODUCT = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
DOUBLED = " ".join(f"BIND(CONCAT(?v{number}, ?v{number}) AS ?v{number + 1})" for number in range(32))
GREEDY = f'SELECT ?v32 WHERE {{ BIND("text" AS ?v0) {DOUBLED} }}'
LARGE = "SELECT * WHERE { ?a ?b ?c . ?d ?e ?f }"
FORM = {"content-type": "application/x-www-form-urlencoded"}


def ask(client, query, accept="application/sparql-results+json", **parameters):
    return client.get(f"{ENDPOINT}?{urlencode({'query': query, **parameters}, doseq=True)}", accept)


def query(text: str) -> Query:
    return Query(text, "http://x/")


@pytest.fixture
def in_pool(site):
    """Runs an asynchronous function of a pool over the site's store."""

    def run(ask, limits=QueryLimits(seconds=600.0, memory=256, workers=1, waiting=0, of_one_client=1)):  # noqa: B008
        async def within():
            pool = Pool(site.store, limits)
            try:
                return await ask(pool)
            finally:
                await pool.close()

        return asyncio.run(asyncio.wait_for(within(), 600))

    return run


def number(answer) -> int:
    assert answer.status_code == 200, answer.text
    return int(answer.json()["results"]["bindings"][0]["n"]["value"])


def bare(answer) -> str:
    return answer.headers["content-type"].partition(";")[0]


# --- the protocol


def test_three_ways_to_send_a_query(client):
    by_get = ask(client, COUNT)
    by_form = client.request("POST", ENDPOINT, content=urlencode({"query": COUNT}), headers=FORM)
    direct = client.request(
        "POST", ENDPOINT, content=COUNT, headers={"content-type": "application/sparql-query; charset=utf-8"}
    )
    assert number(by_get) == number(by_form) == number(direct) > 300


@pytest.mark.parametrize(
    ("accept", "sent"),
    [
        ("application/sparql-results+json", "application/sparql-results+json"),
        ("application/sparql-results+xml", "application/sparql-results+xml"),
        ("text/csv", "text/csv"),
        ("text/tab-separated-values", "text/tab-separated-values"),
        ("application/json", "application/json"),
        ("*/*", "application/sparql-results+json"),
        ("text/html", "text/html"),
        ("text/turtle;q=1, application/sparql-results+xml;q=0.2", "application/sparql-results+xml"),
    ],
)
@pytest.mark.parametrize("query", [COUNT, "ASK { ?s ?p ?o }"])
def test_tables_and_booleans_are_negotiated(client, query, accept, sent):
    answer = ask(client, query, accept)
    assert (answer.status_code, bare(answer)) == (200, sent)


@pytest.mark.parametrize(
    ("accept", "sent", "syntax"),
    [
        ("text/turtle", "text/turtle", ox.RdfFormat.TURTLE),
        ("application/n-triples", "application/n-triples", ox.RdfFormat.N_TRIPLES),
        ("application/rdf+xml", "application/rdf+xml", ox.RdfFormat.RDF_XML),
        ("application/ld+json", "application/ld+json", ox.RdfFormat.JSON_LD),
        ("*/*", "text/turtle", ox.RdfFormat.TURTLE),
    ],
)
@pytest.mark.parametrize("query", ["CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE ?s WHERE { ?s ?p ?o }"])
def test_graphs_are_negotiated(client, query, accept, sent, syntax):
    answer = ask(client, query, accept)
    assert (answer.status_code, bare(answer)) == (200, sent)
    assert len(list(ox.parse(answer.content, format=syntax))) > 300


def test_the_parameter_format_wins_over_accept(client):
    assert bare(ask(client, "CONSTRUCT WHERE { ?s ?p ?o }", "text/html", format="nt")) == "application/n-triples"
    assert ask(client, COUNT, format="exe").status_code == 400


def test_a_result_that_has_no_acceptable_form_is_406(client):
    assert ask(client, COUNT, "image/png").status_code == 406
    assert ask(client, "CONSTRUCT WHERE { ?s ?p ?o }", "text/csv").status_code == 406


def test_a_query_without_dataset_sees_all_graphs_and_one_with_a_dataset_only_that(client):
    graph = "https://data.example.org/lod/graph/provenance"
    of_all = number(ask(client, COUNT))
    one = number(ask(client, COUNT, **{"default-graph-uri": graph}))
    assert 0 < one < of_all
    assert number(ask(client, COUNT.replace("WHERE", f"FROM <{graph}> WHERE"))) == one
    named = "SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }"
    assert number(ask(client, named, **{"named-graph-uri": graph})) == one
    assert number(ask(client, COUNT, **{"named-graph-uri": graph})) == 0
    both = ["https://data.example.org/lod/graph/dataset", graph]
    assert number(ask(client, COUNT, **{"default-graph-uri": both})) == one + 1


@pytest.mark.parametrize(
    ("method", "path", "content", "content_type", "status"),
    [
        ("PUT", f"{ENDPOINT}?query=ASK%7B%7D", None, None, 405),
        ("DELETE", ENDPOINT, None, None, 405),
        ("GET", f"{ENDPOINT}?query=ASK%7B%7D&query=ASK%7B%7D", None, None, 400),
        ("GET", f"{ENDPOINT}?query=%FF%FE", None, None, 400),
        ("GET", f"{ENDPOINT}?query=SELECT", None, None, 400),
        ("GET", f"{ENDPOINT}?query=", None, None, 400),
        ("GET", f"{ENDPOINT}?update=CLEAR%20ALL", None, None, 403),
        ("GET", f"{ENDPOINT}?query=ASK%7B%7D&default-graph-uri=no%20iri", None, None, 400),
        ("POST", ENDPOINT, b"ASK {}", "text/plain", 415),
        ("POST", ENDPOINT, b"ASK {}", None, 415),
        ("POST", ENDPOINT, b"x=1", "application/x-www-form-urlencoded", 400),
        ("POST", ENDPOINT, b"query=%FF", "application/x-www-form-urlencoded", 400),
        ("POST", ENDPOINT, b"update=CLEAR+ALL", "application/x-www-form-urlencoded", 403),
        ("POST", ENDPOINT, b"CLEAR ALL", "application/sparql-update", 403),
        ("POST", ENDPOINT, b"CLEAR ALL", "application/sparql-query", 403),
        ("POST", ENDPOINT, b"\xff", "application/sparql-query", 400),
        ("POST", f"{ENDPOINT}?query=ASK%7B%7D", b"ASK {}", "application/sparql-query", 400),
        ("POST", ENDPOINT, b"query=ASK%7B%7D&query=ASK%7B%7D", "application/x-www-form-urlencoded", 400),
        ("POST", f"{ENDPOINT}?query=", b"query=ASK%7B%7D", "application/x-www-form-urlencoded", 400),
        ("POST", ENDPOINT, b"query=ASK%7B%7D&update=CLEAR+ALL", "application/x-www-form-urlencoded", 400),
        ("POST", ENDPOINT, b"query=CLEAR+ALL", "application/x-www-form-urlencoded", 403),
        ("GET", f"{ENDPOINT}?query=ASK%7B%7D&using-graph-uri=http://x/", None, None, 400),
        ("POST", f"{ENDPOINT}?using-graph-uri=http://x/", b"CLEAR ALL", "application/sparql-update", 403),
        ("POST", ENDPOINT, b"#" * 2_000_000, "application/sparql-query", 413),
        ("POST", ENDPOINT, b"#" * 300_000, "application/sparql-query", 413),
    ],
)
def test_bad_requests_are_refused(client, method, path, content, content_type, status):
    headers = {"content-type": content_type} if content_type else {}
    answer = client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status, answer.text
    if status != 405:
        assert bare(answer) == "application/problem+json"
        assert answer.json()["status"] == status
        assert answer.json()["detail"]


def test_without_a_query_there_is_a_page_to_write_one(client):
    page = client.get(ENDPOINT, "text/html")
    assert (page.status_code, bare(page)) == (200, "text/html")
    assert "<textarea" in page.text


def test_the_page_shows_rows_with_links_and_faults_with_the_query(client):
    page = ask(client, 'SELECT ?s ("<b>x</b>" AS ?t) WHERE { ?s a <http://purl.org/ontology/bibo/Book> }', "text/html")
    assert 'href="/lod/resource/rsl/RU~5CNLR~5Cbibl~5C204591"' in page.text
    assert "&lt;b&gt;x" in page.text
    assert "<b>x" not in page.text
    fault = ask(client, "SELECT <script>", "text/html")
    assert (fault.status_code, bare(fault)) == (400, "text/html")
    assert "SELECT &lt;script&gt;" in fault.text
    assert "<script>" not in fault.text


def test_queries_of_other_scripts_come_through(client):
    answer = ask(client, 'SELECT ?s WHERE { ?s ?p "Тема 7"@ru }')
    assert len(answer.json()["results"]["bindings"]) == 1


# --- hostile queries


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * WHERE { SERVI\\u0043E <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * WHERE { # }\n SERVICE SILENT <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "LOAD <http://127.0.0.1:9/>",
        "DROP ALL",
    ],
)
def test_connections_and_updates_are_forbidden(client, query):
    assert ask(client, query).status_code == 403


def test_a_process_that_evaluates_cannot_connect_even_where_the_lexer_were_blind(in_pool):
    """The second lock: here the query is handed to the pool without being looked at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        text = f"SELECT * WHERE {{ SERVICE <http://127.0.0.1:{port}/> {{ ?s ?p ?o }} }}"

        async def ask_it(pool):
            with pytest.raises(BadQueryError, match=r"denied|unreachable"):
                await pool.answer(query(text), 1, "somebody")

        in_pool(ask_it)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_query_ends_at_its_deadline_with_an_error_before_any_result(hasty_client):
    answer = ask(hasty_client, PRODUCT)  # without the deadline it would run for days
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "within 1 s, time in the queue included" in answer.json()["detail"]
    hasty_client.wait_until(lambda: ask(hasty_client, COUNT).status_code == 200)


def test_a_query_that_takes_too_much_memory_ends_alone(client):
    answer = ask(client, GREEDY)
    assert answer.status_code == 503
    assert "MiB of memory; add LIMIT" in answer.json()["detail"]
    assert number(ask(client, COUNT)) > 300


def test_a_result_that_is_too_large_is_an_error_and_not_half_a_result(client):
    answer = ask(client, LARGE)
    assert answer.status_code == 422
    assert "larger than 1 MiB" in answer.json()["detail"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * WHERE {" + "{" * 50_000 + "}" * 50_000 + "}",
        "SELECT * WHERE { FILTER(" + "!" * 100_000 + "true) }",
        "SELECT * WHERE { FILTER(" + "(" * 100_000 + "1" + ")" * 100_000 + ") }",
        "SELECT * WHERE { ?s " + "^" * 100_000 + "<a:b> ?o }",
    ],
)
def test_deep_nesting_does_not_end_the_server(client, query):
    answer = client.request("POST", ENDPOINT, content=query, headers={"content-type": "application/sparql-query"})
    assert answer.status_code in (400, 503)
    assert bare(answer) == "application/problem+json"
    assert number(ask(client, COUNT)) > 300


def test_many_queries_at_once_are_bounded(site, running):
    small = msgspec.structs.replace(site.settings, query_workers=1, query_queue=0)
    path = f"{ENDPOINT}?query={quote(PRODUCT)}"
    with running(msgspec.structs.replace(site, settings=small)) as client:
        slow, process = client.begin_query(path, x_forwarded_for="203.0.113.1")
        answer = client.get(f"{path}%20LIMIT%201", x_forwarded_for="203.0.113.2")
        assert (answer.status_code, answer.json()["title"]) == (503, "Busy")
        assert "retry-after" in answer.headers
        os.kill(process, signal.SIGKILL)
        assert client.end(slow).status_code == 503
        assert number(ask(client, COUNT)) > 300


def test_one_client_cannot_take_all_places(site, running):
    """Behind a proxy on this machine the client is identified by what the proxy wrote, not by what the client wrote."""
    path = f"{ENDPOINT}?query={quote(PRODUCT)}"
    with running(site) as client:
        by_address, first = client.begin_query(path, x_forwarded_for="10.0.0.1, 203.0.113.7")
        by_network, second = client.begin_query(f"{path}%20LIMIT%201", x_forwarded_for="2001:db8::1")
        for same in ("10.0.0.2, 203.0.113.7", "2001:db8::2"):
            answer = client.get(f"{path}%20LIMIT%202", x_forwarded_for=same)
            assert answer.status_code == 429
            assert "retry-after" in answer.headers
        for process in (first, second):
            os.kill(process, signal.SIGKILL)
        assert [client.end(slow).status_code for slow in (by_address, by_network)] == [503, 503]
        assert number(ask(client, COUNT)) > 300


# --- what becomes of a query


def test_the_time_in_the_queue_counts(in_pool, monkeypatch):
    """So what waits behind a query that takes all of its time is given up with it, and never begins."""
    started = []
    start = Worker.start

    async def counted(*arguments):
        started.append(arguments)
        return await start(*arguments)

    monkeypatch.setattr(Worker, "start", counted)

    async def ask_at_once(pool):
        answers = [pool.answer(query(PRODUCT), 1, str(number)) for number in range(4)]
        return await asyncio.gather(*answers, return_exceptions=True)

    limits = QueryLimits(seconds=1.0, memory=256, workers=1, waiting=3, of_one_client=1)
    errors = in_pool(ask_at_once, limits)
    assert [type(error) for error in errors] == [QueryTimeoutError] * 4
    assert len(started) == 1


def test_a_query_that_nobody_waits_for_any_more_leaves_its_place_at_once(in_pool):
    async def leave(pool):
        running, waiting, last = (asyncio.create_task(pool.answer(query(PRODUCT), 1, "one")) for _ in range(3))
        with pytest.raises(QueueFullError):
            await last
        while not pool.process_ids():
            await asyncio.sleep(0.01)
        (process,) = pool.process_ids()
        waiting.cancel()
        running.cancel()
        await asyncio.wait((running, waiting))
        assert not pool.process_ids()
        answer = await pool.answer(query(COUNT), 1, "one")
        assert pool.process_ids() != [process]
        return answer

    assert b"bindings" in in_pool(leave, QueryLimits(600.0, 256, workers=1, waiting=1, of_one_client=3)).body


def test_a_client_that_leaves_takes_its_query_with_it(site):
    """At the ASGI interface: the client's connection is closed while its query runs."""
    app = application(site)
    scope = {
        "type": "http",
        "method": "GET",
        "path": ENDPOINT,
        "raw_path": ENDPOINT.encode(),
        "query_string": urlencode({"query": PRODUCT}).encode(),
        "http_version": "1.1",
        "headers": [(b"host", b"data.example.org")],
        "client": ("203.0.113.7", 1),
    }

    async def leave() -> None:
        messages: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        sent = []

        async def send(message):
            sent.append(message)

        before = children()
        async with within_lifespan(app):
            await messages.put({"type": "http.request"})
            answering = asyncio.create_task(app(scope, messages.get, send))
            while not children() - before:
                await asyncio.sleep(0.01)
            await messages.put({"type": "http.disconnect"})
            await answering
            while children() - before:
                await asyncio.sleep(0.01)
        assert sent[0]["status"] == 499

    asyncio.run(asyncio.wait_for(leave(), 600))


@pytest.mark.parametrize(
    ("sent", "error", "reason"),
    [
        (signal.SIGABRT, QueryMemoryError, "MiB of memory"),
        (signal.SIGKILL, StoreUnavailableError, "ended before"),  # and it is not asked again
    ],
)
def test_the_way_in_which_a_process_dies_of_its_first_query_is_the_reason(in_pool, sent, error, reason):
    async def die(pool):
        answering = asyncio.create_task(pool.answer(query(PRODUCT), 1, "one"))
        while not pool.process_ids():
            await asyncio.sleep(0.01)
        os.kill(pool.process_ids()[0], signal.SIGABRT)
        with pytest.raises(QueryMemoryError, match="MiB of memory"):
            await answering

    in_pool(die, QueryLimits(600.0, 256, workers=1, waiting=0, of_one_client=1))


def test_a_process_that_died_while_idle_fails_no_query(in_pool, monkeypatch):
    monkeypatch.setattr(pools, "_REPLACED_AFTER_SECONDS", 600.0)

    async def die(pool):
        first = await pool.answer(query(COUNT), 1, "one")
        (process,) = pool.process_ids()
        os.kill(process, signal.SIGKILL)
        assert await pool.answer(query(COUNT), 1, "one") == first
        assert pool.process_ids() != [process]

    in_pool(die)


def test_all_processes_end_with_the_application(site, running):
    with running(site) as client:
        assert number(ask(client, COUNT)) > 300
        running_before = children()
    assert running_before - children()


# --- prefixes without declaration, explanations, remembered results


UNDECLARED = "SELECT ?s { ?s a bibo:Book ; dcterms:title ?t }"


def test_prefixes_of_the_dataset_and_of_the_site_need_no_declaration(client, site, running):
    assert len(ask(client, UNDECLARED).json()["results"]["bindings"]) == 1
    declared = f"PREFIX bibo: <http://elsewhere/> {UNDECLARED}"
    assert ask(client, declared).json()["results"]["bindings"] == []
    assert ask(client, "SELECT * { ?s mine:title ?t }").json()["column"] == 15
    settings = msgspec.structs.replace(site.settings, prefixes={"mine": "http://purl.org/dc/terms/"})
    with running(msgspec.structs.replace(site, settings=settings)) as other:
        assert len(ask(other, "SELECT * { ?s mine:title ?t }").json()["results"]["bindings"]) == 2


def test_faults_of_a_query_are_shown_on_the_page_and_as_members_of_the_problem(client):
    answer = ask(client, "SELECT * {\n ?s dctrms:title ?o }")
    assert bare(answer) == "application/problem+json"
    assert [answer.json()[name] for name in ("status", "line", "column")] == [400, 2, 5]
    assert answer.json()["detail"].startswith("line 2, column 5: ")
    page = ask(client, "SELECT * {\n ?s dctrms:title ?o }", "text/html")
    assert "line 2, column 5: unknown prefix &#34;dctrms:&#34;; did you mean &#34;dcterms:&#34;?" in page.text
    russian = ask(client, "SELECT * {\n ?s dctrms:title ?o }", "text/html", lang="ru")
    assert (
        "строка 2, столбец 5: неизвестный префикс «dctrms:»; возможно, имелось в виду &#34;dcterms:&#34;?"
        in russian.text
    )


@pytest.mark.parametrize(
    ("query", "statuses"),
    [
        ("SELECT ?p ?o { <https://data.example.org/lod/agent/x> ?p ?o }", ["bibld; fwd=uri-miss", "bibld; hit"]),
        ("SELECT  ?p ?o # again\n{ <https://data.example.org/lod/agent/x> ?p ?o }", ["bibld; hit", "bibld; hit"]),
        ("SELECT (NOW() AS ?n) {}", ["bibld; fwd=bypass", "bibld; fwd=bypass"]),
        ("SELECT (rand() AS ?n) {}", ["bibld; fwd=bypass", "bibld; fwd=bypass"]),
        ("SELECT (STRUUID() AS ?n) {}", ["bibld; fwd=bypass", "bibld; fwd=bypass"]),
        ("SELECT (BNODE() AS ?n) {}", ["bibld; fwd=bypass", "bibld; fwd=bypass"]),
    ],
)
def test_results_are_remembered_unless_they_differ_each_time(client, query, statuses):
    assert [ask(client, query).headers["cache-status"] for _ in range(2)] == statuses


def test_a_result_has_a_tag_and_is_not_sent_twice(client):
    answer = ask(client, COUNT)
    again = client.get(f"{ENDPOINT}?{urlencode({'query': COUNT})}", if_none_match=answer.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(f"{ENDPOINT}?{urlencode({'query': COUNT, 'format': 'csv'})}")
    assert other.headers["etag"] != answer.headers["etag"]
