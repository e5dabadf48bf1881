"""What a release says about itself: the content of its ``manifest.json``."""

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

    ``records`` is the number of its living records, also those of earlier loads.
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


class DatasetDescription(msgspec.Struct, frozen=True):
    """What the configuration says about the dataset."""

    base: str
    title: dict[str, str]
    license: str
    publisher: str
    description: dict[str, str] = {}


class Manifest(msgspec.Struct, frozen=True):
    """A release: its number (from 1), when it was made (ISO 8601, UTC), what it is, what it holds."""

    number: int
    created: str
    made_by: str
    dataset: DatasetDescription
    figures: Figures
    files: tuple[ReleaseFile, ...]
