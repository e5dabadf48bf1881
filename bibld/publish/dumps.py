"""Dumps: the quads of a release as compressed files, in full or as patches to the full dumps of an earlier release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec
import pyoxigraph

from bibld.errors import StageError
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, split_graphs, term, typed_literal
from bibld.model.release import FullDumps, Manifest, PatchDumps, link_or_copy
from bibld.protocols import PreviousRelease, ReleaseDraft
from bibld.publish._files import RUN_FILE, add_run_statements, has_all_graphs, number, open_dump

NEEDS: tuple[str, ...] = ("void", "run")


Format = Literal["nq.gz", "nq.zst", "nt.gz", "nt.zst"]
"""Of a full dump: all quads (N-Quads) or the default graph alone (N-Triples), compressed with gzip or with zstd."""


class Settings(msgspec.Struct, frozen=True):
    """The keys of ``[publish]`` that begin with ``full`` set when full dumps are written.

    ``formats``: what they are written as, a file each: all quads (``nq.gz``, ``nq.zst``), at least once, or the default
    graph alone (``nt.gz``, ``nt.zst``). What is compressed with zstd is unpacked several times faster.
    """

    formats: tuple[Format, ...] = ("nq.gz",)

    def __post_init__(self) -> None:
        """Check that all quads are written."""
        if not any(map(has_all_graphs, self.files)):
            raise ValueError('formats must contain "nq.gz" or "nq.zst", which have all quads')

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(f"bibld.{form}" for form in self.formats)

    def files_of_part(self, part: int) -> tuple[str, ...]:
        """Return the names of the files of one part, where dumps consist of parts."""
        return tuple(f"bibld-{part:05}.{form}" for form in self.formats)


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the patch from the previous release; then full dumps where they are due, else link the earlier ones."""
    manifest, previous = draft.manifest, draft.previous
    patch = None if previous is None else write_patch(draft, previous)
    patches: tuple[PatchDumps, ...] = () if patch is None else (patch,)
    if previous is None or patch is None or is_full_dump_due(draft, settings, previous, patch):
        added = "".join(sorted(draft.description - draft.source_statements)).encode()
        quads, triples = write_full_dumps(chain(draft.blocks(), [added]), draft.folder, settings)
        full = FullDumps(manifest.number, manifest.created, settings.files, quads, triples)
    else:
        assert previous.manifest.full is not None
        full = previous.manifest.full
        patches = (*previous.manifest.since_full, patch)
        quads = _quads_in_dumps(previous.manifest) + patch.added_quads - patch.removed_quads
        for name in _files_of_dumps(previous.manifest):
            link_or_copy(previous.folder / name, draft.folder / name)
    figures = msgspec.structs.replace(manifest.figures, quads=quads)
    manifest = msgspec.structs.replace(manifest, figures=figures, full=full, patches=patches)
    return add_run_statements(msgspec.structs.replace(draft, manifest=manifest), describe_dumps(manifest))


def write_full_dumps(blocks: Iterable[bytes], folder: Path, settings: Settings) -> tuple[int, int]:
    """Write all quads in the order given; return their number, and that of those that were written without the others.

    In each block the lines of the default graph come first.
    """
    quads = triples = 0
    with ExitStack() as files:
        dumps = {name: files.enter_context(open_dump(folder / name)) for name in settings.files}
        all_graphs = [dump for name, dump in dumps.items() if has_all_graphs(name)]
        default_graph = [dump for name, dump in dumps.items() if not has_all_graphs(name)]
        for block in blocks:
            quads += block.count(b"\n")
            for file in all_graphs:
                file.write(block)
            if default_graph:
                default, _ = split_graphs(block)
                triples += default.count(b"\n")
                for file in default_graph:
                    file.write(default)
    return quads, triples


def write_patch(draft: ReleaseDraft, previous: PreviousRelease) -> PatchDumps:
    """Write what has changed since the previous release, in the catalog and in the description of the dataset.

    The files are ``added-N.nq.gz`` and ``removed-N.nq.gz``, sorted, so that the bytes depend on the quads alone.
    """
    release = draft.manifest.number
    added_name, removed_name = f"added-{release}.nq.gz", f"removed-{release}.nq.gz"
    described = description_changes(draft, previous)
    added_quads = removed_quads = 0
    with (
        draft.changes() as changes,
        open_dump(draft.folder / removed_name) as removed,
        open_dump(draft.folder / added_name) as added,
    ):
        for line, is_added in merge(changes, described):
            (added if is_added else removed).write(line + b"\n")
            added_quads += is_added
            removed_quads += not is_added
    return PatchDumps(
        release, previous.manifest.number, added_name, removed_name, added_quads, removed_quads, draft.manifest.created
    )


def description_changes(draft: ReleaseDraft, previous: PreviousRelease) -> list[tuple[bytes, bool]]:
    """Return the lines of the description of the dataset that were added (True) or removed (False), sorted."""
    before = _read_description(previous)
    return sorted((line.rstrip("\n").encode(), line in draft.description) for line in before ^ draft.description)


def is_full_dump_due(draft: ReleaseDraft, settings: Settings, previous: PreviousRelease, patch: PatchDumps) -> bool:
    """Return whether the full dumps of an earlier release are missing, too old, or too far from the present."""
    full = previous.manifest.full
    if draft.settings.full == "always" or full is None or full.files != settings.files:
        return True
    if not all((previous.folder / name).is_file() for name in _files_of_dumps(previous.manifest)):
        return True
    age = datetime.fromisoformat(draft.manifest.created) - datetime.fromisoformat(full.created)
    if age >= timedelta(days=draft.settings.full_after_days):
        return True
    changed = sum(each.added_quads + each.removed_quads for each in (*previous.manifest.since_full, patch))
    return bool(changed > draft.settings.full_above * previous.manifest.figures.quads)


