"""``bibld catalog``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli import Group
from bibld.cli._options import (
    config_argument,
    count_of,
    json_option,
    print_findings,
    print_json,
    print_rows,
    quiet_option,
    source_option,
)

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group(cls=Group)
def catalog() -> None:
    """Look into the catalog of a workspace, check it, mend it, back it up, export it."""


@catalog.command()
@config_argument
@source_option
@json_option
def rejects(config: Path, source: str | None, as_json: bool) -> None:
    """List the pieces that became no record: their place, and the reason.

    With --json also their bytes, in base64.
    """
    from bibld import Workspace

    found = Workspace(config).rejects(source)
    if as_json:
        print_json(found)
        return
    for reject in found:
        click.echo(f"{reject} [{reject.kind}, {count_of(len(reject.original), 'byte')} stored]")


@catalog.command()
@config_argument
@click.option("--what", type=click.Choice(["mods", "original"]), default="mods", show_default=True)
@source_option
@click.option("--out", type=_FOLDER, help="Write files into this folder instead of standard output.")
@quiet_option
def export(config: Path, what: str, source: str | None, out: Path | None, quiet: bool) -> None:
    """Write all source records that are not deleted: their MODS, or the original bytes as they were read.

    Suppressed records are among them: the files are not for the public.

    MODS is one modsCollection, with --out one for each source. Originals are one file for each file that they come
    from, which can be read again; on standard output they must be of one source and one kind of file.
    """
    from bibld import Workspace, progress

    with progress.display(quiet=quiet) as display:
        workspace = Workspace(config, progress=display)
        if what == "mods":
            workspace.export_mods(out or sys.stdout.buffer, source)
            return
        written = workspace.export_originals(out or sys.stdout.buffer, source)
    if out is not None:
        print_rows(written, *written.columns)


@catalog.command()
@config_argument
@click.option("--all", "all_records", is_flag=True, help="Read every stored record, not a sample of a thousand.")
@click.option("--repair", is_flag=True, help="Mend what can be made again; register.db is never changed.")
@json_option
@quiet_option
def check(config: Path, all_records: bool, repair: bool, as_json: bool, quiet: bool) -> None:
    """Check the workspace: databases, stored records, clusters, index, live store, releases.

    Reports each fault with its remedy, and ends with 1 unless there is none or all were mended. With --repair what can
    be made again is removed, so that the next `bibld run CONFIG` rebuilds it.
    """
    from bibld import Workspace, progress

    with progress.display(quiet=quiet) as display:
        workspace = Workspace(config, progress=display)
        report = workspace.check(all_records=all_records, repair=repair)
    if as_json:
        print_json(report)
    else:
        print_findings(report.findings)
        if not report.findings:
            click.echo(f"{count_of(report.records, 'record')} checked: no faults")
        elif any(finding.mended for finding in report.findings):
            click.echo(f"run `{workspace.run_command}` now")
    if not report.is_well:
        sys.exit(1)


@catalog.command()
@config_argument
@click.argument("folder", type=_FOLDER)
@click.option("--register-only", is_flag=True, help="Copy only register.db, which cannot be made again.")
@json_option
@quiet_option
def backup(config: Path, folder: Path, register_only: bool, as_json: bool, quiet: bool) -> None:
    """Copy register.db and catalog.db into a new FOLDER, as they are at one moment; a run may be in progress.

    To restore, put both files into an empty workspace and run.
    """
    from bibld import Workspace, progress

    with progress.display(quiet=quiet) as display:
        copied = Workspace(config, progress=display).backup(folder, register_only=register_only)
    if as_json:
        print_json(copied)
    else:
        print_rows(copied, *copied.columns)
