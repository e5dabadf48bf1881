"""The files of statements about a release: ``void.ttl`` and ``run.nq``, written again whenever a part adds some."""

from __future__ import annotations

import io

import msgspec
import pyoxigraph

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, quad, term, typed_literal
from bibld.protocols import ReleaseDraft

PREFIXES = {prefix: rdf.PREFIXES[prefix] for prefix in ("void", "dcterms", "foaf", "skos", "prov", "owl", "xsd")}
"""The prefixes that the description is written with in Turtle."""


def number(count: int) -> str:
    """Write a count as a term."""
    return typed_literal(str(count), "integer")


def add_run_statements(draft: ReleaseDraft, lines: tuple[str, ...]) -> ReleaseDraft:
    """Add statements to the graph ``run``, count all of them there, and write the files again."""
    iris = Iris(draft.manifest.dataset.base)
    graph = iri(iris.graph("run"))
    count = f"{graph} {term('void:triples')} "
    others = {line for line in draft.run_statements if not line.startswith(count)} | set(lines)
    link = quad(iri(iris.dataset), term("void:subset"), graph, graph)
    others.add(link)
    counted = quad(graph, term("void:triples"), number(len(others) + 1), graph)
    draft = msgspec.structs.replace(draft, run_statements=(*sorted(others), counted))
    write_statements(draft)
    return draft


def write_statements(draft: ReleaseDraft) -> None:
    """Write the description of the dataset, if it has been made, and the statements about the run.

    ``void.ttl`` has both, because only the run knows which dumps and patches the release has.
    """
    if draft.run_statements:
        (draft.folder / "run.nq").write_text("".join(draft.run_statements), encoding="utf-8")
    if draft.description != draft.source_statements:
        lines = "".join(sorted({*draft.description, *draft.run_statements}))
        triples = (each.triple for each in pyoxigraph.parse(lines.encode(), format=pyoxigraph.RdfFormat.N_QUADS))
        out = io.BytesIO()
        pyoxigraph.serialize(triples, out, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES)
        (draft.folder / "void.ttl").write_bytes(out.getvalue())
