"""``bibld train``."""

from __future__ import annotations

from pathlib import Path

import click

from bibld.cli._options import clock, config_argument, json_option, print_json, print_table


@click.command()
@config_argument
@click.option("--pairs", type=click.Path(path_type=Path), required=True, help="CSV of judged pairs: left,right,label.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file that the model is written to.")
@click.option(
    "--vary",
    multiple=True,
    metavar="SOURCE",
    help="Also learn from made-up pairs: records of this source described in another way, and changed. Repeatable.",
)
@click.option("--data", default="", help="What the labels are, for the provenance in the file.")
@click.option("--licence", default="", help="The licence of the labels and records, likewise.")
@click.option("--seed", type=int, default=1, show_default=True, help="For the made-up pairs and the trees.")
@json_option
def train(
    config: Path, pairs: Path, out: Path, vary: tuple[str, ...], data: str, licence: str, seed: int, as_json: bool
) -> None:
    """Train a model for the scorer `model` from judged pairs.

    The records must have been loaded by `bibld run` before. The figures are those on judged pairs whose clusters were
    held back from the training. To use the model, name its file under `[dedup.model]`. Needs `pip install
    'bibld[train]'`.
    """
    from bibld import config as configuration
    from bibld.catalog import Catalog
    from bibld.dedup import train as training
    from bibld.dedup.labels import read_pairs
    from bibld.errors import ConfigError

    loaded = configuration.load(config)
    known = [source.id for source in loaded.sources]
    if strangers := sorted(set(vary) - set(known)):
        raise ConfigError(
            [f'--vary: there is no source "{name}" (there are: {", ".join(known)})' for name in strangers]
        )
    varied = "".join(f" --vary {name}" for name in sorted(set(vary)))
    command = f"bibld train {config.name} --pairs {pairs.name}{varied} --seed {seed} --out {out.name}"
    about = training.TrainingSetup(data or pairs.name, licence, clock().date().isoformat(), command)
    with Catalog(loaded.workspace, read_only=True) as catalog:
        model, figures = training.train(catalog, read_pairs(pairs, catalog), frozenset(vary), seed, about)
    training.write_model(model, out)
    if as_json:
        print_json(figures)
    else:
        print_table(("figure", "value"), [(name, f"{value:.4f}") for name, value in figures.items()])
