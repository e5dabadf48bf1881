"""What is broader and narrower than a heading or a class mark, from the words of the headings themselves.

The data state no such relation, but a heading with subdivisions (``Physics--Mechanics--Handbooks``) contains the
broader ones, and a class mark begins with those of the classes that contain it. The paths of broader ones can be
computed; the paths of narrower ones begin as that of the heading. So both are found without reading all headings of a
list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from urllib.parse import urlencode

import msgspec

from bibld.model.origin import to_slug
from bibld.search import SearchView
from bibld.serve._addresses import Addresses
from bibld.serve._pages import fields
from bibld.text.class_marks import is_class_mark
from bibld.text.keys import beginning_of_keys, entity_key

_SUBDIVISION = "--"
_MOST_READ = 2000
_MOST_SHOWN = 50
_LONGEST_MARK = 100
_NOT_SEARCHED = str.maketrans(dict.fromkeys('"«»“”„|', " "))
"""What has a meaning in a search."""


class Titles(Protocol):
    """The titles of documents (``bibld.documents.PublishedView``)."""

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of documents by path."""
        ...

    def titles_of_beginning(self, beginning: str, limit: int) -> dict[str, str]:
        """Return the titles of documents whose paths begin so, at most ``limit``."""
        ...


class Heading(msgspec.Struct, frozen=True):
    """A heading or class with the number of its publications, 0 where that is not known."""

    href: str
    text: str
    language: str
    count: int


class Hierarchy(msgspec.Struct, frozen=True):
    """What is broader and narrower, the nearest first.

    ``narrower`` are some of ``total``, of which there may be more unless ``is_all``. ``all_href`` is the address of the
    search for the publications with any of them, or empty.
    """

    broader: tuple[Heading, ...] = ()
    narrower: tuple[Heading, ...] = ()
    total: int = 0
    is_all: bool = True
    all_href: str = ""


class Hierarchies:
    """Finds what is broader and narrower; ``search`` counts publications where there is one."""

    def __init__(self, titles: Titles, search: SearchView | None, addresses: Addresses, has_search: bool) -> None:
        self._titles = titles
        self._search = search
        self._addresses = addresses
        self._has_search = has_search

    def of_concept(self, path: str, title: str) -> Hierarchy:
        """Return what is broader and narrower than a heading or class (its path and title)."""
        scheme = path.split("/")[1]
        is_mark = is_class_mark(scheme, title)
        found = self._narrower_marks(scheme, title) if is_mark else self._narrower_headings(scheme, title)
        shown, is_all = found
        words = " ".join(title.replace(_SUBDIVISION, " ").translate(_NOT_SEARCHED).split())
        all_href = ""
        if shown and not is_mark and self._has_search:
            all_href = f"{self._addresses.mount}search?{urlencode({'q': f'subject:{chr(34)}{words}{chr(34)}'})}"
        broader = self._broader(scheme, title, is_mark)
        narrower = tuple(self._heading(*each) for each in shown[:_MOST_SHOWN])
        return Hierarchy(tuple(self._heading(*each) for each in broader), narrower, len(shown), is_all, all_href)

    def of_scheme(self, path: str) -> Hierarchy:
        """Return the headings or classes of a list (its path), those without subdivisions first."""
        found = self._titles.titles_of_beginning(f"{path}/", _MOST_READ)
        ordered = sorted(found.items(), key=lambda pair: (pair[1].count(_SUBDIVISION), pair[1].casefold(), pair[0]))
        shown = tuple(self._heading(*each) for each in ordered[:_MOST_SHOWN])
        return Hierarchy(narrower=shown, total=len(found), is_all=len(found) < _MOST_READ)

    def _broader(self, scheme: str, title: str, is_mark: bool) -> list[tuple[str, str]]:
        """Return path and title of broader headings or classes that exist, the nearest first."""
        if is_mark:
            mark = title[:_LONGEST_MARK]
            keys = [to_slug(mark[:length]) for length in range(len(mark) - 1, 0, -1) if mark[length - 1] not in " .-"]
        else:
            parts = title.split(_SUBDIVISION)
            keys = [entity_key(_SUBDIVISION.join(parts[:count])) for count in range(len(parts) - 1, 0, -1)]
        paths = [f"concept/{scheme}/{key}" for key in keys]
        titles = self._titles.titles(paths)
        return [(path, titles[path]) for path in paths if path in titles]

    def _narrower_headings(self, scheme: str, title: str) -> tuple[list[tuple[str, str]], bool]:
        beginning = beginning_of_keys(entity_key(title))
        if not beginning:
            return [], True
        found = self._titles.titles_of_beginning(f"concept/{scheme}/{beginning}-", _MOST_READ)
        start = f"{title}{_SUBDIVISION}".casefold()
        kept = [pair for pair in found.items() if pair[1].casefold().startswith(start)]
        kept.sort(key=lambda pair: (pair[1].count(_SUBDIVISION), pair[1].casefold(), pair[0]))
        return kept, len(found) < _MOST_READ

    def _narrower_marks(self, scheme: str, mark: str) -> tuple[list[tuple[str, str]], bool]:
        found = self._titles.titles_of_beginning(f"concept/{scheme}/{to_slug(mark)}", _MOST_READ)
        kept = [pair for pair in found.items() if pair[1] != mark and _is_below(scheme, pair[1], mark)]
        kept.sort(key=lambda pair: (len(pair[1]), pair[1], pair[0]))
        return kept, len(found) < _MOST_READ

    def _heading(self, path: str, title: str) -> Heading:
        named = self._search.named(path) if self._search is not None else None
        uses = named.uses if named is not None else 0
        return Heading(self._addresses.page(path), title, fields.language_of(title), uses)


def _is_below(scheme: str, mark: str, broader: str) -> bool:
    return mark.startswith(broader) and is_class_mark(scheme, mark)
