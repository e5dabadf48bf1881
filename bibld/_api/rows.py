"""The rows of the tables that the API returns."""

from __future__ import annotations

import inspect

import msgspec

from bibld._api.tables import Table
from bibld.catalog import Catalog, LoadCounts, Suppression
from bibld.config import Config
from bibld.harvest import Freshness, freshness
from bibld.model.linkage import Edge
from bibld.model.mods import Mods
from bibld.protocols import adapters
from bibld.read import carrier_of


class FileRow(msgspec.Struct, frozen=True):
    """A file of a source."""

    source: str
    file: str
    bytes: int


class RecordRow(msgspec.Struct, frozen=True):
    """A record, the record that names its cluster, and its title."""

    record: str
    cluster: str
    title: str


class ClusterRow(msgspec.Struct, frozen=True):
    """A cluster: the record that names it, the number of its records, its title, and the ids of all its records."""

    cluster: str
    size: int
    title: str
    records: tuple[str, ...]


class PairRow(msgspec.Struct, frozen=True):
    """A scored pair.

    ``decision`` is same, different, related or review; ``by`` names the rule, model or person that decided, ``reasons``
    are sentences, ``relation`` is what related records are to each other, ``shared_keys`` are the kinds of blocking
    keys that both records have.
    """

    left: str
    right: str
    score: float
    decision: str
    by: str
    relation: str
    reasons: tuple[str, ...]
    shared_keys: tuple[str, ...]

    @classmethod
    def from_edge(cls, edge: Edge) -> PairRow:
        """Return the row of a stored edge."""
        verdict, score = edge.verdict, edge.score
        return cls(
            left=str(edge.pair.left),
            right=str(edge.pair.right),
            score=score.value,
            decision=verdict.decision,
            by=verdict.by,
            relation=verdict.relation,
            reasons=verdict.reasons,
            shared_keys=score.shared_blocking_keys,
        )


class AdapterRow(msgspec.Struct, frozen=True):
    """An adapter: its stage, the name that a configuration uses, and what it is."""

    stage: str
    name: str
    about: str


def list_adapters() -> Table[AdapterRow]:
    """Return the adapters of every stage, plug-ins included; for a broken plug-in ``about`` is the cause."""
    rows = []
    for stage in adapters.STAGES:
        for name in adapters.adapter_names(stage):
            about = inspect.cleandoc(adapters.load_adapter(stage, name).__doc__ or "").partition("\n\n")[0]
            rows.append(AdapterRow(stage, name, about.replace("\n", " ")))
        broken = [plugin for plugin in adapters.broken_plugins() if plugin.stage == stage]
        rows += [AdapterRow(stage, plugin.name, f"broken: {plugin.cause}") for plugin in broken]
    return Table(AdapterRow, rows)


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


def stats_of(catalog: Catalog, config: Config) -> Stats:
    """Return what a catalog contains."""
    return Stats(
        sources=tuple(catalog.records.load_counts()),
        files=tuple(
            (source, file, reader, carrier.declared or "nothing", carrier.charset)
            for source, file, reader, state in catalog.records.charsets()
            if (carrier := carrier_of(reader, state))
        ),
        suppressed=tuple(catalog.suppressions.all()),
        coverage=tuple(catalog.records.coverage()),
        freshness=tuple(freshness(config)),
    )


def main_title(mods: Mods) -> str:
    """Return the first title with its subtitle, for lists."""
    for title in mods.title_info:
        return " : ".join([f"{title.non_sort or ''}{title.title}", *title.sub_title])
    return ""
