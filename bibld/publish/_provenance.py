"""What made a release: the run, its beginning and its settings. The only statements that hold a time."""

from __future__ import annotations

from bibld import __version__
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, term, typed


def run_quads(iris: Iris, number: int, created: str, made_by: str) -> list[str]:
    """The lines about the run that made release ``number`` at ``created`` (ISO 8601, UTC), in the graph ``run``."""
    graph = iri(iris.graph("run"))
    dataset = iri(iris.dataset)
    activity = iri(f"{iris.dataset}#run")
    software = iri(f"{iris.dataset}#bibld")
    return [
        quad(dataset, term("prov:wasGeneratedBy"), activity, graph),
        quad(dataset, term("owl:versionInfo"), literal(str(number)), graph),
        quad(dataset, term("dcterms:modified"), typed(created, "dateTime"), graph),
        quad(activity, term("rdf:type"), term("prov:Activity"), graph),
        quad(activity, term("prov:startedAtTime"), typed(created, "dateTime"), graph),
        quad(activity, term("prov:wasAssociatedWith"), software, graph),
        quad(activity, term("dcterms:identifier"), literal(made_by), graph),
        quad(software, term("rdf:type"), term("prov:SoftwareAgent"), graph),
        quad(software, term("rdfs:label"), literal(f"bibld {__version__}"), graph),
    ]
