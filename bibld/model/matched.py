"""What the records of a file are in a release: the rows of a table, and the messages of the process that makes them."""

from __future__ import annotations

from typing import Literal

import msgspec

from bibld.model.brief import brief

MatchOutcome = Literal["same", "review", "related", "new", "rejected"]

OUTCOMES: dict[MatchOutcome, str] = {
    "same": "in the catalogue",
    "review": "for a person to decide",
    "related": "in another edition, volume or form",
    "new": "new",
    "rejected": "rejected",
}
"""What the outcomes mean, in words."""


class MatchedRecord(msgspec.Struct, frozen=True):
    """What a record of a file is in the current release.

    ``position`` is that of the record in its file, from 1. ``outcome``: *same*: ``publication`` describes the same;
    *review*: it may, a person has to decide; *related*: it is another edition, volume or form; *new*: there is none of
    these; *rejected*: the record cannot be used, for the reason in ``message``, which also has what had to be repaired.
    ``record`` is its control number, ``score`` that of its similarity to ``matched``, a record of the publication;
    ``reasons`` are sentences. ``publication`` and ``work`` are IRIs; ``libraries`` are the ids of the sources that have
    the publication, ``records`` theirs, and ``addresses`` the pages of these in the libraries' own catalogues, as far
    as the configuration states them. ``others`` are other publications that are the same, too, and ``duplicates`` the
    positions and numbers of other records of the files that are. ``faults`` are those of the record by the definition
    of its format, each with its field and what to do.
    """

    file: str
    position: int
    record: str
    title: str
    outcome: MatchOutcome
    score: float | None = None
    publication: str = ""
    published_title: str = ""
    work: str = ""
    matched: str = ""
    libraries: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    message: str = ""

    __repr__ = brief


class MatchProgress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the process is: ``step`` is *crosswalk* (reading) or *match*; ``total`` is None if it is not known."""

    step: str
    done: int
    total: int | None = None


class MatchRow(msgspec.Struct, frozen=True, tag="record"):
    """A record that was matched."""

    record: MatchedRecord


class MatchEnd(msgspec.Struct, frozen=True, tag="end"):
    """The process has ended; ``fault`` states why if not all records were matched."""

    fault: str = ""


MatchMessage = MatchProgress | MatchRow | MatchEnd


class MatchRequest(msgspec.Struct, frozen=True):
    """What the process is asked for: the file, and the table to be written, its format the suffix; else rows are sent.

    ``name`` is what messages call the file, ``language`` that of the words of a table.
    """

    file: str
    name: str
    table: str = ""
    language: str = "en"
