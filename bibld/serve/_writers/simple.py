"""JSON for programmers: short keys, the same kinds of values under each, no context to know.

It has the statements about the thing itself that most programs need; all others are in the RDF syntaxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from bibld.documents import Document
from bibld.model.rdf import PREFIXES, expand, term, unescape
from bibld.serve._writers.terms import iri_of, object_of
from bibld.text.languages import language_tag

TEXTS = {
    "title": "dcterms:title",
    "alternative_title": "dcterms:alternative",
    "name": "rdfs:label",
    "preferred_label": "skos:prefLabel",
    "other_label": "skos:altLabel",
    "responsibility": "bf:responsibilityStatement",
    "edition": "bibo:edition",
    "abstract": "dcterms:abstract",
    "contents": "dcterms:tableOfContents",
    "note": "dcterms:description",
}
"""Key → property whose values are texts: ``{"text": …, "language": …}``, without ``language`` where none is stated."""

VALUES = {
    "issued": "dcterms:issued",
    "publication_statement": "bf:publicationStatement",
    "extent": "isbd:P1053",
    "pages": "schema:numberOfPages",
    "isbn": "bibo:isbn13",
    "issn": "bibo:issn",
    "oclc_number": "bibo:oclcnum",
    "language_code": "schema:inLanguage",
    "period": "dcterms:temporal",
    "birth": "schema:birthDate",
    "death": "schema:deathDate",
    "notation": "skos:notation",
    "identifier": "dcterms:identifier",
    "created": "dcterms:created",
    "changed": "dcterms:modified",
}
"""Key → property whose values are texts without a language: dates, numbers, codes."""

LINKS = {
    "creator": "dcterms:creator",
    "contributor": "dcterms:contributor",
    "publisher": "dcterms:publisher",
    "subject": "dcterms:subject",
    "place": "dcterms:spatial",
    "part_of": "dcterms:isPartOf",
    "has_part": "dcterms:hasPart",
    "language": "dcterms:language",
    "same_as": "owl:sameAs",
    "matches": "skos:exactMatch",
    "scheme": "skos:inScheme",
    "source_record": "prov:wasDerivedFrom",
    "describes": "foaf:primaryTopic",
    "dataset": "void:inDataset",
    "homepage": "foaf:homepage",
    "online": "foaf:page",
}
"""Key → property whose values are links: ``{"id": …, "label": …}``, without ``label`` where it is not known."""

_OF_MATCH = {"left": "link", "right": "link", "decision": "value", "rule": "value", "reason": "value", "score": "value"}
"""Keys of a match, which are also names of terms of the ontology."""

JSON_KEYS = {
    key: (curie, kind)
    for kind, table in (("text", TEXTS), ("value", VALUES), ("link", LINKS))
    for key, curie in table.items()
}
"""Key → property, and whether its values are texts, plain values or links."""

_ROLE = f"<{PREFIXES['relators']}".encode()
_TYPE = term("rdf:type").encode()
_KEYS = {f"<{expand(curie)}>".encode(): (key, kind) for key, (curie, kind) in JSON_KEYS.items()}


def write(document: Document, base: str, titles: Callable[[Iterable[str]], dict[str, str]]) -> bytes:
    """Return a document as JSON; ``titles`` returns the titles of things of this dataset by their paths."""
    thing = f"<{base}{document.path}> ".encode()
    ontology = f"<{base}ontology#".encode()
    found: dict[str, list[object]] = {}
    links: list[dict[str, str]] = []
    for line in dict.fromkeys(document.quads[document.quads.find(thing) :].splitlines()):
        if not line.startswith(thing):
            continue
        predicate, _, rest = line[len(thing) :].partition(b" ")
        value = object_of(rest)
        if predicate == _TYPE:
            _add(found, "types", _text(value).replace("#", "/").rpartition("/")[2])
        elif predicate.startswith(_ROLE):
            links.append({"id": _text(value), "role": predicate[len(_ROLE) : -1].decode()})
            _add(found, "agents", links[-1])
        else:
            name = predicate[len(ontology) : -1].decode() if predicate.startswith(ontology) else ""
            key, kind = (name, _OF_MATCH[name]) if name in _OF_MATCH else _KEYS.get(predicate, ("", ""))
            if kind == "link":
                links.append({"id": _text(value)})
                _add(found, key, links[-1])
                tag = language_tag(links[-1]["id"].rpartition("/")[2]) if key == "language" else None
                if tag is not None:
                    _add(found, "language_code", tag)
            elif kind == "value":
                _add(found, key, _text(value))
            elif kind == "text":
                _, at_sign, language = value[value.rfind(b'"') + 1 :].partition(b"@")
                _add(found, key, {"text": _text(value)} | ({"language": language.decode()} if at_sign else {}))
    _label(links, base, titles)
    own: dict[str, object] = {"id": base + document.path, "kind": document.path.partition("/")[0]}
    if document.title:
        own["label"] = document.title
    own["modified"] = document.modified
    return msgspec.json.format(msgspec.json.encode({**own, **dict(sorted(found.items()))}), indent=1) + b"\n"


def _add(found: dict[str, list[object]], key: str, value: object) -> None:
    values = found.setdefault(key, [])
    if value not in values:  # two graphs may state the same
        values.append(value)


def _label(links: list[dict[str, str]], base: str, titles: Callable[[Iterable[str]], dict[str, str]]) -> None:
    paths = {link["id"]: link["id"][len(base) :].partition("#")[0] for link in links if link["id"].startswith(base)}
    known = titles(paths.values())
    for link in links:
        label = known.get(paths.get(link["id"], ""))
        if label:
            link["label"] = label


def _text(term_: bytes) -> str:
    if term_.startswith(b'"'):
        return unescape(term_[1 : term_.rindex(b'"')].decode())
    return iri_of(term_)
