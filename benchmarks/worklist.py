"""The inspection of records by their format, against reading and conversion of the same records in one process.

A run inspects each record that it converts, and the order is that this takes at most 15 % of the conversion. For each
real file: records, faults per record, and the ratios of inspection to ``convert_record`` and to ``carrier.parse``, each
the least of five runs. ``--show`` lists how often each fault was found, and an example. ``--lines`` runs all real files
and makes the worklists of all sources instead.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from _measure import RUSMARC, real_config, real_data

import bibld
from bibld import crosswalk, worklist
from bibld.errors import RecordError
from bibld.ingest import Job, convert_record
from bibld.model.marc import MarcRecord
from bibld.protocols import HarvestedFile, Raw, adapters
from bibld.read import examine, read

MARC21 = (
    "gpo_covid_online.mrc",
    "loc_testbed_utf8.mrc",
    "uva_marc8.mrc",
    "stanford.mrc",
    "jazz_marc8.mrc",
    "french_marc8.mrc",
)
UNIMARC = ("fre_moccam.pan", "serial.bnr.1993.mrc", "unimarc_marc_moose_biblios.xml", "unimarc_usemarcon_uni.mrc")
FILES = (
    *(f"marc21/{name}" for name in (*MARC21, "culturegraph.marcxml", "rism_music_sample.xml")),
    *(f"rusmarc/{name}" for name in RUSMARC),
    *(f"unimarc/{name}" for name in UNIMARC),
)
RUNS = 5


def main() -> None:
    if "--lines" in sys.argv:
        make_worklists()
        return
    totals = [0.0, 0.0, 0.0]
    for name in FILES:
        seconds, inspected = measure(name)
        totals = [total + one for total, one in zip(totals, seconds, strict=True)]
        faults = [(checker, fault) for checker, record in inspected for fault in checker.inspect(record).faults]
        each = len(faults) / max(1, len(inspected))
        print(f"{name}: {len(inspected):,} records, {each:.2f} faults each; {ratios(seconds)}")
        if "--show" in sys.argv:
            show(faults)
    print(f"all files: {ratios(totals)}")


def make_worklists() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = bibld.Workspace(real_config(real_data(), Path(folder)))
        records = sum(counts.converted for counts in workspace.run("triplify").sources)
        begin = time.process_time()
        lines = workspace.worklist()
        seconds = time.process_time() - begin
    counts = Counter(line.kind for line in lines)
    print(f"{records:,} records: {len(lines):,} lines in {seconds:.1f} s of the processor: {counts.most_common()}")


def measure(name: str) -> tuple[list[float], list[tuple[worklist.FormatChecker, MarcRecord]]]:
    """Return the seconds of ``parse``, ``convert_record`` and the inspection, and what was inspected."""
    examined = examine(file := HarvestedFile("benchmark", name, real_data() / name))
    parse = examined.carrier.parse
    settings = {one: adapters.settings_type("crosswalk", one)() for one in adapters.adapter_names("crosswalk")}
    job = Job("benchmark", examined.carrier, crosswalk.AUTO, settings)
    raws, inspected = [], []
    for raw in read(file, examined):
        outcome = convert_record(job, raw) if isinstance(raw, Raw) else raw
        if not isinstance(outcome, RecordError) and isinstance(raw, Raw):
            record, checker = parse(raw).record, worklist.checker_for(outcome.flavour)
            if isinstance(record, MarcRecord) and checker:
                raws.append(raw)
                inspected.append((checker, record))
    seconds = [
        least(lambda: [parse(raw) for raw in raws]),
        least(lambda: [convert_record(job, raw) for raw in raws]),
        least(lambda: [checker.inspect(record) for checker, record in inspected]),
    ]
    return seconds, inspected


def least(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that some work takes, the least of several runs."""
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def ratios(seconds: list[float]) -> str:
    parse, convert, inspect = seconds
    return f"inspection is {inspect / convert:.1%} of convert_record, {inspect / parse:.1%} of carrier.parse"


def show(faults: list[tuple[worklist.FormatChecker, worklist.FormatFault]]) -> None:
    def place(fault: worklist.FormatFault) -> str:
        return "".join(
            part.split("[")[0] if number == 0 else part for number, part in enumerate(fault.where.split("]"))
        )

    counts = Counter((fault.kind, place(fault)) for _, fault in faults)
    examples = {(fault.kind, place(fault)): (checker, fault) for checker, fault in reversed(faults)}
    for key, count in counts.most_common(40):
        checker, fault = examples[key]
        wrong, remedy = worklist.describe_fault(fault, checker.definition)
        print(f"  {count:6,} {key[0].value:20} {key[1]:14} {fault.value[:40]!r}: {wrong}; {remedy}"[:230])


if __name__ == "__main__":
    main()
