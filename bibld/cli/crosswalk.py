"""``bibld crosswalk``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, get_args, get_type_hints

import click
import msgspec

from bibld.cli._options import print_json, print_table, quiet_option

if TYPE_CHECKING:
    from bibld.crosswalk import Tally
    from bibld.errors import RecordError
    from bibld.ingest import ConversionPool
    from bibld.progress import Progress
    from bibld.protocols import HarvestedFile

SOME_REJECTED = 3
STDIN = "-"
_RECORDS_AT_ONCE = 500
_WITH_PROFILES = "marc21"


class Options(msgspec.Struct, frozen=True):
    """How to convert: names of adapters (or ``auto``), and whether to tell warnings and count subfields."""

    reader: str
    charset: str
    flavour: str
    settings: dict[str, Any]
    form: str
    verbose: bool
    coverage: bool


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--profile", help="Mapping of MARC 21: std, or loc for that of the Library of Congress.")
@click.option("--read", "reader", default="auto", show_default=True, help="Carrier of the files; see `bibld adapters`.")
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
@click.option("--output", "-o", type=click.File("wb"), default="-", help="Where to write; stdout by default.")
@click.option("--rejects", type=click.File("wb"), help="Where to write the bytes of what could not be converted.")
@click.option("--coverage", is_flag=True, help="Tell what became of every tag and subfield, instead of the records.")
@click.option("--json", "as_json", is_flag=True, help="The coverage as JSON instead of a table.")
@click.option("--verbose", "-v", is_flag=True, help="Tell the warnings too.")
@quiet_option
@click.pass_context
def crosswalk(
    context: click.Context,
    files: tuple[str, ...],
    profile: str | None,
    reader: str,
    charset: str,
    flavour: str,
    workers: int,
    to: str,
    output: BinaryIO,
    rejects: BinaryIO | None,
    coverage: bool,
    as_json: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Convert the records of each FILE to MODS, in their order. No configuration is needed.

    `-` is stdin, which is read to its end first. What cannot be converted is told on stderr, with a count at the end,
    and the exit code is 3 then. With --coverage the records are written only where -o names a file.
    """
    from bibld import crosswalk as stage
    from bibld import progress
    from bibld.ingest import ConversionPool

    options = Options(reader, charset, flavour, _settings(flavour, profile), to, verbose, coverage)
    tally = stage.Tally() if coverage else None
    with ExitStack() as open_things:
        paths = [_on_disk(name, open_things) for name in files]
        shown = open_things.enter_context(progress.display(quiet=quiet or not sys.stderr.isatty()))
        work = _Work(options, open_things.enter_context(ConversionPool(workers)), shown, rejects, tally)
        contents = work.contents(paths)
        if coverage and context.get_parameter_source("output") is click.core.ParameterSource.DEFAULT:
            for _ in contents:
                pass
        else:
            _write(contents, to, output)
        work.say_counts()
    if tally is not None:
        _print_coverage(stage.coverage(tally, options.settings.__getitem__), as_json)
    sys.exit(SOME_REJECTED if work.rejected else 0)


class _Work:
    """The conversion of some files, and what was counted in it."""

    def __init__(
        self,
        options: Options,
        conversions: ConversionPool,
        progress: Progress,
        rejects: BinaryIO | None,
        tally: Tally | None,
    ) -> None:
        self._options = options
        self._conversions = conversions
        self._progress = progress
        self._rejects = rejects
        self._tally = tally
        self.converted = self.rejected = self.warnings = 0

    def contents(self, files: list[HarvestedFile]) -> Iterator[bytes]:
        """The MODS of each record, in the order of the input."""
        from bibld.errors import RecordError
        from bibld.ingest import Job
        from bibld.read import examine, read

        options = self._options
        self._progress.stage("crosswalk", "records")
        for file in files:
            examined = examine(file, options.reader, options.charset)
            form: Any = "xml" if options.form == "mods" else "json"
            job = Job(file.source, examined.carrier, options.flavour, options.settings, form, options.coverage)
            self._progress.report(f"{file.name}: {examined.reader}, {examined.carrier.charset}")
            for outcome in self._conversions.convert(job, read(file, examined)):
                self._count()
                if isinstance(outcome, RecordError):
                    self._reject(outcome)
                    continue
                self.converted += 1
                self.warnings += len(outcome.warnings)
                if options.verbose:
                    for warning in outcome.warnings:
                        click.echo(f"{outcome.raw.origin}: {warning}", err=True)
                if self._tally is not None:
                    self._tally.add(outcome.flavour, outcome.seen, outcome.private, outcome.unmapped)
                yield outcome.content

    def say_counts(self) -> None:
        """The closing line."""
        read = self.converted + self.rejected
        hint = "" if self._options.verbose or not self.warnings else " (--verbose tells them)"
        click.echo(
            f"{read:,} records read: {self.converted:,} converted, {self.rejected:,} rejected; "
            f"{self.warnings:,} warnings{hint}",
            err=True,
        )

    def _count(self) -> None:
        if (self.converted + self.rejected + 1) % _RECORDS_AT_ONCE == 0:
            self._progress.advance(_RECORDS_AT_ONCE)

    def _reject(self, error: RecordError) -> None:
        self.rejected += 1
        click.echo(f"reject: {error}", err=True)
        if self._rejects is not None:
            self._rejects.write(error.original)
            if not error.original.endswith((b"\n", b"\x1d")):
                self._rejects.write(b"\n")


def _settings(flavour: str, profile: str | None) -> dict[str, Any]:
    """The settings of every crosswalk by name; raises ``UsageError`` for a profile that there is not."""
    from bibld import adapters

    names = adapters.adapter_names("crosswalk")
    if flavour != "auto" and flavour not in names:
        raise click.UsageError(f"--flavour: {adapters.unknown_name_message(flavour, [*names, 'auto'], 'flavour')}")
    settings = {name: adapters.settings_type("crosswalk", name)() for name in names}
    if profile is not None:
        kind = type(settings[_WITH_PROFILES])
        allowed = [str(name) for name in get_args(get_type_hints(kind).get("profile"))]
        if profile not in allowed:
            raise click.UsageError(
                f"--profile: {adapters.unknown_name_message(profile, allowed, f'profile of {_WITH_PROFILES}')}"
            )
        settings[_WITH_PROFILES] = kind(profile=profile)
    return settings


def _on_disk(name: str, open_things: ExitStack) -> HarvestedFile:
    """A file that can be read twice: stdin is copied to one, which goes with the end of the command."""
    from bibld.protocols import HarvestedFile

    if name != STDIN:
        path = Path(name)
        if not path.is_file():
            raise click.UsageError(f"{name}: there is no such file")
        return HarvestedFile("file", path.as_posix(), path)
    copy = Path(open_things.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")), "stdin")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return HarvestedFile("stdin", "stdin", copy)


def _write(contents: Iterator[bytes], to: str, output: BinaryIO) -> None:
    from bibld.model.mods_xml import join_collection

    if to == "mods":
        join_collection(contents, output)
        return
    for content in contents:
        output.write(content + b"\n")


def _print_coverage(rows: list[Any], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    print_table(
        ("flavour", "subfield", "seen", "mapped", "private", "unmapped", "to"),
        [
            (row.flavour, row.name, row.seen, row.mapped, row.private, row.unmapped, " | ".join(row.writes))
            for row in rows
        ],
    )
