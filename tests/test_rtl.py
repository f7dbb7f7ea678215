# SPDX-License-Identifier: Apache-2.0
"""Every module of the card: clean under lint at every width, readable by open synthesis, and each
parameter check refuses what it should."""

import re
from pathlib import Path

import pytest

from girih.build.cxx import contents
from girih.build.generate import digest, generated_rtl, params_for
from girih.build.lint import Lint, lint
from girih.build.sources import modules, resolve
from girih.paths import BUILD
from girih.spec.message import SUPPORTED_WIDTHS
from girih.synth.yosys import read_command, relative, run, version

MODULES = sorted(modules())
# What open synthesis does with a module: it elaborates it, and turns its processes into cells.
ELABORATE = ["hierarchy -check", "design -reset"]
PROCESS = ["hierarchy -check", "proc", "check -assert", "design -reset"]
RTLIL = "RTLIL"  # stands for the file of what open synthesis has read

# Module, parameter, a value that it must refuse, and the sentence that says so.
REFUSED = [
    ("action_counters", "Counters", 3, "action_counters: Counters is 3; it must be a power of two from 2 to 256"),
    (
        "admission",
        "ChannelCells",
        425,
        "admission: ChannelCells is 425; with 4 lossless messages it must be at least 426",
    ),
    ("admission", "Tenants", 17, "admission: Tenants is 17; it must be from 1 to 16"),
    ("admission_slots", "Entries", 3, "admission_slots: Entries is 3; it must be a power of two, at least 2"),
    ("admission_victim", "Services", 0, "admission_victim: there are 0 queues; there must be at least 2"),
    ("aes_core", "Lanes", 3, "aes_core: Lanes is 3; it must divide the 4 blocks of a beat"),
    ("aes_keys", "TenantKeys", 3, "aes_keys: TenantKeys is 3; it must be a power of two, at most 16"),
    ("byte_rotator", "Radix", 3, "byte_rotator: Radix is 3; it must be 2 or 4"),
    ("first_value", "Places", 0, "first_value: Places is 0; it must be at least 1"),
    ("any_set", "Width", 0, "any_set: Width is 0; it must be at least 1"),
    ("unequal", "Width", 0, "unequal: Width is 0; it must be at least 1"),
    ("arbiter_matrix", "N", 0, "arbiter_matrix: N is 0; it must be at least 1"),
    ("arbiter_priority", "N", 0, "arbiter_priority: N is 0; it must be at least 1"),
    ("arbiter_round_robin", "N", 0, "arbiter_round_robin: N is 0; it must be at least 1"),
    ("arp_engine", "Entries", 1, "arp_engine: Entries is 1; it must be at least 2"),
    ("arp_pending", "Slots", 3, "arp_pending: Slots is 3; it must be a power of two, at least 2"),
    ("async_fifo", "Depth", 3, "async_fifo: Depth is 3; it must be a power of two, at least 2"),
    ("axil_requests", "InFlight", 3, "axil_requests: InFlight is 3; it must be a power of two"),
    ("buffer_engine", "Flits", 256, "buffer_engine: Flits is 256; two messages of the largest size take 282"),
    ("checksum_sum", "GroupHalfwords", 3, "checksum_sum: GroupHalfwords is 3; it must be 1, 2, 4 or 8"),
    ("butterfly", "Tiles", 5, "butterfly: Tiles is 5; it must be from 1 to 4"),
    ("butterfly", "X", 9, "butterfly: X is 9 and Y is 2; each must be from 1 to 8, and there must be at least two routers"),
    ("butterfly_router", "X", 2, "butterfly_router: there is no router 2, 0 in a butterfly of 2 x 2"),
    ("change_hold", "Cycles", 1, "change_hold: Cycles is 1; a hold lasts at least 2 cycles"),
    ("class_input", "Depth", 3, "class_input: Depth is 3; it must be a power of two, at least 2"),
    ("cluster_dispatch", "Ahead", 8, "cluster_dispatch: Ahead is 8; it must be less than the 8 slots of a core"),
    ("cluster_dispatch", "Cores", 17, "cluster_dispatch: Cores is 17; it must be from 1 to 16"),
    ("cluster_flows", "Flows", 100, "cluster_flows: Flows is 100; it must be a power of two from 16 to 1024"),
    ("cluster_queue", "Flits", 256, "cluster_queue: Flits is 256; it must be a power of two, at least 282"),
    ("controller_engine", "Operators", 3, "controller_engine: Operators is 3; it must be a power of two from 2 to 16"),
    ("copy_engine", "Reads", 3, "copy_engine: Reads is 3; it must be a power of two, at least 2"),
    ("counter_bank", "Counters", 1, "counter_bank: Counters is 1; the sweep needs at least two"),
    ("control_watch", "Watches", 65, "control_watch: Watches is 65; it must be from 1 to 64"),
    ("core_complex", "MemoryBytes", 5000, "core_complex: MemoryBytes is 5000; it must be a power of two, at least 4096"),
    ("core_memory", "Words", 1000, "core_memory: Words is 1000; it must be a power of two, at least 1024"),
    ("axi_ram", "Pages", 3, "axi_ram: Pages is 3; it must be a power of two from 1 to 4096"),
    ("credit_manager", "LosslessSlots", 0, "credit_manager: LosslessSlots is 0; it must be at least 1"),
    ("credit_manager", "Services", 33, "credit_manager: Services is 33; it must be from 1 to 32"),
    ("credit_manager", "Units", 65, "credit_manager: Units is 65; it must be from 1 to 64"),
    ("credit_meter", "Waiting", 3, "credit_meter: Waiting is 3; it must be a power of two, at least 2"),
    ("ctrl_master", "Master", 0, "ctrl_master: Master is 0, which is the host's number"),
    ("crossbar", "Ports", 1, "crossbar: Ports is 1; it must be from 2 to 256"),
    ("detour_buffer", "Flits", 128, "detour_buffer: Flits is 128; it must be a power of two, at least 141"),
    ("dhcp_engine", "Longest", 589, "dhcp_engine: Longest is 589; it must be 590 to 1024"),
    ("dispatcher", "PopLatency", 1, "dispatcher: PopLatency is 1; it must be at least 2"),
    ("drop_bank", "Depth", 1, "drop_bank: Depth is 1; it must be at least 2"),
    ("fabric_ports", "Classes", 3, "fabric_ports: Classes is 3; it must be 1 or 2"),
    ("fabric_switch", "Classes", 3, "fabric_switch: Classes is 3; it must be 1 or 2"),
    ("fate_counters", "Inputs", 0, "fate_counters: Inputs is 0; it must be at least 1"),
    ("deparser_buffer", "Depth", 3, "deparser_buffer: Depth is 3; it must be a power of two, at least 2"),
    ("fate_counters", "Tenants", 17, "fate_counters: Tenants is 17; it must be from 1 to 16"),
    ("drop_keys", "Keys", 17, "drop_keys: Keys is 17; it must be from 1 to 16"),
    ("drop_log", "Entries", 512, "drop_log: Entries is 512; it must be a power of two from 16 to 256"),
    ("drop_log", "Reasons", 33, "drop_log: Reasons is 33; it must be from 1 to 32"),
    ("drop_tail", "Flits", 3, "drop_tail: Flits is 3; it must be a power of two, at least 2"),
    ("eth_rx_engine", "BufferFlits", 128, "eth_rx_engine: BufferFlits is 128; a frame of the largest size takes 141"),
    ("eth_rx_engine", "Port", 16, "eth_rx_engine: Port is 16; it must be at most 15"),
    ("interrupt_source", "Events", 33, "interrupt_source: Events is 33; it must be from 1 to 32"),
    ("fifo", "Depth", 3, "fifo: Depth is 3; it must be a power of two, at least 2"),
    ("fifo_block", "Depth", 1, "fifo_block: Depth is 1; it must be a power of two, at least 2"),
    ("header_window", "HeaderBytes", 256, "header_window: HeaderBytes is 256; it must be from 1 to 255"),
    ("log_store", "Entries", 24, "log_store: Entries is 24; it must be a power of two, at least 16"),
    ("host_commands", "Addresses", 1, "host_commands: Addresses is 1; it must be from 2 to 64"),
    ("host_cut", "LengthBits", 10, "host_cut: LengthBits is 10; it must be at least 11, to hold the bytes of a piece"),
    ("host_cut", "Unit", 48, "host_cut: Unit is 48; it must be a power of two, at least 2"),
    ("http_engine", "Connections", 8, "http_engine: Connections is 8; it must be a power of two from 16 to 16384"),
    ("ipv4_view", "Bytes", 238, "ipv4_view: Bytes is 238; it must be from 1 to 237"),
    ("link_stalls", "Links", 1, "link_stalls: Links is 1; it must be 0 or from 2 to 1024"),
    ("key_hops", "Keys", 0, "key_hops: Entries is 4 and Keys is 0; each must be at least 1"),
    ("local_buffer", "Flits", 256, "local_buffer: Flits is 256; it must be a power of two, at least 282"),
    ("local_buffer", "LosslessSlots", 0, "local_buffer: LosslessSlots is 0; it must be at least 1"),
    ("local_buffer", "Messages", 3, "local_buffer: Messages is 3; it must be a power of two, more than LosslessSlots"),
    ("lossless_tokens", "Places", 3, "lossless_tokens: Places is 3; it must be a power of two"),
    ("lossless_tokens", "Tokens", 0, "lossless_tokens: Tokens is 0; it must be at least 1"),
    ("match_exact", "Entries", 4, "match_exact: Entries is 4; it must be a power of two, at least 8"),
    ("match_exact", "KeyBits", 161, "match_exact: KeyBits is 161; it must be from 1 to 160"),
    ("match_key", "Halves", 11, "match_key: Halves is 11; it must be from 1 to 10"),
    ("match_stage", "Kind", 3, "match_stage: Kind is 3; it must be 0 (exact), 1 (ternary) or 2 (longest prefix)"),
    ("match_ternary", "Entries", 3, "match_ternary: Entries is 3; it must be a power of two, at least 2"),
    ("host_fit", "Chains", 65, "host_fit: Chains is 65; it must be a power of two from 2 to 64"),
    ("host_gate", "Clients", 0, "host_gate: Clients is 0; it must be from 1 to 64"),
    ("host_read", "Flits", 64, "host_read: Flits is 64; it must be at least 68, for several accesses"),
    ("host_toeplitz", "FlowBits", 289, "host_toeplitz: a flow of 289 bits takes a key of 321; there are 320"),
    ("host_steer", "Pairs", 5, "host_steer: Pairs is 5; it must be from 1 to 4"),
    ("memory_engine", "Slots", 3, "memory_engine: Slots is 3; it must be a power of two from 4 to 256"),
    ("mesh", "X", 17, "mesh: X is 17"),
    ("message_slots", "SlotBytes", 100, "message_slots: SlotBytes is 100; it must be a power of two from 256 to 32768"),
    ("message_slots", "Slots", 3, "message_slots: Slots is 3; it must be a power of two from 2 to 64"),
    ("meter_bank", "Meters", 512, "meter_bank: Meters is 512; it must be a power of two from 2 to 256"),
    ("nat_engine", "Entries", 100, "nat_engine: Entries is 100; it must be a power of two from 64 to 16384"),
    ("next_hop_table", "Entries", 0, "next_hop_table: Entries is 0; there must be at least one"),
    ("packet_buffer", "CellFlits", 3, "packet_buffer: CellFlits is 3; it must be a power of two"),
    ("packet_buffer", "Cells", 48, "packet_buffer: Cells is 48; it must be a power of two, at least 4"),
    ("packet_store", "Depth", 256, "packet_store: Depth is 256; it must be a power of two, at least 282"),
    ("payload_window", "HeaderBytes", 0, "payload_window: HeaderBytes is 0; it must be from 1 to 255"),
    ("pipeline_nic_engine", "QueueBytes", 1025, "pipeline_nic_engine: QueueBytes is 1025; it must be a power of two"),
    ("pifo", "Entries", 1, "pifo: Entries is 1; it must be at least 2"),
    ("pifo", "Queues", 0, "pifo: Queues is 0; there must be at least one"),
    ("pifo", "RankWidth", 3, "pifo: RankWidth is 3; it must be at least 4"),
    ("pifo_leaf", "IndexWidth", 1, "pifo_leaf: IndexWidth is 1; it must be at least 2"),
    ("port_lanes", "Lanes", 4, "port_lanes: Lanes is 4; it must be from 1 to 3"),
    ("port_lanes", "Flits", 256, "port_lanes: Flits is 256; it must be a power of two, at least 16 and 282"),
    ("port_lanes", "Tenants", 3, "port_lanes: Tenants is 3; it must be a power of two from 2 to 64"),
    ("pulse_sum", "Bits", 2, "pulse_sum: N is 4 and Bits 2; N must be at least 1, and Bits must hold N"),
    ("ram_simple_dual", "Depth", 1, "ram_simple_dual: Depth is 1; it must be at least 2"),
    ("rank_clock", "Queues", 1, "rank_clock: Queues is 1; it must be at least 2"),
    ("rank_stage", "Services", 17, "rank_stage: Services is 17; it must be from 1 to 16"),
    ("rank_stage", "Tenants", 17, "rank_stage: Tenants is 17; it must be from 1 to 16"),
    ("realign_insert", "HeaderBytes", 0, "realign_insert: HeaderBytes is 0; it must be from 1 to 255"),
    ("realign_insert", "Width", 24, "realign_insert: Width is 24; it must be a power of two from 16 to 1024"),
    ("realign_strip", "Width", 24, "realign_strip: Width is 24; it must be a power of two from 16 to 1024"),
    ("rmt_pipeline", "BufferFlits", 128, "rmt_pipeline: BufferFlits is 128; a frame of the largest size takes 141"),
    ("rmt_pipeline", "Stages", 5, "rmt_pipeline: Stages is 5; it must be from 1 to 4"),
    ("rmt_port_engine", "Port", 16, "rmt_port_engine: Port is 16; it must be at most 15"),
    ("router", "Exists", "5'b10000", "router: Exists is 10000; it needs the local port and at least one neighbour"),
    ("scheduler_core", "Services", 17, "scheduler_core: Services is 17; it must be at most 16"),
    ("scheduler_core", "Tenants", 3, "scheduler_core: Tenants is 3; it must be a power of two, at most 16"),
    ("scheduler_counts", "IndexWidth", 0, "scheduler_counts: IndexWidth is 0; it must be at least 1"),
    (
        "scheduler_engine",
        "Services",
        33,
        "scheduler_engine: 33 services, 4 tenants, 8 units; the registers are for 32, 64 and 64",
    ),
    ("scheduler_engine", "MostQueues", 16, "scheduler_engine: 8 services and 4 tenants; MostQueues allows 16 queues"),
    ("scheduler_engine", "Units", 65, "scheduler_engine: 8 services, 4 tenants, 65 units; the registers are for 32, 64 and 64"),
    ("scheduler_engine", "Cells", 32768, "scheduler_engine: 1024 entries and 65536 cells; their counts have 16 bits"),
    ("sha3_core", "Lanes", 0, "sha3_core: Lanes is 0; there must be at least one"),
    ("sha3_lane", "BufferFlits", 128, "sha3_lane: BufferFlits is 128; a packet of the largest size takes 141"),
    ("slot_memory", "Flits", 3, "slot_memory: Flits is 3; it must be a power of two, at least 4"),
    ("stateful_alu", "Registers", 1, "stateful_alu: Registers is 1; it must be a power of two from 2 to 256"),
    ("stream_fetch", "Slots", 3, "stream_fetch: Slots is 3; it must be a power of two from 2 to 16"),
    ("stream_writer", "Depth", 256, "stream_writer: Depth is 256; it must be at least 292"),
    ("stream_memory", "Ring", 128, "stream_memory: Ring is 128; it must be a power of two, at least 256"),
    ("stream_memory", "Streams", 3, "stream_memory: Streams is 3; it must be a power of two, at least 2"),
    ("synchroniser", "Stages", 1, "synchroniser: Stages is 1; it must be from 2 to 4"),
    ("socket_intake", "Backlog", 12, "socket_intake: Backlog is 12; it must be a power of two from 8 to 256"),
    ("tcp_chargen_engine", "Connections", 24, "tcp_chargen_engine: Connections is 24; it must be a power of two from 16 to 16384"),
    ("syslog_engine", "Watches", 17, "syslog_engine: Watches is 17; it must be 1 to 16"),
    ("tcp_burst", "Burst", 256, "tcp_burst: Burst is 256; it must be between 1 and 255"),
    ("tcp_burst", "Pause", 1, "tcp_burst: Pause is 1; it must be at least 2"),
    ("tcp_front", "Ports", 3, "tcp_front: Ports is 3; it must be 1, or 2 where Far is 0"),
    ("tcp_intake", "Takes", 4, "tcp_intake: Takes is 4; it must be from 1 to 3"),
    ("tcp_stack", "Window", 1024, "tcp_stack: Window is 1024; it must be a power of two from 2048 to 65536"),
    ("tcp_events", "Connections", 24, "tcp_events: Connections is 24; it must be a power of two from 16 to 16384"),
    ("tenant_pick", "Tenants", 17, "tenant_pick: Tenants is 17; it must be from 1 to 16"),
    ("tenant_share", "Services", 17, "tenant_share: Services is 17; it must be from 1 to 16"),
    ("tenant_share", "Tenants", 17, "tenant_share: Tenants is 17; it must be from 1 to 16"),
    ("tile_sender", "Tenants", 0, "tile_sender: Tenants is 0; it must allow at least one tenant"),
    ("tile_shell", "CountedPorts", 0, "tile_shell: CountedPorts is 0; there are 1 ports to count"),
    ("transmit_crossing", "StoreFlits", 128, "transmit_crossing: StoreFlits is 128; a frame of the largest size takes 141"),
    ("udp_stream", "InFlight", 24, "udp_stream: InFlight is 24; it must be a power of two from 2 to 64"),
    ("window_index", "Bits", 14, "window_index: Bits is 14; it must be from 15 to 32, as a window of 14 bits is accessed directly"),
    ("window_guard", "Limit", 1, "window_guard: Limit is 1; it must be at least 2"),
    ("virtio_net_engine", "Pairs", 5, "virtio_net_engine: Pairs is 5; it must be from 1 to 4"),
    ("virtqueue_packed", "Chains", 3, "virtqueue_packed: Chains is 3; it must be a power of two, at least 2"),
    ("virtqueue_packed", "Links", 64, "virtqueue_packed: Links is 64; it must be a power of two from 2 to 32"),
    ("virtqueue_split", "Chains", 3, "virtqueue_split: Chains is 3; it must be a power of two, at least 2"),
    ("virtqueue_split", "Links", 3, "virtqueue_split: Links is 3; it must be a power of two, at least 2"),
]

