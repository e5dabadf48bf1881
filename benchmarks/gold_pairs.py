"""Labelled pairs of `gold` in the folder of real records, and those of `labelled` by subject, end to end with default
settings: each file is a source.

The sets are divided by family of works into a development half, whose wrong decisions `--show` lists, and a test half
for RESULTS.md. Figures as in `labelled_pairs.py`; a pair counts if the set labels pairs between its two files.
"""

import csv
import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _measure import chosen_model, halves_parser, real_data, run, source_table, write_config
from labelled_pairs import FOLDER, match, report, show
from methods import COMMAS

from bibld.catalog import Catalog
from bibld.dedup.pair_files import LabelledPair
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId


class GoldSet(NamedTuple):
    """A folder of labelled pairs: the sources of its files, and the files of pairs with the sources of both sides, that
    are empty where the pairs state them. ``is_own``: it is beside this file, and pairs may be of one source."""

    folder: str
    files: dict[str, str]
    pairs: dict[str, tuple[str, str]]
    is_own: bool = False

    @property
    def path(self) -> Path:
        """The folder with its files."""
        return FOLDER / self.folder if self.is_own else real_data() / "gold" / self.folder

    def source_tables(self, prefix: str = "") -> str:
        """Return the tables of the sources, whose ids begin with the prefix."""
        tables = []
        for source, file in self.files.items():
            options = {"read": "csv"} if file.endswith(".csv") else {}
            table = source_table(f"{prefix}{source}", self.path / file, duplicates=self.is_own, **options)
            tables.append(table + COMMAS if options else table)
        return "".join(tables)


STATED = {"pairs.csv": ("", "")}
SETS = {
    "hard": GoldSet("ru_pairs", {"a": "a.mrc", "b": "b_utf8.iso"}, {"pairs.csv": ("a", "b")}),
    "western": GoldSet("ru_pairs", {"a": "a.mrc", "c": "c.mrc"}, {"pairs_ac.csv": ("a", "c")}),
    "plain": GoldSet("ru_pairs_plain", {"a": "a.mrc", "b": "b_utf8.iso"}, {"pairs.csv": ("a", "b")}),
    "parts": GoldSet("parts", {name: f"{name}.mrk" for name in "abcd"}, STATED),
    "parts_rusmarc": GoldSet("parts_rusmarc", {"a": "a.mrk", "b": "b.mrk"}, STATED),
    **{
        name: GoldSet(name, {source: f"{source}.mrk" for source in ("marc21", "rusmarc")}, STATED, is_own=True)
        for name in ("materials", "one_catalogue", "documents", "headings", "brief", "volumes", "scripts")
    },
    "citations": GoldSet("citations", {"full": "full.csv", "brief": "brief.csv"}, STATED, is_own=True),
}
UNSEEN = ("citations",)
"""Sets that no model is trained on: for measuring alone."""
FAMILIES = re.compile(r"\[([^\]]+)\]\s*$")


class GoldPair(NamedTuple):
    """A labelled pair with the families of works that it is about."""

    labelled: LabelledPair
    families: frozenset[str]
    note: str


def main() -> None:
    parser = halves_parser(__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="set", help=", ".join(SETS))
    wanted = parser.parse_args()
    for name in wanted.sets:
        measure(name, wanted.half, chosen_model(wanted), wanted.show)


def measure(name: str, half: str, model: str, is_shown: bool) -> None:
    """Match the records of a set, and print the figures of one half; pairs of the other one are left out."""
    one = SETS[name]
    pairs = list(read_gold(one))
    chosen = {pair.labelled.pair for pair in in_half(pairs, half)}
    with tempfile.TemporaryDirectory() as place:
        ours = run(write_config(Path(place), one.source_tables() + model), until="read")
        with Catalog(ours.workspace, read_only=True) as catalog:
            matched = match(catalog, ours, [pair.labelled for pair in pairs])
    labels = matched.labels
    is_chosen = np.array([matched.verdicts[number][0] in chosen for number in labels.pairs.tolist()], np.bool_)
    kinds = [kind for kind, counts in zip(labels.kinds, is_chosen.tolist(), strict=True) if counts]
    matched = matched._replace(
        labels=labels._replace(pairs=labels.pairs[is_chosen], is_true=labels.is_true[is_chosen], kinds=kinds),
        same=np.setdiff1d(matched.same, labels.pairs[~is_chosen]),
        joined=np.setdiff1d(matched.joined, labels.pairs[~is_chosen]),
    )
    print(f"\n{name}, {half} half")
    report(matched)
    if is_shown:
        show(matched, {pair.labelled.pair: pair.note for pair in pairs})


def read_gold(one: GoldSet) -> Iterator[GoldPair]:
    for file, (left, right) in one.pairs.items():
        with (one.path / file).open(encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.DictReader(lines)):
                sides = (f"{left}:{row['left']}", f"{right}:{row['right']}") if left else (row["left"], row["right"])
                ends = [RecordId.from_control_number(*side.split(":", 1)) for side in sides]
                is_duplicate = row["label"] in ("duplicate", "1")
                note = row.get("note") or row.get("why") or ""
                found = FAMILIES.search(note)
                families = re.split(r"[,;/ ]+", found[1]) if found else [row.get("family") or f"{one.folder} {number}"]
                kind = one.folder if one.is_own else row.get("kind") or "part"
                pair = LabelledPair(Pair.from_records(*ends), is_duplicate, kind)
                yield GoldPair(pair, frozenset(families), note)


def in_half(pairs: list[GoldPair], half: str) -> list[GoldPair]:
    """Return the pairs of one half; families that a pair connects are in the same one."""
    heads: dict[str, str] = {}

    def head(family: str) -> str:
        while (above := heads.setdefault(family, family)) != family:
            family = above
        return family

    for pair in pairs:
        first, *others = sorted(pair.families)
        for other in others:
            one, two = sorted((head(first), head(other)))
            heads[two] = one
    return [
        pair
        for pair in pairs
        if (hashlib.sha256(head(min(pair.families)).encode()).digest()[0] % 2 == 1) == (half == "test")
    ]


if __name__ == "__main__":
    main()
