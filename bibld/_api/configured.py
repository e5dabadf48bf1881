"""A configured workspace as its methods share it, what their arguments mean, and the time of a run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bibld import config as configuration
from bibld.catalog import Catalog
from bibld.config import Config, Remote, remote_of_url
from bibld.errors import ConfigError
from bibld.progress import Progress, Silent
from bibld.protocols import adapters
from bibld.text.translations import SOURCE_LANGUAGE, languages, sentences_in

PathName = str | os.PathLike[str]
"""A file as an argument."""

_DAY_LENGTH = len("2026-01-31")


class ConfiguredWorkspace:
    """A configuration file, checked, and the workspace that it names.

    ``language`` (such as ``ru``) is that of the words in what people read: the report of a run, CSV and workbooks.
    """

    def __init__(self, config: PathName, *, progress: Progress | None = None, language: str = SOURCE_LANGUAGE) -> None:
        self.path = Path(config)
        self.config: Config = configuration.load(self.path)
        self.progress: Progress = progress or Silent()
        check_choice(language, "language", list(languages()))
        self.words = sentences_in(language)

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r})"

    @property
    def run_command(self) -> str:
        """The shell command that runs this workspace, for messages."""
        return f"bibld run {shlex.quote(str(self.path))}"

    @contextmanager
    def catalog(self) -> Iterator[Catalog]:
        """Open the catalog for reading; raises ``CatalogError`` before the first run.

        >>> with workspace.catalog() as catalog:
        ...     catalog.records.count()
        289
        """
        with Catalog(self.config.workspace, read_only=True, config_file=self.path) as opened:
            yield opened


def check_source(config: Config, source: str | None) -> None:
    """Raise ``ConfigError`` for a source that is not in the configuration; None means all of them."""
    if source is not None:
        check_choice(source, "source", [one.id for one in config.sources])


def check_choice(value: str, what: str, allowed: list[str]) -> None:
    """Raise ``ConfigError`` for a value that is not among those allowed."""
    if value not in allowed:
        raise ConfigError([adapters.unknown_name_message(value, allowed, what)])


def remote_store(config: Config, to: str, kind: str = "sparql", user_env: str = "", password_env: str = "") -> Remote:
    """Return the remote store with a name or an address of the configuration, or the one at another address.

    That is of the ``kind``, with the credentials in two environment variables. Raises ``ConfigError`` for an unknown
    name and a faulty address.
    """
    for remote in config.remote_stores:
        if to in (remote.config.name, remote.config.url):
            return remote
    if "/" not in to:
        check_choice(to, "store", [remote.config.name for remote in config.remote_stores])
    return remote_of_url(to, kind, user_env, password_env)


def checked_date(text: str) -> str:
    """Return a day or a time in UTC as servers write it, or the empty text; raises ``ConfigError`` for another."""
    if not text:
        return ""
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError([f'"{text}" is not a day or time; write 2026-01-31 or 2026-01-31T12:00:00Z']) from error
    if len(text) == _DAY_LENGTH:
        return text
    return f"{(time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def run_time() -> datetime:
    """Return the time of a run: now, or the environment variable SOURCE_DATE_EPOCH; raises ``ConfigError``."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError([f"SOURCE_DATE_EPOCH={given}: must be a number of seconds since 1970"]) from error
