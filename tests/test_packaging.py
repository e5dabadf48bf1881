"""An installed bibld is complete: the ontology and the sample travel in the wheel."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_the_package_the_ontology_and_the_sample(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, inside in (("bibld", "bibld"), ("ontology", "bibld/ontology"), ("sample_data", "bibld/sample_data")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{inside}/{path.relative_to(ROOT / folder).as_posix()}" in names
    assert any(name.endswith("entry_points.txt") for name in names)


def test_the_debian_package_is_built_by_a_script_that_changes_what_is_in_the_unit():
    folder = ROOT / "docs" / "how-to" / "deployment"
    subprocess.run(["sh", "-n", folder / "build-deb.sh"], check=True)
    (old,) = re.findall(r"s\|(/srv[^|]+)\|", (folder / "build-deb.sh").read_text())
    assert f"ExecStart={old} serve" in (folder / "bibld.service").read_text()


def test_the_container_is_built_as_its_linter_wants():
    done = subprocess.run(
        [Path(sys.executable).with_name("hadolint"), "Dockerfile"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_gets_what_the_wheel_needs():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {
        "bibld",
        "pyproject.toml",
        settings["project"]["readme"],
        *settings["project"]["license-files"],
        *included,
    } <= allowed
