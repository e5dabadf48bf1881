"""Addresses in the libraries' own catalogues."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.config import SourceConfig
from bibld.model.iris import is_web_iri
from bibld.model.opac import catalogue_address, template_fault, unknown_placeholders

HOST = "https://opac.example.org"


@pytest.mark.parametrize(
    ("template", "values", "address"),
    [
        ("/record/{id}", ("01004039769",), "/record/01004039769"),
        ("/r?id={id}&lang=ru", ("RU\\NLR\\bibl 1/2",), "/r?id=RU%5CNLR%5Cbibl%201%2F2&lang=ru"),
        ("/find?q={isbn}", ("1", "5280010000"), "/find?q=5280010000"),
        ("/shelf/{call_number}", ("1", "", "Б 84/12"), "/shelf/%D0%91%2084%2F12"),
        ("/{id}/{isbn}", ("1", "2"), "/1/2"),
        ("/find?q={isbn}", ("1",), ""),  # the record has no ISBN
    ],
)
def test_values_are_percent_encoded_and_a_missing_one_gives_no_address(template, values, address):
    found = catalogue_address(SourceConfig("rsl", catalogue_url=HOST + template), *values)
    assert found == (HOST + address if address else "")


def test_without_a_template_there_is_no_address():
    assert catalogue_address(SourceConfig("rsl"), "1", "2", "3") == ""


@given(st.text(min_size=1))
def test_no_value_changes_server_path_or_query(value):
    address = catalogue_address(SourceConfig("rsl", catalogue_url=f"{HOST}/r/{{id}}?x=1"), value.replace("\ud800", "x"))
    parts = urlsplit(address)
    assert is_web_iri(address)
    assert (parts.netloc, parts.query, parts.fragment, parts.path.count("/")) == ("opac.example.org", "x=1", "", 2)


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (f"{HOST}/{{id}}", ""),
        ("http://[::1]:8080/?n={call_number}", ""),
        ("ftp://opac.example.org/{id}", "is not a web address"),
        ("javascript:alert({id})", "is not a web address"),
        ("/record/{id}", "is not a web address"),
        ("https://[opac/{id}", "is not a web address"),
        (f"{HOST}/{{id", "is not a web address"),
        (f"{HOST}/{'x' * 2000}{{id}}", "is not a web address"),
        ("https://{id}.example.org/", "before the path"),
        (HOST, "has no placeholder"),
    ],
)
def test_a_template_is_a_web_address_with_placeholders(template, fault):
    found = template_fault(template)
    assert fault in found
    assert bool(found) == bool(fault)


def test_unknown_placeholders_are_named():
    assert unknown_placeholders(f"{HOST}/{{id}}/{{title}}/{{}}") == ["title", ""]
