"""``bibld.Workspace``: run, look, decide, check; everything as values and tables."""

import io
import shutil
import subprocess
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import bibld


@pytest.fixture
def own(workspace, tmp_path):
    """A copy that a test may change."""
    shutil.copytree(workspace.path.parent, tmp_path / "sample")
    return bibld.Workspace(tmp_path / "sample" / "bibld.toml")


# -- run -------------------------------------------------------------------------------------------------------------


def test_a_run_that_finds_nothing_new_does_nothing(own):
    summary = own.run(at=datetime(2026, 2, 1, tzinfo=UTC))
    assert not summary.release_is_new
    assert {time.stage for time in summary.stages if not time.was_current} <= {"read"}


def test_what_needs_a_run_names_a_command_that_can_be_pasted(tmp_path):
    fresh = bibld.Workspace(bibld.write_sample(tmp_path / "my sample"))
    assert [file.file for file in fresh.files()] == ["rsl.mrc", "nlr.iso", "slavica.xml"]
    command = f"bibld run '{tmp_path}/my sample/bibld.toml'"
    for look in (fresh.records, fresh.pairs, fresh.stats, fresh.check, fresh.review.questions):
        with pytest.raises(bibld.CatalogError) as caught:
            look()
        assert command in str(caught.value)
    with pytest.raises(bibld.StageError, match="bibld run"):
        fresh.query("ASK {}")


def test_a_wrong_configuration_and_a_wrong_clock_are_named(tmp_path, monkeypatch, workspace):
    (tmp_path / "bibld.toml").write_text('workspce = "x"\n', encoding="utf-8")
    with pytest.raises(bibld.ConfigError) as caught:
        bibld.Workspace(tmp_path / "bibld.toml")
    assert len(caught.value.faults) > 1
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(bibld.ConfigError, match="yesterday"):
        workspace.run()


# -- look ------------------------------------------------------------------------------------------------------------


def test_records_clusters_and_pairs_agree(workspace):
    records = workspace.records()
    clusters = workspace.clusters(min_size=1)
    assert len(records) == 289 == sum(row.size for row in clusters)
    assert {row.cluster for row in records} == {row.cluster for row in clusters}
    assert len(workspace.records("nlr")) == 129 and len(workspace.records(limit=5)) == 5
    pairs = workspace.pairs("same")
    assert {row.decision for row in pairs} == {"same"}
    assert all(row.score > 0.5 and row.reasons and row.shared_keys for row in pairs if row.by == "model")
    assert len(workspace.pairs(limit=3)) == 3
    assert repr(workspace) == f"Workspace({str(workspace.path)!r})"


def test_a_record_has_its_mods_and_its_original(workspace):
    row = workspace.records("rsl", limit=1)[0]
    record = workspace.record(row.record)
    assert record.mods.title_info[0].title in row.title
    assert record.original
    assert workspace.record(row.record.partition(":")[2]).id == record.id
    with pytest.raises(bibld.ConfigError, match="nothing"):
        workspace.record("rsl:nothing")


def test_an_unknown_source_is_answered_with_the_known_ones(workspace):
    for look in (workspace.records, workspace.rejects, workspace.review.questions):
        with pytest.raises(bibld.ConfigError, match='did you mean "rsl"'):
            look("rsll")


def test_an_unknown_stage_and_an_unknown_decision_are_answered_with_the_known_ones(own):
    with pytest.raises(bibld.ConfigError, match='unknown stage "dedupe"; did you mean "dedup"'):
        own.run("dedupe")
    with pytest.raises(bibld.ConfigError, match='unknown decision "simlar"'):
        own.pairs("simlar")
    left, right = own.clusters()[0].records[:2]
    with pytest.raises(bibld.ConfigError, match='unknown decision "sme"; did you mean "same"'):
        own.review.decide(left, right, "sme")
    assert not own.review.verdicts()


def test_rejects_and_stats(own):
    with (own.path.parent / "rsl.mrc").open("ab") as file:
        file.write(b"no record\x1d")
    own.run("read")
    (reject,) = own.rejects("rsl")
    assert reject.original.startswith(b"no record")
    assert own.rejects().to_dicts()[0]["origin"].startswith("rsl.mrc record")
    stats = own.stats()
    assert {load.source: load.rejected for load in stats.sources} == {"rsl": 1, "nlr": 0, "slavica": 0}
    assert ("nlr", "nlr.iso", "iso2709", "ascii", "cp1251") in stats.files


