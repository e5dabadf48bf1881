"""``bibld explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from bibld.cli._options import config_argument, json_option, print_json
from bibld.cli._terminal import printable
from bibld.model.linkage import Feature


@click.command()
@config_argument
@click.argument("record")
@click.argument("other", required=False)
@json_option
def explain(config: Path, record: str, other: str | None, as_json: bool) -> None:
    """Explain what became of RECORD, or why RECORD and OTHER are, or are not, the same publication.

    A record is named as source:control-number (rsl:01004039769), by its control number if that is unique, or by one of
    its IRIs. RECORD may also be any other IRI of the dataset, in full or from its path on (match/…, agent/…, doc/…):
    then the report is what it is, what a request for it gets, and its history.
    """
    from bibld import Workspace

    report = Workspace(config).explain(record, other)
    if as_json:
        print_json(report)
    else:
        _print(report)


def _print(report: Any) -> None:  # noqa: ANN401
    for name, value in msgspec.structs.asdict(report).items():
        if isinstance(value, msgspec.Struct):
            click.echo()
            _print(value)
        elif value is not None:
            _line(name.replace("_", " "), value)


def _line(name: str, value: object) -> None:
    if isinstance(value, tuple) and value:
        click.echo(f"{name}:")
        for item in value:
            click.echo(f"  {printable(_item(item))}")
        return
    if value in ("", ()):
        value = "none"
    elif isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, str):
        value = printable(value)
    click.echo(f"{name}: {value}")


def _item(item: object) -> str:
    if not isinstance(item, Feature):
        return str(item)
    known = "missing" if item.value < 0 else f"{item.value:.3f}"
    return f"{item.name} {known}" + (f", adds {item.contribution:+.3f}" if item.contribution else "")
