"""Inspect the files of a source before anything of them is stored: whether they are complete, and what they are.

A source is in doubt when one of its files is missing, cannot be read, is empty, cut off or damaged, or is something
else than a catalogue. Nothing of such a source is loaded; it keeps the state of its last reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bibld import harvest
from bibld._version import __version__
from bibld.config import Config, Source, SourceConfig
from bibld.errors import ConfigError, DamagedFileError, HarvestError, ReadError
from bibld.ingest._conversion import settings_digest
from bibld.model.digest import digest
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.mods_plan import words_of
from bibld.progress import Progress, with_number
from bibld.protocols import Carrier, HarvestedFile, Raw, Row
from bibld.read import (
    Examined,
    archive_of,
    charset_check,
    delete_others,
    examine,
    find_misreading,
    read,
    unpack_once,
    web_page,
)
from bibld.text.charsets import UTF8
from bibld.text.lists import read_list

_ALL = 100
_MAX_SAMPLED = 500
"""Records of a file that are parsed before it is loaded."""


class Sample(msgspec.Struct, frozen=True):
    """Records evenly distributed over a file: how many were looked at, and how many have what a person should know.

    ``unnumbered`` have no control number, ``misread`` have letters as if they had been decoded in another charset than
    they are in; ``charsets`` are the two of most of these, ``charset`` is that of the file. Records of MODS
    and rows of tables need no numbers.
    """

    records: int = 0
    unnumbered: int = 0
    misread: int = 0
    charsets: tuple[str, str] = ("", "")
    charset: str = UTF8

    @property
    def findings(self) -> tuple[SampleFinding, ...]:
        """What a person should know, if anything."""
        wrong, right = self.charsets
        looked_at = f"of {with_number(self.records, 'record')} looked at"
        found = (
            SampleFinding(
                f"{self.misread:,} {looked_at} have letters as if {right} had been read as {wrong}",
                self.misread,
                "max_misread",
                "ask for a file that was exported in the right charset"
                if self.charset == UTF8
                else f'write charset = "{right}" in the source',
            ),
            SampleFinding(
                f"{self.unnumbered:,} {looked_at} have no control number (001), by which they would keep their ids",
                self.unnumbered,
                "max_unnumbered",
                "ask for a file with the numbers of the records",
            ),
        )
        return tuple(one for one in found if one.number)


class SampleFinding(NamedTuple):
    """What a person should know about a number of sampled records.

    ``key`` is that of the source with the percentage above which it is a fault, ``remedy`` what to do.
    """

    text: str
    number: int
    key: str
    remedy: str


class InspectedFile(msgspec.Struct, frozen=True):
    """A file that can be loaded: its carrier, and how many records its carrier cuts it into.

    ``warning`` is what a person should look at all the same; empty if there is nothing. ``sample`` is what some of the
    records are like.
    """

    file: HarvestedFile
    examined: Examined
    records: int
    warning: str = ""
    sample: Sample = Sample()


class Doubt(msgspec.Struct, frozen=True):
    """A source that was not loaded, so that it keeps its old state, and the reasons.

    ``is_loaded``: it was loaded from a partial harvest, and nothing of it was deleted.
    """

    source: str
    reasons: tuple[str, ...]
    is_loaded: bool = False


class Inspection(msgspec.Struct, frozen=True):
    """The files of a source, in their order, and the reasons for which the source is in doubt (none: it is not).

    ``gaps`` are the reasons for which a harvest is partial: its records are loaded, but what is absent is not deleted.
    ``fingerprint`` is a hash of what the source is loaded from (empty: not known); if ``is_unchanged``, it is the one
    of the last reading, and the files were not inspected.
    """

    source: Source
    files: tuple[InspectedFile, ...]
    doubts: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    fingerprint: str = ""
    is_unchanged: bool = False

    @property
    def records(self) -> int:
        """The number of records in all files."""
        return sum(file.records for file in self.files)

    @property
    def warnings(self) -> list[str]:
        """The warnings of all files, each with the name of its file."""
        return [f"{file.file.name}: {file.warning}" for file in self.files if file.warning]


SourceFile = tuple[Source, HarvestedFile]
"""A file and its source."""

Inspected = InspectedFile | HarvestError | None
"""What a file contains; None for a file without records, an error if it must not be loaded."""

InspectFiles = Callable[[Sequence[SourceFile]], Iterable[Inspected]]
"""Inspects files; the results are in their order."""


def inspect_sources(
    config: Config,
    progress: Progress,
    harvests: Mapping[str, harvest.HarvestResult] | None = None,
    inspect_files: InspectFiles | None = None,
    known: Mapping[str, str] | None = None,
) -> list[Inspection]:
    """Read all files of all sources once, without parsing their records.

    ``harvests`` are the results of sources that were fetched from servers, by source; without one the files of the last
    harvest are read. ``inspect_files`` reads the files elsewhere than in this process. ``known`` are the fingerprints
    of the last readings by source: a source that has the same one is not inspected.
    """
    results, before = harvests or {}, known or {}
    begun: list[Inspection] = []
    pairs: list[SourceFile] = []
    for source in config.sources:
        result = results.get(source.id)
        gaps = result.reasons if result is not None and result.outcome == "partial" else ()
        files, doubts = _harvest(config, source, result)
        fingerprint = "" if doubts or gaps else files_fingerprint(config, source, files)
        is_unchanged = bool(fingerprint) and before.get(source.id) == fingerprint
        begun.append(Inspection(source, (), tuple(doubts), gaps, fingerprint, is_unchanged))
        pairs += [] if is_unchanged else [(source, file) for file in files]
    progress.stage("read", "bytes", sum(_size(file) for _, file in pairs))
    inspected = iter(inspect_files(pairs) if inspect_files else _inspect_here(pairs, progress))
    of_source: dict[str, list[tuple[HarvestedFile, Inspected]]] = {source.id: [] for source in config.sources}
    for (source, file), found in zip(pairs, inspected, strict=True):
        of_source[source.id].append((file, found))
    return [one if one.is_unchanged else _inspect(config, one, of_source[one.source.id]) for one in begun]


def _harvest(
    config: Config, source: Source, result: harvest.HarvestResult | None
) -> tuple[list[HarvestedFile], list[str]]:
    """Return the files of a source that exist, and why some do not."""
    files: list[HarvestedFile] = []
    if result is not None and result.outcome == "failed":
        return files, [f"harvest failed: {reason}" for reason in result.reasons]
    if result is None and not harvest.has_files(config, source):
        return files, []  # nothing has been fetched yet: the next run does that
    try:
        for file in source_files(config, source):
            files.append(file)
    except HarvestError as error:
        return files, [str(error)]
    return files, []


def _inspect_here(files: Sequence[SourceFile], progress: Progress) -> Iterator[Inspected]:
    for source, file in files:
        try:
            yield inspect_file(file, source, progress)
        except HarvestError as error:
            yield error


def _inspect(config: Config, inspection: Inspection, files: Sequence[tuple[HarvestedFile, Inspected]]) -> Inspection:
    """Return an inspection with what its files contain."""
    source = inspection.source
    doubts = list(inspection.doubts)
    inspected: list[InspectedFile] = []
    for file, found in files:
        if isinstance(found, HarvestError):
            doubts.append(str(found).replace(f"{file.path}:", f"{file.name}:"))
        elif found is not None:
            inspected.append(found)
    if source.config.deletes:
        try:
            read_list(config.folder / source.config.deletes, "a list of control numbers")
        except ConfigError as error:
            doubts += (f"the list of deletions: {fault}" for fault in error.faults)
    return msgspec.structs.replace(inspection, files=tuple(inspected), doubts=tuple(doubts))


def inspect_file(
    file: HarvestedFile,
    source: Source,
    progress: Progress,
    observe: Callable[[Examined, Raw | ReadError], None] = lambda _examined, _piece: None,
) -> InspectedFile | None:
    """Return what a file contains; None for a file without records where that is no reason for doubt.

    That is a delta: on a day without changes it is empty. ``observe`` is called with each piece of the file. Raises
    ``HarvestError`` if the file must not be loaded.
    """
    may_be_empty = not source.config.complete
    if not file.path.exists():
        raise HarvestError(f"{file.name}: is not there any more; fetch it again")
    if not _size(file):
        if may_be_empty:
            return None
        raise HarvestError(f"{file.name}: is empty; fetch it again")
    if page := web_page(file):
        raise HarvestError(f"{file.name}: {page}; fetch the catalogue again")
    examined = examine(file, source.config.read, source.config.charset, source.read)
    check = charset_check(examined.carrier)
    sampler = _Sampler()
    records = 0
    damage = ""
    for piece in read(file, examined, consumed=progress.advance):
        observe(examined, piece)
        if isinstance(piece, Raw):
            records += 1
            sampler.add(piece)
            if check is not None:
                check.add(piece.data)
        elif isinstance(piece, DamagedFileError):
            damage = str(piece)
    if damage:  # the last one states the cause: what a cut record is a consequence of
        raise HarvestError(damage)
    if not records and not may_be_empty:
        raise HarvestError(f"{file.name}: is {examined.reader} without a record; fetch it again")
    sample = sampler.look(examined.carrier)
    fault = check.fault(is_trusted=source.config.max_misread >= _ALL) if check is not None else ""
    if fault := fault or _sample_fault(source.config, sample):
        raise HarvestError(f"{file.name}: {fault}")
    progress.detail(f"read: {file.name}: {records} records, {examined.reader}, {examined.carrier.charset}")
    return InspectedFile(file, examined, records, check.warning() if check is not None else "", sample)


class _Sampler:
    """Chooses records that are evenly distributed over a file of unknown length."""

    def __init__(self) -> None:
        self._step = 1
        self._seen = 0
        self._chosen: list[Raw] = []

    def add(self, raw: Raw) -> None:
        """Take a record of the file, in the order of the file."""
        if self._seen % self._step == 0:
            self._chosen.append(raw)
            if len(self._chosen) > _MAX_SAMPLED:
                del self._chosen[1::2]
                self._step *= 2
        self._seen += 1

    def look(self, carrier: Carrier) -> Sample:
        """Parse the chosen records; those that cannot be parsed are left out, because reading rejects them."""
        records = unnumbered = 0
        misread: Counter[tuple[str, str]] = Counter()
        for raw in self._chosen:
            try:
                record = carrier.parse(raw).record
                text = _text_of(record)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - of any adapter; the load rejects the record with the cause
                continue
            records += 1
            unnumbered += isinstance(record, MarcRecord) and not (record.control_number or "").strip()
            found = find_misreading(text)
            misread.update([] if found is None else [found])
        charsets = misread.most_common(1)[0][0] if misread else ("", "")
        return Sample(records, unnumbered, misread.total(), charsets, carrier.charset)


def _text_of(record: MarcRecord | Mods | Row) -> str:
    if isinstance(record, MarcRecord):
        return " ".join(subfield.value for field in record.fields() for subfield in field.subfields)
    return " ".join(value for _, value in record.cells) if isinstance(record, Row) else words_of(record)


def _sample_fault(source: SourceConfig, sample: Sample) -> str:
    """Return why the records of a file are in doubt, and what to do; empty if they are not."""
    for found in sample.findings:
        limit = getattr(source, found.key)
        if 100 * found.number > limit * sample.records:
            accepted = f"to load them all the same, write {found.key} = {_ALL} in the source"
            return f"{found.text}, more than {limit:g} %; {found.remedy}; {accepted}"
    return ""


def _size(file: HarvestedFile) -> int:
    """Return the bytes of a file; 0 if it was deleted since it was listed."""
    try:
        return file.path.stat().st_size
    except OSError:
        return 0


def source_files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order, those in archives too; raises ``HarvestError`` at the end.

    Of a source that is fetched from a server they are what is stored; the server is not asked.
    """
    members = source.config.members
    patterns = (members,) if isinstance(members, str) else members
    return unpacked(harvest.files(config, source), config.workspace / "unpacked" / source.id, patterns)


