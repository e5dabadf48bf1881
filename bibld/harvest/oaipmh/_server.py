"""What an OAI-PMH server states about itself: Identify, its metadata formats, its sets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._clock import current_time
from bibld.harvest._http import UnusableAnswerError
from bibld.harvest.oaipmh._decoding import Noted
from bibld.harvest.oaipmh._faults import BAD_IDENTIFY, CLOCK
from bibld.harvest.oaipmh._page import Page, items_of_sets, local_name
from bibld.harvest.oaipmh._requests import Requests

_TRIES = 3
_CLOCK_SECONDS = 300
_MOST_SETS_PAGES = 200

_MARC = ("marc21/slim", "marcxchange")

_PREFERRED = (
    ("marc21/slim", ""),
    ("marcxchange", ""),
    ("", "marc"),
    ("loc.gov/mods", ""),
    ("", "mods"),
    ("oai_dc", ""),
    ("purl.org/dc", ""),
)
"""Parts of namespaces and of prefixes, the best format first."""


class Format(msgspec.Struct, frozen=True):
    """A metadata format that a server offers."""

    prefix: str
    namespace: str


class Server(msgspec.Struct, frozen=True):
    """What a server states; usual values where it states nothing. ``prefix`` is the metadata format that is used."""

    prefix: str
    name: str = ""
    version: str = ""
    granularity: Literal["day", "second"] = "day"
    deleted_record: str = "no"
    earliest: str = ""
    formats: tuple[Format, ...] = ()
    response_date: str = ""
    noted: Noted = []

    @property
    def formats_text(self) -> str:
        """The formats that the server offers, in one clause."""
        return f"it offers {', '.join(one.prefix for one in self.formats)}" if self.formats else "it lists no formats"


def ask_server(requests: Requests, prefix: str) -> Server:
    """Ask a server what it is; without ``prefix`` choose the best of its formats.

    Identify is advice: usual values stand for what is missing. Raises ``HarvestError`` if no format can be chosen, or
    the server refuses to answer.
    """
    noted: Noted = []
    stated: dict[str, str] = {}
    response_date = ""
    try:
        page = requests.ask("Identify", {}, tries=_TRIES)
    except UnusableAnswerError as error:
        noted.append((BAD_IDENTIFY, str(error).encode()))
    else:
        stated, response_date = _texts(page), page.response_date
        missing = [name for name in ("repositoryName", "granularity", "deletedRecord") if not stated.get(name)]
        if missing:
            noted.append((BAD_IDENTIFY, f"without {', '.join(missing)}".encode()))
        if _is_clock_wrong(page.response_date):
            noted.append((CLOCK, page.response_date.encode()))
    formats: tuple[Format, ...] = ()
    if not prefix:
        formats = _formats(requests)
        prefix = _best(formats)
        if not prefix:
            raise HarvestError("the server lists no metadata format; name one by prefix")
    return Server(
        prefix=prefix,
        name=stated.get("repositoryName", ""),
        version=stated.get("protocolVersion", ""),
        granularity="second" if "h" in stated.get("granularity", "").lower() else "day",
        deleted_record=stated.get("deletedRecord", "").lower() or "no",
        earliest=stated.get("earliestDatestamp", ""),
        formats=formats,
        response_date=response_date,
        noted=noted,
    )


def formats_of(requests: Requests) -> str:
    """Return the formats that a server offers, for a message; empty if it does not answer."""
    try:
        return ", ".join(one.prefix for one in _formats(requests))
    except HarvestError:
        return ""


def unlisted_sets(requests: Requests, sets: Iterable[str]) -> set[str]:
    """Return those sets that a server does not list; none if its list is no proof, because it has no proper end."""
    missing = {one for one in sets if one}
    if not missing:
        return missing
    try:
        page = requests.ask("ListSets", {}, tries=_TRIES)
        for _ in range(_MOST_SETS_PAGES):
            if page.errors or page.root is None:
                return set()
            missing -= set(items_of_sets(page))
            if not missing or not page.token:
                return missing
            page = requests.resume("ListSets", page.token, "")
    except HarvestError:
        pass
    return set()


def other_prefix(requests: Requests, prefix: str) -> str:
    """Return another prefix under which a server offers the same kind of format; empty if there is none."""
    try:
        formats = _formats(requests)
    except HarvestError:
        return ""
    kinds = {_kind(one.namespace) for one in formats if one.prefix == prefix}
    return next((one.prefix for one in formats if one.prefix != prefix and _kind(one.namespace) in kinds), "")


def _kind(namespace: str) -> str:
    """Return a name for the formats that one reader reads: those of MARC are one, others have their namespace."""
    return "marc" if any(part in namespace.lower() for part in _MARC) else namespace


def _texts(page: Page) -> dict[str, str]:
    """Return the elements of Identify by name."""
    if page.root is None:
        return {}
    return {local_name(child): (child.text or "").strip() for child in page.root.iter() if not len(child)}


def _formats(requests: Requests) -> tuple[Format, ...]:
    page = requests.ask("ListMetadataFormats", {})
    found = []
    for element in page.root.iter() if page.root is not None else ():
        if local_name(element) == "metadataFormat":
            texts = {local_name(child): (child.text or "").strip() for child in element}
            if texts.get("metadataPrefix"):
                found.append(Format(texts["metadataPrefix"], texts.get("metadataNamespace", "")))
    return tuple(found)


def _best(formats: tuple[Format, ...]) -> str:
    """Return the prefix of the format that keeps most; empty if there is none."""
    for namespace, prefix in _PREFERRED:
        for one in formats:
            if namespace in one.namespace.lower() and prefix in one.prefix.lower():
                return one.prefix
    return formats[0].prefix if formats else ""


def _is_clock_wrong(response_date: str) -> bool:
    try:
        time = datetime.fromisoformat(response_date.replace("Z", "+00:00"))
    except ValueError:
        return False
    return time.tzinfo is not None and abs((current_time() - time).total_seconds()) > _CLOCK_SECONDS
