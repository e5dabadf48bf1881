"""Archives among the files of a source: their members are read as files, and a damaged archive is a doubt."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import bibld
from bibld import cli, ingest
from bibld.errors import HarvestError
from tests.configuration import write_config
from tests.operation.test_faults import record


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        entry = tarfile.TarInfo("c.mrc")
        entry.size = len(record(3))
        archive.addfile(entry, io.BytesIO(record(3)))
    members = {"b.mrc": record(2), "full/a.mrc.gz": gzip.compress(record(1)), "c.tgz": inner.getvalue(), "README": b"x"}
    zipped(tmp_path / "dump.zip", members)
    (tmp_path / "more.mrc").write_bytes(record(4))
    write_config(tmp_path, 'path = ["dump.zip", "more.mrc"]\n'.join(['[[source]]\nid = "lib"\n', ""]))
    return tmp_path


def run(place: Path, *words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.command_line, ["run", str(place / "bibld.toml"), "-q", *words])
    return done.exit_code, done.stdout, done.stderr


def test_the_records_of_an_archive_name_archive_and_member(place):
    workspace = bibld.Workspace(place / "bibld.toml")
    assert [row.file for row in workspace.files()] == [
        "dump.zip/b.mrc",
        "dump.zip/c.tgz/c.mrc",
        "dump.zip/full/a.mrc.gz",
        "more.mrc",
    ]
    assert run(place)[0] == 0
    found = {str(number): str(workspace.record(f"lib:{number}").origin) for number in range(1, 5)}
    assert found == {
        "1": "dump.zip/full/a.mrc.gz record 1 (byte 0)",
        "2": "dump.zip/b.mrc record 1 (byte 0)",
        "3": "dump.zip/c.tgz/c.mrc record 1 (byte 0)",
        "4": "more.mrc record 1 (byte 0)",
    }


def test_an_unchanged_archive_is_not_unpacked_again_and_changes_nothing(place):
    run(place)
    unpacked = place / "work" / "unpacked" / "lib"
    before = {path: path.stat().st_mtime_ns for path in unpacked.rglob("*")}
    code, _, err = run(place)
    assert (code, err) == (0, "")
    assert (place / "work" / "releases" / "current").read_text().strip() == "1"
    assert before == {path: path.stat().st_mtime_ns for path in unpacked.rglob("*")}
    zipped(place / "dump.zip", {"b.mrc": record(2, "Другая"), "a.mrc": record(1), "c.mrc": record(3)})
    assert run(place)[0] == 0
    assert len(list(unpacked.iterdir())) == 1
    assert not before.keys() & set(unpacked.rglob("*"))


def test_a_damaged_archive_is_a_doubt_and_the_next_night_loads_it(place):
    run(place)
    good = (place / "dump.zip").read_bytes()
    (place / "dump.zip").write_bytes(good[:-40])
    code, _, err = run(place)
    assert code == 4
    assert "lib: keeps its old state: dump.zip: the archive is damaged (File is not a zip file); fetch it again" in err
    (place / "dump.zip").write_bytes(good)
    assert run(place)[0] == 0


def test_the_faults_of_all_archives_are_reported_together(tmp_path, configured):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04")
    zipped(tmp_path / "b.zip", {"readme.txt": b""})
    config = configured('[[source]]\nid = "lib"\npath = ["a.zip", "b.zip", "c.zip"]\n')
    with pytest.raises(HarvestError) as raised:
        list(ingest.source_files(config, config.sources[0]))
    message = str(raised.value)
    assert message.startswith(
        "a.zip: the archive is damaged (File is not a zip file); fetch it again; b.zip: it contains"
    )
    assert "; c.zip: not found" in message


def test_members_are_chosen_by_patterns(place):
    config = place / "bibld.toml"
    config.write_text(config.read_text() + 'members = "full/*"\n')
    assert [row.file for row in bibld.Workspace(config).files()] == ["dump.zip/full/a.mrc.gz", "more.mrc"]


def test_archives_are_read_and_converted_without_a_configuration(place):
    found = list(bibld.read(place / "dump.zip"))
    assert [(one.control_number, one.origin.file.rpartition("dump.zip")[2]) for one in found] == [
        ("2", "/b.mrc"),
        ("3", "/c.tgz/c.mrc"),
        ("1", "/full/a.mrc.gz"),
    ]
    assert len(list(bibld.to_mods(place / "dump.zip"))) == 3
    (place / "dump.zip").write_bytes((place / "dump.zip").read_bytes()[:-40])
    (reject,) = bibld.read(place / "dump.zip")
    assert "the archive is damaged" in str(reject)
