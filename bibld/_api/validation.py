"""Check what a workspace publishes against shapes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld import pipeline, triplify
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.errors import ConfigError, StageError
from bibld.model.iris import Iris
from bibld.model.report import SHAPES_FILE, ShapeFigure, Validation
from bibld.parallel import worker_count
from bibld.progress import Progress
from bibld.protocols import adapters
from bibld.serve.ontology import ontology_text
from bibld.validate import ReportSettings, ValidationReport, read_shapes, validate

_OWN_SHAPES = "shapes.ttl"
_GRAPHS_OF_THE_RELEASE = ("dataset", "run")


def validate_workspace(
    catalog: Catalog, config: Config, shapes_file: Path | None, settings: ReportSettings, progress: Progress
) -> ValidationReport:
    """Check all statements of a workspace: those of the catalog, and the current release's descriptions of itself.

    ``shapes_file`` replaces the shapes of the ontology. Raises ``ConfigError`` for shapes that cannot be used, and
    ``StageError`` if statements are still to be made.
    """
    iris = Iris(config.dataset.base)
    shapes = read_shapes(_shapes_text(shapes_file, iris), str(shapes_file or _OWN_SHAPES))
    if triplify.is_pending(catalog, pipeline.stage_queue(catalog, "triplify")):
        raise StageError(
            f"{config.workspace}: the statements of some records are not up to date; run"
            f" `bibld run {shlex.quote(str(config.file))}`, then validate again"
        )
    sources = pipeline.count_sources(catalog, config)

    def blocks() -> Iterator[bytes]:
        yield from triplify.catalog_blocks(catalog, iris, sources)
        yield _release_lines(config, iris)

    workers = worker_count(config.workers)
    found = validate(blocks, shapes, config.workspace, settings, workers, progress)
    _note_results(config, found)
    return found


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
    copy = adapters.load_adapter("store", manifest.backend).open_copy(release / "store", settings)
    try:
        graphs = (copy.quads(graph=iris.graph(name)) for name in _GRAPHS_OF_THE_RELEASE)
        return "".join(line for lines in graphs for line in sorted(lines)).encode()
    finally:
        copy.close()
