"""The commands by which people decide: what they print, ask, take and refuse."""

import csv
import io
import os
import pty
import re
import subprocess
import sys

import msgspec
import pytest
from click.testing import CliRunner

import bibld
from bibld import config
from bibld._api import explaining as explain
from bibld.catalog import Catalog, Verdicts
from bibld.cli import command_line
from bibld.cli import review as review_command
from bibld.cli._options import printable
from bibld.dedup import review
from bibld.dedup import train as training
from bibld.errors import BibldError
from tests.dedup.conftest import _loaded_sample, sample  # noqa: F401

NOW = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def file(sample, monkeypatch):  # noqa: F811
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    monkeypatch.setenv("LOGNAME", "anna")
    return sample


@pytest.fixture
def invoke(file):
    def invoke(command, *words, code=0):
        done = CliRunner().invoke(command_line, [command, str(file), *map(str, words)])
        if done.exception is not None and not isinstance(done.exception, SystemExit | BibldError):
            raise done.exception
        found = done.exception.exit_code if isinstance(done.exception, BibldError) else done.exit_code
        assert found == code, (done.output, done.exception)
        if code == 0:
            return done
        return str(done.exception) if isinstance(done.exception, BibldError) else done.output

    return invoke


@pytest.fixture
def catalog(file):
    with Catalog(config.load(file).workspace, read_only=True) as opened:
        yield opened


def two(catalog):
    """The members of the first cluster of two records."""
    return catalog.linkage.cluster(next(catalog.linkage.founders(least=2))).members


def state(invoke):
    return msgspec.json.decode(invoke("review", "--verdicts", "--json").stdout)


# -- lists -----------------------------------------------------------------------------------------------------------


def test_where_nobody_sits_the_pairs_are_only_printed(invoke):
    printed = invoke("review", "--limit", "3").stdout
    assert re.findall(r"^(\d+): score", printed, re.MULTILINE) == ["1", "2", "3"]
    assert "≠ " in printed and "= " in printed
    assert printed == invoke("review", "--list", "--limit", "3").stdout
    every = msgspec.json.decode(invoke("review", "--json").stdout)
    assert len(every) > 10
    assert {"left", "right", "score", "compared", "reasons", "would_decide"} <= every[0].keys()
    assert msgspec.json.decode(invoke("review", "--json", "--limit", "2").stdout) == every[:2]
    assert len(msgspec.json.decode(invoke("review", "--json", "--source", "slavica").stdout)) < len(every)


def test_uses_that_make_no_sense_are_refused(invoke, tmp_path):
    assert "exclude each other" in invoke("review", "--list", "--verdicts", code=2)
    assert 'unknown source "nowhere"' in invoke("review", "--source", "nowhere", code=2)
    assert "--person" in invoke("review", "--csv", tmp_path / "x.csv", "--person", " ", code=2)
    assert "no verdict of a person" in invoke("review", "--withdraw", *pair_of(invoke), code=2)
    assert "record 'x:1' not found" in invoke("review", "--withdraw", "x:1", "x:2", code=2)


def pair_of(invoke):
    first = msgspec.json.decode(invoke("review", "--json", "--limit", "1").stdout)[0]
    return first["left"], first["right"]


def test_where_nobody_is_logged_in_a_name_must_be_given(invoke, monkeypatch, catalog):
    def nobody():
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert "--person NAME" in invoke("join", *two(catalog), code=2)
    assert "The verdict is stored" in invoke("join", *two(catalog), "--person", "Anna  K.").stdout
    assert state(invoke)[0]["person"] == "Anna K."


# -- spreadsheets ----------------------------------------------------------------------------------------------------


def test_a_table_goes_out_and_comes_back(invoke, tmp_path):
    table = tmp_path / "pairs.csv"
    invoke("review", "--export", table, "--limit", "4")
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    assert len(rows) == 4
    assert "perhaps with labels" in invoke("review", "--export", table, code=2)
    for row, label in zip(rows, ("same", "different", "related", ""), strict=True):
        row["label"] = label
    with table.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert invoke("review", "--csv", table).stdout == "verdicts given: 3; known before: 0\n"
    assert invoke("review", "--csv", table).stdout == "verdicts given: 0; known before: 3\n"
    assert [one["decision"] for one in state(invoke)] == ["same", "different", "related"]
    assert {one["given"] for one in state(invoke)} == {NOW}
    listed = invoke("review", "--verdicts").stdout.splitlines()
    assert [line.split()[2] for line in listed[1:]] == ["same", "different", "related"]
    assert pair_of(invoke) == (rows[3]["left"], rows[3]["right"])
    invoke("review", "--withdraw", rows[0]["right"], rows[0]["left"])
    assert len(state(invoke)) == 2


def test_a_table_with_one_fault_changes_nothing(invoke, tmp_path):
    left, right = pair_of(invoke)
    table = tmp_path / "pairs.csv"
    table.write_text(f"left,right,label\n{left},{right},1\n{left},never:1,0\n{left},{left},0\n", encoding="utf-8")
    printed = invoke("review", "--csv", table, code=2)
    assert "pairs.csv line 3" in printed and "pairs.csv line 4" in printed
    assert state(invoke) == []


def test_the_page_that_was_written_once_is_named_with_what_to_use(invoke, tmp_path):
    printed = invoke("review", "--export", tmp_path / "pairs.html", code=2)
    assert "name a .csv file, or answer in a browser" in printed
    assert not (tmp_path / "pairs.html").exists()


def test_training_reads_the_verdicts_and_states_how_many_are_missing(invoke, tmp_path):
    left, right = pair_of(invoke)
    invoke("join", left, right)
    printed = invoke("train", "--out", tmp_path / "model.json", code=2)
    assert "people labelled 1 and 0: decide about more pairs with `bibld review`" in printed
    labels = tmp_path / "labels.csv"
    labels.write_text(f"left,right,label\n{right},{left},0\n", encoding="utf-8")
    printed = invoke("train", "--pairs", labels, "--out", tmp_path / "model.json", code=2)
    assert "labels.csv: " in printed and 'anna decided "same"' in printed


def test_a_model_is_trained_from_the_verdicts_alone(invoke, file, tmp_path, monkeypatch):
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'bibld[train]'")
    monkeypatch.setitem(training._TREES, "max_iter", 8)
    labels = file.parent / "gold_pairs.csv"
    given = int(re.search(r"verdicts given: (\d+)", invoke("review", "--csv", labels).stdout)[1])
    model = tmp_path / "model.json"
    assert "precision" in invoke("train", "--out", model).stdout
    provenance = msgspec.json.decode(model.read_bytes())["provenance"]
    assert (provenance["pairs"], provenance["data"]) == (given, f"verdicts of people: {given}")
    assert provenance["command"] == "bibld train bibld.toml --seed 1 --out model.json"
    invoke("train", "--pairs", labels, "--out", model)
    again = msgspec.json.decode(model.read_bytes())["provenance"]
    assert (again["pairs"], again["data"]) == (given, "gold_pairs.csv"), "a pair of both counts once"


# -- split and join --------------------------------------------------------------------------------------------------


def test_a_split_is_given_reported_and_withdrawn(invoke, catalog, file):
    one, other = two(catalog)
    printed = invoke("split", other, "--reason", "another printing").stdout
    assert "verdicts given: 1;" in printed
    assert f"  {one}\n  {other}\n" in printed
    assert f"bibld run {file}" in printed
    (given,) = state(invoke)
    assert given["reason"] == "split: another printing"
    assert given["person"] == "anna"
    assert "verdicts of splits withdrawn: 1;" in invoke("split", other, "--withdraw").stdout
    assert state(invoke) == []


def test_a_join_is_given_and_reported(invoke, catalog):
    left, right = pair_of(invoke)
    printed = invoke("join", left, right).stdout
    members = sorted((left, right), key=lambda text: catalog.register.ordinal(explain.resolve_record_id(catalog, text)))
    assert f"  {', '.join(members)}\n" in printed
    assert "nothing changed" in invoke("join", right, left).stdout
    assert "two different records" in invoke("join", left, left, code=2)
    assert "record 'rsl:never' not found" in invoke("join", left, "rsl:never", code=2)


def test_what_is_joined_with_run_is_published(invoke, catalog):
    left, right = pair_of(invoke)
    printed = invoke("join", left, right, "--run", "-q").stdout
    assert "new release: " in printed
    record = explain.resolve_record_id(catalog, left)
    assert explain.resolve_record_id(catalog, right) in catalog.cluster_of(record).members


# -- the conversation ------------------------------------------------------------------------------------------------


