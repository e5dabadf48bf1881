"""Count the quads of a catalog for the description of the dataset, on all cores.

The counts are those that SPARQL gives for the store: of the classes, properties, different subjects and different
objects of the default graph, of the quads in each named graph, and of the links.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from types import TracebackType
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.catalog.processing import CatalogReaders
from bibld.model.iris import Iris
from bibld.model.rdf import is_of_named_graph, split_graphs, take_graph, term
from bibld.model.release import LinkSet, QuadCounts, SourceFigures
from bibld.parallel import batches
from bibld.triplify._dataset import other_blocks

_MAX_HASHES_IN_MEMORY = 1 << 23
"""Hashes that are kept in memory; more are written to a file, sorted."""

_PARTS = 64
"""The number of ranges of hashes that are compared between the files, one after the other."""

Hashes = npt.NDArray[np.uint64]


def hashes_of(values: Sequence[bytes]) -> Hashes:
    """Return hashes of values, of 64 bits: of a billion values, two have the same once in forty times."""
    return np.frombuffer(b"".join([blake2b(value, digest_size=8).digest() for value in values]), dtype=np.uint64)


class DistinctCounter(AbstractContextManager["DistinctCounter"]):
    """Counts different hashes. Use it in a ``with`` statement."""

    def __init__(self, max_in_memory: int = _MAX_HASHES_IN_MEMORY) -> None:
        self._max_in_memory = max_in_memory
        self._waiting: list[Hashes] = []
        self._number_waiting = 0
        self._files: list[Any] = []
        self._runs: list[Hashes] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.clear()
        for file in self._files:
            file.close()

    def add(self, hashes: Hashes) -> None:
        """Add hashes, in any order."""
        self._waiting.append(hashes)
        self._number_waiting += len(hashes)
        if self._number_waiting > self._max_in_memory:
            merged = self._merge_waiting()
            if len(merged) > self._max_in_memory // 2:
                self._write(merged)
            else:
                self._waiting, self._number_waiting = [merged], len(merged)

    def count(self) -> int:
        """Return the number of different hashes."""
        runs = [*self._runs, self._merge_waiting()]
        if len(runs) == 1:
            return len(runs[0])
        bounds = [np.uint64(part * (2**64 // _PARTS)) for part in range(_PARTS)]
        places = [[*(int(place) for place in np.searchsorted(run, bounds)), len(run)] for run in runs]
        return sum(
            len(np.unique(np.concatenate([run[at[part] : at[part + 1]] for run, at in zip(runs, places, strict=True)])))
            for part in range(_PARTS)
        )

    def _merge_waiting(self) -> Hashes:
        return np.unique(np.concatenate(self._waiting)) if self._waiting else np.empty(0, np.uint64)

    def _write(self, hashes: Hashes) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end
        self._files.append(file)
        hashes.tofile(file)
        file.flush()
        self._runs.append(np.memmap(file, dtype=np.uint64, mode="r"))
        self._waiting, self._number_waiting = [], 0


_BLOCKS_AT_ONCE = 1000
_LINES_AT_ONCE = 10_000
_PORTIONS_HERE = 2
"""Portions that are counted in this process before others are started."""

_TYPE = term("rdf:type").encode()
_LINKS = tuple(term(name).encode() for name in ("owl:sameAs", "skos:exactMatch", "skos:closeMatch"))

_SUBJECT, _PREDICATE, _VALUE = itemgetter(0), itemgetter(1), itemgetter(2)
_TRIPLE = re.compile(rb"([^ ]+) ([^ ]+) (.*) \.\n")

Portion = tuple[str, int, int]
"""The table (statements or entities) and the first and last key of some blocks."""


_Link = tuple[bytes, bytes, bytes]
"""Graph (empty for the default graph), predicate and kind, as in :class:`bibld.model.release.LinkSet`."""


class BlockCounts(msgspec.Struct):
    """Counts of some blocks of quads.

    ``objects`` are hashes (64 bits) of the different objects of the default graph; ``links`` are counted by graph,
    predicate and kind.
    """

    classes: Counter[bytes]
    properties: Counter[bytes]
    links: Counter[_Link]
    graphs: Counter[bytes]
    subjects: int
    entities: int
    objects: Hashes

    def add(self, others: BlockCounts) -> None:
        """Add the counts of other blocks, except those of the objects, which have to be compared."""
        self.count_lines(others, is_added=True)
        self.subjects += others.subjects
        self.entities += others.entities

    def count_lines(self, others: BlockCounts, is_added: bool) -> None:
        """Add, or else subtract, what is counted line by line."""
        for name in ("classes", "properties", "links", "graphs"):
            counts: Counter[Any] = getattr(self, name)
            (counts.update if is_added else counts.subtract)(getattr(others, name))

    def to_quad_counts(self, objects: int, in_default_graph: str) -> QuadCounts:
        """Return the counts as the description of the dataset states them; ``objects`` is the number of objects."""
        links = tuple(
            LinkSet(graph.decode(), predicate.decode(), kind.decode(), number)
            for (graph, predicate, kind), number in sorted(self.links.items())
            if number
        )
        classes, properties, graphs = (_by_term(each) for each in (self.classes, self.properties, self.graphs))
        return QuadCounts(classes, properties, self.subjects, objects, links, graphs, self.entities, in_default_graph)


def count_quads(
    catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures], workers: int = 1, in_default_graph: str = ""
) -> QuadCounts:
    """Count the quads of a catalog; ``workers`` is the number of processes, 0 for one for each core.

    ``in_default_graph``: the named graph (a term) whose triples are counted in the default graph, too.
    """
    total = BlockCounts(Counter(), Counter(), Counter(), Counter(), 0, 0, hashes_of([]))
    count = partial(count_blocks, base=iris.base.encode(), in_default_graph=in_default_graph.encode())
    with (
        CatalogReaders(catalog, workers, "count quads", [__name__]) as readers,
        DistinctCounter() as objects,
    ):
        portions = readers.results(partial(_count_portion, count), _portions(catalog), _PORTIONS_HERE)
        others = count(other_blocks(catalog, iris, sources))
        for counts in chain((result for _, result in portions), [others]):
            total.add(counts)
            objects.add(counts.objects)
        return total.to_quad_counts(objects.count(), in_default_graph)


def count_blocks(blocks: Iterable[bytes], base: bytes, in_default_graph: bytes = b"") -> BlockCounts:
    """Count the quads of blocks of lines; all lines with one subject are in one block.

    ``in_default_graph``: the named graph (a term) whose triples are counted in the default graph, too.
    """
    graphs: Counter[bytes] = Counter()
    links: Counter[_Link] = Counter()
    parts = [split_graphs(block) for block in blocks]
    for _, named in parts:
        if named:
            graphs.update(_count_graphs(named))
            if any(predicate in named for predicate in _LINKS):
                links.update(_links_of_named_graphs(named.splitlines(keepends=True)))
    triples = _triples_of_default_graph(parts, in_default_graph)
    properties = Counter(map(_PREDICATE, triples))
    if any(predicate in properties for predicate in _LINKS):
        links.update(_links_of_default_graph(triples, b"<" + base))
    subjects = set(map(_SUBJECT, triples))
    return BlockCounts(
        classes=Counter(value for _, predicate, value in triples if predicate == _TYPE),
        properties=properties,
        links=links,
        graphs=graphs,
        subjects=len(subjects),
        entities=sum(b"#" not in subject for subject in subjects),
        objects=hashes_of(list(set(map(_VALUE, triples)))),
    )


def _triples_of_default_graph(
    parts: Iterable[tuple[bytes, bytes]], in_default_graph: bytes
) -> list[tuple[bytes, bytes, bytes]]:
    """Return the triples of blocks, given as lines of the default graph and lines of named graphs."""
    lines = [default for default, _ in parts]
    if in_default_graph:
        lines += [take_graph(named, in_default_graph)[0] for _, named in parts]
    return _TRIPLE.findall(b"".join(lines))


Occurrences = Callable[[str, str, int], int]
"""Returns in how many triples of the default graph a term is ``subject`` or ``object``, at most a limit."""


def update_counts(
    before: QuadCounts, changes: Iterable[tuple[bytes, bool]], occurrences: Occurrences, base: bytes
) -> QuadCounts:
    """Return the counts after some lines (without line end) were added (True) or removed (False).

    ``occurrences`` looks into the store that has these changes: whether a subject or an object is a new one, or was the
    last, depends on all other quads.
    """
    in_default_graph = before.in_default_graph.encode()
    total = _counts_before(before)
    subjects, objects = _Uses(), _Uses()
    for batch in batches(changes, _LINES_AT_ONCE):
        for is_added in (True, False):
            lines = [line + b"\n" for line, was_added in batch if was_added is is_added]
            named = list(filter(is_of_named_graph, lines))
            block = b"".join((*(line for line in lines if not is_of_named_graph(line)), *named))
            total.count_lines(count_blocks([block], base, in_default_graph), is_added)
            for subject, _, value in _triples_of_default_graph([split_graphs(block)], in_default_graph):
                subjects.note(subject, is_added)
                objects.note(value, is_added)
    for subject, change in subjects.changes("subject", occurrences):
        total.subjects += change
        total.entities += change if b"#" not in subject else 0
    new_objects = sum(change for _, change in objects.changes("object", occurrences))
    return total.to_quad_counts(before.objects + new_objects, before.in_default_graph)


def _counts_before(before: QuadCounts) -> BlockCounts:
    """Return counts to be changed; the objects are not known."""
    classes, properties, graphs = (
        Counter({name.encode(): number for name, number in counts.items()})
        for counts in (before.classes, before.properties, before.graphs)
    )
    links: Counter[_Link] = Counter()
    for one in before.links:
        links[one.graph.encode(), one.predicate.encode(), one.kind.encode()] = one.links
    return BlockCounts(classes, properties, links, graphs, before.subjects, before.entities, hashes_of([]))


class _Uses:
    """In how many added and removed triples terms occur in one place."""

    def __init__(self) -> None:
        self._added: Counter[bytes] = Counter()
        self._removed: Counter[bytes] = Counter()

    def note(self, term: bytes, is_added: bool) -> None:
        (self._added if is_added else self._removed)[term] += 1

    def changes(self, place: str, occurrences: Occurrences) -> Iterator[tuple[bytes, int]]:
        """Yield the terms that did not occur before (1) and those that do not occur now (-1)."""
        for name, number in self._added.items():
            if name not in self._removed and occurrences(name.decode(), place, number + 1) == number:
                yield name, 1
        for name in self._removed:
            if name not in self._added and occurrences(name.decode(), place, 1) == 0:
                yield name, -1


def _count_graphs(named: bytes) -> dict[bytes, int]:
    """Return the number of lines in each named graph; in most blocks all of them are in one."""
    last, count = _graph_of(named), named.count(b"\n")
    if named.count(b" %s .\n" % last) == count:
        return {last: count}
    return Counter(map(_graph_of, named.splitlines(keepends=True)))


def _graph_of(lines: bytes) -> bytes:
    """Return the graph of the last line, which is not in the default graph."""
    return lines.rsplit(b" ", 2)[1]


def _links_of_named_graphs(lines: Iterable[bytes]) -> Iterator[_Link]:
    for line in lines:
        predicate = line.split(b" ", 2)[1]
        if predicate in _LINKS:
            yield _graph_of(line), predicate, b""


def _links_of_default_graph(triples: Iterable[Sequence[bytes]], start: bytes) -> Iterator[_Link]:
    for subject, predicate, value in triples:
        if predicate in _LINKS:
            is_inside = subject.startswith(start) and value.startswith(start)
            yield b"", predicate, subject[len(start) :].partition(b"/")[0] if is_inside else b""


def _portions(catalog: Catalog) -> Iterator[Portion]:
    for table, keys in (("statements", catalog.statements.owners()), ("entities", catalog.entities.owners())):
        for batch in batches(keys, _BLOCKS_AT_ONCE):
            yield table, batch[0], batch[-1]


def _count_portion(count: Callable[[Iterable[bytes]], BlockCounts], catalog: Catalog, portion: Portion) -> BlockCounts:
    table, first, last = portion
    stored = catalog.statements if table == "statements" else catalog.entities
    return count(stored.all_quads(first, last))


def _by_term(counts: Counter[bytes]) -> dict[str, int]:
    return {each.decode(): number for each, number in sorted(counts.items()) if number}
