"""``bibld enrich``: a library's own records back, with what they lack."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

import bibld
from bibld.cli._language import echo
from bibld.cli._options import config_argument, count_of, json_option, opened, print_json, printable, quiet_option

_FAULTS_SHOWN = 3
"""Additions that are left out for one reason and are shown; a dry run shows all."""


@click.command()
@config_argument
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option("--out", "-o", type=click.Path(path_type=Path), help="File to write; for more than one FILE a folder.")
@click.option("--source", help="Source of the records, for a FILE that is not among the files of CONFIG.")
@click.option("--match", is_flag=True, help="FILE is of no source: match its records with the current release.")
@click.option(
    "--elements",
    help="What is added, with commas between: identifiers, authorities, links, isbn, subjects, classification,"
    " language, abstract, contents, covers, full_text.  [default: those of source.return]",
)
@click.option("--dry-run", is_flag=True, help="Print each addition on a line; write nothing.")
@click.option("--withdraw", is_flag=True, help="Only withdraw what earlier runs added.")
@json_option
@quiet_option
def enrich(
    config: Path,
    files: tuple[Path, ...],
    out: Path | None,
    source: str | None,
    match: bool,
    elements: str | None,
    dry_run: bool,
    withdraw: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a library's own records again, with what they lack and others have.

    Each FILE is written in its format, charset and order; every byte of the records stays. Added fields are marked, and
    what an earlier run added is withdrawn first. A record that is not in the catalog is copied as it is.
    """
    if out is None and not dry_run:
        raise click.UsageError("no output: name a file or folder by --out, or use --dry-run")
    additions: list[bibld.RecordAddition] = []
    faults: Counter[str] = Counter()

    def note(addition: bibld.RecordAddition) -> None:
        if as_json:
            additions.append(addition)
        elif dry_run and not addition.fault:
            click.echo(printable(str(addition)))
        elif addition.fault:
            faults[addition.fault] += 1
            if dry_run or faults[addition.fault] <= _FAULTS_SHOWN:
                click.echo(printable(str(addition)), err=True)

    chosen = [one.strip() for one in elements.split(",")] if elements else []
    with opened(config, quiet=quiet) as workspace:
        report = workspace.enrich(
            files,
            None if dry_run else out,
            source=source,
            match=match,
            elements=chosen,  # type: ignore[arg-type]  # they are checked there
            withdraw=withdraw,
            observe=note,
        )
    if as_json:
        print_json({"report": report, "additions": additions})
        return
    parts = [count_of(report.records, "record"), f"{report.changed:,} changed"]
    parts += [f"{count_of(count, 'addition')} of {element}" for element, count in report.elements]
    parts += [f"{count:,} {what}" for count, what in _left_out(report) if count]
    echo("; ".join(parts), err=True)


def _left_out(report: bibld.EnrichmentReport) -> list[tuple[int, str]]:
    return [
        (report.unknown, "not in the catalog"),
        (report.unchangeable, "returned as they were"),
        (report.omitted, "additions left out"),
    ]
