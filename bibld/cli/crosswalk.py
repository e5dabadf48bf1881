"""``bibld crosswalk``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from bibld.model.mods import Mods


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--read", "reader", default="auto", show_default=True, help="Carrier of the files; see `bibld adapters`.")
@click.option("--charset", default="auto", show_default=True, help="Charset of the files, such as cp1251.")
@click.option("--flavour", default="auto", show_default=True, help="Flavour of the records; see `bibld adapters`.")
@click.option(
    "--to",
    type=click.Choice(["mods", "json"]),
    default="mods",
    show_default=True,
    help="One modsCollection, or one JSON object a line.",
)
@click.option("--output", "-o", type=click.File("wb"), default="-", help="Where to write; stdout by default.")
def crosswalk(files: tuple[Path, ...], reader: str, charset: str, flavour: str, to: str, output: BinaryIO) -> None:
    """Convert the records of FILES to MODS, in the order of the files. No configuration is needed.

    What is no record is told on stderr, and the command ends with 1.
    """
    import msgspec

    from bibld.model.mods_xml import write_collection

    rejects: list[str] = []
    converted = _converted(files, reader, charset, flavour, rejects)
    if to == "mods":
        write_collection(converted, output)
    else:
        for mods in converted:
            output.write(msgspec.json.encode(mods) + b"\n")
    sys.exit(1 if rejects else 0)


def _converted(files: tuple[Path, ...], reader: str, charset: str, flavour: str, rejects: list[str]) -> Iterator[Mods]:
    from bibld import adapters, read
    from bibld import crosswalk as stage
    from bibld.errors import RecordError
    from bibld.protocols import HarvestedFile

    for path in files:
        file = HarvestedFile("file", path.as_posix(), path)
        examined = read.examine(file, reader, charset)
        for raw in read.read(file, examined):
            try:
                if isinstance(raw, RecordError):
                    raise raw
                record = examined.carrier.parse(raw).record
                _, result = stage.convert(record, flavour, lambda name: adapters.settings_type("crosswalk", name)())
            except RecordError as error:
                rejects.append(str(error))
                click.echo(f"reject: {error}", err=True)
                continue
            for warning in result.warnings:
                click.echo(f"{raw.origin}: {warning}", err=True)
            yield result.mods
