"""Merged records as MODS collections (``modsCollection``, MODS 3.8).

The IRI is an identifier with the type ``uri``; the work is a related item of which the publication is an instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Annotated, Literal

import msgspec

from bibld.model.mods import Identifier
from bibld.model.mods_xml import join_collection, to_xml
from bibld.model.works import add_work
from bibld.protocols import ReleaseDraft
from bibld.publish._files import write_records

NEEDS: tuple[str, ...] = ("dumps",)
IN_OWN_PROCESS = True


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.mods]``.

    ``compression`` is that of the files. ``file_bytes``: a file has at most this size before it is compressed.
    """

    compression: Literal["gz", "zst"] = "gz"
    file_bytes: Annotated[int, msgspec.Meta(ge=1)] = 1_000_000_000


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``merged-N-1.mods.xml.gz`` and so on, with the full dumps of release N."""
    head, tail = _collection([]).split(b"</", 1)
    frame = (head, b"</" + tail)
    write_records(
        draft, ("merged-", f".mods.xml.{settings.compression}"), frame, _elements(draft, len(head)), settings.file_bytes
    )
    return draft


def _elements(draft: ReleaseDraft, start: int) -> Iterator[bytes]:
    """Yield the elements as they are in a collection, whose beginning has ``start`` bytes."""
    for iri, merged in draft.merged():
        identifiers = (Identifier(value=iri, type="uri"), *merged.mods.identifier)
        described = msgspec.structs.replace(merged.mods, identifier=identifiers)
        found = draft.work_of(merged.cluster.founder)
        document = to_xml(add_work(described, found.work, found.title) if found.work else described)
        yield _collection([document])[start:].rpartition(b"</")[0]


def _collection(documents: list[bytes]) -> bytes:
    out = BytesIO()
    join_collection(documents, out)
    return out.getvalue()
