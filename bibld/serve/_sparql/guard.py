r"""Checks the text of a query before it is evaluated: updates, and what would open a connection, are refused.

This is a lexer, not a parser: deep nesting cannot hurt it. Where it is unsure it refuses. Escapes (``\u0053``) may
occur anywhere in a query (SPARQL 1.1, 19.2), so the text is checked both as written and with its escapes decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bibld.errors import BadQueryError

_TOKEN = re.compile(
    r"""
      (?P<skip> \#[^\r\n]*+
        | <[^<>"{}|^`\\\x00-\x20]*+>
        | \"{3}(?:\"{0,2}+(?:[^"\\]|\\.))*+\"{3} | '{3}(?:'{0,2}+(?:[^'\\]|\\.))*+'{3}
        | "(?!"")(?:[^"\\\r\n]|\\.)*+" | '(?!'')(?:[^'\\\r\n]|\\.)*+'
        | [?$]\w++ | @[A-Za-z]++(?:-[A-Za-z0-9]++)*+
        | \\. )
    | (?P<open> ["'] )
    | (?P<name> (?:[\w.-]++ (?=:) )?+ :(?:[\w.:-]|%[0-9A-Fa-f]{2}|\\.)*+ )
    | (?P<run> [\w.-]++ )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Takes linear time: repetitions are possessive and a token is as long as possible, so that no later token begins
inside text that an earlier one has read in vain (except after a lone ``<``, ``?``, ``$`` or ``@``, whose repetitions
end at the next such character)."""

_WORD = re.compile(r"[A-Za-z]+")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_SERVICE_IN_NAME = re.compile(r"(?:^|[.:])service(?:[.:]|$)", re.IGNORECASE)
_PROLOGUE = frozenset({"PREFIX", "BASE", "VERSION"})
_UPDATES = frozenset(("INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"))


class ForbiddenQueryError(BadQueryError):
    """The query asks for something that this endpoint never does."""


class CheckedQuery(msgspec.Struct, frozen=True):
    """The query form in capitals (empty if there is none), and whether the query names its dataset."""

    form: str
    has_dataset: bool


def check_query(query: str) -> CheckedQuery:
    """Check a query; raises ``ForbiddenQueryError`` for updates and SERVICE, ``BadQueryError`` for an open string."""
    checked = [_check_text(text) for text in dict.fromkeys((query, _ESCAPE.sub(_decode_escape, query)))]
    return CheckedQuery(checked[-1].form, any(each.has_dataset for each in checked))


def _check_text(text: str) -> CheckedQuery:
    words = list(_words(text))
    form = next((word for word in words if word not in _PROLOGUE), "")
    if form in _UPDATES:
        raise ForbiddenQueryError(f"this endpoint answers queries; it refuses updates ({form})")
    if "SERVICE" in words:
        raise ForbiddenQueryError("this endpoint does not query other endpoints; it refuses SERVICE")
    if "LOAD" in words:
        raise ForbiddenQueryError("this endpoint does not fetch documents; it refuses LOAD")
    return CheckedQuery(form, "FROM" in words)


def _words(text: str) -> Iterator[str]:
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "run":  # of words, numbers and dots, as in 1.SERVICE
            yield from map(str.upper, _WORD.findall(token[0]))
        elif token.lastgroup == "name" and _SERVICE_IN_NAME.search(token[0]):
            yield "SERVICE"  # SERVICE:x is the keyword and a name; a prefix of this name is not worth the risk
        elif token.lastgroup == "open":
            line = text.count("\n", 0, token.start()) + 1
            raise BadQueryError(f"the string that begins in line {line} is not closed")


def _decode_escape(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return chr(code)
