"""The index of a release: its fields, what it stores of each thing, how that is made from documents, and read.

Publications and all other things are documents of one tantivy index. Texts are tokens of our own (``_words.py``),
separated by blanks; the values of facets and links are one token each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import msgspec
from tantivy import DocAddress, Filter, Index, Order, Query, Schema, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from bibld.errors import StageError
from bibld.search._documents import (
    FACET_LINKS,
    WORK,
    EntryKind,
    StoredName,
)
from bibld.search._values import FLAGS, NamedThing, StoredPublication
from bibld.text.keys import is_class_mark

FOLDER = "search"
"""The folder of the index in that of its release."""

FORMAT = f"3, tantivy {version('tantivy').rpartition('.')[0]}"
"""The number is to be raised when the fields change, or the same documents give other tokens.

The next run then fills the index again, as it does with another tantivy, whose files may differ.
"""

_FORMAT_FILE = "format"
"""The file with the format, which is written when the index is complete."""

KINDS = tuple(EntryKind)
TEXT_FIELDS = ("title_words", "agent_words", "subject_words", "other_words")
"""The texts of publications."""

FACET_FIELDS = ("library", "language", "type", *FACET_LINKS)
TYPES = (
    "book", "multivolume", "periodical", "article", "thesis", "music", "audio", "video", "map", "image", "manuscript",
    "collection", "other",
)  # fmt: skip
BEGINNING = "^"
"""The first token of the words of titles."""

_NUMBERS_REMEMBERED = 1000
_HASH_BITS = 32
_MAX_WEIGHT = (1 << 24) - 1
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
ISBN_LENGTHS = (10, 13)


def _build_schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_unsigned_field("kind", indexed=True, fast=True)  # the position in KINDS
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("order", fast=True)  # see order_of
    builder.add_bytes_field("data", stored=True)  # StoredPublication or StoredName
    builder.add_text_field("name_words", tokenizer_name="whitespace", index_option="basic")
    for name in TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in FACET_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in FLAGS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")  # true or false
    builder.add_unsigned_field("flags", fast=True)  # the same together: a bit for each
    builder.add_text_field(WORK, tokenizer_name="raw", index_option="basic")  # that of a publication, and those above
    builder.add_unsigned_field("top", indexed=True, fast=True)  # see top_number
    builder.add_unsigned_field("year", indexed=True, fast=True)
    builder.add_text_field("role", tokenizer_name="raw", index_option="basic")  # path and role of agents
    builder.add_text_field("code", tokenizer_name="raw", index_option="basic")  # identifiers, and hashes of titles
    builder.add_text_field("begins", tokenizer_name="raw", index_option="basic")  # see beginnings_of
    builder.add_text_field("title_order", tokenizer_name="only_sorted", index_option="basic", fast=True)
    return builder.build()


SCHEMA = _build_schema()


Stored = StoredPublication | StoredName
decode = msgspec.msgpack.Decoder(Stored).decode
encode = msgspec.msgpack.Encoder().encode


# -- folders


def has_search(release: Path) -> bool:
    """Whether the folder of a release has an index of this format."""
    try:
        return (release / FOLDER / _FORMAT_FILE).read_text(encoding="ascii") == FORMAT
    except (OSError, UnicodeDecodeError):
        return False


def mark_complete(folder: Path) -> None:
    """State that an index is complete, and its format."""
    (folder / _FORMAT_FILE).write_text(FORMAT, encoding="ascii")


def open_index(folder: Path, *, is_new: bool = False) -> Index:
    """Open the index in a folder, or begin one; raises ``StageError``."""
    try:
        index = Index(SCHEMA, str(folder), reuse=False) if is_new else Index.open(str(folder))
        index.config_reader("manual")
    except (ValueError, OSError) as error:
        remedy = f"remove {folder}, then run `bibld run`"
        raise StageError(f"{folder}: the index cannot be opened: {error}; {remedy}") from error
    index.register_tokenizer("whitespace", TextAnalyzerBuilder(Tokenizer.whitespace()).build())
    index.register_fast_field_tokenizer("only_sorted", TextAnalyzerBuilder(Tokenizer.raw()).build())
    nothing = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.remove_long(1))  # removes all tokens
    index.register_tokenizer("only_sorted", nothing.build())
    return index


def order_of(path: str, weight: int) -> int:
    """Return the number by which things are sorted: those of the greatest weight first, equals by a hash.

    The weight of a publication is the number of its records, that of another thing the number of its publications.
    """
    hashed = int.from_bytes(blake2b(path.encode(), digest_size=_HASH_BITS // 8).digest(), "big")
    return (_MAX_WEIGHT - min(weight, _MAX_WEIGHT)) << _HASH_BITS | hashed


def weight_of(order: int) -> int:
    """Return the weight from what ``order_of`` returned."""
    return _MAX_WEIGHT - (order >> _HASH_BITS)


def top_number(path: str) -> int:
    """Return the number that all publications have that are folded under a path."""
    return int.from_bytes(blake2b(path.encode(), digest_size=8).digest(), "big")


MAX_LETTERS = 3
"""First letters of names by which they are listed."""


def beginnings_of(kind: EntryKind, path: str, name: str, letters: str) -> list[str]:
    """Return the tokens by which a list of things has a name: its kind, and its first letters, up to three of them.

    A class mark is in no such list: it has its place in the tree of its classification. ``letters`` are those of the
    name, folded.
    """
    if is_mark(path, name):
        return []
    return [beginning_token(kind, letters[:length]) for length in range(1, min(len(letters), MAX_LETTERS) + 1)]


def beginning_token(kind: EntryKind, letters: str, count: int = 0) -> str:
    """Return the token of the names of a kind that begin with some letters, or how those of ``count`` letters begin."""
    return f"{kind}{count or len(letters)} {letters}"


def is_mark(path: str, title: str) -> bool:
    """Whether a thing is a class mark, which explains nothing in a list of subjects."""
    folder, _, rest = path.partition("/")
    return folder == "concept" and is_class_mark(rest.partition("/")[0], title)


def number_token(number: str) -> str:
    """Return the token of an identifier in any form; that of an ISBN does not depend on its length or check digit."""
    plain = alphanumeric(number)
    if len(plain) in ISBN_LENGTHS and plain[:-1].isdecimal():
        return "i" + (plain[:12] if len(plain) == 13 else f"978{plain[:9]}")
    return "x" + plain


@lru_cache(maxsize=_NUMBERS_REMEMBERED)
def alphanumeric(text: str) -> str:
    """Return the letters and digits of a text, in lower case; the Cyrillic х of a check digit is Latin."""
    return _NOT_ALPHANUMERIC.sub("", text.lower()).replace("х", "x")


_ORDERS = {
    "libraries": ("order", Order.Asc),
    "year": ("year", Order.Asc),
    "-year": ("year", Order.Desc),
    "title": ("title_order", Order.Asc),
    "-title": ("title_order", Order.Desc),
}
"""The field that each order of results follows; documents without a value come last."""

_MAX_VALUES = 1_000_000
_TITLES_REMEMBERED = 20_000
_STORED_REMEMBERED = 2000
"""Documents of a few searches: publications that were ranked are read again with their works."""

_MAX_LISTED = 50
"""Languages or libraries of one work."""

_YEARS = {"first": {"min": {"field": "year"}}, "last": {"max": {"field": "year"}}}


IndexHit = tuple[int, DocAddress]
"""A document that was found, with the value that results are sorted by."""


class WorkFigures(NamedTuple):
    """The first and last year of the publications of a work, their languages and libraries, the most frequent first."""

    years: tuple[int, ...]
    languages: tuple[str, ...]
    libraries: tuple[str, ...]


class Matches(NamedTuple):
    """The number of all documents that a query finds, and some of them."""

    total: int
    hits: list[IndexHit]


class IndexReader:
    """The documents of one index; to be used in one thread at a time."""

    def __init__(self, index: Index) -> None:
        self._searcher = index.searcher()
        self._stored = lru_cache(_STORED_REMEMBERED)(self._read_stored)
        self.title = lru_cache(_TITLES_REMEMBERED)(self._read_title)
        """Return the title of a thing by its path; empty if it has none."""

    @cached_property
    def libraries(self) -> list[str]:
        """The ids of all sources."""
        return [library for library, _ in self._searcher.terms_with_prefix("library", "")]

    def find(self, query: Query, limit: int, offset: int = 0, sort: str = "libraries") -> Matches:
        """Return what a query finds in an order: ``libraries``, ``year``, ``-year`` or ``title``."""
        field, order = _ORDERS.get(sort, _ORDERS["libraries"])
        found = self._searcher.search(query, max(1, limit), order_by_field=field, offset=offset, order=order)
        total: int = found.count  # type: ignore[attr-defined]  # tantivy's stubs lack it
        return Matches(total, found.hits if limit > 0 else [])

    def count(self, query: Query) -> int:
        """Return how many documents a query finds."""
        return self.find(query, 0).total

    def read(self, hits: Iterable[IndexHit]) -> list[Stored]:
        """Return what is stored of documents."""
        return [self._stored(address.segment_ord, address.doc) for _, address in hits]

    def _read_stored(self, segment: int, number: int) -> Stored:
        stored: Stored = decode(self._searcher.doc(DocAddress(segment, number))["data"][0])
        return stored

    def publications(self, hits: Iterable[IndexHit]) -> list[StoredPublication]:
        """Return what is stored of publications."""
        return [stored for stored in self.read(hits) if isinstance(stored, StoredPublication)]

    def stored(self, path: str) -> Stored | None:
        """Return what is stored of the thing with a path; None if there is none."""
        return next(iter(self.read(self._by_path(path))), None)

    def _by_path(self, path: str) -> list[IndexHit]:
        return self.find(Query.term_query(SCHEMA, "path", path, "basic"), 1).hits

    def _read_title(self, path: str) -> str:
        stored = self.stored(path)
        return stored.title if stored is not None else ""

    def paths(self, query: Query, limit: int | None = None) -> list[str]:
        """Return the paths of what a query finds, those of the greatest weight first."""
        return [stored.path for stored in self.read(self.find(query, self._all if limit is None else limit).hits)]

    @property
    def _all(self) -> int:
        return max(1, self._searcher.num_docs)

    def kinds(self, hits: Sequence[IndexHit]) -> list[EntryKind]:
        """Return the kinds of documents without reading what is stored of them."""
        numbers = self._searcher.fast_field_values("kind", [address for _, address in hits])
        return [KINDS[int(number or 0)] for number in numbers]

    def named(self, path: str) -> NamedThing | None:
        """Return the thing with a path; None if there is none."""
        return next(iter(self.things(self._by_path(path))), None)

    def things(self, hits: Sequence[IndexHit]) -> list[NamedThing]:
        """Return documents as things with names."""
        orders = self._searcher.fast_field_values("order", [address for _, address in hits])
        return [
            _named(stored, weight_of(int(order or 0))) for order, stored in zip(orders, self.read(hits), strict=True)
        ]

    def counts(self, query: Query, limits: Mapping[str, int]) -> dict[str, list[tuple[str, int]]]:
        """Return the most frequent values of fields, up to a limit, with the number of publications that have them."""
        # Where there are several segments, the most frequent values of one may lack some of another.
        complete = {"segment_size": _MAX_VALUES} if self._searcher.num_segments > 1 else {}
        fields = {field: limit for field, limit in limits.items() if field not in FLAGS}
        if len(fields) < len(limits):
            fields["flags"] = 1 << len(FLAGS)
        terms = {field: {"terms": {"field": field, "size": limit, **complete}} for field, limit in fields.items()}
        found = self._searcher.aggregate(query, terms) if terms else {}
        counted = {
            field: sorted(
                ((str(bucket["key"]), int(bucket["doc_count"])) for bucket in values["buckets"]),
                key=lambda pair: (-pair[1], pair[0]),
            )
            for field, values in found.items()
        }
        flags = counted.pop("flags", [])
        return counted | {name: _counts_of_flag(FLAGS.index(name), flags) for name in limits if name in FLAGS}

    def tops(self, hits: Sequence[IndexHit]) -> list[int]:
        """Return of each publication the number of the path under which it is folded."""
        return [int(number or 0) for number in self._searcher.fast_field_values("top", [hit for _, hit in hits])]

    def years(self, query: Query) -> tuple[int, ...]:
        """Return the first and the last year of the publications that a query finds, each once."""
        found = self._searcher.aggregate(query, _YEARS)
        values = (found[name]["value"] for name in _YEARS)
        return tuple(dict.fromkeys(int(value) for value in values if value is not None))

    def count_tops(self, query: Query) -> int:
        """Return about how many such paths the publications have that a query finds."""
        return round(self._searcher.cardinality(query, "top"))

    def figures(self, query: Query) -> WorkFigures:
        """Return what the publications that a query finds have in common."""
        counted = self.counts(query, {"language": _MAX_LISTED, "library": _MAX_LISTED})
        languages, libraries = (tuple(value for value, _ in counted[name]) for name in ("language", "library"))
        return WorkFigures(self.years(query), languages, libraries)

    def frequency(self, fields: Iterable[str], token: str | int) -> int:
        """Return about how many documents have a token or number in some fields: deleted ones are counted, too."""
        return sum(self._searcher.doc_freq(field, token) for field in fields)

    def tokens(self, field: str, beginning: str, limit: int) -> list[tuple[str, int]]:
        """Return the most frequent tokens of a field that begin so, with about how many documents have them."""
        return self._searcher.terms_with_prefix(field, beginning, limit=limit)


def _counts_of_flag(position: int, counted: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return how many publications have a flag, and how many have not, from how many have each set of flags."""
    numbers = {"true": 0, "false": 0}
    for flags, count in counted:
        numbers["true" if int(flags) >> position & 1 else "false"] += count
    return sorted(((value, count) for value, count in numbers.items() if count), key=lambda pair: (-pair[1], pair[0]))


def distinct(hits: Iterable[IndexHit]) -> dict[tuple[int, int], IndexHit]:
    """Return hits by their segment and number, in their order."""
    found: dict[tuple[int, int], IndexHit] = {}
    for value, address in hits:
        found.setdefault((address.segment_ord, address.doc), (value, address))
    return found


def _named(stored: Stored, uses: int) -> NamedThing:
    values: dict[str, tuple[str, ...]]
    if isinstance(stored, StoredPublication):
        linked: dict[str, dict[str, None]] = {}
        for link in stored.links:
            linked.setdefault(link.field, {})[link.path] = None
        of_links = {field: tuple(paths) for field, paths in linked.items()}
        kind, values = EntryKind.PUBLICATION, {"isbn": stored.isbns, **of_links, "year": (stored.year,)}
    else:
        kind, values = stored.kind, {"birth": (stored.birth,), "death": (stored.death,)}
        if stored.work is not None:
            values = {"author": stored.work.creators, "work": (*stored.work.wholes, *stored.work.originals)}
    data = {name: found for name, found in values.items() if any(found)}
    return NamedThing(stored.path, kind, stored.title, (stored.title, *stored.forms), data, uses)
