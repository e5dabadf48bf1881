"""``bibld catalog``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table, quiet_option

if TYPE_CHECKING:
    from bibld.catalog import Catalog
    from bibld.progress import Progress

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def catalog() -> None:
    """Look into the catalog of a workspace, check it, mend it, back it up."""


@catalog.command()
@config_argument
@click.option("--source", help="Only the rejects of this source.")
@json_option
def rejects(config: Path, source: str | None, as_json: bool) -> None:
    """List the pieces that became no record: where they stand, and why.

    With --json also their bytes, in base64.
    """
    from bibld import config as configuration
    from bibld.catalog import Catalog

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as opened:
        found = list(opened.records.rejects(source))
    if as_json:
        print_json(found)
        return
    for reject in found:
        number = f", 001 {reject.control_number}" if reject.control_number else ""
        click.echo(f"{reject.origin}{number}: {reject.reason} [{reject.kind}, {len(reject.original)} bytes kept]")


@catalog.command()
@config_argument
@click.option("--what", type=click.Choice(["mods", "original"]), default="mods", show_default=True)
@click.option("--source", help="Only the records of this source.")
@click.option("--out", type=_FOLDER, help="Write files into this folder instead of stdout.")
@quiet_option
def export(config: Path, what: str, source: str | None, out: Path | None, quiet: bool) -> None:
    """Write all source records that are not deleted: their MODS, or the original bytes as they were read.

    What is suppressed is among them: the files are not for the public.

    MODS is one modsCollection, with --out one for each source. Originals are one file for each file that they come
    from, which can be read again; on stdout they must be of one source and one kind of file.
    """
    from bibld import config as configuration
    from bibld import progress
    from bibld.catalog import Catalog

    loaded = configuration.load(config)
    sources = [one.id for one in loaded.sources]
    if source is not None and source not in sources:
        raise click.UsageError(f"there is no source {source!r}; there are {', '.join(sources)}")
    with Catalog(loaded.workspace, read_only=True) as opened, progress.display(quiet=quiet) as shown:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        if what == "mods":
            _export_mods(opened, sources if source is None else [source], out, shown)
        else:
            _export_originals(opened, source, out, shown)


def _export_mods(catalog: Catalog, sources: list[str], out: Path | None, shown: Progress) -> None:
    from bibld.model.mods_xml import write_collection
    from bibld.progress import count_items

    shown.stage("export", "records", catalog.records.count())
    if out is None:
        living = count_items(catalog.records.stored(), shown)
        write_collection((mods for _, source, mods in living if source in sources), sys.stdout.buffer)
        return
    for wanted in sources:
        with (out / f"{wanted}.mods.xml").open("wb") as stream:
            living = catalog.records.stored()
            write_collection((mods for _, source, mods in count_items(living, shown) if source == wanted), stream)


def _export_originals(catalog: Catalog, source: str | None, out: Path | None, shown: Progress) -> None:
    from bibld.cli._exporting import export_originals

    written = list(export_originals(catalog, source, out or sys.stdout.buffer, shown))
    if written:
        print_table(
            ("name", "source", "file", "carrier", "charset", "records"),
            [(one.name, one.source, one.file, one.reader, one.charset, one.records) for one in written],
        )


@catalog.command()
@config_argument
@click.option("--all", "everything", is_flag=True, help="Read every stored record, not a sample of a thousand.")
@click.option("--repair", is_flag=True, help="Mend what can be made again; register.db is never changed.")
@json_option
@quiet_option
def check(config: Path, everything: bool, repair: bool, as_json: bool, quiet: bool) -> None:
    """Check the workspace: databases, stored records, clusters, index, live store, releases.

    Says what is wrong and what helps, and ends with 1 unless nothing is wrong or all was mended. With --repair what can
    be made again is removed, so that the next `bibld run` makes it anew.
    """
    from bibld import config as configuration
    from bibld import progress
    from bibld.cli._checking import check as checked

    loaded = configuration.load(config)
    with progress.display(quiet=quiet) as shown:
        report = checked(loaded, everything, repair, shown)
    if as_json:
        print_json(report)
    else:
        for finding in report.findings:
            click.echo(str(finding))
        if not report.findings:
            click.echo(f"{report.records} records: nothing is wrong")
        elif any(finding.mended for finding in report.findings):
            click.echo(f"run `bibld run {config}` now")
    if not report.is_well:
        sys.exit(1)


@catalog.command()
@config_argument
@click.argument("folder", type=_FOLDER)
@click.option("--register-only", is_flag=True, help="Copy only register.db, which cannot be made again.")
@json_option
@quiet_option
def backup(config: Path, folder: Path, register_only: bool, as_json: bool, quiet: bool) -> None:
    """Copy register.db and catalog.db into a new FOLDER, as they stand at one moment; a run may go on meanwhile.

    To restore, put both files into an empty workspace and run.
    """
    from bibld import config as configuration
    from bibld import progress
    from bibld.catalog.backup import back_up

    loaded = configuration.load(config)
    with progress.display(quiet=quiet) as shown:
        copied = back_up(loaded.workspace, folder, register_only, shown)
    if as_json:
        print_json(copied)
    else:
        print_table(("file", "records", "bytes"), [(one.name, one.held, one.bytes) for one in copied])
