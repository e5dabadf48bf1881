"""A real cluster on this machine: a master and workers as separate processes, and runs whose executors are killed.

The workers have separate addresses in 127.0.0.0/8, as two machines have: Spark excludes a host on which tasks
failed, so with one address the loss of an executor could exclude the whole cluster.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

import pyspark

from tests.ports import free_port

MASTER_HOST = "127.0.0.1"
REPOSITORY = Path(__file__).parents[2]

_PATIENCE = 600.0
"""Seconds without any answer, or any progress, until a process is a failure."""

_BETWEEN_LOOKS = 0.05
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_EXECUTOR = "CoarseGrainedExecutorBackend"
_LIBRARY = ctypes.CDLL(None)

Victim = Literal["executor", "worker"]

_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compile what is run once only a little."""

PROPERTIES: dict[str, object] = {
    "spark.executor.memory": "600m",
    "spark.executor.cores": 1,
    "spark.driver.memory": "700m",
    "spark.driver.host": MASTER_HOST,
    "spark.driver.bindAddress": MASTER_HOST,
    "spark.sql.shuffle.partitions": 4,
    "spark.default.parallelism": 4,
    "spark.speculation": True,
    "spark.driver.extraJavaOptions": _QUICK_START,
    "spark.executor.extraJavaOptions": _QUICK_START,
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Properties of an application that fits beside the tests, and in which slow tasks run twice."""


def is_available() -> bool:
    """Return whether a cluster can be started here: there is Java, and a system of processes as Linux has it."""
    return shutil.which("java") is not None and Path("/proc/self/stat").exists()


def toml_of(master: str, properties: Mapping[str, object], environment: str = "") -> str:
    """Return the table ``[engine]`` of a configuration."""
    lines = [f'"{key}" = {json.dumps(value)}' for key, value in properties.items()]
    return "\n".join(
        ["", "[engine]", f'master = "{master}"', f'environment = "{environment}"', "[engine.conf]", *lines, ""]
    )


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds; fail after some minutes, which no machine needs."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {_PATIENCE:g} seconds for {what}")
        time.sleep(_BETWEEN_LOOKS)


def json_at(address: str) -> Any:
    """Return what a server of this machine answers; None if it does not answer, or not with JSON."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


class Worker:
    """A worker: its process, its address, and the folder of its files."""

    def __init__(self, process: subprocess.Popen[bytes], host: str, folder: Path) -> None:
        self.process = process
        self.host = host
        self.folder = folder

    def executors(self) -> list[int]:
        """Return the processes that compute for it now."""
        return [child for child in _children_of(self.process.pid) if _EXECUTOR in _command_of(child)]


class Cluster:
    """The processes of a cluster; ``master`` is its address. ``local_folders`` are for the shuffle files of workers."""

    def __init__(
        self,
        folder: Path,
        workers: int = 2,
        memory: str = "1g",
        python: str = sys.executable,
        local_folders: Sequence[Path] = (),
    ) -> None:
        self.folder = folder
        self._memory, self._python, self._local_folders = memory, python, local_folders
        self._processes: list[subprocess.Popen[bytes]] = []
        port, self._web = free_port(), free_port()
        self.master = f"spark://{MASTER_HOST}:{port}"
        arguments = ["--host", MASTER_HOST, "--port", str(port), "--webui-port", str(self._web)]
        self._start("master", MASTER_HOST, "master.Master", arguments)
        wait_for(lambda: self._state().get("status") == "ALIVE", "the master")
        self.workers = [self._start_worker(number) for number in range(workers)]
        wait_for(lambda: self._live_workers() == workers, "the workers")

    def _start_worker(self, number: int) -> Worker:
        host = f"127.0.0.{number + 2}"
        name = f"worker-{len(self._processes)}"
        process = self._start(
            name,
            host,
            "worker.Worker",
            [self.master, "--host", host, "-c", "1", "-m", self._memory, "--webui-port", "0"],
            self._local_folders[number] if number < len(self._local_folders) else None,
        )
        return Worker(process, host, self.folder / name)

    def _start(
        self, name: str, host: str, main_class: str, arguments: list[str], local: Path | None = None
    ) -> subprocess.Popen[bytes]:
        place = self.folder / name
        settings = place / "conf"
        settings.mkdir(parents=True)
        (settings / "log4j2.properties").write_text("rootLogger.level = warn\n", encoding="ascii")
        home = str(Path(pyspark.__file__).parent)
        own = ("SPARK_", "PYSPARK_", "PYTHONPATH")  # what this process sees must come by the application, or not at all
        environment = {key: value for key, value in os.environ.items() if not key.startswith(own)}
        environment |= {
            "SPARK_HOME": home,
            "SPARK_LOCAL_IP": host,
            "SPARK_DAEMON_MEMORY": "192m",
            "SPARK_CONF_DIR": str(settings),
            "SPARK_LOCAL_DIRS": str(local or place / "local"),
            "SPARK_WORKER_DIR": str(place / "work"),
            "PYSPARK_PYTHON": self._python,
        }
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(
                [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{main_class}", *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
        self._processes.append(process)
        return process

    def _state(self) -> dict[str, Any]:
        for process in self._processes[:1]:
            assert process.poll() is None, (self.folder / "master" / "log").read_text(errors="replace")
        return json_at(f"http://{MASTER_HOST}:{self._web}/json/") or {}

    def _live_workers(self) -> int:
        return sum(worker["state"] == "ALIVE" for worker in self._state().get("workers", []))

    def kill(self, host: str, victim: Victim) -> None:
        """Kill the executor on a host, or the whole machine: its worker, too, and then start another one there."""
        number = next(number for number, worker in enumerate(self.workers) if worker.host == host)
        worker = self.workers[number]
        wait_for(lambda: bool(worker.executors()), f"an executor on {host}")
        executors = worker.executors()
        if victim == "worker":
            worker.process.kill()
            worker.process.wait()
        for executor in executors:
            os.kill(executor, signal.SIGKILL)
        if victim == "worker":
            self.workers[number] = self._start_worker(number)

    def stop(self) -> None:
        """End all processes: workers first, and those that they started with them."""
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def running_cluster(folder: Path, **options: Any) -> Iterator[Cluster]:
    """Start a cluster, and end it with all its processes; ``options`` are those of :class:`Cluster`."""
    cluster = Cluster(folder, **options)
    try:
        yield cluster
    finally:
        cluster.stop()


class ClusterRun:
    """``bibld run CONFIG --engine spark`` as a process; its configuration gives the port of Spark's UI."""

    def __init__(self, config: Path, ui_port: int, at: int, *arguments: str) -> None:
        """``at`` is the time of the run in seconds since 1970."""
        self._ui = f"http://{MASTER_HOST}:{ui_port}/api/v1/applications"
        self.lines: list[str] = []
        """The lines about progress so far; the last one names what is being done."""
        environment = os.environ | {
            "SOURCE_DATE_EPOCH": str(at),
            "SPARK_LOCAL_IP": MASTER_HOST,
            "PYTHONPATH": str(REPOSITORY),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bibld", "run", str(config), "--engine", "spark", "--json", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_end_with_parent,
        )
        self._output: list[str] = []
        self._readers = [
            threading.Thread(target=_read, args=(stream, lines), daemon=True)
            for stream, lines in ((self._process.stderr, self.lines), (self._process.stdout, self._output))
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> ClusterRun:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if the test failed before its end."""
        self._process.kill()
        self.wait()

    def wait_for_task(self, stage: str) -> str | None:
        """Wait until an executor computes for a stage of bibld; return its host, or None if the stage is over."""
        seen, last_change = 0, time.monotonic()
        while time.monotonic() - last_change < _PATIENCE:
            names = [line.partition(":")[0] for line in list(self.lines)]
            if len(names) != seen:
                seen, last_change = len(names), time.monotonic()
            if names and names[-1] != stage and stage in names:
                return None
            if self._process.poll() is not None:
                return None
            if names and names[-1] == stage:
                (application,) = json_at(self._ui) or [None]
                executors = json_at(f"{self._ui}/{application['id']}/executors") if application else None
                busy = [one for one in executors or [] if one["activeTasks"] and one["id"] != "driver"]
                if busy:
                    return str(busy[0]["hostPort"]).partition(":")[0]
            time.sleep(_BETWEEN_LOOKS)
        raise AssertionError(f"no task of {stage}, and no progress in {_PATIENCE:g} seconds: {self.lines}")

    def summary(self) -> Any:
        """Wait for the end and return the summary; fail with what was reported if the run failed."""
        code = self.wait()
        assert code == 0, "\n".join(self.lines)
        return json.loads("".join(self._output))

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        code = self._process.wait()
        for reader in self._readers:
            reader.join()
        return code


def _read(stream: IO[str], lines: list[str]) -> None:
    with stream:
        lines.extend(line.rstrip("\n") for line in stream)


def _end_with_parent() -> None:
    """Let the kernel end this process when the one that started it ends."""
    _LIBRARY.prctl(_DEATH_SIGNAL, signal.SIGKILL)


def _command_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""  # it has ended


def _children_of(process: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue  # it has ended
        if parent == process:
            found.append(int(folder.name))
    return sorted(found)
