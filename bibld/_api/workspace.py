"""A configured workspace: run it, look into it, decide, measure it, check it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from bibld._api.configured import PathName, check_source, run_time
from bibld._api.links import Links
from bibld._api.maintaining import CheckMethods
from bibld._api.reading import LookMethods
from bibld._api.review import Review
from bibld._api.running import RunMethods
from bibld.dedup.pair_files import read_pairs

if TYPE_CHECKING:
    from bibld.dedup.comparison import MethodComparison
    from bibld.dedup.evaluate import Evaluation

# The modules that match and train load compiler and database: the methods that use them import them.


class Workspace(RunMethods, LookMethods, CheckMethods):
    """A configuration file and the workspace that it names.

    The configuration is checked at once: ``ConfigError`` lists everything that is wrong with it. Nothing else is opened
    or locked between two calls, so that a workspace may be looked into while a run is in progress. Most methods need
    a run before them, and raise ``CatalogError`` otherwise. ``progress`` receives the progress of long work.

    Records are named as ``source:control number`` (``rsl:01004039769``), by a control number that is unique, or by one
    of their IRIs.
    """

    @cached_property
    def review(self) -> Review:
        """The pairs that wait for a person, and the verdicts of people."""
        return Review(self)

    @cached_property
    def links(self) -> Links:
        """The links to authority files, and the verdicts of people about them."""
        return Links(self)

    # -- measure matching -----------------------------------------------------------------------------------------

    def evaluate(
        self,
        pairs: PathName,
        *,
        mode: Literal["full", "pairs"] = "full",
        block: Sequence[str] = (),
        score: str | None = None,
        across: bool = False,
        blockers: bool = False,
        sweep: bool = False,
    ) -> Evaluation:
        """Measure matching against labelled pairs (CSV: left, right, label); nothing is stored.

        ``block`` and ``score`` replace the blockers and the scorer of the configuration. ``across`` counts pairs of
        different sources only, ``blockers`` also measures each blocker alone, ``sweep`` other thresholds and the
        calibration of the scores. A pair with a record that is unknown or deleted is skipped: ``skipped`` of the result
        has a message for each.
        """
        from bibld.dedup.evaluate import Measures, evaluate

        chosen = self.config.with_dedup(tuple(block), score)
        skipped: list[str] = []
        with self.catalog() as catalog:
            labelled = read_pairs(Path(pairs), catalog, skipped)
            measures = Measures(across=across, blockers=blockers, sweep=sweep)
            found = evaluate(catalog, chosen, labelled, mode, self.progress, measures)
        return msgspec.structs.replace(found, skipped=tuple(skipped))

    def compare_methods(
        self, pairs: PathName, methods: str = "all", *, mode: Literal["full", "pairs"] = "full", across: bool = False
    ) -> MethodComparison:
        """Measure methods of matching side by side against labelled pairs; nothing is stored.

        ``methods`` are names with commas between: blockers joined by ``+``, then perhaps ``:`` and a scorer
        (``"composite,composite+minhash:model"``); ``all`` stands for each blocker and some combinations. Each runs in a
        separate process; one that cannot be measured has a ``note`` with the reason. With the mode ``pairs`` only
        labelled pairs count, with ``across`` only pairs of different sources; pairs with unknown or deleted records are
        skipped. Raises ``ConfigError`` for unknown names.
        """
        from bibld.dedup.comparison import compare_methods

        skipped: list[str] = []
        with self.catalog() as catalog:
            labelled = read_pairs(Path(pairs), catalog, skipped)
            found = compare_methods(catalog, self.config, labelled, methods, mode, self.progress, across)
        return msgspec.structs.replace(found, skipped=tuple(skipped))

    def keep_tables(self, folder: PathName, *, block: Sequence[str] = (), score: str | None = None) -> list[Path]:
        """Match all records and write each step as a table in Parquet; return the files. The catalog is not changed.

        The tables are records, features, keys, pairs, scores and clusters. ``block`` and ``score`` replace the blockers
        and the scorer of the configuration. Raises ``CatalogError`` if the folder cannot be written.
        """
        from bibld.dedup.memory import keep_tables

        with self.catalog() as catalog:
            chosen = self.config.with_dedup(tuple(block), score)
            return keep_tables(catalog, chosen, Path(folder), self.progress)

    def train(
        self,
        pairs: PathName,
        out: PathName,
        *,
        vary: Sequence[str] = (),
        data: str = "",
        licence: str = "",
        seed: int = 1,
    ) -> dict[str, float]:
        """Train a model for the scorer ``model`` from labelled pairs, write it to ``out``, and return its figures.

        ``vary`` names sources of which changed copies of records are learned from too; ``data`` and ``licence`` of the
        labels are stored with the model. Needs scikit-learn (``pip install 'bibld[train]'``).
        """
        from bibld.dedup import train as training

        for source in vary:
            check_source(self.config, source)
        labels, file = Path(pairs), Path(out)
        varied = "".join(f" --vary {name}" for name in sorted(set(vary)))
        command = f"bibld train {self.path.name} --pairs {labels.name}{varied} --seed {seed} --out {file.name}"
        about = training.TrainingSetup(data or labels.name, licence, run_time().date().isoformat(), command)
        with self.catalog() as catalog:
            labelled = read_pairs(labels, catalog)
            model, figures = training.train(catalog, labelled, frozenset(vary), seed, about)
        training.write_model(model, file)
        return figures
