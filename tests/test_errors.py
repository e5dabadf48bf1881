"""Errors of records cross the border between processes and name the place of the record."""

import pickle

import pytest

from bibld.errors import CrosswalkError, DamagedFileError, ReadError
from bibld.model.origin import Origin


@pytest.mark.parametrize("kind", [ReadError, DamagedFileError, CrosswalkError])
@pytest.mark.parametrize("number", [None, "17"])
def test_an_error_of_a_record_survives_the_way_to_another_process(kind, number):
    error = kind(Origin("rsl", "a.mrc", 7, 99), "no field", b"\x00\xff", number)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.origin, copy.reason, copy.original, copy.control_number) == (
        error.origin,
        "no field",
        b"\x00\xff",
        number,
    )
    assert str(copy) == f"a.mrc record 7 (byte 99){', 001 17' if number else ''}: no field"
