"""Store: quads, or what changed in them, in; a SPARQL triple store that holds them out.

The live store holds exactly the quads that the catalog has, and beside them two graphs of the last release: its
description (``graph/dataset``) and its run (``graph/run``).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bibld import adapters
from bibld.catalog import Catalog, Delivery, digest
from bibld.config import Config
from bibld.errors import StoreError
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.progress import Progress, count_items
from bibld.protocols import Store

__all__ = ["folder", "is_current", "open_live", "settings_digest", "store"]

VERSION = 1

CONSUMER = "store"
"""What the catalog calls the live store where it keeps how far the patches have been delivered."""

_SOON_COUNTED = 1_000_000
"""A larger store is counted after a run that was stopped, and by `bibld catalog check`: counting walks through it."""
_WORTHWHILE = 0.5
"""A patch of more lines than this share of the quads takes longer than a full load."""


def folder(config: Config) -> Path:
    """Where the live store of a workspace lies."""
    return config.workspace / "store"


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on."""
    backend = config.store.backend
    return digest(VERSION, backend, config.settings("store", backend), config.dataset.base)


def open_live(config: Config, place: Path | None = None) -> Store:
    """Open the live store of a workspace (or a store of the same kind in another folder); raises ``StoreError``."""
    backend = adapters.load_adapter("store", config.store.backend)
    opened: Store = backend.open_store(place or folder(config), config.settings("store", config.store.backend))
    return opened


def is_current(catalog: Catalog, config: Config) -> bool:
    """Whether the live store is there, of the kind that is wanted, and has all patches."""
    held = _held(catalog, config)
    return held is not None and held.patch == held.goal == catalog.patches.last()


def store(catalog: Catalog, quads: Iterable[str], config: Config, progress: Progress) -> int:
    """Bring the live store up to date; gives the number of quads that were loaded, or added and removed.

    It takes the patches that it does not have yet. Where there is no store, or its settings have changed, or it is
    found damaged, it is filled anew with ``quads``, which are all quads that the catalog has. Raises ``StoreError``.
    """
    held = _held(catalog, config)
    if held is None:
        return _fill(catalog, quads, config, progress)
    try:
        done = _follow(catalog, held, config, progress)
    except StoreError as error:
        progress.report(f"store: {error}; it is filled anew")
        return _fill(catalog, quads, config, progress)
    return _fill(catalog, quads, config, progress) if done is None else done


def _held(catalog: Catalog, config: Config) -> Delivery | None:
    """What the live store has; None where there is none of the kind that is wanted."""
    held = catalog.patches.delivery(CONSUMER)
    if held is None or held.made_by != settings_digest(config) or not folder(config).is_dir():
        return None
    return held


def _fill(catalog: Catalog, quads: Iterable[str], config: Config, progress: Progress) -> int:
    """Fill a new store; the old one stays until it is complete, so that a run which is stopped leaves a whole store."""
    progress.stage("store", "quads")
    place = folder(config)
    building = place.with_name("store.building")
    shutil.rmtree(building, ignore_errors=True)
    new = open_live(config, building)
    try:
        new.load(count_items(quads, progress))
        loaded, count = new.count(), _of_catalog(new, config)
    finally:
        new.close()
    goal = catalog.patches.last()
    with catalog.commit():
        catalog.patches.begin(CONSUMER, goal)
    shutil.rmtree(place, ignore_errors=True)
    building.rename(place)
    with catalog.commit():
        catalog.patches.delivered(CONSUMER, goal, count, settings_digest(config))
    return loaded


def _follow(catalog: Catalog, held: Delivery, config: Config, progress: Progress) -> int | None:
    """Apply the patches that the store does not have; None where filling it anew is less work.

    What was begun before is ended first: half of it may be in the store already, which does no harm as long as the
    rest follows. Patches that came since cannot be summed up with it.
    """
    live = open_live(config)
    try:
        done = 0
        is_resumed = held.goal != held.patch
        for goal in sorted({held.goal, catalog.patches.last()} - {held.patch}) or [held.patch]:
            with catalog.patches.net(held.patch, goal, config.workspace) as net:
                if net.mentioned > _WORTHWHILE * held.quads:
                    return None
                with catalog.commit():
                    catalog.patches.begin(CONSUMER, goal)
                progress.stage("store", "changed quads")
                added, removed = _apply(live, net.lines, progress)
            count = held.quads + added - removed
            if is_resumed or count < _SOON_COUNTED:
                found = _of_catalog(live, config)
                if found != count:
                    raise StoreError(f"the store holds {found} quads where there should be {count}")
            with catalog.commit():
                catalog.patches.delivered(CONSUMER, goal, count, held.made_by)
            held = Delivery(goal, goal, count, held.made_by)
            done += added + removed
        return done
    finally:
        live.close()


def _apply(live: Store, patch: Callable[[], Iterable[tuple[bytes, bool]]], progress: Progress) -> tuple[int, int]:
    """Apply a patch; the number of quads added and removed. Each line occurs once, so that the order is free."""
    counts = {True: 0, False: 0}

    def lines(wanted: bool) -> Iterator[str]:
        for line, is_added in patch():
            if is_added == wanted:
                counts[wanted] += 1
                yield f"{line.decode()}\n"

    live.apply(added=count_items(lines(True), progress), removed=count_items(lines(False), progress))
    return counts[True], counts[False]


def _of_catalog(live: Store, config: Config) -> int:
    """The number of quads without those in the graphs of the last release."""
    iris = Iris(config.dataset.base)
    graphs = " ".join(iri(iris.graph(name)) for name in ("dataset", "run"))
    rows = live.query(f"SELECT (COUNT(*) AS ?n) {{ VALUES ?g {{ {graphs} }} GRAPH ?g {{ ?s ?p ?o }} }}")
    return live.count() - int(str(rows[0][0]).split('"')[1])
