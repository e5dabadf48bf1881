"""Pages are in one language: no English on Russian pages, and the reverse, but for what records state."""

from __future__ import annotations

import gzip
import re
import shutil
from urllib.parse import quote

import pyoxigraph as ox
import pytest
from lxml import html

import bibld
from bibld._api.site import open_site
from tests.docs.pages import script
from tests.serve.client import running

PAGES = (
    "/", "/about", "/dataset", "/ontology", "/sparql", "/search", "/match", "/review", "/list", "/browse",
    "/report", "/report/quality.html", "/report/matching.html", "/dataset/rsl", "/dataset/nlr", "/worklist/rsl",
    "/worklist/nlr", "/worklist/slavica", "/nothing", "/resource/rsl/nothing", "/search?q=толстой",
    "/search?q=tolstoi", "/search?q=ajshdkjahsd", "/search?q=9785710765128", "/search?q=библиогр",
    "/search?q=5-17-000000-0", "/sparql?query=SELEC",
    "/sparql?query=SELECT+*+%7B%3Fs+%3Fp+%3Fo%7D+LIMIT+5&format=html", "/sparql?example=01-by-isbn",
    "/sparql?query=ASK+%7B%7D&format=html", "/browse/people", "/browse/subjects", "/browse/publishers",
    "/browse/series", "/browse/udc", "/browse/bbk", "/ontology/bibld", "/search?q=война&sort=-year",
)  # fmt: skip
KINDS = (
    "resource",
    "record",
    "match",
    "work",
    "agent",
    "concept",
    "place",
    "publisher",
    "series",
    "neighbourhood",
    "graph",
)
LATIN, CYRILLIC = r"[A-Za-z]{3,}", r"[А-Яа-яЁё]{3,}"
NO_WORDS = (
    "//script|//style|//code|//pre|//textarea|//dl[@class='citations']|//*[@class='on-paper']|//nav[@class='languages']"
)
ATTRIBUTES = ("title", "placeholder", "aria-label", "alt")


@pytest.fixture(scope="module")
def own(workspace, tmp_path_factory) -> bibld.Workspace:
    folder = shutil.copytree(workspace.path.parent, tmp_path_factory.mktemp("languages") / "sample")
    own = bibld.Workspace(folder / "bibld.toml")
    own.worklist()
    return own


@pytest.fixture(scope="module")
def server(own):
    with running(open_site(own, own.config.serve)) as client:
        yield client


@pytest.fixture(scope="module")
def stated(own) -> str:
    """All literals of the data, in one text: names, titles, and what records state in their languages."""
    dump = next((own.config.workspace / "releases").glob("*/bibld.nq.gz"))
    data = gzip.decompress(dump.read_bytes())
    literals = {
        str(quad.object.value) for quad in ox.parse(data, ox.RdfFormat.N_QUADS) if isinstance(quad.object, ox.Literal)
    }
    return " \n".join(sorted(literals))


@pytest.fixture(scope="module")
def pages(server) -> list[str]:
    """The addresses: those above, and two of each kind of thing that they lead to."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    waiting = ["/search?q=толстой", "/search?q=война", "/dataset"]
    for path in waiting:
        for link in re.findall(r'href="(/[^"#?]*)"', page_at(server, path)):
            kind = link.split("/")[1]
            if kind in found and link not in found[kind] and len(found[kind]) < 2:
                found[kind].append(link)
                waiting.append(link)
    assert all(found.values()), found
    return [*PAGES, *(link for links in found.values() for link in links)]


def page_at(server, path: str) -> str:
    """The page that an address leads to; empty if it is none."""
    response = server.get(quote(path, safe="/?=&%+~"), "text/html")
    while response.is_redirect:
        response = server.get(response.headers["location"], "text/html")
    return response.text if response.headers["content-type"].startswith("text/html") else ""


def words_of_messages(pattern: str) -> set[str]:
    """The words of the pages' messages, or of their translations, that the other language does not have, too."""
    english, russian = set(), set()
    files = script("messages").stored("ru", "pages").values()
    for (one, many, _), texts in (entry for file in files for entry in file.items()):
        plain = [re.sub(r"%\(\w+\)s|<[^>]*>|`[^`]*`", "", text) for text in (one, many, *texts)]
        for text in plain[:2]:
            english |= {word.lower() for word in re.findall(pattern, text)}
        for text in plain[2:]:
            russian |= {word.lower() for word in re.findall(pattern, text)}
    return english - russian if pattern == LATIN else russian - english


def texts_of(page: str, language: str) -> list[str]:
    """The texts of a page, without code and what is marked as another language."""
    document = html.fromstring(page)
    others = f"{NO_WORDS}|//*[@lang and not(starts-with(@lang, '{language}'))]"
    for element in document.xpath(others):
        if element.getparent() is not None:
            element.drop_tree()
    elements = [element for element in document.iter() if isinstance(element.tag, str)]
    texts = [text for each in elements for text in (each.text, each.tail, *map(each.get, ATTRIBUTES))]
    return [" ".join(text.split()) for text in texts if text]


def foreign(page: str, language: str, words: set[str], stated: str) -> list[str]:
    """The texts with words of the other language that no record states."""
    pattern = LATIN if language == "ru" else CYRILLIC
    found = []
    for text in texts_of(page, language):
        parts = re.split(r"`[^`]*`|--|[—–…·«»“”()\[\]]|[:;,.] ", text.replace("\xa0", " "))
        unknown = [part for part in parts if part.strip() and part.strip() not in stated]
        hits = [word for part in unknown for word in re.findall(rf"(?<![\w@./:#-]){pattern}(?![\w.:/@#-])", part)]
        if any(word.lower() in words for word in hits):
            found.append(text)
    return found


ALLOWED = re.compile(r"ctx_ver=|The bibld developers|same \(|^(dataset|ontology)#|schema:|^[\w-]+$")
"""COinS, the publisher, values of the data, addresses, terms, and the names of identifiers."""


@pytest.mark.parametrize(("language", "pattern"), [("ru", LATIN), ("en", CYRILLIC)])
def test_pages_have_no_words_of_the_other_language(server, pages, stated, language, pattern):
    assert len(pages) >= 40
    words = words_of_messages(pattern)
    found = {}
    for path in pages:
        page = page_at(server, f"{path}{'&' if '?' in path else '?'}lang={language}")
        hits = [text for text in foreign(page, language, words, stated) if not ALLOWED.search(text)] if page else []
        found |= {path: hits} if hits else {}
    assert not found, "\n".join(f"{path}: {text}" for path, texts in found.items() for text in texts)
