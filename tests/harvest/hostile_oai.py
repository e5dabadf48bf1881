"""A hostile OAI-PMH server: nine records in three parts, and one misbehaviour of real servers for each case.

Every case is a function that changes requests or answers; its docstring is what the server does, the arguments of its
decorator are how the harvest must end: the outcome, the records that are stored then, and how many were rejected.
``STRICT`` expectations: nothing is lost, nothing comes twice, nothing hangs.
"""

from __future__ import annotations

import email.utils
import gzip
import threading
import time
import urllib.parse
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

OAI = "http://www.openarchives.org/OAI/2.0/"
MARC = "http://www.loc.gov/MARC21/slim"
ALL = frozenset(range(1, 10))
PAGE = 3


class Reply(NamedTuple):
    """An answer: ``pause`` are seconds between bytes, ``lie`` is added to Content-Length."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})
    pause: float = 0.0
    lie: int = 0


class Request:
    """A request: its arguments, the number of requests before it with the same arguments, and the server's memory."""

    def __init__(self, path: str, server: HostileServer) -> None:
        self.path, _, self.query = path.partition("?")
        self.arguments = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        self.raw_token = self.query.partition("resumptionToken=")[2].partition("&")[0]
        self.server = server
        self.memory = server.memory
        self.times = self.memory.setdefault(("times", self.query), 0)
        self.memory["times", self.query] += 1

    @property
    def verb(self) -> str:
        return self.arguments.get("verb", "")

    @property
    def token(self) -> str | None:
        return self.arguments.get("resumptionToken")

    @property
    def part(self) -> int:
        """The number of the part of a list that is asked for, from 0."""
        token = self.token
        digits = "".join(filter(str.isdecimal, token or ""))
        return int(digits) if digits else 0

    @property
    def is_list(self) -> bool:
        return self.verb == "ListRecords"


class Case(NamedTuple):
    """A misbehaviour, and what must come of it."""

    name: str
    change: Callable[[Request, Callable[..., Reply]], Reply]
    outcome: str
    records: frozenset[int]
    rejected: int
    fault: str
    settings: dict[str, Any]
    about: str


CASES: list[Case] = []


def case(
    outcome: str = "complete",
    records: frozenset[int] | set[int] = ALL,
    rejected: int = 0,
    fault: str = "",
    **settings: Any,
) -> Callable[[Callable[..., Reply]], Callable[..., Reply]]:
    """Register a misbehaviour; ``fault`` is the code that the report must have, ``settings`` are the source's."""

    def register(change: Callable[..., Reply]) -> Callable[..., Reply]:
        about = " ".join((change.__doc__ or "").split())
        CASES.append(Case(change.__name__, change, outcome, frozenset(records), rejected, fault, settings, about))
        return change

    return register


# -- what a good server answers ----------------------------------------------------------------------------------------


def marc(number: int, title: str = "") -> str:
    """Return a record of MARCXML."""
    return (
        f'<record xmlns="{MARC}"><leader>00000nam a2200000 a 4500</leader>'
        f'<controlfield tag="001">r{number}</controlfield>'
        f'<controlfield tag="008">200101s2020    xxu           000 0 eng d</controlfield>'
        f'<datafield tag="245" ind1="0" ind2="0"><subfield code="a">{title or f"Title {number} é"}</subfield>'
        "</datafield></record>"
    )


def header(number: int, status: str = "", sets: str = "<setSpec>books</setSpec>") -> str:
    attribute = f' status="{status}"' if status else ""
    return (
        f"<header{attribute}><identifier>oai:test:{number}</identifier>"
        f"<datestamp>2026-01-0{number}T00:00:00Z</datestamp>{sets}</header>"
    )


def record(number: int, metadata: str | None = None) -> str:
    return f"<record>{header(number)}<metadata>{marc(number) if metadata is None else metadata}</metadata></record>"


def envelope(content: str, root: str = f'<OAI-PMH xmlns="{OAI}">') -> str:
    name = root[1:].split()[0].rstrip(">")
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{root}<responseDate>{now()}</responseDate>'
        f"<request>http://server/oai</request>{content}</{name}>"
    )


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def error(code: str, text: str = "no") -> Reply:
    return xml(envelope(f'<error code="{code}">{text}</error>'))


def xml(text: str, **options: Any) -> Reply:
    headers = {"Content-Type": "text/xml; charset=utf-8", **options.pop("headers", {})}
    return Reply(text.encode(), headers=headers, **options)


