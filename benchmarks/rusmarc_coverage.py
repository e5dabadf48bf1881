"""RUSMARC to MODS: of how many data subfields the MODS has the text, and whether the encoding of a file matters.

Counted is every subfield with text of every data field, those of embedded fields (4XX, 327, 604) each for itself.
Left aside are local fields (9XX) and $6 and $7, which link fields and name scripts. A subfield is *found* when one
single text or attribute of the MODS, nested ones included, holds its text: the same words in the same order, case,
punctuation and blanks aside; texts of five letters and digits or more also when only blanks and hyphens divide them
otherwise (ISBN, initials). Besides:

* several ISBN, and a qualification in parentheses, in one 010$a are looked for one by one, a Cyrillic Х for an X;
* pages and designations of volumes and issues, which MODS cuts into the elements of a part (С. 5-10, N 1), are found
  when one part/extent or part/detail holds exactly these numbers; initials, when $g beside them spells them out;
* other title information that ends in the designation of a part (200$e) is looked for in two pieces;
* $2, $3 and $5 are codes and looked for like texts; $4 is found as the relator that it stands for;
* 100 to 199 are codes: each position that states something (not a blank or fill character, not unknown, none, not
  applicable or other) must have its meaning, by the tables of the crosswalk, in the MODS; languages and countries their
  code. Of 100$a the positions 21 (modified), 25 (transliteration) and 26-33 (character sets) speak of the record's
  own carrier, 34-35 of the script that the letters of the title show: they are not looked for.

What is not found and reported as private (prices, inventory numbers, bare authority numbers …) is counted apart; what
is left must be among the unmapped subfields, and what is not is lost silently: a line counts it. Then every file is
written in six encodings, each record where its characters permit, and read again.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from _measure import real_data

from bibld.crosswalk import rusmarc
from bibld.crosswalk._flavour import carries_fields
from bibld.crosswalk._parts import split_designation
from bibld.crosswalk._unimarc.codes import (
    AUDIENCE,
    COUNTRY_OF_THREE_LETTERS,
    DETAIL_CODES,
    FORM_CODES,
    GENRE_CODES,
    RELATOR,
    latin,
)
from bibld.model.marc import ControlField, DataField, Field, MarcRecord, Subfield, with_embedded_fields
from bibld.model.marc_writers import to_iso2709
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read
from bibld.text.languages import language_code

FILES = (
    "articles_cp1251.mrc", "declared_cp1251_is_utf8.iso", "nlr_cp1251.iso", "nlr_koi8r.iso", "stavropol_cp866.mrc",
    "tatarstan_utf8.mrc",
)  # fmt: skip
ENCODINGS = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic", "utf-8")
SETTINGS = rusmarc.Settings()
STATES_NOTHING = " 0uxyz"
"""Codes for blank, no, unknown, not applicable, none and other."""


def records(path: Path) -> Iterator[MarcRecord]:
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    for raw in read(file, examined):
        if isinstance(raw, Raw):
            record = examined.carrier.parse(raw).record
            if isinstance(record, MarcRecord):
                yield record


def words(text: str) -> str:
    """The words of a text between single blanks."""
    found = re.findall(r"[^\W_]+", text.casefold().replace("ё", "е"))
    return f" {' '.join(found)} "


class Texts:
    """The texts and attributes of one MODS."""

    def __init__(self, mods: Mods) -> None:
        texts = [
            text
            for node in to_element(mods).iter()
            for text in (node.text or "", *map(str, node.attrib.values()))
            if text.strip()
        ]
        self.words = [words(text) for text in texts]
        self.letters = [text.replace(" ", "") for text in self.words]
        self.places = set(places(mods))

    def hold(self, text: str) -> bool:
        looked_for = words(text)
        letters = looked_for.replace(" ", "")
        if not letters:
            return True
        return any(looked_for in known for known in self.words) or (
            len(letters) >= 5 and any(letters in known for known in self.letters)
        )


def places(mods: Mods) -> Iterator[str]:
    """Pages, and designations with their numbers, of all parts."""
    for part in mods.part:
        for extent in part.extent:
            yield words(f"{extent.start or ''} {extent.end or ''}")
        for detail in part.detail:
            yield words(" ".join((*detail.caption, *detail.number)))
    for item in mods.related_item:
        yield from places(item.mods)


PAGES = re.compile(r"(?:с|c|p|s)\b\.?(.*)", re.IGNORECASE)


def subfields(fields: Iterable[Field], within: str = "") -> Iterator[tuple[str, DataField, Subfield]]:
    for field in fields:
        if isinstance(field, ControlField):
            continue
        if carries_fields(field.tag):
            field = with_embedded_fields(field)
        for subfield in field.subfields:
            if subfield.value.strip() and subfield.code not in "67":
                yield f"{within}{field.tag}${subfield.code}", field, subfield
        yield from subfields(field.embedded, f"{within}{field.tag}/")


def is_found(field: DataField, subfield: Subfield, texts: Texts) -> bool:
    tag, code, text = field.tag, subfield.code, subfield.value
    if tag == "100" and code == "a":
        return all(map(texts.hold, general_data(text)))
    if tag in ("101", "102"):
        pieces = re.findall("[a-z]{2,3}", text.casefold())
        if tag == "101":
            codes = [language_code(piece) or piece for piece in pieces]
        else:
            codes = [COUNTRY_OF_THREE_LETTERS.get(piece.upper(), piece) for piece in pieces]
        return all(map(texts.hold, codes)) or texts.hold(text)
    if tag[0] == "1" and tag > "102" and tag not in ("109", "181", "182", "183"):
        return all(map(texts.hold, meanings(tag, code, text)))
    if (tag, code) == ("200", "e"):
        return all(map(texts.hold, split_designation(text)))
    if code == "4":
        pieces = [piece.strip() for piece in re.split("[;,]", text)]
        return all(piece == "000" or texts.hold(RELATOR.get(piece, piece)) for piece in pieces)
    if tag in ("010", "011"):
        pieces = re.split(r"[;()]", text.translate(str.maketrans("хХ", "XX")))
        return all(map(texts.hold, pieces))
    if tag[0] in "67" and code == "b" and (full := field.first("g")) is not None and texts.hold(full):
        initials, names = words(text).split(), words(full).split()
        if all(name.startswith(initial) for initial, name in zip(initials, names, strict=False)):
            return True
    pages = PAGES.fullmatch(text.strip())
    return texts.hold(text) or words(text) in texts.places or (pages is not None and words(pages[1]) in texts.places)


def general_data(text: str) -> list[str]:
    """What 100$a states, in the words and forms that MODS has for it."""
    text = re.sub(r"[|¦#]", " ", text).ljust(36)
    stated = []
    if text[:8].isdecimal() and text[:4] >= "1900" and "01" <= text[4:6] <= "12" and "01" <= text[6:8] <= "31":
        stated.append(f"{text[:4]}-{text[4:6]}-{text[6:8]}")
    if text[9:13].isdecimal() and text[8] in "abcdefghijkl":
        stated.append(text[9:13])
    if text[13:17].isdecimal() and text[8] in "befghik" and text[13:17] != text[9:13]:
        stated.append(text[13:17])
    stated += [AUDIENCE[letter] for letter in latin(text[17:20]) if letter in AUDIENCE]
    stated += ["government publication"] * (latin(text[20]) in tuple("abcdefgh"))
    stated += [language_code(text[22:25]) or text[22:25]] if text[22:25].isalpha() else []
    return stated


def meanings(tag: str, code: str, text: str) -> list[str]:
    """What the codes of a subfield mean; a code that states something and is in no table stands for itself."""
    stated: list[str] = []
    text = latin(re.sub(r"[|¦#]", " ", text))
    in_a_table: set[int] = set()
    for coded in (*GENRE_CODES, *FORM_CODES, *DETAIL_CODES):
        if (coded.tag, coded.code) == (tag, code):
            for start in range(coded.start, coded.start + coded.width * coded.times, coded.width):
                term = coded.terms.get(text[start : start + coded.width])
                if term is not None:
                    stated.append(term)
                    in_a_table.update(range(start, start + coded.width))
    return stated + [
        f"{tag}/{start} {letter}"
        for start, letter in enumerate(text)
        if start not in in_a_table and letter not in STATES_NOTHING
    ]


def in_every_encoding(path: Path, known: list[MarcRecord]) -> Counter[str]:
    """For each encoding how many records there were, and how many of them gave another MODS."""
    counts: Counter[str] = Counter()
    for encoding in ENCODINGS:
        written: list[bytes] = []
        expected: list[Mods] = []
        for record in known:
            try:
                written.append(to_iso2709(record, encoding))
            except ValueError:
                continue
            expected.append(rusmarc.convert(record, SETTINGS).mods)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            copy.write_bytes(b"".join(written))
            got = [rusmarc.convert(record, SETTINGS).mods for record in records(copy)] if written else []
        counts[encoding] = len(written)
        counts[f"{encoding} differing"] = sum(left != right for left, right in zip(expected, got, strict=True))
    return counts


def main() -> None:
    folder = real_data() / "rusmarc"
    total: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    examples: dict[str, str] = {}
    encoded: Counter[str] = Counter()
    for name in FILES:
        counts: Counter[str] = Counter()
        known = list(records(folder / name))
        for record in known:
            converted = rusmarc.convert(record, SETTINGS)
            texts = Texts(converted.mods)
            private = Counter(converted.private)
            for label, field, subfield in subfields(record.all_fields):
                if field.tag.startswith("9"):
                    counts["local"] += 1
                    continue
                if is_found(field, subfield, texts):
                    counts["found"] += 1
                elif private[label]:
                    private[label] -= 1
                    counts["private"] += 1
                    continue
                else:
                    missing[label] += 1
                    examples.setdefault(label, f"{record.control_number}: {subfield.value}")
                    counts["silent"] += label not in converted.unmapped
                counts["counted"] += 1
        total += counts
        encoded += in_every_encoding(folder / name, known)
        print(f"{name}: {len(known)} records, {_share(counts)}")
    print(f"all: {_share(total)}")
    for label, count in missing.most_common():
        print(f"  not found: {label} {count} times, e.g. {examples[label]}")
    print(f"neither found nor reported as unmapped: {total['silent']}")
    for encoding in ENCODINGS:
        print(f"written in {encoding}: {encoded[encoding]} records, {encoded[f'{encoding} differing']} with other MODS")


def _share(counts: Counter[str]) -> str:
    share = counts["found"] / counts["counted"]
    return (
        f"{counts['counted']} subfields, {counts['found']} found ({share:.2%}); "
        f"aside: {counts['local']} local, {counts['private']} private"
    )


if __name__ == "__main__":
    main()
