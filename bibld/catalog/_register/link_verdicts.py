"""Verdicts of people about links to authority files. They are in the register, because they cannot be recomputed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from bibld.catalog._register.verdicts import PATIENCE
from bibld.catalog._schema import REGISTER, REGISTER_FORMAT, is_locked, open_database, run_command
from bibld.errors import CatalogError

LinkDecision = Literal["accepted", "rejected", "withdrawn"]


class LinkVerdict(msgspec.Struct, frozen=True):
    """The decision of a person about one link: from the entity with this path (``agent/…``) to an authority's IRI."""

    entity: str
    target: str
    decision: LinkDecision
    person: str
    reason: str = ""


class LinkVerdictTable:
    """The verdicts about links in an open register; the last one of a link is in force."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_entity(self, entity: str) -> dict[str, LinkVerdict]:
        """Return the verdicts in force about the links of an entity (its path), by target, the latest last."""
        rows = self._connection.execute(
            "SELECT entity, target, decision, person, reason FROM link_verdict WHERE entity = ? ORDER BY verdict",
            (entity,),
        )
        found: dict[str, LinkVerdict] = {}
        for row in rows:
            verdict = LinkVerdict(*row)
            found.pop(verdict.target, None)
            if verdict.decision != "withdrawn":
                found[verdict.target] = verdict
        return found

    def changed_entities(self, after: int) -> tuple[int, list[str]]:
        """Return the number of the last verdict, and the paths of the entities with verdicts after a number."""
        last = self._connection.execute("SELECT coalesce(max(verdict), 0) FROM link_verdict").fetchone()[0]
        rows = self._connection.execute(
            "SELECT DISTINCT entity FROM link_verdict WHERE verdict > ? ORDER BY 1", (after,)
        )
        return int(last), [entity for (entity,) in rows]

    def add(self, verdicts: Iterable[LinkVerdict], given_at: str) -> int:
        """Store verdicts; return how many are new, not repetitions of the one in force."""
        new = 0
        for verdict in verdicts:
            stored = self.of_entity(verdict.entity).get(verdict.target)
            if stored is not None and stored.decision == verdict.decision:
                continue
            if stored is None and verdict.decision == "withdrawn":
                continue
            row = (verdict.entity, verdict.target, verdict.decision, verdict.person, verdict.reason, given_at)
            self._connection.execute(
                "INSERT INTO link_verdict (entity, target, decision, person, reason, given_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            new += 1
        return new


class LinkVerdicts:
    """The verdicts of one workspace about links, to be given also during a run.

    ``config_file`` is the configuration; messages name it. Raises ``CatalogError`` if there is no register.
    """

    def __init__(self, workspace: Path, config_file: Path | None = None) -> None:
        self._file = workspace / "register.db"
        if not self._file.is_file():
            raise CatalogError(f"{workspace}: contains no register yet; run {run_command(config_file)} first")
        self._connection = open_database(self._file, REGISTER, REGISTER_FORMAT, False, config_file)
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
        self.table = LinkVerdictTable(self._connection)

    def __enter__(self) -> LinkVerdicts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes inside, or none. Raises ``CatalogError``."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                what = "a run is writing into it" if is_locked(error) else str(error)
                raise CatalogError(f"{self._file}: no verdict was saved: {what}; give it again in a moment") from error
            raise
