"""The index of the records, in the folder `match` of the release: `bibld match` looks up the records of files in it."""

from __future__ import annotations

import msgspec

from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ()
IN_OWN_PROCESS = True

FOLDER = "match"


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the index of the records as they are now.

    Its files are not in the manifest; features and signatures are shared with the index of the workspace by hard links.
    """
    draft.match_index(draft.folder / FOLDER)
    return draft
