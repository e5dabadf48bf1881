"""How much the levels of the prefix filter save: pairs compared and processor time against one level of the same code.

Over 200,000 names of publishers and corporate bodies, edit similarity 0.8, then Jaccard similarity of letter pairs 0.8:
``python benchmarks/prefix.py [NAMES]``. The names are those of the real files of ``BIBLD_TEST_DATA`` (MARC fields 110,
260 $b, 264 $b, 610, 710 and organisations of FAST); the others combine the beginning of one with the end of another,
and half of these differ from a name before by one to three misprints.
"""

import random
import re
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pymarc
from _measure import real_data

from bibld.dedup.block.prefix import Measure, similar_pairs
from bibld.text.romanisation import romanise

LEVELS = (1, 2, 4, 10)
THRESHOLD = 0.8
SHORTEST, LONGEST = 5, 40
LETTERS = "abcdefghiklmnoprstuvz "
FIELDS = {"110": "a", "610": "a", "710": "a", "260": "b", "264": "b"}
ORGANISATION = re.compile(r"<(\S+)> <\S+#type> <http://schema.org/Organization>")
LABEL = re.compile(r'<(\S+)> <\S+prefLabel> "(.*)"')


def real_names(folder: Path) -> list[str]:
    """Return the distinct names of the real files, romanised, ascending."""
    triples = (folder / "authorities" / "fast.nt").read_text(encoding="utf-8")
    organisations = set(ORGANISATION.findall(triples))
    labels = (label for subject, label in LABEL.findall(triples) if subject in organisations)
    keys = (romanise(name) for name in chain(labels, marc_names(folder / "marc21")))
    return sorted({key for key in keys if SHORTEST <= len(key) <= LONGEST})


def marc_names(folder: Path) -> Iterator[str]:
    """Yield the names of publishers and corporate bodies of the ISO 2709 files."""
    for path in sorted(folder.rglob("*.mrc")):
        with path.open("rb") as stream:
            for record in pymarc.MARCReader(stream, permissive=True, to_unicode=True):
                for field in record.get_fields(*FIELDS) if record else ():
                    yield " ".join(field.get_subfields(*FIELDS[field.tag]))


def names(count: int) -> tuple[list[str], int]:
    """Return as many distinct names, and how many of them are real."""
    real = real_names(real_data())
    draw = random.Random(7)
    draw.shuffle(real)
    found = dict.fromkeys(real[:count])
    known = list(found)
    while len(found) < count:
        if draw.random() < 0.5:
            name = misprinted(draw.choice(known), draw)
        else:
            first, second = draw.choice(real).split(), draw.choice(real).split()
            name = " ".join(first[: (len(first) + 1) // 2] + second[len(second) // 2 :])
        if SHORTEST <= len(name) <= LONGEST and name not in found:
            found[name] = None
            known.append(name)
    return list(found), min(len(real), count)


def misprinted(name: str, draw: random.Random) -> str:
    """Return a name with one to three letters dropped, added or replaced."""
    letters = list(name)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(letters))
        letters[place] = draw.choice(("", draw.choice(LETTERS), letters[place] + draw.choice(LETTERS)))
    return " ".join("".join(letters).split())


def measure(texts: list[str], name: Measure, gram: int) -> None:
    """Print the pairs compared and the processor time of each number of levels, and their ratios to one level."""
    print(f"  {name} >= {THRESHOLD}, grams of {gram} letters")
    first: tuple[int, float] | None = None
    results = set()
    for levels in LEVELS:
        begin = time.process_time()
        found = similar_pairs(texts, name, THRESHOLD, levels, gram)
        seconds = time.process_time() - begin
        first = first or (found.compared, seconds)
        results.add((found.left.tobytes(), found.right.tobytes()))
        print(
            f"    {levels:2} levels: {found.compared / 1e6:8.2f} M compared ({found.compared / first[0]:.2f}), "
            f"{seconds:7.2f} CPU s ({seconds / first[1]:.2f}), {len(found.left):,} pairs"
        )
    print("    the pairs of all levels are", "equal" if len(results) == 1 else "DIFFERENT")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    texts, real = names(count)
    mean = sum(map(len, texts)) / len(texts)
    print(f"{count:,} names, {real:,} of them real, {mean:.1f} letters on average")
    for gram in (2, 3):
        measure(texts, "edit", gram)
    measure(texts, "jaccard", 2)


if __name__ == "__main__":
    main()
