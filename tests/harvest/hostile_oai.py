"""A hostile OAI-PMH server: nine records in three parts, and one misbehaviour of real servers for each case.

Every case states what the server does, a change of its answers, and how the harvest must end: the outcome, the records
that are stored then, and how many were rejected. Nothing is lost, nothing comes twice, nothing hangs.
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


Answer = Callable[[], Reply]
Change = Callable[[Request, Answer], Reply]


class Case(NamedTuple):
    """A misbehaviour, and what must come of it; ``fault`` is the code that the report must have."""

    about: str
    change: Change
    outcome: str
    records: frozenset[int]
    rejected: int
    fault: str
    settings: dict[str, Any]


CASES: list[Case] = []


def case(
    about: str,
    change: Change,
    outcome: str = "complete",
    records: frozenset[int] | set[int] = ALL,
    rejected: int = 0,
    fault: str = "",
    **settings: Any,
) -> None:
    """Register a misbehaviour; ``settings`` are the source's."""
    CASES.append(Case(about, change, outcome, frozenset(records), rejected, fault, settings))


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


# -- changes of answers ------------------------------------------------------------------------------------------------


def edits(*pairs: tuple[str, str]) -> Change:
    """Return a server in whose answers texts are replaced."""
    return lambda request, answer: edited(answer(), *pairs)


def bytes_of(change: Callable[[bytes], bytes], **headers: str) -> Change:
    """Return a server that changes the bytes of its answers."""

    def changed(request: Request, answer: Answer) -> Reply:
        reply = answer()
        return reply._replace(body=change(reply.body), headers={**reply.headers, **headers})

    return changed


def encoded(charset: str, *pairs: tuple[str, str]) -> Change:
    """Return a server whose answers are in a charset, after texts were replaced."""
    return lambda request, answer: bytes_of(lambda body: body.decode().encode(charset))(
        request, lambda: edited(answer(), *pairs)
    )


def instead(is_changed: Callable[[Request], object], reply: Reply | Callable[[], Reply], times: int = 1000) -> Change:
    """Return a server that answers some requests otherwise, each of them ``times`` times."""

    def changed(request: Request, answer: Answer) -> Reply:
        if not is_changed(request) or request.times >= times:
            return answer()
        return reply if isinstance(reply, Reply) else reply()

    return changed


def of_part(part: int, change: Callable[[Reply], Reply], times: int = 1000) -> Change:
    """Return a server that changes its answer to the request for a part of the list, ``times`` times."""
    return lambda request, answer: change(answer()) if request.part == part and request.times < times else answer()


def both(first: Change, second: Change) -> Change:
    """Return a server with two misbehaviours."""
    return lambda request, answer: first(request, lambda: second(request, answer))


def tokens(token_of: Callable[[int], str], numbers: list[int] | None = None, from_first: bool = False) -> Change:
    """Return a server whose parts have other tokens, and as many as are asked for the same records."""

    def changed(request: Request, answer: Answer) -> Reply:
        if not request.is_list:
            return answer()
        return page(0 if from_first else request.part, numbers, token=element(token_of(request.part)))

    return changed


def element(token: str, attributes: str = "") -> str:
    return f"<resumptionToken{attributes}>{token}</resumptionToken>"


def is_list(request: Request) -> bool:
    return request.is_list


def is_part(part: int) -> Callable[[Request], bool]:
    return lambda request: request.part == part


def always(request: Request) -> bool:
    return True


SIZE = ' completeListSize="9"'
FIRST, TWO = {1, 2, 3}, {1, 2, 3, 4, 5, 6}

# -- XML and encoding --------------------------------------------------------------------------------------------------

# fmt: off
case("A title has control characters (0x03, 0x0B, 0x1A).",
     edits(("Title 2", "Ti\x03t\x0bl\x1ae 2")), fault="illegal-characters")
case("References to a control character, to U+FFFE, and to one half of a surrogate pair.",
     edits(("Title 2", "Title &#x1F; 2"), ("Title 5", "&#xfffe; 5"), ("Title 8", "&#55349; 8")),
     fault="illegal-characters")
