"""Explains why a query is not SPARQL: line, column, what was met there, and what to write instead.

Parsers of triple stores report the place where they gave up, with all that their grammar would have allowed there. This
looks at the tokens of the query for what people get wrong most often, and uses the parser's report for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import get_close_matches

import msgspec

from bibld.errors import BadQueryError
from bibld.model.sparql.lexer import QueryToken, tokens

_MAX_LENGTH = 300
_SHOWN = 40
_MAX_WORD_LENGTH = 30
_SIMILAR = 0.7
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_RUN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?P<word>[^\W\d]\w*)")
_REPORT = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_KEYWORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NO_FUNCTION = re.compile(r"The custom function <([^>]*)> is not supported")
_UPDATES = frozenset({"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"})
_SHOWN_KEYWORDS = frozenset({"BY", "AS", "IN", "WHERE", "OFFSET", "VALUES", "UNDEF"})
_REASONS = {
    re.compile("that is unbound"): "SELECT names a variable that GROUP BY does not: group by it, or write SAMPLE",
    re.compile("overrides"): "a variable after AS has a value already; choose another name",
    re.compile("ggregate"): "an aggregate such as COUNT is possible only in SELECT, HAVING and ORDER BY",
    re.compile("blank node"): "a blank node with this label occurs in another group; use a variable",
    re.compile("Duplicated variable"): "two columns of SELECT have one name; choose another one",
    re.compile("IRI parsing failed"): "an IRI is not valid",
}
"""Parts of a parser's report that do not depend on the place → what they mean."""

_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_KEYWORDS = """
BASE PREFIX VERSION SELECT DISTINCT REDUCED AS CONSTRUCT DESCRIBE ASK FROM NAMED WHERE GROUP BY HAVING ORDER ASC DESC
LIMIT OFFSET VALUES OPTIONAL GRAPH BIND UNDEF MINUS UNION FILTER NOT IN EXISTS SEPARATOR TRUE FALSE A LATERAL SERVICE
SILENT
"""
_FUNCTIONS = """
STR LANG LANGMATCHES DATATYPE BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI
CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ NOW UUID STRUUID MD5 SHA1
SHA256 SHA384 SHA512 COALESCE IF STRLANG STRDT SAMETERM ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC REGEX SUBSTR REPLACE
COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT LANGDIR STRLANGDIR HASLANG HASLANGDIR TRIPLE SUBJECT PREDICATE OBJECT ISTRIPLE
ADJUST
"""
KEYWORDS = frozenset(_KEYWORDS.split())
FUNCTIONS = frozenset(_FUNCTIONS.split())


class TextPosition(msgspec.Struct, frozen=True):
    """A position in a text; lines and columns are counted from 1, columns in characters."""

    line: int
    column: int

    @classmethod
    def at(cls, text: str, position: int) -> TextPosition:
        """Return the place of a position."""
        begin = text.rfind("\n", 0, position) + 1
        return cls(text.count("\n", 0, begin) + 1, position - begin + 1)

    def position(self, text: str) -> int:
        """Return the position of this place in a text."""
        begin = 0
        for _ in range(self.line - 1):
            begin = text.find("\n", begin) + 1
        return min(begin + self.column - 1, len(text))


class _Fault(msgspec.Struct, frozen=True):
    position: int
    reason: str


def explain_fault(query: str, prefixes: Mapping[str, str], report: str) -> BadQueryError:
    """Return the error for a query that a parser refused; its message has 300 characters at most.

    ``prefixes`` are known without declaration; ``report`` is the message of the parser.
    """
    parts = list(tokens(query))
    checks = (_prefix_fault(parts, prefixes), _word_fault(parts), _bracket_fault(parts), _comma_fault(parts))
    found = [fault for fault in checks if fault]
    string = next((token for token in parts if token.kind == "open"), None)
    if string is not None:
        found.append(_Fault(string.start, "the string that begins here is not closed"))
    function = _function_fault(parts, prefixes, report)
    if not found or function is not None:
        found = [function or _reported_fault(query, parts, report)]
    fault = min(found, key=lambda each: each.position)
    where = TextPosition.at(query, fault.position)
    message = f"line {where.line}, column {where.column}: {fault.reason}"
    return BadQueryError(_shorten(message, _MAX_LENGTH), where.line, where.column)


def undeclared_prefixes(query: str) -> set[str]:
    """Return the prefixes that a query uses and does not declare."""
    declared, used = _prefixes(list(tokens(query)))
    return set(used) - declared


