# SPDX-License-Identifier: Apache-2.0
"""Compiles a parse graph (`spec/parse_graph.yaml` explains the format) into a parser program.

    program = compile_graph(load_graph(path))
    program.fields["udp.dst"]          # [Piece(word=14, high=15, low=0)]
    for offset, value in program.writes(): ...   # of the parser's window, 32 bits each

The parser (rtl/rmt) is flat: each path through the graph becomes one entry. Positions behind the link
headers are those in a frame with the shortest headers; the first step finds the shift in each frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ruamel.yaml import YAML

from girih.errors import GirihError
from girih.paths import SPEC
from girih.rmt import program as fmt
from girih.spec.windows import offset

SHIPPED = SPEC / "parse_graph.yaml"


@dataclass(frozen=True)
class Piece:
    """Bits [high:low] of a word of the packet header vector."""

    word: int
    high: int
    low: int


@dataclass(frozen=True)
class Graph:
    start: str
    link: tuple[str, ...]
    headers: dict[str, dict]
    words: tuple[tuple[int, str, int], ...]
    flow: tuple[str, ...]
    path: Path


@dataclass
class Program:
    """The program for the hardware, and the names that software needs for it.

    fields: pieces of a field, most significant first; only fields of which every bit is in a word.
    headers: number of each header in the bitmap. hides: a header that, if it is present, takes a word
    away from the field.
    """

    fields: dict[str, list[Piece]] = field(default_factory=dict)
    headers: dict[str, int] = field(default_factory=dict)
    hides: dict[str, set[str]] = field(default_factory=dict)
    fronts: list[dict] = field(default_factory=list)
    paths: list[tuple[dict, dict]] = field(default_factory=list)  # entry, action

    def writes(self) -> list[tuple[int, int]]:
        """Loads the whole program, and turns the parser off meanwhile."""
        control = offset("parser_window", "control")
        staged: dict[int, int] = {}  # words stay staged, so those that an entry shares with the one before are not written again
        out = [(control, 0)]
        for kind, struct, entries, limit in (
            ("front", "front_entry", self.fronts, fmt.size("Fronts")),
            ("path", "path_entry", [entry for entry, _ in self.paths], fmt.size("Paths")),
            ("action", "path_action", [action for _, action in self.paths], fmt.size("Paths")),
        ):
            words = -(-fmt.bits(struct) // 32)
            for index in range(limit):
                number = fmt.encode(struct, entries[index] if index < len(entries) else {})
                entry = {w: number >> (32 * w) & 0xFFFFFFFF for w in range(words)}
                out += [(offset("parser_window", "staging", word=w), word) for w, word in entry.items() if staged.get(w) != word]
                staged |= entry
                out.append((offset("parser_window", "commit"), fmt.encode("entry_kind", kind) << 8 | index))
        return [*out, (control, 1)]


@dataclass(frozen=True)
class _At:
    """A byte position: `byte` in a frame with the shortest headers, shifted like `base`."""

    base: str
    byte: int

    def __add__(self, more: int) -> _At:
        return _At(self.base, self.byte + more)

    @property
    def place(self) -> dict:
        return {"base": self.base, "halfword": self.byte // 2}


@dataclass(frozen=True)
class _Path:
    """Headers in order with their positions, and the conditions on a frame: (halfword, mask, value)."""

    headers: tuple[tuple[str, _At], ...]
    conditions: tuple[tuple[_At, int, int], ...]
    end: _At


def load_graph(path: Path = SHIPPED) -> Graph:
    """Loads a parse graph. Raises GirihError, with the remedy, if it is invalid."""
    data = YAML(typ="safe").load(path.read_text())
    graph = Graph(
        data["start"], tuple(data["link"]), data["headers"], tuple(map(tuple, data["words"])), tuple(data["flow"]), path
    )
    for name, header in graph.headers.items():
        for follower in header.get("next", {}).get("cases", {}).values():
            _require(graph, follower in graph.headers, f"{name} is followed by {follower}", "Define that header.")
        _require(graph, header["bytes"] % 2 == 0, f"{name} has an odd size", "Headers start at even bytes.")
    _require(graph, len(graph.headers) <= fmt.size("Headers"), "too many headers", "The parser can name 16.")
    _require(graph, graph.link[0] == graph.start, "the first link header is not `start`", "Put it first.")
    for word, name, _ in graph.words:
        _require(graph, word < fmt.size("Words") and name in graph.headers, f"word {word} of {name}", "See `words`.")
    return graph


def _require(graph: Graph, good: bool, complaint: str, remedy: str) -> None:
    if not good:
        raise GirihError(f"{graph.path}: {complaint}", remedy=remedy)


def _condition(graph: Graph, name: str, at: _At, field_name: str, value: int, mask: int | None = None):
    """`field == value`, as a halfword of the frame, a mask and a value."""
    first, bits = graph.headers[name]["fields"][field_name]
    inside = first % 16 + bits <= 16
    _require(graph, inside, f"{name}.{field_name} decides, but lies in two halfwords", "It must lie in one.")
    low = 16 - first % 16 - bits
    mask = (1 << bits) - 1 if mask is None else mask
    return at + first // 16 * 2, mask << low, value << low


def _checks(graph: Graph, name: str, at: _At) -> list[tuple]:
    return [_condition(graph, name, at, f, value) for f, value in graph.headers[name].get("check", {}).items()]


def _at_least(least: int, bits: int) -> list[tuple[int, int]]:
    """Ternary (value, mask) that together match the numbers from `least` up."""
    full = (1 << bits) - 1
    out, value = [(least, full)], least
    for bit in range(bits):  # each bit that is 0 may be 1, with anything below
        if not value >> bit & 1:
            mask = full & ~((1 << bit) - 1)
            out.append(((value | 1 << bit) & mask, mask))
    return out


def _steps(graph: Graph, name: str, at: _At):
    """(follower, conditions) for each case of the header's `next`."""
    follow = graph.headers[name].get("next", {})
    common = [_condition(graph, name, at, f, v, m) for f, (v, m) in follow.get("when", {}).items()]
    for value, follower in follow.get("cases", {}).items():
        select = [] if value == "any" else [_condition(graph, name, at, follow["select"], value)]
        yield follower, [*common, *select]