def page(
    part: int,
    numbers: list[int] | None = None,
    token: str | None = None,
    attributes: str = ' completeListSize="9"',
    verb: str = "ListRecords",
    make: Callable[[int], str] = record,
) -> Reply:
    """Return a part of the list; ``token``: the element (None: that of a good server)."""
    shown = [part * PAGE + offset for offset in range(1, PAGE + 1)] if numbers is None else numbers
    if token is None:
        token = f"<resumptionToken{attributes}>{f'token{part + 1}' if part < 2 else ''}</resumptionToken>"
    items = "".join(make(number) if verb == "ListRecords" else header(number) for number in shown)
    return xml(envelope(f"<{verb}>{items}{token}</{verb}>"))


def good(request: Request) -> Reply:
    """Answer as the standard asks."""
    if request.verb == "Identify":
        return xml(
            envelope(
                "<Identify><repositoryName>Hostile</repositoryName><baseURL>http://server/oai</baseURL>"
                "<protocolVersion>2.0</protocolVersion><earliestDatestamp>2000-01-01T00:00:00Z</earliestDatestamp>"
                "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
            )
        )
    if request.verb == "ListMetadataFormats":
        return xml(
            envelope(
                "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>"
                f"<metadataNamespace>{OAI}oai_dc/</metadataNamespace></metadataFormat>"
                "<metadataFormat><metadataPrefix>marc21</metadataPrefix>"
                f"<metadataNamespace>{MARC}</metadataNamespace></metadataFormat></ListMetadataFormats>"
            )
        )
    if request.verb == "ListSets":
        return xml(envelope("<ListSets><set><setSpec>books</setSpec><setName>Books</setName></set></ListSets>"))
    if request.verb == "GetRecord":
        number = int(request.arguments["identifier"].rpartition(":")[2])
        return xml(envelope(f"<GetRecord>{record(number)}</GetRecord>"))
    if request.verb in ("ListRecords", "ListIdentifiers"):
        if request.token is None and "metadataPrefix" not in request.arguments:
            return error("badArgument", "metadataPrefix is required")
        if request.token is not None and request.token not in ("token1", "token2"):
            return error("badResumptionToken", f"unknown token {request.token}")
        return page(request.part, verb=request.verb)
    return error("badVerb")


def edited(reply: Reply, *pairs: tuple[str, str]) -> Reply:
    """Return a reply with texts replaced."""
    text = reply.body.decode()
    for old, new in pairs:
        text = text.replace(old, new)
    return reply._replace(body=text.encode())


# -- XML and encoding --------------------------------------------------------------------------------------------------


@case(fault="illegal-characters")
def control_characters(request, answer):
    """A title has control characters (0x03, 0x0B, 0x1A)."""
    return edited(answer(), ("Title 2", "Ti\x03t\x0bl\x1ae 2"))


@case(fault="illegal-characters")
def references_to_illegal_characters(request, answer):
    """References to a control character, to U+FFFE, and to one half of a surrogate pair."""
    return edited(answer(), ("Title 2", "Title &#x1F; 2"), ("Title 5", "&#xfffe; 5"), ("Title 8", "&#55349; 8"))


@case(fault="illegal-characters")
def surrogate_pair_as_references(request, answer):
    """A character beyond U+FFFF is written as two references to surrogates."""
    return edited(answer(), ("Title 2", "Title &#55349;&#56320; 2"))


@case(fault="illegal-characters")
def noncharacters(request, answer):
    """Raw U+FFFE and U+FFFF."""
    return edited(answer(), ("Title 4", "Title \ufffe\uffff 4"))


@case(fault="wrong-charset")
def latin1_declared_as_utf8(request, answer):
    """The declaration states UTF-8, the bytes are windows-1252."""
    reply = answer()
    return reply._replace(body=reply.body.decode().encode("cp1252"))


@case(fault="wrong-charset")
def windows1251_declared_as_utf8(request, answer):
    """The declaration states UTF-8, the bytes are windows-1251."""
    reply = edited(answer(), (" é", " Сочинения в двух томах"))
    return reply._replace(body=reply.body.decode().encode("cp1251"))


@case(fault="not-utf8")
def declaration_against_header(request, answer):
    """The HTTP header states UTF-8, the XML declaration windows-1252, which is right."""
    reply = edited(answer(), ('encoding="UTF-8"', 'encoding="windows-1252"'))
    return reply._replace(body=reply.body.decode().encode("cp1252"))


