"""The profile ``loc`` against what the stylesheet of the Library of Congress writes for the same records.

Two descriptions are identical when they hold the same elements as often: path, attributes and text, blanks collapsed;
recordOrigin, which names the converter, is left out. Agreement is the number of elements in both results divided by
that of elements in either. Then, for each correction, how many records it changes alone, and the records per second of
both profiles in the same run."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
from _measure import real_data, seconds
from lxml import etree

from bibld.crosswalk import marc21
from bibld.crosswalk._marc21.corrections import Corrections
from bibld.model.marc import MarcRecord
from bibld.model.mods_plan import MODS, XML
from bibld.model.mods_xml import to_element
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

LOC = marc21.Settings(profile="loc")
STD = marc21.Settings()

Nodes = Counter[tuple[str, tuple[tuple[str, str], ...], str]]


class Compared(msgspec.Struct):
    """One record: its position in its file (from 0), and the elements of each side."""

    position: int
    expected: Nodes
    got: Nodes


def expected_files(folder: Path) -> list[Path]:
    """The files of expected descriptions, each for the records of the MARC file of the same name."""
    return sorted((folder / "mods" / "loc_expected").glob("*.jsonl.gz"))


def records(path: Path) -> Iterator[MarcRecord | None]:
    """The records of a file in their order; None for what cannot be read."""
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    for raw in read(file, examined):
        record = examined.carrier.parse(raw).record if isinstance(raw, Raw) else None
        yield record if isinstance(record, MarcRecord) else None


def source_of(expected: Path, folder: Path) -> Path:
    """The MARC file of a file of expected descriptions."""
    name = expected.name.removesuffix(".jsonl.gz")
    return next(path for path in sorted((folder / "marc21").rglob(f"{name}.*")))


def compared(expected: Path, folder: Path) -> Iterator[Compared]:
    """Every record of a file of expected descriptions, with its conversion."""
    with gzip.open(expected, "rt", encoding="utf-8") as lines:
        wanted = {entry["n"]: entry["mods"] for entry in map(json.loads, lines)}
    for position, record in enumerate(islice(records(source_of(expected, folder)), max(wanted) + 1)):
        if position in wanted:
            got = nodes(to_element(marc21.convert(record, LOC).mods)) if record is not None else Counter()
            yield Compared(position, nodes(etree.fromstring(wanted[position].encode())), got)


def nodes(root: etree._Element) -> Nodes:
    """Path, attributes and text of every element below the root; the text is that directly in the element."""
    found: Nodes = Counter()
    for element in root.iter(etree.Element):
        path = _path(element, root)
        if path and path != "recordInfo/recordOrigin":
            attributes = sorted((str(name), str(value)) for name, value in element.attrib.items() if name != _SPACE)
            text = " ".join([element.text or "", *(child.tail or "" for child in element)])
            found[path, tuple(attributes), " ".join(text.split())] += 1
    return found


_SPACE = f"{{{XML}}}space"


def _path(element: etree._Element, root: etree._Element) -> str:
    steps: list[str] = []
    while element is not root:
        steps.append(str(element.tag).removeprefix(f"{{{MODS}}}"))
        element = element.getparent()  # type: ignore[assignment]
    return "/".join(reversed(steps))


def main() -> None:
    folder = real_data()
    both: Counter[str] = Counter()
    either: Counter[str] = Counter()
    identical = total = 0
    for path in expected_files(folder):
        results = list(compared(path, folder))
        same = sum(result.expected == result.got for result in results)
        print(f"{path.name.removesuffix('.jsonl.gz')}: {same} of {len(results)} records identical")
        identical, total = identical + same, total + len(results)
        for result in results:
            for node, count in (result.expected & result.got).items():
                both[node[0].partition("/")[0]] += count
            for node, count in (result.expected | result.got).items():
                either[node[0].partition("/")[0]] += count
    print(f"all: {identical} of {total} records identical ({identical / total:.2%})")
    for kind in sorted(either):
        print(f"  {kind}: {both[kind]} of {either[kind]} elements agree ({both[kind] / either[kind]:.2%})")
    converted_records = [
        record for path in expected_files(folder) for record in records(source_of(path, folder)) if record is not None
    ]
    _print_corrections(converted_records)
    _print_speed(converted_records)


def _print_corrections(converted_records: list[MarcRecord]) -> None:
    plain = [marc21.convert(record, LOC).mods for record in converted_records]
    for name in Corrections.__struct_fields__:
        settings = marc21.Settings("loc", Corrections(**{name: True}))
        changed = sum(
            marc21.convert(record, settings).mods != mods for record, mods in zip(converted_records, plain, strict=True)
        )
        print(f"  {name} changes {changed:,} of {len(converted_records):,} records")


def _print_speed(converted_records: list[MarcRecord]) -> None:
    for settings in (STD, LOC):
        taken = seconds(partial(_convert, converted_records, settings))
        print(f"{settings.profile}: {len(converted_records) / taken:,.0f} records a second")


def _convert(converted_records: list[MarcRecord], settings: marc21.Settings) -> None:
    for record in converted_records:
        marc21.convert(record, settings)


if __name__ == "__main__":
    main()
