"""A configured workspace: run it, look into it, explain it, decide, check it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TextIO, get_args

import msgspec

from bibld import config as configuration
from bibld import pipeline
from bibld._api import explaining, exports
from bibld._api.arguments import PathName, check_choice, check_source, remote_store, run_time
from bibld._api.engines import EngineName, convert_workspace, list_releases
from bibld._api.explaining import IriReport, PairReport, RecordReport
from bibld._api.exports import FileFormat
from bibld._api.harvests import harvest_sources, probe_sources
from bibld._api.links import Links
from bibld._api.review import Review
from bibld._api.rows import ClusterRow, FileRow, PairRow, RecordRow, Stats, main_title, stats_of
from bibld._api.runs import run_stages
from bibld._api.source_check import SourcesReport, check_sources
from bibld._api.sparql import query_release
from bibld._api.tables import Table
from bibld._api.workspace_check import CheckReport, check_workspace
from bibld.catalog import Catalog, Reject
from bibld.catalog.backup import Copied, back_up
from bibld.catalog.engines import check_has_results, missing_results
from bibld.catalog.exchange import ConvertedWorkspace
from bibld.config import Config
from bibld.dedup.labels import read_pairs
from bibld.errors import ConfigError
from bibld.harvest import HarvestResult
from bibld.ingest import Exported, export_mods, export_originals, source_files
from bibld.model.linkage import Decision, Edge
from bibld.pipeline import Summary
from bibld.progress import Progress, Silent
from bibld.protocols import SourceRecord
from bibld.publish import Releases, ReleaseSummary, Verification
from bibld.publish import verify as verify_release
from bibld.store import Delivered
from bibld.triplify import ElementCoverage, mods_coverage

if TYPE_CHECKING:
    from bibld.dedup.comparison import MethodComparison
    from bibld.dedup.evaluate import Evaluation
    from bibld.serve.site import StaticSite
    from bibld.validate import ReportSettings, ValidationReport

# The modules that match and train load compiler and database: the functions that use them import them.

Until = Literal["read", "dedup", "merge", "triplify", "store", "publish"]


class Workspace:
    """A configuration file and the workspace that it names.

    The configuration is checked at once: ``ConfigError`` lists everything that is wrong with it. Nothing else is opened
    or locked between two calls, so that a workspace may be looked into while a run is in progress. Most methods need
    a run before them, and raise ``CatalogError`` otherwise. ``progress`` receives the progress of long work.

    Records are named as ``source:control number`` (``rsl:01004039769``), by a control number that is unique, or by one
    of their IRIs.
    """

    def __init__(self, config: PathName, *, progress: Progress | None = None) -> None:
        self.path = Path(config)
        self.config: Config = configuration.load(self.path)
        self.progress: Progress = progress or Silent()

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r})"

    @property
    def run_command(self) -> str:
        """The shell command that runs this workspace, for messages."""
        return f"bibld run {shlex.quote(str(self.path))}"

    @contextmanager
    def catalog(self) -> Iterator[Catalog]:
        """Open the catalog for reading; raises ``CatalogError`` before the first run."""
        if not (self.config.workspace / "catalog.db").is_file():
            raise missing_results(self.config.workspace, self.path)
        with Catalog(self.config.workspace, read_only=True, config_file=self.path) as opened:
            yield opened

    # -- run ---------------------------------------------------------------------------------------------------------

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
        the data (now, or SOURCE_DATE_EPOCH), ``engine`` replaces the setting. Raises ``ConfigError``, ``StageError``.
        """
        check_choice(until, "stage", list(get_args(Until)))
        options = {"until": until, "restat": restat, "rebuild": rebuild, "allow_deletes": allow_deletes}
        return run_stages(self.config, at or run_time(), self.progress, engine, **options)

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
        """
        remote = remote_store(self.config, to, kind, user_env, password_env)
        return pipeline.deliver(self.config, remote, at or run_time(), self.progress, replace)

    def forget_store(self, to: str) -> bool:
        """Forget a remote store: no changes are kept for it. Returns whether it was known; it is not changed."""
        return pipeline.forget_store(self.config, remote_store(self.config, to))

    def releases(self, engine: EngineName | None = None) -> Table[ReleaseSummary]:
        """Return the releases, of one engine or of both, the oldest first; none before the first run.

        Those of runs on Spark, in its storage, are among them if the last run was on Spark. Raises ``ConfigError`` if
        they cannot be looked at here.
        """
        return Table(ReleaseSummary, list_releases(self.config, engine))

    def roll_back(self, release: int | None = None) -> int:
        """Make another release the current one: that with this number, or the one before it; return its number.

        Servers follow. The next release that a run makes follows on the newest one, and becomes current. Raises
        ``StageError`` for a release that is not on disk any more, or that was withdrawn.
        """
        return int(Releases(self.config.workspace).roll_back(release).name)

    def verify(self, release: int | None = None) -> Verification:
        """Compare files, dumps with patches, store, description and documents of a release (the current one).

        Raises ``StageError`` if there is no such release.
        """
        return verify_release(self.config, release, self.progress)

    def check_sources(self) -> SourcesReport:
        """Read the files of the sources as a run does first, and look at the workspace; nothing is changed.

        The report lists the files with carrier, charset, flavour and number of records, the sources in doubt, and the
        faults that would stop a run.
        """
        return check_sources(self.config, self.progress)

    def write_static_site(self, folder: Path | str) -> StaticSite:
        """Write the current release as files: every form of every document, the pages and the dumps.

        ``folder`` is the root of a host that only sends files; an earlier site in it is replaced. Raises ``StageError``
        before the first release, and if the folder contains something else.
        """
        from bibld._api.site import write_site

        return write_site(self, Path(folder).resolve())

    def harvest(
        self, source: str | None = None, *, full: bool = False, since: str = "", limit: int = 0
    ) -> tuple[HarvestResult, ...]:
        """Fetch what the servers of one source or of all offer; return how it ended for each: no answer is no error.

        ``full``: the whole list; ``since`` a day or time: changes; ``limit``: stop early. Raises ``ConfigError``.
        """
        return harvest_sources(self.config, source, self.progress, full, since, limit)

    def probe(self, source: str | None = None) -> tuple[HarvestResult, ...]:
        """Ask the servers of one source or of all who they are and what they would be asked for; store nothing."""
        return probe_sources(self.config, source, self.progress)

    def files(self) -> Table[FileRow]:
        """Return the files of each source, in the order in which they are read; servers are not asked."""
        files = [file for source in self.config.sources for file in source_files(self.config, source)]
        return Table(FileRow, (FileRow(file.source, file.name, file.path.stat().st_size) for file in files))

    def serve(self, host: str | None = None, port: int | None = None, **settings: Any) -> None:  # noqa: ANN401
        """Serve the current release until the process is interrupted; a newer release is served as soon as it exists.

        ``host``, ``port`` and ``settings`` (``processes``, ``access_log`` …) replace those in ``[serve]``, unless they
        are None. Raises ``StageError`` before the first release.
        """
        from bibld._api.site import serve_site  # loads the web framework, which nothing else here needs

        stated = {"host": host, "port": port, **settings}
        serve_site(self, {name: value for name, value in stated.items() if value is not None})

    # -- look --------------------------------------------------------------------------------------------------------

    def record(self, record: str) -> SourceRecord:
        """Return a record as it is stored: its MODS, its original bytes, its origin; raises ``ConfigError``."""
        with self.catalog() as catalog:
            name = explaining.resolve_record(catalog, self.config, record)
            found = catalog.record(name)
        if found is None:
            raise ConfigError([f"{name}: not in the catalog; run `{self.run_command}` again"])
        return found

    def records(self, source: str | None = None, limit: int | None = None) -> Table[RecordRow]:
        """Return the live records, of one source or of all: title and cluster of each."""
        check_source(self.config, source)
        with self.catalog() as catalog:

            def rows() -> Iterator[RecordRow]:
                for ordinal, of_source, mods in catalog.records.live():
                    if source in (None, of_source):
                        record = catalog.register.record(ordinal)
                        cluster = catalog.register.record(catalog.linkage.founder(ordinal))
                        yield RecordRow(str(record), str(cluster), main_title(mods))

            return Table(RecordRow, islice(rows(), limit))

    def pairs(self, decision: Decision | None = None, limit: int | None = None) -> Table[PairRow]:
        """Return the scored pairs with decision and reasons, all or those of one decision.

        ``decision`` is same, different, related or review.
        """
        with self.catalog() as catalog:
            return Table(PairRow, map(PairRow.from_edge, islice(self._edges(catalog, decision), limit)))

    def _edges(self, catalog: Catalog, decision: Decision | None) -> Iterator[Edge]:
        """Return the scored pairs, all or those of one decision."""
        if decision is not None:
            check_choice(decision, "decision", list(get_args(Decision)))
        return (edge for edge in catalog.linkage.edges() if decision in (None, edge.verdict.decision))

    def clusters(self, min_size: int = 2, limit: int | None = None) -> Table[ClusterRow]:
        """Return the clusters of at least ``min_size`` records; the first record of each names its cluster."""
        with self.catalog() as catalog:

            def rows() -> Iterator[ClusterRow]:
                for founder in catalog.linkage.founders(least=min_size):
                    members = catalog.linkage.cluster(founder).members
                    title = main_title(catalog.records.mods(founder))
                    yield ClusterRow(str(members[0]), len(members), title, tuple(map(str, members)))

            return Table(ClusterRow, islice(rows(), limit))

    def export_clusters(
        self, out: PathName | TextIO, file_format: FileFormat | None = None, *, min_size: int = 2
    ) -> None:
        """Write a row for each record of the clusters with at least ``min_size`` records, as CSV or Parquet.

        Its columns are cluster, record, source, size and title. The format is that of the suffix of the file by
        default; a text stream takes CSV.
        """
        form = exports.file_format(out, file_format)
        with self.catalog() as catalog:
            rows = exports.member_rows(catalog, min_size)
            exports.write_rows(rows, exports.MemberRow.__struct_fields__, out, form)

    def export_pairs(
        self, out: PathName | TextIO, file_format: FileFormat | None = None, *, decision: Decision | None = None
    ) -> None:
        """Write the scored pairs, all or those of one decision, as CSV or Parquet.

        The columns are those of ``PairRow``; the reasons of a pair are joined by ``; ``, and so are its keys.
        """
        form = exports.file_format(out, file_format)
        with self.catalog() as catalog:
            rows = map(PairRow.from_edge, self._edges(catalog, decision))
            exports.write_rows(rows, PairRow.__struct_fields__, out, form)

    def rejects(self, source: str | None = None) -> Table[Reject]:
        """Return what could not be used, with the reason and the original bytes."""
        check_source(self.config, source)
        with self.catalog() as catalog:
            return Table(Reject, catalog.records.rejects(source))

    def triples_coverage(self, limit: int = 200) -> Table[ElementCoverage]:
        """Return what became of each element and attribute of MODS in the published descriptions: which triples.

        ``limit`` publications are looked at, evenly distributed over the catalog; each takes some 50 ms.
        """
        with self.catalog() as catalog:
            founders = list(catalog.linkage.founders())
            step = max(1, len(founders) // max(1, limit))
            chosen = founders[::step][:limit]
            return Table(ElementCoverage, mods_coverage(catalog.descriptions.merged(each).mods for each in chosen))

    def stats(self) -> Stats:
        """Return what the catalog contains: records and files of each source, suppressions, unmapped subfields."""
        with self.catalog() as catalog:
            return stats_of(catalog, self.config)

    def explain(self, record: str, other: str | None = None) -> RecordReport | PairReport | IriReport:
        """Explain a record, a pair of records, or any IRI of the dataset.

        One record: its origin, its cluster and what joined it, its IRIs and its history. Two records: keys, features,
        score and decision, also if no run has compared them. Raises ``ConfigError`` for an unknown record.
        """
        with self.catalog() as catalog:
            if other is not None:
                left, right = (explaining.resolve_record(catalog, self.config, text) for text in (record, other))
                return explaining.explain_pair(catalog, self.config, left, right)
            path = explaining.resolve_path(self.config, record)
            if path is not None:
                return explaining.explain_iri(catalog, self.config, path)
            name = explaining.resolve_record_id(catalog, record)
            return explaining.explain_record(catalog, self.config, name)

    def query(self, sparql: str) -> Table[Any]:
        """Answer a SPARQL query from the current release, as :func:`bibld.query` does from an endpoint.

        A query without ``FROM`` sees all graphs as one. The prefixes of the dataset and of ``[serve] prefixes`` need no
        declaration. Raises ``StageError`` before the first release and
        ``BadQueryError`` for a query that is not SPARQL.
        """
        return query_release(self.config, sparql)

    # -- decide ------------------------------------------------------------------------------------------------------

    @cached_property
    def review(self) -> Review:
        """The pairs that wait for a person, and the verdicts of people."""
        return Review(self)

    @cached_property
    def links(self) -> Links:
        """The links to authority files, and the verdicts of people about them."""
        return Links(self)

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

    # -- maintain ----------------------------------------------------------------------------------------------------

    def check(self, *, all_records: bool = False, repair: bool = False) -> CheckReport:
        """Check databases, stored records, clusters, index, live store and releases.

        ``all_records`` reads every stored record instead of a sample, ``repair`` mends what can be made again. Raises
        ``CatalogError`` while a run is in progress.
        """
        check_has_results(self.config.workspace, self.path)
        return check_workspace(self.config, all_records, repair, self.progress)

    def validate(self, shapes: PathName | None = None, settings: ReportSettings | None = None) -> ValidationReport:
        """Check all statements against the shapes (SHACL) of the ontology, or those in the file ``shapes``.

        Raises ``ConfigError`` for shapes that cannot be checked, and ``StageError`` if a run has to be completed first.
        """
        from bibld._api.validation import validate_workspace
        from bibld.validate import ReportSettings

        file = None if shapes is None else Path(shapes)
        with self.catalog() as catalog:
            return validate_workspace(catalog, self.config, file, settings or ReportSettings(), self.progress)

    def convert(self, to: EngineName, *, at: datetime | None = None) -> ConvertedWorkspace:
        """Move the results of the last run to tables for Spark (``spark``), or from them to this machine (``local``).

        The next run with that engine goes on from them. ``at`` is the time of the conversion. Raises ``StageError``,
        ``CatalogError``, and ``ConfigError`` if Spark is not installed.
        """
        check_choice(to, "engine", list(get_args(EngineName)))
        return convert_workspace(self.config, to, at or run_time(), self.progress)

    def backup(self, folder: PathName, *, register_only: bool = False) -> Table[Copied]:
        """Copy the databases of the workspace into a new folder, as they are at one moment."""
        return Table(Copied, back_up(self.config.workspace, Path(folder), register_only, self.progress))

    def export_mods(self, out: PathName | BinaryIO, source: str | None = None) -> None:
        """Write the MODS of all live records: into a folder one file for each source, or into a binary stream."""
        check_source(self.config, source)
        sources = [one.id for one in self.config.sources] if source is None else [source]
        with self.catalog() as catalog:
            export_mods(catalog, sources, exports.folder_or_stream(out), self.progress)

    def export_originals(self, out: PathName | BinaryIO, source: str | None = None) -> Table[Exported]:
        """Write the original bytes of all live records: into a folder one file for each file that they come from.

        A binary stream takes the records of one source, format and charset; raises ``ConfigError`` for a mixture.
        """
        check_source(self.config, source)
        with self.catalog() as catalog:
            written = export_originals(catalog, source, exports.folder_or_stream(out), self.progress)
            return Table(Exported, written)
