"""What the review page of a server asks a workspace: the waiting pairs, and verdicts to be stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from bibld._api.review import PersonDecision, Review, VerdictRow
from bibld.catalog import Verdicts
from bibld.dedup import review as reviewing
from bibld.model.linkage import Pair

if TYPE_CHECKING:
    from bibld._api.workspace import Workspace


class ReviewDesk:
    """The pairs and verdicts of a workspace, for ``bibld.serve``."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""
        return self._workspace.config.workspace / "review.db"

    def waiting(self) -> Sequence[Pair]:
        """Return the pairs that nobody has decided, the most uncertain first."""
        with self._workspace.catalog() as catalog:
            return list(reviewing.undecided_pairs(catalog, self._workspace.config))

    def decide(self, pair: Pair, decision: str, relation: str, reason: str, person: str) -> str:
        """Store a verdict; return its row as JSON, empty if the same one is in force already.

        Raises ``ConfigError`` and ``CatalogError``.
        """
        given = Review(self._workspace).decide(
            str(pair.left),
            str(pair.right),
            cast("PersonDecision", decision),
            relation=relation,
            reason=reason,
            person=person,
        )
        return msgspec.json.encode(given).decode() if given is not None else ""

    def withdraw(self, pair: Pair, verdict: str) -> bool:
        """Withdraw a verdict that :meth:`decide` returned; False if it is no longer the one in force.

        Raises ``CatalogError``.
        """
        given = msgspec.json.decode(verdict, type=VerdictRow)
        workspace = self._workspace
        with Verdicts(workspace.config.workspace, config_file=workspace.path) as verdicts, verdicts.transaction():
            stored = verdicts.get(pair)
            return stored is not None and VerdictRow.from_stored(stored) == given and verdicts.withdraw(stored)
