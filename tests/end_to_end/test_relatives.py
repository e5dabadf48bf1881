"""Publications of the sample that are parts of others: their pages lead to each other."""

from __future__ import annotations

import httpx
import pytest
from lxml import html

JOURNAL, ISSUE = "resource/rsl/01006471111", "resource/nlr/RU~5CNLR~5Cbibl~5C696422"
SET, VOLUME = "resource/nlr/RU~5CNLR~5Cbibl~5C495639", "resource/nlr/RU~5CNLR~5Cbibl~5C612585"

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def sections(server: str):
    """The links of the sections of a page by their headings; those of the set under an empty heading."""
    with httpx.Client(base_url=server, timeout=600) as client:

        def read(path: str, language: str = "en") -> dict[str, list[str]]:
            page = html.fromstring(client.get(f"/doc/{path}.html?lang={language}").text)
            found = {"": page.xpath("//p[@class='part-of']/a[starts-with(@href, '/resource/')]/@href")}
            for section in page.xpath("//section[ul[@class='works']]"):
                found[section.xpath("string(h2/text())").strip()] = section.xpath("ul/li/a/@href")
            return found

        yield read


def test_a_journal_leads_to_its_issues_and_articles_and_these_back(sections):
    found = sections(JOURNAL)
    assert f"/{ISSUE}" in found["Issues"]
    assert found["Articles and chapters"] == ["/resource/rsl/01007760725"]
    assert sections(ISSUE)[""] == sections("resource/rsl/01007760725")[""] == [f"/{JOURNAL}"]
    assert f"/{ISSUE}" in sections(JOURNAL, "ru")["Выпуски"]


def test_a_set_leads_to_its_volumes_and_a_volume_to_the_set_and_the_other_volumes(sections):
    found = sections(SET)
    other = "/resource/nlr/RU~5CNLR~5Cbibl~5C118576"
    assert found["Volumes"] == [f"/{VOLUME}", other]
    assert found["Other editions"] == ["/resource/rsl/01002003420"]
    of_volume = sections(VOLUME)
    assert of_volume[""] == [f"/{SET}"]
    assert of_volume["Other volumes"] == [other]
    assert "Other editions" not in of_volume


def test_a_publication_leads_to_its_work(server: str):
    with httpx.Client(base_url=server, timeout=600) as client:
        page = html.fromstring(client.get(f"/doc/{SET}.html?lang=en").text)
    assert page.xpath("//p[@class='part-of']/a/@href") == [f"/{SET.replace('resource', 'work')}"]
