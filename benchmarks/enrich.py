"""Enriching files: records a second of processor time against reading the same file, additions, and memory.

The catalogue is made of real files of libraries, a source each, that describe publications of each other.
"""

import resource
import tempfile
from pathlib import Path
from time import process_time

from _measure import real_data, run, seconds, source_table, write_config

import bibld
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

FILES = {
    "a": "marc21/gpo_updates/changed_202601.mrc",
    "b": "marc21/gpo_updates/changed_202602.mrc",
    "c": "marc21/gpo_same_records/xml/nist_technical_note.xml",
    "d": "rusmarc/stavropol_cp866.mrc",
    "e": "rusmarc/tatarstan_utf8.mrc",
}
ALL = ["identifiers", "authorities", "links", "isbn", "subjects", "classification"]
REPEATED = 8


def read_file(path: Path) -> int:
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    return sum(bool(examined.carrier.parse(raw)) for raw in read(file, examined) if isinstance(raw, Raw))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = write_config(folder, "".join(source_table(one, real_data() / file) for one, file in FILES.items()))
        run(config, "triplify")
        workspace = bibld.Workspace(config)
        for source, file in FILES.items():
            path, out = real_data() / file, folder / source
            report = workspace.enrich(path, out, source=source, elements=ALL)
            reading = seconds(lambda path=path: read_file(path), 3, process_time)
            adding = seconds(
                lambda path=path, source=source: workspace.enrich(path, folder / "x", source=source), 2, process_time
            )
            taking = seconds(
                lambda out=out, source=source: workspace.enrich(out, folder / "y", source=source, withdraw=True),
                2,
                process_time,
            )
            is_same = (folder / "y").read_bytes() == path.read_bytes()
            print(
                f"{file}: {report.records:,} records, {report.enriched:,} with {report.additions:,} additions"
                f" ({', '.join(f'{count:,} {element}' for element, count in report.elements)}; {report.omitted:,} left"
                f" out); read {report.records / reading:,.0f} a second, enriched {report.records / adding:,.0f}"
                f" ({adding / reading:.1f} times as long), withdrawn {report.records / taking:,.0f}"
                f" ({'the same bytes' if is_same else 'OTHER BYTES'})"
            )
        large = folder / "large.mrc"
        large.write_bytes((real_data() / FILES["a"]).read_bytes() * REPEATED)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report = workspace.enrich(large, folder / "large.out", source="a")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{report.records:,} records of {large.stat().st_size:,} bytes: memory grows by {(after - before) >> 10} MB"
        )


if __name__ == "__main__":
    main()
