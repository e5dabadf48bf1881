"""``find_duplicates``, ``merge`` and ``to_quads``: the production method over descriptions in memory."""

import pytest
from msgspec.structs import replace

import bibld
from bibld.model.iris import Iris
from bibld.serve import ontology as resources
from bibld.triplify import catalog_quads

SOURCES = ("rsl", "nlr", "slavica")


@pytest.fixture(scope="module")
def descriptions():
    folder = resources.folder("sample_data")
    return {source: list(bibld.to_mods(folder / f"{source}.mrk")) for source in SOURCES}


@pytest.fixture(scope="module")
def found(descriptions):
    return bibld.find_duplicates(descriptions)


def test_it_finds_what_a_run_finds(found, workspace):
    assert set(found.clusters) == set(workspace.clusters())
    of_run = {(row.left, row.right): row for row in workspace.pairs()}
    assert {(row.left, row.right): row for row in found.pairs} == of_run


def test_clusters_and_singles_are_all_records(found, descriptions):
    clusters = [*found, *found.singles]
    records = [record for cluster in clusters for record in cluster.records]
    assert len(records) == len(set(records)) == sum(map(len, descriptions.values()))
    assert len(found) == len(found.clusters) == len(list(found))
    assert all(len(cluster.records) > 1 for cluster in found)
    first = found[0]
    assert first.descriptions[0] in descriptions[first.records[0].source]
    assert {row.decision for row in first.pairs} == {"same"}
    assert str(first).startswith(str(first.records[0]))
    assert repr(found) == repr(found.clusters) and "<table>" in found._repr_html_()


def test_what_is_merged_is_what_a_run_merges(found, workspace):
    for cluster in list(found)[:10]:
        merged = bibld.merge(cluster)
        with workspace.catalog() as catalog:
            stored = catalog.merged(cluster.records[0])
        assert (merged.cluster, merged.mods, merged.sources) == (stored.cluster, stored.mods, stored.sources)


def test_the_quads_are_those_of_a_run(found, workspace):
    """Without the parts of the dataset that describe the sources, which only a configuration knows."""
    with workspace.catalog() as catalog:
        founders = list(catalog.linkage.founders())
        order = {catalog.register.record(founder): place for place, founder in enumerate(founders)}
        published = list(catalog_quads(catalog, Iris(workspace.config.dataset.base), ()))
    clusters = sorted([*found, *found.singles], key=lambda cluster: order[cluster.records[0]])
    assert list(bibld.to_quads(map(bibld.merge, clusters), base=workspace.config.dataset.base)) == [
        line for line in published if "/graph/dataset>" not in line
    ]


def test_another_method_may_be_chosen(descriptions, workspace):
    few = {source: mods[:20] for source, mods in descriptions.items()}
    paper = bibld.find_duplicates(few, bibld.MethodOptions(block=("paper",), score="jaccard"))
    assert len(paper) < len(bibld.find_duplicates(few, workspace))


def test_a_policy_may_be_chosen_and_a_wrong_one_is_named(found):
    cluster = next(cluster for cluster in found if len({mods.title_info[0] for mods in cluster.descriptions}) > 1)
    one = bibld.merge(cluster, policies={"title_info": "most_trusted"}, trust={cluster.records[1].source: 3})
    assert one.mods.title_info[0] == cluster.descriptions[1].title_info[0]
    with pytest.raises(bibld.ConfigError, match='did you mean "title_info"'):
        bibld.merge(cluster, policies={"titel_info": "longest"})
    with pytest.raises(bibld.ConfigError, match='did you mean "longest"'):
        bibld.merge(cluster, policies={"title_info": "longst"})


def test_bad_input_is_named(found, descriptions):
    with pytest.raises(bibld.ConfigError, match='"R S L" cannot name a source'):
        bibld.find_duplicates({"R S L": []})
    for base in ("https://data.example.org", "data/", "ftp://x/"):
        with pytest.raises(bibld.ConfigError, match="must be an absolute"):
            bibld.to_quads(bibld.merge(found[0]), base=base)
    with pytest.raises(bibld.ConfigError, match="jacard"):
        bibld.MethodOptions(score="jacard")
    assert len(bibld.find_duplicates({})) == 0


def test_values_of_another_type_are_named_with_what_to_pass(found, descriptions):
    for wrong in ([descriptions], {"rsl": "rsl.mrc"}):
        with pytest.raises(TypeError, match=r"bibld\.to_mods"):
            bibld.find_duplicates(wrong)
    with pytest.raises(TypeError, match="one RecordCluster, got DuplicateClusters"):
        bibld.merge(found)
    with pytest.raises(TypeError, match=r"merge each with bibld\.merge"):
        bibld.to_quads(found, base="https://data.example.org/")


def test_an_identifier_that_occurs_again_is_named_and_one_that_is_missing_is_made(descriptions):
    mods = descriptions["rsl"][0]
    with pytest.warns(UserWarning, match="rsl:01004039769 occurs again"):
        found = bibld.find_duplicates({"rsl": [mods, mods]})
    assert len(found.singles) == 1
    without = replace(mods, record_info=())
    first, second = (bibld.find_duplicates({"rsl": [without]}).singles[0].records[0] for _ in range(2))
    assert first == second and first.control_number.startswith("x")
