"""Serves the current release of a workspace, or writes it as files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bibld import pipeline
from bibld._api.arguments import remote_store
from bibld._api.review_desk import ReviewDesk
from bibld.catalog import Catalog
from bibld.documents import open_published, published_releases
from bibld.ingest import public_original_of
from bibld.publish import Releases
from bibld.search import has_search, open_search
from bibld.serve import Settings
from bibld.serve.site import ReleaseLookup, Site, StaticSite, serve, write_static

if TYPE_CHECKING:
    from bibld._api.workspace import Workspace


def serve_site(workspace: Workspace, stated: Mapping[str, Any]) -> None:
    """Serve the current release until the process is interrupted; ``stated`` replaces settings of ``[serve]``."""
    config = workspace.config
    settings = msgspec.structs.replace(config.serve, **stated)
    pipeline.current_release(config)  # reports at once that there is none
    releases = ReleaseLookup(Releases(config.workspace).current, lambda: open_site(workspace, settings))
    serve(settings, config.dataset.base, releases)


def write_site(workspace: Workspace, folder: Path) -> StaticSite:
    """Write the current release as files into a folder."""
    return write_static(open_site(workspace, workspace.config.serve), folder, workspace.progress)


def open_site(workspace: Workspace, settings: Settings) -> Site:
    """Open the current release, which stays on disk until it is closed, and a catalog for it alone.

    Raises ``StageError`` before the first release, and ``ConfigError`` if the store of the settings is unknown.
    """
    config = workspace.config
    remote = remote_store(config, settings.store) if settings.store else None
    with ExitStack() as opening:
        lock = None
        while lock is None:  # None: it was removed between two lines, and another one is current
            release, manifest = pipeline.current_release(config)
            lock = Releases.hold(release)
        opening.callback(lock.close)
        catalog = opening.enter_context(Catalog(config.workspace, read_only=True, config_file=config.file))
        original = partial(public_original_of, catalog=catalog)
        store_settings = config.settings("store", manifest.backend)
        published = None
        if manifest.number in published_releases(config.workspace):
            published = partial(open_published, config.workspace, manifest.number)
        search = None
        if has_search(release):
            search = partial(open_search, release)
        close = opening.pop_all().close
        return Site(
            manifest,
            release,
            catalog,
            original,
            settings,
            close,
            store_settings,
            remote,
            published,
            search,
            ReviewDesk(workspace),
            lambda record: catalog.records.subfields_beside_mods(record.ordinal),
        )
