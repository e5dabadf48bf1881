"""The page on which anybody matches a file: what it answers in each form, and what strangers may send."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import tempfile
import zipfile

import msgspec
import openpyxl
import pytest

from bibld._api.site import match_command, open_site
from bibld.serve._matching import process
from tests.serve.client import children, running

PATH = "/match"


@pytest.fixture(scope="module")
def server(workspace):
    with running(open_site(workspace, workspace.config.serve)) as client:
        yield client


@pytest.fixture(scope="module")
def nlr(workspace) -> bytes:
    return workspace.path.with_name("nlr.iso").read_bytes()


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch, tmp_path):
    """No file and no process of a request remains."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()
    yield
    assert (list(tmp_path.iterdir()), children()) == ([], before)


def restricted(workspace, **limits):
    match = msgspec.structs.replace(workspace.config.serve.match, **limits)
    return open_site(workspace, msgspec.structs.replace(workspace.config.serve, match=match))


def lines(answer) -> list[dict[str, object]]:
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/jsonl"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_the_form_is_a_page_in_both_languages(server):
    for language, words in (("en", "Match a file"), ("ru", "Сверить файл")):
        page = server.get(PATH, "text/html", accept_language=language)
        assert page.status_code == 200
        assert words in page.text
        assert 'enctype="multipart/form-data"' in page.text
    assert f'href="{PATH}"' in server.get("/about", "text/html").text


def test_a_file_is_answered_with_a_page(server, nlr):
    answer = server.request("POST", PATH, files={"file": ("../../etc/passwd", nlr)}, data={"format": "html"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "129 records" in answer.text
    assert answer.text.count("<tr class=") == 129
    assert "<progress" in answer.text
    assert 'href="/resource/rsl/01004039769"' in answer.text
    assert answer.text.rstrip().endswith("</html>")
    assert "passwd" not in answer.text
    russian = server.request("POST", PATH, content=nlr, headers={"accept": "text/html", "accept-language": "ru"}).text
    assert "Есть в каталоге" in russian
    assert "совпадает: основное заглавие" in russian
    assert "equal:" not in russian


def test_a_body_is_answered_with_a_line_for_each_record(server, nlr):
    found = lines(server.request("POST", PATH, content=nlr))
    assert [one["position"] for one in found] == list(range(1, 130))
    assert {one["outcome"] for one in found} == {"same"}
    assert {one["file"] for one in found} == {"upload"}


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet"])
def test_a_table_is_sent_when_it_is_complete(server, nlr, form):
    answer = server.request("POST", f"{PATH}?format={form}", content=nlr)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="match.{form}"'
    if form == "csv":
        assert answer.content.startswith(b"\xef\xbb\xbffile,position,")
        assert answer.text.count("\n") == 130
    elif form == "xlsx":
        assert len(list(openpyxl.load_workbook(io.BytesIO(answer.content)).active.values)) == 130
    else:
        assert answer.content[:4] == answer.content[-4:] == b"PAR1"


def test_a_page_shows_the_first_records_of_many(server, nlr, monkeypatch):
    monkeypatch.setattr("bibld.serve._matching.site._ROWS_SHOWN", 5)
    page = server.request("POST", PATH, content=nlr, headers={"accept": "text/html"}).text
    assert (page.count("<tr class="), "The first 5 records are shown" in page) == (5, True)


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, 400, "boundary"),
        ({"files": {"other": b"x"}}, 400, "Choose a file"),
        ({"files": {"file": ("name", b"")}}, 400, "Choose a file"),
        ({"files": [("file", b"x"), ("file", b"y")]}, 400, "files"),
        ({"data": {f"field{number}": "x" for number in range(20)}, "files": {"file": b"x"}}, 400, "fields"),
        ({"files": {"file": b"x"}, "data": {"format": "exe"}}, 400, "html, jsonl, csv, xlsx, parquet"),
    ],
)
def test_forms_that_cannot_be_answered_are_refused(server, sent, status, words):
    answer = server.request("POST", PATH, **sent)
    assert (answer.status_code, words in answer.json()["detail"]) == (status, True)


