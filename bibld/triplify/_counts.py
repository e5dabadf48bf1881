"""Count the quads of a catalog for the description of the dataset, on all cores.

The counts are those that SPARQL gives for the store: of the classes, properties, different subjects and different
objects of the default graph, and of the links in each named graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter

import msgspec

from bibld.catalog import Catalog
from bibld.catalog.processing import CatalogReaders
from bibld.model.iris import Iris
from bibld.model.rdf import split_graphs, term
from bibld.model.release import QuadCounts, SourceFigures
from bibld.parallel import batches
from bibld.triplify._dataset import other_blocks
from bibld.triplify._distinct import DistinctCounter, Hashes, hashes_of

_BLOCKS_AT_ONCE = 1000
_PORTIONS_HERE = 2
"""Portions that are counted in this process before others are started."""

_TYPE = term("rdf:type").encode()
_SAME_AS = term("owl:sameAs").encode()

_SUBJECT, _PREDICATE, _VALUE = itemgetter(0), itemgetter(1), itemgetter(2)
_END = b" .\n"

Portion = tuple[str, int, int]
"""The table (statements or entities) and the first and last key of some blocks."""


class _Counts(msgspec.Struct):
    """Counts of some blocks; ``objects`` are hashes of the different objects."""

    classes: Counter[bytes]
    properties: Counter[bytes]
    same_as: Counter[bytes]
    subjects: int
    objects: Hashes


def count_quads(catalog: Catalog, iris: Iris, sources: Iterable[SourceFigures], workers: int = 1) -> QuadCounts:
    """Count the quads of a catalog; ``workers`` is the number of processes, 0 for one for each core."""
    classes: Counter[bytes] = Counter()
    properties: Counter[bytes] = Counter()
    same_as: Counter[bytes] = Counter()
    subjects = 0
    with (
        CatalogReaders(catalog, workers, "count quads", [__name__]) as readers,
        DistinctCounter() as objects,
    ):
        portions = readers.results(_count_portion, _portions(catalog), _PORTIONS_HERE)
        for counts in chain((result for _, result in portions), [count_blocks(other_blocks(catalog, iris, sources))]):
            classes.update(counts.classes)
            properties.update(counts.properties)
            same_as.update(counts.same_as)
            subjects += counts.subjects
            objects.add(counts.objects)
        different = objects.count()
    return QuadCounts(_by_term(classes), _by_term(properties), subjects, different, _by_term(same_as))


def count_blocks(blocks: Iterable[bytes]) -> _Counts:
    """Count the quads of blocks of lines; all lines with one subject are in one block."""
    default: list[bytes] = []
    same_as: Counter[bytes] = Counter()
    for block in blocks:
        lines, named = split_graphs(block)
        default += lines
        same_as.update(line.rsplit(b" ", 2)[1] for line in named if line.split(b" ", 2)[1] == _SAME_AS)
    triples = [line.removesuffix(_END).split(b" ", 2) for line in default]
    return _Counts(
        classes=Counter(value for _, predicate, value in triples if predicate == _TYPE),
        properties=Counter(map(_PREDICATE, triples)),
        same_as=same_as,
        subjects=len(set(map(_SUBJECT, triples))),
        objects=hashes_of(list(set(map(_VALUE, triples)))),
    )


def _portions(catalog: Catalog) -> Iterator[Portion]:
    for table, keys in (("statements", catalog.statements.founders()), ("entities", catalog.entities.numbers())):
        for batch in batches(keys, _BLOCKS_AT_ONCE):
            yield table, batch[0], batch[-1]


def _count_portion(catalog: Catalog, portion: Portion) -> _Counts:
    table, first, last = portion
    stored = catalog.statements if table == "statements" else catalog.entities
    return count_blocks(stored.all_quads(first, last))


def _by_term(counts: Counter[bytes]) -> dict[str, int]:
    return {each.decode(): number for each, number in sorted(counts.items())}
