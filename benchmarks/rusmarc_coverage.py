"""RUSMARC to MODS: of how many data subfields the MODS has the text, and whether the encoding of a file matters.

Counted is every subfield with text of every data field, those of embedded fields (4XX, 327, 604) each for itself.
Left aside, and counted apart: local fields (9XX) and what the crosswalk reports as private. A subfield is *found* when
one single text or attribute of the MODS, nested ones included, holds its text: the same words in the same order, case,
punctuation and blanks aside; texts of five letters and digits or more also when only blanks and hyphens divide them
otherwise (ISBN, initials). Besides:

* several ISBN, and a qualification in parentheses, in one 010$a are looked for one by one, a Cyrillic Х for an X;
* $2, $3 and $5 are codes and looked for like texts; $4 is found as the relator that it stands for;
* 100 to 199 are codes: each position that states something (not a blank or fill character, not unknown, none, not
  applicable or other) must have its meaning, by the tables of the crosswalk, in the MODS; languages and countries their
  code. Of 100$a the positions 21 (modified), 25 (transliteration) and 26-33 (character sets) speak of the record's
  own carrier and are not looked for.

What is not found must be among the crosswalk's unmapped subfields; what is not, is lost silently, and the last line
counts it. Then every file is written in six encodings, each record where its characters permit, and read again.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from _measure import real_data

from bibld import read
from bibld.crosswalk import rusmarc
from bibld.crosswalk._unimarc.codes import AUDIENCE, LANGUAGE, RELATOR, RELATOR_WORD, SCRIPT, latin
from bibld.crosswalk._unimarc.coded import meanings
from bibld.crosswalk._unimarc.view import has_embedded_fields
from bibld.model.marc import ControlField, DataField, Field, MarcRecord, Subfield, with_embedded_fields
from bibld.model.marc_writers import to_iso2709
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element
from bibld.protocols import HarvestedFile, Raw

FILES = (
    "articles_cp1251.mrc", "declared_cp1251_is_utf8.iso", "nlr_cp1251.iso", "nlr_koi8r.iso", "stavropol_cp866.mrc",
    "tatarstan_utf8.mrc",
)  # fmt: skip
ENCODINGS = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic", "utf-8")
SETTINGS = rusmarc.Settings()


def records(path: Path) -> Iterator[MarcRecord]:
    file = HarvestedFile("s", path.name, path)
    examined = read.examine(file)
    for raw in read.read(file, examined):
        if isinstance(raw, Raw):
            record = examined.carrier.parse(raw).record
            if isinstance(record, MarcRecord):
                yield record


def words(text: str) -> str:
    return f" {' '.join(re.findall(r'[^\W_]+', text.casefold().replace('ё', 'е')))} "


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

    def hold(self, text: str) -> bool:
        looked_for = words(text)
        letters = looked_for.replace(" ", "")
        if not letters:
            return True
        return any(looked_for in known for known in self.words) or (
            len(letters) >= 5 and any(letters in known for known in self.letters)
        )


def subfields(fields: Iterable[Field], within: str = "") -> Iterator[tuple[str, str, Subfield]]:
    for field in fields:
        if isinstance(field, ControlField):
            continue
        if has_embedded_fields(field):
            field = with_embedded_fields(field)
        for subfield in field.subfields:
            if subfield.value.strip():
                yield f"{within}{field.tag}${subfield.code}", field.tag, subfield
        yield from subfields(field.embedded, f"{within}{field.tag}/")


def is_found(tag: str, subfield: Subfield, record: MarcRecord, texts: Texts) -> bool:
    code, text = subfield.code, subfield.value
    if tag == "100" and code == "a":
        return all(map(texts.hold, general_data(text)))
    if tag in ("101", "102"):
        codes = [LANGUAGE.get(piece, piece) for piece in re.findall("[a-z]{2,3}", text.casefold())]
        return all(map(texts.hold, codes)) or texts.hold(text)
    if tag[0] == "1" and tag > "102" and tag not in ("109", "181", "182", "183"):
        stated = meanings(tag, code, text)
        return stated is not None and all(map(texts.hold, stated))
    if code == "4":
        pieces = [piece.strip() for piece in re.split("[;,]", text)]
        return all(piece == "000" or texts.hold(RELATOR.get(piece, RELATOR_WORD.get(piece, piece))) for piece in pieces)
    if tag in ("010", "011"):
        pieces = re.split(r"[;()]", text.translate(str.maketrans("хХ", "XX")))
        return all(map(texts.hold, pieces))
    return texts.hold(text)


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
    stated += [LANGUAGE.get(text[22:25], text[22:25])] if text[22:25].isalpha() else []
    stated += [SCRIPT[latin(text[34:36])]] if latin(text[34:36]) in SCRIPT else []
    return stated


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
            for label, tag, subfield in subfields(record.all_fields):
                if tag.startswith("9") or label in converted.private:
                    counts["local" if tag.startswith("9") else "private"] += 1
                    continue
                counts["counted"] += 1
                if is_found(tag, subfield, record, texts):
                    counts["found"] += 1
                    continue
                missing[label] += 1
                examples.setdefault(label, f"{record.control_number}: {subfield.value}")
                counts["silent"] += label not in converted.unmapped
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
