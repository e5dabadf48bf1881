"""What becomes of the real authority files: records, headings, and the subfields that no rule reads.

``python benchmarks/authorities.py [FILE …]`` converts every authority record of the files (without any: of the folder
of real data) and prints for each file how many of its subfields are in the result, private, or unmapped, and why.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from _measure import real_data
from unmapped import page, records

from bibld.cli._options import count_of
from bibld.crosswalk import Tally, authority_flavour, convert_authority, coverage, subfields_of
from bibld.errors import CrosswalkError

FILES = ("marc21/authorities_utf8.mrc", "authorities/loc_names.mrc", "authorities/loc_subjects.mrc")


def report(path: Path) -> list[str]:
    """Return the lines about one file."""
    tally, kinds, rejects = Tally(), Counter[str](), Counter[str]()
    counts, warnings, seconds = Counter[str](), Counter[str](), 0.0
    for record in records(path):
        begin = time.perf_counter()
        try:
            flavour, made = convert_authority(record)
        except CrosswalkError as error:
            kind = "authority record" if authority_flavour(record) else "other record"
            rejects[f"{kind} rejected: {error.reason}"] += 1
            continue
        seconds += time.perf_counter() - begin
        tally.add(flavour, subfields_of(record), made.private, made.unmapped)
        authority = made.authority
        kinds[authority.kind or "no heading"] += 1
        counts.update({name: len(getattr(authority, name)) for name in authority.elements})
        warnings.update(text.partition(" ")[0] for text in made.warnings)
    rows = [row for row in coverage(tally) if "$" in row.name]
    seen, mapped, private = (sum(getattr(row, name) for row in rows) for name in ("seen", "mapped", "private"))
    number = sum(kinds.values())
    if not number:
        return [f"{path.name}: no authority record", *(f"  {text}" for text in rejects)]
    return [
        f"{path.name}: {count_of(number, 'record')} ({', '.join(f'{kind} {many}' for kind, many in kinds.items())}), "
        f"{sum(rejects.values())} rejected, {seconds / number * 1000:.2f} ms a record",
        f"  {count_of(seen, 'data subfield')}: {mapped / seen:.2%} mapped, {private / seen:.2%} private, "
        f"{(seen - mapped - private) / seen:.2%} unmapped",
        f"  {', '.join(f'{name} {many}' for name, many in counts.items() if many)}",
        *(f"  warnings about {tag}: {many}" for tag, many in warnings.most_common()),
        *(f"  {line}" for line in page([row for row in rows if row.unmapped])),
        *(f"  {text}: {count_of(many, 'time')}" for text, many in rejects.most_common(5)),
    ]


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [real_data() / name for name in FILES]
    for path in paths:
        print(*report(path), sep="\n")


if __name__ == "__main__":
    main()
