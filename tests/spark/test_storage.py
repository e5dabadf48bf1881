"""Files of the storage, and those that tasks write."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import zstandard
from pyarrow.fs import FileSelector
from pyspark.sql import SparkSession

from bibld.errors import StageError
from bibld.spark._release import file_system, write_files
from bibld.spark._tables import Storage
from tests.harvest.file_servers import s3


def test_files_are_copied_here_renamed_and_copied_back(spark: SparkSession, tmp_path: Path) -> None:
    storage = Storage(spark, str(tmp_path / "storage"))
    local = tmp_path / "[part] 1.nq"
    local.write_bytes(b"<a> <b> <c> .\n")
    storage.upload(local, "releases/1/a.tmp")
    storage.write("releases/1/a.nq", b"before")
    storage.rename("releases/1/a.tmp", "releases/1/a.nq")
    assert storage.names("releases/1") == ["a.nq"]
    storage.download("releases/1/a.nq", tmp_path / "back.nq")
    assert (tmp_path / "back.nq").read_bytes() == b"<a> <b> <c> .\n"
    assert not list(tmp_path.glob(".*")), "Hadoop's sums of files stay away"


def test_what_is_missing_is_named(spark: SparkSession, tmp_path: Path) -> None:
    storage = Storage(spark, str(tmp_path))
    with pytest.raises(StageError, match=r"file:.*/nothing: cannot be read"):
        storage.download("nothing", tmp_path / "copy")
    with pytest.raises(StageError, match=r"file:.*/nothing"):
        storage.rename("nothing", "something")
    with pytest.raises(StageError, match=r"file:.*/new: cannot be written"):
        storage.upload(tmp_path / "nothing", "new")


BLOCKS = [(b"<a> <b> <c> .\n<a> <b> <c> <g> .\n", b"<a> <b> <c> .\n"), (b"<d> <b> <c> .\n", b"<d> <b> <c> .\n")]


def test_attempts_write_the_same_bytes_under_names_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    names = ("bibld-00000.nq.zst", "bibld-00000.nt.zst")
    first, second = (write_files(f"file://{folder}", names, iter(BLOCKS)) for _ in range(2))
    assert [file.lines for file in first] == [3, 2]
    assert [file.name for file in first] == list(names)
    assert [file.sha256 for file in first] == [file.sha256 for file in second]
    assert len({file.temporary for file in (*first, *second)}) == len(list(folder.iterdir())) == 4
    for file, contents in zip(first, zip(*BLOCKS, strict=True), strict=True):
        data = (folder / file.temporary).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256)
        assert zstandard.ZstdDecompressor().stream_reader(data).read() == b"".join(contents)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(
        StageError, match=rf"file://{tmp_path}/file/x\.nq\.gz\.\w+: cannot be written: .*check the space"
    ):
        write_files(f"file://{tmp_path}/file", ["x.nq.gz"], [(b"",)])
    with pytest.raises(StageError, match="nowhere://a/b: tasks cannot write there"):
        file_system("nowhere://a/b")


FOLDER = "s3a://catalogue/spark/releases/1/_temporary"


def test_parts_of_dumps_are_written_to_an_object_store(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret", "DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with s3() as (address, client):
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        with pytest.raises(StageError, match=rf"{FOLDER}/a\.nq\.zst\.\w+: cannot be written: .*(?i:bucket)"):
            write_files(FOLDER, ["a.nq.zst"], [(b"one\n",)])
        client.create_bucket(Bucket="catalogue")
        written = write_files(FOLDER, ["a.nq.zst", "b.nq.zst"], [(b"one\n", b"two\n"), (b"three\n", b"")])
        assert [file.lines for file in written] == [2, 1]
        files, path = file_system(FOLDER)
        assert {file.base_name for file in files.get_file_info(FileSelector(path))} == {
            file.temporary for file in written
        }
        for file in written:
            with files.open_input_stream(f"{path}/{file.temporary}") as stream:
                assert hashlib.sha256(stream.read()).hexdigest() == file.sha256