# -- query -----------------------------------------------------------------------------------------------------------


def test_select_ask_and_construct_give_tables(workspace):
    rows = workspace.query("SELECT ?s ?class (1 AS ?n) (2.5 AS ?x) (true AS ?b) ?none { ?s a ?class } LIMIT 2")
    assert rows.columns == ("s", "class_", "n", "x", "b", "none")
    assert (rows[0].n, rows[0].x, rows[0].b, rows[0].none) == (1, 2.5, True, None)
    assert rows[0].s.startswith("http")
    assert workspace.query("ASK { ?s ?p ?o }")[0].answer is True
    triples = workspace.query("CONSTRUCT { ?s a ?t } { ?s a ?t } LIMIT 2")
    assert triples.columns == ("subject", "predicate", "object")
    assert triples[0].subject.startswith("<http")
    assert len(workspace.query("SELECT ?s { ?s ?p 'nothing' }")) == 0


def test_a_query_that_is_none_is_refused(workspace):
    for text in ("SELEC", "INSERT DATA { <a:b> <a:c> 1 }"):
        with pytest.raises(bibld.BadQueryError):
            workspace.query(text)


SELECTED = b'{"head":{"vars":["n"]},"results":{"bindings":[{"n":{"type":"literal","datatype":\
"http://www.w3.org/2001/XMLSchema#integer","value":"7"}}]}}'
GRAPH = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.org/">
<rdf:Description rdf:about="http://x.org/a"><x:p>one</x:p></rdf:Description></rdf:RDF>"""


@pytest.fixture
def endpoint():
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            query = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if "wrong" in query:
                status, kind, body = 400, "text/plain", b"not SPARQL"
            elif "slow" in query:
                asleep.wait(600)
                return
            elif "CONSTRUCT" in query:
                status, kind, body = 200, "application/rdf+xml", GRAPH
            else:
                status, kind, body = 200, "application/sparql-results+json", SELECTED
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    asleep = threading.Event()
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/sparql"
    asleep.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_any_endpoint_can_be_queried(endpoint):
    assert bibld.query(endpoint, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")[0].n == 7
    (triple,) = bibld.query(endpoint, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")
    assert (triple.subject, triple.predicate, triple.object) == ("<http://x.org/a>", "<http://x.org/p>", '"one"')


def test_each_failure_of_an_endpoint_has_its_error(endpoint):
    with pytest.raises(bibld.BadQueryError):
        bibld.query(endpoint, "SELECT ?wrong { }")
    with pytest.raises(bibld.QueryTimeoutError, match="within 1 s"):
        bibld.query(endpoint, "SELECT ?slow { }", timeout=1)
    with pytest.raises(bibld.StoreUnavailableError, match=r"127\.0\.0\.1:9/"):
        bibld.query("http://127.0.0.1:9/sparql", "ASK {}")
    with pytest.raises(bibld.ConfigError, match="must be an http"):
        bibld.query("file:///etc/passwd", "ASK {}")


# -- decide ----------------------------------------------------------------------------------------------------------


def test_questions_are_answered_and_answers_withdrawn(own):
    questions = own.review.questions()
    first = questions[0]
    assert first.compared and first.score
    given = own.review.decide(first.left, first.right, "related", relation="part_of", reason="vol. 2", person="anna")
    assert (given.decision, given.relation, given.person) == ("related", "part_of", "anna")
    assert own.review.verdicts() == bibld.Table(bibld.VerdictRow, [given])
    assert len(own.review.questions()) == len(questions) - 1
    assert (
        own.review.decide(first.right, first.left, "related", relation="part_of", reason="vol. 2", person="anna")
        is None
    )
    withdrawn, earlier = own.review.withdraw(first.left, first.right)
    assert (withdrawn, earlier) == (given, None)


def test_what_cannot_be_decided_is_refused(own):
    first = own.review.questions(limit=1)[0]
    for wrong in ({"relation": "cousin"}, {"reason": "x" * 5000}, {"person": "\x07"}):
        with pytest.raises(bibld.ConfigError):
            own.review.decide(first.left, first.right, "related", **wrong)
    with pytest.raises(bibld.ConfigError, match="unknown relation"):
        own.review.decide(first.left, first.right, "same", relation="part_of")
    assert len(own.review.verdicts()) == 0


def test_a_split_and_a_join_change_the_next_run(own):
    cluster = own.clusters(limit=1)[0]
    (given,) = own.review.split(cluster.records[1:2], person="anna")[:1]
    assert given.reason == "split"
    assert own.review.expected_clusters(cluster.records[:1])[0] != cluster.records
    assert own.review.join(*cluster.records[:2], person="anna").decision == "same"
    own.review.withdraw(*cluster.records[:2])
    assert len(own.review.withdraw_split(cluster.records[1:2])) >= 1


def test_a_session_asks_one_pair_after_the_other(own):
    with own.path.open("a", encoding="utf-8") as config:
        config.write("\n[dedup.model]\nsame = 0.75\n")  # more pairs wait for review
    own = bibld.Workspace(own.path)
    own.run()
    session = own.review.session(limit=3, person="anna")
    first = session.question
    assert (session.place, session.total) == (1, 3)
    session.answer("same")
    session.skip()
    assert session.place == 3
    assert session.undo().left == first.left
    assert session.question == first and dict(session.answered) == {}
    assert session.undo() is None
    session.skip_all()
    with pytest.raises(bibld.ConfigError, match="no pair is left"):
        session.answer("same")


def test_evaluate_measures_labelled_pairs(workspace):
    measured = workspace.evaluate(workspace.path.parent / "gold_pairs.csv", mode="pairs")
    assert measured.precision > 0.9
    with pytest.raises(bibld.ConfigError):
        workspace.evaluate(workspace.path.parent / "gold_pairs.csv", score="jacard")


# -- maintain --------------------------------------------------------------------------------------------------------


def test_check_backup_and_exports(own, tmp_path):
    assert own.check().is_well
    assert [row.name for row in own.backup(tmp_path / "copy", register_only=True)] == ["register.db"]
    written = own.export_originals(tmp_path / "originals")
    assert sum(row.records for row in written) == 289
    assert len(list(bibld.read(tmp_path / "originals" / written[0].name))) == written[0].records
    out = io.BytesIO()
    own.export_mods(out, "slavica")
    (tmp_path / "slavica.xml").write_bytes(out.getvalue())
    assert len(list(bibld.to_mods(tmp_path / "slavica.xml"))) == 37
    with pytest.raises(bibld.ConfigError, match="kinds"):
        own.export_originals(io.BytesIO())
    (tmp_path / "file").write_text("")
    with pytest.raises(bibld.ConfigError, match="cannot be made"):
        own.export_mods(tmp_path / "file")


def test_the_sample_is_not_written_over_files(tmp_path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(bibld.ConfigError, match="is not empty"):
        bibld.write_sample(tmp_path)


def test_the_api_starts_without_what_only_some_functions_need():
    heavy = ("numba", "numpy", "pyoxigraph", "rdflib", "starlette", "lxml", "msgspec")
    code = f"import sys, bibld; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_sources_are_checked_without_a_run(own):
    report = own.check_sources()
    assert [(file.source, file.carrier, file.flavour, file.records) for file in report.files] == [
        ("rsl", "iso2709", "marc21", 123),
        ("nlr", "iso2709", "rusmarc", 129),
        ("slavica", "marcxml", "marc21", 37),
    ]
    assert (report.doubts, report.faults) == ((), ())
    (own.path.parent / "nlr.iso").write_bytes(b"")
    (doubt,) = own.check_sources().doubts
    assert (doubt.source, doubt.reasons) == ("nlr", ("nlr.iso: is empty; fetch it again",))


def test_a_run_may_be_allowed_to_delete_most_records_of_a_source(own):
    own.run("read")
    records = (own.path.parent / "rsl.mrc").read_bytes().split(b"\x1d")
    (own.path.parent / "rsl.mrc").write_bytes(b"\x1d".join([*records[:10], b""]))
    (withheld,) = own.run("read").withheld
    assert (withheld.source, withheld.deletions, len(own.records("rsl"))) == ("rsl", 113, 123)
    summary = own.run("read", allow_deletes=True)
    assert (summary.withheld, len(own.records("rsl"))) == ((), 10)
