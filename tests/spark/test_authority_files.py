"""Authority files as sources on Spark: the same tables, warnings and releases as on one machine, night after night."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_iso2709
from tests.configuration import HEAD, source
from tests.end_to_end.test_authority_files import (
    ARCHIVES,
    INSTITUTIONS,
    LIBRARIES,
    SUBJECTS,
    TOLSTOY,
    РУБРИКИ,
    ТОЛСТОЙ,
    book,
    russian_book,
    subject,
)
from tests.spark.twins import Reported, Twins

BOOKS = [
    book("1", "650 #7$aLibraries$2xxsh$0(XX)7", "100 1#$aTolstoy, Leo,$d1828-1910"),
    book(
        "2",
        "650 #7$aBook collections$2xxsh$0(XX)5",
        "650 #7$aNowhere$2xxsh$0(XX)99",
        "100 1#$aТолстой, Лев Николаевич,$d1828-1910",
    ),
    russian_book("3", "606 0#$aБиблиотеки$2nlr_sh$3RU\\AAA\\AUTH\\7", "700 #1$aТолстой$bЛ. Н.$3RU\\AAA\\AUTH\\1$4070"),
]
REPLACED = subject("5", "150 ##$aBook collections", "682 ##$aLibraries$0(XX)7", leader="00000xz  a2200000n  4500")
CYCLE = subject("8", "150 ##$aInstitutions", "550 ##$wg$aLibraries$0(XX)7", "550 ##$aNowhere$0(XX)99")


def test_authority_files_of_both_engines(spark: SparkSession, tmp_path: Path) -> None:
    def write(name: str, records: Iterable[MarcRecord]) -> None:
        (tmp_path / f"{name}.mrc").write_bytes(b"".join(map(to_iso2709, records)))

    sources = "".join(source(name, f"{name}.mrc") for name in ("books", "headings"))
    text = f'{HEAD}{sources}kind = "authority"\n[publish]\nsuppress = "suppress.csv"\n'
    (tmp_path / "suppress.csv").write_text("record,value,reason\nheadings:1,male,asked for\n", encoding="utf-8")
    twins = Twins(spark, tmp_path, text.replace('"work"', '"WORKSPACE"'))

    write("books", BOOKS)
    write("headings", [*SUBJECTS, *РУБРИКИ, TOLSTOY, ТОЛСТОЙ])
    local, _ = twins.run()
    assert (local.figures.records, local.figures.clusters) == (3, 3)

    # A heading is replaced, others disappear, a cycle and a book appear, a book becomes a heading.
    write("books", [*BOOKS[:2], subject("3", "150 ##$aBoth")])
    write("headings", [LIBRARIES, CYCLE, REPLACED, TOLSTOY, book("9")])
    twins.run(allow_deletes=True)
    warnings = [message for message in twins.messages if message.startswith("headings: ")]
    assert [message for message in warnings if "cycle of broader terms (records 7, 8)" in message]
    assert [message for message in warnings if "(9 in record 7, 99 in record 8)" in message]
    assert [message for message in warnings if "the record describes a publication" in message]

    # The numbers of headings are those of books of the same source.
    write("books", [*BOOKS, subject("2", "150 ##$aBoth")])
    write("headings", [INSTITUTIONS, ARCHIVES, *РУБРИКИ])
    twins.run(allow_deletes=True)
    assert [message for message in twins.messages if message.startswith("books: 1 record took the place of")]
    reported = [message for message in twins.messages if message.startswith("triplify: publications cite 2 numbers")]
    assert len(reported) == 1
    progress = Reported()
    twins.run_on_spark(progress, rebuild=True)
    assert [message for message in progress.messages if message in reported] == reported
