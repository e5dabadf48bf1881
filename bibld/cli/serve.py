"""``bibld serve``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from bibld.cli._options import config_argument


@click.command()
@config_argument
@click.option("--host", help="Address to listen on; 127.0.0.1 unless the configuration says otherwise.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.")
def serve(config: Path, host: str | None, port: int | None) -> None:
    """Serve the current release of CONFIG: pages, Linked Data, SPARQL and dumps. Ctrl-C ends it."""
    import msgspec

    from bibld import config as configuration
    from bibld import pipeline, serve
    from bibld.catalog import Catalog
    from bibld.intake import public_original_of

    loaded = configuration.load(config)
    release, manifest = pipeline.current_release(loaded)
    changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = msgspec.structs.replace(loaded.serve, **changes)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        original = partial(public_original_of, catalog=catalog)
        serve.serve(serve.Site(manifest, release, catalog, original, settings))
