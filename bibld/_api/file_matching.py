"""Match the records of files with the publications of the current release; nothing of the files is stored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from bibld import pipeline
from bibld._api.configured import ConfiguredWorkspace, PathName
from bibld._api.records import Converter
from bibld.catalog import Catalog, Reject
from bibld.errors import StageError
from bibld.ingest import Conversion
from bibld.model.features import FeatureColumns, Features
from bibld.model.iris import Iris
from bibld.model.matched import MatchedRecord
from bibld.model.opac import catalogue_address
from bibld.model.origin import RecordId
from bibld.parallel import batches
from bibld.protocols import HarvestedFile
from bibld.publish import Releases
from bibld.publish.match import FOLDER
from bibld.read import AUTO
from bibld.search import SearchView, has_search, open_search
from bibld.worklist import checker_for, describe_fault, read_findings

if TYPE_CHECKING:
    from bibld.dedup.lookup import MatchOfRecord, ReleasedIndex

# What matches loads the compiler: it is imported when a file is matched.

_ROWS_AT_ONCE = 1_000
_MAX_TEXT = 1_000
"""Characters of one text of a row."""

_MAX_FAULTS = 50


class _StoredRecord(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered of a record of a file until it is looked up."""

    file: str
    position: int
    record: str
    title: str
    message: str
    faults: tuple[str, ...] = ()
    is_rejected: bool = False


_FEATURES = msgspec.msgpack.Decoder(tuple[str, Features])


def match_files(
    workspace: ConfiguredWorkspace,
    files: PathName | Iterable[PathName | HarvestedFile],
    *,
    reader: str = AUTO,
    charset: str = AUTO,
    flavour: str = AUTO,
) -> Iterator[MatchedRecord]:
    """Yield what each record of some files is in the current release, in their order.

    ``reader``, ``charset`` and ``flavour`` are detected by default. What is known of the records is in a temporary
    folder meanwhile. Raises ``StageError`` before the first release, and ``ConfigError`` for a file that does not
    exist.
    """
    with ExitStack() as opened:
        release, _ = pipeline.current_release(workspace.config)
        lock = Releases.hold(release)
        if lock is None:
            raise StageError(f"{release}: was removed meanwhile; match again")
        opened.callback(lock.close)
        from bibld.dedup.lookup import Lookup, ReleasedIndex

        index = ReleasedIndex(release / FOLDER, workspace.config)
        converter = opened.enter_context(
            Converter(reader=reader, charset=charset, flavour=flavour, workers=workspace.config.workers, inspects=True)
        )
        conversions = converter.convert(files, form="features", progress=workspace.progress)
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bibld-match-")))
        records = _FileRecords(folder, conversions)
        converter.close()
        workspace.progress.stage("match", "records", records.count)
        lookup = Lookup(index, records.table) if records.table is not None else None
        described = _Describer(workspace, index, opened.enter_context(workspace.catalog()), records.names)
        if has_search(release):
            described.search = opened.enter_context(closing(open_search(release)))
        found = iter(()) if lookup is None else lookup.found()
        for batch in batches(records.stored(), _ROWS_AT_ONCE):
            results = list(islice(found, sum(not one.is_rejected for one in batch)))
            yield from described.describe(batch, results)
            workspace.progress.advance(len(batch))


class _FileRecords:
    """The records of files in a temporary folder: a table of their features, and what is remembered of each.

    ``names`` are positions and control numbers of the rows of the table, which is None without any record.
    """

    def __init__(self, folder: Path, conversions: Iterable[Conversion | Reject]) -> None:
        from bibld.dedup.columns import FeatureWriter, stored_rows

        self.count = 0
        self.names: list[str] = []
        self.table = None
        self._file = folder / "records.jsonl"
        encoder = msgspec.json.Encoder()
        with FeatureWriter(folder / "features") as writer, self._file.open("wb") as out:
            for batch in batches(conversions, _ROWS_AT_ONCE):
                features = []
                for one in batch:
                    stored, found = _stored(one)
                    out.write(encoder.encode(stored) + b"\n")
                    if found is not None:
                        features.append((len(self.names), found))
                        self.names.append(f"{stored.position}: {stored.record}".removesuffix(": "))
                self.count += len(batch)
                if features:
                    rows = stored_rows(FeatureColumns.from_features(features))
                    writer.add(rows, np.zeros(len(features), np.uint64), np.zeros(len(features), np.uint16))
            if self.names:
                self.table = writer.close()

    def stored(self) -> Iterator[_StoredRecord]:
        """Yield what is remembered of each record, those that cannot be used included."""
        decoder = msgspec.json.Decoder(_StoredRecord)
        with self._file.open("rb") as lines:
            yield from map(decoder.decode, lines)