# Checks that no parameter can reach: they guard against packages of unsupported widths.
UNREACHABLE = {"arp_maker", "match_half", "nat_facts", "parser_collect", "parser_path", "parser_pick", "parser_program", "syslog_writer", "tcp_ranges"}


def lint_module(module: str, width: int, *options: str) -> Lint:
    return lint(module, resolve([module], [generated_rtl(params_for(module, width))]), *options)


def largest() -> list[str]:
    """The modules that are no part of another."""
    parts = {path.stem for module in MODULES for path in resolve([module], [generated_rtl(params_for(module, 128))]) if path.stem != module}
    return [module for module in MODULES if module not in parts]


def lint_has_nothing_to_say(modules: list[str], width: int) -> None:
    complaints = [result.output for module in modules if not (result := lint_module(module, width)).clean]
    assert not complaints, "\n".join(complaints)


# Verilator's warnings also end the build of each unit test and of each card.
def test_lint_has_nothing_to_say_of_the_largest_modules():
    """Nor of their parts: each module is a part of one, or one itself."""
    lint_has_nothing_to_say(largest(), 128)


@pytest.mark.thorough
@pytest.mark.parametrize("width", SUPPORTED_WIDTHS)
def test_lint_has_nothing_to_say(width):
    lint_has_nothing_to_say(MODULES, width)


