"""Write the records of a catalog as files again: their MODS, or the original bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from bibld.errors import ConfigError
from bibld.model.mods_xml import write_collection
from bibld.progress import Progress, count_items
from bibld.read import FileFrame, carrier_of, file_frame

if TYPE_CHECKING:
    from bibld.catalog import Catalog


class Exported(msgspec.Struct, frozen=True):
    """A written file: its source, the file, reader and charset that its records were read with, and their number."""

    name: str
    source: str
    file: str
    reader: str
    charset: str
    records: int


def export_mods(catalog: Catalog, sources: Sequence[str], out: BinaryIO | Path, progress: Progress) -> None:
    """Write the MODS of all live records as a modsCollection: one for each source into a folder, or one stream."""
    progress.stage("export", "records", catalog.records.count())
    if not isinstance(out, Path):
        records = count_items(catalog.records.unredacted(), progress)
        write_collection((mods for _, source, mods in records if source in sources), out)
        return
    for wanted in sources:
        with (out / f"{wanted}.mods.xml").open("wb") as stream:
            records = count_items(catalog.records.unredacted(), progress)
            write_collection((mods for _, source, mods in records if source == wanted), stream)


def export_originals(
    catalog: Catalog, source: str | None, out: BinaryIO | Path, progress: Progress
) -> Iterator[Exported]:
    """Write the original bytes of all live records; yield what was written.

    Into a folder: one file for each file that they come from. Into a stream: all of them.

    Raises ``ConfigError`` if a stream would contain several sources, formats or charsets.
    """
    files = [
        (number, name, file, reader, carrier, file_frame(reader, carrier))
        for number, name, file, reader, state in catalog.records.carriers(source)
        if (carrier := carrier_of(reader, state))
    ]
    kinds = {(name, reader, frame, carrier.charset) for _, name, _, reader, carrier, frame in files}
    if not isinstance(out, Path) and len(kinds) > 1:
        raise ConfigError(
            [
                f"the originals are of {len(kinds)} kinds (source, format, charset), which do not make one file; name"
                " one source by --source, or a folder by --out"
            ]
        )
    progress.stage("export", "records")
    for position, (number, name, file, reader, carrier, frame) in enumerate(files):
        originals = count_items(catalog.records.originals(number), progress)
        if isinstance(out, Path):
            path = out / f"{name}-{number}{frame.suffix}"
            with path.open("wb") as stream:
                count = _write(originals, frame, stream, is_first=True, is_last=True)
            written = path.name
        else:
            written = ""
            count = _write(originals, frame, out, is_first=position == 0, is_last=position == len(files) - 1)
        yield Exported(written, name, file, reader, carrier.charset, count)


def _write(originals: Iterator[bytes], frame: FileFrame, out: BinaryIO, is_first: bool, is_last: bool) -> int:
    if is_first:
        out.write(frame.head)
    count = 0
    for original in originals:
        count += 1
        out.write(original)
        if not original.endswith(frame.separator):
            out.write(frame.separator)
    if is_last:
        out.write(frame.tail)
    return count
