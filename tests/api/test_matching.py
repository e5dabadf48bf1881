"""``find_duplicates``, ``merge`` and ``to_quads``: the production method over descriptions in memory."""

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import bibld
from bibld.cli import command_line
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
    for wrong in ([descriptions], ["rsl.mrc"], {"rsl": "rsl.mrc"}, "rsl.mrc"):
        with pytest.raises(TypeError, match=r"bibld\.to_mods"):
            bibld.find_duplicates(wrong)
    with pytest.raises(TypeError, match="one RecordCluster, got DuplicateClusters"):
        bibld.merge(found)
    with pytest.raises(TypeError, match=r"merge each with bibld\.merge"):
        bibld.to_quads(found, base="https://data.example.org/")


def test_an_identifier_that_occurs_again_is_named_and_one_that_is_missing_is_made(descriptions):
    mods = descriptions["rsl"][0]
    other = descriptions["rsl"][1]
    with pytest.warns(UserWarning) as caught:
        bibld.find_duplicates({"rsl": [mods, mods, other, other, other]})
    assert [str(one.message) for one in caught] == [
        "3 identifiers occur again, such as rsl:01004039769; the last description is used"
    ]
    with pytest.warns(UserWarning, match="1 identifier occurs again, such as rsl:01004039769"):
        found = bibld.find_duplicates({"rsl": [mods, mods]})
    assert len(found.singles) == 1
    without = replace(mods, record_info=())
    first, second = (bibld.find_duplicates({"rsl": [without]}).singles[0].records[0] for _ in range(2))
    assert first == second and first.control_number.startswith("x")


# -- one list, functions, progress -------------------------------------------------------------------------------------


def test_one_list_may_have_duplicates_of_its_own(descriptions):
    both = [*descriptions["rsl"], *descriptions["nlr"]]
    found = bibld.find_duplicates(both)
    assert {record.source for cluster in found for record in cluster.records} == {"records"}
    of_two = bibld.find_duplicates({name: descriptions[name] for name in ("rsl", "nlr")})
    numbers = [{record.control_number for record in cluster.records} for cluster in of_two]
    assert all(
        any(one <= {record.control_number for record in cluster.records} for cluster in found) for one in numbers
    )


def words(mods):
    return [word for info in mods.title_info for word in info.title.split()[:1]]


def same_title(left, right):
    return 1.0 if left.title_info[0].title == right.title_info[0].title else 0.1


def test_functions_propose_and_score_the_pairs(descriptions, workspace):
    both = [*descriptions["rsl"], *descriptions["nlr"]]
    for options in (None, bibld.MethodOptions(same=0.5, review=0.5), workspace):
        found = bibld.find_duplicates(both, options, block=[words], score=same_title)
        assert len(found) > 10
        assert {row.by for row in found.pairs if row.decision == "same"} == {"same_title"}
        assert {row.score for row in found.pairs if row.decision == "same"} == {1.0}
        assert all(row.shared_keys for row in found.pairs)
    assert bibld.find_duplicates(both, block=[words], score="jaccard").pairs[0].by == "jaccard"
    assert len(bibld.find_duplicates(both, score=lambda left, right: 0.0)) == 0


def test_a_function_is_no_adapter_any_more_afterwards(descriptions):
    from bibld.protocols import adapters

    with pytest.raises(ZeroDivisionError):
        bibld.find_duplicates(descriptions["rsl"], score=lambda left, right: 1 / 0)
    assert "<lambda>" not in adapters.adapter_names("dedup.score")
    with pytest.raises(bibld.ConfigError):
        adapters.load_adapter("dedup.score", "<lambda>")


class Always:
    def __call__(self, left, right):
        return 0.9


def test_one_name_one_function_and_one_key_need_no_list(descriptions):
    def year(mods):
        return mods.origin_info[0].date_issued[0].value[:4]

    records = descriptions["rsl"]
    for one, listed in (("paper", ["paper"]), (year, [lambda mods: [year(mods)]])):
        found, expected = (bibld.find_duplicates(records, block=each, score=Always()).pairs for each in (one, listed))
        assert [(row.left, row.right, row.by) for row in found] == [(row.left, row.right, row.by) for row in expected]
        assert len(found)
    assert {row.by for row in found if row.decision == "same"} == {"Always"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": lambda left, right: None}, "<lambda> returned None for .* and .*; return a number from 0 to 1"),
        ({"score": lambda left, right: "0.5"}, "<lambda> returned '0.5' for"),
        ({"score": lambda left, right: 5}, "<lambda> returned 5 for"),
        ({"score": lambda left, right: float("nan")}, "<lambda> returned nan for"),
        ({"block": lambda mods: None}, "<lambda> returned None for .*; return a list of keys"),
    ],
)
def test_what_a_function_must_not_return_is_named(descriptions, options, words):
    with pytest.raises(TypeError, match=words):
        bibld.find_duplicates(descriptions["rsl"], **options)


def test_functions_of_the_same_name_do_not_meet():
    from bibld.protocols import adapters

    with adapters.lent_adapter("merge", "longest", 1) as one, adapters.lent_adapter("merge", "longest", 2) as other:
        assert (one, other) == ("longest-2", "longest-3")
        assert (adapters.load_adapter("merge", one), adapters.load_adapter("merge", other)) == (1, 2)


def test_progress_is_shown_where_it_is_wanted(descriptions, capsys):
    bibld.find_duplicates(descriptions["rsl"])
    assert capsys.readouterr().err == ""
    bibld.find_duplicates(descriptions["rsl"], progress=True)
    assert "dedup: 123 records" in capsys.readouterr().err


def test_a_function_may_choose_what_is_shown(found):
    cluster = next(one for one in found if len({mods.title_info[0] for mods in one.descriptions}) > 1)

    def last(statements):
        return [len(statements) - 1]

    titles = {mods.title_info[0].title for mods in cluster.descriptions}
    assert bibld.merge(cluster, policies={"title_info": last}).mods.title_info[0].title in titles


def test_evaluate_takes_functions(workspace):
    gold = workspace.path.parent / "gold_pairs.csv"
    assert workspace.evaluate(gold, score=same_title).recall < workspace.evaluate(gold).recall
    assert workspace.evaluate(gold, block=[words], score="model").candidate_recall < 1


def test_evaluate_reports_labels_that_are_incomplete_and_counts_labelled_pairs(workspace, tmp_path):
    lines = (workspace.path.parent / "gold_pairs.csv").read_text(encoding="utf-8").splitlines()
    some = tmp_path / "some.csv"
    some.write_text("\n".join([lines[0], *lines[1::3]]), encoding="utf-8")
    found, full = workspace.evaluate(some), workspace.evaluate(some, mode="full")
    assert found.unlabelled > 0 == full.unlabelled
    assert found.precision == 1.0 > full.precision
    assert found.recall == full.recall
    assert len(full.wrong) - len(found.wrong) == found.unlabelled
    complete = workspace.evaluate(workspace.path.parent / "gold_pairs.csv")
    assert complete.unlabelled == 0
    printed = CliRunner().invoke(command_line, ["evaluate", str(workspace.path), "--pairs", str(some), "-q"]).output
    assert f"The labels are incomplete: {found.unlabelled} joined pairs without a label do not count." in printed
