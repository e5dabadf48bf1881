"""The documents of releases: what they contain, from which quads, and which of them a release changes."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.documents import (
    ChangeKind,
    ReleaseState,
    fill,
    has_documents,
    open_published,
    published_releases,
    remove_unneeded,
    update,
)
from bibld.documents._lines import LABELS
from bibld.errors import StageError
from bibld.model.rdf import expand, quad, term
from bibld.serve._graph import LABELS as SHOWN

BASE = "https://data.example.org/"
PROVENANCE = f"<{BASE}graph/provenance>"
LINKS = f"<{BASE}graph/links-viaf>"
DELETED = '"2026-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def iri(path: str) -> str:
    return f"<{BASE}{path}>"


def line(subject: str, predicate: str, value: str, graph: str | None = None) -> str:
    """A line of N-Quads; what has no quotation mark or bracket is a path."""
    return quad(iri(subject), term(predicate), value if value[0] in '<"' else iri(value), graph)


def book(path: str, title: str) -> list[str]:
    return [
        line(path, "rdf:type", "<http://schema.org/Book>"),
        line(path, "dcterms:title", f'"{title}"'),
        line(path, "bf:title", f"{path}#title1"),
        line(f"{path}#title1", "bf:mainTitle", f'"{title}"'),
    ]


def state(number: int, **more: object) -> ReleaseState:
    return ReleaseState(number, f"2026-01-{number:02}T00:00:00Z", number * 10, **more)


def publish(folder: Path, number: int, lines: list[str], withdraw: bool = False) -> None:
    fill(folder, BASE, state(number), ["".join(lines).encode()], withdraw)


def changes(before: list[str], after: list[str]) -> list[tuple[bytes, bool]]:
    wanted = set(after)
    return sorted((one.rstrip("\n").encode(), one in wanted) for one in wanted.symmetric_difference(before))


def publish_changes(folder: Path, number: int, before: list[str], after: list[str]) -> None:
    update(folder, BASE, state(number), changes(before, after))


def document(folder: Path, release: int, path: str):
    with open_published(folder, release) as view:
        return view.document(path)


def statuses(folder: Path, release: int) -> dict[str, tuple[int, str]]:
    with open_published(folder, release) as view:
        return {one.path: (one.status, one.target) for one in view.documents()}


# -- what a document contains ----------------------------------------------------------------------------------------


def test_a_document_has_all_lines_about_the_thing_and_its_hash_iris_in_order(tmp_path):
    lines = [
        *book("resource/a/1", "One"),
        line("resource/a/1#value-title", "prov:wasDerivedFrom", "record/a/1", PROVENANCE),
        *book("resource/a/10", "Ten"),
        *book("resource/a/1-2", "One to two"),
    ]
    publish(tmp_path, 1, lines)
    found = document(tmp_path, 1, "resource/a/1")
    assert found.quads == "".join(sorted([*lines[:4], lines[4]])).encode()
    assert (found.path, found.status, found.target, found.since) == ("resource/a/1", 200, "", 1)
    assert found.modified == "2026-01-01T00:00:00Z"
    assert len(found.digest) == 16
    assert document(tmp_path, 1, "resource/a/10").quads == "".join(sorted(lines[5:9])).encode()
    assert document(tmp_path, 1, "resource/a/1-2").quads == "".join(sorted(lines[9:])).encode()
    assert document(tmp_path, 1, "resource/a/2") is None


def test_lines_about_a_thing_in_more_than_one_block_are_one_document(tmp_path):
    name = line("agent/x", "skos:prefLabel", '"X"')
    link = line("agent/x", "owl:sameAs", "<http://viaf.org/viaf/1>", LINKS)
    fill(tmp_path, BASE, state(1), [name.encode(), book("work/1", "W")[0].encode(), link.encode()])
    assert document(tmp_path, 1, "agent/x").quads == (link + name).encode()


def test_the_dataset_its_graphs_the_ontology_and_foreign_things_have_no_document(tmp_path):
    about = [line(path, "rdfs:label", '"L"') for path in ("dataset", "dataset/a", "graph/g", "ontology", "dataset#x")]
    foreign = quad("<http://id.loc.gov/x>", term("rdfs:label"), '"L"')
    publish(tmp_path, 1, [*about, foreign, *book("datasets/1", "D")])
    assert statuses(tmp_path, 1) == {"datasets/1": (200, "")}


def test_the_title_is_the_best_name(tmp_path):
    publish(
        tmp_path,
        1,
        [
            line("agent/a", "skos:prefLabel", '"Tolstoj"@ru-latn'),
            line("agent/a", "skos:prefLabel", '"Толстой \\"Лев\\" \\u0007\\\\n"@ru'),
            line("agent/a", "skos:prefLabel", '"A name without a language"'),
            line("agent/a", "foaf:name", '"Another"@en'),
            line("agent/a#node", "rdfs:label", '"The label of a node"@en'),
            line("place/p", "rdfs:label", '"1970"^^<http://www.w3.org/2001/XMLSchema#gYear>', PROVENANCE),
            line("place/q", "bf:date", '"1970"'),
        ],
    )
    with open_published(tmp_path, 1) as view:
        assert view.titles(["agent/a", "place/p", "place/q", "place/r"]) == {
            "agent/a": 'Толстой "Лев" \a\\n',
            "place/p": "1970",
        }
        assert view.document("place/q").title == ""


def test_an_absorbed_thing_redirects_to_the_one_that_states_to_be_the_same(tmp_path):
    lines = [
        *book("resource/a/1", "One"),
        line("resource/a/1", "owl:sameAs", "resource/b/1"),
        line("concept/lcsh/x", "skos:prefLabel", '"X"'),
        line("concept/lcsh/x", "skos:exactMatch", "concept/lcsh/y"),
        line("concept/lcsh/x", "skos:closeMatch", "concept/lcsh/z"),
    ]
    publish(tmp_path, 1, lines)
    assert statuses(tmp_path, 1) == {
        "concept/lcsh/x": (200, ""),
        "concept/lcsh/y": (303, "concept/lcsh/x"),
        "resource/a/1": (200, ""),
        "resource/b/1": (303, "resource/a/1"),
    }
    with open_published(tmp_path, 1) as view:
        assert view.titles(["resource/b/1"]) == {"resource/b/1": "One"}


def test_a_described_thing_has_the_links_of_others_to_it_in_its_document(tmp_path):
    link = line("resource/a/1", "owl:sameAs", "resource/b/1")
    publish(tmp_path, 1, [*book("resource/a/1", "One"), *book("resource/b/1", "Two"), link])
    found = document(tmp_path, 1, "resource/b/1")
    assert (found.status, link.encode() in found.quads) == (200, True)


def test_a_deleted_record_redirects_to_what_finally_answers_for_it_or_has_a_tombstone(tmp_path):
    lines = [line(f"resource/a/{number}", "prov:invalidatedAtTime", DELETED) for number in (1, 2, 3, 4, 5)]
    lines += [
        line("resource/a/1", "dcterms:isReplacedBy", "resource/a/2"),  # deleted, replaced by an absorbed record
        line("resource/a/2", "dcterms:isReplacedBy", "resource/b/1"),
        line("resource/c/1", "owl:sameAs", "resource/b/1"),
        *book("resource/c/1", "C"),
        line("resource/a/4", "dcterms:isReplacedBy", "resource/a/3"),  # replaced by one that was deleted without any
        line("resource/a/5", "dcterms:isReplacedBy", "resource/a/5"),
        line("record/a/1", "prov:invalidatedAtTime", DELETED),
        # A journal that was continued by another is described.
        *book("resource/j/1", "J"),
        line("resource/j/1", "dcterms:isReplacedBy", "resource/c/1"),
    ]
    publish(tmp_path, 1, lines)
    found = statuses(tmp_path, 1)
    assert found["resource/a/1"] == found["resource/a/2"] == found["resource/b/1"] == (303, "resource/c/1")
    assert found["resource/a/3"] == found["resource/a/4"] == found["resource/a/5"] == (410, "")
    assert found["record/a/1"] == (410, "")
    assert found["resource/j/1"] == (200, "")
    assert document(tmp_path, 1, "record/a/1").quads == lines[-6].encode()


def test_text_that_looks_like_a_link_is_text(tmp_path):
    """A record must not take over the IRI of another by what its title contains."""
    text = f'"x {term("owl:sameAs")} {iri("resource/b/1")} ."'
    lines = [
        *book("resource/a/1", "One"),
        line("resource/a/1", "dcterms:description", text),
        line("resource/b/1", "prov:invalidatedAtTime", DELETED),
    ]
    publish(tmp_path, 1, lines)
    publish_changes(tmp_path, 2, lines, [one for one in lines if text not in one])
    for number in (1, 2):
        assert statuses(tmp_path, number) == {"resource/a/1": (200, ""), "resource/b/1": (410, "")}
    assert document(tmp_path, 1, "resource/b/1").quads == lines[-1].encode()


# -- releases --------------------------------------------------------------------------------------------------------


def test_each_release_has_its_own_documents_and_an_unchanged_one_its_time(tmp_path):
    first = [*book("resource/a/1", "One"), *book("resource/a/2", "Two")]
    second = [*book("resource/a/1", "New"), *book("resource/a/2", "Two"), *book("resource/a/3", "Three")]
    publish(tmp_path, 1, first)
    publish_changes(tmp_path, 2, first, second)
    publish_changes(tmp_path, 3, second, second[4:])
    titles = [(number, path) for number in (1, 2, 3) for path in ("1", "2", "3")]
    found = {(number, path): document(tmp_path, number, f"resource/a/{path}") for number, path in titles}
    assert {key: one and (one.title, one.since) for key, one in found.items()} == {
        (1, "1"): ("One", 1), (1, "2"): ("Two", 1), (1, "3"): None,
        (2, "1"): ("New", 2), (2, "2"): ("Two", 1), (2, "3"): ("Three", 2),
        (3, "1"): None, (3, "2"): ("Two", 1), (3, "3"): ("Three", 2),
    }  # fmt: skip
    assert found[2, "1"].modified == "2026-01-02T00:00:00Z"
    with open_published(tmp_path, 3) as view:
        assert [(one.path, one.status, one.modified[:10]) for one in view.entries("resource/")] == [
            ("resource/a/2", 200, "2026-01-01"),
            ("resource/a/3", 200, "2026-01-02"),
        ]
        assert list(view.entries("record/")) == []


def test_a_full_fill_over_documents_writes_only_what_differs(tmp_path):
    publish(tmp_path, 1, [*book("resource/a/1", "One"), *book("resource/a/2", "Two"), *book("resource/a/3", "Three")])
    publish(tmp_path, 2, [*book("resource/a/1", "One"), *book("resource/a/2", "New"), *book("resource/a/4", "Four")])
    with open_published(tmp_path, 2) as view:
        assert [(one.path[-1], one.since) for one in view.documents()] == [("1", 1), ("2", 2), ("4", 2)]
    assert set(statuses(tmp_path, 1)) == {"resource/a/1", "resource/a/2", "resource/a/3"}
    assert not list(tmp_path.glob("*.filling*"))


def test_a_release_that_was_begun_before_is_written_again(tmp_path):
    first, stopped, second = book("resource/a/1", "One"), book("resource/a/1", "Lost"), book("resource/a/2", "Two")
    publish(tmp_path, 1, first)
    publish_changes(tmp_path, 2, first, stopped)
    assert has_documents(tmp_path, BASE, 1, 10)
    publish_changes(tmp_path, 2, first, [*first, *second])
    with open_published(tmp_path, 2) as view:
        assert [(one.title, one.since) for one in view.documents()] == [("One", 1), ("Two", 2)]
    publish(tmp_path, 2, second)
    assert set(statuses(tmp_path, 1)) == {"resource/a/1"}
    assert set(statuses(tmp_path, 2)) == {"resource/a/2"}


def test_a_large_update_that_is_stopped_changes_no_release(tmp_path):
    numbers = range(5_000)
    before = [one for number in numbers for one in book(f"resource/a/{number:05}", f"Old {number}")]
    after = [one for number in numbers for one in book(f"resource/a/{number:05}", f"New {number}")]
    publish(tmp_path, 1, before)
    changed = changes(before, after)

    def stopping():
        yield from changed[:22_000]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update(tmp_path, BASE, state(2), stopping())
    assert published_releases(tmp_path) == [1]
    assert has_documents(tmp_path, BASE, 1, 10)
    with open_published(tmp_path, 1) as reader:
        assert {one.title[:4] for one in reader.documents()} == {"Old "}
        update(tmp_path, BASE, state(2), changed)
        assert {one.title[:4] for one in reader.documents()} == {"Old "}
    with open_published(tmp_path, 2) as view:
        assert [one.title for one in view.documents()] == [f"New {number}" for number in numbers]


@pytest.mark.parametrize("withdraw", [False, True])
def test_a_fill_that_is_stopped_costs_nothing(tmp_path, withdraw):
    def stopping():
        yield "".join(book("resource/a/2", "Two")).encode()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path, BASE, state(1), stopping(), withdraw)
    assert list(tmp_path.iterdir()) == []
    publish(tmp_path, 1, book("resource/a/1", "One"))
    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path, BASE, state(2), stopping(), withdraw)
    assert published_releases(tmp_path) == [1]
    assert statuses(tmp_path, 1) == {"resource/a/1": (200, "")}
    publish(tmp_path, 2, book("resource/a/2", "Two"), withdraw)
    assert statuses(tmp_path, 2) == {"resource/a/2": (200, "")}


def test_a_reader_goes_on_while_the_next_release_is_written(tmp_path):
    first = [one for number in range(50) for one in book(f"resource/a/{number}", f"Title {number}")]
    publish(tmp_path, 1, first)
    with open_published(tmp_path, 1) as view:
        paths = view.entries()
        assert next(paths).path == "resource/a/0"
        publish_changes(tmp_path, 2, first, first[4:])
        publish(tmp_path, 3, first[8:])
        assert len(list(paths)) == 49
        assert view.document("resource/a/0").title == "Title 0"
        publish(tmp_path, 4, first[8:], withdraw=True)
        assert view.document("resource/a/0").title == "Title 0"
    assert document(tmp_path, 4, "resource/a/0") is None


def test_what_no_kept_release_needs_is_deleted_and_its_release_refused(tmp_path):
    publish(tmp_path, 1, book("resource/a/1", "One"))
    publish_changes(tmp_path, 2, book("resource/a/1", "One"), book("resource/a/1", "Two"))
    publish_changes(tmp_path, 3, book("resource/a/1", "Two"), book("resource/a/1", "Three"))
    remove_unneeded(tmp_path, [2, 3])
    assert published_releases(tmp_path) == [2, 3]
    assert document(tmp_path, 2, "resource/a/1").title == "Two"
    with pytest.raises(StageError, match="has no documents of release 1, only of: 2, 3; serve one of these"):
        open_published(tmp_path, 1)


def test_of_withdrawn_releases_nothing_remains_but_the_times_of_what_is_unchanged(tmp_path):
    secret = "A secret that nobody may read"
    unchanged = [one for number in range(400) for one in book(f"resource/b/{number}", f"Title {number}")]
    publish(tmp_path, 1, [*book("resource/a/1", secret), *unchanged])
    publish(tmp_path, 2, unchanged, withdraw=True)
    remove_unneeded(tmp_path, [2])
    with open_published(tmp_path, 2) as view:
        assert {one.since for one in view.documents()} == {1}
        assert view.document("resource/a/1") is None
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("withdraw", [False, True])
def test_a_withdrawal_that_was_stopped_leaves_no_empty_documents(tmp_path, withdraw):
    lines = [*book("resource/a/1", "One"), *book("resource/a/2", "Two")]
    publish(tmp_path, 1, lines)
    publish(tmp_path, 2, lines[4:], withdraw=True)
    assert not has_documents(tmp_path, BASE, 1, 10), "the documents of release 1 are not there any more"
    publish(tmp_path, 2, lines, withdraw)  # the run was stopped, and nothing has to be withdrawn any more
    assert document(tmp_path, 2, "resource/a/1").quads == "".join(sorted(lines[:4])).encode()
    assert published_releases(tmp_path) == [2]


def test_a_database_that_cannot_be_read_now_is_not_replaced(tmp_path, monkeypatch):
    publish(tmp_path, 1, book("resource/a/1", "One"))
    monkeypatch.setattr("bibld.documents._view.PATIENCE", 0.0)
    writer = sqlite3.connect(tmp_path / "published.db", isolation_level=None)
    writer.execute("PRAGMA journal_mode = DELETE").fetchall()
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StageError, match="another program is using it"):
        publish(tmp_path, 2, book("resource/a/1", "Two"))
    writer.execute("ROLLBACK")
    writer.close()
    assert document(tmp_path, 1, "resource/a/1").title == "One"


def test_documents_of_another_base_are_replaced(tmp_path):
    assert not has_documents(tmp_path, BASE, 1)
    publish(tmp_path, 1, book("resource/a/1", "One"))
    assert has_documents(tmp_path, BASE, 1) and has_documents(tmp_path, BASE, 1, 10)
    assert not has_documents(tmp_path, BASE, 1, 9) and not has_documents(tmp_path, BASE, 2)
    assert not has_documents(tmp_path, "https://other.example.org/", 1)
    other = "".join(book("resource/a/1", "Two")).replace(BASE, "https://other.example.org/")
    fill(tmp_path, "https://other.example.org/", state(2), [other.encode()])
    assert published_releases(tmp_path) == [2]
    assert document(tmp_path, 2, "resource/a/1").title == "Two"


def test_a_file_of_another_format_is_refused_and_replaced(tmp_path):
    with pytest.raises(StageError, match=r"contains no published\.db; run `bibld run`"):
        open_published(tmp_path, 1)
    (tmp_path / "published.db").write_bytes(b"not a database " * 1000)
    with pytest.raises(StageError, match="remove the file, then run `bibld run`"):
        open_published(tmp_path, 1)
    assert published_releases(tmp_path) == []
    publish(tmp_path, 1, book("resource/a/1", "One"))
    assert document(tmp_path, 1, "resource/a/1").title == "One"


def test_lines_of_the_description_that_are_in_no_patch_are_followed(tmp_path):
    library = frozenset({line("agent/lib", "skos:prefLabel", '"Old name"', f"<{BASE}graph/dataset>")})
    renamed = frozenset(one.replace("Old", "New") for one in library)
    fill(tmp_path, BASE, state(1, description=library), ["".join(library).encode()])
    update(tmp_path, BASE, state(2, description=renamed), [])
    update(tmp_path, BASE, state(3, description=renamed), [])
    titles = [document(tmp_path, number, "agent/lib").title for number in (1, 2, 3)]
    assert titles == ["Old name", "New name", "New name"]
    update(tmp_path, BASE, state(4), [])
    assert document(tmp_path, 4, "agent/lib") is None


# -- changes ---------------------------------------------------------------------------------------------------------


def test_a_release_states_what_became_of_each_iri(tmp_path):
    absorbing = line("resource/a/1", "owl:sameAs", "resource/a/2")
    first = [one for number in (1, 2, 3, 4, 5) for one in book(f"resource/a/{number}", f"Title {number}")]
    second = [
        *book("resource/a/1", "Title 1"),
        absorbing,
        *book("resource/a/3", "Another title"),
        line("resource/a/4", "prov:invalidatedAtTime", DELETED),
        line("resource/a/4", "dcterms:isReplacedBy", "resource/a/1"),
        *book("resource/a/6", "Six"),
    ]
    third = [*(one for one in second if one != absorbing), *book("resource/a/2", "Title 2")]
    publish(tmp_path, 1, first)
    publish_changes(tmp_path, 2, first, second)
    publish_changes(tmp_path, 3, second, third)
    with open_published(tmp_path, 1) as view:
        assert view.is_first
        assert {change.kind for change in view.changes()} == {ChangeKind.CREATED}
    with open_published(tmp_path, 2) as view:
        assert not view.is_first
        assert [
            (one.path[-1], str(one.kind), one.status_before, one.status_after, one.target_after)
            for one in view.changes()
        ] == [
            ("1", "updated", 200, 200, ""),
            ("2", "merged", 200, 303, "resource/a/1"),
            ("3", "updated", 200, 200, ""),
            ("4", "deleted", 200, 303, "resource/a/1"),
            ("5", "deleted", 200, 0, ""),
            ("6", "created", 0, 200, ""),
        ]
    with open_published(tmp_path, 3) as view:
        assert [(one.path[-1], str(one.kind), one.target_before) for one in view.changes()] == [
            ("1", "updated", ""),
            ("2", "split", "resource/a/1"),
        ]


def test_a_withdrawing_release_states_what_it_changed(tmp_path):
    replaced = [line("resource/a/3", "prov:invalidatedAtTime", DELETED),
                line("resource/a/3", "dcterms:isReplacedBy", "resource/a/1")]  # fmt: skip
    publish(tmp_path, 1, [*book("resource/a/1", "One"), *book("resource/a/2", "Two"), *replaced])
    withdrawn = [replaced[0], line("resource/a/3", "dcterms:isReplacedBy", "resource/a/2")]
    publish(tmp_path, 2, [*book("resource/a/2", "New"), *withdrawn], withdraw=True)
    with open_published(tmp_path, 2) as view:
        found = [(one.path[-1], str(one.kind), one.target_before) for one in view.changes()]
    assert found == [("1", "deleted", ""), ("2", "updated", ""), ("3", "updated", "resource/a/1")]


# -- the law ---------------------------------------------------------------------------------------------------------

PATHS = st.sampled_from(["resource/a/1", "resource/a/1-2", "resource/b/1", "agent/x", "agent/y", "record/a/1"])
LINES = st.builds(
    line,
    st.builds("".join, st.tuples(PATHS, st.sampled_from(["", "#a", "#b"]))),
    st.sampled_from(["rdfs:label", "owl:sameAs", "dcterms:isReplacedBy", "prov:invalidatedAtTime", "skos:exactMatch"]),
    PATHS | st.sampled_from(['"A"', '"Б"@ru', '"with <angles> # and \\"quotes\\""']),
    st.sampled_from([None, None, PROVENANCE]),
)
STATES = st.lists(st.sets(LINES, max_size=12), min_size=1, max_size=5)


@given(STATES, st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_any_sequence_of_changes_gives_the_documents_of_a_full_fill(states, at_once):
    with TemporaryDirectory() as folder, TemporaryDirectory() as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr("bibld.documents._writer._CHANGES_AT_ONCE", at_once)
        before: set[str] = set()
        for number, lines in enumerate(states, 1):
            if number == 1:
                publish(Path(folder), 1, sorted(lines))
            else:
                publish_changes(Path(folder), number, sorted(before), sorted(lines))
            before = lines
        for number, lines in enumerate(states, 1):
            publish(Path(other), number, sorted(lines))
            for view in (open_published(Path(folder), number), open_published(Path(other), number)):
                view.close()
            assert rows(Path(folder), number) == rows(Path(other), number)


def rows(folder: Path, number: int) -> list[object]:
    with open_published(folder, number) as view:
        return [*view.documents(), *view.changes()]


def test_the_names_of_things_are_those_that_pages_show():
    """The order of properties is the one of the server."""
    assert [one.decode() for one in LABELS] == [f"<{label}>" for label in SHOWN]
    assert expand("rdfs:label") == SHOWN[0]


def test_an_entity_is_found_by_a_former_spelling_of_its_key(tmp_path):
    person, other = "agent/hitchcock-alfred-1899-1980-45e1d42091", "agent/welles-orson-1915-1985-5b1cfe0d7c"
    alias = "agent/khitchkok-alfred-1899-1980-77aa8fd8c3"
    lines = [
        line(person, "foaf:name", '"Hitchcock, Alfred"'),
        line(person, "owl:sameAs", alias),
        line(other, "foaf:name", '"Welles, Orson"'),
    ]
    publish(tmp_path, 1, lines)
    with open_published(tmp_path, 1) as view:
        assert view.respelled("agent/hitchtsotsk-alfred-1899-1980-45e1d42091") == person
        assert view.respelled("agent/hitchkok-alfred-1899-1980-77aa8fd8c3") == person, "that of an alias"
        assert view.respelled("agent/velles-orson-1915-1985-5b1cfe0d7c") == other
        assert view.respelled("agent/welles-orson-1915-1985-45e1d42091") is None, "the hash of another name"
        assert view.respelled("publisher/hitchtsotsk-alfred-1899-1980-45e1d42091") is None
        assert view.respelled("agent/viaf-12345") is None
