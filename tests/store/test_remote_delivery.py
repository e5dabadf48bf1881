"""A remote store gets the quads of the catalog, whatever is stopped where; what it has is counted."""

import contextlib
import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld import store
from bibld.config import Remote, RemoteConfig
from bibld.errors import ConfigError, StoreError, StoreUnavailableError
from bibld.protocols import adapters
from bibld.store import RemoteContents, consumer_of
from bibld.store._delivery import read_files, write_files
from bibld.store.remote import split_quad
from tests.store.test_following import configured
from tests.triplify.small_world import CHANGES, IRIS, Book, Change, Killed, World

RELEASE = {IRIS.graph("run"): [f'<http://x/run> <http://x/is> "1" <{IRIS.graph("run")}> .\n']}


class InMemory:
    """A remote store in memory that can fail: ``fails`` maps calls, counted from 1, to what they raise."""

    files_at_once = 2

    def __init__(self, quads=()):
        self.quads = set(quads)
        self.calls = Counter()
        self.fails = {}
        self.drops = set()

    def _call(self, name):
        self.calls[name] += 1
        error = self.fails.pop((name, self.calls[name]), None)
        if error is not None:
            raise error

    def check(self):
        self._call("check")

    def clear(self):
        self.quads = set()
        self._call("clear")

    def load_files(self, files):
        for each in files:
            end = f" <{each.graph}> ." if each.graph else " ."
            for line in gzip.decompress(each.file.read_bytes()).decode().splitlines():
                self.quads.add(line.removesuffix(" .") + end + "\n")
            self._call("load")
        self.quads -= self.drops

    def apply(self, added, removed):
        for line in removed:
            self.quads.discard(line)
            self._call("remove")
        for line in added:
            self.quads.add(line)
            self._call("add")

    def replace(self, graph, lines):
        self.quads = {line for line in self.quads if split_quad(line)[0] != graph} | set(lines)
        self._call("replace")

    def counts(self):
        return dict(Counter(split_quad(line)[0] for line in self.quads))


@pytest.fixture
def remote(monkeypatch):
    """Returns a function that makes a remote store in memory, and the configuration that names it."""
    servers = {}
    module = SimpleNamespace(open_remote=lambda access, _: servers[access.url])
    real = adapters.load_adapter
    monkeypatch.setattr(adapters, "load_adapter", lambda stage, name: module if name == "memory" else real(stage, name))

    def make(server, name="mirror", **keys):
        url = f"http://{name}.example/"
        servers[url] = server
        return Remote(RemoteConfig(name, url, "memory", file_quads=7, **keys), None)

    return make


class Progress:
    def __init__(self):
        self.messages = []
        self.done = 0

    def stage(self, name, what, total=None):
        self.done = 0

    def advance(self, count=1):
        self.done += count

    def report(self, message):
        self.messages.append(message)


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as made:
        made.change(Change({number: Book(1, number % 3) for number in (1, 2, 3, 4, 5)}, (1, 2, 3, 4, 5)))
        made.triplify()
        yield made


def deliver(world, folder, target, replace=False):
    contents = RemoteContents(lambda: (line.encode() for line in world.quads()), RELEASE)
    return store.deliver(world.catalog, configured(folder), target, contents, Progress(), replace)


def expected(world):
    return set(world.quads()) | {line for lines in RELEASE.values() for line in lines}


def change_one(world, title=2):
    world.change(Change({1: Book(title, 1)}, (1, 2, 3, 4, 5)))
    world.triplify()


def test_first_all_is_loaded_then_only_changes_are_sent(world, tmp_path, remote):
    server = InMemory()
    target = remote(server)
    first = deliver(world, tmp_path, target)
    assert server.quads == expected(world)
    assert (first.loaded, first.added, first.removed) == (len(world.quads()), 0, 0)
    assert first.quads == len(server.quads)
    assert deliver(world, tmp_path, target).loaded == 0
    change_one(world)
    second = deliver(world, tmp_path, target)
    assert server.quads == expected(world)
    assert second.loaded == 0
    assert 0 < second.added < len(server.quads) / 5
    assert server.calls["clear"] == 1


