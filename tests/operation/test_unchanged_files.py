"""Files that are those of the last reading are not read again; whatever else could have changed, they are."""

import os
import shutil

import msgspec
import pytest

from bibld import ingest
from bibld.catalog import Catalog
from bibld.ingest import _inspection
from tests.operation.test_faults import LIB, edit, place, published, record, records, run, source_key

__all__ = ["place", "published"]


@pytest.fixture
def opened(monkeypatch):
    """The names of the files that were inspected."""
    names = []
    inspect = _inspection.inspect_file

    def noted(file, source, progress):
        names.append(file.name)
        return inspect(file, source, progress)

    monkeypatch.setattr(_inspection, "inspect_file", noted)
    return names


@pytest.fixture
def settled(place, opened):
    """A workspace after a night, and the night after it, in which nothing was opened."""
    assert run(place).exit_code == 0
    opened.clear()
    assert run(place).exit_code == 0
    assert opened == []
    return place


def counted(place, *words):
    done = run(place, "--json", *words)
    return done.exit_code, {one["source"]: one for one in msgspec.json.decode(done.stdout)["sources"]}


def written_in_place(place):
    """Another record of the same length, with the times of the old file."""
    path = place / "other.mrc"
    times = path.stat()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Second", b"Zweite"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def replaced_by_a_copy(place):
    shutil.copy2(place / "other.mrc", place / "copy")
    (place / "copy").replace(place / "other.mrc")


CHANGES = {
    "written in place with the old time": written_in_place,
    "replaced by a copy": replaced_by_a_copy,
    "a key of the source": lambda place: edit(place, 'path = "other.mrc"\n', 'path = "other.mrc"\ncharset = "utf-8"\n'),
    "permissions": lambda place: (place / "other.mrc").chmod(0o640),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_may_be_another_file_is_read(name, settled, opened):
    CHANGES[name](settled)
    assert run(settled).exit_code == 0
    assert opened == ["other.mrc"]
    opened.clear()
    assert run(settled).exit_code == 0
    assert opened == []


def test_rebuild_reads_all(settled, opened):
    assert run(settled, "--rebuild").exit_code == 0
    assert opened == ["lib.mrc", "other.mrc"]


def test_a_list_of_deletions_that_changed_is_applied(place, opened):
    (place / "gone.txt").write_text("")
    source_key(place, 'deletes = "gone.txt"')
    assert run(place).exit_code == 0
    opened.clear()
    (place / "gone.txt").write_text("5\n")
    exit_code, sources = counted(place)
    assert (exit_code, sources["lib"]["absent"], opened) == (0, 1, ["lib.mrc"])


@pytest.mark.parametrize("fault", ["deletions are withheld", "a warning"])
def test_what_a_person_should_see_is_seen_each_night(fault, place, opened):
    if fault == "a warning":
        source_key(place, 'deletes = "gone.txt"')
        (place / "gone.txt").write_text("never seen\n")
    else:
        assert run(place).exit_code == 0
        (place / "lib.mrc").write_bytes(b"".join(record(number) for number in range(1, 11)))
    first = run(place)
    opened.clear()
    second = run(place)
    assert first.stderr == second.stderr != ""
    assert (first.exit_code, opened) == (second.exit_code, ["lib.mrc"])


def test_a_source_that_returns_with_its_old_file_is_read(settled, opened):
    text = (settled / "bibld.toml").read_text()
    begin = text.index("[[source]]", text.index("[[source]]") + 1)
    (settled / "bibld.toml").write_text(text[:begin])
    assert run(settled, "--allow-deletes").exit_code == 0
    assert records(settled) == {"lib": len(LIB.split(b"\x1d")) - 1}
    (settled / "bibld.toml").write_text(text)
    assert run(settled).exit_code == 0
    assert records(settled)["other"] == 3


def test_a_load_that_was_killed_is_repeated(settled, opened, monkeypatch):
    CHANGES["permissions"](settled)

    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ingest.Intake, "load", killed)
        run(settled)
    shutil.copystat(settled / "lib.mrc", settled / "other.mrc")
    opened.clear()
    assert run(settled).exit_code == 0
    assert opened == ["other.mrc"]


def test_a_repaired_catalog_reads_all_files_again(settled, opened):
    with Catalog(settled / "work") as catalog, catalog.commit():
        assert catalog.runs.last_reading("lib")
        catalog.runs.forget_readings()
        assert catalog.runs.made_by("dedup")
    assert run(settled).exit_code == 0
    assert opened == ["lib.mrc", "other.mrc"]
