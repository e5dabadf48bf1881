"""``bibld serve``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument


@click.command()
@config_argument
@click.option("--host", help="Address to listen on; 127.0.0.1 unless the configuration names another.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.")
@click.option(
    "--processes", type=click.IntRange(0, 256), help="Server processes; 0, the default, for one on each core."
)
@click.option(
    "--access-log", metavar="FILE|-", help="Append a line for each request to FILE, or write it to the output."
)
@click.option("--access-log-format", type=click.Choice(["combined", "json"]), help="Format of the access log.")
def serve(
    config: Path,
    host: str | None,
    port: int | None,
    processes: int | None,
    access_log: str | None,
    access_log_format: str | None,
) -> None:
    """Serve the current release of CONFIG: pages, Linked Data, SPARQL and dumps. Ctrl-C ends it.

    A release that is made meanwhile is served as soon as it is there.
    """
    from bibld import Workspace

    Workspace(config).serve(host, port, processes=processes, access_log=access_log, access_log_format=access_log_format)
