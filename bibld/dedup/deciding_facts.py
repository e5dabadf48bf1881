"""What would have to be known to decide about a pair that matching left undecided.

The scorer is asked again: what would it decide if a record stated an element that it lacks, with the value of the other
record or with another value, or if both stated the same where they differ?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from bibld.dedup.decisions import DIFFERENT, RELATED, REVIEW, SAME, Decider
from bibld.dedup.method import Method
from bibld.dedup.side_by_side import ELEMENTS, are_equal, short_value
from bibld.dedup.warm_up import state_cache
from bibld.model.features import FeatureColumns, Features

Scores = npt.NDArray[np.float64]
Decisions = npt.NDArray[np.uint8]

_STATED_WITH = {
    "main_title": ("title", "variant_titles"),
    "part": ("designation",),
    "names": ("author", "responsibility"),
    "edition_text": ("edition",),
    "series": ("subseries",),
    "year": ("last_year",),
}
"""Features that state the same element in another form or in more detail."""

_MAX_SENTENCES = 3
_MAX_ELEMENTS = 4
"""The most elements that a sentence names as deciding together."""

_MAX_TEXT_CHARACTERS = 200_000
"""Nothing is asked about longer texts, which would be copied for each element."""

_OTHER_BY = {"year": 20, "pages": 200, "volumes": 7, "height": 11}
"""How far another value is from a number, so that no scorer takes the two as equal."""


def deciding_facts(left: Features, right: Features, names: Sequence[str], method: Method) -> list[str]:
    """Return sentences for a cataloguer: which elements would decide about an undecided pair, and how.

    ``names`` are what the sentences call the two records. The list is empty if their descriptions do not leave the pair
    undecided, but for example the cluster.
    """
    if len(left.text) + len(right.text) > _MAX_TEXT_CHARACTERS:
        return []
    elements = [
        name for name in ELEMENTS if (getattr(left, name) or getattr(right, name)) and not are_equal(name, left, right)
    ]
    equal = [_with_equal(name, left, right) for name in elements]
    other = [_with_other(name, left, right) for name in elements]
    scores, decisions = _decide([(left, right), *equal, *other], method)
    if decisions[0] != REVIEW:
        return []
    is_same = dict(zip(elements, decisions[1:] == SAME, strict=False))
    is_different = dict(zip(elements, np.isin(decisions[1 + len(elements) :], (DIFFERENT, RELATED)), strict=True))
    gain = dict(zip(elements, scores[1:].tolist(), strict=False))
    are_stated = {name: bool(getattr(left, name) and getattr(right, name)) for name in elements}
    in_order = sorted(elements, key=lambda name: (not is_same[name], are_stated[name], -gain[name]))
    found = [
        _sentence(name, (left, right), names, is_same[name], is_different[name])
        for name in in_order
        if is_same[name] or is_different[name]
    ][:_MAX_SENTENCES]
    if any(is_same.values()):
        return found
    together = _elements_together(sorted(elements, key=lambda name: -gain[name]), left, right, method)
    return [*together, *found]


def _elements_together(by_gain: Sequence[str], left: Features, right: Features, method: Method) -> Iterator[str]:
    """Yield a sentence about the first elements that make a pair the same if both records state them equally."""
    steps = list(
        accumulate(by_gain[:_MAX_ELEMENTS], lambda pair, name: _with_equal(name, *pair), initial=(left, right))
    )
    _, decisions = _decide(steps, method)
    count = int(np.argmax(decisions == SAME))
    if count:
        words = ", ".join(ELEMENTS[name] for name in by_gain[:count])
        yield f"no element decides alone; the two are the same if these are equal in both: {words}"
    else:
        yield "no element of the two records decides; compare the publications themselves"


def _sentence(
    name: str, pair: tuple[Features, Features], names: Sequence[str], is_same: bool, is_different: bool
) -> str:
    element, values = ELEMENTS[name], [short_value(name, one) for one in pair]
    stated = [bool(getattr(one, name)) for one in pair]
    if all(stated):
        if all(values):
            return f"different {element} ({' and '.join(values)}); if that is a mistake, the two are the same"
        return f"different {element}; if that is a mistake, the two are the same"
    position = stated.index(True)
    value = values[position] or f"as in {names[position]}"
    record = names[not position]
    if not is_same:
        return f"{record} does not state the {element}; if it is not {value}, the two are different"
    if not is_different:
        return f"{record} does not state the {element}; if it is {value}, the two are the same"
    return (
        f"{record} does not state the {element}; if it is {value}, the two are the same; if it is another, they are"
        " different"
    )


def _with_equal(name: str, left: Features, right: Features) -> tuple[Features, Features]:
    """Return two records of which the one states an element as the other does."""
    columns = (name, *_STATED_WITH.get(name, ()))
    if getattr(left, name):
        return left, replace(right, **{column: getattr(left, column) for column in columns})
    return replace(left, **{column: getattr(right, column) for column in columns}), right


def _with_other(name: str, left: Features, right: Features) -> tuple[Features, Features]:
    """Return two records of which the one states another value than the other; unchanged ones if both state values."""
    if getattr(left, name) and getattr(right, name):
        return left, right
    one, other = _with_equal(name, left, right)
    columns = (name, *_STATED_WITH.get(name, ()))
    changed = {column: _other_value(column, getattr(one, column)) for column in columns}
    return (one, replace(other, **changed)) if getattr(left, name) else (replace(one, **changed), other)


def _other_value(name: str, value: str | int) -> str | int:
    """Return a value that has nothing in common with another: other digits, or else the letters backwards."""
    if isinstance(value, int):
        return value and value + _OTHER_BY.get(name.removeprefix("last_"), 1)
    digits = str.maketrans("0123456789", "1234567890")
    return value.translate(digits) if any(map(str.isdecimal, value)) else value[::-1]


def _decide(pairs: Sequence[tuple[Features, Features]], method: Method) -> tuple[Scores, Decisions]:
    """Return the scores of pairs, and the decisions about each, whatever their sources."""
    state_cache(method.dedup.cache)
    rows = [record for pair in pairs for record in pair]
    ends = np.arange(0, len(rows), 2)
    decider = Decider(FeatureColumns.from_features(enumerate(rows)), np.arange(len(rows)), method)
    decided = decider.decide(ends, ends + 1)
    return decided.scores, decided.decisions
