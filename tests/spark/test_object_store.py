"""Parts of dumps in an object store, written by tasks; for tables Spark needs a connector that it does not bring."""

from __future__ import annotations

import hashlib

import pytest
from pyarrow.fs import FileSelector

from bibld.errors import StageError
from bibld.spark._release import file_system, write_files
from tests.harvest.file_servers import s3

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
