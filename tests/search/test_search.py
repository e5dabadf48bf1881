"""Names in releases: what is found, in which release, and that a difference ends in the same as a complete fill."""

import itertools
from pathlib import Path

import pytest

from bibld.documents import ReleaseState, fill, open_published, published_releases, update
from bibld.model.rdf import quad, term
from bibld.search import EntryKind, open_search, to_words, write_search

BASE = "https://data.example.org/"


def line(path: str, predicate: str, value: str) -> str:
    return quad(f"<{BASE}{path}>", term(predicate), value)


def book(path: str, title: str, isbn: str = "") -> list[str]:
    lines = [line(path, "dcterms:title", f'"{title}"@ru'), line(path, "dcterms:creator", f"<{BASE}agent/1>")]
    return lines + ([line(path, "schema:isbn", f'"{isbn}"')] if isbn else [])


PERSON = [
    line("agent/1", "rdf:type", "<http://xmlns.com/foaf/0.1/Person>"),
    line("agent/1", "rdfs:label", '"Ахматова, Анна"@ru'),
    line("agent/1", "skos:altLabel", '"Akhmatova, \\"Anna\\""'),
    line("agent/1", "schema:birthDate", '"1889"'),
]


def state(number: int) -> ReleaseState:
    return ReleaseState(number, f"2026-01-{number:02}T00:00:00Z", number * 10)


def publish(
    folder: Path, number: int, after: list[str], before: list[str] | None = None, withdraw: bool = False
) -> None:
    if before is None:
        fill(folder, BASE, state(number), ["".join(after).encode()], withdraw)
    else:
        wanted = set(after)
        changed = sorted((one.rstrip("\n").encode(), one in wanted) for one in wanted.symmetric_difference(before))
        update(folder, BASE, state(number), changed)
    previous = None if before is None else folder / str(number - 1)
    with open_published(folder, number) as view:
        write_search(folder / str(number), BASE, view, previous)


def paths(folder: Path, release: int, text: str, *kinds: EntryKind, is_prefix: bool = False) -> list[str]:
    view = open_search(folder / str(release))
    try:
        return [each.path for each in view.find(text, kinds, is_prefix)]
    finally:
        view.close()


def test_things_are_found_by_any_of_their_names_without_case_and_diacritics(tmp_path):
    publish(tmp_path, 1, [*PERSON, *book("resource/a/1", "Чётки"), *book("resource/a/2", "Белая стая")])
    for text in ("четки", "ЧЁТКИ", "Че\u0308тки!"):
        assert paths(tmp_path, 1, text) == ["resource/a/1"]
    for text in ("анна ахматова", "akhmatova anna"):
        assert paths(tmp_path, 1, text) == ["agent/1"]
    assert paths(tmp_path, 1, "ахматова", EntryKind.PUBLICATION) == []
    assert paths(tmp_path, 1, "ахм", EntryKind.PERSON, is_prefix=True) == ["agent/1"]
    assert paths(tmp_path, 1, "") == paths(tmp_path, 1, "...") == []


def test_a_row_has_kind_names_and_values(tmp_path):
    publish(tmp_path, 1, [*PERSON, *book("resource/a/1", "Чётки", "978-5-280-01000-0")])
    view = open_search(tmp_path / "1")
    person, publication = view.named("agent/1"), view.named("resource/a/1")
    view.close()
    assert person is not None and publication is not None
    assert (person.kind, person.data) == (EntryKind.PERSON, {"birth": ("1889",)})
    assert person.forms == ("Ахматова, Анна", 'Akhmatova, "Anna"')
    assert publication.data == {"isbn": ("978-5-280-01000-0",), "author": ("agent/1",)}
    assert paths(tmp_path, 1, "9785280010000") == ["resource/a/1"]


def test_without_a_name_that_has_all_words_the_rarest_ones_decide(tmp_path):
    publish(tmp_path, 1, [*book("resource/a/1", "Вечер и утро"), *book("resource/a/2", "Вечер и ночь")])
    assert paths(tmp_path, 1, "утро вечер дня") == ["resource/a/1", "resource/a/2"]


@pytest.mark.parametrize(
    "text", ['"', "a OR", "NEAR(", "*", "-x", "forms:x", "'; DROP TABLE entry; --", "\x00", "x" * 100_000]
)
def test_no_text_is_more_than_words(tmp_path, text):
    publish(tmp_path, 1, book("resource/a/1", "Чётки"))
    assert paths(tmp_path, 1, text) == []
    assert paths(tmp_path, 1, f"чётки {text}"[:50], is_prefix=True) in ([], ["resource/a/1"])


def test_each_release_has_its_names_and_a_difference_gives_the_same_as_a_fill(tmp_path):
    first = [*PERSON, *book("resource/a/1", "Чётки"), *book("resource/a/2", "Вечер")]
    second = [*PERSON, *book("resource/a/1", "Подорожник"), *book("resource/a/3", "Вечер")]
    publish(tmp_path, 1, first)
    publish(tmp_path, 2, second, first)
    assert paths(tmp_path, 1, "чётки") == ["resource/a/1"]
    assert paths(tmp_path, 2, "чётки") == []
    assert paths(tmp_path, 2, "подорожник") == ["resource/a/1"]
    assert (paths(tmp_path, 1, "вечер"), paths(tmp_path, 2, "вечер")) == (["resource/a/2"], ["resource/a/3"])
    other = tmp_path / "other"
    other.mkdir()
    publish(other, 2, second)
    for word in ("чётки", "подорожник", "вечер", "ахматова"):
        assert paths(other, 2, word) == paths(tmp_path, 2, word)


def test_a_release_that_is_written_again_changes_nothing(tmp_path):
    first, second = book("resource/a/1", "Чётки"), book("resource/a/1", "Вечер")
    publish(tmp_path, 1, first)
    publish(tmp_path, 2, second, first)
    with open_published(tmp_path, 2) as view:
        write_search(tmp_path / "2", BASE, view, tmp_path / "1")
    assert paths(tmp_path, 1, "чётки") == paths(tmp_path, 2, "вечер") == ["resource/a/1"]


def test_what_is_withdrawn_is_in_no_byte_of_the_index(tmp_path):
    publish(tmp_path, 1, [*book("resource/a/1", "Сокровенное"), *book("resource/a/2", "Вечер")])
    publish(tmp_path, 2, book("resource/a/2", "Вечер"), withdraw=True)
    for word, release in itertools.product(("сокровенное", "Сокровенное"), (1, 2)):
        files = (tmp_path / str(release) / "search").iterdir()
        assert any(word.encode() in file.read_bytes() for file in files) == (release == 1)
    assert published_releases(tmp_path)


def test_words_are_compared_without_case_and_diacritics():
    assert to_words("Ёж, Tolstoĭ & É-É") == ["еж", "tolstoi", "e", "e"]
