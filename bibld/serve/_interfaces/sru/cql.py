"""Queries in CQL 1.1 and 1.2 as conditions of the search, and the order of the results.

The grammar is read by ``cql-parser``; indexes, relations, masking and anchoring follow the context set ``cql`` 1.2.
What this server does not support is refused with a diagnostic that names it, never left out.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping

import msgspec
from cql.lexer import CQLLexer, CQLLexerError
from cql.parser import CQLModifier, CQLParser12, CQLParserError, CQLPrefixable, CQLSearchClause, CQLTriple

from bibld.model.iris import Iris
from bibld.model.origin import from_slug
from bibld.search import (
    MASK_MANY,
    MASK_ONE,
    MIN_DIGITS,
    MIN_LETTERS,
    SCANNED,
    AnyPublication,
    BooleanCondition,
    BooleanOperator,
    NumberCondition,
    SearchCondition,
    TextCondition,
    WordComparison,
    YearCondition,
    to_words,
)
from bibld.serve._interfaces.sru.diagnostics import SruDiagnosticError, SruFault
from bibld.serve._interfaces.sru.indexes import CqlIndex, CqlPrefixes, IndexKind
from bibld.text.languages import language_code

MAX_QUERY_LENGTH = 2000
"""Characters of a query."""

MAX_CLAUSES = 32
"""Search clauses of a query."""

MAX_TERM_LENGTH = 500
"""Characters of a term."""

_MAX_WORDS = 32
_MAX_MASKS = 4
_MAX_YEAR = 9999
_YEAR = re.compile(r"\d{1,4}")
_DATE = re.compile(r"(\d{4})-\d\d(?:-\d\d)?")
_MASKED_YEAR = re.compile(r"(\d{1,3})(\*|\?+)")
_SPAN = re.compile(r"(\d{1,4})(?:\s+|\s*[-–]\s*)(\d{1,4})")
_NUMBER = re.compile(r"[0-9][0-9xXхХ\s-]{4,24}[0-9xXхХ]")
_IGNORED_MODIFIERS = frozenset(("relevant", "relevance", "stem", "word", "masked", "ignorecase", "ignoreaccents"))
"""Modifiers of relations that state what this server does in any case."""

_UNMASKED = "unmasked"
_RELATIONS = {"scr": "=", "exact": "==", "eq": "="}
"""Other names of relations."""

_COMPARISONS = {
    "=": WordComparison.ALL,
    "all": WordComparison.ALL,
    "any": WordComparison.ANY,
    "adj": WordComparison.PHRASE,
    "==": WordComparison.COMPLETE,
}
_ALL_IN_ORDER = ("<", ">", "<=", ">=", "within")
_SORT_DIRECTIONS = {"ascending": "", "descending": "-"}
_IGNORED_IN_SORTS = frozenset(("ignorecase", "ignoreaccents"))

# The parser logs each syntax error, which is the client's, not one of this server.
logging.getLogger("cql").setLevel(logging.CRITICAL + 1)


class CqlQuery(msgspec.Struct, frozen=True):
    """A query: its condition, and the order of the results as ``SearchView.retrieve`` names it."""

    condition: SearchCondition
    sort: str


class ScanClause(msgspec.Struct, frozen=True):
    """The field whose words are listed, and the text where the list begins."""

    field: str
    start: str


class _Term(msgspec.Struct, frozen=True):
    """A term without escapes: ``text`` may contain masks; ``is_first`` and ``is_last``: it is anchored there."""

    text: str
    is_first: bool = False
    is_last: bool = False

    @property
    def is_masked(self) -> bool:
        return MASK_MANY in self.text or MASK_ONE in self.text


class CqlReader:
    """Reads queries; to be used in one thread at a time.

    ``libraries``: ids of sources by the names and codes (in small letters) that queries may use.
    """

    def __init__(self, iris: Iris, libraries: Mapping[str, str]) -> None:
        self._iris = iris
        self._libraries = libraries
        self._lexer = CQLLexer()
        self._lexer.build()
        self._parser = CQLParser12()
        self._parser.build(self._lexer)  # type: ignore[arg-type]  # it takes what the package calls a lexer

    def read(self, text: str) -> CqlQuery:
        """Return the condition and the order that a query states; raises ``SruDiagnosticError``."""
        root = self._parse(text)
        keys = [(str(key.index), _modifiers(key.modifiers)) for key in getattr(root, "sortSpecs", ())]
        condition = self._condition(root, CqlPrefixes())
        _check_size(condition)
        return CqlQuery(condition, _sort_of_keys(keys))

    def read_scan_clause(self, text: str) -> ScanClause:
        """Return the clause with which a list of terms begins; the name of an index alone begins with its first."""
        root = self._parse(text)
        if not isinstance(root, CQLSearchClause):
            raise SruDiagnosticError(SruFault.SYNTAX, "a scan has one search clause")
        prefixes = _with_prefixes(CqlPrefixes(), root)
        name, start = (str(root.index), root.term) if root.index is not None else (root.term, "")
        index = prefixes.find_index(name)
        if index.field not in SCANNED:
            raise SruDiagnosticError(SruFault.INDEX, name)
        return ScanClause(index.field, start[:MAX_TERM_LENGTH])

    def _parse(self, text: str) -> CQLTriple | CQLSearchClause:
        if len(text) > MAX_QUERY_LENGTH:
            raise SruDiagnosticError(SruFault.QUERY_LENGTH, f"{MAX_QUERY_LENGTH:,} characters at most")
        if not text.strip():
            raise SruDiagnosticError(SruFault.SYNTAX, "the query is empty")
        try:
            root = self._parser.parse(text, tracking=True).root
        except (CQLParserError, CQLLexerError) as error:
            position = min(self._lexer.lexer.lexpos, len(text))
            raise SruDiagnosticError(SruFault.SYNTAX, f"near character {position} of the query") from error
        if _count_clauses(root) > MAX_CLAUSES:
            raise SruDiagnosticError(SruFault.BOOLEANS, f"{MAX_CLAUSES - 1} at most")
        return root

    def _condition(self, node: CQLTriple | CQLSearchClause, prefixes: CqlPrefixes) -> SearchCondition:
        prefixes = _with_prefixes(prefixes, node)
        if isinstance(node, CQLSearchClause):
            return self._clause(node, prefixes)
        operator = node.operator.value.lower()
        if operator == "prox":
            raise SruDiagnosticError(SruFault.PROXIMITY)
        for name, _ in _modifiers(node.operator.modifiers):
            raise SruDiagnosticError(SruFault.BOOLEAN_MODIFIER, name)
        left, right = (self._condition(each, prefixes) for each in (node.left, node.right))
        return BooleanCondition(BooleanOperator(operator), left, right)

    def _clause(self, clause: CQLSearchClause, prefixes: CqlPrefixes) -> SearchCondition:
        name = str(clause.index) if clause.index is not None else "cql.serverChoice"
        index = prefixes.find_index(name)
        relation, is_unmasked = "=", False
        if clause.relation is not None:
            stated = str(clause.relation.comparitor).lower().removeprefix("cql.")
            relation = _RELATIONS.get(stated, stated)
            for modifier, _ in _modifiers(clause.relation.modifiers):
                is_unmasked = is_unmasked or modifier == _UNMASKED
                if modifier not in _IGNORED_MODIFIERS and modifier != _UNMASKED:
                    raise SruDiagnosticError(SruFault.RELATION_MODIFIER, modifier)
        if relation not in (*_COMPARISONS, *_ALL_IN_ORDER, "<>"):
            raise SruDiagnosticError(SruFault.RELATION, relation)
        if len(clause.term) > MAX_TERM_LENGTH:
            raise SruDiagnosticError(SruFault.TERM_LENGTH, f"{MAX_TERM_LENGTH} characters at most")
        term = _Term(re.sub(r"[*?]", " ", clause.term)) if is_unmasked else _unescaped(clause.term)
        if relation == "<>":
            return BooleanCondition(BooleanOperator.NOT, AnyPublication(), self._comparison(index, "=", term))
        return self._comparison(index, relation, term)

    def _comparison(self, index: CqlIndex, relation: str, term: _Term) -> SearchCondition:
        if index.kind == IndexKind.ALL_RECORDS:
            return AnyPublication()
        if index.kind == IndexKind.YEAR:
            return _years(relation, term)
        if relation not in _COMPARISONS:
            raise SruDiagnosticError(SruFault.RELATION_OF_INDEX, f"{relation} of {index.names[0]}")
        if not term.text.strip():
            raise SruDiagnosticError(SruFault.EMPTY_TERM)
        if (term.is_first or term.is_last) and (index.field != "title" or relation in ("any", "all")):
            raise SruDiagnosticError(SruFault.ANCHOR, f"only in {relation} of titles")
        makers: dict[IndexKind, Callable[[CqlIndex, str, _Term], SearchCondition]] = {
            IndexKind.TEXT: _text,
            IndexKind.NUMBER: _numbers,
            IndexKind.RECORD: self._record,
            IndexKind.CODE: self._code,
        }
        return makers[index.kind](index, relation, term)

    def _record(self, index: CqlIndex, relation: str, term: _Term) -> SearchCondition:
        """Return the condition for a control number, or the IRI of a record or of a publication that has it."""
        text = term.text.strip()
        folder, _, rest = (self._iris.path(text) or text).partition("/")
        if folder not in ("resource", "record"):
            return NumberCondition(text)
        source, _, slug = rest.partition("/")
        try:
            return NumberCondition(f"{source}:{from_slug(slug)}")
        except ValueError as error:
            raise SruDiagnosticError(SruFault.TERM_FORMAT, text) from error

    def _code(self, index: CqlIndex, relation: str, term: _Term) -> SearchCondition:
        codes = [term.text] if relation != "any" else term.text.split()
        if term.is_masked:
            raise SruDiagnosticError(SruFault.MASK, index.names[0])
        return _any_of(TextCondition(index.field, WordComparison.COMPLETE, self._known(index, code)) for code in codes)

    def _known(self, index: CqlIndex, code: str) -> str:
        code = code.strip()
        if index.field == "language":
            return language_code(code) or code
        return self._libraries.get(code.lower(), code) if index.field == "library" else code


def sort_of_sort_keys(text: str) -> str:
    """Return the order that the parameter ``sortKeys`` states (SRU 1.1, 2.0): path, schema, ascending, and so on."""
    keys = []
    for key in text.split():
        path, _, rest = key.partition(",")
        ascending = rest.partition(",")[2].partition(",")[0].strip().lower()
        if ascending not in ("", "1", "0", "true", "false"):
            raise SruDiagnosticError(SruFault.SORT_DIRECTION, ascending)
        direction = "descending" if ascending in ("0", "false") else "ascending"
        keys.append((path.strip('"'), [(direction, "")]))
    return _sort_of_keys(keys)


def _sort_of_keys(keys: list[tuple[str, list[tuple[str, str]]]]) -> str:
    if not keys:
        return "relevance"
    if len(keys) > 1:
        raise SruDiagnosticError(SruFault.SORT_KEYS, "one at most")
    ((name, modifiers),) = keys
    try:
        index = CqlPrefixes().find_index(name)
    except SruDiagnosticError as error:
        raise SruDiagnosticError(SruFault.SORT_PATH, name) from error
    if not index.sort:
        raise SruDiagnosticError(SruFault.SORT_PATH, name)
    direction = ""
    for modifier, _ in modifiers:
        if modifier in _SORT_DIRECTIONS:
            direction = _SORT_DIRECTIONS[modifier]
        elif modifier not in _IGNORED_IN_SORTS:
            raise SruDiagnosticError(SruFault.SORT_MODIFIER, modifier)
    return direction + index.sort


def _modifiers(modifiers: list[CQLModifier] | None) -> list[tuple[str, str]]:
    """Return the names of modifiers without their sets, and their values."""
    return [(str(each.name).lower().rpartition(".")[2], each.value or "") for each in modifiers or ()]


def _with_prefixes(prefixes: CqlPrefixes, node: CQLPrefixable) -> CqlPrefixes:
    for each in node.prefixes:
        prefixes = prefixes.with_declaration(each.prefix, each.uri)
    return prefixes


def _count_clauses(root: object) -> int:
    """Return the number of search clauses without recursion: the depth of a query is not yet limited."""
    waiting, count = [root], 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, CQLTriple):
            waiting += [node.left, node.right]
        else:
            count += 1
    return count


def _check_size(condition: SearchCondition) -> None:
    """Raise ``SruDiagnosticError`` if a query has more words or masks than one search may look for."""
    texts = [each.text for each in _parts(condition) if isinstance(each, TextCondition)]
    if sum(len(to_words(text)) for text in texts) > _MAX_WORDS:
        raise SruDiagnosticError(SruFault.TERM_LENGTH, f"{_MAX_WORDS} words in all at most")
    if sum(text.count(MASK_MANY) + text.count(MASK_ONE) for text in texts) > _MAX_MASKS:
        raise SruDiagnosticError(SruFault.MASKS, f"{_MAX_MASKS} in all at most")


def _parts(condition: SearchCondition) -> Iterator[SearchCondition]:
    if isinstance(condition, BooleanCondition):
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    else:
        yield condition


def _unescaped(text: str) -> _Term:
    """Return a term without its escapes; an escaped mask is no letter, so a blank is in its place."""
    is_first, is_last = text.startswith("^"), text.endswith("^") and not text.endswith("\\^") and len(text) > 1
    found: list[str] = []
    characters = iter(text[is_first : len(text) - is_last])
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if escaped not in ("*", "?", "^", '"', "\\"):
                raise SruDiagnosticError(SruFault.ESCAPE, f"\\{escaped}")
            character = " "
        elif character == "^":
            raise SruDiagnosticError(SruFault.ANCHOR_POSITION, text)
        found.append(character)
    return _Term("".join(found), is_first, is_last)


def _text(index: CqlIndex, relation: str, term: _Term) -> SearchCondition:
    comparison = _COMPARISONS[relation]
    if term.is_last and not term.is_first:
        raise SruDiagnosticError(SruFault.ANCHOR_POSITION, "at the end alone")
    if term.is_first:
        comparison = WordComparison.COMPLETE if term.is_last else WordComparison.BEGINNING
    words = term.text.split()
    if not to_words(term.text):
        raise SruDiagnosticError(SruFault.MASKED_WORD if term.is_masked else SruFault.EMPTY_TERM, term.text)
    if term.is_masked:
        _check_masks(index, comparison, words)
    condition = TextCondition(index.field, comparison, term.text)
    if index.field == "any" and _NUMBER.fullmatch(term.text.strip()):
        return BooleanCondition(BooleanOperator.OR, condition, NumberCondition(term.text))
    return condition


def _check_masks(index: CqlIndex, comparison: WordComparison, words: list[str]) -> None:
    if comparison == WordComparison.PHRASE:
        raise SruDiagnosticError(SruFault.MASK_IN_PHRASE)
    if comparison not in (WordComparison.ALL, WordComparison.ANY) or index.field not in ("any", *SCANNED):
        raise SruDiagnosticError(SruFault.MASK, f"in {index.names[0]} only with =, all and any of texts")
    for word in words:
        beginning = re.split(r"[*?]", word, maxsplit=1)[0]
        if beginning != word and len("".join(to_words(beginning))) < MIN_LETTERS:
            raise SruDiagnosticError(SruFault.MASKED_WORD, f"{word}: {MIN_LETTERS} letters before the mask at least")


def _numbers(index: CqlIndex, relation: str, term: _Term) -> SearchCondition:
    numbers = term.text.split() if relation == "any" else [term.text]
    return _any_of(map(_number, numbers))


def _number(text: str) -> SearchCondition:
    plain = text.strip().rstrip(MASK_MANY)
    if MASK_MANY in plain or MASK_ONE in plain:
        raise SruDiagnosticError(SruFault.MASK, "in numbers only * at the end")
    is_beginning = plain != text.strip()
    if is_beginning and len("".join(to_words(plain))) < MIN_DIGITS:
        raise SruDiagnosticError(SruFault.MASKED_WORD, f"{text}: {MIN_DIGITS} characters before the mask at least")
    if not to_words(plain):
        raise SruDiagnosticError(SruFault.EMPTY_TERM, text)
    return NumberCondition(plain, is_beginning)


def _years(relation: str, term: _Term) -> SearchCondition:
    first, last = _span(term.text.strip(), relation)
    match relation:
        case "<":
            return YearCondition(0, first - 1)
        case "<=":
            return YearCondition(0, last)
        case ">":
            return YearCondition(last + 1, _MAX_YEAR)
        case ">=":
            return YearCondition(first, _MAX_YEAR)
    return YearCondition(first, last)


def _span(text: str, relation: str) -> tuple[int, int]:
    """Return the first and last year of a term; raises ``SruDiagnosticError``."""
    date = _DATE.fullmatch(text)
    if _YEAR.fullmatch(text) or date is not None:
        year = int(date[1] if date is not None else text)
        return year, year
    masked = _MASKED_YEAR.fullmatch(text)
    if masked is not None and (masked[2] == MASK_MANY or len(text) == len(str(_MAX_YEAR))):
        return int(masked[1].ljust(4, "0")), int(masked[1].ljust(4, "9"))
    span = _SPAN.fullmatch(text)
    if span is None or relation not in ("within", "=", "=="):
        raise SruDiagnosticError(SruFault.TERM_FORMAT, f'{text}: write a year, or within "1970 1980"')
    return int(span[1]), int(span[2])


def _any_of(conditions: Iterator[SearchCondition]) -> SearchCondition:
    first, *others = conditions
    for each in others[: MAX_CLAUSES - 1]:
        first = BooleanCondition(BooleanOperator.OR, first, each)
    return first
