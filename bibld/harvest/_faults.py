"""What servers do wrong, in words for their owners; and the faults that any server over HTTP can have."""

from __future__ import annotations

import msgspec


class ServerFault(msgspec.Struct, frozen=True):
    """A fault of a server: a short code, what it does, the clause of the standard, and what bibld did about it."""

    code: str
    what: str
    clause: str
    done: str


NO_ANSWER = ServerFault(
    "no-answer",
    "did not answer, or its answer broke off or was not complete in time",
    "RFC 9112, 6.3 and 8: an answer that ends before its stated length is incomplete",
    "asked again",
)
BUSY = ServerFault(
    "busy",
    "answered that it is busy (429 or 503)",
    "RFC 9110, 15.6.4 and 10.2.3: Retry-After states when to come again; RFC 6585, 4",
    "waited as it asked, or longer each time, and asked less often from then on",
)
BLOCKED = ServerFault(
    "blocked",
    "refused the request (401 or 403)",
    "RFC 9110, 15.5.2 and 15.5.4",
    "stopped; please allow the address of the machine and the program named in User-Agent",
)
MOVED = ServerFault(
    "moved",
    "redirects its address",
    "RFC 9110, 15.4",
    "followed; state the new address in the configuration",
)
REDIRECT_LOST_QUERY = ServerFault(
    "redirect-lost-query",
    "redirects to an address without the query of the request",
    "RFC 9110, 15.4; OAI-PMH 3.1.1: every request has the argument verb",
    "added the query again",
)
