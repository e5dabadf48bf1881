"""Look into a workspace: records, pairs, clusters, rejects, figures, explanations, queries; and write them as files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, get_args

import msgspec

from bibld._api import explaining
from bibld._api.configured import ConfiguredWorkspace, PathName, check_choice, check_source
from bibld._api.entities import EntityPairReport, explain_entities
from bibld._api.explaining import IriReport, PairReport, RecordReport
from bibld._api.file_matching import match_files
from bibld._api.searching import FoundResults, search_release
from bibld._api.sparql import query_release
from bibld._api.table_files import FileFormat, table_format, write_table
from bibld._api.tables import ClusterRow, PairRow, Table, WorkRow, main_title
from bibld.catalog import Catalog, LoadCounts, Reject, Suppression
from bibld.errors import ConfigError
from bibld.harvest import Freshness, freshness
from bibld.ingest import Exported, export_mods, export_originals
from bibld.model.brief import brief
from bibld.model.iris import Iris
from bibld.model.linkage import Decision, Edge
from bibld.model.matched import OUTCOMES, MatchedRecord, MatchOutcome
from bibld.protocols import SourceRecord
from bibld.publish import WorkReader
from bibld.read import AUTO, carrier_of
from bibld.triplify import ElementCoverage, mods_coverage


class RecordRow(msgspec.Struct, frozen=True):
    """A record, the record that names its cluster, and its title."""

    record: str
    cluster: str
    title: str


class MemberRow(msgspec.Struct, frozen=True):
    """A record and its cluster, which is named by its first record; ``size`` is the number of its records."""

    cluster: str
    record: str
    source: str
    size: int
    title: str


class Stats(msgspec.Struct, frozen=True):
    """What a catalog contains.

    ``files`` are tuples of source, file, reader, declared charset and charset found; ``coverage`` are tuples of
    flavour, subfield, fate (unmapped or private) and number of occurrences; ``freshness`` is that of the sources that
    are fetched from servers.
    """

    sources: tuple[LoadCounts, ...]
    files: tuple[tuple[str, str, str, str, str], ...]
    suppressed: tuple[Suppression, ...]
    coverage: tuple[tuple[str, str, str, int], ...]
    freshness: tuple[Freshness, ...] = ()

    __repr__ = brief


class LookMethods(ConfiguredWorkspace):
    """The methods that look into a workspace."""

    def record(self, record: str) -> SourceRecord:
        """Return a record as it is stored: its MODS, its original bytes, its origin; raises ``ConfigError``.

        >>> workspace.record("rsl:01004039769").flavour
        'marc21'
        """
        with self.catalog() as catalog:
            name = explaining.resolve_record(catalog, self.config, record)
            found = catalog.record(name)
        if found is None:
            raise ConfigError([f"{name}: not in the catalog; run `{self.run_command}` again"])
        return found

    def records(self, source: str | None = None, limit: int | None = None) -> Table[RecordRow]:
        """Return the live records, of one source or of all: title and cluster of each.

        >>> workspace.records("rsl", limit=1)[0].title
        'Анна Каренина : роман в восьми частях'
        """
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

        >>> len(workspace.pairs("review"))
        1
        """
        with self.catalog() as catalog:
            return Table(PairRow, map(PairRow.from_edge, islice(self._edges(catalog, decision), limit)))

    def _edges(self, catalog: Catalog, decision: Decision | None) -> Iterator[Edge]:
        """Return the scored pairs, all or those of one decision."""
        if decision is not None:
            check_choice(decision, "decision", list(get_args(Decision)))
        return (edge for edge in catalog.linkage.edges() if decision in (None, edge.verdict.decision))

    def clusters(self, min_size: int = 2, limit: int | None = None) -> Table[ClusterRow]:
        """Return the clusters of at least ``min_size`` records; the first record of each names its cluster.

        >>> workspace.clusters(limit=1)[0].size
        3
        """
        with self.catalog() as catalog:

            def rows() -> Iterator[ClusterRow]:
                for founder in catalog.linkage.founders(least=min_size):
                    members = catalog.linkage.cluster(founder).members
                    title = main_title(catalog.records.mods(founder))
                    yield ClusterRow(str(members[0]), len(members), title, tuple(map(str, members)))

            return Table(ClusterRow, islice(rows(), limit))

    def works(self, limit: int | None = None) -> Table[WorkRow]:
        """Return the works in the order of their IRIs, those that are only named included.

        >>> workspace.works(limit=1)[0].title
        'Конармия'
        """
        with self.catalog() as catalog:
            return Table(WorkRow, islice(self._work_rows(catalog), limit))

    def _work_rows(self, catalog: Catalog) -> Iterator[WorkRow]:
        reader = WorkReader(catalog, Iris(self.config.dataset.base))
        for work in reader.works():
            years = reader.years(work.publications)
            yield WorkRow(
                work=work.iri,
                title=work.title,
                creators=tuple(one.name for one in work.creators),
                languages=work.languages,
                original_title=next((one.title for one in work.translation_of), ""),
                original_languages=next((one.languages for one in work.translation_of), ()),
                translation_of=tuple(one.iri for one in work.translation_of),
                part_of=tuple(one.iri for one in work.part_of),
                publications=len(work.publications),
                first_year=min(years, default=None),
                last_year=max(years, default=None),
                libraries=tuple(reader.sources(work.publications)),
            )

    def export_works(
        self, out: PathName | TextIO, file_format: FileFormat | None = None, *, min_publications: int = 1
    ) -> None:
        """Write the works of at least ``min_publications`` publications, as CSV, JSON Lines or Parquet.

        The columns are those of ``WorkRow``. One work at a time is in memory.

        >>> workspace.export_works("works.csv")
        """
        form = table_format(out, file_format)
        with self.catalog() as catalog:
            rows = (row for row in self._work_rows(catalog) if row.publications >= min_publications)
            write_table(rows, WorkRow.__struct_fields__, out, form)

    def export_clusters(
        self, out: PathName | TextIO, file_format: FileFormat | None = None, *, min_size: int = 2
    ) -> None:
        """Write a row for each record of the clusters of at least ``min_size`` records: CSV, JSON Lines or Parquet.

        Its columns are cluster, record, source, size and title. The format is that of the suffix of the file by
        default; a text stream takes CSV.

        >>> workspace.export_clusters("clusters.xlsx")
        """
        form = table_format(out, file_format)
        with self.catalog() as catalog:
            write_table(_member_rows(catalog, min_size), MemberRow.__struct_fields__, out, form)

    def export_pairs(
        self, out: PathName | TextIO, file_format: FileFormat | None = None, *, decision: Decision | None = None
    ) -> None:
        """Write the scored pairs, all or those of one decision, as CSV, JSON Lines or Parquet.

        The columns are those of ``PairRow``; the reasons of a pair are joined by ``; ``, and so are its keys.

        >>> workspace.export_pairs("pairs.csv", decision="review")
        """
        form = table_format(out, file_format)
        with self.catalog() as catalog:
            rows = map(PairRow.from_edge, self._edges(catalog, decision))
            write_table(rows, PairRow.__struct_fields__, out, form)

    def rejects(self, source: str | None = None) -> Table[Reject]:
        """Return what could not be used, with the reason and the original bytes.

        >>> len(workspace.rejects())
        0
        """
        check_source(self.config, source)
        with self.catalog() as catalog:
            return Table(Reject, catalog.records.rejects(source))

    def triples_coverage(self, limit: int = 200) -> Table[ElementCoverage]:
        """Return what became of each element and attribute of MODS in the published descriptions: which triples.

        ``limit`` publications are looked at, evenly distributed over the catalog; each takes some 50 ms.

        >>> workspace.triples_coverage(limit=20)[0].name
        'abstract'
        """
        with self.catalog() as catalog:
            founders = list(catalog.linkage.founders())
            step = max(1, len(founders) // max(1, limit))
            chosen = founders[::step][:limit]
            return Table(ElementCoverage, mods_coverage(catalog.descriptions.merged(each).mods for each in chosen))

    def stats(self) -> Stats:
        """Return what the catalog contains: records and files of each source, suppressions, unmapped subfields.

        >>> workspace.stats().sources[0].source
        'nlr'
        """
        with self.catalog() as catalog:
            return Stats(
                sources=tuple(catalog.records.load_counts()),
                files=tuple(
                    (source, file, reader, carrier.declared or "nothing", carrier.charset)
                    for source, file, reader, state in catalog.records.charsets()
                    if (carrier := carrier_of(reader, state))
                ),
                suppressed=tuple(catalog.suppressions.all()),
                coverage=tuple(catalog.records.coverage()),
                freshness=tuple(freshness(self.config)),
            )

    def explain(
        self, record: str, other: str | None = None
    ) -> RecordReport | PairReport | IriReport | EntityPairReport:
        """Explain a record, a pair of records, any IRI of the dataset, or two IRIs of entities (works, agents …).

        One record: its origin, its cluster and what joined it, its IRIs and its history. Two records: keys, features,
        score and decision, also if no run has compared them. Raises ``ConfigError`` for an unknown record.

        >>> left, right = workspace.clusters()[0].records[:2]
        >>> workspace.explain(left, right).decision
        'same'
        """
        with self.catalog() as catalog:
            if other is not None:
                paths = [explaining.resolve_path(self.config, text) or "" for text in (record, other)]
                if all(path.partition("/")[0] in explaining.ENTITIES for path in paths):
                    return explain_entities(catalog, Iris(self.config.dataset.base), (paths[0], paths[1]))
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

        >>> workspace.query("ASK { ?book a <http://purl.org/ontology/bibo/Book> }")[0].answer
        True
        """
        return query_release(self.config, sparql)

    def search(self, text: str, *, limit: int = 20, fold: bool = True) -> FoundResults:
        """Search the current release as the site does: works with their publications, the best first.

        ``fold=False``: each publication is a result. At most ``limit`` results are returned, and never more than
        1,000. Raises ``StageError`` before the first release.

        >>> workspace.search("Анна Каренина", limit=1).total
        1
        """
        return search_release(self.config, text, limit, fold)

    def match(
        self, files: PathName | Iterable[PathName], *, reader: str = AUTO, charset: str = AUTO, flavour: str = AUTO
    ) -> Table[MatchedRecord]:
        """Return what each record of some files is in the current release: the same, another edition, new and so on.

        Nothing of the files is stored. ``reader``, ``charset`` and ``flavour`` (a crosswalk) are detected by default.
        Raises ``StageError`` before the first release, and ``ConfigError`` for a file that does not exist.

        >>> workspace.match("slavica.xml")[0].outcome
        'same'
        """
        found = match_files(self, files, reader=reader, charset=charset, flavour=flavour)
        return Table(MatchedRecord, found)

    def export_matches(
        self,
        out: PathName | TextIO,
        files: PathName | Iterable[PathName],
        file_format: FileFormat | None = None,
        *,
        outcomes: Sequence[MatchOutcome] = (),
        reader: str = AUTO,
        charset: str = AUTO,
        flavour: str = AUTO,
    ) -> dict[str, int]:
        """Write what :meth:`match` returns as CSV, a workbook, JSON Lines or Parquet; return the number by outcome.

        ``outcomes``: only the records with these. One record at a time is in memory.

        >>> workspace.export_matches("matches.csv", "slavica.xml")
        {'same': 37}
        """
        form = table_format(out, file_format)
        for outcome in outcomes:
            check_choice(outcome, "outcome", list(OUTCOMES))
        counts = dict.fromkeys(OUTCOMES, 0)

        def rows() -> Iterator[MatchedRecord]:
            for row in match_files(self, files, reader=reader, charset=charset, flavour=flavour):
                counts[row.outcome] += 1
                if not outcomes or row.outcome in outcomes:
                    yield row

        write_table(rows(), MatchedRecord.__struct_fields__, out, form, self.words)
        return {name: count for name, count in counts.items() if count}

    def export_mods(self, out: PathName | BinaryIO, source: str | None = None) -> None:
        """Write the MODS of all live records: into a folder one file for each source, or into a binary stream.

        >>> workspace.export_mods("mods.xml", "rsl")
        """
        check_source(self.config, source)
        sources = [one.id for one in self.config.sources] if source is None else [source]
        with self.catalog() as catalog:
            export_mods(catalog, sources, _folder_or_stream(out), self.progress)

    def export_originals(self, out: PathName | BinaryIO, source: str | None = None) -> Table[Exported]:
        """Write the original bytes of all live records: into a folder one file for each file that they come from.

        A binary stream takes the records of one source, format and charset; raises ``ConfigError`` for a mixture.

        >>> workspace.export_originals("rsl-copy.mrc", "rsl")[0].records
        123
        """
        check_source(self.config, source)
        with self.catalog() as catalog:
            written = export_originals(catalog, source, _folder_or_stream(out), self.progress)
            return Table(Exported, written)


# -- files -------------------------------------------------------------------------------------------------------------


def _member_rows(catalog: Catalog, min_size: int) -> Iterable[MemberRow]:
    """Yield the records of the clusters with at least this many records."""
    for founder in catalog.linkage.founders(least=min_size):
        members = catalog.linkage.cluster(founder).members
        for record in members:
            stored = catalog.record(record)
            title = main_title(stored.mods) if stored is not None else ""
            yield MemberRow(str(members[0]), str(record), record.source, len(members), title)


def _folder_or_stream(out: PathName | BinaryIO) -> Path | BinaryIO:
    """Return a stream as it is, and a folder by its path, made if it does not exist; raises ``ConfigError``."""
    if not isinstance(out, str | os.PathLike):
        return out
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError([f"{folder}: the folder cannot be made: {error.strerror}"]) from error
    return folder
