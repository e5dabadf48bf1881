"""``bibld explain``."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from bibld.cli._options import config_argument, json_option, print_json
from bibld.model.linkage import Feature


@click.command()
@config_argument
@click.argument("record")
@click.argument("other", required=False)
@json_option
def explain(config: Path, record: str, other: str | None, as_json: bool) -> None:
    """Tell the way of RECORD, or why RECORD and OTHER are, or are not, the same publication.

    A record is named as source:control-number (rsl:01003120729), or by its control number where that is unique.
    """
    from bibld import config as configuration
    from bibld import explain as explaining
    from bibld.catalog import Catalog

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        first = explaining.named(catalog, record)
        way: explaining.RecordWay | explaining.PairWay
        if other is None:
            way = explaining.record_way(catalog, loaded, first)
        else:
            way = explaining.pair_way(catalog, loaded, first, explaining.named(catalog, other))
    if as_json:
        print_json(way)
        return
    for name, value in msgspec.structs.asdict(way).items():
        _line(name.replace("_", " "), value)


def _line(name: str, value: object) -> None:
    if isinstance(value, tuple) and value:
        value = "".join(f"\n  {_item(item)}" for item in value)
    elif value in ("", ()):
        value = "none"
    elif isinstance(value, bool):
        value = "yes" if value else "no"
    click.echo(f"{name}: {value}")


def _item(item: object) -> str:
    if not isinstance(item, Feature):
        return str(item)
    known = "missing" if item.value < 0 else f"{item.value:.3f}"
    return f"{item.name} {known}" + (f", adds {item.contribution:+.3f}" if item.contribution else "")
