"""Publications, people, subjects and so on by their words, in the folder `search` of the release: what is searched."""

from __future__ import annotations

import msgspec

from bibld.documents import open_published
from bibld.protocols import ReleaseDraft
from bibld.search import write_search

NEEDS: tuple[str, ...] = ("documents",)
IN_OWN_PROCESS = True

_FORMER_FILES = ("search.db", "search.db-wal", "search.db-shm")
"""What earlier versions wrote into the workspace."""


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the index of the release: that of the previous release with what has changed, or all of it.

    The names are taken from the documents: the part ``documents`` has to come before. The files of the index are not in
    the manifest; those that have not changed are shared with the previous release by hard links.
    """
    previous = None if draft.previous is None or draft.withdraws else draft.previous.folder
    with open_published(draft.workspace, draft.manifest.number) as view:
        write_search(draft.folder, draft.manifest.dataset.base, view, previous, draft.workers)
    for name in _FORMER_FILES:
        (draft.workspace / name).unlink(missing_ok=True)
    return draft
