"""Authority records of MARC 21 and of UNIMARC to an ``Authority`` (``bibld.model.authority``).

They are no adapters: adapters of the crosswalk return MODS, which describes publications.
"""

from __future__ import annotations

from bibld.crosswalk._authorities import marc21
from bibld.model.authority import ConvertedAuthority
from bibld.model.marc import MarcRecord


def convert_authority(record: MarcRecord) -> ConvertedAuthority:
    return marc21.convert(record)
