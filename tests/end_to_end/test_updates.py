"""How updates of catalogues change records, clusters and IRIs, case by case.

After every update the quads must be those of a rebuild over the same records.
"""

import importlib
import os
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from bibld import config, pipeline, progress, store, triplify
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.errors import StoreError
from bibld.model.iris import Iris
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin, RecordId
from bibld.pipeline import Summary
from tests.configuration import HEAD

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DATA = os.environ.get("BIBLD_TEST_DATA")
BASE = "https://data.example.org/"


class Book(msgspec.Struct, frozen=True):
    """How a library describes a book."""

    title: str
    author: str
    year: str
    isbn: str = ""
    edition: str = ""
    pages: str = "349"
    note: str = ""


ORCHARD = Book("The cherry orchard", "Chekhov, Anton", "1904", "9780141182131")
PEACE = Book("War and peace", "Tolstoy, Leo", "1869", "9780140447934", pages="1225")
SONS = Book("Fathers and sons", "Turgenev, Ivan", "1862", "9780199536047", pages="208")


def changed(book: Book, **values: str) -> Book:
    """The book described otherwise."""
    return msgspec.structs.replace(book, **values)


def marc(number: str, book: Book, status: str = "n") -> bytes:
    fields: list[ControlField | DataField] = [ControlField("001", number)]
    fields.append(ControlField("008", f"900101s{book.year}    ru            000 0 eng d"))
    wanted = [
        ("020", " ", " ", "a", book.isbn),
        ("100", "1", " ", "a", book.author),
        ("245", "1", "0", "a", book.title),
        ("250", " ", " ", "a", book.edition),
        ("260", " ", " ", "c", book.year),
        ("300", " ", " ", "a", f"{book.pages} p."),
        ("500", " ", " ", "a", book.note),
        ("650", " ", "0", "a", "Russian literature"),
    ]
    fields += [DataField(tag, one, two, (Subfield(code, text),)) for tag, one, two, code, text in wanted if text]
    leader = Leader(f"00000{status}am a2200000 i 4500")
    return to_iso2709(MarcRecord(Origin("x", "x", 1, 0), leader, tuple(fields)))


