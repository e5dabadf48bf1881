"""The list of publications that a reader has marked: references in a style of citation, and the same as files.

Nothing is stored on the server: the address of a list names its publications, so that it can be sent and printed. A
script of the pages remembers in the browser what is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.search import PUBLICATIONS
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage
from bibld.serve._pages.things import STYLE_NAMES
from bibld.serve._search.views import FORMS
from bibld.text.scripts import has_cyrillic


class MarkedPublication(msgspec.Struct, frozen=True):
    """A publication that a reader has marked: ``id`` and ``path`` are what follows ``resource/`` in its IRI.

    ``path`` is that of the publication with which it was merged since, empty if there is none. ``reference`` is empty
    without a title.
    """

    id: str
    path: str
    reference: str


class MarkedLine(msgspec.Struct, frozen=True):
    """A publication of the list; ``href`` is empty if it is not here any more, ``remove`` is the list without it."""

    id: str
    href: str
    text: str
    remove: str


class MarkedList(msgspec.Struct, frozen=True):
    """What the page of a list shows.

    ``styles``: name, address and whether it is the current one. ``forms``: address, media type and name of each file.
    ``search`` and ``here`` are the addresses of its publications as results, and of the page.
    """

    lines: list[MarkedLine]
    styles: list[tuple[str, str, bool]]
    forms: list[tuple[str, str, str]]
    search: str
    here: str


def marked_list(
    marked: Sequence[MarkedPublication], style: str, language: PageLanguage, addresses: Addresses
) -> MarkedList:
    """Return the list of some publications in the order of their references, Cyrillic ones first."""
    ids = [each.path for each in marked if each.path]

    def href(page: str, wanted: Iterable[str], **more: str) -> str:
        query = urlencode([*(("id", each) for each in wanted), *more.items()], safe="/~")
        return f"{addresses.page(page)}?{query}"

    def order(each: MarkedPublication) -> tuple[bool, str]:
        return not has_cyrillic(each.reference[:1]), each.reference.casefold()

    return MarkedList(
        [
            MarkedLine(
                each.id,
                addresses.page(f"{PUBLICATIONS}/{each.path}") if each.path else "",
                each.reference or (language.text("Without title") if each.path else each.id),
                href("list", (other.id for other in marked if other is not each), style=style),
            )
            for each in sorted(marked, key=order)
        ],
        [(language.text(name), href("list", ids, style=each), each == style) for each, name in STYLE_NAMES.items()],
        [(href(f"search{suffix}", ids), kind, name) for suffix, kind, name in FORMS],
        href("search", ids, fold="0"),
        href("list", (each.id for each in marked), style=style),
    )
