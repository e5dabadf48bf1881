"""Mutation check: do the tests notice when a line of bibld is wrong?

Draws mutants (one small change in one function each: another comparison, constant, boolean operator, result, order …),
runs for each the tests that execute the changed line, in a copy of the sources, and prints how many each package's
tests killed, and every survivor with its file, line and change.

    python benchmarks/mutants.py --count 300 --seed 1 --jobs 2

Which test executes which line is recorded first, in one run of all tests. The record and the results are stored in
``build/mutants``: a check that was stopped continues, and ``--retry`` runs the survivors again after tests
were added. The internals of dedup are left out, and so is code outside functions, such as tables of codes.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

import coverage

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "mutants"
LEFT_OUT = ("bibld/dedup/_", "bibld/dedup/block/", "bibld/dedup/score/", "bibld/__main__.py")
TESTS_LEFT_OUT = ("tests/architecture", "tests/end_to_end/test_browser.py")
RECORD = "MUTANTS_RECORD"
MOST_TESTS, MOST_SECONDS = 300, 60.0
SURVIVING = ("survived", "untested")
NO_TESTS = 5
"""The exit code of pytest that ran no test."""

COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
CALLS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sorted": "(lambda *a, **k: sorted(*a, **k)[::-1])",
}


class Mutant(NamedTuple):
    """One change: the text from ``start`` to ``end`` (bytes of the file) becomes ``new``."""

    path: str
    function: str
    line: int
    start: int
    end: int
    old: str
    new: str
    key: str


# -- mutants -----------------------------------------------------------------------------------------------------------


def mutants_of(path: str) -> Iterator[Mutant]:
    source = (ROOT / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column

    def text(node: ast.AST) -> str:
        return source[span(node)[0] : span(node)[1]].decode()

    def span(node: Any) -> tuple[int, int]:
        return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)

    for function, owner in functions(ast.parse(source)):
        seen: Counter[str] = Counter()
        for node in nodes_of(owner):
            for (start, end), new in changes(node, span, text):
                old = source[start:end].decode()
                change = f"{ast.dump(owner)}|{old}|{new}"
                seen[change] += 1
                key = hashlib.blake2b(f"{path}|{function}|{change}|{seen[change]}".encode(), digest_size=8).hexdigest()
                yield Mutant(path, function, getattr(node, "lineno", 0), start, end, old, new, key)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each function, the inner ones too, with its name; not those that only declare (protocols, overloads)."""
    for node in ast.iter_child_nodes(tree):
        name = f"{prefix}{getattr(node, 'name', '')}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield name, node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If):
            yield from functions(node, f"{name}." if hasattr(node, "name") else prefix)


def nodes_of(function: Any) -> Iterator[ast.AST]:
    """Yield what a function executes: no annotations, decorators, defaults, inner functions, f-strings, messages."""
    queue: list[ast.AST] = list(function.body)
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr | ast.Assert):
            continue
        yield node
        queue.extend(
            child
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "returns")
            for child in (value if isinstance(value, list) else [value])
            if isinstance(child, ast.AST)
        )


def changes(node: Any, span: Any, text: Any) -> Iterator[tuple[tuple[int, int], str]]:  # noqa: C901 - one case per operator
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield span(node), f"({text(left)} {COMPARISONS[type(op)]} {text(right)})"
        case ast.BoolOp(op=op, values=values):
            other = " or " if isinstance(op, ast.And) else " and "
            yield span(node), f"({other.join(f'({text(value)})' for value in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield span(node), f"({text(operand)})"
        case ast.Constant(value=bool() as value):
            yield span(node), str(not value)
        case ast.Constant(value=int() as value):
            yield span(node), f"{value + 1}"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if not is_text(left) and not is_text(
            right
        ):
            yield span(node), f"({text(left)} {'-' if isinstance(op, ast.Add) else '+'} {text(right)})"
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield span(node.func), CALLS[name]
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            yield span(value), "None"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not isinstance(
            test, ast.Compare | ast.BoolOp | ast.UnaryOp
        ):
            yield span(test), f"(not ({text(test)}))"
        case ast.comprehension(ifs=[test]) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield span(test), "True"
        case ast.Continue():
            yield span(node), "break"
        case ast.Break():
            yield span(node), "continue"
        case ast.Slice(lower=None, upper=ast.expr() as upper, step=None):
            yield span(upper), f"{text(upper)} + 1" if not isinstance(upper, ast.Constant) else "None"


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.Tuple | ast.List) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def drawn(count: int, seed: int, packages: list[str]) -> list[Mutant]:
    """Draw mutants, as many for each as it has; those that are no Python, or the same, are not drawn."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "bibld").rglob("*.py"))
    chosen = [file for file in files if not file.startswith(LEFT_OUT)]
    if packages:
        chosen = [file for file in chosen if package_of(file) in packages]
    every = [mutant for file in chosen for mutant in mutants_of(file)]
    picked = random.Random(seed).sample(every, min(count, len(every)))
    print(f"{len(every)} mutants are possible in {len(chosen)} files; {len(picked)} are drawn (seed {seed})")
    return picked


def package_of(path: str) -> str:
    return path.split("/")[1].removesuffix(".py")


# -- which test calls what ---------------------------------------------------------------------------------------------


class Recorder:
    """A plug-in of pytest: which lines of bibld each test executes, how long it takes, whether it passes."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.tests: dict[str, dict[str, Any]] = {}
        self.name = ""
        self.coverage = coverage.Coverage(data_file=None, source=["bibld"], config_file=False)
        self.coverage.start()

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        self.finish()
        self.name, self.begun = item.nodeid, time.monotonic()
        self.coverage.switch_context(item.nodeid)

    def finish(self) -> None:
        if self.name:
            test = self.tests.setdefault(self.name, {})
            test["seconds"] = round(time.monotonic() - self.begun, 3)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome != "passed":
            self.tests.setdefault(report.nodeid, {})["unusable"] = True

    def pytest_sessionfinish(self) -> None:
        self.finish()
        self.coverage.stop()
        data = self.coverage.get_data()
        here = str(Path.cwd()) + "/"
        lines = {
            file.removeprefix(here): {str(line): sorted(filter(None, names)) for line, names in by_line.items()}
            for file in data.measured_files()
            if (by_line := data.contexts_by_lineno(file))
        }
        self.out.write_text(json.dumps({"tests": self.tests, "lines": lines}), encoding="utf-8")


