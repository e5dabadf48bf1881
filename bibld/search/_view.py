"""Searches the names of one release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bibld.documents import connect, reporting_errors
from bibld.search._documents import EntryKind
from bibld.search._facets import COUNTED, Counts, is_mark
from bibld.search._matching import in_columns, of_complete_title, of_thing, of_words, quote
from bibld.search._query import LONGEST_QUERY
from bibld.search._reader import Rows, Stored, agents_of
from bibld.search._rows import number_token
from bibld.search._schema import AGENT, FILE, Details, has_release
from bibld.search._searching import Searches
from bibld.search._values import Asked, FacetValue, Found, Named, Related, Work
from bibld.search._words import alternatives, skeleton_of, to_query_words, to_words

_MOST_TITLES = 200
"""Things that are returned for one text."""

_MOST_WORDS = 32
_RARE_WORDS = 4
_MOST_READ = 2000
_MOST_WORKS = 50_000
_SECONDS = 2.0
_LONG = 5
"""How many times as long as a search other reading may take."""

_SUGGESTED = 400
_LEAST_LETTERS = 2
"""Of a text for which things are suggested: too many begin with one letter."""

_SHORTEST_TITLE = 4
_GROUP_OF_KIND = {
    EntryKind.PERSON: "author",
    EntryKind.ORGANISATION: "author",
    EntryKind.SUBJECT: "subject",
    EntryKind.PUBLISHER: "publisher",
    EntryKind.SERIES: "series",
    EntryKind.PLACE: "place",
}
_ROLES_OF_GROUP = {"s": "subject", "p": "publisher", "q": "series", "k": "place"}
_ORDERS = {
    "year": "year IS NULL, year, entry.id",
    "-year": "year IS NULL, year DESC, entry.id",
    "title": "title_of(kind, data) COLLATE NOCASE, entry.id",
    "libraries": "bucket, entry.id",
}


class SearchView:
    """The names of one release; see :func:`open_search`. To be used in one thread at a time."""

    def __init__(
        self,
        rows: Rows,
        libraries: Mapping[str, str],
        languages: Mapping[str, str],
        seconds: float,
    ) -> None:
        self._rows = rows
        self._seconds = seconds
        self._searches = Searches(rows, libraries, languages, seconds)

    def close(self) -> None:
        """Close the database."""
        self._rows.close()

    # -- publications

    def search(self, asked: Asked) -> Found:
        """Return the publications that a text finds, with facets. Every text is a query."""
        return self._searches.search(asked)

    def facet(self, name: str, asked: Asked, limit: int = 100) -> tuple[FacetValue, ...]:
        """Return the values of one facet of a search, the most frequent first."""
        with self._rows.within(_LONG * self._seconds):
            counts = Counts(self._rows, self._searches.match_of(asked))
            return self._searches.facets.values(name, counts, asked.filters.get(name, ()), limit)

    def works(
        self, path: str, role: str | None = None, sort: str = "year", limit: int = 100, offset: int = 0
    ) -> tuple[list[Work], int]:
        """Return publications that are linked to a thing, and how many there are.

        ``role``: a code of MARC relators, ``agent``, ``subject``, ``publisher``, ``series`` or ``place``; None for
        all. ``sort``: ``year``, ``-year``, ``title`` or ``libraries``.
        """
        id_ = self._rows.id_of(path)
        if id_ is None:
            return [], 0
        query = of_thing(id_, role)
        with self._rows.within(_LONG * self._seconds):
            ids = self._rows.matching(query, _MOST_WORKS)
            ordered = self._ordered(ids, sort)[offset : offset + limit]
            found = self._rows.publications(ordered)
            works = self._works_of(found, [_role_of(each.details, id_, role) for each in found])
            return works, len(ids)

    def publications(self, paths: Iterable[str]) -> dict[str, Work]:
        """Return the publications with these paths by their paths, without a role; only those that there are."""
        with self._rows.within(_LONG * self._seconds):
            found = self._rows.publications_of(paths)
            return {work.path: work for work in self._works_of(found, [""] * len(found))}

    def _works_of(self, found: Sequence[Stored], roles: Sequence[str]) -> list[Work]:
        names = self._rows.names({link.id for each in found for link in each.details.links if link.group == AGENT})
        return [
            Work(
                each.details.path,
                each.title,
                each.details.year,
                role,
                each.details.type,
                each.details.languages,
                tuple(dict.fromkeys(record.partition("/")[0] for record in each.details.records)),
                agents_of(each.details, names),
            )
            for each, role in zip(found, roles, strict=True)
        ]

    def _ordered(self, ids: Sequence[int], sort: str) -> list[int]:
        from_ids = "entry JOIN detail USING (id)" if sort == "title" else "entry"
        listed = "[" + ",".join(map(str, ids)) + "]"
        rows = self._rows.execute(
            f"SELECT entry.id FROM {from_ids} WHERE entry.id IN (SELECT value FROM json_each(:listed))"
            f" ORDER BY {_ORDERS.get(sort, _ORDERS['year'])}",
            listed=listed,
        )
        return [id_ for (id_,) in rows]

    def roles(self, path: str) -> list[tuple[str, int]]:
        """Return in which roles a thing is linked to publications, and to how many, the most frequent first."""
        id_ = self._rows.id_of(path)
        if id_ is None:
            return []
        with self._rows.within(_LONG * self._seconds):
            ids = self._rows.matching(of_thing(id_, None), _MOST_READ)
            roles = {
                link.role or _ROLES_OF_GROUP[link.group]
                for each in self._rows.publications(ids)
                for link in each.details.links
                if link.id == id_
            }
            counted = [(role, len(self._rows.matching(of_thing(id_, role), _MOST_WORKS))) for role in roles]
        return sorted(counted, key=lambda pair: (-pair[1], pair[0]))

    def years(self, of: str | Asked) -> list[tuple[int, int]]:
        """Return years of publication with counts, ascending: of the publications of a thing (its path) or a search."""
        with self._rows.within(_LONG * self._seconds):
            query = self._query_of(of)
            if query is None:
                return []
            rows = self._rows.matching(query, _MOST_WORKS, "entry.id, year")
        counts: dict[int, int] = {}
        for _, year in rows:
            if year is not None:
                counts[year] = counts.get(year, 0) + 1
        return sorted(counts.items())

    def _query_of(self, of: str | Asked) -> str | None:
        if isinstance(of, Asked):
            return self._searches.match_of(of)
        id_ = self._rows.id_of(of)
        return of_thing(id_, None) if id_ is not None else None

    def related(self, path: str, kind: EntryKind | None = None, limit: int = 20) -> list[Related]:
        """Return things that occur together with one in publications, the most frequent first.

        ``kind``: of this kind only. Of things with very many publications a sample is read.
        """
        id_ = self._rows.id_of(path)
        if id_ is None:
            return []
        with self._rows.within(_LONG * self._seconds):
            counts = Counts(self._rows, of_thing(id_, None))
            facets = (
                (_GROUP_OF_KIND[kind],) if kind in _GROUP_OF_KIND else tuple(dict.fromkeys(_GROUP_OF_KIND.values()))
            )
            best: dict[int, int] = {}
            for facet in facets:
                for other, count in counts.of(facet)[:COUNTED]:
                    if other != id_:
                        best[other] = max(count, best.get(other, 0))
            ordered = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[: _MOST_TITLES + limit]
            named = self._rows.things([other for other, _ in ordered])
        found = [
            Related(one.path, one.title, one.kind, best[other])
            for other, one in named.items()
            if kind in (None, one.kind) and not is_mark(one.path, one.title)
        ]
        return found[:limit]

    # -- names

    def named(self, path: str) -> Named | None:
        """Return the thing with a path; None if there is none."""
        with self._rows.within(_LONG * self._seconds):
            return self._rows.named(path)

    def suggest(self, text: str, limit: int = 5) -> list[Named]:
        """Return things whose names contain the words of a text, the last of which may be a beginning.

        At most ``limit`` of each kind, of each those first that most publications have; nothing for a single letter.
        Raises ``OutOfTimeError``.
        """
        words = to_query_words(text[:LONGEST_QUERY])[:_MOST_WORDS]
        if sum(map(len, words)) < _LEAST_LETTERS:
            return []
        with self._rows.within(self._seconds):
            ids = self._rows.names_matching(_beginning(words, ""), _SUGGESTED)
            found = sorted(self._rows.things(ids).values(), key=lambda each: (-each.uses, each.title))
            titles = []
            if len(words[-1]) >= (_SHORTEST_TITLE if len(words) == 1 else _SHORTEST_TITLE - 1):
                ids = self._rows.matching(_beginning(words, "title"), 4 * limit)
                titles = list(self._rows.things(ids).values())
                typed = " ".join(words)
                titles.sort(key=lambda each: (*_nearness(" ".join(to_words(each.title)), typed), -each.uses))
        counts: dict[EntryKind, int] = {}
        kept = []
        for each in (*titles, *found):
            counts[each.kind] = counts.get(each.kind, 0) + 1
            if counts[each.kind] <= limit:
                kept.append(each)
        return kept

    def find(self, text: str, kinds: Sequence[EntryKind] = (), is_prefix: bool = False) -> list[Named]:
        """Return things whose names contain the words of a text, the best first: all words, else the rarest of them.

        ``is_prefix``: the last word may be the beginning of one. At most 200 are returned.
        """
        words = list(dict.fromkeys(to_query_words(text[:LONGEST_QUERY])))[:_MOST_WORDS]
        if not words:
            return []
        with self._rows.within(_LONG * self._seconds):
            found = self._all_words(words, kinds, is_prefix)
            if not found and len(words) > 1:
                found = self._some_words(words, kinds)
            return list(self._rows.things(found[:_MOST_TITLES]).values())

    def _all_words(self, words: Sequence[str], kinds: Sequence[EntryKind], is_prefix: bool) -> list[int]:
        found: list[int] = []
        if not kinds or EntryKind.PUBLICATION in kinds:
            if not is_prefix:
                found += self._rows.matching(of_complete_title(words), _MOST_TITLES)
            found += self._rows.matching(_ending(words, "title", is_prefix), _MOST_TITLES)
            if not is_prefix and len(words) == 1:
                found += self._rows.matching(f"code : {quote(number_token(words[0]))}", _MOST_TITLES)
        others = [kind for kind in kinds if kind != EntryKind.PUBLICATION]
        if not kinds or others:
            of_names = self._rows.names_matching(_ending(words, "", is_prefix), _MOST_TITLES, others)
            found = [*of_names, *found] if is_prefix else [*found, *of_names]
        return list(dict.fromkeys(found))

    def _some_words(self, words: Sequence[str], kinds: Sequence[EntryKind]) -> list[int]:
        """Return what has the rarest words, those that have most of them first."""
        found: dict[int, int] = {}
        others = [kind for kind in kinds if kind != EntryKind.PUBLICATION]
        lists = []
        for word in words:
            ids: list[int] = []
            if not kinds or EntryKind.PUBLICATION in kinds:
                ids += self._rows.matching(of_words([word], "title", 0), _MOST_READ)
            if not kinds or others:
                ids += self._rows.names_matching(of_words([word], "", 0), _MOST_READ, others)
            if ids:
                lists.append(ids)
        for ids in sorted(lists, key=len)[:_RARE_WORDS]:
            for id_ in ids:
                found[id_] = found.get(id_, 0) + 1
        return sorted(found, key=lambda id_: (-found[id_], id_))


def _nearness(title: str, typed: str) -> tuple[bool, bool]:
    """Return whether a title differs from what was typed, and whether it does not begin with that."""
    return title != typed, not title.startswith(typed)


def _ending(words: Sequence[str], column: str, is_prefix: bool) -> str:
    """Return what finds all words as they are, in any script; the last one may be a beginning."""
    groups = []
    for place, word in enumerate(words):
        mark = "*" if is_prefix and place == len(words) - 1 else ""
        key = skeleton_of(word)
        tokens = dict.fromkeys([word, key, "~" + key] if len(key) > 1 or len(words) > 1 else [word])
        groups.append("(" + " OR ".join(quote(token) + mark for token in tokens) + ")")
    return in_columns(groups, column)


def _beginning(words: Sequence[str], column: str) -> str:
    """Return what finds all words in any form, the last of which is a beginning."""
    groups = ["(" + " OR ".join(map(quote, alternatives(word, with_skeleton=True))) + ")" for word in words[:-1]]
    last = words[-1]
    key = skeleton_of(last)
    tokens = dict.fromkeys([last, "~" + key, key] if len(key) > 1 else [last])
    groups.append("(" + " OR ".join(quote(token) + "*" for token in tokens) + ")")
    return in_columns(groups, column)


def _role_of(details: Details, id_: int, wanted: str | None) -> str:
    roles = [link.role or _ROLES_OF_GROUP.get(link.group, "") for link in details.links if link.id == id_]
    return wanted if wanted in roles and wanted is not None else next(iter(roles), "")


def has_search(workspace: Path, release: int) -> bool:
    """Whether there are names of a release."""
    with reporting_errors(workspace / FILE):
        return has_release(workspace / FILE, release)


def open_search(
    workspace: Path,
    release: int,
    libraries: Mapping[str, str] | None = None,
    languages: Mapping[str, str] | None = None,
    seconds: float = _SECONDS,
) -> SearchView:
    """Open the names of a release, for reading only; see ``has_search``.

    ``libraries``: the ids of sources by names that queries may use, ``languages``: codes of languages by their names,
    both of folded words. A search may take ``seconds`` of the processor, suggestions as long, other reading five times
    that; what takes longer raises ``OutOfTimeError``, except a search.
    """
    file = workspace / FILE
    with reporting_errors(file):
        rows = Rows(connect(file, read_only=True), file, release)
        return SearchView(rows, libraries or {}, languages or {}, seconds)
