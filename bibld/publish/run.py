"""The provenance of the run that makes the release: its time and its settings. No other statement contains a time."""

from __future__ import annotations

import msgspec

from bibld._version import __version__
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, term, typed_literal
from bibld.protocols import ReleaseDraft
from bibld.publish._files import add_run_statements

NEEDS: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``run.nq``; the dumps do not contain it, so that two runs over the same data have the same dumps."""
    manifest = draft.manifest
    iris = Iris(manifest.dataset.base)
    graph = iri(iris.graph("run"))
    dataset, activity, software = iri(iris.dataset), iri(f"{iris.dataset}#run"), iri(f"{iris.dataset}#bibld")
    return add_run_statements(
        draft,
        (
            quad(dataset, term("prov:wasGeneratedBy"), activity, graph),
            quad(dataset, term("owl:versionInfo"), literal(str(manifest.number)), graph),
            quad(dataset, term("dcterms:modified"), typed_literal(manifest.created, "dateTime"), graph),
            quad(activity, term("rdf:type"), term("prov:Activity"), graph),
            quad(activity, term("prov:startedAtTime"), typed_literal(manifest.created, "dateTime"), graph),
            quad(activity, term("prov:wasAssociatedWith"), software, graph),
            quad(activity, term("dcterms:identifier"), literal(manifest.made_by), graph),
            quad(software, term("rdf:type"), term("prov:SoftwareAgent"), graph),
            quad(software, term("rdfs:label"), literal(f"bibld {__version__}"), graph),
        ),
    )
