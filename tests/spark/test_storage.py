from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bibld.errors import StageError
from bibld.spark._tables import Storage


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
