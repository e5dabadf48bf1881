"""``bibld serve``."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bibld.cli._options import config_argument

if TYPE_CHECKING:
    from bibld.config import Config
    from bibld.serve import Settings, Site


@click.command()
@config_argument
@click.option("--host", help="Address to listen on; 127.0.0.1 unless the configuration says otherwise.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.")
def serve(config: Path, host: str | None, port: int | None) -> None:
    """Serve the current release of CONFIG: pages, Linked Data, SPARQL and dumps. Ctrl-C ends it.

    A release that is made meanwhile is served as soon as it is there.
    """
    import msgspec

    from bibld import config as configuration
    from bibld import serve
    from bibld.publish import Releases

    loaded = configuration.load(config)
    changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = msgspec.structs.replace(loaded.serve, **changes)
    releases = serve.Releases(Releases(loaded.workspace).current, lambda: _site(loaded, settings))
    serve.serve(releases.open_current(), releases)


def _site(config: Config, settings: Settings) -> Site:
    """The current release, held until it is closed, with a catalog opened for it alone."""
    from bibld import pipeline
    from bibld.catalog import Catalog
    from bibld.ingest import public_original_of
    from bibld.publish import Releases
    from bibld.serve import Site

    with ExitStack() as opening:
        held = None
        while held is None:  # None: it was let go of between two lines, and another one is current
            release, manifest = pipeline.current_release(config)
            held = Releases.hold(release)
        opening.callback(held.close)
        catalog = opening.enter_context(Catalog(config.workspace, read_only=True))
        original = partial(public_original_of, catalog=catalog)
        store_settings = config.settings("store", manifest.backend)
        return Site(manifest, release, catalog, original, settings, opening.pop_all().close, store_settings)
