"""Links: what of a record may become an IRI."""

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.iris import web_iri
from bibld.model.mods import Mods, Name, NamePart, RelatedItem, TitleInfo
from bibld.model.rdf import iri
from bibld.triplify import cluster_statements
from bibld.triplify._identity import parse_identity
from tests.strategies import any_texts
from tests.triplify.merged_book import IRIS, alone


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/",
        "http://example.org:8080/a/b;c?d=e&f=%D0%B0#g",
        "https://пример.рф/книга",
        " https://example.org/x ",
        "HTTP://EXAMPLE.ORG",
    ],
)
def test_web_addresses_are_links(text):
    assert web_iri(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//example.org/",
        "www.example.org",
        "http://",
        "http://user:secret@example.org/",
        "http://example.org/a b",
        'http://example.org/"><script>',
        "http://example.org/%zz",
        "http://example.org/a#b#c",
        "http://example.org/\u202e",
        "ftp://example.org/",
        "",
    ],
)
def test_nothing_else_is_a_link(text):
    assert web_iri(text) is None


@given(any_texts() | st.from_regex(r"https?://[ -~а-я]{0,30}", fullmatch=True))
def test_what_is_a_link_can_be_read_by_a_strict_parser(text):
    found = web_iri(text)
    if found is not None:
        line = f"<http://a.example/> <http://b.example/> {iri(found)} .\n"
        (quad,) = ox.parse(line, ox.RdfFormat.N_QUADS)
        assert quad.object.value == found


@pytest.mark.parametrize(
    ("text", "scheme", "key", "link"),
    [
        ("http://viaf.org/viaf/96987389", None, "viaf-96987389", "http://viaf.org/viaf/96987389"),
        ("https://www.viaf.org/viaf/96987389/", None, "viaf-96987389", "http://viaf.org/viaf/96987389"),
        ("96987389", "viaf", "viaf-96987389", "http://viaf.org/viaf/96987389"),
        ("http://d-nb.info/gnd/118540238", None, "gnd-118540238", "https://d-nb.info/gnd/118540238"),
        ("(DE-588)118540238", None, "gnd-118540238", "https://d-nb.info/gnd/118540238"),
        ("0000 0001 2103 2683", "isni", "isni-0000000121032683", "https://isni.org/isni/0000000121032683"),
        ("(DLC)n  79068416", None, "lcnaf-n79068416", "http://id.loc.gov/authorities/names/n79068416"),
        (
            "http://id.loc.gov/rwo/agents/n79068416",
            None,
            "lcnaf-n79068416",
            "http://id.loc.gov/authorities/names/n79068416",
        ),
        ("https://example.org/people/1", None, "https://example.org/people/1", "https://example.org/people/1"),
        ("RU\\NLR\\auth\\77571", "local", "RU\\NLR\\auth\\77571", None),
        ("(RuMoRGB)000107402", None, "(RuMoRGB)000107402", None),
        ("77571", "local", "rsl:77571", None),
        ("not a number", "viaf", "rsl:not a number", None),
    ],
)
def test_authority_identifiers_have_one_key_however_they_are_written(text, scheme, key, link):
    found = parse_identity(text, scheme, "rsl")
    assert found is not None
    assert (found.key, found.iri) == (key, link)


@pytest.mark.parametrize("text", ["  ", "(DE-588)118540239", "http://d-nb.info/gnd/118540239", "(IdRef)026860181"])
def test_an_empty_identifier_and_one_with_a_wrong_check_digit_identify_nothing(text):
    assert parse_identity(text, None, "rsl") is None


@given(any_texts())
def test_identities_never_fail_and_their_links_are_links(text):
    found = parse_identity(text, None, "rsl")
    assert found is None or found.iri is None or web_iri(found.iri) == found.iri


def test_a_series_under_a_name_has_the_name_and_the_link_of_its_heading():
    series = RelatedItem(
        type="series",
        xlink_href="http://id.loc.gov/authorities/names/n42000001",
        mods=Mods(
            title_info=(TitleInfo("Report", part_number=("5",)),),
            name=(Name((NamePart("United States"), NamePart("Congress")), type="corporate"),),
        ),
    )
    made = cluster_statements(alone(Mods(related_item=(series,))), [], IRIS)
    (claim,) = [claim for claim in made.claims if claim.kind == "series"]
    assert claim.value.label.text == "United States. Congress. Report"
    assert claim.value.links == ("http://id.loc.gov/authorities/names/n42000001",)
