"""Files on a web server: one address, a list of them, or the links of a page. Interrupted transfers are continued.

A file that the server states to be unchanged is not fetched again.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from lxml import etree
from lxml import html as lxml_html

from bibld.errors import HarvestError
from bibld.harvest._mirror import Offer, RemoteFile, Transfer, arriving, is_chosen, mirror
from bibld.harvest._records import MAX_FILE_BYTES, StoredFile
from bibld.harvest._settings import HttpSettings, as_tuple, faults_of_http
from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

if TYPE_CHECKING:
    from bibld.harvest._http import Transport

_SUM = re.compile(r"\b([0-9a-fA-F]{64}|[0-9a-fA-F]{32})\b")
_SHA256_DIGITS = 64


class Settings(HttpSettings, frozen=True, kw_only=True):
    """``urls``: further addresses of files; ``links``: patterns, such as ``*.mrc.gz``, where the address is that of a
    page whose links on the same host and below its folder are the files; ``checksum``: what is added to the address of
    a file for that of its check sum (SHA-256 or MD5), such as ``.sha256``; ``max_file_bytes``: the most bytes of one
    file.
    """

    urls: tuple[str, ...] = ()
    links: str | tuple[str, ...] = ()
    checksum: str = ""
    max_file_bytes: Annotated[int, msgspec.Meta(ge=1)] = MAX_FILE_BYTES


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    for url in settings.urls:
        for _, message in faults_of_http(msgspec.structs.replace(settings, url=url)):
            yield "urls", message


def probe(visit: Visit, settings: Settings) -> str:
    """Ask for the page of links; files are not asked for, because they may be large."""
    if not as_tuple(settings.links):
        return f"{1 + len(settings.urls)} addresses; they are not asked before a harvest"
    found = _addresses(visit, visit.transport(settings), settings).files
    return f"{len(found)} files, such as {found[0].name}"


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch the files that changed."""
    visit.begin("full", f"{settings.url} {settings.urls} {as_tuple(settings.links)}")
    transport = visit.transport(settings)

    def transmit(remote: RemoteFile, path: Path, known: StoredFile | None) -> Transfer:
        conditions = {}
        if known is not None and not visit.options.full:
            conditions = {"If-None-Match": known.etag} if known.etag else {"If-Modified-Since": known.changed}
        stated = {name: text for name, text in conditions.items() if text}
        response = transport.download(remote.name, path, stated, settings.max_file_bytes)
        if response.status == 304:
            return Transfer(is_unchanged=True)
        if response.status not in (200, 206):
            raise HarvestError(f"{remote.name}: status {response.status}; is the address right?")
        digest = _checksum(transport, remote.name + settings.checksum) if settings.checksum else ""
        return Transfer(
            etag=response.headers.get("etag", ""),
            changed=response.headers.get("last-modified", ""),
            sha256=digest if len(digest) == _SHA256_DIGITS else "",
            md5=digest if len(digest) < _SHA256_DIGITS else "",
        )

    return mirror(visit, _addresses(visit, transport, settings), transmit, settings.max_file_bytes)


def _addresses(visit: Visit, transport: Transport, settings: Settings) -> Offer:
    """Return the files: those of the settings, or the links of pages, in the order of their names.

    A page that cannot be read, or has no link that matches, is a reason to remove nothing; raises ``HarvestError`` if
    no page has one.
    """
    pages = (settings.url, *settings.urls)
    if not as_tuple(settings.links):
        return Offer(tuple(RemoteFile(url) for url in pages))
    found: set[str] = set()
    reasons: list[str] = []
    for page in pages:
        try:
            links, unfinished = _links(visit, transport, page, as_tuple(settings.links))
        except HarvestError as error:
            reasons.append(str(error))
            continue
        found |= links
        reasons += unfinished
        if not links:
            reasons.append(f"{page}: no link of the page matches {', '.join(as_tuple(settings.links))}")
    if not found:
        raise HarvestError("; ".join(reasons))
    return Offer(tuple(RemoteFile(link) for link in sorted(found)), tuple(dict.fromkeys(reasons)))


def _links(visit: Visit, transport: Transport, page: str, patterns: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """Return the links of a page that are files, and the reasons for which there may soon be others."""
    response = transport.get(page)
    try:
        root = lxml_html.fromstring(response.body)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise HarvestError(f"{page}: is no page with links: {error}") from error
    folder = urllib.parse.urljoin(response.url, ".")
    found: set[str] = set()
    reasons: list[str] = []
    for element in root.iter("a"):
        link = _address(visit, response.url, element.get("href") or "")
        name = urllib.parse.unquote(urllib.parse.urlsplit(link).path.rpartition("/")[2])
        if not name or not link.startswith(folder):
            continue
        if reason := arriving(name, patterns):
            reasons.append(f"{page}: {reason}")
        elif is_chosen(name, patterns):
            found.add(link)
    return found, reasons


def _address(visit: Visit, page: str, reference: str) -> str:
    """Return the address that a link of a page leads to, without a fragment; empty if it is none, which is noted."""
    import httpx  # loads the HTTP client, which local files do not need

    try:
        link = urllib.parse.urldefrag(urllib.parse.urljoin(page, reference))[0]
        httpx.URL(link)
    except (ValueError, httpx.InvalidURL):
        visit.note("bad-link", page, reference.encode(errors="replace"))
        return ""
    return link


def _checksum(transport: Transport, url: str) -> str:
    found = _SUM.search(transport.get(url).body.decode("ascii", "replace"))
    if found is None:
        raise HarvestError(f"{url}: contains no check sum (SHA-256 or MD5)")
    return found[1]