def pytest_configure(config: Any) -> None:
    """Called by pytest for ``-p mutants``."""
    config.pluginmanager.register(Recorder(Path(os.environ[RECORD])))


class Record(NamedTuple):
    """What is known of the tests: ``tests`` by name, and by file and line the names of those that execute it."""

    tests: dict[str, dict[str, Any]]
    lines: dict[str, dict[str, list[str]]]


def record(copies: list[Path], tests: list[str]) -> Record:
    """Run the tests once, a share in each copy; return what is known of them."""
    stored = PLACE / "record.json"
    if stored.exists():
        known = Record(**json.loads(stored.read_text(encoding="utf-8")))
        print(f"the record of {len(known.tests)} tests is used; delete {stored} to make another")
        return known
    files = sorted(
        {path.relative_to(ROOT).as_posix() for test in tests for path in (ROOT / test).rglob("test_*.py")}
        | {test for test in tests if test.endswith(".py")}
    )
    files = [file for file in files if not file.startswith(TESTS_LEFT_OUT)]
    begun = time.monotonic()
    processes = []
    for number, copy in enumerate(copies):
        environment = environment_of(copy) | {RECORD: str(PLACE / f"record-{number}.json")}
        environment["PYTHONPATH"] += os.pathsep + str(ROOT / "benchmarks")
        command = [*PYTEST, "-p", "mutants", *files[number :: len(copies)]]
        with (PLACE / f"record-{number}.log").open("w") as log:
            processes.append(subprocess.Popen(command, cwd=copy, env=environment, stdout=log, stderr=log))
    for process in processes:
        process.wait()
    found = Record({}, defaultdict(lambda: defaultdict(list)))
    for number in range(len(copies)):
        one = Record(**json.loads((PLACE / f"record-{number}.json").read_text(encoding="utf-8")))
        found.tests.update(one.tests)
        for file, by_line in one.lines.items():
            for line, names in by_line.items():
                found.lines[file][line] += names
    failed = [name for name, test in found.tests.items() if test.get("unusable")]
    print(
        f"{len(found.tests)} tests recorded in {time.monotonic() - begun:.0f} s; failed or skipped, so not used:",
        *failed[:20],
    )
    stored.write_text(json.dumps(found._asdict()), encoding="utf-8")
    return found


# -- running -----------------------------------------------------------------------------------------------------------

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]


def environment_of(copy: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(PLACE / f"kernels-{copy.name}")}


def make_copy(number: int) -> Path:
    """Copy what git knows; an earlier copy is brought up to date, so that its kernels need not be compiled again."""
    copy = PLACE / f"copy-{number}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for file in [path for path in copy.rglob("*") if path.is_file()]:
        if file.relative_to(copy).as_posix() not in wanted and "__pycache__" not in file.parts:
            file.unlink()
    for name in wanted:
        target = copy / name
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return copy


