"""Dumps: the quads of a release as compressed files, in full or as patches to the full dumps of an earlier release."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain
from pathlib import Path

import msgspec
import pyoxigraph

from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.rdf import iri, split_graphs
from bibld.model.release import FullDumps, Manifest, PatchDumps
from bibld.protocols import PreviousRelease, ReleaseDraft
from bibld.publish._files import ALL_GRAPHS, DEFAULT_GRAPH, FULL_DUMPS, link_or_copy, open_dump


class Settings(msgspec.Struct, frozen=True):
    """No settings; the keys of ``[publish]`` that begin with ``full`` set when full dumps are written."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the patch from the previous release; then full dumps where they are due, else link the earlier ones."""
    manifest, previous = draft.manifest, draft.previous
    patch = None if previous is None else write_patch(draft, previous)
    patches: tuple[PatchDumps, ...] = () if patch is None else (patch,)
    if previous is None or patch is None or is_full_dump_due(draft, previous, patch):
        full = FullDumps(manifest.number, manifest.created, FULL_DUMPS)
        added = "".join(sorted(draft.description - draft.source_statements)).encode()
        quads = write_full_dumps(chain(draft.blocks(), [added]), draft.folder)
    else:
        assert previous.manifest.full is not None
        full = previous.manifest.full
        patches = (*previous.manifest.since_full, patch)
        quads = previous.manifest.figures.quads + patch.added_quads - patch.removed_quads
        for name in _files_of_dumps(previous.manifest):
            link_or_copy(previous.folder / name, draft.folder / name)
    figures = msgspec.structs.replace(manifest.figures, quads=quads)
    manifest = msgspec.structs.replace(manifest, figures=figures, full=full, patches=patches)
    return msgspec.structs.replace(draft, manifest=manifest)


def write_full_dumps(blocks: Iterable[bytes], folder: Path) -> int:
    """Write all quads and those of the default graph, in the order given; return the number of quads.

    In each block the lines of the default graph come first.
    """
    count = 0
    with ExitStack() as files:
        all_graphs = [files.enter_context(open_dump(folder / name)) for name in ALL_GRAPHS]
        default_graph = [files.enter_context(open_dump(folder / name)) for name in DEFAULT_GRAPH]
        for block in blocks:
            default, named = split_graphs(block)
            count += len(default) + len(named)
            for file in all_graphs:
                file.write(block)
            triples = b"".join(default)
            for file in default_graph:
                file.write(triples)
    return count


def write_patch(draft: ReleaseDraft, previous: PreviousRelease) -> PatchDumps:
    """Write what has changed since the previous release, in the catalog and in the description of the dataset.

    The files are ``added-N.nq.gz`` and ``removed-N.nq.gz``, sorted, so that the bytes depend on the quads alone.
    """
    number = draft.manifest.number
    added_name, removed_name = f"added-{number}.nq.gz", f"removed-{number}.nq.gz"
    before = _read_description(previous)
    described = sorted((line.rstrip("\n").encode(), line in draft.description) for line in before ^ draft.description)
    added_quads = removed_quads = 0
    with (
        draft.changes() as changes,
        open_dump(draft.folder / removed_name) as removed,
        open_dump(draft.folder / added_name) as added,
    ):
        for line, is_added in merge(changes, described):
            (added if is_added else removed).write(line + b"\n")
            added_quads += is_added
            removed_quads += not is_added
    return PatchDumps(number, previous.manifest.number, added_name, removed_name, added_quads, removed_quads)


def is_full_dump_due(draft: ReleaseDraft, previous: PreviousRelease, patch: PatchDumps) -> bool:
    """Return whether the full dumps of an earlier release are missing, too old, or too far from the present."""
    full = previous.manifest.full
    if draft.settings.full == "always" or full is None:
        return True
    if not all((previous.folder / name).is_file() for name in _files_of_dumps(previous.manifest)):
        return True
    age = datetime.fromisoformat(draft.manifest.created) - datetime.fromisoformat(full.created)
    if age >= timedelta(days=draft.settings.full_after_days):
        return True
    changed = sum(each.added_quads + each.removed_quads for each in (*previous.manifest.since_full, patch))
    return bool(changed > draft.settings.full_above * previous.manifest.figures.quads)


def _files_of_dumps(manifest: Manifest) -> tuple[str, ...]:
    """Return the names of the files that together contain the quads of a release."""
    full = manifest.full.files if manifest.full is not None else ()
    return (*full, *(name for patch in manifest.since_full for name in (patch.removed, patch.added)))


def _read_description(previous: PreviousRelease) -> frozenset[str]:
    """Return the lines that describe the dataset in the previous release; none if it has no description."""
    file = previous.folder / "void.ttl"
    if previous.manifest.file(file.name) is None:
        return frozenset()
    graph = iri(Iris(previous.manifest.dataset.base).graph("dataset"))
    try:
        quads = list(pyoxigraph.parse(path=str(file), format=pyoxigraph.RdfFormat.TURTLE))
    except (OSError, SyntaxError) as error:
        raise StageError(f"{file}: cannot be read: {error}; remove this release, then run again") from error
    return frozenset(f"{quad.triple} {graph} .\n" for quad in quads)
