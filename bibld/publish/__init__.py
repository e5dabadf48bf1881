"""Publish: the live store and what has changed in it in; a release out.

A release is a folder that is complete in itself: full dumps, the patches that lead from them to the present, the
description of the dataset (VoID), a copy of the store to serve from, the provenance of the run, and a manifest with the
checksum of every file. Each of these parts is written by an adapter; ``[publish] parts`` chooses them and their order.
Full dumps are not written for every release: the others build on those of an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from bibld import documents as published
from bibld.catalog import Catalog, digest
from bibld.config import Config
from bibld.model.release import Manifest, SourceFigures
from bibld.parallel import worker_count
from bibld.progress import Progress
from bibld.protocols import PreviousRelease, adapters
from bibld.publish._files import has_all_graphs as has_all_graphs
from bibld.publish._files import media_type as media_type
from bibld.publish._files import open_dump as open_dump
from bibld.publish._parts import Contents as Contents
from bibld.publish._parts import OpenStore as OpenStore
from bibld.publish._parts import PartitionedContents as PartitionedContents
from bibld.publish._parts import add_dumps as add_dumps
from bibld.publish._parts import begin_draft, bind_draft, complete_draft, write_parts
from bibld.publish._parts import begin_partitioned as begin_partitioned
from bibld.publish._parts import complete_partitioned as complete_partitioned
from bibld.publish._parts import write_feed as write_feed
from bibld.publish._releases import Releases as Releases
from bibld.publish._releases import ReleaseSummary as ReleaseSummary
from bibld.publish._releases import writing
from bibld.publish._verify import ReleaseCheck as ReleaseCheck
from bibld.publish._verify import Verification as Verification
from bibld.publish._verify import verify as verify
from bibld.publish._works import WorkReader as WorkReader
from bibld.publish.dumps import description_changes as description_changes
from bibld.search import has_search

VERSION = 7

CONSUMER = "release"
"""The name of the last release in the catalog's table of delivered patches."""


DOCUMENTS = "documents"
"""The part that writes ``published.db``."""

SEARCH = "search"
"""The part that writes the search index."""


def settings_digest(config: Config, sources: Sequence[SourceFigures]) -> str:
    """Return a hash of the version, the settings and the figures of the sources that a release depends on."""
    parts = [(name, config.settings("publish", name)) for name in config.publish.parts]
    return digest(VERSION, config.dataset, config.store.backend, config.store.named_provenance, parts, sources)


def is_current(catalog: Catalog, releases: Releases, made_by: str, config: Config) -> bool:
    """Whether the last release was made by the same, under the same suppressions, and has all patches and documents.

    Its names to search have to be there too, in the format of this version.
    """
    delivered = catalog.patches.delivery(CONSUMER)
    folder = releases.current()
    if folder is None or (
        DOCUMENTS in config.publish.parts
        and not published.has_documents(config.workspace, config.dataset.base, int(folder.name))
    ):
        return False
    if SEARCH in config.publish.parts and not has_search(folder):
        return False
    return (
        delivered is not None
        and delivered.made_by == made_by
        and delivered.patch == delivered.goal == catalog.patches.last()
        and not catalog.suppressions.has_changes()
    )


def publish(
    catalog: Catalog,
    open_store: OpenStore,
    contents: Contents,
    config: Config,
    run_time: datetime,
    progress: Progress,
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
        scorer = config.settings("dedup.score", config.dedup.score)
        draft = msgspec.structs.replace(
            begin_draft(config, folder, run_time, contents, number, goal, previous),
            withdrawn=frozenset(contents.withdrawn),
            withdraws=catalog.suppressions.has_new(),
            thresholds={name: getattr(scorer, name) for name in ("same", "review") if hasattr(scorer, name)},
            workers=worker_count(config.workers),
        )
        draft = bind_draft(draft, contents, catalog, goal, open_store)
        # Those parts that describe the files of the release come after all others.
        parts = {name: adapters.load_adapter("publish", name) for name in config.publish.parts}
        last = [name for name, part in parts.items() if getattr(part, "DESCRIBES_FILES", False)]
        draft = write_parts(draft, [name for name in parts if name not in last], config, contents, goal)
        has_dumps = draft.manifest.full is not None
        if has_dumps:
            quads = draft.manifest.figures.quads + len(draft.run_statements)
        else:
            with open_store() as live:
                quads = live.count()
        manifest = complete_draft(draft, last, config, quads)
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
