"""The copy of the triple store in a release, to serve from.

The live store is open for a moment only: Oxigraph rewrites the files of a bulk load, which are the smallest that it
has, as soon as it is open for writing, and goes on with that until it is closed.
"""

from __future__ import annotations

import msgspec

from bibld.model.iris import Iris
from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ("void", "run", "dumps")


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Replace the description and the run of the previous release in the live store, then copy the store."""
    iris = Iris(draft.manifest.dataset.base)
    graphs = (iris.graph("dataset"), iris.graph("run"))
    with draft.open_store() as live:
        removed = [line for graph in graphs for line in live.quads(graph=graph)]
        live.apply(added=[*draft.description, *draft.run_statements], removed=removed)
        live.backup(draft.folder / "store")
    return draft
