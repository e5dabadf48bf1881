"""What is published: the figures, and the quads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from bibld.catalog import Catalog
from bibld.model.release import Figures, QuadCounts


class Contents(msgspec.Struct, frozen=True):
    """What is published: the figures, and all quads in the order of the dump (each call of ``blocks`` begins again).

    A block is some lines, those of the default graph first; ``counts`` counts all of them. Both read a catalog, and are
    functions that other processes can import, or partial ones of such. ``made_by`` is the digest of the settings and
    sources, ``source_statements`` are the quads that describe the sources, ``examples`` resource IRIs to try.
    ``withdrawn`` are the lines about records that must not be published.
    """

    made_by: str
    figures: Figures
    blocks: Callable[[Catalog], Iterable[bytes]]
    counts: Callable[[Catalog], QuadCounts]
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
