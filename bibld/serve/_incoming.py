"""What points to an entity, page by page, as data (https://www.hydra-cg.com/spec/latest/core/)."""

from __future__ import annotations

from bibld.model.iris import Iris
from bibld.model.rdf import XSD, iri, literal, quad, term
from bibld.serve._graph import Incoming

HYDRA = "http://www.w3.org/ns/hydra/core#"


def page_lines(iris: Iris, path: str, page: int, incoming: Incoming, size: int) -> bytes:
    """Return the statements that point to the entity with this path, then those about the page and its neighbours."""
    thing = iri(iris.base + path)
    statements = sorted(
        quad(iri(subject), iri(predicate), thing) for each in incoming.things for subject, predicate in each.statements
    )
    document = f"{iris.base}doc/{path}"
    last = max(1, -(-incoming.total // size))
    neighbours = {"first": 1, "previous": page - 1, "next": page + 1, "last": last}
    name = iri(f"{document}?page={page}")
    about = [
        quad(iri(document), term("void:subset"), name),
        quad(name, term("foaf:primaryTopic"), thing),
        quad(name, term("rdf:type"), iri(f"{HYDRA}PartialCollectionView")),
        *(
            quad(name, iri(HYDRA + relation), iri(f"{document}?page={number}"))
            for relation, number in neighbours.items()
            if 1 <= number <= last
        ),
    ]
    if incoming.is_all:
        number = literal(str(incoming.total), datatype=f"{XSD}integer")
        about.append(quad(name, iri(f"{HYDRA}totalItems"), number))
    return "".join([*statements, *sorted(about)]).encode()
