"""Brings a remote store to the quads of the catalog: a first load from files, then patches, then counts.

What was done is committed to the catalog after each step, and every step may be repeated; a delivery that is stopped
is continued by the next. The files of triples, one graph each, are a copy of the catalog's quads at one moment, so that
a load can continue after a new run has changed them."""

from __future__ import annotations

import gzip
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import msgspec

from bibld.catalog import Catalog, Delivery, RemoteState, digest
from bibld.config import Config, Remote
from bibld.errors import StoreError, StoreUnavailableError
from bibld.model.rdf import graph_of
from bibld.progress import Progress, count_items
from bibld.protocols import RemoteStore, Store, TriplesFile

VERSION = 1

MAX_PATCH_SHARE = 0.5
"""A patch of more lines than this share of the quads takes longer than loading all again."""
_GRAPHS_SHOWN = 5
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


Patch = Callable[[], Iterable[tuple[bytes, bool]]]
"""Begins a pass over the lines of a patch, each with whether it is added, or else removed."""


class RemoteContents(msgspec.Struct, frozen=True):
    """What a remote store is to contain.

    ``blocks`` begins a pass over the quads of the catalog; ``release`` are the statements about the release by graph.
    """

    blocks: Callable[[], Iterable[bytes]]
    release: Mapping[str, Sequence[str]]


class Delivered(msgspec.Struct, frozen=True):
    """What was done for a remote store.

    ``loaded`` quads in bulk, ``added`` and ``removed`` ones by patches; ``quads`` it has now, in ``graphs`` by graph.
    ``fault`` is the message of an error; empty if all is well.
    """

    store: str
    url: str
    loaded: int = 0
    added: int = 0
    removed: int = 0
    quads: int = 0
    graphs: dict[str, int] = {}
    seconds: float = 0.0
    fault: str = ""


def consumer_of(name: str) -> str:
    """Return the name of a remote store in the catalog's tables."""
    return f"remote:{name}"


def deliver(
    catalog: Catalog,
    config: Config,
    remote: Remote,
    contents: RemoteContents,
    progress: Progress,
    replace: bool = False,
) -> Delivered:
    """Bring a remote store to the present quads.

    ``replace``: delete the quads of the dataset that it has, whoever loaded them, and load all again. Raises
    ``StoreError``, ``StoreUnavailableError`` where another try may succeed.
    """
    return _RemoteDelivery(catalog, config, remote, progress).run(contents, replace)


def forget_others(catalog: Catalog, config: Config) -> None:
    """Forget stores that had a name in the configuration and are not in it any more; no patches are kept for them."""
    configured = {consumer_of(remote.config.name) for remote in config.remote_stores}
    for consumer in catalog.remote_stores.consumers():
        if consumer not in configured and "/" not in consumer:
            with catalog.commit():
                catalog.remote_stores.forget(consumer)


def apply_patch(
    store: Store | RemoteStore, patch: Patch, progress: Progress, graphs: Counter[str] | None = None
) -> tuple[int, int]:
    """Apply a patch, in which each line occurs once; returns the number of quads added and removed.

    ``graphs`` are the numbers of quads by graph, which are brought up to date.
    """
    counts = {True: 0, False: 0}

    def lines(additions: bool) -> Iterator[str]:
        for line, is_addition in patch():
            if is_addition == additions:
                text = f"{line.decode()}\n"
                if graphs is not None:
                    graphs[(graph_of(text) or "<>")[1:-1]] += 1 if additions else -1
                counts[additions] += 1
                yield text

    store.apply(added=count_items(lines(True), progress), removed=count_items(lines(False), progress))
    return counts[True], counts[False]