case("A character beyond U+FFFF is written as two references to surrogates.",
     edits(("Title 2", "Title &#55349;&#56320; 2")), fault="illegal-characters")
case("Raw U+FFFE and U+FFFF.", edits(("Title 4", "Title \ufffe\uffff 4")), fault="illegal-characters")
case("The declaration states UTF-8, the bytes are windows-1252.", encoded("cp1252"), fault="wrong-charset")
case("The declaration states UTF-8, the bytes are windows-1251.",
     encoded("cp1251", (" é", " Сочинения в двух томах")), fault="wrong-charset")
case("The HTTP header states UTF-8, the XML declaration windows-1252, which is right.",
     encoded("cp1252", ('encoding="UTF-8"', 'encoding="windows-1252"')), fault="not-utf8")
case("Answers begin with a byte order mark.", bytes_of(lambda body: b"\xef\xbb\xbf" + body))
case("Answers are in UTF-16.", encoded("utf-16", ('encoding="UTF-8"', 'encoding="UTF-16"')), fault="not-utf8")
case("Blank lines before the XML declaration.", bytes_of(lambda body: b"\n\n  " + body), fault="junk-before")
case("Warnings of PHP before the XML declaration.",
     bytes_of(lambda body: b"<br />\n<b>Warning</b>: mysql_connect() in <b>oai.php</b>\n" + body),
     fault="junk-before")
case("Notices of PHP after the end.",
     bytes_of(lambda body: body + b"\n<br />\n<b>Notice</b>: Undefined index\n"), fault="junk-after")
case("Each record has its own XML declaration.",
     edits(("<metadata>", '<metadata><?xml version="1.0" encoding="UTF-8"?>')), fault="inner-declaration")
case("Bare ampersands and entities of HTML.",
     edits(("Title 2", "Cats & dogs&nbsp;2"), ("Title 9", "Ti&eacute;tle&unknown; 9")), fault="bare-ampersand")
case("Unclosed HTML in one record.",
     edits(("Title 5", "Title <i>5")), records=ALL - {5}, rejected=1, fault="broken-record")
# fmt: on


def with_prefix(prefix: str, declared: str = "") -> Change:
    """Return a server that gives the elements of the metadata a prefix, which may be declared on the root element."""
    names = ("leader", "controlfield", "datafield", "subfield")
    return edits(
        (f'<OAI-PMH xmlns="{OAI}">', f'<OAI-PMH xmlns="{OAI}"{declared}>'),
        (f'<record xmlns="{MARC}">', f"<{prefix}:record>"),
        ("</record></metadata>", f"</{prefix}:record></metadata>"),
        *((f"<{end}{name}", f"<{end}{prefix}:{name}") for end in ("", "/") for name in names),
    )


# fmt: off
case("A prefix is used and not declared.", with_prefix("marc"), fault="undeclared-prefix")
case("The namespaces of the metadata are declared on the root element.", with_prefix("m", f' xmlns:m="{MARC}"'))
case("The answer has no namespace.", edits((f' xmlns="{OAI}"', "")), fault="wrong-namespace")
case("The answer has the namespace of OAI-PMH 1.1.",
     edits((f'xmlns="{OAI}"', 'xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"')), fault="wrong-namespace")
# fmt: on


def prefixed_protocol(request: Request, answer: Answer) -> Reply:
    names = ("OAI-PMH", "responseDate", "request", "ListRecords", "header", "identifier", "datestamp", "metadata")
    names += ("resumptionToken", "setSpec", "error", "Identify", "repositoryName", "granularity", "deletedRecord")
    pairs = [(f"<{name}>", f"<oai:{name}>") for name in names] + [(f"</{name}>", f"</oai:{name}>") for name in names]
    pairs += [(f'<OAI-PMH xmlns="{OAI}">', f'<oai:OAI-PMH xmlns:oai="{OAI}">'), ("<record><", "<oai:record><")]
    pairs += [("</record></record>", "</record></oai:record>"), ("<resumptionToken ", "<oai:resumptionToken ")]
    pairs += [("</oai:metadata></record>", "</oai:metadata></oai:record>")]
    return edited(answer(), *pairs)


