"""What made a release: the run, its beginning and its settings. The only statements that hold a time."""

from __future__ import annotations

from bibld import __version__
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, typed

_PROV = "http://www.w3.org/ns/prov#"
_RDF_TYPE = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def run_quads(iris: Iris, number: int, created: str, made_by: str) -> list[str]:
    """The lines about the run that made release ``number`` at ``created`` (ISO 8601, UTC), in the graph ``run``."""
    graph = iri(iris.graph("run"))
    dataset = iri(iris.dataset)
    activity = iri(f"{iris.dataset}#run")
    software = iri(f"{iris.dataset}#bibld")
    return [
        quad(dataset, iri(f"{_PROV}wasGeneratedBy"), activity, graph),
        quad(dataset, iri("http://www.w3.org/2002/07/owl#versionInfo"), literal(str(number)), graph),
        quad(dataset, iri("http://purl.org/dc/terms/modified"), typed(created, "dateTime"), graph),
        quad(activity, _RDF_TYPE, iri(f"{_PROV}Activity"), graph),
        quad(activity, iri(f"{_PROV}startedAtTime"), typed(created, "dateTime"), graph),
        quad(activity, iri(f"{_PROV}wasAssociatedWith"), software, graph),
        quad(activity, iri("http://purl.org/dc/terms/identifier"), literal(made_by), graph),
        quad(software, _RDF_TYPE, iri(f"{_PROV}SoftwareAgent"), graph),
        quad(software, iri("http://www.w3.org/2000/01/rdf-schema#label"), literal(f"bibld {__version__}"), graph),
    ]
