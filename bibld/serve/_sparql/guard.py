r"""Checks the text of a query before it is evaluated: updates, and what would open a connection, are refused.

Only keywords count: variables, strings, IRIs, comments and names such as ``service:price`` may contain their letters.
There is no parser here, so that deep nesting cannot hurt. Where the text can be read in more than one way, all readings
are checked; where a name may be a keyword with a name behind it (``SERVICE:x {``), it is refused. Escapes
(``\u0053``) may occur anywhere in a query (SPARQL 1.1, 19.2), so the text is checked both as written and with its
escapes decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from bibld.errors import BadQueryError
from bibld.model.sparql.faults import TextPosition
from bibld.model.sparql.lexer import AmbiguousQueryError, QueryToken, readings

_WORD = re.compile(r"[A-Za-z]+")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_TIMES_DECODED = 3
_PROLOGUE = frozenset({"PREFIX", "BASE", "VERSION"})
_UPDATES = ("INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH")
_DIFFERENT_EACH_TIME = ("NOW", "RAND", "UUID", "BNODE")
_BEFORE_GRAPH_NAMES = frozenset({"GRAPH", "FROM", "NAMED", "DESCRIBE"})


class ForbiddenQueryError(BadQueryError):
    """The query asks for something that this endpoint never does."""


class CheckedQuery(msgspec.Struct, frozen=True):
    """What the tokens of a query show.

    ``form`` is the query form in capitals (empty if there is none), ``has_dataset`` whether the query names its
    dataset, ``normal`` the text without comments and with single spaces, ``is_repeatable`` whether it has the same
    result each time.
    """

    form: str
    has_dataset: bool
    normal: str
    is_repeatable: bool


def check_query(query: str) -> CheckedQuery:
    """Check a query; raises ``ForbiddenQueryError`` for updates and SERVICE, ``BadQueryError`` for an open string."""
    checked = [_check_text(text) for text in _decodings(query)]
    if len(checked) == 1:
        return checked[0]
    return CheckedQuery(
        checked[-1].form,
        any(each.has_dataset for each in checked),
        checked[0].normal,
        all(each.is_repeatable for each in checked),
    )


def _decodings(query: str) -> list[str]:
    """Return the text as written, with its escapes decoded, and what decoding again makes of it."""
    texts = [query]
    while "\\" in texts[-1] and len(texts) <= _TIMES_DECODED:
        decoded = _ESCAPE.sub(_decode_escape, texts[-1])
        if decoded == texts[-1]:
            break
        texts.append(decoded)
    return texts


def _check_text(text: str) -> CheckedQuery:
    parts = readings(text)
    first = next(parts)
    for token in first:
        if token.kind == "open":
            raise _refusal(text, token, "the string that begins here is not closed", BadQueryError)
    words = list(_words(first))
    form = next((word for word in words if word not in _PROLOGUE), "")
    if form.startswith(_UPDATES):
        raise ForbiddenQueryError(f"this endpoint answers queries; it refuses updates ({form})")
    _check_keywords(text, first)
    try:
        for part in parts:
            _check_keywords(text, part)
    except AmbiguousQueryError as error:
        raise ForbiddenQueryError(
            'the query is unclear: write a space after each "less than", and strings in double quotation marks'
        ) from error
    is_repeatable = not any(name in word for word in words for name in _DIFFERENT_EACH_TIME)
    return CheckedQuery(form, "FROM" in words, _normalise(first), is_repeatable)


def _normalise(tokens: Sequence[QueryToken]) -> str:
    """Join tokens, with one space where there was blank or a comment: where there was none, none may be added."""
    pieces: list[str] = []
    end = tokens[0].start if tokens else 0
    for token in tokens:
        if token.start > end:
            pieces.append(" ")
        pieces.append(token.text)
        end = token.start + len(token.text)
    return "".join(pieces)


def _check_keywords(text: str, tokens: Sequence[QueryToken]) -> None:
    for number, token in enumerate(tokens):
        if token.kind == "run":
            word = token.text.upper()
            if "SERVICE" in word:  # also trueSERVICE and SERVICESILENT, which some parsers take apart
                raise _refusal(text, token, "this endpoint does not query other endpoints; it refuses SERVICE")
            if "LOAD" in _WORD.findall(word):
                raise _refusal(text, token, "this endpoint does not fetch documents; it refuses LOAD")
        elif token.kind == "name" and "service" in token.text.lower() and _may_be_service(tokens, number):
            raise _refusal(text, token, "this endpoint does not query other endpoints; it refuses SERVICE")


def _refusal(
    text: str, token: QueryToken, reason: str, kind: type[BadQueryError] = ForbiddenQueryError
) -> BadQueryError:
    where = TextPosition.at(text, token.start)
    return kind(f"line {where.line}, column {where.column}: {reason}", where.line, where.column)


def _may_be_service(tokens: Sequence[QueryToken], number: int) -> bool:
    """Whether a name such as ``SERVICE:x`` can be the keyword and a name: a group follows, perhaps after one term."""
    if tokens[number].text.startswith("_:"):
        return False
    if number and tokens[number - 1].kind == "run" and tokens[number - 1].text.upper() in _BEFORE_GRAPH_NAMES:
        return False
    after = tokens[number + 1 : number + 3]
    if after and after[0].text == "{":
        return True
    is_term = bool(after) and (after[0].kind in ("iri", "name", "variable") or after[0].text.upper() == "SILENT")
    return is_term and len(after) > 1 and after[1].text == "{"


def _words(tokens: Sequence[QueryToken]) -> Iterator[str]:
    for token in tokens:
        if token.kind == "run":  # of words, numbers and dots, as in 1.FILTER
            yield from map(str.upper, _WORD.findall(token.text))


def _decode_escape(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return chr(code)
