"""The sample's machine-readable files are what the builder makes of its texts."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from bibld.serve.ontology import folder

SAMPLE = folder("sample_data")


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample_data_build", SAMPLE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["rsl.mrc", "nlr.iso", "slavica.xml"])
def test_a_built_file_is_up_to_date(name: str) -> None:
    count, data = builder().built()[name]
    assert count > 20
    assert (SAMPLE / name).read_bytes() == data, "run python -m sample_data.build"


def test_a_text_without_a_record_is_reported_with_its_place(tmp_path: Path) -> None:
    from bibld.errors import ReadError

    text = tmp_path / "rsl.mrk"
    text.write_text("nothing here\n")
    with pytest.raises(ReadError, match=r"rsl\.mrk record 1"):
        builder().records_of(text)
