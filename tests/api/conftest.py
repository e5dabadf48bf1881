"""A workspace of the sample after a run, for all tests of the API."""

import pytest

import bibld


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1767225600")
        workspace = bibld.Workspace(bibld.write_sample(tmp_path_factory.mktemp("api") / "sample"))
        workspace.run()
    return workspace
