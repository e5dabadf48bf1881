"""Duplicates among descriptions in memory: find them, merge them, turn them into quads and files of other forms."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from bibld._api.configured import ConfiguredWorkspace
from bibld._api.functions import KeyFunction, PolicyFunction, ScoreFunction, method_names, policy_names
from bibld._api.tables import ClusterRow, PairRow, Table, main_title
from bibld.config import Config, MergeConfig, Source, SourceConfig
from bibld.dedup.method import MethodOptions
from bibld.errors import ConfigError
from bibld.ingest import TABLE_COLUMNS, table_row
from bibld.merge import Policies, merge_records
from bibld.model.brief import brief
from bibld.model.dublin_core import DC, NAMESPACE
from bibld.model.iris import Iris, is_web_iri
from bibld.model.linkage import Cluster, Edge, Merged
from bibld.model.marc_writers import MARCXML
from bibld.model.mods import Mods
from bibld.model.mods_xml import join_collection
from bibld.model.origin import SOURCE_ID, RecordId
from bibld.model.rdf import PREFIXES, is_of_named_graph
from bibld.progress import Progress, shown, with_number
from bibld.protocols import adapters
from bibld.triplify import to_quads as quads_of

if TYPE_CHECKING:
    from bibld.dedup.memory import Duplicates


class RecordCluster(msgspec.Struct, frozen=True):
    """Records that describe the same publication, with their MODS and the scored pairs among them.

    ``records`` begins with the founder, whose IRI names the cluster; ``descriptions`` are in the same order.
    """

    records: tuple[RecordId, ...]
    descriptions: tuple[Mods, ...]
    edges: tuple[Edge, ...] = ()

    __repr__ = brief

    @property
    def pairs(self) -> Table[PairRow]:
        """The scored pairs among the records."""
        return Table(PairRow, map(PairRow.from_edge, self.edges))

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.records))}: {main_title(self.descriptions[0])}"


class MergedCluster(Merged, frozen=True):
    """The merged description of a cluster.

    ``mods`` is the description, ``sources`` names for each value the records that have it, ``cluster`` is the founder
    with all members, ``edges`` are the scored pairs among them.
    """

    edges: tuple[Edge, ...] = ()


class DuplicateClusters:
    """The result of :func:`find_duplicates`: iterating it yields the clusters of two or more records.

    ``pairs`` is the table of all scored pairs that are the same, related or for review, ``clusters`` that of the
    clusters; ``singles`` are the records without duplicates, as clusters of one. ``messages`` report clusters that were
    too large and were cut.
    """

    def __init__(self, records: Mapping[RecordId, Mods], found: Duplicates) -> None:
        self.messages = found.messages
        self.pairs: Table[PairRow] = Table(PairRow, map(PairRow.from_edge, found.pairs))
        members = {record: cluster for cluster in found.clusters for record in cluster.members}
        edges: dict[RecordId, list[Edge]] = {cluster.founder: [] for cluster in found.clusters}
        for edge in found.pairs:
            cluster = members.get(edge.pair.left)
            if cluster is not None and cluster is members.get(edge.pair.right):
                edges[cluster.founder].append(edge)
        self._clusters = [
            RecordCluster(
                cluster.members, tuple(records[record] for record in cluster.members), tuple(edges[cluster.founder])
            )
            for cluster in found.clusters
        ]
        self.singles = [RecordCluster((record,), (mods,)) for record, mods in records.items() if record not in members]

    def __iter__(self) -> Iterator[RecordCluster]:
        return iter(self._clusters)

    def __len__(self) -> int:
        return len(self._clusters)

    def __getitem__(self, index: int) -> RecordCluster:
        return self._clusters[index]

    @property
    def clusters(self) -> Table[ClusterRow]:
        """The clusters of two or more records."""
        return Table(
            ClusterRow,
            (
                ClusterRow(
                    str(one.records[0]), len(one.records), main_title(one.descriptions[0]), tuple(map(str, one.records))
                )
                for one in self._clusters
            ),
        )

    def __repr__(self) -> str:
        return repr(self.clusters)

    def _repr_html_(self) -> str:
        return self.clusters._repr_html_()


def find_duplicates(
    records: Iterable[Mods] | Mapping[str, Iterable[Mods]],
    options: MethodOptions | ConfiguredWorkspace | None = None,
    *,
    block: str | KeyFunction | Sequence[str | KeyFunction] = (),
    score: str | ScoreFunction | None = None,
    progress: Progress | bool = False,
) -> DuplicateClusters:
    """Find the descriptions that describe the same publication, in memory; no workspace is needed.

    ``records`` are MODS: one list, or those of each source under its short name (``rsl``): then a cluster contains at
    most one record of a source. Records are named by their record identifier, without one by a hash of their content.
    The result is that of a first run over the same records, with blockers, scorer, thresholds and exceptions of
    ``options``: ``MethodOptions``, or a ``Workspace`` for those of its configuration.

    ``block`` and ``score`` replace blockers and scorer, by name or by a function: ``score(left, right)`` returns how
    probably two descriptions are the same, from 0 to 1; ``block(mods)`` returns keys, and descriptions that share one
    are compared. Records with other years, volumes and so on are not joined, whatever their score. ``progress``: True
    displays it.

    If identifiers occur again in a source, a Python warning names one with their number, and the last description of
    each is used. Raises ``ConfigError`` for a name that cannot name a source, and ``TypeError`` for values that are not
    MODS.

    >>> books = list(bibld.to_mods("rsl.mrc"))
    >>> bibld.find_duplicates(books + list(bibld.to_mods("nlr.iso")), progress=True).clusters[0].size
    2
    """
    by_source = records if isinstance(records, Mapping) else {_ONE_LIST: records}
    found = _named_records(by_source)
    listed = list(found.values())
    method = options.config if isinstance(options, ConfiguredWorkspace) else options or MethodOptions()
    from bibld.dedup.memory import find_duplicates as match  # loads the compiler

    with method_names(block, score, listed.__getitem__) as names, shown(progress) as displayed:
        return DuplicateClusters(found, match(found, _with_choices(method, *names), progress=displayed))


_ONE_LIST = "records"
"""The source of records that were given as one list; a cluster may contain more than one of them."""


def _with_choices(method: Config | MethodOptions, block: tuple[str, ...], score: str | None) -> Config | MethodOptions:
    """Return a method with other blockers and scorer, if they are named, for which one list may have duplicates."""
    if isinstance(method, MethodOptions):
        return msgspec.structs.replace(
            method,
            block=block or method.block,
            score=score or method.score,
            sources_with_duplicates=method.sources_with_duplicates | {_ONE_LIST},
        )
    one_list = Source(SourceConfig(id=_ONE_LIST, duplicates=True), None, None)
    return msgspec.structs.replace(method.with_dedup(block, score), sources=(*method.sources, one_list))


def _named_records(by_source: Mapping[str, Iterable[Mods]]) -> dict[RecordId, Mods]:
    """Return descriptions by the ids of their records; raises as :func:`find_duplicates`."""
    records: dict[RecordId, Mods] = {}
    repeated: list[RecordId] = []
    for source, descriptions in by_source.items():
        if not SOURCE_ID.fullmatch(source):
            raise ConfigError([f'"{source}" cannot name a source: use small Latin letters and digits, a letter first'])
        if isinstance(descriptions, str | os.PathLike):
            raise TypeError(f'expected MODS, got a path; convert the file: bibld.to_mods("{descriptions}")')
        for mods in descriptions:
            if not isinstance(mods, Mods):
                raise TypeError(
                    f'source "{source}": expected MODS, got {type(mods).__name__}; convert files and records with'
                    " bibld.to_mods first"
                )
            record = record_id_of(source, mods)
            repeated += [record] if record in records else []
            records[record] = mods
    if repeated:
        count = with_number(len(repeated), "identifier occurs", "identifiers occur")
        warnings.warn(f"{count} again, such as {repeated[0]}; the last description is used", stacklevel=3)
    return records


def record_id_of(source: str, mods: Mods) -> RecordId:
    if mods.record_identifier and mods.record_identifier.strip():
        return RecordId.from_control_number(source, mods.record_identifier)
    content = hashlib.blake2b(msgspec.json.encode(mods), digest_size=8).hexdigest()
    return RecordId(source, f"x{content}")


def merge(
    cluster: RecordCluster,
    *,
    policies: Mapping[str, str | PolicyFunction] | None = None,
    trust: Mapping[str, int] | None = None,
) -> MergedCluster:
    """Merge the descriptions of a cluster into one that names the records of each value.

    A cluster of one record has that record's description, and no sources of single values.

    ``policies`` names a merge policy for elements of MODS (``{"title_info": "longest"}``, see ``bibld adapters``), or
    is a function of the statements of the records that returns the positions of those that are shown; the others are
    merged as a configuration does by default. ``trust`` ranks sources for the policy ``most_trusted``.

    Raises ``ConfigError`` for an unknown element or policy.

    >>> found = bibld.find_duplicates({"rsl": bibld.to_mods("rsl.mrc"), "nlr": bibld.to_mods("nlr.iso")})
    >>> merged = bibld.merge(found[0], policies={"title_info": "longest"})
    >>> merged.mods.title_info[0].title
    'Анна Каренина'
    """
    if not isinstance(cluster, RecordCluster):
        raise TypeError(
            f"expected one RecordCluster, got {type(cluster).__name__}; merge the clusters one by one:"
            " [bibld.merge(cluster) for cluster in found]"
        )
    chosen = dict(policies or {})
    if unknown := sorted(chosen.keys() - set(MergeConfig.__struct_fields__)):
        known = sorted(MergeConfig.__struct_fields__)
        raise ConfigError([adapters.unknown_name_message(name, known, "element of MODS") for name in unknown])
    members = Cluster(cluster.records[0], cluster.records)
    with policy_names(chosen) as names:
        chosen_policies = Policies(MergeConfig(**names), trust)
        if len(cluster.records) == 1:
            return MergedCluster(members, cluster.descriptions[0], (), cluster.edges)
        records = list(zip(cluster.records, cluster.descriptions, strict=True))
        merged = merge_records(members, records, chosen_policies)
    return MergedCluster(merged.cluster, merged.mods, merged.sources, cluster.edges)


def to_quads(merged: MergedCluster | Iterable[MergedCluster], *, base: str) -> Iterator[str]:
    """Yield the lines of N-Quads that a run would publish for merged clusters.

    ``base`` is the beginning of all IRIs, such as ``https://data.example.org/``. Persons, places, subjects and
    publishers are described from all clusters together: pass all clusters in one call. Raises ``ConfigError`` for an
    unusable base.

    >>> single = bibld.find_duplicates(bibld.to_mods("nlr.iso")).singles[0]
    >>> lines = list(bibld.to_quads(bibld.merge(single), base="https://data.example.org/"))
    >>> lines[0].split()[0]
    '<https://data.example.org/resource/records/RU~5CNLR~5Cbibl~5C538692>'
    """
    if not is_web_iri(base) or not base.endswith("/"):
        raise ConfigError([f'base "{base}": must be an absolute http or https IRI that ends with /'])
    clusters = [merged] if isinstance(merged, MergedCluster) else list(merged)
    for one in clusters:
        if not isinstance(one, MergedCluster):
            raise TypeError(f"expected merged clusters, got {type(one).__name__}; merge each with bibld.merge first")
    return quads_of(clusters, Iris(base), [edge for one in clusters for edge in one.edges])


# -- forms of files that `bibld crosswalk` writes ----------------------------------------------------------------------

_SOURCE = "file"
_MODS = msgspec.json.Decoder(Mods)
_XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'


class Output(msgspec.Struct, frozen=True):
    """A form of output: ``record_form`` is that of each record, ``write`` writes the file from them."""

    about: str
    record_form: str
    write: Callable[[Iterable[bytes], BinaryIO, str], object]


def _mods(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    join_collection(records, out)


def _json(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.write(b"[")
    for number, record in enumerate(records):
        out.write((b",\n" if number else b"\n") + record)
    out.write(b"\n]\n")


def _lines(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(record + b"\n" for record in records)


def _csv(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.write(table_row(TABLE_COLUMNS))
    out.writelines(records)


def _marcxml(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    namespace = f' xmlns="{MARCXML}"'.encode()
    out.write(_XML + b"<collection" + namespace + b">\n")
    for record in records:
        out.write(record.partition(b"?>\n")[2].replace(namespace, b"", 1) + b"\n")
    out.write(b"</collection>\n")


def _iso2709(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(records)


def _dublin_core(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    namespaces = f' xmlns:oai_dc="{NAMESPACE}" xmlns:dc="{DC}"'.encode()
    out.write(_XML + b"<records" + namespaces + b">\n")
    for record in records:
        out.write(record.replace(_XML.strip(), b"").replace(namespaces, b"", 1).strip() + b"\n")
    out.write(b"</records>\n")


def _quads(records: Iterable[bytes], base: str) -> Iterator[str]:
    """Yield the quads of records that are not matched; of an identifier that occurs again, the last description."""
    found = {record_id_of(_SOURCE, mods): mods for mods in map(_MODS.decode, records)}
    yield from to_quads((merge(RecordCluster((record,), (mods,))) for record, mods in found.items()), base=base)


def _nquads(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(line.encode() for line in _quads(records, base))


def _triples(records: Iterable[bytes], base: str) -> Iterator[bytes]:
    return (line for line in map(str.encode, _quads(records, base)) if not is_of_named_graph(line))


def _ntriples(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    out.writelines(_triples(records, base))


def _turtle(records: Iterable[bytes], out: BinaryIO, base: str) -> None:
    import pyoxigraph as ox

    triples = (
        ox.Triple(quad.subject, quad.predicate, quad.object)
        for line in _triples(records, base)
        for quad in ox.parse(line, format=ox.RdfFormat.N_TRIPLES)
    )
    written = BytesIO()
    ox.serialize(triples, written, format=ox.RdfFormat.TURTLE, prefixes=PREFIXES)
    lines = written.getvalue().split(b"\n")
    body = next((number for number, line in enumerate(lines) if not line.startswith(b"@prefix")), len(lines))
    out.write(b"\n".join([*sorted(lines[:body]), *lines[body:]]))  # the order of prefixes differs from run to run


OUTPUTS: Mapping[str, Output] = {
    "mods": Output("one modsCollection", "xml", _mods),
    "json": Output("MODS as one JSON array", "json", _json),
    "jsonl": Output("the same, one JSON object a line", "json", _lines),
    "marcxml": Output("the MARC records as one MARCXML collection", "marcxml", _marcxml),
    "marc21": Output("records of MARC 21 made of the MODS, in ISO 2709 and UTF-8", "marc21", _iso2709),
    "marc21xml": Output("the same as one MARCXML collection", "marc21xml", _marcxml),
    "unimarc": Output("records of UNIMARC made of the MODS, in ISO 2709 and UTF-8", "unimarc", _iso2709),
    "unimarcxml": Output("the same as one MARCXML collection", "unimarcxml", _marcxml),
    "rusmarc": Output("records of RUSMARC made of the MODS, in ISO 2709 and UTF-8", "rusmarc", _iso2709),
    "rusmarcxml": Output("the same as one MARCXML collection", "rusmarcxml", _marcxml),
    "csv": Output("a table of catalogue cards", "csv", _csv),
    "dc": Output("simple Dublin Core, as in OAI-PMH", "dc", _dublin_core),
    "nt": Output("the triples that a run would publish, in N-Triples", "json", _ntriples),
    "ttl": Output("the same in Turtle", "json", _turtle),
    "nq": Output("the same with provenance, in N-Quads", "json", _nquads),
}
"""Name of a form → how it is written."""
