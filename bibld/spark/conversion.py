"""Move a workspace from one engine to the other."""

from __future__ import annotations

from datetime import datetime

from bibld.catalog import Catalog
from bibld.catalog.engines import check_newest_is_local, check_newest_is_on_spark, note_conversion
from bibld.catalog.exchange import TABLES, ConvertedWorkspace
from bibld.config import Config
from bibld.errors import CatalogError
from bibld.progress import Progress
from bibld.spark._convert.to_tables import write_tables
from bibld.spark._convert.to_workspace import write_workspace
from bibld.spark._opening import open_tables, storage_of


def convert_workspace(config: Config, to: str, run_time: datetime, progress: Progress) -> ConvertedWorkspace:
    """Move the results of the last run to the tables of Spark (``spark``), or from them to this machine (``local``).

    What an interrupted conversion has copied is not copied again. Raises ``StageError``; ``CatalogError``, also where
    newer results would be replaced by older ones; and ``ConfigError`` without Java, which only storage that is no
    folder of this machine needs.
    """
    with open_tables(config, "bibld: conversion of a workspace") as tables:
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
        return ConvertedWorkspace(to, storage_of(config), run, rows, was_current=to == "spark" and run == before)
