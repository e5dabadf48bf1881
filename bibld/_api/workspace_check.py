"""Check a workspace, from its databases to its releases; what a run can rebuild is removed if that is wanted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from bibld import publish, store
from bibld.catalog import Catalog
from bibld.catalog.check import FoundFault, faults, file_faults
from bibld.config import Config
from bibld.errors import StageError, StoreError
from bibld.model.finding import Finding
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.progress import Progress

_REBUILT = "the next run rebuilds it"


class CheckReport(msgspec.Struct, frozen=True):
    """The number of records that were checked, and the faults found."""

    records: int
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether no fault is left: none was found, or all were mended."""
        return all(finding.mended for finding in self.findings)


def check_workspace(config: Config, all_records: bool, repair: bool, progress: Progress) -> CheckReport:
    """Check databases, stored records, clusters, index, live store and releases.

    ``all_records`` reads all stored records instead of a sample, ``repair`` mends what can be made again. Raises
    ``CatalogError`` while a run holds the workspace.
    """
    findings = [_mend_if_wanted(fault, repair) for fault in file_faults(config.workspace, progress, config.file)]
    if not all(finding.mended for finding in findings):
        return CheckReport(0, tuple(findings))
    with Catalog(config.workspace, config_file=config.file) as catalog:
        findings += [_mend_if_wanted(fault, repair) for fault in _faults(catalog, config, all_records, progress)]
        return CheckReport(catalog.records.count(), tuple(findings))


def _faults(catalog: Catalog, config: Config, all_records: bool, progress: Progress) -> Iterator[FoundFault]:
    from bibld.dedup.index import index_faults  # loads compiler and database

    yield from faults(catalog, all_records, progress)
    yield from index_faults(catalog, config, progress)
    yield from _store_faults(catalog, config, progress)
    yield from _release_faults(publish.Releases(config.workspace), progress)


def _mend_if_wanted(fault: FoundFault, repair: bool) -> Finding:
    """Mend a fault if ``repair`` is true and it can be mended; return it as a finding."""
    finding, mend = fault
    if repair and mend is not None:
        mend()
    return msgspec.structs.replace(finding, mended=repair and mend is not None)


# -- store -------------------------------------------------------------------------------------------------------------


def _store_faults(catalog: Catalog, config: Config, progress: Progress) -> Iterator[FoundFault]:
    """Compare the number of quads in the live store with those delivered to it."""
    delivery = catalog.patches.delivery(store.CONSUMER)
    folder = store.folder(config)
    if delivery is None or delivery.patch != delivery.goal or not folder.is_dir():
        return  # the next run fills it, or completes what an earlier one began
    progress.report("check: the live store")
    try:
        count = _count_quads(config)
    except StoreError as error:
        yield Finding("store", str(error), _REBUILT), partial(shutil.rmtree, folder)
        return
    if count != delivery.quads:
        what = f"contains {count} quads instead of {delivery.quads}"
        yield Finding("store", what, _REBUILT), partial(shutil.rmtree, folder)


def _count_quads(config: Config) -> int:
    """Return the number of quads in the live store, without the two graphs that describe the last release."""
    iris = Iris(config.dataset.base)
    live = store.open_live(config)
    try:
        count = live.count()
        for name in ("dataset", "run"):
            rows = live.query(f"SELECT ?s {{ GRAPH {iri(iris.graph(name))} {{ ?s ?p ?o }} }}")
            count -= len(rows)
        return count
    finally:
        live.close()


# -- releases ----------------------------------------------------------------------------------------------------------


def _release_faults(releases: publish.Releases, progress: Progress) -> Iterator[FoundFault]:
    """Compare the files of the releases with the checksums in their manifests."""
    numbers = releases.numbers()
    progress.stage("check", "releases", len(numbers))
    for number in numbers:
        folder = releases.folder / str(number)
        try:
            wrong = [
                file.name for file in releases.manifest(folder).files if _checksum(folder / file.name) != file.sha256
            ]
            what = f"changed since they were made: {', '.join(wrong)}" if wrong else ""
        except (StageError, OSError) as error:
            what = str(error)
        if what:
            remedy = "it is removed; the next run makes a new one"
            yield Finding(f"releases/{number}", what, remedy), partial(shutil.rmtree, folder)
        progress.advance()
    if numbers and releases.current() is None:
        yield Finding("releases", "none is current", "the next run makes a new one"), lambda: None


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