@pytest.fixture
def converse(file, capsys, monkeypatch):
    workspace = bibld.Workspace(file)
    with Verdicts(workspace.config.workspace) as verdicts:

        def converse(*answers, pairs=None):
            left = list(answers)

            def ask(text):
                if not left:
                    raise EOFError
                return left.pop(0)

            monkeypatch.setattr(review_command, "ask", ask)
            if pairs is None:
                pairs = [question.pair for question in workspace.review.questions()]
            session = bibld.ReviewSession(workspace, pairs, "anna")
            review_command._converse(session, "bibld run bibld.toml")
            printed = capsys.readouterr()
            return pairs, dict(session.answered), printed.out, printed.err

        yield converse, verdicts


def test_every_answer_is_kept_at_once(converse):
    ask, verdicts = converse
    pairs, made, out, err = ask("s", "d two printings", "", "r part_of in vol. 2", "R", "3", "q", "s")
    assert made == {"same": 1, "different": 1, "related": 2}
    given = verdicts.current()
    assert [one.pair for one in given] == [pairs[0], pairs[1], pairs[3], pairs[4]]
    assert [(one.decision, one.relation, one.reason) for one in given] == [
        ("same", "", ""),
        ("different", "", "two printings"),
        ("related", "part_of", "in vol. 2"),
        ("related", "other_edition", ""),
    ]
    assert f"1 of {len(pairs)}: score" in out and not err


def test_the_last_answer_can_be_undone(converse):
    ask, verdicts = converse
    pairs, made, _, err = ask("u", "s", "", "", "u", "d", "u", "u", "q")
    assert err.count("nothing to undo") == 2
    assert made == {} and verdicts.current() == []
    pairs, made, _, _ = ask("s", "", "u", "d")
    assert made == {"different": 1}
    assert [(one.pair, one.decision) for one in verdicts.current()] == [(pairs[0], "different")]


def test_what_is_no_answer_is_asked_again(converse):
    ask, verdicts = converse
    _, made, _, err = ask("yes", "r", "cousin", "r", "9", "d " + "x" * 5_000, "d\x07", "s")
    assert made == {"same": 1}
    assert err.count("not stored") == 3
    assert err.count("unknown answer") == 2
    assert len(verdicts.current()) == 1


def test_an_answer_that_contradicts_is_reported_and_asked_again(converse, catalog):
    ask, verdicts = converse
    pairs, *_ = ask("q")
    one, other = pairs[0].left, pairs[0].right
    third = next(record for pair in pairs[1:] for record in (pair.left, pair.right) if record not in (one, other))
    with verdicts.transaction():
        verdicts.add(
            [
                review.PersonVerdict(review.Pair.from_records(one, third), "same", "boris"),
                review.PersonVerdict(review.Pair.from_records(other, third), "same", "boris"),
            ],
            NOW,
        )
    _, made, _, err = ask("d", "s", pairs=pairs[:1])
    assert "not stored" in err and "decided by boris" in err
    assert made == {"same": 1}


def test_a_pair_that_a_run_has_decided_meanwhile_is_passed_over(converse, catalog):
    ask, _ = converse
    _, made, out, _ = ask("s", pairs=[review.Pair.from_records(*two(catalog))])
    assert (made, out) == ({}, "no pair waits for review\n")


def test_records_cannot_talk_to_the_terminal():
    assert printable("a\x1b[2Jb\x9bc\x00d") == "a�[2Jb�c�d"
    assert printable("Война и мир – «é»") == "Война и мир – «é»"


def test_on_a_terminal_it_asks(file, catalog):
    """A real terminal, and a run that holds the workspace all the while."""
    loaded = config.load(file)
    here, there = pty.openpty()
    with Catalog(loaded.workspace):
        words = [sys.executable, "-m", "bibld", "review", str(file), "--person", "boris", "--limit", "2"]
        process = subprocess.Popen(words, stdin=there, stdout=there, stderr=there, close_fds=True)
        os.close(there)
        os.write(here, b"s\nd other book\n")
        seen = b""
        try:
            while piece := os.read(here, 4096):
                seen += piece
        except OSError:
            pass  # what Linux raises when the other end is closed
        assert process.wait(timeout=600) == 0, seen
    os.close(here)
    assert "verdicts given: 1 different, 1 same" in seen.decode()
    with Verdicts(loaded.workspace) as verdicts:
        assert [(one.decision, one.reason, one.person) for one in verdicts.current()] == [
            ("same", "", "boris"),
            ("different", "other book", "boris"),
        ]


def test_without_a_run_there_is_nothing_to_review(file):
    for name in ("catalog.db", "register.db"):
        (config.load(file).workspace / name).unlink()
    done = CliRunner().invoke(command_line, ["review", str(file)])
    assert f"bibld run {file}" in done.output
