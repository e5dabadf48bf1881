"""What servers of Z39.50 do wrong, as yaz-client logs it: no record is lost without a word."""

from __future__ import annotations

import sys

import pytest

from bibld import harvest, ingest
from bibld.progress import Silent
from tests.configuration import load_config

RECORDS = 450

# Prints what yaz-client prints, for a server that gives at most CAP records in one answer. In place of each record of
# DIAGNOSED comes a diagnostic; BROKEN records are no XML. Record N of FEWER records has the control number N.
PROGRAM = r"""#!{python}
import sys
CAP, DIAGNOSED, BROKEN, HITS = {cap}, {diagnosed}, {broken}, {hits}
form = "usmarc"
def record(n):
    number = b"%d" % n
    if form == "xml":
        end = b"<r" if n in BROKEN else b""
        return b'<?xml version="1.0"?><record><controlfield tag="001">' + number + b"</controlfield></record>" + end
    entry = b"001%04d00000" % (len(number) + 1)
    return b"%05dnam a2200037   4500" % (39 + len(number)) + entry + b"\x1e" + number + b"\x1e\x1d"
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "format":
        form = rest
    if word == "find":
        print("Z> Sent searchRequest.\nNumber of hits: %s, setno 1\nrecords returned: 0" % HITS)
    if word == "show":
        start, portion = map(int, rest.split("+"))
        numbers = range(start, min(start + min(portion, CAP), int(HITS) + 1))
        print("Z> Sent presentRequest (%d+%d).\nRecords: %d" % (start, portion, len(numbers)))
        with open("dump", "ab") as dump:
            for n in numbers:
                if n in DIAGNOSED:
                    print("Diagnostic message(s) from database:\n    [14] System error in presenting records")
                else:
                    dump.write(record(n))
"""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Puts in place of yaz-client what logs a server with the given faults."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()

    def place(cap=10**6, diagnosed=(), broken=(), hits=RECORDS):
        program = tmp_path / "bin" / "yaz-client"
        faults = {"cap": cap, "diagnosed": diagnosed, "broken": broken, "hits": repr(str(hits))}
        program.write_text(PROGRAM.format(python=sys.executable, **faults))
        program.chmod(0o755)

    return place


def fetched(folder, *lines):
    stated = ["[[source]]", 'id = "lib"', 'harvest = "z3950"', 'url = "z3950.example.org/B"', "tries = 1", *lines]
    config = load_config(folder, "\n".join([*stated, ""]))
    return config, harvest.harvest_source(config, config.sources[0], Silent())


def test_a_server_that_gives_less_than_a_portion_loses_no_record_in_any_night(server, tmp_path):
    server(cap=60)
    for _ in range(2):
        _, result = fetched(tmp_path, "portion = 100")
        assert (result.outcome, result.reasons) == ("complete", ())
        assert (result.stored, result.removed, result.received) == (RECORDS, 0, RECORDS)


def test_diagnostics_behind_a_short_portion_are_found(server, tmp_path):
    server(cap=60, diagnosed=(5, 222))
    for _ in range(2):
        _, result = fetched(tmp_path, "portion = 100")
        assert (result.outcome, result.stored) == ("partial", RECORDS - 2)
        assert "diagnostic" in result.reasons[0]


def test_a_record_that_is_no_xml_is_a_gap_at_its_own_position(server, tmp_path):
    server(broken=(77,))
    for _ in range(2):
        _, result = fetched(tmp_path, 'syntax = "xml"', "portion = 50")
        assert (result.outcome, result.stored) == ("partial", RECORDS - 1)
        assert result.reasons == ("the record at position 77 cannot be fetched: nothing came",)


def test_another_syntax_replaces_the_records_of_the_former_one(server, tmp_path):
    server()
    fetched(tmp_path)
    server(hits=100)
    config, result = fetched(tmp_path, 'syntax = "xml"')
    assert (result.outcome, result.stored) == ("complete", 100)
    assert [file.path.name for file in ingest.source_files(config, config.sources[0])] == ["000001.xml.gz"]


def test_an_absurd_number_of_hits_is_a_failed_harvest(server, tmp_path):
    server(hits="9" * 5000)
    _, result = fetched(tmp_path)
    assert (result.outcome, result.stored) == ("failed", 0)
