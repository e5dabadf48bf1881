"""The measured parameters as arrays for kernels; ``synthetic_profile.py`` has measured them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .lexicon import SCRIPTS

MAIN_WORDS, REMAINDER_WORDS, WORD_LETTERS, NAMES, DECADES, HEIGHTS, EDITION_NUMBERS, VOLUMES_DESCRIBED = range(8)
WORDS, SURNAMES, AUTHORS, PUBLISHERS = range(4)
FUNCTION_WORDS, NUMBERS, INITIALS, SECOND_NAME, REMAINDER, RESPONSIBILITY, SERIES, SERIES_NUMBER, EDITION, HEIGHT = (
    range(10)
)

_OF_SCRIPT = ("main_words", "remainder_words", "word_letters", "names")
_OF_BOTH = ("decades", "heights", "edition_numbers", "volumes")
_LAWS = ("words", "surnames", "authors", "publishers")
_PRESENT = ("remainder", "responsibility", "series", "series_number", "edition", "height")
_LEAST_TAIL = {"words": 0.42, "surnames": 0.2, "authors": 0.2, "publishers": 0.45}
"""A few hundred Russian records do not show how the tail goes on to millions; no law may grow faster than this."""
_FLATTER = {"words": 0.85, "surnames": 0.8}
"""Some words and names of different ranks have the same spelling; this makes the number of distinct ones as
measured."""
_HEIGHT = {"cyrillic": 0.5}
"""The Russian records at hand state no height, but those of the large libraries do."""


class Profile(NamedTuple):
    """``reaches[2 * table + script]`` cumulated shares, ``laws[2 * law + script]`` as :func:`draws.rank` wants them,
    ``rates[2 * rate + script]`` shares of records or words, ``pages`` the percentiles, ``first_decade``."""

    reaches: npt.NDArray[np.float64]
    laws: npt.NDArray[np.float64]
    rates: npt.NDArray[np.float64]
    pages: npt.NDArray[np.int64]
    first_decade: int


def measured() -> dict[str, Any]:
    """The shipped measurements."""
    result: dict[str, Any] = json.loads(Path(__file__).with_name("profile.json").read_text(encoding="utf-8"))
    return result


def profile(figures: dict[str, Any]) -> Profile:
    """Put the measurements into arrays."""
    tables = [figures[script][name] for name in _OF_SCRIPT for script in SCRIPTS]
    decades = figures["decades"]
    tables += [list(decades.values()) if name == "decades" else figures[name] for name in _OF_BOTH for _ in SCRIPTS]
    reaches = np.ones((len(tables), max(map(len, tables))))
    for number, shares in enumerate(tables):
        reaches[number, : len(shares)] = np.cumsum(shares) / sum(shares)
    laws = [
        (figures[script][name][0], max(figures[script][name][1] * _FLATTER.get(name, 1.0), _LEAST_TAIL[name]))
        for name in _LAWS
        for script in SCRIPTS
    ]
    rates = [
        *(sum(figures[script]["function_words"].values()) for script in SCRIPTS),
        *(figures[script][name] for name in ("numbers", "initials", "second_name") for script in SCRIPTS),
        *(figures[script]["present"][name] for name in _PRESENT for script in SCRIPTS),
    ]
    for script, share in _HEIGHT.items():
        rates[2 * HEIGHT + SCRIPTS.index(script)] = share
    return Profile(
        reaches, np.array(laws), np.array(rates), np.array(figures["pages"], np.int64), int(next(iter(decades)))
    )