def tests_for(mutant: Mutant, known: Record) -> tuple[list[str], float]:
    """Return the tests that execute the line, those of the same package first, then the fastest; and their seconds."""
    own = f"tests/{package_of(mutant.path)}"
    executing = known.lines.get(mutant.path, {}).get(str(mutant.line), [])
    usable = {name: known.tests[name]["seconds"] for name in executing if not known.tests[name].get("unusable")}
    chosen, seconds = [], 0.0
    for name in sorted(usable, key=lambda name: (not name.startswith(own), usable[name])):
        if len(chosen) < MOST_TESTS and (not chosen or seconds + usable[name] <= MOST_SECONDS):
            chosen.append(name)
            seconds += usable[name]
    if not chosen and (ROOT / own).is_dir():  # it is executed in another process, or not at all
        return [own], 200.0
    return chosen, seconds


def run(mutant: Mutant, copy: Path, tests: list[str], seconds: float, number: int) -> str:
    """Run the tests on a mutant: ``killed``, ``slow`` (so killed), ``survived``, or ``untested``."""
    file = copy / mutant.path
    original, times = file.read_bytes(), file.stat()
    try:
        file.write_bytes(original[: mutant.start] + mutant.new.encode() + original[mutant.end :])
        # Another time for each mutant, so that Python compiles it.
        os.utime(file, (times.st_atime, int(times.st_mtime) + 10 + number))
        with (PLACE / f"{copy.name}.log").open("w+", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*PYTEST, "-x", *tests],
                cwd=copy,
                env=environment_of(copy),
                start_new_session=True,
                stdout=log,
                stderr=log,
            )
            try:
                code = process.wait(60 + 5 * seconds)
            except subprocess.TimeoutExpired:
                return "slow"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            log.seek(0)
            is_run = code != NO_TESTS and "ERROR: not found" not in log.read()
            return ("survived" if code == 0 else "killed") if is_run else "untested"
    finally:
        file.write_bytes(original)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def check(mutants: list[Mutant], known: Record, copies: list[Path], retry: bool) -> dict[str, str]:
    """Run all mutants that have no result yet; gives the result of each by its key."""
    stored = PLACE / "results.jsonl"
    results: dict[str, str] = {}
    if stored.exists():
        for line in stored.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            results[one["key"]] = one["result"]
    open_ones = [one for one in mutants if one.key not in results or (retry and results[one.key] in SURVIVING)]
    print(f"{len(mutants) - len(open_ones)} have a result already; {len(open_ones)} are run")
    free: Queue[Path] = Queue()
    for copy in copies:
        free.put(copy)
    lock = threading.Lock()

    def one(numbered: tuple[int, Mutant]) -> None:
        number, mutant = numbered
        tests, seconds = tests_for(mutant, known)
        copy = free.get()
        try:
            result = run(mutant, copy, tests, seconds, number) if tests else "untested"
        finally:
            free.put(copy)
        with lock:
            results[mutant.key] = result
            with stored.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"key": mutant.key, "result": result, **described(mutant)}) + "\n")
            print(f"{number + 1}/{len(open_ones)} {result}: {shown(mutant)}", flush=True)

    with ThreadPoolExecutor(len(copies)) as pool:
        list(pool.map(one, enumerate(open_ones)))
    return results


def described(mutant: Mutant) -> dict[str, object]:
    return {"path": mutant.path, "line": mutant.line, "old": mutant.old, "new": mutant.new}


def shown(mutant: Mutant) -> str:
    line = (ROOT / mutant.path).read_bytes()[: mutant.start].count(b"\n") + 1
    old, new = (" ".join(text.split()) for text in (mutant.old, mutant.new))
    return f"{mutant.path}:{line} {mutant.function}: {old[:80]} → {new[:80]}"


def report(mutants: list[Mutant], results: dict[str, str]) -> None:
    packages: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in mutants:
        packages[package_of(mutant.path)][results[mutant.key]] += 1
    print(f"\n{'package':<14}{'mutants':>8}{'killed':>8}{'survived':>10}{'share':>8}")
    total: Counter[str] = Counter()
    for package, counts in [*sorted(packages.items()), ("all", total)]:
        killed, survived = counts["killed"] + counts["slow"], counts["survived"] + counts["untested"]
        print(f"{package:<14}{killed + survived:>8}{killed:>8}{survived:>10}{killed / max(killed + survived, 1):>8.1%}")
        if counts is not total:
            total += counts
    print("\nsurvivors:")
    for mutant in sorted(one for one in mutants if results[one.key] in SURVIVING):
        print(f"  {shown(mutant)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="mutants that run at once, each in another copy")
    parser.add_argument("--package", action="append", default=[], help="only mutants of this package (again for more)")
    parser.add_argument("--tests", action="append", default=[], help="tests to record; all by default")
    parser.add_argument("--retry", action="store_true", help="run survivors again")
    asked = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    mutants = drawn(asked.count, asked.seed, asked.package)
    copies = [make_copy(number) for number in range(asked.jobs)]
    known = record(copies, asked.tests or ["tests"])
    report(mutants, check(mutants, known, copies, asked.retry))


if __name__ == "__main__":
    main()
