"""How the stages of a run on Spark scale: the same records on 1, 2 and 4 executors, each with half a core.

`python benchmarks/spark_scaling.py --records 100000` starts a master and a worker for each executor as processes,
confines each worker with its executor and Python processes to a share of a core by a control group (Linux, as root),
and runs all stages in an empty workspace. The driver is not confined: what it does alone takes the same time each run.
It prints the seconds of each stage, how many times faster than with the fewest executors it was, and the share of the
ideal.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from _measure import source_table
from _synthetic.marc import write_marc
from spark import COMPARED, run, write_engine
from synthetic import Catalogue

from tests.spark.cluster import Cluster, running_cluster

PERIOD = 100_000
"""Microseconds in which a control group may run for its share."""

_CONTROL_GROUPS = Path("/sys/fs/cgroup")

_ENGINE = """[engine]
name = "spark"
master = "{master}"
[engine.conf]
"spark.driver.memory" = "1g"
"spark.driver.host" = "127.0.0.1"
"spark.driver.bindAddress" = "127.0.0.1"
"spark.executor.memory" = "{memory}m"
"spark.executor.cores" = 1
"spark.sql.shuffle.partitions" = {partitions}
"spark.default.parallelism" = {partitions}
"spark.ui.enabled" = false
"""


@contextmanager
def confined(processes: Sequence[int], share: float) -> Iterator[None]:
    """Confine each process, and all that it will start, to a share of a core until the end of the block."""
    first = (_CONTROL_GROUPS / "cpu").is_dir()  # version 1 has a tree for each controller
    tree = _CONTROL_GROUPS / "cpu" if first else _CONTROL_GROUPS
    groups = [tree / f"bibld-{process}" for process in processes]
    quota = int(PERIOD * share)
    try:
        for group, process in zip(groups, processes, strict=True):
            group.mkdir()
            if first:
                (group / "cpu.cfs_period_us").write_text(str(PERIOD))
                (group / "cpu.cfs_quota_us").write_text(str(quota))
            else:
                (group / "cpu.max").write_text(f"{quota} {PERIOD}")
            (group / "cgroup.procs").write_text(str(process))
        yield
    finally:
        for group in groups:
            _empty(group, tree)


def _empty(group: Path, parent: Path) -> None:
    if group.is_dir():
        for process in (group / "cgroup.procs").read_text().split():
            (parent / "cgroup.procs").write_text(process)
        group.rmdir()


def seconds_of_stages(cluster: Cluster, folder: Path, tables: str, asked: argparse.Namespace) -> dict[str, float]:
    """Run all stages on a cluster whose workers are confined; return the seconds of each stage, and of all."""
    engine = _ENGINE.format(master=cluster.master, memory=asked.memory, partitions=2 * max(asked.executors))
    with confined([worker.process.pid for worker in cluster.workers], asked.share):
        summary, _ = run(write_engine(folder, tables, engine))
    return {stage.stage: stage.seconds for stage in summary.stages} | {"all": summary.seconds}


def show(seconds: dict[int, dict[str, float]]) -> None:
    """Print seconds, gain and share of the ideal by stage."""
    fewest = min(seconds)
    print("stage     " + "".join(f"{f'{number} executors':>24}" for number in seconds))
    for stage in (*COMPARED, "all"):
        columns = []
        for number, of_stages in seconds.items():
            gain = seconds[fewest][stage] / of_stages[stage]
            columns.append(f"{of_stages[stage]:9.1f} s {gain:5.2f} x {100 * gain * fewest / number:4.0f} %")
        print(f"{stage:10}{''.join(f'{column:>24}' for column in columns)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="of both libraries together")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--share", type=float, default=0.5, help="of a core, for each executor")
    parser.add_argument("--memory", type=int, default=1500, help="megabytes of the JVM of an executor")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    seconds: dict[int, dict[str, float]] = {}
    try:
        files = [path for path, _ in write_marc(Catalogue(asked.records, asked.seed), folder / "records")]
        tables = "".join(source_table(f"s{number}", file) for number, file in enumerate(files, 1))
        for number in asked.executors:
            options = {"workers": number, "memory": f"{asked.memory + 400}m"}
            with running_cluster(folder / f"cluster-{number}", **options) as cluster:
                seconds[number] = seconds_of_stages(cluster, folder / f"run-{number}", tables, asked)
            print(f"{number} executors: {seconds[number]['all']:.0f} s", file=sys.stderr, flush=True)
            shutil.rmtree(folder / f"run-{number}")
        show(seconds)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
