"""The configuration: a TOML file in, frozen structs out, all faults reported at once.

Tables of adapters (``[crosswalk.marc21]``, ``[dedup.jaccard]`` …) are checked against the ``Settings`` struct of the
adapter; the keys of a ``[[source]]`` against ``SourceConfig`` and the settings of its harvester and reader. Paths are
relative to the file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from bibld.config._checker import Checker
from bibld.config._structs import Config, DedupConfig, File, MergeConfig, Share, Source, SourceConfig, StoreConfig
from bibld.errors import ConfigError

__all__ = ["Config", "DedupConfig", "File", "MergeConfig", "Share", "Source", "SourceConfig", "StoreConfig", "load"]


def load(path: Path) -> Config:
    """Read and check a configuration; raises ``ConfigError`` with one message for each fault."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(
            [f"{path}: there is no such file; give the path of a configuration such as bibld.toml"]
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError([f"{path}: is not TOML: {error}"]) from error
    except (OSError, ValueError) as error:
        raise ConfigError([f"{path}: cannot be read: {error}"]) from error
    return Checker(path.absolute(), path.name, text).config(tables)
