"""``bibld read``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bibld.cli._options import json_option


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--read", "reader", default="auto", show_default=True, help="Carrier of the files; see `bibld adapters`.")
@click.option("--charset", default="auto", show_default=True, help="Charset of the files, such as cp1251.")
@json_option
def read(files: tuple[Path, ...], reader: str, charset: str, as_json: bool) -> None:
    """Read FILES and print their records as text (MARCMaker), or one JSON object a line.

    What is no record is told on stderr, and the command ends with 1.
    """
    import msgspec

    from bibld.errors import RecordError
    from bibld.model.marc import MarcRecord
    from bibld.model.marc_writers import to_mrk
    from bibld.protocols import HarvestedFile
    from bibld.read import examine, read

    rejected = 0
    for path in files:
        file = HarvestedFile("file", path.as_posix(), path)
        examined = examine(file, reader, charset)
        click.echo(f"{path}: {examined.reader}, {examined.carrier.charset}", err=True)
        for raw in read(file, examined):
            try:
                if isinstance(raw, RecordError):
                    raise raw
                parsed = examined.carrier.parse(raw)
            except RecordError as error:
                rejected += 1
                click.echo(f"reject: {error}", err=True)
                continue
            for warning in parsed.warnings:
                click.echo(f"{raw.origin}: {warning}", err=True)
            if as_json or not isinstance(parsed.record, MarcRecord):
                click.echo(msgspec.json.encode(parsed.record).decode())
            else:
                click.echo(to_mrk(parsed.record))
    sys.exit(1 if rejected else 0)
