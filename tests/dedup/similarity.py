"""A scorer with a threshold for review, for tests: the similarity of titles by character bigrams."""

import msgspec

from bibld.dedup.score.jaccard import similarities
from bibld.model.linkage import Feature, Score


class Settings(msgspec.Struct, frozen=True):
    same: float = 0.9
    review: float = 0.5


def scores(columns, left, right, settings):
    return similarities(columns, left, right)[0]


def explain(columns, left, right, settings):
    for value in scores(columns, left, right, settings).tolist():
        yield Score(round(value, 6), (Feature("title", round(value, 6)),))
