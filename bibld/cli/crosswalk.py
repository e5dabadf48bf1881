"""``bibld crosswalk``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from bibld.cli._options import count_of, print_json, print_table, quiet_option

if TYPE_CHECKING:
    from bibld.protocols import HarvestedFile

SOME_REJECTED = 3
STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--profile", help="Mapping of MARC 21: std, or loc for that of the Library of Congress.")
@click.option("--read", "reader", default="auto", show_default=True, help="Reader of the files; see `bibld adapters`.")
@click.option("--charset", default="auto", show_default=True, help="Charset of the files, such as cp1251.")
@click.option("--flavour", default="auto", show_default=True, help="Flavour of the records; see `bibld adapters`.")
@click.option("--workers", default=0, type=click.IntRange(0), help="Processes that convert; 0: one for each core.")
@click.option(
    "--to",
    type=click.Choice(["mods", "json"]),
    default="mods",
    show_default=True,
    help="One modsCollection, or one JSON object a line.",
)
@click.option("--output", "-o", type=click.File("wb"), default="-", help="Where to write; standard output by default.")
@click.option("--rejects", type=click.File("wb"), help="Where to write the bytes of what could not be converted.")
@click.option("--coverage", is_flag=True, help="Report what became of every tag and subfield, instead of the records.")
@click.option("--json", "as_json", is_flag=True, help="The coverage as JSON instead of a table.")
@click.option("--verbose", "-v", is_flag=True, help="Report the warnings too.")
@quiet_option
@click.pass_context
def crosswalk(
    context: click.Context,
    /,
    files: tuple[str, ...],
    to: str,
    output: BinaryIO,
    rejects: BinaryIO | None,
    coverage: bool,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **names: Any,  # noqa: ANN401
) -> None:
    """Convert the records of each FILE to MODS, in their order. No configuration is needed.

    `-` is standard input, which is read to its end first. What cannot be converted is reported on standard error, with
    a count at the end, and the exit code is 3 then. With --coverage the records are written only where -o names a file.
    """
    import bibld
    from bibld import progress
    from bibld.model.mods_xml import join_collection

    converted = rejected = warned = 0
    with ExitStack() as opened:
        paths = [_on_disk(name, opened) for name in files]
        converter = opened.enter_context(bibld.Converter(**names, counts_fields=coverage))
        display = opened.enter_context(progress.display(quiet=quiet or not sys.stderr.isatty()))

        # Names the files that do not exist, before anything is written.
        outcomes = converter.convert(paths, form="xml" if to == "mods" else "json", progress=display)

        def contents() -> Iterator[bytes]:
            nonlocal converted, rejected, warned
            for outcome in outcomes:
                if isinstance(outcome, bibld.Reject):
                    rejected += 1
                    click.echo(f"reject: {outcome}", err=True)
                    if rejects is not None:
                        rejects.write(outcome.original)
                        rejects.write(b"" if outcome.original.endswith((b"\n", b"\x1d")) else b"\n")
                    continue
                converted += 1
                warned += len(outcome.warnings)
                if verbose:
                    for warning in outcome.warnings:
                        click.echo(f"{outcome.raw.origin}: {warning}", err=True)
                yield outcome.content

        if coverage and context.get_parameter_source("output") is click.core.ParameterSource.DEFAULT:
            for _ in contents():
                pass
        elif to == "mods":
            join_collection(contents(), output)
        else:
            output.writelines(content + b"\n" for content in contents())
    hint = "" if verbose or not warned else " (add --verbose to see them)"
    click.echo(
        f"{count_of(converted + rejected, 'record')} read: {converted:,} converted, {rejected:,} rejected; "
        f"{count_of(warned, 'warning')}{hint}",
        err=True,
    )
    if coverage and as_json:
        print_json(converter.coverage())
    elif coverage:
        print_table(
            ("flavour", "subfield", "seen", "mapped", "private", "unmapped", "to"),
            [
                (row.flavour, row.name, row.seen, row.mapped, row.private, row.unmapped, " | ".join(row.writes))
                for row in converter.coverage()
            ],
        )
    sys.exit(SOME_REJECTED if rejected else 0)


def _on_disk(name: str, opened: ExitStack) -> Path | HarvestedFile:
    """Return a file that can be read twice: standard input is copied to one that is deleted at the end."""
    from bibld.protocols import HarvestedFile

    if name != STDIN:
        return Path(name)
    copy = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")), "stdin")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return HarvestedFile("stdin", "stdin", copy)