@case()
def byte_order_mark(request, answer):
    """Answers begin with a byte order mark."""
    reply = answer()
    return reply._replace(body=b"\xef\xbb\xbf" + reply.body)


@case(fault="not-utf8")
def utf16(request, answer):
    """Answers are in UTF-16."""
    reply = edited(answer(), ('encoding="UTF-8"', 'encoding="UTF-16"'))
    return reply._replace(body=reply.body.decode().encode("utf-16"))


@case(fault="junk-before")
def blank_lines_before(request, answer):
    """Blank lines before the XML declaration."""
    reply = answer()
    return reply._replace(body=b"\n\n  " + reply.body)


@case(fault="junk-before")
def warnings_before(request, answer):
    """Warnings of PHP before the XML declaration."""
    reply = answer()
    return reply._replace(body=b"<br />\n<b>Warning</b>: mysql_connect() in <b>oai.php</b>\n" + reply.body)


@case(fault="junk-after")
def notices_after(request, answer):
    """Notices of PHP after the end."""
    reply = answer()
    return reply._replace(body=reply.body + b"\n<br />\n<b>Notice</b>: Undefined index\n")


@case(fault="inner-declaration")
def declaration_in_each_record(request, answer):
    """Each record has its own XML declaration."""
    return edited(answer(), ("<metadata>", '<metadata><?xml version="1.0" encoding="UTF-8"?>'))


@case(fault="bare-ampersand")
def bare_ampersands(request, answer):
    """Bare ampersands and entities of HTML."""
    return edited(answer(), ("Title 2", "Cats & dogs&nbsp;2"), ("Title 9", "Ti&eacute;tle&unknown; 9"))


@case(records=ALL - {5}, rejected=1, fault="broken-record")
def unclosed_html(request, answer):
    """Unclosed HTML in one record."""
    return edited(answer(), ("Title 5", "Title <i>5"))


@case(fault="undeclared-prefix")
def undeclared_prefix(request, answer):
    """A prefix is used and not declared."""
    return edited(
        answer(),
        (f'<record xmlns="{MARC}">', "<marc:record>"),
        ("</record></metadata>", "</marc:record></metadata>"),
        *((f"<{name}", f"<marc:{name}") for name in ("leader", "controlfield", "datafield", "subfield")),
        *((f"</{name}", f"</marc:{name}") for name in ("leader", "controlfield", "datafield", "subfield")),
    )


@case()
def namespaces_on_the_root(request, answer):
    """The namespaces of the metadata are declared on the root element."""
    return edited(
        answer(),
        (f'<OAI-PMH xmlns="{OAI}">', f'<OAI-PMH xmlns="{OAI}" xmlns:m="{MARC}">'),
        (f'<record xmlns="{MARC}">', "<m:record>"),
        ("</record></metadata>", "</m:record></metadata>"),
        *((f"<{name}", f"<m:{name}") for name in ("leader", "controlfield", "datafield", "subfield")),
        *((f"</{name}", f"</m:{name}") for name in ("leader", "controlfield", "datafield", "subfield")),
    )


@case(fault="wrong-namespace")
def no_namespace(request, answer):
    """The answer has no namespace."""
    return edited(answer(), (f' xmlns="{OAI}"', ""))


@case(fault="wrong-namespace")
def other_namespace(request, answer):
    """The answer has the namespace of OAI-PMH 1.1."""
    return edited(answer(), (f'xmlns="{OAI}"', 'xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"'))


@case()
def prefixed_protocol(request, answer):
    """The elements of the protocol have a prefix."""
    reply = answer()
    names = ("OAI-PMH", "responseDate", "request", "ListRecords", "header", "identifier", "datestamp", "metadata")
    names += ("resumptionToken", "setSpec", "error", "Identify", "repositoryName", "granularity", "deletedRecord")
    pairs = [(f"<{name}>", f"<oai:{name}>") for name in names] + [(f"</{name}>", f"</oai:{name}>") for name in names]
    pairs += [(f'<OAI-PMH xmlns="{OAI}">', f'<oai:OAI-PMH xmlns:oai="{OAI}">'), ("<record><", "<oai:record><")]
    pairs += [("</record></record>", "</record></oai:record>"), ("<resumptionToken ", "<oai:resumptionToken ")]
    pairs += [("</oai:metadata></record>", "</oai:metadata></oai:record>")]
    return edited(reply, *pairs)


