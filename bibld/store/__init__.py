"""Store: quads, or the changes in them, in; a triple store that answers SPARQL out.

The live store contains exactly the quads of the catalog, and beside them two graphs of the last release: its
description (``graph/dataset``) and its run (``graph/run``).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from bibld.catalog import Catalog, Delivery, digest
from bibld.config import Config
from bibld.errors import StoreError
from bibld.model.iris import Iris
from bibld.model.rdf import iri, line_in_default_graph, move_to_default_graph
from bibld.progress import Progress
from bibld.protocols import Store, adapters
from bibld.store._delivery import MAX_PATCH_SHARE, Patch, apply_patch
from bibld.store._delivery import Delivered as Delivered
from bibld.store._delivery import RemoteContents as RemoteContents
from bibld.store._delivery import consumer_of as consumer_of
from bibld.store._delivery import deliver as deliver
from bibld.store._delivery import forget_others as forget_others

VERSION = 1

CONSUMER = "store"
"""The name of the live store in the catalog's table of delivered patches."""

_MAX_COUNTED_QUADS = 1_000_000
"""A larger store is counted only after a run that was stopped, because counting reads all of it."""


def folder(config: Config) -> Path:
    """Return the folder of the live store of a workspace."""
    return config.workspace / "store"


def settings_digest(config: Config) -> str:
    """Return a hash of the version and of all settings that the store depends on."""
    backend = config.store.backend
    return digest(VERSION, backend, config.settings("store", backend), config.dataset.base, config.graph_in_default)


def release_statements(config: Config) -> dict[str, list[str]]:
    """Return the statements about the last release that the live store has, by the IRI of their graph."""
    iris = Iris(config.dataset.base)
    with closing(open_live(config)) as live:
        return {graph: list(live.quads(graph=graph)) for graph in (iris.graph("dataset"), iris.graph("run"))}


def open_live(config: Config, path: Path | None = None) -> Store:
    """Open the live store of a workspace (or a store of the same kind in another folder); raises ``StoreError``."""
    backend = adapters.load_adapter("store", config.store.backend)
    live: Store = backend.open_store(path or folder(config), config.settings("store", config.store.backend))
    return live


def is_current(catalog: Catalog, config: Config) -> bool:
    """Whether the live store exists, was made with the present settings, and has all patches."""
    delivery = _find_delivery(catalog, config)
    return delivery is not None and delivery.patch == delivery.goal == catalog.patches.last()


def store(catalog: Catalog, blocks: Iterable[bytes], config: Config, progress: Progress) -> int:
    """Bring the live store up to date; returns the number of quads that were loaded, or added and removed.

    It takes the patches that it does not have yet. Where there is no store, its settings have changed, or it is
    damaged, it is filled again with all quads of the catalog, in blocks of lines. Raises ``StoreError``.
    """
    delivery = _find_delivery(catalog, config)
    done = None
    if delivery is not None:
        try:
            done = _apply_patches(catalog, delivery, config, progress)
        except StoreError as error:
            progress.warn(f"store: {error}; the store is filled again")
    return _fill(catalog, blocks, config, progress) if done is None else done


def count_catalog_quads(live: Store, config: Config) -> int:
    """Return the number of quads in a store without those in the graphs of the last release."""
    iris = Iris(config.dataset.base)
    graphs = " ".join(iri(iris.graph(name)) for name in ("dataset", "run"))
    rows = live.query(f"SELECT (COUNT(*) AS ?n) {{ VALUES ?g {{ {graphs} }} GRAPH ?g {{ ?s ?p ?o }} }}")
    return live.count() - int(str(rows[0][0]).split('"')[1])


def _find_delivery(catalog: Catalog, config: Config) -> Delivery | None:
    """Return which patches the live store has; None where there is no store made with the present settings."""
    delivery = catalog.patches.delivery(CONSUMER)
    if delivery is None or delivery.made_by != settings_digest(config) or not folder(config).is_dir():
        return None
    return delivery


def _fill(catalog: Catalog, blocks: Iterable[bytes], config: Config, progress: Progress) -> int:
    """Fill a new store beside the old one, which stays until then: a run that is stopped leaves a complete store."""
    progress.stage("store", "quads")
    final = folder(config)
    building = final.with_name("store.building")
    shutil.rmtree(building, ignore_errors=True)

    in_default_graph = config.graph_in_default.encode()

    def counted_blocks() -> Iterator[bytes]:
        for block in blocks:
            yield move_to_default_graph(block, in_default_graph)
            progress.advance(block.count(b"\n"))

    with closing(open_live(config, building)) as new:
        new.load(counted_blocks())
        loaded = new.count()
        count = count_catalog_quads(new, config)
    goal = catalog.patches.last()
    with catalog.commit():
        catalog.patches.begin(CONSUMER, goal)
    shutil.rmtree(final, ignore_errors=True)
    building.rename(final)
    with catalog.commit():
        catalog.patches.delivered(CONSUMER, goal, count, settings_digest(config))
    return loaded


def _apply_patches(catalog: Catalog, delivery: Delivery, config: Config, progress: Progress) -> int | None:
    """Apply the patches that the store does not have; None where filling it again is less work.

    What an earlier run began is ended first: half of it may be in the store already, which does no harm as long as the
    rest follows. Patches that came since cannot be summed up with it.
    """
    with closing(open_live(config)) as live:
        done = 0
        is_resumed = delivery.goal != delivery.patch
        for goal in sorted({delivery.goal, catalog.patches.last()} - {delivery.patch}) or [delivery.patch]:
            with catalog.patches.net(delivery.patch, goal, config.workspace) as net:
                if net.mentioned > MAX_PATCH_SHARE * delivery.quads:
                    return None
                with catalog.commit():
                    catalog.patches.begin(CONSUMER, goal)
                progress.stage("store", "changed quads")
                added, removed = apply_patch(live, partial(_as_stored, net.lines, config), progress)
            count = delivery.quads + added - removed
            if is_resumed or count < _MAX_COUNTED_QUADS:
                found = count_catalog_quads(live, config)
                if found != count:
                    raise StoreError(f"the live store has {found} quads, but {count} were expected")
            with catalog.commit():
                catalog.patches.delivered(CONSUMER, goal, count, delivery.made_by)
            delivery = Delivery(goal, goal, count, delivery.made_by)
            done += added + removed
        return done


def _as_stored(patch: Patch, config: Config) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a patch as the live store has them."""
    graph = config.graph_in_default.encode()
    for line, is_added in patch():
        yield line_in_default_graph(line, graph), is_added
