"""Check, validate and back up a workspace; what a run can rebuild is removed if that is wanted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from bibld import pipeline, publish, store, triplify
from bibld._api.configured import ConfiguredWorkspace, PathName
from bibld._api.tables import Table
from bibld.catalog import Catalog
from bibld.catalog.backup import Copied, back_up
from bibld.catalog.check import FoundFault, faults, file_faults
from bibld.catalog.engines import check_has_results
from bibld.config import Config
from bibld.errors import ConfigError, StageError, StoreError
from bibld.model.brief import brief
from bibld.model.finding import Finding
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.model.report import SHAPES_FILE, ShapeFigure, Validation
from bibld.parallel import worker_count
from bibld.progress import Progress
from bibld.protocols import adapters
from bibld.serve.ontology import ontology_text
from bibld.validate import ReportSettings, ValidationReport, read_shapes, validate

_REBUILT = "the next run rebuilds it"
_OWN_SHAPES = "shapes.ttl"


class CheckReport(msgspec.Struct, frozen=True):
    """The number of records that were checked, and the faults found."""

    records: int
    findings: tuple[Finding, ...]

    __repr__ = brief

    @property
    def is_well(self) -> bool:
        """Whether no fault is left: none was found, or all were mended."""
        return all(finding.mended for finding in self.findings)


class CheckMethods(ConfiguredWorkspace):
    """The methods that check a workspace and back it up."""

    def check(self, *, all_records: bool = False, repair: bool = False) -> CheckReport:
        """Check databases, stored records, clusters, index, live store and releases.

        ``all_records`` reads every stored record instead of a sample, ``repair`` mends what can be made again. Raises
        ``CatalogError`` while a run is in progress.

        >>> workspace.check().is_well
        True
        """
        check_has_results(self.config.workspace, self.path)
        config, progress = self.config, self.progress
        findings = [_mend_if_wanted(fault, repair) for fault in file_faults(config.workspace, progress, config.file)]
        if not all(finding.mended for finding in findings):
            return CheckReport(0, tuple(findings))
        with Catalog(config.workspace, config_file=config.file) as catalog:
            findings += [_mend_if_wanted(fault, repair) for fault in _faults(catalog, config, all_records, progress)]
            return CheckReport(catalog.records.count(), tuple(findings))

    def validate(self, shapes: PathName | None = None, settings: ReportSettings | None = None) -> ValidationReport:
        """Check all statements against the shapes (SHACL) of the ontology, or those in the file ``shapes``.

        Raises ``ConfigError`` for shapes that cannot be checked, and ``StageError`` if a run has to be completed first.

        >>> workspace.validate().conforms  # doctest: +SKIP
        """
        config, iris = self.config, Iris(self.config.dataset.base)
        file = None if shapes is None else Path(shapes)
        read = read_shapes(_shapes_text(file, iris), str(file or _OWN_SHAPES))
        with self.catalog() as catalog:
            if triplify.is_pending(catalog, pipeline.stage_queue(catalog, "triplify")):
                raise StageError(
                    f"{config.workspace}: the statements of some records are not up to date; run"
                    f" `{self.run_command}`, then validate again"
                )
            sources = pipeline.count_sources(catalog, config)

            def blocks() -> Iterator[bytes]:
                yield from triplify.catalog_blocks(catalog, iris, sources)
                yield _release_lines(config, iris)

            workers, wanted = worker_count(config.workers), settings or ReportSettings()
            found = validate(blocks, read, config.workspace, wanted, workers, self.progress)
        _note_results(config, found)
        return found

    def backup(self, folder: PathName, *, register_only: bool = False) -> Table[Copied]:
        """Copy the databases of the workspace into a new folder, as they are at one moment.

        >>> len(workspace.backup("backup", register_only=True))
        1
        """
        return Table(Copied, back_up(self.config.workspace, Path(folder), register_only, self.progress))


def _faults(catalog: Catalog, config: Config, all_records: bool, progress: Progress) -> Iterator[FoundFault]:
    from bibld.dedup.index import index_faults  # loads compiler and database

    yield from faults(catalog, all_records, progress)
    yield from index_faults(catalog, config, progress)
    yield from _store_faults(catalog, config, progress)
    yield from _release_faults(publish.Releases(config.workspace), progress)


def _mend_if_wanted(fault: FoundFault, repair: bool) -> Finding:
    """Mend a fault if ``repair`` is true and it can be mended; return it as a finding."""
    finding, mend = fault
    if repair and mend is not None:
        mend()
    return msgspec.structs.replace(finding, mended=repair and mend is not None)


# -- store -------------------------------------------------------------------------------------------------------------


def _store_faults(catalog: Catalog, config: Config, progress: Progress) -> Iterator[FoundFault]:
    """Compare the number of quads in the live store with those delivered to it."""
    delivery = catalog.patches.delivery(store.CONSUMER)
    folder = store.folder(config)
    if delivery is None or delivery.patch != delivery.goal or not folder.is_dir():
        return  # the next run fills it, or completes what an earlier one began
    progress.report("check: the live store")
    try:
        count = _count_quads(config)
    except StoreError as error:
        yield Finding("store", str(error), _REBUILT), partial(shutil.rmtree, folder)
        return
    if count != delivery.quads:
        what = f"contains {count} quads instead of {delivery.quads}"
        yield Finding("store", what, _REBUILT), partial(shutil.rmtree, folder)


def _count_quads(config: Config) -> int:
    """Return the number of quads in the live store, without the two graphs that describe the last release.

    The quads of these are read one by one: a count of them would not notice that files of the store are missing.
    """
    iris = Iris(config.dataset.base)
    with closing(store.open_live(config)) as live:
        count = live.count()
        for name in ("dataset", "run"):
            count -= len(live.query(f"SELECT ?s {{ GRAPH {iri(iris.graph(name))} {{ ?s ?p ?o }} }}"))
        return count


# -- releases ----------------------------------------------------------------------------------------------------------


def _release_faults(releases: publish.Releases, progress: Progress) -> Iterator[FoundFault]:
    """Compare the files of the releases with the checksums in their manifests."""
    numbers = releases.numbers()
    progress.stage("check", "releases", len(numbers))
    for number in numbers:
        folder = releases.folder / str(number)
        try:
            wrong = [
                file.name for file in releases.manifest(folder).files if _checksum(folder / file.name) != file.sha256
            ]
            what = f"changed since they were made: {', '.join(wrong)}" if wrong else ""
        except (StageError, OSError) as error:
            what = str(error)
        if what:
            remedy = "it is removed; the next run makes a new one"
            yield Finding(f"releases/{number}", what, remedy), partial(shutil.rmtree, folder)
        progress.advance()
    if numbers and releases.current() is None:
        yield Finding("releases", "none is current", "the next run makes a new one"), lambda: None


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


# -- shapes ------------------------------------------------------------------------------------------------------------


def _note_results(config: Config, found: ValidationReport) -> None:
    """Store the counts of the findings, for the report of data quality."""
    try:
        _, manifest = pipeline.current_release(config)
    except StageError:
        return
    figures = [ShapeFigure(one.shape, one.meaning, one.severity, one.count) for one in found.findings]
    folder = config.workspace / "reports"
    folder.mkdir(exist_ok=True)
    (folder / SHAPES_FILE).write_bytes(msgspec.json.encode(Validation(manifest.number, tuple(figures))))


def _shapes_text(file: Path | None, iris: Iris) -> str:
    if file is None:
        return ontology_text(_OWN_SHAPES, iris)
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{file}: is not UTF-8; save the file as UTF-8"]) from error
    except OSError as error:
        raise ConfigError([f"{file}: cannot be read: {error.strerror}; name a file of SHACL shapes"]) from error


def _release_lines(config: Config, iris: Iris) -> bytes:
    """Return the lines that describe the dataset and the run of the current release; none before the first."""
    try:
        release, manifest = pipeline.current_release(config)
    except StageError:
        return b""
    settings = config.settings("store", manifest.backend)
    with closing(adapters.load_adapter("store", manifest.backend).open_copy(release / "store", settings)) as copy:
        graphs = (copy.quads(graph=iris.graph(name)) for name in ("dataset", "run"))
        return "".join(line for lines in graphs for line in sorted(lines)).encode()