@case(fault="metadata-as-text")
def metadata_in_cdata(request, answer):
    """The metadata are a CDATA section."""
    return edited(answer(), ("<metadata>", "<metadata><![CDATA["), ("</metadata>", "]]></metadata>"))


@case(fault="metadata-as-text")
def metadata_escaped(request, answer):
    """The metadata are escaped text."""
    if not request.is_list:
        return answer()
    escaped = {n: marc(n).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for n in ALL}
    return page(request.part, make=lambda number: record(number, escaped[number]))


@case(records=ALL - {4}, rejected=1, fault="no-metadata")
def empty_metadata(request, answer):
    """The metadata of one record are empty."""
    return edited(answer(), (marc(4), ""))


@case()
def huge_record(request, answer):
    """A record has more than 10 MB of text."""
    return edited(answer(), ("Title 6", "Title 6 " + "long " * 2_200_000))


@case(fault="doctype")
def entity_bomb(request, answer):
    """A document type with an entity bomb and an external entity, which the title uses."""
    bomb = (
        '<!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<OAI-PMH'
    )
    return edited(answer(), ("<OAI-PMH", bomb), ("Title 3", "Title 3 &b;&x;"))


# -- resumption tokens -------------------------------------------------------------------------------------------------


@case()
def last_token_empty(request, answer):
    """The last part has an empty token, as it should."""
    return answer()


@case()
def last_token_only_cursor(request, answer):
    """The token of the last part has only the attribute cursor."""
    return edited(
        answer(), ('<resumptionToken completeListSize="9"></resumptionToken>', '<resumptionToken cursor="6"/>')
    )


@case()
def no_last_token(request, answer):
    """The last part has no token element."""
    return edited(answer(), ('<resumptionToken completeListSize="9"></resumptionToken>', ""))


@case(fault="token-to-nothing")
def token_to_no_records(request, answer):
    """The last part has a token that leads to noRecordsMatch."""
    if request.token == "token3":
        return error("noRecordsMatch")
    return page(2, token="<resumptionToken>token3</resumptionToken>") if request.part == 2 else answer()


@case(fault="token-to-nothing")
def token_to_an_empty_list(request, answer):
    """The last part has a token that leads to an empty list."""
    if request.token == "token3":
        return page(3, [], token="")
    return page(2, token="<resumptionToken>token3</resumptionToken>") if request.part == 2 else answer()


@case(outcome="partial", records={1, 2, 3, 4, 5, 6}, fault="wrong-size")
def list_that_breaks_off(request, answer):
    """A token in the middle of a million records leads to an empty list."""
    if request.part == 2:
        return page(2, [], token="")
    return edited(answer(), ('completeListSize="9"', 'completeListSize="1000000"'))


@case(outcome="partial", records={1, 2, 3, 4, 5, 6}, fault="wrong-size")
def list_that_breaks_off_without_a_match(request, answer):
    """A token in the middle leads to noRecordsMatch."""
    return error("noRecordsMatch") if request.part == 2 else answer()


@case(fault="token-to-nothing")
def list_that_is_empty_for_a_moment(request, answer):
    """A token in the middle leads to an empty list once, and no size is stated."""
    if request.part == 2 and not request.times:
        return page(2, [], token="")
    return edited(answer(), (' completeListSize="9"', ""))


@case(outcome="partial", records={1, 2, 3, 4, 5, 6}, fault="bad-token")
def list_that_is_empty_when_it_begins_again(request, answer):
    """A token is refused, and the list is empty when it is asked for from its beginning."""
    if request.token == "token2":
        return error("badResumptionToken")
    return error("noRecordsMatch") if request.is_list and request.token is None and request.times else answer()


@case(fault="token-to-nothing")
def token_to_a_refusal_at_the_size(request, answer):
    """The last part has a token that is refused; as many records came as were stated."""
    if request.part == 2:
        return page(2, token='<resumptionToken completeListSize="9">token3</resumptionToken>')
    return answer()


@case(outcome="partial", fault="bad-token")
def token_to_a_refusal(request, answer):
    """The last part has a token that is refused, and no size was ever stated."""
    if request.is_list and request.token != "token3":
        return page(request.part, token=f"<resumptionToken>token{request.part + 1}</resumptionToken>")
    return answer()


@case(fault="repeated-token")
def same_token_at_the_size(request, answer):
    """The last part repeats its own token; as many records came as were stated."""
    if request.token == "token2":
        return page(2, token='<resumptionToken completeListSize="9">token2</resumptionToken>')
    return answer()


