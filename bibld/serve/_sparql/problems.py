"""Why a query was refused or failed: the status, and the reason, a sentence that pages show in their language.

Checks, query processes and parsers report in English, which the endpoint answers programs with. What a parser states
beyond that (after "the query is not SPARQL:") stays as it is.
"""

from __future__ import annotations

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.serve._guarding.slots import QueueFullError, TooManyQueriesError
from bibld.serve._http import ProblemError
from bibld.serve._language import Sentence, message
from bibld.serve._sparql.guard import ForbiddenQueryError
from bibld.serve._sparql.pool import QueryMemoryError, ResultTooLargeError
from bibld.serve._sparql.requests import GRAPHS, TABLES

_RETRY_AFTER = "10"

_PROBLEMS: dict[type[StoreError], tuple[int, str]] = {
    ForbiddenQueryError: (403, message("Forbidden")),
    QueryMemoryError: (503, message("Query needs too much memory")),
    ResultTooLargeError: (422, message("Result too large")),
    BadQueryError: (400, message("Bad query")),
    QueryTimeoutError: (503, message("Query took too long")),
    TooManyQueriesError: (429, message("Too many queries")),
    QueueFullError: (503, message("Busy")),
    StoreUnavailableError: (503, message("Unavailable")),
}
"""Error → status and title, the special ones before those that they are a kind of."""


def to_problem(error: StoreError) -> ProblemError:
    """Return the problem with which an error of a query is answered; raises what is a fault of the server."""
    detail = Sentence.from_pattern(str(error))
    if isinstance(error, NotAcceptableError):
        formats = ", ".join(GRAPHS if detail == "graph" else TABLES)
        if detail == "graph":
            text = message("The result of this query is a graph; it comes as %(formats)s.", formats=formats)
        else:
            text = message("The result of this query is a table; it comes as %(formats)s.", formats=formats)
        return ProblemError(406, message("Not acceptable"), text)
    for kind, (status, title) in _PROBLEMS.items():
        if isinstance(error, kind):
            problem = ProblemError(status, title, detail, {"Retry-After": _RETRY_AFTER} if status in (429, 503) else {})
            break
    else:
        raise error
    if isinstance(error, BadQueryError) and error.line:
        problem.members = {"line": error.line, "column": error.column}
    return problem
