"""The ontologies, the JSON-LD context and the example queries, as one site publishes them.

The files in the folder ``ontology`` are written for the base ``https://bibld.example/``. Each site publishes them under
its base, so that the IRIs of the terms can be dereferenced there.
"""

from __future__ import annotations

import msgspec

from bibld.model.iris import Iris
from bibld.resources import folder

PLACEHOLDER = "https://bibld.example/"
"""The base in the files, which is replaced by that of a site."""

VERSION = "2026-11-22"
"""The version of the ontologies: the date from which they are as they are."""

CONTEXT = "context.jsonld"

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
    """A SPARQL query to try: ``title`` in a few words, ``description`` in a sentence."""

    name: str
    title: str
    description: str
    sparql: str


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


def example_queries(iris: Iris) -> tuple[ExampleQuery, ...]:
    """Return the example queries, ordered by file name."""
    files = sorted((folder("ontology") / "queries").glob("*.rq"))
    return tuple(_example(file.stem, ontology_text(f"queries/{file.name}", iris)) for file in files)


def _example(name: str, text: str) -> ExampleQuery:
    """Read a query whose first line is ``# title`` and whose further comments before the query describe it."""
    comments: list[str] = []
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        comments.append(lines.pop(0).lstrip("#").strip())
    title, *description = comments or [name]
    return ExampleQuery(name, title, " ".join(description), text)
