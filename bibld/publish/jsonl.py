"""Merged records as JSON Lines: one publication a line, with its IRI, its records, its work and its MODS; and works."""

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


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a line contains: the IRI, the ids of the records (``source:control number``), and the description.

    ``work`` is the IRI of its work, ``top_work`` that of the work under which readers expect it: the set of a volume,
    the original of a translation.
    """

    iri: str
    records: tuple[str, ...]
    mods: Mods
    work: str = ""
    top_work: str = ""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``merged-N-1.jsonl.gz`` and so on, and ``works-N-1.jsonl.gz``, with the full dumps of release N."""
    end = f".jsonl.{settings.compression}"
    write_records(draft, ("merged-", end), (b"", b""), _publications(draft), settings.file_bytes)
    write_records(draft, ("works-", end), (b"", b""), _works(draft), settings.file_bytes)
    return draft


def _publications(draft: ReleaseDraft) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    for iri, merged in draft.merged():
        found = draft.work_of(merged.cluster.founder)
        line = _Line(iri, tuple(map(str, merged.cluster.members)), merged.mods, found.work, found.top_work)
        yield encoder.encode(line) + b"\n"


def _works(draft: ReleaseDraft) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    for work in draft.works():
        yield encoder.encode(work) + b"\n"
