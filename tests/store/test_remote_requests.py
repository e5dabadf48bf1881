"""What remote stores are sent, and what their answers mean; a server that answers as the test wants is all of them."""

import gzip
import hashlib
import io
import threading

import pytest

from bibld.errors import BadQueryError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import Query, RemoteAccess, TriplesFile, adapters
from bibld.store.remote import _http, query_form, update
from tests.store.fake_server import JSON, Reply, fake_server, rows, truth

GRAPHS = "https://data.example.org/graph/"
QUAD = '<http://x/a> <http://x/b> "книга"@ru <https://data.example.org/graph/links> .\n'
PLAIN = "<http://x/a> <http://x/b> <http://x/c> .\n"


def store_at(url, kind="sparql", **access):
    adapter = adapters.load_adapter("store.remote", kind)
    return adapter.open_remote(RemoteAccess(url, GRAPHS, **{"tries": 1, "timeout": 5.0, **access}), adapter.Settings())


def triples_file(folder, graph, *lines):
    file = folder / "000001.nt.gz"
    file.write_bytes(gzip.compress("".join(lines).encode()))
    return TriplesFile(file, graph, len(lines))


# -- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (400, BadQueryError, "does not accept"),
        (401, StoreError, "check `user` and `password`"),
        (403, StoreError, "forbidden"),
        (404, StoreError, "check `url` and `kind`"),
        (405, StoreError, "check `url` and `kind`"),
        (500, StoreError, "look into its log"),
        (503, StoreUnavailableError, "run again later"),
        (429, StoreUnavailableError, "run again later"),
    ],
)
def test_every_status_has_a_message_that_states_what_to_do(status, error, words):
    with fake_server(lambda _: Reply(status, b"the cause")) as server, pytest.raises(error, match=words) as raised:
        store_at(server.url).check()
    assert f"HTTP {status} (the cause)" in str(raised.value)


def test_a_page_is_not_an_endpoint():
    page = Reply(200, b"<html>Welcome</html>", "text/html")
    with fake_server(lambda _: page) as server, pytest.raises(StoreError, match="with text/html instead of SPARQL"):
        store_at(server.url).check()


def test_results_that_are_cut_are_no_results():
    reply = Reply(200, b'{"head": {"vars": ["s"]}, "results": {"bindings": [', JSON)
    with fake_server(lambda _: reply) as server, pytest.raises(StoreError, match="cannot be read"):
        store_at(server.url).query("SELECT ?s { ?s ?p ?o }")


def test_a_busy_server_is_asked_again_after_the_time_that_it_states(monkeypatch):
    waits = []
    monkeypatch.setattr(_http.time, "sleep", waits.append)
    replies = [
        Reply(503, headers={"Retry-After": "7"}),
        Reply(429),
        Reply(503, headers={"Retry-After": "9999"}),
        truth(),
    ]
    with fake_server(lambda _: replies.pop(0)) as server:
        store_at(server.url, tries=4).check()
    assert waits == [7.0, 1.0, 60.0]


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(_http.time, "sleep", lambda _: None)
    with fake_server(lambda _: truth()) as server:
        url = server.url
    with pytest.raises(StoreUnavailableError, match="is the server running"):
        store_at(url, tries=3).check()


def test_a_slow_server_is_left_after_the_timeout():
    released = threading.Event()

    def wait(_):
        released.wait(600)
        return truth()

    with fake_server(wait) as server:
        with pytest.raises(QueryTimeoutError, match=r"no complete answer in 0\.3 s"):
            store_at(server.url, timeout=0.3, tries=5).check()
        released.set()
        assert len(server.requests) <= 1, "it is asked again"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_credentials_are_not_given_to_another_server(status):
    with (
        fake_server(lambda _: truth()) as other,
        fake_server(lambda _: Reply(status, headers={"Location": f"{other.url}sparql"})) as server,
    ):
        store = store_at(server.url, user="reader", password="secret")
        with pytest.raises(StoreError, match="another server"):
            store.check()
        assert other.requests == []
        assert len(server.requests) == 1


