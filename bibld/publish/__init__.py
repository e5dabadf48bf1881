"""Publish: the live store and what has changed in it in; a release out.

A release is a folder that is complete in itself: full dumps, the patches that lead from them to the present, the
description of the dataset (VoID), a copy of the store to serve from, the provenance of the run, and a manifest with the
checksum of every file. Each of these parts is written by an adapter; ``[publish] parts`` chooses them and their order.
Full dumps are not written for every release: the others build on those of an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from bibld import adapters, published
from bibld.catalog import Catalog, digest
from bibld.config import Config, File
from bibld.errors import BibldError, StageError
from bibld.model.iris import Iris
from bibld.model.linkage import Merged
from bibld.model.release import Figures, Manifest, QuadCounts, SourceFigures
from bibld.progress import Progress
from bibld.protocols import PreviousRelease, ReleaseDraft, Store
from bibld.publish._files import describe_files
from bibld.publish._releases import Releases, ReleaseSummary, writing
from bibld.publish._verify import ReleaseCheck, Verification, verify

__all__ = [
    "Contents",
    "ReleaseCheck",
    "ReleaseSummary",
    "Releases",
    "Settings",
    "Verification",
    "is_current",
    "publish",
    "settings_digest",
    "verify",
]

VERSION = 6

CONSUMER = "release"
"""The name of the last release in the catalog's table of delivered patches."""


