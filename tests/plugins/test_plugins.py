"""A distribution that brings an adapter of every kind runs all of them; one of broken plug-ins harms nothing."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from bibld.adapters import STAGES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

CONFIG = """
workspace = "build"
workers = 1

[dataset]
base = "https://data.example.org/"
title = { en = "Cards" }
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "Nobody"

[[source]]
id = "one"
harvest = "drawer"
drawer = "first"

[[source]]
id = "two"
harvest = "drawer"
drawer = "second"
READ_AND_CROSSWALK

[crosswalk.cardfile]
marks = " /:."

[dedup]
block = ["first_words"]
score = "same_words"

[dedup.first_words]
words = 1

[dedup.same_words]
same = 0.7

[merge]
title_info = "shortest"

[store]
backend = "textfile"
"""

FIRST = """number: 1
title: The sea and the sky :
author: Ann Author
year: 1999
price: 5.-
--
number: 2
title: Mountains
author: Bob Builder
--
"""
SECOND = """number: a
title: The sea and the blue sky
author: Author, Ann
--
number: b
title: Valleys
author: Carol Carver
--
"""


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


def place_of(folder: Path, *projects: str, config: str) -> Path:
    """Make a folder with a site of these distributions, two drawers of cards and a configuration."""
    for project in projects:
        install(HERE / project, folder / "site")
    for name, cards in (("first", FIRST), ("second", SECOND)):
        (folder / name).mkdir()
        (folder / name / "a.cards").write_text(cards, encoding="utf-8")
    (folder / "bibld.toml").write_text(config, encoding="utf-8")
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
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    """A workspace that was run with adapters of another distribution alone."""
    config = CONFIG.replace("READ_AND_CROSSWALK", "")
    folder = place_of(tmp_path_factory.mktemp("cards"), "card_catalogue", config=config)
    done = bibld(folder, "run", "bibld.toml")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return folder


def test_every_kind_of_adapter_is_offered(cards):
    listed = msgspec.json.decode(bibld(cards, "adapters", "--json").stdout)
    offered = tomllib.loads((HERE / "card_catalogue" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    kinds = {group.removeprefix("bibld."): set(points) for group, points in offered["entry-points"].items()}
    assert set(kinds) <= set(STAGES)
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


def test_broken_plugins_cost_a_line_each_and_their_records_alone(tmp_path):
    config = CONFIG.replace("READ_AND_CROSSWALK", 'crosswalk = "stumbling"')
    folder = place_of(tmp_path, "card_catalogue", "broken_plugins", config=config)
    done = bibld(folder, "run", "bibld.toml")
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "plug-in" in line]
    assert len(lines) == 6
    assert all("(broken-plugins 0.1: broken_plugins." in line for line in lines)
    listed = bibld(folder, "adapters").stdout.splitlines()
    assert sum("broken: " in line for line in listed) == 6
    assert "releases/1" in done.stdout