def _prefixes(parts: Sequence[QueryToken]) -> tuple[set[str], dict[str, QueryToken]]:
    """Return the declared prefixes, and those that are used with the token of their first use."""
    declared: set[str] = set()
    used: dict[str, QueryToken] = {}
    for before, token in zip([None, *parts], parts, strict=False):
        prefix = token.prefix
        if prefix is None:
            continue
        if before is not None and before.kind == "run" and before.text.upper() == "PREFIX":
            declared.add(prefix)
        else:
            used.setdefault(prefix, token)
    return declared, used


def _prefix_fault(parts: Sequence[QueryToken], prefixes: Mapping[str, str]) -> _Fault | None:
    declared, used = _prefixes(parts)
    known = declared | set(prefixes)
    unknown = next((prefix for prefix in used if prefix not in known), None)
    if unknown is None:
        return None
    close = _close(unknown, known)
    prefix, names = _shorten(unknown, _SHOWN), ", ".join(sorted(prefixes))
    hint = f'did you mean "{close[0]}:"?' if close else f"declare it: PREFIX {prefix}: <…>"
    if names:
        return _Fault(used[unknown].start, f'unknown prefix "{prefix}:"; {hint} (known without declaration: {names})')
    return _Fault(used[unknown].start, f'unknown prefix "{prefix}:"; {hint}')


def _close(word: str, known: Set[str]) -> list[str]:
    """Return the known word that is most similar to another, or nothing."""
    return get_close_matches(word, sorted(known), 1, _SIMILAR) if len(word) <= _MAX_WORD_LENGTH else []


def _words(parts: Sequence[QueryToken]) -> Iterator[tuple[str, int, str]]:
    """Yield each word outside names with its position and the text of the token that follows."""
    for number, token in enumerate(parts):
        if token.kind != "run":
            continue
        after = parts[number + 1].text if number + 1 < len(parts) else ""
        for found in _RUN.finditer(token.text):
            if found["word"]:
                yield found["word"], token.start + found.start(), after if found.end() == len(token.text) else "."


def _word_fault(parts: Sequence[QueryToken]) -> _Fault | None:
    for word, position, after in _words(parts):
        if word.upper() in KEYWORDS or word.upper() in FUNCTIONS:
            continue
        if word.upper() in _UPDATES:
            return _Fault(position, f"runs change the data, not {word}; write SELECT, ASK, CONSTRUCT or DESCRIBE")
        is_function, name = after == "(", _shorten(word, _SHOWN)
        if close := _close(word.upper(), KEYWORDS | FUNCTIONS):
            hint = f"did you mean {close[0]}?"
        elif is_function:
            hint = "the functions are those of SPARQL 1.1"
        else:
            hint = 'variables begin with "?", texts are in quotation marks, names have a prefix'
        reason = f'unknown function "{name}"; {hint}' if is_function else f'unknown word "{name}"; {hint}'
        return _Fault(position, reason)
    return None


def _bracket_fault(parts: Sequence[QueryToken]) -> _Fault | None:
    opened: list[QueryToken] = []
    for token in parts:
        if token.kind != "mark":
            continue
        if token.text in _CLOSING:
            opened.append(token)
        elif token.text in _OPENING:
            if not opened:
                opening = _OPENING[token.text]
                return _Fault(token.start, f'"{token.text}" closes nothing; remove it, or add "{opening}"')
            last = opened.pop()
            if _CLOSING[last.text] != token.text:
                bracket, missing = last.text, _CLOSING[last.text]
                reason = f'this "{bracket}" is not closed before the next "{token.text}"; add "{missing}"'
                return _Fault(last.start, reason)
    if opened:
        last = opened[-1]
        missing = _CLOSING[last.text]
        return _Fault(last.start, f'this "{last.text}" is not closed; add "{missing}"')
    return None


def _comma_fault(parts: Sequence[QueryToken]) -> _Fault | None:
    """Find commas between the variables of SELECT, and those that no object follows; AS that was forgotten."""
    depth = 0
    for before, token, after in zip(parts, parts[1:], parts[2:], strict=False):
        depth += (token.text in _CLOSING) - (token.text in _OPENING)
        if token.text == "," and depth == 0 and before.kind == "variable":
            return _Fault(token.start, 'the variables of SELECT are separated by spaces; remove ","')
        if token.text == "," and after.text in ("}", ".", ";", ","):
            return _Fault(after.start, f'after "," an object is missing before "{after.text}"')
        if before.text == ")" and token.kind == "variable" and after.text == ")":
            variable = _shorten(token.text, _SHOWN)
            return _Fault(token.start, f"write AS before {variable}")
        if before.kind == "run" and before.text.upper() == "FILTER" and token.kind == "variable":
            return _Fault(token.start, "write the condition of FILTER in brackets: FILTER(…)")
    return None


