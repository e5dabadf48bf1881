"""The ontology as this site publishes it: its Turtle, the JSON-LD context, prefixes and example queries."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld import vocabulary
from bibld.model.iris import Iris
from bibld.model.rdf import PREFIXES


class Vocabulary(msgspec.Struct, frozen=True):
    """``context`` is the value of ``@context``; ``prefixes`` maps names to namespaces."""

    turtle: bytes
    context: dict[str, object]
    prefixes: Mapping[str, str]
    examples: tuple[vocabulary.ExampleQuery, ...]


def load(iris: Iris) -> Vocabulary:
    """Read the ontology's folder; raises ``FileNotFoundError`` for an incomplete installation."""
    context = vocabulary.context(iris)
    named = {name: space for name, space in context.items() if isinstance(space, str) and not name.startswith("@")}
    return Vocabulary(
        vocabulary.ontology_turtle(iris).encode(), context, {**PREFIXES, **named}, vocabulary.example_queries(iris)
    )
