"""A release whose dumps consist of parts, which an engine on many machines has written, and its small files.

The parts ``void``, ``run``, ``feed`` and ``dcat`` are those of other releases. Where ``[publish] parts`` has
``dumps``, the release always has full dumps, and the patch from the release before. What needs a store, a catalog
or documents is left to the machine that serves the release.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from bibld.config import Config
from bibld.documents import Change
from bibld.model.release import FullDumps, Manifest, PatchDumps, ReleaseFile
from bibld.protocols import PreviousRelease, ReleaseDraft
from bibld.publish._files import add_run_statements, describe_files
from bibld.publish._parts import PartitionedContents, begin_draft, write_part
from bibld.publish.dumps import describe_dumps
from bibld.publish.feed import write_changes


def begin_partitioned(
    config: Config,
    folder: Path,
    run_time: datetime,
    contents: PartitionedContents,
    previous: PreviousRelease | None,
) -> ReleaseDraft:
    """Describe the dataset and the run, and write both into an empty folder of this machine.

    ``draft.description`` are then all lines of the graph ``dataset``; ``draft.source_statements`` are already among
    the quads, the others have to be added to the dumps. Raises ``StageError``.
    """
    draft = begin_draft(config, folder, run_time, contents, contents.number, contents.delivered, previous)
    draft = msgspec.structs.replace(draft, withdraws=contents.withdraws, counts=lambda: contents.counts)
    for name in ("void", "run"):
        if name in config.publish.parts:
            draft = write_part(name, draft, config.settings("publish", name))
    return draft


def add_dumps(draft: ReleaseDraft, full: FullDumps, patch: PatchDumps | None) -> ReleaseDraft:
    """State which files the dumps consist of, in the graph ``run`` and in the manifest."""
    figures = msgspec.structs.replace(draft.manifest.figures, quads=full.quads)
    patches = () if patch is None else (patch,)
    manifest = msgspec.structs.replace(draft.manifest, figures=figures, full=full, patches=patches)
    return add_run_statements(msgspec.structs.replace(draft, manifest=manifest), describe_dumps(manifest))


def write_feed(draft: ReleaseDraft, config: Config, changes: Iterable[Change] | None) -> ReleaseDraft:
    """Write the change feed, if the release has one; ``changes`` is None where they are not known."""
    if "feed" in config.publish.parts:
        write_changes(draft, config.settings("publish", "feed"), changes)
    return draft


def complete_partitioned(draft: ReleaseDraft, config: Config, parts: Iterable[ReleaseFile]) -> Manifest:
    """Describe the files of the release in DCAT and in ``manifest.json``; ``parts`` are those that are elsewhere."""
    quads = draft.manifest.figures.quads + len(draft.run_statements)
    figures = msgspec.structs.replace(draft.manifest.figures, quads=quads)
    known = tuple(parts)
    manifest = msgspec.structs.replace(draft.manifest, figures=figures, files=describe_files(draft.folder, None, known))
    if "dcat" in config.publish.parts:
        draft = msgspec.structs.replace(draft, manifest=manifest)
        write_part("dcat", draft, config.settings("publish", "dcat"))
        manifest = msgspec.structs.replace(manifest, files=describe_files(draft.folder, None, manifest.files))
    (draft.folder / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest
