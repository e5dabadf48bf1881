"""Commands explain themselves, and stdout is data."""

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing

import msgspec
import pytest
from click.testing import CliRunner

import bibld
from bibld.cli import COMMANDS, command_line


@pytest.fixture
def invoke():
    def invoke(*words: str):
        return CliRunner().invoke(command_line, list(words), catch_exceptions=False)

    return invoke


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(invoke, name):
    done = invoke(name, "--help")
    assert done.exit_code == 0
    first = done.output.split("\n\n")[1].strip()
    assert len(first) > 20, done.output


def test_the_list_of_commands_describes_each(invoke):
    text = invoke("--help").output.partition("Run:")[2]
    assert [title for title in ("Look:", "Decide:", "Convert:", "Maintain:") if title not in text] == []
    for name in COMMANDS:
        assert re.search(rf"^  {name} +[A-Z]\w+", text, re.MULTILINE), name
    assert "..." not in text


def test_a_mistyped_command_is_answered_with_the_closest(invoke):
    done = invoke("crosswlak")
    assert done.exit_code == 2
    assert 'unknown command "crosswlak"; did you mean "crosswalk"?' in done.output
    assert 'did you mean "rejects"?' in invoke("catalog", "reject").output
    assert "see bibld --help" in invoke("xyzzy").output


def test_the_version_has_a_short_option(invoke):
    assert invoke("-V").output == invoke("--version").output == f"bibld, version {bibld.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(invoke, shell, monkeypatch):
    script = invoke("completion", shell)
    assert script.exit_code == 0
    assert "_BIBLD_COMPLETE" in script.output
    words = {"COMP_WORDS": "bibld cat", "COMP_CWORD": "1" if shell != "fish" else "cat"}
    environment = os.environ | {"_BIBLD_COMPLETE": f"{shell}_complete"} | words
    done = subprocess.run([sys.executable, "-m", "bibld"], env=environment, capture_output=True, text=True, check=True)
    assert "catalog" in done.stdout


def test_errors_have_one_line_each_and_the_exit_code_of_their_kind(invoke, tmp_path):
    done = invoke("run", str(tmp_path / "no.toml"))
    assert done.exit_code == 2
    assert done.stderr.startswith("bibld: ") and "no.toml: not found" in done.stderr
    config = invoke("sample", str(tmp_path / "a sample")).output.splitlines()[1].removeprefix("  bibld run ")
    (path,) = shlex.split(config)
    done = invoke("stats", path)
    assert done.exit_code == 1
    assert f"run `bibld run {config}` first" in done.stderr


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
    assert invoke("check", str(config)).output.endswith("configuration is valid\n")
    assert 'workspace = "build"' in config.read_text(encoding="utf-8"), "the workspace would lie outside the folder"


def test_works_are_found_with_their_publications(invoke, tmp_path):
    config = str(bibld.write_sample(tmp_path / "sample"))
    assert "run `bibld run" in invoke("search", config, "война").output
    bibld.Workspace(config).run()
    found = invoke("search", config, "война", "и", "мир")
    heading, novel, *_ = found.stdout.splitlines()
    assert heading.split() == ["year", "title", "agents,", "imprint", "libraries"]
    assert "Война и мир" in novel and "Толстой" in novel and " publications)" in novel
    assert "1 work, " in found.stderr
    assert "results for: толстой" in invoke("search", config, "njkcnjq").stderr
    first, *_ = msgspec.json.decode(invoke("search", config, "война и мир", "--json").stdout)["results"]
    assert first["top_work"] == first["group"]["iri"]
    assert len(first["group"]["publications"]) == first["group"]["total"]
    each = msgspec.json.decode(invoke("search", config, "война и мир", "--json", "--no-fold", "--limit", "2").stdout)
    assert (each["works"], len(each["results"])) == (None, 2)
    assert [one["group"] for one in each["results"]] == [None, None]


def test_a_query_is_answered_from_the_release(invoke, tmp_path):
    config = str(bibld.write_sample(tmp_path / "sample"))
    assert "run `bibld run" in invoke("query", config, "ASK {}").output
    bibld.Workspace(config).run()
    (tmp_path / "count.rq").write_text(
        "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s a <http://purl.org/ontology/bibo/Book> }"
    )
    table = invoke("query", config, f"@{tmp_path / 'count.rq'}").output
    assert table.split()[0] == "n" and int(table.split()[1]) > 100
    years = "SELECT ?year { ?s dcterms:issued ?year } ORDER BY STR(?year) LIMIT 1"
    assert invoke("query", config, years).stdout.split() == ["year", "1703"]
    assert msgspec.json.decode(invoke("query", config, "ASK { ?s ?p ?o }", "--json").output) == [{"answer": True}]
    assert invoke("query", config, "ASK { ?s ?p ?o }").stdout.split() == ["answer", "true"]
    assert "did you mean SELECT?" in invoke("query", config, "SELEC").output
    assert invoke("query", config, "SELEC").exit_code == 1
    assert invoke("query", config, f"@{tmp_path / 'no.rq'}").exit_code == 2
    assert "no.rq: not found" in invoke("query", config, f"@{tmp_path / 'no.rq'}").output
    assert "no.rq: is not a query; write @ before the name of a file" in invoke("query", config, "no.rq").output
    assert invoke("catalog", "rejects", config).stderr == "there are no rejects\n"
    unreadable = invoke("match", config, str(tmp_path / "no.mrc"))
    assert (unreadable.exit_code, unreadable.stdout) == (2, "")
    assert "is a folder; name a configuration in it" in invoke("run", str(tmp_path)).output


def test_a_database_of_another_program_is_not_changed(invoke, tmp_path):
    config = bibld.write_sample(tmp_path / "sample")
    file = config.parent / "build" / "register.db"
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE letter (text)")
    done = invoke("run", str(config))
    assert (done.exit_code, "is not a database of bibld" in done.output) == (1, True)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("letter",)]
    file.write_text("not a database")
    assert "restore it from a backup" in invoke("run", str(config)).output


def test_crosswalk_and_read_need_no_configuration(invoke, tmp_path):
    invoke("sample", str(tmp_path / "sample"))
    source = str(tmp_path / "sample" / "nlr.iso")
    mods = invoke("crosswalk", source)
    assert mods.exit_code == 0
    assert "modsCollection" in mods.stdout
    assert len(invoke("crosswalk", source, "--to", "jsonl").stdout.splitlines()) == mods.stdout.count("<mods:mods ")
    text = invoke("read", source)
    assert text.stdout.count("=LDR  ") == mods.stdout.count("<mods:mods ")
    assert "cp1251" in text.stderr
