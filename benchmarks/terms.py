"""Check the terms of BIBFRAME, schema.org and RDA in published quads against the files of these vocabularies.

``PYTHONPATH=. python benchmarks/terms.py`` makes a workspace of the sample and of the real files; with ``CONFIG ...``
the workspaces of these are read. Needs ``BIBLD_TEST_DATA`` (``vocabularies/``). For each term in a place where its
vocabulary does not allow it, the number of quads and the first one are printed. ``--dialects schema`` describes the
publications in dialects, too; ``--every N`` takes each N-th publication: all quads are in memory at once.
"""

import argparse
import tempfile
from pathlib import Path
from typing import get_args

from _measure import real_config, real_data, run, run_sample

import bibld
from bibld.catalog import Catalog
from bibld.config import Config, Dialect, TriplifyConfig
from bibld.model.iris import Iris
from bibld.triplify import to_quads
from tests.ontology.published_terms import Vocabularies, misuses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", type=Path, metavar="CONFIG")
    parser.add_argument("--dialects", nargs="*", default=[], choices=get_args(Dialect))
    parser.add_argument("--every", type=int, default=1, metavar="N")
    asked = parser.parse_args()
    vocabularies = Vocabularies(real_data() / "vocabularies")
    settings = TriplifyConfig(dialects=tuple(asked.dialects))
    with tempfile.TemporaryDirectory() as folder:
        configs = [bibld.Workspace(file).config for file in asked.configs]
        if not configs:
            real = Path(folder) / "real"
            real.mkdir()
            configs = [run_sample(Path(folder) / "sample", "merge"), run(real_config(real_data(), real), "merge")]
        for config in configs:
            report(config, settings, asked.every, vocabularies)


def report(config: Config, settings: TriplifyConfig, every: int, vocabularies: Vocabularies) -> None:
    """Print the misuses of terms in the quads of a workspace whose records are merged."""
    with Catalog(config.workspace, read_only=True) as catalog:
        founders = list(catalog.linkage.founders())[::every]
        merged = (catalog.descriptions.merged(founder) for founder in founders)
        lines = list(to_quads(merged, Iris(config.dataset.base), settings=settings))
    counts, examples = misuses(lines, vocabularies)
    print(f"{config.workspace}: {len(founders):,} publications, {len(lines):,} quads, {counts.total():,} misuses")
    for misuse, count in counts.most_common():
        print(f"  {count:7,} {misuse.term} {misuse.cause}\n          {examples[misuse]}")


if __name__ == "__main__":
    main()
