"""``bibld read``."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import click

from bibld.cli._files import on_disk
from bibld.cli._options import json_option, to_json


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
    import bibld

    rejected = False
    announced = ""
    with ExitStack() as opened:
        for record in bibld.read([on_disk(name, opened) for name in files], reader=reader, charset=charset):
            if isinstance(record, bibld.Reject):
                rejected = True
                click.echo(f"reject: {record}", err=True)
                continue
            if record.origin.file != announced:
                announced = record.origin.file
                click.echo(f"{announced}: {record.reader}, {record.charset}", err=True)
            for warning in record.warnings:
                click.echo(f"{record.origin}: {warning}", err=True)
            click.echo(to_json(record.content).decode() if as_json else str(record))
    sys.exit(1 if rejected else 0)
