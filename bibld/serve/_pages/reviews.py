"""The review page: two records, two entities, or an entity and a record of an authority file, and the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bibld.model.review import EntityQuestion, EntitySide, ItemKind, LinkQuestion
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import facts, fields, matches, summaries
from bibld.serve._pages.codes import name_of_file, number_in_file
from bibld.serve._review.site import ReviewView

KIND_NAMES = {
    ItemKind.RECORDS: message("Records"),
    ItemKind.ENTITIES: message("People, subjects and other names"),
    ItemKind.LINKS: message("Links to authority files"),
}
_HEADINGS = {
    ItemKind.RECORDS: message("Review of uncertain pairs"),
    ItemKind.ENTITIES: message("Review of names that may be the same"),
    ItemKind.LINKS: message("Review of uncertain links"),
}
_SAME = {
    ItemKind.RECORDS: message("The same publication"),
    ItemKind.ENTITIES: message("The same"),
    ItemKind.LINKS: message("The same: link them"),
}
_COMMON = {
    "number": message("a number in an authority file"),
    "name": message("the name and a year of life"),
    "publication": message("a publication that names both"),
    "short_name": message("family name, first given name and years of life"),
    "work": message("a title"),
}
_CONTRADICTIONS = {
    "kind": message("what they are"),
    "type": message("the type of the name"),
    "birth": message("the year of birth"),
    "death": message("the year of death"),
    "number": message("their numbers in one authority file"),
    "work": message("form, language, translator, part, number, year or kind of the work"),
    "creator": message("the creators"),
}
_KIND_OF_TYPE = {"personal": "person", "family": "family", "corporate": "organisation", "conference": "meeting"}


class ShownValue(NamedTuple):
    """A value in a table: ``href`` is an address or empty, ``is_foreign`` whether it is one elsewhere."""

    text: str
    language: str = ""
    href: str = ""
    is_foreign: bool = False


class ComparedRow(NamedTuple):
    """A row of the table that compares two things; ``differs``: both have values, but none in common."""

    label: str
    sides: tuple[list[ShownValue], list[ShownValue]]
    differs: bool = False


class Side(NamedTuple):
    """A thing above the table: what it is, its name and years, and its page."""

    kind: str
    name: str
    language: str
    remark: str
    href: str
    is_foreign: bool = False


class ReviewPages:
    """Makes the review page in one language."""

    def __init__(
        self,
        addresses: Addresses,
        language: PageLanguage,
        heading_of: Callable[..., object],
        render: Callable[..., bytes],
    ) -> None:
        self._addresses = addresses
        self._language = language
        self._heading_of = heading_of
        self._render = render

    def review(self, view: ReviewView) -> bytes:
        """Return the page on which a person decides about a pair."""
        here = self._addresses.page("review")
        shared: dict[str, object] = {
            "here": here,
            "query_string": "" if view.kind == ItemKind.RECORDS else f"kind={view.kind.value}",
            "view": view,
            "heading": self._language.text(_HEADINGS[view.kind]),
            "same": self._language.text(_SAME[view.kind]),
            "kinds": [
                (f"{here}?kind={kind.value}", self._language.text(name), kind == view.kind)
                for kind, name in KIND_NAMES.items()
            ],
            "is_open": view.edge is not None or view.question is not None,
            "relations": self._relations(view),
            "in_words": matches.labels_in_words,
            "letter_of": facts.letter_of,
            "common": (),
            "contradictions": (),
            "evidence": (),
            "others": (),
            "confidence": None,
        }
        if isinstance(view.question, EntityQuestion):
            return self._render("review.html", **{**shared, **self._entities(view.question)})
        if isinstance(view.question, LinkQuestion):
            return self._render("review.html", **{**shared, **self._link(view.question)})
        return self._render("review.html", **{**shared, **self._records(view)})

    def _records(self, view: ReviewView) -> dict[str, object]:
        records = [record for record in (view.left, view.right) if record is not None]
        valued = [(record.id, fields.values(record.mods, self._language)) for record in records]
        features = view.edge.score.features if view.edge is not None else ()
        comparison, agreed = matches.compare(valued, self._language, features)
        reasons, numbers = matches.verdict_reasons(
            view.edge.verdict.reasons if view.edge is not None else (), self._language
        )
        return {
            "sides": [(record, self._heading_of(record.mods, self._language)) for record in records],
            "agreement": agreed,
            "reasons": reasons,
            "numbers": numbers,
            "would_decide": [self._language.sentence(sentence) for sentence in view.would_decide],
            "comparison": comparison,
        }

    # -- entities and links

    def _relations(self, view: ReviewView) -> Mapping[str, str]:
        """Return how the two may be related: records, or works, by the names that a verdict has."""
        if view.kind == ItemKind.RECORDS:
            return matches.RELATION_WORDS
        of_works = isinstance(view.question, EntityQuestion) and view.question.left.path.startswith("work/")
        return matches.RELATIONS_OF_WORKS if of_works else {}

    def _entities(self, question: EntityQuestion) -> dict[str, object]:
        text = self._language.text
        return {
            "things": [self._side(question.left), self._side(question.right)],
            "rows": self._rows(question.left, question.right),
            "common": [text(_COMMON[each]) for each in question.common if each in _COMMON],
            "contradictions": [text(_CONTRADICTIONS[each]) for each in question.contradictions],
        }

    def _link(self, question: LinkQuestion) -> dict[str, object]:
        text = self._language.text
        file = name_of_file(question.target, self._language)
        number = ShownValue(number_in_file(question.target), "", question.target, True)
        heading = ShownValue(question.heading, fields.language_of(question.heading))
        entity = question.entity
        rows = [
            ComparedRow(text("Names"), (_names(entity), [heading])),
            ComparedRow(text("Years of life"), (_texts(entity.dates), [])),
            ComparedRow(text("Numbers"), (self._numbers(entity), [number])),
            ComparedRow(text("Publications"), (self._works(entity), [])),
        ]
        return {
            "things": [
                self._side(entity),
                Side(file, question.heading, heading.language, number.text, question.target, True),
            ],
            "rows": [row for row in rows if any(row.sides)],
            "evidence": [self._evidence(each) for each in question.evidence],
            "confidence": question.confidence,
            "others": [(heading or target, target) for heading, target in question.others],
        }

    def _evidence(self, sentence: str) -> tuple[str, str]:
        """Return a sentence of evidence, and the tag of its language: English where it has no translation."""
        words = self._language.sentence(sentence)
        return words, self._language.tag if words != sentence else "en"

    def _side(self, entity: EntitySide) -> Side:
        folder = entity.path.partition("/")[0]
        kind = _KIND_OF_TYPE.get(entity.type, folder) if folder == "agent" else folder
        name, tag = entity.names[0] if entity.names else (entity.path, "")
        words = self._language.text(summaries.KINDS.get(kind, summaries.KINDS["agent"]))
        publications = self._language.plural("%(num)s publication", "%(num)s publications", entity.count)
        remark = f"{entity.dates[0]}; {publications}" if entity.dates else publications
        return Side(words, name, tag or fields.language_of(name), remark, self._addresses.page(entity.path))

    def _rows(self, one: EntitySide, other: EntitySide) -> list[ComparedRow]:
        text = self._language.text
        rows = [
            ComparedRow(text("Names"), (_names(one), _names(other))),
            ComparedRow(
                text("Years of life"), (_texts(one.dates), _texts(other.dates)), _differ(one.dates, other.dates)
            ),
            ComparedRow(
                text("Numbers"), (self._numbers(one), self._numbers(other)), _differ(one.numbers, other.numbers)
            ),
            ComparedRow(text("Publications"), (self._works(one), self._works(other))),
        ]
        return [row for row in rows if any(row.sides)]

    def _numbers(self, entity: EntitySide) -> list[ShownValue]:
        return [
            ShownValue(f"{name_of_file(number, self._language)} {number_in_file(number)}", "", number, True)
            for number in entity.numbers
        ]

    def _works(self, entity: EntitySide) -> list[ShownValue]:
        shown = [
            ShownValue(
                ", ".join(part for part in (work.title or work.path, work.year) if part),
                fields.language_of(work.title),
                self._addresses.page(work.path),
            )
            for work in entity.works
        ]
        more = entity.count - len(entity.works)
        if more > 0:
            shown.append(ShownValue(self._language.plural("%(num)s more", "%(num)s more", more), self._language.tag))
        return shown


def _names(entity: EntitySide) -> list[ShownValue]:
    return [ShownValue(name, tag or fields.language_of(name)) for name, tag in entity.names]


def _texts(texts: Sequence[str]) -> list[ShownValue]:
    return [ShownValue(text) for text in texts]


def _differ(these: Sequence[str], those: Sequence[str]) -> bool:
    return bool(these and those) and not set(these) & set(those)
