"""Opens the current release of a workspace, to be served or written as files."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from bibld import pipeline
from bibld._api.review_desk import ReviewDesk
from bibld.catalog import Catalog
from bibld.config import Config, Remote
from bibld.ingest import public_original_of
from bibld.publish import Releases
from bibld.published import open_published, published_releases
from bibld.published.search import has_search, open_search
from bibld.serve import Settings, Site

if TYPE_CHECKING:
    from bibld._api.workspace import Workspace


def open_site(config: Config, settings: Settings, remote: Remote | None, workspace: Workspace) -> Site:
    """Open the current release, which stays on disk until it is closed, and a catalog for it alone.

    ``remote`` is the store to answer from instead of the copy in the release, ``workspace`` stores verdicts. Raises
    ``StageError`` before the first release.
    """
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
        if has_search(config.workspace, manifest.number):
            search = partial(open_search, config.workspace, manifest.number)
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
