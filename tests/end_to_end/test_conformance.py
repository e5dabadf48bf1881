"""``bibld conformance``: our own server is right in every check, and every check can fail."""

from __future__ import annotations

import gzip
import json
import re
import socket

import msgspec
import pytest
from click.testing import CliRunner

from bibld import cli, conformance
from bibld.conformance import Politeness, Subject
from bibld.errors import ConfigError
from tests.end_to_end.bad_site import Exchange, Fault, proxy, relay
from tests.end_to_end.faults import ALL, FAULTS, MESSAGES

pytestmark = pytest.mark.server

FAST = Politeness(rate=10_000.0, requests=3000, timeout=600.0)
OPTIONAL = ("deleted-410",)
"""Checks of what a site need not have, or of what only its owner knows."""

PENDING: set[str] = set()
"""Checks that our server does not fulfil yet."""

WITHOUT_MESSAGES = sorted(ALL - MESSAGES.keys())
"""Checks that can be sent through a proxy."""


def check(url: str, *only: str, **named: str) -> dict[str, conformance.Finding]:
    return {each.id: each for each in conformance.check_site(Subject(url, **named), FAST, only)}


def test_our_own_server_passes_every_check(server: str) -> None:
    found = check(server)
    assert set(found) == ALL
    expected = {each.id for each in conformance.find_checks(OPTIONAL)} | PENDING
    wrong = {name: f"{each.result}: {each.seen}" for name, each in found.items() if each.result != "ok"}
    assert {name: seen for name, seen in wrong.items() if name not in expected} == {}
    assert sorted(PENDING - set(wrong)) == [], "these pass now: delete them from PENDING"


def test_every_check_has_a_fault() -> None:
    assert FAULTS.keys() | MESSAGES.keys() == ALL
    assert FAULTS.keys() & MESSAGES.keys() == set()


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - PENDING))
def test_a_check_fails_on_a_site_that_breaks_its_rule(name: str, server: str) -> None:
    named = {"deleted": "http://localhost:8000/dataset"} if name == "deleted-410" else {}
    with proxy(server, FAULTS[name]) as url:
        found = check(url, name, **named)[name]
    assert found.result == "fails", found.seen


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_a_check_of_messages_fails_on_a_site_that_answers_them_wrongly(name: str, server: str) -> None:
    with relay(server, *MESSAGES[name]) as url:
        found = check(url, name)[name]
    assert found.result == "fails", found.seen


def test_the_proxy_of_these_tests_breaks_nothing_itself(server: str) -> None:
    direct = check(server, *WITHOUT_MESSAGES)
    with proxy(server, Fault()) as url:
        passed = check(url, *WITHOUT_MESSAGES)
    differing = [name for name in WITHOUT_MESSAGES if passed[name].result != direct[name].result]
    assert differing == []


def test_requests_are_few_named_and_change_nothing(server: str) -> None:
    seen: list[Exchange] = []
    with proxy(server, Fault(asked=seen.append)) as url:
        check(url, *WITHOUT_MESSAGES)
    assert 100 < len(seen) < 500
    assert all(dict(each.sent)["user-agent"].startswith("bibld-conformance/") for each in seen)
    methods = {each.method for each in seen}
    assert methods <= {"GET", "HEAD", "POST", "PUT", "OPTIONS", "PROPFIND", "TRACE", "NOTAMETHOD"}
    posted = [each for each in seen if each.method in ("POST", "PUT")]
    assert all("/sparql" in each.path or "/reconcile" in each.path for each in posted)
    changing = re.compile(rb"(?i)\b(?:drop|clear|load|create|copy|move|add)\b|insert\s+data\s*\{\s*[^}\s]")
    assert [each.content for each in posted if changing.search(each.content)] == []


def test_the_number_of_requests_is_bounded(server: str) -> None:
    findings = conformance.check_site(Subject(server), msgspec.structs.replace(FAST, requests=10))
    assert any("10 requests were sent" in each.seen for each in findings)
    assert any(each.result == "fails" for each in findings)


def test_no_other_host_is_asked_unless_it_was_named(server: str) -> None:
    foreign = server.replace("127.0.0.1", "localhost")
    subject = Subject(server, resource=f"{foreign}dataset", base=server)
    findings = conformance.check_site(subject, FAST, ["rdf-parses"])
    assert findings[0].result == "not applicable"
    assert "--host localhost:" in findings[0].seen
    host = foreign.split("/")[2]
    allowed = msgspec.structs.replace(FAST, hosts=(host,))
    findings = conformance.check_site(
        Subject(server, resource=f"{foreign}dataset", base=server), allowed, ["rdf-parses"]
    )
    assert findings[0].result == "ok"


def test_a_site_that_does_not_answer_fails_every_check_that_needs_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        checks = ["deref-rdf", "iri-non-ascii"]
        findings = conformance.check_site(Subject(url), msgspec.structs.replace(FAST, timeout=0.1), checks)
    assert [each.result for each in findings] == ["fails", "fails"]
    assert all("no answer" in each.seen for each in findings)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/lod/", "no connection to 127.0.0.1:9: Connection refused"),
        ("https://127.0.0.1:9/", "no connection to 127.0.0.1:9: Connection refused"),
        (f"http://{'x' * 64}.invalid/", "no connection to x+.invalid: .*too long.*"),
    ],
)
def test_a_site_without_a_connection_is_one_error_and_not_many_faults(url: str, reason: str) -> None:
    run = CliRunner().invoke(cli.command_line, ["conformance", url])
    assert (run.exit_code, run.stdout) == (1, "")
    assert re.fullmatch(f"bibld: {url}: {reason}; start the server, or name another address\n", run.stderr)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "example.org", "http://", "http://example.org:99999/", "http://[x"]
)
def test_what_is_no_address_of_a_site_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="not an address of a site"):
        conformance.check_site(Subject(url))


def test_the_command_prints_a_table_and_its_exit_code_is_that_of_the_site(server: str) -> None:
    run = CliRunner().invoke(cli.command_line, ["conformance", server, "--only", "accept-q*", "--rate", "1000"])
    assert run.exit_code == 0
    assert "accept-quality" in run.stdout and "1 checks: 1 ok, 0 fails, 0 not applicable" in run.stdout
    with proxy(server, FAULTS["accept-quality"]) as url:
        run = CliRunner().invoke(
            cli.command_line, ["conformance", url, "--only", "accept-q*", "--json", "--rate", "1000"]
        )
    assert run.exit_code == 1
    (found,) = json.loads(run.stdout)
    assert (found["id"], found["result"], found["clause"]) == ("accept-quality", "fails", "RFC 9110, 12.4.2")


def test_the_command_lists_the_checks_without_a_request() -> None:
    run = CliRunner().invoke(cli.command_line, ["conformance", "--list", "--json"])
    assert {each["id"] for each in json.loads(run.stdout)} == ALL
    assert CliRunner().invoke(cli.command_line, ["conformance"]).exit_code == 2


def test_what_unpacks_without_end_and_addresses_without_sense_fail_one_check_only(server: str) -> None:
    bomb = gzip.compress(bytes(300 << 20), compresslevel=9)

    def answered(exchange: Exchange) -> None:
        if exchange.headers.get("content-encoding") == "gzip":
            exchange.body = bomb
        exchange.headers["link"] = '<http://example.org:port/>; rel="describedby"'

    with proxy(server, Fault(answered=answered)) as url:
        found = check(url, "gzip", "link-describedby-answers", "rdf-parses")
    assert found["gzip"].seen == "more than 256 MiB unpacked"
    assert found["link-describedby-answers"].result == "fails"
    assert found["rdf-parses"].result == "ok"
