"""Rows of ``search.db`` for publications and other things: what is stored, and the tokens they are found by."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import msgspec

from bibld.search._codes import (
    LANGUAGE,
    LIBRARY,
    LINKED_TO_AUTHORITY,
    MERGED,
    TYPE,
    TYPES,
    YEAR,
    code_of,
    facet_of_group,
    language_value,
    pack_codes,
)
from bibld.search._documents import KINDS, LinkedPath, Name, Publication, Text, control_numbers
from bibld.search._packing import Packing, encode
from bibld.search._schema import (
    AGENT,
    BUCKETS,
    SERIES,
    SUBJECT,
    UNNAMED,
    Details,
    Link,
    NameDetails,
    bucket_of,
)
from bibld.search._words import title_token, tokens_of
from bibld.text.scripts import first_foreign_script

_THINGS_REMEMBERED = 100_000
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_MOST_FORMS = 12
_MOST_PARTS = 6
_ISBN_LENGTHS = (10, 13)

WordColumns = tuple[str, str, str, str, str]


class PublicationRow(msgspec.Struct, frozen=True):
    """A publication as it is written.

    ``data`` is not compressed yet, ``words`` are the texts of the columns of the full-text table, ``links`` the ids of
    the entries that it links to.
    """

    path: str
    bucket: int
    year: int | None
    codes: bytes
    data: bytes
    words: WordColumns
    links: tuple[int, ...]


class _LinkedThing(msgspec.Struct, frozen=True):
    id: int
    tokens: str
    is_linked: bool


def key_of(path: str) -> int:
    """Return the hash by which a path is found; another path may have the same one."""
    return int.from_bytes(blake2b(path.encode(), digest_size=4).digest(), "big", signed=True)


def newest_entry(connection: sqlite3.Connection, path: str) -> tuple[int, int, bytes] | None:
    """Return id, kind and data of the entry that a thing has in the newest release; None if it has none.

    The connection needs the functions of ``Packing``.
    """
    row: tuple[int, int, bytes] | None = connection.execute(
        "SELECT id, kind, data FROM path_key JOIN entry USING (id) JOIN detail USING (id)"
        " WHERE key = ? AND until IS NULL AND path_of(kind, data) = ?",
        (key_of(path), path),
    ).fetchone()
    return row


class RowMaker:
    """Makes rows; gives ids to entries and numbers to sources as they occur.

    ``release`` is the one that is written, ``next_id`` the id of the next new entry.
    """

    def __init__(self, connection: sqlite3.Connection, release: int, next_id: int) -> None:
        self._connection = connection
        self._release = release
        self.next_id = next_id
        self._sources: dict[str, int] = {
            identifier: number for number, identifier in connection.execute("SELECT number, id FROM source")
        }
        self._thing = lru_cache(_THINGS_REMEMBERED)(self._read_thing)
        self.packing = Packing(connection)

    def take_id(self) -> int:
        """Return the id of a new entry."""
        self.next_id += 1
        return self.next_id - 1

    def _read_thing(self, path: str) -> _LinkedThing:
        row = newest_entry(self._connection, path)
        if row is None:
            return _LinkedThing(self._add_unnamed(path), "", is_linked=False)
        details = self.packing.name(row[2])
        return _LinkedThing(row[0], name_tokens(details), details.is_linked)

    def _add_unnamed(self, path: str) -> int:
        return self.insert_thing(UNNAMED, NameDetails("", path, (), "", "", False, ("",)))

    def insert_thing(self, kind: int, details: NameDetails) -> int:
        """Insert the entry of a thing that is no publication; return its id. It is in no bucket yet."""
        id_ = self.take_id()
        self._connection.execute(
            "INSERT INTO entry (id, kind, bucket, since, uses) VALUES (?, ?, ?, ?, 0)",
            (id_, kind, BUCKETS, self._release),
        )
        self._connection.execute("INSERT INTO detail VALUES (?, ?)", (id_, self.packing.pack_name(encode(details))))
        self._connection.execute("INSERT INTO path_key VALUES (?, ?)", (key_of(details.path), id_))
        return id_

    def number_source(self, identifier: str) -> int:
        """Return the number of a source, which may be new."""
        number = self._sources.get(identifier)
        return self._add_source(identifier) if number is None else number

    def _add_source(self, identifier: str) -> int:
        number = self._sources[identifier] = len(self._sources) + 1
        self._connection.execute("INSERT INTO source VALUES (?, ?)", (number, identifier))
        return number

    def publication(self, found: Publication) -> PublicationRow:
        """Return the row of a publication."""
        things = [self._thing(link.path) for link in found.links]
        links = tuple(Link(link.group, link.role, thing.id) for link, thing in zip(found.links, things, strict=True))
        names = list(zip(links, things, strict=True))
        titles = list(dict.fromkeys([found.title, *(text.value for text in found.titles)]))
        is_linked = any(thing.is_linked for thing in things)
        statement = _best(found.statements, found.title)
        imprint = _best(found.imprints, found.title)
        details = Details(
            found.title,
            found.path,
            tuple(dict.fromkeys([*titles[1:], *(text.value for text in found.variants)]))[:_MOST_FORMS],
            statement,
            imprint,
            str(found.year or ""),
            found.type,
            tuple(found.languages),
            tuple(found.records),
            links,
            tuple(found.isbns),
            tuple(dict.fromkeys(text.value for text in (*found.parts, *found.editions)))[:_MOST_PARTS],
        )
        return PublicationRow(
            found.path,
            bucket_of(len(found.records)),
            found.year,
            self._codes(found, links, is_linked),
            encode(details),
            (
                _joined(
                    [*sorted(found.titles, key=lambda text: text.value != found.title), *found.variants, *found.parts]
                ),
                _joined(found.statements, *dict.fromkeys(name.tokens for link, name in names if link.group == AGENT)),
                " ".join(dict.fromkeys(name.tokens for link, name in names if link.group == SUBJECT)),
                _joined(
                    [*found.editions, *found.imprints, *found.contents],
                    *(name.tokens for link, name in names if link.group == SERIES),
                ),
                " ".join(_code_tokens(found, links, is_linked)),
            ),
            tuple(dict.fromkeys(link.id for link in links)),
        )

    def _codes(self, found: Publication, links: Iterable[Link], is_linked: bool) -> bytes:
        codes = [code_of(LIBRARY, self.number_source(library)) for library in found.libraries]
        if found.year is not None:
            codes.append(code_of(YEAR, found.year))
        codes += [code_of(LANGUAGE, value) for value in map(language_value, found.languages) if value]
        codes.append(code_of(TYPE, TYPES.index(found.type)))
        codes += [code_of(MERGED, found.is_merged), code_of(LINKED_TO_AUTHORITY, is_linked)]
        codes += dict.fromkeys(code_of(facet_of_group(link.group), link.id) for link in links)
        return pack_codes(codes)


def name_details(name: Name) -> NameDetails:
    """Return what is stored of a thing that is no publication."""
    own = next((form for form in name.forms if form.value == name.title), Text(name.title, ""))
    forms = [own, *(form for form in name.forms if form.value != name.title)][:_MOST_FORMS]
    return NameDetails(
        name.title,
        name.path,
        tuple(form.value for form in forms[1:]),
        name.birth,
        name.death,
        name.is_linked,
        tuple(form.language for form in forms),
    )


def name_tokens(details: NameDetails) -> str:
    """Return the tokens by which a thing is found that is no publication."""
    forms = zip((details.title, *details.forms), details.tags, strict=True)
    lives = [life for life in (details.birth, details.death) if life]
    return _joined([Text(form, tag) for form, tag in forms], *lives)


def kind_number(name: Name) -> int:
    """Return the number of the kind of a thing."""
    return KINDS.index(name.kind)


def _joined(texts: Iterable[Text], *tokens: str) -> str:
    """Return the tokens of texts; those of the same text occur once."""
    distinct = dict.fromkeys(texts)
    return " ".join([token for text in distinct for token in tokens_of(text.value, text.language)] + list(tokens))


def _best(texts: list[Text], title: str) -> str:
    """Return the first text in the script of the title, else the first."""
    script = first_foreign_script(title)
    return (
        next((text.value for text in texts if first_foreign_script(text.value) == script), texts[0].value)
        if (texts)
        else ""
    )


def _code_tokens(found: Publication, links: Iterable[Link], is_linked: bool) -> list[str]:
    tokens = [f"l{library}" for library in found.libraries]
    if found.year is not None:
        tokens += [f"y{found.year}", f"d{found.year // 10}"]
    tokens += [f"g{language}" for language in found.languages]
    tokens += [f"t{found.type}", f"m{found.is_merged:d}", f"a{is_linked:d}"]
    for link in links:
        tokens.append(f"{link.group}{link.id}")
        if link.role:
            tokens.append(f"r{link.role}{link.id}")
    titles = {found.title: None, **{text.value: None for text in found.titles}}
    tokens += map(title_token, titles)
    tokens += [number_token(number) for number in (*found.isbns, *found.numbers)]
    for record, number in zip(found.records, control_numbers(found.records), strict=True):
        plain = alphanumeric(number)
        tokens += ["x" + plain, "x" + alphanumeric(record.partition("/")[0]) + plain]
    return list(dict.fromkeys(tokens))


def number_token(number: str) -> str:
    """Return the token of an identifier in any form; that of an ISBN does not depend on its length or check digit."""
    plain = alphanumeric(number)
    if len(plain) in _ISBN_LENGTHS and plain[:-1].isdecimal():
        return "i" + (plain[:12] if len(plain) == 13 else f"978{plain[:9]}")
    return "x" + plain


def alphanumeric(text: str) -> str:
    """Return the letters and digits of a text, in lower case; the Cyrillic х of a check digit is Latin."""
    return _NOT_ALPHANUMERIC.sub("", text.lower()).replace("х", "x")


__all__ = [
    "LinkedPath",
    "PublicationRow",
    "RowMaker",
    "WordColumns",
    "alphanumeric",
    "key_of",
    "kind_number",
    "name_details",
    "name_tokens",
    "newest_entry",
    "number_token",
]