def unpacked(found: Iterable[HarvestedFile], folder: Path, patterns: tuple[str, ...] = ()) -> Iterator[HarvestedFile]:
    """Yield files, and in place of archives their members, which are stored in ``folder``.

    ``patterns`` choose members by the end of their names. What is stored of other archives is deleted at the end.
    Raises ``HarvestError`` after the last file if an archive cannot be unpacked.
    """
    faults: list[str] = []
    stored: list[Path] = []
    try:
        for file in found:
            if archive_of(file.path) is None:
                yield file
                continue
            try:
                members = unpack_once(file.path, folder, patterns).members
            except HarvestError as error:
                faults.append(f"{file.name}: {error}")
                continue
            stored += [member.path for member in members]
            for member in members:
                yield HarvestedFile(file.source, f"{file.name}/{member.name}", member.path)
    except HarvestError as error:
        raise HarvestError("; ".join([*faults, str(error)])) from error
    if faults:
        raise HarvestError("; ".join(faults))
    delete_others(folder, stored)


def files_fingerprint(config: Config, source: Source, files: Iterable[HarvestedFile]) -> str:
    """Return a hash of what the loading of a source depends on; empty if a file cannot be looked at.

    That is the version of bibld, the settings, what its server refused, and of each file the name, size, inode and the
    times of change. No program can set the last of these times, so a file that was written in place has another hash.
    """
    paths = [(file.name, file.path) for file in files]
    if source.config.deletes:
        paths.append((source.config.deletes, config.folder / source.config.deletes))
    states: list[object] = []
    for name, path in paths:
        try:
            status = path.stat()
        except OSError:
            return ""
        states.append((name, status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns))
    refused = [str(error) for error in harvest.rejected_records(config, source)]
    settings = (source.config, source.read, source.columns)
    return digest(__version__, settings_digest(config, source), *settings, states, refused)
