"""RDF as text in N-Quads, one line a quad, and the prefixes of vocabularies. No other module escapes characters.

A term is a string in N-Quads syntax (https://www.w3.org/TR/n-quads/): ``<https://…>`` or ``"text"@ru``. There are no
blank nodes, so that the difference of two datasets is the difference of two sets of lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

PREFIXES = {
    "bf": "http://id.loc.gov/ontologies/bibframe/",
    "bibo": "http://purl.org/ontology/bibo/",
    "bnf-onto": "http://data.bnf.fr/ontology/bnf-onto/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "isbd": "http://iflastandards.info/ns/isbd/elements/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdagroup1elements": "http://rdvocab.info/Elements/",
    "rdau": "http://rdaregistry.info/Elements/u/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "relators": "http://id.loc.gov/vocabulary/relators/",
    "schema": "http://schema.org/",
    "sd": "http://www.w3.org/ns/sparql-service-description#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefix → namespace of every public vocabulary that bibld writes; ``ontology/context.jsonld`` declares the same,
except ``sd``, which only the description of the SPARQL endpoint needs."""

XSD = PREFIXES["xsd"]

_IRIS_REMEMBERED = 4096

_ILLEGAL_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_TO_ESCAPE = re.compile(r'[\x00-\x1f"\\\x7f\ud800-\udfff\ufffe\uffff]')
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_SHORT_CHARACTERS = {escape[1]: character for character, escape in _SHORT_ESCAPES.items()}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_LINE_OF_NAMED_GRAPH = re.compile(rb'[^ ]+ [^ ]+ (?:<[^ ]*>|".*"[^ "]*) <[^ "]*> \.\n')
_NOT_CHARACTERS = re.compile(r"[\x00\ud800-\udfff]")


def expand(curie: str) -> str:
    """Return the IRI that a compact IRI such as ``dcterms:title`` abbreviates.

    Raises ``KeyError`` for a prefix that is not in ``PREFIXES``.
    """
    prefix, _, local = curie.partition(":")
    return PREFIXES[prefix] + local


@cache
def term(curie: str) -> str:
    """Write a compact IRI such as ``dcterms:title`` as a term; raises ``KeyError`` for an unknown prefix."""
    return iri(expand(curie))


@lru_cache(maxsize=_IRIS_REMEMBERED)
def iri(text: str) -> str:
    """Write an absolute IRI as a term; characters that no IRI may contain are percent-encoded."""
    return f"<{_ILLEGAL_IN_IRI.sub(_percent, text)}>"


def literal(text: str, language: str | None = None, datatype: str | None = None) -> str:
    """Write a literal as a term.

    ``language`` is a BCP 47 tag (raises ``ValueError`` for another text), written in lower case, as triple stores
    store it (RDF 1.1, 3.3); ``datatype`` is an IRI; at most one of them.
    NUL and lone surrogates, which RDF cannot represent, become U+FFFD.
    """
    if text.isprintable() and '"' not in text and "\\" not in text:
        escaped = text  # most texts: no other printable character is escaped
    else:
        escaped = _TO_ESCAPE.sub(_escape, _NOT_CHARACTERS.sub("\ufffd", text))
    if language is not None:
        return f'"{escaped}"@{_language_tag(language)}'
    if datatype is not None:
        return f'"{escaped}"^^{iri(datatype)}'
    return f'"{escaped}"'


@lru_cache(maxsize=1024)
def _language_tag(text: str) -> str:
    if not _LANGUAGE_TAG.fullmatch(text):
        raise ValueError(f"{text!r} is not a language tag")
    return text.lower()


def typed_literal(text: str, xsd_type: str) -> str:
    """Write a literal with a datatype of XML Schema, such as ``gYear``."""
    return literal(text, datatype=XSD + xsd_type)


