# SPDX-License-Identifier: Apache-2.0
"""The files of `spec/`: facts that several languages share."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Mapping
from functools import cache
from typing import Any

from girih.paths import BUILD, SPEC


@cache
def read_spec(name: str) -> Mapping[str, Any]:
    """What `spec/<name>.yaml` says. It is kept in the build folder by its content, because every simulation of a unit test begins with it, and reading YAML
    takes ten times as long."""
    text = (SPEC / f"{name}.yaml").read_bytes()
    kept = BUILD / "spec" / f"{name}-{hashlib.sha256(text).hexdigest()[:16]}"
    try:
        return pickle.loads(kept.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):
        pass
    from ruamel.yaml import YAML

    found = YAML(typ="safe").load(text)
    temporary = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        temporary.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(pickle.dumps(found))
        temporary.replace(kept)
    except OSError:
        pass  # a checkout that cannot be written to
    return found
