"""Commands explain themselves, and stdout is data."""

import msgspec
import pytest
from click.testing import CliRunner

from bibld.cli import _COMMANDS, _bibld


@pytest.fixture
def invoke():
    def invoke(*words: str):
        return CliRunner().invoke(_bibld, list(words), catch_exceptions=False)

    return invoke


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_has_help_that_says_what_it_does(invoke, name):
    done = invoke(name, "--help")
    assert done.exit_code == 0
    first = done.output.split("\n\n")[1].strip()
    assert len(first) > 20, done.output


def test_the_list_of_commands_tells_what_each_does(invoke):
    lines = invoke("--help").output.partition("Commands:")[2].strip().splitlines()
    assert len(lines) == len(_COMMANDS)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def test_adapters_are_listed_with_what_they_are(invoke):
    rows = msgspec.json.decode(invoke("adapters", "--json").output)
    assert {(row["stage"], row["name"]) for row in rows} >= {
        ("read", "iso2709"),
        ("read", "marcxml"),
        ("crosswalk", "marc21"),
        ("crosswalk", "rusmarc"),
        ("dedup.block", "paper"),
        ("dedup.score", "jaccard"),
        ("store", "oxigraph"),
        ("harvest", "local"),
    }
    assert all(row["about"] for row in rows)


def test_the_sample_is_written_and_its_configuration_is_fine(invoke, tmp_path):
    done = invoke("sample", str(tmp_path / "sample"))
    assert done.exit_code == 0
    config = tmp_path / "sample" / "bibld.toml"
    assert invoke("check", str(config)).output.endswith("is fine\n")
    assert 'workspace = "build"' in config.read_text(encoding="utf-8"), "the workspace would lie outside the folder"


def test_crosswalk_and_read_need_no_configuration(invoke, tmp_path):
    invoke("sample", str(tmp_path / "sample"))
    source = str(tmp_path / "sample" / "nlr.iso")
    mods = invoke("crosswalk", source)
    assert mods.exit_code == 0
    assert "modsCollection" in mods.stdout
    assert len(invoke("crosswalk", source, "--to", "json").stdout.splitlines()) == mods.stdout.count("<mods:mods ")
    text = invoke("read", source)
    assert text.stdout.count("=LDR  ") == mods.stdout.count("<mods:mods ")
    assert "cp1251" in text.stderr