def test_every_parameter_check_is_here():
    with_check = {path.stem for path in modules().values() if "$fatal" in path.read_text()}
    assert with_check - UNREACHABLE == {module for module, *_ in REFUSED}


@pytest.mark.parametrize("module, parameter, value, sentence", REFUSED)
def test_parameter_check(module, parameter, value, sentence):
    result = lint_module(module, 512, f"-G{parameter}={value}")
    assert not result.clean
    assert sentence in result.output


def read(unread: dict[str, list[Path]], steps: list[str]) -> set[str]:
    """Reads modules with open synthesis, each with its parts. unread: their sources. steps: what is done with each. Returns all modules that have then been read:
    those whose file is the source of a wire or a cell."""
    script = [line for module, sources in unread.items() for line in (read_command(module, sources, {}), f"write_rtlil {RTLIL}", *steps)]
    folder = BUILD / "synth" / f"every-module-{digest(*script)}"
    script = [line.replace(RTLIL, f"{relative(folder)}/{number}.il") for number, line in enumerate(script)]
    run("\n".join(script), folder)
    found = set(unread)
    for path in folder.glob("*.il"):
        found |= {name.decode() for name in re.findall(rb"(\w+)\.sv:", path.read_bytes())}
        path.unlink()
    return found


def read_all(modules: list[str], width: int, steps: list[str]) -> None:
    """Reads each of these as part of a larger one, or alone if the larger one's default parameters leave it out. Modules unchanged since they were
    last read without an error are skipped."""
    unread: dict[str, list[Path]] = {}
    marks: dict[str, Path] = {}
    for module in modules:
        sources = resolve([module], [generated_rtl(params_for(module, width))])
        mark = BUILD / "synth" / "every-module" / f"{module}-{digest(version(), *steps, contents(sources))}"
        if not mark.exists():
            unread[module], marks[module] = sources, mark
    while unread:
        parts = {path.stem for module, sources in unread.items() for path in sources if path.stem != module}
        done = read({module: sources for module, sources in unread.items() if module not in parts} or unread, steps)
        for module in done & set(unread):
            marks[module].parent.mkdir(exist_ok=True)
            marks[module].touch()
            del unread[module]


def test_open_synthesis_reads_the_largest_modules():
    """With the parts that their default parameters do not leave out."""
    read_all(largest(), 128, ELABORATE)


@pytest.mark.thorough
def test_open_synthesis_reads_every_module():
    read_all(MODULES, 512, PROCESS)
