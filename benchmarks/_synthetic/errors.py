"""How often a description differs from the ideal one of its publication.

Each record draws for itself, so two descriptions of one publication differ about twice as often; what was measured on
goldfinch (``profile.json``, "pairs") is twice these numbers, where it was measured. A few careless records make
more slips than all others.
"""

import numpy as np
import numpy.typing as npt

ERRORS = {
    # title: of true pairs 2.3 % differ in one word, 12 % by a cut, 2.2 % by words left out, 0.2 % in division
    "title misprint": 0.014,
    "title word left out": 0.014,
    "title divided otherwise": 0.0015,
    "remainder left out": 0.13,
    "remainder cut": 0.06,
    "remainder added": 0.012,
    "remainder in main title": 0.025,
    "part in title": 0.05,
    "volume arranged otherwise": 0.06,
    # names: 2.8 % on one side, 20 % of first names and 36 % of all names differ
    "author left out": 0.013,
    "other names left out": 0.13,
    "name added": 0.06,
    "names in other order": 0.01,
    "name misprint": 0.006,
    "second name left out": 0.05,
    "responsibility left out": 0.2,
    # imprint: publisher 4.2 % on one side, 47 % different; place 1.1 % and 17 %
    "publisher abbreviated": 0.42,
    "publisher other": 0.05,
    "publisher left out": 0.02,
    "place abbreviated": 0.02,
    "place other": 0.03,
    "second place": 0.05,
    "place left out": 0.006,
    "edition left out": 0.13,
    "edition in other words": 0.2,
    "series left out": 0.13,
    "series otherwise": 0.22,
    # numbers: year 0.7 % on one side, 2.5 % near, 1.7 % further off; pages 5.5 %, 1.1 %, 1.7 %; height 18 %, 11 %
    "year near": 0.012,
    "year far": 0.006,
    "year left out": 0.0035,
    "pages near": 0.006,
    "pages far": 0.006,
    "pages left out": 0.028,
    "height near": 0.055,
    "height left out": 0.09,
    "isbn left out": 0.1,
    "isbn other": 0.008,
    # codes: 0.7 % and 0.8 % different; a slip mostly meets the right code again
    "language slip": 0.015,
    "carrier slip": 0.03,
}
"""The probability of each difference in a record where there is something to differ."""

INITIALS = ((0.45, 0.08), (0.75, 0.2))
"""The share of records that shorten given names, of libraries A and B, each for Cyrillic and Latin; measured of all
records: 0.75 and 0.13."""
CARELESS, CARELESS_FACTOR, CAREFUL_FACTOR = 0.12, 3.0, 0.73
"""The share of careless records, and how many times the probabilities hold for them and for the others."""

NUMBER_OF = {name: number for number, name in enumerate(ERRORS)}


def probabilities() -> npt.NDArray[np.float64]:
    """The probabilities by the numbers of the errors."""
    return np.array(list(ERRORS.values()))
