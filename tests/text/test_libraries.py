"""The table of libraries: codes, names, and which texts it must not take for a code."""

import re
from importlib import resources

import pytest

from bibld.model.rdf import is_language_tag
from bibld.text.libraries import code_list, find_library, is_isil, is_library_code, normalise_marc_code

LINES = [
    line.split("\t")
    for line in resources.files("bibld.text").joinpath("libraries.csv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_every_line_has_codes_and_names_with_languages():
    for codes, *others in LINES:
        assert codes.split() and others
        for other in others:
            language, _, name = other.partition(":")
            assert other.startswith("=") or (is_language_tag(language) and name.strip() == name and name)


def test_no_code_and_no_name_is_that_of_two_libraries():
    codes = [code for line in LINES for code in line[0].split()]
    names = [other.partition(":")[2] or other for line in LINES for other in line[1:]]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)


def test_isil_have_the_form_of_iso_15511():
    first = [line[0].split()[0] for line in LINES]
    assert all(is_isil(code) for code in first if re.match("(DE|US|FR|IT|CA|AU)-", code))


@pytest.mark.parametrize("siglum", ["PL-Kj", "NL-Lu", "GB-Lbl", "US-Wc", "CZ-K", "D-OB"])
def test_a_siglum_of_rism_is_a_code_and_no_isil(siglum):
    assert is_library_code(siglum)
    assert not is_isil(siglum)
    assert code_list(siglum) is None


@pytest.mark.parametrize(
    ("text", "is_marc_code", "code"),
    [
        ("DE-101", False, "DE-101"),
        ("DLC", False, "US-DLC"),
        ("US-DLC", False, "US-DLC"),
        ("CSt", False, "US-CSt"),
        ("MH-H", False, "US-MH-H"),
        ("GB-Lbl", False, "Uk"),
        ("library of congress", False, "US-DLC"),
        ("NN", True, "US-NN"),
        ("NN", False, None),
        ("ICU", False, None),
        ("Uk", False, None),
        ("dlc", False, None),
        ("de-101", False, None),
        ("ALDERMAN", False, None),
        ("РГБ", False, "RuMoRGB"),
        ("ЦБ", False, None),
    ],
)
def test_a_library_is_found_by_a_code_that_means_no_other(text, is_marc_code, code):
    found = find_library(text, is_marc_code)
    assert (found.code if found else None) == code


@pytest.mark.parametrize(
    ("code", "list_"),
    [
        ("DE-101a", "isil"),
        ("MH-H", "marcorg"),
        ("CU-S", "marcorg"),
        ("InU", "marcorg"),
        ("CaOWtU", "marcorg"),
        ("IT-AL0073", "isil"),
        ("State Library", None),
        ("РГБ", None),
        ("", None),
    ],
)
def test_the_list_of_a_code_is_that_whose_form_it_has(code, list_):
    assert code_list(code) == list_


@pytest.mark.parametrize(("code", "normalised"), [("DLC", "dlc"), ("MH-H", "mhh"), ("CU-BANC", "cubanc")])
def test_codes_in_iris_have_no_hyphens(code, normalised):
    assert normalise_marc_code(code) == normalised