def metadata_escaped(request: Request, answer: Answer) -> Reply:
    if not request.is_list:
        return answer()
    escaped = {n: marc(n).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for n in ALL}
    return page(request.part, make=lambda number: record(number, escaped[number]))


# fmt: off
case("The elements of the protocol have a prefix.", prefixed_protocol)
case("The metadata are a CDATA section.",
     edits(("<metadata>", "<metadata><![CDATA["), ("</metadata>", "]]></metadata>")), fault="metadata-as-text")
case("The metadata are escaped text.", metadata_escaped, fault="metadata-as-text")
case("The metadata of one record are empty.",
     edits((marc(4), "")), records=ALL - {4}, rejected=1, fault="no-metadata")
case("A record has more than 10 MB of text.", edits(("Title 6", "Title 6 " + "long " * 2_200_000)))
case("A document type with an entity bomb and an external entity, which the title uses.",
     edits(("<OAI-PMH", '<!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
            '<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<OAI-PMH'), ("Title 3", "Title 3 &b;&x;")), fault="doctype")
# fmt: on

# -- resumption tokens -------------------------------------------------------------------------------------------------

NO_TOKEN = element("", SIZE)


def last_part(token: str, attributes: str = "") -> Change:
    """Return a server whose last part has a token."""
    return instead(is_part(2), page(2, token=element(token, attributes)))


def leads_to(reply: Reply, attributes: str = "") -> Change:
    """Return a server whose last part has a token that leads to a reply."""
    return both(instead(lambda request: request.token == "token3", reply), last_part("token3", attributes))


# fmt: off
case("The last part has an empty token, as it should.", lambda request, answer: answer())
case("The token of the last part has only the attribute cursor.",
     edits((NO_TOKEN, '<resumptionToken cursor="6"/>')))
case("The last part has no token element.", edits((NO_TOKEN, "")))
case("The last part has a token that leads to noRecordsMatch.",
     leads_to(error("noRecordsMatch")), fault="token-to-nothing")
case("The last part has a token that leads to an empty list.",
     leads_to(page(3, [], token="")), fault="token-to-nothing")
case("A token in the middle of a million records leads to an empty list.",
     both(instead(is_part(2), page(2, [], token="")), edits((SIZE, ' completeListSize="1000000"'))),
     "partial", TWO, fault="wrong-size")
case("A token in the middle leads to noRecordsMatch.",
     instead(is_part(2), error("noRecordsMatch")), "partial", TWO, fault="wrong-size")
case("A token in the middle leads to an empty list once, and no size is stated.",
     both(instead(is_part(2), page(2, [], token=""), 1), edits((SIZE, ""))), fault="token-to-nothing")
case("A token is refused, and the list is empty when it is asked for from its beginning.",
     both(instead(lambda request: request.token == "token2", error("badResumptionToken")),
          instead(lambda request: request.is_list and request.token is None and request.times,
                  error("noRecordsMatch"))),
     "partial", TWO, fault="bad-token")
case("The last part has a token that is refused; as many records came as were stated.",
     last_part("token3", SIZE), fault="token-to-nothing")
case("The last part has a token that is refused, and no size was ever stated.",
     both(instead(lambda request: request.token == "token3", error("badResumptionToken")),
          tokens(lambda part: f"token{part + 1}")), "partial", fault="bad-token")
case("The last part repeats its own token; as many records came as were stated.",
     last_part("token2", SIZE), fault="repeated-token")
case("The second part repeats its own token, for ever.",
     both(instead(is_part(1), page(1, token=element("token1"))), edits((SIZE, ""))),
     "partial", TWO, fault="repeated-token")
case("The last part leads to the second one again.",
     tokens(lambda part: f"token{1 if part == 2 else part + 1}"), "partial", fault="repeated-token")
case("Always a new token, always the same records.",
     tokens(lambda part: f"token{part + 1}", from_first=True), "partial", FIRST, fault="repeated-token")
case("Always a new token, never a record.",
     tokens(lambda part: f"token{part + 1}", []), "failed", set(), fault="repeated-token")
