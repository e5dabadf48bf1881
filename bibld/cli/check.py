"""``bibld check``: the configuration, and the files and servers that it names."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli._options import (
    config_argument,
    json_option,
    print_findings,
    print_json,
    print_rows,
    quiet_option,
)
from bibld.cli.run import KEPT_OLD_STATE, STAGE_FAILED


@click.command()
@config_argument
@json_option
@quiet_option
def check(config: Path, as_json: bool, quiet: bool) -> None:
    """Check CONFIG, its sources and its workspace without changing anything.

    Faults of the configuration are reported all at once, with file, line and what is allowed (exit code 2). Then the
    files of the sources are read as a run reads them, and their first records are converted: a source in doubt
    (missing, empty, cut off, damaged, no catalogue) is reported with exit code 4, as by a run. Servers are asked who
    they are, and one that does not answer is such a source too. Exit code 1: a run could not write.
    """
    from bibld import check_sources, progress

    with progress.display(quiet=quiet) as display:
        report = check_sources(config, progress=display)
    if as_json:
        print_json(report)
    else:
        print_rows(report.files, "source", "file", "bytes", "carrier", "charset", "flavour", "records")
        for text in report.servers:
            click.echo(text)
    print_findings(report.findings, err=True)
    if report.faults or report.doubts:
        sys.exit(STAGE_FAILED if report.faults else KEPT_OLD_STATE)
    if not as_json:
        click.echo(f"{config}: configuration is valid")