def decimal_literal(value: float) -> str:
    """Write a number, rounded to six places, in the canonical form of XML Schema 1.1, in which stores return it."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return typed_literal("0" if text == "-0" else text, "decimal")


def quad(subject: str, predicate: str, value: str, graph: str | None = None) -> str:
    """Write one line of N-Quads (with its line end) from terms; without a graph it is in the default graph."""
    if graph is None:
        return f"{subject} {predicate} {value} .\n"
    return f"{subject} {predicate} {value} {graph} .\n"


def is_language_tag(text: str) -> bool:
    """Return whether a literal can have this language tag (BCP 47)."""
    return _LANGUAGE_TAG.fullmatch(text) is not None


def graph_of(line: str) -> str | None:
    """Return the graph of a line that :func:`quad` wrote, as a term; None for the default graph."""
    value = line.split(" ", 2)[2]
    closing = value.rindex('"') if value.startswith('"') else 0
    rest = value[value.index(" ", closing) + 1 :]
    return None if rest.startswith(".") else rest.partition(" ")[0]


def split_graphs(block: bytes) -> tuple[bytes, bytes]:
    """Return the lines of the default graph and those of named graphs, from lines that begin with the former."""
    first = len(block)  # all lines from here on are in named graphs
    while first:
        start = block.rfind(b"\n", 0, first - 1) + 1
        if not _LINE_OF_NAMED_GRAPH.fullmatch(block, start, first):
            break
        # Few graphs follow each other, and the lines of each are in sequence: look for the first one of this graph.
        graph = block[block.rindex(b" ", start, first - len(" .\n")) : first]
        place = block.rfind(b"\n", 0, block.index(graph)) + 1
        end = block.index(b"\n", place) + 1
        first = place if _LINE_OF_NAMED_GRAPH.fullmatch(block, place, end) else start
    return block[:first], block[first:]


def take_graph(named: bytes, graph: bytes) -> tuple[bytes, bytes]:
    """Return the triples of a graph (a term) in lines of named graphs, and the lines of the other graphs."""
    end = b" %s .\n" % graph
    first = named.find(end)
    if first < 0:
        return b"", named
    start, after = named.rfind(b"\n", 0, first) + 1, named.rindex(end) + len(end)
    taken, others = named[start:after], named[:start] + named[after:]
    if taken.count(end) != taken.count(b"\n"):  # lines of other graphs are among them
        lines = taken.splitlines(keepends=True)
        taken = b"".join(line for line in lines if line.endswith(end))
        others += b"".join(line for line in lines if not line.endswith(end))
    return taken.replace(end, b" .\n"), others


def move_to_default_graph(block: bytes, graph: bytes) -> bytes:
    """Return lines with those of a named graph (a term; empty: none) in the default graph, whose lines come first."""
    if not graph:
        return block
    default, named = split_graphs(block)
    return b"".join((default, *take_graph(named, graph)))


def line_in_default_graph(line: bytes, graph: bytes) -> bytes:
    """Return a line (without line end) of a named graph (a term; empty: none) as one of the default graph."""
    end = b" %s ." % graph
    return line.removesuffix(end) + b" ." if graph and line.endswith(end) else line


def is_of_named_graph(line: bytes) -> bool:
    """Whether a line of N-Quads that ends with a newline names a graph."""
    return _LINE_OF_NAMED_GRAPH.fullmatch(line) is not None


def replace_entities(lines: bytes, iris: Mapping[str, str]) -> bytes:
    """Replace IRIs of entities in the place of the object, in lines that :func:`quad` wrote; each line stays once.

    ``iris`` are the IRIs, not terms, and those that replace them. A node that is named after an entity
    (``…#agent/slug``) is renamed with it. The lines of the default graph stay the first ones; among them, and among
    the others, the lines about a subject stay together. Otherwise the order stays.
    """
    terms = {iri(old).encode(): iri(new).encode() for old, new in iris.items()}
    if not any(old in lines for old in terms):
        return lines
    fragments = {b"#" + _tail(old): b"#" + _tail(new) for old, new in iris.items()}
    has_nodes = any(fragment in lines for fragment in fragments)
    parts = split_graphs(lines)
    return b"".join(_replace_terms(part, terms, fragments if has_nodes else {}) for part in parts)


def _replace_terms(lines: bytes, terms: Mapping[bytes, bytes], fragments: Mapping[bytes, bytes]) -> bytes:
    result: dict[bytes, dict[bytes, None]] = {}
    for line in lines.splitlines(keepends=True):
        subject, predicate, rest = line.split(b" ", 2)
        value, blank, end = rest.partition(b" ")
        if fragments:
            subject, value = _renamed(subject, fragments), _renamed(value, fragments)
        value = terms.get(value, value)
        result.setdefault(subject, {})[b" ".join((subject, predicate, value + blank + end))] = None
    return b"".join(line for about in result.values() for line in about)


def _tail(entity: str) -> bytes:
    """Return the last two steps of the IRI of an entity, after which nodes are named."""
    return "/".join(entity.rsplit("/", 2)[1:]).encode()


def _renamed(node: bytes, fragments: Mapping[bytes, bytes]) -> bytes:
    thing, hash_, fragment = node.rstrip(b">").partition(b"#")
    if not hash_ or node[:1] != b"<":
        return node
    kind, slash, rest = fragment.partition(b"/")
    slug, between, part = rest.partition(b"/")
    name = b"#" + kind + slash + slug
    return thing + fragments[name] + between + part + b">" if name in fragments else node


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def unescape(text: str) -> str:
    """Return the characters that the inside of a literal or of an IRI of N-Quads denotes."""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _SHORT_CHARACTERS.get(match[3], match[3])


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"


DELETED = (("The record was deleted from its source.", "en"), ("Запись удалена из источника.", "ru"))
"""The source no longer has the record."""

WITHDRAWN = (("The record was withdrawn from publication.", "en"), ("Запись снята с публикации.", "ru"))
"""The record must not be published; its tombstone is in no dump and in no store."""
