"""Publications, people, subjects and so on by their words, in ``search.db`` of the workspace: what is searched."""

from __future__ import annotations

import msgspec

from bibld.documents import open_published
from bibld.protocols import ReleaseDraft
from bibld.search import write_search

NEEDS: tuple[str, ...] = ("documents",)
IN_OWN_PROCESS = True


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the names that the release changed; all where those of the previous release are not there.

    The names are taken from the documents: the part ``documents`` has to come before. They are in no file of the
    release, because all releases share them.
    """
    previous = draft.previous.manifest.number if draft.previous is not None else None
    base = draft.manifest.dataset.base
    with open_published(draft.workspace, draft.manifest.number) as view:
        sources = [source.source for source in draft.manifest.figures.sources]
        write_search(draft.workspace, base, view, previous, draft.withdraws, sources, draft.workers)
    return draft
