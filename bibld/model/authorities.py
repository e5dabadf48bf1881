"""The datasets of authority files: what the IRIs of links belong to."""

from __future__ import annotations

from bibld.model.iris import Iris

LINK_GRAPH = "links-"
"""What the names of graphs with links to an authority file begin with; its short name follows."""

_DATASETS = {
    "viaf": "http://viaf.org/",
    "gnd": "https://d-nb.info/gnd/",
    "isni": "https://isni.org/",
    "lcnaf": "http://id.loc.gov/authorities/names",
    "lcsh": "http://id.loc.gov/authorities/subjects",
    "lcgft": "http://id.loc.gov/authorities/genreForms",
    "wikidata": "http://www.wikidata.org/",
    "orcid": "https://orcid.org/",
    "fast": "http://id.worldcat.org/fast/ontology/1.0/#fast",
    "mesh": "http://id.nlm.nih.gov/mesh",
    "bnf": "https://data.bnf.fr/",
    "geonames": "https://sws.geonames.org/",
}


def dataset_of_authority(name: str, iris: Iris) -> str:
    """Return the IRI of the dataset of an authority file by its short name; of an unknown one, an IRI of this site."""
    return _DATASETS.get(name, f"{iris.dataset}#{name}")
