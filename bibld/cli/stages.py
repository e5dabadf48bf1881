"""``bibld dedup``, ``merge``, ``triplify``, ``store`` and ``publish``: the pipeline up to one stage."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import (
    clock,
    config_argument,
    json_option,
    print_json,
    quiet_option,
    rebuild_option,
    restat_option,
)

_HELP = {
    "dedup": "Find the records that describe the same publication, and group them in clusters.",
    "merge": "Merge the records of each cluster into one description that keeps the source of every value.",
    "triplify": "Turn merged descriptions into quads.",
    "store": "Load the quads into the triple store.",
    "publish": "Make a release of dumps, dataset description and store.",
}


def _command(stage: str) -> click.Command:
    @click.command(stage, help=f"{_HELP[stage]}\n\nStages before it are brought up to date first.")
    @config_argument
    @restat_option
    @rebuild_option
    @json_option
    @quiet_option
    def command(config: Path, restat: bool, rebuild: bool, as_json: bool, quiet: bool) -> None:
        from bibld import config as configuration
        from bibld import pipeline, progress
        from bibld.cli._summary import print_summary

        loaded = configuration.load(config)
        with progress.display(quiet=quiet) as shown:
            summary = pipeline.run(loaded, clock(), shown, until=stage, restat=restat, rebuild=rebuild)
        if as_json:
            print_json(summary)
        else:
            print_summary(summary)

    return command


dedup = _command("dedup")
merge = _command("merge")
triplify = _command("triplify")
store = _command("store")
publish = _command("publish")
