"""How a release follows on the one before: the quads that have changed, and the dumps that both build on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from datetime import datetime, timedelta
from heapq import merge
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from bibld.catalog import Catalog
from bibld.config import File
from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.model.release import FullDumps, Manifest, PatchDumps, ReleaseFile
from bibld.publish._dumps import compressed, write_dumps
from bibld.publish._releases import Releases

CONSUMER = "release"
"""What the catalog calls the last release where it keeps how far the patches have been delivered."""


class Settings(msgspec.Struct, frozen=True):
    """``keep``: how many releases stay on disk. ``full``: when the dumps are written in full: ``"always"``, or
    ``"auto"``: when those of an earlier release have grown old, or the patches to them large.
    ``full_after_days``: with ``auto``, the age in days at which full dumps are written anew. ``full_above``: with
    ``auto``, the size of all patches to the full dumps, as a share of all quads, above which they are written anew.
    ``suppress``: a CSV file of records and values that must not be published.
    """

    keep: Annotated[int, msgspec.Meta(ge=1)] = 2
    full: Literal["auto", "always"] = "auto"
    full_after_days: Annotated[int, msgspec.Meta(ge=0)] = 7
    full_above: Annotated[float, msgspec.Meta(ge=0)] = 0.05
    suppress: File = File("")


class Base(msgspec.Struct, frozen=True):
    """The release that the next one follows on, in its folder."""

    place: Path
    manifest: Manifest


class Succession(msgspec.Struct, frozen=True):
    """The dumps of a release: which full ones, the patches, the number of its quads, and the files that are those of
    the release before."""

    full: FullDumps
    patches: tuple[PatchDumps, ...]
    quads: int
    carried: tuple[ReleaseFile, ...] = ()


def base_of(catalog: Catalog, releases: Releases) -> Base | None:
    """The release that was made last, if the catalog has all patches since; else the next release stands alone. So it
    does where the last one holds what must not be published any more: it is in its dumps, and would be in a patch.

    A run that was stopped may have made a release and not noted it: then its patch is the goal of the delivery.
    """
    held = catalog.patches.delivery(CONSUMER)
    place = releases.newest()
    if catalog.suppressions.has_new():
        return None
    if held is None or place is None or not (place / "manifest.json").is_file():
        return None
    manifest = releases.manifest(place)
    return Base(place, manifest) if manifest.delivered in (held.patch, held.goal) else None


def succeed(
    base: Base | None,
    this: FullDumps,
    patch: PatchDumps | None,
    quads: Iterable[str],
    place: Path,
    settings: Settings,
) -> Succession:
    """Put dumps into the folder of release ``this``: those of the base, as hard links, where they and the patches will
    do, else new ones of all ``quads``. ``patch`` is what has changed since the base."""
    own = (patch,) if patch is not None else ()
    if base is None or patch is None or _is_due(base, this, patch, settings):
        return Succession(this, own, write_dumps(quads, place))
    manifest = base.manifest
    assert manifest.full is not None  # or full dumps were due
    for name in (names := _dumps_of(manifest)):
        _carry(base.place / name, place / name)
    count = manifest.figures.quads + patch.added_quads - patch.removed_quads
    carried = tuple(file for file in manifest.files if file.name in names)
    return Succession(manifest.full, (*manifest.since_full, *own), count, carried)


def _is_due(base: Base, this: FullDumps, patch: PatchDumps, settings: Settings) -> bool:
    full = base.manifest.full
    if settings.full == "always" or full is None:
        return True
    if not all((base.place / name).is_file() for name in _dumps_of(base.manifest)):
        return True
    age = datetime.fromisoformat(this.created) - datetime.fromisoformat(full.created)
    changed = sum(each.added_quads + each.removed_quads for each in (*base.manifest.since_full, patch))
    too_old = age >= timedelta(days=settings.full_after_days)
    return too_old or changed > settings.full_above * base.manifest.figures.quads


def _dumps_of(manifest: Manifest) -> tuple[str, ...]:
    """The names of the files that together hold the quads of a release."""
    full = manifest.full.files if manifest.full is not None else ()
    return (*full, *(name for patch in manifest.since_full for name in (patch.removed, patch.added)))


def _carry(source: Path, target: Path) -> None:
    """Have the same file in two releases; a copy where the file system knows no hard links."""
    try:
        os.link(source, target)
    except OSError:
        try:
            shutil.copyfile(source, target)
        except OSError as error:
            raise StageError(f"{target}: cannot be written: {error}") from error


def write_patch(
    catalog: Catalog, base: Base, goal: int, description: frozenset[str], number: int, place: Path
) -> PatchDumps:
    """Write what has changed since the base up to patch ``goal`` of the catalog, and in the dataset's description:
    ``added-N.nq.gz`` and ``removed-N.nq.gz``, sorted, so that the bytes depend on nothing but the quads."""
    added, removed = f"added-{number}.nq.gz", f"removed-{number}.nq.gz"
    before = _description(base)
    described = sorted((line.rstrip("\n").encode(), line in description) for line in before ^ description)
    counts = [0, 0]
    with (
        catalog.patches.net(base.manifest.delivered, goal, place) as net,
        compressed(place / removed) as gone,
        compressed(place / added) as new,
    ):
        for line, is_added in merge(net.lines(), described):
            (new if is_added else gone).write(line + b"\n")
            counts[is_added] += 1
    return PatchDumps(number, base.manifest.number, added, removed, added_quads=counts[1], removed_quads=counts[0])


def _description(base: Base) -> frozenset[str]:
    """The lines that describe the dataset in a release."""
    import pyoxigraph

    file = base.place / "void.ttl"
    graph = iri(Iris(base.manifest.dataset.base).graph("dataset"))
    try:
        quads = list(pyoxigraph.parse(path=str(file), format=pyoxigraph.RdfFormat.TURTLE))
    except (OSError, SyntaxError) as error:
        raise StageError(f"{file}: cannot be read: {error}; remove this release, then run again") from error
    return frozenset(f"{quad.triple} {graph} .\n" for quad in quads)