DOCUMENTS = "documents"
"""The part that writes ``published.db``."""


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish]``.

    ``keep``: how many releases stay on disk. ``full``: when the dumps are written in full: ``"always"``, or
    ``"auto"``: when those of an earlier release have grown old, or the patches to them large.
    ``full_after_days``: with ``auto``, the age in days at which full dumps are written again. ``full_above``: with
    ``auto``, the size of all patches to the full dumps, as a share of all quads, above which they are written again.
    ``suppress``: a CSV file of records and values that must not be published. ``parts``: which adapters write the
    release, in this order; statements about the dataset that a part adds are published when it comes before ``void``.
    """

    keep: Annotated[int, msgspec.Meta(ge=1)] = 2
    full: Literal["auto", "always"] = "auto"
    full_after_days: Annotated[int, msgspec.Meta(ge=0)] = 7
    full_above: Annotated[float, msgspec.Meta(ge=0)] = 0.05
    suppress: File = File("")
    parts: tuple[str, ...] = ("void", "run", "documents", "search", "dumps", "store", "sitemap", "feed", "dcat")


class Contents(msgspec.Struct, frozen=True):
    """What is published: the figures, and all quads in the order of the dump (each call of ``blocks`` begins again).

    A block is some lines, those of the default graph first; ``counts`` counts all of them.
    ``made_by`` is the digest of the settings and sources, ``source_statements`` are the quads that describe the
    sources, ``examples`` resource IRIs to try. ``withdrawn`` are the lines about records that must not be published.
    """

    made_by: str
    figures: Figures
    blocks: Callable[[], Iterable[bytes]]
    counts: Callable[[], QuadCounts]
    source_statements: Sequence[str]
    examples: Sequence[str]
    withdrawn: Sequence[str] = ()


def settings_digest(config: Config, sources: Sequence[SourceFigures]) -> str:
    """Return a hash of the version, the settings and the figures of the sources that a release depends on."""
    parts = [(name, config.settings("publish", name)) for name in config.publish.parts]
    return digest(VERSION, config.dataset, config.store.backend, parts, sources)


def is_current(catalog: Catalog, releases: Releases, made_by: str, config: Config) -> bool:
    """Whether the last release was made by the same, under the same suppressions, and has all patches and documents."""
    delivered = catalog.patches.delivery(CONSUMER)
    place = releases.current()
    if place is None or (
        DOCUMENTS in config.publish.parts
        and not published.has_documents(config.workspace, config.dataset.base, int(place.name))
    ):
        return False
    return (
        delivered is not None
        and delivered.made_by == made_by
        and delivered.patch == delivered.goal == catalog.patches.last()
        and not catalog.suppressions.has_changes()
    )


def publish(
    catalog: Catalog, store: Store, contents: Contents, config: Config, run_time: datetime, progress: Progress
) -> Manifest:
    """Make the next release from the live store and the patches since the last one.

    Where something must not be published any more, it has full dumps and no patch, and all earlier releases are
    removed. Raises ``StageError``.
    """
    progress.stage("publish", "files")
    releases = Releases(config.workspace)
    with writing(releases.folder):
        previous = find_previous(catalog, releases)
        goal = catalog.patches.last()
        number, folder = releases.begin()
        manifest = Manifest(
            number=number,
            created=run_time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            made_by=contents.made_by,
            dataset=config.dataset,
            figures=contents.figures,
            files=(),
            delivered=goal,
            backend=config.store.backend,
        )
        draft = ReleaseDraft(
            manifest=manifest,
            folder=folder,
            previous=previous,
            store=store,
            blocks=contents.blocks,
            counts=contents.counts,
            changes=lambda: _open_changes(catalog, goal, previous, folder),
            merged=lambda: _merged(catalog, Iris(config.dataset.base)),
            examples=tuple(contents.examples),
            settings=config.publish,
            source_statements=frozenset(contents.source_statements),
            description=frozenset(contents.source_statements),
            withdrawn=frozenset(contents.withdrawn),
            withdraws=catalog.suppressions.has_new(),
        )
        manifest = _write_parts(draft, config)
        (folder / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        with catalog.commit():
            catalog.patches.begin(CONSUMER, goal)
        releases.complete(number, folder, config.publish.keep)
        if catalog.suppressions.has_new():
            releases.withdraw_before(number)
        if DOCUMENTS in config.publish.parts:
            published.remove_unneeded(config.workspace, releases.kept())
        with catalog.commit():
            catalog.suppressions.mark_released()
            catalog.patches.delivered(CONSUMER, goal, manifest.figures.quads, contents.made_by)
        return manifest


def find_previous(catalog: Catalog, releases: Releases) -> PreviousRelease | None:
    """Return the release that was made last if the catalog has all patches since; None: the next one has no patch.

    So it has none where the last one contains what must not be published any more: that would be in the patch, too. A
    run that was stopped may have made a release and not noted it: then its patch is the goal of the delivery.
    """
    delivered = catalog.patches.delivery(CONSUMER)
    folder = releases.newest()
    if catalog.suppressions.has_new() or delivered is None or folder is None:
        return None
    if not (folder / "manifest.json").is_file():
        return None
    manifest = releases.manifest(folder)
    return PreviousRelease(folder, manifest) if manifest.delivered in (delivered.patch, delivered.goal) else None


@contextmanager
def _open_changes(
    catalog: Catalog, goal: int, previous: PreviousRelease | None, folder: Path
) -> Iterator[Iterator[tuple[bytes, bool]]]:
    after = previous.manifest.delivered if previous is not None else goal
    with catalog.patches.net(after, goal, folder) as net:
        yield net.lines()


def _merged(catalog: Catalog, iris: Iris) -> Iterator[tuple[str, Merged]]:
    """Yield the description of each cluster, without suppressed values."""
    for founder in catalog.linkage.founders():
        merged = catalog.descriptions.merged(founder)
        yield iris.resource(merged.cluster.founder), merged


def _write_parts(draft: ReleaseDraft, config: Config) -> Manifest:
    """Write all parts; those that describe the files of the release come after all others."""
    parts = {name: adapters.load_adapter("publish", name) for name in config.publish.parts}
    last = [name for name, part in parts.items() if getattr(part, "DESCRIBES_FILES", False)]
    for name in parts:
        if name not in last:
            draft = _write_part(draft, config, name, parts[name])
    in_dumps = draft.manifest.figures.quads
    quads = draft.store.count() if draft.manifest.full is None else in_dumps + len(draft.run_statements)
    figures = msgspec.structs.replace(draft.manifest.figures, quads=quads)
    files = describe_files(draft.folder, draft.previous)
    manifest = msgspec.structs.replace(draft.manifest, figures=figures, files=files)
    for name in last:
        draft = _write_part(msgspec.structs.replace(draft, manifest=manifest), config, name, parts[name])
        files = describe_files(draft.folder, draft.previous, manifest.files)
        manifest = msgspec.structs.replace(draft.manifest, files=files)
    return manifest


def _write_part(draft: ReleaseDraft, config: Config, name: str, part: Any) -> ReleaseDraft:  # noqa: ANN401
    try:
        written: ReleaseDraft = part.write(draft, config.settings("publish", name))
        return written
    except (BibldError, OSError):
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise StageError(
            f'part "{name}" of the release failed: {cause}; report this to its authors, or remove it from [publish]'
            " parts, unless the store adapter is the cause"
        ) from error
