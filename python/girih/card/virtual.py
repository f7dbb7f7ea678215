# SPDX-License-Identifier: Apache-2.0
"""A running virtual card.

    with VirtualCard.open("designs/udp_echo.yaml") as card:
        card.add_flow(port=0, payload=64)
        result = card.run_flows(warmup=100, count=10_000)
        print(result.flows[0].packets_per_cycle, card.registers.counters())

One thread uses a card; while the RTL runs, the interpreter's lock is released.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from girih.build.cxx import Progress
from girih.build.model import build_model
from girih.card import http_pages
from girih.card.account import account
from girih.card.flows import UNTAGGED, Flow, FlowResult, Latency, RunResult, ip_number, mac_bytes
from girih.card.host import AT_HOST, HostPort
from girih.card.library import CardFault, Library
from girih.card.manifest import Manifest
from girih.card.memory import ExternalMemory
from girih.card.ports import CardFrame, Ports, PortStats, choice
from girih.card.recording import Replay, recording_label
from girih.card.registers import Bus, Registers
from girih.card.stall import CardStalled, Stall, Waiting, explain
from girih.errors import GirihError
from girih.firmware.debug import Debugger
from girih.firmware.load import load
from girih.power_up import power_up_seed
from girih.services.control import ServiceControl
from girih.spec.message import descriptor_fields

QUIET_CYCLES = 4096
"""Longer than any packet stays in a card unless it is blocked."""
CALM_READS = 10
"""Attempts to read all counters while nothing passes the ports."""
INTERRUPT_CYCLES = 64
"""Between two looks at the interrupts."""
WATCHDOG_CYCLES = 20_000
"""Longer than any message waits in a card that makes progress."""
EXPECT = {"echo": 0, "forward": 1}


class VirtualCard(Ports, Bus):
    """A design's RTL, its ports and its registers. Everything raises GirihError."""

    def __init__(
        self,
        folder: Path,
        *,
        collect: bool = False,
        record: Path | None = None,
        waves: bool = False,
        sanitize: bool = False,
        bare: bool = False,
        watchdog: int = WATCHDOG_CYCLES,
        seed: int | None = None,
        debugged: Collection[tuple[str, int]] = (),
        progress: Progress | None = None,
    ):
        """Builds (if necessary) and resets the design that the compiler wrote to `folder`.

        collect: keep the frames that leave the ports for `collect()`. record: a file for everything that
        crosses the pins. waves: build with FST waves. bare: leave addresses and service tables in their reset
        state instead of writing those of the design. watchdog: a card in which nothing has moved for this many cycles while
        links hold messages has stalled; 0 disables the watchdog. seed: of the values of registers and memories before reset, 0: zeros; by default
        from the environment (GIRIH_SEED), else 0. debugged: cores, each a tile and a number in it, that halt before the first instruction of their
        programs and wait for a debugger.
        """
        self.manifest = Manifest.load(Path(folder))
        options = {"progress": progress} if progress else {}
        library = build_model(self.manifest.folder, trace=waves, sanitize=sanitize, **options)
        self._library = Library(library)
        self._ffi, self._call = self._library.ffi, self._library.call
        params = self._ffi.new("girih_params *")
        self._library.api.girih_params_init(params)
        params.data_width = self.manifest.data_width
        params.ports = self.manifest.ports
        params.links = len(self.manifest.links)
        if self.manifest.clocks:
            params.card_hz = self.manifest.clock_mhz * 1_000_000
            for edge, hertz in self.manifest.clocks.items():
                setattr(params, f"{edge}_hz", hertz)
        params.seed = self.seed = power_up_seed(0) if seed is None else seed
        if record is not None:
            path, label = self._text(record), self._text(recording_label(self.manifest, self.seed))
            params.record_path, params.record_label = path, label
        handle = self._ffi.new("girih_card **")
        self._call("open", params, handle)
        self._card = handle[0]
        self.watch = self.manifest.watch
        """What is needed to explain a stall. Replace it after writing node tables that differ from the design's."""
        if self.watch:
            self._call("watchdog", self._card, watchdog)
        self.registers = Registers(self.manifest, self)
        memory = self.manifest.memory
        self.memory = None if memory is None else ExternalMemory(self._library, self._card, memory)
        """What stands behind the card's AXI4 port; None if it has none."""
        at_host = any(tile.kind in AT_HOST for tile in self.manifest.tiles)
        self.host = HostPort(self._library, self._card, self.registers) if at_host else None
        """What stands behind the card's port to the host; None if it has none."""
        self._flows: list[Flow] = []
        self._bare, self._debugged = bare, debugged
        self.services: ServiceControl | None = None
        self._install()
        self._collecting: frozenset[int] = frozenset()
        if collect:
            self.keep_output(True)

    @classmethod
    def open(cls, design: Path | str, *, ip: str | None = None, mac: str | None = None, **options) -> VirtualCard:
        """Compiles a design file (or takes a built design's folder) and opens its card. ip (`10.77.0.2/24`), mac: override
        of those in the design file."""
        path = Path(design)
        if path.is_dir():
            return cls(path, **options)
        from girih.compiler.compile import compile_design

        return cls(compile_design(path, ip=ip, mac=mac), **options)

    def __enter__(self) -> VirtualCard:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        with nullcontext() if kind is None else suppress(GirihError):  # what went wrong first is what matters
            self.close()

    def close(self) -> None:
        """Ends the card and closes its files; a second call does nothing. Raises GirihError if a file could not be written whole."""
        if self._card is not None:
            card, self._card = self._card, None
            try:
                self._call("close", card)
            finally:
                if self.host:
                    self.host.close()

    def _install(self) -> None:
        """Writes the card's addresses, starts the programs of its cores and its HTTP servers, and fills the tables of services on a card that has them."""
        if self._bare:
            return
        for name, value in self.manifest.start.items():
            self.registers.write(name, value)
        for name, core in self._debugged:
            Debugger(self.registers, name, core).await_start()
        for tile in self.manifest.tiles:
            if tile.program is not None:
                load(self.registers, tile.name, tile.program)
            if tile.kind == http_pages.KIND:
                http_pages.load(self.registers, tile.name)
        if self.manifest.scheduling:
            self.services = ServiceControl(self.registers)
            self.services.install()

    # ---- time ----

    @property
    def cycle(self) -> int:
        """Cycles since the card was opened."""
        return self._library.api.girih_cycle(self._card)

    def edge_cycles(self) -> dict[str, int]:
        """Cycles of the clocks of the card's edges since the card was opened, of those that have a clock of their own."""
        api = self._library.api
        names = {"ports": api.GIRIH_PORTS, "memory": api.GIRIH_MEMORY, "host": api.GIRIH_HOST, "cores": api.GIRIH_CORES}
        return {edge: api.girih_edge_cycles(self._card, names[edge]) for edge in self.manifest.clocks}

    @property
    def quiet_cycles(self) -> int:
        """Cycles since a frame last moved, or was waiting, at any port."""
        return self._library.api.girih_quiet_cycles(self._card)

    def run(self, cycles: int) -> None:
        """Runs exactly `cycles`."""
        self._call("run", self._card, cycles)

    def run_slice(self, cycles: int, seconds: float) -> None:
        """Runs at most `cycles`, and no longer than `seconds` of real time."""
        self._call("run_slice", self._card, cycles, int(seconds * 1e6))

    def run_until_quiet(self, quiet: int = QUIET_CYCLES, limit: int = 10_000_000) -> None:
        """Runs until no port has moved for `quiet` cycles and no link holds a message; an error after `limit`, and
        CardStalled when nothing moves any more."""
        self._call_to_rest("run_until_quiet", self._card, quiet, limit)

    def shut_ports(self) -> None:
        """Closes the ports: only the rest of a frame that has begun still enters the card; frames from the card still leave."""
        self._call("ports_shut", self._card)

    def detach(self) -> None:
        """For a copy of the process (girih.card.copy): nothing that the card does from now on is visible outside."""
        self._call("detach", self._card)

    def cable_gone(self, port: int) -> bool:
        """Whether a TAP device of a port has been deleted."""
        return bool(self._call("cable_gone", self._card, port))

    def rests_within(self, cycles: int, quiet: int = QUIET_CYCLES) -> bool:
        """Runs until the card rests (see `run_until_quiet`), but no longer than `cycles`; whether it does."""
        try:
            self.run_until_quiet(quiet, cycles)
        except CardFault as fault:
            if fault.status != self._library.api.GIRIH_E_TIMEOUT:
                raise
            return False
        return True

    def stall(self) -> Stall | None:
        """The stall of the card; None if it has not stalled."""
        cycles = self._library.api.girih_stalled_cycles(self._card)
        if not cycles:
            return None
        watch = self.watch
        found = self._ffi.new("girih_waiting[]", len(watch.links))
        count = self._library.api.girih_waiting_links(self._card, found, len(found))
        links = [Waiting(watch.links[w.link], watch.nodes.get(w.src, "?"), watch.nodes.get(w.dst, "?")) for w in found[0:count]]
        ports = range(self.manifest.ports)
        return explain(watch, cycles, tuple(links), frozenset(port for port in ports if self._call("port_waits", self._card, port)))

    def _call_to_rest(self, name: str, *arguments: object) -> None:
        try:
            self._call(name, *arguments)
        except CardFault as fault:
            if fault.status != self._library.api.GIRIH_E_STALL:
                raise
            raise CardStalled(self.stall(), self.manifest.name) from None

    def reset(self) -> None:
        """Resets the card (16 cycles, of a slower clock of an edge too); frames in it are lost. The tables of services are set as in the design."""
        self._call("reset", self._card)
        self._install()

    # ---- registers ----

    def read32(self, address: int) -> int:
        value = self._ffi.new("uint32_t *")
        self._call("read32", self._card, address, value)
        return value[0]

    def write32(self, address: int, value: int) -> None:
        self._call("write32", self._card, address, value)

    # ---- interrupts ----

    def interrupting(self) -> list[str]:
        """The tiles whose interrupt is raised."""
        lines = self._library.api.girih_interrupts(self._card)
        return [tile for index, tile in enumerate(self.manifest.interrupts) if lines >> index & 1]

    def wait_for_interrupt(self, cycles: int = 1_000_000, tiles: Collection[str] | None = None) -> list[str]:
        """Runs until the interrupt of one of these tiles, or of any, is raised, for at most `cycles`; returns the raised ones."""
        end = self.cycle + cycles
        while True:
            raised = [tile for tile in self.interrupting() if tiles is None or tile in tiles]
            if raised or self.cycle >= end:
                return raised
            self.run(min(INTERRUPT_CYCLES, end - self.cycle))

    def check_conservation(self, quiet: int = QUIET_CYCLES) -> None:
        """Lets the card come to rest, then raises GirihError if a tile lost a message without counting it, or still holds one."""
        for _ in range(CALM_READS):  # a frame may come in while counters are read one after the other; two equal readings are of one moment
            self.run_until_quiet(quiet)
            counters = self.registers.counters()
            found = account(self.manifest, counters)
            if not (found.held or found.faults) or counters == self.registers.counters():
                break
        found.judge_all()

    # ---- flows ----

    def add_flow(self, flow: Flow | None = None, **fields) -> int:
        """Adds a flow (or the fields of one) to the next `run_flows`; its number."""
        flow = flow or Flow(**fields)
        mac, ip = self.manifest.port_address(flow.port)
        self._flows.append(replace(flow, dst_mac=flow.dst_mac or mac, dst_ip=flow.dst_ip or ip))
        return len(self._flows) - 1

    def run_flows(
        self, *, count: int, warmup: int = 0, quiet: int = QUIET_CYCLES, limit: int = 1_000_000_000
    ) -> RunResult:
        """Sends warmup + count packets on each flow, waits until all is quiet, and forgets the flows."""
        if not self._flows:
            raise GirihError("there are no flows to run", self.manifest.name, "Call add_flow first.")
        kept, start = self._collecting, self.cycle
        self.keep_output(False)
        try:
            for flow in self._flows:
                self._call("flow_add", self._card, self._flow_params(flow, flow.count or count, warmup))
            self._call_to_rest("flows_run", self._card, quiet, limit)
            results = [self._flow_result(i, flow.count or count) for i, flow in enumerate(self._flows)]
            unexpected = self._library.api.girih_flows_unexpected(self._card)
            return RunResult(results, unexpected, self.cycle - start)
        finally:
            self._library.api.girih_flows_clear(self._card)
            self._flows.clear()
            for port in kept:
                self.keep_output(True, port)

    def _flow_params(self, flow: Flow, count: int, warmup: int):
        params = self._ffi.new("girih_flow_params *")
        self._library.api.girih_flow_params_init(params)
        sizes = [flow.payload] if isinstance(flow.payload, int) else list(flow.payload)
        self._sizes = self._ffi.new("uint32_t[]", sizes)  # must outlive the call
        params.port = flow.port
        params.dst_mac, params.src_mac = mac_bytes(flow.dst_mac), mac_bytes(flow.src_mac)
        params.vlan = UNTAGGED if flow.vlan is None else flow.vlan
        params.src_ip, params.dst_ip = ip_number(flow.src_ip), ip_number(flow.dst_ip)
        params.src_port, params.dst_port = flow.src_port, flow.dst_port
        params.payload_sizes, params.payload_size_count = self._sizes, len(sizes)
        params.window = flow.window or 0
        params.warmup, params.count = warmup, count
        params.rate = flow.rate or 0.0
        params.start_cycle = self.cycle + flow.start
        params.seed = flow.seed
        params.expect = choice("expect", flow.expect, EXPECT)
        params.opaque = flow.opaque
        return params

    def _flow_result(self, index: int, count: int) -> FlowResult:
        result = self._ffi.new("girih_flow_result *")
        self._call("flow_result_get", self._card, index, result)
        first, last, arrivals = (array(code, [0]) * count for code in "IIQ")
        pointers = [self._ffi.from_buffer(f"uint{8 * kept.itemsize}_t[]", kept) for kept in (first, last, arrivals)]
        received = self._call("flow_latencies", self._card, index, *pointers[:2], count)
        self._call("flow_arrivals", self._card, index, pointers[2], count)
        values = {
            name: getattr(result, name) for name in FlowResult.__dataclass_fields__ if name not in ("first_latencies", "last_latencies", "arrivals")
        }
        for name in ("first_beat", "last_beat"):
            values[name] = Latency(**{part: getattr(values[name], part) for part in Latency.__dataclass_fields__})
        return FlowResult(
            **values,
            first_latencies=first[:received],
            last_latencies=last[:received],
            arrivals=arrivals[:received],
        )

    # ---- seeing inside ----

    def start_capture(self, path: Path, links: Sequence[str]) -> None:
        """Writes the messages of the named links (`tile.in`, `port0.rx` …) to a pcapng file while the card runs."""
        numbers = [self.manifest.link_number(name) for name in links]
        layout = descriptor_fields(self.manifest.params)
        names = [self._text(name) for name in links]
        params = self._ffi.new("girih_capture_params *")
        keep = [self._text(path), self._ffi.new("uint32_t[]", numbers), self._ffi.new("char *[]", names)]
        keep.append(self._text(" ".join(f"{f.name}:{f.bits}:{f.count}" for f in layout)))
        params.path, params.links, params.names, params.descriptor = keep
        params.link_count = len(numbers)
        params.descriptor_bits = sum(field.width for field in layout)
        self._call("capture_start", self._card, params)

    def stop_capture(self) -> int:
        """Ends the capture; returns the number of its messages."""
        messages = self._ffi.new("uint64_t *")
        self._call("capture_stop", self._card, messages)
        return messages[0]

    def waves(self, path: Path, start: int, end: int) -> None:
        """Writes waves of cycles start..end-1 to an FST file; the card was opened with waves=True."""
        self._call("waves", self._card, self._text(path), start, end)

    def replay(self, path: Path) -> Replay:
        """Runs a recording on this card, which was just opened with bare=True, and compares. A signal whose handler raises an exception ends it."""
        result = self._ffi.new("girih_replay_result *")
        raised: list[BaseException] = []
        # Python runs its handlers of signals in this callback, and the library cannot pass an exception on.
        goes_on = self._ffi.callback("girih_goes_on", lambda: 1, error=0, onerror=lambda _kind, exception, _trace: raised.append(exception))
        self._call("replay", self._card, self._text(path), goes_on, result)
        if raised:
            raise raised[0]
        text = self._ffi.string(result.difference).decode()
        return Replay(
            result.cycles, result.inputs, result.outputs, result.accesses, text or None, result.difference_cycle
        )


__all__ = ["CardFault", "CardFrame", "CardStalled", "PortStats", "Replay", "VirtualCard"]
