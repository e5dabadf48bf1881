"""Fuzz the readers, guided by coverage: any bytes must become records or ``ReadError``, and soon.

It needs atheris, which is not a dependency of bibld: ``pip install atheris`` in a separate environment, then
``python benchmarks/fuzz_readers.py READER CORPUS -max_total_time=60``, where the folder CORPUS contains files to begin
with. A file that causes a failure is written as ``crash-…`` or ``timeout-…``. Without READER nothing is done.
"""

import importlib
import io
import sys

from bibld.errors import ReadError
from bibld.protocols import Raw

LONGEST = (16 * 1024 * 1024, 300)


def main() -> None:
    if len(sys.argv) < 2:
        print(__doc__)
        return
    import atheris

    with atheris.instrument_imports(include=["bibld.read"]):
        reader = importlib.import_module(f"bibld.read.{sys.argv.pop(1)}")

    def obeys(data: bytes) -> None:
        """Read a file; its last byte chooses how long a record may be."""
        reader.sniffs(data)
        settings = reader.Settings(max_record_bytes=LONGEST[bool(data) and data[-1] % 8 == 0])
        carrier = reader.examine(io.BytesIO(data), "f", "s", settings)
        for position, piece in enumerate(carrier.raws(io.BytesIO(data)), 1):
            assert piece.origin.position == position
            if isinstance(piece, Raw):
                try:
                    carrier.parse(piece)
                except ReadError as error:
                    assert error.original == piece.data

    atheris.Setup(sys.argv, obeys)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
