"""Print records of the real files beside what is published of each, for someone to read statement by statement.

``python benchmarks/statements.py --seed 3 --out FOLDER`` draws 60 publications of one record from all real files (the
chance of a file is the square root of its size, so that small ones are read too), and ``--merged 20`` as many of more
than one. A text for each has the fields of its records, and the statements about the publication and its nodes; an
entity has its label behind it and is described at the end. Provenance is left out.
"""

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from _measure import real_config, real_data, run

from bibld import config
from bibld.catalog import Catalog
from bibld.ingest import original_of
from bibld.model.iris import Iris
from bibld.model.linkage import Merged
from bibld.model.marc_writers import to_mrk
from bibld.model.mods_xml import to_xml
from bibld.model.rdf import PREFIXES
from bibld.triplify import to_quads

_LABELS = ("skos:prefLabel", "rdfs:label", "foaf:name")
_STATEMENT = re.compile(r"<([^>]*)> <([^>]*)> (.*?) \.\n?")


def draw(catalog: Catalog, chance: random.Random, records: int, merged: int) -> Iterator[Merged]:
    """Yield publications of one record, then merged ones."""
    alone: dict[str, list[int]] = defaultdict(list)
    together: list[int] = []
    for founder in catalog.linkage.founders():
        if len(catalog.linkage.members(founder)) > 1:
            together.append(founder)
        else:
            alone[catalog.descriptions.merged(founder).cluster.founder.source].append(founder)
    sources = sorted(alone)
    weights = [len(alone[source]) ** 0.5 for source in sources]
    chosen = [chance.choice(alone[source]) for source in chance.choices(sources, weights, k=records)]
    for founder in [*dict.fromkeys(chosen), *chance.sample(together, min(merged, len(together)))]:
        yield catalog.descriptions.merged(founder)


def statements(merged: Merged, iris: Iris) -> Iterator[str]:
    """Yield the statements in the default graph, an indented line for each, those about a subject together."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in to_quads([merged], iris):
        match = _STATEMENT.fullmatch(line)
        if match is not None and not (match[3].endswith(">") and " <" in match[3]):
            found[match[1]].append((short(match[2], iris), match[3]))
    for subject, stated in found.items():
        yield short(subject, iris)
        for predicate, value in stated:
            labels = [text for kind, text in found.get(value.strip("<>"), ()) if kind in _LABELS]
            shown = short(value[1:-1], iris) if value.startswith("<") else value
            yield f"  {predicate} {shown}{f'   [{labels[0]}]' if labels else ''}"


def short(text: str, iris: Iris) -> str:
    """Return an IRI as a compact one."""
    for prefix, space in (*PREFIXES.items(), ("bibld", iris.term("")), ("", iris.base)):
        if text.startswith(space):
            return f"{prefix}:{text.removeprefix(space)}"
    return text


def original(catalog: Catalog, merged: Merged) -> Iterator[str]:
    """Yield the records of a publication as MARCMaker or MODS."""
    for member in merged.cluster.members:
        record = catalog.record(member)
        assert record is not None
        marc = original_of(record)
        yield to_mrk(marc) if marc is not None else to_xml(record.mods).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=int, default=60)
    parser.add_argument(
        "--merged", type=int, default=0, metavar="N", help="publications of more than one record, besides"
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder of the texts, one for each record")
    parser.add_argument("--workspace", type=Path, help="a workspace of the real files whose records are merged")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = asked.workspace or Path(folder)
        settings = config.load(home / "bibld.toml") if asked.workspace else run(real_config(real_data(), home), "merge")
        total = 0
        with Catalog(settings.workspace, read_only=True) as catalog:
            chosen = draw(catalog, random.Random(asked.seed), asked.records, asked.merged)
            for number, merged in enumerate(chosen, 1):
                lines = list(statements(merged, Iris(settings.dataset.base)))
                total += sum(line.startswith("  ") for line in lines)
                members = " ".join(map(str, merged.cluster.members))
                text = "\n".join([members, "", *original(catalog, merged), "published", *lines, ""])
                (asked.out / f"{number:03}.txt").write_text(text, "utf-8")
    print(f"{total} statements in {asked.out}")


if __name__ == "__main__":
    main()
