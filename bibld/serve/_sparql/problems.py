"""Why a query was refused or failed: the status, and the reason in the language of the page.

Checks, query processes and parsers report in English, which the endpoint answers programs with. Here these reports are
recognised by their patterns, so that pages can show them in another language. What a parser states beyond that (after
"the query is not SPARQL:") stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.serve._guarding.slots import QueueFullError, TooManyQueriesError
from bibld.serve._http import ProblemError
from bibld.serve._language import Message, message
from bibld.serve._sparql.guard import ForbiddenQueryError
from bibld.serve._sparql.pool import QueryMemoryError, ResultTooLargeError
from bibld.serve._sparql.requests import GRAPHS, TABLES

_PLACE = re.compile(r"%\((\w+)\)s")
_RETRY_AFTER = "10"

_VALUES = {
    "line": r"\d+",
    "column": r"\d+",
    "number": r"[\d.,]+",
    "keyword": "[A-Z]+",
    "keywords": "[A-Z]+(?: or [A-Z]+)*",
}
"""What the values with some names look like; others are any text."""

REASONS = (
    message("line %(line)s, column %(column)s: %(reason)s"),
    message("SELECT names a variable that GROUP BY does not: group by it, or write SAMPLE"),
    message("a variable after AS has a value already; choose another name"),
    message("an aggregate such as COUNT is possible only in SELECT, HAVING and ORDER BY"),
    message("a blank node with this label occurs in another group; use a variable"),
    message("two columns of SELECT have one name; choose another one"),
    message("an IRI is not valid"),
    message("the string that begins here is not closed"),
    message('unknown prefix "%(prefix)s:"; %(hint)s (known without declaration: %(names)s'),
    message('unknown prefix "%(prefix)s:"; %(hint)s'),
    message("declare it: PREFIX %(prefix)s: <…>"),
    message('unknown function "%(name)s"; %(hint)s'),
    message('unknown word "%(name)s"; %(hint)s'),
    message("did you mean %(name)s?"),
    message("the functions are those of SPARQL 1.1"),
    message('variables begin with "?", texts are in quotation marks, names have a prefix'),
    message("unknown function <%(name)s>; the functions are those of SPARQL 1.1"),
    message('"%(bracket)s" closes nothing; remove it, or add "%(other)s"'),
    message('this "%(bracket)s" is not closed before the next "%(mark)s"; add "%(other)s"'),
    message('this "%(bracket)s" is not closed; add "%(other)s"'),
    message('the variables of SELECT are separated by spaces; remove ","'),
    message('after "," an object is missing before "%(mark)s"'),
    message("write AS before %(variable)s"),
    message("write the condition of FILTER in brackets: FILTER(…)"),
    message("the query is empty; write SELECT, ASK, CONSTRUCT or DESCRIBE"),
    message("a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE, after its PREFIX lines"),
    message("the query is not SPARQL: %(report)s"),
    message('this is not SPARQL; check ".", ";" and "," between triple patterns, and the order of the clauses'),
    message("the query ends too early; expected %(keywords)s"),
    message("the query ends too early"),
    message('unexpected "%(token)s"; expected %(keywords)s'),
    message('unexpected "%(token)s"'),
    message("%(keyword)s or %(keywords)s"),
    message('a triple pattern has three parts; write "." before "%(term)s"'),
    message('the triple pattern before "%(mark)s" has no predicate and object'),
    message('the triple pattern before "%(mark)s" has no object'),
    message("the query cannot be evaluated: %(report)s"),
    message('the query is unclear: write a space after each "less than", and strings in double quotation marks'),
    message("this endpoint answers queries; it refuses updates (%(keyword)s)"),
    message("this endpoint does not query other endpoints; it refuses SERVICE"),
    message("this endpoint does not fetch documents; it refuses LOAD"),
    message("the query had no answer within %(number)s second, time in the queue included"),
    message("the query had no answer within %(number)s seconds, time in the queue included"),
    message("the result is larger than %(number)s MiB; %(hint)s"),
    message("the query needs more than %(number)s MiB of memory; %(hint)s"),
    message("add LIMIT, write narrower patterns, or download the dump"),
    message("the query is nested too deeply; write it with fewer brackets"),
    message("the process that evaluated the query ended before it had an answer"),
    message("%(number)s query is running or waiting for your address; wait until one has ended"),
    message("%(number)s queries are running or waiting for your address; wait until one has ended"),
    message("too many queries are running; try again in a few seconds"),
    message("the triple store does not answer"),
    message("the server is stopping"),
    message("no query process can be started: %(report)s"),
    message("no query process can be started over %(place)s: %(report)s"),
)


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


def to_message(report: str) -> str:
    """Return a report as a message, which has translations, if its pattern is known; else the report itself."""
    for expression, reason in _expressions():
        found = expression.fullmatch(report)
        if found is not None:
            return reason.with_values({name: to_message(value) for name, value in found.groupdict().items()})
    return report


@cache
def _expressions() -> tuple[tuple[re.Pattern[str], Message], ...]:
    return tuple((re.compile(_expression(each.pattern), re.DOTALL), each) for each in REASONS)


def _expression(pattern: str) -> str:
    pieces = _PLACE.split(pattern)  # texts and names in turn
    return "".join(
        f"(?P<{piece}>{_VALUES.get(piece, '.+?')})" if position % 2 else re.escape(piece)
        for position, piece in enumerate(pieces)
    )


def to_problem(error: StoreError) -> ProblemError:
    """Return the problem with which an error of a query is answered; raises what is a fault of the server."""
    detail = to_message(str(error))
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
