"""Run the commands that a page shows and compare what they print with what the page shows.

A block of ``text`` whose lines begin with ``$ `` is a transcript: commands, each followed by its output. All commands
of a page run in one empty folder, in the order of the page. In the shown output ``…`` matches any text within a line,
and a line of ``…`` matches any number of lines. Seconds and rates are not compared.

A block that follows ``Write `NAME`:`` is written to that file first. ``<!-- before: COMMAND -->`` runs a command that
the page does not show. A block below ``<!-- not run: REASON -->`` is left alone.

The commands of a page whose title is Russian print Russian; there, files follow ``Запишите в `NAME`:``.

``python docs/transcripts.py PAGE`` compares; with ``--write`` the output that differs is replaced in the page.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import click

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$|^<!-- before: (.+?) -->$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"(?:Write|Запишите в) `([^`]+)`:\s*\Z")
_NOT_RUN = re.compile(r"<!-- not run: [^>]+ -->\s*\Z")
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_TIMING = re.compile(r"^(\S+ +(?:[\d,\xa0]+|current|готово)) +\d+[.,]\d\d(?: +[\d,\xa0]+)?$|^(in all:|всего:) .*$")
_RUSSIAN = re.compile(r"# [А-Яа-я]")
_ANY = "…"
_SERVE = re.compile(r"^bibld serve ")
_SHOWN_PORT = 8000
_PORT = re.compile(r"(?<=\w):(\d+)/")


class Step(NamedTuple):
    """A command of a page, the output that the page shows, and where in the page this output is."""

    command: str
    shown: str
    begin: int
    end: int


class Difference(NamedTuple):
    """A command whose output is not what the page shows."""

    step: Step
    printed: str


def steps_of(page: str) -> Iterator[Step | tuple[str, str]]:
    """Yield the commands of a page, and the files (name and content) that it asks for, in their order."""
    for block in _FENCE.finditer(page):
        language, code, hidden = block.groups()
        before = page[: block.start()]
        if hidden:
            yield Step(hidden, _ANY, block.end(), block.end())
        elif named := _NAMED.search(before):
            yield named[1], code
        elif language == "text" and code.startswith("$ ") and not _NOT_RUN.search(before):
            for found in _COMMAND.finditer(code):
                offset = block.start(2)
                yield Step(found[1], found[2], offset + found.start(2), offset + found.end(2))


def shows_output(page: str) -> bool:
    """Return whether a page shows what a command prints, outside blocks that are marked as not run."""
    return any(isinstance(step, Step) and step.shown.strip(f"{_ANY}\n") for step in steps_of(page))


def is_as_shown(shown: str, printed: str) -> bool:
    """Return whether a printed output is what a page shows, whose ``…`` stands for any text."""
    pattern = ""
    for line in _comparable(shown):
        if line == _ANY:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.split(_ANY))) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _comparable(printed))) is not None


def _comparable(output: str) -> list[str]:
    """Return the lines of an output without timings; runs of spaces count as one, since values set column widths."""
    lines = (_TIMING.sub(r"\1\2 seconds", line.rstrip()) for line in output.rstrip().splitlines())
    return [re.sub(r"(?<=\S) +", " ", line) for line in lines]


def differences(page: str) -> list[Difference]:
    """Run the commands of a page; return those that print something else than the page shows."""
    found = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="transcript-")))
        home = folder / "curl"
        home.mkdir()
        environment = dict(os.environ, CURL_HOME=str(home), COLUMNS="200")
        environment["BIBLD_LANG"] = "ru" if _RUSSIAN.match(page) else "en"
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        work = folder / "work"
        work.mkdir()
        for step in steps_of(page):
            if not isinstance(step, Step):
                (work / step[0]).parent.mkdir(parents=True, exist_ok=True)
                (work / step[0]).write_text(step[1], encoding="utf-8")
            elif _SERVE.match(step.command):
                printed = stack.enter_context(_server(step.command, work, environment))
                if not is_as_shown(step.shown, printed):
                    found.append(Difference(step, printed))
            else:
                printed = _output(step.command, work, environment)
                if not is_as_shown(step.shown, printed):
                    found.append(Difference(step, printed))
    return found


def _output(command: str, folder: Path, environment: dict[str, str]) -> str:
    script = f'bibld() {{ {shlex.quote(sys.executable)} -m bibld "$@"; }}\n{command}'
    run = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return run.stdout.decode("utf-8").replace(f"{folder}/", "")


@contextmanager
def _server(command: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Start ``bibld serve`` on a free port, to which curl goes now; give its first line as the page shows it."""
    words = [sys.executable, "-m", *shlex.split(command), "--port", "0"]
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline().decode("utf-8")  # it is printed when the server answers
        try:
            for port in _PORT.findall(line):
                instead = f'connect-to = "localhost:{_SHOWN_PORT}:127.0.0.1:{port}"\n'
                Path(environment["CURL_HOME"], ".curlrc").write_text(instead)
            yield _PORT.sub(f":{_SHOWN_PORT}/", line)
        finally:
            server.send_signal(signal.SIGTERM)


@click.command()
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--write", is_flag=True, help="Replace what differs in the page.")
def main(page: Path, write: bool) -> None:
    """Run the commands of PAGE and compare their output with the page."""
    text = page.read_text(encoding="utf-8")
    found = differences(text)
    for step, printed in found:
        click.echo(f"{page}: `{step.command}` prints something else:\n{printed}")
    if write:
        for step, printed in reversed(found):
            output = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
            text = text[: step.begin] + output + text[step.end :]
        page.write_text(text, encoding="utf-8")
    elif found:
        sys.exit(1)


if __name__ == "__main__":
    main()