_Links = tuple[tuple[str, int], ...]  # headers and their starts


def _links(graph: Graph):
    """Every sequence of link headers, longest first, as (headers, conditions, end)."""
    found: list[_Links] = []
    todo: list[_Links] = [((graph.start, 0),)]
    conditions: dict[_Links, list] = {todo[0]: []}
    while todo:
        sequence = todo.pop()
        name, at = sequence[-1]
        found.append(sequence)
        for follower, needed in _steps(graph, name, _At("frame", at)):
            if follower in graph.link:
                longer = (*sequence, (follower, at + graph.headers[name]["bytes"]))
                conditions[longer] = conditions[sequence] + needed
                todo.append(longer)
    found.sort(key=len, reverse=True)
    return [(s, conditions[s], s[-1][1] + graph.headers[s[-1][0]]["bytes"]) for s in found]


def _paths(graph: Graph, name: str, at: _At, before: _Path) -> list[_Path]:
    """The paths that begin with the headers of `before` and `name` at `at`, deepest first."""
    header = graph.headers[name]
    if at.byte + header["bytes"] > fmt.size("HeaderBytes"):  # the parser never sees all of it
        return []
    conditions = [*before.conditions, *(_checks(graph, name, at) if before.headers else [])]
    variants: list[list] = [[]]
    behind = at + header["bytes"]
    exact = []
    if "size" in header:
        size_field, unit = header["size"]["field"], header["size"]["unit"]
        least = header["bytes"] // unit
        bits = header["fields"][size_field][1]
        if not before.headers:  # the first step has checked it
            behind = _At("l4", behind.byte)
        else:
            exact = [_condition(graph, name, at, size_field, least)]
            variants = [[_condition(graph, name, at, size_field, v, m)] for v, m in _at_least(least, bits)]
    headers = (*before.headers, (name, at))
    longer = []
    for follower, needed in _steps(graph, name, at):
        after = _Path(headers, (*conditions, *exact, *needed), behind)
        longer += _paths(graph, follower, behind, after)
    return longer + [_Path(headers, (*conditions, *variant), behind) for variant in variants]


def _merge(graph: Graph, conditions) -> dict[_At, tuple[int, int]]:
    """Conditions by halfword: (mask, value)."""
    merged: dict[_At, tuple[int, int]] = {}
    for at, mask, value in conditions:
        old_mask, old_value = merged.get(at, (0, 0))
        agree = (old_value ^ value) & old_mask & mask == 0
        _require(graph, agree, f"two conditions on byte {at.byte} exclude each other", "Look at `check` and `next`.")
        merged[at] = (old_mask | mask, old_value | value)
    return merged


