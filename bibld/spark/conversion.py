"""Move a workspace from one engine to the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bibld.catalog import Catalog
from bibld.catalog.engines import check_newest_is_local, check_newest_is_on_spark, note_conversion
from bibld.catalog.exchange import TABLES, ConvertedWorkspace
from bibld.config import Config
from bibld.errors import CatalogError
from bibld.progress import Progress
from bibld.spark._convert.to_tables import write_tables
from bibld.spark._convert.to_workspace import write_workspace
from bibld.spark._folder import FolderStorage
from bibld.spark._session import session
from bibld.spark._storage import Storage, absolute
from bibld.spark._tables import Tables

_FOLDER = "file://"


def convert_workspace(config: Config, to: str, run_time: datetime, progress: Progress) -> ConvertedWorkspace:
    """Move the results of the last run to the tables of Spark (``spark``), or from them to this machine (``local``).

    What an interrupted conversion has copied is not copied again. Raises ``StageError``; ``CatalogError``, also where
    newer results would be replaced by older ones; and ``ConfigError`` without Java, which only storage that is no
    folder of this machine needs.
    """
    storage = config.engine.storage or str(config.workspace / "spark")
    with _tables(config, storage) as tables:
        before = tables.committed.number
        if to == "spark":
            if not (config.workspace / "catalog.db").is_file():
                raise CatalogError(f"{config.workspace}: nothing has been run yet, there is nothing to convert")
            check_newest_is_local(config.workspace, config.file)
            with Catalog(config.workspace, config_file=config.file) as catalog:
                run = write_tables(catalog, tables, run_time.isoformat(), progress)
                note_conversion(config.workspace, run)
        else:
            check_newest_is_on_spark(config.workspace, config.file)
            run = write_workspace(tables, config, progress)
        versions = tables.committed.tables
        rows = {name: tables.manifest(name, versions[name]).rows for name in TABLES if name in versions}
        return ConvertedWorkspace(to, storage, run, rows, was_current=to == "spark" and run == before)


@contextmanager
def _tables(config: Config, storage: str) -> Iterator[Tables]:
    place = absolute(storage)
    if place.startswith(_FOLDER):
        yield Tables(None, FolderStorage(Path(place.removeprefix(_FOLDER))))
        return
    with session(config.engine, "bibld: conversion of a workspace") as spark:
        yield Tables(spark, Storage(spark, storage))
