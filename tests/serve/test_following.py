"""A server follows the current release, and answers for its release whatever a run does to the catalog meanwhile."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from functools import partial
from pathlib import Path

import msgspec
import pytest

from bibld.model.linkage import Cluster, Edge, Merged, Pair, Score, Verdict
from bibld.model.origin import RecordId
from bibld.publish import Releases as Published
from bibld.serve import Settings
from bibld.serve import _following as following
from bibld.serve._graph import ReleaseGraph
from bibld.serve._things import ReleaseView
from bibld.serve.site import ReleaseLookup

FOUNDER = RecordId("rsl", "RU\\NLR\\bibl\\204591")
MEMBER = RecordId("nlr", "0042 17")
ALONE = RecordId("rsl", "01003120729")
NEW = RecordId("rsl", "new")


class Publisher:
    """Publishes copies of a site as releases of a workspace, and opens the current one as the command does."""

    def __init__(self, make, folder) -> None:
        self._make = make
        self._folder = folder
        self.published = Published(folder)
        self.closed: list[str] = []
        self.settings = Settings(query_memory=256, max_result=1, query_timeout=600.0)

    def release(self, created="2026-01-01T00:00:00Z"):
        number, place = self.published.begin()
        manifest = msgspec.structs.replace(self._make(place).manifest, number=number, created=created)
        (place / "manifest.json").write_bytes(msgspec.json.encode(manifest))
        return self.published.complete(number, place, keep=2)

    def open_current(self):
        place = self.published.current()
        manifest = self.published.manifest(place)
        lock = self.published.hold(place)

        def close():
            self.closed.append(place.name)
            lock.close()

        site = self._make(self._folder / "unused" / place.name)
        return msgspec.structs.replace(site, manifest=manifest, release=place, close=close, settings=self.settings)

    @property
    def releases(self):
        return ReleaseLookup(self.published.current, self.open_current)


@pytest.fixture
def publisher(site_in, tmp_path, monkeypatch):
    monkeypatch.setattr(following, "_CHECK_SECONDS", 0.0)
    monkeypatch.setattr(following, "_PATIENCE_SECONDS", 600.0)
    monkeypatch.setattr(following, "_IDLE_CHECK_SECONDS", 600.0)
    return Publisher(site_in, tmp_path)


def served(client) -> int:
    answer = client.get("/lod/dumps/manifest.json")
    assert answer.status_code == 200
    return answer.json()["number"]


def test_an_idle_process_follows_too_and_goes_on_after_an_error(publisher, monkeypatch, caplog):
    monkeypatch.setattr(following, "_IDLE_CHECK_SECONDS", 0.01)
    found = [Path("1"), ZeroDivisionError(), Path("2")]
    closed = []

    def served_release(number):
        async def close():
            closed.append(number)

        return following.ServedRelease(Path(str(number)), number, None, close, lambda: None)

    def find():
        place = found.pop(0) if len(found) > 1 else found[0]
        if isinstance(place, Exception):
            raise place
        return place

    async def watch():
        idle = following.Following(served_release(1), find, lambda: served_release(2), partial(closed.append, "ended"))
        reported = asyncio.Queue()
        watching = asyncio.create_task(idle.watch(reported.put_nowait))
        numbers = [await reported.get()]
        while numbers[-1] != 2:
            numbers.append(await reported.get())
        watching.cancel()
        return numbers

    assert asyncio.run(watch())[:2] == [1, 1]
    assert closed == [1, "ended"]
    assert [record.message for record in caplog.records if record.exc_info] == [
        "the current release cannot be found; 1 is served further"
    ]


def test_a_new_release_is_served_as_soon_as_it_is_there(publisher, running):
    publisher.release()
    with running(publisher.open_current(), publisher.releases) as client:
        for number in (1, 2, 3, 4):
            if number > 1:
                publisher.release(f"2026-01-0{number}T00:00:00Z")
            assert served(client) == number
            assert f"Release {number}," in client.get("/lod/", "text/html").text
            assert f"2026-01-0{number}" in client.get("/lod/doc/resource/rsl/01003120729.ttl").text
            assert client.get("/lod/sparql?query=ASK%7B%7D").status_code == 200
        client.wait_until(lambda: sorted(publisher.closed) == ["1", "2", "3"])
    assert sorted(publisher.closed) == ["1", "2", "3", "4"]


def test_a_server_follows_a_rollback_and_the_release_after_it(publisher, running):
    publisher.release()
    publisher.release()
    with running(publisher.open_current(), publisher.releases) as client:
        assert served(client) == 2
        publisher.published.roll_back()
        assert served(client) == 1
        publisher.release()
        assert served(client) == 3


def test_a_release_is_served_until_its_last_request_has_ended(publisher, running):
    """Here a query runs on; the release that it asks stays on disk until its process comes to its end."""
    first = publisher.release()
    product = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    with running(publisher.open_current(), publisher.releases) as client:
        assert served(client) == 1
        slow, process = client.begin_query(f"/lod/sparql?query={product}")
        for number in (2, 3, 4):
            publisher.release()
            assert served(client) == number
        assert first.is_dir()
        client.wait_until(lambda: sorted(publisher.closed) == ["2", "3"])
        os.kill(process, signal.SIGABRT)
        assert client.end(slow).json()["title"] == "Query needs too much memory"
        assert served(client) == 4
        client.wait_until(lambda: sorted(publisher.closed) == ["1", "2", "3"])
        publisher.release()
        assert publisher.published.numbers() == [4, 5]


def test_a_release_that_cannot_be_opened_leaves_the_old_one_in_place(publisher, running, caplog):
    publisher.release()
    with running(publisher.open_current(), publisher.releases) as client:
        broken = publisher.release()
        (broken / "manifest.json").write_text("not JSON")
        assert [served(client), served(client)] == [1, 1]
        assert caplog.text.count("cannot be served") == 1
        publisher.release()
        assert served(client) == 3


@pytest.mark.parametrize("content", [b"", b"\xff", b"../1\n", b"99\n"])
def test_a_damaged_pointer_changes_nothing(publisher, running, content):
    publisher.release()
    with running(publisher.open_current(), publisher.releases) as client:
        (publisher.published.folder / "current").write_bytes(content)
        assert served(client) == 1


def test_current_is_looked_at_once_a_second_at_most(publisher, running, monkeypatch):
    monkeypatch.setattr(following, "_CHECK_SECONDS", 3600.0)
    looked = []
    releases = ReleaseLookup(lambda: looked.append(1), publisher.open_current)
    publisher.release()
    with running(publisher.open_current(), releases) as client:
        for _ in range(5):
            assert served(client) == 1
    assert len(looked) == 1


# --- a run has changed the catalog, and there is no new release yet


class Changed:
    """A catalog after a run: the book is two again, its founder is deleted, what stood alone has been merged."""

    def __init__(self, catalog) -> None:
        self._catalog = catalog

    def record(self, record):
        if record == NEW:
            return msgspec.structs.replace(self._catalog.record(ALONE), id=NEW)
        current = self._catalog.record(record)
        return msgspec.structs.replace(current, deleted=True) if record == FOUNDER else current

    def cluster_of(self, record):
        if record == FOUNDER:
            return None
        return Cluster(MEMBER, (MEMBER, ALONE, NEW)) if record in (MEMBER, ALONE, NEW) else None

    def merged(self, founder):
        return Merged(self.cluster_of(MEMBER), self._catalog.record(MEMBER).mods, ()) if founder == MEMBER else None

    def edges_of(self, records):
        return [self.edge(Pair.from_records(MEMBER, ALONE))]

    def edge(self, pair):
        if pair != Pair.from_records(MEMBER, ALONE):
            return None
        return Edge(pair, Score(0.9), Verdict("same", "model", ("A new reason.",)), "")

    def events_of(self, record):
        return []

    def redirect_target(self, record):
        return None

    def sample_founders(self, count):
        return [MEMBER, NEW, ALONE]


@pytest.fixture
def changed(site):
    return msgspec.structs.replace(site, catalog=Changed(site.catalog))


def test_every_iri_that_the_release_mentions_answers_while_a_run_changes_the_catalog(changed, running, quads):
    mentioned = sorted(set(re.findall(r"<https://data\.example\.org(/lod/[^>#]*)", "".join(quads))))
    assert len(mentioned) > 150
    with running(changed) as client:
        for path in mentioned[::10] + [path for path in mentioned if "/concept/" not in path]:
            for accept in ("text/html", "text/turtle"):
                answer = client.get(path, accept)
                if answer.status_code == 303:
                    answer = client.get(answer.headers["location"], accept)
                assert answer.status_code == 200, path


def test_pages_and_data_are_those_of_the_release(changed, running, here, iris):
    with running(changed) as client:
        merged = here.document(iris.resource(FOUNDER), "ttl")
        assert client.get(here(iris.resource(MEMBER)), "text/turtle").headers["location"] == merged
        page = client.get(here.document(iris.resource(FOUNDER), "html")).text
        assert "merged from 2 records" in page
        assert "Title, author and year agree." in page
        assert "A new reason" not in page
        assert client.get(here(iris.resource(ALONE)), "text/turtle").headers["location"] == here.document(
            iris.resource(ALONE), "ttl"
        )
        home = client.get("/lod/", "text/html").text
        assert here(iris.resource(ALONE)) in home
        assert here(iris.resource(MEMBER)) not in home


def test_what_is_not_released_yet_is_not_there_and_not_gone(changed, running, here, iris):
    with running(changed) as client:
        assert client.get(here(iris.resource(NEW))).status_code == 404
        assert client.get(here(iris.record(NEW))).status_code == 404
        assert client.get(here(iris.match(Pair.from_records(MEMBER, ALONE)))).status_code == 404


def test_the_links_of_a_release_are_those_of_the_catalog_that_it_was_made_from(site, iris):
    graph = ReleaseGraph(site.store.open())
    view = ReleaseView(site.catalog, graph, iris)
    for record in (FOUNDER, MEMBER, ALONE):
        assert view.cluster_of(record) == site.catalog.cluster_of(record)
        assert view.merged(record) == site.catalog.merged(record)
    assert view.edges_of((FOUNDER, MEMBER, ALONE)) == site.catalog.edges_of((FOUNDER, MEMBER, ALONE))
    stored = ReleaseView(Changed(site.catalog), graph, iris).edge(Pair.from_records(FOUNDER, MEMBER))
    current = site.catalog.edge(Pair.from_records(FOUNDER, MEMBER))
    assert (stored.score.value, stored.verdict) == (current.score.value, current.verdict)
    assert stored.score.scorer == current.score.scorer == "model 1f3a9c04"
    assert not stored.score.features


def test_a_cluster_that_has_grown_names_only_the_records_of_the_release(site, iris):
    class Grown(type(site.catalog)):
        def __init__(self, catalog):
            self.__dict__.update(catalog.__dict__)

        def merged(self, founder):
            current = super().merged(founder)
            sources = tuple(msgspec.structs.replace(each, records=(*each.records, NEW)) for each in current.sources)
            return Merged(Cluster(founder, (*current.cluster.members, NEW)), current.mods, sources)

    view = ReleaseView(Grown(site.catalog), ReleaseGraph(site.store.open()), iris)
    assert view.merged(FOUNDER) == site.catalog.merged(FOUNDER)
