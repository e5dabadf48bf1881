"""``bibld adapters``."""

from __future__ import annotations

import click

from bibld.cli._options import json_option, print_json, print_table

_STAGES = ("harvest", "read", "crosswalk", "dedup.block", "dedup.match", "merge", "store")


@click.command()
@json_option
def adapters(as_json: bool) -> None:
    """List the adapters of every stage: the names that a configuration may use."""
    from bibld import adapters as registry

    rows = [
        (stage, name, (registry.find(stage, name).__doc__ or "").strip().partition("\n\n")[0].replace("\n", " "))
        for stage in _STAGES
        for name in registry.names(stage)
    ]
    if as_json:
        print_json([{"stage": stage, "name": name, "about": about} for stage, name, about in rows])
    else:
        print_table(("stage", "name", "about"), rows)
