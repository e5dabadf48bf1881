"""Compares all that a release states with all that it contains: files, dumps with patches, store, VoID, documents.

Quads are compared as sums of hashes, in many buckets, so that a dataset of any size needs little memory; where two sums
differ, the lines of one bucket are read again to name the first line that differs.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

import msgspec
import pyoxigraph
import zstandard
from zlib_ng import gzip_ng

from bibld import documents as published
from bibld.config import Config
from bibld.errors import BibldError, StageError
from bibld.model.brief import brief
from bibld.model.iris import Iris
from bibld.model.rdf import expand, iri, line_in_default_graph, term
from bibld.model.release import LinkSet, Manifest, QuadCounts
from bibld.progress import Progress
from bibld.protocols import ReadableStore, adapters
from bibld.publish import void
from bibld.publish._files import RUN_FILE, has_all_graphs
from bibld.publish._releases import Releases

_BUCKETS = 4096
_BUFFER_BYTES = 1 << 20
_HASH_BYTES = 16
_LINKS = "owl:sameAs skos:exactMatch skos:closeMatch"
_GONE = 410
_SHOWN = 300
"""Characters of a line that a message shows."""

Lines = Callable[[], Iterable[tuple[bytes, int]]]
"""Begins a pass over lines (without line end), each with how often it counts: -1 for one that a patch removes."""


class ReleaseCheck(msgspec.Struct, frozen=True):
    """What was compared, and whether it agrees; ``detail`` states what was found, or the first difference."""

    name: str
    is_ok: bool
    detail: str


class Verification(msgspec.Struct, frozen=True):
    """The result of verifying a release."""

    release: int
    checks: tuple[ReleaseCheck, ...]

    __repr__ = brief

    @property
    def is_ok(self) -> bool:
        """Whether all checks agree."""
        return all(check.is_ok for check in self.checks)


class _DifferenceError(BibldError):
    """Two parts of a release differ; the message is the first difference."""


class _Sums:
    """The number of some lines, and the sum of their hashes in each bucket."""

    def __init__(self, lines: Iterable[tuple[bytes, int]]) -> None:
        self.count = 0
        self.buckets = [0] * _BUCKETS
        buckets = self.buckets
        for line, times in lines:
            value = int.from_bytes(hashlib.blake2b(line, digest_size=_HASH_BYTES).digest(), "big")
            buckets[value % _BUCKETS] += times * value
            self.count += times


def verify(config: Config, number: int | None, progress: Progress) -> Verification:
    """Compare the parts of a release with each other: of the current one, or of that with a number.

    Raises ``StageError`` if there is no such release.
    """
    releases = Releases(config.workspace)
    folder = releases.current() if number is None else releases.folder / str(number)
    if folder is None or not folder.is_dir():
        wanted = "nothing has been published yet" if number is None else f"release {number} does not exist"
        raise StageError(f"{config.workspace}: {wanted}; `bibld releases {config.file}` lists the releases")
    lock = Releases.hold(folder)
    if lock is None:
        raise StageError(f"{folder}: the release is being removed")
    with lock:
        manifest = releases.manifest(folder)
        return Verification(manifest.number, tuple(_Verifier(config, folder, manifest, progress).checks()))


class _Verifier:
    """Verifies one release."""

    def __init__(self, config: Config, folder: Path, manifest: Manifest, progress: Progress) -> None:
        self._config = config
        self._folder = folder
        self._manifest = manifest
        self._progress = progress
        self._iris = Iris(manifest.dataset.base)
        self._in_default_graph = manifest.in_default_graph.encode()

    def checks(self) -> Iterator[ReleaseCheck]:
        """Yield the results of all checks that the parts of the release allow."""
        self._progress.stage("verify", "checks")
        yield self._check("files", self._compare_files)
        if self._manifest.full is not None:
            yield self._check("dumps", self._compare_dumps)
        store_folder = self._folder / "store"
        if not store_folder.is_dir():
            return
        backend = adapters.load_adapter("store", self._manifest.backend)
        settings = self._config.settings("store", self._manifest.backend)
        with closing(backend.open_copy(store_folder, settings)) as store:
            if self._manifest.full is not None:
                yield self._check("store", lambda: self._compare_store(store))
            if self._manifest.file("void.ttl") is not None:
                yield self._check("void", lambda: self._compare_void(store))
            if self._manifest.number in published.published_releases(self._config.workspace):
                yield self._check("documents", lambda: self._compare_documents(store))

    def _check(self, name: str, compare: Callable[[], str]) -> ReleaseCheck:
        """Return what a comparison found; what cannot be read at all is a difference, too."""
        try:
            found = ReleaseCheck(name, True, compare())
        except BibldError as error:
            found = ReleaseCheck(name, False, str(error))
        self._progress.advance(1)
        return found

    # -- files -------------------------------------------------------------------------------------------------------

    # Each comparison returns a summary, and raises an error for the first difference.

    def _compare_files(self) -> str:
        for file in self._manifest.files:
            path = self._folder / file.name
            if not path.is_file():
                raise _DifferenceError(f"{path}: not found, but the manifest names it")
            if path.stat().st_size != file.bytes:
                raise _DifferenceError(f"{path}: has {path.stat().st_size:,} bytes, the manifest states {file.bytes:,}")
            with path.open("rb") as content:
                if hashlib.file_digest(content, "sha256").hexdigest() != file.sha256:
                    raise _DifferenceError(f"{path}: its SHA-256 is not that of the manifest")
        names = {file.name for file in self._manifest.files} | {"manifest.json", "withdrawn"}
        others = sorted(path.name for path in self._folder.iterdir() if path.is_file() and path.name not in names)
        if others:
            raise _DifferenceError(f"{self._folder / others[0]}: not named by the manifest")
        return f"{len(self._manifest.files):,} files have the sizes and sums of the manifest"

    # -- dumps and store ---------------------------------------------------------------------------------------------

    def _compare_dumps(self) -> str:
        """Compare the full dumps with each other, and all numbers of lines with those of the manifest."""
        full = self._manifest.full
        assert full is not None
        names = [name for name in full.files if has_all_graphs(name)]
        first = self._folder / names[0]
        for name in names[1:]:
            _compare_lines(self._lines_of(names[0]), self._lines_of(name), first.name, name)
        sums = _Sums(self._lines_of(names[0])())
        if full.quads and sums.count != full.quads:
            raise _DifferenceError(f"{first}: has {sums.count:,} lines, the manifest states {full.quads:,} quads")
        for name in full.files:
            if not has_all_graphs(name):
                default = _only(self._lines_of(names[0]), lambda line: not _is_named(line))
                _compare_lines(default, self._lines_of(name), first.name, name)
        for patch in self._manifest.since_full:
            for name, stated in ((patch.removed, patch.removed_quads), (patch.added, patch.added_quads)):
                found = sum(1 for _ in _read_lines(self._folder / name))
                if found != stated:
                    raise _DifferenceError(
                        f"{self._folder / name}: has {found:,} lines, the manifest states {stated:,} quads"
                    )
        patches = len(self._manifest.since_full)
        return f"{sums.count:,} quads of release {full.release}, {patches:,} patches since"

    def _compare_store(self, store: ReadableStore) -> str:
        """Compare the full dump, changed by the patches, and the statements about the run with the store."""
        _compare_lines(self._stored, _lines_of_store(store), "dumps and patches", "store")
        count = sum(times for _, times in self._present())
        if count != self._manifest.figures.quads:
            raise _DifferenceError(
                f"the store has {count:,} quads, the manifest states {self._manifest.figures.quads:,}"
            )
        return f"{count:,} quads, those of the dumps with their patches and of {RUN_FILE}"

    def _present(self) -> Iterator[tuple[bytes, int]]:
        full = self._manifest.full
        assert full is not None
        yield from self._lines_of(next(name for name in full.files if has_all_graphs(name)))()
        for patch in self._manifest.since_full:
            yield from ((line, -1) for line in _read_lines(self._folder / patch.removed))
            yield from ((line, 1) for line in _read_lines(self._folder / patch.added))
        if self._manifest.file(RUN_FILE) is not None:
            yield from self._lines_of(RUN_FILE)()

    def _stored(self) -> Iterator[tuple[bytes, int]]:
        """Yield the lines that are present as the store has them."""
        return ((line_in_default_graph(line, self._in_default_graph), times) for line, times in self._present())

    def _lines_of(self, name: str) -> Lines:
        return lambda: ((line, 1) for line in _read_lines(self._folder / name))

    # -- VoID --------------------------------------------------------------------------------------------------------

    def _compare_void(self, store: ReadableStore) -> str:
        """Compare every number in the description with what SPARQL counts, and with the lines of the dumps."""
        path = self._folder / "void.ttl"
        stated: dict[tuple[str, str], int] = {}
        try:
            for triple in pyoxigraph.parse(path=str(path), format=pyoxigraph.RdfFormat.TURTLE):
                name = triple.predicate.value
                value = triple.object
                is_count = isinstance(value, pyoxigraph.Literal) and value.datatype.value == expand("xsd:integer")
                if name.startswith(expand("void:")) and is_count:
                    stated[triple.subject.value, name] = int(value.value)
        except (OSError, SyntaxError) as error:
            raise StageError(f"{path}: cannot be read: {error}") from error
        counted = {(about, expand(f"void:{name}")): count for (about, name), count in self._count(store).items()}
        for about, name in sorted({*stated, *counted}):
            one, other = stated.get((about, name)), counted.get((about, name))
            if one != other:
                raise _DifferenceError(
                    f"{path}: {iri(about)} has {iri(name)} {_or_nothing(one)}, counted are {_or_nothing(other)}"
                )
        return f"{len(stated):,} figures are those that SPARQL counts"

    def _count(self, store: ReadableStore) -> dict[tuple[str, str], int]:
        """Return the numbers that the description has to state, by subject and the name of the property."""
        counts = sparql_counts(store, self._iris.base)
        dataset, default = self._iris.dataset, f"{self._iris.dataset}#default-graph"
        found = {
            (dataset, "triples"): counts.default_graph + sum(counts.graphs.values()),
            (default, "triples"): counts.default_graph,
            (default, "classes"): len(counts.classes),
            (default, "properties"): len(counts.properties),
            (default, "distinctSubjects"): counts.subjects,
            (default, "distinctObjects"): counts.objects,
            (default, "entities"): counts.entities,
        }
        found |= {(graph[1:-1], "triples"): count for graph, count in counts.graphs.items()}
        if self._in_default_graph:
            end = b" %s ." % self._in_default_graph
            moved = sum(times for line, times in self._present() if line.endswith(end))
            found[self._manifest.in_default_graph[1:-1], "triples"] = moved
        for kind, unit, numbers in (("class", "entities", counts.classes), ("property", "triples", counts.properties)):
            for value, count in numbers.items():
                found[void.partition_iri(kind, value[1:-1], self._iris), unit] = count
        for link_set in counts.links:
            found[void.link_set_iri(link_set, self._iris), "triples"] = link_set.links
        for source in self._manifest.figures.sources:
            found[self._iris.source(source.source), "entities"] = source.records or source.converted
        full = self._manifest.full
        if full is None or not full.quads:
            return found
        files = {
            f"release-{full.release}{'' if has_all_graphs(name) else '-default-graph'}": name for name in full.files
        }
        for patch in self._manifest.since_full:
            files[f"removed-{patch.release}"] = patch.removed
            files[f"added-{patch.release}"] = patch.added
        for name, file in files.items():
            found[f"{dataset}#{name}", "triples"] = sum(1 for _ in _read_lines(self._folder / file))
        return found

    # -- documents ---------------------------------------------------------------------------------------------------

    def _compare_documents(self, store: ReadableStore) -> str:
        """Compare the statements of the prepared documents about their own things with those of the store."""
        base = self._iris.base
        not_there = tuple(f"<{base}{name}".encode() for name in ("dataset", "graph/", "ontology"))
        start = f"<{base}".encode()

        def is_in_document(line: bytes) -> bool:
            return line.startswith(start) and not line.startswith(not_there)

        def documents() -> Iterator[tuple[bytes, int]]:
            with published.open_published(self._config.workspace, self._manifest.number) as view:
                for document in view.documents():
                    if document.status == _GONE and not any(store.quads(subject=f"{base}{document.path}")):
                        continue  # the tombstone of a withdrawn record, about which the store states nothing
                    thing = f"<{base}{document.path}".encode()
                    own = (thing + b">", thing + b"#")
                    for line in document.quads.split(b"\n"):
                        if line.startswith(own):
                            yield line_in_default_graph(line, self._in_default_graph), 1

        stored = _only(_lines_of_store(store), is_in_document)
        _compare_lines(stored, documents, "store", "documents")
        with published.open_published(self._config.workspace, self._manifest.number) as view:
            count = sum(1 for _ in view.entries())
        return f"{count:,} documents have the quads of the store"


def sparql_counts(store: ReadableStore, base: str) -> QuadCounts:
    """Count the quads of a store by SPARQL, as the description of a dataset counts them."""

    def rows(query: str) -> list[list[str]]:
        found = store.query(query, union=False)
        return [[value or "" for value in row] for row in found if row and row[0] is not None]

    def numbers(query: str) -> dict[str, int]:
        return {row[0]: _integer(row[1]) for row in rows(query)}

    def distinct(pattern: str, variable: str) -> int:
        return _integer(rows(f"SELECT (COUNT(DISTINCT {variable}) AS ?n) {{ {pattern} }}")[0][0])

    links: Counter[tuple[str, str, str]] = Counter()
    predicates = " ".join(term(name) for name in _LINKS.split())
    start = f"<{base}"
    for predicate, subject, value in rows(f"SELECT ?p ?s ?o {{ VALUES ?p {{ {predicates} }} ?s ?p ?o }}"):
        is_inside = subject.startswith(start) and value.startswith(start)
        links["", predicate, subject[len(start) :].partition("/")[0] if is_inside else ""] += 1
    for graph, predicate in rows(f"SELECT ?g ?p {{ VALUES ?p {{ {predicates} }} GRAPH ?g {{ ?s ?p ?o }} }}"):
        links[graph, predicate, ""] += 1
    return QuadCounts(
        classes=numbers(f"SELECT ?c (COUNT(?s) AS ?n) {{ ?s {term('rdf:type')} ?c }} GROUP BY ?c"),
        properties=numbers("SELECT ?p (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?p"),
        subjects=distinct("?s ?p ?o", "?s"),
        objects=distinct("?s ?p ?o", "?o"),
        links=tuple(LinkSet(*key, number) for key, number in sorted(links.items())),
        graphs=numbers("SELECT ?g (COUNT(?s) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"),
        entities=distinct('?s ?p ?o FILTER(!CONTAINS(STR(?s), "#"))', "?s"),
    )


def _integer(value: str) -> int:
    return int(value.split('"')[1])


def _or_nothing(count: int | None) -> str:
    return "none" if count is None else f"{count:,}"


def _compare_lines(one: Lines, other: Lines, name: str, other_name: str) -> None:
    """Raise ``_DifferenceError`` for a line that is not in both: the smallest one of a bucket that differs."""
    sums, others = _Sums(one()), _Sums(other())
    numbers = f"{name}: {sums.count:,} lines, {other_name}: {others.count:,}"
    bucket = next((each for each in range(_BUCKETS) if sums.buckets[each] != others.buckets[each]), None)
    if bucket is None:
        if sums.count != others.count:
            raise _DifferenceError(numbers)
        return
    counts: Counter[bytes] = Counter()
    for lines, sign in ((one, 1), (other, -1)):
        for line, times in lines():
            value = int.from_bytes(hashlib.blake2b(line, digest_size=_HASH_BYTES).digest(), "big")
            if value % _BUCKETS == bucket:
                counts[line] += sign * times
    line = min(line for line, count in counts.items() if count)
    more, less = (name, other_name) if counts[line] > 0 else (other_name, name)
    shown = line.decode("utf-8", "replace")[:_SHOWN]
    raise _DifferenceError(f"{numbers}; only in {more}, not in {less}: {shown}")


def _only(lines: Lines, is_wanted: Callable[[bytes], bool]) -> Lines:
    return lambda: ((line, times) for line, times in lines() if is_wanted(line))


_NAMED = re.compile(rb' <[^<>" ]*> \.$')


def _is_named(line: bytes) -> bool:
    value = line.split(b" ", 2)[2]
    if value.startswith(b'"'):
        closing_quote = value.rindex(b'"')
        return _NAMED.search(value, closing_quote) is not None
    return value.count(b" ") > 1


def _lines_of_store(store: ReadableStore) -> Lines:
    return lambda: ((line.rstrip("\n").encode(), 1) for line in store.quads())


def _read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, which may be compressed; raises ``StageError`` where it is damaged."""
    try:
        with ExitStack() as files:
            content: BinaryIO = files.enter_context(path.open("rb"))
            if path.suffix == ".zst":
                unpacked = zstandard.ZstdDecompressor().stream_reader(content)
                content = files.enter_context(io.BufferedReader(unpacked, _BUFFER_BYTES))
            elif path.suffix == ".gz":
                content = files.enter_context(gzip_ng.open(content, "rb"))  # type: ignore[no-untyped-call]
            yield from (line.removesuffix(b"\n") for line in content)
    except (OSError, EOFError, zstandard.ZstdError) as error:
        raise StageError(f"{path}: cannot be read: {error}; make a release with full dumps again") from error
