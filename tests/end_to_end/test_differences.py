"""Any sequence of additions, changes, deletions, restores, verdicts, suppressions and changed settings ends in the same
published quads as a rebuild over the final records, with the same register and the same statistics."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bibld import config, pipeline, progress, store, triplify
from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin, RecordId
from tests.configuration import HEAD
from tests.configuration import source as table_of_source
from tests.publish.follower import as_stored

SOURCES = {"rsl": False, "nlr": False, "slavica": True}
"""Whether a cluster may contain more than one record of a source."""

BOOKS = [
    ("Tolstoy, Leo", "War and peace", "1869", "", "9780140447934"),
    ("Tolstoy, Leo", "War and peace", "1869", "2", ""),
    ("Tolstoy, Leo", "War and peace. Vol. 1", "1869", "", ""),
    ("Chekhov, Anton", "The cherry orchard", "1904", "", "9780141182131"),
    ("Chekhov, Anton", "The cherry orchard : a comedy", "1904", "", ""),
    ("", "Annual report of the library", "1990", "", ""),
    ("", "Annual report of the library", "1991", "", ""),
]
NUMBERS = ("1", "2", "3")
books = st.sampled_from(range(len(BOOKS)))
sources = st.sampled_from(sorted(SOURCES))
records = st.tuples(sources, st.sampled_from(NUMBERS))


def marc(number: str, book: int, extra: str) -> bytes:
    author, title, year, edition, isbn = BOOKS[book]
    fields: list[ControlField | DataField] = [ControlField("001", number)]
    fields.append(ControlField("008", f"900101s{year}    ru            000 0 eng d"))
    wanted = [
        ("020", " ", " ", "a", isbn),
        ("100", "1", " ", "a", author),
        ("245", "1", "0", "a", title),
        ("250", " ", " ", "a", edition and f"{edition} ed."),
        ("260", " ", " ", "c", year),
        ("300", " ", " ", "a", "349 p."),
        ("500", " ", " ", "a", extra),
        ("650", " ", "0", "a", "Russian literature"),
    ]
    fields += [DataField(tag, one, two, (Subfield(code, text),)) for tag, one, two, code, text in wanted if text]
    return to_iso2709(MarcRecord(Origin("x", "x", 1, 0), Leader("00000nam a2200000 i 4500"), tuple(fields)))


@settings(
    max_examples=12,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
class Differences(RuleBasedStateMachine):
    """A workspace that is updated again and again."""

    folder: Path

    @initialize()
    def begin(self):
        self.place = self.folder / "one"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        self.books: dict[tuple[str, str], tuple[int, str]] = {}
        self.suppressed: set[tuple[str, str, str]] = set()
        self.same = 0.9
        self.policy = "union"
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.changed = True

    # -- what happens to a catalogue -----------------------------------------------------------------------------------

    @rule(record=records, book=books, extra=st.sampled_from(["", "A note", "Another note"]))
    def put(self, record, book, extra):
        """A record is new, or changes, or comes back."""
        self.books[record] = book, extra
        self.changed = True

    @rule(record=records, book=books, other=st.sampled_from(["nlr", "slavica"]))
    def put_twice(self, record, book, other):
        """Two libraries hold the same book."""
        self.books[record] = self.books[other, record[1]] = book, ""
        self.changed = True

    @precondition(lambda self: self.books)
    @rule(data=st.data())
    def delete(self, data):
        del self.books[data.draw(st.sampled_from(sorted(self.books)))]
        self.changed = True

    @rule(record=records, value=st.sampled_from(["", "A note", "Russian literature", "1869"]))
    def suppress_or_lift(self, record, value):
        """A record, or a value of it, must not be published, or may be again."""
        self.suppressed ^= {(*record, value)}
        self.changed = True

    @rule(same=st.sampled_from([0.5, 0.9, 0.99]))
    def change_threshold(self, same):
        self.same, self.changed = same, True

    @rule(policy=st.sampled_from(["union", "fill", "longest"]))
    def change_policy(self, policy):
        self.policy, self.changed = policy, True

    @precondition(lambda self: not self.changed and len(self.books) > 1)
    @rule(data=st.data(), decision=st.sampled_from(["same", "different", "related"]))
    def decide(self, data, decision):
        """A person decides about two records."""
        pair = data.draw(st.sets(st.sampled_from(sorted(self.books)), min_size=2, max_size=2))
        left, right = (RecordId(*one) for one in sorted(pair))
        with Verdicts(self.place / "work") as verdicts, verdicts.transaction():
            verdicts.add([PersonVerdict(Pair.from_records(left, right), decision, "anna")], "2026-01-01T00:00:00Z")
        self.changed = True

    @precondition(lambda self: not self.changed)
    @rule(data=st.data())
    def withdraw(self, data):
        with Verdicts(self.place / "work") as verdicts:
            if given := verdicts.current():
                with verdicts.transaction():
                    verdicts.withdraw(data.draw(st.sampled_from(given)))
                self.changed = True

    @precondition(lambda self: self.changed)
    @rule()
    def update(self):
        self.run(self.place)

    # -- what holds ----------------------------------------------------------------------------------------------------

    @invariant()
    def a_rebuild_gives_the_same(self):
        if getattr(self, "changed", True):
            return
        again = self.place.with_name("again")
        shutil.rmtree(again, ignore_errors=True)
        shutil.copytree(self.place, again)
        self.run(again, rebuild=True)
        assert quads(self.place) == quads(again)
        self.nothing_suppressed_is_there()
        assert live(self.place) == to_be_stored(self.place)
        assert live(again) == to_be_stored(again)

    def nothing_suppressed_is_there(self):
        published = "".join(quads(self.place))
        for source, number, value in self.suppressed:
            iri = f"/{source}/{number}"
            assert value or not any(f"{iri}{end}" in published for end in ">#")

    def run(self, place, rebuild=False):
        for source in SOURCES:
            inside = sorted((number, *book) for (of, number), book in self.books.items() if of == source)
            (place / f"{source}.mrc").write_bytes(b"".join(marc(*one) for one in inside))
        lines = [f"{source}:{number},{value},test" for source, number, value in sorted(self.suppressed)]
        (place / "suppress.csv").write_text("\n".join(["record,value,reason", *lines]), encoding="utf-8")
        (place / "bibld.toml").write_text(self.text(), encoding="utf-8")
        self.clock += timedelta(days=1)
        pipeline.run(config.load(place / "bibld.toml"), self.clock, progress.Silent(), rebuild=rebuild)
        self.changed = False

    def text(self) -> str:
        lines = [
            HEAD,
            "[dedup.model]",
            f"same = {self.same}",
            f"review = {min(self.same, 0.5)}",
            "[merge]",
            f'note = "{self.policy}"',
            "[publish]",
            'suppress = "suppress.csv"',
        ]
        for source, duplicates in SOURCES.items():
            lines += [
                table_of_source(source, f"{source}.mrc"),
                f"duplicates = {str(duplicates).lower()}",
            ]
        return "\n".join(lines) + "\n"


def quads(place: Path) -> set[str]:
    """What the catalog has to be published, but for the description of the dataset."""
    loaded = config.load(place / "bibld.toml")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        iris = Iris(loaded.dataset.base)
        about = f"<{iris.graph('dataset')}> ."
        found = {line.strip() for line in triplify.catalog_quads(catalog, iris, ())}
    return {line for line in found if not line.endswith(about)}


def to_be_stored(place: Path) -> set[str]:
    """What the catalog has to be published, as the live store has it."""
    return as_stored(quads(place), config.load(place / "bibld.toml").dataset.base)


def live(place: Path) -> set[str]:
    """What the live store holds, but for the description of the dataset and the run."""
    loaded = config.load(place / "bibld.toml")
    iris = Iris(loaded.dataset.base)
    opened = store.open_live(loaded)
    try:
        about = tuple(f"<{iris.graph(name)}> .\n" for name in ("dataset", "run"))
        return {line.rstrip("\n") for line in opened.quads() if not line.endswith(about)}
    finally:
        opened.close()


def test_differences_end_where_a_rebuild_does(tmp_path_factory):
    from hypothesis.stateful import run_state_machine_as_test

    Differences.folder = tmp_path_factory.mktemp("differences")
    run_state_machine_as_test(Differences)
