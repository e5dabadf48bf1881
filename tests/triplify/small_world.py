"""A catalog of a few records that change, as the stages before triplify would change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from hypothesis import strategies as st

from bibld.catalog import Catalog, NewRecord, PersonVerdict, Queue
from bibld.catalog._linkage import StoredEdge, encode_edge
from bibld.config import TriplifyConfig
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.mods import (
    Mods,
    Name,
    NameIdentifier,
    NamePart,
    RecordIdentifier,
    RecordInfo,
    RelatedItem,
    Subject,
    TitleInfo,
    Topic,
)
from bibld.model.origin import Origin, RecordId
from bibld.model.release import SourceFigures
from bibld.model.review import EntityPair
from bibld.pipeline import stage_queue
from bibld.progress import Silent
from bibld.triplify import catalog_quads, to_quads, triplify
from tests.triplify.merged_book import IRIS

SOURCES = (SourceFigures("rsl", {"en": "RSL"}, "https://example.org/licence", 0, 0, 0, 0),)
NUMBERS = (1, 2, 3, 4, 5)


class Book(msgspec.Struct, frozen=True):
    """The content of a record: numbers stand for texts, ``host`` for another record."""

    title: int
    author: int
    host: int = 0


def _author(heading: str, dates: str = "", *numbers: str) -> Name:
    parts = (NamePart(heading), NamePart(dates, type="date")) if dates else (NamePart(heading),)
    return Name(
        name_part=parts, type="personal", name_identifier=tuple(NameIdentifier(one, type="viaf") for one in numbers)
    )


AUTHORS = {
    1: _author("Толстой 1"),
    2: _author("Толстой 2"),
    4: _author("Толстой, Лев", "1828-1910"),
    5: _author("Tolstoĭ, Lev", "1828-1910", "1"),
    6: _author("Толстой, Лев", "1828-", "http://www.wikidata.org/entity/Q7243", "1"),
    7: _author("Толстой, Лев", "1828-", "2"),
    8: _author("Толстой, Л.", "1829-1910", "http://www.wikidata.org/entity/Q7243"),
}
"""Names that are the same person, or are not, or are only as long as another one is there; others have no dates."""

PATHS = ("agent/viaf-1", "agent/viaf-2", "agent/wikidata-Q7243")


class Decided(msgspec.Struct, frozen=True):
    """A verdict about two of the PATHS (their places), or its withdrawal."""

    left: int
    right: int
    decision: Literal["same", "different", "withdraw"]


class Change(msgspec.Struct, frozen=True):
    """The present content of records (None: deleted), and which belong together: those with the same group."""

    books: dict[int, Book | None]
    groups: tuple[int, ...]
    decided: Decided | None = None


BOOKS = st.none() | st.builds(Book, st.integers(1, 3), st.sampled_from(sorted(AUTHORS)), st.integers(0, 5))
DECIDED = st.builds(
    Decided, st.integers(0, 1), st.just(2), st.sampled_from(["same", "different", "withdraw"])
) | st.builds(Decided, st.just(0), st.just(1), st.sampled_from(["same", "different", "withdraw"]))
CHANGES = st.builds(
    Change,
    st.dictionaries(st.sampled_from(NUMBERS), BOOKS, max_size=3),
    st.tuples(*[st.integers(1, 3)] * len(NUMBERS)),
    st.none() | DECIDED,
)


def record_id(number: int) -> RecordId:
    return RecordId("rsl", str(number))


def host(number: str) -> tuple[RelatedItem, ...]:
    info = RecordInfo(record_identifier=(RecordIdentifier(number),))
    return (RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Set"),), record_info=(info,))),)


def new_record(number: int, book: Book) -> NewRecord:
    author = AUTHORS.get(book.author) or _author(f"Толстой {book.author}")
    related = host(str(book.host)) if book.host else ()
    about = (Subject((author, Topic("Criticism"))),) if book.title == 3 else ()
    mods = Mods(title_info=(TitleInfo(f"Title {book.title}"),), name=(author,), related_item=related, subject=about)
    data = msgspec.json.encode((number, mods))
    origin = Origin("rsl", "a.mrc", 1, 0)
    return NewRecord(record_id(number), origin, data, 1, data, "marc21", msgspec.json.encode(mods), (), (), (), False)


class Killed(BaseException):
    """The run ends here."""


class Stopping(Silent):
    """A progress that ends the run after a number of advances."""

    def __init__(self, after: int) -> None:
        self._left = after

    def advance(self, count: int = 1) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed


class World:
    """A catalog, and what read, dedup and merge do to it."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog(folder)
        self.queue = stage_queue(self.catalog, "triplify")
        self._books: dict[int, Book] = {}
        self._run = 0
        with self.catalog.commit():
            self.catalog.records.add_carrier("rsl", "a.mrc", "iso2709", b"{}")
            for number in NUMBERS:
                self.catalog.register.assign_ordinal(record_id(number))

    def __enter__(self) -> World:
        return self

    def __exit__(self, *error: object) -> None:
        self.catalog.close()

    def change(self, change: Change) -> None:
        """Change records and clusters, and have those pending that it touches."""
        catalog, before = self.catalog, self._clusters()
        self._run += 1
        with catalog.commit():
            touched = set(self._change_books(change.books))
            together: dict[int, list[int]] = {}
            for number in sorted(self._books):
                together.setdefault(change.groups[number - 1], []).append(number)
            if change.decided is not None:
                self._decide(change.decided)
            self._store_clusters([members for members in together.values() if len(members) > 1])
            after = self._clusters()
            touched |= {number for number in NUMBERS if before.get(number) != after.get(number)}
            for number in sorted(touched):
                founders = {clusters[number][0] for clusters in (before, after) if number in clusters}
                catalog.dirty[Queue.UNDESCRIBED_CLUSTERS].add(founders)
                exists = number in self._books
                catalog.dirty[Queue.UNDESCRIBED_CLUSTERS].add(catalog.statements.dependents(record_id(number), exists))

    def _change_books(self, books: Mapping[int, Book | None]) -> Iterable[int]:
        for number, book in books.items():
            if book is None:
                self.catalog.records.delete(number, self._run)
                self._books.pop(number, None)
            else:
                self.catalog.records.put([new_record(number, book)], self._run)
                self._books[number] = book
            yield number

    def _decide(self, decided: Decided) -> None:
        left, right = PATHS[decided.left], PATHS[decided.right]
        if decided.decision == "withdraw":
            if (known := self.catalog.verdicts.get(EntityPair(left, right))) is not None:
                self.catalog.verdicts.withdraw(known)
        else:
            verdict = PersonVerdict(EntityPair(left, right), decided.decision, "a person")
            self.catalog.verdicts.add([verdict], "2026-01-01")

    def _store_clusters(self, clusters: Sequence[Sequence[int]]) -> None:
        linkage = self.catalog.linkage
        linkage.replace_clusters(clusters)
        linkage.drop_edges()
        for first, *others in clusters:
            pairs = [Pair.from_records(record_id(first), record_id(other)) for other in others]
            edges = [Edge(pair, Score(0.9), Verdict("same", "a test"), "x") for pair in pairs]
            linkage.put_edges(
                StoredEdge(first, other, 0.9, "same", "same", encode_edge(edge), "x")
                for other, edge in zip(others, edges, strict=True)
            )

    def _clusters(self) -> dict[int, list[int]]:
        linkage = self.catalog.linkage
        return {number: linkage.members(linkage.founder(number)) for number in self._books}

    def triplify(self, progress: Silent | None = None) -> None:
        triplify(self.catalog, IRIS, TriplifyConfig(), self.queue, progress or Silent())

    def quads(self) -> list[str]:
        """All quads, as they are stored."""
        return list(catalog_quads(self.catalog, IRIS, SOURCES))

    def expected(self) -> list[str]:
        """All quads, made from nothing."""
        catalog = self.catalog
        founders = list(catalog.linkage.founders())
        edges = [edge for founder in founders for edge in catalog.linkage.edges_among(catalog.linkage.members(founder))]
        decided = {
            (IRIS.base + left, IRIS.base + right): decision
            for (left, right), decision in catalog.register.entity_verdicts().items()
        }
        merged = map(catalog.descriptions.merged, founders)
        return list(to_quads(merged, IRIS, edges, sources=SOURCES, verdicts=decided))
