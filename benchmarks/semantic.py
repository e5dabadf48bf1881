"""Candidate recall on titles in two languages or scripts, with embeddings and without.

True pairs are made from the real MARC records of ``BIBLD_TEST_DATA``: a record, and the same record as a library
would describe it that catalogues in the other script (fields 880 in the place of those they are linked to) or by the
parallel title (246 with second indicator 1, or what follows " = " in field 245). Identifiers are left out. All
other records are there too, so that candidates per record are those of a catalogue. ``BIBLD_MODEL`` may name the folder
of a model; without it the one trained on these records is used.
"""

import os
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import msgspec
import numpy as np
import pymarc
from _measure import real_data

from bibld import crosswalk
from bibld.dedup.block import semantic
from bibld.dedup.candidates import all_pairs
from bibld.dedup.features import features_of
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.method import MethodOptions
from bibld.errors import BibldError
from bibld.model.features import FeatureColumns, Features
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin

LINKED = ("100", "110", "111", "245", "246", "250", "260", "264", "490", "700", "710")
TITLES = ("main_title", "remainder")


def records(folder: Path) -> Iterator[pymarc.Record]:
    """Yield all bibliographic records in ISO 2709 and MARCXML."""
    for path in sorted(folder.rglob("*")):
        if "authorities" in path.name or "same_records" in str(path):
            continue
        if path.suffix == ".mrc":
            with path.open("rb") as stream:
                yield from filter(None, pymarc.MARCReader(stream, permissive=True, to_unicode=True))
        elif path.suffix in (".xml", ".marcxml"):
            yield from filter(None, pymarc.parse_xml_to_array(str(path)))


def other_script(record: pymarc.Record) -> pymarc.Record | None:
    """Return the record with the fields in the original script in the place of the romanised ones."""
    linked = {
        (field.get("6") or "")[:6]: field for field in record.get_fields("880") if (field.get("6") or "")[:3] in LINKED
    }
    if not any(link.startswith("245") for link in linked):
        return None
    other = deepcopy(record)
    for field in other.get_fields(*LINKED):
        number = (field.get("6") or "")[4:6]
        if original := linked.get(f"{field.tag}-{number}"):
            field.subfields = [part for part in original.subfields if part.code != "6"]
    return other


def other_language(record: pymarc.Record) -> pymarc.Record | None:
    """Return the record with its parallel title as the title."""
    titles = [field.get("a") or "" for field in record.get_fields("246") if field.indicator2 == "1"]
    title = record.get("245")
    if not title:
        return None
    titles += [part.value.split(" = ", 1)[1] for part in title.subfields if part.code in "ab" and " = " in part.value]
    if not titles or len(titles[0]) < 4:
        return None
    other = deepcopy(record)
    (changed,) = other.get_fields("245")[:1]
    changed.subfields = [pymarc.Subfield("a", titles[0]), *(part for part in title.subfields if part.code == "c")]
    return other


def features(record: pymarc.Record) -> Features | None:
    """Return the features of a record, without identifiers."""
    fields: list[ControlField | DataField] = []
    for field in record.fields:
        if field.tag == "880":
            continue
        if field.control_field:
            fields.append(ControlField(field.tag, field.data))
        else:
            parts = tuple(Subfield(part.code, part.value) for part in field.subfields)
            fields.append(DataField(field.tag, field.indicator1, field.indicator2, parts))
    marc = MarcRecord(Origin("real", "records", 1, 0), Leader(str(record.leader)), tuple(fields))
    try:
        found = features_of(crosswalk.convert(marc, "marc21")[1].mods)
    except BibldError:
        return None
    return msgspec.structs.replace(found, identifiers="")


def main() -> None:
    rows: list[Features] = []
    true: dict[str, list[tuple[int, int]]] = {"two scripts": [], "two languages": []}
    for record in records(real_data() / "marc21"):
        own = features(record)
        if not own:
            continue
        rows.append(own)
        place = len(rows) - 1
        for name, change in (("two scripts", other_script), ("two languages", other_language)):
            other = change(record)
            made = features(other) if other else None
            if made and (made.main_title, made.remainder) != (own.main_title, own.remainder):
                true[name].append((place, len(rows)))
                rows.append(made)
    print(f"{len(rows):,} records, " + ", ".join(f"{len(pairs)} pairs in {name}" for name, pairs in true.items()))
    columns = FeatureColumns.from_features(enumerate(rows))
    model = os.environ.get("BIBLD_MODEL", "")
    measure(columns, true, "composite", ("composite",), semantic.Settings())
    for fields, cosines in ((TITLES, (0.8, 0.7)), ((*TITLES, "names"), (0.8, 0.7))):
        for cosine in cosines:
            settings = semantic.Settings(model=model, fields=fields, candidates=cosine)
            name = f"composite + semantic ({'titles and names' if 'names' in fields else 'titles'}, {cosine})"
            measure(columns, true, name, ("composite", "semantic"), settings)
    for least in (0.1, 0.3):
        settings = semantic.Settings(model=model, fields=TITLES, candidates=0, least=least)
        measure(columns, true, f"composite, semantic as filter ({least})", ("composite", "semantic"), settings)


def measure(
    columns: FeatureColumns,
    true: dict[str, list[tuple[int, int]]],
    name: str,
    blockers: tuple[str, ...],
    settings: semantic.Settings,
) -> None:
    """Print the candidate recall of some blockers and their candidates per record."""
    chosen = {"semantic": msgspec.to_builtins(settings)} if "semantic" in blockers else {}
    # no trees of the pre-filter: they were trained on titles in one language
    method = MethodOptions(block=blockers, same=0.4, review=0.3, adapter_settings=chosen)
    begin = time.perf_counter()
    with KeyTables(None, method) as tables:
        statistics = tables.rebuild(columns)
        with all_pairs(tables, columns, statistics) as found:
            packed = np.concatenate(list(found.packed()))
    seconds = time.perf_counter() - begin
    recall = ", ".join(
        f"{kind} {np.isin([left << 32 | right for left, right in pairs], packed).mean():.3f}"
        for kind, pairs in true.items()
        if pairs
    )
    print(f"{name:48} {recall}, {len(packed) / len(columns):6.2f} candidates per record, {seconds:5.1f} s")


if __name__ == "__main__":
    main()
