"""Merged records as JSON Lines: one publication a line, with its IRI, its records and its MODS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from bibld.model.mods import Mods
from bibld.protocols import ReleaseDraft
from bibld.publish._files import write_records

NEEDS: tuple[str, ...] = ("dumps",)
IN_OWN_PROCESS = True


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.jsonl]``.

    ``compression`` is that of the files. ``file_bytes``: a file has at most this size before it is compressed.
    """

    compression: Literal["gz", "zst"] = "gz"
    file_bytes: Annotated[int, msgspec.Meta(ge=1)] = 1_000_000_000


class _Line(msgspec.Struct, frozen=True):
    """What a line contains: the IRI, the ids of the records (``source:control number``), and the description."""

    iri: str
    records: tuple[str, ...]
    mods: Mods


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``merged-N-1.jsonl.gz`` and so on, with the full dumps of release N."""
    write_records(draft, f".jsonl.{settings.compression}", (b"", b""), _lines(draft), settings.file_bytes)
    return draft


def _lines(draft: ReleaseDraft) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    for iri, merged in draft.merged():
        yield encoder.encode(_Line(iri, tuple(map(str, merged.cluster.members)), merged.mods)) + b"\n"
