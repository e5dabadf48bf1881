"""Conditions that programs make, such as a server for SRU: parts of a query that are combined by and, or and not.

Unlike the text of a reader, nothing in them is corrected, and what cannot be searched for is an error. How many there
are, and how long they are, is limited by those who make them: no search can be stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

import msgspec
from tantivy import Query

from bibld.search import _matching as matching
from bibld.search._documents import AUTHOR, PLACE, PUBLISHER, SERIES, SUBJECT, EntryKind
from bibld.search._index import SCHEMA, TEXT_FIELDS, IndexReader, alphanumeric
from bibld.search._words import STOP_WORDS, to_query_words

MASK_MANY, MASK_ONE = "*", "?"
"""In a word of a condition: any number of characters, and one character."""

MIN_LETTERS = 3
"""Letters before the first mask of a word: words are found by their beginnings."""

MIN_DIGITS = 5
"""Characters before the mask of a number."""

_MAX_THINGS = 300
"""Headings with the same words."""

_FIELDS_OF_TEXT = {
    "any": TEXT_FIELDS,
    "title": ("title_words",),
    AUTHOR: ("agent_words",),
    SUBJECT: ("subject_words",),
}
SCANNED = tuple(name for name in _FIELDS_OF_TEXT if name != "any")
"""The fields whose words can be listed."""

_KINDS_OF_HEADINGS = {
    AUTHOR: (EntryKind.PERSON, EntryKind.ORGANISATION),
    SUBJECT: (EntryKind.SUBJECT, EntryKind.PERSON, EntryKind.ORGANISATION, EntryKind.PLACE, EntryKind.WORK),
    PUBLISHER: (EntryKind.PUBLISHER,),
    SERIES: (EntryKind.SERIES,),
    PLACE: (EntryKind.PLACE,),
}
_CODED = ("language", "library", "type")
FIELDS = ("any", "title", *_KINDS_OF_HEADINGS, *_CODED)
"""The fields of conditions on texts."""

_ANY_SCRIPT = 2
_ISBN_PREFIXES = ("978", "979")
_ISBN_TOKEN_LENGTH = 12
_NINE_DIGITS = 9


class WordComparison(StrEnum):
    """How a field is compared with the words of a condition."""

    ALL = "all"
    ANY = "any"
    PHRASE = "phrase"
    COMPLETE = "complete"
    BEGINNING = "beginning"


class TextCondition(msgspec.Struct, frozen=True):
    """Publications whose field, one of ``FIELDS``, contains words.

    ``ALL`` and ``ANY`` find words in any form and script, and words can be masked. ``PHRASE``: in sequence, as they are
    written. ``COMPLETE``: they are a whole title or heading. ``BEGINNING``: a title begins with them. Stop words need
    not be found if there are others.
    """

    field: str
    comparison: WordComparison
    text: str


class NumberCondition(msgspec.Struct, frozen=True):
    """Publications with an identifier or the control number of a record; ``is_beginning``: that begins so."""

    text: str
    is_beginning: bool = False


class YearCondition(msgspec.Struct, frozen=True):
    """Publications from the first to the last of two years."""

    first: int
    last: int


class AnyPublication(msgspec.Struct, frozen=True):
    """All publications."""


class BooleanOperator(StrEnum):
    """How two conditions are combined; ``NOT``: the left one, but not the right one."""

    AND = "and"
    OR = "or"
    NOT = "not"


class BooleanCondition(msgspec.Struct, frozen=True):
    """Two conditions."""

    operator: BooleanOperator
    left: SearchCondition
    right: SearchCondition


SearchCondition = TextCondition | NumberCondition | YearCondition | AnyPublication | BooleanCondition


def query_of(condition: SearchCondition, index: IndexReader, matcher: matching.Matcher) -> Query:
    """Return the query of the index for a condition; raises ``ValueError`` for a field that is none of ``FIELDS``."""
    match condition:
        case BooleanCondition(operator, left, right):
            both = query_of(left, index, matcher), query_of(right, index, matcher)
            if operator == BooleanOperator.AND:
                return matching.all_of(both) or matching.NOTHING
            return matching.any_of(both) if operator == BooleanOperator.OR else matching.without(both[0], both[1:])
        case TextCondition():
            return _of_text(condition, index, matcher)
        case NumberCondition(text, is_beginning):
            if is_beginning and not _is_complete(text):
                return matching.of_beginnings(index, _number_beginnings(text), "code")
            return matching.of_identifier(text)
        case YearCondition(first, last):
            return matching.of_years(first, last) if first <= last else matching.NOTHING
    return matching.ANY_PUBLICATION


def searched_titles(condition: SearchCondition) -> list[list[str]]:
    """Return the words of the titles that a condition looks for, those of its negated parts excepted."""
    match condition:
        case BooleanCondition(operator, left, right):
            return searched_titles(left) + (searched_titles(right) if operator != BooleanOperator.NOT else [])
        case TextCondition(field, WordComparison.ALL, text) if field in ("any", "title"):
            return [to_query_words(text)]
    return []


def _of_text(condition: TextCondition, index: IndexReader, matcher: matching.Matcher) -> Query:
    field, comparison = condition.field, condition.comparison
    if field not in FIELDS:
        raise ValueError(f"{field} is not a field of conditions; fields are {', '.join(FIELDS)}")
    if field in _CODED:
        return matcher.of_filter(field, [condition.text])
    words = to_query_words(condition.text)
    if comparison == WordComparison.COMPLETE and field in _KINDS_OF_HEADINGS:
        return matching.of_tokens(field, _headings(words, field, index))
    fields = _FIELDS_OF_TEXT.get(field)
    if fields is None:  # a publisher, series or place: by its name
        names = words if comparison == WordComparison.ANY else [" ".join(words)]
        terms = [matching.FieldTerm(tuple(name.split()), field, text=name) for name in names]
        found = [matcher.of_fields(matching.ParsedQuery("", fields=(term,)), _ANY_SCRIPT) for term in terms]
        return matching.any_of(query for query in found if query is not None)
    if comparison == WordComparison.COMPLETE and field == "title":
        return matching.of_complete_title(words)
    if comparison == WordComparison.BEGINNING and field == "title":
        return matching.of_title_beginning(words)
    if comparison in (WordComparison.ALL, WordComparison.ANY):
        found = [_of_word(word, fields, index) for word in _needed(condition.text.split())]
        every = matching.all_of(each for each in found if each is not None) or matching.NOTHING
        return (
            every if comparison == WordComparison.ALL else matching.any_of(each for each in found if each is not None)
        )
    return matching.of_phrase(words, fields) if words else matching.NOTHING


def _needed(words: Sequence[str]) -> Sequence[str]:
    """Return words without stop words if there are others."""
    return [word for word in words if not set(to_query_words(word)) <= STOP_WORDS] or words


def _of_word(word: str, fields: Sequence[str], index: IndexReader) -> Query | None:
    """Return what finds a word, which may be masked; None if it has no letters or digits."""
    if MASK_MANY not in word and MASK_ONE not in word:
        words = to_query_words(word)
        return matching.of_words(words, fields, _ANY_SCRIPT)
    parts = [
        part if part in (MASK_MANY, MASK_ONE) else "".join(to_query_words(part)) for part in re.split(r"([*?])", word)
    ]
    if parts[-2:] == [MASK_MANY, ""] and MASK_ONE not in parts and parts.count(MASK_MANY) == 1:
        return matching.any_of(matching.of_beginnings(index, [parts[0]], field) for field in fields)
    # Folded words consist of letters and digits only, so that nothing has to be escaped.
    masks = {MASK_MANY: ".*", MASK_ONE: "."}
    pattern = "".join(masks.get(part, part) for part in parts)
    return matching.any_of(Query.regex_query(SCHEMA, field, pattern) for field in fields)


def _headings(words: Sequence[str], field: str, index: IndexReader) -> list[str]:
    """Return the paths of the headings that consist of some words, in any of their forms."""
    kinds = matching.of_kinds(_KINDS_OF_HEADINGS[field])
    query = matching.all_of([matching.of_words(words, ["name_words"], 0), kinds])
    if query is None or not words:
        return []
    found = index.things(index.find(query, _MAX_THINGS).hits)
    return [thing.path for thing in found if any(to_query_words(form) == list(words) for form in thing.forms)]


def _is_complete(number: str) -> bool:
    plain = alphanumeric(number)
    return len(plain) >= _ISBN_TOKEN_LENGTH + 1 or (len(plain) == _NINE_DIGITS + 1 and plain[:-1].isdecimal())


def _number_beginnings(number: str) -> list[str]:
    plain = alphanumeric(number)
    found = [f"x{plain}"]
    if plain.startswith(_ISBN_PREFIXES):
        found.append(f"i{plain[:_ISBN_TOKEN_LENGTH]}")
    elif plain.isdecimal() and len(plain) <= _NINE_DIGITS:
        found += [f"i{prefix}{plain}" for prefix in _ISBN_PREFIXES[:1]]
    return found


# -- lists of words

_ALPHABET = (
    "0123456789abcdefghijklmnopqrstuvwxyzαβγδεζηθικλμνξοπρσςτυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяѣѳѵѧѫђѓєѕіїјљњћќўџґ"
)
_LETTERS = sorted(_ALPHABET)
_MAX_READ = 1000
"""Words with one beginning that are read and sorted; more are divided by their next letter."""

_MAX_DEPTH = 64


def words_around(index: IndexReader, field: str, start: str, before: int, count: int) -> list[tuple[str, int]]:
    """Return ``count`` words of a field in the order of their characters, with about how many publications have each.

    The list begins ``before`` words before the first one that does not precede ``start``. ``field`` is one of
    ``SCANNED``. Words in other alphabets than the Latin, Greek and Cyrillic one are found by their beginning only.
    """
    (name,) = _FIELDS_OF_TEXT[field]

    def take(words: Iterator[tuple[str, int]], limit: int, accepts: Callable[[str], bool]) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        while len(found) < limit and (each := next(words, None)) is not None:
            if accepts(each[0]):
                found.append(each)
        return found

    earlier = take(_words_before(index, name, start), before, lambda word: word < start)
    later = take(_words_from(index, name, start), max(0, count - len(earlier)), lambda word: word >= start)
    return [*reversed(earlier), *later][:count]


def _words_from(index: IndexReader, field: str, start: str) -> Iterator[tuple[str, int]]:
    yield from _words_with(index, field, start, is_reversed=False)
    for length in range(len(start) - 1, -1, -1):
        for letter in (each for each in _LETTERS if each > start[length]):
            yield from _words_with(index, field, start[:length] + letter, is_reversed=False)


def _words_before(index: IndexReader, field: str, start: str) -> Iterator[tuple[str, int]]:
    for length in range(len(start) - 1, -1, -1):
        for letter in (each for each in reversed(_LETTERS) if each < start[length]):
            yield from _words_with(index, field, start[:length] + letter, is_reversed=True)
        if length:
            yield from _word(index, field, start[:length])


def _words_with(index: IndexReader, field: str, beginning: str, *, is_reversed: bool) -> Iterator[tuple[str, int]]:
    """Yield the words with a beginning in their order."""
    if len(beginning) > 1:  # of one letter, there are too many
        found = index.tokens(field, beginning, _MAX_READ)
        if len(found) < _MAX_READ or len(beginning) > _MAX_DEPTH:
            yield from sorted(found, reverse=is_reversed)
            return
    if not is_reversed:
        yield from _word(index, field, beginning)
    for letter in reversed(_LETTERS) if is_reversed else _LETTERS:
        yield from _words_with(index, field, beginning + letter, is_reversed=is_reversed)
    if is_reversed:
        yield from _word(index, field, beginning)


def _word(index: IndexReader, field: str, word: str) -> Iterator[tuple[str, int]]:
    count = index.frequency([field], word) if word else 0
    if count:
        yield word, count
