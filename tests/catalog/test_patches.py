"""Patches are summed correctly and stored until every consumer has them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.catalog import Catalog, Delivery
from bibld.catalog._patches import Net

LINES = st.dictionaries(st.sampled_from([b"<a> <p> <%d> ." % number for number in range(30)]), st.integers(-2, 2))


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        yield opened


@given(st.lists(LINES, max_size=8), st.integers(0, 40))
@settings(max_examples=200)
def test_the_sum_does_not_depend_on_how_many_lines_fit_in_memory(tmp_path_factory, changes, lines_in_memory):
    sums: dict[bytes, int] = {}
    with Net(tmp_path_factory.getbasetemp(), lines_in_memory) as net:
        for change in changes:
            for line, number in change.items():
                sums[line] = sums.get(line, 0) + number
                net.add((line + b"\n") * abs(number), 1 if number > 0 else -1)
        wanted = [(line, number > 0) for line, number in sorted(sums.items()) if number]
        assert list(net.lines()) == wanted
        assert list(net.lines()) == wanted, "can be iterated again"
        assert net.mentioned == sum(abs(number) for change in changes for number in change.values())


def test_the_patches_between_two_numbers_are_summed(catalog, tmp_path):
    with catalog.commit():
        for change in ({b"a": 1, b"b": -1}, {b"a": -1, b"c": 1}, {b"d": 2, b"e": 0}):
            catalog.patches.add(change)
        catalog.patches.add({b"a": 0})
    assert catalog.patches.last() == 3
    for after, upto, wanted in ((0, 2, {b"b": False, b"c": True}), (1, 3, {b"a": False, b"c": True, b"d": True})):
        with catalog.patches.net(after, upto, tmp_path) as net:
            assert dict(net.lines()) == wanted


def test_a_patch_is_stored_until_every_consumer_has_it(catalog, tmp_path):
    assert not catalog.patches.are_awaited()
    with catalog.commit():
        catalog.patches.delivered("store", 0, 10, "x")
        catalog.patches.delivered("release", 0, 10, "y")
        catalog.patches.add({b"a": 1})
    assert catalog.patches.are_awaited()
    with catalog.commit():
        catalog.patches.begin("store", 1)
    assert catalog.patches.delivery("store") == Delivery(0, 1, 10, "x")
    with catalog.commit():
        catalog.patches.delivered("store", 1, 11, "x")
    assert catalog.patches.delivery("store") == Delivery(1, 1, 11, "x")

    def mentioned() -> int:
        with catalog.patches.net(0, 1, tmp_path) as net:
            return net.mentioned

    assert mentioned() == 1
    with catalog.commit():
        catalog.patches.delivered("release", 1, 11, "y")
    assert mentioned() == 0
    assert catalog.patches.last() == 1, "numbers are not reused"