class _RemoteDelivery:
    """One delivery to one store."""

    def __init__(self, catalog: Catalog, config: Config, remote: Remote, progress: Progress) -> None:
        self._catalog = catalog
        self._remote = remote.config
        self._workspace = config.workspace
        self._progress = progress
        self._consumer = consumer_of(remote.config.name)
        self._stage = f"store {remote.config.name}"
        self._made_by = digest(VERSION, remote.config.kind, remote.config.url, config.dataset.base)
        self._folder = config.workspace / "remote" / _UNSAFE.sub("-", remote.config.name).strip("-")
        self._store: RemoteStore = remote.open(config.dataset.base)
        self._loaded = self._added = self._removed = 0

    def run(self, contents: RemoteContents, replace: bool) -> Delivered:
        begin = perf_counter()
        self._store.check()
        delivery = self._catalog.patches.delivery(self._consumer)
        state = self._catalog.remote_stores.state(self._consumer)
        if delivery is None or state is None or delivery.made_by != self._made_by or replace:
            state = self._begin_load(contents, replace)
        elif state.is_loading and not read_files(self._folder):
            state = self._begin_load(contents, is_ours=True)
        if state.is_loading:
            state = self._load(state)
        patched = self._apply_patches(state)
        if patched is None:
            self._progress.report(f"{self._stage}: most quads have changed; all are loaded again")
            patched = self._load(self._begin_load(contents, is_ours=True))
        state = self._replace_release(patched, contents.release)
        if not state.is_verified:
            self._verify(state)
        return Delivered(
            self._remote.name,
            self._remote.url,
            self._loaded,
            self._added,
            self._removed,
            sum(state.graphs.values()),
            state.graphs,
            perf_counter() - begin,
        )

    # -- the first load --------------------------------------------------------------------------------------------

    def _begin_load(self, contents: RemoteContents, is_ours: bool) -> RemoteState:
        """Write the files to load; the store must be empty, unless its quads are those of an earlier delivery."""
        if not is_ours:
            counts = self._store.counts()
            if counts:
                names = [graph or "the default graph" for graph in counts]
                named = ", ".join(names[:_GRAPHS_SHOWN])
                more = f" and {len(names) - _GRAPHS_SHOWN} others" if len(names) > _GRAPHS_SHOWN else ""
                raise StoreError(
                    f"{self._remote.url}: has {sum(counts.values()):,} quads already ({named}{more}), and this"
                    " workspace has not loaded them; name an empty store, or add --replace to delete them"
                )
        goal = self._catalog.patches.last()
        self._progress.stage(f"{self._stage}: files", "quads")
        files = write_files(self._folder, contents.blocks(), self._remote.file_quads, self._progress)
        graphs: Counter[str] = Counter()
        for each in files:
            graphs[each.graph] += each.quads
        state = RemoteState(is_loading=True, files=0, graphs=dict(sorted(graphs.items())))
        with self._catalog.commit():
            self._catalog.patches.delivered(self._consumer, goal, graphs.total(), self._made_by)
            self._catalog.remote_stores.set_state(self._consumer, state)
        return state

    def _load(self, state: RemoteState) -> RemoteState:
        files = read_files(self._folder)
        total = sum(each.quads for each in files)
        self._progress.stage(self._stage, "quads", total)
        try:
            if state.files == 0:
                self._store.clear()
            done = sum(each.quads for each in files[: state.files])
            self._progress.advance(done)
            while state.files < len(files):
                group = files[state.files : state.files + self._store.files_at_once]
                self._store.load_files(group)
                state = msgspec.structs.replace(state, files=state.files + len(group))
                self._set_state(state)
                loaded = sum(each.quads for each in group)
                self._loaded += loaded
                self._progress.advance(loaded)
        except StoreUnavailableError as error:
            done = sum(each.quads for each in files[: state.files])
            raise StoreUnavailableError(
                f"{error}; {done:,} of {total:,} quads are loaded, the next run continues from there"
            ) from error
        state = msgspec.structs.replace(state, is_loading=False)
        self._set_state(state)
        shutil.rmtree(self._folder, ignore_errors=True)
        return state

    def _set_state(self, state: RemoteState) -> None:
        with self._catalog.commit():
            self._catalog.remote_stores.set_state(self._consumer, state)

    # -- patches ---------------------------------------------------------------------------------------------------

    def _apply_patches(self, state: RemoteState) -> RemoteState | None:
        """Apply the patches that the store does not have; None where loading all again is less work.

        What an earlier delivery began is completed first: half of it may be in the store already.
        """
        patches = self._catalog.patches
        delivery = patches.delivery(self._consumer)
        assert delivery is not None
        for goal in sorted({delivery.goal, patches.last()} - {delivery.patch}):
            with patches.net(delivery.patch, goal, self._workspace) as net:
                if net.mentioned > MAX_PATCH_SHARE * delivery.quads:
                    return None
                with self._catalog.commit():
                    patches.begin(self._consumer, goal)
                self._progress.stage(self._stage, "changed quads")
                state = self._apply(state, net.lines)
            quads = sum(state.graphs.values())
            with self._catalog.commit():
                patches.delivered(self._consumer, goal, quads, self._made_by)
                self._catalog.remote_stores.set_state(self._consumer, state)
            delivery = Delivery(goal, goal, quads, self._made_by)
        return state

    def _apply(self, state: RemoteState, patch: Patch) -> RemoteState:
        graphs = Counter(state.graphs)
        added, removed = apply_patch(self._store, patch, self._progress, graphs)
        self._added += added
        self._removed += removed
        present = {graph: count for graph, count in sorted(graphs.items()) if count}
        return msgspec.structs.replace(
            state, graphs=present, is_verified=state.is_verified and not added and not removed
        )

    # -- the release, and counts -----------------------------------------------------------------------------------

    def _replace_release(self, state: RemoteState, release: Mapping[str, Sequence[str]]) -> RemoteState:
        """Replace the statements about the release, unless the store has them."""
        lines = {graph: sorted(set(each)) for graph, each in release.items()}
        made_by = digest(lines)
        if state.release == made_by:
            return state
        for graph, each in lines.items():
            self._store.replace(graph, each)
        graphs = dict(sorted({**state.graphs, **{graph: len(each) for graph, each in lines.items()}}.items()))
        state = msgspec.structs.replace(state, graphs=graphs, release=made_by, is_verified=False)
        self._set_state(state)
        return state

    def _verify(self, state: RemoteState) -> None:
        self._progress.report(f"{self._stage}: counting")
        found = self._store.counts()
        wrong = [
            f"{graph or 'the default graph'}: {found.get(graph, 0):,} quads instead of {state.graphs.get(graph, 0):,}"
            for graph in sorted({*found, *state.graphs})
            if found.get(graph, 0) != state.graphs.get(graph, 0)
        ]
        if wrong:
            more = f" and {len(wrong) - _GRAPHS_SHOWN} other graphs" if len(wrong) > _GRAPHS_SHOWN else ""
            raise StoreError(
                f"{self._remote.url}: not all quads arrived, or others were changed there:"
                f" {'; '.join(wrong[:_GRAPHS_SHOWN])}{more};"
                " look into the server's log, then load all again with --replace"
            )
        self._set_state(msgspec.structs.replace(state, is_verified=True))


