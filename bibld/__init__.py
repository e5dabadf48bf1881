"""bibld turns the catalogues of libraries into Linked Open Data.

This package is the public API; the command ``bibld`` does the same on the command line. For files, in memory::

    for record in bibld.read("f.mrc"): ...                     # Record or Reject
    descriptions = list(bibld.to_mods("f.mrc"))                # MODS
    found = bibld.find_duplicates(descriptions, progress=True)
    merged = [bibld.merge(cluster) for cluster in found]
    lines = bibld.to_quads(merged, base="https://data.example.org/")

For a configured workspace, which stores its results and on later runs processes only what changed::

    workspace = bibld.Workspace("bibld.toml")
    workspace.run()

The stages, in the order in which a record passes them:

harvest → read → crosswalk → (catalog) → dedup → merge → triplify → store → publish → serve

Each stage is a package, a command and a table of the configuration with this name.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from bibld._version import __version__ as __version__

if TYPE_CHECKING:
    from bibld._api.entities import EntityPairReport as EntityPairReport
    from bibld._api.explaining import IriReport as IriReport
    from bibld._api.explaining import PairReport as PairReport
    from bibld._api.explaining import RecordReport as RecordReport
    from bibld._api.links import Links as Links
    from bibld._api.maintaining import CheckReport as CheckReport
    from bibld._api.matching import DuplicateClusters as DuplicateClusters
    from bibld._api.matching import MergedCluster as MergedCluster
    from bibld._api.matching import RecordCluster as RecordCluster
    from bibld._api.matching import find_duplicates as find_duplicates
    from bibld._api.matching import merge as merge
    from bibld._api.matching import to_quads as to_quads
    from bibld._api.reading import RecordRow as RecordRow
    from bibld._api.reading import Stats as Stats
    from bibld._api.records import Converter as Converter
    from bibld._api.records import Record as Record
    from bibld._api.records import RejectWarning as RejectWarning
    from bibld._api.records import read as read
    from bibld._api.records import to_mods as to_mods
    from bibld._api.review import Imported as Imported
    from bibld._api.review import Review as Review
    from bibld._api.review import ReviewSession as ReviewSession
    from bibld._api.review import VerdictRow as VerdictRow
    from bibld._api.searching import FoundResults as FoundResults
    from bibld._api.source_check import CheckedFile as CheckedFile
    from bibld._api.source_check import SourcesReport as SourcesReport
    from bibld._api.source_check import check_sources as check_sources
    from bibld._api.source_check import write_sample as write_sample
    from bibld._api.sparql import query as query
    from bibld._api.tables import AdapterRow as AdapterRow
    from bibld._api.tables import ClusterRow as ClusterRow
    from bibld._api.tables import FileRow as FileRow
    from bibld._api.tables import PairRow as PairRow
    from bibld._api.tables import Table as Table
    from bibld._api.tables import list_adapters as list_adapters
    from bibld._api.workspace import Workspace as Workspace
    from bibld.catalog import RELATIONS as RELATIONS
    from bibld.catalog import Reject as Reject
    from bibld.catalog.exchange import ConvertedWorkspace as ConvertedWorkspace
    from bibld.dedup.comparison import MethodComparison as MethodComparison
    from bibld.dedup.comparison import MethodResult as MethodResult
    from bibld.dedup.evaluate import Evaluation as Evaluation
    from bibld.dedup.method import MethodOptions as MethodOptions
    from bibld.dedup.review import Question as Question
    from bibld.enrich import RecordAddition as RecordAddition
    from bibld.errors import BadQueryError as BadQueryError
    from bibld.errors import BibldError as BibldError
    from bibld.errors import CatalogError as CatalogError
    from bibld.errors import ConfigError as ConfigError
    from bibld.errors import CrosswalkError as CrosswalkError
    from bibld.errors import DamagedFileError as DamagedFileError
    from bibld.errors import HarvestError as HarvestError
    from bibld.errors import QueryTimeoutError as QueryTimeoutError
    from bibld.errors import ReadError as ReadError
    from bibld.errors import RecordError as RecordError
    from bibld.errors import StageError as StageError
    from bibld.errors import StoreError as StoreError
    from bibld.errors import StoreUnavailableError as StoreUnavailableError
    from bibld.harvest import Freshness as Freshness
    from bibld.harvest import HarvestResult as HarvestResult
    from bibld.ingest import Conversion as Conversion
    from bibld.ingest import Doubt as Doubt
    from bibld.ingest import LoadResult as LoadResult
    from bibld.ingest import Withheld as Withheld
    from bibld.link import LinkReport as LinkReport
    from bibld.model.enrichment import EnrichmentReport as EnrichmentReport
    from bibld.model.finding import Finding as Finding
    from bibld.model.marc import ControlField as ControlField
    from bibld.model.marc import DataField as DataField
    from bibld.model.marc import Leader as Leader
    from bibld.model.marc import MarcRecord as MarcRecord
    from bibld.model.marc import Subfield as Subfield
    from bibld.model.matched import MatchedRecord as MatchedRecord
    from bibld.model.mods import Mods as Mods
    from bibld.model.mods_xml import from_xml as from_xml
    from bibld.model.mods_xml import to_xml as to_xml
    from bibld.model.origin import Origin as Origin
    from bibld.model.origin import RecordId as RecordId
    from bibld.pipeline import Summary as Summary
    from bibld.progress import Progress as Progress
    from bibld.protocols import Row as Row
    from bibld.protocols import SourceRecord as SourceRecord
    from bibld.publish import ReleaseCheck as ReleaseCheck
    from bibld.publish import ReleaseSummary as ReleaseSummary
    from bibld.publish import Verification as Verification
    from bibld.validate import ReportSettings as ReportSettings
    from bibld.validate import ShapeFinding as ShapeFinding
    from bibld.validate import ValidationReport as ValidationReport
    from bibld.worklist import WorklistCount as WorklistCount
    from bibld.worklist import WorklistLine as WorklistLine

# A name is imported when it is first used, so that each command starts without what only others need.
_HOME_OF = {
    name: module
    for module, name in re.findall(r"^    from (\S+) import (\w+) as", Path(__file__).read_text("utf-8"), re.MULTILINE)
}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'bibld' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, "__version__"])


class _Package(ModuleType):
    """Keeps ``bibld.read`` and ``bibld.merge`` the functions, after the packages of these names were imported too."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
