"""``bibld releases`` and ``bibld rollback``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table


@click.command()
@config_argument
@json_option
def releases(config: Path, as_json: bool) -> None:
    """List the releases of CONFIG on disk, with what they contain and which one is current.

    A release that a server uses stays on disk; one that was withdrawn is removed as soon as no server uses it. If the
    last run was on Spark, the releases in its storage are listed, too.
    """
    from bibld import Workspace

    found = Workspace(config).releases()
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
        dumps = f"of {each.full_dumps}" + (f" + {each.patches}" if each.patches else "") if each.full_dumps else "none"
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
    from bibld import Workspace

    workspace = Workspace(config)
    current = workspace.roll_back(number)
    newest = max(each.release for each in workspace.releases("local"))
    click.echo(f"release {current} is current" + (f"; the newest one is {newest}" if newest != current else ""))
