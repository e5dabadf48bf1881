"""Single fields of each flavour: examples that a librarian reads and adds, in ``fields``.

An example is a few fields and, after ``=>``, what they add to the MODS of a record with a title: a line for each
element without children, for each warning and for each subfield that stays private. ``LDR nam2`` states the leader from
position 5 on. The sentence before an example is what all examples up to the next sentence promise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from bibld.crosswalk import marc21, rusmarc
from bibld.model.mods_xml import to_element
from bibld.protocols import Converted
from tests.crosswalk.test_rusmarc import record

FIELDS = Path(__file__).parent / "fields"


class Flavour(NamedTuple):
    convert: Callable[..., Converted]
    leader: str
    usual_levels: str
    title: str


_UNIMARC, _MARC21 = "     {} 22     i 450 ", "00000{} a2200000 i 4500"

FLAVOURS = {
    "rusmarc": Flavour(lambda made: rusmarc.convert(made, rusmarc.Settings()), _UNIMARC, "nam0", "200 1#$aК"),
    "marc21": Flavour(lambda made: marc21.convert(made, marc21.Settings()), _MARC21, "nam", "245 00$aK"),
}


class Example(NamedTuple):
    flavour: str
    place: str
    promise: str
    fields: list[str]
    lines: list[str]


def examples():
    for file in sorted(FIELDS.glob("*/*.txt")):
        promise, fields, lines = "", [], []
        for number, line in enumerate([*file.read_text(encoding="utf-8").split("\n"), ""], 1):
            if line.startswith("# "):
                promise = line[2:]
            elif line.startswith("=>"):
                lines += [line[3:]] if line != "=>" else []
            elif line:
                fields.append(line)
            elif fields:
                yield Example(file.parent.name, f"{file.parent.name}-{file.stem}-{number}", promise, fields, lines)
                fields, lines = [], []


def lines_of(flavour: Flavour, fields: list[str]) -> list[str]:
    """Return the lines of a record, such as ``identifier[type=isbn]=5739003466``."""
    levels = next((field[4:] for field in fields if field.startswith("LDR")), flavour.usual_levels)
    stated = [field for field in fields if not field.startswith("LDR")]
    made = flavour.convert(record(*stated, leader=flavour.leader.format(levels)))
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


def added_lines(name: str, fields: list[str]) -> list[str]:
    """Return the lines that fields add to a record; a title among them replaces the usual one."""
    flavour = FLAVOURS[name]
    has_title = any(field.startswith(flavour.title[:3]) for field in fields)
    known = Counter(lines_of(flavour, [flavour.title, *(field for field in fields if field.startswith("LDR"))]))
    added = []
    for line in lines_of(flavour, [*([] if has_title else [flavour.title]), *fields]):
        if known[line]:
            known[line] -= 1
        else:
            added.append(line)
    return added


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.place)
def test_fields_become_what_their_example_states(example: Example) -> None:
    assert added_lines(example.flavour, example.fields) == example.lines, example.promise
