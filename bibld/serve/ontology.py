"""The ontologies, the JSON-LD context and the example queries, as one site publishes them.

The files in the folder ``ontology`` are written for the base ``https://bibld.example/``. Each site publishes them under
its base, so that the IRIs of the terms can be dereferenced there.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bibld.model.iris import Iris
from bibld.model.rdf import PREFIXES

PLACEHOLDER = "https://bibld.example/"
"""The base in the files, which is replaced by that of a site."""

VERSION = "2026-11-23"
"""The version of the ontologies: the date from which they are as they are."""

CONTEXT = "context.jsonld"

_PACKAGE = Path(__file__).parents[1]

ONTOLOGIES = {
    "": "bibld.ttl",
    "terms": "terms.ttl",
    "alignment": "alignment.ttl",
    "shapes": "shapes.ttl",
    VERSION: "bibld.ttl",
    f"{VERSION}/terms": "terms.ttl",
    f"{VERSION}/alignment": "alignment.ttl",
    f"{VERSION}/shapes": "shapes.ttl",
    "2026-11-20": "versions/2026-11-20.ttl",
}
"""What follows ``{base}ontology/`` in the IRI of an ontology or a version → its file."""


class ExampleQuery(msgspec.Struct, frozen=True):
    """A SPARQL query to try: ``title`` in a few words, ``description`` in a sentence.

    Most queries start from a value in their ``VALUES``. ``variable`` (with its question mark) is its variable, and
    ``values`` a graph pattern that finds other values; both are empty for the other queries.
    """

    name: str
    title: str
    description: str
    sparql: str
    variable: str = ""
    values: str = ""

    def values_query(self, among: int = 10_000) -> str:
        """Return the query for the values of ``variable`` and their frequency, from the first solutions of ``values``.

        The most frequent value is the first.
        """
        prefixes = "\n".join(line for line in self.sparql.splitlines() if line.startswith("PREFIX "))
        chosen = f"{{ SELECT {self.variable} {self.values} LIMIT {among} }}"
        return (
            f"{prefixes}\nSELECT {self.variable} (COUNT(*) AS ?frequency) {chosen}"
            f" GROUP BY {self.variable} ORDER BY DESC(?frequency) {self.variable}"
        )

    def with_value(self, term: str) -> str:
        """Return the query with another value (a term in N-Triples) to start from."""
        pattern = re.compile(rf"VALUES {re.escape(self.variable)} {{[^{{}}]*}}")
        return pattern.sub(lambda found: f"VALUES {self.variable} {{ {term} }}", self.sparql)


def folder(name: str) -> Path:
    """Return the folder of this name: inside an installed package, or beside the package in a checkout.

    Raises ``FileNotFoundError`` if neither exists.
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"bibld's folder {name!r} is missing from this installation; install bibld again")


def ontology_text(name: str, iris: Iris) -> str:
    """Return a file of the ontology's folder, such as ``shapes.ttl``, under the base of a site.

    Raises ``FileNotFoundError`` for any other name.
    """
    return (folder("ontology") / name).read_text(encoding="utf-8").replace(PLACEHOLDER, iris.base)


def ontology_turtle(iris: Iris) -> str:
    """Return the ontology as Turtle."""
    return ontology_text("bibld.ttl", iris)


def context(iris: Iris) -> dict[str, object]:
    """Return the ``@context`` of the site's JSON-LD: prefixes, and terms with their types."""
    document = msgspec.json.decode(ontology_text(CONTEXT, iris), type=dict[str, dict[str, object]])
    return document["@context"]


def prefixes(iris: Iris) -> dict[str, str]:
    """Return prefix → namespace of all vocabularies of a site, its own among them."""
    own = {name: space for name, space in context(iris).items() if isinstance(space, str) and not name.startswith("@")}
    return {**PREFIXES, **own}


def example_queries(iris: Iris) -> tuple[ExampleQuery, ...]:
    """Return the example queries, ordered by file name."""
    files = sorted((folder("ontology") / "queries").glob("*.rq"))
    return tuple(_example(file.stem, ontology_text(f"queries/{file.name}", iris)) for file in files)


_OTHER_VALUES = re.compile(r"# Other values: (\?\w+) ({.*})$")


def _example(name: str, text: str) -> ExampleQuery:
    """Read a query whose first line is ``# title``; further comments before the query describe it.

    A comment ``# Other values: ?variable { pattern }`` states how to find other values to start from.
    """
    comments: list[str] = []
    variable = values = ""
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        line = lines.pop(0)
        if found := _OTHER_VALUES.match(line):
            variable, values = found.groups()
        else:
            comments.append(line.lstrip("#").strip())
    title, *description = comments or [name]
    return ExampleQuery(name, title, " ".join(description), text, variable, values)