def test_a_load_that_was_interrupted_goes_on_with_the_file_that_is_missing(world, tmp_path, remote):
    server = InMemory()
    target = remote(server)
    server.fails["load", 5] = StoreUnavailableError("no answer")
    with pytest.raises(StoreUnavailableError, match=r"no answer; \d+ of \d+ quads are loaded, the next run continues"):
        deliver(world, tmp_path, target)
    change_one(world)  # the files are those of the first attempt; the change is sent as a patch
    result = deliver(world, tmp_path, target)
    assert server.quads == expected(world)
    assert result.added > 0
    assert server.calls["clear"] == 1
    assert not list((tmp_path / "remote").glob("*"))


def test_a_store_with_quads_of_others_is_refused(world, tmp_path, remote):
    server = InMemory(["<http://x/a> <http://x/b> <http://x/c> .\n"])
    target = remote(server)
    with pytest.raises(StoreError, match=r"has 1 quads already \(the default graph\).*--replace"):
        deliver(world, tmp_path, target)
    assert len(server.quads) == 1
    deliver(world, tmp_path, target, replace=True)
    assert server.quads == expected(world)


def test_a_server_that_stores_less_is_noticed_and_all_is_loaded_again_when_asked(world, tmp_path, remote):
    server = InMemory()
    target = remote(server)
    server.drops = {world.quads()[0]}
    with pytest.raises(StoreError, match=r"not all quads arrived.*: [\d,]+ quads instead of [\d,]+;.*--replace"):
        deliver(world, tmp_path, target)
    with pytest.raises(StoreError, match="not all quads arrived"):
        deliver(world, tmp_path, target)
    assert server.calls["clear"] == 1
    server.drops = set()
    deliver(world, tmp_path, target, replace=True)
    assert server.quads == expected(world)


def test_what_others_removed_later_is_noticed_with_the_next_change(world, tmp_path, remote):
    server = InMemory()
    target = remote(server)
    deliver(world, tmp_path, target)
    server.quads.remove(world.quads()[0])
    change_one(world)
    with pytest.raises(StoreError, match="others were changed there"):
        deliver(world, tmp_path, target)


def test_a_patch_of_most_quads_is_a_new_load(world, tmp_path, remote):
    server = InMemory()
    target = remote(server)
    deliver(world, tmp_path, target)
    world.change(Change({number: Book(2, 1) for number in (1, 2, 3, 4, 5)}, (1, 1, 1, 1, 1)))
    world.triplify()
    assert deliver(world, tmp_path, target).loaded == len(world.quads())
    assert server.quads == expected(world)
    assert server.calls["clear"] == 2


def test_every_store_gets_the_changes_that_it_does_not_have(world, tmp_path, remote):
    early, late = InMemory(), InMemory()
    deliver(world, tmp_path, remote(early, "early"))
    change_one(world)
    deliver(world, tmp_path, remote(late, "late"))
    change_one(world, title=1)
    deliver(world, tmp_path, remote(late, "late"))
    deliver(world, tmp_path, remote(early, "early"))
    assert early.quads == late.quads == expected(world)


def test_a_store_that_is_not_configured_any_more_is_forgotten(world, tmp_path, remote):
    target = remote(InMemory(), "early")
    deliver(world, tmp_path, target)
    config = msgspec.structs.replace(configured(tmp_path), remote_stores=(target,))
    store.forget_others(world.catalog, config)
    assert world.catalog.patches.delivery(consumer_of("early")) is not None
    store.forget_others(world.catalog, configured(tmp_path))
    assert world.catalog.patches.delivery(consumer_of("early")) is None
    assert world.catalog.remote_stores.state(consumer_of("early")) is None


