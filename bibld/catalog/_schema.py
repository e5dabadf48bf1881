"""The tables of the two databases, and their format versions."""

from __future__ import annotations

from enum import StrEnum
from importlib import resources

from bibld.model.authority import AUTHORITY_FLAVOURS

REGISTER_FORMAT = 5
CATALOG_FORMAT = 14


def _read(name: str) -> str:
    return resources.files("bibld.catalog").joinpath(name).read_text(encoding="utf-8")


REGISTER = _read("register.sql")

FORMER_RECORD = """
CREATE TABLE IF NOT EXISTS former_record (     -- records as they were when the last run ended, of those changed since
  ordinal INTEGER PRIMARY KEY,
  carrier INTEGER NOT NULL REFERENCES carrier,
  made_by BLOB,                                -- NULL: there was no such record
  status TEXT
);
"""
"""A table that catalogs of this format may lack: it was added later, and only runs use it."""

IS_PUBLICATION = f"status = 'live' AND flavour NOT IN ({', '.join(map(repr, AUTHORITY_FLAVOURS))})"
"""The condition for live records that describe a publication: records of headings take no part in matching."""

IS_AUTHORITY = f"flavour IN ({', '.join(map(repr, AUTHORITY_FLAVOURS))})"
"""The condition for records of headings, live or not."""

CATALOG = FORMER_RECORD + _read("catalog.sql")


class RecordStatus(StrEnum):
    """Whether a record is live, and if not, why."""

    LIVE = "live"
    DELETED = "deleted"
    """The record itself states that it is deleted (leader/05)."""

    MISSING = "missing"
    """It was missing from a complete load, or named in a list of deletions."""

    SUPPRESSED = "suppressed"
    """Its source has the record, but it must not be published."""
