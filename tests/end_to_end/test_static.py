"""A site of files: what a server of files needs to answer for every IRI of a release."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from bibld import Workspace
from bibld._api.site import open_site
from bibld.cli import command_line
from bibld.errors import StageError
from tests.end_to_end.test_suppression import BOOKS, Library, marc
from tests.ports import free_port, wait_for_server
from tests.serve.client import running

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

SERVICES = {"/sparql"}
"""What only a running server answers."""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Library:
    """Two libraries with a book in common; another was deleted, and one more is withdrawn."""
    made = Library(tmp_path_factory.mktemp("library"))
    made.run()
    made.books["nlr"] = BOOKS["nlr"][:1]
    made.run("rsl:2,,a court ordered it")
    return made


@pytest.fixture(scope="module")
def folder(library) -> Path:
    place = library.place / "static"
    Workspace(library.place / "bibld.toml").write_static_site(place)
    return place


def asked(library: Library, path: str, accept: str) -> bytes:
    site = open_site(Workspace(library.place / "bibld.toml"), library.loaded.serve)
    with running(site) as client:
        return client.get(path, accept=accept).content


def test_every_form_of_a_document_is_a_file_with_the_bytes_that_the_server_sends(library, folder):
    for form, accept in (("ttl", "text/turtle"), ("jsonld", "application/ld+json")):
        for path in ("doc/resource/rsl/1", "doc/record/nlr/1", "doc/dataset", "doc/ontology"):
            assert (folder / f"{path}.{form}").read_bytes() == asked(library, f"/{path}.{form}", accept), path
    assert "Tolstoy" in (folder / "doc/record/rsl/1.mrk").read_text(encoding="utf-8")
    assert (folder / "doc/resource/rsl/1.mods.xml").is_file()
    page = asked(library, "/doc/resource/rsl/1.html", "text/html").decode()
    written = (folder / "doc/resource/rsl/1.html").read_text(encoding="utf-8")
    assert "?lang=ru" in page
    assert re.findall("<h1.*?</h1>", page, re.DOTALL) == re.findall("<h1.*?</h1>", written, re.DOTALL)
    assert (folder / "ontology/context.jsonld").is_file()
    assert (folder / "doc/graph/provenance.ttl").is_file()
    assert (folder / "sitemap.xml").is_file()
    assert (folder / "dcat.ttl").is_file()
    release = Path(library.loaded.workspace / "releases/2")
    assert (folder / "dumps/bibld.nq.gz").read_bytes() == (release / "bibld.nq.gz").read_bytes()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("doc/resource/rsl/1", "doc/resource/rsl/1"),
        ("doc/resource/nlr/1", "doc/resource/rsl/1"),
        ("doc/record/nlr/1", "doc/record/nlr/1"),
        ("doc/resource/nlr/3", "doc/resource/nlr/3"),
        ("doc/dataset", "doc/dataset"),
        ("index", "index"),
        ("browse/people", "browse/people"),
        ("browse/people.t", "browse/people.t"),
        ("about", "about"),
    ],
)
def test_each_page_is_there_in_both_languages_which_lead_to_each_other(folder, name, other):
    english = (folder / f"{name}.html").read_text(encoding="utf-8")
    russian = (folder / f"{name}.ru.html").read_text(encoding="utf-8")
    assert '<html lang="en">' in english
    assert '<html lang="ru">' in russian
    assert f'href="/{other}.ru.html" hreflang="ru"' in english
    assert f'href="/{other}.html" hreflang="en"' in russian
    links = re.findall(r'href="(/(?:(?:resource|record|match|agent|dataset|ontology|about)[^"]*)?)"', russian)
    assert not [link for link in links if not re.search(r"\.ru\.html(#.*)?$", link) and "." not in link]


def test_at_each_iri_a_page_leads_to_the_document(folder):
    page = (folder / "resource/rsl/1/index.html").read_text(encoding="utf-8")
    assert 'content="0; url=/doc/resource/rsl/1.html"' in page
    assert '<link rel="alternate" type="text/turtle" href="/doc/resource/rsl/1.ttl">' in page


def test_an_absorbed_iri_has_the_files_of_the_one_that_answers(folder):
    assert 'url=/doc/resource/rsl/1.html"' in (folder / "resource/nlr/1/index.html").read_text(encoding="utf-8")
    assert (folder / "doc/resource/nlr/1.ttl").read_bytes() == (folder / "doc/resource/rsl/1.ttl").read_bytes()


def test_deleted_and_withdrawn_things_have_tombstones_and_are_marked(folder):
    for path, cause in (("resource/nlr/3", "was deleted from its source"), ("record/rsl/2", "was withdrawn")):
        assert (folder / f"doc/{path}.gone").read_bytes() == b""
        assert cause in (folder / f"doc/{path}.ttl").read_text(encoding="utf-8")
        assert "<html" in (folder / f"doc/{path}.html").read_text(encoding="utf-8")
        assert not (folder / f"doc/{path}.mods.xml").exists()
    texts = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file() and "doc" in file.parts)
    assert b"cherry" not in texts.lower(), "the withdrawn title"


def test_no_link_to_a_thing_leads_to_a_file_that_is_not_there(folder):
    missing = set()
    for page in folder.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="(/[^"#?]*)"', page.read_text(encoding="utf-8")):
            target = folder / link[1:]
            if not (target.is_file() or (target / "index.html").is_file()):
                missing.add(link)
    assert missing <= SERVICES


def test_lists_of_names_lead_from_letter_to_letter_and_to_the_names(folder):
    first = (folder / "index.html").read_text(encoding="utf-8")
    assert 'href="/browse/people"' in first
    assert 'url=/browse/people.html"' in (folder / "browse/people/index.html").read_text(encoding="utf-8")
    page = (folder / "browse/people.html").read_text(encoding="utf-8")
    assert set(re.findall(r'href="(/browse/people\.[^".]*)\.html"', page)) >= {"/browse/people.t"}
    names = re.findall(r'href="(/agent/[^"]*)"', (folder / "browse/people.t.html").read_text(encoding="utf-8"))
    assert names
    assert all((folder / f"doc{name}.html").is_file() for name in names)
    russian = (folder / "browse/people.t.ru.html").read_text(encoding="utf-8")
    assert all(f'href="/doc{name}.ru.html"' in russian for name in names)
    assert 'href="/browse/people.ru.html"' in russian


def test_a_site_is_replaced_and_nothing_else_is(library, folder, tmp_path):
    (folder / "resource/rsl/99.txt").write_text("of an earlier release")
    done = CliRunner().invoke(
        command_line, ["publish", str(library.place / "bibld.toml"), "--static", str(folder), "--quiet"]
    )
    assert done.exit_code == 0, done.output
    assert re.search(r"static site of release 2: \d+ documents in [\d,]+ files", done.output)
    assert not (folder / "resource/rsl/99.txt").exists()
    assert {file.name for file in folder.parent.iterdir()} >= {"static"}
    assert not list(folder.parent.glob("static.*"))
    (tmp_path / "mine.txt").write_text("not a site")
    with pytest.raises(StageError, match="exists and is not a site that bibld wrote"):
        Workspace(library.place / "bibld.toml").write_static_site(tmp_path)
    assert (tmp_path / "mine.txt").exists()


def test_pages_in_other_languages_and_further_pages_have_files(tmp_path):
    library = Library(tmp_path)
    library.books["rsl"] = [marc(str(number), f"Sketches, part {number}", "Dickens, Charles") for number in range(105)]
    library.run()
    place = library.place / "static"
    Workspace(library.place / "bibld.toml").write_static_site(place)
    (author,) = (place / "doc/agent").glob("*.page2.html")
    name = author.name.removesuffix(".page2.html")
    assert {file.name for file in author.parent.glob(f"{name}.*html")} == {
        f"{name}{variant}.html" for variant in ("", ".ru", ".page2", ".page2.ru", ".statements", ".statements.ru")
    }
    first = (author.parent / f"{name}.html").read_text(encoding="utf-8")
    assert f'href="/doc/agent/{name}.page2.html"' in first
    russian = (author.parent / f"{name}.page2.ru.html").read_text(encoding="utf-8")
    assert '<html lang="ru"' in russian
    assert f'href="/doc/agent/{name}.ru.html"' in russian
    assert '<html lang="ru"' in (place / "index.ru.html").read_text(encoding="utf-8")


@pytest.mark.server
@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
def test_a_mirror_finds_all_that_is_linked(folder, tmp_path):
    command = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]
    server = subprocess.Popen([*command[:1], "-u", *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert server.stdout is not None
    try:
        found = re.search(rb"http://127.0.0.1:[0-9]+/", server.stdout.readline())
        assert found is not None
        address = found[0].decode()
        log = tmp_path / "log"
        mirror = ["wget", "--mirror", "-nv", "-e", "robots=off", "-P", str(tmp_path), "-o", str(log), address]
        done = subprocess.run(mirror, timeout=600, check=False)
    finally:
        server.kill()
        server.communicate()
    assert done.returncode in (0, 8), log.read_text()  # 8: the server answered with an error
    missing = set(re.findall(r"^http://[^/]+(/[^?:]*).*:\n[^\n]*ERROR 404", log.read_text(), re.MULTILINE))
    assert missing <= SERVICES
    mirrored = {file.name for file in tmp_path.rglob("*.html") if "?" not in file.name}
    assert {"index.html", "index.ru.html", "1.html", "1.ru.html"} <= mirrored


@pytest.mark.server
@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_nginx_answers_with_the_right_types_and_statuses(folder, tmp_path):
    port = free_port()
    places = "\n".join(
        f"{name}_temp_path {tmp_path}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {places}\n"
        f"server {{ listen 127.0.0.1:{port}; root {folder}; include {folder}/nginx.conf; }} }}\n"
    )
    server = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
    try:
        wait_for_server(port, server)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
            check_answers(client)
    finally:
        server.kill()
        server.wait()


def check_answers(client: httpx.Client) -> None:
    types = {
        "/": "text/html; charset=utf-8",
        "/doc/resource/rsl/1.ttl": "text/turtle; charset=utf-8",
        "/doc/resource/rsl/1.nt": "application/n-triples",
        "/doc/resource/rsl/1.jsonld": "application/ld+json",
        "/doc/resource/rsl/1.rdf": "application/rdf+xml",
        "/doc/resource/rsl/1.mods.xml": "application/mods+xml",
        "/doc/resource/rsl/1.json": "application/json",
        "/doc/record/rsl/1.mrk": "text/plain; charset=utf-8",
        "/doc/record/rsl/1.marcxml": "application/marcxml+xml",
        "/dumps/bibld.nq.gz": "application/gzip",
        "/.well-known/void": "text/turtle; charset=utf-8",
    }
    for path, media_type in types.items():
        answer = client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, media_type), path
        assert answer.headers["access-control-allow-origin"] == "*", path
    for accept, form in (("text/turtle", "ttl"), ("application/ld+json", "jsonld"), ("text/html,*/*", "html")):
        for path in ("resource/rsl/1", "record/rsl/1", "dataset", "ontology"):
            answer = client.get(f"/{path}", headers={"accept": accept})
            assert answer.status_code == 303, path
            assert answer.headers["location"].endswith(f"/doc/{path}.{form}")
            assert answer.headers["vary"] == "Accept, Accept-Language, Cookie"
    for headers, page in (
        ({"accept-language": "ru-RU,ru;q=0.9,en;q=0.8"}, "1.ru.html"),
        ({"accept-language": "ru", "cookie": "lang=en"}, "1.html"),
        ({"accept-language": "en", "cookie": "lang=ru"}, "1.ru.html"),
    ):
        answer = client.get("/resource/rsl/1", headers={"accept": "text/html", **headers})
        assert answer.headers["location"].endswith(f"/doc/resource/rsl/{page}")
        assert client.get(answer.headers["location"]).headers["content-type"] == "text/html; charset=utf-8"
    for path in ("/resource/nlr/3", "/record/rsl/2", "/doc/resource/nlr/3.ttl"):
        answer = client.get(path)
        assert answer.status_code == 410, path
        assert "deleted" in answer.text or "withdrawn" in answer.text
    for path in ("/resource/rsl/77", "/doc/resource/rsl/77.ttl", "/nginx.conf", "/doc/resource/nlr/3.gone"):
        assert client.get(path).status_code == 404, path
