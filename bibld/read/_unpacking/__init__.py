"""Files that contain others: compressed ones (gzip, bzip2, xz, zstd) as streams, archives (zip, tar, 7z, rar) as files.

:func:`open_decompressed` reads a compressed file while it is decompressed. :func:`unpack` writes the members of an
archive to numbered files, so that no name inside it reaches the disk. Both bound what they produce, because a few
kilobytes can contain terabytes.
"""

from __future__ import annotations

from bibld.read._unpacking._archives import ARCHIVES, Archive, archive_of
from bibld.read._unpacking._members import Limits, Member, Unpacked, delete_others, unpack, unpack_once
from bibld.read._unpacking._streams import MAXIMUM, Stream, compression_of, open_decompressed

__all__ = [
    "ARCHIVES",
    "MAXIMUM",
    "Archive",
    "Limits",
    "Member",
    "Stream",
    "Unpacked",
    "archive_of",
    "compression_of",
    "delete_others",
    "open_decompressed",
    "unpack",
    "unpack_once",
]
