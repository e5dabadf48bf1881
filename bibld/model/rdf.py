"""RDF as text in N-Quads, one line a quad. This is the only place that escapes.

A term is a string in N-Quads syntax (https://www.w3.org/TR/n-quads/): ``<https://…>`` or ``"text"@ru``. There are no
blank nodes, so that the difference of two datasets is the difference of two sets of lines.
"""

from __future__ import annotations

import re

_ILLEGAL_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_TO_ESCAPE = re.compile(r'[\x00-\x1f"\\\x7f\ud800-\udfff\ufffe\uffff]')
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_NAMED = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_NOT_CHARACTERS = re.compile(r"[\x00\ud800-\udfff]")

XSD = "http://www.w3.org/2001/XMLSchema#"


def iri(text: str) -> str:
    """Write an absolute IRI as a term; characters that no IRI may hold are percent-encoded."""
    return f"<{_ILLEGAL_IN_IRI.sub(_percent, text)}>"


def literal(text: str, language: str | None = None, datatype: str | None = None) -> str:
    """Write a literal as a term.

    ``language`` is a BCP 47 tag (raises ``ValueError`` for another text), written in lower case, as triple stores keep
    it (RDF 1.1, 3.3); ``datatype`` is an IRI; at most one of them.
    NUL and lone surrogates, which no RDF text can hold, become U+FFFD.
    """
    escaped = _TO_ESCAPE.sub(_escape, _NOT_CHARACTERS.sub("\ufffd", text))
    if language is not None:
        if not _LANGUAGE_TAG.fullmatch(language):
            raise ValueError(f"{language!r} is no language tag")
        return f'"{escaped}"@{language.lower()}'
    if datatype is not None:
        return f'"{escaped}"^^{iri(datatype)}'
    return f'"{escaped}"'


def typed(text: str, name: str) -> str:
    """Write a literal with a datatype of XML Schema, such as ``gYear``."""
    return literal(text, datatype=XSD + name)


def quad(subject: str, predicate: str, value: str, graph: str | None = None) -> str:
    """Write one line of N-Quads (with its line end) from terms; without a graph it stands in the default graph."""
    if graph is None:
        return f"{subject} {predicate} {value} .\n"
    return f"{subject} {predicate} {value} {graph} .\n"


def is_language_tag(text: str) -> bool:
    """Whether a literal can have this language tag (BCP 47)."""
    return _LANGUAGE_TAG.fullmatch(text) is not None


def graph_of(line: str) -> str | None:
    """The graph of a line that :func:`quad` wrote, as a term; None for the default graph."""
    value = line.split(" ", 2)[2]
    closing = value.rindex('"') if value.startswith('"') else 0
    rest = value[value.index(" ", closing) + 1 :]
    return None if rest.startswith(".") else rest.partition(" ")[0]


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _escape(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or f"\\u{ord(match[0]):04X}"