@case(outcome="partial", records={1, 2, 3, 4, 5, 6}, fault="repeated-token")
def same_token(request, answer):
    """The second part repeats its own token, for ever."""
    if request.token == "token1":
        return page(1, token="<resumptionToken>token1</resumptionToken>")
    return edited(answer(), (' completeListSize="9"', ""))


@case(outcome="partial", fault="repeated-token")
def circle_of_tokens(request, answer):
    """The last part leads to the second one again."""
    if request.is_list:
        return page(
            request.part,
            token=f"<resumptionToken>token{1 if request.part == 2 else request.part + 1}</resumptionToken>",
        )
    return answer()


@case(outcome="partial", records={1, 2, 3}, fault="repeated-token")
def new_tokens_with_the_same_records(request, answer):
    """Always a new token, always the same records."""
    if request.is_list:
        return page(0, token=f"<resumptionToken>token{request.part + 1}</resumptionToken>")
    return answer()


@case(outcome="failed", records=set(), fault="repeated-token")
def new_tokens_with_no_records(request, answer):
    """Always a new token, never a record."""
    if request.is_list:
        return page(0, [], token=f"<resumptionToken>token{request.part + 1}</resumptionToken>")
    return answer()


@case(fault="token-to-nothing")
def token_although_cursor_is_at_the_size(request, answer):
    """The last part has a token although cursor and size show the end; it leads to an empty list."""
    if request.token == "token3":
        return page(3, [], token="")
    if request.part == 2:
        return page(2, token='<resumptionToken completeListSize="9" cursor="6">token3</resumptionToken>')
    return answer()


@case(outcome="partial", fault="wrong-size")
def size_too_large(request, answer):
    """The stated size is larger than the list, which ends properly."""
    return edited(answer(), ('completeListSize="9"', 'completeListSize="50"'))


@case()
def size_too_small(request, answer):
    """The stated size is smaller than the list."""
    return edited(answer(), ('completeListSize="9"', 'completeListSize="2"'))


@case()
def no_size(request, answer):
    """No size is stated."""
    return edited(answer(), (' completeListSize="9"', ""))


@case()
def size_with_thousands_of_digits(request, answer):
    """The stated size has five thousand digits."""
    return edited(answer(), ('completeListSize="9"', f'completeListSize="{"9" * 5000}"'))


STRANGE = "a b+c&d=e/f|g:ж%1"


@case()
def strange_token(request, answer):
    """The token has blanks, +, &, =, /, | and Cyrillic letters."""
    if request.token is not None:
        return page(1, token="<resumptionToken>token2</resumptionToken>") if request.token == STRANGE else answer()
    if request.is_list:
        return page(0, token=f"<resumptionToken>{STRANGE.replace('&', '&amp;')}</resumptionToken>")
    return answer()


@case(fault="unusual-token")
def token_only_unencoded(request, answer):
    """The server compares the token as it is in the request line, undecoded."""
    if request.token is not None and request.token != "token2":
        if request.raw_token == "part/1:2=3":
            return page(1, token="<resumptionToken>token2</resumptionToken>")
        return error("badResumptionToken")
    if request.is_list and request.token is None:
        return page(0, token="<resumptionToken>part/1:2=3</resumptionToken>")
    return answer()


@case()
def blanks_around_the_token(request, answer):
    """Line breaks and blanks around the token."""
    return edited(answer(), (">token1<", ">\n    token1\n  <"), (">token2<", "> token2 <"))


@case(outcome="partial", records={1, 2, 3}, fault="foreign-records", set="books")
def token_forgets_the_set(request, answer):
    """Later parts have records of other sets."""
    reply = answer()
    return edited(reply, ("<setSpec>books</setSpec>", "<setSpec>maps</setSpec>")) if request.part else reply


@case(outcome="partial", records={1, 2, 3}, fault="foreign-records")
def token_forgets_the_prefix(request, answer):
    """Later parts have another metadata format."""
    if request.part:
        dc = '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>'
        return page(request.part, make=lambda number: record(number, dc))
    return answer()


@case(fault="unusual-token")
def token_only_with_prefix(request, answer):
    """The token works only together with metadataPrefix."""
    if request.token is not None and "metadataPrefix" not in request.arguments:
        return error("badResumptionToken")
    return answer()


