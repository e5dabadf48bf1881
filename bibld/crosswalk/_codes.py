"""Tables of the crosswalks that a librarian can correct.

``codes.csv`` beside the rules of a flavour has one code a line: the table, the position (of tables that have more than
one), the authority of the terms, the code, and its term. Lines that begin with ``#`` are comments. ``unmapped.csv``
states for the rules of each flavour why no rule reads some subfields that records contain.
"""

from __future__ import annotations

import csv
from importlib import resources
from itertools import islice

CodeTables = dict[str, dict[tuple[str, str], dict[str, str]]]
"""Terms by code, by position and authority, by table."""


def read_codes(package: str) -> CodeTables:
    """Read the code lists of a package."""
    text = resources.files(package).joinpath("codes.csv").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    found: CodeTables = {}
    for table, position, authority, code, term in islice(csv.reader(lines), 1, None):
        found.setdefault(table, {}).setdefault((position, authority), {})[code] = term
    return found


def plain_lists(tables: CodeTables) -> dict[str, dict[str, str]]:
    """Return the terms by code of those tables that have one list only."""
    return {name: next(iter(lists.values())) for name, lists in tables.items() if len(lists) == 1}


def reasons_of(rules: str) -> dict[str, str]:
    """Return why no rule reads some subfields, by patterns of them (``*``: anything); ``rules`` as in the table."""
    text = resources.files("bibld.crosswalk").joinpath("unmapped.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["rules"] == rules]
    return {pattern: row["reason"] for row in rows for pattern in row["subfields"].split()}
