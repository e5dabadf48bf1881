"""Harvest records by OAI-PMH from a fast server on this machine: records in a second, of time and of processor time.

    python benchmarks/harvest.py [RECORDS]

The server is another process that sends prepared answers: parts of 100 records of MARCXML, 5.9 kB each. The baseline is
sickle, which only parses the answers; bibld also stores every answer and record, and writes the files to be read.
"""

from __future__ import annotations

import multiprocessing
import socket
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from bibld import config, harvest
from bibld.progress import Silent

PART = 100
RECORDS = 20_000
OAI = "http://www.openarchives.org/OAI/2.0/"

TOML = """
workspace = "work"
[dataset]
base = "https://data.example.org/"
title = {{ en = "Books" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "A library"
[[source]]
id = "far"
harvest = "oaipmh"
url = "{url}"
prefix = "marc21"
"""


def record(number: int) -> str:
    fields = "".join(
        f'<datafield tag="650" ind1=" " ind2="0"><subfield code="a">Subject {number * 31 + n} of many'
        f', long enough</subfield><subfield code="x">History and criticism of number {n}</subfield></datafield>'
        for n in range(33)
    )
    return (
        f"<record><header><identifier>oai:test:{number}</identifier><datestamp>2026-01-01T00:00:00Z</datestamp></header>"
        '<metadata><record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>'
        f'<controlfield tag="001">r{number}</controlfield><datafield tag="245" ind1="0" ind2="0">'
        f'<subfield code="a">Title {number}</subfield></datafield>{fields}</record></metadata></record>'
    )


def serve(records: int, pipe: Connection) -> None:
    """Prepare all answers, send the address, and answer."""

    def envelope(content: str) -> bytes:
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="{OAI}"><responseDate>2026-01-02T00:00:00Z'
            f"</responseDate><request>x</request>{content}</OAI-PMH>"
        ).encode()

    parts = []
    for begin in range(0, records, PART):
        token = str(begin // PART + 1) if begin + PART < records else ""
        items = "".join(map(record, range(begin, min(begin + PART, records))))
        parts.append(
            envelope(
                f'<ListRecords>{items}<resumptionToken completeListSize="{records}">{token}</resumptionToken>'
                "</ListRecords>"
            )
        )
    identify = envelope(
        "<Identify><repositoryName>Fast</repositoryName><deletedRecord>no</deletedRecord>"
        "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def do_GET(self) -> None:
            token = self.path.partition("resumptionToken=")[2].partition("&")[0]
            body = identify if "Identify" in self.path else parts[int(token or 0)]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pipe.send((f"http://127.0.0.1:{server.server_address[1]}/oai", sum(map(len, parts))))
    server.serve_forever()


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(records, theirs), daemon=True)
    server.start()
    url, size = ours.recv()
    print(f"{records:,} records of {size / records / 1000:.1f} kB in parts of {PART}")
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "bibld.toml"
        file.write_text(TOML.format(url=url), encoding="utf-8")
        loaded = config.load(file)
        for label in ("full list", "full list again, nothing changed"):
            begin, processor = time.perf_counter(), time.process_time()
            result = harvest.fetch_source(loaded, loaded.sources[0], Silent(), harvest.HarvestOptions(full=True))
            seconds, processor = time.perf_counter() - begin, time.process_time() - processor
            assert (result.outcome, result.stored) == ("complete", records), result
            print(
                f"bibld, {label}: {records / seconds:,.0f} records/s, {records / processor:,.0f} a second of processor"
            )
    server.terminate()
    time.sleep(0.1)
    baseline(records)


def baseline(records: int) -> None:
    """Do the same with sickle, which stores nothing."""
    from sickle import Sickle

    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(records, theirs), daemon=True)
    server.start()
    url, _ = ours.recv()
    begin, processor = time.perf_counter(), time.process_time()
    count = sum(1 for _ in Sickle(url).ListRecords(metadataPrefix="marc21"))
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    assert count == records
    print(f"sickle: {records / seconds:,.0f} records/s, {records / processor:,.0f} a second of processor")
    server.terminate()


if __name__ == "__main__":
    main()
