"""Reading ISO 2709: bibld's reader against pymarc's, on the same files in the same run."""

import pymarc
from _measure import real_data, seconds

from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

FILES = (
    ("marc21/gpo_covid_online.mrc", {"to_unicode": True, "force_utf8": False, "permissive": True}),
    ("marc21/uva_marc8.mrc", {"to_unicode": True, "permissive": True}),
)


def main() -> None:
    for name, options in FILES:
        path = real_data() / name
        file = HarvestedFile("s", name, path)

        def ours(file: HarvestedFile = file) -> int:
            examined = examine(file)
            return sum(bool(examined.carrier.parse(raw)) for raw in read(file, examined) if isinstance(raw, Raw))

        def theirs(path=path, options=options) -> int:
            with path.open("rb") as stream:
                return sum(record is not None for record in pymarc.MARCReader(stream, **options))

        count, other = ours(), theirs()
        mine, baseline = seconds(ours), seconds(theirs)
        print(
            f"{name}: {count} records, {count / mine:,.0f} a second; "
            f"pymarc {other} records, {other / baseline:,.0f} a second; {baseline / mine:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
