"""The requests of OAI-PMH, and what is learned about how a server wants them."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from typing import Literal

import msgspec

from bibld.harvest._http import Transport
from bibld.harvest._store import StoredAnswer
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._decoding import NotOaiError
from bibld.harvest.oaipmh._faults import (
    CUT_OFF,
    EMPTY_ANSWER,
    ERROR_BESIDE_LIST,
    ERROR_STATUS,
    NOT_OAI,
    UNKNOWN_ERROR,
    UNUSUAL_TOKEN,
)
from bibld.harvest.oaipmh._identifiers import IdFrom
from bibld.harvest.oaipmh._page import Page, parse_page

TokenForm = Literal["encoded", "raw", "with prefix"]

_CODES = frozenset(
    {
        *("badArgument", "badResumptionToken", "badVerb", "cannotDisseminateFormat", "idDoesNotExist"),
        *("noRecordsMatch", "noMetadataFormats", "noSetHierarchy"),
    }
)
_RAW = ":/?@!$'()*,;=|~[]{}^`<>%&+"
"""Characters that are not encoded in a token that is sent as it is."""


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
            query = f"verb={verb}&resumptionToken={_token(token, form)}"
            if form == "with prefix":
                query += f"&metadataPrefix={urllib.parse.quote(prefix, safe='')}"
            if refused is not None and form == "raw" and _token(token, "raw") == _token(token, "encoded"):
                continue
            page = self._get(verb, query, tries)
            if not is_refused_token(page):
                if form != self.habits.token_form:
                    self.habits = msgspec.structs.replace(self.habits, token_form=form)
                    self._visit.note(UNUSUAL_TOKEN, page.url, form.encode())
                return page
            refused = refused or page
        assert refused is not None  # there is at least one form
        return refused

    def _get(self, verb: str, query: str, tries: int | None) -> Page:
        joint = "&" if "?" in self._url else "?"
        url = f"{self._url.rstrip('?&')}{joint}{query}"
        self._page = None
        self._transport.get(url, lambda answer: self._fault(verb, answer), tries)
        page = self._page
        assert page is not None  # an answer is accepted only if it was parsed
        for fault, example in page.noted:
            self._visit.note(fault, page.url, example)
        if page.status != 200:
            self._visit.note(ERROR_STATUS, page.url, str(page.status).encode())
        if page.errors and page.items:
            self._visit.note(ERROR_BESIDE_LIST, page.url, repr(page.errors).encode())
            page = msgspec.structs.replace(page, errors=())
        return page

    def _fault(self, verb: str, answer: StoredAnswer) -> str:
        """Return why an answer is no answer to a verb, so that it is asked for again; keep the page otherwise."""
        try:
            page = parse_page(answer, self._id_from)
        except NotOaiError as error:
            if answer.status == 200:
                fault = CUT_OFF if error.is_cut else EMPTY_ANSWER if error.is_empty else NOT_OAI
                self._visit.note(fault, answer.url, answer.body)
            return str(error)
        if not page.verb:
            code, text = page.errors[0] if page.errors else ("", "")
            if code not in _CODES:
                self._visit.note(UNKNOWN_ERROR, answer.url, answer.body)
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


def _token(token: str, form: TokenForm) -> str:
    """Return a token as part of a query; *raw*: nothing is encoded but what a request line cannot contain."""
    if form == "raw":
        return urllib.parse.quote(token, safe=_RAW)
    return urllib.parse.quote(token, safe="")
