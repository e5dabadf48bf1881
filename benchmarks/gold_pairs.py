"""The labelled pairs of `gold` in the folder of real records, end to end with default settings: each file is a source.

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
from labelled_pairs import match, report, show

from bibld.catalog import Catalog
from bibld.dedup.pair_files import LabelledPair
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId


class GoldSet(NamedTuple):
    """A folder of labelled pairs: the sources of its files, and the files of pairs with the sources of both sides."""

    folder: str
    files: dict[str, str]
    pairs: dict[str, tuple[str, str]]


SETS = {
    "hard": GoldSet("ru_pairs", {"a": "a.mrc", "b": "b_utf8.iso"}, {"pairs.csv": ("a", "b")}),
    "western": GoldSet("ru_pairs", {"a": "a.mrc", "c": "c.mrc"}, {"pairs_ac.csv": ("a", "c")}),
    "plain": GoldSet("ru_pairs_plain", {"a": "a.mrc", "b": "b_utf8.iso"}, {"pairs.csv": ("a", "b")}),
    "parts": GoldSet("parts", {name: f"{name}.mrk" for name in "abcd"}, {"pairs.csv": ("", "")}),
    "parts_rusmarc": GoldSet("parts_rusmarc", {"a": "a.mrk", "b": "b.mrk"}, {"pairs.csv": ("", "")}),
}
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
    folder = real_data() / "gold" / one.folder
    pairs = list(read_gold(one, folder))
    chosen = {pair.labelled.pair for pair in in_half(pairs, half)}
    with tempfile.TemporaryDirectory() as place:
        tables = (source_table(source, folder / file) for source, file in one.files.items())
        ours = run(write_config(Path(place), "".join(tables) + model), until="read")
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


def read_gold(one: GoldSet, folder: Path) -> Iterator[GoldPair]:
    for file, (left, right) in one.pairs.items():
        with (folder / file).open(encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.DictReader(lines)):
                sides = (f"{left}:{row['left']}", f"{right}:{row['right']}") if left else (row["left"], row["right"])
                ends = [RecordId.from_control_number(*side.split(":", 1)) for side in sides]
                is_duplicate = row["label"] in ("duplicate", "1")
                note = row.get("note") or row.get("why") or ""
                found = FAMILIES.search(note)
                families = re.split(r"[,;/ ]+", found[1]) if found else [f"{one.folder} {number}"]
                pair = LabelledPair(Pair.from_records(*ends), is_duplicate, row.get("kind") or "part")
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
