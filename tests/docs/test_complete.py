"""Every stage, command, adapter and key is documented, and every link has a target."""

import re
from pathlib import Path

import click
import pytest

from bibld import cli
from bibld.config._checker import _Top
from bibld.protocols import adapters
from tests.docs.pages import DOCS, PAGES, ROOT, anchors, generator, links, name_of, text_of

STAGES = ("harvest", "read", "crosswalk", "dedup", "merge", "triplify", "store", "publish", "serve")
PAGE_OF_ADAPTERS = {
    "harvest": "harvest",
    "read": "read",
    "crosswalk": "crosswalk",
    "dedup.block": "dedup",
    "dedup.score": "dedup",
    "merge": "merge",
    "store": "store",
}


GENERATE = generator()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_generated_parts_agree_with_the_code(page):
    text = page.read_text(encoding="utf-8")
    assert GENERATE.rewritten(text) == text, "run python docs/generate.py"


def test_an_outdated_page_is_found_and_rewritten(tmp_path, monkeypatch):
    from click.testing import CliRunner

    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: errors -->\nstale text\n<!-- end -->\nafter\n")
    monkeypatch.setattr(GENERATE, "DOCS", tmp_path)
    checked = CliRunner().invoke(GENERATE.main, ["--check"])
    assert (checked.exit_code, "page.md" in checked.output) == (1, True)
    assert "stale text" in page.read_text()
    assert CliRunner().invoke(GENERATE.main, []).exit_code == 0
    assert "stale text" not in page.read_text()
    assert page.read_text().startswith("before\n") and page.read_text().endswith("after\n")
    assert CliRunner().invoke(GENERATE.main, ["--check"]).exit_code == 0


def test_the_complete_pages_have_their_long_parts(tmp_path):
    GENERATE.write_complete(tmp_path)
    page = (tmp_path / "reference" / "mapping-marc21.md").read_text(encoding="utf-8")
    assert "| 245 |" in page and "<!-- made:" not in page
    assert (tmp_path / "images" / "home.png").is_file()
    assert not list(tmp_path.rglob("*.py"))


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_a_page_that_the_index_names(stage):
    assert (DOCS / "reference" / f"{stage}.md").is_file()
    assert f"(reference/{stage}.md)" in (DOCS / "README.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_index():
    found = {(DOCS / link).resolve() for link in links(DOCS / "README.md")}
    assert [name_of(page) for page in PAGES if page != DOCS / "README.md" and page not in found] == []


@pytest.mark.parametrize("stage", PAGE_OF_ADAPTERS)
def test_every_adapter_is_documented(stage):
    page = text_of(DOCS / "reference" / f"{PAGE_OF_ADAPTERS[stage]}.md")
    keys = (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")
    for name in adapters.adapter_names(stage):
        assert f"\n- `{name}`: " in page
        assert re.search(rf"^(\| |Without settings: )(`\w+`, )*`{name}`", keys, re.MULTILINE)


def test_every_mapping_has_its_page():
    for name in adapters.adapter_names("crosswalk"):
        module = adapters.load_adapter("crosswalk", name)
        if hasattr(module, "RULES"):
            page = (DOCS / "reference" / f"mapping-{name}.md").read_text(encoding="utf-8")
            assert f"<!-- made: rules {name} -->" in page


def commands(command: click.Command, name: str) -> list[str]:
    if not isinstance(command, click.Group):
        return [name]
    context = click.Context(command)
    inside = {inner: command.get_command(context, inner) for inner in command.list_commands(context)}
    return [name, *(found for inner, one in inside.items() if one for found in commands(one, f"{name} {inner}"))]


def test_every_command_is_documented():
    page = text_of(DOCS / "reference" / "commands.md")
    found = commands(cli.command_line, "bibld")
    assert len(found) > len(STAGES)
    assert [name for name in found if f"## {name}\n" not in page] == []


def test_every_key_of_the_configuration_is_explained():
    page = (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")
    assert [key for key in _Top.__struct_fields__ if f"`{key}`" not in page] == []
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > len(_Top.__struct_fields__)
    assert [row for row in rows if row.rstrip("| ").count(" | ") < 3 and "SOURCE_DATE_EPOCH" not in row] == []


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("README*.md"))], ids=name_of)
def test_every_link_has_a_target(page):
    broken = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        if ":" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_links_and_anchors_of_a_page_are_found_outside_code(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# The one\n\n[a](b.md) `[c](d.md)`\n\n```text\n[e](f.md)\n```\n[g](#the-one)")
    assert links(page) == ["b.md", "#the-one"]
    assert anchors(page) == {"the-one"}


def test_the_first_screen_of_the_readme_has_the_figures_of_the_results():
    results = (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    found = [
        re.search(pattern, results, re.DOTALL)
        for pattern in (
            r"\| 25,000,000 \| (?P<seconds>[\d.]+) \| [\d.]+ \| (?P<memory>[\d.]+) ",
            r"to read them; records a second \| [^|]* \| \*\*[\d.]+\*\*; \*\*(?P<speed>\d+)\*\*",
            r"most memory of all processes together \| [^|]* \| \*\*(?P<gigabytes>[\d.]+) GB\*\*",
            r"bytes of the workspace a record: [^|]* \| 8,000 \| \*\*(?P<bytes>[\d,]+)\*\*",
            r"and (?P<precision>[\d.]+) in five folds over the (?P<pairs>[\d,]+) labelled pairs[^.]*"
            r"recall of (?P<recall>0\.\d+)",
        )
    ]
    figures = {name: text.replace(",", "") for each in found for name, text in each.groupdict().items()}
    value = {name: float(text) for name, text in figures.items()}
    screen = " ".join((ROOT / "README.md").read_text(encoding="utf-8").partition("## Try it")[0].split())
    assert "25 million synthetic records in seven minutes" in screen and round(value["seconds"] / 60) == 7
    assert f"with {value['memory']:.0f} GB of memory" in screen
    assert f"{value['speed'] // 10:.0f}0 records a second" in screen
    assert f"{value['gigabytes']:.1f} GB, and {value['bytes'] / 1000:.0f} kB of disk each" in screen
    assert f"of {value['pairs']:,.0f} labelled pairs" in screen
    assert f"{100 * value['precision']:.0f} of 100 joins are right, and {100 * value['recall']:.0f} of 100" in screen
