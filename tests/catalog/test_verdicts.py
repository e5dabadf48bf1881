"""Verdicts hold until they are withdrawn, and are given beside a run."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.errors import CatalogError
from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId

A, B, C = (RecordId("rsl", number) for number in "123")
PAIRS = (Pair(A, B), Pair(A, C), Pair(B, C))
NOW = "2026-01-01T00:00:00+00:00"

RUN = """
import sys
from pathlib import Path
from bibld.catalog import Catalog

with Catalog(Path(sys.argv[1])) as catalog:
    if sys.argv[2] == "writing":
        with catalog.commit():
            print("ready", flush=True)
            sys.stdin.readline()
    else:
        print("ready", flush=True)
        sys.stdin.readline()
    with catalog.commit():
        print(len(catalog.register.verdicts()), flush=True)
"""


@pytest.fixture
def workspace(tmp_path):
    with Catalog(tmp_path) as catalog, catalog.commit():
        for record in (C, A, B):  # so that the order of ordinals is not that of ids
            catalog.register.assign_ordinal(record)
    return tmp_path


def say(verdicts, *sayings, given=NOW):
    with verdicts.transaction():
        return verdicts.add(sayings, given)


def rows(workspace):
    with Catalog(workspace, read_only=True) as catalog:
        return catalog._register_connection.execute("SELECT * FROM verdict ORDER BY verdict").fetchall()


def in_register(workspace):
    with Catalog(workspace, read_only=True) as catalog:
        return catalog.register.verdicts()


def test_matching_sees_what_was_said_last_of_a_pair(workspace):
    with Verdicts(workspace) as verdicts:
        say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(PAIRS[1], "same", "anna", "one printing"))
        say(verdicts, PersonVerdict(PAIRS[0], "related", "boris", "vol. 2", "same_set"))
        assert [one.verdict.person for one in verdicts.current()] == ["anna", "boris"]
    assert in_register(workspace) == {
        PAIRS[0]: Verdict("related", "boris", ("vol. 2",), "same_set"),
        PAIRS[1]: Verdict("same", "anna", ("one printing",)),
    }


def test_saying_the_same_again_is_no_change(workspace):
    with Verdicts(workspace) as verdicts:
        assert len(say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))) == 1
        assert say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), given="2027") == []
        assert len(say(verdicts, PersonVerdict(PAIRS[0], "same", "boris"))) == 1


def test_matching_is_told_which_pairs_changed(workspace):
    def since(change):
        with Catalog(workspace, read_only=True) as catalog:
            last, changed = catalog.register.changed_verdicts(change)
            return last, [{catalog.register.record(one), catalog.register.record(other)} for one, other in changed]

    assert since(0) == (0, [])
    with Verdicts(workspace) as verdicts:
        (first, _) = say(
            verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(PAIRS[2], "different", "anna")
        )
        last, changed = since(0)
        assert sorted(map(sorted, changed)) == [[A, B], [B, C]]
        assert since(last) == (last, [])
        with verdicts.transaction():
            assert verdicts.withdraw(first)
            assert not verdicts.withdraw(first), "it is withdrawn already"
        assert since(last) == (last + 1, [{A, B}])
        assert since(last + 1)[1] == []


sayings = st.builds(
    PersonVerdict,
    st.sampled_from(PAIRS),
    st.sampled_from(["same", "different", "related"]),
    st.sampled_from(["anna", "boris"]),
    st.sampled_from(["", "why"]),
)


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A workspace in which every example leaves what it said before."""
    workspace = tmp_path_factory.mktemp("verdicts")
    with Catalog(workspace) as catalog, catalog.commit():
        for record in (A, B, C):
            catalog.register.assign_ordinal(record)
    return workspace


@settings(deadline=None, max_examples=25)
@given(st.lists(sayings, max_size=5), st.lists(sayings, min_size=1, max_size=5))
def test_giving_and_withdrawing_leaves_the_table_as_it_was(used, before, after):
    with Verdicts(used) as verdicts:
        say(verdicts, *before)
        stood, held = rows(used), in_register(used)
        given_now = say(verdicts, *after)
        last = {one.pair: one.decision for one in after}
        assert {pair: verdict.decision for pair, verdict in in_register(used).items()}.items() >= last.items()
        with verdicts.transaction():
            assert all(verdicts.withdraw(one) for one in reversed(given_now))
    assert rows(used) == stood
    assert in_register(used) == held


def test_what_fails_in_the_middle_is_not_kept(workspace):
    unknown = Pair(A, RecordId("rsl", "never"))
    with Verdicts(workspace) as verdicts, pytest.raises(KeyError):
        say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(unknown, "same", "anna"))
    assert rows(workspace) == []


def test_there_must_have_been_a_run(tmp_path):
    with pytest.raises(CatalogError, match="bibld run"):
        Verdicts(tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- beside a run ----------------------------------------------------------------------------------------------------


@pytest.fixture
def run(workspace):
    """Starts a process that holds the workspace, ``writing`` or not, until it is let go; gives how it ended."""
    started = []

    def start(what):
        words = [sys.executable, "-c", RUN, str(workspace), what]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.communicate(timeout=60)


def let_go(process):
    told, _ = process.communicate("go\n", timeout=60)
    assert process.returncode == 0
    return int(told)


def test_a_verdict_is_given_while_a_run_holds_the_workspace(workspace, run):
    process = run("holding")
    with pytest.raises(CatalogError, match="in use by another run"):
        Catalog(workspace)
    with Verdicts(workspace, patience=0) as verdicts:
        say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert let_go(process) == 1, "the run sees what was said before it looks"


def test_a_long_commit_of_a_run_is_waited_for(workspace, run):
    process = run("writing")
    threading.Timer(0.3, lambda: process.stdin.write("go\n") and process.stdin.flush()).start()
    with Verdicts(workspace, patience=60) as verdicts:
        say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert len(rows(workspace)) == 1


def test_a_commit_that_takes_too_long_gives_a_message_and_keeps_nothing(workspace, run):
    process = run("writing")
    with Verdicts(workspace, patience=0.05) as verdicts:
        with pytest.raises(CatalogError, match=r"register\.db: a run has been writing .* no verdict was saved"):
            say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
        assert let_go(process) == 0
        say(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert len(rows(workspace)) == 1


def test_two_people_at_once_lose_nothing(workspace):
    def person(name):
        with Verdicts(workspace) as verdicts:
            for number in range(10):
                say(verdicts, PersonVerdict(PAIRS[number % 3], "same", name, str(number)))

    people = [threading.Thread(target=person, args=(name,)) for name in ("anna", "boris")]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert len(rows(workspace)) == 20
