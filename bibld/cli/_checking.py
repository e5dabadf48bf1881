"""What ``bibld catalog check`` goes through, from the databases to the releases."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bibld import publish, store
from bibld.catalog import Catalog
from bibld.catalog.check import Fault, faults, file_faults
from bibld.config import Config
from bibld.dedup.check import index_faults
from bibld.errors import CatalogError, StageError, StoreError
from bibld.model.iris import Iris
from bibld.model.rdf import iri
from bibld.progress import Progress

_ANEW = "the next run makes it anew"


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong: where, what, what helps, and whether it was mended."""

    where: str
    what: str
    remedy: str
    mended: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {'mended, ' if self.mended else ''}{self.remedy}"


class Report(msgspec.Struct, frozen=True):
    """What was looked at, and what is wrong with it."""

    records: int
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong, or everything is mended."""
        return all(finding.mended for finding in self.findings)


def check(config: Config, everything: bool, repair: bool, progress: Progress) -> Report:
    """Go through the workspace; ``everything``: read all blobs, ``repair``: mend what can be made again.

    Raises ``CatalogError`` where a run holds the workspace, or nothing has been run yet.
    """
    if not any((config.workspace / name).is_file() for name in ("register.db", "catalog.db")):
        raise CatalogError(f"{config.workspace}: holds no catalog yet; run `bibld run` first")
    findings = [_found(fault, repair) for fault in file_faults(config.workspace, progress)]
    if not all(finding.mended for finding in findings):
        return Report(0, tuple(findings))
    with Catalog(config.workspace) as catalog:
        findings += [_found(fault, repair) for fault in _faults(catalog, config, everything, progress)]
        return Report(catalog.records.count(), tuple(findings))


def _faults(catalog: Catalog, config: Config, everything: bool, progress: Progress) -> Iterator[Fault]:
    yield from faults(catalog, everything, progress)
    yield from index_faults(catalog, config, progress)
    yield from _store_faults(catalog, config, progress)
    yield from _release_faults(publish.Releases(config.workspace), progress)


def _found(fault: Fault, repair: bool) -> Finding:
    if repair and fault.mend is not None:
        fault.mend()
    return Finding(fault.where, fault.what, fault.remedy, repair and fault.mend is not None)


# -- store -------------------------------------------------------------------------------------------------------------


def _store_faults(catalog: Catalog, config: Config, progress: Progress) -> Iterator[Fault]:
    """Whether the live store holds as many quads as were delivered to it."""
    held = catalog.patches.delivery(store.CONSUMER)
    place = store.folder(config)
    if held is None or held.patch != held.goal or not place.is_dir():
        return  # the next run fills it, or ends what it began
    progress.report("check: the live store")
    try:
        count = _quads(config)
    except StoreError as error:
        yield Fault("store", str(error), _ANEW, lambda: shutil.rmtree(place))
        return
    if count != held.quads:
        yield Fault("store", f"holds {count} quads instead of {held.quads}", _ANEW, lambda: shutil.rmtree(place))


def _quads(config: Config) -> int:
    """The number of quads in the live store, but for the two graphs of the last release."""
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


def _release_faults(releases: publish.Releases, progress: Progress) -> Iterator[Fault]:
    """Whether the files of the releases have the checksums that their manifests say."""
    numbers = releases.numbers()
    progress.stage("check", "releases", len(numbers))
    for number in numbers:
        place = releases.folder / str(number)
        try:
            wrong = [
                file.name for file in releases.manifest(place).files if _checksum(place / file.name) != file.sha256
            ]
            what = f"the files {', '.join(wrong)} are not as they were made" if wrong else ""
        except (StageError, OSError) as error:
            what = str(error)
        if what:
            yield Fault(f"releases/{number}", what, "it is removed; the next run makes a new one", _removing(place))
        progress.advance()
    if numbers and releases.current() is None:
        yield Fault("releases", "none is current", "the next run makes a new one", lambda: None)


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _removing(place: Path) -> Callable[[], None]:
    return lambda: shutil.rmtree(place)
