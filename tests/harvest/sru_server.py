"""An SRU server on the loopback that does one thing wrong: each fault is a row of ``FAULTS``."""

from __future__ import annotations

import html
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from tests.harvest.hostile_oai import running

RECORDS = 25
SRU = "http://www.loc.gov/zing/srw/"
DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
MARC = (
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 i 4500</leader>'
    '<controlfield tag="001">{0}</controlfield><datafield tag="245" ind1="0" ind2="0">'
    '<subfield code="a">Книга {0}</subfield></datafield></record>'
)
DC = '<dc:dc xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Книга {0}</dc:title></dc:dc>'


class Asked(NamedTuple):
    """A request: its parameters, and how often it came before."""

    words: dict[str, str]
    before: int

    @property
    def start(self) -> int:
        return int(self.words.get("startRecord", "1"))

    @property
    def portion(self) -> int:
        return int(self.words.get("maximumRecords", "10"))


Reply = tuple[int, bytes]


def diagnostic(code: int, details: str = "", before: bool = True) -> str:
    parts = [
        f"<uri>info:srw/diagnostic/1/{code}</uri>",
        f"<details>{details}</details>",
        f"<message>no {code}</message>",
    ]
    inner = "".join(parts if before else parts[::-1])
    return f'<diagnostic xmlns="{DIAGNOSTIC}">{inner}</diagnostic>'


def packed(data: str, position: int, packing: str = "xml") -> str:
    content = data if packing == "xml" else html.escape('<?xml version="1.0"?>' + data)
    return (
        f"<record><recordSchema>marcxml</recordSchema><recordPacking>{packing}</recordPacking>"
        f"<recordData>{content}</recordData><recordPosition>{position}</recordPosition></record>"
    )


def response(records: list[str], total: int | str = RECORDS, extra: str = "", namespace: str = SRU) -> bytes:
    inner = f"<records>{''.join(records)}</records>" if records else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><searchRetrieveResponse xmlns="{namespace}"><version>1.2</version>'
        f"<numberOfRecords>{total}</numberOfRecords>{inner}{extra}</searchRetrieveResponse>"
    ).encode()


def refusal(code: int, total: int | str = 0) -> bytes:
    return response([], total, f"<diagnostics>{diagnostic(code, 'x')}</diagnostics>")


def portion(asked: Asked, most: int = 1000, form: str = MARC, packing: str = "xml") -> list[str]:
    last = min(asked.start + min(asked.portion, most) - 1, RECORDS)
    return [packed(form.format(number), number, packing) for number in range(asked.start, last + 1)]


def good(asked: Asked) -> Reply:
    return 200, response(portion(asked))


class Fault(NamedTuple):
    """What a server does, the expected outcome, part of the reason (or ""), and the code of the finding (or "")."""

    answer: Callable[[Asked], Reply]
    outcome: str = "complete"
    reason: str = ""
    finding: str = ""
    stored: int = RECORDS


def once(code: int, body: bytes) -> Callable[[Asked], Reply]:
    return lambda asked: good(asked) if asked.before else (code, body)


def only_version(version: str) -> Callable[[Asked], Reply]:
    def answer(asked: Asked) -> Reply:
        if asked.words.get("version") != version:
            return 200, refusal(5)
        return 200, response(portion(asked), namespace="http://docs.oasis-open.org/ns/search-ws/sruResponse")

    return answer


def only_schema(name: str, code: int) -> Callable[[Asked], Reply]:
    return lambda asked: good(asked) if asked.words.get("recordSchema") == name else (200, refusal(code))


def schema_in_silence(asked: Asked) -> Reply:
    form = MARC if asked.words.get("recordSchema") == "MARC21-xml" else DC
    return 200, response(portion(asked, form=form))


def no_packing(asked: Asked) -> Reply:
    return good(asked) if "recordPacking" not in asked.words else (200, refusal(8))


def string_only(asked: Asked) -> Reply:
    if asked.words.get("recordPacking") == "xml":
        return 200, refusal(71)
    return 200, response(portion(asked, packing="string"))


def limited(limit: int) -> Callable[[Asked], Reply]:
    """More than ``limit`` records of one query are refused; years divide the records evenly."""

    def answer(asked: Asked) -> Reply:
        numbers = matching(asked.words["query"])
        if asked.start > limit:
            return 200, refusal(61, len(numbers))
        chosen = numbers[asked.start - 1 : min(asked.start - 1 + asked.portion, limit)]
        return 200, response([packed(MARC.format(number), number) for number in chosen], len(numbers))

    return answer


def matching(query: str) -> list[int]:
    """The records of a query: all, those of some years, or all others. Record 13 has no year."""
    years = {number: 1990 + number for number in range(1, RECORDS + 1) if number != 13}
    if "year" not in query:
        return list(range(1, RECORDS + 1))
    low, high = (int(part.strip(" )=")) for part in query.partition("year>=")[2].split(" and year<"))
    found = [number for number, year in years.items() if low <= year <= high]
    return [number for number in range(1, RECORDS + 1) if number not in found] if " not " in query else found


def surrogate(asked: Asked) -> Reply:
    records = portion(asked)
    if asked.start <= 7 < asked.start + len(records) and asked.portion > 1:
        records[7 - asked.start] = packed(diagnostic(64), 7)
    return 200, response(records)


def one_record_breaks_the_answer(asked: Asked) -> Reply:
    body = response(portion(asked))
    return 200, body.replace("Книга 7<".encode(), b"<b>Book & 7<")


def server_error_for_one_record(asked: Asked) -> Reply:
    covers = asked.start <= 7 < asked.start + asked.portion
    return (500, b"<html><title>Error</title></html>") if covers else good(asked)


