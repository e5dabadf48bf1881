"""The index from release to release: shared files, renamed things, counts, and worker processes."""

from contextlib import closing

import pytest

from bibld.documents import open_published
from bibld.errors import StageError
from bibld.search import SearchRequest, _index, _writer, has_search, open_search, write_search
from tests.search.test_searching import BASE, LINES, TOLSTOY, book, shape, thing, write

TEXTS = ["война", "толстой", "автор:толстой", "литература", "графа"]
RENAMED = sorted({*LINES, *thing(TOLSTOY, "Толстой, Лев Николаевич", "граф"), *book(20, "Юность", author=TOLSTOY)})


def named(folder, release, path):
    with closing(open_search(folder / str(release))) as view:
        return view.named(path)


def test_a_thing_that_gets_another_name_keeps_its_publications_in_both_releases(tmp_path):
    write(tmp_path, LINES)
    before = shape(tmp_path, 1, TEXTS)
    write(tmp_path, RENAMED, 2, LINES)
    assert shape(tmp_path, 1, TEXTS) == before
    assert named(tmp_path, 1, TOLSTOY).uses + 1 == named(tmp_path, 2, TOLSTOY).uses == 5
    with closing(open_search(tmp_path / "2")) as view:
        assert [each.path for each in view.find("граф")] == [TOLSTOY]
        assert view.search(SearchRequest("граф")).total == 5


def test_a_difference_shares_the_files_of_the_release_before(tmp_path):
    write(tmp_path, LINES)
    write(tmp_path, RENAMED, 2, LINES)
    shared = [file.name for file in (tmp_path / "2/search").iterdir() if file.stat().st_nlink == 2]
    assert {name.partition(".")[2] for name in shared} >= {"store", "idx", "term", "pos", "fast"}
    before = {file.name: file.read_bytes() for file in (tmp_path / "1/search").iterdir()}
    for file in (tmp_path / "2/search").iterdir():
        file.unlink()
    assert before == {file.name: file.read_bytes() for file in (tmp_path / "1/search").iterdir()}


def test_an_index_of_another_format_is_not_used_and_not_updated(tmp_path, monkeypatch):
    write(tmp_path, LINES)
    (tmp_path / "1/search/format").write_text("0")
    assert not has_search(tmp_path / "1")
    write(tmp_path, RENAMED, 2, LINES)
    assert has_search(tmp_path / "2")
    assert not [file for file in (tmp_path / "2/search").iterdir() if file.stat().st_nlink > 1]
    monkeypatch.setattr(_index, "FORMAT", "99")
    assert not has_search(tmp_path / "2")


def test_an_index_that_is_damaged_is_named(tmp_path):
    write(tmp_path, LINES)
    (tmp_path / "1/search/meta.json").write_text("{")
    with pytest.raises(StageError, match=r"1/search: the index cannot be opened: .*; remove"):
        open_search(tmp_path / "1")


def test_an_index_with_many_deleted_documents_is_filled_again(tmp_path, monkeypatch):
    monkeypatch.setattr(_writer, "_FEW", 0)
    write(tmp_path, LINES)
    less = [line for line in LINES if "/resource/rsl/1>" in line]
    write(tmp_path, less, 2, LINES)
    assert not [file for file in (tmp_path / "2/search").iterdir() if file.stat().st_nlink > 1]
    assert [each.path for each in open_search(tmp_path / "2").find("война и мир")] == ["resource/rsl/1"]


def test_a_link_to_a_thing_without_a_name_keeps_its_path_until_it_gets_one(tmp_path):
    bare = book(30, "Отрочество", author="agent/nobody|agent/none", subject="concept/a/novel")
    write(tmp_path, [*LINES, *bare])
    known = [*LINES, *bare, *thing("agent/nobody", "Некто", kind="foaf:Person")]
    write(tmp_path, known, 2, [*LINES, *bare])
    write(tmp_path, [*LINES, *bare], 3, known)
    for release in (1, 2, 3):
        assert named(tmp_path, release, "resource/rsl/30").data["author"] == ("agent/nobody", "agent/none")
        person = named(tmp_path, release, "agent/nobody")
        assert (person is not None and person.uses == 1) == (release == 2)
        with closing(open_search(tmp_path / str(release))) as view:
            assert [work.path for work in view.works("agent/nobody")[0]] == ["resource/rsl/30"]
            found = view.search(SearchRequest("отрочество", {"author": ("agent/nobody",)}))
            assert [agent.name for agent in found.hits[0].agents] == (["Некто"] if release == 2 else [])
            assert view.search(SearchRequest("некто", literal=True)).total == (release == 2)


def segments(folder):
    """Return the bytes of the files of an index whose names differ from fill to fill."""
    return sorted((file.suffix, file.read_bytes()) for file in (folder / "search").iterdir() if file.suffix != ".json")


def test_two_fills_and_a_fill_in_worker_processes_give_the_same_bytes(tmp_path, monkeypatch):
    write(tmp_path, RENAMED)
    with open_published(tmp_path, 1) as view:
        write_search(tmp_path / "again", BASE, view)
        monkeypatch.setattr(_writer, "MIN_PORTIONS", 0)
        monkeypatch.setattr(_writer, "_PORTION", 7)
        write_search(tmp_path / "processes", BASE, view, workers=2)
    assert segments(tmp_path / "1") == segments(tmp_path / "again") == segments(tmp_path / "processes")
