"""Single fields of RUSMARC: examples that a librarian reads and adds, in ``fields/rusmarc``.

An example is a few fields and, after ``=>``, what they add to the MODS of a record with the title ``К``: a line for
each element without children, for each warning and for each subfield that stays private. ``LDR nam2`` states positions
5 to 8 of the leader. The sentence before an example is what all examples up to the next sentence promise.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from bibld.model.mods_xml import to_element
from tests.crosswalk.test_rusmarc import converted

TITLE = "200 1#$aК"


class Example(NamedTuple):
    place: str
    promise: str
    fields: list[str]
    lines: list[str]


def examples():
    for file in sorted((Path(__file__).parent / "fields" / "rusmarc").glob("*.txt")):
        promise, fields, lines = "", [], []
        for number, line in enumerate([*file.read_text(encoding="utf-8").split("\n"), ""], 1):
            if line.startswith("# "):
                promise = line[2:]
            elif line.startswith("=>"):
                lines += [line[3:]] if line != "=>" else []
            elif line:
                fields.append(line)
            elif fields:
                yield Example(f"{file.stem}-{number}", promise, fields, lines)
                fields, lines = [], []


def lines_of(fields: list[str]) -> list[str]:
    """Return the lines of a record, such as ``identifier[type=isbn]=5739003466``."""
    levels = next((field[4:] for field in fields if field.startswith("LDR")), "nam0")
    made = converted(*(field for field in fields if not field.startswith("LDR")), leader=f"     {levels} 22     i 450 ")
    found = []
    for element in to_element(made.mods).iter():
        if len(element) == 0:
            ancestors = [*reversed(list(element.iterancestors())), element][1:]
            found.append("/".join(map(step, ancestors)) + (f"={element.text}" if element.text else ""))
    return [*found, *(f"warning: {text}" for text in made.warnings), *(f"private: {name}" for name in made.private)]


def step(element: etree._Element) -> str:
    attributes = ",".join(
        f"{etree.QName(name).localname}={value}"
        for name, value in sorted(element.attrib.items())
        if not name.endswith("space")
    )
    return etree.QName(element).localname + (f"[{attributes}]" if attributes else "")


def added_lines(fields: list[str]) -> list[str]:
    """Return the lines that fields add to a record; a title among them replaces the usual one."""
    has_title = any(field.startswith("200") for field in fields)
    known = Counter(lines_of([TITLE, *(field for field in fields if field.startswith("LDR"))]))
    added = []
    for line in lines_of([*([] if has_title else [TITLE]), *fields]):
        if known[line]:
            known[line] -= 1
        else:
            added.append(line)
    return added


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.place)
def test_fields_become_what_their_example_states(example: Example) -> None:
    assert added_lines(example.fields) == example.lines, example.promise
