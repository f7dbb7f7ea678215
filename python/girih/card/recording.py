# SPDX-License-Identifier: Apache-2.0
"""Recordings of runs, which `card/runtime` writes and replays: the label that names the design, and the result of a replay."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from girih.card.manifest import Manifest
from girih.errors import GirihError
from girih.power_up import MOST as MOST_SEED


@dataclass(frozen=True)
class Replay:
    """The result of a replay. difference: None if cycles and bytes were the same."""

    cycles: int
    inputs: int
    outputs: int
    accesses: int
    difference: str | None
    difference_cycle: int


def recording_label(manifest: Manifest, seed: int) -> str:
    """The label of a recording, which names its design and its seed: JSON."""
    return json.dumps({"name": manifest.name, "digest": manifest.digest, "design": manifest.design, "seed": seed})


def read_recording_label(path: Path) -> dict:
    """The label of a recording. Raises GirihError if the file is not a recording."""
    try:
        with open(path, "rb") as file:
            magic, _version, size = struct.unpack("<8sII", file.read(16))
            if magic != b"GIRIHREC":
                raise ValueError("another kind of file")
            label = json.loads(file.read(size))
            seed = label.setdefault("seed", 0) if isinstance(label, dict) else None
            if not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
                raise ValueError("another label")
            return label
    except OSError as error:
        raise GirihError(f"the recording cannot be read ({error.strerror})", str(path), "Make one: ./girih run DESIGN --record FILE") from error
    except (ValueError, struct.error) as error:
        raise GirihError("this is not a recording", str(path), "Make one: ./girih run DESIGN --record FILE") from error
