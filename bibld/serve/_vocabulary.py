"""The ontologies as this site publishes them: their Turtle, the JSON-LD context, prefixes and example queries."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld.model.iris import Iris
from bibld.serve import ontology as vocabulary


class Vocabulary(msgspec.Struct, frozen=True):
    """``ontologies`` maps what follows ``{base}ontology/`` to Turtle.

    ``context`` is the value of ``@context``; ``prefixes`` maps names to namespaces.
    """

    ontologies: Mapping[str, str]
    context: dict[str, object]
    prefixes: Mapping[str, str]
    examples: tuple[vocabulary.ExampleQuery, ...]


def load(iris: Iris) -> Vocabulary:
    """Read the ontology's folder; raises ``FileNotFoundError`` for an incomplete installation."""
    context = vocabulary.context(iris)
    ontologies = {name: vocabulary.ontology_text(file, iris) for name, file in vocabulary.ONTOLOGIES.items()}
    return Vocabulary(ontologies, context, vocabulary.prefixes(iris), vocabulary.example_queries(iris))
