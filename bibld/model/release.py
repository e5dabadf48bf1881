"""The content of ``manifest.json``, the description of a release."""

from __future__ import annotations

import msgspec


class ReleaseFile(msgspec.Struct, frozen=True):
    """One file of a release; ``name`` is relative to its folder."""

    name: str
    bytes: int
    sha256: str
    media_type: str


class SourceFigures(msgspec.Struct, frozen=True):
    """What became of the records of one source in its last load: read = converted + superseded + rejected + deleted.

    ``records`` is the number of its live records, also those of earlier loads.
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


class Figures(msgspec.Struct, frozen=True):
    """The counts of a release."""

    sources: tuple[SourceFigures, ...]
    records: int
    clusters: int
    merged_clusters: int
    links: int
    quads: int
    entities: int


class QuadCounts(msgspec.Struct, frozen=True):
    """Counts of the quads of a dataset, for its description in VoID; terms are in N-Triples.

    In the default graph: ``classes`` and ``properties`` with the number of their triples, the number of different
    ``subjects`` and ``objects``. ``same_as`` is the number of ``owl:sameAs`` links in each named graph that has some.
    """

    classes: dict[str, int]
    properties: dict[str, int]
    subjects: int
    objects: int
    same_as: dict[str, int]


class DatasetDescription(msgspec.Struct, frozen=True):
    """The description of the dataset in the configuration."""

    base: str
    title: dict[str, str]
    license: str
    publisher: str
    description: dict[str, str] = {}


class FullDumps(msgspec.Struct, frozen=True):
    """The full dumps that a release builds on.

    They belong to the release ``release``, which was made at ``created`` (ISO 8601, UTC). ``files`` are the names of
    the files: all quads, compressed with gzip and with zstd, and the default graph alone.
    """

    release: int
    created: str
    files: tuple[str, ...]


class PatchDumps(msgspec.Struct, frozen=True):
    """The changes from one release (``since``) to another (``release``): the names of two files of quads.

    No quad is in both files. The later release is the earlier one without the removed quads, with the added ones.
    """

    release: int
    since: int
    added: str
    removed: str
    added_quads: int
    removed_quads: int


class Manifest(msgspec.Struct, frozen=True):
    """A release: its number (from 1), the time when it was made (ISO 8601, UTC), its description and its content.

    Its quads are those of the full dumps, changed by the patches of ``since_full``; all of these are among its files.
    ``delivered`` is the patch of the catalog up to which it has them; ``backend`` is the adapter that made the copy of
    the store.
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

    @property
    def since_full(self) -> tuple[PatchDumps, ...]:
        """The patches that lead from the full dumps to this release, in their order."""
        return tuple(patch for patch in self.patches if self.full is not None and patch.release > self.full.release)

    def file(self, name: str) -> ReleaseFile | None:
        """Return the file with this name."""
        return next((file for file in self.files if file.name == name), None)