case("The last part has a token although cursor and size show the end; it leads to an empty list.",
     leads_to(page(3, [], token=""), f'{SIZE} cursor="6"'), fault="token-to-nothing")
case("The stated size is larger than the list, which ends properly.",
     edits((SIZE, ' completeListSize="50"')), "partial", fault="wrong-size")
case("The stated size is smaller than the list.", edits((SIZE, ' completeListSize="2"')))
case("No size is stated.", edits((SIZE, "")))
case("The stated size has five thousand digits.", edits((SIZE, f' completeListSize="{"9" * 5000}"')))
# fmt: on

STRANGE = "a b+c&d=e/f|g:ж%1"


def strange_token(request: Request, answer: Answer) -> Reply:
    if request.token is not None:
        return page(1, token=element("token2")) if request.token == STRANGE else answer()
    return page(0, token=element(STRANGE.replace("&", "&amp;"))) if request.is_list else answer()


def token_only_unencoded(request: Request, answer: Answer) -> Reply:
    if request.token is not None and request.token != "token2":
        is_known = request.raw_token == "part/1:2=3"
        return page(1, token=element("token2")) if is_known else error("badResumptionToken")
    if request.is_list and request.token is None:
        return page(0, token=element("part/1:2=3"))
    return answer()


def token_expires_once(request: Request, answer: Answer) -> Reply:
    if request.token == "token2" and request.memory.setdefault("refused", 0) < 2:
        request.memory["refused"] += 1
        return error("badResumptionToken", "expired")
    return answer()


def token_forgets_the_prefix(request: Request, answer: Answer) -> Reply:
    dc = '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>'
    return page(request.part, make=lambda number: record(number, dc)) if request.part else answer()


def is_bad_part(request: Request) -> bool:
    return request.is_list and request.part == 1


def is_bad_record(request: Request) -> bool:
    return request.arguments.get("identifier") == "oai:test:5"


FAILS = Reply(b"Internal Server Error", 500)
# fmt: off
case("The token has blanks, +, &, =, /, | and Cyrillic letters.", strange_token)
case("The server compares the token as it is in the request line, undecoded.",
     token_only_unencoded, fault="unusual-token")
case("Line breaks and blanks around the token.",
     edits((">token1<", ">\n    token1\n  <"), (">token2<", "> token2 <")))
case("Later parts have records of other sets.",
     lambda request, answer: edits(("<setSpec>books", "<setSpec>maps") if request.part else ("", ""))(request, answer),
     "partial", FIRST, fault="foreign-records", set="books")
case("Later parts have another metadata format.", token_forgets_the_prefix, "partial", FIRST, fault="foreign-records")
case("The token works only together with metadataPrefix.",
     instead(lambda request: request.token is not None and "metadataPrefix" not in request.arguments,
             error("badResumptionToken")), fault="unusual-token")
case("The second token expires once, in all its forms.", token_expires_once, fault="bad-token")
case("The second token is refused each time.",
     instead(lambda request: request.token == "token2", error("badResumptionToken", "expired")),
     "partial", TWO, fault="bad-token")
case("The second part always fails, because of one bad record, which cannot be fetched alone either.",
     both(instead(is_bad_part, FAILS), instead(is_bad_record, FAILS)),
     records=ALL - {5}, rejected=1, fault="server-error", tries=2)
case("The second part always fails, and GetRecord gives a header without its record.",
     both(instead(is_bad_part, FAILS), instead(is_bad_record, xml(envelope(f"<GetRecord>{header(5)}</GetRecord>")))),
     records=ALL - {5}, rejected=1, fault="server-error", tries=2)
# fmt: on

# -- HTTP --------------------------------------------------------------------------------------------------------------

MAINTENANCE = Reply(b"<!doctype html><html><title>Maintenance</title>", headers={"Content-Type": "text/html"})
# fmt: off
case("503 with Retry-After: 86400 in the middle.",
     instead(is_part(1), Reply(b"busy", 503, {"Retry-After": "86400"})), "partial", FIRST, fault="busy")