@case(fault="bad-token")
def token_expires_once(request, answer):
    """The second token expires once, in all its forms."""
    if request.token == "token2" and request.memory.setdefault("refused", 0) < 2:
        request.memory["refused"] += 1
        return error("badResumptionToken", "expired")
    return answer()


@case(outcome="partial", records={1, 2, 3, 4, 5, 6}, fault="bad-token")
def token_expires_always(request, answer):
    """The second token is refused each time."""
    return error("badResumptionToken", "expired") if request.token == "token2" else answer()


@case(records=ALL - {5}, rejected=1, fault="server-error", tries=2)
def one_record_breaks_its_part(request, answer):
    """The second part always fails, because of one bad record, which cannot be fetched alone either."""
    if (request.is_list and request.part == 1) or request.arguments.get("identifier") == "oai:test:5":
        return Reply(b"Internal Server Error", 500)
    return answer()


@case(records=ALL - {5}, rejected=1, fault="server-error", tries=2)
def only_a_header_for_one_record(request, answer):
    """The second part always fails, and GetRecord gives a header without its record."""
    if request.is_list and request.part == 1:
        return Reply(b"Internal Server Error", 500)
    if request.arguments.get("identifier") == "oai:test:5":
        return xml(envelope(f"<GetRecord>{header(5)}</GetRecord>"))
    return answer()


# -- HTTP --------------------------------------------------------------------------------------------------------------


@case(outcome="partial", records={1, 2, 3}, fault="busy")
def retry_after_a_day(request, answer):
    """503 with Retry-After: 86400 in the middle."""
    return Reply(b"busy", 503, {"Retry-After": "86400"}) if request.part == 1 else answer()


@case(fault="busy")
def retry_after_as_a_date(request, answer):
    """503 with a date in Retry-After, once."""
    if request.part == 1 and not request.times:
        return Reply(b"busy", 503, {"Retry-After": email.utils.formatdate(time.time() + 1, usegmt=True)})
    return answer()


@case(fault="busy")
def retry_after_nonsense(request, answer):
    """503 with nonsense in Retry-After, once."""
    if request.part == 1 and not request.times:
        return Reply(b"busy", 503, {"Retry-After": "soon, dear"})
    return answer()


@case(fault="busy")
def busy_without_retry_after(request, answer):
    """503 without Retry-After, twice."""
    return Reply(b"busy", 503) if request.part == 1 and request.times < 2 else answer()


@case(fault="busy")
def too_many_requests(request, answer):
    """429 once for each part."""
    return Reply(b"slow down", 429) if request.is_list and not request.times else answer()


@case()
def server_error_now_and_then(request, answer):
    """500, 502 and 504 once each."""
    if request.is_list and not request.times:
        return Reply(b"oops", (500, 502, 504)[request.part])
    return answer()


@case(fault="not-oai")
def maintenance_page_once(request, answer):
    """A web page with status 200 in the middle, once."""
    if request.part == 1 and not request.times:
        return Reply(b"<!doctype html><html><title>Maintenance</title>", headers={"Content-Type": "text/html"})
    return answer()


@case(outcome="partial", records={1, 2, 3}, fault="not-oai", tries=2)
def maintenance_page_for_ever(request, answer):
    """A web page with status 200 in the middle, each time."""
    if request.part == 1:
        return Reply(b"<!doctype html><html><title>Maintenance</title>", headers={"Content-Type": "text/html"})
    return answer()


@case(outcome="failed", records=set(), fault="not-oai", tries=2)
def only_a_web_page(request, answer):
    """A login page for every request."""
    return Reply(b"<html><head><title>Please log in</title></head>")


@case(fault="empty-answer")
def empty_answer(request, answer):
    """An empty answer with status 200, once."""
    return Reply(b"") if request.part == 1 and not request.times else answer()


@case(records=set(), fault="error-status")
def error_in_404(request, answer):
    """noRecordsMatch with status 404."""
    return error("noRecordsMatch")._replace(status=404) if request.is_list else answer()


@case(records=set())
def no_records_match(request, answer):
    """noRecordsMatch for the list."""
    return error("noRecordsMatch") if request.is_list else answer()


@case(fault="unknown-error")
def unknown_error_once(request, answer):
    """An error code that is not in the standard, once."""
    return error("InternalException", "NullPointer") if request.part == 1 and not request.times else answer()


@case(outcome="partial", records={1, 2, 3}, fault="unknown-error", tries=2)
def unknown_error_for_ever(request, answer):
    """An error without a code, each time."""
    return xml(envelope("<error>database down</error>")) if request.part == 1 else answer()


