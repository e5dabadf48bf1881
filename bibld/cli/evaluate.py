"""``bibld evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bibld.cli._options import config_argument, json_option, print_json, print_table, quiet_option

if TYPE_CHECKING:
    from bibld.dedup.evaluate import Evaluation


@click.command()
@config_argument
@click.option("--pairs", type=click.Path(path_type=Path), required=True, help="CSV of judged pairs: left,right,label.")
@click.option(
    "--mode",
    type=click.Choice(["full", "pairs"]),
    default="full",
    show_default=True,
    help="full: what the pipeline joins against all true pairs; pairs: score the labelled pairs alone.",
)
@click.option("--wrong", is_flag=True, help="List the pairs that were judged otherwise than labelled.")
@json_option
@quiet_option
def evaluate(config: Path, pairs: Path, mode: Any, wrong: bool, as_json: bool, quiet: bool) -> None:  # noqa: ANN401
    """Measure matching against judged pairs: precision, recall, and which kinds of pairs were lost.

    The records must have been loaded by `bibld run` before; the matching is done anew with the settings of CONFIG, and
    nothing is stored.
    """
    from bibld import config as configuration
    from bibld import progress
    from bibld.catalog import Catalog
    from bibld.dedup import evaluate as evaluation

    loaded = configuration.load(config)
    with Catalog(loaded.workspace, read_only=True) as catalog, progress.shown(quiet=quiet) as shown:
        labelled = evaluation.read_pairs(pairs, catalog)
        result = evaluation.evaluate(catalog, loaded, labelled, mode, shown)
    if as_json:
        print_json(result)
    else:
        _print(result, wrong)


def _print(result: Evaluation, wrong: bool) -> None:
    click.echo(
        f"{result.true_pairs} true pairs among {result.pairs} labelled ones; {result.records} records\n"
        f"precision         {result.precision:.4f}\n"
        f"recall            {result.recall:.4f}\n"
        f"F1                {result.f1:.4f}\n"
        f"candidate recall  {result.candidate_recall:.4f} at {result.candidates_per_record:.2f} candidates per record\n"
    )
    rows = [
        ("duplicate" if kind.is_duplicate else "different", kind.kind or "-", kind.pairs, kind.right)
        for kind in result.kinds
    ]
    print_table(("label", "kind", "pairs", "right"), rows)
    if wrong:
        click.echo()
        for line in result.wrong:
            click.echo(line)
