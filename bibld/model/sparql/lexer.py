r"""Cuts a query into tokens in one pass, without a parser, so that neither length nor nesting can hurt.

The grammar decides whether ``<`` begins an IRI or is "less than" (``?a<'b'>?c``), and a lexer cannot see that.
``tokens`` takes it for an IRI where it can be one; ``readings`` gives the other readings too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\r\n]*+ )
    | (?P<iri> <(?:[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+> )
    | (?P<string> \"{3}(?:\"{0,2}+(?:[^"\\]|\\.))*+\"{3} | '{3}(?:'{0,2}+(?:[^'\\]|\\.))*+'{3}
        | "(?!"")(?:[^"\\\r\n]|\\.)*+" | '(?!'')(?:[^'\\\r\n]|\\.)*+' )
    | (?P<variable> [?$]\w++ )
    | (?P<tag> @[A-Za-z]++(?:-[A-Za-z0-9]++)*+ )
    | (?P<escape> \\. )
    | (?P<open> ["'] )
    | (?P<name> (?:[\w.-]++ (?=:) )?+ :(?:[\w.:-]|%[0-9A-Fa-f]{2}|\\.)*+ )
    | (?P<run> [\w.-]++ )
    | (?P<mark> [^\s] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Takes linear time: repetitions are possessive and a token is as long as possible, so that no later token begins
inside text that an earlier one has read in vain (except after a lone ``<``, ``?``, ``$`` or ``@``, whose repetitions
end at the next such character)."""

_BLANKS = re.compile(r"\s*+")
_LINE_END = re.compile(r"[\r\n]")
_PREFIX = re.compile(r"[^\W\d_](?:[\w.-]*\w)?$")
_READ_AGAIN = 16
"""How often, on average, a character may be read in other readings."""


class AmbiguousQueryError(ValueError):
    """The text can be read in too many ways to look at all of them."""


class QueryToken(NamedTuple):
    """A piece of a query. ``kind`` is the name of a group of ``TOKEN``; a run is words, numbers and dots."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after the token."""
        return self.start + len(self.text)

    @property
    def prefix(self) -> str | None:
        """The prefix of a name such as ``dcterms:title``; None for labels of blank nodes and other tokens."""
        if self.kind != "name" or self.text.startswith("_:"):
            return None
        written = self.text.partition(":")[0]
        found = _PREFIX.search(written)
        return found[0] if found else ""


def tokens(text: str) -> Iterator[QueryToken]:
    """Yield the tokens of a query without its comments."""
    for found in TOKEN.finditer(text):
        if found.lastgroup != "comment":
            yield QueryToken(found.lastgroup or "", found[0], found.start())


def readings(text: str) -> Iterator[list[QueryToken]]:
    """Yield the tokens of each reading of a text: first that of ``tokens``, then the differing parts of the others.

    A part begins where a ``<`` is taken for "less than", and ends where it meets a reading that was seen before.
    Raises ``AmbiguousQueryError``.
    """
    first = list(tokens(text))
    yield first
    pending = [token.start + 1 for token in first if _is_ambiguous(token)]
    if not pending:
        return
    seen = {token.start for token in first}
    line_ends = [found.start() for found in _LINE_END.finditer(text)]
    budget = _READ_AGAIN * len(text)
    while pending:
        part: list[QueryToken] = []
        for token in _tokens_from(text, pending.pop(), line_ends, seen):
            part.append(token)
            if _is_ambiguous(token):
                pending.append(token.start + 1)
            budget -= len(token.text)
            if budget < 0:
                raise AmbiguousQueryError
        yield part


def _is_ambiguous(token: QueryToken) -> bool:
    """Whether the rest of the text reads differently if an IRI is no IRI: it contains a string or comment then."""
    return token.kind == "iri" and ("'" in token.text or "#" in token.text)


def _tokens_from(text: str, position: int, line_ends: list[int], seen: set[int]) -> Iterator[QueryToken]:
    while (start := _BLANKS.match(text, position).end()) < len(text) and start not in seen:  # type: ignore[union-attr]
        if text[start] == "#":  # a comment; its end is looked up, as many readings may have come to this line
            line = bisect_left(line_ends, start)
            position = line_ends[line] if line < len(line_ends) else len(text)
            continue
        found = TOKEN.match(text, start)
        assert found is not None  # any character is a token
        seen.add(start)
        # three quotation marks that nothing closes are an empty string and the beginning of another
        is_empty = found.lastgroup == "open" and text.startswith(found[0] * 2, start)
        token = QueryToken(found.lastgroup or "", found[0] * 2 if is_empty else found[0], start)
        yield token
        position = token.end
