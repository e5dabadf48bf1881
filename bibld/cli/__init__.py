"""The command line: one file a command, each of which parses, calls one function and prints.

stdout is data, stderr is talk. Exit codes: 0; 1 a stage failed; 2 bad use or configuration, nothing was started; 3 too
many rejects; 130 interrupted.
"""

from __future__ import annotations

import importlib
import signal
import sys
from typing import NoReturn

import click

from bibld import __version__
from bibld.errors import BibldError, ConfigError

_COMMANDS = {
    "run": "run",
    "serve": "serve",
    "check": "check",
    "sample": "sample",
    "harvest": "harvest",
    "read": "read",
    "crosswalk": "crosswalk",
    "dedup": "stages",
    "merge": "stages",
    "triplify": "stages",
    "store": "stages",
    "publish": "stages",
    "evaluate": "evaluate",
    "train": "train",
    "explain": "explain",
    "review": "review",
    "split": "split",
    "join": "join",
    "stats": "stats",
    "catalog": "catalog",
    "adapters": "adapters",
}


class _Commands(click.Group):
    """Imports a command's module when the command is named, so that each loads only what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"bibld.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="bibld")
def _bibld() -> None:
    """Turn the catalogues of libraries into Linked Open Data.

    `bibld sample FOLDER` makes an example to try, `bibld run CONFIG` goes through all stages, `bibld serve CONFIG`
    serves the result on this machine.
    """
    from bibld.adapters import broken_plugins

    broken_plugins()


def main() -> None:
    """Run the command ``bibld``; errors of bibld become one message each and an exit code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        _bibld.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.Abort:
        _stop("interrupted; the next run goes on from here", 130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _stop("interrupted; the next run goes on from here", 130)
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"bibld: {fault}", err=True)
        sys.exit(error.exit_code)
    except BibldError as error:
        _stop(str(error), error.exit_code)


def _end(number: int, frame: object) -> NoReturn:
    """Being told to end is being interrupted: what was begun is rolled back, and processes are ended."""
    raise KeyboardInterrupt


def _stop(message: str, code: int) -> None:
    click.echo(f"bibld: {message}", err=True)
    sys.exit(code)
