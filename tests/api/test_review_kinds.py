"""The review page for entities that may be the same and for links to authority files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import bibld
from bibld._api.site import ReviewDesk
from bibld.errors import ConfigError
from bibld.model.review import EntityPair, ItemKind, LinkCandidate, from_text, to_text
from bibld.serve._review.desk import Leases
from tests.api.test_review_page import PATH, Person, hidden, served
from tests.configuration import write_config
from tests.link.catalogue import AUTHORITY, BOOKS
from tests.serve.client import Client

SMITH = 'http://viaf.org/viaf/6,"Smith, John",,1921-1991,person,\n'
NAMESAKE = """\
=LDR  00000nam a2200000   4500
=001  4
=008  800101s1960    ru      b    000 0 rus  
=100  1\\$aКузнецов, Пётр Ильич,$d1901-1980.
=245  10$aДругая книга.

"""  # noqa: W291 - positions of field 008


def prepare_namesakes(folder: Path) -> bibld.Workspace:
    """Make a catalogue with two namesakes, and candidates for links, in a folder."""
    (folder / "books.mrk").write_text(BOOKS + NAMESAKE, encoding="utf-8")
    (folder / "people.csv").write_text(AUTHORITY + SMITH, encoding="utf-8")
    workspace = bibld.Workspace(write_config(folder, a="books.mrk"))
    workspace.run()
    workspace.links.update([folder / "people.csv"], review=0.05)
    workspace.run()
    return workspace


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    """The folder of a catalogue with two namesakes, and candidates for links."""
    folder: Path = tmp_path_factory.mktemp("prepared")
    prepare_namesakes(folder)
    return folder


@pytest.fixture
def own(prepared: Path, tmp_path: Path) -> bibld.Workspace:
    """A copy that a test may change."""
    shutil.copytree(prepared, tmp_path / "copy")
    return bibld.Workspace(tmp_path / "copy" / "bibld.toml")


@pytest.fixture
def server(own: bibld.Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    with served(own, monkeypatch) as client:
        yield client


def links_of(workspace: bibld.Workspace, status: str) -> set[str]:
    return {link.target.rpartition("/")[2] for link in workspace.links.table(status)}


def test_two_namesakes_are_shown_side_by_side_with_what_agrees_and_what_does_not(server):
    page = Person(server, "Анна", has_token=True).look(kind=ItemKind.ENTITIES)
    for text in ("1901-1970", "1901-1980", "Plumbing for everybody", "Другая книга", "the name and a year of life"):
        assert text in page
    assert "the year of death" in page
    assert 'class="differs"' in page
    assert 'name="relation"' not in page
    russian = Person(server, "Анна", has_token=True).look("ru", ItemKind.ENTITIES)
    assert "год смерти" in russian and "имя и год жизни" in russian


def test_a_verdict_about_names_is_stored_and_the_next_run_follows(server, own):
    anna = Person(server, "Анна", has_token=True)
    answered = anna.answer("same", ItemKind.ENTITIES, reason="one man")
    assert (answered.status_code, answered.headers["location"]) == (303, f"{PATH}?kind=entities")
    (verdict,) = own.review.entity_verdicts()
    assert (verdict.decision, verdict.person, verdict.reason) == ("same", "Анна", "one man")
    assert "Nothing waits for you" in anna.look(kind=ItemKind.ENTITIES)
    own.run()
    with own.catalog() as catalog:
        founders = {catalog.entities.founder_of_iri(one) for one in (verdict.left, verdict.right)}
    assert len(founders) == 1
    assert not ReviewDesk(own).waiting(ItemKind.ENTITIES)


def test_a_verdict_about_names_is_undone_from_any_kind_of_pair(server, own):
    anna = Person(server, "Анна", has_token=True)
    anna.answer("different", ItemKind.ENTITIES)
    undone = anna.answer("undo", ItemKind.LINKS)
    assert (undone.status_code, undone.headers["location"]) == (303, f"{PATH}?kind=entities")
    assert not own.review.entity_verdicts()
    assert "1901-1980" in anna.look(kind=ItemKind.ENTITIES)


def test_names_that_a_person_found_different_do_not_wait_any_more(own):
    desk = ReviewDesk(own)
    (pair,) = desk.waiting(ItemKind.ENTITIES)
    desk.decide(pair, "different", "", "", "Анна")
    assert not desk.waiting(ItemKind.ENTITIES)
    own.run()
    assert not desk.waiting(ItemKind.ENTITIES)


def test_a_link_is_accepted_on_the_page_and_published_by_the_next_run(server, own):
    anna = Person(server, "Анна", has_token=True)
    assert links_of(own, "review") == {"1", "4", "6"}
    page = anna.look(kind=ItemKind.LINKS)
    assert "heading equal: National Library" in page and "0.600" in page
    russian = anna.look("ru", ItemKind.LINKS)
    assert "заголовок совпадает: National Library" in russian and "heading equal" not in russian
    assert "0,600" in russian
    candidate = from_text(hidden(page)["pair"])
    assert isinstance(candidate, LinkCandidate)
    assert candidate.target in page
    assert anna.answer("same", ItemKind.LINKS).headers["location"] == f"{PATH}?kind=links"
    own.run()
    assert candidate.target.rpartition("/")[2] in links_of(own, "accepted")


def test_a_rejected_link_does_not_return_and_undo_takes_that_back(own):
    leases = Leases(ReviewDesk(own))
    offered = leases.offer("Анна", kind=ItemKind.LINKS)
    assert isinstance(offered, LinkCandidate)
    leases.answer("Анна", offered, "different", "", "")
    assert offered not in ReviewDesk(own).waiting(ItemKind.LINKS)
    assert leases.undo("Анна", leases.progress("Анна").last) == offered
    assert offered in ReviewDesk(own).waiting(ItemKind.LINKS)
    leases.answer("Анна", offered, "different", "", "")
    own.run()
    assert offered.target.rpartition("/")[2] not in links_of(own, "review") | links_of(own, "accepted")


def test_when_one_candidate_is_accepted_the_others_of_its_file_do_not_wait(own):
    desk = ReviewDesk(own)
    smiths = [one for one in desk.waiting(ItemKind.LINKS) if one.target.endswith(("/1", "/6"))]
    assert len(smiths) == 2
    question = desk.describe(smiths[0])
    assert [target for _, target in question.others] == [smiths[1].target]
    desk.decide(smiths[0], "same", "", "", "Анна")
    assert not [one for one in desk.waiting(ItemKind.LINKS) if one in smiths]
    assert desk.describe(smiths[1]) is None


def test_a_verdict_about_a_link_that_another_person_changed_is_not_undone(own):
    desk = ReviewDesk(own)
    first = desk.waiting(ItemKind.LINKS)[0]
    given = desk.decide(first, "different", "", "", "Анна")
    own.links.decide(first.entity, first.target, "accepted", person="Пётр")
    assert not desk.withdraw(first, given)
    assert desk.decide(first, "same", "", "", "Ольга") == ""


def test_a_pair_of_names_that_a_form_invents_is_refused(server, own):
    anna = Person(server, "Анна", has_token=True)
    for invented in ("entities\nagent/nobody\nagent/none", "links\nagent/nobody\nhttp://viaf.org/viaf/1", "links\nx"):
        refused = anna.answer("same", ItemKind.ENTITIES, pair=invented)
        assert refused.status_code == 409
        assert 'role="alert"' in refused.text
    assert anna.answer("related", ItemKind.ENTITIES).status_code == 303
    assert not own.review.entity_verdicts()
    with pytest.raises(ConfigError):
        Leases(ReviewDesk(own)).answer("Анна", EntityPair("agent/a", "agent/b"), "same", "", "")


@pytest.mark.parametrize("item", [EntityPair("agent/a", "agent/b"), LinkCandidate("agent/a", "http://viaf.org/viaf/1")])
def test_a_pair_is_the_same_after_it_was_written_and_read(item):
    assert from_text(to_text(item)) == item
    assert from_text(to_text(item).replace("\n", "\r\n")) == item


def test_an_unknown_kind_is_that_of_records(server):
    page = Person(server, "Анна", has_token=True).look(kind=ItemKind.RECORDS)
    assert '<a href="/review?kind=records" aria-current="page">' in page
