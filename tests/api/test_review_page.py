"""The review page of a server: people sign in, get pairs, decide, undo; a pair is offered to one person at a time."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

import bibld
from bibld._api.site import ReviewDesk, open_site
from bibld.config import Secret
from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.model.review import ItemKind
from bibld.serve._review import desk, site
from bibld.serve._review.desk import Leases
from tests.serve.client import Client, running

TOKEN = "a token that nobody guesses"
PATH = "/review"


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


class Person:
    """Somebody with a browser."""

    def __init__(self, client: Client, name: str, has_token: bool = False) -> None:
        self._client = client
        self.name = name
        self.cookie = ""
        if has_token:
            self.enter()

    def post(self, **fields: str):
        headers = {"cookie": self.cookie, "sec-fetch-site": fields.pop("site", "same-origin")}
        answer = self._client.request("POST", PATH, data=fields, headers=headers)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def enter(self, token: str = TOKEN):
        return self.post(action="enter", name=self.name, token=token)

    def look(self, language: str = "en", kind: ItemKind = ItemKind.RECORDS) -> str:
        headers = {"cookie": self.cookie, "accept-language": language}
        return self._client.request("GET", f"{PATH}?kind={kind.value}", headers=headers).text

    def fields(self, kind: ItemKind = ItemKind.RECORDS) -> dict[str, str]:
        return hidden(self.look(kind=kind))

    def answer(self, action: str, kind: ItemKind = ItemKind.RECORDS, **more: str):
        return self.post(action=action, **{**self.fields(kind), **more})


@contextmanager
def served(workspace: bibld.Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """Serve a workspace with a review page."""
    monkeypatch.setenv("BIBLD_REVIEW", TOKEN)
    settings = msgspec.structs.replace(workspace.config.serve, review_token=Secret("BIBLD_REVIEW"))
    with running(open_site(workspace, settings)) as client:
        yield client


@pytest.fixture(scope="module")
def uncertain(workspace: bibld.Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a copy of the sample in which more pairs wait for review."""
    folder = tmp_path_factory.mktemp("uncertain") / "sample"
    shutil.copytree(workspace.path.parent, folder)
    with (folder / "bibld.toml").open("a", encoding="utf-8") as config:
        config.write("\n[dedup.model]\nsame = 0.75\n")
    bibld.Workspace(folder / "bibld.toml").run()
    return folder


@pytest.fixture
def own(uncertain: Path, tmp_path: Path) -> bibld.Workspace:
    """A copy that a test may change."""
    shutil.copytree(uncertain, tmp_path / "sample")
    return bibld.Workspace(tmp_path / "sample" / "bibld.toml")


