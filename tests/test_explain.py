"""Anybody can ask what an IRI is and what happened to it."""

import contextlib

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bibld import config, explain, pipeline, progress
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.errors import ConfigError
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
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


def tell(loaded, *events):
    with Catalog(loaded.workspace) as catalog, catalog.commit():
        catalog.history.record_events((catalog.register.ordinal(record), *event) for record, *event in events)


def test_every_address_of_a_record_leads_to_it(loaded, pair):
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
            way = explained(loaded, text)
            assert (way.iri, way.records) == (IRIS.resource(record), (str(record),))
    assert explained(loaded, f"record/{record.path}.marcxml").what == f"the source record {record}"
    with Catalog(loaded.workspace, read_only=True) as catalog:
        for text in (str(record), IRIS.resource(record), IRIS.record(record), f"doc/record/{record.path}.ttl"):
            assert explain.resolve_record(catalog, loaded, text) == record


@pytest.mark.parametrize("text", ["rsl:01003120729", "RU/NLR/bibl/1", "rsl:resource/x", "01003120729", "resource"])
def test_an_id_is_no_path(loaded, text):
    assert explain.resolve_path(loaded, text) is None


def test_the_state_and_the_answers_of_merged_records_are_told(loaded, pair):
    founder, other = pair
    one, two = explained(loaded, f"resource/{founder.path}"), explained(loaded, f"resource/{other.path}")
    assert one.state == f"live, founder of a cluster with {other}"
    assert two.state == f"live, merged into {founder}"
    assert one.answers == two.answers == f"303 to {IRIS.document(IRIS.resource(founder))}"
    assert explained(loaded, f"record/{other.path}").answers == "200"


def test_the_history_is_told_with_dates(loaded, pair):
    other = pair[1]
    tell(loaded, (other, LATER, "appeared", None), (other, LATER, "absorbed", 1), (other, LATEST, "returned", 1))
    with Catalog(loaded.workspace, read_only=True) as catalog:
        first = catalog.register.record(1)
        way = explain.explain_record(catalog, loaded, other)
    assert way.history[-3:] == (
        f"{LATER} appeared",
        f"{LATER} was merged into {first}",
        f"{LATEST} was separated from {first}",
    )
    assert explained(loaded, IRIS.resource(other)).history == way.history


def retire(loaded, source):
    """Run without a source: its records are deleted."""
    head, *sources = loaded.file.read_text(encoding="utf-8").split("[[source]]")
    kept = [text for text in sources if f'id = "{source}"' not in text]
    assert len(kept) == len(sources) - 1
    loaded.file.write_text("[[source]]".join([head, *kept]), encoding="utf-8")
    pipeline.run(config.load(loaded.file), CLOCK, progress.Silent(), until="dedup")


def test_the_deleted_lead_to_their_heirs_or_are_gone(loaded, pair):
    founder, other = pair
    retire(loaded, founder.source)
    way = explained(loaded, IRIS.resource(founder))
    assert way.state == f"deleted; requests are redirected to {other}"
    assert way.answers == f"303 to {IRIS.document(IRIS.resource(other))}"
    assert explained(loaded, IRIS.record(founder)).answers == "410 Gone"
    retire(loaded, other.source)
    for record in pair:
        way = explained(loaded, IRIS.resource(record))
        assert (way.state, way.answers) == ("deleted; requests get 410 Gone", "410 Gone")


def test_a_match_is_explained_as_its_pair(loaded, pair):
    matched = Pair.from_records(*pair)
    way = explained(loaded, IRIS.match(matched))
    assert way.answers == "200"
    assert way.records == (str(matched.left), str(matched.right))
    assert (way.pair.left, way.pair.right, way.pair.decision) == (*way.records, "same")
    assert way.pair.in_one_cluster


def test_what_never_was_is_said_to_be_so(loaded, pair):
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
def test_any_address_is_told_or_refused(loaded, kind, text):
    with contextlib.suppress(ConfigError), Catalog(loaded.workspace, read_only=True) as catalog:
        path = explain.resolve_path(loaded, kind + text)
        if path is None:
            explain.resolve_record(catalog, loaded, kind + text)
        else:
            assert explain.explain_iri(catalog, loaded, path).what


def test_the_command_tells_it_all(loaded, pair):
    def invoke(*words):
        done = CliRunner().invoke(command_line, ["explain", str(loaded.file), *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    founder, other = pair
    tell(loaded, (other, LATER, "absorbed", 1))
    assert f"{LATER} was merged into " in invoke(str(other))
    assert f"state: live, merged into {founder}" in invoke(IRIS.resource(other))
    told = invoke(f"match/{IRIS.match(Pair.from_records(*pair)).rpartition('/')[2]}")
    assert "decision: same" in told and "answers: 200" in told
    assert msgspec.json.decode(invoke(f"resource/{other.path}", "--json"))["records"] == [str(other)]
    assert "in one cluster: yes" in invoke(IRIS.resource(founder), str(other))


def test_an_agent_is_known_by_the_records_that_claim_it(loaded):
    pipeline.run(loaded, CLOCK, progress.Silent(), until="triplify")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        rows = catalog._connection.execute("SELECT iri FROM entity ORDER BY iri LIMIT 1").fetchall()
    way = explained(loaded, rows[0][0])
    assert way.claimed_by >= 1
    assert len(way.records) == min(way.claimed_by, 20)
    assert explained(loaded, "agent/nobody").state == "no cluster makes an assertion about it now"
