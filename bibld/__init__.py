"""bibld turns the catalogues of libraries into Linked Open Data.

This package is the public API; the command ``bibld`` does the same on the command line. For files, in memory::

    for record in bibld.read("f.mrc"): ...                     # Record or Reject
    for mods in bibld.to_mods("f.mrc", profile="std"): ...     # MODS
    found = bibld.find_duplicates({"rsl": mods, "nlr": others})
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

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bibld._api.records import Converter as Converter
    from bibld._api.records import Record as Record
    from bibld._api.records import RejectWarning as RejectWarning
    from bibld._api.records import read as read
    from bibld._api.records import to_mods as to_mods
    from bibld._api.tables import Table as Table
    from bibld.catalog import Reject as Reject
    from bibld.errors import BibldError as BibldError
    from bibld.errors import CatalogError as CatalogError
    from bibld.errors import ConfigError as ConfigError
    from bibld.errors import RecordError as RecordError
    from bibld.errors import StageError as StageError
    from bibld.errors import StoreError as StoreError
    from bibld.model.marc import ControlField as ControlField
    from bibld.model.marc import DataField as DataField
    from bibld.model.marc import Leader as Leader
    from bibld.model.marc import MarcRecord as MarcRecord
    from bibld.model.marc import Subfield as Subfield
    from bibld.model.mods import Mods as Mods
    from bibld.model.mods_xml import from_xml as from_xml
    from bibld.model.mods_xml import to_xml as to_xml
    from bibld.model.origin import Origin as Origin
    from bibld.model.origin import RecordId as RecordId
    from bibld.protocols import Row as Row

__version__ = "0.1.0"

# A name is imported when it is first used, so that each command starts without what only others need.
_HOMES = {
    "_api.records": ("Converter", "Record", "RejectWarning", "read", "to_mods"),
    "_api.tables": ("Table",),
    "catalog": ("Reject",),
    "errors": ("BibldError", "CatalogError", "ConfigError", "RecordError", "StageError", "StoreError"),
    "model.marc": ("ControlField", "DataField", "Leader", "MarcRecord", "Subfield"),
    "model.mods": ("Mods",),
    "model.mods_xml": ("from_xml", "to_xml"),
    "model.origin": ("Origin", "RecordId"),
    "protocols": ("Row",),
}
_HOME_OF = {name: f"bibld.{module}" for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOME_OF:
        raise AttributeError(f"module 'bibld' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, "__version__"])


class _Package(ModuleType):
    """Keeps ``bibld.read`` and ``bibld.merge`` the functions, after the packages of these names were imported too."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
