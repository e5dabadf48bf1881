"""The report of a release: its figures add up, are those of the records, and grow from release to release."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from bibld import pipeline
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.model.mods import Mods
from bibld.model.report import Report
from bibld.publish.completion import Completion
from bibld.publish.report import general_reason


def read_report(release: Path) -> Report:
    return msgspec.json.decode((release / "report.json").read_bytes(), type=Report)


@pytest.fixture(scope="session")
def report(sample: Config) -> Report:
    return read_report(pipeline.current_release(sample)[0])


def test_each_publication_is_in_one_combination_of_sources(sample: Config, report: Report) -> None:
    _, manifest = pipeline.current_release(sample)
    assert sum(shared.publications for shared in report.overlap) == manifest.figures.clusters
    with Catalog(sample.workspace, read_only=True) as catalog:
        expected = Counter(
            tuple(sorted({member.source for member in catalog.linkage.cluster(founder).members}))
            for founder in catalog.linkage.founders()
        )
    assert {shared.sources: shared.publications for shared in report.overlap} == expected


def test_a_small_source_is_counted_completely(sample: Config, report: Report) -> None:
    coverage: dict[str, Counter[str]] = {}
    with Catalog(sample.workspace, read_only=True) as catalog:
        for _, source, mods in catalog.records.live():
            coverage.setdefault(source, Counter()).update(name for name in Mods.elements if getattr(mods, name))
    for source in report.sources:
        assert source.sampled == source.records
        assert {each.value: each.count for each in source.coverage} == coverage[source.source]
        assert sum(each.count for each in source.years) + source.without_year == source.sampled


def test_pairs_and_clusters_are_all_counted(sample: Config, report: Report) -> None:
    _, manifest = pipeline.current_release(sample)
    matching = report.matching
    with Catalog(sample.workspace, read_only=True) as catalog:
        decisions = Counter(edge.verdict.decision for edge in catalog.linkage.edges())
        for name in ("same", "review", "related", "different"):
            assert sum(getattr(each, name) for each in matching.histogram) == decisions[name]
    assert sum(int(each.value) * each.count for each in matching.sizes) == manifest.figures.records
    assert sum(each.count for each in matching.sizes) == manifest.figures.clusters
    assert sum(each.count for each in matching.pairs_of_records) == manifest.figures.records
    assert matching.thresholds.keys() == {"same", "review"}


def test_growth_goes_on_from_release_to_release(two_releases: Path) -> None:
    folder = two_releases / "workspace" / "releases"
    first, second = read_report(folder / "1"), read_report(folder / "2")
    assert [point.release for point in second.growth] == [1, 2]
    assert second.growth[0] == first.growth[0]
    assert second.growth[1].records == second.growth[0].records - 3


def test_completion_has_the_classes_and_properties_of_the_data_with_their_counts(sample: Config) -> None:
    release, _ = pipeline.current_release(sample)
    found = msgspec.json.decode((release / "completion.json").read_bytes(), type=Completion)
    assert dict(found.classes)["http://xmlns.com/foaf/0.1/Person"] > 0
    assert dict(found.properties)["http://www.w3.org/1999/02/22-rdf-syntax-ns#type"] > 1000
    assert list(found.properties) == sorted(found.properties, key=lambda pair: (-pair[1], pair[0]))
    assert found.prefixes["bf"] == "http://id.loc.gov/ontologies/bibframe/"


def test_equal_causes_of_rejects_are_one_reason_without_what_is_from_the_record() -> None:
    assert general_reason('field 245 at 1042: "Тайна" is no text') == general_reason('field 100 at 7: "X" is no text')
    assert general_reason("020$a: '5-02' is no ISBN of 10 digits") == "020$a: '…' is no ISBN of N digits"
