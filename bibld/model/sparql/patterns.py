"""Finds the triple patterns of a query in its tokens, with the graph that each is matched in.

Only what is certain is reported: a query with syntax that is not understood here (collections, blank node property
lists, EXISTS inside an expression, DESCRIBE …) has no patterns at all, which is not an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from bibld.model.sparql.lexer import Token, tokens

_WORD_AND_DOT = re.compile(r"([A-Za-z]+|-?\d+(?:\.\d+)?(?:[eE]-?\d+)?)(\.?)")
_NAME = re.compile(r"(?:[^\W\d_](?:[\w.-]*[\w-])?)?:[^\\]*")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_TERMS = ("iri", "name", "variable", "string")
_GROUP_WORDS = frozenset({"OPTIONAL", "UNION", "MINUS", "WHERE", ".", "NOT", "EXISTS"})
_OPERANDS = ("iri", "name", "variable", "string", "run", "tag")


class Pattern(msgspec.Struct, frozen=True):
    """A triple pattern as it is written; ``graph`` is the term after GRAPH, or empty.

    ``predicates`` are the IRIs of its predicate or path; None where these are not all that it can match: a variable,
    a path that can be empty (``*``, ``?``), a negated set.
    """

    subject: str
    predicate: str
    object: str
    graph: str
    predicates: tuple[str, ...] | None

    @property
    def text(self) -> str:
        """The pattern as SPARQL."""
        triple = f"{self.subject} {self.predicate} {self.object}"
        return f"GRAPH {self.graph} {{ {triple} }}" if self.graph else triple


class _UnknownSyntaxError(Exception):
    """The query contains syntax that is not understood here."""


def find_patterns(query: str, prefixes: Mapping[str, str]) -> tuple[Pattern, ...] | None:
    """Return the triple patterns of a query; None where they cannot be found with certainty.

    ``prefixes`` are known without declaration.
    """
    try:
        return tuple(_Reader(list(_split(query)), prefixes).patterns())
    except (_UnknownSyntaxError, IndexError):  # IndexError: the query ends too early
        return None


def _split(query: str) -> Iterator[Token]:
    """Yield the tokens, with the dots that end triples separated from the words and names before them."""
    before: Token | None = None
    for token in tokens(query):
        if token.kind in ("open", "escape"):
            raise _UnknownSyntaxError
        if token.kind == "iri" and ("'" in token.text or "#" in token.text) and before is not None:
            is_operand = before.kind in _OPERANDS and before.text.upper() not in _GROUP_WORDS
            if is_operand and _is_in_brackets(query, token):
                raise _UnknownSyntaxError  # perhaps "less than"
        before = token
        if token.kind == "run" and token.text != ".":
            found = _WORD_AND_DOT.fullmatch(token.text)
            if found is None:
                raise _UnknownSyntaxError
            yield Token("run", found[1], token.start)
            if found[2]:
                yield Token("run", ".", token.end - 1)
        elif token.kind == "name" and token.text.endswith("."):
            yield Token("name", token.text[:-1], token.start)
            yield Token("run", ".", token.end - 1)
        else:
            yield token


def _is_in_brackets(query: str, token: Token) -> bool:
    """Whether a round bracket may be open before a token; only a bracket at all is looked for."""
    return "(" in query[: token.start]


class _Reader:
    """Reads tokens from left to right; braces are counted, not followed by recursion."""

    def __init__(self, parts: list[Token], prefixes: Mapping[str, str]) -> None:
        self._parts = parts
        self._at = 0
        self._prefixes = dict(prefixes)
        self._graphs: list[str] = []
        self._found: list[Pattern] = []
        self._is_select: list[bool] = []

    def patterns(self) -> list[Pattern]:
        self._read_prologue()
        form = self._word()
        if form not in ("SELECT", "ASK", "CONSTRUCT"):
            raise _UnknownSyntaxError
        self._at += 1
        if form == "CONSTRUCT" and self._parts[self._at].text == "{":
            self._skip_to("}")
        self._skip_to("{", is_included=False)
        while self._at < len(self._parts):
            if self._graphs or self._parts[self._at].text == "{":
                self._read_in_group()
            else:
                self._skip_modifier()
        if self._graphs:
            raise _UnknownSyntaxError
        return self._found

    def _word(self) -> str:
        part = self._parts[self._at]
        return part.text.upper() if part.kind == "run" else ""

    def _read_prologue(self) -> None:
        while self._word() in ("PREFIX", "BASE"):
            if self._word() == "BASE":
                raise _UnknownSyntaxError
            name, space = self._parts[self._at + 1 : self._at + 3]
            self._prefixes[name.text[:-1]] = space.text[1:-1]
            self._at += 3

    def _read_in_group(self) -> None:
        part = self._parts[self._at]
        word = self._word()
        self._at += 1
        if part.text == "{":
            self._graphs.append(self._graphs[-1] if self._graphs else "")
            self._is_select.append(False)
        elif part.text == "}":
            self._graphs.pop()
            self._is_select.pop()
            if self._is_select and self._is_select[-1]:
                while self._parts[self._at].text != "}":
                    self._skip_modifier()
        elif word in _GROUP_WORDS:
            return
        elif word == "GRAPH":
            self._open_graph()
        elif word == "FILTER":
            self._skip_filter()
        elif word == "BIND":
            self._skip_brackets()
        elif word == "VALUES":
            self._skip_to("}")
        elif word == "SELECT":
            self._is_select[-1] = True
            self._skip_to("{", is_included=False)
        else:
            self._at -= 1
            self._read_triples()

    def _skip_modifier(self) -> None:
        """Skip a token of GROUP BY, ORDER BY, LIMIT …, or VALUES with its rows."""
        if self._word() == "VALUES":
            self._skip_to("}")
        elif self._parts[self._at].text == "(":
            self._skip_brackets()
        elif self._parts[self._at].text in ("{", "}"):
            raise _UnknownSyntaxError
        else:
            self._at += 1

    def _open_graph(self) -> None:
        graph, brace = self._parts[self._at : self._at + 2]
        if graph.kind not in ("iri", "name", "variable") or brace.text != "{":
            raise _UnknownSyntaxError
        self._at += 2
        self._graphs.append(graph.text)
        self._is_select.append(False)

    def _skip_filter(self) -> None:
        if self._word() in ("NOT", "EXISTS"):
            return
        if self._parts[self._at].text != "(":
            self._at += 1  # the name of a function
        self._skip_brackets()

    def _skip_brackets(self) -> None:
        """Skip an expression in brackets; one that contains a group is not understood."""
        depth = 0
        while True:
            text = self._parts[self._at].text
            if text in ("{", "}"):
                raise _UnknownSyntaxError
            depth += (text == "(") - (text == ")")
            self._at += 1
            if not depth:
                return

    def _skip_to(self, text: str, is_included: bool = True) -> None:
        while self._parts[self._at].text != text:
            if self._parts[self._at].text == "(":
                self._skip_brackets()
            elif self._parts[self._at].text == "}":
                raise _UnknownSyntaxError
            else:
                self._at += 1
        self._at += is_included

    def _read_triples(self) -> None:
        """Read a subject with its predicates and objects."""
        subject = self._read_term()
        while True:
            predicate, iris = self._read_path()
            while True:
                self._found.append(Pattern(subject, predicate, self._read_term(), self._graphs[-1], iris))
                if self._parts[self._at].text != ",":
                    break
                self._at += 1
            while self._parts[self._at].text == ";":
                self._at += 1
                if self._parts[self._at].text in (".", "}", ";"):
                    continue
                break
            else:
                return
            if self._parts[self._at].text in (".", "}"):
                return

    def _read_term(self) -> str:
        part = self._parts[self._at]
        is_number = part.kind == "run" and (part.text[-1].isdigit() or part.text in ("true", "false"))
        if part.kind not in _TERMS and not is_number:
            raise _UnknownSyntaxError
        self._at += 1
        text = part.text
        if part.kind == "string" and self._parts[self._at].kind == "tag":
            text += self._parts[self._at].text
            self._at += 1
        elif part.kind == "string" and self._parts[self._at].text == "^":
            if self._parts[self._at + 1].text != "^" or self._parts[self._at + 2].kind not in ("iri", "name"):
                raise _UnknownSyntaxError
            text += f"^^{self._parts[self._at + 2].text}"
            self._at += 3
        return text

    def _read_path(self) -> tuple[str, tuple[str, ...] | None]:
        """Return a predicate as it is written, and its IRIs."""
        part = self._parts[self._at]
        if part.kind == "variable":
            self._at += 1
            return part.text, None
        begin, depth, iris, is_certain = self._at, 0, set(), True
        is_after_element = False
        while True:
            part = self._parts[self._at]
            if part.text in ("*", "?", "!"):
                is_certain = False
            elif part.text == "(":
                depth += 1
            elif part.text == ")":
                depth -= 1
            elif part.text in ("/", "|", "^", "+"):
                pass
            elif is_after_element:
                break  # the object
            else:
                iris.add(self._iri_of(part))
            is_after_element = part.text not in ("(", "/", "|", "^", "!")
            self._at += 1
        if depth:
            raise _UnknownSyntaxError
        text = "".join(each.text for each in self._parts[begin : self._at])
        return text, tuple(sorted(iris)) if is_certain else None

    def _iri_of(self, part: Token) -> str:
        if part.kind == "run" and part.text == "a":
            return _TYPE
        if part.kind == "iri" and "\\" not in part.text and _ABSOLUTE.match(part.text, 1):
            return part.text[1:-1]
        if part.kind == "name" and _NAME.fullmatch(part.text):
            prefix, _, local = part.text.partition(":")
            space = self._prefixes.get(prefix, "")
            if _ABSOLUTE.match(space) and "\\" not in space:
                return space + local
        raise _UnknownSyntaxError
