"""As much of a configuration as blocking asks for."""

import msgspec

from bibld.config import DedupConfig
from bibld.protocols import adapters


class Blocking(msgspec.Struct, frozen=True):
    """Blockers and scorer, with the settings that are not the defaults by the adapter's name."""

    dedup: DedupConfig
    chosen: dict[str, object]
    workers: int = 2
    sources: tuple = ()

    def settings(self, stage, name):
        return self.chosen.get(name) or adapters.settings_type(stage, name)()
