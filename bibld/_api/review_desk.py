"""What the review page of a server asks a workspace: what waits for people, and verdicts to be stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from bibld._api.arguments import run_time
from bibld._api.links import Links
from bibld._api.review import EntityDecision, PersonDecision, Review, VerdictRow
from bibld._api.review_questions import entity_question, link_question, waiting_entities, waiting_links
from bibld.catalog import LinkVerdict, LinkVerdicts, Verdicts
from bibld.catalog.changes import Changes
from bibld.dedup import review as reviewing
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.model.review import EntityPair, EntityQuestion, Item, ItemKind, LinkCandidate, LinkQuestion

if TYPE_CHECKING:
    from bibld._api.workspace import Workspace

_DECISIONS_ABOUT_LINKS = {"same": "accepted", "different": "rejected"}


class ReviewDesk:
    """What waits for people in a workspace, and their verdicts, for ``bibld.serve``."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._iris = Iris(workspace.config.dataset.base)
        self._changes = Changes(workspace.config.workspace.absolute())

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""
        return self._workspace.config.workspace / "review.db"

    def version(self) -> object:
        """Return a value that is equal only as long as nothing that :meth:`waiting` reads has changed."""
        return self._changes.version()

    def waiting(self, kind: ItemKind = ItemKind.RECORDS) -> Sequence[Item]:
        """Return the pairs of a kind that nobody has decided, those to be decided first at the beginning."""
        with self._workspace.catalog() as catalog:
            if kind == ItemKind.ENTITIES:
                return waiting_entities(catalog, self._iris)
            if kind == ItemKind.LINKS:
                return waiting_links(catalog, self._iris)
            return list(reviewing.undecided_pairs(catalog, self._workspace.config))

    def describe(self, item: EntityPair | LinkCandidate) -> EntityQuestion | LinkQuestion | None:
        """Return what a person needs to decide; None if this does not wait any more."""
        with self._workspace.catalog() as catalog:
            if isinstance(item, EntityPair):
                return entity_question(catalog, self._iris, item)
            return link_question(catalog, self._iris, item)

    def decide(self, item: Item, decision: str, relation: str, reason: str, person: str) -> str:
        """Store a verdict; return it as JSON, empty if the same one is in force already.

        Raises ``ConfigError`` and ``CatalogError``.
        """
        if isinstance(item, LinkCandidate):
            chosen = _DECISIONS_ABOUT_LINKS[decision]
            is_new = Links(self._workspace).decide(item.entity, item.target, chosen, reason=reason, person=person)
            return msgspec.json.encode((chosen, person, reason)).decode() if is_new else ""
        review = Review(self._workspace)
        if isinstance(item, EntityPair):
            left, right = self._iris.base + item.left, self._iris.base + item.right
            given = review.decide_entities(left, right, cast("EntityDecision", decision), reason=reason, person=person)
        else:
            given = review.decide(
                str(item.left),
                str(item.right),
                cast("PersonDecision", decision),
                relation=relation,
                reason=reason,
                person=person,
            )
        return msgspec.json.encode(given).decode() if given is not None else ""

    def withdraw(self, item: Item, verdict: str) -> bool:
        """Withdraw a verdict that :meth:`decide` returned; False if it is no longer the one in force.

        Raises ``CatalogError``.
        """
        if isinstance(item, LinkCandidate):
            return self._withdraw_link(item, verdict)
        given = msgspec.json.decode(verdict, type=VerdictRow)
        workspace = self._workspace
        with Verdicts(workspace.config.workspace, config_file=workspace.path) as verdicts, verdicts.transaction():
            if isinstance(item, Pair):
                stored = verdicts.get(item)
                return stored is not None and VerdictRow.from_stored(stored) == given and verdicts.withdraw(stored)
            in_force = verdicts.of_entities.get(item.left, item.right)
            if in_force is None or VerdictRow.from_entities(in_force, self._iris.base) != given:
                return False
            return verdicts.of_entities.withdraw(item.left, item.right) is not None

    def _withdraw_link(self, candidate: LinkCandidate, verdict: str) -> bool:
        workspace = self._workspace
        decision, person, reason = msgspec.json.decode(verdict, type=tuple[str, str, str])
        with LinkVerdicts(workspace.config.workspace, config_file=workspace.path) as register, register.transaction():
            stored = register.table.of_entity(candidate.entity).get(candidate.target)
            if stored is None or (stored.decision, stored.person, stored.reason) != (decision, person, reason):
                return False
            withdrawn = LinkVerdict(candidate.entity, candidate.target, "withdrawn", person, reason)
            return register.table.add([withdrawn], run_time().isoformat()) > 0
