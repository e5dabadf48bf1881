"""Build the sample's machine-readable files from the text that people edit.

``rsl.mrk`` becomes ``rsl.mrc`` (ISO 2709, UTF-8), ``nlr.mrk`` becomes ``nlr.iso`` (ISO 2709, windows-1251), and
``slavica.mrk`` becomes ``slavica.xml`` (a MARCXML collection). Run ``python -m sample_data.build`` after an edit; the
same text always gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path

from bibld.errors import ReadError
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_iso2709, write_marcxml
from bibld.read import mrk

FOLDER = Path(__file__).parent


def records_of(text: Path) -> list[MarcRecord]:
    """Return the records of a file of MARC as text.

    Raises ``ReadError`` for the first one that cannot be read without repairs: people's slips are to be put right.
    """
    records: list[MarcRecord] = []
    with text.open("rb") as stream:
        carrier = mrk.examine(stream, text.name, text.stem, mrk.Settings())
        stream.seek(0)
        for raw in carrier.raws(stream):
            if isinstance(raw, ReadError):
                raise raw
            parsed = carrier.parse(raw)
            if parsed.warnings:
                raise ReadError(raw.origin, "; ".join(parsed.warnings), raw.data)
            if isinstance(parsed.record, MarcRecord):
                records.append(parsed.record)
    return records


def _utf8(records: Iterable[MarcRecord]) -> bytes:
    return b"".join(to_iso2709(record) for record in records)


def _windows_1251(records: Iterable[MarcRecord]) -> bytes:
    return b"".join(to_iso2709(record, "windows-1251") for record in records)


def _marcxml(records: Iterable[MarcRecord]) -> bytes:
    out = io.BytesIO()
    write_marcxml(records, out)
    return out.getvalue()


FILES: tuple[tuple[str, str, Callable[[Iterable[MarcRecord]], bytes]], ...] = (
    ("rsl.mrk", "rsl.mrc", _utf8),
    ("nlr.mrk", "nlr.iso", _windows_1251),
    ("slavica.mrk", "slavica.xml", _marcxml),
)
"""From which text, which file, how."""


def built(folder: Path = FOLDER) -> dict[str, tuple[int, bytes]]:
    """Return the number of records and the bytes of each file that the texts in a folder give, by file name."""
    results: dict[str, tuple[int, bytes]] = {}
    for text, name, write in FILES:
        records = records_of(folder / text)
        results[name] = (len(records), write(records))
    return results


def main() -> None:
    """Write the files beside the texts and say one line for each."""
    for name, (count, data) in built().items():
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {count} records, {len(data)} bytes")


if __name__ == "__main__":
    main()
