"""The configuration: from a TOML file to frozen structs; all faults are reported at once.

Tables of adapters (``[crosswalk.marc21]``, ``[dedup.jaccard]`` …) are checked against the ``Settings`` struct of the
adapter; the keys of a ``[[source]]`` against ``SourceConfig`` and the settings of its harvester and reader. Paths are
relative to the file.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from bibld.config._checker import Checker
from bibld.config._checker import blocker_faults as blocker_faults
from bibld.config._checker import remote_of_url as remote_of_url
from bibld.config._local_fields import read_local_fields as read_local_fields
from bibld.config._package import folder as folder
from bibld.config._structs import Config as Config
from bibld.config._structs import CopyFields as CopyFields
from bibld.config._structs import DedupConfig as DedupConfig
from bibld.config._structs import Dialect as Dialect
from bibld.config._structs import EngineConfig as EngineConfig
from bibld.config._structs import File as File
from bibld.config._structs import LocalField as LocalField
from bibld.config._structs import MailConfig as MailConfig
from bibld.config._structs import MergeConfig as MergeConfig
from bibld.config._structs import NotifyConfig as NotifyConfig
from bibld.config._structs import PublishConfig as PublishConfig
from bibld.config._structs import Remote as Remote
from bibld.config._structs import RemoteConfig as RemoteConfig
from bibld.config._structs import ReturnConfig as ReturnConfig
from bibld.config._structs import Secret as Secret
from bibld.config._structs import Share as Share
from bibld.config._structs import Source as Source
from bibld.config._structs import SourceConfig as SourceConfig
from bibld.config._structs import StoreConfig as StoreConfig
from bibld.config._structs import TriplifyConfig as TriplifyConfig
from bibld.config._structs import WorklistConfig as WorklistConfig
from bibld.errors import ConfigError

_POSITION = re.compile(r" \(at line (\d+), column \d+\)$")


def load(path: Path) -> Config:
    """Read and check a configuration; raises ``ConfigError`` with one message for each fault."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError([f"{path}: not found; name a configuration such as bibld.toml"]) from None
    except IsADirectoryError:
        raise ConfigError([f"{path}: is a folder; name a configuration in it, such as {path / 'bibld.toml'}"]) from None
    except (OSError, ValueError) as error:
        raise ConfigError([f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"]) from error
    try:
        text = data.decode("utf-8-sig")
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            [f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"]
        ) from error
    except tomllib.TOMLDecodeError as error:
        position = _POSITION.search(str(error))
        line_of, message = (f"{position[1]}:", str(error)[: position.start()]) if position else ("", str(error))
        hint = "" if path.suffix == ".toml" else "; name a configuration such as bibld.toml"
        raise ConfigError([f"{path}:{line_of} not valid TOML: {message}{hint}"]) from error
    except RecursionError as error:
        raise ConfigError([f"{path}: not valid TOML: nested too deeply"]) from error
    return Checker(path.absolute(), str(path), text).check(tables)
