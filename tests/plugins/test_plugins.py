"""The distribution of ``add-an-adapter.md`` runs an adapter of every kind; one of broken plug-ins harms nothing."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import msgspec
import pytest

from bibld.protocols.adapters import STAGES
from tests.ports import free_port, wait_for_server

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

EXAMPLE = HERE / "card_catalogue" / "example"


def install(project: Path, site: Path) -> None:
    """Install a distribution without network: its package, and the metadata that its pyproject.toml states."""
    stated = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = stated["name"].replace("-", "_")
    shutil.copytree(project / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    info = site / f"{package}-{stated['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {stated['name']}\nVersion: {stated['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {target}" for name, target in points.items())])
        for group, points in stated["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n\n".join(groups), encoding="utf-8")


def install_beside_example(folder: Path, *projects: str) -> Path:
    """Copy the example of the card catalogue into a folder, beside a site of some distributions."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    for project in projects:
        install(HERE / project, folder / "site")
    return folder


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "site"), str(ROOT)])}


def bibld(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the distributions of a folder installed."""
    return subprocess.run(
        [sys.executable, "-m", "bibld", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    """A workspace that was run with adapters of another distribution alone."""
    folder = install_beside_example(tmp_path_factory.mktemp("cards"), "card_catalogue")
    done = bibld(folder, "run", "bibld.toml")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return folder


def test_every_kind_of_adapter_is_offered(cards):
    listed = msgspec.json.decode(bibld(cards, "adapters", "--json").stdout)
    offered = tomllib.loads((HERE / "card_catalogue" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    kinds = {group.removeprefix("bibld."): set(points) for group, points in offered["entry-points"].items()}
    assert set(kinds) == set(STAGES)
    for stage, names in kinds.items():
        assert names <= {row["name"] for row in listed if row["stage"] == stage and "broken" not in row["about"]}


def test_records_are_fetched_read_converted_matched_and_merged_by_plugins(cards):
    explained = msgspec.json.decode(bibld(cards, "explain", "bibld.toml", "one:1", "two:a", "--json").stdout)
    assert explained["by"] == "same_words"
    assert explained["score"] == pytest.approx(0.8)
    assert "first words" in str(explained)
    with gzip.open(cards / "build" / "releases" / "1" / "bibld.nq.gz", "rt", encoding="utf-8") as dump:
        quads = dump.read()
    titles = [line for line in quads.splitlines() if "/dc/terms/title>" in line]
    assert any('"The sea and the sky"' in line for line in titles), "the marks were not taken off"
    assert not any("blue sky" in line for line in titles), "the policy is not shortest"
    assert '"Mountains"' in quads
    assert "5.-" not in quads
    titles_part = (cards / "build" / "releases" / "1" / "titles.tsv").read_text(encoding="utf-8")
    assert titles_part.count("\n") == 3
    assert "titles.tsv" in (cards / "build" / "releases" / "1" / "manifest.json").read_text(encoding="utf-8")


def test_the_store_of_a_plugin_is_filled_and_served(cards):
    assert (cards / "build" / "store" / "quads.nq").read_text(encoding="utf-8").count("\n") > 100
    with serving(cards) as address:
        query = urlencode({"query": "SELECT ?title { ?s <http://purl.org/dc/terms/title> ?title }", "format": "csv"})
        with urlopen(f"{address}/sparql?{query}", timeout=600) as answer:
            assert "The sea and the sky" in answer.read().decode()
        with urlopen(Request(f"{address}/resource/one/1", headers={"Accept": "text/turtle"}), timeout=600) as answer:
            assert "The sea and the sky" in answer.read().decode()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "bibld", "serve", "bibld.toml", "--port", str(port)],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            wait_for_server(port, server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_broken_plugins_cost_a_line_each_and_their_records_alone(tmp_path):
    folder = install_beside_example(tmp_path, "card_catalogue", "broken_plugins")
    config = (folder / "bibld.toml").read_text(encoding="utf-8")
    (folder / "bibld.toml").write_text(
        config.replace('drawer = "second"', 'drawer = "second"\ncrosswalk = "stumbling"'), encoding="utf-8"
    )
    cards = (folder / "first" / "a.cards").read_text(encoding="utf-8")
    smudged = cards + "number: 3\ntitle: SMUDGE\n--\n" + "number: 4\ntitle: After\n--\n"
    (folder / "first" / "a.cards").write_text(smudged, encoding="utf-8")
    (folder / "second" / "b.cards").write_text("number: c\ntitle: Without an author\n--\n", encoding="utf-8")
    done = bibld(folder, "run", "bibld.toml")
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "plug-in" in line]
    assert len(lines) == 6
    assert all("(broken-plugins 0.1: broken_plugins." in line for line in lines)
    listed = bibld(folder, "adapters").stdout.splitlines()
    assert sum("broken: " in line for line in listed) == 6
    rejects = msgspec.json.decode(bibld(folder, "catalog", "rejects", "bibld.toml", "--json").stdout)
    reasons = {(row["origin"]["file"], row["origin"]["position"]): row["reason"] for row in rejects}
    assert set(reasons) == {
        ("first/a.cards", 3),
        ("second/b.cards", 1),
    }
    for place, words in {
        ("first/a.cards", 3): ("fragile", "IndexError: smudge"),
        ("second/b.cards", 1): ("stumbling", "StopIteration"),
    }.items():
        assert all(word in reasons[place] for word in words), reasons[place]
    assert "releases/1" in done.stdout
    torn = smudged + "number: 5\ntitle: TORN\n--\n"
    (folder / "first" / "a.cards").write_text(torn, encoding="utf-8")
    (folder / "first" / "b.cards").write_text("number: 6\ntitle: EMPTY\n--\n", encoding="utf-8")
    done = bibld(folder, "run", "bibld.toml", "-q")
    assert done.returncode == 4
    doubts = [line for line in done.stderr.splitlines() if "keeps its old state" in line]
    assert ("raws()" in doubts[0] and "KeyError: 'torn'" in doubts[0], len(doubts)) == (True, 2), doubts
    assert "examine()" in doubts[1] and "ZeroDivisionError" in doubts[1]
