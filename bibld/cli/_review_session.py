"""The conversation of ``bibld review``: a pair, an answer, the next pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import click

from bibld.catalog import RELATIONS, Catalog, PersonVerdict, StoredVerdict, Verdicts
from bibld.cli._terminal import print_question
from bibld.dedup import review as reviewing
from bibld.dedup.verdict_table import checked_reason
from bibld.errors import CatalogError, ConfigError
from bibld.model.linkage import Pair

_ASKED = "[s]ame  [d]ifferent  [r]elated  [enter] skip  [u]ndo  [q]uit; a reason may follow"
_DECISIONS: dict[str, Literal["same", "different", "related"]] = {
    "s": "same",
    "same": "same",
    "d": "different",
    "different": "different",
    "r": "related",
    "related": "related",
}


class Session:
    """Asks about pairs in their order. Every answer is kept at once, so that nothing is lost by leaving.

    ``clock`` gives the time of an answer (ISO 8601), ``ask`` reads a line (``EOFError`` or ``click.Abort``: leave).
    """

    def __init__(
        self,
        catalog: Catalog,
        verdicts: Verdicts,
        pairs: Sequence[Pair],
        person: str,
        clock: Callable[[], str],
        ask: Callable[[str], str],
    ) -> None:
        self._catalog = catalog
        self._verdicts = verdicts
        self._pairs = pairs
        self._person = person
        self._clock = clock
        self._ask = ask
        self._given: list[tuple[int, StoredVerdict]] = []

    def hold(self) -> Counter[str]:
        """Ask until all is answered or the person leaves; gives how often each decision was made."""
        here = 0
        while here < len(self._pairs):
            question = reviewing.load_question(self._catalog, self._pairs[here])
            if question is None:
                here += 1  # a run has decided it meanwhile
                continue
            print_question(question, f"{here + 1} of {len(self._pairs)}: ")
            following = self._answered(here, question)
            if following is None:
                break
            here = following
        return Counter(given.verdict.decision for _, given in self._given)

    def _answered(self, here: int, question: reviewing.Question) -> int | None:
        """The place of the next question; None: leave."""
        while True:
            try:
                word, _, rest = self._ask(_ASKED).strip().partition(" ")
                match word.lower():
                    case "":
                        return here + 1
                    case "q" | "quit":
                        return None
                    case "u" | "undo":
                        return self._undone(here)
                    case known if known in _DECISIONS:
                        self._give(here, question, _DECISIONS[known], rest)
                        return here + 1
                click.echo(f"{word!r} is none of the answers", err=True)
            except (EOFError, click.Abort):
                click.echo()
                return None
            except (ConfigError, CatalogError, ValueError) as error:
                click.echo(f"not kept: {error}", err=True)

    def _give(
        self, here: int, question: reviewing.Question, decision: Literal["same", "different", "related"], rest: str
    ) -> None:
        relation = ""
        if decision == "related":
            relation, rest = self._relation(question, rest)
        saying = PersonVerdict(question.pair, decision, self._person, checked_reason(rest), relation)
        for given in reviewing.store_verdicts(self._verdicts, [saying], self._clock()):
            self._given.append((here, given))

    def _relation(self, question: reviewing.Question, rest: str) -> tuple[str, str]:
        """The relation that follows the answer, or is asked for; and the rest of the answer."""
        word, _, others = rest.strip().partition(" ")
        if word in RELATIONS:
            return word, others
        numbered = "  ".join(f"{number} {name}" for number, name in enumerate(RELATIONS, 1))
        suggested = question.relation or "none"
        told = self._ask(f"how? {numbered}  [enter] {suggested}").strip()
        if not told:
            return question.relation, rest
        if told.isascii() and told.isdigit() and 1 <= int(told) <= len(RELATIONS):
            return RELATIONS[int(told) - 1], rest
        if told in RELATIONS:
            return told, rest
        raise ValueError(f"{told!r} is no relation")

    def _undone(self, here: int) -> int:
        """Take the last answer of this session back, and ask again."""
        if not self._given:
            click.echo("there is nothing to undo", err=True)
            return here
        place, given = self._given[-1]
        with self._verdicts.transaction():
            self._verdicts.withdraw(given)
        self._given.pop()
        click.echo(f"undone: {given.verdict}")
        return place
