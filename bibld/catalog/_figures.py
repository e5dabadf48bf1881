"""Figures about all that is stored, counted from small columns; only samples of records are decompressed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import msgspec
import numpy as np

from bibld.catalog._record_bytes import Subfields, unpack_mods
from bibld.catalog._suppressions import SuppressionTables
from bibld.catalog.compression import Blobs
from bibld.model.authority import AUTHORITY_FLAVOURS, Authority
from bibld.model.mods import Mods

_MODS = msgspec.json.Decoder(Mods)
_AUTHORITY = msgspec.json.Decoder(Authority)


class SampledRecord(msgspec.Struct, frozen=True, gc=False):
    """One record of a sample: its control number, MODS, and what had to be repaired.

    ``subfields`` are those that are not in the MODS, encoded; see ``CatalogFigures.unmapped``.
    """

    control_number: str
    mods: Mods
    repairs: tuple[str, ...]
    subfields: bytes


class DecidedPair(msgspec.Struct, frozen=True):
    """A pair that a person decided about: its score, and whether it is the same."""

    score: float
    is_same: bool


class CatalogFigures:
    """Counts of clusters, pairs and rejects, and samples of records."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        register: sqlite3.Connection,
        blobs: Blobs,
        suppressions: SuppressionTables,
    ) -> None:
        self._connection = connection
        self._register = register
        self._blobs = blobs
        self._suppressions = suppressions

    def clusters(self) -> tuple[Counter[tuple[str, ...]], Counter[int], Counter[str]]:
        """Count clusters of two and more records by their sources and by their sizes, and their records by source."""
        names, numbers = self._sources_by_ordinal()
        sources: Counter[tuple[str, ...]] = Counter()
        sizes: Counter[int] = Counter()
        members: Counter[str] = Counter()
        combinations: Counter[tuple[frozenset[int], int]] = Counter()
        rows = self._connection.execute("SELECT founder, ordinal FROM member ORDER BY founder")
        for _, cluster in groupby(rows, key=itemgetter(0)):
            of_members = [int(numbers[ordinal]) for _, ordinal in cluster]
            combinations[frozenset(of_members), len(of_members)] += 1
            for number in of_members:
                members[names[number]] += 1
        for (present, size), count in combinations.items():
            sources[tuple(sorted(names[number] for number in present))] += count
            sizes[size] += count
        return sources, sizes, members

    def _sources_by_ordinal(self) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.uint16]]]:
        """Return the ids of all sources, and for each ordinal the position of its source there."""
        last = self._register.execute("SELECT coalesce(max(ordinal), 0) FROM ordinal").fetchone()[0]
        names = [name for (name,) in self._register.execute("SELECT DISTINCT source FROM ordinal ORDER BY source")]
        numbers = np.zeros(last + 1, dtype=np.uint16)
        for number, name in enumerate(names):
            rows = self._register.execute("SELECT ordinal FROM ordinal WHERE source = ?", (name,))
            numbers[np.fromiter((ordinal for (ordinal,) in rows), dtype=np.int64)] = number
        return names, numbers

    def scores(self, bins: int) -> list[tuple[int, str, int]]:
        """Count the stored pairs by bin of the score (from 0, of equal widths) and decision."""
        return self._connection.execute(
            "SELECT min(CAST(score * ?1 AS INTEGER), ?1 - 1), decision, count(*) FROM edge GROUP BY 1, 2 ORDER BY 1, 2",
            (bins,),
        ).fetchall()

    def pairs_of_records(self) -> Counter[int]:
        """Count the records that occur in one stored pair or more, by the number of pairs."""
        rows = self._connection.execute("SELECT left_ordinal, right_ordinal FROM edge").fetchall()
        ordinals = np.array(rows, dtype=np.int64).ravel()
        counts = np.bincount(np.bincount(ordinals)) if len(ordinals) else np.zeros(1, dtype=np.int64)
        return Counter({number: int(count) for number, count in enumerate(counts) if number and count})

    def decided_pairs(self) -> Iterator[DecidedPair]:
        """Yield the pairs with a verdict of a person that is in force and a stored score."""
        rows = self._register.execute(
            "SELECT left_ordinal, right_ordinal, decision, max(verdict) FROM verdict"
            " GROUP BY left_ordinal, right_ordinal ORDER BY 1, 2"
        ).fetchall()
        for left, right, decision, _ in rows:
            found = self._connection.execute(
                "SELECT score FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", (left, right)
            ).fetchone()
            if found is not None:
                yield DecidedPair(found[0], decision == "same")

    def rejects(self) -> list[tuple[str, str, str, int]]:
        """Return source, kind and reason of the rejects, with their numbers."""
        return self._connection.execute(
            "SELECT source, kind, reason, count(*) FROM reject GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 2, 3"
        ).fetchall()

    def loaded(self) -> dict[str, str]:
        """Return when the run began that loaded each source last (ISO 8601)."""
        return dict(self._connection.execute("SELECT source, started FROM load JOIN run USING (run)").fetchall())

    def sample(self, source: str, most: int) -> Iterator[SampledRecord]:
        """Yield live records of a source: all, or about ``most`` at equal distances; the same ones every time."""
        ordinals = [
            ordinal for (ordinal,) in self._register.execute("SELECT ordinal FROM ordinal WHERE source = ?", (source,))
        ]
        ordinals.sort()
        step = max(1.0, len(ordinals) / most)
        for position in range(min(len(ordinals), most)):
            ordinal = ordinals[int(position * step)]
            row = self._connection.execute(
                "SELECT body, coverage, flavour FROM record WHERE ordinal = ? AND status = 'live'", (ordinal,)
            ).fetchone()
            if row is None:
                continue
            body, coverage, flavour = row
            number = self._register.execute(
                "SELECT control_number FROM ordinal WHERE ordinal = ?", (ordinal,)
            ).fetchone()[0]
            texts = self._connection.execute("SELECT text FROM warning WHERE ordinal = ?", (ordinal,)).fetchall()
            converted = unpack_mods(self._blobs.decompress(body))
            is_authority = flavour in AUTHORITY_FLAVOURS
            mods = _AUTHORITY.decode(converted).to_mods() if is_authority else _MODS.decode(converted)
            mods = self._suppressions.public_mods(ordinal, mods)
            yield SampledRecord(number, mods, tuple(text for (text,) in texts), coverage)

    def unmapped(self, encoded: Iterable[bytes]) -> Counter[str]:
        """Count the unmapped subfields of records; private ones are left out."""
        found = Subfields(self._connection).sums(("", each) for each in encoded)
        return Counter({name: count for _, name, fate, count in found if fate == "unmapped"})
