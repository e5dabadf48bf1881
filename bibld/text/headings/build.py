"""Makes the table of this package when bibld is built, with its licence.

Usage: ``python -m bibld.text.headings.build FOLDER``. The folder contains the wheel of invenio-subjects-lcsh, which the
Makefile downloads; nothing of it is installed or run.
"""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

from bibld.text import headings

_HEADINGS = "invenio_subjects_lcsh/vocabularies/subjects_lcsh.csv"
_NUMBER = re.compile(r"https?://id\.loc\.gov/authorities/subjects/sh([0-9]{8}|[0-9]{10})")
_TABLES = """
CREATE TABLE heading (hash INTEGER PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE version (text TEXT NOT NULL);
"""
_LIBRARY_OF_CONGRESS = """The headings are the Library of Congress Subject Headings
(https://id.loc.gov/authorities/subjects), a work of the government of the United States that is in the public domain,
by way of invenio-subjects-lcsh, whose licence follows.
"""


def main(folder: Path) -> None:
    """Make the table from what is in a folder. Raises ``FileNotFoundError`` without the headings."""
    wheel = next(iter(sorted(folder.glob("invenio_subjects_lcsh-*.whl"))), None)
    if wheel is None:
        raise FileNotFoundError(f"{folder}: has no wheel of invenio-subjects-lcsh; run make additions")
    with ZipFile(wheel) as archive:
        licence = next(name for name in archive.namelist() if name.endswith("/LICENSE"))
        text = f"{_LIBRARY_OF_CONGRESS}\n{archive.read(licence).decode().strip()}\n"
        headings.FILE.with_name("headings.licences.txt").write_text(text, encoding="utf-8")
        with archive.open(_HEADINGS) as stream:
            rows = csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8", newline=""))
            write_headings(((row["id"], row["subject"]) for row in rows), wheel.name.split("-")[1], headings.FILE)


def write_headings(rows: Iterable[tuple[str, str]], version: str, file: Path) -> None:
    """Write the table of headings from their IRIs and texts, without those that more than one heading has."""
    numbers: dict[int, set[int]] = {}
    for iri, text in rows:
        match = _NUMBER.fullmatch(iri)
        if match is not None:
            numbers.setdefault(headings.heading_hash(text), set()).add(int(match[1]))
    result = file.with_suffix(".part")
    result.unlink(missing_ok=True)
    connection = sqlite3.connect(result)
    connection.executescript(_TABLES)
    with connection:
        connection.execute("INSERT INTO version VALUES (?)", (version,))
        unambiguous = ((key, found.pop()) for key, found in sorted(numbers.items()) if len(found) == 1)
        connection.executemany("INSERT INTO heading VALUES (?, ?)", unambiguous)
    connection.close()
    result.replace(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
