"""The Reconciliation Service API 0.2: names in tables of others become IRIs of the dataset (OpenRefine)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import msgspec

from bibld.documents import PublishedView
from bibld.model.release import Manifest
from bibld.search import LINKED, EntryKind, NamedThing, SearchView, to_words
from bibld.serve._http import ProblemError

MAX_QUERIES = 50
_MAX_CANDIDATES, _CANDIDATES = 50, 10
_MAX_IDS, _MAX_PROPERTIES = 200, 20
_SUGGESTED = 20
_MAX_TEXT_LENGTH = 1000
_MAX_AUTHORS = 3
_SURE, _LEAD = 90.0, 5.0
"""A candidate with this score, and this much before the next one, is a match."""

_OF_NAME = 0.7
"""The share of the name in the score, if values of properties are given too."""

_UNKNOWN = 0.5
"""How well a value agrees with a thing for which none is known."""

_CONTAINED = 0.9
"""The similarity of a name and one that contains all its words."""

_ISBN_LENGTHS = (10, 13)
TYPES = {
    EntryKind.PUBLICATION: "Publication",
    EntryKind.PERSON: "Person",
    EntryKind.ORGANISATION: "Organisation",
    EntryKind.SUBJECT: "Subject",
    EntryKind.PLACE: "Place",
    EntryKind.PUBLISHER: "Publisher",
    EntryKind.SERIES: "Series",
    EntryKind.WORK: "Work",
}
PROPERTIES = {
    "title": "Title or name",
    "isbn": "ISBN",
    "author": "Author",
    "year": "Year of publication",
    "publisher": "Publisher",
    "place": "Place of publication",
    "subject": "Subject",
    "series": "Series",
    "work": "Work",
    "birth": "Year of birth",
    "death": "Year of death",
}
_PROPERTIES_OF: dict[str, tuple[str, ...]] = {
    EntryKind.PUBLICATION: ("title", "isbn", "author", "year", "publisher", "place", "subject", "series", "work"),
    EntryKind.PERSON: ("title", "birth", "death"),
    EntryKind.WORK: ("title", "author", "year", "work"),
}

Names = Mapping[str, tuple[str, ...]]


class PropertyValue(msgspec.Struct, frozen=True):
    """A property of a query; ``v`` is a value, a list of values, or an object with the key ``id``."""

    pid: str
    v: Any = None


class ReconciliationQuery(msgspec.Struct, frozen=True):
    """One query of a batch (specification 0.2, 5.1)."""

    query: str
    type: str | tuple[str, ...] = ()
    limit: int = _CANDIDATES
    properties: tuple[PropertyValue, ...] = ()


class ExtendProperty(msgspec.Struct, frozen=True):
    """A property that is asked for."""

    id: str


class DataExtension(msgspec.Struct, frozen=True):
    """A request for values of properties (specification 0.2, 8)."""

    ids: tuple[str, ...]
    properties: tuple[ExtendProperty, ...]


class Service:
    """Answers requests; to be used in one thread at a time."""

    def __init__(self, manifest: Manifest, search: SearchView, view: PublishedView) -> None:
        self._base = manifest.dataset.base
        titles = manifest.dataset.title
        self._name = titles.get("en") or next(iter(titles.values()), self._base)
        self._search = search
        self._view = view

    def manifest(self) -> dict[str, object]:
        """Return the description of the service (specification 0.2, 4)."""

        def service(path: str) -> dict[str, str]:
            return {"service_url": self._base.rstrip("/"), "service_path": f"/reconcile/{path}"}

        return {
            "versions": ["0.2"],
            "name": self._name,
            "identifierSpace": self._base,
            "schemaSpace": f"{self._base}reconcile/",
            "defaultTypes": [{"id": kind.value, "name": name} for kind, name in TYPES.items()],
            "view": {"url": f"{self._base}{{{{id}}}}"},
            "preview": {"url": f"{self._base}reconcile/preview?id={{{{id}}}}", "width": 430, "height": 300},
            "suggest": {name: service(f"suggest/{name}") for name in ("entity", "type", "property")},
            "extend": {"propose_properties": service("properties"), "property_settings": []},
        }

    # -- queries

    def candidates(self, query: ReconciliationQuery) -> list[dict[str, object]]:
        """Return the candidates of a query, the best first."""
        kinds = _kinds([query.type] if isinstance(query.type, str) else query.type)
        text = query.query[:_MAX_TEXT_LENGTH]
        found = self._found(text, kinds)
        wanted = [(each.pid, _texts(each.v)) for each in query.properties if each.pid in PROPERTIES]
        if any(pid == "year" for pid, _ in wanted):
            found = [self._search.with_years(each) if each.kind == EntryKind.WORK else each for each in found]
        names = self._names_in(found) if wanted else {}
        scored = [(self._score(named, text, wanted, names), named) for named in found]
        scored.sort(key=lambda pair: (-pair[0], pair[1].path))
        scored = scored[: min(max(query.limit, 1), _MAX_CANDIDATES)]
        following = [score for score, _ in scored[1:]] + [0.0]
        return [
            {
                **self._entity(named),
                "type": [_type(named.kind)],
                "score": score,
                "match": rank == 0 and score >= _SURE and score - following[0] >= _LEAD,
                "features": [{"id": "score", "value": score}],
            }
            for rank, (score, named) in enumerate(scored)
        ]

    def _found(self, text: str, kinds: Sequence[EntryKind]) -> list[NamedThing]:
        path = text.strip().removeprefix(self._base)
        direct = self._search.named(path) if "/" in path else None
        number = text.replace("-", "").replace(" ", "")
        is_number = len(number) in _ISBN_LENGTHS and number[:-1].isdecimal()
        found = self._search.find(number if is_number else text, kinds)
        return [direct, *(each for each in found if each.path != direct.path)] if direct is not None else found

    def _names_in(self, found: Iterable[NamedThing]) -> dict[str, tuple[str, ...]]:
        paths = dict.fromkeys(path for named in found for name in LINKED for path in named.data.get(name, ()))
        names = {}
        for path, title in self._view.titles(paths).items():
            linked = self._search.named(path)
            names[path] = linked.forms if linked is not None else (title,)
        return names

    def _score(self, named: NamedThing, text: str, wanted: Sequence[tuple[str, Sequence[str]]], names: Names) -> float:
        """Return a score from 0 to 100."""
        number = text.replace("-", "").replace(" ", "")
        numbers = (value.replace("-", "") for value in named.data.get("isbn", ()))
        if text.strip().removeprefix(self._base) == named.path or number in numbers:
            return 100.0
        score = max((_similarity(text, form) for form in named.forms), default=0.0)
        compared = []
        for pid, texts in wanted:
            values = self._values(named, pid, names)
            if texts:
                agreements = [_agreement(pid, one, other) for one in texts for other in values]
                if pid == "year" and named.kind == EntryKind.WORK and values:
                    agreements = [float(values[0] <= one.strip() <= values[-1]) for one in texts]
                compared.append(max(agreements, default=_UNKNOWN))
                if pid == "isbn" and compared[-1] == 1.0:
                    return 100.0
        if compared:
            score = _OF_NAME * score + (1 - _OF_NAME) * sum(compared) / len(compared)
        return round(100 * score, 1)

    def _values(self, named: NamedThing, pid: str, names: Names) -> list[str]:
        if pid == "title":
            return list(named.forms)
        values = named.data.get(pid, ())
        if pid not in LINKED:
            return list(values)
        iris = [f"{self._base}{path}" for path in values]
        return [*values, *iris, *(name for path in values for name in names.get(path, ()))]

    def _entity(self, named: NamedThing) -> dict[str, object]:
        parts = [*named.data.get("year", ())[:1], *named.data.get("birth", ())[:1], *named.data.get("isbn", ())[:1]]
        if named.kind == EntryKind.WORK:
            work = self._search.with_years(named)
            authors = self._view.titles(work.data.get("author", ())[:_MAX_AUTHORS]).values()
            parts = [*authors, *filter(None, ["–".join(work.data.get("year", ()))])]
        return {"id": named.path, "name": named.title, "description": ", ".join((TYPES[named.kind], *parts))}

    # -- suggestions, preview, extension

    def suggest(self, kind: str, prefix: str) -> dict[str, object]:
        """Return what begins with a text: entities, types or properties."""
        if kind == "entity":
            found = self._search.find(prefix[:_MAX_TEXT_LENGTH], is_prefix=True)[:_SUGGESTED]
            return {"result": [{**self._entity(named), "notable": [_type(named.kind)]} for named in found]}
        names = TYPES if kind == "type" else PROPERTIES
        words = prefix.casefold()
        chosen = [(str(key), name) for key, name in names.items() if words in name.casefold() or words in str(key)]
        return {"result": [{"id": key, "name": name} for key, name in chosen]}

    def properties(self, kind: str) -> dict[str, object]:
        listed = _PROPERTIES_OF.get(kind, ("title",) if kind in set(TYPES) else tuple(PROPERTIES))
        return {"type": kind, "properties": [{"id": name, "name": PROPERTIES[name]} for name in listed]}

    def _named(self, identifier: str) -> NamedThing | None:
        named = self._search.named(identifier.removeprefix(self._base))
        return self._search.with_years(named) if named is not None and named.kind == EntryKind.WORK else named

    def preview(self, path: str) -> bytes:
        """Return a small page about a thing; raises the ``ProblemError`` 404."""
        named = self._named(path)
        if named is None:
            raise ProblemError(404, "Not found", "No thing has this identifier.")
        names = self._names_in([named])
        rows = [
            (PROPERTIES[pid], [names.get(value, (value,))[0] for value in values]) for pid, values in named.data.items()
        ]
        rows.insert(0, ("Other names", [form for form in named.forms if form != named.title][:5]))
        lines = "".join(
            f"<dt>{escape(label)}</dt><dd>{escape('; '.join(values[:5]))}</dd>" for label, values in rows if values
        )
        title, kind = escape(named.title), escape(TYPES[named.kind])
        href = escape(f"{self._base}{named.path}")
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
            f'<p><a href="{href}" target="_blank" rel="noopener">{title}</a> ({kind})</p><dl>{lines}</dl></body></html>'
        ).encode()

    def extend(self, wanted: DataExtension) -> dict[str, object]:
        """Return values of properties of things; raises the ``ProblemError`` 400."""
        if len(wanted.ids) > _MAX_IDS or len(wanted.properties) > _MAX_PROPERTIES:
            detail = f"A request has at most {_MAX_IDS} ids and {_MAX_PROPERTIES} properties."
            raise ProblemError(400, "Too many", detail)
        known = [each.id for each in wanted.properties if each.id in PROPERTIES]
        found = {identifier: self._named(identifier) for identifier in wanted.ids}
        names = self._names_in(named for named in found.values() if named is not None)
        rows = {
            identifier: {pid: _cells(named, pid, names) if named is not None else [] for pid in known}
            for identifier, named in found.items()
        }
        return {"meta": [{"id": pid, "name": PROPERTIES[pid]} for pid in known], "rows": rows}


def _cells(named: NamedThing, pid: str, names: Names) -> list[dict[str, str]]:
    if pid == "title":
        return [{"str": named.title}]
    values = named.data.get(pid, ())
    if pid in LINKED:
        return [{"id": value, "name": names.get(value, (value,))[0]} for value in values]
    return [{"str": value} for value in values]


def _type(kind: EntryKind) -> dict[str, str]:
    return {"id": kind.value, "name": TYPES[kind]}


def _kinds(names: Iterable[str]) -> list[EntryKind]:
    """Return the kinds with these names; unknown names choose nothing, so that all kinds are searched."""
    return [EntryKind(name) for name in names if name in set(TYPES)]


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return _texts(value.get("id") or value.get("name"))
    if isinstance(value, list):
        return [text for each in value[:_MAX_PROPERTIES] for text in _texts(each)]
    return [] if value is None else [str(value)[:_MAX_TEXT_LENGTH]]


def _agreement(pid: str, one: str, other: str) -> float:
    if pid in ("isbn", "year", "birth", "death"):
        return float(re.sub(r"\W", "", one).casefold() == re.sub(r"\W", "", other).casefold())
    words, others = set(to_words(one)), set(to_words(other))
    return max(_similarity(one, other), _CONTAINED if words and words <= others else 0.0)


def _similarity(one: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1: the share of common pairs of letters, in any order of words."""
    left, right = to_words(one), to_words(other)
    if sorted(left) == sorted(right):
        return 1.0 if left == right else 0.98
    pairs, others = _pairs(left), _pairs(right)
    total = pairs.total() + others.total()
    return 2 * (pairs & others).total() / total if total else 0.0


def _pairs(words: Iterable[str]) -> Counter[str]:
    return Counter(f" {word} "[start : start + 2] for word in words for start in range(len(word) + 1))


def decode(text: str, kind: Callable[[bytes], Any]) -> Any:  # noqa: ANN401
    """Decode JSON of a request; raises the ``ProblemError`` 400."""
    try:
        return kind(text.encode())
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        detail = f"The JSON of the request is not what the API describes: {error}"
        raise ProblemError(400, "Not a query", detail) from error


decode_queries = msgspec.json.Decoder(dict[str, ReconciliationQuery]).decode
decode_extension = msgspec.json.Decoder(DataExtension).decode
