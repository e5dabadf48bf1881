"""Publish: a loaded store and the quads it holds in; a release out.

A release is a folder that says everything about itself: dumps, the description of the dataset (VoID), a copy of the
store to serve from, the provenance of the run, and a manifest with the checksum of every file.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from typing import Annotated

import msgspec

from bibld.catalog import digest
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.model.release import DatasetDescription, Figures, Manifest
from bibld.progress import Progress
from bibld.protocols import Store
from bibld.publish._dumps import described, write_dumps
from bibld.publish._provenance import run_quads
from bibld.publish._releases import Releases
from bibld.publish._void import PREFIXES, void_quads

__all__ = ["Contents", "Releases", "Settings", "publish", "settings_digest"]

VERSION = 2


class Settings(msgspec.Struct, frozen=True):
    """``keep``: how many releases stay on disk."""

    keep: Annotated[int, msgspec.Meta(ge=1)] = 2


def settings_digest(dataset: DatasetDescription) -> str:
    """A hash of the version and of what the configuration says about the dataset."""
    return digest(VERSION, dataset)


class Contents(msgspec.Struct, frozen=True):
    """What a release is made of: the dataset as configured, its figures, and all quads in the order of the dump.

    ``parts`` are those of the quads that describe the sources, ``examples`` resource IRIs to try.
    """

    dataset: DatasetDescription
    figures: Figures
    quads: Iterable[str]
    parts: Sequence[str]
    examples: Sequence[str]


def publish(
    store: Store,
    contents: Contents,
    made_by: str,
    clock: datetime,
    releases: Releases,
    settings: Settings,
    progress: Progress,
) -> Manifest:
    """Make the next release from the live store and the quads that it was loaded with; ``clock`` is the run's time."""
    progress.stage("publish", "files")
    iris = Iris(contents.dataset.base)
    number, place = releases.building()
    created = clock.strftime("%Y-%m-%dT%H:%M:%SZ")
    stated = frozenset(contents.parts)
    void = void_quads(store, iris, contents.dataset, contents.figures.sources, contents.examples)
    run = run_quads(iris, number, created, made_by)
    _replace_graphs(store, iris, [*stated, *void, *run])
    count = write_dumps(chain(contents.quads, sorted(void - stated)), place, "bibld")
    (place / "void.ttl").write_bytes(_turtle(sorted(stated | void)))
    (place / "run.nq").write_text("".join(run), encoding="utf-8")
    store.backup(place / "store")
    files = tuple(described(path, place) for path in sorted(place.iterdir()) if path.is_file())
    figures = msgspec.structs.replace(contents.figures, quads=count)
    manifest = Manifest(number, created, made_by, contents.dataset, figures, files)
    (place / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    releases.complete(number, place, settings.keep)
    return manifest


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
