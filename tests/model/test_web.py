"""What may become a link: one rule for configuration, data and pages."""

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld import config
from bibld.errors import ConfigError
from bibld.model.iris import is_web_iri, web_iri

GOOD = (
    "https://example.org/",
    "http://example.org:65535/a/b;c?d=e&f=%D0%B0#g",
    "http://[2001:db8::1]:8000/",
    "https://пример.рф/данные/",
    "HTTP://EXAMPLE.ORG",
)
BAD = (
    "https://user:password@example.org/",
    "https://user@example.org/",
    "https://example.org:65536/",
    "https://example.org:port/",
    "https://example.org\t/",
    "https://example.org/\x85",
    "https://example.org/\x00",
    "https://example.org/a b",
    "https://example.org/\u202e",
    "https://[:::]/",
    "https:///path",
    "//example.org/",
    "javascript:alert(1)",
    "ftp://example.org/",
    "",
)


@pytest.mark.parametrize("text", GOOD)
def test_an_address_of_the_web(text):
    assert is_web_iri(text)
    assert web_iri(f" {text} ") == text


@pytest.mark.parametrize("text", BAD)
def test_no_address_of_the_web(text):
    assert not is_web_iri(text)


@pytest.mark.parametrize("base", ["https://user:password@example.org/", "https://example.org:99999/"])
def test_the_configuration_has_the_same_rule(tmp_path, base):
    file = tmp_path / "bibld.toml"
    file.write_text(f'[dataset]\nbase = "{base}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be the base"):
        config.load(file)


@given(st.from_regex(r"https?://[ -~а-я\u0080-\u00ff\[\]:]{0,30}", fullmatch=True))
def test_an_address_of_the_web_is_an_iri_to_a_strict_reader(text):
    if is_web_iri(text):
        (quad,) = ox.parse(f"<http://a.example/> <http://b.example/> <{text}> .", ox.RdfFormat.N_QUADS)
        assert quad.object.value == text
