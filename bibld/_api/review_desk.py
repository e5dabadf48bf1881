"""What the review page of a server asks a workspace: the waiting pairs, and verdicts to be stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bibld._api.review import PersonDecision, Review
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

    def decide(self, pair: Pair, decision: str, relation: str, reason: str, person: str) -> bool:
        """Store a verdict; return whether it is a new one. Raises ``ConfigError``."""
        given = Review(self._workspace).decide(
            str(pair.left),
            str(pair.right),
            cast("PersonDecision", decision),
            relation=relation,
            reason=reason,
            person=person,
        )
        return given is not None

    def withdraw(self, pair: Pair) -> None:
        """Withdraw the last verdict about a pair; raises ``ConfigError`` if there is none."""
        Review(self._workspace).withdraw(str(pair.left), str(pair.right))
