"""The pages in a real browser: they show the merge, and request nothing from other hosts."""

import re
import shutil
import subprocess
import sys

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.server,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="module")
def server(sample):
    with subprocess.Popen(
        [sys.executable, "-m", "bibld", "serve", str(sample.file), "--port", "0"], stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stderr.readline()
        address = re.search(r"http://[0-9.:]+/", line)
        assert address, line + process.stderr.read()
        yield address[0]
        process.terminate()
        process.communicate(timeout=600)


@pytest.fixture
def page(server, tmp_path):
    def page(path: str) -> str:
        done = subprocess.run(
            [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}", "--dump-dom", server + path],
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        assert "Content Security Policy" not in done.stderr, "the page asks for what its own policy forbids"
        return done.stdout

    return page


def test_the_home_page_leads_to_a_merged_publication_and_the_reasons_for_merging_it(page):
    home = page("")
    assert "Three libraries as Linked Open Data" in home
    merged = re.search(r'href="/(resource/[^"]+)"', home)
    assert merged, "the home page shows no publication"
    shown = page(merged[1])
    assert "Source records" in shown
    assert "Why these were merged" in shown
    assert re.search(r"<span[^>]*>\s*(rsl|nlr|slavica)\s*</span>", shown), "no value names its source"
    for form in ("ttl", "nt", "jsonld", "rdf", "mods.xml"):
        assert f'.{form}"' in shown


def test_the_sparql_page_answers_a_query(page):
    query = "SELECT%20(COUNT(*)%20AS%20%3Fn)%20WHERE%20%7B%20%3Fs%20a%20%3Fc%20%7D"
    assert re.search(r"<td[^>]*>.*?\d{3,}", page(f"sparql?query={query}"), re.DOTALL)


def test_pages_load_no_file_from_other_hosts(page, server):
    pages = (
        "",
        "sparql",
        "dataset",
        "ontology",
        "ontology/terms?lang=ru",
        "ontology/alignment",
        "ontology/shapes?lang=ru",
    )
    for path in pages:
        used = re.findall(r'(?:src|<link[^>]*href)="(https?://[^"]+)"', page(path))
        assert not [address for address in used if not address.startswith(server)]