case("503 with a date in Retry-After, once.",
     instead(is_part(1), lambda: Reply(
         b"busy", 503, {"Retry-After": email.utils.formatdate(time.time() + 1, usegmt=True)}), 1), fault="busy")
case("503 with nonsense in Retry-After, once.",
     instead(is_part(1), Reply(b"busy", 503, {"Retry-After": "soon, dear"}), 1), fault="busy")
case("503 without Retry-After, twice.", instead(is_part(1), Reply(b"busy", 503), 2), fault="busy")
case("429 once for each part.", instead(is_list, Reply(b"slow down", 429), 1), fault="busy")
case("500, 502 and 504 once each.",
     lambda request, answer: instead(is_list, Reply(b"oops", (500, 502, 504)[request.part % 3]), 1)(request, answer))
case("A web page with status 200 in the middle, once.", instead(is_part(1), MAINTENANCE, 1), fault="not-oai")
case("A web page with status 200 in the middle, each time.",
     instead(is_part(1), MAINTENANCE), "partial", FIRST, fault="not-oai", tries=2)
case("A login page for every request.",
     instead(always, Reply(b"<html><head><title>Please log in</title></head>")),
     "failed", set(), fault="not-oai", tries=2)
case("An empty answer with status 200, once.", instead(is_part(1), Reply(b""), 1), fault="empty-answer")
case("noRecordsMatch with status 404.",
     instead(is_list, error("noRecordsMatch")._replace(status=404)), records=set(), fault="error-status")
case("noRecordsMatch for the list.", instead(is_list, error("noRecordsMatch")), records=set())
case("An error code that is not in the standard, once.",
     instead(is_part(1), error("InternalException", "NullPointer"), 1), fault="unknown-error")
case("An error without a code, each time.",
     instead(is_part(1), xml(envelope("<error>database down</error>"))),
     "partial", FIRST, fault="unknown-error", tries=2)
case("An error beside a full list.",
     edits(("<ListRecords>", '<error code="badArgument">x</error><ListRecords>')), fault="error-beside-list")
# fmt: on


def moved(location: Callable[[Request], str], status: int = 302) -> Change:
    """Return a server that redirects what is asked for elsewhere than at ``/new``."""
    return lambda request, answer: (
        answer() if request.path == "/new" else Reply(b"", status, {"Location": location(request)})
    )


# fmt: off
case("Redirects to another path, and loses the query.", moved(lambda request: "/new"), fault="redirect-lost-query")
case("Redirects to another path with the query.",
     moved(lambda request: f"/new?{request.query}", 301), fault="moved")
case("Redirects to itself.", moved(lambda request: f"{request.path}?{request.query}"), "failed", set())
case("Redirects to an address that is none.", moved(lambda request: "http://[bad/"), "failed", set())
case("Compressed answers without Content-Encoding.", bytes_of(gzip.compress))
case("Content-Encoding: gzip on answers that are not compressed.",
     bytes_of(lambda body: body, **{"Content-Encoding": "gzip"}))
case("Answers compressed with zlib.", bytes_of(zlib.compress, **{"Content-Encoding": "deflate"}))
case("A compressed answer is cut off, once.",
     of_part(1, lambda reply: reply._replace(body=gzip.compress(reply.body)[:-100]), 1))
case("The connection is closed before the stated length, once.",
     of_part(1, lambda reply: reply._replace(body=reply.body[:900], lie=5000), 1), fault="no-answer")
case("Half of an answer with the right length for the half, once.",
     of_part(1, lambda reply: reply._replace(body=reply.body[:1500]), 1), fault="cut-off")
case("The second part comes byte by byte.",
     of_part(1, lambda reply: reply._replace(pause=0.2)),
     "partial", FIRST, fault="no-answer", tries=3, deadline=1.0)
case("The second part never comes.",
     of_part(1, lambda reply: reply._replace(pause=30.0)),
     "partial", FIRST, fault="no-answer", tries=3, deadline=1.0)
case("403 for every request.", instead(always, Reply(b"Forbidden", 403)), "failed", set(), fault="blocked")
# fmt: on

# -- dates, deletions, headers -----------------------------------------------------------------------------------------


