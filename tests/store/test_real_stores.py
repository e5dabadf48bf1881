"""Real servers: the sample in Oxigraph's server, in Virtuoso 7 and in the embedded store gives the same answers."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import msgspec
import pytest
from click.testing import CliRunner, Result

import bibld
from bibld import pipeline
from bibld.cli import command_line
from bibld.config import remote_of_url
from bibld.errors import StoreError, StoreUnavailableError
from bibld.model.iris import Iris
from bibld.model.rdf import graph_of, literal
from bibld.progress import Silent
from bibld.protocols import RemoteAccess, adapters
from bibld.serve import Settings
from bibld.serve.ontology import example_queries, folder
from bibld.serve.site import Site
from bibld.store._delivery import write_files
from tests.ports import free_port
from tests.publish.follower import as_stored
from tests.serve.client import running
from tests.store.real_servers import (
    PASSWORD,
    Server,
    oxigraph_binary,
    oxigraph_server,
    virtuoso_binary,
    virtuoso_server,
)

pytestmark = pytest.mark.server

KINDS = (
    pytest.param(
        "oxigraph",
        marks=pytest.mark.skipif(
            oxigraph_binary() is None, reason="needs the package oxigraph (`pip install oxigraph`)"
        ),
    ),
    pytest.param(
        "virtuoso",
        marks=pytest.mark.skipif(virtuoso_binary() is None, reason="needs Debian's virtuoso-opensource-7"),
    ),
)
LIMIT = re.compile(r"\n(LIMIT|OFFSET) \d+[ \t]*(?=\n|$)")
WRONG_IN_VIRTUOSO = {"description"}
"""A path of length zero (``(bf:title|…)? ?node``) finds all nodes, though VALUES binds where it begins."""
COMPUTED_BOOLEANS = {"which-library-states-this"}
"""Queries whose computed booleans Virtuoso writes as 1 and 0."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Iterator[bibld.Workspace]:
    """The sample after a run."""
    place = tmp_path_factory.mktemp("real") / "sample_data"
    shutil.copytree(folder("sample_data"), place)
    workspace = bibld.Workspace(place / "bibld.toml")
    workspace.run()
    return workspace


@pytest.fixture(scope="module")
def servers(tmp_path_factory, sample) -> Iterator[dict[str, Server]]:
    """The servers that this machine has; Virtuoso may read the files of the workspace, and has a password."""
    place = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        found = {}
        if oxigraph_binary() is not None:
            found["oxigraph"] = stack.enter_context(oxigraph_server(place / "oxigraph"))
        if virtuoso_binary() is not None:
            virtuoso = stack.enter_context(virtuoso_server(place / "virtuoso", sample.config.workspace))
            set_password = f"user_set_password('dba', '{PASSWORD}');"
            command = ["isql-vt", virtuoso.sql, "dba", "dba", f"EXEC={set_password}"]
            subprocess.run(command, check=True, capture_output=True)
            found["virtuoso"] = virtuoso
        yield found


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("STORE_USER", "dba")
    monkeypatch.setenv("STORE_PASSWORD", PASSWORD)
    monkeypatch.setenv("WRONG_PASSWORD", "wrong")


def remote(server: Server, kind: str, password: str = "STORE_PASSWORD", **settings: str):
    named = remote_of_url(server.url, kind, "STORE_USER", password)
    return msgspec.structs.replace(named, settings=msgspec.structs.replace(named.settings, **settings))


@pytest.fixture
def loaded(servers, sample, request):
    """Return the sample in one of the stores, and in the embedded store."""
    kind = request.param
    sample.deliver(servers[kind].url, kind=kind, user_env="STORE_USER", password_env="STORE_PASSWORD")
    release, manifest = pipeline.current_release(sample.config)
    copy = adapters.load_adapter("store", manifest.backend).open_copy(
        release / "store", sample.config.settings("store", manifest.backend)
    )
    yield kind, remote(servers[kind], kind).open(sample.config.dataset.base), copy
    copy.close()


def without_booleans(row: str) -> str:
    return re.sub(r'"(1|0|true|false)"\^\^<[^>]*(integer|boolean)>', "boolean", row)