def packed(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


HOSTILE = {
    "nothing": b"",
    "noise": random.Random(1).randbytes(200_000),
    "zeros": bytes(100_000),
    "page": b"<!DOCTYPE html><html><body>404</body></html>",
    "entities": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><collection>&a;</collection>',
    "path out of the archive": packed("../../../../tmp/out.mrc", b"00026nam a2200025   4500\x1e\x1d"),
    "compressed zeros": gzip.compress(bytes(50_000_000)),
    "not quite gzip": b"\x1f\x8b\x08\x00" + bytes(50),
    "text": "Война и мир\n".encode() * 1000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_any_file_is_answered_with_what_is_wrong_with_it(server, name):
    found = lines(server.request("POST", PATH, content=HOSTILE[name]))
    assert found or not HOSTILE[name]
    for one in found:
        assert one.get("error") or one["message"] or one["outcome"] != "rejected"
        assert "bibld-match-" not in json.dumps(one)
        assert "root:" not in json.dumps(one)


def test_a_truncated_file_gives_the_records_before_its_end(server, nlr):
    found = lines(server.request("POST", PATH, content=nlr[: len(nlr) // 2]))
    assert [one["outcome"] for one in found][:10] == ["same"] * 10
    assert found[-1]["outcome"] == "rejected"


def test_a_file_is_matched_whatever_charset_and_compression_it_has(server, workspace, nlr):
    records = gzip.compress(nlr)
    archive = packed("записи.iso", nlr)
    for sent in (records, archive):
        assert {one["outcome"] for one in lines(server.request("POST", PATH, content=sent))} == {"same"}
    text = workspace.path.with_name("slavica.xml").read_text(encoding="utf-8")
    wide = text.replace('encoding="UTF-8"', 'encoding="UTF-16"').encode("utf-16")
    assert {one["outcome"] for one in lines(server.request("POST", PATH, content=wide))} == {"same"}


def test_a_file_that_is_too_large_is_refused(workspace):
    with running(restricted(workspace, size=1)) as client:
        answer = client.request("POST", PATH, content=bytes((1 << 20) + 1))
        assert (answer.status_code, "1,048,576 bytes" in answer.json()["detail"]) == (413, True)


def test_a_file_that_takes_too_long_ends_with_the_reason(workspace, nlr):
    with running(restricted(workspace, timeout=0.2)) as client:
        (found,) = lines(client.request("POST", PATH, content=nlr))
        assert found == {"error": "the file was not matched within 0.2 seconds; send it in parts"}
        table = client.request("POST", f"{PATH}?format=xlsx", content=nlr)
        assert (table.status_code, table.json()["detail"]) == (422, found["error"])
        page = client.request("POST", PATH, content=nlr, headers={"accept": "text/html"}).text
        assert "Not all of the file was matched" in page


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "needs more memory"),
        ("raise RuntimeError", "could not be matched to its end"),
        ('print(\'{"type":"record","rec\', end=\'\', flush=True)', "could not be matched to its end"),
        ("print('no message', flush=True)", "could not be matched to its end"),
        ("print('x' * 10_000_000, flush=True)", "could not be matched to its end"),
        ("import time; time.sleep(600)", "within 1.5 seconds"),
    ],
)
def test_however_the_process_ends_the_answer_has_an_end(workspace, nlr, script, words):
    site = msgspec.structs.replace(
        restricted(workspace, timeout=1.5),
        match_command=(sys.executable, "-c", f"import sys; sys.stdin.readline(); {script}"),
    )
    with running(site) as client:
        assert words in lines(client.request("POST", PATH, content=nlr))[-1]["error"]


def test_faults_of_the_workspace_are_nobody_elses_business(workspace, nlr):
    command = [*match_command(workspace.path)[:-1], str(workspace.path.with_name("secret.toml"))]
    site = msgspec.structs.replace(restricted(workspace), match_command=command)
    with running(site) as client:
        (found,) = lines(client.request("POST", PATH, content=nlr))
    assert "files cannot be matched now" in found["error"]
    assert "secret" not in found["error"]


def test_a_process_without_memory_or_disk_ends_with_the_reason(workspace, nlr, monkeypatch):
    monkeypatch.setattr(process, "_MEBIBYTE", 1 << 14)
    with running(restricted(workspace, memory=256)) as client:
        found = lines(client.request("POST", PATH, content=nlr))
        assert "error" in found[-1]


def test_a_client_has_one_file_here_at_a_time(workspace, nlr):
    with running(restricted(workspace, waiting=3)) as client:
        begun = client._loop.create_task(client._http.post(PATH, content=nlr))
        before = children()
        client.wait_until(lambda: bool(children() - before))
        refused = client.request("POST", PATH, content=nlr)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        assert len(lines(client.end(begun))) == 129


def test_without_workers_there_is_no_such_page(workspace, nlr):
    with running(restricted(workspace, workers=0)) as client:
        assert client.get(PATH).status_code == 404
        assert client.request("POST", PATH, content=nlr).status_code in (404, 405)
        assert f'href="{PATH}"' not in client.get("/about", "text/html").text
