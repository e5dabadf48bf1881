"""Take a source from its files into the catalog: harvest, read, crosswalk record by record, rejects, takedown.

The files are inspected first; a source in doubt keeps its old state, and too many deletions are withheld.

In: a configured source, or raw records. Out: source records in the catalog with their MODS (:class:`Intake`), or
conversions in the order of the input (:class:`ConversionPool`). A suppression file (``[publish] suppress``) is read and
applied here too, because it changes what every later stage sees.
"""

from __future__ import annotations

from bibld.ingest._conversion import Conversion, ConversionPool, Job, convert_record
from bibld.ingest._export import Exported, export_mods, export_originals
from bibld.ingest._forms import TABLE_COLUMNS, table_row
from bibld.ingest._inspection import InspectedFile, Inspection, inspect_sources
from bibld.ingest._load import Intake, LoadResult, original_of, public_original_of, settings_digest
from bibld.ingest._takedown import SuppressionRequest, apply_suppressions, read_suppressions
from bibld.ingest._withheld import Withheld, clear_withheld, withhold

__all__ = [
    "TABLE_COLUMNS",
    "Conversion",
    "ConversionPool",
    "Exported",
    "InspectedFile",
    "Inspection",
    "Intake",
    "Job",
    "LoadResult",
    "SuppressionRequest",
    "Withheld",
    "apply_suppressions",
    "clear_withheld",
    "convert_record",
    "export_mods",
    "export_originals",
    "inspect_sources",
    "original_of",
    "public_original_of",
    "read_suppressions",
    "settings_digest",
    "table_row",
    "withhold",
]