def test_credentials_that_are_not_in_the_environment_are_named(configured, monkeypatch, tmp_path):
    (tmp_path / "a.mrc").touch()
    monkeypatch.delenv("NO_SUCH_VARIABLE", raising=False)
    loaded = configured(
        '[[store.remote]]\nname = "mirror"\nurl = "http://127.0.0.1:1/"\nuser = { env = "NO_SUCH_VARIABLE" }\n',
        rsl="a.mrc",
    )
    with pytest.raises(ConfigError, match="NO_SUCH_VARIABLE is not set"):
        loaded.remote_stores[0].open(loaded.dataset.base)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('url = "http://x.example/"', 'missing key "store.remote[1].name"'),
        ('name = "a"\nurl = "ftp://x.example/"', "is not the address of a store"),
        ('name = "a"\nurl = "http://me:secret@x.example/"', "contains credentials, which messages would show"),
        ('name = "a"\nurl = "http://x.example/?a=b"', "has a query or fragment"),
        ('name = "a"\nurl = "http://x.example/"\npassword = "secret"', "expected object"),
        ('name = "a"\nurl = "http://x.example/"\nkind = "virtuos"', 'did you mean "virtuoso"'),
        ('name = "a"\nurl = "http://x.example/"\nsql = "x"', 'unknown key "store.remote[1].sql"'),
        (
            'name = "a"\nurl = "http://x.example"\n[[store.remote]]\nname = "a"\nurl = "http://y.example"',
            "must differ",
        ),
        ('name = "a"\nurl = "http://x.example/"\n[serve]\nstore = "b"', 'unknown [[store.remote]] "b"'),
    ],
)
def test_faults_of_the_configuration_name_line_and_key(configured, table, message):
    with pytest.raises(ConfigError) as raised:
        configured(f"[[store.remote]]\n{table}\n")
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)


def test_files_have_one_graph_each_and_all_lines(tmp_path):
    links, default = IRIS.graph("links"), ""
    lines = (
        [f'<http://x/{number}> <http://x/b> "a \\" > <http://x/g> . {number}"@ru-latn .\n' for number in range(5)]
        + [f"<http://x/{number}> <http://x/b> <http://x/c> <{links}> .\n" for number in range(3)]
        + [f'<http://x/d> <http://x/b> "1"^^<http://x/t> <{links}> .\n', "<http://x/d> <http://x/b> <http://x/c> .\n"]
    )
    files = write_files(tmp_path / "files", ["".join(lines).encode()], 4, Progress())
    assert files == read_files(tmp_path / "files")
    assert sum(each.quads for each in files if each.graph == links) == 4
    assert sum(each.quads for each in files if each.graph == default) == 6
    server = InMemory()
    server.load_files(files)
    assert server.quads == set(lines)


def test_files_that_were_not_all_written_are_not_used(tmp_path):
    write_files(tmp_path / "files", [b"<http://x/a> <http://x/b> <http://x/c> .\n"], 4, Progress())
    (tmp_path / "files" / "files.json").unlink()
    assert read_files(tmp_path / "files") == []


STOPS = st.none() | st.tuples(
    st.sampled_from(["clear", "load", "remove", "add", "replace"]),
    st.integers(1, 6),
    st.sampled_from([Killed(), StoreUnavailableError("no answer")]),
)


@given(st.lists(st.tuples(CHANGES, STOPS), min_size=1, max_size=5))
@settings(max_examples=25)
def test_it_has_the_quads_of_the_catalog_whatever_was_stopped_where(steps):
    server = InMemory()
    module = SimpleNamespace(open_remote=lambda *_: server)
    target = Remote(RemoteConfig("mirror", "http://mirror.example/", "memory", file_quads=7), None)
    with TemporaryDirectory() as folder, World(Path(folder)) as world, pytest.MonkeyPatch.context() as patch:
        patch.setattr(adapters, "load_adapter", cache(lambda *_: module))
        for change, stop in steps:
            world.change(change)
            world.triplify()
            server.calls.clear()
            server.fails = {stop[:2]: stop[2]} if stop else {}
            with contextlib.suppress(Killed, StoreUnavailableError):
                deliver(world, Path(folder), target)
        server.fails = {}
        deliver(world, Path(folder), target)
        assert server.quads == expected(world)
        assert deliver(world, Path(folder), target).loaded == 0
