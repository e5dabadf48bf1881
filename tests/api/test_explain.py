"""``bibld explain``: what an IRI of the dataset is, and what happened to its record."""

import contextlib

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bibld import config, pipeline, progress
from bibld._api import explaining as explain
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.errors import ConfigError
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId
from tests.dedup.conftest import CLOCK, _loaded_sample, sample  # noqa: F401

BASE = "http://localhost:8000/"
IRIS = Iris(BASE)
LATER, LATEST = "2026-02-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00"


@pytest.fixture
def loaded(sample):  # noqa: F811
    return config.load(sample)


@pytest.fixture
def pair(loaded):
    """The founder and the other member of a cluster of two."""
    with Catalog(loaded.workspace, read_only=True) as catalog:
        return catalog.linkage.cluster(next(catalog.linkage.founders(least=2))).members


def explained(loaded, text):
    with Catalog(loaded.workspace, read_only=True) as catalog:
        return explain.explain_iri(catalog, loaded, explain.resolve_path(loaded, text))


def record_events(loaded, *events):
    with Catalog(loaded.workspace) as catalog, catalog.commit():
        catalog.history.record_events((catalog.register.ordinal(record), *event) for record, *event in events)


def test_a_record_is_found_by_each_of_its_addresses(loaded, pair):
    record = pair[0]
    for path in (
        f"resource/{record.path}",
        f"/resource/{record.path}",
        f"resource/{record.path}#title1",
        f"doc/resource/{record.path}.mods.xml",
        f"doc/resource/{record.path}.html?lang=ru",
        f"resource/{record.path.replace('~', '%7E')}",
    ):
        for text in (path, BASE + path.lstrip("/")):
            report = explained(loaded, text)
            assert (report.iri, report.records) == (IRIS.resource(record), (str(record),))
    assert explained(loaded, f"record/{record.path}.marcxml").what == f"the source record {record}"
    with Catalog(loaded.workspace, read_only=True) as catalog:
        for text in (str(record), IRIS.resource(record), IRIS.record(record), f"doc/record/{record.path}.ttl"):
            assert explain.resolve_record(catalog, loaded, text) == record


@pytest.mark.parametrize("text", ["rsl:01003120729", "RU/NLR/bibl/1", "rsl:resource/x", "01003120729", "resource"])
def test_an_id_is_not_taken_for_a_path(loaded, text):
    assert explain.resolve_path(loaded, text) is None


def test_the_state_and_the_answers_of_merged_records_are_reported(loaded, pair):
    founder, other = pair
    one, two = explained(loaded, f"resource/{founder.path}"), explained(loaded, f"resource/{other.path}")
    assert one.state == f"live, founder of a cluster with {other}"
    assert two.state == f"live, merged into {founder}"
    assert one.answers == two.answers == f"303 to {IRIS.document(IRIS.resource(founder))}"
    assert explained(loaded, f"record/{other.path}").answers == "200"


def test_the_history_has_dates(loaded, pair):
    other = pair[1]
    record_events(
        loaded, (other, LATER, "appeared", None), (other, LATER, "absorbed", 1), (other, LATEST, "returned", 1)
    )
    with Catalog(loaded.workspace, read_only=True) as catalog:
        first = catalog.register.record(1)
        report = explain.explain_record(catalog, loaded, other)
    assert report.history[-3:] == (
        f"{LATER} appeared",
        f"{LATER} was merged into {first}",
        f"{LATEST} was separated from {first}",
    )
    assert explained(loaded, IRIS.resource(other)).history == report.history


def retire(loaded, source):
    """Run without a source, which deletes its records."""
    head, *sources = loaded.file.read_text(encoding="utf-8").split("[[source]]")
    kept = [text for text in sources if f'id = "{source}"' not in text]
    assert len(kept) == len(sources) - 1
    loaded.file.write_text("[[source]]".join([head, *kept]), encoding="utf-8")
    pipeline.run(config.load(loaded.file), CLOCK, progress.Silent(), until="dedup", allow_deletes=True)


def test_deleted_records_redirect_to_live_ones_or_answer_410(loaded, pair):
    founder, other = pair
    retire(loaded, founder.source)
    report = explained(loaded, IRIS.resource(founder))
    assert report.state == f"deleted; requests are redirected to {other}"
    assert report.answers == f"303 to {IRIS.document(IRIS.resource(other))}"
    assert explained(loaded, IRIS.record(founder)).answers == "410 Gone"
    retire(loaded, other.source)
    for record in pair:
        report = explained(loaded, IRIS.resource(record))
        assert (report.state, report.answers) == ("deleted; requests get 410 Gone", "410 Gone")


def test_a_match_is_explained_as_its_pair(loaded, pair):
    matched = Pair.from_records(*pair)
    report = explained(loaded, IRIS.match(matched))
    assert report.answers == "200"
    assert report.records == (str(matched.left), str(matched.right))
    assert (report.pair.left, report.pair.right, report.pair.decision) == (*report.records, "same")
    assert report.pair.in_one_cluster


