"""The class of BIBFRAME that a form gives a publication."""

import pytest

from bibld.model.mods import Form, Mods, PhysicalDescription
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import IRIS, Quads, alone

BIBFRAME = "http://id.loc.gov/ontologies/bibframe/"


@pytest.mark.parametrize(
    ("form", "classes"),
    [
        (Form("print", authority="marcform"), {"Print"}),
        (Form("electronic", authority="marcform"), {"Electronic"}),
        (Form("print"), set()),
        (Form("braille", authority="marcform"), set()),
    ],
)
def test_a_form_of_the_marc_list_is_a_class_if_bibframe_has_one(form, classes):
    mods = Mods(physical_description=(PhysicalDescription(form=(form,)),))
    made = Quads(cluster_statements(alone(mods), [], IRIS).quads)
    found = {name.removeprefix(BIBFRAME) for name in made.values("rdf:type")}
    assert found & {"Print", "Electronic", "Manuscript"} == classes
    assert any(value.startswith(form.value) for value in made.values("dc:format"))