def test_a_redirect_inside_the_server_is_followed_with_body_and_credentials():
    def answer(request):
        return truth() if request.path == "/sparql/" else Reply(307, headers={"Location": "/sparql/"})

    with fake_server(answer) as server:
        store_at(f"{server.url}sparql", user="reader", password="secret").check()
        first, second = server.requests
    assert second.form["query"] == first.form["query"]
    assert second.headers["authorization"].startswith("Basic ")


def test_a_password_is_in_no_message_and_no_representation():
    access = RemoteAccess("http://127.0.0.1/", GRAPHS, "reader", "secret")
    assert "secret" not in repr(access)


# -- credentials -----------------------------------------------------------------------------------------------------


def digest_server(user, password, uses):
    """A server with Digest, whose nonces may be used a number of times."""
    state = {"nonce": 0, "uses": 0}

    def hashed(text):
        return hashlib.md5(text.encode()).hexdigest()

    def answer(request):
        fields = dict(
            part.strip().split("=", 1)
            for part in request.headers.get("authorization", "x=1")[7:].split(",")
            if "=" in part
        )
        fields = {name: value.strip('"') for name, value in fields.items()}
        secret = hashed(f"{user}:books:{password}")
        target = hashed(f"{request.method}:{request.path}")
        right = hashed(f"{secret}:{state['nonce']}:{fields.get('nc')}:{fields.get('cnonce')}:auth:{target}")
        if fields.get("response") == right and state["uses"] < uses:
            state["uses"] += 1
            return truth()
        state["nonce"] += 1
        state["uses"] = 0
        challenge = f'Digest realm="books", nonce="{state["nonce"]}", qop="auth", opaque="x", algorithm="MD5"'
        return Reply(401, headers={"WWW-Authenticate": challenge})

    return answer


def test_digest_answers_one_challenge_for_many_requests():
    with fake_server(digest_server("dba", "Пароль", uses=3)) as server:
        store = store_at(server.url, "virtuoso", user="dba", password="Пароль")
        for _ in range(6):
            store.check()
        statuses = len(server.requests)
    assert statuses == 6 + 2  # two challenges


def test_a_wrong_password_is_sent_once():
    with fake_server(digest_server("dba", "right", uses=100)) as server:
        with pytest.raises(StoreError, match="wrong or missing credentials"):
            store_at(server.url, "virtuoso", user="dba", password="wrong").check()
        assert len(server.requests) == 2


# -- updates ---------------------------------------------------------------------------------------------------------


def test_updates_name_the_graph_of_each_quad():
    text = update("INSERT DATA", [QUAD, PLAIN], f"{GRAPHS}default")
    assert text == (
        'INSERT DATA {\nGRAPH <https://data.example.org/graph/links> {\n<http://x/a> <http://x/b> "книга"@ru .\n}\n'
        "GRAPH <https://data.example.org/graph/default> {\n<http://x/a> <http://x/b> <http://x/c> .\n}\n}"
    )


def test_updates_of_virtuoso_name_one_graph_each():
    with fake_server(lambda _: Reply()) as server:
        store_at(server.url, "virtuoso").apply([QUAD, PLAIN] * 3, [])
        sent = [request.form["update"] for request in server.requests]
    assert [text.count("GRAPH") for text in sent] == [1, 1]
    assert sum(text.count("<http://x/b>") for text in sent) == 6


def test_a_backslash_before_a_u_survives_the_decoding_of_sparql():
    line = r'<http://x/a> <http://x/b> "C:\\users \\\\U \" \n" .' + "\n"
    assert r'"C:\\\u0075sers \\\\\u0055 \" \n"' not in line
    assert r'"C:\\\u0075sers \\\\\u0055 \" \n"' in update("INSERT DATA", [line], "")


