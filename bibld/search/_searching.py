"""Searches: what a text finds, in which order, and what to search for if it finds nothing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld.search._facets import Counts, Facets
from bibld.search._matching import (
    ANY_PUBLICATION,
    FIRST_YEAR,
    LAST_YEAR,
    Matcher,
    all_of,
    any_of,
    has_wrong_check_digit,
    of_complete_title,
    of_identifier,
    of_title_beginning,
    of_title_phrase,
    of_words,
    of_years,
    quote,
)
from bibld.search._query import Query, parse
from bibld.search._ranking import ELSEWHERE_TIER, IDENTIFIER, Ranking
from bibld.search._reader import OutOfTimeError, Rows, Stored
from bibld.search._schema import AGENT, SUBJECT
from bibld.search._spelling import corrections
from bibld.search._values import Asked, Correction, Found
from bibld.search._words import alternatives, other_keyboard_layout

MOST_LISTED = 10_000
"""Results that can be paged through."""

_RANKED = 200
"""Up to this many results are ranked one by one; more are in the order of their tiers."""

_FEW = 10
_SORTED = 20_000
"""Results that are sorted by title; of more, those that most records describe. Years are always complete."""

_MOST_DROPPED = 6
_MOST_TRIED = 12
_MOST_RESPELT = 3
_EXACT, _FORMS, _SCRIPTS = range(3)
_TEXT = "{title agent subject other}"


class Attempt(msgspec.Struct, frozen=True):
    """A query with what it finds: ``match`` and ``level`` (see ``of_words``), ``ids`` up to a few more than ranked."""

    query: Query
    match: str
    level: int
    ids: list[int]
    correction: Correction | None = None


class Searches:
    """Answers searches of one release."""

    def __init__(self, rows: Rows, libraries: Mapping[str, str], languages: Mapping[str, str], seconds: float) -> None:
        self._rows = rows
        self._matcher = Matcher(rows, libraries, languages)
        self._facets = Facets(rows, self._matcher)
        self._seconds = seconds

    @property
    def facets(self) -> Facets:
        """What counts the facets."""
        return self._facets

    def search(self, asked: Asked) -> Found:
        """Return what a search finds; ``too_broad`` if it took too long."""
        query = parse(asked.text)
        try:
            with self._rows.within(self._seconds):
                return self._search(query, asked)
        except OutOfTimeError:
            return Found((), 0, too_broad=True, understood=understood(query), is_cut=query.is_cut)

    def match_of(self, asked: Asked) -> str:
        """Return the full-text query of a search."""
        return self._attempt(parse(asked.text), asked).match

    def _search(self, query: Query, asked: Asked) -> Found:
        attempt = self._attempt(query, asked)
        counts = Counts(self._rows, attempt.match)
        ids, ranking = self._page(attempt, asked, counts.total)
        found = self._rows.publications(ids)
        ranking = ranking or self._ranking(attempt.query, found)
        why = {each.id: _why(attempt.query, ranking, each) for each in found}
        facets = {}
        if asked.with_facets:
            text = self._text_match(attempt.query, attempt.level)
            facets = self._facets.of(text, asked, counts)
        is_number = bool(query.identifier) and bool(found) and has_wrong_check_digit(query.identifier)
        return Found(
            tuple(self._rows.hits(found, lambda each: why[each.id])),
            counts.total,
            counts.is_about,
            facets,
            attempt.correction,
            understood(attempt.query),
            wrong_check_digit=is_number,
            is_cut=query.is_cut,
        )

    # -- what is searched for

    def _attempt(self, query: Query, asked: Asked) -> Attempt:
        """Return the first of several queries that finds something: the text itself, then corrected."""
        if query.is_empty or asked.literal:
            level = _EXACT if asked.literal else _FORMS
            return self._try(query, asked, level)
        own = self._try(query, asked, _FORMS)
        if len(own.ids) < _FEW:
            wider = self._try(query, asked, _SCRIPTS)
            if len(wider.ids) > len(own.ids):
                is_other = not own.ids
                own = msgspec.structs.replace(wider, correction=Correction("script", query.text) if is_other else None)
        if own.ids:
            return own
        return self._corrected(query, asked) or own

    def _try(self, query: Query, asked: Asked, level: int) -> Attempt:
        match = self._matcher.narrow(self._text_match(query, level), asked)
        return Attempt(query, match, level, self._rows.matching(match, _RANKED + 1))

    def _text_match(self, query: Query, level: int) -> str:
        match = self._matcher.of_query(query, level)
        identifier = of_identifier(query.identifier)
        if identifier:
            return f"({match}) OR ({identifier})" if match else identifier
        return match or ANY_PUBLICATION

    def _corrected(self, query: Query, asked: Asked) -> Attempt | None:
        layout = other_keyboard_layout(query.text)
        if layout != query.text:
            attempt = self._try(parse(layout), asked, _FORMS)
            if attempt.ids:
                return msgspec.structs.replace(attempt, correction=Correction("keyboard", layout))
        unknown = [word for word in query.words if not self._is_known(word)]
        respelt = self._respelt(query, unknown, asked)
        if respelt is not None:
            return respelt
        return self._without(query, unknown, asked)

    def _is_known(self, word: str) -> bool:
        return bool(self._rows.count(f"{_TEXT} : {any_of(alternatives(word, with_skeleton=True))}", 1))

    def _respelt(self, query: Query, unknown: list[str], asked: Asked) -> Attempt | None:
        replaced = {}
        for word in unknown:
            candidates = [each for each in corrections(self._rows.connection, word, _MOST_RESPELT) if self._has(each)]
            if candidates:
                replaced[word] = candidates
        if not replaced:
            return None
        texts: list[str] = []
        for place in range(max(map(len, replaced.values()))):
            chosen = {word: candidates[min(place, len(candidates) - 1)] for word, candidates in replaced.items()}
            texts.append(" ".join([*(chosen.get(word, word) for word in query.words), *query.optional]))
        kept = [word for word in query.words if word not in unknown or word in replaced]
        texts.append(" ".join(replaced[word][0] if word in replaced else word for word in kept))
        for text in dict.fromkeys(texts):
            corrected = msgspec.structs.replace(parse(text), fields=query.fields, years=query.years)
            attempt = self._try(corrected, asked, _SCRIPTS)
            if attempt.ids:
                removed = tuple(word for word in unknown if word not in replaced) if text == texts[-1] else ()
                return msgspec.structs.replace(attempt, correction=Correction("spelling", text, removed))
        return None

    def _has(self, word: str) -> bool:
        """Whether a text of a publication of the release has a word as it is."""
        return bool(self._rows.matching(f"{_TEXT} : {quote(word)}", 1))

    def _without(self, query: Query, unknown: list[str], asked: Asked) -> Attempt | None:
        """Leave out the words that nothing has, else the one without which most is found, else all that do not fit.

        Of a query that has fields, those are left out first: their words may be anywhere.
        """
        if query.fields:
            anywhere = parse(" ".join([*query.words, *(word for term in query.fields for word in term.words)]))
            attempt = self._try(msgspec.structs.replace(anywhere, years=query.years), asked, _SCRIPTS)
            if attempt.ids:
                return msgspec.structs.replace(attempt, correction=Correction("anywhere", anywhere.text))
        best: Attempt | None = None
        choices = [set(unknown)] if unknown else [{word} for word in query.words[:_MOST_DROPPED]]
        for dropped in choices:
            attempt = self._reduced(query, [word for word in query.words if word not in dropped], asked)
            if attempt.ids and (best is None or len(attempt.ids) > len(best.ids)):
                best = attempt
        if best is None:
            kept: list[str] = []
            for word in query.words[:_MOST_TRIED]:
                attempt = self._reduced(query, [*kept, word], asked)
                if attempt.ids:
                    kept.append(word)
                    best = attempt
        return best

    def _reduced(self, query: Query, words: list[str], asked: Asked) -> Attempt:
        """Search for some of the words of a query."""
        kept = tuple(words)
        if not kept and not query.phrases and not query.fields:
            return Attempt(query, "", _SCRIPTS, [])
        smaller = msgspec.structs.replace(query, words=kept, optional=(), identifier="", text=" ".join(kept))
        removed = tuple(word for word in query.words if word not in kept)
        attempt = self._try(smaller, asked, _SCRIPTS)
        return msgspec.structs.replace(attempt, correction=Correction("without", " ".join(kept), removed))

    # -- in which order

    def _page(self, attempt: Attempt, asked: Asked, total: int) -> tuple[list[int], Ranking | None]:
        first = max(0, asked.page - 1) * asked.per_page
        last = min(first + asked.per_page, MOST_LISTED)
        if first >= last:
            return [], None
        if asked.sort in ("year", "-year") and total > _SORTED:
            return self._years_in_turn(attempt.match, asked.sort, last)[first:last], None
        if asked.sort in ("year", "-year", "title"):
            return self._sorted(attempt.match, asked.sort)[first:last], None
        if asked.sort == "libraries" or attempt.query.is_empty:
            return self._rows.matching(attempt.match, last)[first:], None
        if len(attempt.ids) <= _RANKED:
            found = self._rows.publications(attempt.ids)
            ranking = self._ranking(attempt.query, found)
            exact = (
                set(self._rows.matching(of_identifier(attempt.query.identifier), _RANKED))
                if (attempt.query.identifier)
                else set()
            )
            found.sort(key=lambda each: (each.id not in exact, ranking.rank(each)))
            return [each.id for each in found][first:last], ranking
        return self._tiers(attempt, asked, last)[first:last], None

    def _sorted(self, match: str, sort: str) -> list[int]:
        if sort == "title":
            rows = self._rows.execute(
                "SELECT id FROM entry JOIN detail USING (id) WHERE id IN (SELECT value FROM json_each(:ids))"
                " ORDER BY title_of(kind, data) COLLATE NOCASE, id",
                ids=msgspec.json.encode(self._rows.matching(match, _SORTED)).decode(),
            )
            return [id_ for (id_,) in rows]
        found = self._rows.matching(match, _SORTED, "entry.id, year")
        known = [(year, id_) for id_, year in found if year is not None]
        known.sort(key=lambda pair: (pair[0] if sort == "year" else -pair[0], pair[1]))
        return [id_ for _, id_ in known] + sorted(id_ for id_, year in found if year is None)

    def _years_in_turn(self, match: str, sort: str, last: int) -> list[int]:
        """Return the first ids of very many in the order of their years: one full-text query for each year."""
        step = 1 if sort == "year" else -1
        found: list[int] = []
        for decade in range(FIRST_YEAR // 10, LAST_YEAR // 10 + 1)[::step]:
            if not self._rows.matching(all_of([match, of_years(10 * decade, 10 * decade + 9)]), 1):
                continue
            for year in range(10 * decade, 10 * decade + 10)[::step]:
                found += self._rows.matching(all_of([match, of_years(year, year)]), last - len(found))
                if len(found) >= last:
                    return found
        return found

    def _tiers(self, attempt: Attempt, asked: Asked, last: int) -> list[int]:
        """Return at least the first ``last`` ids, the best first: one full-text query for each tier."""
        query = attempt.query
        words = query.all_words
        of_fields = self._matcher.of_fields(query, attempt.level)
        queries = [of_identifier(query.identifier)]
        if words:
            queries += [of_complete_title(words), of_title_beginning(words), of_title_phrase(words)]
        if query.words:
            queries += [of_words(query.words, "title", _EXACT), of_words(query.words, "title", attempt.level)]
            queries.append(of_words(query.words, "{title agent}", attempt.level))
        found: dict[int, None] = {}
        tiers = [self._matcher.narrow(all_of([part, of_fields]), asked) for part in queries if part]
        for each in [*tiers, attempt.match]:
            for id_ in self._rows.matching(each, last):
                found.setdefault(id_)
            if len(found) >= last:
                break
        return list(found)

    def _ranking(self, query: Query, found: list[Stored]) -> Ranking:
        ids = {link.id for each in found for link in each.details.links if link.group in (AGENT, SUBJECT)}
        return Ranking(query, self._rows.names(ids))


def _why(query: Query, ranking: Ranking, found: Stored) -> str:
    """Return where the words of a query are; empty if it has none."""
    if not query.all_words and not query.phrases and not query.fields:
        return IDENTIFIER if query.identifier else ""
    if query.identifier and ranking.rank(found).tier == ELSEWHERE_TIER:
        return IDENTIFIER
    return ranking.why(found)


def understood(query: Query) -> dict[str, object]:
    """Return the parts of a query by their names."""
    parts: dict[str, object] = {"words": [*query.words, *query.optional]}
    if query.phrases:
        parts["phrases"] = [" ".join(phrase) for phrase in query.phrases]
    for term in query.fields:
        parts[term.field] = term.text
    if query.years is not None:
        parts["year"] = list(query.years)
    return parts