def with_control_characters(asked: Asked) -> Reply:
    return 200, response(portion(asked)).replace("Книга 3".encode(), "Книга\x1b 3&#x1F;".encode())


def shifted(asked: Asked) -> Reply:
    """The order changes between portions: a record comes twice, another one never."""
    return 200, response([one.replace(">Книга 11<", ">Книга 1<").replace(">11<", ">1<") for one in portion(asked)])


def empty_then_good(asked: Asked) -> Reply:
    return (200, response([])) if asked.start > 10 and not asked.before else good(asked)


def growing(asked: Asked) -> Reply:
    total = RECORDS if asked.start > 1 or not asked.before or asked.portion > 1 else RECORDS + asked.before - 3
    return 200, response(portion(asked), total if total > 0 else RECORDS)


def without_identifiers(asked: Asked) -> Reply:
    return 200, response(portion(asked)).replace(b'tag="001"', b'tag="035"')


def broken_record(asked: Asked) -> Reply:
    text = response(portion(asked, packing="string")).decode()
    return 200, text.replace(html.escape("Книга 7</subfield>"), html.escape("Книга <i>7</subfield>")).encode()


def foreign_record(asked: Asked) -> Reply:
    return 200, response([one if ">7<" not in one else packed(DC.format(7), 7) for one in portion(asked)])


BESIDE = f"<diagnostics>{diagnostic(59, before=False)}</diagnostics>"
PAGE = b"<!DOCTYPE html><html><title>Maintenance</title></html>"

FAULTS = {
    "nothing wrong": Fault(good),
    "fewer records than asked for": Fault(lambda asked: (200, response(portion(asked, 4))), finding="sru-portion"),
    "more records than asked for": Fault(lambda asked: good(Asked(asked.words | {"maximumRecords": "100"}, 0))),
    "only version 1.1": Fault(only_version("1.1"), finding="sru-version"),
    "only version 2.0, another namespace": Fault(only_version("2.0"), finding="sru-version"),
    "no namespace": Fault(lambda asked: (200, response(portion(asked), namespace=""))),
    "unknown schema, 66": Fault(only_schema("MARC21-xml", 66)),
    "unknown schema, 67": Fault(only_schema("marcxml", 67)),
    "another schema without a word": Fault(schema_in_silence, finding="sru-schema"),
    "recordPacking not supported": Fault(no_packing),
    "only recordPacking=string": Fault(string_only),
    "string though xml was asked for": Fault(
        lambda asked: (200, response(portion(asked, packing="string"))), finding="sru-packing"
    ),
    "diagnostics beside records": Fault(
        lambda asked: (200, response(portion(asked), extra=BESIDE)), finding="sru-diagnostic"
    ),
    "a diagnostic with status 500, once": Fault(once(500, refusal(1))),
    "temporarily unavailable, once": Fault(once(200, refusal(2))),
    "a web page with status 200, once": Fault(once(200, PAGE)),
    "an empty answer, once": Fault(once(200, b"")),
    "busy, once": Fault(once(503, PAGE), finding="busy"),
    "a web page, always": Fault(lambda asked: (200, PAGE), "failed", 'a web page ("Maintenance")', stored=0),
    "refuses the query": Fault(lambda asked: (200, refusal(16)), "failed", "diagnostic 16", stored=0),
    "asks for a password": Fault(lambda asked: (401, PAGE), "failed", "refused with status 401", "blocked", 0),
    "no more than 10 records of a query": Fault(
        limited(10), "partial", "gives only 10 of the 25 records of a query; state split", stored=10
    ),
    "a diagnostic in place of a record": Fault(
        surrogate, "partial", "diagnostic 64 (no 64) in place of the record at position 7", "sru-surrogate", RECORDS - 1
    ),
    "one record makes the answer no XML": Fault(
        one_record_breaks_the_answer, "partial", "position 7 cannot be fetched", "sru-broken-answer", RECORDS - 1
    ),
    "one record makes the server fail": Fault(
        server_error_for_one_record, "partial", "position 7 cannot be fetched", "sru-broken-answer", RECORDS - 1
    ),
    "control characters and bad references": Fault(with_control_characters, finding="sru-not-xml"),
    "the order changes between portions": Fault(shifted, "partial", "25 records, and 24 different ones", stored=24),
    "an empty portion, once": Fault(empty_then_good),
    "nothing after the first portion": Fault(
        lambda asked: (200, response(portion(asked) if asked.start <= 10 else [])), "partial", "only 10 of", stored=10
    ),
    "always the first portion": Fault(
        lambda asked: good(Asked(asked.words | {"startRecord": "1"}, 0)), "partial", "the same records again",
        "sru-repeated", 10,
    ),
    "records without control numbers": Fault(without_identifiers),
    "a record of another schema": Fault(foreign_record, finding="sru-record", stored=RECORDS - 1),
    "a record that is no XML": Fault(broken_record, finding="sru-record", stored=RECORDS - 1),
    "numberOfRecords missing": Fault(
        lambda asked: (200, response(portion(asked), "")), "failed", "states no numberOfRecords", stored=0
    ),
    "numberOfRecords too large": Fault(
        lambda asked: (200, response(portion(asked), 99) if asked.start <= RECORDS else refusal(61, 99)),
        "partial", "gives only 25 of the 99",
    ),
}  # fmt: skip


@contextmanager
def serve(answer: Callable[[Asked], Reply]) -> Iterator[str]:
    """Serve answers on the loopback; yields the address. Explain is not answered, as many servers do not."""
    counts: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            words = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            before = counts[self.path]
            counts[self.path] += 1
            status, body = (404, PAGE) if words.get("operation") == "explain" else answer(Asked(words, before))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *parts: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}/sru"
