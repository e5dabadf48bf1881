"""Verdicts are in force until they are withdrawn, and can be given during a run."""

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


def give(verdicts, *new, given=NOW):
    with verdicts.transaction():
        return verdicts.add(new, given)


def stored_rows(workspace):
    with Catalog(workspace, read_only=True) as catalog:
        return catalog._register_connection.execute("SELECT * FROM verdict ORDER BY verdict").fetchall()


def verdicts_of_run(workspace):
    with Catalog(workspace, read_only=True) as catalog:
        return catalog.register.verdicts()


def test_matching_uses_the_last_verdict_about_a_pair(workspace):
    with Verdicts(workspace) as verdicts:
        give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(PAIRS[1], "same", "anna", "one printing"))
        give(verdicts, PersonVerdict(PAIRS[0], "related", "boris", "vol. 2", "same_set"))
        assert [one.person for one in verdicts.current()] == ["anna", "boris"]
    assert verdicts_of_run(workspace) == {
        PAIRS[0]: Verdict("related", "boris", ("vol. 2",), "same_set"),
        PAIRS[1]: Verdict("same", "anna", ("one printing",)),
    }


def test_repeating_a_verdict_changes_nothing(workspace):
    with Verdicts(workspace) as verdicts:
        assert len(give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))) == 1
        assert give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), given="2027") == []
        assert len(give(verdicts, PersonVerdict(PAIRS[0], "same", "boris"))) == 1


def test_matching_sees_which_pairs_have_changed_verdicts(workspace):
    def since(change):
        with Catalog(workspace, read_only=True) as catalog:
            last, changed = catalog.register.changed_verdicts(change)
            return last, [{catalog.register.record(one), catalog.register.record(other)} for one, other in changed]

    assert since(0) == (0, [])
    with Verdicts(workspace) as verdicts:
        (first, _) = give(
            verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(PAIRS[2], "different", "anna")
        )
        last, changed = since(0)
        assert sorted(map(sorted, changed)) == [[A, B], [B, C]]
        assert since(last) == (last, [])
        with verdicts.transaction():
            assert verdicts.withdraw(first)
            assert not verdicts.withdraw(first), "it was withdrawn already"
        assert since(last) == (last + 1, [{A, B}])
        assert since(last + 1)[1] == []


any_verdict = st.builds(
    PersonVerdict,
    st.sampled_from(PAIRS),
    st.sampled_from(["same", "different", "related"]),
    st.sampled_from(["anna", "boris"]),
    st.sampled_from(["", "why"]),
)


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A workspace that all examples use, so that it contains the verdicts of earlier ones."""
    workspace = tmp_path_factory.mktemp("verdicts")
    with Catalog(workspace) as catalog, catalog.commit():
        for record in (A, B, C):
            catalog.register.assign_ordinal(record)
    return workspace


@settings(deadline=None, max_examples=25)
@given(st.lists(any_verdict, max_size=5), st.lists(any_verdict, min_size=1, max_size=5))
def test_withdrawing_new_verdicts_restores_the_table(used, before, after):
    with Verdicts(used) as verdicts:
        give(verdicts, *before)
        rows_before, verdicts_before = stored_rows(used), verdicts_of_run(used)
        given_now = give(verdicts, *after)
        last = {one.pair: one.decision for one in after}
        assert {pair: verdict.decision for pair, verdict in verdicts_of_run(used).items()}.items() >= last.items()
        with verdicts.transaction():
            assert all(verdicts.withdraw(one) for one in reversed(given_now))
    assert stored_rows(used) == rows_before
    assert verdicts_of_run(used) == verdicts_before


def test_verdicts_that_fail_together_are_not_stored(workspace):
    unknown = Pair(A, RecordId("rsl", "never"))
    with Verdicts(workspace) as verdicts, pytest.raises(KeyError):
        give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"), PersonVerdict(unknown, "same", "anna"))
    assert stored_rows(workspace) == []


def test_verdicts_need_a_run_before(tmp_path):
    with pytest.raises(CatalogError, match="bibld run"):
        Verdicts(tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- beside a run ----------------------------------------------------------------------------------------------------


@pytest.fixture
def run(workspace):
    """Return a function that starts a process which uses the workspace, ``writing`` or not, until ``finish``."""
    started = []

    def start(what):
        words = [sys.executable, "-c", RUN, str(workspace), what]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.communicate(timeout=600)


def finish(process):
    output, _ = process.communicate("go\n", timeout=600)
    assert process.returncode == 0
    return int(output)


def test_a_verdict_can_be_given_while_a_run_uses_the_workspace(workspace, run):
    process = run("waiting")
    with pytest.raises(CatalogError, match="in use by another run"):
        Catalog(workspace)
    with Verdicts(workspace, patience=0) as verdicts:
        give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert finish(process) == 1, "the run sees verdicts that were given before it reads them"


def test_a_verdict_waits_for_a_long_commit_of_a_run(workspace, run):
    process = run("writing")
    threading.Timer(0.3, lambda: process.stdin.write("go\n") and process.stdin.flush()).start()
    with Verdicts(workspace, patience=60) as verdicts:
        give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert len(stored_rows(workspace)) == 1


def test_a_commit_that_takes_too_long_is_reported_and_no_verdict_is_stored(workspace, run):
    process = run("writing")
    with Verdicts(workspace, patience=0.05) as verdicts:
        with pytest.raises(CatalogError, match=r"register\.db: a run has been writing .* no verdict was saved"):
            give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
        assert finish(process) == 0
        give(verdicts, PersonVerdict(PAIRS[0], "same", "anna"))
    assert len(stored_rows(workspace)) == 1


def test_no_verdict_of_two_people_at_once_is_lost(workspace):
    def person(name):
        with Verdicts(workspace) as verdicts:
            for number in range(10):
                give(verdicts, PersonVerdict(PAIRS[number % 3], "same", name, str(number)))

    people = [threading.Thread(target=person, args=(name,)) for name in ("anna", "boris")]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert len(stored_rows(workspace)) == 20
