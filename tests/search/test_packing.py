"""Titles and details as they are stored: any of them can be read again, with a dictionary or without one."""

import sqlite3
from contextlib import closing

import pytest

from bibld.search._packing import Packing, encode, train_names, train_publications
from bibld.search._schema import TABLES, Details, Link, NameDetails


def name(number: int) -> NameDetails:
    path = f"agent/tolstoi-lev-{number}"
    return NameDetails(f"Толстой, Лев Николаевич {number}", path, ("Tolstoy, Leo",), "1828", "", True, ("ru", "en"))


def publication(number: int, form: str = "") -> Details:
    links = (Link("w", "aut", number), Link("p", "", 70_000))
    imprint = f"Москва : Художественная литература, {1900 + number % 100}"
    forms = (f"Собрание сочинений, том {number}", form)
    path, records = f"resource/rsl/{number}", (f"rsl/{number}",)
    return Details("Война и мир", path, forms, "", imprint, "1978", "book", ("rus",), records, links, ("978",))


ALL_NAMES = [*map(name, range(400)), NameDetails("", "", (), "", "", False, ("",))]
ALL_PUBLICATIONS = [*map(publication, range(400)), publication(1, "x" * 70_000)]


@pytest.mark.parametrize("count", [0, 299, 400])
def test_what_is_packed_is_read_again_and_takes_less_with_a_dictionary(count):
    names, publications = [encode(each) for each in ALL_NAMES], [encode(each) for each in ALL_PUBLICATIONS]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        train_names(connection, names[:count])
        train_publications(connection, publications[:count])
        packing = Packing(connection)
        packed_names = [packing.pack_name(each) for each in names]
        packed_publications = [packing.pack_publication(each) for each in publications]
        other = Packing(connection)
        assert [other.name(each) for each in packed_names] == ALL_NAMES
        assert [other.publication(each) for each in packed_publications] == ALL_PUBLICATIONS
        for kind, data, of in ((0, packed_publications[0], ALL_PUBLICATIONS[0]), (1, packed_names[7], ALL_NAMES[7])):
            found = connection.execute("SELECT title_of(?1, ?2), path_of(?1, ?2)", (kind, data)).fetchone()
            assert found == (of.title, of.path)
    is_smaller = sum(map(len, packed_names)) < 0.5 * sum(map(len, names))
    assert is_smaller == (count >= 300)
    assert (sum(map(len, packed_publications)) < 0.5 * sum(map(len, publications))) == (count >= 300)
