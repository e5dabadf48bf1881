"""The review page of a server: people sign in, get pairs, decide, undo; a pair is offered to one person at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import bibld
from bibld._api.review_desk import ReviewDesk
from bibld.config import Secret
from bibld.serve._review import Leases
from tests.serve.client import Client, running

TOKEN = "a token that nobody guesses"
PATH = "/review"


class Person:
    """Somebody with a browser."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self.name = name
        self.cookie = ""

    def post(self, **fields: str):
        headers = {"cookie": self.cookie, "sec-fetch-site": fields.pop("site", "same-origin")}
        answer = self._client.request("POST", PATH, data=fields, headers=headers)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def enter(self, token: str = TOKEN):
        return self.post(action="enter", name=self.name, token=token)

    def look(self, language: str = "en") -> str:
        headers = {"cookie": self.cookie, "accept-language": language}
        return self._client.request("GET", PATH, headers=headers).text

    def fields(self) -> dict[str, str]:
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.look()))

    def answer(self, action: str, **more: str):
        return self.post(action=action, **{**self.fields(), **more})


@pytest.fixture
def own(workspace: bibld.Workspace, tmp_path: Path) -> bibld.Workspace:
    """A copy that a test may change."""
    shutil.copytree(workspace.path.parent, tmp_path / "sample")
    return bibld.Workspace(tmp_path / "sample" / "bibld.toml")


@pytest.fixture
def server(own: bibld.Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("BIBLD_REVIEW", TOKEN)
    settings = msgspec.structs.replace(own.config.serve, review_token=Secret("BIBLD_REVIEW"))
    with running(own._open_site(settings)) as client:
        yield client


def test_without_a_token_in_the_configuration_there_is_no_such_page(own):
    with running(own._open_site(own.config.serve)) as client:
        assert client.get(PATH).status_code == 404


def test_only_who_knows_the_token_sees_a_pair(server):
    stranger = Person(server, "Мария")
    assert "Token" in stranger.look()
    assert stranger.enter("guess").status_code == 403
    assert stranger.cookie == ""
    assert 'name="pair"' not in stranger.look()
    stranger.cookie = "review=0JDQvdC90LA." + "0" * 64
    assert 'name="pair"' not in stranger.look()
    entered = stranger.enter()
    assert entered.status_code == 303
    assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
    assert 'name="pair"' in stranger.look()
    assert "Проверка неясных пар" in stranger.look("ru")


def test_a_verdict_is_stored_with_the_name_of_the_person_and_can_be_undone(server, own):
    anna = Person(server, "Анна")
    anna.enter()
    pair = anna.fields()["pair"].splitlines()
    assert anna.answer("related", relation="other_edition", reason=" 1976,\n1979 ").status_code == 303
    (verdict,) = own.review.verdicts()
    assert {verdict.left, verdict.right} == set(pair)
    assert (verdict.decision, verdict.relation, verdict.person, verdict.reason) == (
        "related",
        "other_edition",
        "Анна",
        "1976, 1979",
    )
    assert "1 verdict;" in anna.look()
    assert anna.fields()["pair"].splitlines() != pair
    anna.answer("undo")
    assert not own.review.verdicts()
    assert anna.fields()["pair"].splitlines() == pair


def test_two_people_are_never_offered_the_same_pair(server):
    people = [Person(server, name) for name in ("Анна", "Пётр", "Ольга")]
    for person in people:
        person.enter()
    offered = [person.fields()["pair"] for person in people]
    assert len(set(offered)) == len(people)
    assert [person.fields()["pair"] for person in people] == offered
    people[0].answer("skip")
    assert people[0].fields()["pair"] not in offered


@pytest.mark.parametrize("wrong", [{"form": "0" * 64}, {"site": "cross-site"}])
def test_a_form_of_another_site_or_person_changes_nothing(server, own, wrong):
    anna = Person(server, "Анна")
    anna.enter()
    assert anna.answer("same", **wrong).status_code == 403
    assert not own.review.verdicts()


def test_a_verdict_that_cannot_be_stored_is_explained_on_the_page(server, own):
    anna = Person(server, "Анна")
    anna.enter()
    refused = anna.answer("same", pair="rsl:nobody\nnlr:knows")
    assert refused.status_code == 409
    assert 'role="alert"' in refused.text
    assert anna.answer("same", pair="\x00").status_code == 409
    assert anna.post(action="same", reason="x" * 20_000).status_code == 413
    assert not own.review.verdicts()


def test_who_signs_out_sees_no_pair(server):
    anna = Person(server, "Анна")
    anna.enter()
    anna.answer("leave")
    assert 'name="pair"' not in anna.look()


def test_when_all_pairs_are_decided_the_page_states_it(own):
    leases = Leases(ReviewDesk(own))
    while (pair := leases.offer("Анна")) is not None:
        leases.answer("Анна", pair, "different", "", "")
    assert leases.progress("Анна").waiting == 0
    assert leases.progress("Анна").answered == len(own.review.verdicts())
    assert leases.undo("Пётр") is None
