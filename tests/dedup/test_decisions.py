"""What a score means: the same, a question, another edition, or nothing."""

import msgspec
import numpy as np
import pytest

from bibld.config import DedupConfig
from bibld.dedup.decisions import DECISIONS, Decider
from bibld.dedup.edges import Edges
from bibld.model.features import FeatureColumns, Features
from bibld.model.origin import RecordId
from bibld.protocols import adapters
from tests.dedup import similarity


class Bare(msgspec.Struct, frozen=True):
    """Settings of a scorer that knows no review."""

    same: float = 0.5


class DecisionConfig(msgspec.Struct, frozen=True):
    """The part of a configuration that deciding uses; each record has a separate source."""

    chosen: object
    dedup: DedupConfig = DedupConfig(block=(), score="similarity", exceptions=("edition", "year", "carrier"))
    sources: tuple[object, ...] = ()
    workers: int = 1

    def settings(self, stage, name):
        return self.chosen


def verdict(monkeypatch, left, right, settings=None, sources=("a", "b"), scorer=similarity):
    with monkeypatch.context() as patch:
        patch.setattr(adapters, "load_adapter", lambda stage, name: scorer)
        records = [RecordId(source, str(row)) for row, source in enumerate(sources)]
        numbers = np.array([sorted(set(sources)).index(source) for source in sources])
        decider = Decider(
            FeatureColumns.from_features(enumerate((left, right))),
            numbers,
            DecisionConfig(settings or similarity.Settings()),
        )
        decisions = decider.decide(np.array([0]), np.array([1]))
        (edge,) = Edges(decider, lambda rows: [records[row] for row in rows.tolist()], "test").explain(decisions)
        return edge.verdict


def book(title="abcdefghijk", **changes):
    return Features(title=title, main_title=title, names="tolstoi lev", year=1970, last_year=1970, **changes)


def other(year):
    return msgspec.structs.replace(book(), year=year, last_year=year)


def test_a_score_decides_same_review_or_different(monkeypatch):
    assert verdict(monkeypatch, book(), book()).decision == "same"
    asked = verdict(monkeypatch, book(), book("abcdefghxyz"), similarity.Settings(review=0.3))
    assert (asked.decision, asked.by) == ("review", "similarity")
    assert "between 0.3 and 0.9" in asked.reasons[0]
    assert verdict(monkeypatch, book(), book("zyxwvutsrqp")).decision == "different"


def test_a_score_at_the_threshold_is_the_same_except_in_the_papers_method(monkeypatch):
    left, right = book("abc"), book("abcd")  # two of three bigrams: 0.666667
    assert verdict(monkeypatch, left, right, similarity.Settings(same=0.666667)).decision == "same"
    assert verdict(monkeypatch, left, right, Bare(same=0.666667)).decision == "different"


@pytest.mark.parametrize(
    ("changed", "by", "decision", "relation"),
    [
        (book(designation="2"), "part_numbers", "related", "same_set"),
        (other(1980), "year", "review", "other_edition"),
        (book(carrier="microform"), "carrier", "review", "other_format"),
    ],
)
def test_exceptions_overrule_the_score_and_name_the_relation(monkeypatch, changed, by, decision, relation):
    found = verdict(monkeypatch, book(designation="1", carrier="print"), changed)
    assert (found.by, found.decision, found.relation) == (by, decision, relation)
    assert len(found.reasons) == 2


def test_the_papers_method_has_no_exception_but_parts(monkeypatch):
    assert verdict(monkeypatch, book(carrier="print"), book(carrier="microform"), Bare()).decision == "same"
    assert verdict(monkeypatch, book(designation="1"), book(designation="1 2"), Bare()).decision == "related"


def test_two_records_of_a_source_are_for_review(monkeypatch):
    found = verdict(monkeypatch, book(), book(), sources=("a", "a"))
    assert (found.decision, found.by) == ("review", "one_record_per_source")


def test_a_different_pair_of_the_same_work_is_related(monkeypatch):
    """The score may see that two editions differ; that they are editions of one work is not lost."""
    left = msgspec.structs.replace(book(), title="one two three")
    right = msgspec.structs.replace(other(1980), title="zzzzz")
    found = verdict(monkeypatch, left, right)
    assert (found.decision, found.by, found.relation) == ("related", "year", "other_edition")
    assert "below 0.5" in found.reasons[0]
    stranger = msgspec.structs.replace(right, names="chehov anton")
    assert verdict(monkeypatch, left, stranger).decision == "different"


@pytest.mark.parametrize("settings", [similarity.Settings(), Bare()])
@pytest.mark.parametrize("title", ["abcdefghijk", "abcdefghxyz", "zyxwvutsrqp"])
def test_a_text_that_is_part_of_another_is_related_whatever_the_score(monkeypatch, title, settings):
    class Scorer:
        COLUMNS = ("title", "author", "text")
        scores, explain = staticmethod(similarity.scores), staticmethod(similarity.explain)

        @staticmethod
        def part_of(columns, left, right, settings):
            texts = columns.texts["text"]
            pairs = zip(left.tolist(), right.tolist(), strict=True)
            return np.array([texts.text(one) in texts.text(other) for one, other in pairs], np.int8)

    found = verdict(monkeypatch, book(text="b c"), book(title, text="a b c d"), settings, scorer=Scorer)
    assert (found.decision, found.by, found.relation) == ("related", "contained", "part_of")
    assert verdict(monkeypatch, book(text="b d"), book(text="a b c d"), settings, scorer=Scorer).decision == "same"


@pytest.mark.parametrize(("sources", "decision"), [((~0, ~1), "same"), ((~0, ~0), "review")])
def test_one_library_counts_editions_in_one_way(monkeypatch, sources, decision):
    """Another one may take the edition of this year for an impression."""
    with monkeypatch.context() as patch:
        patch.setattr(adapters, "load_adapter", lambda stage, name: similarity)
        rows = FeatureColumns.from_features(enumerate(book(edition=edition) for edition in (28, 29)))
        decider = Decider(rows, np.array(sources), DecisionConfig(similarity.Settings()))
        assert DECISIONS[decider.decide(np.array([0]), np.array([1])).decisions[0]] == decision
