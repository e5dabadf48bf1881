"""Publish: a loaded store and what has changed in it in; a release out.

A release is a folder that says everything about itself: full dumps, the patches that lead from them to the present, the
description of the dataset (VoID), a copy of the store to serve from, the provenance of the run, and a manifest with the
checksum of every file. Full dumps are not written for every release: the others build on those of an earlier one.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, digest
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.model.release import DatasetDescription, Figures, FullDumps, Manifest, ReleaseFile
from bibld.progress import Progress
from bibld.protocols import Store
from bibld.publish._dumps import DUMPS, described
from bibld.publish._provenance import run_quads
from bibld.publish._releases import Releases, writing
from bibld.publish._succession import CONSUMER, Settings, base_of, succeed, write_patch
from bibld.publish._void import PREFIXES, void_quads

__all__ = ["Contents", "Releases", "Settings", "is_current", "publish", "settings_digest"]

VERSION = 3


def settings_digest(dataset: DatasetDescription) -> str:
    """A hash of the version and of what the configuration says about the dataset."""
    return digest(VERSION, dataset)


class Contents(msgspec.Struct, frozen=True):
    """What a release is made of: the dataset as configured, its figures, and all quads in the order of the dump.

    The quads are only gone through for full dumps. ``parts`` are those of them that describe the sources, ``examples``
    resource IRIs to try.
    """

    dataset: DatasetDescription
    figures: Figures
    quads: Iterable[str]
    parts: Sequence[str]
    examples: Sequence[str]


def is_current(catalog: Catalog, releases: Releases, made_by: str) -> bool:
    """Whether the last release was made by the same, under the same suppressions, and has all patches."""
    held = catalog.patches.delivery(CONSUMER)
    return (
        held is not None
        and held.made_by == made_by
        and held.patch == held.goal == catalog.patches.last()
        and releases.current() is not None
        and not catalog.suppressions.has_changes()
    )


def publish(
    catalog: Catalog,
    store: Store,
    contents: Contents,
    made_by: str,
    clock: datetime,
    releases: Releases,
    settings: Settings,
    progress: Progress,
) -> Manifest:
    """Make the next release from the live store and the patches since the last one; ``clock`` is the run's time.

    Where something must not be published any more, it has full dumps and no patch, and all earlier releases go.
    Raises ``StageError``.
    """
    progress.stage("publish", "files")
    with writing(releases.folder):
        iris = Iris(contents.dataset.base)
        base = base_of(catalog, releases)
        goal = catalog.patches.last()
        number, place = releases.building()
        created = clock.strftime("%Y-%m-%dT%H:%M:%SZ")
        stated = frozenset(contents.parts)
        description = stated | void_quads(store, iris, contents.dataset, contents.figures.sources, contents.examples)
        run = run_quads(iris, number, created, made_by)
        patch = write_patch(catalog, base, goal, description, number, place) if base is not None else None
        every = chain(contents.quads, sorted(description - stated))
        dumps = succeed(base, FullDumps(number, created, DUMPS), patch, every, place, settings)
        (place / "void.ttl").write_bytes(_turtle(sorted(description)))
        (place / "run.nq").write_text("".join(run), encoding="utf-8")
        _replace_graphs(store, iris, [*description, *run])
        store.backup(place / "store")
        figures = msgspec.structs.replace(contents.figures, quads=dumps.quads)
        files = _files(place, dumps.carried)
        manifest = Manifest(number, created, made_by, contents.dataset, figures, files, dumps.full, dumps.patches, goal)
        (place / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        with catalog.commit():
            catalog.patches.begin(CONSUMER, goal)
        releases.complete(number, place, settings.keep)
        if catalog.suppressions.has_new():
            releases.withdraw_before(number)
        with catalog.commit():
            catalog.suppressions.mark_released()
            catalog.patches.delivered(CONSUMER, goal, dumps.quads, made_by)
        return manifest


def _files(place: Path, carried: Iterable[ReleaseFile]) -> tuple[ReleaseFile, ...]:
    """All files of a release, in the order of their names; those that are carried over are not read again."""
    known = {file.name: file for file in carried}
    paths = [path for path in sorted(place.iterdir()) if path.is_file()]
    return tuple(known.get(path.name) or described(path, place) for path in paths)


def _replace_graphs(store: Store, iris: Iris, lines: Sequence[str]) -> None:
    """Put the description and the run into the store, instead of those of an earlier release."""
    removed: list[str] = []
    for name in ("dataset", "run"):
        graph = iri(iris.graph(name))
        rows = store.query(f"SELECT ?s ?p ?o {{ GRAPH {graph} {{ ?s ?p ?o }} }}")
        removed.extend(f"{s} {p} {o} {graph} .\n" for s, p, o in rows)
    store.apply(added=lines, removed=removed)


def _turtle(lines: Iterable[str]) -> bytes:
    import pyoxigraph

    quads = pyoxigraph.parse("".join(lines).encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    out = io.BytesIO()
    triples = (quad.triple for quad in quads)
    pyoxigraph.serialize(triples, out, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES)
    return out.getvalue()
