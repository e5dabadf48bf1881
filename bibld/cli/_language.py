"""The language of the terminal: what commands print, ask and explain, in the language of their user."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from functools import cache

import click

from bibld.text.translations import Sentences, language_of_terminal, sentences_in

_NOTE = re.compile(r"(?:  |(?<= ))\[(?=default|required|\d|x)")


@cache
def terminal() -> Sentences:
    """Return the translator into the language of the terminal."""
    return sentences_in(language_of_terminal())


def echo(text: str = "", err: bool = False) -> None:
    """Print a sentence in the language of the terminal; data are printed by ``click.echo``."""
    click.echo(terminal().text(text), err=err)


def translate_help(command: click.Command) -> None:
    """Let a command explain itself and its options in the language of the terminal; examples stay as they are."""
    command.context_class = Context
    if command.help and terminal().tag != "en":
        paragraphs = inspect.cleandoc(command.help).split("\n\n")
        command.help = "\n\n".join(
            part if part.startswith("\b") else terminal().text(" ".join(part.split())) for part in paragraphs
        )
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.help:
                parameter.help = terminal().text(parameter.help)


class Formatter(click.HelpFormatter):
    """Formats help in the language of the terminal."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is used."""
        words = terminal().text
        for phrase in ("[OPTIONS]", "COMMAND [ARGS]..."):
            args = args.replace(phrase, words(phrase))
        super().write_usage(prog, args, words(prefix or "Usage: "))

    def write_heading(self, heading: str) -> None:
        """Write the heading of a list."""
        super().write_heading(terminal().text(heading))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write a list of names with their explanations, and with the notes of click on default and range."""
        super().write_dl([(name, self._explained(text)) for name, text in rows], col_max, col_spacing)

    def _explained(self, text: str) -> str:
        found = _NOTE.search(text)
        if found is None:
            return terminal().text(text)
        notes = re.sub(r"\[[^\]]*\]", lambda note: terminal().text(note[0]), text[found.start() :])
        return terminal().text(text[: found.start()]) + notes


class Context(click.Context):
    """The context of a command whose help is in the language of the terminal."""

    formatter_class = Formatter
