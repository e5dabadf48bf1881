"""The prepared documents of a release, in ``published.db`` of the workspace: what the server answers with."""

from __future__ import annotations

import msgspec

from bibld import documents as published
from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ()
IN_OWN_PROCESS = True


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the documents that the changes since the previous release touch; all where those changes are not known.

    They are in no file of the release, because all releases share them.
    """
    base = draft.manifest.dataset.base
    manifest = draft.manifest
    release = published.ReleaseState(
        manifest.number, manifest.created, manifest.delivered, draft.description | draft.withdrawn
    )
    if draft.previous is not None:
        former = draft.previous.manifest
        if published.has_documents(draft.workspace, base, former.number, former.delivered):
            with draft.changes() as changes:
                published.update(draft.workspace, base, release, changes)
            return draft
    published.fill(draft.workspace, base, release, draft.blocks(), withdraw=draft.withdraws)
    return draft
