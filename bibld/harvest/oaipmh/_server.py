"""The requests of OAI-PMH, what is learned about how a server wants them, and what it states about itself."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._settings import UnusableResponseError
from bibld.harvest._store import StoredResponse, current_time
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._decoding import Noted, NotOaiError
from bibld.harvest.oaipmh._page import IdFrom, Page, items_of_sets, parse_page
from bibld.model.foreign_xml import local_name

if TYPE_CHECKING:
    from bibld.harvest._http import Transport

TokenForm = Literal["encoded", "raw", "with prefix"]

_CODES = frozenset(
    {
        *("badArgument", "badResumptionToken", "badVerb", "cannotDisseminateFormat", "idDoesNotExist"),
        *("noRecordsMatch", "noMetadataFormats", "noSetHierarchy"),
    }
)
_RAW = ":/?@!$'()*,;=|~[]{}^`<>%&+"
"""Characters that are not encoded in a token that is sent as it is."""


class ListStep(msgspec.Struct, frozen=True):
    """One list that is walked: its verb, from when until when (empty: no limit), and its set (empty: all records).

    ``is_part``: it is a part of a list that the server could not give.
    """

    verb: str
    begin: str = ""
    end: str = ""
    set: str = ""
    is_part: bool = False

    def arguments(self, prefix: str) -> dict[str, str]:
        """Return the arguments of a request for this list in a metadata format."""
        return {"metadataPrefix": prefix, "set": self.set, "from": self.begin, "until": self.end}


DAY_LENGTH = len("2026-01-31")
DAY, SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"
_FIRST = datetime(1990, 1, 1, tzinfo=UTC)
"""No datestamp is older, where the server does not state its earliest one."""


def halve(step: ListStep, granularity: str, earliest: str, latest: str) -> tuple[ListStep, ListStep] | None:
    """Return two lists that together have the records of one; None if it cannot be divided.

    ``granularity`` is used for a list without dates; ``earliest`` and ``latest`` are the limits of the datestamps as
    the server states them, or anything else. Both lists have the moment between them, because servers differ in
    whether ``until`` includes the day that it names.
    """
    given = step.begin or step.end
    is_day = len(given) == DAY_LENGTH if given else granularity == "day"
    begin = moment_of(step.begin) or min(moment_of(earliest) or _FIRST, moment_of(step.end) or _FIRST)
    end = moment_of(step.end) or moment_of(latest) or current_time()
    if not step.begin and begin >= end:
        begin = _FIRST
    unit = timedelta(days=1) if is_day else timedelta(seconds=1)
    middle = begin + (end - begin) // unit // 2 * unit
    if not begin < middle < end:
        return None
    text = middle.strftime(DAY if is_day else SECOND)
    first = msgspec.structs.replace(step, end=text, is_part=True)
    return first, msgspec.structs.replace(step, begin=text, is_part=True)


def moment_of(text: str) -> datetime | None:
    """Return a day or time of the server as a moment; None if it is none."""
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).replace(microsecond=0)


class Habits(msgspec.Struct, frozen=True):
    """How a server wants its requests: the form of tokens, the granularity of dates, and its usual faults."""

    token_form: TokenForm = "encoded"
    granularity: Literal["", "day", "second"] = ""
    ignores_dates: bool = False
    sizes_are_wrong: bool = False


class Requests:
    """Asks one server; every answer is parsed once, and its faults are noted."""

    def __init__(
        self, visit: Visit, transport: Transport, url: str, habits: Habits, id_from: IdFrom = "identifier"
    ) -> None:
        """``id_from``: what the records of the answers are known by."""
        self._visit = visit
        self._transport = transport
        self._url = url.split("#", 1)[0]
        self._page: Page | None = None
        self.habits = habits
        self._id_from = id_from

    def ask(self, verb: str, arguments: Mapping[str, str], tries: int | None = None) -> Page:
        """Ask, and return the answer; empty arguments are not sent. Raises ``HarvestError``."""
        pairs = {"verb": verb, **{name: value for name, value in arguments.items() if value}}
        return self._get(verb, urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote, safe=""), tries)

    def resume(self, verb: str, token: str, prefix: str, tries: int | None = None) -> Page:
        """Ask for the next part of a list; a token that is refused is tried in other forms, one of which is learned."""
        refused: Page | None = None
        forms: tuple[TokenForm, ...] = ("encoded", "raw", "with prefix")
        for form in (self.habits.token_form, *(form for form in forms if form != self.habits.token_form)):
            sent = urllib.parse.quote(token, safe=_RAW if form == "raw" else "")
            query = f"verb={verb}&resumptionToken={sent}"
            if form == "with prefix":
                query += f"&metadataPrefix={urllib.parse.quote(prefix, safe='')}"
            if refused is not None and form == "raw" and sent == urllib.parse.quote(token, safe=""):
                continue
            page = self._get(verb, query, tries)
            if not is_refused_token(page):
                if form != self.habits.token_form:
                    self.habits = msgspec.structs.replace(self.habits, token_form=form)
                    self._visit.note("unusual-token", page.url, form.encode())
                return page
            refused = refused or page
        assert refused is not None  # there is at least one form
        return refused

    def _get(self, verb: str, query: str, tries: int | None) -> Page:
        joint = "&" if "?" in self._url else "?"
        url = f"{self._url.rstrip('?&')}{joint}{query}"
        self._page = None
        self._transport.get(url, lambda response: self._fault(verb, response), tries)
        page = self._page
        assert page is not None  # an answer is accepted only if it was parsed
        for fault, example in page.noted:
            self._visit.note(fault, page.url, example)
        if page.status != 200:
            self._visit.note("error-status", page.url, str(page.status).encode())
        if page.errors and page.items:
            self._visit.note("error-beside-list", page.url, repr(page.errors).encode())
            page = msgspec.structs.replace(page, errors=())
        return page

    def _fault(self, verb: str, response: StoredResponse) -> str:
        """Return why an answer is no answer to a verb, so that it is asked for again; keep the page otherwise."""
        try:
            page = parse_page(response, self._id_from)
        except NotOaiError as error:
            if response.status == 200:
                self._visit.note(error.fault, response.url, response.body)
            return str(error)
        if not page.verb:
            code, text = page.errors[0] if page.errors else ("", "")
            if code not in _CODES:
                self._visit.note("unknown-error", response.url, response.body)
                return f"the answer has neither a list nor an error of the standard ({code or 'no code'}: {text})"
        elif page.verb != verb and not page.errors:
            return f"the answer is that to {page.verb}, not to {verb}"
        self._page = page
        return ""


def is_refused_token(page: Page) -> bool:
    """Return whether an answer refuses a resumption token; some servers call it a bad argument."""
    return not page.items and any(code in ("badResumptionToken", "badArgument") for code, _ in page.errors)


def has_error(page: Page, code: str) -> bool:
    """Return whether an answer has this error."""
    return any(code == each for each, _ in page.errors)


_TRIES = 3
_CLOCK_SECONDS = 300
_MAX_SETS_PAGES = 200

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


class OfferedFormat(NamedTuple):
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
    formats: tuple[OfferedFormat, ...] = ()
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
    except UnusableResponseError as error:
        noted.append(("bad-identify", str(error).encode()))
    else:
        elements = page.root.iter() if page.root is not None else ()
        stated = {local_name(one): (one.text or "").strip() for one in elements if not len(one)}
        response_date = page.response_date
        missing = [name for name in ("repositoryName", "granularity", "deletedRecord") if not stated.get(name)]
        if missing:
            noted.append(("bad-identify", f"without {', '.join(missing)}".encode()))
        if _is_clock_wrong(page.response_date):
            noted.append(("clock", page.response_date.encode()))
    formats: tuple[OfferedFormat, ...] = ()
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
        for _ in range(_MAX_SETS_PAGES):
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

    def kind(namespace: str) -> str:
        """Return a name for the formats that one reader reads: those of MARC are one, others have their namespace."""
        return "marc" if any(part in namespace.lower() for part in _MARC) else namespace

    kinds = {kind(one.namespace) for one in formats if one.prefix == prefix}
    return next((one.prefix for one in formats if one.prefix != prefix and kind(one.namespace) in kinds), "")


def _formats(requests: Requests) -> tuple[OfferedFormat, ...]:
    page = requests.ask("ListMetadataFormats", {})
    found = []
    for element in page.root.iter() if page.root is not None else ():
        if local_name(element) == "metadataFormat":
            texts = {local_name(child): (child.text or "").strip() for child in element}
            if texts.get("metadataPrefix"):
                found.append(OfferedFormat(texts["metadataPrefix"], texts.get("metadataNamespace", "")))
    return tuple(found)


def _best(formats: tuple[OfferedFormat, ...]) -> str:
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
