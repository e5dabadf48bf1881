"""``bibld read`` and ``bibld crosswalk``: files without a configuration."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

import bibld
from bibld import progress
from bibld.cli._language import echo, terminal
from bibld.cli._options import count_of, json_option, print_json, print_table, quiet_option, to_json

if TYPE_CHECKING:
    from bibld.protocols import HarvestedFile


# -- files -------------------------------------------------------------------------------------------------------------


STANDARD = "-"
"""Names standard input or output."""


def on_disk(name: str, opened: ExitStack) -> Path | HarvestedFile:
    """Return a file that can be read twice: standard input is copied to one that is deleted at the end."""
    from bibld.protocols import HarvestedFile

    if name != STANDARD:
        return Path(name)
    copy = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")), "stdin")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return HarvestedFile("stdin", "stdin", copy)


@contextmanager
def complete_output(name: str) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name when it is complete: a failure leaves the old file, or none.

    Standard output, devices and pipes are written directly. Raises ``click.UsageError`` if it cannot be opened.
    """
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    if path.exists() and not path.is_file():
        with _opened(path, name) as direct:
            yield direct
        return
    target = path.resolve()  # a link remains one
    new = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with _opened(new, name) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def _opened(path: Path, name: str) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise click.UsageError(f"{name}: cannot be written: {error.strerror}; choose another file") from error


# -- read --------------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--read", "reader", default="auto", show_default=True, help="Reader of the files; see `bibld adapters`.")
@click.option("--charset", default="auto", show_default=True, help="Charset of the files, such as cp1251.")
@json_option
def read(files: tuple[str, ...], reader: str, charset: str, as_json: bool) -> None:
    """Read the records of each FILE and print them as text (MARCMaker), or one JSON object a line.

    `-` is standard input, which is read to its end first. Pieces that are no record are reported on standard error, and
    the exit code is 1 then.
    """
    rejected = False
    announced = ""
    with ExitStack() as opened:
        for record in bibld.read([on_disk(name, opened) for name in files], reader=reader, charset=charset):
            if isinstance(record, bibld.Reject):
                rejected = True
                echo_in_options(f"reject: {record}")
                continue
            if record.origin.file != announced:
                announced = record.origin.file
                echo(f"{announced}: {record.reader}, {record.charset}", err=True)
            for warning in record.warnings:
                echo(f"{record.origin}: {warning}", err=True)
            click.echo(to_json(record.content).decode() if as_json else str(record))
    sys.exit(1 if rejected else 0)


# -- crosswalk ---------------------------------------------------------------------------------------------------------


SOME_REJECTED = 3
_FORMS_OF_MARC = ("marc21", "marc21xml", "unimarc", "unimarcxml", "rusmarc", "rusmarcxml")
_FORMS = ("mods", "json", "jsonl", "marcxml", *_FORMS_OF_MARC, "csv", "dc", "nt", "ttl", "nq")
_OPTION_OF_KEY = {"charset": "--charset", "read": "--read", "crosswalk": "--flavour"}
_SETTING = re.compile(rf'({"|".join(_OPTION_OF_KEY)}) = "([^"]*)"')


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--profile", help="Mapping of MARC records: std, or the file of an XSLT stylesheet (*.xsl).")
@click.option("--read", "reader", default="auto", show_default=True, help="Reader of the files; see `bibld adapters`.")
@click.option("--charset", default="auto", show_default=True, help="Charset of the files, such as cp1251.")
@click.option("--flavour", default="auto", show_default=True, help="Flavour of the records; see `bibld adapters`.")
@click.option("--workers", default=0, type=click.IntRange(0), help="Processes that convert; 0: one for each core.")
@click.option(
    "--to",
    type=click.Choice(_FORMS),
    default="mods",
    show_default=True,
    help="mods: one modsCollection; json: MODS as an array; jsonl: one JSON object a line; marcxml: the MARC records; "
    "marc21, unimarc, rusmarc: MARC records made of the MODS, in ISO 2709 and UTF-8, with xml in MARCXML; csv: a table "
    "of catalogue cards; dc: Dublin Core; nt, ttl: triples; nq: triples with provenance.",
)
@click.option("--isbd", is_flag=True, help="MARC made of MODS gets the marks of ISBD between subfields.")
@click.option("--base", default="https://example.org/", show_default=True, help="The beginning of IRIs, for RDF.")
@click.option("--output", "-o", default="-", help="Where to write; standard output by default.")
@click.option("--rejects", help="Where to write the bytes of what could not be converted.")
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
    isbd: bool,
    base: str,
    output: str,
    rejects: str | None,
    coverage: bool,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **names: Any,  # noqa: ANN401
) -> None:
    """Convert the records of each FILE to MODS, or to what is made of it, in their order. No configuration is needed.

    `-` is standard input, which is read to its end first. A file of output appears when it is complete. What cannot be
    converted is reported on standard error, with a count at the end, and the exit code is 3 then. With --coverage the
    records are written only where -o names a file. RDF is made of all records together, in memory.
    """
    from bibld._api.matching import OUTPUTS
    from bibld.ingest import PUNCTUATED

    converted = rejected = warned = 0
    form = OUTPUTS[to]
    if isbd and to not in _FORMS_OF_MARC:
        raise click.UsageError(f"--isbd: there is no MARC to punctuate in --to {to}; add --to marc21")
    record_form = f"{form.record_form}{PUNCTUATED}" if isbd else form.record_form
    with ExitStack() as opened:
        paths = [on_disk(name, opened) for name in files]
        converter = opened.enter_context(bibld.Converter(**names, counts_fields=coverage))
        display = opened.enter_context(progress.display(quiet=quiet or not sys.stderr.isatty(), words=terminal()))

        # Names the files that do not exist, before anything is written.
        outcomes = converter.convert(paths, form=record_form, progress=display)
        bytes_of_rejects = opened.enter_context(complete_output(rejects)) if rejects is not None else None

        def contents() -> Iterator[bytes]:
            nonlocal converted, rejected, warned
            for outcome in outcomes:
                if isinstance(outcome, bibld.Reject):
                    rejected += 1
                    echo_in_options(f"reject: {outcome}")
                    if bytes_of_rejects is not None:
                        bytes_of_rejects.write(outcome.original)
                        bytes_of_rejects.write(b"" if outcome.original.endswith((b"\n", b"\x1d")) else b"\n")
                    continue
                converted += 1
                warned += len(outcome.warnings)
                if verbose:
                    for warning in outcome.warnings:
                        echo_in_options(f"{outcome.raw.origin}: {warning}")
                yield outcome.content

        if coverage and context.get_parameter_source("output") is click.core.ParameterSource.DEFAULT:
            for _ in contents():
                pass
        else:
            with complete_output(output) as out:
                form.write(contents(), out, base)
    hint = "" if verbose or not warned else "; add --verbose to see them"
    echo(
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
                (
                    row.flavour,
                    row.name,
                    row.seen,
                    row.mapped,
                    row.private,
                    row.unmapped,
                    " | ".join(row.writes) or row.reason,
                )
                for row in converter.coverage()
            ],
            fits_terminal=output == STANDARD,
        )
    sys.exit(SOME_REJECTED if rejected else 0)


def echo_in_options(message: str) -> None:
    """Print a message on standard error; where it names keys of the configuration, name the options of this command."""
    words = terminal().text(message)
    click.echo(_SETTING.sub(lambda found: f"{_OPTION_OF_KEY[found[1]]} {found[2]}", words), err=True)
