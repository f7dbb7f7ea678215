# SPDX-License-Identifier: Apache-2.0
"""The files of `spec/`, facts that several languages share; and what the build folder keeps of slow readings."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from girih.paths import BUILD, SPEC

DIGEST = hashlib.sha256().digest_size  # bytes at the start of a kept file, by which damage shows


def look(kept: Path) -> Any:
    """What `keep` has put into a file; None if it is not there, or has been damaged."""
    try:
        held = kept.read_bytes()
    except OSError:
        return None
    return pickle.loads(held[DIGEST:]) if hashlib.sha256(held[DIGEST:]).digest() == held[:DIGEST] else None


def keep(kept: Path, value: Any) -> None:
    """Puts a value into a file, which appears at once and whole; nothing happens in a checkout that cannot be written to. The file's name says what the value
    was made from."""
    held = pickle.dumps(value)
    temporary = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        temporary.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(hashlib.sha256(held).digest() + held)
        temporary.replace(kept)
    except OSError:
        pass


@cache
def read_spec(name: str) -> Mapping[str, Any]:
    """What `spec/<name>.yaml` says. It is kept in the build folder by its content, because every simulation of a unit test begins with it, and reading YAML
    takes ten times as long."""
    text = (SPEC / f"{name}.yaml").read_bytes()
    kept = BUILD / "spec" / f"{name}-{hashlib.sha256(text).hexdigest()[:16]}"
    found = look(kept)
    if found is None:
        from ruamel.yaml import YAML

        found = YAML(typ="safe").load(text)
        keep(kept, found)
    return found
