"""Entries of ``search.db`` from release to release: their ids, the paths that lead to them, what links to them."""

import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from bibld.documents import open_published
from bibld.search import FILE, Asked, has_search, open_search, write_search
from bibld.search import _rows as rows_of_search
from bibld.search import _writer as writer_of_search
from bibld.search._codes import LINKED_TO_AUTHORITY, MERGED, code_of, pack_codes, unpack_codes, values_of
from tests.search.test_searching import BASE, LINES, TOLSTOY, book, shape, thing, write

TEXTS = ["война", "толстой", "автор:толстой", "литература", "графа"]
RENAMED = sorted({*LINES, *thing(TOLSTOY, "Толстой, Лев Николаевич", "граф"), *book(20, "Юность", author=TOLSTOY)})


def named(folder, release, path):
    with closing(open_search(folder, release)) as view:
        return view.named(path)


def counts(folder):
    """Return how many publications link to each valid entry, as it is stored and as the codes of publications state."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        stored = connection.execute("SELECT id, uses FROM entry WHERE until IS NULL AND kind <> 0").fetchall()
        packed = connection.execute("SELECT codes FROM entry WHERE until IS NULL AND kind = 0").fetchall()
    links = [
        {value for facet in range(LINKED_TO_AUTHORITY + 1, 16) for value in values_of(unpack_codes(each), facet)[1]}
        for (each,) in packed
    ]
    return dict(stored), {id_: sum(id_ in each for each in links) for id_, _ in stored}


def test_paths_with_the_same_hash_lead_to_different_things(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    write(other, RENAMED, 2)
    expected = shape(other, 2, TEXTS)
    monkeypatch.setattr(rows_of_search, "blake2b", lambda path, digest_size: SimpleNamespace(digest=lambda: b"same"))
    write(tmp_path, LINES)
    write(tmp_path, RENAMED, 2, LINES)
    assert shape(tmp_path, 2, TEXTS) == expected


def test_a_thing_that_gets_another_name_keeps_its_publications_in_both_releases(tmp_path):
    write(tmp_path, LINES)
    before = shape(tmp_path, 1, TEXTS)
    write(tmp_path, RENAMED, 2, LINES)
    assert shape(tmp_path, 1, TEXTS) == before
    assert named(tmp_path, 1, TOLSTOY).uses + 1 == named(tmp_path, 2, TOLSTOY).uses == 5
    with closing(open_search(tmp_path, 2)) as view:
        assert [each.path for each in view.find("граф")] == [TOLSTOY]
        assert view.search(Asked("граф")).total == 5


def test_a_release_that_is_written_again_counts_nothing_twice(tmp_path):
    write(tmp_path, LINES)
    write(tmp_path, RENAMED, 2, LINES)
    once = shape(tmp_path, 1, TEXTS), shape(tmp_path, 2, TEXTS)
    with open_published(tmp_path, 2) as view:
        write_search(tmp_path, BASE, view, 1, withdraws=False)
    assert (shape(tmp_path, 1, TEXTS), shape(tmp_path, 2, TEXTS)) == once
    stored, linked = counts(tmp_path)
    assert stored == linked and sum(stored.values()) > 10


def test_a_release_that_is_written_again_with_other_changes_has_those_only(tmp_path):
    write(tmp_path, LINES)
    write(tmp_path, RENAMED, 2, LINES)
    changed = [*LINES, *book(21, "Казаки", author=TOLSTOY)]
    write(tmp_path, changed, 2, LINES)
    stored, linked = counts(tmp_path)
    assert stored == linked
    other = tmp_path / "other"
    other.mkdir()
    write(other, changed, 2)
    assert shape(tmp_path, 2, TEXTS) == shape(other, 2, TEXTS)


def test_a_link_to_a_thing_without_a_name_keeps_its_path_until_it_gets_one(tmp_path):
    bare = book(30, "Отрочество", author="agent/nobody|agent/none", subject="concept/a/novel")
    write(tmp_path, [*LINES, *bare])
    known = [*LINES, *bare, *thing("agent/nobody", "Некто", kind="foaf:Person")]
    write(tmp_path, known, 2, [*LINES, *bare])
    write(tmp_path, [*LINES, *bare], 3, known)
    for release in (1, 2, 3):
        assert named(tmp_path, release, "resource/rsl/30").data["author"] == ("agent/nobody", "agent/none")
        person = named(tmp_path, release, "agent/nobody")
        assert (person is not None) == (release == 2)
        with closing(open_search(tmp_path, release)) as view:
            assert [work.path for work in view.works("agent/nobody")[0]] == ["resource/rsl/30"]
            found = view.search(Asked("отрочество", {"author": ("agent/nobody",)}))
            assert [agent.name for agent in found.hits[0].agents] == (["Некто"] if release == 2 else [])
            assert view.search(Asked("некто", literal=True)).total == (release == 2)


def test_a_file_without_ids_for_what_is_new_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_of_search, "_FEW", 0)
    monkeypatch.setattr(writer_of_search, "_MOST_STALE", 10_000)
    write(tmp_path, LINES)
    more = [*LINES, *(line for number in range(100, 300) for line in book(number, f"Том {number}", author=TOLSTOY))]
    write(tmp_path, more, 2, LINES)
    assert not has_search(tmp_path, 1)
    with closing(open_search(tmp_path, 2)) as view:
        assert view.search(Asked("том")).total == 200
    assert named(tmp_path, 2, TOLSTOY).uses == 204


@pytest.mark.parametrize("codes", [[], [0], [127, 128], [(1 << 28) - 1 << 4 | 9, 0, 5, 16_384, 16_383, 2_097_152]])
def test_codes_are_read_as_they_were_stored(codes):
    assert unpack_codes(pack_codes(codes)).tolist() == codes
    assert unpack_codes(pack_codes(codes) + pack_codes([code_of(MERGED, 1)])).tolist() == [*codes, 1 << 4 | MERGED]