def clock_of_last_year(request: Request, answer: Answer) -> Reply:
    return edited(answer(), (f"<responseDate>{now()[:4]}", "<responseDate>2021"))


def twice_and_counted_twice(request: Request, answer: Answer) -> Reply:
    item = record if request.verb == "ListRecords" else header
    return edited(answer(), (item(7), item(1) + item(7)), (SIZE, ' completeListSize="10"'))


# fmt: off
case("Identify states seconds, but dates with seconds are refused.",
     instead(lambda request: len(request.arguments.get("from", "")) > 10, error("badArgument", "not a valid date")),
     fault="other-granularity", begin="2026-01-01")
case("Dates without time are refused.",
     instead(lambda request: len(request.arguments.get("from", "")) == 10, error("badArgument")),
     fault="other-granularity", begin="2026-01-01", granularity="day")
case("Datestamps are days, or have a blank and fractions of seconds.",
     edits(("2026-01-02T00:00:00Z", "2026-01-02"), ("2026-01-03T00:00:00Z", "2026-01-03 00:00:00.123")))
case("The clock of the server is a year behind.", clock_of_last_year, fault="clock")
case("A record is marked as deleted.",
     edits((record(2), f"<record>{header(2, 'deleted')}</record>")), records=ALL - {2})
case("A record is marked as Deleted.",
     edits((record(2), f"<record>{header(2, 'Deleted')}</record>")), records=ALL - {2}, fault="unusual-deleted")
case("The status is on the record instead of the header.",
     edits((record(2), f'<record status="deleted">{header(2)}</record>')), records=ALL - {2}, fault="unusual-deleted")
case("A living header, but leader/05 is d; the record is stored, and deleted when it is read.",
     edits((marc(7), marc(7).replace("00000nam", "00000dam"))), fault="deleted-within")
case("The set is not listed any more, and answers noRecordsMatch as an unchanged one would.",
     instead(is_list, error("noRecordsMatch")), "failed", set(), set="maps", fault="missing-set")
case("A record has no header.", edits((header(3), "")), records=ALL - {3}, rejected=1, fault="no-header")
case("A header has no identifier.",
     edits(("<identifier>oai:test:3</identifier>", "")), records=ALL - {3}, rejected=1, fault="no-header")
case("A record has no metadata, and is not deleted.",
     edits((record(3), f"<record>{header(3)}</record>")), records=ALL - {3}, rejected=1, fault="no-metadata")
case("Identify is a web page.",
     instead(lambda request: request.verb == "Identify", Reply(b"<html><title>Welcome</title></html>")),
     fault="bad-identify", tries=2)
case("Identify has only a name.",
     instead(lambda request: request.verb == "Identify",
             xml(envelope("<Identify><repositoryName>x</repositoryName></Identify>"))), fault="bad-identify")
case("The metadata format is chosen from what the server offers.",
     instead(lambda request: request.is_list and request.token is None
             and request.arguments.get("metadataPrefix") != "marc21", error("cannotDisseminateFormat")), prefix="")
case("The metadata format is not offered.",
     instead(is_list, error("cannotDisseminateFormat")), "failed", set(), prefix="marcxml")
case("The last part repeats a record of the first one in an older version.",
     edits((record(7), record(1, marc(1, "An old title")).replace("2026-01-01T", "2025-01-01T") + record(7))))
case("A record comes in two parts, and completeListSize counts both.",
     twice_and_counted_twice, fault="repeated-record")
case("One record comes twice and another never, because the order changes between parts.",
     of_part(2, lambda reply: edited(reply, (record(9), record(1)))), fault="repeated-record")
# fmt: on


# -- the server --------------------------------------------------------------------------------------------------------


class HostileServer(ThreadingHTTPServer):
    """A server on loopback with one misbehaviour; ``memory`` is what the case remembers, ``requests`` what it got.

    ``authorizations`` are the headers that the requests had, empty where they had none.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, change: Change) -> None:
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
def serving(change: Change) -> Iterator[HostileServer]:
    """Run a server that answers so."""
    server = HostileServer(change)
    with running(server):
        yield server


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Run a server in a thread."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
