"""The order of publications that were found: the work that people mean comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from bibld.search._documents import AUTHOR as AUTHOR_FIELD
from bibld.search._documents import SUBJECT as SUBJECT_FIELD
from bibld.search._matching import ParsedQuery
from bibld.search._values import StoredPublication
from bibld.search._words import main_title, skeleton_of, stem_of, to_words

TITLE, AUTHOR, SUBJECT, IDENTIFIER, ELSEWHERE = ("title", "author", "subject", "identifier", "elsewhere")


class Rank(msgspec.Struct, frozen=True, order=True):
    """Where the words of a query are in a publication: the least rank is the best."""

    tier: int
    is_in_other_form: bool
    missing: int
    """Optional words, such as the number of a volume, that the publication has not."""

    excess: int
    """Words of the title that the query has not, up to a bound."""

    records: int
    """Less than 0: the number of records."""

    is_translation: bool
    path: str


_MAX_EXCESS = 3
_IS_TITLE, _WITH_AUTHOR, _AT_BEGINNING, _PHRASE, _IN_TITLE, _TITLE_AND_AUTHOR, _BY_AUTHOR, _ELSEWHERE = range(8)


class Ranking:
    """Ranks publications for a query."""

    def __init__(self, query: ParsedQuery) -> None:
        self._words = list(query.all_words)
        self._has_text = bool(query.all_words or query.phrases or query.fields)
        self._has_identifier = bool(query.identifier)
        for term in query.fields:
            if term.field in ("title", "author"):
                self._words += [word for word in term.words if word not in self._words]
        self._keys = [skeleton_of(word) for word in self._words]
        self._needed = {word for word in self._words if word not in query.optional}
        self._optional = set(query.optional)
        self._known = _keys(self._words)

    def rank(self, found: StoredPublication) -> Rank:
        """Return the rank of a publication."""
        titles = (found.title, *found.forms, *found.work_titles)
        mains = [main for title in titles if (main := main_title(title)) is not title]
        forms = [to_words(form) for form in (*titles, *mains)]
        agents = {*_words_of(found, AUTHOR_FIELD), *to_words(found.statement)}
        tiers = [self._tier(words, agents) for words in forms]
        tier, is_other, excess = min(tiers)
        if tier == _IS_TITLE and tiers[0][0] != _IS_TITLE:  # the main title, or a variant
            excess = 1
        present = agents | {word for words in forms for word in words}
        present |= {word for part in found.parts for word in to_words(part)}
        return Rank(
            tier,
            is_other,
            sum(word not in present for word in self._optional),
            excess,
            -len(found.records),
            len(found.languages) > 1 or any(link.role == "trl" for link in found.links),
            found.path,
        )

    def why(self, found: StoredPublication) -> str:
        """Return where the words of the query are; empty if it has none."""
        if not self._has_text:
            return IDENTIFIER if self._has_identifier else ""
        tier = self.rank(found).tier
        if tier == _ELSEWHERE:
            if self._has_identifier:
                return IDENTIFIER
            present = _keys([*to_words(found.title), *_words_of(found, SUBJECT_FIELD)])
            return SUBJECT if self._needed and all(_is_in(word, present) for word in self._needed) else ELSEWHERE
        return AUTHOR if tier == _WITH_AUTHOR or tier > _IN_TITLE else TITLE

    def _tier(self, words: list[str], agents: set[str]) -> tuple[int, bool, int]:
        """Return tier, whether in another form or script, and the words of the title that the query has not."""
        if not self._words or not words:
            return _ELSEWHERE, False, 0
        if words == self._words:
            return _IS_TITLE, False, 0
        keys = [skeleton_of(word) for word in words]
        if keys == self._keys:
            return _IS_TITLE, True, 0
        title = _keys(words)
        authors = _keys(agents)
        excess = min(_MAX_EXCESS, sum(not {_key(word), skeleton_of(word)} & self._known for word in words))
        rest = {word for word in self._needed if not _is_in(word, title)}
        by_authors = all(_is_in(word, authors) for word in rest)
        is_exact = set(self._words) <= set(words) | agents | self._optional
        if not excess and rest and by_authors:
            return _WITH_AUTHOR, not is_exact, 0
        if keys[: len(self._keys)] == self._keys:
            return _AT_BEGINNING, words[: len(self._words)] != self._words, excess
        if not rest:
            is_phrase = _contains(keys, self._keys)
            return _PHRASE if is_phrase else _IN_TITLE, not is_exact, excess
        if by_authors:
            return (_BY_AUTHOR if rest == self._needed else _TITLE_AND_AUTHOR), not is_exact, excess
        return _ELSEWHERE, False, 0


def _words_of(found: StoredPublication, field: str) -> list[str]:
    """Return the words of the names of things that a publication links to."""
    names = {link.path: link.name for link in found.links if link.field == field}
    return to_words(" ".join(names.values()))


@lru_cache(maxsize=1 << 16)
def _key(word: str) -> str:
    return skeleton_of(stem_of(word))


def _keys(words: Iterable[str]) -> set[str]:
    return {key for word in words for key in (_key(word), skeleton_of(word))}


def _is_in(word: str, keys: set[str]) -> bool:
    return _key(word) in keys or skeleton_of(word) in keys


def _contains(keys: Sequence[str], wanted: Sequence[str]) -> bool:
    length = len(wanted)
    return any(keys[at : at + length] == wanted for at in range(len(keys) - length + 1))
