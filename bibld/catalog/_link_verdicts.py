"""Verdicts of people about links to authority files. They are in the register, because they cannot be recomputed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from bibld.catalog._opening import PATIENCE, OpenRegister

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


class LinkVerdicts(OpenRegister):
    """The verdicts of one workspace about links, to be given also during a run."""

    def __init__(self, workspace: Path, patience: float = PATIENCE, config_file: Path | None = None) -> None:
        super().__init__(workspace, patience, config_file)
        self.table = LinkVerdictTable(self._connection)