def _stored(one: Conversion | Reject) -> tuple[_StoredRecord, Features | None]:
    if isinstance(one, Reject):
        origin, number = one.origin, one.control_number or ""
        return _StoredRecord(origin.file, origin.position, _cut(number), "", _cut(one.reason), is_rejected=True), None
    title, features = _FEATURES.decode(one.content)
    origin, number = one.raw.origin, one.id.control_number if one.id else ""
    message, faults = "; ".join(one.warnings), tuple(map(_cut, islice(_faults_of(one), _MAX_FAULTS)))
    return _StoredRecord(origin.file, origin.position, _cut(number), _cut(title), _cut(message), faults), features


def _cut(text: str) -> str:
    """Return a text that a row has room for: those of records may have millions of characters."""
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"


def _faults_of(one: Conversion) -> Iterator[str]:
    checker = checker_for(one.flavour) if one.findings else None
    if checker is not None:
        for fault in read_findings(one.findings).faults:
            wrong, remedy = describe_fault(fault, checker.definition)
            yield f"{fault.where}: {wrong}; {remedy}"


class _Describer:
    """Names what was found: IRIs, titles and libraries."""

    def __init__(
        self, workspace: ConfiguredWorkspace, index: ReleasedIndex, catalog: Catalog, names: list[str]
    ) -> None:
        self._iris = Iris(workspace.config.dataset.base)
        self._index = index
        self._catalog = catalog
        self._names = names
        self._sources = {source.id: source.config for source in workspace.config.sources}
        self.search: SearchView | None = None

    def describe(self, batch: list[_StoredRecord], results: list[MatchOfRecord]) -> Iterator[MatchedRecord]:
        """Yield the row of each record of a batch; ``results`` are those of the records that are not rejected."""
        founders = {
            result.ordinal: self._index.founder(result.ordinal) for result in results if result.ordinal is not None
        }
        iris = {founder: self._iris.resource(self._catalog.register.record(founder)) for founder in founders.values()}
        paths = {founder: self._iris.path(iri) or "" for founder, iri in iris.items()}
        published = self.search.publications(paths.values()) if self.search is not None else {}
        waiting = iter(results)
        for one in batch:
            head = one.file, one.position, one.record, one.title
            if one.is_rejected:
                yield MatchedRecord(*head, "rejected", message=one.message)
                continue
            result = next(waiting)
            duplicates = tuple(self._names[row] for row in result.duplicates)
            if result.ordinal is None:
                yield MatchedRecord(*head, "new", duplicates=duplicates, faults=one.faults, message=one.message)
                continue
            founder = founders[result.ordinal]
            shown = published.get(paths[founder])
            records = [self._catalog.register.record(member) for member in self._index.members(founder)]
            isbn = next(iter(shown.isbns), "") if shown else ""
            yield MatchedRecord(
                *head,
                outcome=result.outcome,
                score=result.score,
                publication=iris[founder],
                published_title=shown.title if shown else "",
                work=self._iris.base + shown.work if shown and shown.work else "",
                matched=str(self._catalog.register.record(result.ordinal)),
                libraries=tuple(dict.fromkeys(record.source for record in records)),
                records=tuple(map(str, records)),
                addresses=tuple(filter(None, (self._address(record, isbn) for record in records))),
                reasons=result.reasons,
                others=tuple(self._iris.resource(self._catalog.register.record(other)) for other in result.others),
                duplicates=duplicates,
                faults=one.faults,
                message=one.message,
            )

    def _address(self, record: RecordId, isbn: str) -> str:
        """Return the address of a record in its library's own catalogue; empty if it is not known."""
        source = self._sources.get(record.source)  # None: it is no longer in the configuration
        return catalogue_address(source, record.control_number, isbn) if source is not None else ""
