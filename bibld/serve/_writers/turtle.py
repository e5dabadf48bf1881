"""Turtle (RDF 1.1) from lines of N-Quads.

Terms of N-Quads are terms of Turtle too, so it is enough to leave out what is repeated and to shorten IRIs. That is
faster than to parse and write the statements, even with a library that does both in native code.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping

from bibld.model.rdf import XSD, term
from bibld.serve._writers.terms import Namespaces, object_of, remember

_TYPE = b" a "
_RDF_TYPE = term("rdf:type").encode()
_NEXT_PREDICATE = b" ;\n    "
_QUOTE, _GREATER = b'">'
_REMEMBERED_TAIL = 200
_BARE = {
    "integer": re.compile(rb"[+-]?[0-9]+"),
    "decimal": re.compile(rb"[+-]?[0-9]*\.[0-9]+"),
    "boolean": re.compile(rb"true|false"),
}
_BARE_LITERALS = {f"{XSD}{name}".encode(): pattern for name, pattern in _BARE.items()}
"""Datatypes whose literals may be written without quotes and datatype."""

_LETTERS = f"{string.ascii_letters}{string.digits}_-".encode()

_Tail = tuple[bytes, bytes, bytes, bytes]
"""Predicate and object as Turtle, and the prefixes in them (empty without one)."""


class TurtleWriter:
    """Writes documents with the same prefixes (name → namespace).

    Most IRIs begin with ``base``; of these only those in a namespace have a short form.
    """

    def __init__(self, prefixes: Mapping[str, str], base: str = "") -> None:
        self._own = f"<{base}".encode() if base else b" "  # begins no term
        self._own_spaces = tuple(f"<{space}".encode() for space in prefixes.values() if base and space.startswith(base))
        self._declarations = {
            name.encode(): f"@prefix {name}: <{space}> .\n".encode() for name, space in prefixes.items()
        }
        self._namespaces = Namespaces(prefixes)
        self._predicates: dict[bytes, tuple[bytes, bytes]] = {}
        self._tails: dict[bytes, _Tail] = {}

    def write(self, lines: bytes, thing: bytes) -> bytes:
        """Return the statements of lines, those about ``thing`` (an IRI) before the others, which keep their order.

        In the lines the statements with one subject and predicate follow each other. The prefix without a name is that
        of the hash IRIs of the thing. A statement that more than one graph contains is written once.
        """
        find_tail = self._tails.get
        hash_iri = b"<%b#" % thing
        thing = b"<%b>" % thing
        used = set()
        leading: list[bytes] = []
        blocks: list[bytes] = []
        types: list[bytes] = []
        others: list[bytes] = []
        subject = predicate = value = b""
        for line in lines.splitlines():
            this_subject, _, tail = line.partition(b" ")
            if this_subject != subject:
                if subject:
                    (leading if subject == thing else blocks).append(_block(subject, types, others, hash_iri))
                subject, predicate, types, others = this_subject, b"", [], []
            this_predicate, this_value, prefix, object_prefix = find_tail(tail) or self._tail(tail, hash_iri)
            if object_prefix:
                used.add(object_prefix)
            if this_predicate != predicate:
                used.add(prefix)
                predicate = this_predicate
                parts = types if predicate == _TYPE else others
                parts.append(predicate + this_value)
            elif this_value != value:
                parts.append(b", " + this_value)
            value = this_value
        if subject:
            (leading if subject == thing else blocks).append(_block(subject, types, others, hash_iri))
        declarations = [self._declarations[name] for name in sorted(used) if name]
        body = b"".join((*leading, *blocks))
        if hash_iri in lines:
            declarations.append(b"@prefix : %b> .\n" % hash_iri)
        return b"".join((*declarations, body))

    def _tail(self, tail: bytes, hash_iri: bytes) -> _Tail:
        term_, _, rest = tail.partition(b" ")
        predicate, prefix = self._predicates.get(term_) or self._predicate(term_)
        if rest[-3] == _QUOTE:  # a text without language in the default graph
            return predicate, rest[:-2], prefix, b""
        if rest.startswith(self._own):
            value = rest[: rest.index(b" ")]
            if value.startswith(hash_iri):
                return predicate, _hash_name(value, hash_iri), prefix, b""
            if not value.startswith(self._own_spaces):
                return predicate, value, prefix, b""
        value, object_prefix = self._object(object_of(rest))
        found = predicate, value, prefix, object_prefix
        if object_prefix or (value[0] == _QUOTE and len(value) < _REMEMBERED_TAIL):
            return remember(self._tails, tail, found)  # other IRIs are too many to be remembered
        return found

    def _predicate(self, term_: bytes) -> tuple[bytes, bytes]:
        if term_ == _RDF_TYPE:
            return remember(self._predicates, term_, (_TYPE, b""))
        prefix, local = self._namespaces.split(term_[1:-1])
        short = b"%b:%b" % (prefix, local) if prefix else term_
        return remember(self._predicates, term_, (b"%b%b " % (_NEXT_PREDICATE, short), prefix))

    def _object(self, term_: bytes) -> tuple[bytes, bytes]:
        if term_[-1] != _GREATER:
            return term_, b""
        if term_[0] != _QUOTE:
            prefix, local = self._namespaces.split(term_[1:-1])
            return (b"%b:%b" % (prefix, local), prefix) if prefix else (term_, b"")
        text, _, datatype = term_[:-1].rpartition(b"^^<")
        bare = _BARE_LITERALS.get(datatype)
        if bare is not None and bare.fullmatch(text, 1, len(text) - 1):
            return text[1:-1], b""
        prefix, local = self._namespaces.split(datatype)
        return (b"%b^^%b:%b" % (text, prefix, local), prefix) if prefix else (term_, b"")


def _block(subject: bytes, types: list[bytes], others: list[bytes], hash_iri: bytes) -> bytes:
    if subject.startswith(hash_iri):
        subject = _hash_name(subject, hash_iri)
    if not types:
        others[0] = others[0].removeprefix(_NEXT_PREDICATE)
        subject += b" "
    return b"\n%b%b%b .\n" % (subject, b"".join(types), b"".join(others))


def _hash_name(term_: bytes, hash_iri: bytes) -> bytes:
    """Return the short form of a hash IRI of the thing; the term if its fragment would need escapes."""
    local = term_[len(hash_iri) : -1]
    if local.isalnum():
        return b":" + local
    # Nothing is left of most names without their letters, which is faster than a regular expression.
    is_plain = (not local.translate(None, _LETTERS) and local[-1:] != b"-" and local[:1] != b"-") and local
    return b":" + local if is_plain else term_
