"""``bibld validate``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bibld.cli._options import config_argument, count_of, json_option, print_json, print_table, quiet_option
from bibld.cli._terminal import printable

if TYPE_CHECKING:
    from bibld.validate import Severity, ShapeFinding, ValidationReport

_VIOLATIONS = 1
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@config_argument
@click.option(
    "--report",
    type=_FILE,
    help="Write the results into this file, as sh:ValidationReport (N-Triples, which is Turtle).",
)
@click.option("--shapes", type=_FILE, help="Check against the shapes (SHACL, Turtle) in this file instead of bibld's.")
@click.option(
    "--severity",
    type=click.Choice(["violation", "warning", "info"]),
    default="info",
    show_default=True,
    help="Leave out results that are less severe than this.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Results of each constraint that are written into the report; all are counted. 0: all.",
)
@quiet_option
@json_option
def validate(
    config: Path,
    report: Path | None,
    shapes: Path | None,
    severity: Severity,
    limit: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Check all statements of CONFIG against the shapes of the ontology (SHACL).

    Prints, for each constraint that is not fulfilled, the number of results, what they mean, and three examples. The
    exit code is 1 if anything has the severity violation; warnings and infos do not change it.
    """
    from bibld import Workspace, progress
    from bibld.validate import ReportSettings

    with progress.display(quiet=quiet) as display:
        workspace = Workspace(config, progress=display)
        found = workspace.validate(shapes, ReportSettings(report, severity, limit))
    if as_json:
        print_json(found)
    else:
        _print_report(found, config)
    if not found.conforms:
        sys.exit(_VIOLATIONS)


def _print_report(report: ValidationReport, config: Path) -> None:
    columns = ("shape", "nodes", "violations", "warnings", "infos")
    rows = [(each.shape, each.nodes, each.violations, each.warnings, each.infos) for each in report.shapes]
    print_table(columns, rows)
    for finding in report.findings:
        click.echo()
        _print_finding(finding)
    click.echo()
    numbers = (report.count("violation"), report.count("warning"), report.count("info"))
    nouns = ("violation", "warning", "info")
    counts = [count_of(number, noun) for number, noun in zip(numbers, nouns, strict=True) if number]
    click.echo(f"{count_of(report.statements, 'statement')}, {', '.join(counts) or 'no violations'}")
    if report.findings:
        click.echo(f"`bibld explain {shlex.quote(str(config))} IRI` shows what a description is made from", err=True)


def _print_finding(finding: ShapeFinding) -> None:
    place = f"{finding.shape}, {finding.path}" if finding.path else finding.shape
    click.echo(f"{finding.severity}: {place}: {count_of(finding.count, 'result')} of {finding.component}")
    click.echo(f"  {printable(finding.meaning)}")
    for example in finding.examples:
        value = "" if example.value is None else f"  {printable(example.value)}"
        click.echo(f"    {printable(example.focus)}{value}")
    if finding.count > len(finding.examples):
        click.echo(f"    … and {finding.count - len(finding.examples):,} more")
