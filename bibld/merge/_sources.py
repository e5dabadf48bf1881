"""The account of which record has which value, and in which form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bibld.merge._similarity import fold_or_tidy
from bibld.model.linkage import Spelling, ValueSource
from bibld.model.origin import RecordId

Wording = tuple[RecordId, str]
"""A record and words of it."""


def letters_and_digits(words: str) -> str:
    """Return the folded words without blanks: words that are equal in these are spellings of each other."""
    return fold_or_tidy(words).replace(" ", "")


class SourceList:
    """The sources of the values of one merged description."""

    def __init__(self) -> None:
        self.sources: list[ValueSource] = []

    def add(
        self, path: str, records: Iterable[RecordId], words: str = "", spellings: tuple[Spelling, ...] = ()
    ) -> None:
        """Add the records that have the value at a path (or words that are not shown), and other spellings of it."""
        self.sources.append(ValueSource(path, tuple(sorted(set(records))), words, spellings))

    def add_forms(self, path: str, records: Iterable[RecordId], wordings: Sequence[Wording], shown: str) -> None:
        """Add the records that have a value that is shown, and all other forms of it."""
        own, other_forms, spellings = letters_and_digits(shown), list[Wording](), list[Wording]()
        for record, words in wordings:
            if words and words != shown:
                (spellings if letters_and_digits(words) == own else other_forms).append((record, words))
        self.add(path, records, spellings=_group_spellings(spellings, shown))
        self.add_not_shown(path, other_forms)

    def add_not_shown(self, path: str, wordings: Iterable[Wording]) -> None:
        """Add what records have in place of what is shown at a path."""
        groups: dict[str, list[Wording]] = {}
        for record, words in wordings:
            if words:
                groups.setdefault(letters_and_digits(words), []).append((record, words))
        for number, group in enumerate(groups.values(), 1):
            words = group[0][1]
            self.add(f"{path}#{number}", (record for record, _ in group), words, _group_spellings(group, words))


def _group_spellings(wordings: Iterable[Wording], shown: str) -> tuple[Spelling, ...]:
    """Return the spellings other than the one that is shown, each with its records."""
    records: dict[str, set[RecordId]] = {}
    for record, words in wordings:
        if words != shown:
            records.setdefault(words, set()).add(record)
    return tuple(Spelling(words, tuple(sorted(holders))) for words, holders in records.items())
