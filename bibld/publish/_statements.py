"""The files of statements about a release: ``void.ttl`` and ``run.nq``, written again whenever a part adds some."""

from __future__ import annotations

import io

import msgspec
import pyoxigraph

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, quad, term, typed_literal
from bibld.protocols import ReleaseDraft

RUN_FILE = "run.nq"
"""The quads of the graph ``run``."""

PREFIXES = {prefix: rdf.PREFIXES[prefix] for prefix in ("void", "dcterms", "foaf", "skos", "prov", "owl", "xsd")}
"""The prefixes that the description is written with in Turtle."""


def number(count: int) -> str:
    """Write a count as a term."""
    return typed_literal(str(count), "integer")


def add_run_statements(draft: ReleaseDraft, lines: tuple[str, ...]) -> ReleaseDraft:
    """Add statements to the graph ``run``, count there all quads of the release, and write the files again.

    The counts are of this graph and of the dataset, as far as the quads of the other graphs have been counted.
    """
    iris = Iris(draft.manifest.dataset.base)
    dataset, graph = iri(iris.dataset), iri(iris.graph("run"))
    counted = (f"{dataset} {term('void:triples')} ", f"{graph} {term('void:triples')} ")
    others = {line for line in draft.run_statements if not line.startswith(counted)} | set(lines)
    others.add(quad(dataset, term("void:subset"), graph, graph))
    in_other_graphs = draft.manifest.figures.quads
    in_run = len(others) + (2 if in_other_graphs else 1)
    others.add(quad(graph, term("void:triples"), number(in_run), graph))
    if in_other_graphs:
        others.add(quad(dataset, term("void:triples"), number(in_other_graphs + in_run), graph))
    draft = msgspec.structs.replace(draft, run_statements=tuple(sorted(others)))
    write_statements(draft)
    return draft


def write_statements(draft: ReleaseDraft) -> None:
    """Write the description of the dataset, if it has been made, and the statements about the run.

    ``void.ttl`` has both, because only the run knows which dumps and patches the release has.
    """
    if draft.run_statements:
        (draft.folder / RUN_FILE).write_text("".join(draft.run_statements), encoding="utf-8")
    if draft.description != draft.source_statements:
        lines = "".join(sorted({*draft.description, *draft.run_statements}))
        triples = (each.triple for each in pyoxigraph.parse(lines.encode(), format=pyoxigraph.RdfFormat.N_QUADS))
        out = io.BytesIO()
        pyoxigraph.serialize(triples, out, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES)
        (draft.folder / "void.ttl").write_bytes(out.getvalue())
