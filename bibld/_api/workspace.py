"""A configured workspace: run it, look into it, decide, measure it, check it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, get_args

import msgspec

from bibld import pipeline
from bibld._api import enriching
from bibld._api.configured import PathName, check_choice, check_source, checked_date, remote_store, run_time
from bibld._api.functions import KeyFunction, ScoreFunction, method_names
from bibld._api.links import Links
from bibld._api.maintaining import CheckMethods
from bibld._api.reading import LookMethods
from bibld._api.review import Review
from bibld._api.run_report import write_report
from bibld._api.source_check import SourcesReport, inspect_and_check
from bibld._api.tables import FileRow, Table
from bibld._api.worklists import WorklistMethods
from bibld.catalog.engines import engine_state
from bibld.catalog.exchange import ConvertedWorkspace
from bibld.config import Source
from bibld.dedup.method import scorer_warning
from bibld.dedup.pair_files import add_verdicts, read_pairs
from bibld.enrich import RecordAddition
from bibld.errors import BibldError, ConfigError
from bibld.harvest import HarvestOptions, HarvestResult, harvest_source, probe_result
from bibld.ingest import source_files
from bibld.model.enrichment import EnrichmentReport, ReturnElement
from bibld.pipeline import Summary
from bibld.progress import WarningLog
from bibld.publish import Releases, ReleaseSummary, Verification
from bibld.publish import verify as verify_release
from bibld.store import Delivered

if TYPE_CHECKING:
    from bibld.dedup.comparison import MethodComparison
    from bibld.dedup.evaluate import Evaluation
    from bibld.serve.site import StaticSite

Until = Literal["read", "dedup", "merge", "triplify", "store", "publish"]
EngineName = Literal["local", "spark"]

_PACKAGES_OF_SPARK = {"pyspark", "pyarrow", "py4j"}

# The modules that match and train load compiler and database: the methods that use them import them.


class Workspace(LookMethods, CheckMethods, WorklistMethods):
    """A configuration file and the workspace that it names.

    The configuration is checked at once: ``ConfigError`` lists everything that is wrong with it. Nothing else is opened
    or locked between two calls, so that a workspace may be looked into while a run is in progress. Most methods need
    a run before them, and raise ``CatalogError`` otherwise. ``progress`` receives the progress of long work.

    Records are named as ``source:control number`` (``rsl:01004039769``), by a control number that is unique, or by one
    of their IRIs. ``language`` (such as ``ru``) is that of the words in what people read: the report of a run, CSV and
    workbooks of matches and worklists.

    >>> workspace = bibld.Workspace("bibld.toml")
    >>> workspace.run().figures.records
    289
    """

    @cached_property
    def review(self) -> Review:
        """The pairs that wait for a person, and the verdicts of people."""
        return Review(self)

    @cached_property
    def links(self) -> Links:
        """The links to authority files, and the verdicts of people about them."""
        return Links(self)

    # -- run -----------------------------------------------------------------------------------------------------

    def run(
        self,
        until: Until = "publish",
        *,
        restat: bool = False,
        rebuild: bool = False,
        allow_deletes: bool = False,
        at: datetime | None = None,
        engine: Literal["", "local", "spark"] = "",
    ) -> Summary:
        """Run the stages up to ``until``, and return what was done; what did not change is not done again.

        ``restat`` recounts the statistics of blocking, ``rebuild`` repeats every stage after reading, ``allow_deletes``
        deletes missing records even if they are more than a source may lose in one run. ``at`` is the time in
        the data (now, or SOURCE_DATE_EPOCH), ``engine`` replaces the setting. Raises ``ConfigError``, ``StageError``,
        with the warnings before them as notes.

        >>> workspace.run("dedup").figures.clusters
        202
        """
        check_choice(until, "stage", list(get_args(Until)))
        options: dict[str, Any] = {"until": until, "restat": restat, "rebuild": rebuild, "allow_deletes": allow_deletes}
        chosen = engine or self.config.engine.name
        check_choice(chosen, "engine", list(get_args(EngineName)))
        begun = at or run_time()
        progress = WarningLog(self.progress)
        try:
            if warning := scorer_warning(self.config):
                progress.warn(warning)
            if chosen == "spark":
                with _spark_is_needed():
                    from bibld import spark
                summary: Summary = spark.run(self.config, begun, progress, **options)
            else:
                summary = pipeline.run(self.config, begun, progress, **options)
            if until == "publish":
                enriching.return_records(self.config, begun, progress)
            summary = msgspec.structs.replace(summary, warnings=tuple(progress.warnings))
            report = write_report(self.config, summary, begun.isoformat(timespec="seconds"), self.words)
        except (BibldError, MemoryError, KeyboardInterrupt) as error:
            for warning in progress.warnings:
                error.add_note(f"warning: {warning}")
            raise
        return msgspec.structs.replace(summary, report=str(report))

    def deliver(
        self,
        to: str,
        *,
        kind: str = "sparql",
        user_env: str = "",
        password_env: str = "",
        replace: bool = False,
        at: datetime | None = None,
    ) -> Delivered:
        """Bring a remote store to the quads of the last run, and return what was done.

        ``to`` is the name or the address of a store of the configuration, or another address; then ``kind`` is the name
        of its adapter, and ``user_env`` and ``password_env`` name the environment variables with the credentials.
        ``replace`` deletes the quads of the dataset that it has, and loads all again. Raises ``StoreError``,
        ``StageError`` before the first release, and ``ConfigError``.

        >>> workspace.deliver("https://sparql.example.org/", user_env="STORE_USER")  # doctest: +SKIP
        """
        remote = remote_store(self.config, to, kind, user_env, password_env)
        return pipeline.deliver(self.config, remote, at or run_time(), self.progress, replace)

    def forget_store(self, to: str) -> bool:
        """Forget a remote store: no changes are kept for it. Returns whether it was known; it is not changed.

        >>> workspace.forget_store("https://sparql.example.org/")
        False
        """
        return pipeline.forget_store(self.config, remote_store(self.config, to))

    def releases(self, engine: EngineName | None = None) -> Table[ReleaseSummary]:
        """Return the releases, of one engine or of both, the oldest first; none before the first run.

        Those of runs on Spark, in its storage, are among them if the last run was on Spark. Raises ``ConfigError`` if
        they cannot be looked at here.

        >>> [row.release for row in workspace.releases()]
        [1]
        """
        found = Releases(self.config.workspace).list_all() if engine != "spark" else []
        if engine != "local" and engine_state(self.config.workspace).is_newer_on_spark:
            with _spark_is_needed():
                from bibld.spark import list_releases
            found += list_releases(self.config)
        return Table(ReleaseSummary, sorted(found, key=lambda release: (release.created, release.release)))

    def roll_back(self, release: int | None = None) -> int:
        """Make another release the current one: that with this number, or the one before it; return its number.

        Servers follow. The next release that a run makes follows on the newest one, and becomes current. Raises
        ``StageError`` for a release that is not on disk any more, or that was withdrawn.

        >>> workspace.roll_back(1)
        1
        """
        return int(Releases(self.config.workspace).roll_back(release).name)

    def verify(self, release: int | None = None) -> Verification:
        """Compare files, dumps with patches, store, description and documents of a release (the current one).

        Raises ``StageError`` if there is no such release.

        >>> workspace.verify().is_ok
        True
        """
        return verify_release(self.config, release, self.progress)

    def check_sources(self) -> SourcesReport:
        """Read the files of the sources as a run does first, and look at the workspace; nothing is changed.

        The report lists the files with carrier, charset, flavour and number of records, the sources in doubt, and the
        faults that would stop a run.

        >>> workspace.check_sources().doubts
        ()
        """
        return inspect_and_check(self.config, self.progress)

    def write_static_site(self, folder: Path | str) -> StaticSite:
        """Write the current release as files: every form of every document, the pages and the dumps.

        ``folder`` is the root of a host that only sends files; an earlier site in it is replaced. Raises ``StageError``
        before the first release, and if the folder contains something else.

        >>> workspace.write_static_site("site").documents  # doctest: +SKIP
        """
        from bibld._api.site import write_site

        return write_site(self, Path(folder).resolve())

    def harvest(
        self, source: str | None = None, *, full: bool = False, since: str = "", limit: int = 0
    ) -> tuple[HarvestResult, ...]:
        """Fetch what the servers of one source or of all offer; return how it ended for each: no answer is no error.

        ``full``: the whole list; ``since`` a day or time: changes; ``limit``: stop early. Raises ``ConfigError``.

        >>> workspace.harvest("rsl")[0].outcome
        'complete'
        """
        options = HarvestOptions(full=full, since=checked_date(since), limit=limit)
        chosen = self._sources(source)
        self.progress.stage("harvest", "records")
        return tuple(harvest_source(self.config, one, self.progress, options) for one in chosen)

    def probe(self, source: str | None = None) -> tuple[HarvestResult, ...]:
        """Ask the servers of one source or of all who they are and what they would be asked for; store nothing.

        >>> workspace.probe("rsl")[0].outcome
        'complete'
        """
        return tuple(probe_result(self.config, one, self.progress) for one in self._sources(source))

    def _sources(self, source: str | None) -> list[Source]:
        check_source(self.config, source)
        return [one for one in self.config.sources if source in (None, one.id)]

    def files(self) -> Table[FileRow]:
        """Return the files of each source, in the order in which they are read; servers are not asked.

        >>> [row.file for row in workspace.files()]
        ['rsl.mrc', 'nlr.iso', 'slavica.xml']
        """
        files = [file for source in self.config.sources for file in source_files(self.config, source)]
        return Table(FileRow, (FileRow(file.source, file.name, file.path.stat().st_size) for file in files))

    def serve(self, host: str | None = None, port: int | None = None, **settings: Any) -> None:  # noqa: ANN401
        """Serve the current release until the process is interrupted; a newer release is served as soon as it exists.

        ``host``, ``port`` and ``settings`` (``processes``, ``access_log`` …) replace those in ``[serve]``, unless they
        are None. Raises ``StageError`` before the first release.

        >>> workspace.serve(port=8000)  # doctest: +SKIP
        """
        from bibld._api.site import serve_site  # loads the web framework, which nothing else here needs

        stated = {"host": host, "port": port, **settings}
        serve_site(self, {name: value for name, value in stated.items() if value is not None})

    def enrich(
        self,
        files: PathName | Sequence[PathName],
        out: PathName | BinaryIO | None = None,
        *,
        source: str | None = None,
        match: bool = False,
        elements: ReturnElement | Sequence[ReturnElement] = (),
        withdraw: bool = False,
        observe: Callable[[RecordAddition], object] | None = None,
    ) -> EnrichmentReport:
        """Write files of a source again, with what its records lack and other records or authority files have.

        Every byte of the records stays; earlier additions of this dataset are withdrawn first, with ``withdraw`` no
        new ones are made. ``out`` is a file, for more than one file a folder, or a binary stream. ``source`` is needed
        for files that are not among those of the configuration; with ``match`` they are of no source, and what their
        records describe is found as by :meth:`match`. ``elements`` replace those of ``[source.return]``.
        Without ``out`` nothing is written. ``observe`` is called with each addition, and with each that was left out.
        Records that are not in the catalog are copied as they are. Raises ``ConfigError`` for a file whose records
        cannot be changed, ``HarvestError`` for a damaged one.

        >>> workspace.enrich("rsl.mrc", "enriched.mrc", source="rsl").enriched
        123
        """
        paths = [files] if isinstance(files, str | os.PathLike) else files
        named = (elements,) if isinstance(elements, str) else tuple(elements)
        options = enriching.EnrichOptions(source, match, named, withdraw)
        return enriching.enrich_files(self.config, paths, out, options, observe or (lambda _: None), self.progress)

    def convert(self, to: EngineName, *, at: datetime | None = None) -> ConvertedWorkspace:
        """Move the results of the last run to tables for Spark (``spark``), or from them to this machine (``local``).

        The next run with that engine goes on from them. ``at`` is the time of the conversion. Raises ``StageError``,
        ``CatalogError``, and ``ConfigError`` if Spark is not installed.

        >>> workspace.convert("spark")  # doctest: +SKIP
        """
        check_choice(to, "engine", list(get_args(EngineName)))
        with _spark_is_needed():
            from bibld.spark import conversion
        return conversion.convert_workspace(self.config, to, at or run_time(), self.progress)

    # -- measure matching -----------------------------------------------------------------------------------------

    def evaluate(
        self,
        pairs: PathName,
        *,
        mode: Literal["auto", "full", "pairs"] = "auto",
        block: str | KeyFunction | Sequence[str | KeyFunction] = (),
        score: str | ScoreFunction | None = None,
        across: bool = False,
        blockers: bool = False,
        sweep: bool = False,
    ) -> Evaluation:
        """Measure matching against labelled pairs (CSV: left, right, label); nothing is stored.

        ``mode``: what is counted, see :class:`Evaluation`. ``block`` and ``score`` replace the blockers and the scorer,
        by name or by functions as of :func:`bibld.find_duplicates`. ``across`` counts pairs of
        different sources only, ``blockers`` also measures each blocker alone, ``sweep`` other thresholds and the
        calibration of the scores. A pair with a record that is unknown or deleted is skipped: ``skipped`` of the result
        has a message for each.

        >>> workspace.evaluate("gold_pairs.csv").f1
        1.0
        >>> def same_title(left, right):
        ...     return float(left.title_info == right.title_info)
        >>> workspace.evaluate("gold_pairs.csv", score=same_title).recall
        0.1327
        """
        from bibld.dedup.evaluate import Measures, evaluate

        skipped: list[str] = []
        with self.catalog() as catalog, method_names(block, score, catalog.records.mods) as names:
            chosen = self.config.with_dedup(*names)
            labelled = read_pairs(Path(pairs), catalog, skipped)
            measures = Measures(across=across, blockers=blockers, sweep=sweep)
            found = evaluate(catalog, chosen, labelled, mode, self.progress, measures)
        return msgspec.structs.replace(found, skipped=tuple(skipped))

    def compare_methods(
        self,
        pairs: PathName,
        methods: str = "all",
        *,
        mode: Literal["full", "pairs"] = "full",
        across: bool = False,
        block: Sequence[KeyFunction] = (),
        score: Sequence[ScoreFunction] = (),
    ) -> MethodComparison:
        """Measure methods of matching side by side against labelled pairs; nothing is stored.

        ``methods`` are names with commas between: blockers joined by ``+``, then perhaps ``:`` and a scorer
        (``"composite,composite+minhash:model"``); ``all`` stands for each blocker and some combinations. Each runs in a
        separate process; one that cannot be measured has a ``note`` with the reason. With the mode ``pairs`` only
        labelled pairs count, with ``across`` only pairs of different sources; pairs with unknown or deleted records are
        skipped. ``block`` and ``score`` are functions as of :func:`bibld.find_duplicates`, which ``methods`` names as
        Python does (``paper-2`` for one with the name of an adapter); a method that calls one runs in this process.
        Raises ``ConfigError`` for unknown names.

        >>> def same_title(left, right):
        ...     return float(left.title_info == right.title_info)
        >>> found = workspace.compare_methods("gold_pairs.csv", "paper:same_title", score=[same_title])
        >>> found.methods[0].recall
        0.0918
        """
        from bibld.dedup.comparison import compare_methods

        skipped: list[str] = []
        with self.catalog() as catalog, ExitStack() as lent:
            for function in (None, *score):
                lent.enter_context(method_names(block if function is None else (), function, catalog.records.mods))
            labelled = read_pairs(Path(pairs), catalog, skipped)
            found = compare_methods(catalog, self.config, labelled, methods, mode, self.progress, across)
        return msgspec.structs.replace(found, skipped=tuple(skipped))

    def keep_tables(
        self,
        folder: PathName,
        *,
        block: str | KeyFunction | Sequence[str | KeyFunction] = (),
        score: str | ScoreFunction | None = None,
    ) -> list[Path]:
        """Match all records and write each step as a table in Parquet; return the files. The catalog is not changed.

        The tables are records, features, keys, pairs, scores and clusters. ``block`` and ``score`` replace the blockers
        and the scorer, by name or by functions as of :func:`bibld.find_duplicates`. Raises ``CatalogError`` if the
        folder cannot be written.

        >>> [file.name for file in workspace.keep_tables("tables")][:3]
        ['records.parquet', 'features.parquet', 'keys.parquet']
        """
        from bibld.dedup.memory import keep_tables

        with self.catalog() as catalog, method_names(block, score, catalog.records.mods) as names:
            chosen = self.config.with_dedup(*names)
            return keep_tables(catalog, chosen, Path(folder), self.progress)

    def train(
        self,
        pairs: PathName | None,
        out: PathName,
        *,
        vary: Sequence[str] = (),
        data: str = "",
        licence: str = "",
        seed: int = 1,
    ) -> dict[str, float]:
        """Train a model for the scorer ``model``, write it to ``out``, and return its figures.

        It learns from the verdicts of people in this workspace, and from labelled pairs (CSV) if ``pairs`` names them;
        a pair with a label that contradicts its verdict raises ``ConfigError``. ``vary`` names
        sources of which changed copies of records are learned from too; ``data`` and ``licence`` of the labels are
        stored with the model. Needs scikit-learn (``pip install 'bibld[train]'``).

        >>> workspace.train("gold_pairs.csv", "model.json")  # doctest: +SKIP
        """
        from bibld.dedup import train as training

        for source in vary:
            check_source(self.config, source)
        file, labels = Path(out), "" if pairs is None else Path(pairs).name
        named = [f"--pairs {labels}"] * bool(labels) + [f"--vary {name}" for name in sorted(set(vary))]
        command = " ".join(("bibld train", self.path.name, *named, f"--seed {seed} --out {file.name}"))
        with self.catalog() as catalog:
            of_file = [] if pairs is None else read_pairs(Path(pairs), catalog)
            labelled = add_verdicts(of_file, catalog, labels, self.path)
            by_people = f"verdicts of people: {len(labelled) - len(of_file)}"
            data = data or ", ".join([labels] * bool(labels) + [by_people] * (len(labelled) > len(of_file)))
            about = training.TrainingSetup(data, licence, run_time().date().isoformat(), command)
            model, figures = training.train(catalog, labelled, frozenset(vary), seed, about)
        training.write_model(model, file)
        return figures


@contextmanager
def _spark_is_needed() -> Iterator[None]:
    """Convert the error of an import without Spark to ``ConfigError``."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES_OF_SPARK:
            raise
        raise ConfigError(["Spark is not installed; run: pip install 'bibld[spark]'"]) from error