def describe_dumps(manifest: Manifest) -> tuple[str, ...]:
    """Return the lines, in the graph ``run``, that state which full dump and which patches make the release.

    The figures and dates of a dump are its own. ``dcterms:requires`` leads from the dataset to the last
    patch, and from each patch to what it is applied to.
    """
    full = manifest.full
    if full is None:
        return ()
    iris = Iris(manifest.dataset.base)
    dataset, graph, license_iri = iri(iris.dataset), iri(iris.graph("run")), iri(manifest.dataset.license)
    lines: list[str] = []

    def node(name: str) -> str:
        return iri(f"{iris.dataset}#{name}")

    def add(subject: str, *statements: tuple[str, str]) -> None:
        lines.extend(quad(subject, term(predicate), value, graph) for predicate, value in statements)

    def add_dataset(subject: str, titles: tuple[str, str], quads: int | None, files: Sequence[str]) -> None:
        add(subject, ("rdf:type", term("void:Dataset")), ("dcterms:license", license_iri))
        add(subject, *(("dcterms:title", literal(text, tag)) for text, tag in zip(titles, ("en", "ru"), strict=True)))
        add(subject, *(("void:dataDump", iri(f"{iris.base}dumps/{file}")) for file in files))
        if quads is not None:
            add(subject, ("void:triples", number(quads)))

    release, part = node(f"release-{full.release}"), node(f"release-{full.release}-default-graph")
    titles = (f"Release {full.release}, full dumps", f"Выпуск {full.release}, полные выгрузки")
    add_dataset(release, titles, full.quads or None, [name for name in full.files if has_all_graphs(name)])
    add(release, ("dcterms:issued", typed_literal(full.created, "dateTime")))
    add(release, ("dcterms:isVersionOf", dataset), ("owl:versionInfo", literal(str(full.release))))
    default_graph = [name for name in full.files if not has_all_graphs(name)]
    if default_graph:
        add(release, ("void:subset", part))
        titles = (f"Release {full.release}, default graph", f"Выпуск {full.release}, граф по умолчанию")
        add_dataset(part, titles, full.triples if full.quads else None, default_graph)
    if full.release == manifest.number:
        files = [*(name for name in full.files if has_all_graphs(name)), RUN_FILE]
        add(dataset, *(("void:dataDump", iri(f"{iris.base}dumps/{name}")) for name in files))
    add(dataset, ("dcterms:hasVersion", release))
    required = release
    for patch in manifest.since_full:
        subject, added, removed = (node(f"{name}-{patch.release}") for name in ("patch", "added", "removed"))
        title = f"Changes from release {patch.since} to release {patch.release}"
        add(subject, ("rdf:type", term("prov:Entity")), ("dcterms:title", literal(title, "en")))
        add(subject, ("dcterms:title", literal(f"Изменения от выпуска {patch.since} к выпуску {patch.release}", "ru")))
        add(subject, ("dcterms:requires", required), ("owl:versionInfo", literal(str(patch.release))))
        add(subject, ("dcterms:hasPart", removed), ("dcterms:hasPart", added))
        if patch.created:
            add(subject, ("dcterms:issued", typed_literal(patch.created, "dateTime")))
        titles = (f"Statements removed in release {patch.release}", f"Утверждения, удалённые в выпуске {patch.release}")
        add_dataset(removed, titles, patch.removed_quads, [patch.removed])
        titles = (f"Statements added in release {patch.release}", f"Утверждения, добавленные в выпуске {patch.release}")
        add_dataset(added, titles, patch.added_quads, [patch.added])
        required = subject
    add(dataset, ("dcterms:requires", required))
    return tuple(lines)


def _quads_in_dumps(manifest: Manifest) -> int:
    """Return how many quads the full dumps have when all patches are applied: all of the release but those of its run.

    Earlier versions of bibld did not note the number of the full dumps; their figures did not count the run.
    """
    full = manifest.full
    if full is None or not full.quads:
        return manifest.figures.quads
    return full.quads + sum(patch.added_quads - patch.removed_quads for patch in manifest.since_full)


def _files_of_dumps(manifest: Manifest) -> tuple[str, ...]:
    """Return the names of the files that together contain the quads of a release."""
    full = manifest.full.files if manifest.full is not None else ()
    return (*full, *(name for patch in manifest.since_full for name in (patch.removed, patch.added)))


def _read_description(previous: PreviousRelease) -> frozenset[str]:
    """Return the lines that describe the dataset in the previous release; none if it has no description.

    ``void.ttl`` also has the statements about the run, which no dump contains.
    """
    file, run = previous.folder / "void.ttl", previous.folder / RUN_FILE
    if previous.manifest.file(file.name) is None:
        return frozenset()
    graph = iri(Iris(previous.manifest.dataset.base).graph("dataset"))
    try:
        about_run = set()
        if previous.manifest.file(run.name) is not None:
            about_run = {each.triple for each in pyoxigraph.parse(path=str(run), format=pyoxigraph.RdfFormat.N_QUADS)}
        quads = list(pyoxigraph.parse(path=str(file), format=pyoxigraph.RdfFormat.TURTLE))
    except (OSError, SyntaxError) as error:
        raise StageError(f"{file}: cannot be read: {error}; remove this release, then run again") from error
    return frozenset(f"{each.triple} {graph} .\n" for each in quads if each.triple not in about_run)
