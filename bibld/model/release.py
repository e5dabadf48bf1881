"""The content of ``manifest.json``, the description of a release, and the files that releases share."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file to two folders; it is copied where the file system has no hard links. Raises ``OSError``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


class ReleaseFile(msgspec.Struct, frozen=True):
    """One file of a release; ``name`` is relative to its folder."""

    name: str
    bytes: int
    sha256: str
    media_type: str


class SourceFigures(msgspec.Struct, frozen=True):
    """What became of the records of one source in its last load: read = converted + superseded + rejected + deleted.

    ``records`` is the number of its live records, also those of earlier loads. ``catalogue_url``, ``address``,
    ``opening`` and ``contact`` are those of the source's configuration.
    """

    source: str
    label: dict[str, str]
    license: str
    read: int
    converted: int
    superseded: int
    rejected: int
    deleted: int = 0
    records: int = 0
    isil: str = ""
    catalogue_url: str = ""
    address: dict[str, str] = {}
    opening: dict[str, str] = {}
    contact: str = ""


class Figures(msgspec.Struct, frozen=True):
    """The counts of a release.

    ``deleted`` is the number of records that were deleted and whose IRIs have tombstones.
    """

    sources: tuple[SourceFigures, ...]
    records: int
    clusters: int
    merged_clusters: int
    links: int
    quads: int
    entities: int
    deleted: int = 0


class LinkSet(msgspec.Struct, frozen=True, order=True):
    """How many ``links`` with one predicate are in one graph; terms are in N-Triples.

    ``graph`` is empty for the default graph. ``kind`` is the first part of the path of the subjects, such as
    ``resource``, where the links lead from one IRI of this dataset to another; otherwise empty.
    """

    graph: str
    predicate: str
    kind: str
    links: int


class QuadCounts(msgspec.Struct, frozen=True):
    """Counts of the quads of a dataset, for its description in VoID; terms are in N-Triples.

    In the default graph: ``classes`` and ``properties`` with the number of their triples, the number of different
    ``subjects`` and ``objects``, and of subjects whose IRI has no fragment (``entities``). ``links`` are the link sets,
    sorted, ``graphs`` the number of quads in each named graph. ``in_default_graph``: the one of these that the store
    has in its default graph; its triples are counted there, too.
    """

    classes: dict[str, int]
    properties: dict[str, int]
    subjects: int
    objects: int
    links: tuple[LinkSet, ...]
    graphs: dict[str, int] = {}
    entities: int = 0
    in_default_graph: str = ""

    @property
    def default_graph(self) -> int:
        """The number of triples in the default graph."""
        return sum(self.properties.values())

    def quads_without(self, graph: str) -> int:
        """Return the number of all quads but those of one named graph."""
        others = {graph, self.in_default_graph}
        return self.default_graph + sum(count for name, count in self.graphs.items() if name not in others)


class DatasetDescription(msgspec.Struct, frozen=True):
    """The description of the dataset in the configuration.

    ``isil``: the code of the organisation that makes it, which MARC records made of merged descriptions have in 003.
    """

    base: str
    title: dict[str, str]
    license: str
    publisher: str
    description: dict[str, str] = {}
    isil: str = ""


class FullDumps(msgspec.Struct, frozen=True):
    """The full dumps that a release builds on.

    They belong to the release ``release``, which was made at ``created`` (ISO 8601, UTC). ``files`` are the names of
    the files, those with all quads (``.nq.``) and those of the default graph alone; ``quads`` and ``triples`` are how
    many lines these have (0: there are none, or an earlier version of bibld wrote them).
    """

    release: int
    created: str
    files: tuple[str, ...]
    quads: int = 0
    triples: int = 0


class PatchDumps(msgspec.Struct, frozen=True):
    """The changes from one release (``since``) to another (``release``): the names of two files of quads.

    No quad is in both files. The later release is the earlier one without the removed quads, with the added ones.
    ``created`` is the time when the later one was made (empty: not known).
    """

    release: int
    since: int
    added: str
    removed: str
    added_quads: int
    removed_quads: int
    created: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """A release: its number (from 1), the time when it was made (ISO 8601, UTC), its description and its content.

    Its quads are those of the full dumps, changed by the patches of ``since_full``; all of these are among its files.
    ``delivered`` is the patch of the catalog up to which it has them; ``backend`` is the adapter that made the copy of
    the store, which has the quads of the graph ``in_default_graph`` (a term; empty: none) in its default graph.
    ``counts`` are those of the description, from which the next release counts on (None: it has no description).
    """

    number: int
    created: str
    made_by: str
    dataset: DatasetDescription
    figures: Figures
    files: tuple[ReleaseFile, ...]
    full: FullDumps | None = None
    patches: tuple[PatchDumps, ...] = ()
    delivered: int = 0
    backend: str = "oxigraph"
    in_default_graph: str = ""
    counts: QuadCounts | None = None

    @property
    def since_full(self) -> tuple[PatchDumps, ...]:
        """The patches that lead from the full dumps to this release, in their order."""
        return tuple(patch for patch in self.patches if self.full is not None and patch.release > self.full.release)

    def file(self, name: str) -> ReleaseFile | None:
        """Return the file with this name."""
        return next((file for file in self.files if file.name == name), None)
