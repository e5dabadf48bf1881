"""``bibld explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from bibld.cli._options import config_argument, json_option, print_json
from bibld.cli._terminal import shown
from bibld.model.linkage import Feature


@click.command()
@config_argument
@click.argument("record")
@click.argument("other", required=False)
@json_option
def explain(config: Path, record: str, other: str | None, as_json: bool) -> None:
    """Tell the way of RECORD, or why RECORD and OTHER are, or are not, the same publication.

    A record is named as source:control-number (rsl:01003120729), by its control number where that is unique, or by one
    of its IRIs. In the place of RECORD may also stand any other IRI of the dataset, in full or from its path on
    (match/…, agent/…, doc/…): then this tells what it is, what a request for it gets, and what happened to it.
    """
    from bibld import config as configuration
    from bibld import explain as explaining
    from bibld.catalog import Catalog

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        path = explaining.resolve_path(loaded, record)
        way: explaining.RecordReport | explaining.IriReport | explaining.PairReport
        if other is not None:
            pair = (explaining.resolve_record(catalog, loaded, text) for text in (record, other))
            way = explaining.explain_pair(catalog, loaded, *pair)
        elif path is not None:
            way = explaining.explain_iri(catalog, loaded, path)
        else:
            way = explaining.explain_record(catalog, loaded, explaining.resolve_record_id(catalog, record))
    if as_json:
        print_json(way)
    else:
        _print(way)


def _print(way: Any) -> None:  # noqa: ANN401
    for name, value in msgspec.structs.asdict(way).items():
        if isinstance(value, msgspec.Struct):
            click.echo()
            _print(value)
        elif value is not None:
            _line(name.replace("_", " "), value)


def _line(name: str, value: object) -> None:
    if isinstance(value, tuple) and value:
        value = "".join(f"\n  {shown(_item(item))}" for item in value)
    elif value in ("", ()):
        value = "none"
    elif isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, str):
        value = shown(value)
    click.echo(f"{name}: {value}")


def _item(item: object) -> str:
    if not isinstance(item, Feature):
        return str(item)
    known = "missing" if item.value < 0 else f"{item.value:.3f}"
    return f"{item.name} {known}" + (f", adds {item.contribution:+.3f}" if item.contribution else "")
