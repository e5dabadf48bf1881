"""Store: quads in, a SPARQL triple store that holds them out."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from bibld import adapters
from bibld.catalog import digest
from bibld.config import Config
from bibld.progress import Progress, counted
from bibld.protocols import Store

__all__ = ["folder", "load", "open_live", "settings_digest"]

VERSION = 1


def folder(config: Config) -> Path:
    """Where the live store of a workspace lies."""
    return config.workspace / "store"


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on."""
    return digest(VERSION, config.store.backend, config.settings("store", config.store.backend))


def open_live(config: Config, place: Path | None = None) -> Store:
    """Open the live store of a workspace (or a store of the same kind in another folder); raises ``StoreError``."""
    backend = adapters.find("store", config.store.backend)
    store: Store = backend.open_store(place or folder(config), config.settings("store", config.store.backend))
    return store


def load(quads: Iterable[str], config: Config, progress: Progress) -> int:
    """Fill the live store anew with these quads; gives their number.

    The old store stays until the new one is complete, so that a run which is stopped leaves a whole store.
    """
    progress.stage("store", "quads")
    place = folder(config)
    building = place.with_name("store.building")
    shutil.rmtree(building, ignore_errors=True)
    store = open_live(config, building)
    try:
        store.load(counted(quads, progress))
        count = store.count()
    finally:
        store.close()
    shutil.rmtree(place, ignore_errors=True)
    building.rename(place)
    return count
