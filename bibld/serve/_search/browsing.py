"""Lists of names from A to Z, and the trees of classifications: what pages show of them."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import msgspec

from bibld.search import EntryKind, NamedThing, SearchView
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage
from bibld.serve._pages import codes
from bibld.serve._search.views import GROUP_NAMES, PageLinks, class_label, page_links
from bibld.text.class_divisions import SCHEMES, caption, path_to, subclasses
from bibld.text.scripts import has_cyrillic

_KINDS = {
    "people": EntryKind.PERSON,
    "organisations": EntryKind.ORGANISATION,
    "subjects": EntryKind.SUBJECT,
    "publishers": EntryKind.PUBLISHER,
    "series": EntryKind.SERIES,
    "places": EntryKind.PLACE,
}
LISTS = (*_KINDS, *SCHEMES)
"""The lists, as in their addresses: ``{base}browse/people``."""

_PER_PAGE = 100
_MAX_LETTERS = 3
_MAX_PAGES = 10_000


class BrowseLink(msgspec.Struct, frozen=True):
    """A link in a list or tree; ``count`` is that of names or publications, ``href`` is empty for the current one."""

    text: str
    href: str
    count: int = 0
    is_current: bool = False


class BrowseView(msgspec.Struct, frozen=True):
    """What the page of a list shows.

    ``rows`` are letters and beginnings of names, ``path`` the classes above the current one, ``classes`` those below.
    ``things`` are names or class marks of one page, ``total`` is the number of all of them.
    """

    heading: str
    lists: list[BrowseLink]
    rows: list[list[BrowseLink]]
    path: list[BrowseLink]
    classes: list[BrowseLink]
    things: list[BrowseLink]
    total: int
    pages: PageLinks
    search_href: str = ""
    is_tree: bool = False


class Browsing(msgspec.Struct, frozen=True):
    """Makes the pages of lists in one language."""

    addresses: Addresses
    language: PageLanguage

    def available(self, view: SearchView) -> tuple[str, ...]:
        """Return the lists of a release that contain something."""
        names = [name for name, kind in _KINDS.items() if view.beginnings(kind)]
        return (*names, *(scheme for scheme in SCHEMES if self._classes(view, scheme, "")))

    def page(self, view: SearchView, lists: tuple[str, ...], name: str, at: str, page: int) -> BrowseView:
        """Return a page of a list, one of ``LISTS``; ``at`` are the first letters of names, or the mark of a class."""
        page = min(page, _MAX_PAGES)
        tabs = [BrowseLink(self._heading(each), self.href(each), is_current=each == name) for each in lists]
        made = self._tree(view, name, at, page) if name in SCHEMES else self._names(view, name, at, page)
        return msgspec.structs.replace(made, lists=tabs)

    def href(self, name: str, at: str = "", page: int = 1) -> str:
        """Return the address of a page of a list."""
        query = urlencode({**({"at": at} if at else {}), **({"page": page} if page > 1 else {})})
        return self.addresses.page(f"browse/{name}") + (f"?{query}" if query else "")

    def _heading(self, name: str) -> str:
        return self.language.text(codes.SCHEMES[name] if name in SCHEMES else GROUP_NAMES[_KINDS[name]])

    def _things(self, things: list[NamedThing]) -> list[BrowseLink]:
        return [BrowseLink(_named(thing), self.addresses.page(thing.path), thing.uses) for thing in things]

    def _pages(self, total: int, page: int, href: Callable[[int], str]) -> PageLinks:
        return page_links(page, min(-(-total // _PER_PAGE), _MAX_PAGES), href)

    def _names(self, view: SearchView, name: str, at: str, page: int) -> BrowseView:
        kind = _KINDS[name]
        letters = view.beginnings(kind)
        of_language = (
            each for each, _ in letters if each.isalpha() and has_cyrillic(each) == (self.language.tag == "ru")
        )
        at = at[:_MAX_LETTERS].casefold() or next(of_language, letters[0][0] if letters else "")
        rows = [self._row(name, letters, at)]
        things, total = view.names_with(kind, at, _PER_PAGE, (page - 1) * _PER_PAGE)
        for length in range(1, min(len(at), _MAX_LETTERS - 1) + 1):
            if length < len(at) or total > _PER_PAGE:
                rows.append(self._row(name, view.beginnings(kind, at[:length]), at))
        pages = self._pages(total, page, lambda number: self.href(name, at, number))
        return BrowseView(self._heading(name), [], rows, [], [], self._things(things), total, pages)

    def _row(self, name: str, letters: list[tuple[str, int]], at: str) -> list[BrowseLink]:
        return [
            BrowseLink(each[:1].upper() + each[1:], self.href(name, each), count, at.startswith(each))
            for each, count in letters
        ]

    def _tree(self, view: SearchView, scheme: str, at: str, page: int) -> BrowseView:
        above = path_to(scheme, at)
        at = at if above else ""
        path = [BrowseLink(class_label(scheme, mark, self.language), self.href(scheme, mark)) for mark in above]
        things, total = view.marks_of(scheme, at, _PER_PAGE, (page - 1) * _PER_PAGE) if at else ([], 0)
        search = f"{self.addresses.page('search')}?{urlencode({'class': f'{scheme}/{at}'})}" if at else ""
        return BrowseView(
            class_label(scheme, at, self.language),
            [],
            [],
            path,
            self._classes(view, scheme, at),
            self._things([thing for thing in things if thing.uses]),  # without the main class itself
            total,
            self._pages(total, page, lambda number: self.href(scheme, at, number)),
            search,
            is_tree=True,
        )

    def _classes(self, view: SearchView, scheme: str, mark: str) -> list[BrowseLink]:
        """Return the classes below one that some publication has."""
        counted = [(each, view.count_of_class(scheme, each)) for each in subclasses(scheme, mark)]
        return [
            BrowseLink(f"{each} {caption(scheme, each, self.language.tag)}".strip(), self.href(scheme, each), count)
            for each, count in counted
            if count
        ]


def _named(thing: NamedThing) -> str:
    lives = [thing.data.get(name, ("",))[0] for name in ("birth", "death")]
    years = f"{lives[0]}–{lives[1]}" if any(lives) else ""
    return thing.title if not years or lives[0] in thing.title else f"{thing.title}, {years}"
