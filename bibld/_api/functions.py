"""Functions in the place of adapters: for the scores of pairs, the keys of records, and what of a cluster is shown.

In: a function of descriptions. Out: an adapter that calls it, under the name of the function while a method runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from bibld.config import Share
from bibld.model.linkage import Score
from bibld.model.mods import Mods
from bibld.protocols import Statement, adapters

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns

ScoreFunction = Callable[[Mods, Mods], float]
"""Returns how probably two descriptions are of one publication, from 0 to 1."""

KeyFunction = Callable[[Mods], Iterable[object]]
"""Returns the keys of a description, or one key as text; descriptions with a key in common are compared."""

PolicyFunction = Callable[[Sequence[Statement]], Sequence[int]]
"""Returns the positions of the statements that are shown, in their order: see ``bibld.protocols.MergePolicy``."""

_KEY_BYTES = 7


class FunctionScorer:
    """A scorer that calls a function; ``describe`` returns the description of the record with an ordinal."""

    COLUMNS = ()

    class Settings(msgspec.Struct, frozen=True):
        """``same``: from this score on two records are the same; ``review``: from this one on, for review."""

        same: Share = 0.5
        review: Share = 0.5

    def __init__(self, function: ScoreFunction, describe: Callable[[int], Mods]) -> None:
        self._function = function
        self._describe = describe

    def scores(self, columns: FeatureColumns, left: Any, right: Any, settings: Settings) -> npt.NDArray[Any]:  # noqa: ANN401
        """Return what the function returns for each pair of rows."""
        import numpy as np

        pairs = zip(columns.ordinals[left].tolist(), columns.ordinals[right].tolist(), strict=True)
        return np.array([self._score(self._describe(one), self._describe(other)) for one, other in pairs], np.float32)

    def _score(self, left: Mods, right: Mods) -> float:
        score: object = self._function(left, right)
        if isinstance(score, int | float) or hasattr(score, "__float__"):
            value = float(score)
            if 0 <= value <= 1:
                return value
        pair = f"{left.record_identifier} and {right.record_identifier}"
        raise TypeError(f"{name_of(self._function)} returned {score!r} for {pair}; return a number from 0 to 1")

    def explain(self, columns: FeatureColumns, left: Any, right: Any, settings: Settings) -> Iterator[Score]:  # noqa: ANN401
        """Yield the score of each pair of rows, which has no features."""
        yield from (Score(value) for value in self.scores(columns, left, right, settings).tolist())


class FunctionBlocker:
    """A blocker that calls a function for the keys of each record; ``describe`` is as for :class:`FunctionScorer`."""

    COLUMNS = ()
    FAMILIES = ("keys",)
    IS_CERTAIN = True

    class Settings(msgspec.Struct, frozen=True):
        """``largest_bucket``: a key that more records have proposes no pairs."""

        largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 1000

    def __init__(self, function: KeyFunction, describe: Callable[[int], Mods]) -> None:
        self._function = function
        self._describe = describe

    def keys(self, columns: FeatureColumns, settings: Settings, statistics: object) -> tuple[Any, Any]:
        """Return the hashes of the keys, and the rows that have them."""
        import numpy as np

        found = [
            (int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=_KEY_BYTES).digest()), row)
            for row, ordinal in enumerate(columns.ordinals.tolist())
            for key in self._keys(self._describe(ordinal))
        ]
        return np.array([key for key, _ in found], np.uint64), np.array([row for _, row in found], np.uint32)

    def _keys(self, mods: Mods) -> Iterable[object]:
        keys: object = self._function(mods)
        if isinstance(keys, str):
            return (keys,)
        if isinstance(keys, Iterable):
            return keys
        raise TypeError(
            f"{name_of(self._function)} returned {keys!r} for {mods.record_identifier}; return a list of keys"
        )


class FunctionPolicy:
    """A merge policy that calls a function."""

    class Settings(msgspec.Struct, frozen=True):
        """There are no settings."""

    def __init__(self, function: PolicyFunction) -> None:
        self._function = function

    def choose(self, statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
        """Return what the function returns."""
        return self._function(statements)


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, or of the class of another object that can be called."""
    return getattr(function, "__name__", type(function).__name__)


@contextmanager
def method_names(
    block: str | KeyFunction | Sequence[str | KeyFunction],
    score: str | ScoreFunction | None,
    describe: Callable[[int], Mods],
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """Yield the names of blockers and scorer; functions are adapters under their names while the context lasts."""
    with ExitStack() as lent:

        def lend(stage: str, function: Callable[..., object], adapter: object) -> str:
            return lent.enter_context(adapters.lent_adapter(stage, name_of(function), adapter))

        blockers = [block] if isinstance(block, str) or callable(block) else block
        names = tuple(
            one if isinstance(one, str) else lend("dedup.block", one, FunctionBlocker(one, describe))
            for one in blockers
        )
        if score is not None and not isinstance(score, str):
            score = lend("dedup.score", score, FunctionScorer(score, describe))
        yield names, score


@contextmanager
def policy_names(policies: dict[str, str | PolicyFunction]) -> Iterator[dict[str, str]]:
    """Yield policies by name; functions are adapters under their names while the context lasts."""
    with ExitStack() as lent:
        yield {
            element: policy
            if isinstance(policy, str)
            else lent.enter_context(adapters.lent_adapter("merge", name_of(policy), FunctionPolicy(policy)))
            for element, policy in policies.items()
        }
