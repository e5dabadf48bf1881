"""What the commands print of a run, of the catalog and of an explanation."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import bibld
from bibld import config as configuration
from bibld.cli import command_line
from bibld.cli.run import print_summary
from bibld.ingest import Doubt, LoadResult, Withheld
from bibld.model.linkage import Feature
from bibld.model.release import Figures
from bibld.pipeline import StageTime, Summary
from tests.configuration import write_config

FIGURES = Figures((), records=1289, clusters=1200, merged_clusters=40, links=3, quads=54321, entities=700)


def load(source: str, rejected: int = 0, read: int = 10) -> LoadResult:
    return LoadResult(source=source, read=read, converted=read - rejected, superseded=0, rejected=rejected, deleted=0)


def summary(*loads: LoadResult, release: str = "releases/2", is_new: bool = True) -> Summary:
    times = (StageTime("read", 2.0, 1000, False), StageTime("dedup", 0.5, 0, True), StageTime("merge", 0.0, 7, False))
    return Summary(loads, FIGURES, times, release, is_new)


def test_the_summary_states_figures_and_the_speed_of_each_stage_that_worked(capsys):
    print_summary(summary(load("rsl")), Path("my folder/bibld.toml"))
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert "1,289 records in 1,200 clusters, 40 of them merged; 700 entities; 54,321 quads" in lines
    assert "deleted record" not in out
    rows = [line.split() for line in lines]
    assert ["read", "1,000", "2.00", "500"] in rows
    assert ["dedup", "current", "0.50"] in rows
    assert ["merge", "7", "0.00", "7,000"] in rows
    assert lines[-1] == "new release: releases/2"
    assert err == ""


@pytest.mark.parametrize(
    ("release", "is_new", "last"), [("releases/2", False, "release is current: releases/2"), ("", False, None)]
)
def test_the_summary_states_whether_the_release_is_new(capsys, release, is_new, last):
    print_summary(summary(load("rsl"), release=release, is_new=is_new), Path("bibld.toml"))
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == last if last else "release" not in out


def test_rejects_are_mentioned_with_a_command_that_can_be_pasted(capsys):
    print_summary(summary(load("rsl"), load("nlr", rejected=1)), Path("my folder/bibld.toml"))
    assert capsys.readouterr().err == "rejects: see `bibld catalog rejects 'my folder/bibld.toml'`\n"


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (0, None),
        (1, "1 pair waits for review: `bibld review 'my folder/bibld.toml'`"),
        (1234, "1,234 pairs wait for review: `bibld review 'my folder/bibld.toml'`"),
    ],
)
def test_pairs_that_wait_for_a_person_are_counted(capsys, count, line):
    print_summary(msgspec.structs.replace(summary(load("rsl")), for_review=count), Path("my folder/bibld.toml"))
    out = capsys.readouterr().out.splitlines()
    assert line in out if line else not any("review" in one for one in out)


@pytest.fixture
def invoke(monkeypatch):
    """Invokes a command over a workspace whose methods give these values."""

    def invoke(*words: str, **values: object):
        class Workspace:
            def __init__(self, path: Path, progress: object = None, language: str = "en") -> None:
                self.path = path
                if path.exists():
                    self.config = configuration.load(path)

            def __getattr__(self, name: str):
                return lambda *arguments, **options: values[name]

        monkeypatch.setattr(bibld, "Workspace", Workspace)
        return CliRunner().invoke(command_line, list(words))

    return invoke


@pytest.fixture
def config(tmp_path):
    for name in ("rsl", "nlr"):
        (tmp_path / f"{name}.mrc").touch()
    return str(write_config(tmp_path, "max_rejects = 25\n", rsl="rsl.mrc", nlr="nlr.mrc"))


@pytest.mark.parametrize(
    ("rsl", "nlr", "most", "code"),
    [
        (2, 2, "20", 0),
        (2, 2, "19.9", 3),
        (0, 0, "0", 0),
        (10, 10, "100", 0),
        (0, 1, "0", 3),
        (10, 2, "", 0),
        (0, 3, "", 3),
    ],
)
def test_more_rejects_of_one_source_than_allowed_are_the_exit_code_3(invoke, config, rsl, nlr, most, code):
    ran = summary(load("rsl", rsl), load("nlr", nlr))
    done = invoke("run", config, "--quiet", *(["--max-rejects", most] if most else []), run=ran)
    assert done.exit_code == code
    assert (f"nlr: {nlr} of 10 records were rejected" in done.stderr) is (code == 3)


def test_sources_in_doubt_and_withheld_deletions_are_the_exit_code_4_and_in_the_summary(invoke, config):
    ran = summary(load("rsl", rejected=10), release="")
    doubted = msgspec.structs.replace(ran, doubts=(Doubt("nlr", ("nlr.mrc: is empty; fetch it again",)),))
    done = invoke("run", config, "-q", "--max-rejects", "1", run=doubted)
    assert done.exit_code == 4
    assert "nlr: in doubt, keeps its old state" in done.stdout.splitlines()
    assert "bibld: nlr: in doubt and not loaded" in done.stderr
    assert "bibld: rsl: 10 of 10 records were rejected, more than 1 %" in done.stderr
    withheld = msgspec.structs.replace(ran, withheld=(Withheld("rsl", 113, "too many", Path("w/rsl.txt")),))
    done = invoke("run", config, "-q", run=withheld)
    assert (done.exit_code, "rsl: 113 deletions withheld: w/rsl.txt" in done.stdout.splitlines()) == (4, True)
    done = invoke("run", config, "-q", "--json", run=withheld)
    assert (done.exit_code, msgspec.json.decode(done.stdout)["withheld"][0]["file"]) == (4, "w/rsl.txt")


def test_the_summary_states_what_changed_since_the_last_run(capsys):
    changed = msgspec.structs.replace(load("rsl"), new=3, changed=1200, restored=1, absent=4, withdrawn=2)
    print_summary(summary(changed, load("nlr")), Path("bibld.toml"))
    out = capsys.readouterr().out.splitlines()
    assert "since the last run: 3 new, 1,200 changed, 1 restored, 6 deleted" in out
    print_summary(summary(load("rsl")), Path("bibld.toml"))
    assert "since the last run: nothing changed" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("count", "words", "shown", "hint"),
    [(40, [], 40, ""), (42, [], 40, "… and 2 more: add --all\n"), (42, ["--all"], 42, "")],
)
def test_statistics_list_the_first_subfields_and_count_the_others(invoke, count, words, shown, hint):
    coverage = tuple(("rusmarc", f"{number:03}$a", "unmapped", 1) for number in range(count))
    stats = bibld.Stats((load("rsl"),), (("rsl", "a.iso", "iso2709", "ascii", "cp1251"),), (), coverage)
    done = invoke("stats", "x.toml", *words, stats=stats)
    assert (done.exit_code, done.stderr) == (0, hint)
    assert done.stdout.count("unmapped") == shown
    assert "cp1251" in done.stdout
    assert "Suppressed" not in done.stdout


class Report(msgspec.Struct, frozen=True):
    title: str = "Война\x1b"
    deleted: bool = False
    is_live: bool = True
    claimed_by: int | None = None
    ordinal: int = 0
    author: str = ""
    edges: tuple[str, ...] = ()
    history: tuple[str, ...] = ("appeared", "merged\x07")
    features: tuple[Feature, ...] = (Feature("title", 0.5, 0.25), Feature("isbn", -1.0), Feature("year", 1.0, -2.0))
    pair: Report | None = None


def test_an_explanation_is_printed_line_by_line_without_control_characters(invoke):
    done = invoke("explain", "x.toml", "rsl:1", explain=Report(title="outer", pair=Report()))
    lines = done.stdout.splitlines()
    assert lines[0] == "title: outer"
    assert lines[lines.index("") + 1 :] == [
        "title: Война�",
        "deleted: no",
        "is live: yes",
        "ordinal: 0",
        "author: none",
        "edges: none",
        "history:",
        "  appeared",
        "  merged�",
        "features:",
        "  title 0.500, adds +0.250",
        "  isbn missing",
        "  year 1.000, adds -2.000",
    ]


def test_the_result_of_a_query_is_a_table_with_booleans_and_numbers_as_in_sparql(invoke):
    class Rows:
        columns = ("flag", "none", "text", "n")

        def to_dicts(self) -> list[dict[str, object]]:
            return [
                {"flag": True, "none": None, "text": "a\x1b", "n": 12000},
                {"flag": False, "none": None, "text": "b", "n": 0.5},
            ]

    done = invoke("query", "x.toml", "SELECT", query=Rows())
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["flag", "none", "text", "n"],
        ["true", "a�", "12000"],
        ["false", "b", "0.5"],
    ]


@pytest.mark.parametrize(
    ("content", "fault"), [(None, "not found; name a file"), (b"\xff", "is not UTF-8"), (b"ASK {}", None)]
)
def test_a_query_may_be_in_a_file(invoke, tmp_path, content, fault):
    file = tmp_path / "query.rq"
    if content is not None:
        file.write_bytes(content)

    class Rows:
        columns = ("n",)

        def to_dicts(self) -> list[dict[str, object]]:
            return [{"n": 1}]

    done = invoke("query", "x.toml", f"@{file}", query=Rows())
    assert (done.exit_code == 0) is (fault is None)
    assert fault is None or fault in done.stderr