class Libraries:
    """The libraries ``north`` and ``south``, and ``union``, of which a cluster may contain more than one record."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.sources: dict[str, str] = {}
        self.settings = ""

    def send(self, source: str, *records: bytes, complete: bool = True, deletes: Sequence[str] = ()) -> None:
        """A library sends its catalogue, or only what has changed."""
        (self.place / f"{source}.mrc").write_bytes(b"".join(records))
        (self.place / f"{source}.txt").write_text("".join(f"{number}\n" for number in deletes), encoding="utf-8")
        self.sources[source] = (
            f'[[source]]\nid = "{source}"\npath = "{source}.mrc"\ncomplete = {str(complete).lower()}\n'
            f'deletes = "{source}.txt"\nduplicates = {str(source == "union").lower()}\n'
        )

    def update(self) -> Summary:
        """A night: the run, and the check that a rebuild would end in the same quads."""
        summary = self.run(self.place)
        again = self.place.with_name("again")
        shutil.rmtree(again, ignore_errors=True)
        shutil.copytree(self.place, again)
        self.run(again, rebuild=True)
        assert self.quads() == Libraries.quads(self, again)
        return summary

    def run(self, place: Path, until: str = "triplify", rebuild: bool = False) -> Summary:
        """One run, a day later than the one before."""
        text = HEAD + self.settings + "".join(self.sources.values())
        (place / "bibld.toml").write_text(text, encoding="utf-8")
        self.clock += timedelta(days=1)
        loaded = config.load(place / "bibld.toml")
        return pipeline.run(loaded, self.clock, progress.Silent(), until=until, rebuild=rebuild, allow_deletes=True)

    # -- what can be seen ----------------------------------------------------------------------------------------------

    def quads(self, place: Path | None = None) -> set[str]:
        """All lines that are published."""
        with Catalog((place or self.place) / "work", read_only=True) as catalog:
            lines = list(triplify.catalog_quads(catalog, Iris(BASE), ()))
        assert len(lines) == len(set(lines))
        return set(lines)

    def cluster(self, record: str) -> list[str]:
        """The records of the cluster that a record is in, its founder first; none for a deleted one."""
        with Catalog(self.place / "work", read_only=True) as catalog:
            found = catalog.cluster_of(RecordId.parse(record))
            return [] if found is None else [str(member) for member in found.members]

    def history(self, record: str) -> list[str]:
        """What happened to a record, without when."""
        with Catalog(self.place / "work", read_only=True) as catalog:
            ordinal = catalog.register.ordinal(RecordId.parse(record))
            assert ordinal is not None
            return [str(event).partition(" ")[2] for event in catalog.history.events(ordinal)]

    def redirect_target(self, record: str) -> str | None:
        """The record that a deleted one redirects to."""
        with Catalog(self.place / "work", read_only=True) as catalog:
            found = catalog.redirect_target(RecordId.parse(record))
            return None if found is None else str(found)

    def titles(self) -> dict[str, str]:
        """The title of each published resource, by the record that founded it."""
        found = {}
        for line in self.quads():
            subject, predicate, rest = line.split(" ", 2)
            if predicate == "<http://purl.org/dc/terms/title>" and subject.startswith(f"<{BASE}resource/"):
                found[subject[len(BASE) + 10 : -1].replace("/", ":")] = rest.split('"')[1]
        return found

    def publishes(self, text: str) -> bool:
        """Return whether a text is published, except in the descriptions of single records and in tombstones."""
        exceptions = (f"<{BASE}graph/provenance>", "prov#invalidatedAtTime", "isReplacedBy", '#comment> "')
        return any(text in line for line in self.quads() if not any(each in line for each in exceptions))


@pytest.fixture
def libraries(tmp_path):
    place = tmp_path / "here"
    place.mkdir()
    return Libraries(place)


@pytest.fixture
def three(libraries):
    """Three libraries that hold the same play since the first run, which is not in the history of records."""
    for source in ("north", "south", "union"):
        libraries.send(source, marc("1", ORCHARD))
    libraries.update()
    assert libraries.cluster("north:1") == ["north:1", "south:1", "union:1"]
    return libraries


# -- records come, change and go ---------------------------------------------------------------------------------------


def test_a_new_record_is_published_beside_the_others(libraries):
    libraries.send("north", marc("1", ORCHARD))
    libraries.update()
    libraries.send("north", marc("1", ORCHARD), marc("2", PEACE))
    libraries.update()
    assert libraries.titles() == {"north:1": "The cherry orchard", "north:2": "War and peace"}
    assert libraries.history("north:2") == ["appeared"]


def test_a_new_record_of_a_known_book_joins_its_cluster(libraries):
    libraries.send("north", marc("1", ORCHARD))
    libraries.update()
    libraries.send("south", marc("7", ORCHARD))
    libraries.update()
    assert libraries.cluster("south:7") == ["north:1", "south:7"]
    assert libraries.titles() == {"north:1": "The cherry orchard"}
    assert libraries.history("south:7") == ["appeared", "was merged into north:1"]


def test_of_a_changed_record_only_the_new_values_are_published(libraries):
    libraries.send("north", marc("1", changed(ORCHARD, note="A comedy")))
    libraries.update()
    libraries.send("north", marc("1", changed(ORCHARD, note="A tragedy")))
    libraries.update()
    assert libraries.publishes("A tragedy")
    assert not libraries.publishes("A comedy")


def test_an_unchanged_file_changes_nothing(three):
    before = three.quads()
    summary = three.update()
    assert three.quads() == before
    assert [time.stage for time in summary.stages if not time.was_current] == []


@pytest.mark.parametrize("way", ["by its status", "by a list", "by its absence"])
def test_a_record_is_deleted(way, libraries):
    libraries.send("north", marc("1", ORCHARD), marc("2", PEACE))
    libraries.update()
    if way == "by its status":
        libraries.send("north", marc("2", PEACE, status="d"), complete=False)
    elif way == "by a list":
        libraries.send("north", complete=False, deletes=["2"])
    else:
        libraries.send("north", marc("1", ORCHARD))
    libraries.update()
    assert libraries.titles() == {"north:1": "The cherry orchard"}
    assert not libraries.publishes("Tolstoy")
    assert libraries.history("north:2") == ["was deleted"]
    assert libraries.redirect_target("north:2") is None


def test_records_that_a_delta_does_not_mention_stay(libraries):
    libraries.send("north", marc("1", ORCHARD), marc("2", PEACE))
    libraries.update()
    libraries.send("north", marc("3", SONS), complete=False)
    libraries.update()
    assert sorted(libraries.titles()) == ["north:1", "north:2", "north:3"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_restored_record_has_its_iri_again(complete, three):
    before = three.quads()
    three.send("north", complete=False, deletes=["1"])
    three.update()
    assert three.cluster("south:1") == ["south:1", "union:1"]
    three.send("north", marc("1", ORCHARD), complete=complete)
    three.update()
    assert three.cluster("north:1") == ["north:1", "south:1", "union:1"]
    assert three.quads() == before
    assert three.redirect_target("north:1") == "north:1"
    assert three.history("north:1") == ["was deleted", "was restored"]


def test_a_restored_record_loses_its_redirect(three):
    """It is restored once only, and its next deletion redirects to the members of the cluster that it leaves then."""
    three.send("north", complete=False, deletes=["1"])
    three.update()
    assert three.redirect_target("north:1") == "south:1"
    three.send("north", marc("1", SONS))
    three.update()
    three.send("north", marc("1", PEACE))
    three.update()
    assert three.history("north:1").count("was restored") == 1
    three.send("north", complete=False, deletes=["1"])
    three.update()
    assert three.redirect_target("north:1") is None
    assert not three.publishes("resource/north/1")


# -- clusters ----------------------------------------------------------------------------------------------------------


def test_a_record_that_is_corrected_moves_from_one_cluster_to_another(libraries):
    libraries.send("north", marc("1", ORCHARD), marc("2", PEACE))
    libraries.send("south", marc("1", ORCHARD))
    libraries.update()
    assert libraries.cluster("south:1") == ["north:1", "south:1"]
    libraries.send("south", marc("1", PEACE))
    libraries.update()
    assert libraries.cluster("south:1") == ["north:2", "south:1"]
    assert libraries.cluster("north:1") == ["north:1"]
    assert libraries.history("south:1") == ["was merged into north:2"]


def test_a_cluster_splits_in_two_and_each_has_its_founder(libraries):
    libraries.send("north", marc("1", ORCHARD))
    libraries.send("south", marc("1", ORCHARD))
    libraries.send("union", marc("1", ORCHARD), marc("2", ORCHARD))
    libraries.update()
    assert libraries.cluster("north:1") == ["north:1", "south:1", "union:1", "union:2"]
    libraries.send("union", marc("1", SONS), marc("2", SONS))
    libraries.update()
    assert libraries.cluster("north:1") == ["north:1", "south:1"]
    assert libraries.cluster("union:2") == ["union:1", "union:2"]
    assert libraries.history("union:1") == ["was separated from north:1"]
    assert libraries.history("union:2") == ["was merged into union:1"]
    assert libraries.history("north:1") == []


def test_when_the_founder_is_deleted_its_iri_redirects_to_the_next_founder(three):
    three.send("north", complete=False, deletes=["1"])
    three.update()
    assert three.cluster("union:1") == ["south:1", "union:1"]
    assert three.redirect_target("north:1") == "south:1"
    assert three.titles() == {"south:1": "The cherry orchard"}
    assert not three.publishes("resource/north/1")
    assert three.history("north:1") == ["was deleted"]
    assert three.history("south:1") == ["was separated from north:1"]
    assert three.history("union:1") == ["was merged into south:1"]


def test_when_all_members_are_deleted_no_redirect_has_a_target(three):
    for source in ("north", "south", "union"):
        three.send(source, complete=False, deletes=["1"])
        three.update()
    assert three.titles() == {}
    assert not three.publishes("orchard")
    assert [three.redirect_target(f"{source}:1") for source in ("north", "south", "union")] == [None, None, None]


# -- sources and settings ----------------------------------------------------------------------------------------------


def test_a_removed_and_restored_source_gives_the_same_quads(three):
    before = three.quads()
    north = three.sources.pop("north")
    three.update()
    assert three.cluster("north:1") == []
    assert three.titles() == {"south:1": "The cherry orchard"}
    assert three.redirect_target("north:1") == "south:1"
    three.sources = {"north": north, **three.sources}
    three.update()
    assert three.quads() == before
    assert three.history("north:1") == ["was deleted", "was restored"]


def test_a_higher_threshold_splits_doubtful_clusters_and_a_lower_one_joins_them_again(libraries):
    libraries.settings = "[dedup.model]\nsame = 0.5\nreview = 0.1\n"
    libraries.send("north", marc("1", changed(ORCHARD, isbn="")))
    libraries.send("south", marc("1", changed(ORCHARD, isbn="", author="Chekhov, A.", pages="347")))
    libraries.update()
    assert libraries.cluster("south:1") == ["north:1", "south:1"]
    before = libraries.quads()
    libraries.settings = "[dedup.model]\nsame = 0.9999\nreview = 0.1\n"
    libraries.update()
    assert libraries.cluster("south:1") == ["south:1"]
    libraries.settings = "[dedup.model]\nsame = 0.5\nreview = 0.1\n"
    libraries.update()
    assert libraries.quads() == before
    assert libraries.history("south:1") == ["was separated from north:1", "was merged into north:1"]


def test_another_policy_of_merging_changes_values_and_no_cluster(libraries):
    libraries.send("north", marc("1", changed(ORCHARD, note="A comedy")))
    libraries.send("south", marc("1", changed(ORCHARD, note="Four acts, without a hero")))
    libraries.update()
    assert libraries.publishes("A comedy")
    libraries.settings = '[merge]\nnote = "longest"\n'
    summary = libraries.update()
    assert not libraries.publishes("A comedy")
    assert libraries.publishes("Four acts, without a hero")
    assert libraries.cluster("south:1") == ["north:1", "south:1"]
    assert libraries.history("south:1") == []
    assert [time.stage for time in summary.stages if not time.was_current] == ["merge", "triplify"]


# -- a run that was stopped --------------------------------------------------------------------------------------------


def test_finished_stages_of_an_interrupted_run_are_not_repeated(three, monkeypatch):
    three.run(three.place, until="publish")
    three.send("north", marc("1", changed(ORCHARD, note="A comedy")), marc("2", PEACE), complete=False)

    def no_space(*_: object) -> int:
        raise StoreError("no space is left")

    with monkeypatch.context() as patched:
        patched.setattr(store, "store", no_space)
        with pytest.raises(StoreError):
            three.run(three.place, until="publish")
    summary = three.run(three.place, until="publish")
    assert [time.stage for time in summary.stages if time.was_current] == ["read", "dedup", "merge", "triplify"]
    again = three.run(three.place, until="publish")
    assert [time.stage for time in again.stages if not time.was_current] == []


def test_the_rebuild_option_repeats_every_stage_without_a_new_release(three):
    three.run(three.place, until="publish")
    command = ["run", "--rebuild", "--quiet", "--json", str(three.place / "bibld.toml")]
    answer = CliRunner().invoke(command_line, command, catch_exceptions=False)
    stages = msgspec.json.decode(answer.stdout)["stages"]
    assert [(stage["stage"], stage["done"]) for stage in stages if not stage["was_current"]] == [
        ("read", 3),
        ("dedup", 3),
        ("merge", 3),
        ("triplify", 3),
    ]


# -- real updates ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")
def test_real_updates_end_where_a_rebuild_and_a_fresh_run_do(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    updates = importlib.import_module("updates")
    monkeypatch.delitem(sys.modules, "updates")
    lines = list(updates.play(tmp_path, Path(DATA), most=12))
    assert [line.split()[0] for line in lines if line[0] != " "] == [
        "2025-12",
        "2026-01",
        "2026-02",
        "2026-03",
        "fresh",
    ]
    assert "12 deleted, 0 restored" in lines[4]
    assert "7 restored" in lines[6]