@case(fault="error-beside-list")
def error_beside_the_list(request, answer):
    """An error beside a full list."""
    return edited(answer(), ("<ListRecords>", '<error code="badArgument">x</error><ListRecords>'))


@case(fault="redirect-lost-query")
def redirect_without_query(request, answer):
    """Redirects to another path, and loses the query."""
    return answer() if request.path == "/new" else Reply(b"", 302, {"Location": "/new"})


@case(fault="moved")
def redirect(request, answer):
    """Redirects to another path with the query."""
    return answer() if request.path == "/new" else Reply(b"", 301, {"Location": f"/new?{request.query}"})


@case(outcome="failed", records=set())
def redirects_for_ever(request, answer):
    """Redirects to itself."""
    return Reply(b"", 302, {"Location": f"{request.path}?{request.query}"})


@case(outcome="failed", records=set())
def redirect_to_no_address(request, answer):
    """Redirects to an address that is none."""
    return Reply(b"", 302, {"Location": "http://[bad/"})


@case()
def gzip_without_header(request, answer):
    """Compressed answers without Content-Encoding."""
    reply = answer()
    return reply._replace(body=gzip.compress(reply.body))


@case()
def gzip_header_without_gzip(request, answer):
    """Content-Encoding: gzip on answers that are not compressed."""
    reply = answer()
    return reply._replace(headers={**reply.headers, "Content-Encoding": "gzip"})


@case()
def deflate(request, answer):
    """Answers compressed with zlib."""
    reply = answer()
    return reply._replace(body=zlib.compress(reply.body), headers={**reply.headers, "Content-Encoding": "deflate"})


@case()
def gzip_cut_off(request, answer):
    """A compressed answer is cut off, once."""
    reply = answer()
    if request.part == 1 and not request.times:
        return reply._replace(body=gzip.compress(reply.body)[:-100])
    return reply


@case(fault="no-answer")
def connection_closed(request, answer):
    """The connection is closed before the stated length, once."""
    reply = answer()
    return reply._replace(body=reply.body[:900], lie=5000) if request.part == 1 and not request.times else reply


@case(fault="cut-off")
def half_answer_well_declared(request, answer):
    """Half of an answer with the right length for the half, once."""
    reply = answer()
    return reply._replace(body=reply.body[:1500]) if request.part == 1 and not request.times else reply


@case(outcome="partial", records={1, 2, 3}, fault="no-answer", tries=3, deadline=1.0)
def one_byte_a_second(request, answer):
    """The second part comes byte by byte."""
    reply = answer()
    return reply._replace(pause=0.2) if request.part == 1 else reply


@case(outcome="partial", records={1, 2, 3}, fault="no-answer", tries=3, deadline=1.0)
def no_answer(request, answer):
    """The second part never comes."""
    reply = answer()
    return reply._replace(pause=30.0) if request.part == 1 else reply


@case(outcome="failed", records=set(), fault="blocked")
def blocked(request, answer):
    """403 for every request."""
    return Reply(b"Forbidden", 403)


# -- dates, deletions, headers -----------------------------------------------------------------------------------------


@case(fault="other-granularity", begin="2026-01-01")
def refuses_seconds(request, answer):
    """Identify states seconds, but dates with seconds are refused."""
    if len(request.arguments.get("from", "")) > 10:
        return error("badArgument", "not a valid date")
    return answer()


@case(fault="other-granularity", begin="2026-01-01", granularity="day")
def refuses_days(request, answer):
    """Dates without time are refused."""
    return error("badArgument") if len(request.arguments.get("from", "")) == 10 else answer()


@case()
def odd_dates(request, answer):
    """Datestamps are days, or have a blank and fractions of seconds."""
    return edited(answer(), ("2026-01-02T00:00:00Z", "2026-01-02"), ("2026-01-03T00:00:00Z", "2026-01-03 00:00:00.123"))


@case(fault="clock")
def clock_of_last_year(request, answer):
    """The clock of the server is a year behind."""
    return edited(answer(), (f"<responseDate>{now()[:4]}", "<responseDate>2021"))


@case(records=ALL - {2})
def deleted_record(request, answer):
    """A record is marked as deleted."""
    deleted = f"<record>{header(2, 'deleted')}</record>"
    return edited(answer(), (record(2), deleted))


@case(records=ALL - {2}, fault="unusual-deleted")
def deleted_with_capital(request, answer):
    """A record is marked as Deleted."""
    return edited(answer(), (record(2), f"<record>{header(2, 'Deleted')}</record>"))


