"""Which elements and attributes of MODS make which triples, found by leaving each out and comparing the statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.mods_plan import Plan, plan_of, tag_of
from bibld.model.origin import RecordId
from bibld.model.rdf import PREFIXES
from bibld.triplify._dataset import to_quads

_REASONS = (
    ("recordInfo/*", "about the record, not the publication: it is in the MODS of the record"),
    ("*/XML extension/@type", "XML of another schema is not interpreted"),
    ("*/@altFormat */@contentType */@shareable", "how the element is delivered in XML"),
    ("*/@typeURI */@eventTypeURI */@otherTypeURI */@otherTypeAuth*", "the type is read as a word"),
    ("*/@nameTitleGroup", "connects a name and a title within MODS"),
    ("*/@script */@transliteration", "the script of a text is found from its letters"),
    (
        "*/@altRepGroup",
        "connects the forms of one value in two scripts; titles in two scripts have different language tags",
    ),
    ("*/@ID", "names the element within its XML"),
    ("*/@authorityURI", "the scheme is found by its code"),
    ("*/@lang */@xml:lang", "the language of a text that is published without one, or has that of the publication"),
    ("*/@supplied", "where the cataloguer found the value"),
    ("*/@generator", "how the class mark was found"),
    (
        "*/@calendar */@encoding */@keyDate */@point */@qualifier",
        "how the date is to be read; the date is published as it is read",
    ),
    ("originInfo/*/@type", "the kind of the value is not published, or is that without the attribute"),
    ("physicalDescription/extent", "the playing time of a part, or one that another record contradicts"),
    ("*/@unit", "the text of the extent contains it"),
    ("*/extent/total", "follows from the first and the last page"),
    (
        "part/*",
        "the place of a part is published as volume, issue, number, chapter and pages, else in the words of part/text",
    ),
    ("originInfo/@eventType", "publication, which is meant where nothing is stated"),
    (
        "originInfo/dateOther",
        "only the date of the event itself, of an original, or one of no stated kind is published",
    ),
    ("*/displayDate", "the dates themselves are published"),
    (
        "originInfo/place/cartographics/* originInfo/place/placeIdentifier",
        "a place of publication is published by its name",
    ),
    ("*/roleTerm*", "the code and the word of a role make the same triples; a role of a subject makes none"),
    (
        "*/affiliation */name/description name/description",
        "belongs to the person at the time of publication, not to the agent of all publications",
    ),
    ("*/etal", "states that names are missing"),
    (
        "*/alternativeName/*",
        "an agent is identified by the numbers of its heading; other names are published as they are",
    ),
    ("name/nameIdentifier*", "a number that makes the IRI of the agent, or is invalid"),
    ("language/scriptTerm*", "scripts are published as language tags of the texts themselves"),
    ("physicalDescription/form", "another form makes the same triples, or it is in no list of forms"),
    (
        "physicalDescription/digitalOrigin physicalDescription/reformattingQuality",
        "no vocabulary in the data has a property for it",
    ),
    ("location/holdingSimple/*", "the form of a copy and its address are in the MODS of the record"),
    ("location/physicalLocation/@*", "the institution is identified by its code or its name"),
    ("location/url/@*", "a remark on the address"),
    ("location/url", "an address that is not http or https is published as text"),
    ("*/@authority", "the value alone is enough to find its meaning"),
    ("*titleInfo/@otherType", "the kinds of titles are those of titleInfo/@type"),
    ("*/@otherType", "only the relations that MODS lists have properties; others are dcterms:relation"),
    ("*/@xlink:href", "an address about the element, for which the vocabularies have no property"),
    ("*/@usage", "which of the values is the main one"),
    ("*/@displayLabel", "words for display"),
    ("*/@altType", "the kind of the value is not published"),
    ("*/@type", "the kind of the value is not published, or is that without the attribute"),
)
REASONS = tuple((pattern, reason) for patterns, reason in _REASONS for pattern in patterns.split())
"""Names of elements and attributes (``*``: anything) → why they make no triple, the first that fits."""


def reason_of(name: str) -> str:
    """Return why an element or attribute makes no triple; empty if nothing is known about it."""
    return next((reason for pattern, reason in REASONS if fnmatchcase(name, pattern)), "")


LANGUAGE_TAGS = "language tags"
"""Stands for the triples whose literals would only have another language tag."""

Steps = tuple[tuple[str, int | None], ...]
"""The way from a description to a value: fields, with a position in those that repeat."""

_IRIS = Iris("https://data.example.org/")
_RECORD = RecordId("source", "1")
_LINE = re.compile(r"(<[^>]*>) <([^>]*)> (.*?)(?: <[^>]*>)? \.\n?")
_NODE_NUMBER = re.compile(r"#([a-z]+)\d+>")
_LANGUAGE_TAG = re.compile(r'"@[a-z0-9-]+(?=(?: <[^>]*>)? \.\n?$)')
_ATTRIBUTE_NAMES = {"xlink_href": "xlink:href", "xml_lang": "xml:lang"}
_TYPE = f"{PREFIXES['rdf']}type"
_FOREIGN = "scheme"
"""The only things with a foreign IRI that bibld describes."""


class ElementCoverage(msgspec.Struct, frozen=True):
    """What became of one element or attribute of MODS in some descriptions.

    ``name`` is a path such as ``titleInfo/title`` or ``titleInfo/@type``; ``seen`` counts its occurrences,
    ``published`` those without which triples would be missing or different. ``triples`` describes these:
    ``bf:title / bf:mainTitle`` is a property of a node that ``bf:title`` leads to, ``agent: skos:prefLabel`` one of an
    agent. ``reason`` explains why some make no triple. Where two values make the same triples, such as a role as code
    and as text, neither is counted as published, since the triples are there without it.
    """

    name: str
    seen: int
    published: int
    triples: tuple[str, ...]
    reason: str


def mods_coverage(descriptions: Iterable[Mods]) -> list[ElementCoverage]:
    """Return what became of each element and attribute, ordered by name.

    Takes some 50 ms for each description: the statements are made once for each of its values.
    """
    seen: Counter[str] = Counter()
    published: Counter[str] = Counter()
    triples: dict[str, dict[str, None]] = {}
    for mods in descriptions:
        for name, patterns in effects(mods):
            seen[name] += 1
            published[name] += bool(patterns)
            triples.setdefault(name, {}).update(dict.fromkeys(patterns))
    return [
        ElementCoverage(
            name,
            seen[name],
            published[name],
            tuple(triples[name]),
            reason_of(name) if published[name] < seen[name] else "",
        )
        for name in sorted(seen)
    ]


def effects(mods: Mods) -> Iterator[tuple[str, list[str]]]:
    """Yield each element and attribute of a description with the triples that would be missing without it."""
    before = _Statements.from_mods(mods)
    for name, steps in leaves(mods):
        yield name, before.missing_from(_Statements.from_mods(without(mods, steps)))


def leaves(item: Any, name: str = "", steps: Steps = ()) -> Iterator[tuple[str, Steps]]:  # noqa: ANN401
    """Yield the name of each text, attribute and foreign XML of a description, and the way to it."""
    plan = _plan(item)
    for field, _ in plan.attributes:
        if getattr(item, field) is not None:
            yield f"{name}/@{attribute_name(type(item), field)}", (*steps, (field, None))
    if plan.has_text and item.value:
        yield name, (*steps, ("value", None))
    if plan.raw is not None:
        for position, _ in enumerate(getattr(item, plan.raw)):
            yield f"{name}/XML", (*steps, (plan.raw, position))
    for child in plan.children:
        value = getattr(item, child.field)
        for position, each in enumerate(value if child.is_many else (value,) if value is not None else ()):
            way = (*steps, (child.field, position if child.is_many else None))
            inner = f"{name}/{child.tag.rpartition('}')[2]}".removeprefix("/")
            if child.kind is None:
                yield inner, way
            else:
                yield from leaves(each, inner, way)
    if plan.is_inline_mods:
        yield from leaves(item.mods, name, (*steps, ("mods", None)))
    elif plan.inline is not None:
        for position, each in enumerate(getattr(item, plan.inline)):
            tag = tag_of(each.__class__).rpartition("}")[2]
            yield from leaves(each, f"{name}/{tag}", (*steps, (plan.inline, position)))


def effective_attributes(descriptions: Iterable[Mods], values: Mapping[str, str]) -> dict[str, list[str]]:
    """Return for each attribute the elements on which it changes the statements, where they lack it.

    ``values`` maps the fields of attributes to the value that is tried.
    """
    found: dict[str, set[str]] = {field: set() for field in values}
    for mods in descriptions:
        before = _Statements.from_mods(mods)
        for name, steps, element in _elements(mods):
            for field in set(values).intersection(dict(_plan(element).attributes)):
                if name not in found[field] and getattr(element, field) is None:
                    changed = _with(mods, steps, msgspec.structs.replace(element, **{field: values[field]}))
                    if _Statements.from_mods(changed).counts != before.counts:
                        found[field].add(name)
    return {field: sorted(names) for field, names in found.items()}


def _elements(item: Any, name: str = "", steps: Steps = ()) -> Iterator[tuple[str, Steps, Any]]:  # noqa: ANN401
    """Yield the name of each element of a description that has a value, the way to it, and the element."""
    ways: dict[Steps, str] = {}
    for leaf, way in leaves(item, name, steps):
        if way[-1][0] not in ("mods", "parts") and len(way) > 1:
            ways.setdefault(way[:-1], leaf.partition("/@")[0] if way[-1][0] == "value" else leaf.rpartition("/")[0])
    for way, found in ways.items():
        yield found, way, _at(item, way)


def _plan(item: Any) -> Plan:  # noqa: ANN401
    kind: Any = type(item)
    return plan_of(kind)


def _at(item: Any, steps: Steps) -> Any:  # noqa: ANN401
    for field, position in steps:
        value = getattr(item, field)
        item = value if position is None else value[position]
    return item


def _with(item: Any, steps: Steps, element: Any) -> Any:  # noqa: ANN401
    """Return a description with another element where a way leads to."""
    (field, position), *rest = steps
    value = getattr(item, field)
    if position is None:
        return msgspec.structs.replace(item, **{field: _with(value, tuple(rest), element) if rest else element})
    inner = _with(value[position], tuple(rest), element) if rest else element
    return msgspec.structs.replace(item, **{field: (*value[:position], inner, *value[position + 1 :])})


def attribute_name(kind: type, field: str) -> str:
    """Return the name in XML of an attribute of a class of the model, with the prefix ``xlink`` or ``xml``."""
    return _ATTRIBUTE_NAMES.get(field) or dict(plan_of(kind).attributes)[field]


def without(item: Any, steps: Steps) -> Any:  # noqa: ANN401
    """Return a description without the value that a way leads to."""
    (field, position), *rest = steps
    value = getattr(item, field)
    if rest:
        inner = without(value if position is None else value[position], tuple(rest))
        new = inner if position is None else (*value[:position], inner, *value[position + 1 :])
    elif position is not None:
        new = (*value[:position], *value[position + 1 :])
    else:
        new = "" if field in ("value", "title") and isinstance(value, str) else None
    return msgspec.structs.replace(item, **{field: new})


class _Statements(msgspec.Struct, frozen=True):
    """The statements about one description; the numbers of nodes are left out, since they depend on the others."""

    lines: tuple[str, ...]
    counts: Mapping[str, int]

    @classmethod
    def from_mods(cls, mods: Mods) -> _Statements:
        """Make the statements of a publication with one record."""
        lines = tuple(to_quads([Merged(Cluster(_RECORD, (_RECORD,)), mods, ())], _IRIS))
        return cls(lines, Counter(_NODE_NUMBER.sub(r"#\1>", line) for line in lines))

    def missing_from(self, other: _Statements) -> list[str]:
        """Return the patterns of the statements that other ones lack, each once, in their order."""
        missing = Counter(self.counts) - Counter(other.counts)
        untagged = {_without_tag(line) for line in other.counts}
        links = self._links()
        patterns: dict[str, None] = {}
        for line in self.lines:
            unnumbered = _NODE_NUMBER.sub(r"#\1>", line)
            if missing[unnumbered]:
                is_tag = unnumbered not in other.counts and _without_tag(unnumbered) in untagged
                patterns[LANGUAGE_TAGS if is_tag else _pattern(line, links)] = None
        typed = [pattern for pattern in patterns if pattern.rpartition(" / ")[2].startswith("a ")]
        others = [pattern for pattern in patterns if pattern not in typed]
        return [*(pattern for pattern in typed if "/" not in pattern or not others), *others]

    def _links(self) -> dict[str, tuple[str, str]]:
        """Return for each node the subject and property that lead to it."""
        found: dict[str, tuple[str, str]] = {}
        for subject, predicate, value in map(_parts, self.lines):
            if "#" in value and value.startswith(f"<{_IRIS.base}"):
                found.setdefault(value, (subject, predicate))
        return found


def _without_tag(line: str) -> str:
    return _LANGUAGE_TAG.sub('"', line)


def _parts(line: str) -> tuple[str, str, str]:
    found = _LINE.fullmatch(line)
    assert found is not None
    return found[1], found[2], found[3]


def _pattern(line: str, links: Mapping[str, tuple[str, str]]) -> str:
    subject, predicate, value = _parts(line)
    own = f"a {_compact(value[1:-1])}" if predicate == _TYPE else _compact(predicate)
    chain = [own]
    while "#" in subject and subject in links:
        subject, predicate = links[subject]
        chain.insert(0, _compact(predicate))
    path = _IRIS.path(subject[1:-1])
    folder = _FOREIGN if path is None else path.partition("/")[0]
    return ("" if folder == "resource" else f"{folder}: ") + " / ".join(chain)


def _compact(iri: str) -> str:
    if iri.startswith(f"{_IRIS.ontology}#"):
        return f"bibld:{iri.partition('#')[2]}"
    for prefix, space in PREFIXES.items():
        if iri.startswith(space):
            return f"{prefix}:{iri[len(space) :]}"
    return iri
