"""What is published, and the parts of a release, each written as soon as the parts that it needs are written.

Parts that state ``IN_OWN_PROCESS`` are written in separate processes, side by side with the others, which are written
one after the other in this process. Each part gets the same draft, however long the others take.

A release whose dumps consist of parts, which an engine on many machines has written, has the same small files: the
parts ``void``, ``run``, ``feed`` and ``dcat``. Where ``[publish] parts`` has ``dumps``, it always has full dumps, and
the patch from the release before. What needs a store, a catalog or documents is left to the machine that serves it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.documents import Change
from bibld.errors import BibldError, StageError
from bibld.model.iris import Iris
from bibld.model.linkage import Merged
from bibld.model.release import Figures, FullDumps, Manifest, PatchDumps, QuadCounts, ReleaseFile
from bibld.parallel import call_in_process, rare_cycle_search, worker_count
from bibld.protocols import PreviousRelease, ReleaseDraft, Store, adapters
from bibld.publish._files import add_run_statements, describe_files
from bibld.publish._works import WorkReader
from bibld.publish.dumps import describe_dumps
from bibld.publish.feed import write_changes

Occurrences = Callable[[str, str, int], int]
UpdateCounts = Callable[[QuadCounts, Iterable[tuple[bytes, bool]], Occurrences], QuadCounts]


class Contents(msgspec.Struct, frozen=True):
    """What is published: the figures, and all quads in the order of the dump (each call of ``blocks`` begins again).

    A block is some lines, those of the default graph first; ``counts`` counts all of them. Both read a catalog, and are
    functions that other processes can import, or partial ones of such. So is ``match_index``, which writes the index
    that files are matched with. ``update_counts`` returns the counts that follow from those of the previous release,
    the changed lines, and in how many triples of the live store a term is ``subject`` or ``object``, up to a limit.
    ``made_by`` is the digest of the settings and sources, ``source_statements`` are the quads that describe the
    sources, ``examples`` resource IRIs to try.
    ``withdrawn`` are the lines about records that must not be published.
    """

    made_by: str
    figures: Figures
    blocks: Callable[[Catalog], Iterable[bytes]]
    counts: Callable[[Catalog], QuadCounts]
    update_counts: UpdateCounts
    match_index: Callable[[Catalog, Path], None]
    source_statements: Sequence[str]
    examples: Sequence[str]
    withdrawn: Sequence[str] = ()


class PartitionedContents(msgspec.Struct, frozen=True):
    """What a release consists of, as far as it is known before its dumps are written.

    ``counts`` are those of all quads but the description of the dataset, ``source_statements`` the lines about the
    sources, which are among these quads; ``examples`` are resource IRIs to try. ``withdraws``: there is no previous
    release because the one before contains what must not be published any more.
    """

    number: int
    made_by: str
    figures: Figures
    counts: QuadCounts
    source_statements: Sequence[str]
    examples: Sequence[str] = ()
    delivered: int = 0
    withdraws: bool = False


_MAX_COUNTED_CHANGES, _MAX_COUNTED_LINES = 0.02, 2_000_000
"""More changes, as a share of the quads or in lines, are not worth the time or the memory: all quads are counted."""

WORTH_PROCESSES = 5_000
"""Records; all parts of a smaller release are written in this process, since starting others takes as long."""

OpenStore = Callable[[], AbstractContextManager[Store]]

_Write = Callable[[str, ReleaseDraft], ReleaseDraft]


# -- what a draft reads ----------------------------------------------------------------------------------------------


def begin_draft(
    config: Config,
    folder: Path,
    run_time: datetime,
    contents: Contents | PartitionedContents,
    number: int,
    delivered: int,
    previous: PreviousRelease | None,
) -> ReleaseDraft:
    """Return the draft of the release ``number`` in an empty folder; it has no quads yet.

    ``delivered`` is the last patch of the catalog, or the run of another engine, that the release has.
    """
    manifest = Manifest(
        number=number,
        created=run_time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        made_by=contents.made_by,
        dataset=config.dataset,
        figures=contents.figures,
        files=(),
        delivered=delivered,
        backend=config.store.backend,
        in_default_graph=config.graph_in_default,
    )
    return ReleaseDraft(
        manifest=manifest,
        folder=folder,
        previous=previous,
        **_UNBOUND,
        examples=tuple(contents.examples),
        settings=config.publish,
        source_statements=frozenset(contents.source_statements),
        description=frozenset(contents.source_statements),
    )


def bind_draft(
    draft: ReleaseDraft, contents: Contents, catalog: Catalog, goal: int, open_store: OpenStore
) -> ReleaseDraft:
    """Return the draft with what it reads: from a catalog, and from the live store; ``goal`` is its last patch."""
    reader = WorkReader(catalog, Iris(draft.manifest.dataset.base))
    return msgspec.structs.replace(
        draft,
        open_store=open_store,
        blocks=partial(contents.blocks, catalog),
        counts=lambda: _counts(draft, contents, catalog, goal, open_store),
        changes=lambda: _open_changes(catalog, goal, draft.previous, draft.folder),
        merged=lambda: _merged(catalog, Iris(draft.manifest.dataset.base)),
        works=reader.works,
        work_of=reader.work_of,
        match_index=partial(contents.match_index, catalog),
    )


@contextmanager
def _open_changes(
    catalog: Catalog, goal: int, previous: PreviousRelease | None, folder: Path
) -> Iterator[Iterator[tuple[bytes, bool]]]:
    after = previous.manifest.delivered if previous is not None else goal
    with catalog.patches.net(after, goal, folder) as net:
        yield net.lines()


def _counts(draft: ReleaseDraft, contents: Contents, catalog: Catalog, goal: int, open_store: OpenStore) -> QuadCounts:
    """Count all quads, or what changed in them since a previous release that is much the same."""
    previous = draft.previous
    before = previous.manifest.counts if previous is not None else None
    if previous is None or before is None or before.in_default_graph != draft.manifest.in_default_graph:
        return contents.counts(catalog)
    with catalog.patches.net(previous.manifest.delivered, goal, draft.folder) as net:
        if net.mentioned > min(_MAX_COUNTED_CHANGES * previous.manifest.figures.quads, _MAX_COUNTED_LINES):
            return contents.counts(catalog)
        with open_store() as live:
            return contents.update_counts(before, net.lines(), partial(_occurrences, live))


def _occurrences(store: Store, term: str, place: str, limit: int) -> int:
    pattern = f"{term} ?a ?b" if place == "subject" else f"?a ?b {term}"
    return len(store.query(f"SELECT * {{ {pattern} }} LIMIT {limit}", union=False))


def _merged(catalog: Catalog, iris: Iris) -> Iterator[tuple[str, Merged]]:
    """Yield the description of each cluster, without suppressed values."""
    for founder in catalog.linkage.founders():
        merged = catalog.descriptions.merged(founder)
        yield iris.resource(merged.cluster.founder), merged


def refuse_store() -> NoReturn:
    """Stand for the live store in a process that cannot open it."""
    raise StageError(
        "the live store cannot be used in a separate process; remove IN_OWN_PROCESS from the adapter of this part"
    )


def _not_bound(*_arguments: object) -> Any:  # noqa: ANN401
    raise AssertionError("bind_draft() has not been called")


_UNBOUND: Mapping[str, Any] = {
    "open_store": refuse_store,
    "blocks": _not_bound,
    "counts": _not_bound,
    "changes": _not_bound,
    "merged": _not_bound,
    "works": _not_bound,
    "work_of": _not_bound,
    "match_index": _not_bound,
}
"""Fields of a draft without what it reads, so that it can be sent to another process."""


# -- one part --------------------------------------------------------------------------------------------------------


def write_part(name: str, draft: ReleaseDraft, settings: Any) -> ReleaseDraft:  # noqa: ANN401
    """Write one part; raises ``BibldError``, which names the part where its adapter failed, and ``OSError``."""
    try:
        written: ReleaseDraft = adapters.load_adapter("publish", name).write(draft, settings)
        return written
    except (BibldError, OSError):
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise StageError(
            f'part "{name}" of the release failed: {cause}; report this to its authors, or remove it from [publish]'
            " parts, unless the store adapter is the cause"
        ) from error


def _write_from_catalog(name: str, draft: ReleaseDraft, settings: Any, contents: Contents, goal: int) -> None:  # noqa: ANN401
    with rare_cycle_search(), Catalog(draft.workspace, read_only=True) as catalog:
        write_part(name, bind_draft(draft, contents, catalog, goal, refuse_store), settings)


# -- all parts -------------------------------------------------------------------------------------------------------


def write_parts(
    draft: ReleaseDraft, names: Iterable[str], config: Config, contents: Contents, goal: int
) -> ReleaseDraft:
    """Write parts, and return the draft as the last of those written in this process returns it.

    A part that fails ends the others. Raises what :func:`write_part` raises.
    """
    parts = {name: adapters.load_adapter("publish", name) for name in names}
    needs = needed_parts({name: getattr(part, "NEEDS", None) for name, part in parts.items()})
    beside = [name for name, part in parts.items() if getattr(part, "IN_OWN_PROCESS", False)]
    stopped = threading.Event()

    def write_here(name: str, given: ReleaseDraft) -> ReleaseDraft:
        return write_part(name, given, config.settings("publish", name))

    def write_in_process(name: str, given: ReleaseDraft) -> ReleaseDraft:
        arguments = (name, msgspec.structs.replace(given, **_UNBOUND), config.settings("publish", name), contents, goal)
        purpose = f'write part "{name}" of the release'
        call_in_process(_write_from_catalog, arguments, purpose, [__name__], stopped)
        return given

    workers = worker_count(config.workers)
    if workers == 1 or contents.figures.records < WORTH_PROCESSES:
        for name in parts:
            returned = write_here(name, draft)
            draft = draft if name in beside else returned
        return draft
    writing = _Writing(draft, needs, beside)
    with ThreadPoolExecutor(max(len(beside), 1)) as threads:
        slots = threading.Semaphore(workers)
        try:
            for name in beside:
                threads.submit(writing.write_beside, name, write_in_process, slots)
            return writing.write_others(write_here)
        except BaseException:
            stopped.set()
            raise
        finally:
            writing.cancel()


def needed_parts(stated: Mapping[str, Iterable[str] | None]) -> dict[str, set[str]]:
    """Return what each part has to wait for, from what it states that it needs, in the order of the configuration.

    A part can only need those before it. One that states nothing needs all before it, and all after it need it.
    """
    needs: dict[str, set[str]] = {}
    for name, needed in stated.items():
        silent = {earlier for earlier in needs if stated[earlier] is None}
        needs[name] = set(needs) if needed is None else silent | (needs.keys() & set(needed))
    return needs


class _Writing:
    """The parts of one release: futures of the drafts as they are after each of them."""

    def __init__(self, draft: ReleaseDraft, needs: Mapping[str, set[str]], beside: Iterable[str]) -> None:
        self._draft = draft
        self._needs = needs
        self._beside = list(beside)
        self._others = [name for name in needs if name not in self._beside]
        self._written: dict[str, Future[ReleaseDraft]] = {name: Future() for name in needs}

    def write_beside(self, name: str, write: _Write, slots: threading.Semaphore) -> None:
        """Write a part when those that it needs are written, with the draft as the last of them returned it."""
        written = self._written[name]
        try:
            drafts = {needed: self._written[needed].result() for needed in self._needs[name]}
            last = next((other for other in reversed(self._others) if other in drafts), None)
            with slots:
                draft = write(name, self._draft if last is None else drafts[last])
            written.set_result(draft)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits for the part
            if not written.cancelled():
                written.set_exception(error)

    def write_others(self, write: _Write) -> ReleaseDraft:
        """Write the parts that are written here, in their order; then wait for those that are written beside them."""
        draft = self._draft
        for name in self._others:
            for needed in self._needs[name]:
                self._written[needed].result()
            draft = write(name, draft)
            self._written[name].set_result(draft)
            for written in (self._written[beside] for beside in self._beside):
                if written.done():
                    written.result()  # raises what made it fail
        for name in self._beside:
            self._written[name].result()
        return draft

    def cancel(self) -> None:
        """Let nobody wait for parts that are not written any more."""
        for written in self._written.values():
            written.cancel()


def begin_partitioned(
    config: Config,
    folder: Path,
    run_time: datetime,
    contents: PartitionedContents,
    previous: PreviousRelease | None,
) -> ReleaseDraft:
    """Describe the dataset and the run, and write both into an empty folder of this machine.

    ``draft.description`` are then all lines of the graph ``dataset``; ``draft.source_statements`` are already among
    the quads, the others have to be added to the dumps. Raises ``StageError``.
    """
    draft = begin_draft(config, folder, run_time, contents, contents.number, contents.delivered, previous)
    draft = msgspec.structs.replace(draft, withdraws=contents.withdraws, counts=lambda: contents.counts)
    for name in ("void", "run"):
        if name in config.publish.parts:
            draft = write_part(name, draft, config.settings("publish", name))
    return draft


def add_dumps(draft: ReleaseDraft, full: FullDumps, patch: PatchDumps | None) -> ReleaseDraft:
    """State which files the dumps consist of, in the graph ``run`` and in the manifest."""
    figures = msgspec.structs.replace(draft.manifest.figures, quads=full.quads)
    patches = () if patch is None else (patch,)
    manifest = msgspec.structs.replace(draft.manifest, figures=figures, full=full, patches=patches)
    return add_run_statements(msgspec.structs.replace(draft, manifest=manifest), describe_dumps(manifest))


def write_feed(draft: ReleaseDraft, config: Config, changes: Iterable[Change] | None) -> ReleaseDraft:
    """Write the change feed, if the release has one; ``changes`` is None where they are not known."""
    if "feed" in config.publish.parts:
        write_changes(draft, config.settings("publish", "feed"), changes)
    return draft


def complete_partitioned(draft: ReleaseDraft, config: Config, parts: Iterable[ReleaseFile]) -> Manifest:
    """Describe the files of the release in DCAT and in ``manifest.json``; ``parts`` are those that are elsewhere."""
    quads = draft.manifest.figures.quads + len(draft.run_statements)
    return complete_draft(draft, {"dcat"} & set(config.publish.parts), config, quads, parts)


def complete_draft(
    draft: ReleaseDraft, last: Iterable[str], config: Config, quads: int, elsewhere: Iterable[ReleaseFile] = ()
) -> Manifest:
    """Write the parts that describe the files of the release, then ``manifest.json``, and return what that states.

    ``last`` are the names of these parts, ``quads`` is the number of quads of the release, ``elsewhere`` are its files
    that are not in the folder.
    """
    figures = msgspec.structs.replace(draft.manifest.figures, quads=quads)
    files = describe_files(draft.folder, draft.previous, elsewhere)
    manifest = msgspec.structs.replace(draft.manifest, figures=figures, files=files)
    for name in last:
        draft = msgspec.structs.replace(draft, manifest=manifest)
        draft = write_part(name, draft, config.settings("publish", name))
        files = describe_files(draft.folder, draft.previous, manifest.files)
        manifest = msgspec.structs.replace(draft.manifest, files=files)
    (draft.folder / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest
