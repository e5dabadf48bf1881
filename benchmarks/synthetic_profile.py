"""Measure the real records that the synthetic catalogue imitates, and write ``_synthetic/profile.json``.

`python benchmarks/synthetic_profile.py`, with BIBLD_TEST_DATA set, takes half a minute. `--against` writes nothing, and
prints the shipped measurements beside those of as many synthetic records, taken in the same way.

Read are all MARC 21 and RUSMARC files and goldfinch. So that none outweighs the others, at most 500 records of a file
and 5,000 of goldfinch count, and no printed music. Differences between descriptions of one publication are those of the
true pairs of goldfinch. Only numbers are kept, no text of a record.
"""

import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from _measure import real_config, real_data, run
from _synthetic.lexicon import FUNCTION_WORDS
from blocking import goldfinch

from bibld.catalog import Catalog
from bibld.dedup.features import features_of
from bibld.model.features import NUMBERS, TEXTS, Features
from bibld.text.romanisation import romanise

OUT = Path(__file__).parent / "_synthetic" / "profile.json"
MOST_OF_A_FILE, MOST_OF_GOLDFINCH = 500, 5_000
NOT_MEASURED = ("rism", "gpo_same_records/marc8", "gpo_same_records/xml", "authorities")
MOST_WORDS, MOST_LETTERS, MOST_NAMES = 40, 20, 6
_CYRILLIC = re.compile("[\u0400-\u052f]")
Rows = list[Features]


def main() -> None:
    random = Random(1)
    rows, true = goldfinch(real_data() / "gold")
    chosen = random.sample(rows, MOST_OF_GOLDFINCH)
    for found in files():
        chosen += random.sample(found, min(len(found), MOST_OF_A_FILE))
    random.shuffle(chosen)
    scripts = {
        "cyrillic": [one for one in chosen if _CYRILLIC.search(one.title)],
        "latin": [one for one in chosen if not _CYRILLIC.search(one.title)],
    }
    result = {
        "made_of": {name: len(found) for name, found in scripts.items()} | {"true_pairs": len(true)},
        **{name: of_script(found, FUNCTION_WORDS[name]) for name, found in scripts.items()},
        "decades": decades(scripts.values()),
        "pages": quantiles([one.pages for one in chosen if one.pages >= 16]),
        "heights": shares(Counter(one.height for one in chosen if 15 <= one.height <= 35), 15, 35),
        "edition_numbers": shares(Counter(one.edition for one in chosen if one.edition), 1, 9),
        "volumes": shares(Counter(one.volumes for one in chosen if one.volumes > 1), 2, 12),
        "pairs": differences(rows, sorted(true)),
    }
    OUT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(OUT.read_text(encoding="utf-8"))


def against() -> None:
    """Print the measurements of real and synthetic records side by side."""
    from _synthetic.catalogue import Catalogue
    from _synthetic.profile import measured

    real = measured()
    catalogue = Catalogue(3 * sum(real["made_of"][name] for name in ("cyrillic", "latin")))
    chosen = catalogue.chunk(0, catalogue.records).columns
    rows = [chosen.features(row) for row in range(len(chosen))]
    pairs = [(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in catalogue.true_pairs()]
    for name, is_cyrillic in (("cyrillic", True), ("latin", False)):
        size = real["made_of"][name]
        found = [one for one in rows if bool(_CYRILLIC.search(one.title)) == is_cyrillic][:size]
        for key, value in of_script(found, FUNCTION_WORDS[name]).items():
            show(f"{name} {key}", real[name][key], value)
    for key, value in differences(rows, pairs).items():
        show(f"pairs {key}", real["pairs"].get(key), value)


def show(name: str, real: Any, synthetic: Any) -> None:
    """Print a measurement of both; of a distribution from 1 on its mean."""
    if isinstance(real, list) and len(real) > 2:
        real, synthetic = (sum(n * share for n, share in enumerate(one, 1)) for one in (real, synthetic))
    if isinstance(real, dict):
        for key in real:
            show(f"{name} {key}", real[key], synthetic.get(key, 0.0))
    elif isinstance(real, float):
        print(f"{name:32} {real:9.4f} {synthetic:9.4f}")
    else:
        print(f"{name:32} {real!s:>20} {synthetic!s:>20}")


def files() -> Iterable[Rows]:
    """The features of the records of each real file."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = run(real_config(real_data(), Path(folder)), until="read")
        found: dict[str, Rows] = defaultdict(list)
        with Catalog(loaded.workspace, read_only=True) as catalog:
            for ordinal, _, mods in catalog.records.live():
                found[catalog.register.record(ordinal).source].append(features_of(mods))
    labels = {source.id: source.config.label["en"] for source in loaded.sources}
    return [rows for name, rows in found.items() if not any(part in labels[name] for part in NOT_MEASURED)]


def of_script(rows: Rows, function_words: Sequence[str]) -> dict[str, Any]:
    """What is measured of the records whose title is in one script."""
    small = {romanise(word) for word in function_words}
    titles = [f"{one.main_title} {one.remainder}".split() for one in rows]
    words = [[word for word in title if word not in small and not word.isdigit()] for title in titles]
    count = sum(map(len, titles))
    persons = [one.names.split("|")[0].split() for one in rows if one.author]
    return {
        "main_words": shares(Counter(len(one.main_title.split()) for one in rows), 1, MOST_WORDS),
        "remainder_words": shares(Counter(len(one.remainder.split()) for one in rows if one.remainder), 1, MOST_WORDS),
        "word_letters": shares(Counter(len(word) for word in {w for title in words for w in title}), 1, MOST_LETTERS),
        "function_words": {word: ratio(sum(t.count(romanise(word)) for t in titles), count) for word in function_words},
        "numbers": ratio(sum(word.isdigit() for title in titles for word in title), count),
        "words": mandelbrot([word for title in words for word in title]),
        "surnames": mandelbrot([person[0] for person in persons if person]),
        "authors": mandelbrot([one.author for one in rows if one.author]),
        "publishers": mandelbrot([one.publisher.split("|")[0] for one in rows if one.publisher]),
        "distinct_words": distinct_of([word for title in words for word in title]),
        "distinct_surnames": distinct_of([person[0] for person in persons if person]),
        "distinct_authors": distinct_of([one.author for one in rows if one.author]),
        "initials": ratio(sum(len(p[1]) == 1 for p in persons if len(p) > 1), sum(len(p) > 1 for p in persons)),
        "second_name": ratio(sum(len(person) > 2 for person in persons), len(persons)),
        "names": shares(Counter(one.names.count("|") + 1 for one in rows if one.names), 1, MOST_NAMES),
        "languages": {
            name: ratio(number, len(rows))
            for name, number in Counter(one.language.split("|")[0] for one in rows).most_common(6)
        },
        "present": {name: presence(rows, name) for name in (*TEXTS, *NUMBERS)},
    }


def distinct_of(drawn: Sequence[str]) -> list[int]:
    """How many words were drawn, and how many different ones."""
    return [len(drawn), len(set(drawn))]


def mandelbrot(drawn: Sequence[str]) -> list[float]:
    """``q`` and ``a`` of ``P(rank > r) = (1 + r / q) ** -a`` that fit the growth of the vocabulary, and its top."""
    sizes = np.geomspace(min(300, len(drawn)), len(drawn), 6).astype(int)
    grown = np.array([len(set(drawn[:size])) for size in sizes])
    top = Counter(drawn).most_common(20)[-1][1] * 20 / len(drawn)
    best = (np.inf, 0.0, 0.0)
    for q in np.geomspace(0.5, 5_000, 60):
        for a in np.arange(0.2, 1.21, 0.05):
            expected = np.array([distinct(size, q, a) for size in sizes])
            error = np.square(np.log(expected / grown)).sum() + np.log(top / (1 - (1 + 20 / q) ** -a)) ** 2
            best = min(best, (float(error), float(q), float(a)))
    return [round(best[1], 2), round(best[2], 2)]


def distinct(size: int, q: float, a: float) -> float:
    """Return the expected number of different ranks among a number of draws."""
    edges = np.concatenate((np.arange(20), np.geomspace(20, 1e13, 400)))
    middle, width = np.sqrt((edges[1:]) * np.maximum(edges[:-1], 0.5)), np.diff(edges)
    return float((width * -np.expm1(-size * a / q * (1 + middle / q) ** (-a - 1))).sum())


def decades(scripts: Iterable[Rows]) -> dict[str, float]:
    """The share of each decade, the mean of the two scripts, so that neither library's age rules."""
    found: Counter[int] = Counter()
    for rows in scripts:
        counted = Counter(one.year // 10 * 10 for one in rows if one.year >= 1800)
        for decade, number in counted.items():
            found[decade] += round(1e6 * number / counted.total())
    return {str(decade): ratio(number, found.total()) for decade, number in sorted(found.items())}


def differences(rows: Rows, true: Sequence[tuple[int, int]]) -> dict[str, dict[str, float]]:
    """How often each feature is equal, missing on one side or different between descriptions of one publication."""
    result = {}
    for name in (*TEXTS, *NUMBERS):
        pairs = [(getattr(rows[left], name), getattr(rows[right], name)) for left, right in true]
        chosen = [pair for pair in pairs if pair[0] or pair[1]]
        one_side = sum(not (pair[0] and pair[1]) for pair in chosen)
        different = sum(bool(pair[0] and pair[1]) and pair[0] != pair[1] for pair in chosen)
        if chosen:
            result[name] = {"one_side": ratio(one_side, len(chosen)), "different": ratio(different, len(chosen))}
            if name in NUMBERS:
                near = sum(bool(left and right) and 0 < abs(left - right) <= 3 for left, right in chosen)
                result[name]["near"] = ratio(near, len(chosen))
    kinds = Counter(title_difference(rows[left], rows[right]) for left, right in true)
    result["title_words"] = {kind: ratio(number, len(true)) for kind, number in sorted(kinds.items())}
    return result


def title_difference(left: Features, right: Features) -> str:
    """In what the words of two titles differ."""
    one, other = (f"{side.main_title} {side.remainder}".split() for side in (left, right))
    both = min(len(one), len(other))
    tests: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("equal", lambda: one == other),
        ("division", lambda: "".join(one) == "".join(other)),
        ("cut", lambda: one[:both] == other[:both]),
        ("one word", lambda: len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1),
        ("words left out", lambda: set(one) <= set(other) or set(other) <= set(one)),
    )
    return next((name for name, test in tests if test()), "other")


def presence(rows: Rows, name: str) -> float:
    return ratio(sum(bool(getattr(one, name)) for one in rows), len(rows))


def quantiles(values: Sequence[int]) -> list[int]:
    """The percentiles from 0 to 100."""
    return [int(value) for value in np.percentile(values, np.arange(101))]


def shares(counted: Counter[int], least: int, most: int) -> list[float]:
    """The share of each number from ``least`` to ``most``; greater ones count as the greatest."""
    folded: Counter[int] = Counter()
    for number, times in counted.items():
        if number >= least:
            folded[min(number, most)] += times
    return [ratio(folded[number], folded.total()) for number in range(least, most + 1)]


def ratio(part: float, everywhere: float) -> float:
    return round(part / everywhere, 5) if everywhere else 0.0


if __name__ == "__main__":
    against() if "--against" in sys.argv else main()
