"""Sitemaps of all documents, with the times of their last changes (https://www.sitemaps.org/protocol.html).

``sitemap.xml`` is the index; it names files of at most 50,000 addresses and 50 MB, which are compressed with gzip.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import msgspec

from bibld import documents as published
from bibld.model.iris import Iris
from bibld.protocols import ReleaseDraft
from bibld.publish._files import open_dump

NEEDS: tuple[str, ...] = ("documents",)
IN_OWN_PROCESS = True

INDEX = "sitemap.xml"

_MAX_ADDRESSES = 50_000
_MAX_BYTES = 49_000_000
"""Of entries, before compression; the rest is for what surrounds them."""
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<{} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_ENTRY = "<{0}><loc>{1}</loc><lastmod>{2}</lastmod></{0}>\n"
_ANSWERS = 200


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.sitemap]``.

    ``folders`` are the first parts of the paths of the IRIs whose documents are listed.
    """

    folders: tuple[str, ...] = ("resource", "agent", "concept", "place", "publisher", "series", "work")


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the sitemaps and their index; the part ``documents`` must have been written before."""
    base = draft.manifest.dataset.base
    index: list[tuple[str, str]] = []
    with published.open_published(draft.workspace, draft.manifest.number) as view:
        for number, entries in enumerate(_in_files(_entries(view, settings.folders, Iris(base))), 1):
            name = f"sitemap-{number}.xml.gz"
            with open_dump(draft.folder / name) as out:
                out.write(_HEAD.format("urlset").encode())
                for line, _ in entries:
                    out.write(line)
                out.write(b"</urlset>\n")
            index.append((f"{base}{name}", max(modified for _, modified in entries)))
    lines = [_ENTRY.format("sitemap", escape(address), modified) for address, modified in index]
    text = "".join((_HEAD.format("sitemapindex"), *lines, "</sitemapindex>\n"))
    (draft.folder / INDEX).write_text(text, encoding="utf-8")
    return draft


def _entries(view: published.PublishedView, folders: Iterable[str], iris: Iris) -> Iterator[tuple[bytes, str]]:
    """Yield the line of each document that answers, and when it last changed."""
    start = iris.document(iris.base)
    for folder in folders:
        for entry in view.entries(f"{folder}/"):
            if entry.status == _ANSWERS:
                address = escape(f"{start}{entry.path}")
                yield _ENTRY.format("url", address, entry.modified).encode(), entry.modified


def _in_files(entries: Iterable[tuple[bytes, str]]) -> Iterator[list[tuple[bytes, str]]]:
    """Yield the entries of each file, as many as the protocol allows."""
    found: list[tuple[bytes, str]] = []
    size = 0
    for line, modified in entries:
        if len(found) == _MAX_ADDRESSES or size + len(line) > _MAX_BYTES:
            yield found
            found, size = [], 0
        found.append((line, modified))
        size += len(line)
    if found:
        yield found
