"""Programs that people use read the documents and the feed of a real server.

`rapper` is in the Debian package raptor2-utils. Comunica: see ``tests/serve/test_clients.py``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pyoxigraph as ox
import pytest

from bibld import Workspace
from bibld.documents import open_published
from tests.end_to_end.conftest import CLOCK, drop_records, sample_in
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
COMUNICA = Path(os.environ.get("BIBLD_TEST_COMUNICA", ROOT / "build" / "clients"))
SCRIPT = """
import { QueryEngine } from "@comunica/query-sparql";
const [sources, query] = process.argv.slice(2);
const found = await new QueryEngine().queryBindings(query, { sources: JSON.parse(sources) });
console.log(JSON.stringify((await found.toArray()).map((row) => row.get("value").value)));
"""
DOCUMENT = "resource/rsl/01005485442"
PUBLISHED = "http://purl.org/dc/terms/issued"

pytestmark = pytest.mark.server
needs_rapper = pytest.mark.skipif(shutil.which("rapper") is None, reason="rapper (raptor2-utils) is not installed")
needs_comunica = pytest.mark.skipif(
    shutil.which("node") is None or not (COMUNICA / "node_modules" / "@comunica" / "query-sparql").is_dir(),
    reason="Comunica is not installed in build/clients",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server of two releases at the address that their IRIs have, so that clients can follow them: its workspace."""
    port = free_port("localhost")
    file = sample_in(tmp_path_factory.mktemp("clients")).file
    text = file.read_text(encoding="utf-8").replace("localhost:8000", f"localhost:{port}")
    file.write_text(text.replace("../build/sample", "workspace"), encoding="utf-8")
    workspace = Workspace(file)
    workspace.run(at=CLOCK)
    drop_records(workspace, 3)
    workspace.run(at=CLOCK + timedelta(days=1))
    command = [sys.executable, "-m", "bibld", "serve", str(file), "--host", "localhost", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "serving release 2" in line, line + process.stderr.read()
        yield workspace
    finally:
        process.terminate()
        process.communicate(timeout=600)


@pytest.fixture(scope="module")
def base(site) -> str:
    return site.config.dataset.base


@pytest.fixture(scope="module")
def documents(site):
    """The documents of some things of every kind: path → what the release states."""
    found = {}
    with open_published(site.config.workspace, 2) as view:
        for folder in ("resource/", "record/", "agent/", "concept/", "place/", "publisher/", "series/", "match/"):
            each = [one for one in view.documents(folder) if one.status == 200]
            found |= {one.path: one.quads for one in each[:: max(1, len(each) // 4)][:4]}
    return found


# -- rapper ------------------------------------------------------------------------------------------------------------


@needs_rapper
@pytest.mark.parametrize(("form", "syntax"), [("ttl", "turtle"), ("rdf", "rdfxml"), ("nt", "ntriples")])
def test_rapper_reads_what_the_release_states(base, documents, form, syntax):
    for path, quads in documents.items():
        command = ["rapper", "-q", "-i", syntax, "-o", "ntriples", f"{base}doc/{path}.{form}"]
        done = subprocess.run(command, capture_output=True, timeout=600, check=False)
        assert (done.returncode, done.stderr) == (0, b""), (path, done.stderr)
        read = {each.triple for each in ox.parse(done.stdout, format=ox.RdfFormat.N_TRIPLES)}
        expected = {each.triple for each in ox.parse(quads, format=ox.RdfFormat.N_QUADS)}
        assert expected <= read, path


@needs_rapper
def test_rapper_reads_the_description_of_the_dataset_by_its_well_known_address(base):
    command = ["rapper", "-q", "-c", "-i", "turtle", f"{base}.well-known/void"]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


# -- Comunica ----------------------------------------------------------------------------------------------------------


def ask_comunica(query: str, *sources: str) -> list[str]:
    script = COMUNICA / "documents.mjs"
    script.write_text(SCRIPT, encoding="utf-8")
    command = ["node", str(script), json.dumps(sources), query]
    done = subprocess.run(command, capture_output=True, timeout=600, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@needs_comunica
def test_comunica_reads_a_document_by_its_iri(base):
    thing = f"{base}{DOCUMENT}"
    found = ask_comunica(f"SELECT ?value {{ <{thing}> <http://purl.org/dc/terms/title> ?value }}", thing)
    assert any("Мастер и Маргарита" in each for each in found), found


@needs_comunica
def test_comunica_reads_the_feed_page_by_page(site, base):
    tree = "PREFIX tree: <https://w3id.org/tree#>"
    pages = ask_comunica(
        f"{tree} SELECT ?value {{ <{base}dumps/feed.ttl> tree:relation/tree:node ?value }}", f"{base}dumps/feed.ttl"
    )
    things = ask_comunica(
        f"{tree} SELECT DISTINCT ?value {{ ?stream tree:member/<http://purl.org/dc/terms/isVersionOf> ?value }}", *pages
    )
    _, *rows = (site.config.workspace / "releases/2/changes.tsv").read_text(encoding="utf-8").splitlines()
    assert sorted(things) == sorted(row.split("\t")[0] for row in rows)
