"""JSON-LD 1.1, compacted with the context of the dataset, from lines of N-Quads.

A hash IRI of the thing is a node inside the first node that leads to it; other links are IRIs.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld.model.rdf import XSD, term, unescape
from bibld.serve._writers.terms import Namespaces, iri_of, object_of, remember

_RDF_TYPE = term("rdf:type").encode()
_STRING = XSD + "string"
_MAX_NODE_DEPTH = 16
_QUOTE = b'"'[0]
_MAX_CACHED_LENGTH = 200

_Json = str | dict[str, object]
_Node = dict[str, object]
_Tail = tuple[str, _Json, frozenset[str]]
"""Key and value of a member, and the names of the context that they need."""


class JsonLdWriter:
    """Writes documents with the same ``@context``, of which each contains the part that it needs."""

    def __init__(self, context: Mapping[str, object]) -> None:
        self._context = context
        prefixes = {name: each for name, each in context.items() if isinstance(each, str) and name[0] != "@"}
        self._prefixes = frozenset(prefixes)
        self._namespaces = Namespaces(prefixes)
        types = {
            name: str(definition["@type"])
            for name, definition in context.items()
            if isinstance(definition, dict) and "@type" in definition
        }
        self._coercions = {name: _expand(kind, prefixes) for name, kind in types.items()}
        self._needed = {name: [name, kind.partition(":")[0]] for name, kind in types.items() if kind != "@id"}
        self._tails: dict[bytes, _Tail] = {}

    def write(self, lines: bytes, thing: bytes) -> bytes:
        """Return the statements of lines, those about ``thing`` (an IRI) in the first node.

        In the lines the statements with one subject and predicate follow each other. A statement that more than one
        graph contains is written once.
        """
        hash_iri = b"<%b#" % thing
        find_tail = self._tails.get
        nodes: dict[str, _Node] = {thing.decode(): {"@id": thing.decode()}}
        links: dict[str, list[_Node]] = {}
        used: set[frozenset[str]] = set()
        subject = b""
        node: _Node = {}
        iri = previous_key = ""
        previous: object = None
        for line in lines.splitlines():
            this_subject, _, tail = line.partition(b" ")
            if this_subject != subject:
                subject = this_subject
                iri = iri_of(subject)
                node = nodes.setdefault(iri, {"@id": iri})
                previous_key = ""
            key, value, names = find_tail(tail) or self._tail(tail, hash_iri)
            used.add(names)
            if key not in node:
                node[key] = value
            elif key != previous_key or value != previous:
                present = node[key]
                if isinstance(present, list):
                    present.append(value)
                else:
                    node[key] = [present, value]
            else:
                continue
            previous_key, previous = key, value
            if hash_iri in tail and isinstance(value, dict) and "@id" in value:
                links.setdefault(iri, []).append(value)
        _nest(nodes, links)
        wanted = sorted(frozenset().union(*used))
        document = {
            "@context": {name: self._context[name] for name in wanted},
            "@graph": [each for each in nodes.values() if len(each) > 1],
        }
        return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"

    def _tail(self, tail: bytes, hash_iri: bytes) -> _Tail:
        """Return the member for what follows the subject in a line."""
        predicate, _, rest = tail.partition(b" ")
        term_ = object_of(rest)
        if term_.startswith(hash_iri):  # becomes a node of this document, so it is made for each
            key, names = self._compact(predicate[1:-1])
            return key, {"@id": iri_of(term_)}, frozenset(names)
        is_literal = term_[0] == _QUOTE
        key, value, names = self._literal(predicate, term_) if is_literal else self._link(predicate, term_)
        found = key, value, frozenset(names)
        if len(tail) < _MAX_CACHED_LENGTH and (is_literal or self._namespaces.split(term_[1:-1])[0]):
            return remember(self._tails, tail, found)  # other IRIs are too many to be remembered
        return found

    def _link(self, predicate: bytes, term_: bytes) -> tuple[str, _Json, list[str]]:
        iri = iri_of(term_)
        scheme, _, rest = iri.partition(":")
        # An IRI such as <schema:Book> reads like a name of the context, unless that is taken away.
        is_ambiguous = scheme in self._prefixes and not rest.startswith("//")
        if predicate == _RDF_TYPE and not is_ambiguous:
            return "@type", *self._compact(term_[1:-1])
        key, names = self._compact(predicate[1:-1])
        if is_ambiguous:
            return key, {"@context": {scheme: None}, "@id": iri}, names
        if self._coercions.get(key) == "@id":
            return key, iri, [*names, key]
        return key, {"@id": iri}, names

    def _literal(self, predicate: bytes, term_: bytes) -> tuple[str, _Json, list[str]]:
        key, names = self._compact(predicate[1:-1])
        end = term_.rindex(b'"')
        text = unescape(term_[1:end].decode())
        mark = term_[end + 1 :]
        if mark.startswith(b"@"):
            return key, {"@language": mark[1:].decode(), "@value": text}, names
        datatype = unescape(mark[3:-1].decode()) or _STRING
        coercion = self._coercions.get(key)
        if datatype == (coercion or _STRING):
            return key, text, [*names, *self._needed[key]] if coercion else names
        if datatype == _STRING:
            return key, {"@value": text}, names
        short, more = self._compact(mark[3:-1])
        return key, {"@type": short, "@value": text}, [*names, *more]

    def _compact(self, iri: bytes) -> tuple[str, list[str]]:
        """Return the short form of an IRI, and the names of the context that it needs."""
        prefix, local = self._namespaces.split(iri)
        if not prefix:
            return unescape(iri.decode()), []
        name = prefix.decode()
        return f"{name}:{local.decode()}", [name]


def _nest(nodes: dict[str, _Node], links: Mapping[str, list[_Node]]) -> None:
    """Move the nodes to which links lead into the first link that leads to each."""
    for start in list(nodes):
        if start not in nodes:
            continue
        waiting = [(link, 1) for link in reversed(links.get(start, []))]
        while waiting:
            link, depth = waiting.pop()
            target = str(link["@id"])
            if target == start or target not in nodes or depth > _MAX_NODE_DEPTH:
                continue
            link.update(nodes.pop(target))
            waiting.extend((each, depth + 1) for each in reversed(links.get(target, [])))


def _expand(short: str, prefixes: Mapping[str, str]) -> str:
    prefix, _, local = short.partition(":")
    return prefixes[prefix] + local if prefix in prefixes else short
