"""``bibld serve``, ``harvest``, ``releases`` and ``rollback``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import bibld
from bibld.cli._language import echo
from bibld.cli._options import config_argument, json_option, opened, print_json, print_table, quiet_option
from bibld.cli.run import KEPT_OLD_STATE


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
    bibld.Workspace(config).serve(
        host, port, processes=processes, access_log=access_log, access_log_format=access_log_format
    )


@click.command()
@config_argument
@click.argument("source", required=False)
@click.option(
    "--full", is_flag=True, help="Fetch the whole list, as if nothing were stored; what is absent is removed."
)
@click.option("--since", default="", metavar="DATE", help="Fetch what changed since this day or time (2026-01-31).")
@click.option("--limit", type=click.IntRange(1), default=None, help="Stop after this number of records (partial).")
@click.option("--dry-run", is_flag=True, help="Only ask the servers who they are and what they would be asked for.")
@json_option
@quiet_option
def harvest(
    config: Path,
    source: str | None,
    full: bool,
    since: str,
    limit: int | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fetch what the servers of CONFIG offer into the workspace: all sources, or one.

    Each source ends with one line: complete (the end of what was asked for was proven), partial (what came is used,
    nothing is deleted) or failed. Exit code 4: a source is not complete. What a server did wrong is written to
    WORKSPACE/reports/SOURCE.html and .json, fit to be sent to its owner. `bibld run` harvests first, too.
    """
    if since and full:
        raise click.UsageError("--since and --full exclude each other")
    with opened(config, quiet=quiet) as workspace:
        if dry_run:
            results = workspace.probe(source)
        else:
            results = workspace.harvest(source, full=full, since=since, limit=limit or 0)
    if as_json:
        print_json(results)
    else:
        for result in results:
            echo(result.line)
    if any(result.outcome in ("partial", "failed") for result in results):
        sys.exit(KEPT_OLD_STATE)


@click.command()
@config_argument
@json_option
def releases(config: Path, as_json: bool) -> None:
    """List the releases of CONFIG on disk, with what they contain and which one is current.

    A release that a server uses stays on disk; one that was withdrawn is removed as soon as no server uses it. If the
    last run was on Spark, the releases in its storage are listed, too.
    """
    found = bibld.Workspace(config).releases()
    if as_json:
        print_json(found)
        return
    rows = []
    for each in found:
        states = {
            "current": each.is_current,
            "served": each.is_served,
            "withdrawn": each.is_withdrawn,
            "on Spark": each.engine == "spark",
        }
        dumps = str(each.full_dumps) + (f" + {each.patches}" if each.patches else "") if each.full_dumps else "none"
        state = ", ".join(name for name, is_so in states.items() if is_so)
        row = (each.release, each.created, each.records, each.quads, each.file_bytes, each.store_bytes, dumps, state)
        rows.append(row)
    print_table(("release", "created", "records", "quads", "bytes", "bytes of store", "full dumps", "state"), rows)


@click.command()
@config_argument
@click.argument("number", type=click.IntRange(1), required=False)
def rollback(config: Path, number: int | None) -> None:
    """Make another release of CONFIG current: NUMBER, or the one before the current one.

    Running servers follow. The next run that changes anything makes a release that follows on the newest one, and it
    becomes current. A release that was withdrawn cannot become current again.
    """
    workspace = bibld.Workspace(config)
    current = workspace.roll_back(number)
    newest = max(each.release for each in workspace.releases("local"))
    echo(f"release {current} is current" + (f"; the newest one is {newest}" if newest != current else ""))
