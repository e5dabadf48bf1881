"""``bibld adapters``."""

from __future__ import annotations

import click

from bibld.cli._options import json_option, print_json, print_table


@click.command()
@json_option
def adapters(as_json: bool) -> None:
    """List the adapters of every stage: the names that a configuration may use."""
    from bibld import adapters as registry

    rows = [
        (
            stage,
            name,
            (registry.load_adapter(stage, name).__doc__ or "").strip().partition("\n\n")[0].replace("\n", " "),
        )
        for stage in registry.STAGES
        for name in registry.adapter_names(stage)
    ]
    rows += [(broken.stage, broken.name, f"broken: {broken.cause}") for broken in registry.broken_plugins()]
    rows.sort(key=lambda row: registry.STAGES.index(row[0]))
    if as_json:
        print_json([{"stage": stage, "name": name, "about": about} for stage, name, about in rows])
    else:
        print_table(("stage", "name", "about"), rows)
