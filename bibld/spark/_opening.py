"""Opens the tables of a workspace outside a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bibld.config import Config
from bibld.spark._folder import FolderStorage
from bibld.spark._session import session
from bibld.spark._storage import Storage, absolute
from bibld.spark._tables import Tables

_FOLDER = "file://"


def storage_of(config: Config) -> str:
    """Return the folder or address where Spark stores the tables and releases of a workspace."""
    return config.engine.storage or str(config.workspace / "spark")


@contextmanager
def open_tables(config: Config, purpose: str) -> Iterator[Tables]:
    """Open the tables of a workspace: without Spark those in a folder of this machine, else in a session.

    ``purpose`` is the name of the session in the user interface of Spark. Raises ``ConfigError`` without Java.
    """
    storage = storage_of(config)
    place = absolute(storage)
    if place.startswith(_FOLDER):
        yield Tables(None, FolderStorage(Path(place.removeprefix(_FOLDER))))
        return
    with session(config.engine, purpose) as spark:
        yield Tables(spark, Storage(spark, storage))