@pytest.fixture
def server(own: bibld.Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    with served(own, monkeypatch) as client:
        yield client


def test_without_a_token_in_the_configuration_there_is_no_such_page(own):
    with running(open_site(own, own.config.serve)) as client:
        assert client.get(PATH).status_code == 404


def test_only_who_knows_the_token_sees_a_pair(server):
    stranger = Person(server, "Мария")
    assert "Token" in stranger.look()
    assert stranger.enter("guess").status_code == 403
    assert stranger.cookie == ""
    assert 'name="pair"' not in stranger.look()
    stranger.cookie = "review=0JDQvdC90LA.9999999999." + "0" * 64
    assert 'name="pair"' not in stranger.look()
    entered = stranger.enter()
    assert entered.status_code == 303
    assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
    assert 'name="pair"' in stranger.look()
    assert "Проверка неясных пар" in stranger.look("ru")


@pytest.mark.parametrize(
    ("language", "sentence", "meanings"),
    [
        (
            "en",
            r"To find out: (?:[AB] does not state the|different|no element)",
            "equal|other form|different|only in [AB]",
        ),
        ("ru", r"Надо узнать: (?:в записи [AB]|расхождение|ни один)", "совпадает|другая форма|разные|только в [AB]"),
    ],
)
def test_a_pair_is_shown_with_what_would_decide_and_with_signs_in_words(server, language, sentence, meanings):
    page = Person(server, "Анна", has_token=True).look(language)
    assert re.search(sentence, page)
    signs = re.findall(r'<small class="sign"><span aria-hidden="true">([=≈≠?])</span> ([^<]+)</small>', page)
    assert len({sign for sign, _ in signs}) > 2
    assert {meaning for sign, meaning in signs if sign != "≈"} <= {
        meaning for _, meaning in signs if re.fullmatch(meanings, meaning)
    }


def test_without_its_model_the_page_only_lacks_what_would_decide(server, monkeypatch):
    def fail(*_):
        raise ConfigError(["model.json: not found"])

    monkeypatch.setattr(ReviewDesk, "would_decide", fail)
    page = Person(server, "Анна", has_token=True).look()
    assert 'name="pair"' in page and "To find out" not in page


def test_a_verdict_is_stored_with_the_name_of_the_person_and_can_be_undone(server, own):
    anna = Person(server, "Анна", has_token=True)
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
    people = [Person(server, name) for name in ("Анна", "Пётр")]
    for person in people:
        person.enter()
    offered = [person.fields()["pair"] for person in people]
    assert len(set(offered)) == len(people)
    assert [person.fields()["pair"] for person in people] == offered
    people[0].answer("skip")
    assert people[0].fields()["pair"] not in offered


@pytest.mark.parametrize("wrong", [{"form": "0" * 64}, {"site": "cross-site"}])
def test_a_form_of_another_site_or_person_changes_nothing(server, own, wrong):
    anna = Person(server, "Анна", has_token=True)
    assert anna.answer("same", **wrong).status_code == 403
    assert not own.review.verdicts()


def test_a_verdict_that_cannot_be_stored_is_explained_on_the_page(server, own):
    anna = Person(server, "Анна", has_token=True)
    refused = anna.answer("same", pair="rsl:nobody\nnlr:knows")
    assert refused.status_code == 409
    assert 'role="alert"' in refused.text
    assert anna.answer("same", pair="\x00").status_code == 409
    assert anna.post(action="same", reason="x" * 20_000).status_code == 413
    assert not own.review.verdicts()


def test_who_signs_out_sees_no_pair(server):
    anna = Person(server, "Анна", has_token=True)
    anna.answer("leave")
    assert 'name="pair"' not in anna.look()


def test_a_token_that_can_be_guessed_is_refused_at_the_start(own, monkeypatch):
    monkeypatch.setenv("BIBLD_REVIEW", "short")
    settings = msgspec.structs.replace(own.config.serve, review_token=Secret("BIBLD_REVIEW"))
    wanted = r"review_token: .* BIBLD_REVIEW contains fewer than 12 characters.*; set"
    with pytest.raises(ConfigError, match=wanted), running(open_site(own, settings)):
        pass


def test_a_sign_in_ends_at_the_time_that_is_signed(server, monkeypatch):
    anna = Person(server, "Анна", has_token=True)
    name, until, signature = anna.cookie.split(".")
    anna.cookie = f"{name}.{int(until) + 1}.{signature}"
    assert 'name="pair"' not in anna.look()
    monkeypatch.setattr(site, "_SESSION_SECONDS", -10)
    anna.enter()
    assert 'name="pair"' not in anna.look()


def test_a_pair_that_another_person_holds_is_not_decided(server, own):
    anna, peter = Person(server, "Анна"), Person(server, "Пётр")
    anna.enter()
    peter.enter()
    pair = anna.fields()["pair"]
    own_pair = peter.fields()["pair"]
    refused = peter.answer("same", pair=pair, reason="mine")
    assert refused.status_code == 409
    assert "This pair is no longer offered to you" in refused.text
    assert hidden(refused.text)["pair"] == own_pair
    assert 'value="mine"' not in refused.text
    assert not own.review.verdicts()


def test_undo_never_takes_back_the_verdict_of_another_person(server, own):
    anna = Person(server, "Анна", has_token=True)
    pair = anna.fields()["pair"].splitlines()
    anna.answer("different")
    own.review.decide(*pair, "related", person="Пётр")
    refused = anna.answer("undo")
    assert refused.status_code == 409
    assert "Your verdict is no longer in force" in refused.text
    assert [verdict.person for verdict in own.review.verdicts()] == ["Пётр"]
    assert anna.answer("undo").status_code == 303


def test_while_another_process_writes_the_page_keeps_what_was_typed(server, own, monkeypatch):
    monkeypatch.setattr(desk, "_BUSY_SECONDS", 0.01)
    anna = Person(server, "Анна", has_token=True)
    fields = anna.fields()
    with closing(sqlite3.connect(own.config.workspace / "review.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        busy = anna.post(**{**fields, "action": "different", "reason": 'two "printings"'})
        assert server.request("GET", PATH, headers={"cookie": anna.cookie}).status_code == 503
    assert busy.status_code == 503
    assert "send it again" in busy.text
    assert 'value="two &#34;printings&#34;"' in busy.text
    assert hidden(busy.text)["pair"] == fields["pair"]
    assert not own.review.verdicts()
    assert anna.answer("different").status_code == 303


def test_a_verdict_that_contradicts_others_keeps_its_pair_and_reason(server, own):
    anna = Person(server, "Анна", has_token=True)
    left, right = anna.fields()["pair"].splitlines()
    third = next(one.record for one in own.records() if one.record not in (left, right))
    own.review.decide(left, third, "same", person="Пётр")
    own.review.decide(right, third, "different", person="Пётр")
    refused = anna.answer("same", reason="the title page")
    assert refused.status_code == 409
    assert 'value="the title page"' in refused.text
    assert hidden(refused.text)["pair"].splitlines() == [left, right]


def test_two_processes_do_not_offer_a_decided_pair_again_nor_override_its_verdict(own):
    one, other = Leases(ReviewDesk(own)), Leases(ReviewDesk(own))
    first, second = one.offer("Анна"), other.offer("Пётр")
    assert first is not None
    assert second is not None
    assert first != second
    with pytest.raises(ConfigError, match="no longer offered to you"):
        other.answer("Пётр", first, "same", "", "")
    one.answer("Анна", first, "different", "", "")
    assert other.offer("Ольга") not in (first, second, None)
    for person in ("Анна", "Пётр"):
        with pytest.raises(ConfigError, match="no longer offered to you"):
            other.answer(person, first, "same", "", "")
    with pytest.raises(ConfigError, match="no longer offered to you"):
        one.answer("Анна", Pair.from_records(first.left, RecordId("rsl", "1")), "same", "", "")
    assert [(verdict.person, verdict.decision) for verdict in own.review.verdicts()] == [("Анна", "different")]


def test_what_one_process_stored_another_withdraws_once(own):
    one, other = Leases(ReviewDesk(own)), Leases(ReviewDesk(own))
    pair = one.offer("Анна")
    assert pair is not None
    one.answer("Анна", pair, "different", "", "")
    last = other.progress("Анна").last
    assert [leases.undo("Анна", last) for leases in (other, one)] == [pair, None]
    assert not own.review.verdicts()
    assert one.offer("Пётр") != pair
    assert other.offer("Анна") == pair


def test_an_undone_pair_comes_back_whichever_process_answers(own):
    one, other = Leases(ReviewDesk(own)), Leases(ReviewDesk(own))
    pair = one.offer("Анна")
    assert pair is not None
    one.answer("Анна", pair, "different", "", "")
    next_pair = other.offer("Анна")  # now this process has a list without the first pair
    assert next_pair not in (pair, None)
    one.undo("Анна", one.progress("Анна").last)
    assert other.offer("Анна") == pair
    assert one.offer("Анна") == pair


class CountingDesk(ReviewDesk):
    times = 0

    def waiting(self, kind=ItemKind.RECORDS):
        self.times += 1
        return super().waiting(kind)


def test_the_list_of_waiting_pairs_is_read_again_only_if_something_has_changed(own, monkeypatch):
    monkeypatch.setattr(desk, "_LIST_SECONDS", dict.fromkeys(ItemKind, -1.0))
    monkeypatch.setattr(desk, "_REST", -1)
    counting = CountingDesk(own)
    leases = Leases(counting)
    pair = leases.offer("Анна")
    assert pair is not None
    assert leases.offer("Анна") == pair
    assert leases.progress("Анна").waiting > 1
    assert counting.times == 1
    own.review.decide(str(pair.left), str(pair.right), "different", person="Пётр")
    assert leases.offer("Анна") != pair
    assert counting.times == 2
    for name in ("register.db", "catalog.db"):  # as a backup that is restored
        shutil.copy(own.config.workspace / name, own.config.workspace / "copy")
        (own.config.workspace / "copy").replace(own.config.workspace / name)
    leases.progress("Анна")
    leases.progress("Анна")
    assert counting.times == 3


def test_an_answer_stays_until_it_can_be_withdrawn(own):
    leases = Leases(ReviewDesk(own))
    pair = leases.offer("Анна")
    assert pair is not None
    leases.answer("Анна", pair, "different", "", "")
    last = leases.progress("Анна").last
    (own.config.workspace / "register.db").rename(own.config.workspace / "moved.db")
    with pytest.raises(StageError):
        leases.undo("Анна", last)
    (own.config.workspace / "moved.db").rename(own.config.workspace / "register.db")
    assert leases.undo("Анна", last) == pair
