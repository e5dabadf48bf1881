"""The content of ``report.json``: what a release contains, in figures for people.

Figures of descriptions (coverage, years, languages …) are counted in a sample of each source where it has very many
records; ``SourceReport.sampled`` is its size. All other figures are exact.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

FILE = "report.json"
"""The file of the release."""

SHAPES_FILE = "shapes.json"
"""The file in the folder ``reports`` of the workspace with the results of the last validation."""


class Count(msgspec.Struct, frozen=True, array_like=True):
    """How often a value occurs."""

    value: str
    count: int


class TownCount(msgspec.Struct, frozen=True, array_like=True):
    """How many records name a town as place of publication.

    ``number`` is that of the town in GeoNames; ``names`` are those that records have, in full, the most frequent ones
    first; the position is in degrees.
    """

    number: int
    names: tuple[str, ...]
    latitude: float
    longitude: float
    count: int


class Shared(msgspec.Struct, frozen=True):
    """The number of publications that exactly these sources have records of; the sources are in ascending order."""

    sources: tuple[str, ...]
    publications: int


class ScoreBin(msgspec.Struct, frozen=True):
    """The pairs with scores from ``low`` up to the next bin, by their decisions."""

    low: float
    same: int = 0
    review: int = 0
    related: int = 0
    different: int = 0


class ReliabilityBin(msgspec.Struct, frozen=True):
    """Pairs that people decided about, with scores from ``low`` up to the next bin: all, and those that are the same.

    ``mean`` is the mean of their scores.
    """

    low: float
    mean: float
    pairs: int
    same: int


class MatchReport(msgspec.Struct, frozen=True):
    """How records were matched.

    ``thresholds``: name of a threshold (``same``, ``review``) → score. ``pairs_of_records``: how many records occur in
    a number of stored pairs (``0``, ``1``, ``2``, ``3-5`` …). ``sizes``: how many clusters have a number of records.
    ``reliability`` compares scores with the verdicts of people.
    """

    histogram: tuple[ScoreBin, ...] = ()
    thresholds: dict[str, float] = {}
    pairs_of_records: tuple[Count, ...] = ()
    sizes: tuple[Count, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()


class SourceReport(msgspec.Struct, frozen=True):
    """What one source contributes.

    ``loaded`` is when the run began that loaded it last (ISO 8601). ``alone`` are publications that no other source
    has. ``coverage``: element of MODS → records of the sample that have it. ``years`` (of publication), ``languages``,
    ``types``, ``places`` and ``towns`` are counted in the sample, too; ``without_town`` are its records whose places of
    publication are not known as towns; ``unmapped`` are subfields that are not in the MODS, ``repairs`` what
    had to be repaired. ``samples`` are control numbers of some records.
    """

    source: str
    records: int
    publications: int
    alone: int
    loaded: str = ""
    sampled: int = 0
    coverage: tuple[Count, ...] = ()
    years: tuple[Count, ...] = ()
    without_year: int = 0
    languages: tuple[Count, ...] = ()
    types: tuple[Count, ...] = ()
    places: tuple[Count, ...] = ()
    towns: tuple[TownCount, ...] = ()
    without_town: int = 0
    classes: tuple[Count, ...] = ()
    rejects: tuple[Count, ...] = ()
    unmapped: tuple[Count, ...] = ()
    repairs: tuple[Count, ...] = ()
    samples: tuple[str, ...] = ()


class GrowthPoint(msgspec.Struct, frozen=True):
    """The size of one release."""

    release: int
    created: str
    records: int
    publications: int
    merged: int
    entities: int
    quads: int


class ShapeFigure(msgspec.Struct, frozen=True):
    """How often a constraint of a shape (SHACL) is violated."""

    shape: str
    message: str
    severity: str
    count: int


class Validation(msgspec.Struct, frozen=True, array_like=True):
    """The results of the last validation: the release that was validated (0: none), and what was found."""

    release: int = 0
    shapes: tuple[ShapeFigure, ...] = ()

    @classmethod
    def read(cls, workspace: Path) -> Validation:
        """Read what was noted in a workspace; the same as that of none if this version cannot read it."""
        try:
            return msgspec.json.decode((workspace / "reports" / SHAPES_FILE).read_bytes(), type=cls)
        except (FileNotFoundError, msgspec.DecodeError):
            return cls()


class Report(msgspec.Struct, frozen=True):
    """The figures of a release.

    ``shapes`` are the results of the last validation of a release, whose number is ``validated`` (0: none).
    ``growth`` ends with this release.
    """

    release: int
    created: str
    overlap: tuple[Shared, ...] = ()
    sources: tuple[SourceReport, ...] = ()
    matching: MatchReport = MatchReport()
    growth: tuple[GrowthPoint, ...] = ()
    validated: int = 0
    shapes: tuple[ShapeFigure, ...] = ()