def test_a_request_that_is_too_large_is_sent_in_halves():
    def answer(request):
        return Reply(413 if request.form["update"].count("<http://x/b>") > 3 else 200)

    lines = [f'<http://x/a> <http://x/b> "{number}" .\n' for number in range(10)]
    with fake_server(answer) as server:
        store_at(server.url).apply(lines, [])
        taken = [r.form["update"] for r in server.requests if r.form["update"].count("<http://x/b>") <= 3]
    assert "".join(taken).count("<http://x/b>") == 10


def test_the_quad_that_a_server_refuses_is_named():
    def answer(request):
        return Reply(400 if '"7"' in request.form["update"] else 200, b"syntax error")

    lines = [f'<http://x/a> <http://x/b> "{number}" .\n' for number in range(10)]
    with fake_server(answer) as server, pytest.raises(StoreError, match=r'refused: <http://x/a> <http://x/b> "7" \.$'):
        store_at(server.url).apply(lines, [])


def test_a_file_that_is_too_large_is_sent_in_halves(tmp_path):
    def answer(request):
        return Reply(413 if request.body.count(b"\n") > 2 else 204)

    lines = [f'<http://x/a> <http://x/b> "{number}" .\n' for number in range(5)]
    with fake_server(answer) as server:
        store_at(server.url, "fuseki").load_files([triples_file(tmp_path, "", *lines)])
        taken = [request.body for request in server.requests if request.body.count(b"\n") <= 2]
    assert b"".join(taken).decode() == "".join(lines)


def test_without_a_graph_store_files_are_sent_as_updates(tmp_path):
    with fake_server(lambda _: Reply()) as server:
        store_at(server.url).load_files([triples_file(tmp_path, f"{GRAPHS}links", PLAIN)])
        (request,) = server.requests
    assert request.form["update"].startswith("INSERT DATA {\nGRAPH <https://data.example.org/graph/links> {")


# -- virtuoso --------------------------------------------------------------------------------------------------------


def test_a_result_that_virtuoso_has_cut_is_refused():
    def answer(_):
        reply = rows(s="http://x/a")
        reply.headers["X-SPARQL-MaxRows"] = "1"
        return reply

    with fake_server(answer) as server, pytest.raises(StoreError, match="raise ResultSetMaxRows"):
        store_at(server.url, "virtuoso").query("SELECT ?s { ?s ?p ?o }", union=False)


# -- recorded exchanges ----------------------------------------------------------------------------------------------

DEFAULT = f"{GRAPHS}default"
RECORDED = {
    "fuseki": ("/sparql", {}, "/update", "POST /data", {"graph": DEFAULT}, "application/n-triples"),
    "rdf4j": (
        *("/", {"infer": "false"}, "/statements", "POST /rdf-graphs/service"),
        *({"graph": DEFAULT}, "application/n-triples"),
    ),
    "graphdb": (
        *("/", {"infer": "false"}, "/statements", "POST /rdf-graphs/service"),
        *({"graph": DEFAULT}, "application/n-triples"),
    ),
    "blazegraph": ("/", {}, "/", "POST /", {"context-uri": DEFAULT}, "application/x-turtle;charset=UTF-8"),
    "qlever": ("/", {}, "/", "POST /", {"graph": DEFAULT}, "application/n-triples"),
    "oxigraph": (
        *("/query", {"union-default-graph": ""}, "/update", "POST /store"),
        *({"default": "", "no_transaction": ""}, "application/n-triples"),
    ),
}
"""Kind → path and parameters of a query, path of an update, how a file for the default graph is sent."""