def answers(store, sparql: str) -> list[str]:
    return sorted(str(row) for row in store.query(sparql))


@pytest.mark.parametrize("loaded", KINDS, indirect=True)
def test_the_example_queries_have_the_same_answers(loaded, sample):
    kind, store, embedded = loaded
    compared = 0
    for example in example_queries(Iris(sample.config.dataset.base)):
        sparql = LIMIT.sub("", example.sparql)
        question = example.name.partition("-")[2]
        if "SELECT" not in sparql:
            continue
        if kind == "virtuoso" and ("SAMPLE(" in sparql or question in WRONG_IN_VIRTUOSO):
            continue  # SPARQL leaves open which value SAMPLE takes
        expected, found = answers(embedded, sparql), answers(store, sparql)
        if kind == "virtuoso" and question in COMPUTED_BOOLEANS:
            expected, found = sorted(map(without_booleans, expected)), sorted(map(without_booleans, found))
        assert found == expected, example.name
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("loaded", KINDS, indirect=True)
def test_it_has_the_same_quads_in_the_same_graphs(loaded, sample):
    _, store, embedded = loaded
    graphs = Counter((graph_of(line) or "<>")[1:-1] for line in embedded.quads())
    counts = store.counts()
    provenance = counts.pop(f"{sample.config.dataset.base}graph/provenance")
    assert provenance and {**counts, "": counts[""] + provenance} == graphs
    resource = Iris(sample.config.dataset.base).resource(a_record(sample))
    base = sample.config.dataset.base
    assert as_stored(store.quads(resource), base) == set(embedded.quads(resource))
    assert as_stored(store.quads(value=resource), base) == set(embedded.quads(value=resource))
    total = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    assert answers(store, total) == answers(embedded, total)


def a_record(sample: bibld.Workspace):
    with sample.catalog() as catalog:
        return catalog.sample_founders(1)[0]


@pytest.mark.parametrize("loaded", KINDS, indirect=True)
def test_documents_and_queries_are_served_from_it(loaded, servers, sample):
    kind, _, _ = loaded
    release, manifest = pipeline.current_release(sample.config)
    path = f"/doc/{Iris(manifest.dataset.base).path(Iris(manifest.dataset.base).resource(a_record(sample)))}.ttl"
    with sample.catalog() as catalog:
        settings = Settings(query_timeout=30.0)
        site = Site(manifest, release, catalog, lambda _: None, settings)
        from_remote = msgspec.structs.replace(site, remote=remote(servers[kind], kind))
        with running(site) as here, running(from_remote) as there:
            assert there.get(path).content == here.get(path).content
            query = "/sparql?query=SELECT%20(COUNT(*)%20AS%20%3Fn)%20%7B%20%3Fs%20a%20%3Fc%20%7D"
            for media_type in ("application/sparql-results+json", "text/csv"):
                assert there.get(query, media_type).content == here.get(query, media_type).content
            assert there.get("/sparql?query=SELECT").status_code == 400
            assert there.get("/sparql?query=DESCRIBE%20%3Chttp%3A%2F%2Fx%2F%3E", "text/turtle").status_code == 200


ODD = (
    "q\"uo'te \\ \\u0041 \\\\U0001F600 new\nline\r\ttab\b\f\x01\x7f",
    "\U0001f600 ё\u0301 \u202e \u0085 \u2028 \ufeff",
    "",
    "a" * 20_000,
    "} ; DROP ALL #",
    '"""',
    "'''\\",
)
ODD_IRIS = (
    "http://x.example/a~5C%2F?q=1&b='x'#f(1)!*,;",
    "http://x.example/книга/\U0001f600",
    "urn:isbn:978-5-02",
    "http://x.example/a%20b$@:()",
)


