"""Ordered maps over threads: the order, the number of results that wait, the number of workers."""

import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from bibld import parallel
from bibld.parallel import batches, map_in_threads, results_in_order, worker_count


@pytest.mark.parametrize(("configured", "count"), [(1, 1), (3, 3), (0, len(os.sched_getaffinity(0)))])
def test_no_configured_number_means_a_worker_for_each_core(configured, count):
    assert worker_count(configured) == count


@pytest.mark.parametrize(
    ("items", "size", "lists"),
    [([], 2, []), ([1], 2, [[1]]), ([1, 2], 2, [[1, 2]]), ([1, 2, 3], 2, [[1, 2], [3]]), ([1, 2], 1, [[1], [2]])],
)
def test_batches_have_one_size_and_the_last_one_the_rest(items, size, lists):
    assert list(batches(items, size)) == lists


def test_one_worker_needs_no_thread_and_two_have_threads():
    main = threading.current_thread()
    assert set(map_in_threads(lambda _: threading.current_thread() is main, range(3), 1)) == {True}
    assert set(map_in_threads(lambda _: threading.current_thread() is main, range(3), 2)) == {False}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_of_threads_come_in_the_order_of_the_items(workers):
    first_may_end = threading.Event()

    def double(number: int) -> int:
        if number == 0 and workers > 1:
            first_may_end.wait(5)
        if number == 1:
            first_may_end.set()
        return 2 * number

    assert list(map_in_threads(double, range(6), workers)) == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_only_so_many_items_are_taken_before_their_turn(ahead):
    taken = []

    def futures():
        for number in range(8):
            taken.append(number)
            done: Future[int] = Future()
            done.set_result(number)
            yield done

    results = results_in_order(futures(), ahead)
    assert (next(results), len(taken)) == (0, ahead + 1)
    assert (next(results), len(taken)) == (1, ahead + 2)
    assert list(results) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(("workers", "ahead", "most"), [(2, None, 3), (2, 5, 6)])
def test_threads_take_as_many_items_ahead_as_there_are_workers_unless_stated(workers, ahead, most):
    taken = []

    def numbers():
        for number in range(20):
            taken.append(number)
            yield number

    results = map_in_threads(lambda number: number, numbers(), workers, ahead)
    assert (next(results), len(taken)) == (0, most)
    assert list(results) == list(range(1, 20))


@pytest.mark.parametrize(
    "call",
    [
        "with parallel.ProcessPool(2, 'add', ['bibld.parallel']) as pool: print(pool.submit(max, 1, 2).result())",
        "print(parallel.call_in_process(max, (1, 2), 'add', ['bibld.parallel'], threading.Event()))",
    ],
)
def test_processes_do_not_run_a_script_again(tmp_path, call):
    script = tmp_path / "script.py"
    script.write_text(f"import threading\nfrom bibld import parallel\nprint('began')\n{call}\nprint(__file__)\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(parallel.__file__).parents[1])}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["began", "2", str(script)]
