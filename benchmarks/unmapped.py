"""Which subfields of the real files no rule reads, and why: a line for each reason.

``python benchmarks/unmapped.py`` converts every record of the real files of MARC 21, RUSMARC and UNIMARC. A subfield
without a reason is marked with ``?``: it should be mapped, or have a reason in ``bibld/crosswalk/unmapped.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from _measure import real_data

from bibld import crosswalk
from bibld.cli._options import count_of
from bibld.crosswalk import SubfieldCoverage, Tally, subfields_of
from bibld.errors import BibldError
from bibld.model.marc import MarcRecord
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

PAGE = 50
"""The number of lines of a page."""


def files(folder: Path) -> list[Path]:
    """Return every file of ISO 2709 and MARCXML of the real data but one, which describes a format."""
    return sorted(
        path
        for kind in ("marc21", "rusmarc", "unimarc")
        for path in (folder / kind).rglob("*")
        if path.suffix in (".mrc", ".iso", ".xml", ".marcxml", ".gz")
        and "neb" not in path.parts
        and "format_definition" not in path.name
    )


def records(path: Path) -> Iterator[MarcRecord]:
    """Yield the records of a file that can be read; a file of no carrier has none."""
    file = HarvestedFile("s", path.name, path)
    try:
        examined = examine(file)
    except BibldError:
        return
    for raw in read(file, examined):
        record = examined.carrier.parse(raw).record if isinstance(raw, Raw) else None
        if isinstance(record, MarcRecord):
            yield record


def unmapped(folder: Path) -> list[SubfieldCoverage]:
    """Return what became of the subfields that are not in every MODS."""
    tally = Tally()
    for path in files(folder):
        for record in records(path):
            try:
                flavour, converted = crosswalk.convert(record)
            except BibldError:
                continue
            tally.add(flavour, subfields_of(record), converted.private, converted.unmapped)
    return [row for row in crosswalk.coverage(tally) if row.unmapped]


def page(rows: list[SubfieldCoverage]) -> list[str]:
    """Return a line for each flavour and reason, most frequent first; one for each field without a reason."""
    lines: dict[tuple[str, str], list[SubfieldCoverage]] = {}
    for row in rows:
        tag = row.name.partition("$")[0]
        lines.setdefault((row.flavour, row.reason or f"{tag}?"), []).append(row)
    found = sorted(lines.items(), key=lambda item: (-sum(row.unmapped for row in item[1]), item[0]))
    return [
        f"{flavour} {_names(stated)}, {count_of(sum(row.unmapped for row in stated), 'time')}: {reason}"
        for (flavour, reason), stated in found
    ]


def _names(rows: list[SubfieldCoverage]) -> str:
    """Write the names of subfields, those of a field together: ``040$cd 042$a``."""
    codes: dict[str, str] = {}
    for row in rows:
        tag, _, code = row.name.partition("$")
        codes[tag] = codes.get(tag, "") + code
    return " ".join(f"{tag}${code}" if code else tag for tag, code in codes.items())


def main() -> None:
    lines = page(unmapped(real_data()))
    print(*lines, sep="\n")
    without = sum(line.endswith("?") for line in lines)
    print(f"{len(lines)} lines (a page has {PAGE}), {without} without a reason")


if __name__ == "__main__":
    main()
