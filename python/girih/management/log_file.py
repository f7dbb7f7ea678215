# SPDX-License-Identifier: Apache-2.0
"""A file with the records of a card's logs: one line of JSON that says which card, then one for each record, in the order of their cycles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from girih.errors import GirihError
from girih.management.log import LogText, Record

FORMAT = "girih log 1"
MOST = 1 << 48  # cycles and numbers are less


@dataclass(frozen=True)
class LogFile:
    """The contents of such a file. design: the design file of the card, relative to the checkout; address: the card's; logs: records by the name of the log."""

    design: str
    address: str
    logs: Mapping[str, LogText]


def is_log(path: Path) -> bool:
    """Whether a file begins as one with logs."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def write(path: Path, content: LogFile) -> None:
    """Raises OSError."""
    logs = {name: {"end": text.end, "gone": text.gone, "records": len(text.records)} for name, text in content.logs.items()}
    label = {"format": FORMAT, "design": content.design, "address": content.address, "logs": logs}
    records = [(record.cycle, name, record) for name, text in content.logs.items() for record in text.records]
    lines = [label, *({"log": name} | asdict(record) | {"data": record.data.hex()} for _, name, record in sorted(records, key=lambda item: (item[0], item[1])))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def read(path: Path) -> LogFile:
    """Reads a file. Raises GirihError if it is not such a file, or is incomplete."""
    number = 0
    try:
        lines = path.read_text().splitlines()
        label = json.loads(lines[0])
        if label["format"] != FORMAT:
            raise ValueError(f"its format is {label['format']}")
        records: dict[str, list[Record]] = {name: [] for name in label["logs"]}
        for line in lines[1:]:
            number += 1
            said = json.loads(line)
            name, data = said.pop("log"), bytes.fromhex(said.pop("data"))
            _append(records[name], Record(**said, data=data))
        for name, told in label["logs"].items():
            if len(records[name]) != told["records"]:
                raise ValueError(f"it has {len(records[name])} of the {told['records']} records of {name}")
        logs = {name: LogText(tuple(records[name]), int(said["end"]), int(said["gone"])) for name, said in label["logs"].items()}
        return LogFile(str(label["design"]), str(label["address"]), logs)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise GirihError(f"the log cannot be read ({error})", f"{path}:{number + 1}", "Write it anew: ./girih log.") from error


def _append(records: list[Record], record: Record) -> None:
    """Raises ValueError if it cannot be the log's next record."""
    for field in fields(Record):
        value = getattr(record, field.name)
        wanted = {"int": int, "bool": bool, "bytes": bytes}[str(field.type)]
        if type(value) is not wanted or (isinstance(value, int) and not 0 <= value < MOST):
            raise ValueError(f"{field.name} is {value!r}")
    if records and (record.number <= records[-1].number or record.cycle < records[-1].cycle):
        raise ValueError("it does not come after the one before")
    records.append(record)
