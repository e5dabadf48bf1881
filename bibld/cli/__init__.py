"""The command line: each command parses its options, calls the public API once, and prints.

Standard output is data, standard error is messages. Exit codes: 0; 1 a stage failed; 2 wrong use or configuration,
nothing was started; 3 too many rejects; 4 a source kept its old state; 130 interrupted.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import re
import signal
import sys
from io import StringIO
from typing import IO, NoReturn

import click

from bibld._version import __version__
from bibld.cli._language import Context, echo, terminal, translate_help
from bibld.errors import BibldError, ConfigError

# Commands by group, and the module of this package that each is in.
_GROUPS = {
    "Run": {
        "run": "run",
        "serve": "operate",
        "harvest": "operate",
        "dedup": "run",
        "merge": "run",
        "triplify": "run",
        "store": "run",
        "publish": "run",
        "link": "link",
        "releases": "operate",
        "rollback": "operate",
    },
    "Look": {
        "check": "look",
        "stats": "look",
        "explain": "look",
        "query": "look",
        "search": "look",
        "validate": "look",
        "export": "look",
        "worklist": "worklist",
    },
    "Give back": {"match": "match"},
    "Decide": {"review": "review", "join": "review", "split": "review", "evaluate": "evaluate", "train": "evaluate"},
    "Convert": {"read": "convert", "crosswalk": "convert", "enrich": "enrich"},
    "Maintain": {
        "catalog": "maintain",
        "workspace": "maintain",
        "adapters": "maintain",
        "sample": "maintain",
        "completion": "maintain",
    },
}
COMMANDS = {name: module for group in _GROUPS.values() for name, module in group.items()}
"""Every command, and the module of this package that it is in."""

_INTERRUPTED = 130
_FIRST_SENTENCE = re.compile(r".*?[.:](?=\s|$)", re.DOTALL)


class Failure(click.ClickException):
    """An error of bibld as the command line shows it: one line for each fault, and the error's exit code."""

    def __init__(self, error: BibldError) -> None:
        super().__init__(str(error))
        self.exit_code: int = error.exit_code  # type: ignore[misc]
        self._lines = error.faults if isinstance(error, ConfigError) else (str(error),)

    def show(self, file: IO[str] | None = None) -> None:
        """Write the error to standard error."""
        for line in self._lines:
            click.echo(terminal().text(f"bibld: {line}"), file=file or sys.stderr)


class Group(click.Group):
    """A group that suggests the command that is probably meant, and shows whole sentences in its list of commands."""

    context_class = Context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one the error names the closest."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], names, n=1)
            hint = f'; did you mean "{close[0]}"?' if close else f" (see {ctx.command_path} --help)"
            ctx.fail(f'unknown command "{args[0]}"{hint}')
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        r"""Return a command; the ``\b`` before examples in its docstring becomes the character that click expects."""
        command = self._find_command(ctx, cmd_name)
        if command is not None and command.help:
            command.help = command.help.replace("\\b\n", "\b\n")
            translate_help(command)
        return command

    def _find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return super().get_command(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the first sentence of its help, in groups."""
        for title, names in self.grouped_commands(ctx).items():
            with formatter.section(title):
                formatter.write_dl([(name, self._first_sentence(ctx, name)) for name in names])

    def grouped_commands(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the names of the commands by the title of their group."""
        return {"Commands": self.list_commands(ctx)}

    def _first_sentence(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        text = " ".join((command.help or "").split()) if command else ""
        found = _FIRST_SENTENCE.match(text)
        return (found[0] if found else text).rstrip(".:")


class _Bibld(Group):
    """Imports the module of a command when the command is named, so that each loads only what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def _find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"bibld.cli.{COMMANDS[name]}")
        command: click.Command = getattr(module, name)
        return command

    def grouped_commands(self, ctx: click.Context) -> dict[str, list[str]]:
        return {title: list(names) for title, names in _GROUPS.items()}

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BibldError as error:
            raise Failure(error) from error


@click.command("bibld", cls=_Bibld, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="bibld")
def command_line() -> None:
    """Turn the catalogues of libraries into Linked Open Data.

    `bibld sample FOLDER` makes an example to try, `bibld run CONFIG` runs all stages, `bibld serve CONFIG` serves the
    result on this machine. `bibld COMMAND --help` explains a command.
    """
    from bibld.protocols.adapters import broken_plugins

    broken_plugins()  # every command reports them, whether it needs their stage or not


def main() -> None:
    """Run the command ``bibld``; errors of bibld become messages and an exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, _interrupt)
    try:
        translate_help(command_line)
        colour = False if os.environ.get("NO_COLOR") else None  # None: coloured on a terminal
        command_line.main(prog_name="bibld", standalone_mode=False, color=colour)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except (click.Abort, KeyboardInterrupt):
        echo("bibld: interrupted; the next run continues from here", err=True)
        sys.exit(_INTERRUPTED)
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        echo(shown.getvalue().rstrip(), err=True)
        sys.exit(error.exit_code)
    except MemoryError:
        echo("bibld: memory ran out; use fewer workers, or a machine with more memory, then run again", err=True)
        sys.exit(BibldError.exit_code)
    except OSError as error:
        _end_without_output(error)


def _end_without_output(error: OSError) -> NoReturn:
    """End a command whose output cannot be written (a full disk, a closed pipe); another error is raised again."""
    if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EIO):
        raise error
    # What is left in the buffer goes nowhere, so that the end of the interpreter does not fail too.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno != errno.EPIPE:
        echo(f"bibld: the output cannot be written: {error.strerror}", err=True)
    sys.exit(BibldError.exit_code)


def _interrupt(number: int, frame: object) -> NoReturn:
    """Treat a signal to end as an interruption: open transactions are rolled back and processes are ended."""
    raise KeyboardInterrupt
