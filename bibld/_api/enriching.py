"""Give libraries their own records back with what is known beyond them: on demand, and after each run."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, get_args

import msgspec

from bibld._api.configured import ConfiguredWorkspace, PathName, check_choice, check_source, run_time
from bibld._api.file_matching import match_files
from bibld.catalog import Catalog
from bibld.catalog.engines import engine_state
from bibld.config import Config, Source, SourceConfig
from bibld.enrich import (
    AdditionFinder,
    Enricher,
    Locate,
    Located,
    RecordAddition,
    locate_in_catalog,
    merge_reports,
)
from bibld.errors import BibldError, ConfigError, HarvestError
from bibld.ingest import public_original_of, source_files
from bibld.model.enrichment import RETURNED_FILES, EnrichmentReport, ReturnedFiles, ReturnElement
from bibld.model.marc import MarcRecord
from bibld.model.origin import RecordId
from bibld.progress import Progress, Silent
from bibld.protocols import HarvestedFile, Raw, SourceRecord
from bibld.publish import Releases
from bibld.read import carrier_of

_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}
_MANIFEST = "manifest.json"


class EnrichOptions(msgspec.Struct, frozen=True):
    """How files are enriched.

    ``source`` is the id of their source (None: the one that has the file); ``match``: they are of no source, and their
    records are matched with the current release; ``elements`` replace those of the policy; ``withdraw``: earlier
    additions are withdrawn, and none are made.
    """

    source: str | None = None
    match: bool = False
    elements: tuple[str, ...] = ()
    withdraw: bool = False


class _NoFile:
    """Takes the bytes of a dry run."""

    def write(self, data: bytes) -> int:
        """Drop bytes."""
        return len(data)


def enrich_files(
    config: Config,
    files: Sequence[PathName],
    out: PathName | BinaryIO | None,
    options: EnrichOptions,
    observe: Callable[[RecordAddition], object],
    progress: Progress,
) -> EnrichmentReport:
    """Enrich files of a source; see ``Workspace.enrich``."""
    check_source(config, options.source)
    for element in options.elements:
        check_choice(element, "element", list(get_args(ReturnElement)))
    elements: tuple[ReturnElement, ...] = msgspec.convert(options.elements, tuple[ReturnElement, ...])
    paths = list(map(Path, files))
    if missing := [f"{path}: not found; name a file of a source" for path in paths if not path.is_file()]:
        raise ConfigError(missing)
    if options.match and options.source is not None:
        raise ConfigError(["the records of a source are not matched; leave --source or --match out"])
    sources = [_FOREIGN] * len(paths) if options.match else _sources_of(config, paths, options.source)
    targets = _targets(out, paths)
    progress.stage("enrich", "records")
    reports = []
    with _finding(config, not options.withdraw) as catalog:
        for path, source, target in zip(paths, sources, targets, strict=True):
            file = HarvestedFile(source.id, path.name, path)
            locate = None if catalog is None or not options.match else locate_by_match(config, catalog, file, progress)
            enricher = _enricher(config, source, catalog, elements, observe, progress, locate)
            with _output(target) as stream:
                reports.append(enricher.enrich_file(file, stream))
            if target is not None and not options.match:
                _note_file(config, source.id, reports[-1], run_time(), progress)
    return reports[0] if len(reports) == 1 else merge_reports("all files", reports)


@contextmanager
def _finding(config: Config, is_needed: bool) -> Iterator[Catalog | None]:
    """Open the catalog for reading one state of it; None to withdraw additions, which needs none."""
    if not is_needed:
        yield None
        return
    with Catalog(config.workspace, read_only=True, config_file=config.file) as catalog, catalog.snapshot():
        yield catalog


def _enricher(
    config: Config,
    source: Source,
    catalog: Catalog | None,
    elements: Sequence[ReturnElement],
    observe: Callable[[RecordAddition], object],
    progress: Progress,
    locate: Locate | None = None,
) -> Enricher:
    if catalog is None:
        return Enricher(config, source, None, lambda *_: None, observe, progress.warn, progress.advance)
    finder = AdditionFinder(catalog, config, source.id, source.return_policy, elements)
    located = locate or locate_in_catalog(catalog)
    return Enricher(config, source, finder, located, observe, progress.warn, progress.advance)


_FOREIGN = Source(SourceConfig(id="file"), None, None)
"""The source of a file that belongs to none."""


def locate_by_match(config: Config, catalog: Catalog, file: HarvestedFile, progress: Progress) -> Locate:
    """Return what finds the publication of each record of a file that is of no source: the one that it matches.

    Raises ``StageError`` before the first release.
    """
    workspace = ConfiguredWorkspace(config.file, progress=progress)
    found = {row.position: row for row in match_files(workspace, [file]) if row.outcome == "same"}

    def locate(raw: Raw, _record: MarcRecord, _number: RecordId | None) -> Located | None:
        row = found.get(raw.origin.position)
        cluster = None if row is None else catalog.cluster_of(RecordId.parse(row.matched))
        return None if row is None or cluster is None else Located(cluster, score=row.score or 0.0)

    return locate


def _sources_of(config: Config, paths: Sequence[Path], named: str | None) -> list[Source]:
    """Return the source of each file: the one that is named, or the one whose files it is among."""
    if named is not None:
        return [config.source(named)] * len(paths)
    known: dict[Path, Source] = {}
    for source in config.sources:
        try:
            known.update((file.path.resolve(), source) for file in source_files(config, source))
        except HarvestError:  # files that are missing or damaged are not those that are asked for
            continue
    faults = [
        f"{path}: is not a file of any source of {config.file}; name the source of its records by --source, or use"
        " --match if they are of none"
        for path in paths
        if path.resolve() not in known
    ]
    if faults:
        raise ConfigError(faults)
    return [known[path.resolve()] for path in paths]


def _targets(out: PathName | BinaryIO | None, paths: Sequence[Path]) -> list[Path | BinaryIO | None]:
    """Return where each file is written: a folder gets files of the same names."""
    if out is None or not isinstance(out, str | os.PathLike):
        if len(paths) > 1 and out is not None:
            raise ConfigError(["the output is one stream, but there is more than one file; name a folder by --out"])
        return [out] * len(paths)
    place = Path(out)
    if len(paths) == 1 and not place.is_dir():
        found = [place]
    else:
        found = [place / path.name for path in paths]
    faults = [
        f"{target}: is the file itself; name another file by --out"
        for target in found
        if target.resolve() in {path.resolve() for path in paths}
    ]
    if len(set(found)) < len(found):
        faults.append(f"{place}: two files have the same name; enrich them one by one")
    if faults:
        raise ConfigError(faults)
    return [*found]


@contextmanager
def _output(target: Path | BinaryIO | None) -> Iterator[BinaryIO]:
    """Open the output; a file gets its name when it is complete. Raises ``ConfigError`` if it cannot be written."""
    if not isinstance(target, Path):
        yield _NoFile() if target is None else target  # type: ignore[misc]
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if not target.is_file() or not filecmp.cmp(unfinished, target, shallow=False):
            unfinished.replace(target)
        else:
            os.utime(target)
    except OSError as error:
        raise ConfigError([f"{target}: cannot be written: {error.strerror or error}"]) from error
    finally:
        unfinished.unlink(missing_ok=True)


class ReturnedRecords:
    """The records of a catalog with what their libraries get back, one by one, as far as they may be published."""

    def __init__(self, config: Config, catalog: Catalog) -> None:
        self._config = config
        self._catalog = catalog
        self._enrichers: dict[str, Enricher] = {}

    def get(self, record: SourceRecord) -> MarcRecord | None:
        """Return a record with its additions; None if it is not MARC, or its source is not in the configuration."""
        source = record.id.source
        if source not in self._enrichers:
            if source not in {one.id for one in self._config.sources}:
                return None
            progress, own = Silent(), self._config.source(source)
            self._enrichers[source] = _enricher(self._config, own, self._catalog, (), lambda _: None, progress)
        carrier = carrier_of(record.reader, record.carrier)
        raw = Raw(record.origin, record.original)
        enriched = self._enrichers[source].enrich_record(raw, record.reader, carrier)
        return public_original_of(msgspec.structs.replace(record, original=enriched), self._catalog)


# -- after each run ----------------------------------------------------------------------------------------------------


def return_records(config: Config, begun: datetime, progress: Progress) -> list[EnrichmentReport]:
    """Write the enriched files of the sources that ask for it, as far as anything changed since the last time.

    ``begun`` is when the run began. A file that cannot be enriched is a warning: the run is done, and the other files
    are written.
    """
    wanted = [source for source in config.sources if source.return_policy.file]
    releases = Releases(config.workspace)
    if not wanted or engine_state(config.workspace).is_newer_on_spark or (folder := releases.current()) is None:
        return []
    reports: list[EnrichmentReport] = []
    progress.stage("return", "records")
    with _finding(config, is_needed=True) as catalog:
        for source in wanted:
            try:
                for file, target in _returned_files(config, source):
                    if _is_current(target, [file.path, config.file, folder / _MANIFEST]):
                        continue
                    enricher = _enricher(config, source, catalog, (), lambda _: None, progress)
                    with _output(target) as stream:
                        reports.append(enricher.enrich_file(file, stream))
                    _note_file(config, source.id, reports[-1], begun, progress)
                    progress.report(f"return: {target}: {_in_words(reports[-1])}")
            except BibldError as error:
                progress.warn(f"return: {source.id}: {error}")
    return reports


def _note_file(config: Config, source: str, report: EnrichmentReport, written: datetime, progress: Progress) -> None:
    """Store in the workspace what a file contains that was written for a library."""
    report = msgspec.structs.replace(report, written=written.isoformat(timespec="seconds"))
    known = ReturnedFiles.read(config.workspace).sources
    others = [one for one in known.get(source, ()) if one.file != report.file]
    noted = ReturnedFiles({**known, source: tuple(sorted((*others, report), key=lambda one: one.file))})
    try:
        with _output(config.workspace / RETURNED_FILES) as stream:
            stream.write(msgspec.json.encode(noted))
    except ConfigError as error:  # the file of the library is written
        progress.warn(f"{error}; its page does not show this file")


def _returned_files(config: Config, source: Source) -> Iterator[tuple[HarvestedFile, Path]]:
    """Yield the files of a source with where they are written; raises ``ConfigError`` if two would be one."""
    pattern = source.return_policy.file
    files = list(source_files(config, source))
    pairs = [(file, config.folder / _target_name(pattern, source.id, file.name)) for file in files]
    if len({target for _, target in pairs}) < len(files):
        raise ConfigError(
            [f'return.file = "{pattern}": {len(files)} files of {source.id} would be written into one; add {{file}}']
        )
    originals = {file.path.resolve() for file in files}
    if any(target.resolve() in originals for _, target in pairs):
        raise ConfigError([f'return.file = "{pattern}": would replace a file of the source; name another folder'])
    yield from pairs


def _target_name(pattern: str, source: str, name: str) -> Path:
    """Return the path of a returned file; a compressed file is returned uncompressed."""
    path = PurePosixPath(name)
    path = path.with_suffix("") if path.suffix in _COMPRESSED else path
    inside = "/".join(part for part in path.parts if part not in ("/", "..", "."))
    return Path(pattern.replace("{source}", source).replace("{file}", inside))


def _is_current(target: Path, inputs: Iterable[Path]) -> bool:
    """Whether a file is not older than all that it is made from."""
    try:
        written = target.stat().st_mtime_ns
        return all(path.stat().st_mtime_ns <= written for path in inputs)
    except OSError:  # not written yet
        return False


def _in_words(report: EnrichmentReport) -> str:
    left = f", {report.unchangeable:,} returned as they were" if report.unchangeable else ""
    return (
        f"{report.records:,} records, {report.enriched:,} with {report.additions:,} additions,"
        f" {report.unknown:,} not in the catalog{left}"
    )
