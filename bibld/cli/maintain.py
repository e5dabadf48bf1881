"""``bibld catalog``, ``workspace``, ``adapters``, ``sample`` and ``completion``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
from click.shell_completion import get_completion_class

import bibld
from bibld.cli import Group
from bibld.cli._language import echo
from bibld.cli._options import (
    config_argument,
    count_of,
    json_option,
    opened,
    print_findings,
    print_json,
    print_rows,
    quiet_option,
    show,
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
    """List the pieces that became no record: their position, and the reason.

    With --json also their bytes, in base64.
    """
    found = bibld.Workspace(config).rejects(source)
    if as_json:
        print_json(found)
        return
    for reject in found:
        echo(f"{reject} [{reject.kind}, {count_of(len(reject.original), 'byte')} stored]")
    if not found:
        echo("there are no rejects", err=True)


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
    with opened(config, quiet=quiet) as workspace:
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
    with opened(config, quiet=quiet) as workspace:
        report = workspace.check(all_records=all_records, repair=repair)
    if as_json:
        print_json(report)
    else:
        print_findings(report.findings)
        if not report.findings:
            echo(f"{count_of(report.records, 'record')} checked: no faults")
        elif any(finding.mended for finding in report.findings):
            echo(f"run `{workspace.run_command}` now")
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
    with opened(config, quiet=quiet) as workspace:
        copied = workspace.backup(folder, register_only=register_only)
    show(copied, as_json, lambda: print_rows(copied, *copied.columns))


@click.group(cls=Group)
def workspace() -> None:
    """Move a workspace between the engines that compute it."""


@workspace.command()
@config_argument
@click.option("--to", required=True, type=click.Choice(["spark", "local"]), help="The engine of the next run.")
@json_option
@quiet_option
def convert(config: Path, to: str, as_json: bool, quiet: bool) -> None:
    """Move the results of the last run of CONFIG to another engine.

    With --to spark all rows of the workspace become tables in the storage of [engine], and `bibld run CONFIG --engine
    spark` goes on from them: IRIs, verdicts and the history are the same. With --to local the tables of the last run on
    Spark replace the databases of the workspace; verdicts that people gave since are kept, and `bibld run CONFIG
    --engine local` makes store, search and release from them. A conversion that was interrupted is continued when the
    command is repeated. Needs `pip install 'bibld[spark]'`, and Java only if the storage is no folder.
    """
    with opened(config, quiet=quiet) as workspace:
        converted = workspace.convert(to)  # type: ignore[arg-type]
    if as_json:
        print_json(converted)
        return
    rows = count_of(sum(converted.rows.values()), "row")
    what = f"{rows} of {count_of(len(converted.rows), 'table')}, {count_of(converted.rows['records'], 'record')}"
    if converted.was_current:
        echo(f"run {converted.run} in {converted.storage} is current: {what}")
    else:
        direction = "to" if to == "spark" else "from"
        echo(f"{what} copied {direction} run {converted.run} in {converted.storage}")


@click.command()
@json_option
def adapters(as_json: bool) -> None:
    """List the adapters of every stage: the names that a configuration may use."""
    rows = bibld.list_adapters()
    show(rows, as_json, lambda: print_rows(rows, *rows.columns))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def sample(folder: Path) -> None:
    """Write a small example into FOLDER: three catalogues, a list of labelled pairs, and a configuration to run."""
    config = shlex.quote(str(bibld.write_sample(folder)))
    echo(f"now try:\n  bibld run {config}\n  bibld serve {config}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:  # the line below is click's mark for text that is not wrapped
    """Print the script by which a shell completes bibld's commands, options and files.

    \b
    bash:  bibld completion bash > ~/.local/share/bash-completion/completions/bibld
    zsh:   bibld completion zsh > ~/.zfunc/_bibld    (a folder of $fpath)
    fish:  bibld completion fish > ~/.config/fish/completions/bibld.fish
    """  # noqa: D301
    from bibld.cli import command_line

    found = get_completion_class(shell)
    assert found is not None
    echo(found(command_line, {}, "bibld", "_BIBLD_COMPLETE").source())
