"""An adapter that fails on a record rejects that record, with its name and the cause, in every process."""

import msgspec
import pytest

from bibld.crosswalk import columns, marc21
from bibld.errors import ConfigError, CrosswalkError, ReadError
from bibld.ingest import ConversionPool, Job, _pool, convert_record
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.protocols import Parsed, Raw, Row


class Carrier(msgspec.Struct, frozen=True):
    """Records whose bytes are their numbers; every tenth one makes the reader fail."""

    def parse(self, raw: Raw) -> Parsed:
        number = raw.data.decode()
        if number.endswith("0"):
            raise KeyError("245")
        fields = (ControlField("001", number), DataField("245", "1", "0", (Subfield("a", f"Title {number}"),)))
        return Parsed(MarcRecord(raw.origin, Leader("00000nam a2200000 i 4500"), fields))


def raws(count: int) -> list[Raw]:
    return [Raw(Origin("lib", "books", number, 0), b"%d" % number) for number in range(1, count + 1)]


def job(flavour: str = "marc21", **settings) -> Job:
    return Job("lib", Carrier(), flavour, settings)


def test_a_reader_that_fails_rejects_the_record():
    error = convert_record(job(marc21=marc21.Settings()), raws(10)[9])
    assert isinstance(error, ReadError)
    assert error.original == b"10"
    assert str(error).startswith("books record 10") and error.reason.startswith("the reader ")
    assert "test_conversion failed with KeyError: '245'" in error.reason


@pytest.mark.parametrize("flavour", ["marc21", "auto"])
def test_a_crosswalk_that_fails_rejects_the_record(flavour, monkeypatch):
    def fail(record, settings):
        raise ValueError("no such title")

    monkeypatch.setattr(marc21, "convert", fail)
    error = convert_record(job(flavour, marc21=marc21.Settings()), raws(1)[0])
    assert isinstance(error, CrosswalkError)
    assert (error.control_number, error.original) == ("1", b"1")
    assert 'crosswalk "marc21" failed with ValueError: no such title' in error.reason


@pytest.mark.parametrize("failure", [MemoryError(), ConfigError(["no such profile"]), KeyboardInterrupt()])
def test_an_error_that_concerns_every_record_is_raised(failure, monkeypatch):
    def fail(record, settings):
        raise failure

    monkeypatch.setattr(marc21, "convert", fail)
    with pytest.raises(type(failure)):
        convert_record(job(marc21=marc21.Settings()), raws(1)[0])


@pytest.mark.parametrize("workers", [1, 2])
def test_adapters_that_fail_in_any_process_leave_the_other_records(workers, monkeypatch):
    monkeypatch.setattr(_pool, "_WORTH_PROCESSES", 0)
    with ConversionPool(workers) as pool:
        outcomes = list(pool.convert(job(marc21=marc21.Settings()), raws(600)))
        assert [outcome.origin.position for outcome in outcomes if isinstance(outcome, ReadError)] == [
            *range(10, 601, 10)
        ]
        assert sum(not isinstance(outcome, ReadError) for outcome in outcomes) == 540
        without_settings = list(pool.convert(job(), raws(300)))
    reasons = {outcome.reason for outcome in without_settings if isinstance(outcome, CrosswalkError)}
    assert reasons == {"the record cannot be converted (KeyError: 'marc21'); report it to the author of the crosswalk"}
    assert len(without_settings) == 300


def test_a_row_has_the_control_number_of_its_column():
    class Rows(Carrier, frozen=True):
        def parse(self, raw):
            return Parsed(Row(raw.origin, (("Nr", raw.data.decode()), ("title", "T"))))

    named, unnamed = (
        convert_record(Job("lib", Rows(), "columns", {"columns": columns.Settings(id=column)}), raws(1)[0])
        for column in ("nr", "id")
    )
    assert str(named.id) == "lib:1" and unnamed.id is None