def compile_graph(graph: Graph) -> Program:
    """Compiles a graph. Raises GirihError if it does not fit into the parser."""
    program = Program(headers={name: i for i, name in enumerate(graph.headers)})
    _name_fields(graph, program)
    links = _links(graph)
    base_end = links[-1][2]
    followers = [f for s, _, _ in links for f, _ in _steps(graph, s[-1][0], _At("frame", 0))]
    networks = [name for name in dict.fromkeys(followers) if name not in graph.link]
    link_path = _Path((), (), _At("l3", base_end))
    states: dict[str | None, tuple[int, list]] = {None: (0, [])}
    program_paths: list[tuple[int, _Path, list[_At]]] = []
    for state, network in enumerate(networks, 1):
        paths = _paths(graph, network, _At("l3", base_end), link_path)
        paths.sort(key=lambda path: -len(path.headers))
        probes = list(dict.fromkeys(at for path in paths for at, _, _ in path.conditions))
        limit = fmt.size("Probes")
        _require(graph, len(probes) <= limit, f"{len(probes)} halfwords decide behind {network}", f"At most {limit}.")
        states[network] = (state, probes)
        program_paths += [(state, path, probes) for path in paths]
    program.fronts = _fronts(graph, program, links, base_end, states)
    for state, path, probes in program_paths:
        merged = _merge(graph, path.conditions)
        entry = {"valid": 1, "state": state, "state_mask": 15, "need": _extent(path.end)}
        entry["mask"] = [merged.get(at, (0, 0))[0] for at in probes]
        entry["value"] = [merged.get(at, (0, 0))[1] for at in probes]
        program.paths.append((entry, _action(graph, program, path)))
    program.paths.append(({"valid": 1, "need": _extent(link_path.end)}, _action(graph, program, link_path)))
    for kind, entries in (("Fronts", program.fronts), ("Paths", program.paths)):
        _require(graph, len(entries) <= fmt.size(kind), f"{len(entries)} entries", f"At most {fmt.size(kind)} fit.")
    return program


