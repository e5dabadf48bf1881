"""Before the first run: the sample, and a check of the sources: files, servers, folders and disk.

Nothing is changed, and no catalog is opened. This imports neither databases nor stages after reading, so that
``bibld check`` answers at once.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec

from bibld import config as configuration
from bibld import harvest, ingest
from bibld.config import Config, Source
from bibld.dedup.warm_up import cache_fault, state_cache
from bibld.errors import ConfigError
from bibld.ingest import Doubt
from bibld.model.brief import brief
from bibld.model.finding import Finding
from bibld.progress import Progress, Silent
from bibld.protocols import Raw
from bibld.read import read

_FIRST_RECORDS = 50
"""Records of each file that are converted when the sources are checked."""

_BYTES_NEEDED = 8
"""Bytes that a workspace takes for each byte of the files (records, index, quads, store, two releases)."""

_MEGABYTE = 10**6


class CheckedFile(msgspec.Struct, frozen=True):
    """A file of a source: its size in bytes, what it is in, and how many records it contains.

    ``flavour`` is that of most of its first records; empty if none of them can be converted.
    """

    source: str
    file: str
    bytes: int
    carrier: str
    charset: str
    flavour: str
    records: int


class SourcesReport(msgspec.Struct, frozen=True):
    """What a run would find: files, sources in doubt, faults that would stop it, and what it would do otherwise.

    ``servers`` has a sentence for each server that answered.
    """

    files: tuple[CheckedFile, ...]
    doubts: tuple[Doubt, ...]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    servers: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings, sources in doubt and faults, as findings."""
        warnings = [Finding("", text, severity="warning", kind="warning") for text in self.warnings]
        doubts = [
            Finding(doubt.source, f"in doubt, keeps its old state: {reason}", kind="doubt")
            for doubt in self.doubts
            for reason in doubt.reasons
        ]
        return (*warnings, *doubts, *(Finding("", text, kind="fault") for text in self.faults))


def check_sources(config: str | os.PathLike[str], *, progress: Progress | None = None) -> SourcesReport:
    """Check a configuration file, and what a run would find: files, servers, folders, disk. Nothing is changed.

    Raises ``ConfigError``, which lists everything that is wrong with the configuration.

    >>> [(file.file, file.records) for file in bibld.check_sources("bibld.toml").files]
    [('rsl.mrc', 123), ('nlr.iso', 129), ('slavica.xml', 37)]
    """
    return inspect_and_check(configuration.load(Path(config)), progress or Silent())


def inspect_and_check(config: Config, progress: Progress) -> SourcesReport:
    """Read all files of the sources as a run does first, convert the first records, and look at folders and disk."""
    inspections = ingest.inspect_sources(config, progress)
    files = [
        _checked_file(config, inspection.source, inspected)
        for inspection in inspections
        for inspected in inspection.files
    ]
    doubts = tuple(Doubt(one.source.id, one.doubts) for one in inspections if one.doubts)
    servers = [
        harvest.probe_result(config, source, progress) for source in config.sources if harvest.is_networked(source)
    ]
    doubts += tuple(Doubt(one.source, one.reasons) for one in servers if one.outcome == "failed")
    warnings = [f"{one.source.id}: {text}" for one in inspections for text in one.warnings]
    warnings += [
        f"{one.source.id}: {inspected.file.name}: {found.text}; {found.remedy}"
        for one in inspections
        for inspected in one.files
        for found in inspected.sample.findings
    ]
    warnings += [
        f"{file.source}: {file.file}: none of the first records can be converted; `bibld crosswalk` states why"
        for file in files
        if file.records and not file.flavour
    ]
    faults = []
    folder = next(folder for folder in (config.workspace, *config.workspace.parents) if folder.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        faults.append(f"workspace: {config.workspace} cannot be written; check the permissions of {folder}")
    else:
        free, needed = shutil.disk_usage(folder).free, _BYTES_NEEDED * sum(file.bytes for file in files)
        if free < needed and not (config.workspace / "catalog.db").exists():
            warnings.append(
                f"workspace: {folder} has {free // _MEGABYTE:,} MB free; the first run needs about"
                f" {needed // _MEGABYTE:,} MB for these files"
            )
    state_cache(config.dedup.cache)
    if fault := cache_fault():
        warnings.append(fault)
    if ("dedup.score", config.dedup.score) in config.adapter_settings:
        from bibld.dedup.method import scorer_warning  # loads numpy

        try:
            warnings += filter(None, [scorer_warning(config)])
        except ConfigError as error:
            faults += error.faults
    answered = tuple(one.line for one in servers if one.outcome != "failed")
    return SourcesReport(tuple(files), doubts, tuple(faults), tuple(warnings), answered)


def _checked_file(config: Config, source: Source, inspected: ingest.InspectedFile) -> CheckedFile:
    file, examined = inspected.file, inspected.examined
    job = ingest.conversion_job(config, source, examined)
    raws = islice((piece for piece in read(file, examined) if isinstance(piece, Raw)), _FIRST_RECORDS)
    outcomes = [ingest.convert_record(job, raw) for raw in raws]
    flavours = Counter(one.flavour for one in outcomes if isinstance(one, ingest.Conversion))
    return CheckedFile(
        source=source.id,
        file=file.name,
        bytes=file.path.stat().st_size,
        carrier=examined.reader,
        charset=examined.carrier.charset,
        flavour=flavours.most_common(1)[0][0] if flavours else "",
        records=inspected.records,
    )


# -- sample ------------------------------------------------------------------------------------------------------------

_WORKSPACE_OF_CHECKOUT = 'workspace = "../build/sample"'


def write_sample(folder_name: str | os.PathLike[str]) -> Path:
    """Write the sample (three catalogues, labelled pairs, a configuration) into a new folder; return the configuration.

    Raises ``ConfigError`` if the folder is not empty or cannot be written.

    >>> bibld.write_sample("new").as_posix()
    'new/bibld.toml'
    """
    from bibld.serve.ontology import folder

    target = Path(folder_name)
    try:
        if target.exists() and any(target.iterdir()):
            raise ConfigError([f"{target}: is not empty; name a new folder"])
        unwanted = shutil.ignore_patterns("__pycache__", "*.py")
        shutil.copytree(folder("sample_data"), target, dirs_exist_ok=True, ignore=unwanted)
        config = target / "bibld.toml"
        text = config.read_text(encoding="utf-8").replace(_WORKSPACE_OF_CHECKOUT, 'workspace = "build"')
        config.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            [f"{target}: the sample cannot be written: {error.strerror or error}; name another folder"]
        ) from error
    return config
