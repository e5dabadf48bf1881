"""A run refuses instead of whispering: records without numbers, in a wrong charset, lists that change nothing."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

import bibld
from bibld import cli
from bibld.catalog import Catalog
from bibld.model.marc_writers import to_iso2709
from tests.configuration import write_config
from tests.crosswalk.test_rusmarc import record

TITLES = ("Моя земля", "Война и мир", "Преступление и наказание", "Мёртвые души", "История города")
LEADER = "00000nam a2200000 i 4500"


def book(number: int, has_number: bool = True) -> bytes:
    fields = [f"001 {number}"] if has_number else []
    title = f"245 00$a{TITLES[number % len(TITLES)]} {number}"
    return to_iso2709(record(*fields, title, "260 ##$bНаука", leader=LEADER))


def books(count: int = 30, unnumbered: int = 0) -> bytes:
    return b"".join(book(number, number >= unnumbered) for number in range(count))


def in_charset(charset: str) -> bytes:
    return books().decode().encode(charset)


def invoke(command: str, config: Path, *words: str) -> Result:
    return CliRunner().invoke(cli.command_line, [command, str(config), "-q", *words])


@pytest.fixture
def night(tmp_path):
    """Write the file of a library and its configuration with further keys, and return the configuration."""

    def night(data: bytes, keys: str = "", name: str = "lib.mrc") -> Path:
        (tmp_path / name).write_bytes(data)
        return write_config(tmp_path, keys, lib=name)

    return night


def live(config: Path) -> int:
    with Catalog(config.parent / "work", read_only=True) as catalog:
        return catalog.records.count()


# -- control numbers ---------------------------------------------------------------------------------------------------


def test_a_few_records_without_a_number_are_counted_in_check_run_and_summary(night):
    config = night(books(unnumbered=2))
    checked = invoke("check", config)
    assert checked.exit_code == 0
    assert "lib: lib.mrc: 2 of 30 records looked at have no control number (001)" in checked.output
    done = invoke("run", config)
    warning = "lib: lib.mrc: 2 of 30 records: the record has no control number (001)"
    assert (done.exit_code, warning in done.stderr, warning in done.stdout) == (0, True, True)
    assert live(config) == 30


def test_many_records_without_a_number_are_a_doubt_until_the_configuration_accepts_them(night):
    config = night(books(unnumbered=4))
    for command in ("check", "run"):
        done = invoke(command, config)
        assert done.exit_code == 4
        assert "4 of 30 records looked at have no control number (001)" in done.output
        assert "more than 10 %" in done.output and "write max_unnumbered = 100 in the source" in done.output
    assert invoke("run", night(books(unnumbered=4), "max_unnumbered = 100\n")).exit_code == 0


def test_an_unchanged_night_with_records_without_numbers_reads_nothing(night):
    config = night(books(unnumbered=2))
    bibld.Workspace(config).run()
    again = bibld.Workspace(config).run()
    assert again.warnings == ()
    assert not again.release_is_new


# -- charsets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charset", "stated"),
    [("cp866", "koi8-r"), ("koi8-r", "cp866"), ("cp1251", "koi8-r"), ("utf-8", "cp1251"), ("utf-8", "koi8-r")],
)
def test_a_file_in_another_charset_than_stated_is_a_doubt_with_the_line_to_write(night, charset, stated):
    data = in_charset(charset)
    for command in ("check", "run"):
        done = invoke(command, night(data, f'charset = "{stated}"\n'))
        assert done.exit_code == 4, done.output
        assert "the stated charset" in done.output and f"the bytes look like {charset}" in done.output
        assert f'write charset = "{charset}"' in done.output
    assert invoke("run", night(data, f'charset = "{charset}"\n')).exit_code == 0


def test_a_charset_is_believed_where_the_configuration_insists(night):
    assert invoke("run", night(in_charset("cp866"), 'charset = "koi8-r"\nmax_misread = 100\n')).exit_code == 0


@pytest.mark.parametrize("charset", ["utf-8", "cp1251", "koi8-r", "cp866"])
def test_a_file_in_a_charset_that_is_found_is_no_doubt(night, charset):
    assert invoke("run", night(in_charset(charset))).exit_code == 0


def test_letters_that_were_misread_before_the_export_are_a_doubt(night):
    """cp866 was read as KOI8-R by another program, which wrote UTF-8."""
    data = "".join(f"{number};{TITLES[number % 5]}\n" for number in range(30)).encode("cp866").decode("koi8-r")
    done = invoke("run", night(f"id;title\n{data}".encode(), name="lib.csv"))
    assert done.exit_code == 4
    assert "30 of 30 records looked at have letters as if cp866 had been read as koi8-r" in done.stderr
    assert "ask for a file that was exported in the right charset" in done.stderr


# -- a model of another version ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"format": 0}, 2, "was trained for other features than this version compares; train it again"),
        ({}, 0, "was trained with features of an earlier version"),
        ({"features_version": 1}, 0, "was trained with features of version 1"),
    ],
)
def test_a_model_of_another_version_is_reported_before_anything_is_read(night, change, code, message):
    from importlib import resources

    config = night(books(), '[dedup.model]\nfile = "model.json"\n')
    model = msgspec.json.decode(resources.files("bibld.dedup.score").joinpath("model.json").read_bytes())
    for key, value in change.items():
        (model if key in model else model["provenance"])[key] = value
    (config.parent / "model.json").write_bytes(msgspec.json.encode(model))
    for command in ("check", "run"):
        done = invoke(command, config)
        assert message in done.output
        assert bool(done.exit_code) == bool(code)
    assert (config.parent / "work" / "catalog.db").exists() == (code == 0)


# -- lists -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lib:1,,court", ""),
        ("lib:1,Наука,court", ""),
        ("lib:99,,court", "suppress.csv line 2: nothing was taken down: record"),
        ("lib:1,Paris,court", "'Paris' is not the text of an element in the MODS of lib:1: nothing was taken down"),
    ],
)
def test_a_takedown_that_takes_nothing_down_is_not_a_success(night, line, message):
    config = night(books(), '[publish]\nsuppress = "suppress.csv"\n')
    (config.parent / "suppress.csv").write_text(f"record,value,reason\n{line}\n", encoding="utf-8")
    done = invoke("run", config)
    assert done.exit_code == (4 if message else 0), done.output
    if message:
        assert message in done.stderr
        assert "1 line of the list of suppressions took nothing down" in done.stderr


def test_a_review_list_with_unknown_numbers_is_refused(night):
    config = night(books())
    bibld.Workspace(config).run()
    (config.parent / "list.csv").write_text("left,right,label\nlib:1,lib:77,same\nlib:1,78,same\n", encoding="utf-8")
    done = CliRunner().invoke(cli.command_line, ["review", str(config), "--csv", str(config.parent / "list.csv")])
    assert done.exit_code == 2
    for line in ("list.csv line 2: record 'lib:77' not found", "list.csv line 3: record '78' not found"):
        assert line in done.output


@pytest.mark.parametrize("path", ["delta.mrc", "delta/*.mrc"])
def test_a_night_with_only_a_list_of_deletions_is_a_delivery(tmp_path, path):
    keys = 'complete = false\ndeletes = "deleted.txt"\n'
    (tmp_path / "delta").mkdir()
    delta = tmp_path / path.replace("*", "1")
    delta.write_bytes(books())
    (tmp_path / "deleted.txt").write_text("", encoding="utf-8")
    config = write_config(tmp_path, keys, lib=path)
    assert invoke("run", config).exit_code == 0
    delta.unlink()
    (tmp_path / "deleted.txt").write_text("1\n2\n", encoding="utf-8")
    assert invoke("check", config).exit_code == 0
    done = invoke("run", config)
    assert done.exit_code == 0, done.stderr
    assert live(config) == 28
    (tmp_path / "deleted.txt").unlink()
    done = invoke("run", config)
    assert (done.exit_code, "deleted.txt: not found" in done.stderr) == (4, True), done.stderr


# -- who is informed ---------------------------------------------------------------------------------------------------


def test_messages_contain_the_warnings_of_the_run(night):
    script = "import sys; open('ending.json', 'wb').write(sys.stdin.buffer.read())"
    notify = f'[notify]\non = "always"\ncommand = [\'python3\', \'-c\', """{script}"""]\n'
    config = night(books(unnumbered=2), notify)
    assert invoke("run", config).exit_code == 0
    ending = msgspec.json.decode((config.parent / "ending.json").read_bytes())
    assert "2 of 30 records: the record has no control number" in ending["warnings"][0]


def test_a_run_that_fails_has_its_warnings_as_notes(night, monkeypatch):
    config = night(books(unnumbered=2))
    monkeypatch.setattr("bibld.pipeline.store.store", _fail)
    with pytest.raises(bibld.StageError) as caught:
        bibld.Workspace(config).run()
    assert "no control number" in caught.value.__notes__[0]


def _fail(*_given: object) -> None:
    raise bibld.StageError("the store is full")
