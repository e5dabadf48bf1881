"""Files of every carrier as tests read them: from bytes, each piece parsed or rejected."""

import io

import msgspec

from bibld.errors import ReadError
from bibld.model.marc import DataField
from bibld.protocols import Raw

LEADER = "00714cam a2200205 a 4500"


def read_all(adapter, data, **settings):
    """Return each piece of a file, parsed, or the ``ReadError`` that rejects it; any other exception is a fault.

    The carrier is the same when it was stored as JSON, and pieces are numbered from 1.
    """
    data = data.encode() if isinstance(data, str) else data
    carrier = adapter.examine(io.BytesIO(data), "f", "s", adapter.Settings(**settings))
    assert msgspec.json.decode(msgspec.json.encode(carrier), type=adapter.CarrierType) == carrier
    found = []
    for position, piece in enumerate(carrier.raws(io.BytesIO(data)), 1):
        assert piece.origin.position == position
        try:
            found.append(carrier.parse(piece) if isinstance(piece, Raw) else piece)
        except ReadError as error:
            assert error.original == piece.data
            found.append(error)
    return found


def shown(results):
    """Return a letter for each piece: R for a record, E for a reject."""
    return "".join("E" if isinstance(result, ReadError) else "R" for result in results)


def lines_of(fields):
    """Return fields as lines such as ``245 10$aTitle$bRest`` and ``001 1``."""
    return [
        f"{field.tag} {field.indicator1}{field.indicator2}"
        + "".join(f"${subfield.code}{subfield.value}" for subfield in field.subfields)
        if isinstance(field, DataField)
        else f"{field.tag} {field.value}"
        for field in fields
    ]
