"""No record breaks a page: whatever a description contains, its pages are well-formed and escaped, in each language."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bibld.model import mods as m
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.origin import RecordId
from bibld.serve._addresses import Addresses
from bibld.serve._graph import ReleaseGraph
from bibld.serve._language import language_named
from bibld.serve._pages import Pages
from bibld.serve._things import OpenRelease, Thing
from bibld.serve.ontology import load_vocabulary
from tests.serve.test_pages import FOUNDER, MATCH, Page
from tests.strategies import mods

MEMBER = RecordId("nlr", "0042 17")
ATTACK = "</script></title></pre><script>alert(1)</script><b onclick='x'>\"&amp;"
ATTACKED = re.compile(r"<script>alert|<b onclick", re.IGNORECASE)


class OfDescriptions:
    """A catalog in which all records have given descriptions."""

    def __init__(self, catalog, descriptions):
        self._catalog = catalog
        self._descriptions = descriptions

    def __getattr__(self, name):
        return getattr(self._catalog, name)

    def record(self, record):
        number = 0 if record == FOUNDER else 1
        stored = self._catalog.record(FOUNDER)
        return msgspec.structs.replace(stored, id=record, mods=self._descriptions[number])

    def merged(self, founder):
        return None


@pytest.fixture(scope="module")
def pages_of(site):
    graph = ReleaseGraph(site.store.open())
    addresses = Addresses(Iris(site.manifest.dataset.base))
    vocabulary = load_vocabulary(addresses.iris)

    def make(descriptions, language):
        catalog = OfDescriptions(site.catalog, descriptions)
        release = OpenRelease(site.manifest, catalog, graph, addresses, vocabulary, site.original, b"")
        pages = Pages(release, None, language_named(language))
        base = site.manifest.dataset.base
        members = (FOUNDER, MEMBER)
        sources = (ValueSource("title_info/0", members), ValueSource("title_info/0#1", (MEMBER,), ATTACK))
        merged = Merged(Cluster(FOUNDER, members), descriptions[0], sources)
        edge = site.catalog.edges_of(members)[0]
        path = MATCH.removeprefix("/lod/").removesuffix(".html")
        things = (
            Thing("resource", f"resource/{FOUNDER.path}", f"{base}resource/{FOUNDER.path}", merged=merged),
            Thing("record", f"record/{FOUNDER.path}", f"{base}record/{FOUNDER.path}", record=catalog.record(FOUNDER)),
            Thing("match", path, f"{base}{path}", edge=edge),
        )
        return [pages.document(thing, []).decode() for thing in things]

    return make


def check(text: str) -> None:
    seen = Page(text)
    assert seen.open == []
    assert not ATTACKED.search(text)
    assert [name for name, _ in seen.tags].count("h1") == 1
    assert not any(name.startswith("on") or name == "style" for _, attributes in seen.tags for name in attributes)
    for attributes in seen.of("a"):
        assert re.match(r"https?://|/|#", attributes["href"])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(one=mods(), other=mods(), language=st.sampled_from(["en", "ru"]))
def test_any_two_descriptions_have_pages(pages_of, one, other, language):
    for text in pages_of((one, other), language):
        check(text)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(described=mods())
def test_markup_in_any_value_is_text(pages_of, described):
    hostile = _attacked(described)
    for text in pages_of((hostile, described), "en"):
        check(text)


def _attacked(value):
    """Return a value of a description with markup in each text."""
    if isinstance(value, str):
        return value + ATTACK
    if isinstance(value, tuple):
        return tuple(map(_attacked, value))
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: _attacked(getattr(value, name)) for name in value.__struct_fields__})
    return value


def test_an_empty_description_has_pages_that_name_it_without_title(pages_of):
    for text in pages_of((m.Mods(), m.Mods()), "ru"):
        check(text)
        assert "Без заглавия" in text
