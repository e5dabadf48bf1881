"""Checks of the arguments that the methods of a workspace share, and the time of a run."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from bibld import adapters
from bibld.config import Config
from bibld.errors import ConfigError


def check_source(config: Config, source: str | None) -> None:
    """Raise ``ConfigError`` for a source that is not in the configuration; None means all of them."""
    if source is not None:
        check_choice(source, "source", [one.id for one in config.sources])


def check_choice(value: str, what: str, allowed: list[str]) -> None:
    """Raise ``ConfigError`` for a value that is not among those allowed."""
    if value not in allowed:
        raise ConfigError([adapters.unknown_name_message(value, allowed, what)])


def run_time() -> datetime:
    """Return the time of a run: now, or the environment variable SOURCE_DATE_EPOCH; raises ``ConfigError``."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError([f"SOURCE_DATE_EPOCH={given}: must be a number of seconds since 1970"]) from error
