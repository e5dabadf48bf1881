"""Files from servers (HTTP, SFTP, S3): what changed is fetched, nothing damaged replaces what was there."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import resource
import threading
import zipfile
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import msgspec
import pytest

from bibld import harvest, ingest
from bibld.harvest import HarvestOptions
from bibld.harvest._records import StoredFiles
from bibld.harvest.s3 import Signature
from bibld.ingest import inspect_sources
from bibld.progress import Silent
from tests.configuration import load_config
from tests.harvest import file_servers
from tests.operation.test_faults import record

BOOKS = b"".join(record(number) for number in range(1, 3001))
OTHER = b"".join(record(number) for number in range(4001, 4101))


def configured(folder, *lines):
    return load_config(folder, "\n".join(["[[source]]", 'id = "lib"', *lines, ""]))


def fetched(config, **options):
    return harvest.harvest_source(config, config.sources[0], Silent(), HarvestOptions(**options))


def contents(config):
    return [file.path.read_bytes() for file in ingest.source_files(config, config.sources[0])]


def parts(config):
    return [path for path in config.workspace.rglob("*") if ".part" in path.name]


# -- HTTP --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def web():
    with file_servers.web() as found:
        found.files["/dump/books.mrc"] = BOOKS
        yield found


def of_web(folder, web, *lines):
    stated = [f'url = "{web.url}/dump/books.mrc"', "tries = 3", "first_wait = 0.01", 'harvest = "http"']
    keys = {line.split()[0] for line in lines}
    return configured(folder, *(line for line in stated if line.split()[0] not in keys), *lines)


def test_a_file_is_fetched_and_not_again_until_it_changes(web, tmp_path):
    config = of_web(tmp_path, web)
    assert (fetched(config).outcome, contents(config)) == ("complete", [BOOKS])
    again = fetched(config)
    assert (again.outcome, again.new, again.changed, contents(config)) == ("complete", 0, 0, [BOOKS])
    assert "if-none-match" in web.requests[-1][1]
    web.files["/dump/books.mrc"] = OTHER
    changed = fetched(config)
    assert (changed.outcome, changed.changed, contents(config)) == ("complete", 1, [OTHER])
    assert len(list((config.workspace / "harvest" / "lib" / "files").iterdir())) == 1


def test_a_file_without_a_version_is_fetched_and_compared(web, tmp_path):
    web.has_versions = False
    config = of_web(tmp_path, web)
    assert [fetched(config).new for _ in range(2)] == [1, 0]


def test_a_transfer_that_breaks_off_is_continued(web, tmp_path):
    web.cuts = [100_000, 50_000]
    config = of_web(tmp_path, web)
    assert (fetched(config).outcome, contents(config), parts(config)) == ("complete", [BOOKS], [])
    assert [headers.get("range") for _, headers in web.requests] == [None, "bytes=100000-", "bytes=150000-"]


def test_a_transfer_is_continued_by_the_next_run(web, tmp_path):
    web.cuts = [100_000, 10, 10]
    config = of_web(tmp_path, web)
    first = fetched(config)
    assert first.outcome == "failed"
    assert "the answer broke off" in first.reasons[0]
    assert (fetched(config).outcome, contents(config)) == ("complete", [BOOKS])
    assert web.requests[-1][1]["range"] == "bytes=100020-"


def test_a_file_that_changes_during_its_transfer_is_never_mixed(web, tmp_path):
    web.cuts, web.changes = [100_000], [{"/dump/books.mrc": OTHER}]
    config = of_web(tmp_path, web)
    assert (fetched(config).outcome, contents(config)) == ("complete", [OTHER])


def test_a_transfer_without_a_version_begins_again(web, tmp_path):
    web.has_versions, web.cuts = False, [100_000]
    config = of_web(tmp_path, web)
    assert (fetched(config).outcome, contents(config)) == ("complete", [BOOKS])


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda web: web.files.update({"/dump/books.mrc": b"<!DOCTYPE html><html>login"}), "is a web page, not data"),
        (lambda web: web.files.update({"/dump/books.mrc": b""}), "is empty"),
        (lambda web: web.files.clear(), "status 404"),
        (lambda web: setattr(web, "stated_length", 10**9), "the answer broke off"),
        (lambda web: setattr(web, "status", 503), "status 503"),
        (lambda web: setattr(web, "status", 403), "refused with status 403"),
    ],
)
def test_what_is_not_the_file_leaves_the_last_version(damage, message, web, tmp_path):
    config = of_web(tmp_path, web)
    fetched(config)
    damage(web)
    result = fetched(config, full=True)
    assert result.outcome == "partial"
    assert message in result.reasons[0]
    assert contents(config) == [BOOKS]


def test_a_check_sum_beside_the_file_is_compared(web, tmp_path):
    web.files["/dump/books.mrc.sha256"] = b"0" * 64 + b"  books.mrc\n"
    config = of_web(tmp_path, web, 'checksum = ".sha256"')
    assert "SHA-256 check sum is wrong" in fetched(config).reasons[0]
    web.files["/dump/books.mrc.sha256"] = hashlib.md5(BOOKS).hexdigest().encode()
    assert fetched(config).outcome == "complete"


def test_the_links_of_a_page_are_files_and_those_elsewhere_are_not_followed(web, tmp_path):
    web.files["/dump/"] = (
        b'<html><a href="../">up</a><a href="books.mrc">1</a><a href="b.mrc?x=1#y">2</a><a href="http://127.0.0.1:1/c.mrc">'
        b'3</a><a href="/other/d.mrc">4</a><a href="e.txt.part">5</a><a href="f.txt">6</a><a href="file:///etc/g.mrc">'
    )
    web.files["/dump/b.mrc?x=1"] = OTHER
    config = of_web(tmp_path, web, f'url = "{web.url}/dump/"', 'links = "*.mrc"')
    assert (fetched(config).outcome, contents(config)) == ("complete", [OTHER, BOOKS])
    probed = harvest.probe_result(config, config.sources[0], Silent())
    assert probed.remarks == (f"2 files, such as {web.url}/dump/b.mrc?x=1",)
    web.files["/dump/"] = b'<html><a href="books.mrc">1</a>'
    removed = fetched(config)
    assert (removed.outcome, removed.removed, contents(config)) == ("complete", 1, [BOOKS])
    web.files["/dump/"] = b"<html>empty"
    assert (fetched(config).outcome, contents(config)) == ("failed", [BOOKS])


@pytest.mark.parametrize(
    "page, message",
    [
        (b"<html>empty", "/other/: no link of the page matches *.mrc"),
        (b'<a href="b.mrc.part">', "b.mrc.part: still being written; the next run fetches it"),
        (b'<a href="c.mrc">c</a><a href=".b.mrc.x7Ab3Q">', ".b.mrc.x7Ab3Q: still being written"),
        (None, "/other/: status 404"),
    ],
)
def test_a_file_that_is_being_replaced_on_one_of_two_pages_is_not_removed(page, message, web, tmp_path):
    web.files |= {"/dump/": b'<a href="books.mrc">', "/other/": b'<a href="b.mrc">', "/other/b.mrc": OTHER}
    web.files["/other/c.mrc"] = record(1)
    lines = f'url = "{web.url}/dump/"', f'urls = ["{web.url}/other/"]', 'links = "*.mrc"'
    config = of_web(tmp_path, web, *lines)
    assert fetched(config).outcome == "complete"
    if page is None:
        del web.files["/other/"]
    else:
        web.files["/other/"] = page
    result = fetched(config)
    assert (result.outcome, result.removed) == ("partial", 0)
    assert message in "; ".join(result.reasons)
    assert {BOOKS, OTHER} <= set(contents(config))
    web.files["/other/"] = b'<a href="c.mrc">'
    assert (fetched(config).removed, contents(config)) == (1, [BOOKS, record(1)])


def test_a_link_that_is_no_address_is_left_out_and_noted(web, tmp_path):
    web.files["/dump/"] = b'<a href="http://[x">1</a><a href="http://x:y/a.mrc">2</a><a href="books.mrc">3</a>'
    config = of_web(tmp_path, web, f'url = "{web.url}/dump/"', 'links = "*.mrc"')
    result = fetched(config)
    assert (result.outcome, result.faults, contents(config)) == ("complete", 2, [BOOKS])


def test_files_of_equal_content_and_similar_names_are_two_files(web, tmp_path):
    names = [f"/dump/{word}.mrc" for word in ("%D0%BA%D0%BD", "%D0%BD%D0%BA")]
    web.files |= dict.fromkeys(names, OTHER)
    config = of_web(tmp_path, web, f'url = "{web.url}{names[0]}"', f'urls = ["{web.url}{names[1]}"]')
    fetched(config)
    web.files[names[0]] = BOOKS
    assert (fetched(config).outcome, sorted(contents(config))) == ("complete", sorted([BOOKS, OTHER]))
    assert len({file.path for file in ingest.source_files(config, config.sources[0])}) == 2


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(BOOKS[:100])])
def test_a_stored_file_that_is_lost_or_cut_puts_the_source_in_doubt_and_is_fetched_again(damage, web, tmp_path):
    config = of_web(tmp_path, web)
    fetched(config)
    (file,) = ingest.source_files(config, config.sources[0])
    damage(file.path)
    (inspection,) = inspect_sources(config, Silent())
    assert "the workspace lacks a fetched file" in inspection.doubts[0]
    assert (fetched(config).outcome, contents(config)) == ("complete", [BOOKS])


def test_a_kill_before_the_commit_keeps_the_last_version(web, tmp_path, monkeypatch):
    config = of_web(tmp_path, web)
    fetched(config)
    web.files["/dump/books.mrc"] = OTHER

    class Killed(BaseException):
        pass

    def kill(*parts, **named):
        keep(*parts, **named)
        raise Killed

    keep = StoredFiles.keep
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(StoredFiles, "keep", kill)
        fetched(config)
    assert contents(config) == [BOOKS]
    assert (fetched(config).outcome, contents(config)) == ("complete", [OTHER])
    assert len(list((config.workspace / "harvest" / "lib" / "files").iterdir())) == 1


def test_a_file_of_more_bytes_than_are_allowed_is_refused(web, tmp_path):
    config = of_web(tmp_path, web, "max_file_bytes = 1000")
    result = fetched(config)
    assert result.outcome == "failed"
    assert "has more than 1,000 bytes; state max_file_bytes" in result.reasons[0]
    assert list((config.workspace / "harvest" / "lib" / "files").iterdir()) == []


def test_a_file_that_states_more_bytes_than_are_allowed_is_not_begun(web, tmp_path):
    web.stated_length = 10**15
    config = of_web(tmp_path, web, f"max_file_bytes = {len(BOOKS)}")
    result = fetched(config)
    assert (result.outcome, len(web.requests)) == ("failed", 1)  # no second try
    assert f"has more than {len(BOOKS):,} bytes" in result.reasons[0]


def test_a_file_without_an_end_is_stopped_at_the_limit(tmp_path):
    sent = []

    class Endless(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(2000):
                    self.wfile.write(BOOKS[:100_000])
                    sent.append(100_000)

        def log_message(self, *parts):
            pass

    with HTTPServer(("127.0.0.1", 0), Endless) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/endless.mrc"
        config = configured(tmp_path, f'url = "{url}"', 'harvest = "http"', "tries = 3", "max_file_bytes = 300000")
        result = fetched(config)
        thread.join()
    assert (result.outcome, parts(config)) == ("failed", [])
    assert "has more than 300,000 bytes" in result.reasons[0]
    assert sum(sent) < 100_000_000  # what the kernel buffers, not 200 MB


def test_what_fills_the_disk_is_discarded(web, tmp_path):
    config = of_web(tmp_path, web, "tries = 1")
    fetched(config)
    web.files["/dump/books.mrc"] = BOOKS * 20
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, limits[1]))
    try:
        result = fetched(config)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (result.outcome, parts(config)) == ("partial", [])
    assert "free some space" in result.reasons[0]
    assert contents(config) == [BOOKS]


def test_one_of_two_files_that_fails_keeps_its_last_version_and_the_other_is_fetched(web, tmp_path):
    web.files["/b.mrc"] = OTHER
    config = of_web(tmp_path, web, f'urls = ["{web.url}/b.mrc"]')
    fetched(config)
    web.files["/b.mrc"] = OTHER[: len(OTHER) // 2]
    del web.files["/dump/books.mrc"]
    result = fetched(config)
    assert (result.outcome, result.changed) == ("partial", 1)
    assert sorted(map(len, contents(config))) == sorted([len(OTHER) // 2, len(BOOKS)])


def test_an_archive_from_a_server_is_unpacked(web, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("books.mrc", BOOKS)
    web.files["/x.zip"] = (tmp_path / "x.zip").read_bytes()
    config = of_web(tmp_path, web, f'url = "{web.url}/x.zip"')
    fetched(config)
    assert contents(config) == [BOOKS]


# -- SFTP --------------------------------------------------------------------------------------------------------------

pytest.importorskip("paramiko", reason="paramiko is not installed (bibld[sftp])")
needs_sshd = pytest.mark.skipif(not file_servers.SSHD, reason="sshd is not installed (Debian: openssh-server)")


@pytest.fixture
def keys(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("sshd")
    monkeypatch.setenv("SFTP_USER", getpass.getuser())
    with file_servers.sshd(folder) as port:
        (folder / "export").mkdir()
        (folder / "export" / "a.mrc").write_bytes(BOOKS)
        (folder / "export" / "b.mrc").write_bytes(OTHER)
        (folder / "export" / "c.txt.filepart").write_bytes(OTHER)
        (folder / "export" / "d.mrc").mkdir()
        yield folder, port


def of_sftp(folder, keys, *lines):
    place, port = keys
    stated = [
        'harvest = "sftp"',
        'host = "127.0.0.1"',
        f"port = {port}",
        f'path = "{place}/export/*.mrc*"',
        'user = { env = "SFTP_USER" }',
        f'key_file = "{place}/user"',
        f'known_hosts = "{place}/known_hosts"',
        "deadline = 300",
        "tries = 1",
    ]
    names = {line.split()[0] for line in lines}
    return configured(folder, *(line for line in stated if line.split()[0] not in names), *lines)


@needs_sshd
@pytest.mark.server
def test_files_are_fetched_over_sftp_and_not_again_until_they_change(keys, tmp_path):
    place, _ = keys
    config = of_sftp(tmp_path, keys)
    first = fetched(config)
    assert (first.outcome, first.reasons, first.new, contents(config)) == ("complete", (), 2, [BOOKS, OTHER])
    assert harvest.probe_result(config, config.sources[0], Silent()).remarks == (
        f"2 files, such as {place}/export/a.mrc",
    )
    again = fetched(config)
    assert (again.outcome, again.new, again.changed) == ("complete", 0, 0)
    (place / "export" / "a.mrc").unlink()
    (place / "export" / "b.mrc").write_bytes(BOOKS)
    changed = fetched(config)
    assert (changed.outcome, changed.changed, changed.removed, contents(config)) == ("complete", 1, 1, [BOOKS])
    (place / "export" / "b.mrc").unlink()
    last = fetched(config)
    assert (last.outcome, contents(config)) == ("failed", [BOOKS])
    assert "no file matches" in last.reasons[0]


@needs_sshd
@pytest.mark.server
def test_a_file_that_is_being_replaced_over_sftp_is_not_removed(keys, tmp_path):
    place, _ = keys
    config = of_sftp(tmp_path, keys, f'path = ["{place}/export/a*.mrc", "{place}/export/b*.mrc"]')
    fetched(config)
    (place / "export" / "b.mrc").rename(place / "export" / "b.mrc.filepart")
    result = fetched(config)
    assert (result.outcome, result.removed, contents(config)) == ("partial", 0, [BOOKS, OTHER])
    assert [reason.rpartition("/")[2] for reason in result.reasons] == [
        "b.mrc.filepart: still being written; the next run fetches it",
        "b*.mrc",
    ]
    (place / "export" / "b.mrc.filepart").unlink()
    assert (fetched(config).outcome, contents(config)) == ("partial", [BOOKS, OTHER])


@needs_sshd
@pytest.mark.server
def test_a_file_of_more_bytes_than_are_allowed_is_not_fetched_over_sftp(keys, tmp_path):
    config = of_sftp(tmp_path, keys, f"max_file_bytes = {len(OTHER)}")
    result = fetched(config)
    assert (result.outcome, contents(config), parts(config)) == ("partial", [OTHER], [])
    assert "state max_file_bytes" in result.reasons[0]


@needs_sshd
@pytest.mark.server
def test_an_interrupted_transfer_over_sftp_is_continued(keys, tmp_path):
    place, _ = keys
    config = of_sftp(tmp_path, keys, f'path = "{place}/export/a.mrc"')
    with harvest.SourceStore(config.workspace, "lib") as store, store.commit():
        name = f"{hashlib.sha256(f'{place}/export/a.mrc'.encode()).hexdigest()[:12]}.part"
        status = (place / "export" / "a.mrc").stat()
        version = msgspec.defstruct("Version", [("size", int), ("changed", str)])
        store.set_value(f"part {name}", version(status.st_size, str(int(status.st_mtime))))
        store.files.folder.mkdir(parents=True)
        (store.files.folder / name).write_bytes(b"*" * 1000)
    assert fetched(config).outcome == "complete"
    assert contents(config) == [b"*" * 1000 + BOOKS[1000:]], "the bytes that were there were not fetched again"


@needs_sshd
@pytest.mark.server
@pytest.mark.parametrize(
    "line, message",
    [
        ('key_file = "{0}/stranger"', "the server refuses user, password or key"),
        ('known_hosts = "{0}/none"', "the server is not in"),
        ('path = "/nosuch/*.mrc"', "/nosuch/*.mrc: No such file; is the path right?"),
        ("port = 1", "no connection"),
    ],
)
def test_what_is_wrong_with_sftp_is_a_failed_harvest_that_states_it(line, message, keys, tmp_path):
    result = fetched(of_sftp(tmp_path, keys, line.format(keys[0])))
    assert result.outcome == "failed"
    assert message in result.reasons[0]


@needs_sshd
@pytest.mark.server
def test_a_server_with_another_key_is_refused(keys, tmp_path):
    place, port = keys
    other = (place / "stranger.pub").read_text().split()
    (place / "known_hosts").write_text(f"[127.0.0.1]:{port} {other[0]} {other[1]}\n")
    assert "the key of the server is not the one in" in fetched(of_sftp(tmp_path, keys)).reasons[0]


# -- S3 ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def storage():
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("flask_cors", reason="flask-cors is not installed")
    with file_servers.s3() as found:
        yield found


@pytest.mark.server
@pytest.mark.filterwarnings("ignore")
def test_objects_are_fetched_and_not_again_until_they_change(storage, tmp_path, monkeypatch):
    url, client = storage
    monkeypatch.setenv("S3_KEY", "key")
    monkeypatch.setenv("S3_SECRET", "secret")
    client.create_bucket(Bucket="dumps")
    for key, data in (("2026/книги +1.mrc", BOOKS), ("2026/b.mrc", OTHER), ("2026/c.txt", b"x"), ("2025/d.mrc", b"x")):
        client.put_object(Bucket="dumps", Key=key, Body=data)
    config = configured(
        tmp_path,
        'harvest = "s3"',
        f'url = "{url}"',
        'bucket = "dumps"',
        'prefix = "2026/"',
        'files = "*.mrc"',
        'user = { env = "S3_KEY" }',
        'password = { env = "S3_SECRET" }',
        "tries = 1",
    )
    first = fetched(config)
    assert (first.outcome, first.reasons, first.new, contents(config)) == ("complete", (), 2, [OTHER, BOOKS])
    again = fetched(config)
    assert (again.outcome, again.new, again.changed, again.requests) == ("complete", 0, 0, 1)
    client.put_object(Bucket="dumps", Key="2026/b.mrc", Body=BOOKS)
    client.delete_object(Bucket="dumps", Key="2026/книги +1.mrc")
    changed = fetched(config)
    assert (changed.outcome, changed.changed, changed.removed, contents(config)) == ("complete", 1, 1, [BOOKS])
    (remark,) = harvest.probe_result(config, config.sources[0], Silent()).remarks
    assert remark == "1 objects, such as 2026/b.mrc"
    client.delete_object(Bucket="dumps", Key="2026/b.mrc")
    assert (fetched(config).outcome, contents(config)) == ("failed", [BOOKS])


@pytest.mark.server
@pytest.mark.filterwarnings("ignore")
def test_a_bucket_of_many_objects_is_listed_to_its_end(storage, tmp_path, monkeypatch):
    url, client = storage
    client.create_bucket(Bucket="many")
    for number in range(1005):
        client.put_object(Bucket="many", Key=f"{number:04}.txt", Body=b"x")
    client.put_object(Bucket="many", Key="last.mrc", Body=OTHER)
    monkeypatch.setenv("S3_KEY", "key")
    user = 'user = { env = "S3_KEY" }\npassword = { env = "S3_KEY" }'
    lines = ['harvest = "s3"', f'url = "{url}"', 'bucket = "many"', 'files = "*.mrc"', user]
    config = configured(tmp_path, *lines)
    assert (fetched(config).outcome, contents(config)) == ("complete", [OTHER])
    missing = configured(tmp_path, *(line.replace("many", "nosuch") for line in lines), "tries = 1")
    assert "NoSuchBucket" in fetched(missing).reasons[0]


def test_requests_are_signed_as_the_library_of_amazon_does():
    auth = pytest.importorskip("botocore.auth")
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    at = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    for url in (
        "https://storage.example.org/dumps?list-type=2&prefix=2026%2F",
        "http://127.0.0.1:9000/dumps/2026/%D0%BA%20%2B1.mrc",
    ):
        ours = httpx.Request("GET", url)
        next(Signature("key", "secret", "eu-west-1", lambda: at).auth_flow(ours))
        names = ("host", "x-amz-date", "x-amz-content-sha256")
        theirs = AWSRequest("GET", url, headers={name: ours.headers[name] for name in names})
        theirs.context["timestamp"] = ours.headers["x-amz-date"]
        signer = auth.S3SigV4Auth(Credentials("key", "secret"), "s3", "eu-west-1")
        canonical = signer.canonical_request(theirs)
        signature = signer.signature(signer.string_to_sign(theirs, canonical), theirs)
        assert ours.headers["authorization"].endswith(f"Signature={signature}")
