"""Give libraries their records back, with what is known of the publications from other records and authority files.

In: a file of a source as the library delivered it, and the catalog. Out: the same file, in its carrier, charset and
order, every byte as it was, but for fields and subfields that the policy ``[source.return]`` asks for and the record
lacks. Each addition is marked (:mod:`bibld.model.enrichment`), so that a later run withdraws it by the record alone.

:class:`Enricher` enriches a file; :class:`AdditionFinder` finds the additions to a record, ``add_to_record`` and
``withdraw_additions`` change the bytes of one.
"""

from __future__ import annotations

from bibld.enrich._additions import AdditionFinder as AdditionFinder
from bibld.enrich._additions import Located as Located
from bibld.enrich._editing import FORMS as FORMS
from bibld.enrich._editing import Addition as Addition
from bibld.enrich._editing import Enriched as Enriched
from bibld.enrich._editing import OmittedAddition as OmittedAddition
from bibld.enrich._editing import add_to_record as add_to_record
from bibld.enrich._editing import charset_for_additions as charset_for_additions
from bibld.enrich._editing import form_of as form_of
from bibld.enrich._editing import is_editable as is_editable
from bibld.enrich._editing import withdraw_additions as withdraw_additions
from bibld.enrich._enriching import Enricher as Enricher
from bibld.enrich._enriching import Locate as Locate
from bibld.enrich._enriching import RecordAddition as RecordAddition
from bibld.enrich._enriching import locate_in_catalog as locate_in_catalog
from bibld.enrich._enriching import merge_reports as merge_reports
from bibld.enrich._enriching import rewrite_file as rewrite_file
from bibld.enrich._slices import CarrierForm as CarrierForm
from bibld.enrich._slices import NotEditableError as NotEditableError