def _function_fault(parts: Sequence[QueryToken], prefixes: Mapping[str, str], report: str) -> _Fault | None:
    """Explain a function with an IRI that the store does not have."""
    found = _NO_FUNCTION.search(report)
    if found is None:
        return None
    names = (f"<{found[1]}>", *(f"{prefix}:{found[1].removeprefix(space)}" for prefix, space in prefixes.items()))
    position = next((token.start for token in parts if token.text in names), None)
    if position is None:  # of a prefix that the query declares
        local = re.split(r"[/#:]", found[1])[-1]
        position = next((each.start for each in parts if each.kind == "name" and each.text.endswith(f":{local}")), 0)
    name = _shorten(found[1], 2 * _SHOWN)
    return _Fault(position, f"unknown function <{name}>; the functions are those of SPARQL 1.1")


def _reported_fault(query: str, parts: Sequence[QueryToken], report: str) -> _Fault:
    """Make use of what the parser reports."""
    if not parts:
        return _Fault(0, "the query is empty; write SELECT, ASK, CONSTRUCT or DESCRIBE")
    if not any(word.upper() in _FORMS for word, _, _ in _words(parts)):
        return _Fault(parts[0].start, "a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE, after its PREFIX lines")
    found = _REPORT.search(report)
    if found is None:
        reason = _shorten(" ".join(report.split()), 4 * _SHOWN)
        return _Fault(0, f"the query is not SPARQL: {reason}")
    for part, reason in _REASONS.items():
        if part.search(found[3]):
            return _Fault(_start_of_form(parts), reason)
    keywords, is_exact = _expected(found[3])
    position = TextPosition(int(found[1]), int(found[2])).position(query)
    if keywords and not is_exact:  # the parser reports the place behind the text that it compared with a keyword
        position -= min(map(len, keywords))
    number = next((number for number, token in enumerate(parts) if token.end > position), len(parts))
    fault = _triple_fault(parts, number)
    if fault is not None:
        return fault
    offers = ", ".join(keyword for keyword in keywords if keyword in _SHOWN_KEYWORDS and not is_exact)
    if number == len(parts) and parts[-1].text == "}":  # all brackets are closed: the place is of no use
        reason = 'this is not SPARQL; check ".", ";" and "," between triple patterns, and the order of the clauses'
        return _Fault(_start_of_form(parts), reason)
    if number == len(parts):
        reason = f"the query ends too early; expected {offers}" if offers else "the query ends too early"
        return _Fault(len(query.rstrip()), reason)
    token = _shorten(parts[number].text, _SHOWN)
    reason = f'unexpected "{token}"; expected {offers}' if offers else f'unexpected "{token}"'
    return _Fault(parts[number].start, reason)


def _start_of_form(parts: Sequence[QueryToken]) -> int:
    return next(position for word, position, _ in _words(parts) if word.upper() in _FORMS)


def _expected(report: str) -> tuple[list[str], bool]:
    """Return the keywords that a parser expected, and whether it expected single characters too."""
    offers = [each.strip() for each in report.removeprefix("expected ").removeprefix("one of ").split(", ")]
    keywords = [each for each in offers if _KEYWORD.fullmatch(each)]
    return keywords, any(each != "[_]" and not _KEYWORD.fullmatch(each) for each in offers)


def _triple_fault(parts: Sequence[QueryToken], number: int) -> _Fault | None:
    """Explain a triple pattern without object, or with a term too many, at or after a token."""
    end = next((at for at in range(number, len(parts)) if parts[at].text in (".", "}", ";", ",", "{")), None)
    if end is None or parts[end].text not in (".", "}", ";"):
        return None
    begin = end
    while begin and parts[begin - 1].kind in ("iri", "name", "variable", "string", "tag"):
        begin -= 1
    terms = [token for token in parts[begin:end] if token.kind != "tag"]
    before = parts[begin - 1].text if begin else ""
    if before not in ("{", ".", ";") or not terms:
        return None
    wanted = 2 if before == ";" else 3
    if len(terms) > wanted:
        term = _shorten(terms[wanted].text, _SHOWN)
        return _Fault(terms[wanted].start, f'a triple pattern has three parts; write "." before "{term}"')
    if len(terms) == wanted:
        return None
    mark = parts[end].text
    reason = f'the triple pattern before "{mark}" has no predicate and object'
    if len(terms) == wanted - 1:
        reason = f'the triple pattern before "{mark}" has no object'
    return _Fault(parts[end].start, reason)


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
