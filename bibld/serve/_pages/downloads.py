"""The files of a release, in the order in which one who downloads them needs them."""

from __future__ import annotations

import msgspec

from bibld.model.release import Manifest, ReleaseFile


class Downloads(msgspec.Struct, frozen=True):
    """Files that belong together, and what they are."""

    caption: str
    files: tuple[ReleaseFile, ...]


def downloads(manifest: Manifest) -> list[Downloads]:
    """The full dumps, the patches that lead from them to the present, those that lead to the full dumps, the rest."""
    left = {file.name: file for file in manifest.files}
    groups: list[Downloads] = []
    since = manifest.since_full

    def put(caption: str, names: list[str]) -> None:
        files = tuple(left.pop(name) for name in names if name in left)
        if files:
            groups.append(Downloads(caption, files))

    others = [patch for patch in manifest.patches if patch not in since]
    to_full = [name for patch in others for name in (patch.removed, patch.added)]
    from_full = [name for patch in since for name in (patch.removed, patch.added)]
    if manifest.full is not None:
        full = f"Full dumps of release {manifest.full.release}, {manifest.full.created[:10]}"
        put(full, list(manifest.full.files))
        put("Changes since then, in this order: take away what was removed, add what was added", from_full)
        put(f"Changes from release {others[0].since if others else ''} to the full dumps", to_full)
    put("About this release", list(left))
    return groups