def test_an_unknown_iri_is_refused_with_the_reason(loaded, pair):
    def fault(text):
        with pytest.raises(ConfigError) as caught:
            explained(loaded, text)
        return str(caught.value)

    assert "record rsl:never was never seen" in fault("resource/rsl/never")
    assert "is not the slug of a match" in fault("match/x")
    assert "is not a slug" in fault("resource/rsl/a.b.c")
    assert "not an IRI of this dataset" in fault("https://example.org/resource/rsl/1")
    assert "unknown kind of IRI" in fault(f"{BASE}nothing/here")
    assert "unknown kind of IRI" in fault(f"{BASE}agent/")
    assert "unknown kind of IRI" in fault(BASE)


kinds = st.sampled_from(["resource/rsl/", "record/rsl/", "match/", "agent/", "doc/", "graph/", "concept/x/", "", BASE])


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds, st.text(max_size=12))
@example("agent/", "\udcff")
@example("match/", "rsl~3A1~~rsl~3A1")
@example("resource/rsl/", "%00")
def test_any_address_is_explained_or_refused(loaded, kind, text):
    with contextlib.suppress(ConfigError), Catalog(loaded.workspace, read_only=True) as catalog:
        path = explain.resolve_path(loaded, kind + text)
        if path is None:
            explain.resolve_record(catalog, loaded, kind + text)
        else:
            assert explain.explain_iri(catalog, loaded, path).what


def test_the_command_prints_all_reports(loaded, pair):
    def invoke(*words):
        done = CliRunner().invoke(command_line, ["explain", str(loaded.file), *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    founder, other = pair
    record_events(loaded, (other, LATER, "absorbed", 1))
    assert f"{LATER} was merged into " in invoke(str(other))
    assert f"state: live, merged into {founder}" in invoke(IRIS.resource(other))
    output = invoke(f"match/{IRIS.match(Pair.from_records(*pair)).rpartition('/')[2]}")
    assert "decision: same" in output and "answers: 200" in output
    assert msgspec.json.decode(invoke(f"resource/{other.path}", "--json"))["records"] == [str(other)]
    assert "in one cluster: yes" in invoke(IRIS.resource(founder), str(other))


def test_an_agent_is_explained_by_the_clusters_that_describe_it(loaded):
    pipeline.run(loaded, CLOCK, progress.Silent(), until="triplify")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        query = "SELECT iri FROM entity WHERE iri LIKE '%/agent/%' ORDER BY iri LIMIT 1"
        rows = catalog._connection.execute(query).fetchall()
    report = explained(loaded, rows[0][0])
    assert report.claimed_by >= 1
    assert len(report.records) == min(report.claimed_by, 20)
    assert explained(loaded, "agent/nobody").state == "no cluster makes an assertion about it now"


@pytest.mark.parametrize(
    ("decision", "is_one", "edges", "expected"),
    [
        ("same", True, 1, "both are in the cluster of nlr:1"),
        ("review", True, 1, "both are in the cluster of nlr:1 through other members: nlr:1 and rsl:2: same, a; b"),
        ("same", False, 0, "the pair is the same, but no run has merged it yet; run `bibld run`"),
        ("related", False, 0, "not merged: they are related, not the same"),
        ("review", False, 0, "not merged until a person has decided"),
        ("different", False, 0, "not merged"),
    ],
)
def test_the_cluster_of_a_pair_is_explained_by_its_decision(decision, is_one, edges, expected):
    pair = Pair.from_records(RecordId("rsl", "2"), RecordId("nlr", "1"))
    edge = Edge(pair, Score(1.0), Verdict("same", "model", ("a", "b")), "")

    class Stored:
        def edges_of(self, members):
            return [edge] * edges

    cluster = Cluster(pair.left, (pair.left, pair.right)) if is_one else None
    assert explain._about_cluster(Stored(), pair, Verdict(decision, "model", ()), cluster) == expected


def test_records_that_cannot_be_compared_are_refused_and_unrelated_ones_explained(loaded, pair):
    with Catalog(loaded.workspace, read_only=True) as catalog:
        with pytest.raises(ConfigError, match="two different live records"):
            explain.explain_pair(catalog, loaded, pair[0], pair[0])
        others = (catalog.register.record(catalog.linkage.founder(ordinal)) for ordinal in range(1, 250))
        reports = (explain.explain_pair(catalog, loaded, pair[0], other) for other in others if other not in pair)
        report = next(one for one in reports if not one.is_candidate)
    assert (report.decision, report.by, report.in_one_cluster) == ("different", "blocking", False)
    assert report.reasons[-1] == "no shared blocking key, so a run never compares the pair"
    assert report.left_keys and report.right_keys and not report.shared_blocking_keys
    assert report.cluster == "not merged"