_LIST = "files.json"
_QUAD = re.compile(
    rb'^(\S+ \S+ (?:<[^>\n]*+>|"(?:[^"\\\n]|\\.)*+"(?:@[\w-]++|\^\^<[^>\n]*+>)?+))(?: <([^>\n]*+)>)? \.$', re.MULTILINE
)
_COMPRESSION = 1


class _Written(msgspec.Struct, frozen=True):
    """A file as the list names it."""

    name: str
    graph: str
    quads: int


def write_files(folder: Path, blocks: Iterable[bytes], file_quads: int, progress: Progress) -> list[TriplesFile]:
    """Write blocks of N-Quads as files with up to ``file_quads`` triples of one graph; the folder is emptied before.

    Raises ``StoreError`` where the folder cannot be written.
    """
    written: list[_Written] = []
    triples: dict[bytes, list[bytes]] = {}

    def write(graph: bytes) -> None:
        lines = triples.pop(graph)
        name = f"{len(written) + 1:06}.nt.gz"
        with gzip.open(folder / name, "wb", compresslevel=_COMPRESSION) as out:
            out.write(b"".join(lines))
        written.append(_Written(name, graph.decode(), len(lines)))
        progress.advance(len(lines))

    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for block in blocks:
            for triple, graph in _QUAD.findall(block):
                triples.setdefault(graph, []).append(b"%s .\n" % triple)
            for graph in [graph for graph, lines in triples.items() if len(lines) >= file_quads]:
                write(graph)
        for graph in list(triples):
            write(graph)
        draft = folder / f"{_LIST}.new"
        draft.write_bytes(msgspec.json.encode(written))
        draft.rename(folder / _LIST)
    except OSError as error:
        raise StoreError(
            f"{folder}: the files for the remote store cannot be written: {error.strerror};"
            " free some space, then run again"
        ) from error
    return read_files(folder)


def read_files(folder: Path) -> list[TriplesFile]:
    """Return the files of a folder in their order; none if they were not all written."""
    try:
        written = msgspec.json.decode((folder / _LIST).read_bytes(), type=list[_Written])
    except (OSError, msgspec.DecodeError):
        return []
    return [TriplesFile(folder / each.name, each.graph, each.quads) for each in written]