@case(records=ALL - {2}, fault="unusual-deleted")
def deleted_on_the_record(request, answer):
    """The status is on the record instead of the header."""
    return edited(answer(), (record(2), f'<record status="deleted">{header(2)}</record>'))


@case(fault="deleted-within")
def deleted_in_the_leader(request, answer):
    """A living header, but leader/05 is d; the record is stored, and deleted when it is read."""
    return edited(answer(), (marc(7), marc(7).replace("00000nam", "00000dam")))


@case(outcome="failed", records=set(), set="maps", fault="missing-set")
def set_that_vanished(request, answer):
    """The set is not listed any more, and answers noRecordsMatch as an unchanged one would."""
    return error("noRecordsMatch") if request.is_list else answer()


@case(records=ALL - {3}, rejected=1, fault="no-header")
def record_without_header(request, answer):
    """A record has no header."""
    return edited(answer(), (header(3), ""))


@case(records=ALL - {3}, rejected=1, fault="no-header")
def record_without_identifier(request, answer):
    """A header has no identifier."""
    return edited(answer(), ("<identifier>oai:test:3</identifier>", ""))


@case(records=ALL - {3}, rejected=1, fault="no-metadata")
def record_without_metadata(request, answer):
    """A record has no metadata, and is not deleted."""
    return edited(answer(), (record(3), f"<record>{header(3)}</record>"))


@case(fault="bad-identify", tries=2)
def identify_is_html(request, answer):
    """Identify is a web page."""
    return Reply(b"<html><title>Welcome</title></html>") if request.verb == "Identify" else answer()


@case(fault="bad-identify")
def identify_is_incomplete(request, answer):
    """Identify has only a name."""
    if request.verb == "Identify":
        return xml(envelope("<Identify><repositoryName>x</repositoryName></Identify>"))
    return answer()


@case(prefix="")
def prefix_left_out(request, answer):
    """The metadata format is chosen from what the server offers."""
    if request.is_list and request.token is None and request.arguments.get("metadataPrefix") != "marc21":
        return error("cannotDisseminateFormat")
    return answer()


@case(outcome="failed", records=set(), prefix="marcxml")
def prefix_unknown(request, answer):
    """The metadata format is not offered."""
    return error("cannotDisseminateFormat") if request.is_list else answer()


@case()
def same_record_twice(request, answer):
    """The last part repeats a record of the first one in an older version."""
    older = record(1, marc(1, "An old title")).replace("2026-01-01T", "2025-01-01T")
    return edited(answer(), (record(7), older + record(7)))


@case(fault="repeated-record")
def same_record_twice_and_counted_twice(request, answer):
    """A record comes in two parts, and completeListSize counts both."""
    item = record if request.verb == "ListRecords" else header
    return edited(answer(), (item(7), item(1) + item(7)), ('completeListSize="9"', 'completeListSize="10"'))


@case(fault="repeated-record")
def order_that_is_not_stable(request, answer):
    """One record comes twice and another never, because the order changes between parts."""
    return edited(answer(), (record(9), record(1))) if request.part == 2 else answer()


# -- the server --------------------------------------------------------------------------------------------------------


class HostileServer(ThreadingHTTPServer):
    """A server on loopback with one misbehaviour; ``memory`` is what the case remembers, ``requests`` what it got.

    ``authorizations`` are the headers that the requests had, empty where they had none.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, change: Callable[..., Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.change = change
        self.memory: dict[Any, Any] = {}
        self.requests: list[str] = []
        self.authorizations: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/oai"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent when a client closes its connection."""


class _Handler(BaseHTTPRequestHandler):
    server: HostileServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        self.server.authorizations.append(self.headers.get("Authorization", ""))
        request = Request(self.path, self.server)
        reply = self.server.change(request, lambda: good(request))
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body) + reply.lie))
        self.end_headers()
        if reply.pause:
            for at in range(len(reply.body)):
                time.sleep(reply.pause)
                self.wfile.write(reply.body[at : at + 1])
        else:
            self.wfile.write(reply.body)
        if reply.lie:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextmanager
def serving(change: Callable[..., Reply]) -> Iterator[HostileServer]:
    """Run a server that answers so."""
    server = HostileServer(change)
    with running(server):
        yield server


@contextmanager
def running(server: HostileServer) -> Iterator[None]:
    """Run a server in a thread."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