def _extent(end: _At) -> dict:
    return {"base": end.base, "halfwords": end.byte // 2}


def _fronts(graph: Graph, program: Program, links, base_end: int, states) -> list[dict]:
    """Entries of the first step: the link headers, and the header behind them."""
    entries = []
    first_seen, seen = fmt.size("FrontStart"), fmt.size("FrontHalfwords")

    def add(sequence, end: int, conditions, network: str | None, **more) -> None:
        state, probes = states[network]
        entry = {"valid": 1, "state": state, "probe": [at.place for at in probes], **more}
        entry["headers"] = sum(1 << program.headers[name] for name, _ in sequence)
        entry["optional"] = int(len(sequence) > 1)
        entry["shift"] = (end - base_end) // 2
        mask, value = [0] * seen, [0] * seen
        entry["need"] = end
        for at, (m, v) in _merge(graph, conditions).items():
            index = (at.byte - first_seen) // 2
            fits = 0 <= index < seen
            reach = f"Only bytes {first_seen} to {first_seen + 2 * seen - 1} can."
            _require(graph, fits, f"byte {at.byte} decides about link headers", reach)
            mask[index], value[index] = m, v
            entry["need"] = max(entry["need"], at.byte + 2)
        entries.append(entry | {"mask": mask, "value": value})

    for sequence, conditions, end in links:
        name, at = sequence[-1]
        for follower, needed in _steps(graph, name, _At("frame", at)):
            if follower in graph.link:
                continue
            header, here = graph.headers[follower], _At("frame", end)
            all_needed = [*conditions, *needed, *_checks(graph, follower, here)]
            if "size" not in header:
                add(sequence, end, all_needed, follower)
                continue
            size_field, least = header["size"]["field"], header["bytes"] // header["size"]["unit"]
            first, bits = header["fields"][size_field]
            fits = header["size"]["unit"] == 4 and first % 16 == 4 and bits == 4
            _require(graph, fits, f"the size of {follower} is not in bits 4 to 7, in units of 4", "Give it no size.")
            for value, mask in _at_least(least, bits):
                large_enough = _condition(graph, follower, here, size_field, value, mask)
                where = (end + first // 16 * 2 - first_seen) // 2
                more = {"length_valid": 1, "length_least": least, "length_at": where}
                add(sequence, end, [*all_needed, large_enough], follower, **more)
        add(sequence, end, conditions, None)
    return entries


def _name_fields(graph: Graph, program: Program) -> None:
    together: dict[str, set[str]] = {name: set() for name in graph.headers}  # behind it in some frame
    for name in graph.headers:
        todo = [name]
        while todo:
            for follower in graph.headers[todo.pop()].get("next", {}).get("cases", {}).values():
                if follower not in together[name]:
                    together[name].add(follower)
                    todo.append(follower)
    for name, header in graph.headers.items():
        placed = [(word, byte) for word, owner, byte in graph.words if owner == name]
        for field_name, (first, bits) in header["fields"].items():
            pieces, at = [], first
            while at < first + bits:
                holder = [(w, b) for w, b in placed if 8 * b <= at < 8 * b + 32]
                if not holder:
                    break
                word, byte = holder[0]
                until = min(first + bits, 8 * byte + 32)
                pieces.append(Piece(word, 31 - (at - 8 * byte), 32 - (until - 8 * byte)))
                at = until
            else:
                full = f"{name}.{field_name}"
                program.fields[full] = pieces
                own = {piece.word for piece in pieces}
                last = max(i for i, (_, owner, _) in enumerate(graph.words) if owner == name)
                takers = {owner for word, owner, _ in graph.words[last + 1 :] if word in own}
                program.hides[full] = {t for t in takers if t in together[name] or name in together[t]}


def _action(graph: Graph, program: Program, path: _Path) -> dict:
    """The data extracted from a frame on this path, and the effects of edits."""
    at = {name: _At("frame" if name == graph.start else "optional", 0) for name in graph.link}
    for sequence, _, _ in _links(graph):
        for name, byte in sequence:
            at[name] = _At(at[name].base, byte)
    at |= dict(path.headers)
    action: dict = {"headers": sum(1 << program.headers[name] for name, _ in path.headers)}
    for role in ("l3", "l4"):
        holder = next((name for name, _ in path.headers if graph.headers[name].get("role") == role), None)
        if holder:
            action[role] = {"valid": 1, "base": at[holder].base, "at": at[holder].byte}
            action["payload"] = _start(_behind(path, holder))
            length = graph.headers[holder].get("length")
            if role == "l3" and length:
                action |= {"length_valid": 1, "length_add": length["add"]}
                action["length_at"] = (at[holder] + graph.headers[holder]["fields"][length["field"]][0] // 8).place
    action.setdefault("payload", _start(path.end))

    owner: dict[int, tuple[str, int]] = {}
    for word, name, byte in graph.words:
        if name in at:
            owner[word] = (name, byte)
    words: list[dict] = [{} for _ in range(fmt.size("Words"))]
    for word, (name, byte) in owner.items():
        halves = 3 if byte + 4 <= graph.headers[name]["bytes"] else 2
        words[word] = {"halves": halves, "place": (at[name] + byte).place}
    action["flow"] = sum(1 << bit for bit in _flow_halves(graph, program, owner))
    sums, summed = _sums(graph, path, at, owner)
    action["edits"] = {"word": words, "sum": sums, "summed": summed}
    return action


def _start(at: _At) -> dict:
    return {"valid": 1, "base": at.base, "at": at.byte}


def _behind(path: _Path, name: str) -> _At:
    names = [n for n, _ in path.headers]
    index = names.index(name)
    return path.headers[index + 1][1] if index + 1 < len(names) else path.end


def _flow_halves(graph: Graph, program: Program, owner) -> list[int]:
    halves = set()
    for name in graph.flow:
        header = name.rpartition(".")[0]
        for piece in program.fields.get(name, ()):
            if owner.get(piece.word, ("", 0))[0] == header:
                halves |= {2 * piece.word + bit // 16 for bit in (piece.low, piece.high)}
    return sorted(halves)


def _sums(graph: Graph, path: _Path, at, owner) -> tuple[list[dict], list[int]]:
    """The checksums on the path, and those that cover each word."""
    slots = fmt.size("Sums")
    sums: list[dict] = [{} for _ in range(slots)]
    summed = [0] * fmt.size("Words")
    names = [name for name, _ in path.headers]
    for index, name in enumerate(names):
        spec = graph.headers[name].get("sum")
        if not spec:
            continue
        slot, own = spec["slot"], graph.headers[name]["fields"][spec["field"]][0] // 8
        covered, pseudo = {name}, []
        if spec["over"] == "rest":
            covered |= set(names[index + 1 :])
            before = names[index - 1]
            pseudo = [(before, graph.headers[before]["fields"][f]) for f in spec["pseudo"]]
        nested = len(covered) > 1
        mode = "plain"
        if spec.get("zero_is_none"):
            mode = "clear" if nested else "udp"
        sums[slot] = {"mode": mode, "place": (at[name] + own).place}
        for word, (holder, byte) in owner.items():
            for half in (0, 1):  # 0: the first on the wire
                here = byte + 2 * half
                is_pseudo = any(h == holder and f <= 8 * here < f + n for h, (f, n) in pseudo)
                inside = here + 2 <= graph.headers[holder]["bytes"]
                if inside and (is_pseudo or holder in covered) and (holder, here) != (name, own):
                    summed[word] |= 1 << (slot + (0 if half else slots))
    return sums, summed
