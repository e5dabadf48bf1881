"""What one who downloads a release makes of it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

from bibld.model.release import Manifest


def quads_of(place: Path, manifest: Manifest) -> set[str]:
    """The quads of a release: those of the full dump, changed by each patch in turn."""
    lines = unpacked(place / "bibld.nq.gz")
    for patch in manifest.since_full:
        lines -= unpacked(place / patch.removed)
        lines |= unpacked(place / patch.added)
    return lines


def unpacked(file: Path) -> set[str]:
    """The lines of a compressed file."""
    return {f"{line}\n" for line in gzip.decompress(file.read_bytes()).decode().split("\n") if line}


def as_stored(lines: Iterable[str], base: str) -> set[str]:
    """Lines as the store of a site has them: with provenance in the default graph."""
    end = f" <{base}graph/provenance> ."
    return {line.replace(end, " .") if line.rstrip("\n").endswith(end) else line for line in lines}
