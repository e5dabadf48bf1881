"""What cutting a file gives, as the carriers hand it on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bibld.errors import DamagedFileError, ReadError
from bibld.model.origin import Origin
from bibld.protocols import Raw

Piece = tuple[int, bytes, str]
"""Where a piece of a file begins, its bytes, and why it is no record; empty for one that may be."""

BROKEN_OFF = "the file ends within this record; fetch it again"
"""Begins the fault of a last record that is only partly there."""


def as_raws(source: str, file: str, pieces: Iterable[Piece]) -> Iterator[Raw | ReadError]:
    """Number the pieces of a file from 1, and tell records from faults."""
    for position, (offset, data, fault) in enumerate(pieces, 1):
        origin = Origin(source, file, position, offset)
        if not fault:
            yield Raw(origin, data)
        elif fault.startswith(BROKEN_OFF):
            yield DamagedFileError(origin, fault, data)
        else:
            yield ReadError(origin, fault, data)
