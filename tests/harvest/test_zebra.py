"""Every record of a real server arrives, over SRU and Z39.50, and gives the same MODS as the file it was made of."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import bibld
from bibld import harvest, ingest
from bibld.config import Config
from bibld.harvest import HarvestOptions, HarvestResult
from bibld.model.marc import ControlField, MarcRecord
from bibld.model.marc_writers import to_iso2709
from bibld.progress import Silent
from tests.configuration import load_config
from tests.harvest import zebra
from tests.ports import free_port, wait_for_server

DATA = Path(os.environ.get("BIBLD_TEST_DATA", "no"))
RECORDS = 5000

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(bool(zebra.MISSING), reason=f"{zebra.MISSING} (Debian: idzebra-2.0)"),
    pytest.mark.skipif(not DATA.is_dir(), reason="BIBLD_TEST_DATA is not set"),
]


def catalogue(path: Path) -> Path:
    """5,000 records of the GPO in UTF-8, each with a control number of its copy."""
    found = [
        one.content for one in bibld.read(DATA / "marc21" / "gpo_covid_online.mrc") if isinstance(one, bibld.Record)
    ]
    with path.open("wb") as out:
        for number in range(RECORDS):
            record = found[number % len(found)]
            assert isinstance(record, MarcRecord)
            fields = (ControlField("001", f"{record.control_number}c{number // len(found)}"), *record.all_fields[1:])
            out.write(to_iso2709(msgspec.structs.replace(record, all_fields=fields)))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        "big": catalogue(tmp_path_factory.mktemp("catalogue") / "big.mrc"),
        "tatarstan": DATA / "rusmarc" / "tatarstan_utf8.mrc",
        "uva": DATA / "marc21" / "uva_marc8.mrc",
    }


@pytest.fixture(scope="module")
def port(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    bases = {base: (path, "marc-8" if base == "uva" else "utf-8") for base, path in files.items()}
    with zebra.zebra(tmp_path_factory.mktemp("zebra"), bases) as found:
        yield found


def configured(folder: Path, *lines: str) -> Config:
    return load_config(folder, "\n".join(["[[source]]", 'id = "lib"', *lines, ""]))


def fetched(config: Config, **options: object) -> HarvestResult:
    return harvest.harvest_source(config, config.sources[0], Silent(), HarvestOptions(**options))


def mods_of(paths: list[Path] | Path) -> dict[str, bytes]:
    found = {}
    for mods in bibld.to_mods(paths):
        assert mods.record_identifier
        found[mods.record_identifier] = msgspec.json.encode(mods)
    return found


def comparable(mods: dict[str, bytes]) -> dict[str, str]:
    """The MODS without what YAZ does to MARC-8: it joins the halves of a ligature, and repairs a record."""
    marks = str.maketrans("", "", "\ufe20\ufe21\u0361")
    texts = {name: unicodedata.normalize("NFC", text.decode()).translate(marks) for name, text in mods.items()}
    return {name: text for name, text in texts.items() if name != "u1273"}


def stored(config: Config) -> list[Path]:
    return [file.path for file in ingest.source_files(config, config.sources[0])]


def sru(port: int, base: str = "big") -> tuple[str, ...]:
    return 'harvest = "sru"', f'url = "http://127.0.0.1:{port}/{base}"', "tries = 2", "first_wait = 0.01"


def test_every_record_arrives_over_sru_and_gives_the_same_mods_as_the_file(port, files, tmp_path):
    config = configured(tmp_path, *sru(port), "portion = 500")
    result = fetched(config)
    assert (result.outcome, result.reasons) == ("complete", ())
    assert (result.received, result.new, result.stored, result.rejected) == (RECORDS, RECORDS, RECORDS, 0)
    assert mods_of(stored(config)) == mods_of(files["big"])
    again = fetched(config)
    assert (again.outcome, again.new, again.changed, again.removed) == ("complete", 0, 0, 0)


@pytest.mark.parametrize("version", ["1.1", "1.2", "2.0"])
def test_every_version_of_sru_is_spoken(version, port, files, tmp_path):
    config = configured(tmp_path, *sru(port, "tatarstan"), f'version = "{version}"')
    assert fetched(config).outcome == "complete"
    assert mods_of(stored(config)) == mods_of(files["tatarstan"])


def test_a_query_over_a_limit_is_divided_by_year_and_all_records_arrive(port, tmp_path):
    config = configured(tmp_path, *sru(port), "portion = 500", "limit = 1000", 'split = "dc.date"')
    result = fetched(config)
    # Many records are of one year, of which zebra gives all, whatever the limit in the configuration is.
    assert (result.outcome, result.reasons, result.stored) == ("complete", (), RECORDS)


@pytest.mark.parametrize("base", ["tatarstan", "uva"])
def test_records_in_cyrillic_and_of_marc8_arrive(base, port, files, tmp_path):
    config = configured(tmp_path, *sru(port, base))
    result = fetched(config)
    assert result.outcome == "complete"
    assert comparable(mods_of(stored(config))) == comparable(mods_of(files[base]))


def test_a_probe_states_what_the_server_has(port, tmp_path):
    config = configured(tmp_path, *sru(port))
    probed = harvest.probe_result(config, config.sources[0], Silent())
    assert probed.remarks == (f"SRU 1.2, the schema of the server, {RECORDS:,} records",)
    assert not (tmp_path / "work").exists()


def test_a_harvest_that_was_limited_is_continued(port, tmp_path):
    config = configured(tmp_path, *sru(port, "uva"))
    first = fetched(config, limit=700)
    assert (first.outcome, first.received) == ("partial", 700)
    second = fetched(config)
    assert (second.outcome, second.received, second.stored) == ("complete", 992, 992)


@pytest.mark.parametrize(
    "lines, message",
    [
        (['query = "nosuch.index=1"'], "refuses the query nosuch.index=1: diagnostic"),
        (['url = "http://127.0.0.1:{port}/nosuch"'], 'status 404 (the answer is a web page ("YAZ'),
        (['schema = "nosuch"'], "diagnostic 66"),
    ],
)
def test_what_the_server_refuses_is_a_failed_harvest_with_its_words(lines, message, port, tmp_path):
    stated = [line for line in sru(port) if not any(line.split()[0] == one.split()[0] for one in lines)]
    result = fetched(configured(tmp_path, *stated, *(line.format(port=port) for line in lines)))
    assert result.outcome == "failed"
    assert message in result.reasons[0]


# -- Z39.50 ------------------------------------------------------------------------------------------------------------

needs_yaz = pytest.mark.skipif(not shutil.which("yaz-client"), reason="yaz-client is not installed (Debian: yaz)")


def z3950(port: int, base: str = "big") -> tuple[str, ...]:
    return 'harvest = "z3950"', f'url = "127.0.0.1:{port}/{base}"', "tries = 1"


@needs_yaz
def test_every_record_arrives_over_z3950_and_gives_the_same_mods_as_the_file(port, files, tmp_path):
    config = configured(tmp_path, *z3950(port), "portion = 500")
    result = fetched(config)
    assert (result.outcome, result.reasons) == ("complete", ())
    assert (result.received, result.new, result.stored, result.rejected) == (RECORDS, RECORDS, RECORDS, 0)
    assert mods_of(stored(config)) == mods_of(files["big"])
    again = fetched(config)
    assert (again.outcome, again.new, again.changed, again.removed) == ("complete", 0, 0, 0)


@needs_yaz
def test_a_portion_that_is_too_large_for_one_answer_loses_no_record(port, tmp_path):
    config = configured(tmp_path, *z3950(port), "portion = 5000")
    assert fetched(config).stored == RECORDS


@needs_yaz
def test_a_query_over_a_limit_is_divided_over_z3950_too(port, tmp_path):
    split = 'split = "@attr 1=date @attr 4=109"'
    result = fetched(configured(tmp_path, *z3950(port), "limit = 1000", split))
    assert (result.outcome, result.reasons, result.stored) == ("complete", (), RECORDS)


@needs_yaz
@pytest.mark.parametrize(
    "base, lines",
    [
        ("tatarstan", ['syntax = "usmarc"']),
        ("tatarstan", ['syntax = "rusmarc"']),
        ("tatarstan", ['syntax = "xml"', 'elements = "marcxml"', 'negotiate = "utf-8"']),
        ("uva", []),
        ("uva", ['elements = "F8"']),
    ],
)
def test_records_in_cyrillic_and_of_marc8_arrive_over_z3950(base, lines, port, files, tmp_path):
    config = configured(tmp_path, *z3950(port, base), *lines)
    assert fetched(config).outcome == "complete"
    assert comparable(mods_of(stored(config))) == comparable(mods_of(files[base]))


@needs_yaz
def test_bytes_of_utf8_arrive_over_z3950_as_they_are_in_the_file(port, files, tmp_path):
    config = configured(tmp_path, *z3950(port, "tatarstan"))
    fetched(config)
    (path,) = stored(config)
    arrived = set(gzip.decompress(path.read_bytes()).split(b"\x1d"))
    assert arrived == set(files["tatarstan"].read_bytes().replace(b"\r", b"").replace(b"\n", b"").split(b"\x1d"))


@needs_yaz
@pytest.mark.parametrize(
    "url, query, message",
    [
        ("127.0.0.1:{port}/nosuch", "x", "refuses the query x: diagnostic 109 (Database unavailable"),
        ("127.0.0.1:{port}/big", "@attr 1=nosuch x", "diagnostic 114 (Unsupported Use attribute"),
        ("127.0.0.1:1/big", "x", "no connection (Connecting...error = System (lower-layer) error) (1 tries)"),
    ],
)
def test_what_the_server_of_z3950_refuses_is_a_failed_harvest(url, query, message, port, tmp_path):
    lines = ['harvest = "z3950"', f'url = "{url.format(port=port)}"', f'query = "{query}"', "tries = 1"]
    result = fetched(configured(tmp_path, *lines))
    assert result.outcome == "failed"
    assert message in result.reasons[0]


@needs_yaz
def test_a_probe_over_z3950_states_what_the_server_has(port, tmp_path):
    config = configured(tmp_path, *z3950(port))
    (remark,) = harvest.probe_result(config, config.sources[0], Silent()).remarks
    assert remark == f"Zebra Information Server/GFS/YAZ, usmarc, {RECORDS:,} records"


@needs_yaz
def test_a_harvest_over_z3950_that_was_limited_is_continued(port, tmp_path):
    config = configured(tmp_path, *z3950(port, "uva"), "portion = 50")
    first = fetched(config, limit=500)
    assert (first.outcome, first.received) == ("partial", 500)
    second = fetched(config)
    assert (second.outcome, second.received, second.stored) == ("complete", 992, 992)


def test_without_the_program_a_harvest_over_z3950_states_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = fetched(configured(tmp_path, *z3950(210)))
    assert result.outcome == "failed"
    assert "yaz-client is not installed; install YAZ (Debian: yaz)" in result.reasons[0]


@needs_yaz
@pytest.mark.skipif(not shutil.which("yaz-ztest"), reason="yaz-ztest is not installed (Debian: yaz)")
def test_the_test_server_of_yaz_is_harvested(tmp_path):
    found = free_port()
    process = subprocess.Popen(
        ["yaz-ztest", f"tcp:127.0.0.1:{found}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_server(found, process)
        lines = ['harvest = "z3950"', f'url = "127.0.0.1:{found}/Default"', 'query = "24"', "portion = 7", "tries = 1"]
        config = configured(tmp_path, *lines)
        first, second = fetched(config), fetched(config)
        # Two of its records have the same control number, which the second night shows to be no accident.
        assert (first.outcome, first.received, first.stored) == ("partial", 24, 23)
        assert "the server states 24 records, and 23 different ones came" in first.reasons[0]
        assert (second.outcome, second.stored) == ("complete", 23)
    finally:
        process.terminate()
        process.wait(timeout=600)
