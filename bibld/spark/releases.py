"""The releases in the storage of Spark, as a list."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import pyarrow.parquet as pq

from bibld.config import Config
from bibld.errors import StageError
from bibld.model.release import Manifest
from bibld.publish import ReleaseSummary
from bibld.spark._output.release import FOLDER, MANIFEST, RELEASED
from bibld.spark._tables import Tables, open_tables


def list_releases(config: Config) -> list[ReleaseSummary]:
    """Return the releases that committed runs on Spark have made, the oldest first; the last one is the current one.

    Raises ``StageError``, and ``ConfigError`` without Java, which only storage that is no folder of this machine needs.
    """
    with open_tables(config, "bibld: list of releases") as tables:
        storage, current = tables.storage, _current_number(tables)
        numbers = sorted(int(name) for name in storage.names(FOLDER) if name.isdigit())
        files = {number: f"{FOLDER}/{number}/{MANIFEST}" for number in numbers if number <= current}
        return [
            ReleaseSummary.from_manifest(_manifest(tables, file), 0, is_current=number == current, engine="spark")
            for number, file in files.items()
            if storage.exists(file)
        ]


def _current_number(tables: Tables) -> int:
    """Return the number of the release of the last committed run; 0 if there is none.

    A later one in the storage is of a run that was stopped, and the next run replaces it.
    """
    version = tables.committed.tables.get(RELEASED)
    if not version:
        return 0
    numbers = [0]
    with tempfile.TemporaryDirectory(prefix="bibld-releases-") as folder:
        for name in tables.files(RELEASED, version):
            local = Path(folder, "part.parquet")
            tables.storage.download(name, local)
            numbers += pq.read_table(local, columns=["number"]).column("number").to_pylist()
    return max(numbers)


def _manifest(tables: Tables, file: str) -> Manifest:
    try:
        return msgspec.json.decode(tables.storage.read(file), type=Manifest)
    except msgspec.MsgspecError as error:
        raise StageError(
            f"{tables.storage.path(file)}: is not a release of this version of bibld: {error}; run `bibld run` with"
            " --engine spark again"
        ) from error
