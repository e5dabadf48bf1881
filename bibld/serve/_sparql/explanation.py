"""How a query is evaluated: its dataset, prefixes and limits, and how much each of its triple patterns matches.

The store has no plans to show. What decides the time of a query is the number of matches of its patterns, so these are
counted, up to a bound, by a query like any other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from bibld.model.sparql.lexer import tokens
from bibld.model.sparql.patterns import Pattern
from bibld.serve._language import Language, message

COUNTED = 10_000
_PATTERNS = 16
_FORMS = frozenset({"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"})


class PatternSize(msgspec.Struct, frozen=True):
    """A triple pattern as SPARQL; ``matches`` is null where they were not counted.

    ``has_more``: there are more than ``matches``.
    """

    pattern: str
    matches: int | None = None
    has_more: bool = False


class Limits(msgspec.Struct, frozen=True):
    """Seconds for the query with its time in the queue, MiB for its evaluation, and for its result."""

    seconds: float
    memory: int
    result: int


class Explanation(msgspec.Struct, frozen=True):
    """``default_graph`` is the list of graphs that patterns outside GRAPH see; ``union`` if these are all graphs.

    ``added_prefixes`` are those that the query uses without declaring them; ``is_cached``: whether its result may be
    remembered. ``patterns`` is null where the query has syntax in which they are not looked for.
    """

    query: str
    kind: str
    default_graph: str | list[str]
    named_graphs: str | list[str]
    added_prefixes: dict[str, str]
    limits: Limits
    is_cached: bool
    patterns: list[PatternSize] | None = None

    def as_text(self, language: Language) -> str:
        """Return the explanation for people."""
        text = language.text
        seconds = language.decimal(f"{self.limits.seconds:g}")
        memory, result = language.number(self.limits.memory), language.number(self.limits.result)
        yes_or_no = message("yes") if self.is_cached else message("no")
        lines = [
            text("Result: %(kind)s", kind=_KINDS.get(self.kind, self.kind)),
            text("Default graph: %(graphs)s", graphs=_graphs(self.default_graph, language)),
            text("Named graphs: %(graphs)s", graphs=_graphs(self.named_graphs, language)),
            text(
                "Limits: %(seconds)s seconds, %(memory)s MiB of memory, %(result)s MiB of result",
                seconds=seconds,
                memory=memory,
                result=result,
            ),
            text("Result may be remembered: %(yes_or_no)s", yes_or_no=yes_or_no),
        ]
        for name, space in self.added_prefixes.items():
            lines.append(text("Prefix without declaration: %(prefix)s", prefix=f"{name}: <{space}>"))
        if self.patterns is None:
            return "\n".join((*lines, "", text("The triple patterns of this query cannot be counted one by one.")))
        lines += ["", text("Matches of each triple pattern alone:")]
        lines += [f"{_matches(each, language):>12}  {each.pattern}" for each in self.patterns]
        return "\n".join(lines)


NAMED_IN_QUERY = "as the query names them after FROM"
"""The graphs of a query that names them itself."""

_KINDS = {"table": message("a table"), "boolean": message("yes or no"), "graph": message("a graph")}
_GRAPHS = {
    "union": message("all graphs together"),
    "all": message("all"),
    NAMED_IN_QUERY: message("as the query names them after FROM"),
}


def _graphs(graphs: str | Sequence[str], language: Language) -> str:
    if isinstance(graphs, str):
        return language.text(_GRAPHS.get(graphs, graphs))
    return ", ".join(graphs) or language.text("none")


def _matches(size: PatternSize, language: Language) -> str:
    if size.matches is None:
        return language.text("unknown")
    number = language.number(size.matches)
    return language.text("over %(number)s", number=number) if size.has_more else number


def counting_query(query: str, patterns: Sequence[Pattern]) -> str:
    """Return a query for the matches of patterns, with the prologue and the dataset of the query that they are from."""
    parts = [token for token in tokens(query) if token.kind != "comment"]
    form = next(token.start for token in parts if token.text.upper() in _FORMS and token.kind == "run")
    dataset = []
    for number, token in enumerate(parts):
        if token.kind == "run" and token.text.upper() == "FROM":
            is_named = parts[number + 1].text.upper() == "NAMED"
            dataset.append(" ".join(each.text for each in parts[number : number + 2 + is_named]))
    counts = " ".join(
        f"{{ SELECT (COUNT(*) AS ?n{number}) {{ SELECT (1 AS ?one) {{ {pattern.text} }} LIMIT {COUNTED + 1} }} }}"
        for number, pattern in enumerate(patterns[:_PATTERNS])
    )
    return f"{query[:form]}\nSELECT * {' '.join(dataset)} {{ {counts} }}"


def pattern_sizes(patterns: Sequence[Pattern], counted: bytes | None) -> list[PatternSize]:
    """Return the patterns with the counts in SPARQL results (JSON); None: they were not counted."""
    found = json.loads(counted)["results"]["bindings"] if counted is not None else []
    row = found[0] if found else {}
    sizes = []
    for number, pattern in enumerate(patterns):
        cell = row.get(f"n{number}")
        matches = int(cell["value"]) if cell else None
        has_more = matches is not None and matches > COUNTED
        sizes.append(PatternSize(pattern.text, COUNTED if has_more else matches, has_more))
    return sizes
