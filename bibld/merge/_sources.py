"""What is noted about who holds which value, and in which form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bibld.merge._keys import plain
from bibld.model.linkage import Spelling, ValueSource
from bibld.model.origin import RecordId

Said = tuple[RecordId, str]
"""A record and words of it."""


def bare(words: str) -> str:
    """Letters and digits alone: what does not differ in these differs in spelling only."""
    return plain(words).replace(" ", "")


class Sources:
    """Gathers what is noted about one merged description."""

    def __init__(self) -> None:
        self.noted: list[ValueSource] = []

    def holds(
        self, path: str, records: Iterable[RecordId], words: str = "", spellings: tuple[Spelling, ...] = ()
    ) -> None:
        """Note who holds the value at a path (or words that are not shown there), and other spellings of it."""
        self.noted.append(ValueSource(path, tuple(sorted(set(records))), words, spellings))

    def forms(self, path: str, records: Iterable[RecordId], said: Sequence[Said], shown: str) -> None:
        """Note who holds a value that is shown, and every other form in which it is said."""
        own, others = bare(shown), list[Said]()
        spelled: list[Said] = []
        for record, words in said:
            if words and words != shown:
                (spelled if bare(words) == own else others).append((record, words))
        self.holds(path, records, spellings=_spellings(spelled, shown))
        if others:
            self.not_shown(path, others)

    def not_shown(self, path: str, said: Iterable[Said]) -> None:
        """Note what records say in the place of what is shown at a path."""
        others: dict[str, list[Said]] = {}
        for record, words in said:
            if words:
                others.setdefault(bare(words), []).append((record, words))
        for number, group in enumerate(others.values(), 1):
            words = group[0][1]
            self.holds(f"{path}#{number}", (record for record, _ in group), words, _spellings(group, words))


def _spellings(said: Iterable[Said], shown: str) -> tuple[Spelling, ...]:
    """The spellings other than the one that is shown, and whose they are."""
    found: dict[str, set[RecordId]] = {}
    for record, words in said:
        if words != shown:
            found.setdefault(words, set()).add(record)
    return tuple(Spelling(words, tuple(sorted(records))) for words, records in found.items())
