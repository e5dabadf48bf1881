"""The time of a harvest."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def current_time() -> datetime:
    """Return the time: now, or the environment variable SOURCE_DATE_EPOCH, as for a run."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)


def timestamp() -> str:
    """Return the time as servers write it (ISO 8601, UTC, seconds)."""
    return f"{current_time():%Y-%m-%dT%H:%M:%SZ}"
