"""The ontology as this site publishes it: its Turtle, the JSON-LD context, prefixes and example queries."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bibld.model.iris import Iris
from bibld.resources import folder
from bibld.serve._graph import PREFIXES


class Example(msgspec.Struct, frozen=True):
    """A query to try; ``title`` is its first comment."""

    name: str
    title: str
    query: str


class Vocabulary(msgspec.Struct, frozen=True):
    """``context`` is the value of ``@context``; ``prefixes`` maps names to namespaces."""

    turtle: bytes
    context: dict[str, object]
    prefixes: Mapping[str, str]
    examples: tuple[Example, ...]


def load(iris: Iris) -> Vocabulary:
    """Read the ontology's folder; what is missing there is missing on the site."""
    root = folder("ontology")
    context: dict[str, object] = {}
    if (root / "context.jsonld").exists():
        context = msgspec.json.decode((root / "context.jsonld").read_bytes())["@context"]
    turtle = (root / "bibld.ttl").read_bytes() if (root / "bibld.ttl").exists() else b""
    examples = [_example(path.stem, path.read_text("utf-8")) for path in sorted((root / "queries").glob("*.rq"))]
    return Vocabulary(turtle, context, {**PREFIXES, "bibld": iris.term("")}, tuple(examples))


def _example(name: str, query: str) -> Example:
    first = query.lstrip().partition("\n")[0]
    title = first.lstrip("# ").strip() if first.startswith("#") else name.replace("_", " ").replace("-", " ")
    return Example(name, title, query)