@pytest.mark.parametrize("kind", KINDS)
def test_odd_literals_and_iris_arrive_as_they_are(kind, servers, sample):
    base = "https://odd.example/"
    store = remote(servers[kind], kind).open(base)
    graph = Iris(base).graph("odd")
    lines = [
        f"<{subject}> <http://x.example/p> {literal(text, language)} <{graph}> .\n"
        for number, text in enumerate(ODD)
        for subject, language in ((ODD_IRIS[number % len(ODD_IRIS)], "ru-latn"), (f"http://x.example/{number}", None))
    ]
    lines += [f"<http://x.example/s> <http://x.example/p> <{iri}> <{graph}> .\n" for iri in ODD_IRIS]
    store.apply(lines, [])
    assert sorted(store.quads(graph=graph)) == sorted(lines)
    store.apply(lines[:2], lines[:5])  # what is there already or is not there does no harm
    store.apply([], lines)
    assert list(store.quads(graph=graph)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_patch_removes_literals_from_two_graphs(kind, servers, tmp_path):
    base = "https://patch.example/"
    store = remote(servers[kind], kind).open(base)
    values = ('"Книга"@ru', '"text"', '"1960"^^<http://www.w3.org/2001/XMLSchema#gYear>', "<http://x/c>")
    graphs = ("links", "provenance")
    lines = [
        f"<http://x/{number}> <http://x/p> {value} <{Iris(base).graph(graphs[number % 2])}> .\n"
        for number in range(40)
        for value in values
    ]
    store.load_files(write_files(tmp_path / "files", ["".join(lines).encode()], 1000, Silent()))
    assert all(store.counts()[Iris(base).graph(name)] == len(lines) / 2 for name in graphs)
    store.apply([], lines[:100])
    assert sorted(line for name in graphs for line in store.quads(graph=Iris(base).graph(name))) == sorted(lines[100:])


@pytest.mark.skipif(oxigraph_binary() is None, reason="needs the package oxigraph")
def test_the_quad_that_a_server_refuses_is_named(servers, tmp_path):
    store = remote(servers["oxigraph"], "oxigraph").open("https://odd.example/")
    good, bad = '<http://x/a> <http://x/b> "c" .\n', "<http://x/[a> <http://x/b> <http://x/c> .\n"
    files = write_files(tmp_path / "files", [(good + bad).encode()], 10, Silent())
    for send in (lambda: store.load_files(files), lambda: store.apply([good, bad], [])):
        with pytest.raises(StoreError, match=r"the quad that is refused: <http://x/\[a>"):
            send()
    store.apply([], [good])


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_credentials_and_wrong_addresses_are_explained(kind, servers, sample, monkeypatch):
    server = servers[kind]
    quad = "<http://x/a> <http://x/b> <http://x/c> <https://odd.example/graph/a> .\n"
    if kind == "virtuoso":
        for store in (
            remote(server, kind, "WRONG_PASSWORD").open("https://odd.example/"),
            adapters.load_adapter("store.remote", kind).open_remote(
                RemoteAccess(server.url, "https://odd.example/graph/"), adapters.settings_type("store.remote", kind)()
            ),
        ):
            with pytest.raises(StoreError, match="wrong or missing credentials"):
                store.apply([quad], [])
    wrong = remote_of_url(f"{server.url}nothing/", kind, "STORE_USER", "STORE_PASSWORD").open("https://odd.example/")
    with pytest.raises(StoreError, match="check `url` and `kind`"):
        wrong.check()


@pytest.mark.skipif(virtuoso_binary() is None, reason="needs Debian's virtuoso-opensource-7")
def test_virtuoso_reads_the_files_itself_where_it_may(servers, sample, tmp_path):
    server = servers["virtuoso"]
    named = remote(server, "virtuoso", sql=server.sql)
    store = named.open("https://bulk.example/")
    graph = "https://bulk.example/graph/a"
    lines = [f'<http://x/{number}> <http://x/p> "Книга {number}"@ru <{graph}> .\n' for number in range(1000)]
    files = write_files(sample.config.workspace / "remote" / "bulk's", ["".join(lines).encode()], 300, Silent())
    store.load_files(files)
    store.load_files(files)
    assert store.counts() == {graph: 1000}
    files[0].file.write_bytes(b"not a compressed file")
    with pytest.raises(StoreError, match=r"000001\.nt\.gz.*remove `sql` from the configuration"):
        store.load_files(files)
    wrong = remote(server, "virtuoso", "WRONG_PASSWORD", sql=server.sql).open("https://bulk.example/")
    with pytest.raises(StoreError, match="wrong user or password"):
        wrong.load_files(files)
    stopped = remote(server, "virtuoso", sql=f"127.0.0.1:{free_port()}").open("https://bulk.example/")
    with pytest.raises(StoreUnavailableError, match="is the server running"):
        stopped.load_files(files)
    with pytest.raises(StoreError, match="install Virtuoso's client"):
        remote(server, "virtuoso", sql=server.sql, isql="no-such-isql").open("https://b.example/").load_files(files)
    store.clear()
    assert store.counts() == {}


@pytest.mark.skipif(oxigraph_binary() is None, reason="needs the package oxigraph")
def test_a_load_continues_when_the_server_that_was_killed_is_back(sample, tmp_path, monkeypatch):
    place = tmp_path / "oxigraph"
    with oxigraph_server(place) as server:
        url, port = server.url, int(server.url.rsplit(":", 1)[1].strip("/"))
        named = remote_of_url(url, "oxigraph", "", "")
        config = msgspec.structs.replace(named.config, file_quads=2_000, tries=1)
        target = msgspec.structs.replace(named, config=config)
        store_type = type(target.open("http://x/"))
        original = store_type.load_files
        sent = []

        def load_files(self, files):
            sent.append(files)
            if len(sent) == 8:
                server.kill()
            original(self, files)

        monkeypatch.setattr(store_type, "load_files", load_files)
        with pytest.raises(StoreUnavailableError, match="quads are loaded, the next run continues from there"):
            pipeline.deliver(sample.config, target, a_time(), sample.progress, replace=False)
    before = len(sent)
    with oxigraph_server(place, port):
        done = pipeline.deliver(sample.config, target, a_time(), sample.progress, replace=False)
    total = len(sent) - before
    assert total > 0
    assert done.loaded < done.quads
    assert before + total > 8


def a_time():
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.skipif(oxigraph_binary() is None, reason="needs the package oxigraph")
def test_the_command_loads_then_reports_that_nothing_changed(sample, tmp_path, monkeypatch):
    monkeypatch.setattr("bibld.store.remote._http._FIRST_WAIT_SECONDS", 0.01)

    def command(*arguments: str) -> Result:
        return CliRunner().invoke(command_line, ["store", str(sample.path), "--to", *arguments])

    with oxigraph_server(tmp_path / "oxigraph") as server:
        first = command(server.url, "--kind", "oxigraph")
        assert re.search(r"quads loaded, 0 added, 0 removed; [\d,]+ quads in \d graphs", first.stdout), first.output
        assert "no quads changed" in command(server.url, "--kind", "oxigraph", "--quiet").stdout
        foreign = command(f"{server.url}query")
        assert foreign.exit_code == 1
        assert "name an empty store, or add --replace" in foreign.output
        assert "no changes are kept" in command(server.url, "--forget").output
    assert 'unknown store "public"' in command("public").output
    stopped = command(server.url, "--kind", "oxigraph")
    assert stopped.exit_code == 1
    assert "is the server running and the address right?" in stopped.output


@pytest.mark.skipif(oxigraph_binary() is None, reason="needs the package oxigraph")
def test_a_run_ends_with_its_stores_and_one_that_fails_does_not_stop_the_others(sample, tmp_path):
    with oxigraph_server(tmp_path / "oxigraph") as server:
        file = sample.path.with_name("with_stores.toml")
        tables = f'''
[[store.remote]]
name = "absent"
url = "http://127.0.0.1:1/"
tries = 1
[[store.remote]]
name = "mirror"
kind = "oxigraph"
url = "{server.url}"
[[store.remote]]
name = "byhand"
url = "http://127.0.0.1:1/"
on_run = false
'''
        file.write_text(sample.path.read_text(encoding="utf-8") + tables, encoding="utf-8")
        ran = CliRunner().invoke(command_line, ["run", str(file), "--quiet"])
    assert ran.exit_code == 1
    assert re.search(r"store mirror: [\d,]+ quads loaded", ran.stdout)
    assert "bibld: store absent: http://127.0.0.1:1/: no answer" in ran.stderr
    assert "byhand" not in ran.output
