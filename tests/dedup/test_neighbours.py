"""Rows numbered by title: neighbours have like titles, and each pair comes back as it was."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.dedup._pairs.neighbours import Neighbours

TITLES = st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 1 << 48, (1 << 48) + 1]), min_size=2, max_size=20)


@given(TITLES, st.data())
@settings(deadline=None, max_examples=60)
def test_numbers_follow_titles_and_lead_back_to_the_same_pairs(titles, data):
    titles = np.array(titles, dtype=np.uint64)
    order = Neighbours.of(titles)
    assert order.rows[order.numbers].tolist() == list(range(len(titles)))
    by_title = [(int(titles[row]) >> 48, row) for row in order.rows.tolist()]
    assert by_title == sorted(by_title)
    row = st.integers(0, len(titles) - 1)
    ends = data.draw(st.lists(st.tuples(row, row).filter(lambda pair: pair[0] < pair[1]), max_size=10))
    pairs = np.array([left << 32 | right for left, right in ends], dtype=np.uint64)
    numbered = order.numbered(pairs)
    assert ((numbered >> np.uint64(32)) < (numbered & np.uint64(0xFFFFFFFF))).all()
    assert order.pairs(numbered).tolist() == pairs.tolist()
