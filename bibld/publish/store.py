"""The copy of the triple store in a release, to serve from."""

from __future__ import annotations

import msgspec

from bibld.model.iris import Iris
from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ("void", "run", "documents", "search", "dumps")
"""Also the parts that take long: a triple store may go on joining its files after a bulk load, and what it joins after
it was copied is on disk twice."""


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Replace the description and the run of the previous release in the live store, then copy the store."""
    iris = Iris(draft.manifest.dataset.base)
    graphs = (iris.graph("dataset"), iris.graph("run"))
    removed = [line for graph in graphs for line in draft.store.quads(graph=graph)]
    draft.store.apply(added=[*draft.description, *draft.run_statements], removed=removed)
    draft.store.backup(draft.folder / "store")
    return draft
