"""``bibld export``: clusters and scored pairs as tables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from bibld.cli import Group
from bibld.cli._options import config_argument
from bibld.model.linkage import Decision


def _file_options(command: Callable[..., None]) -> Callable[..., None]:
    form = click.option(
        "--format", "form", type=click.Choice(["csv", "parquet"]), help="By default that of the file name, or csv."
    )
    out = click.option("--out", type=click.Path(path_type=Path), help="Write this file instead of standard output.")
    return form(out(command))


@click.group(cls=Group)
def export() -> None:
    """Write clusters or scored pairs as a table: CSV, or Parquet for DuckDB, pandas and others."""


@export.command()
@config_argument
@_file_options
@click.option("--min-size", type=click.IntRange(min=1), default=2, show_default=True, help="1: also single records.")
def clusters(config: Path, form: Any, out: Path | None, min_size: int) -> None:  # noqa: ANN401
    """Write the records of each cluster: cluster, record, source, size of the cluster, title.

    A cluster is named by its first record, as in its IRI.
    """
    from bibld import Workspace

    Workspace(config).export_clusters(out or sys.stdout, form, min_size=min_size)


@export.command()
@config_argument
@_file_options
@click.option("--decision", type=click.Choice(get_args(Decision)), help="Only pairs with this decision.")
def pairs(config: Path, form: Any, out: Path | None, decision: Any) -> None:  # noqa: ANN401
    """Write the scored pairs: both records, score, decision, the rule or person that decided, relation, reasons, keys.

    Pairs that matching finds different are not stored, and so not written.
    """
    from bibld import Workspace

    Workspace(config).export_pairs(out or sys.stdout, form, decision=decision)
