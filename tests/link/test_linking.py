"""Links over a catalog: stored, published, brought up to date, decided about by people."""

import csv
import json
import shutil

import pytest
from click.testing import CliRunner

import bibld
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.errors import CatalogError, ConfigError, HarvestError
from tests.configuration import write_config
from tests.link.catalogue import AUTHORITY, BOOKS, TWAIN, write_catalogue

VIAF = "http://viaf.org/viaf/"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A catalogue that was run and linked once."""
    folder = tmp_path_factory.mktemp("prepared")
    config = write_catalogue(folder)
    workspace = bibld.Workspace(config)
    workspace.run()
    workspace.links.update([folder / "people.csv"])
    workspace.links.update([folder / "topics.nt"])
    workspace.run()
    return folder


@pytest.fixture
def workspace(prepared, tmp_path):
    """A copy of it."""
    shutil.copytree(prepared, tmp_path / "copy")
    return bibld.Workspace(tmp_path / "copy" / "bibld.toml")


def links_of(workspace, status="accepted"):
    return {
        (one.label.partition(",")[0], one.target.rpartition("/")[2], one.predicate)
        for one in workspace.links.table(status)
    }


def graph(workspace, name="viaf"):
    """The links that are published in the graph of an authority, without the description of the link set."""
    query = f"SELECT ?p ?o {{ GRAPH <https://data.example.org/graph/links-{name}> {{ ?s ?p ?o }} }}"
    wanted = ("sameAs", "exactMatch", "closeMatch")
    return {row.o for row in workspace.query(query) if str(row.p).endswith(wanted)}


def catalog_is_what_a_rebuild_makes(workspace):
    with workspace.catalog() as catalog:
        before = sorted(catalog.links.all_quads())
    workspace.run(rebuild=True)
    with workspace.catalog() as catalog:
        assert sorted(catalog.links.all_quads()) == before


def run_command(workspace, *words):
    done = CliRunner().invoke(command_line, ["link", str(workspace.path), *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_links_need_evidence_and_the_uncertain_wait(workspace):
    assert links_of(workspace) == {
        ("Twain", "50566653", "owl:sameAs"),
        ("Кузнецов", "3", "owl:sameAs"),
        ("Boys", "1", "skos:exactMatch"),
        ("Rivers", "2", "skos:closeMatch"),
    }
    assert {name for name, _, _ in links_of(workspace, "review")} == {"Smith", "National Library"}


def test_links_are_published_with_a_description_of_the_link_set(workspace):
    assert {TWAIN, f"{VIAF}3"} <= graph(workspace)
    rows = workspace.query(
        "PREFIX void: <http://rdfs.org/ns/void#> SELECT ?p ?n ?from ?to { GRAPH ?g { ?set a void:Linkset ;"
        " void:linkPredicate ?p ; void:triples ?n ; void:subjectsTarget ?from ; void:objectsTarget ?to ;"
        " <http://purl.org/dc/terms/created> ?time } } ORDER BY ?p"
    )
    found = {(str(row.p).rpartition("#")[2], int(row.n), row.to) for row in rows}
    assert ("sameAs", 2, "http://viaf.org/") in found
    assert {name for name, _, _ in found} == {"sameAs", "exactMatch", "closeMatch"}


FOUND = (
    "PREFIX bibld: <https://data.example.org/ontology#> SELECT ?entity ?target ?confidence ?reason"
    " { ?entity bibld:link ?link . ?link a bibld:Link ;"
    " bibld:target ?target ; bibld:confidence ?confidence ; bibld:reason ?reason }"
)


def test_the_confidence_of_each_link_is_published_with_its_reasons(workspace):
    rows = list(workspace.query(FOUND))
    for link in workspace.links.table("accepted"):
        stated = [row for row in rows if (str(row.entity), str(row.target)) == (link.entity, link.target)]
        assert [float(row.confidence) for row in stated] == pytest.approx([link.confidence] * len(link.evidence))
        assert {str(row.reason) for row in stated} == set(link.evidence)
    assert {str(row.target) for row in rows} == {link.target for link in workspace.links.table("accepted")}
    assert workspace.validate().conforms


@pytest.mark.parametrize("provenance", ["records", "none"])
def test_without_full_provenance_no_confidence_is_published(workspace, provenance):
    links = graph(workspace)
    with workspace.path.open("a", encoding="utf-8") as file:
        file.write(f'[triplify]\nprovenance = "{provenance}"\n')
    changed = bibld.Workspace(workspace.path)
    changed.run()
    assert list(changed.query(FOUND)) == []
    assert graph(changed) == links
    catalog_is_what_a_rebuild_makes(changed)


def test_a_number_of_the_records_wins_and_disagreement_is_reported(workspace):
    (one,) = workspace.links.table("disagreement")
    assert one.target == f"{VIAF}5"
    assert one.evidence[-1] == "the records state viaf-555"
    assert f"{VIAF}5" not in graph(workspace)


def test_linking_again_changes_nothing(workspace):
    before = workspace.links.table("accepted")
    with workspace.catalog() as catalog:
        patch = catalog.patches.last()
    report = workspace.links.update([workspace.path.parent / "people.csv"])
    assert report.entities == 0
    assert workspace.links.table("accepted") == before
    with workspace.catalog() as catalog:
        assert catalog.patches.last() == patch
    assert not workspace.run().release_is_new
    catalog_is_what_a_rebuild_makes(workspace)


def test_a_changed_record_is_linked_again_and_a_deleted_entity_loses_its_links(workspace):
    books = workspace.path.parent / "books.mrk"
    books.write_text(BOOKS.replace("1835-1910", "1836-1910").replace("=700", "=799"))
    workspace.run()
    assert not {TWAIN, f"{VIAF}3"} & graph(workspace)
    assert {name for name, _, _ in links_of(workspace)} == {"Boys", "Rivers"}
    books.write_text(BOOKS)
    workspace.run()
    assert {TWAIN, f"{VIAF}3"} <= graph(workspace)
    catalog_is_what_a_rebuild_makes(workspace)


def test_a_title_of_a_work_that_becomes_known_makes_a_link(workspace):
    people = workspace.path.parent / "people.csv"
    lines = AUTHORITY.replace("kind,numbers", "kind,works").replace(
        '2,"Smith, John",,1950-,person,', '2,"Smith, John",,1900-,person,Plumbing for everybody'
    )
    people.write_text(lines)
    workspace.links.update([people])
    (smith,) = [one for one in workspace.links.table("review") if "Smith" in one.label]
    assert "title of a work in both: Plumbing for everybody" in smith.evidence[2:3] + smith.evidence
    people.write_text("".join(line for line in lines.splitlines(keepends=True) if "/viaf/1," not in line))
    workspace.links.update([people])
    assert ("Smith", "2", "owl:sameAs") in links_of(workspace)


def test_verdicts_of_people_hold(workspace):
    smith = next(one for one in workspace.links.table("review") if "Smith" in one.label)
    twain = next(one for one in workspace.links.table("accepted") if "Twain" in one.label)
    assert workspace.links.decide(smith.entity, f"{VIAF}1", "accepted", person="Ann")
    assert not workspace.links.decide(smith.entity, f"{VIAF}1", "accepted", person="Ann")
    assert workspace.links.decide(twain.entity, TWAIN, "rejected", person="Ann", reason="another one")
    workspace.run()
    assert f"{VIAF}1" in graph(workspace)
    assert TWAIN not in graph(workspace)
    catalog_is_what_a_rebuild_makes(workspace)
    assert f"{VIAF}1" in graph(workspace)
    workspace.links.decide(twain.entity, TWAIN, "withdrawn", person="Ann")
    workspace.run()
    assert TWAIN in graph(workspace)


def test_a_person_may_accept_what_linking_would_not_find(workspace):
    smith = next(one for one in workspace.links.table("review") if "Smith" in one.label)
    for target in (f"{VIAF}7", "https://d-nb.info/gnd/118624822"):
        assert workspace.links.decide(smith.entity, target, "accepted", person="Ann")
    workspace.run()
    accepted = {one.target for one in workspace.links.table("accepted") if one.entity == smith.entity}
    assert accepted == {f"{VIAF}7", "https://d-nb.info/gnd/118624822"}
    assert "https://d-nb.info/gnd/118624822" in graph(workspace, "gnd")


def test_a_link_set_names_its_own_files(workspace):
    rows = workspace.query("SELECT ?g ?source { GRAPH ?g { ?set <http://purl.org/dc/terms/source> ?source } }")
    found = {(str(row.g).rpartition("/")[2], str(row.source).partition(",")[0]) for row in rows}
    assert {one for one in found if one[0] != "dataset"} == {("links-viaf", "people.csv"), ("links-fast", "topics.nt")}


def test_a_catalog_that_is_built_again_from_the_sources_keeps_the_verdicts(workspace):
    twain = next(one for one in workspace.links.table("accepted") if "Twain" in one.label)
    workspace.links.decide(twain.entity, TWAIN, "rejected", person="Ann")
    (workspace.config.workspace / "catalog.db").unlink()
    for rest in workspace.config.workspace.glob("catalog.db-*"):
        rest.unlink()
    workspace.run()
    workspace.links.update([workspace.path.parent / "people.csv"])
    assert "Twain" not in {name for name, _, _ in links_of(workspace)}


def test_the_table_for_people_goes_out_and_back(workspace, tmp_path):
    out = tmp_path / "uncertain.csv"
    assert run_command(workspace, "--report", out).exit_code == 0
    with out.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} == {"review", "disagreement"}
    assert run_command(workspace, "--report", out).exit_code == 2
    for row in rows:
        row["decision"] = "accepted" if row["target"] == f"{VIAF}4" else ""
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    assert run_command(workspace, "--csv", out, "--person", "Ann").output.startswith("1 new verdict.")
    run_command(workspace)
    assert ("National Library", "4", "owl:sameAs") in links_of(workspace)
    out.write_text("entity,target,decision\nhttps://other.example.org/x,http://viaf.org/viaf/1,perhaps\n")
    refused = run_command(workspace, "--csv", out, "--person", "Ann")
    assert refused.exit_code == 2
    assert "uncertain.csv:2: 'https://other.example.org/x' is not the IRI of an entity" in refused.output


def test_dry_run_stores_nothing_and_limit_leaves_the_rest(prepared, tmp_path):
    shutil.copytree(prepared, tmp_path / "copy")
    workspace = bibld.Workspace(tmp_path / "copy" / "bibld.toml")
    workspace.links.remove("people")
    assert {name for name, _, _ in links_of(workspace)} == {"Boys", "Rivers"}
    people = tmp_path / "copy" / "people.csv"
    tried = workspace.links.update([people], dry_run=True)
    assert ("viaf", 2) in {(one.link_set, one.links) for one in tried.counts if one.status == "accepted"}
    assert {name for name, _, _ in links_of(workspace)} == {"Boys", "Rivers"}
    some = workspace.links.update([people], limit=1)
    assert (some.entities, some.waiting > 0) == (1, True)
    workspace.run()
    assert {TWAIN, f"{VIAF}3"} <= graph(workspace)


def test_removing_a_file_removes_its_links(workspace):
    workspace.links.remove("people")
    workspace.run()
    assert not {TWAIN, f"{VIAF}3"} & graph(workspace)
    with pytest.raises(ConfigError, match="no such authority file; registered are: topics"):
        workspace.links.remove("people")


def test_a_missing_index_is_made_again_or_the_links_stay(workspace):
    folder = workspace.config.workspace / "index" / "authorities"
    shutil.rmtree(folder)
    workspace.links.decide(next(iter(workspace.links.table("accepted"))).entity, f"{VIAF}99", "rejected", person="Ann")
    workspace.run()
    assert len(list(folder.glob("*.db"))) >= 1
    shutil.rmtree(folder)
    (workspace.path.parent / "people.csv").unlink()
    (workspace.path.parent / "books.mrk").write_text(BOOKS.replace("1835-1910", "1836-1910"))
    workspace.run()
    assert TWAIN not in graph(workspace)
    assert f"{VIAF}3" in graph(workspace)


def test_indexes_of_damaged_and_replaced_files_are_removed(workspace, tmp_path):
    folder = workspace.config.workspace / "index" / "authorities"
    before = sorted(folder.iterdir())
    damaged = tmp_path / "people.csv"
    damaged.write_text(AUTHORITY + "7,No IRI,,,,\n")
    with pytest.raises(HarvestError, match="line 9: the id '7' is not an IRI"):
        workspace.links.update([damaged])
    assert sorted(folder.iterdir()) == before
    damaged.write_text(AUTHORITY.replace("1835-1911", "1835-1912"))
    workspace.links.update([damaged])
    assert len(list(folder.iterdir())) == len(before)
    assert sorted(folder.iterdir()) != before


def test_a_damaged_index_is_made_again(workspace):
    people = workspace.path.parent / "people.csv"
    for index in (workspace.config.workspace / "index" / "authorities").glob("*.db"):
        index.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    assert workspace.links.update([people]).entities == 0
    assert links_of(workspace) >= {("Twain", "50566653", "owl:sameAs")}


def test_an_index_that_was_begun_is_completed(workspace, monkeypatch):
    import bibld.link._index as index

    class StoppedError(Exception):
        pass

    def stop(*arguments):
        raise StoppedError

    people = workspace.path.parent / "people.csv"
    people.write_text(AUTHORITY + f'{VIAF}8,"Later, Lena",,1900-1980,person,\n')
    with monkeypatch.context() as patched:
        patched.setattr(index, "_make_records", stop)
        with pytest.raises(StoppedError):
            workspace.links.update([people])
    with monkeypatch.context() as patched:
        patched.setattr(index, "read_authority", stop)
        workspace.links.update([people])
    (file,) = [file for file in workspace.links.update().files if file.name == "people"]
    assert file.records == 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--authority", "missing.nt"], "missing.nt: not found"),
        (["--authority", "people.csv", "--list", "review"], "exclude each other"),
        (["--name", "x"], "--name: names one file"),
        (["--authority", "people.csv", "--threshold", "0.4"], "--review is not above --threshold"),
        (["--accept", "agent/x", "no iri"], "'no iri' is not the IRI of an authority record"),
        (["--remove", "unknown"], "no such authority file"),
    ],
)
def test_wrong_use_is_reported(workspace, monkeypatch, words, message):
    monkeypatch.chdir(workspace.path.parent)
    done = run_command(workspace, *words)
    assert done.exit_code == 2
    assert message in done.output


def test_before_the_first_run(tmp_path):
    workspace = bibld.Workspace(write_catalogue(tmp_path))
    with pytest.raises(CatalogError, match="nothing has been run yet"):
        workspace.links.update([tmp_path / "people.csv"])


def test_the_command_reports_and_lists(workspace):
    done = run_command(workspace, "--quiet")
    assert "people: 7 authority records, links from a confidence of 0.95" in done.output
    assert "publishes the links" in done.output
    listed = run_command(workspace, "--list", "accepted")
    assert "Twain, Mark, 1835-1910  https://data.example.org/agent/" in listed.output
    assert "born 1835 in both; died 1910 in both" in listed.output
    assert {one["status"] for one in json.loads(run_command(workspace, "--list", "review", "--json").output)} == {
        "review"
    }


def test_an_entity_explains_its_links(workspace):
    twain = next(one for one in workspace.links.table("accepted") if "Twain" in one.label)
    (link,) = workspace.explain(twain.entity).links
    assert link.startswith(f"owl:sameAs {TWAIN}, accepted with 0.998: the same name: Twain, Mark; born 1835 in both")
    assert workspace.explain("record/a/1").links is None


def test_without_authority_files_a_run_queues_nothing(tmp_path):
    workspace = bibld.Workspace(write_catalogue(tmp_path))
    workspace.run("triplify")
    with Catalog(workspace.config.workspace, read_only=True) as catalog:
        assert catalog.links.files() == []
        assert not catalog.dirty[bibld.catalog.Queue.UNLINKED_ENTITIES].items()


def test_names_in_authority_files_join_what_is_by_a_pseudonym_and_by_the_real_name(tmp_path):
    book = (
        "=LDR  00000nam a2200000   4500\n=001  {}\n=008  800101s1884    nyua     b    000 0 eng  \n=100  1\\$a{}.\n"
        "=245  10$aTwo stories of the river /$c{}.\n=260  \\\\$aHartford :$bWebster,$c1884.\n"
        "=300  \\\\$a366 p.\n\n"
    )
    (tmp_path / "a.mrk").write_text(book.format(1, "Clemens, Samuel Langhorne", "S. L. Clemens"), encoding="utf-8")
    (tmp_path / "b.mrk").write_text(book.format(2, "Twain, Mark", "Mark Twain"), encoding="utf-8")
    (tmp_path / "people.csv").write_text(AUTHORITY, encoding="utf-8")
    workspace = bibld.Workspace(write_config(tmp_path, a="a.mrk", b="b.mrk"))
    assert workspace.run().figures.merged_clusters == 0
    workspace.links.update([tmp_path / "people.csv"])
    (tmp_path / "people.csv").unlink()  # what was read remains
    assert workspace.run(restat=True).figures.merged_clusters == 1
    assert workspace.run(rebuild=True).figures.merged_clusters == 1
