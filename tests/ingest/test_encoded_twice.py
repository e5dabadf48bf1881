"""A file whose text was encoded twice is read, and the run reports it once, with the number of records."""

import pytest

from bibld.text.charsets import is_encoded_twice

TITLE = "Анна Каренина : роман в восьми частях"


@pytest.mark.parametrize("charset", ["cp1251", "latin-1", "cp1252"])
def test_text_that_was_encoded_twice_is_recognised(charset):
    doubled = TITLE.encode().decode(charset, "ignore")
    assert is_encoded_twice(doubled.encode())


@pytest.mark.parametrize("text", [TITLE, "РСФСР : СССР", "Ðе́ло", "С. Р. С. Р.", "naïve Ångström", "№ 5 «Р» — С…"])
def test_other_text_is_not_mistaken_for_it(text):
    assert not is_encoded_twice(text.encode())


def test_the_warning_names_file_and_number(tmp_path):
    from click.testing import CliRunner

    from bibld.cli import command_line

    rows = "".join(f"{number};{TITLE} {number}\n" for number in range(3))
    (tmp_path / "books.csv").write_bytes(f"id;title\n{rows}".encode().decode("cp1251", "ignore").encode())
    (tmp_path / "bibld.toml").write_text(
        'workspace = "ws"\n[dataset]\nbase = "https://example.org/"\ntitle = { en = "T" }\n'
        'license = "https://creativecommons.org/publicdomain/zero/1.0/"\npublisher = "P"\n'
        '[[source]]\nid = "a"\npath = ["books.csv"]\nmax_misread = 100\n'
    )
    done = CliRunner().invoke(command_line, ["run", str(tmp_path / "bibld.toml"), "--quiet"])
    assert done.exit_code == 0, done.stderr
    assert "a: books.csv: 3 of 3 records: the text was encoded twice" in done.stderr
