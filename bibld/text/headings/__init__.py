"""The numbers of headings in the Library of Congress Subject Headings (LCSH), by their text.

The table is made when bibld is built (``build.py``). A copy of the sources in which it was not made knows no heading.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
import unicodedata
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("lcsh.db")

_BLANKS = re.compile(r"\s+")
_HEADINGS_REMEMBERED = 1 << 14
_OF_THREAD = threading.local()


def heading_hash(text: str) -> int:
    """Return the hash of a heading (64 bits) without regard to capitals, blanks and a full stop at its end."""
    key = _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip(" .").casefold()
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)


@lru_cache(maxsize=_HEADINGS_REMEMBERED)
def subject_heading_number(text: str) -> str | None:
    """Return the number of a heading with exactly this text (``sh85016829`` for Bridges); None if there is none.

    Takes about 10 µs.
    """
    table = _table()
    row = (
        table.execute("SELECT number FROM heading WHERE hash = ?", (heading_hash(text),)).fetchone() if table else None
    )
    return f"sh{row[0]:08}" if row else None


def table_version() -> str:
    """Return the version of the table, which is the day of the headings; empty if it was not made."""
    table = _table()
    return str(table.execute("SELECT text FROM version").fetchone()[0]) if table else ""


def _table() -> sqlite3.Connection | None:
    """Return the table for this thread; None if it was not made."""
    if getattr(_OF_THREAD, "file", None) != FILE:
        is_made = FILE.exists()
        _OF_THREAD.table = sqlite3.connect(f"file:{FILE}?mode=ro&immutable=1", uri=True) if is_made else None
        _OF_THREAD.file = FILE
    table: sqlite3.Connection | None = _OF_THREAD.table
    return table