@pytest.mark.parametrize("kind", RECORDED)
def test_each_kind_is_asked_as_its_documentation_has_it(kind, tmp_path):
    query_path, parameters, update_path, load, graph, media_type = RECORDED[kind]
    with fake_server(lambda request: rows(s="http://x/a") if "query" in request.form else Reply()) as server:
        url = server.url.rstrip("/") if kind in ("rdf4j", "graphdb") else server.url
        store = store_at(url, kind, user="reader", password="secret")
        assert store.query("SELECT ?s { ?s ?p ?o }") == [["<http://x/a>"]]
        store.apply([PLAIN], [PLAIN])
        answering = server.requests[:]
        server.requests.clear()

    asked, removed, added = answering
    scheme = "Bearer secret" if kind == "qlever" else "Basic "
    assert (asked.method, asked.path or "/") == ("POST", query_path)
    assert asked.form == {"query": "SELECT ?s { ?s ?p ?o }", **parameters}
    assert asked.headers["accept"] == JSON
    assert all(request.headers["authorization"].startswith(scheme) for request in answering)
    assert [request.path or "/" for request in (removed, added)] == [update_path] * 2
    assert removed.form["update"].startswith("DELETE DATA {")
    assert ("GRAPH" in added.form["update"]) == (kind != "oxigraph")

    with fake_server(lambda _: Reply(204)) as server:
        url = server.url.rstrip("/") if kind in ("rdf4j", "graphdb") else server.url
        store_at(url, kind).load_files([triples_file(tmp_path, "", PLAIN)])
        (sent,) = server.requests
    assert f"{sent.method} {sent.path or '/'}" == load
    assert (sent.parameters, sent.headers["content-type"]) == (graph, media_type)
    assert sent.body.decode() == PLAIN


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("fuseki", ["PUT"]),
        ("rdf4j", ["PUT"]),
        ("blazegraph", ["CLEAR SILENT GRAPH", "INSERT DATA"]),
        ("qlever", ["DELETE WHERE", "INSERT DATA"]),
        ("sparql", ["CLEAR SILENT GRAPH", "INSERT DATA"]),
    ],
)
def test_the_graph_of_a_release_is_replaced(kind, sent):
    with fake_server(lambda _: Reply()) as server:
        store_at(server.url, kind).replace(f"{GRAPHS}links", [QUAD])
        found = [r.method if r.method == "PUT" else r.form["update"] for r in server.requests]
    assert len(found) == len(sent)
    assert all(text.startswith(begin) for text, begin in zip(found, sent, strict=True))


@pytest.mark.parametrize(("kind", "limit"), [("rdf4j", "3"), ("graphdb", "3"), ("blazegraph", "3"), ("qlever", "3s")])
def test_the_server_is_given_the_deadline_too(kind, limit):
    with fake_server(lambda _: rows("s")) as server:
        store_at(server.url, kind).query("SELECT ?s { ?s ?p ?o }", timeout=2.5)
        assert server.requests[0].form["timeout"] == limit


def test_quads_of_the_named_default_graph_come_back_without_a_graph():
    def answer(request):
        return rows(s="http://x/a", p="http://x/b", o="http://x/c", g=DEFAULT)

    with fake_server(answer) as server:
        assert list(store_at(server.url, "fuseki").quads("http://x/a")) == [PLAIN]


def test_a_text_that_is_not_an_iri_is_not_sent():
    with fake_server(lambda _: rows("s")) as server:
        store = store_at(server.url)
        assert [list(store.quads(text)) for text in ("no iri", "http://x/> } #", "x")] == [[], [], []]
        assert server.requests == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SELECT * {}", "SELECT"),
        ("PREFIX select: <http://x/ask#> # ASK\nBASE <http://x/construct>\ndescribe <http://x/>", "DESCRIBE"),
        ("nothing", ""),
    ],
)
def test_the_form_of_a_query_is_its_first_keyword(text, form):
    assert query_form(text) == form


def test_the_kind_of_an_answer_is_that_of_its_media_type():
    triples = Reply(200, PLAIN.encode(), "application/n-triples")
    for reply, kind in ((truth(), "boolean"), (rows("s"), "table"), (triples, "graph")):
        with fake_server(lambda _, reply=reply: reply) as server:
            out = io.BytesIO()
            query = Query("DESCRIBE <http://x/a>", "http://x/", graph="text/turtle")
            assert store_at(server.url).answer(query, out) == kind
            assert out.getvalue()
            assert server.requests[0].form["query"] == "BASE <http://x/>\nDESCRIBE <http://x/a>"
