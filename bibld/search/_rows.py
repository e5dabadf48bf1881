"""The rows of the index: what it contains of a publication or another thing, from the documents of a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from bibld.documents import Document, PublishedView
from bibld.search._documents import (
    AUTHOR,
    LINK_FIELDS,
    SERIES,
    SUBJECT,
    WORK,
    DocumentReader,
    EntryKind,
    LinkedPath,
    LiteralText,
    Publication,
    StoredName,
    control_numbers,
    joined_tokens,
)
from bibld.search._index import (
    BEGINNING,
    KINDS,
    alphanumeric,
    beginnings_of,
    encode,
    number_token,
    order_of,
    top_number,
)
from bibld.search._values import FLAGS, IndexedLink, Relation, StoredPublication
from bibld.search._words import main_title, main_title_token, title_token, to_words
from bibld.text.scripts import first_foreign_script

_THINGS_REMEMBERED = 100_000
_TITLE_ORDER_LIMIT = 60
"""Characters of a title by which results are sorted."""

_MAX_FORMS = 12
_MAX_PARTS = 6
_MAX_ABOVE = 8
"""Works above that of a publication: wholes and originals."""

Row = dict[str, Any]
"""The fields of a document of the index. That of a thing other than a publication has no ``order`` yet."""


class WorksAbove(NamedTuple):
    """The works of a publication.

    ``paths``: its own, then those above, ``top`` is the last of them that has a name. ``relation``: see
    ``StoredPublication``.
    """

    paths: list[str]
    top: str
    relation: Relation


class RowMaker:
    """Makes rows from the documents of a release."""

    def __init__(self, base: str, view: PublishedView) -> None:
        self._reader = DocumentReader(base)
        self._view = view
        self._names: dict[str, StoredName | None] = {}

    def name(self, path: str) -> StoredName | None:
        """Return what is stored of a thing by its path; None if it has no name."""
        if path not in self._names:
            if len(self._names) == _THINGS_REMEMBERED:
                self._names.clear()
            document = self._view.document(path)
            self._names[path] = self._reader.read_name(document) if document is not None else None
        return self._names[path]

    def row(self, document: Document) -> Row | None:
        """Return the row of a document; None if it describes nothing that is searched for."""
        publication = self._reader.read_publication(document)
        if publication is not None:
            return self._publication_row(publication)
        is_known = document.path in self._names
        name = self._names[document.path] if is_known else self._reader.read_name(document)
        return name_row(name) if name is not None else None

    def works_above(self, found: Publication) -> WorksAbove:
        """Return the work of a publication, the whole or original of that one, and so on.

        An article is not expected under its journal. Of works that are above each other, the top is the same for all.
        """
        if not found.works:
            return WorksAbove([], "", Relation.EDITION)
        paths = [found.works[0]]
        top, relation = paths[0], Relation.EDITION
        while len(paths) <= _MAX_ABOVE and (name := self.name(paths[-1])) is not None and name.work is not None:
            top = paths[-1]
            wholes = () if found.type == "article" else name.work.wholes
            above = next((path for path in (*wholes, *name.work.originals) if path != paths[-1]), "")
            if above in paths:
                top = min(paths[paths.index(above) :])
                break
            if not above:
                break
            paths.append(above)
            if above in name.work.originals:
                relation = Relation.TRANSLATION
            elif relation == Relation.EDITION:
                relation = Relation.PART
        return WorksAbove(paths, top, relation if top != paths[0] else Relation.EDITION)

    def _publication_row(self, found: Publication) -> Row:
        above = self.works_above(found)
        found.links += [LinkedPath(WORK, "", path) for path in above.paths]
        names = [self.name(link.path) for link in found.links]
        links = tuple(
            IndexedLink(
                link.field, link.role, link.path, name.title if name and link.field in (AUTHOR, SUBJECT) else ""
            )
            for link, name in zip(found.links, names, strict=True)
        )
        titles = list(dict.fromkeys([found.title, *(text.value for text in found.titles)]))
        variants = dict.fromkeys([*titles, *(text.value for text in found.variants)])
        work_titles = self._titles_of_works(dict.fromkeys((*above.paths[:1], above.top)), variants)
        stored = StoredPublication(
            path=found.path,
            title=found.title,
            forms=tuple(variants)[1:][:_MAX_FORMS],
            statement=_best(found.statements, found.title),
            imprint=_best(found.imprints, found.title),
            year=found.date,
            type=found.type,
            languages=tuple(found.languages),
            records=tuple(found.records),
            links=links,
            isbns=tuple(found.isbns),
            parts=tuple(dict.fromkeys(text.value for text in (*found.parts, *found.editions)))[:_MAX_PARTS],
            top_work=above.top,
            relation=above.relation,
            work_titles=work_titles,
        )
        texts = [*sorted(found.titles, key=lambda text: text.value != found.title), *found.variants, *found.parts]
        texts += [LiteralText(title, "") for title in work_titles]
        is_linked = any(name.is_linked for name in names if name is not None and name.work is None)
        flags = (found.is_online, found.is_merged, is_linked)
        row: Row = {
            "kind": KINDS.index(EntryKind.PUBLICATION),
            "path": found.path,
            "order": order_of(found.path, len(found.records)),
            "data": encode(stored),
            "title_words": f"{BEGINNING} {joined_tokens(texts)}",
            "agent_words": joined_tokens(found.statements, *self._linked_tokens(found, AUTHOR)),
            "subject_words": " ".join(self._linked_tokens(found, SUBJECT)),
            "other_words": joined_tokens(
                [*found.editions, *found.imprints, *found.contents], *self._linked_tokens(found, SERIES)
            ),
            "library": found.libraries,
            "language": found.languages,
            "type": found.type,
            "flags": sum(is_set << position for position, is_set in enumerate(flags)),
            **{name: "true" if is_set else "false" for name, is_set in zip(FLAGS, flags, strict=True)},
            "role": [f"{link.path} {link.role}" for link in links if link.role],
            "code": _codes(found, titles),
            "top": top_number(stored.top),
            "title_order": found.title.casefold()[:_TITLE_ORDER_LIMIT],
            **{field: list({link.path: None for link in links if link.field == field}) for field in LINK_FIELDS},
        }
        if found.year is not None:
            row["year"] = found.year
        return row

    def _titles_of_works(self, paths: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
        """Return the preferred titles of works that have other words than those that are known."""
        names = [self.name(path) for path in paths]
        stated = [title for name in names if name is not None and name.work is not None for title in name.work.titles]
        others = dict.fromkeys(title for title in stated if title not in known)
        if not others:
            return ()
        words = {tuple(to_words(title)) for title in known}
        return tuple(title for title in others if tuple(to_words(title)) not in words)[:_MAX_FORMS]

    def _linked_tokens(self, found: Publication, field: str) -> Iterable[str]:
        """Return the tokens of the things that a field links to, those of equal names once."""
        names = [self.name(link.path) for link in found.links if link.field == field]
        return dict.fromkeys(name.tokens for name in names if name is not None)


def name_row(stored: StoredName) -> Row:
    """Return the row of a thing that is no publication."""
    words = to_words(stored.title)
    return {
        "kind": KINDS.index(stored.kind),
        "path": stored.path,
        "data": encode(stored),
        "name_words": stored.tokens,
        "begins": beginnings_of(stored.kind, stored.path, stored.title, "".join(words)),
        "title_order": " ".join(words)[:_TITLE_ORDER_LIMIT],
    }


def linked_paths(row: Row) -> set[str]:
    """Return the paths of all things that a publication links to."""
    return {path for field in LINK_FIELDS for path in row.get(field, ())}


def _best(texts: list[LiteralText], title: str) -> str:
    """Return the first text in the script of the title, else the first."""
    script = first_foreign_script(title)
    values = [text.value for text in texts]
    return next((value for value in values if first_foreign_script(value) == script), values[0] if values else "")


def _codes(found: Publication, titles: Iterable[str]) -> list[str]:
    tokens = [title_token(title) for title in titles]
    tokens += [main_title_token(main) for title in titles if (main := main_title(title)) is not title]
    tokens += [number_token(number) for number in (*found.isbns, *found.numbers)]
    for record, number in zip(found.records, control_numbers(found.records), strict=True):
        plain = alphanumeric(number)
        tokens += ["x" + plain, "x" + alphanumeric(record.partition("/")[0]) + plain]
    return list(dict.fromkeys(tokens))
